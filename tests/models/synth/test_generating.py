"""Generated notes: labels where slots are, the same for the same seed, no PHI of anybody."""

import collections
import dataclasses
import ipaddress
import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.core.labels import LABELS, UNKNOWN_KIND
from scrubline.models.synth import generate, generate_note, load_templates
from scrubline.models.synth.drawing import Draw
from scrubline.models.synth.filling import NotePiece, fill, open_note, span_of
from scrubline.models.synth.generating import to_document
from scrubline.models.synth.parsing import TemplateError, parse_template
from scrubline.models.synth.printing import MANNERS
from scrubline.models.synth.slots import SLOTS, SLOTS_IN

from ...examples import examples

TEMPLATES = load_templates()
KINDS = {
    kind: list(some) for kind, some in itertools.groupby(TEMPLATES, lambda template: template.kind)
}
LEAST_TEMPLATES, LEAST_KINDS, LEAST_SPANS = 800, 40, 15


def words_of(note, label=None):
    return [note.text[s.start : s.end] for s in note.spans if label in (None, s.label)]


def filled(source, copy=0, country="US"):
    """A note of a template, as it is before it is printed."""
    template = parse_template(source)
    settings = {"country": country, **template.settings}
    template = dataclasses.replace(template, settings=settings)
    note = open_note(template, Draw("test", copy))
    return to_document("test", fill(note, template.nodes, SLOTS), {})


def test_there_are_as_many_templates_as_promised():
    assert len(TEMPLATES) >= LEAST_TEMPLATES
    assert len({template.kind for template in TEMPLATES}) >= LEAST_KINDS


@pytest.mark.slow
def test_no_two_templates_are_alike():
    """No two share more than a fifth of their runs of eight words."""
    runs = collections.defaultdict(set)
    sizes = {}
    for template in TEMPLATES:
        text = " ".join(node.text for node in template.nodes if hasattr(node, "text"))
        words = re.findall(r"[a-z]+", text.lower())
        own = {tuple(words[i : i + 8]) for i in range(len(words) - 7)}
        sizes[template.name] = max(len(own), 1)
        for run in own:
            runs[run].add(template.name)
    shared = collections.Counter()
    for names in runs.values():
        if 1 < len(names) < 20:
            ordered = sorted(names)
            shared.update((a, b) for i, a in enumerate(ordered) for b in ordered[i + 1 :])
    alike = [
        pair for pair, n in shared.items() if n > 5 and n > 0.2 * min(sizes[one] for one in pair)
    ]
    assert alike == []


def test_a_template_is_filled_as_often_as_it_has_draws():
    templates = [
        parse_template("#draws: 3\nsigns {n:1-9999}\n", "trap", 1),
        parse_template("seen {n:1-9999}\n", "plain", 1),
    ]
    notes = list(generate(templates, seed=1, notes=8))
    turn = ["trap-001", "trap-001", "trap-001", "plain-001"]
    assert [note.meta["template"] for note in notes] == turn * 2
    assert [note.doc_id for note in notes] == [
        *(f"trap-001-{copy}" for copy in range(3)), "plain-001-0",
        *(f"trap-001-{copy}" for copy in range(3, 6)), "plain-001-1",
    ]  # fmt: skip
    assert len({note.text for note in notes}) == 8
    assert [note.meta["template"] for note in generate(templates, seed=1, notes=2)] == [
        "trap-001", "trap-001",
    ]  # fmt: skip
    with pytest.raises(TemplateError):
        parse_template("#draws: 0\nx\n")


def test_traps_have_no_phi():
    for kind, templates in KINDS.items():
        if kind.startswith("trap-"):
            for template in templates:
                assert not generate_note(template, 3, 1).spans


@pytest.mark.parametrize("slot", ["sign", "med", "test", "bug", "term", "epo", "thing"])
def test_what_looks_like_a_name_is_of_the_dictionaries(slot):
    drawn = {filled("{" + slot + "}", copy).text for copy in range(300)}
    assert len(drawn) > 200
    assert all(text == text.strip() for text in drawn)


@pytest.mark.parametrize("kind", KINDS)
def test_every_template_can_be_filled(kind):
    for template in KINDS[kind]:
        note = generate_note(template, 5, 1)
        assert note.text.strip()
        for span in note.spans:
            inside = note.text[span.start : span.end]
            assert inside == inside.strip() != ""
            assert span.label in LABELS
        places = [(span.start, span.end) for span in note.spans]
        assert all(a[1] <= b[0] for a, b in zip(places, places[1:], strict=False))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_way_of_every_choice_can_be_filled(kind):
    for slot in itertools.chain.from_iterable(template.slots() for template in KINDS[kind]):
        source = "{" + slot.name + slot.index
        source += f".{slot.form}" if slot.form else ""
        source += f":{slot.argument}" if slot.argument else ""
        assert filled(source + "}").text


