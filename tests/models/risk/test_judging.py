"""What counts as a leak: all that is not known to be clean."""

import dataclasses
import random

import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.core.labels import LABELS
from scrubline.models.risk.judging import is_direct, judge
from scrubline.models.risk.rows import MarksFile

from .makers import drawn_of, key_of, mark, marks_file, reading, row

DRAWN = drawn_of(n=80)
TEXTS = DRAWN.texts
ONE = TEXTS[4]


def judged(left=None, verdicts=None, misses=(), more=(), drawn=DRAWN, opened=frozenset()):
    rows = reading(drawn.texts, left, verdicts, misses)
    return judge(drawn, [marks_file(rows), *more], opened)


def leaking(judgement, of="direct"):
    return [unit.n for unit in judgement.units if unit.leaks_any(of)]


def test_direct_identifiers():
    direct = {label for label in LABELS if is_direct(label)}
    assert {
        "PATIENT",
        "DOCTOR",
        "USERNAME",
        "PHONE",
        "EMAIL",
        "URL",
        "SSN",
        "MEDICALRECORD",
    } < direct
    assert {"STREET", "PHI"} < direct
    assert not direct & {"DATE", "AGE", "CITY", "STATE", "ZIP", "HOSPITAL", "PROFESSION", "COUNTRY"}
    assert is_direct("ward-code")  # of a site: nothing is known of it


def test_a_campaign_in_which_nothing_is_left():
    found = judged()
    assert leaking(found) == leaking(found, "any") == []
    assert (found.recall.planted, found.recall.found) == (80, 80)
    assert (found.readers, found.twice, len(found.units)) == (1, 0, 80)


PLACE = ONE.planted[0]
SPANS = [
    ("a name", [mark(60, 65)], True, True),
    ("a date", [mark(60, 65, "DATE")], False, True),
    ("of unknown kind", [mark(60, 65, "PHI")], True, True),
    ("a part of what is planted", [mark(PLACE.start, PLACE.end - 1)], False, False),
    ("more than what is planted", [mark(PLACE.start, PLACE.end + 6)], True, True),
    ("what is beside the planted", [mark(PLACE.end, PLACE.end + 6)], True, True),
    ("what was removed", [mark(60, 65, was={"start": 60, "end": 65})], False, False),
    ("more than was removed", [mark(60, 66, was={"start": 60, "end": 65})], True, True),
]


@pytest.mark.parametrize("name, spans, direct, of_any", SPANS, ids=[case[0] for case in SPANS])
def test_which_marks_are_leaks(name, spans, direct, of_any):
    found = judged({ONE.doc_key: spans})
    assert leaking(found) == [ONE.n] * direct
    assert leaking(found, "any") == [ONE.n] * of_any


@pytest.mark.parametrize("verdict", ["skipped", "timed out", "cannot read", "open"])
def test_what_was_not_read_to_the_end_leaks(verdict):
    found = judged(verdicts={ONE.doc_key: verdict})
    assert leaking(found) == leaking(found, "any") == [ONE.n]
    assert found.recall.planted == 79  # nothing is known of what would have been found
    unit = found.units[ONE.n - 1]
    assert unit.counted("any", 10) == 10 and unit.is_touched


def test_what_was_not_read_at_all_leaks():
    rows = reading(TEXTS[:70])
    found = judge(DRAWN, [marks_file(rows)])
    assert leaking(found) == [*range(71, 81)]
    assert [unit.is_read for unit in found.units] == [True] * 70 + [False] * 10


def test_a_stratum_that_nobody_read_leaks():
    drawn = drawn_of(n=80, types=("letter", "nursing"))
    rows = reading([text for text in drawn.texts if text.stratum == "letter"])
    found = judge(drawn, [marks_file(rows)])
    assert {unit.stratum for unit in found.units if unit.leaks_any("any")} == {"nursing"}
    assert len(leaking(found)) == sum(unit.stratum == "nursing" for unit in found.units) > 20


def test_planted_spans_that_were_missed():
    found = judged(misses={text.doc_key for text in TEXTS[:5]})
    assert (found.recall.planted, found.recall.found) == (80, 75)
    assert leaking(found) == []


