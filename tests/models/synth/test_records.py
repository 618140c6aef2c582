"""Whole records: one patient over all notes, who is meant, a roster that leads to every name."""

import collections
import dataclasses
import datetime
import functools
import hashlib
import itertools
import json
import pathlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.corpora import standoff
from scrubline.models.synth import load_templates
from scrubline.models.synth.disguises import NAMES, hyphenated, misread, mistyped
from scrubline.models.synth.drawing import Draw
from scrubline.models.synth.filling import NEWEST, OLDEST
from scrubline.models.synth.parsing import ENGLISH, SPANISH, TemplateError, parse_templates
from scrubline.models.synth.record_lives import NAMESAKES, age_on
from scrubline.models.synth.record_notes import MOST_NOTES, MOST_PATIENTS, Records
from scrubline.models.synth.record_people import formal_name, short_names
from scrubline.models.synth.record_table import rows_of, staff_rows

from ...examples import examples
from .record_tracing import Traces, folded, is_one_edit, words_of

GOLDEN = pathlib.Path(__file__).with_name("records_golden.json")

SOURCE = {
    ENGLISH: """#age: 18-95
{p.lf}  MRN {mrn}  DOB {dob.iso}  age {age}  {street}, {city}, {state.abbr} {zip}
{d1} (PCP {d2.fl}), for {p.first} {p.last}, aka {p.nick} {p.last}. Seen {date.iso:-900..0}.
Wife {rf1.first}, {r1.fl}, {rm2.li}; ph {phone}. {Mr} {p.last} works at {employer}.
{p.hl7} {p.fi} {p.ini!u} {p.spell} {p.user} {p.email} ⟦PATIENT:{r1.first} {p.last}⟧
{d1.ini!u}/{d3.last!l} {ssn} {national} {hospital1} ⟦DOCTOR:Dr Known⟧
%%
#age: 0-17
{p.fl}, {age}, {dob.iso}, brought by mother {rf1.first}. {d1.last}, {address}
%%
""",
    SPANISH: """{p.lf}  HC {mrn}  FN {dob.iso}  edad {age}  {address}
{Dr1} {d1.both} por {p}, {p.one}. Madre {rf1.full}, {r1}; tel {phone}. {Mr} {p.both}
{p.hl7} {p.fi} {p.ini} {p.spell} {d1.ini} {p.nick} {ssn} {national}
%%
""",
}

KIN = ("relative", "contact")
NAME_ATTRIBUTES = ("name", "given", "middle", "family", "alias")
NOT_TRACED = ("literal", "mixed", "login", "email")


def templates(source=None, language=ENGLISH):
    return parse_templates(source or SOURCE[language], "visit", language)


@functools.cache
def records(seed=1, patients=45, notes=(1, 12), language=ENGLISH, source=None):
    return Records.of(templates(source, language), seed=seed, patients=patients, notes=notes)


def written(document, mention):
    return document.text[mention["start"] : mention["end"]]


def traces_of(life, made, language):
    """Who -> the roster's names of them."""
    own, kin = [], collections.defaultdict(list)
    for _, kind, attribute, value in rows_of(life, made.staff):
        if kind == "self" and attribute in NAME_ATTRIBUTES:
            own.append(value)
        elif kind in KIN and attribute == "name":
            kin[kind].append(value)
    found = {"patient": Traces(own, language)}
    for kind, names in kin.items():
        found |= {f"{kind}:{n}": Traces([name], language) for n, name in enumerate(names, 1)}
    return found


def untraced(made, lives, language):
    """Names that do not lead to the roster, and how many of each way of writing do."""
    staff = [row[3] for row in staff_rows(made.staff)]
    bad, good = [], collections.Counter()
    for life in lives:
        traces = traces_of(life, made, language)
        for note in made.notes_of(life):
            labels = {(span.start, span.end): span.label for span in note.spans}
            for one in note.meta["people"]:
                who, how = one["who"], one["written"]
                label = labels[one["start"], one["end"]]
                if label not in NAMES or how in NOT_TRACED or who.startswith("other"):
                    continue
                if who not in traces:
                    kind, _, number = who.partition(":")
                    assert kind == "staff"
                    traces[who] = Traces([staff[int(number) - 1]], language)
                if traces[who].finds(written(note, one), how):
                    good[how] += 1
                else:
                    bad.append((note.doc_id, who, how))
    return bad, good