def test_the_same_seed_gives_the_same_notes_and_another_gives_other_people():
    some = TEMPLATES[::40]
    one, again, other = (list(generate(some, seed=seed, notes=2 * len(some))) for seed in (1, 1, 2))
    assert one == again
    people = [set(sum((words_of(note, "PATIENT") for note in notes), [])) for notes in (one, other)]
    assert len(people[0] & people[1]) < 0.3 * len(people[0])
    # The second note of a template has other people too.
    first, second = (
        set(sum((words_of(note, "PATIENT") for note in half), []))
        for half in (one[: len(some)], one[len(some) :])
    )
    # Names in marks, which are the template's own, come again.
    assert len(first & second) < 0.3 * len(first)


@pytest.mark.slow
def test_all_labels_occur():
    found = collections.Counter(
        span.label
        for note in generate(TEMPLATES, seed=1, notes=len(TEMPLATES))
        for span in note.spans
    )
    # Of whatever is generated the kind is known.
    few = {label: found[label] for label in LABELS if found[label] < LEAST_SPANS}
    assert few == {UNKNOWN_KIND: 0}


def test_addresses_and_numbers_belong_to_nobody():
    notes = [filled("{ip} {ssn} {phone} {fax} {email} {url}", copy) for copy in range(300)]
    documentation = [
        ipaddress.ip_network(net)
        for net in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32")
    ]
    for note in notes:
        (address,) = words_of(note, "IPADDR")
        assert any(ipaddress.ip_address(address) in net for net in documentation)
        (number,) = words_of(note, "SSN")
        assert re.match("000|666|9", number)
        for label in ("EMAIL", "URL"):
            (words,) = words_of(note, label)
            assert re.search(r"\.example(\.(com|org|net|edu))?\b", words)
        for label in ("PHONE", "FAX"):
            words, *extension = words_of(note, label)
            assert all(re.fullmatch(r"\d{2,4}", more) for more in extension)
            assert not re.search("[xX]", words), "an extension is a PHONE of its own"
            drama = re.sub(r"\D", "", words)
            assert "555" in drama or re.search("7946|496|1632|5550", drama)


@pytest.mark.parametrize(
    ("source", "label", "form"),
    [
        ("{p.lf}", "PATIENT", r"[^,]+[ ,] ?.+"),
        ("{d1.fi}", "DOCTOR", r"\w(\. ?| ).+"),
        ("{d1.ini}", "DOCTOR", r"\w{2,3}"),
        ("{d1.dot}", "DOCTOR", r"\w\. ?\w\."),
        ("{p.hl7}", "PATIENT", r"[^^]+(\^[^^]+)+"),
        ("{p.spell}", "PATIENT", r"\w(-.)+"),
        ("{p.user}", "USERNAME", r"[\w.]+"),
        ("{r1.email}", "EMAIL", r"[\w.]+@[\w.-]+"),
        ("{date.iso:0}", "DATE", r"\d{4}-\d\d-\d\d"),
        ("{date.hl7:0}", "DATE", r"\d{8}"),
        ("{date.long:0}", "DATE", r"[A-Z][a-z]+ \d{1,2}, \d{4}"),
        ("{date.y}", "DATE", r"\d{4}"),
        ("{age:30-50}", "AGE", r"[345]\d"),
        ("{age.words:41-49}", "AGE", r"forty-\w+"),
        ("{state1.full}", "STATE", r"[A-Z][a-z]+( [A-Z][a-z]+)?"),
        ("{ssn.last4}", "SSN", r"\d{4}"),
        ("{dea}", "LICENSE", r"[ABFM][A-Z]\d{7}"),
    ],
)
def test_forms(source, label, form):
    for copy in range(40):
        note = filled(source, copy)
        (words,) = words_of(note)
        assert [span.label for span in note.spans] == [label]
        assert re.fullmatch(form, words.replace("\n", " "), re.IGNORECASE)


