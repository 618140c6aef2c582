"""What surrogates and shifted dates know of a row's people: by hand, and what comes of it."""

import datetime
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.keys import Keys
from scrubline.models.core.known_values import KnownAttribute, KnownValue, PersonKind
from scrubline.models.dates import DateSettings, offset
from scrubline.models.jobs.late_spans import facts_of
from scrubline.models.jobs.people_of_note import people_of_note
from scrubline.models.redaction.policy_file import load_policy
from scrubline.models.redaction.stand_ins import (
    MARKED,
    NO_ONE,
    LateSpan,
    NoteFacts,
    PeopleOfNote,
    StandIns,
)

from ...examples import examples

KEYS = Keys(bytes(range(32)))
EXPERT = load_policy("expert")
STAND_INS = StandIns(EXPERT, KEYS)


def known(*values):
    return people_of_note([KnownValue.of(*value) for value in values])


def test_by_hand():
    assert known() == NO_ONE
    assert known(
        ("self", "name", "Quimby, Zelda May"),
        ("self", "given", "Zelda"),
        ("self", "family", "Quimby"),
        ("self", "sex", "F"),
        ("self", "birth", "3/4/1950"),
        ("self", "mrn", "0098 7654"),
        ("relative", "name", "Yorick Brandenquist"),
        ("relative", "given", "Yorick"),
        ("contact", "alias", "Bo"),
        ("staff", "name", "Ignatz Fotheringay"),
    ) == PeopleOfNote(
        (("Zelda", "May", "Quimby"), ("Yorick", "Brandenquist")),
        {"Zelda": "f", "Quimby": "surname"},
        ("Zelda", "May", "Quimby", "0098 7654", "0098", "7654", "Yorick", "Brandenquist", "Bo"),
        frozenset((datetime.date(1950, 3, 4), datetime.date(1950, 4, 3))),
    )


@given(
    st.lists(
        st.tuples(
            st.sampled_from([*PersonKind]), st.sampled_from([*KnownAttribute]), st.text(max_size=40)
        )
    )
)
def test_any_value_is_taken(values):
    people = known(*values)
    note = NoteFacts("p", "d", people=people)
    made, _ = STAND_INS.of_note("Ann Lee", [LateSpan(0, 7, "PATIENT", "surrogate")], note)
    assert made[0].text is None or "Lee" not in made[0].text


def surrogate(text, people=NO_ONE, patient="p"):
    spans = [LateSpan(0, len(text), "PATIENT", EXPERT.action("PATIENT"))]
    made, _ = STAND_INS.of_note(text, spans, NoteFacts(patient, "d", people=people))
    return made[0].text


@examples(40)
@given(st.integers(0, 10_000))
def test_no_surrogate_is_a_true_name_of_the_people(number):
    drawn = surrogate("Halvorsen", patient=f"p{number}")
    other = surrogate("Halvorsen", known(("relative", "name", f"Eve {drawn}")), f"p{number}")
    assert other != drawn and other != "Halvorsen"


def test_initials_are_those_of_the_surrogates_of_who_is_meant():
    people = known(("self", "name", "Halvorsen, Ruth"))
    given, family = surrogate("Ruth Halvorsen", people).split()
    assert surrogate("R.H.", people) == f"{given[0]}.{family[0]}."


def test_no_date_comes_to_lie_on_a_birth_date():
    days = offset(KEYS.dates, "p", DateSettings())
    birth = datetime.date(2020, 5, 6)
    seen = birth - datetime.timedelta(days=days)
    people = known(("self", "birth", birth.isoformat()))
    for text in (seen.isoformat(), f"{seen.month}/{seen.day}/{seen.year}", f"{seen:%B %d, %Y}"):
        spans = [LateSpan(0, len(text), "DATE", "shift")]
        assert STAND_INS.of_note(text, spans, NoteFacts("p", "d", people=people))[0] == [MARKED]
        assert STAND_INS.of_note(text, spans, NoteFacts("p", "d"))[0] != [MARKED]


def test_a_name_in_columns_of_its_parts_is_one_name():
    people = known(
        ("self", "family", "Quimby"), ("self", "given", "Zelda"), ("self", "middle", "M")
    )
    assert people.names == (("Zelda", "M", "Quimby"),)
    assert known(("self", "family", "Quimby")).names == ()
    assert known(("relative", "family", "Roe"), ("relative", "given", "Al")).names == ()


def test_a_name_with_an_error_or_cut_short_takes_the_surrogate_of_the_name():
    people = known(("self", "name", "Zelda Quimby"), ("relative", "name", "Möllenkamp, Yorick"))
    right = {name: surrogate(name, people) for name in ("Quimby", "Zelda", "Möllenkamp")}
    assert surrogate("Qiumby", people) == surrogate("Qu1mby", people) == right["Quimby"]
    assert surrogate("QUIMBBY", people) == right["Quimby"].upper()
    assert surrogate("Zeld", people) == right["Zelda"]
    assert surrogate("Molenkamp", people) == right["Möllenkamp"]
    assert surrogate("Quigley", people) not in right.values()
    assert surrogate("Qiumby") != right["Quimby"]
    pairs = surrogate("Qiumby, Zeld", people).split(", ")
    assert pairs == [right["Quimby"], right["Zelda"]]


def test_what_tells_of_a_known_birth_over_89_gets_a_marker():
    people = known(("self", "birth", "1928-03-04"))
    batch = SimpleNamespace(
        documents=SimpleNamespace(rows=[0], fields=["text"]),
        rows=SimpleNamespace(
            patient_keys=["p"], doc_keys=["d"], note_dates=[datetime.date(2019, 5, 1)],
            births_over_89=[],
        ),
    )  # fmt: skip
    assert facts_of(batch, 0, {0: people}).birth == datetime.date(1928, 3, 4)
    assert facts_of(batch, 0, {}).birth is None
    younger = known(("self", "birth", "1950-03-04"))
    assert facts_of(batch, 0, {0: younger}).birth is None
