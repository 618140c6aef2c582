"""Notes of other countries: their names, numbers, places and dates, and notes without PHI."""

import dataclasses
import re

import pytest
from scrubline.models.recognisers import check_digits
from scrubline.models.synth import generate_note, load_templates
from scrubline.models.synth.countries import country, country_of
from scrubline.models.synth.drawing import Draw
from scrubline.models.synth.filling import fill, open_note
from scrubline.models.synth.generating import to_document
from scrubline.models.synth.national import NUMBERS
from scrubline.models.synth.parsing import COUNTRIES, TemplateError, parse_template
from scrubline.models.synth.slots import SLOTS
from scrubline.models.synth.world import INSTITUTIONS, PLAIN

NEEDED = (
    *("origins", "titles f", "titles m", "credentials", "grades", "region label", "towns"),
    *("streets", "roads", "districts", "address", "phone", "mrn", "license", "holidays"),
    *("national", "identity", "scheme", "register", "hospital", "clinic", "agency", "school"),
)
CHECKS = {
    "nhs": check_digits.modulo_11,
    "chi": check_digits.modulo_11,
    "pps": check_digits.ireland,
    "sin": check_digits.luhn,
    "ohip": check_digits.luhn,
    "phn": check_digits.phn_british_columbia,
    "medicareau": check_digits.medicare_australia,
    "ihi": check_digits.luhn,
    "nhi": check_digits.new_zealand,
    "aadhaar": check_digits.verhoeff,
    "nric": check_digits.singapore,
    "fin": check_digits.singapore,
    "said": check_digits.luhn,
}


def filled(source, where, copy=0):
    template = parse_template(f"#country: {where}\n{source}")
    note = open_note(template, Draw("world", copy))
    return to_document("test", fill(note, template.nodes, SLOTS), {})


def words_of(note, label):
    return [note.text[s.start : s.end] for s in note.spans if s.label == label]


@pytest.mark.parametrize("code", COUNTRIES)
def test_a_country_has_all_that_notes_ask_for(code):
    place = country(code)
    assert [section for section in NEEDED if section not in place.sections] == []
    draw = Draw(code)
    for section in place.sections:
        # All parts that an entry names are there; towns are split before they are filled.
        for entry in place.sections[section]:
            if section not in ("origins", "towns"):
                assert place.filled(draw, entry.replace("$", "")).count("<") == 0


@pytest.mark.parametrize("code", COUNTRIES)
def test_all_slots_are_filled_and_labelled(code):
    source = " ".join(f"{{{name}}}" for name in (*PLAIN, *INSTITUTIONS))
    labels = {label for _, label in PLAIN.values()} | set(INSTITUTIONS.values())
    note = filled(source, code)
    assert {span.label for span in note.spans} == labels
    assert not re.search("[<>⟦⟧$~]", note.text)


@pytest.mark.parametrize("code", COUNTRIES)
def test_addresses_have_the_labels_of_their_parts(code):
    found = set()
    for copy in range(30):
        note = filled("{address}; {national}; {identity}; {scheme}; {register}", code, copy)
        assert not re.search("[<>⟦⟧$~]", note.text)
        found |= {span.label for span in note.spans}
    assert {"LICENSE", "STREET"} <= found
    assert found & {"CITY", "COUNTRY"}


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_numbers_have_right_check_digits(name):
    for copy in range(50):
        number = NUMBERS[name].draw(Draw(name, copy))
        assert CHECKS[name](re.sub(r"[\s-]", "", number))


def test_the_day_comes_first_abroad():
    for copy in range(40):
        (date,) = words_of(filled("{date.md:0}", "UK", copy), "DATE")
        month_first = re.fullmatch(r"(\d+)/(\d+)", date)
        assert not month_first or int(month_first[2]) <= 12
        (whole,) = words_of(filled("{date.long:0}", "KE", copy), "DATE")
        assert re.fullmatch(r"\d{1,2} [A-Z][a-z]+ \d{4}", whole)


def test_a_name_in_its_own_order_is_one_span():
    names = [words_of(filled("{p}", "SG", copy), "PATIENT") for copy in range(200)]
    assert all(len(name) == 1 for name in names)
    whole = [name for (name,) in names]
    assert any(re.search(r" (bin|binte|bte) ", name) for name in whole)
    assert any(re.search(r" [sd]/o ", name) for name in whole)


def test_a_state_and_a_post_code_are_those_of_the_town():
    for copy in range(40):
        note = filled("{city1}, {state1.full} {zip1}", "AU", copy)
        (state,), (code,) = words_of(note, "STATE"), words_of(note, "ZIP")
        # Broken Hill and Queanbeyan are written with the short form of their State.
        first = {"Victoria": "3", "Queensland": "4", "South Australia": "5"}
        assert state not in first or code.startswith(first[state])


def test_one_note_in_five_is_abroad_and_the_rest_are_as_ever():
    template = parse_template("{p} {hospital} {date}\n")
    at_home = dataclasses.replace(template, settings={"country": "US"})
    abroad = 0
    for copy in range(400):
        note = open_note(template, Draw("share", copy))
        if country_of(note) is not None:
            abroad += 1
        else:
            again = open_note(at_home, Draw("share", copy))
            assert fill(note, template.nodes, SLOTS) == fill(again, at_home.nodes, SLOTS)
    assert 50 <= abroad <= 110


def test_a_country_that_is_not_known_is_refused():
    with pytest.raises(TemplateError, match="setting"):
        parse_template("#country: XX\nx")


def test_traps_hold_no_phi():
    traps = [template for template in load_templates() if template.kind.startswith("trap-")]
    assert len(traps) >= 120
    for template in traps:
        assert generate_note(template, 3, 0).spans == ()


def test_there_are_as_many_notes_of_the_world_as_promised():
    world = [template for template in load_templates() if template.kind.startswith("world-")]
    assert len(world) >= 188