def of_both(other, decisions=(), left=None):
    rows = reading(TEXTS, left)
    files = [
        marks_file(rows),
        marks_file([{**one, "seq": n} for n, one in enumerate(other, 1)], "bob"),
    ]
    if decisions:
        files.append(marks_file(decisions, "chris", is_adjudicated=True))
    return judge(DRAWN, files)


PLANTED = [mark(PLACE.start, PLACE.end)]
LEFT = [*PLANTED, mark(60, 65)]
HELD = {"anna": ONE.n, "bob": 1}
READINGS = [
    ("both see nothing", [row(1, ONE, PLANTED)], [], False, 1),
    ("one sees a leak", [row(1, ONE, LEFT)], [], True, 0),
    ("decided: nothing", [row(1, ONE, LEFT)], [row(1, ONE, PLANTED, of=HELD)], False, 0),
    ("decided: a leak", [row(1, ONE, LEFT)], [row(1, ONE, LEFT, of=HELD)], True, 0),
    ("decided: a leak nobody saw", [row(1, ONE, PLANTED)], [row(1, ONE, LEFT, of=HELD)], True, 1),
    ("undecided", [row(1, ONE, LEFT)], [row(1, ONE, PLANTED, "cannot read", of=HELD)], True, 0),
    (
        "decided on an earlier revision",
        [row(1, ONE, PLANTED), row(2, ONE, LEFT, rev=2)],
        [row(1, ONE, PLANTED, of=HELD)],
        True,
        0,
    ),
    (
        "decided on one of three",
        [row(1, ONE, LEFT)],
        [row(1, ONE, PLANTED, of={"anna": ONE.n, "dora": 1})],
        True,
        0,
    ),
    ("one gave up", [row(1, ONE, PLANTED, "skipped")], [], True, None),
    (
        "one gave up, decided",
        [row(1, ONE, PLANTED, "skipped")],
        [row(1, ONE, PLANTED, of=HELD)],
        False,
        None,
    ),
    ("one is not done, no mark", [row(1, ONE, [], "open")], [], False, None),
    ("one is not done, a leak", [row(1, ONE, LEFT, "open")], [], True, None),
    ("the last revision holds", [row(1, ONE, LEFT), row(2, ONE, PLANTED, rev=5)], [], False, 1),
]


@pytest.mark.parametrize(
    "name, other, decisions, leaks, agreed", READINGS, ids=[r[0] for r in READINGS]
)
def test_two_readers(name, other, decisions, leaks, agreed):
    found = of_both(other, decisions)
    assert leaking(found) == [ONE.n] * leaks
    assert (found.twice, found.agreed) == ((0, 0) if agreed is None else (1, agreed))
    assert found.readers == 2


@pytest.mark.parametrize("began, leaks", [([], False), (PLANTED, False), (LEFT, True)])
def test_who_began_and_did_not_end_takes_no_decision_back(began, leaks):
    files = [
        marks_file(reading(TEXTS)),
        marks_file([row(1, ONE, LEFT)], "bob"),
        marks_file([row(1, ONE, began, "open")], "dora"),
        marks_file([row(1, ONE, PLANTED, of=HELD)], "chris", is_adjudicated=True),
    ]
    assert leaking(judge(DRAWN, files)) == [ONE.n] * leaks


def test_two_decisions_that_differ_are_none():
    one = row(1, ONE, PLANTED, of=HELD)
    files = [
        marks_file(reading(TEXTS)),
        marks_file([row(1, ONE, LEFT)], "bob"),
        marks_file([one], "chris", is_adjudicated=True),
    ]
    assert leaking(judge(DRAWN, files)) == []
    other = marks_file([row(1, ONE, LEFT, of=HELD)], "dora", is_adjudicated=True)
    assert leaking(judge(DRAWN, [*files, other])) == [ONE.n]


def test_a_planted_span_is_found_if_all_readers_of_the_note_found_it():
    found = of_both([row(1, ONE, [])])
    assert (found.recall.planted, found.recall.found) == (80, 79)