def test_a_first_and_a_last_name_are_one_name_and_initials_of_two_are_two():
    assert len(filled("#age: 1-2\n{p.fl} {p.last}").spans) == 1
    assert len(filled("{d1.ini} {d2.ini}").spans) == 2
    assert len(filled("{p.fl}, {p.last}").spans) == 2
    assert len(filled("{p.fl} {d1.last}").spans) == 2


def test_a_possessive_is_outside():
    note = filled("{p.poss} chart")
    assert re.fullmatch(r".+['’]s chart", note.text, re.IGNORECASE)
    assert words_of(note)[0].lower() == re.split("['’]s ", note.text.lower())[0]


def test_remembered_slots_are_the_same_in_a_note():
    for copy in range(20):
        note = filled(
            "{city1};{city1};{state1};{state1};{mrn};{mrn};{lot1};{lot1};{p.last};{p.last}", copy
        )
        words = words_of(note)
        assert words[0::2] == words[1::2]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("{phone.what}", "slot phone: no form .what; it has none"),
        ("{zip:9}", "slot zip: takes no argument"),
        ("{city.short}", "slot city: no form .short"),
        ("{state.what}", "slot state: no form .what; known: abbr, full"),
        ("{ssn.what}", "slot ssn: no form .what; known: last4"),
        ("{day:+1}", "slot day: takes no argument"),
        ("{age:x}", "slot age: ages are written 54 or 30-50"),
        ("{age:50-30}", "slot age: the first age"),
        ("{date:+99999999}", "slot date: days are written"),
        ("{date:x}", "slot date: days are written"),
        ("{nosuch}", "slot nosuch: no such slot"),
    ],
)
def test_what_a_slot_would_ignore_is_refused(source, message):
    with pytest.raises(TemplateError, match=f"line 1: {message}"):
        filled(source)


def test_a_mark_overrides_the_labels_in_it():
    note = filled("⟦PATIENT:{d1.first} of {city}⟧")
    assert [span.label for span in note.spans] == ["PATIENT"]
    assert words_of(note) == [note.text]


def test_what_is_no_phi_has_no_label():
    note = filled(
        "{n} {f:1.0-2.0} {bp} {temp} {drug.dose} {score} {gest} {ratio} {lab.value} {time}"
    )
    assert note.spans == ()


def test_the_patient_is_of_one_sex_and_age():
    for copy in range(20):
        note = filled("#patient: f\n#age: 30-39\n{he}/{his}/{sex}/{age}/{age}", copy)
        he, his, sex, *ages = note.text.lower().split("/")
        assert (he, his, sex) == ("she", "her", "f")
        assert ages[0] == ages[1]
        assert 30 <= int(ages[0]) <= 39


@pytest.mark.parametrize(
    "source",
    ["{nobody}", "{p.what}", "{date.what}", "{hospital.what}", "{n:x}", "{f:1}", "{date:soon}"],
)
def test_what_cannot_be_filled_is_named(source):
    with pytest.raises(TemplateError, match="template 1, line 2: slot"):
        filled("x\n" + source)


@pytest.mark.parametrize(
    ("argument", "ends"),
    [("", (1, 2)), ("3-9", (3, 9)), ("-40..-3", (-40, -3)), ("+7", (7, 7)), ("-3", (-3, -3))],
)
def test_arguments(argument, ends):
    assert span_of(argument, 1, 2) == ends


@pytest.mark.parametrize(("seed", "notes"), [(-1, 1), (1 << 63, 1), (0, 0)])
def test_numbers_out_of_range_are_refused(seed, notes):
    with pytest.raises(UsageError):
        list(generate(TEMPLATES, seed=seed, notes=notes))


@examples(60)
@given(
    st.lists(
        st.builds(
            NotePiece, st.text(min_size=1, alphabet="ab c.\nD:,ßİ"), st.sampled_from(["", "DATE"])
        ),
        max_size=12,
    ),
    st.sampled_from(sorted(MANNERS)),
    st.integers(0, 99),
)
def test_printing_changes_no_labels(pieces, name, seed):
    printed = MANNERS[name][1](Draw(seed), list(pieces))
    assert [piece.label for piece in printed] == [piece.label for piece in pieces]


def test_every_slot_is_documented(pytestconfig):
    page = (pytestconfig.rootpath / "docs" / "synth.md").read_text("utf-8")
    named = set(re.findall(r"\{([A-Za-z]+?)\d?(?:[.:!][^}]*)?\}", page))
    known = set().union(*SLOTS_IN.values())
    assert known - named == set()
    # `name` and `slot` stand for any.
    assert named - known - {"slot", "name"} == set()
