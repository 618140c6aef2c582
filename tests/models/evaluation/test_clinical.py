import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.evaluation.clinical import shipped_terms, term_finder

from .makers import document, measured

FIND = term_finder({"drugs": ["metformin", "Aspirin Forte"], "eponyms": ["Foley"]})


def kinds(text, find=FIND):
    return [(text[start:end], kind) for start, end, kind in find(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on metformin daily", [("metformin", "drugs")]),
        ("METFORMIN", [("METFORMIN", "drugs")]),
        ("metformins", []),
        ("aspirin\nforte", [("aspirin\nforte", "drugs")]),
        ("aspirin", []),
        ("took 81 mg", [("81 mg", "doses and units")]),
        ("81mg", [("81mg", "doses and units")]),
        ("2.5-5 mg/kg now", [("2.5-5 mg/kg", "doses and units")]),
        ("40 units", [("40 units", "doses and units")]),
        ("40 unitary", []),
        ("12 %", [("12 %", "doses and units")]),
        ("room 81 main", []),
        ("81 Mgr", []),
        ("BP 120/80", [("BP 120/80", "vital signs")]),
        ("120/80", []),  # may be a date as well
        ("BP: 120/80/3", []),
        ("HR 72, RR 16", [("HR 72", "vital signs"), ("RR 16", "vital signs")]),
        ("SpO2 98%", [("SpO2 98%", "vital signs")]),
        ("T 98.6", [("T 98.6", "vital signs")]),
        ("T 12.5", []),
        ("PT 98.6", []),
    ],
)
def test_terms(text, expected):
    assert kinds(text) == expected


def test_destroyed_terms_by_hand():
    gold = [document("{DOCTOR Foley} placed a Foley; metformin 500 mg, HR 72, metformin", "1")]
    predicted = [
        document(
            "{DOCTOR Foley} placed a {DOCTOR Foley; metf}ormin 500 mg, HR 7{ID 2}, metformin", "1"
        )
    ]
    shares = measured(gold, predicted, "clinical", find_terms=FIND).shares
    assert {name: (share.count, share.of) for name, share in shares.items()} == {
        "all terms": (3, 5),  # the doctor is not among them
        "doses and units": (0, 1),
        "drugs": (1, 2),
        "eponyms": (1, 1),
        "vital signs": (1, 1),
        "characters of terms": (5 + 4 + 1, 5 + 9 + 6 + 5 + 9),
    }


def test_a_term_that_touches_gold_is_to_go():
    gold, predicted = [document("{CITY met}formin")], [document("met{CITY formin}")]
    shares = measured(gold, predicted, "clinical", find_terms=FIND).shares
    assert (shares["all terms"].count, shares["all terms"].of) == (0, 0)
    assert shares["all terms"].rate is None


def test_characters_of_terms_that_overlap_count_once():
    find = term_finder({"a": ["x y"], "b": ["y z"]})
    gold, predicted = [document("x y z")], [document("x {CITY y} z")]
    shares = measured(gold, predicted, "clinical", find_terms=find).shares
    assert (shares["all terms"].count, shares["all terms"].of) == (2, 2)
    assert (shares["characters of terms"].count, shares["characters of terms"].of) == (1, 5)


def test_without_terms_nothing_is_destroyed():
    shares = measured([], [], "clinical", find_terms=FIND).shares
    assert set(shares) == {"all terms", "characters of terms"}


def test_shipped_lists_are_used():
    found = kinds("abdomen soft, Foley in place", shipped_terms())
    assert ("abdomen", "medical words") in found
    assert ("Foley", "eponyms") in found


@given(st.text(st.sampled_from("metforin Foley 0123456789.,/%mgHRBT\n\ud800\x00"), max_size=60))
def test_terms_lie_inside_any_text(text):
    assert all(0 <= start < end <= len(text) for start, end, _ in FIND(text))


def test_long_runs_cost_no_more_than_their_length():
    assert FIND("9" * 200_000 + " mg") == []
    assert FIND("1." * 100_000) == []