@pytest.mark.slow
@pytest.mark.parametrize("language", SOURCE)
def test_every_name_leads_to_the_roster_by_the_way_it_is_written(language):
    made = records(language=language)
    bad, good = untraced(made, made.lives(), language)
    assert bad == []
    assert good["plain"] > 500
    ways = {"nickname", "initials", "reversed", "typo", "ocr", "wrapped", "spelled"}
    assert ways <= good.keys()


@pytest.mark.slow
@pytest.mark.parametrize("language", SOURCE)
def test_every_name_leads_to_the_roster_in_shipped_templates(language):
    made = Records.of(load_templates(None, (), language), seed=11, patients=80, notes=(1, 30))
    bad, good = untraced(made, made.lives(), language)
    assert bad == []
    assert {"former", "wrapped", "ocr", "typo", "nickname"} <= good.keys()


KEPT = {
    **{"MEDICALRECORD": ("mrn", "id"), "SSN": ("id",), "HEALTHPLAN": ("id",), "IDNUM": ("id",)},
    **{"STREET": ("street",), "CITY": ("city",), "ZIP": ("zip",), "PHONE": ("phone",)},
}
"""Label -> attributes of the roster that have what is the patient's."""


@pytest.mark.parametrize("language", SOURCE)
def test_numbers_and_addresses_of_the_patient_lead_to_the_roster(language):
    made = records(language=language)
    seen = collections.Counter()
    for life in made.lives():
        roster = collections.defaultdict(set)
        for _, kind, attribute, value in rows_of(life, made.staff):
            if kind == "self":
                roster[attribute].add("".join(words_of(value)))
        for note in made.notes_of(life):
            labels = {(span.start, span.end): span.label for span in note.spans}
            for one in note.meta["people"]:
                label = labels[one["start"], one["end"]]
                if one["who"] != "patient" or label not in KEPT or one["written"] == "typo":
                    continue
                text = "".join(words_of(written(note, one)))
                kept = set().union(*(roster[attribute] for attribute in KEPT[label]))
                short = (one["form"] == "phone" and len(text) >= 10) and text[-10:]
                assert text in kept or any(short and short in value for value in kept)
                seen[label] += 1
    assert {"MEDICALRECORD", "STREET", "CITY", "PHONE"} <= seen.keys()


@pytest.mark.parametrize("language", SOURCE)
def test_people_and_spans_lie_where_they_are_said_to(language):
    made = records(language=language)
    for life in itertools.islice(made.lives(), 25):
        known = {"patient", "other", *(one.who for one in life.kin)}
        for note in made.notes_of(life):
            spans = {(span.start, span.end): span.label for span in note.spans}
            told = {(one["start"], one["end"]) for one in note.meta["people"]}
            assert told <= spans.keys()
            assert {place for place, label in spans.items() if label in NAMES} <= told
            for start, end in spans:
                assert note.text[start:end] == note.text[start:end].strip() != ""
            for one in note.meta["people"]:
                kind, _, number = one["who"].partition(":")
                assert one["who"] in known or (kind in ("staff", "other") and int(number) >= 1)


def test_a_note_says_whose_it_is_and_when_it_was_written():
    made = records()
    for life in itertools.islice(made.lives(), 10):
        notes = list(made.notes_of(life))
        assert [note.doc_id for note in notes] == [
            f"{life.patient}-{number:05}" for number in range(1, len(notes) + 1)
        ]
        assert {note.meta["patient"] for note in notes} == {life.patient}
        dates = [datetime.date.fromisoformat(note.meta["note_date"]) for note in notes]
        assert dates == list(life.days) == sorted(dates)
        assert dates[0] >= OLDEST and dates[-1] <= NEWEST


