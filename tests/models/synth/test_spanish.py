"""Notes in Spanish: their countries, people, dates and numbers, and notes without PHI."""

import re

import pytest
from scrubline.models.synth import generate_note, load_templates
from scrubline.models.synth.countries import country
from scrubline.models.synth.drawing import Draw
from scrubline.models.synth.filling import fill, open_note
from scrubline.models.synth.generating import to_document
from scrubline.models.synth.national_spanish import NUMBERS_SPANISH
from scrubline.models.synth.parsing import COUNTRIES_IN, TemplateError, parse_template
from scrubline.models.synth.slots import SLOTS_IN
from scrubline.models.synth.spanish_people import in_words

CODES = COUNTRIES_IN["es"]
TEMPLATES = load_templates(language="es")


def filled(source, where="ES", copy=0):
    template = parse_template(f"#country: {where}\n{source}", language="es")
    note = open_note(template, Draw("spanish", copy))
    return to_document("test", fill(note, template.nodes, SLOTS_IN["es"]), {})


def words_of(note, label):
    return [note.text[s.start : s.end] for s in note.spans if s.label == label]


@pytest.mark.parametrize("code", CODES)
def test_a_country_fills_all_that_it_names(code):
    place, draw = country(code, "es"), Draw(code)
    for section, entries in place.sections.items():
        for entry in entries:
            if section not in ("origins", "towns", "town lists"):
                assert "<" not in place.filled(draw, entry.replace("$", ""))
    source = "{address}; {national}; {identity}; {scheme}; {register}; {hospital.short}; {phone}"
    for copy in range(10):
        assert not re.search("[<>⟦⟧$~]", filled(source, code, copy).text)


def test_every_template_can_be_filled_twice_alike():
    for template in TEMPLATES:
        assert generate_note(template, 4, 1) == generate_note(template, 4, 1)


def test_traps_have_no_phi_and_others_have():
    for template in TEMPLATES:
        spans = generate_note(template, 2, 0).spans
        assert (spans == ()) == template.kind.startswith("trampas")


def test_there_are_enough_of_them():
    traps = sum(template.kind.startswith("trampas") for template in TEMPLATES)
    assert (len(TEMPLATES) - traps >= 220, traps >= 60) == (True, True)


def test_check_letters_are_right():
    for copy in range(50):
        number = re.sub(r"\W", "", NUMBERS_SPANISH["dni"].draw(Draw(copy)))
        assert number[-1] == "TRWAGMYFPDXBNJZSQVHLCKE"[int(number[:-1]) % 23]
        rut = re.sub(r"\W", "", NUMBERS_SPANISH["rut"].draw(Draw(copy)))
        digits = [int(digit) for digit in reversed(rut[:-1])]
        check = 11 - sum(d * (2 + place % 6) for place, d in enumerate(digits)) % 11
        assert rut[-1] == {11: "0", 10: "K"}.get(check, str(check))


@pytest.mark.parametrize(
    ("number", "words"),
    [(1, "uno"), (26, "veintiséis"), (54, "cincuenta y cuatro"), (100, "cien"), (1976, "mil"
     " novecientos setenta y seis"), (2022, "dos mil veintidós")],
)  # fmt: skip
def test_numbers_in_words(number, words):
    assert in_words(number) == words


def test_the_month_comes_first_in_the_north_alone():
    for copy in range(30):
        (date,) = words_of(filled("{date.long:0}", "MX", copy), "DATE")
        assert re.fullmatch(r"\d{1,2} de [a-z]+ de \d{4}", date)


def test_a_person_has_two_surnames_and_titles_agree():
    for copy in range(40):
        note = filled("{Dr1} {d1.full}|{Dr1} {d1.both}|ingresad{o} {el}", copy=copy)
        whole, both = words_of(note, "DOCTOR")
        assert both in whole
        assert note.text.endswith(("ingresado el", "ingresada la"))


def test_a_language_has_its_own_countries():
    with pytest.raises(TemplateError, match="setting"):
        parse_template("#country: UK\nx", language="es")
    with pytest.raises(TemplateError, match="setting"):
        parse_template("#country: MX\nx")


def test_terms_and_abbreviations_are_many_and_no_phi():
    notes = [filled("{term}; {abbr}; {eponym}; {thing}", copy=copy) for copy in range(60)]
    assert all(not note.spans for note in notes)
    assert len({note.text.lower() for note in notes}) == 60
