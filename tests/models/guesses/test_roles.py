"""Guessed roles: nothing goes out as it is unless name and values agree."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.formats.column_roles import Columns, Role
from scrubline.models.guesses.column_facts import FactsCounter, Form, form_of
from scrubline.models.guesses.roles import guess_role, guess_roles, words_of

NOTE = "Seen in clinic today with a cough for two weeks; chest clear, no fever."


def facts(values, kind=""):
    counter = FactsCounter(kind)
    counter.add(values)
    return counter.facts()


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (True, Form.TRUTH),
        ("No", Form.TRUTH),
        (1.5, Form.NUMBER),
        ("-12.5", Form.NUMBER),
        (dt.date(2024, 3, 1), Form.DATE),
        ("2024-03-01", Form.DATE),
        ("2024-03-01T12:30:00.000000", Form.DATE),
        ("1.3.2024", Form.DATE),
        ("3/1/24 08:15", Form.DATE),
        ("01 Mar 2024", Form.DATE),
        ("a@b.org", Form.CONTACT),
        ("(020) 7946 0018", Form.CONTACT),
        ("A10.2", Form.CODE),
        ("Halvorsen", Form.PERSON),
        ("Cardiology", Form.CODE),
        ("internal medicine", Form.WORDS),
        ("Internal Medicine", Form.NAME),
        ("Halvorsen, Ruth", Form.PERSON),
        ("Dr. Ruth Halvorsen", Form.PERSON),
        ("2 large boxes", Form.WORDS),
        (NOTE, Form.FREE),
        ("x" * 81, Form.FREE),
        ({"a": 1}, Form.NESTED),
        (b"x", Form.NESTED),
    ],
)
def test_forms(value, form):
    assert form_of(value) is form


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("note_text", [NOTE] * 3, Role.TEXT),
        ("x7", [NOTE, "short", NOTE], Role.TEXT),
        ("comment", ["was well", "see below", "none of it"], Role.TEXT),
        # A column called like a code is scrubbed if there is text in it.
        ("status_code", [NOTE] * 30, Role.TEXT),
        ("ward", ["A1"] * 39 + [NOTE], Role.DROP),
        ("note_id", list(range(30)), Role.ID),
        ("noteId", [f"n{n}" for n in range(30)], Role.ID),
        ("note_id", [1, 1, 2], Role.HASH),
        ("note_id", [1.5, 2.5], Role.DROP),
        ("PATIENT_ID", ["7", "7", "9"], Role.PATIENT),
        ("MRN", ["0012", "0013"], Role.PATIENT),
        ("encounter_no", ["E1", "E2"], Role.HASH),
        ("provider_id", ["D1", "D1"], Role.HASH),
        ("patient_name", ["Ruth Halvorsen", "Tom Lee"], Role.DROP),
        ("author", ["RH", "TL"] * 30, Role.DROP),
        ("x", ["Halvorsen, Ruth", "Lee, Tom"] * 30, Role.DROP),
        ("phone_number", ["555-0100"], Role.HASH),
        ("zip", ["12345"] * 40, Role.DROP),
        ("note_date", ["2024-03-01", "2024-03-02"], Role.DATE),
        ("date_of_birth", ["1950-03-01"], Role.DROP),
        ("dob", ["1950-03-01"], Role.DROP),
        ("x", ["2024-03-01"], Role.DROP),
        ("note_type", ["ED", "Progress Note"] * 20, Role.TYPE),
        ("ward", ["A1", "B2"] * 20, Role.PASS),
        ("ward", ["A1", "B2"], Role.DROP),
        ("ward", [f"A{n}" for n in range(40)], Role.DROP),
        ("status", ["Halvorsen, Ruth", "Lee, Tom"] * 20, Role.DROP),
        ("sex", ["F", "M"] * 20, Role.PASS),
        ("age", [91, 42] * 20, Role.DROP),
        ("word_count", [12, 13] * 20, Role.DROP),
        ("is_final", [True, False] * 20, Role.DROP),
        ("meta", [{"ward": "A"}] * 30, Role.DROP),
        ("empty", [None, ""], Role.DROP),
    ],
)
def test_a_column_alone(name, values, role):
    assert guess_role(name, facts(values)).role is role


@given(
    st.text(max_size=20),
    st.lists(st.one_of(st.none(), st.booleans(), st.floats(), st.text(max_size=30)), max_size=40),
)
def test_free_text_never_goes_out_as_it_is(name, values):
    guess = guess_role(name, facts([*values, NOTE]))
    assert guess.role in (Role.TEXT, Role.DROP)


def test_each_single_role_is_given_once():
    found = guess_roles(
        {
            "note_id": facts([1, 2, 3]),
            "doc_id": facts([4, 5, 6]),
            "patient_id": facts([1, 1, 2]),
            "mrn": facts([7, 7, 8]),
            "note_type": facts(["a", "b"] * 20),
            "report_type": facts(["a", "b"] * 20),
            "text": facts([NOTE] * 3),
            "doc_key": facts([1, 1, 1]),
        }
    )
    roles = {name: guess.role for name, guess in found.items()}
    assert roles == {
        "note_id": Role.ID,
        "doc_id": Role.HASH,
        "patient_id": Role.PATIENT,
        "mrn": Role.HASH,
        "note_type": Role.TYPE,
        "report_type": Role.DROP,
        "text": Role.TEXT,
        "doc_key": Role.DROP,
    }
    Columns(tuple(roles.items()))


def test_without_a_name_for_it_the_id_is_what_does_not_repeat():
    found = guess_roles({"a": facts(["x", "x"]), "b": facts(["p", "q"]), "c": facts([NOTE] * 2)})
    assert [guess.role for guess in found.values()] == [Role.DROP, Role.ID, Role.TEXT]
    assert guess_roles({"c": facts([NOTE] * 2)})["c"].role is Role.TEXT


def test_facts():
    found = facts([None, "", "abc", "abc", "abcdefg"])
    assert (found.values, found.nulls, found.distinct) == (3, 2, 2)
    assert found.null_share == 0.4
    assert found.mean_length == pytest.approx(13 / 3)
    assert not found.is_unique
    assert facts([]).null_share == 0
    assert facts([1, "a"]).kind == "number or text"
    assert facts([1], "int64").kind == "int64"


@pytest.mark.parametrize("name", ["noteId", "NOTE_ID", "note-id", "Note ID", "NoteID"])
def test_words_of_names(name):
    assert words_of(name) == ["note", "id"]


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("Patientenname", [f"P{n} lang" for n in range(30)], Role.DROP),
        ("PATIENTENNUMMER", list(range(700, 730)), Role.PATIENT),
        ("PatientenID", list(range(700, 730)), Role.PATIENT),
        ("Geburtsdatum", ["1950-01-02"] * 30, Role.DROP),
        ("Sterbedatum", ["1950-01-02"] * 30, Role.DROP),
        ("Aufnahmedatum", ["2020-01-02"] * 30, Role.DATE),
        ("Befundtext", ["ohne Befund", "siehe unten", "wie zuvor"], Role.TEXT),
        ("Arztbrief", [NOTE] * 3, Role.TEXT),
        ("Befundnummer", list(range(30)), Role.ID),
        ("Fallnummer", [*range(29), 3], Role.HASH),
        ("Befundart", ["CT", "MRT"] * 15, Role.TYPE),
        ("Straße", ["Am Markt 3"] * 30, Role.DROP),
        ("Wohnort", ["Ulm"] * 30, Role.DROP),
        # Not German, whatever it ends in.
        ("context", ["was well", "see below", "none of it"], Role.DROP),
    ],
)
def test_german_compounds_say_what_their_parts_say(name, values, role):
    assert guess_role(name, facts(values)).role is role


def test_a_dot_in_a_name_is_a_gap_between_words():
    values = {"note.id": [*range(30)], "note.type": ["DS", "OP"] * 15, "note.text": [NOTE] * 30}
    guesses = guess_roles({name: facts(some) for name, some in values.items()})
    assert [guess.role for guess in guesses.values()] == [Role.ID, Role.TYPE, Role.TEXT]


@pytest.mark.parametrize("name", ["service", "dept", "class", "ward", "status", "type"])
@pytest.mark.parametrize(
    "people",
    [("Halvorsen, Ruth", "Okafor, Jo"), ("Dr. Ann Lee", "Dr. Jo Ng"), ("okafor", "nguyen")],
)
def test_codes_that_are_people_are_left_out(name, people):
    assert guess_role(name, facts(people * 50)).role is Role.DROP


def test_codes_that_are_units_pass():
    units = facts(("Internal Medicine", "Cardiology", "4 West") * 40)
    assert guess_role("department", units).role is Role.PASS