def test_a_patient_has_one_birthday_one_number_and_the_age_of_the_day():
    source = "{dob.iso}|{mrn}|{age}|{ssn}|{p.email}\n%%\n"
    made = records(source=source, notes=(2, 9), patients=30)
    rows = 0
    for life in made.lives():
        roster = collections.defaultdict(list)
        for _, kind, attribute, value in rows_of(life, made.staff):
            roster[kind, attribute].append(value)
        (birth,) = roster["self", "birth"]
        for note in made.notes_of(life):
            texts = [note.text[span.start : span.end] for span in note.spans]
            dob, mrn, age, ssn, email = texts
            assert dob == birth
            assert re.sub(r"\W", "", mrn).lower() in {
                re.sub(r"\W", "", number).lower() for number in roster["self", "mrn"]
            }
            day = datetime.date.fromisoformat(note.meta["note_date"])
            assert int(age) == age_on(day, datetime.date.fromisoformat(birth))
            assert re.sub(r"\W", "", ssn) in {
                re.sub(r"\W", "", number) for number in roster["self", "id"]
            }
            (own,) = (one for one in note.meta["people"] if one["form"] == "email")
            mistyped_there = own["written"] == "typo"
            assert mistyped_there or [email.lower()] == roster["self", "email"]
            rows += 1
    assert rows > 60


def test_patients_do_not_depend_on_how_many_there_are():
    few, many = records(patients=3), records(patients=500)
    for one, other in zip(few.lives(), many.lives(), strict=False):
        assert one == other
        assert list(few.notes_of(one)) == list(many.notes_of(other))
        assert list(rows_of(one, few.staff)) == list(rows_of(other, many.staff))


def test_another_seed_gives_other_people():
    one, other = (next(records(seed=seed).lives()) for seed in (1, 2))
    assert one.legal != other.legal
    assert one.birth != other.birth


def test_some_marry_and_move_and_old_names_and_addresses_stay_in_the_roster():
    made = records(notes=(6, 12), patients=120, source="{p.last} at {street} is here\n%%\n")
    married = moved = 0
    for life in made.lives():
        rows = list(rows_of(life, made.staff))
        if len(life.homes) > 1:
            moved += 1
            assert sum(row[2] == "street" for row in rows) >= 1
        if len(life.names) == 1:
            continue
        married += 1
        (_, before), (since, after) = life.names
        assert (before.first, before.sex) == (after.first, after.sex)
        assert before.last != after.last
        assert (life.patient, "self", "alias", formal_name(before)) in rows
        for note in made.notes_of(life):
            own = [one for one in note.meta["people"] if one["form"] == "last"]
            old = folded(written(note, own[0])) == folded(before.last)
            if note.meta["note_date"] < since.isoformat():
                assert own[0]["written"] in ("former", "typo", "ocr", "wrapped")
            if own[0]["written"] == "plain":
                assert not old
    assert married >= 5 and moved >= 15


def test_some_patients_have_the_same_name():
    made = records(patients=NAMESAKES)
    lives = list(made.lives())
    called = collections.Counter((life.names[0][1].first, life.names[0][1].last) for life in lives)
    last = lives[-1]
    assert called[last.names[0][1].first, last.names[0][1].last] == 2
    assert len({life.birth for life in lives}) > NAMESAKES - 3
    assert len({life.remembered["mrn"] for life in lives}) == NAMESAKES


def test_staff_come_back_over_records_and_are_the_same_people():
    made = records(patients=80)
    records_of, surnames = collections.defaultdict(set), collections.defaultdict(set)
    for life in made.lives():
        for note in made.notes_of(life):
            for one in note.meta["people"]:
                if one["who"].startswith("staff:"):
                    records_of[one["who"]].add(life.patient)
                    if one["form"] == "last" and one["written"] == "plain":
                        surnames[one["who"]].add("".join(words_of(written(note, one))))
    assert sum(len(several) > 1 for several in records_of.values()) > 50
    assert all(len(several) == 1 for several in surnames.values())


@pytest.mark.slow
def test_some_patients_are_of_the_staff_and_do_not_treat_themselves():
    source = " ".join(f"{{d{n}.last}}" for n in range(1, 10)) + " {p.last}\n%%\n"
    made = records(patients=600, notes=(3, 6), source=source)
    names = {row[3] for row in staff_rows(made.staff)}
    members = [life for life in made.lives() if life.member]
    assert members
    for life in members:
        assert formal_name(life.names[0][1]) in names
        for note in made.notes_of(life):
            whose = [one["who"] for one in note.meta["people"]]
            assert f"staff:{life.member}" not in whose and "patient" in whose