def test_overlapping_marks_are_one_leak():
    found = of_both(
        [row(1, ONE, [mark(60, 70), mark(80, 82), mark(82, 84)])],
        left={ONE.doc_key: [mark(58, 65)]},
    )
    unit = found.units[ONE.n - 1]
    assert unit.leaks == {"direct": 3, "any": 3}
    assert unit.counted("any", 2) == 2


def test_where_reading_may_stop_it_has_stopped_after_the_last_note_that_was_shown():
    drawn = drawn_of(n=80, method="sequential")
    rows = reading([text for text in drawn.texts[:30] if text.n != 7])
    found = judge(drawn, [marks_file(rows)])
    assert len(found.units) == 30 and leaking(found) == [7]
    # One that was opened and left without a word cannot be left out.
    opened = {text.doc_key for text in drawn.texts if text.n == 33}
    assert leaking(judge(drawn, [marks_file(rows)], opened)) == [7, 31, 32, 33]
    assert judge(drawn, []).units == ()


def test_what_was_drawn_for_a_type_stops_by_itself():
    drawn = drawn_of(
        n=40, types=("letter",) * 9 + ("nursing",), asked=("nursing",), method="sequential"
    )
    extra = [text for text in drawn.texts if text.extra]
    found = judge(drawn, [marks_file(reading([*drawn.texts[:20], *extra[:10]]))])
    assert len(found.units) == 30 and sum(unit.extra for unit in found.units) == 10


def test_a_patient_leaks_if_one_of_his_notes_does():
    drawn = drawn_of(600, notes_a_patient=3, unit="patient", n=40)
    text = drawn.texts[10]
    found = judged({text.doc_key: [mark(60, 65)]}, drawn=drawn)
    assert len(found.units) == 40 and leaking(found) == [text.n]
    found = judge(drawn, [marks_file(reading(drawn.texts[:-1]))])
    assert leaking(found) == [40]


def test_order_and_number_of_files_do_not_matter():
    rows = reading(TEXTS, {ONE.doc_key: [mark(60, 65)]})
    whole = marks_file(rows)
    lines = whole.content.splitlines(keepends=True)
    random.Random(1).shuffle(lines)
    parts = [MarksFile("anna", b"".join(lines[n::3])) for n in range(3)]
    assert judge(DRAWN, [*parts, whole]) == judge(DRAWN, [whole])


BAD = [
    (
        "a text that was not drawn",
        [row(1, dataclasses.replace(ONE, doc_key=key_of(10**6)))],
        "not drawn",
    ),
    ("two rows of one number", [row(1, ONE), row(1, TEXTS[5])], "numbered"),
    ("a missing row", [row(1, ONE), row(3, TEXTS[5])], "numbered"),
    ("a revision that is not later", [row(1, ONE, rev=2), row(2, ONE, rev=2)], "later revision"),
    ("an unknown verdict", [row(1, ONE, verdict="fine")], "line 1"),
    ("an empty span", [row(1, ONE, [mark(5, 5)])], "line 1"),
    ("an unknown key", [row(1, ONE, note="John Smith")], "1 unknown keys"),
    ("another text", [row(1, ONE, text_hmac="other")], "another text than the run's"),
]


@pytest.mark.parametrize("name, rows, message", BAD, ids=[case[0] for case in BAD])
def test_marks_that_are_refused(name, rows, message):
    files = [marks_file(reading(TEXTS)), marks_file(rows, "bob")]
    with pytest.raises(UsageError, match=message) as error:
        judge(DRAWN, files)
    assert "Smith" not in str(error.value) and "fine" not in str(error.value)


def test_decisions_are_on_two_readers():
    files = [
        marks_file(reading(TEXTS)),
        marks_file([row(1, ONE, of={"anna": ONE.n})], "chris", is_adjudicated=True),
    ]
    with pytest.raises(UsageError, match="fewer than two"):
        judge(DRAWN, files)


def test_a_torn_last_line_is_not_counted():
    whole = marks_file(reading(TEXTS))
    torn = MarksFile("anna", whole.content[:-3])
    assert leaking(judge(DRAWN, [torn])) == [80]
