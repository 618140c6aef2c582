"""Certificates: what they state, that nothing but the set of marks is in them, what is refused."""

import datetime
import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.risk.bounds import ReaderRecall, binomial_upper
from scrubline.models.risk.rows import MarksFile, read_draw
from scrubline.models.risk.sequential import corrected_sequential_upper
from scrubline.models.risk.statement import (
    SCHEMA,
    certificate_bytes,
    certificate_of,
    refuse_in_training,
)

from ...examples import examples
from .makers import MANIFEST, drawn_of, key_of, mark, marks_file, reading

EXPIRES = datetime.date(2027, 2, 28)


def certified(drawn, files, **more):
    return certificate_of(drawn.to_bytes(), files, MANIFEST, **{"expires": EXPIRES, **more})


def whole(drawn, left=None, **more):
    return certified(drawn, [marks_file(reading(drawn.texts, left, **more))])


DRAWN = drawn_of(100_000 // 20, n=100)
CLEAN = whole(DRAWN)


def test_what_stands_in_a_certificate():
    assert list(CLEAN) == [
        *("schema", "run", "fingerprint", "frame", "campaign", "statements", "cut_tail"),
        *("limits", "expires"),
    ]
    assert (CLEAN["schema"], CLEAN["run"], CLEAN["fingerprint"]) == (SCHEMA, "r1", "f1")
    assert CLEAN["expires"] == "2027-02-28"
    assert CLEAN["frame"]["documents"] == 5000 and CLEAN["frame"]["types"] == {"letter": 5000}
    assert set(CLEAN["frame"]["quantiles"]) == {"risk", "tokens", "spans_per_token"}
    campaign = CLEAN["campaign"]
    assert (campaign["n"], campaign["planted"], campaign["found"]) == (100, 100, 100)
    assert (campaign["readers"], campaign["twice"], campaign["agreement"]) == (1, 0, None)
    assert (campaign["unread"], campaign["unfinished"]) == (0, 0)
    assert {"draw_sha256", "marks_sha256"} < campaign.keys()
    assert CLEAN["cut_tail"] == {"share": 0.0, "threshold": None, "documents": 0}
    assert any("planted" in text for text in CLEAN["limits"])
    assert json.loads(certificate_bytes(CLEAN)) == CLEAN


def test_no_key_of_a_document_is_in_it():
    content = certificate_bytes(whole(DRAWN, {DRAWN.texts[0].doc_key: [mark(60, 65)]}))
    assert not any(text.doc_key.encode() in content for text in DRAWN.texts)
    assert b"anna" not in content


def test_the_primary_statement_has_all_of_alpha_and_the_others_share_as_much():
    primary, *others = CLEAN["statements"]
    recall = ReaderRecall(100, 100).at_least(0.05)
    assert (primary["of"], primary["type"], primary["unit"]) == ("direct", None, "document")
    assert (primary["k"], primary["n"], primary["method"]) == (0, 100, "Clopper-Pearson")
    assert primary["corrected"] == recall
    expected = binomial_upper(0, 100, 0.04) / recall
    assert expected <= primary["bound"] <= expected + 1e-6
    assert [(one["of"], one["unit"], one["alpha"]) for one in others] == [
        ("any", "document", 0.025),
        ("any", "million tokens", 0.025),
    ]
    tokens = others[1]
    recall = ReaderRecall(100, 100).at_least(0.025)
    mean = corrected_sequential_upper([0] * 100, recall, 0.025, most=10, population=5000)
    rate = mean * 5000 / CLEAN["frame"]["tokens"] * 1e6
    assert rate <= tokens["bound"] <= rate + 0.1


def test_leaks_raise_bounds():
    left = {DRAWN.texts[3].doc_key: [mark(60, 65)], DRAWN.texts[9].doc_key: [mark(60, 65, "DATE")]}
    found = whole(DRAWN, left)["statements"]
    assert [one["k"] for one in found] == [1, 2, 2]
    assert all(a["bound"] > b["bound"] for a, b in zip(found, CLEAN["statements"], strict=True))


def test_statements_by_type():
    types = ("letter",) * 9 + ("nursing",)
    drawn = drawn_of(3000, types=types, asked=("nursing",), n=100)
    nursing = [text for text in drawn.texts if text.stratum == "nursing"]
    found = whole(drawn, {nursing[-1].doc_key: [mark(60, 65)]})["statements"]
    assert [(one["type"], one["n"], one["k"]) for one in found] == [
        (None, 100, 0),  # what was read for the type alone does not count here
        (None, 100, 0),
        (None, 100, 0),
        ("nursing", 30, 1),
    ]
    assert found[-1]["method"] == "hypergeometric"  # 30 of 300
    assert [one["alpha"] for one in found] == pytest.approx([0.05] + [0.05 / 3] * 3)


def test_statements_of_patients():
    by_document = whole(drawn_of(6000, notes_a_patient=3, n=100))["statements"]
    assert [one["unit"] for one in by_document[:2]] == ["document", "patient"]
    assert by_document[1]["method"] == "documents a patient"
    assert by_document[1]["bound"] == pytest.approx(3 * by_document[0]["bound"], abs=2e-6)
    drawn = drawn_of(6000, notes_a_patient=3, unit="patient", n=100)
    by_patient = whole(drawn)["statements"]
    assert [one["unit"] for one in by_patient] == ["patient", "patient", "million tokens"]
    assert by_patient[0]["bound"] == by_document[0]["bound"]


def test_of_any_phi():
    found = whole(drawn_of(n=100, of="any"))["statements"]
    assert [one["of"] for one in found] == ["any", "direct", "any"]


def test_reading_that_stops_as_soon_as_it_suffices():
    drawn = drawn_of(8000, n=200, method="sequential", target=0.05)
    found = certified(drawn, [marks_file(reading(drawn.texts[:87]))])
    primary = found["statements"][0]
    assert (primary["method"], primary["n"]) == ("e-value", 87)
    assert primary["bound"] == pytest.approx(0.05, abs=0.003)
    assert found["campaign"]["n"] == 87


@given(st.randoms(use_true_random=False), st.integers(1, 5))
@examples(20)
def test_order_and_number_of_files_change_no_byte(rng, parts):
    left = {DRAWN.texts[3].doc_key: [mark(60, 65)]}
    lines = marks_file(reading(DRAWN.texts, left)).content.splitlines(keepends=True)
    expected = certificate_bytes(whole(DRAWN, left))
    rng.shuffle(lines)
    files = [MarksFile("anna", b"".join(lines[n::parts])) for n in range(parts)]
    files.append(MarksFile("anna", lines[0]))  # a row that stands in two files
    assert certificate_bytes(certified(DRAWN, files)) == expected


def test_what_a_reader_did_is_in_the_number_of_the_marks():
    rows = reading(DRAWN.texts)
    one = certified(DRAWN, [marks_file(rows)])
    by_another = certified(DRAWN, [marks_file(rows, "bob")])
    slower = certified(DRAWN, [marks_file([{**row, "seconds": 6} for row in rows])])
    numbers = {found["campaign"]["marks_sha256"] for found in (one, by_another, slower)}
    assert len(numbers) == 3
    assert one["statements"] == by_another["statements"] == slower["statements"]


FEW = drawn_of(n=59)
SKIPPED = {text.doc_key: "skipped" for text in DRAWN.texts[:2]}
BY_TYPE = drawn_of(
    2000, types=("letter", "nursing"), asked=("nursing",), n=200, method="sequential"
)
REFUSED = [
    (
        "a note of the campaign in training",
        DRAWN,
        DRAWN.texts,
        {DRAWN.texts[7].doc_key},
        "training",
    ),
    ("nothing was read", drawn_of(n=80, method="sequential"), (), set(), "nothing was read"),
    ("59 planted", FEW, FEW.texts, set(), "59 planted"),
    ("none planted", drawn_of(n=100, spans=False), (), set(), "0 planted|nothing was read"),
    ("too few of the planted read", DRAWN, DRAWN.texts[:59], set(), "59 planted"),
    (
        "a type in question unread",
        BY_TYPE,
        [text for text in BY_TYPE.texts if text.stratum != "nursing"],
        set(),
        "nothing was read of a note type",
    ),
]


@pytest.mark.parametrize(
    "name, drawn, texts, trained, message", REFUSED, ids=[r[0] for r in REFUSED]
)
def test_no_certificate(name, drawn, texts, trained, message):
    with pytest.raises(UsageError, match=message):
        certified(drawn, [marks_file(reading(texts))], trained=trained)


def test_a_stratum_that_was_left_out_leaks():
    drawn = drawn_of(2000, types=("letter",) * 4 + ("nursing",), n=200)
    letters = [text for text in drawn.texts if text.stratum == "letter"]
    found = certified(drawn, [marks_file(reading(letters))])
    unread = 200 - len(letters)
    assert (found["statements"][0]["k"], found["campaign"]["unread"]) == (unread, unread)
    assert found["statements"][0]["bound"] > unread / 200


COUNTED = [
    ("a note was skipped", DRAWN.texts, SKIPPED, 2, (0, 2)),
    ("notes were not read", DRAWN.texts[:70], {}, 30, (30, 0)),
    ("both", DRAWN.texts[:70], SKIPPED, 32, (30, 2)),
]


@pytest.mark.parametrize("name, texts, verdicts, leaks, told", COUNTED, ids=[r[0] for r in COUNTED])
def test_what_was_not_read_counts_as_a_leak(name, texts, verdicts, leaks, told):
    found = certified(DRAWN, [marks_file(reading(texts, verdicts=verdicts))])
    assert [one["k"] for one in found["statements"]] == [leaks, leaks, 10 * leaks]
    assert (found["campaign"]["unread"], found["campaign"]["unfinished"]) == told
    assert found["statements"][0]["bound"] > CLEAN["statements"][0]["bound"]


def test_documents_in_training_are_counted_and_not_named():
    trained = [text.doc_key for text in DRAWN.texts[:3]] + [key_of(10**6)]
    with pytest.raises(UsageError, match="^in training: 3 documents") as error:
        refuse_in_training(read_draw(DRAWN.to_bytes()), trained)
    assert trained[0] not in str(error.value)
    refuse_in_training(DRAWN, trained[3:])


@pytest.mark.parametrize(
    "manifest, message",
    [
        (b'{"run": "r2", "fingerprint": "f1"}', "another run"),
        (b'{"run": "r1", "fingerprint": "f2"}', "another run"),
        (b'{"run": "r1"}', "cannot be read"),
        (b"[]", "cannot be read"),
        (b"{", "cannot be read"),
    ],
)
def test_the_manifest_is_of_the_run_that_was_drawn_from(manifest, message):
    files = [marks_file(reading(DRAWN.texts))]
    with pytest.raises(UsageError, match=message):
        certificate_of(DRAWN.to_bytes(), files, manifest, expires=EXPIRES)


def test_missed_planted_spans_widen_the_bound():
    missed = whole(DRAWN, misses={text.doc_key for text in DRAWN.texts[:3]})
    assert missed["campaign"]["found"] == 97
    assert missed["statements"][0]["corrected"] == pytest.approx(0.903, abs=5e-4)
    assert missed["statements"][0]["bound"] > CLEAN["statements"][0]["bound"]


def test_texts_read_twice_are_told():
    second = [text for text in DRAWN.texts if text.twice]
    rng = random.Random(0)
    left = {rng.choice(second).doc_key: [mark(60, 65)]}
    files = [marks_file(reading(DRAWN.texts)), marks_file(reading(second, left), "bob")]
    found = certified(DRAWN, files)
    assert (found["campaign"]["twice"], found["campaign"]["agreement"]) == (10, 0.9)
    assert found["statements"][0]["k"] == 1
    assert not any("No text was read by two" in text for text in found["limits"])