def test_words_before_a_name_choose_among_kin_and_staff():
    source = "Wife {rf1.first}; PCP {d2.last}; lives with daughter {rf2.first}.\n%%\n"
    made = records(patients=120, source=source)
    seen = collections.Counter()
    for life in made.lives():
        roles = {one.who: (one.role, one.person.sex) for one in life.kin}
        for note in made.notes_of(life):
            whose = [one["who"] for one in note.meta["people"]]
            assert whose[1] == f"staff:{life.team[0]}"
            for who, role in ((whose[0], "spouse"), (whose[2], "child")):
                assert who.startswith("other") or roles[who] == (role, "f")
                seen[who.startswith("other"), role] += 1
    assert seen[False, "spouse"] > 30 and seen[False, "child"] > 30


def test_nobody_is_two_people_in_one_note():
    source = " ".join(f"{{d{n}.last}} {{r{n}.first}}" for n in range(1, 10)) + "\n%%\n"
    made = records(patients=30, source=source)
    for life in made.lives():
        for note in made.notes_of(life):
            whose = [one["who"] for one in note.meta["people"]]
            assert len(set(whose)) == len(whose) == 18


def test_templates_fit_country_sex_and_age():
    source = """#age: 0-17
#patient: f
child {age} {p}
%%
#age: 18-70
adult {age} {p}
%%
#country: UK
old {age} {p}
%%
"""
    made = records(patients=70, source=source)
    shown = collections.Counter()
    for life in made.lives():
        for note in made.notes_of(life):
            day = datetime.date.fromisoformat(note.meta["note_date"])
            age, which = age_on(day, life.birth), note.meta["template"]
            shown[which] += 1
            if which == "visit-001":
                assert life.sex == "f" and age <= 17
            if which == "visit-003":
                assert life.code == "UK"
            if which == "visit-002" and life.code != "UK" and life.sex == "m":
                continue
            if which == "visit-002":
                assert age >= 18
    assert all(shown[f"visit-00{n}"] for n in (1, 2, 3))


def test_without_a_fitting_template_the_one_of_the_nearest_age_is_taken():
    made = records(source="#age: 0-0\nborn to {r1}, {age}\n%%\n", notes=(20, 20), patients=3)
    for life in made.lives():
        assert len(list(made.notes_of(life))) == 20
        assert age_on(life.days[0], life.birth) == 0


def test_nobody_is_too_old_and_no_record_is_too_long():
    made = records(source="#age: 90-104\n{p}\n%%\n", notes=(60, 60), patients=10)
    for life in made.lives():
        assert len(life.days) == 60
        assert age_on(life.days[-1], life.birth) <= 106
        assert life.days == tuple(sorted(life.days))


def test_days_of_other_notes_return_in_dates():
    made = records(source="since {date.iso:-3000..0}\n%%\n", notes=(10, 20), patients=20)
    same = total = 0
    for life in made.lives():
        days = {day.isoformat() for day in life.days}
        for note in made.notes_of(life):
            (span,) = note.spans
            said = note.text[span.start : span.end]
            assert said <= note.meta["note_date"]
            same += said in days
            total += 1
    assert same > total / 5


def test_the_roster_has_formal_names_and_known_attributes():
    made = records()
    kinds = collections.Counter()
    for life in made.lives():
        rows = list(rows_of(life, made.staff))
        assert rows[0] == (life.patient, "self", "name", formal_name(life.legal))
        own = [row for row in rows if row[1] == "self"]
        assert len(set(own)) == len(own)
        for patient, kind, attribute, value in rows:
            assert patient == life.patient
            assert value == value.strip() != ""
            kinds[kind, attribute] += 1
    attributes = {attribute for kind, attribute in kinds if kind == "self"}
    assert attributes == {
        *("name", "given", "middle", "family", "alias", "birth", "sex", "street", "city", "zip"),
        *("phone", "email", "mrn", "id"),
    }
    assert {kind for kind, _ in kinds} == {"self", "relative", "contact", "staff"}
    staff = list(staff_rows(made.staff))
    assert len(staff) == made.staff.count
    assert {row[:3] for row in staff} == {("", "staff", "name")}


@pytest.mark.parametrize(
    ("seed", "patients", "notes", "told"),
    [
        (-1, 1, (1, 1), "seed: expected 0 to"),
        (1 << 63, 1, (1, 1), "seed: expected 0 to"),
        (1, 0, (1, 1), "patients: expected 1 to"),
        (1, -5, (1, 1), "patients: expected 1 to"),
        (1, MOST_PATIENTS + 1, (1, 1), "patients: expected 1 to"),
        (1, 1, (0, 1), "notes per patient: expected A:B"),
        (1, 1, (3, 2), "notes per patient: expected A:B"),
        (1, 1, (1, MOST_NOTES + 1), "notes per patient: expected A:B"),
    ],
)
def test_numbers_out_of_range_are_refused(seed, patients, notes, told):
    with pytest.raises(UsageError, match=re.escape(told)):
        Records.of(templates(), seed=seed, patients=patients, notes=notes)


def test_no_templates_and_unknown_slots_are_refused():
    with pytest.raises(UsageError, match="no templates"):
        Records.of([], seed=1, patients=1, notes=(1, 1))
    made = records(source="Dear {nobody}\n%%\n")
    with pytest.raises(TemplateError, match="visit 1, line 1: slot nobody: no such slot"):
        list(made.notes_of(next(made.lives())))


def test_a_long_record_is_made_note_by_note():
    made = records(source="{p.last}\n%%\n", notes=(MOST_NOTES, MOST_NOTES), patients=1)
    life = next(made.lives())
    assert len(life.days) == MOST_NOTES
    assert len(list(itertools.islice(made.notes_of(life), 3))) == 3


# -- disguises

name_texts = st.text(alphabet=st.sampled_from("abmrndclowsiéß O'-Ş\n"), max_size=24)


@given(name_texts, st.integers(0, 999))
@examples(300)
def test_a_typing_error_is_one_edit(text, key):
    wrong = mistyped(Draw("typo", key), text)
    assert is_one_edit(text, wrong)


@given(name_texts, st.integers(0, 999))
@examples(300)
def test_a_machine_confuses_one_thing(text, key):
    read = misread(Draw("ocr", key), text)
    assert abs(len(read) - len(text)) <= 1
    start = next((at for at, (a, b) in enumerate(zip(text, read, strict=False)) if a != b), None)
    if start is not None:
        assert text[start + 2 :].endswith(read[start + 2 :]) or read.endswith(text[start + 2 :])


@given(name_texts, st.integers(0, 999))
@examples(300)
def test_a_hyphen_at_a_line_end_takes_nothing_away(text, key):
    broken = hyphenated(Draw("wrap", key), text, "\n")
    assert broken == text or (broken.count("-\n") == text.count("-\n") + 1)
    assert broken.replace("-\n", "") == text.replace("-\n", "")


def test_short_names_belong_to_first_names():
    for language in (ENGLISH, SPANISH):
        listed = short_names(language)
        assert len(listed) > 50
        for name, shorts in listed.items():
            assert name not in shorts and len(set(shorts)) == len(shorts) > 0


def test_a_life_shows_nothing_in_its_repr():
    life = next(records().lives())
    assert life.legal.last not in repr(life)
    assert life.kin == () or life.kin[0].person.last not in repr(life.kin[0])
    assert dataclasses.replace(life) == life


@pytest.mark.parametrize("language", SOURCE)
def test_one_seed_gives_the_bytes_that_it_gave(language, request):
    """After a deliberate change: `pytest tests/models/synth --update-golden`."""
    made = records(seed=5, patients=NAMESAKES, language=language)
    digest = hashlib.sha256()
    for life in made.lives():
        for row in rows_of(life, made.staff):
            digest.update("\t".join(row).encode())
        for line in standoff.write(made.notes_of(life)):
            digest.update(line)
    golden = json.loads(GOLDEN.read_text()) if GOLDEN.exists() else {}
    if request.config.getoption("--update-golden"):
        golden[language] = digest.hexdigest()
        GOLDEN.write_text(json.dumps(golden, indent=1) + "\n")
    assert golden[language] == digest.hexdigest()
