"""Hostile texts and rosters: nothing raises, takes quadratic time or shows a value."""

import pickle
import time

import pytest
from scrubline.models.core.keys import Keys
from scrubline.models.core.known_values import KnownValue
from scrubline.models.roster.folding import FoldedView, fold, occurrences, without_ocr
from scrubline.models.roster.grouping import ValueGroups
from scrubline.models.roster.guard import Guard, OwnIdentifier
from scrubline.models.roster.matcher import Matcher
from scrubline.models.roster.packed_rows import pack_value, unpack_row
from scrubline.models.roster.sealing import RosterError, RowSealer, Shard
from scrubline.models.roster.staff import StaffHash, StaffIndex, staff_hashes
from scrubline.models.roster.word_lists import nicknames

KEYS = Keys(b"k" * 32)
ROWS = [
    KnownValue.of(*row)
    for row in (
        ("self", "name", "Zelda Quimby"),
        ("self", "birth", "1950-03-04"),
        ("self", "mrn", "00123456"),
        ("self", "phone", "555 123 4567"),
        ("self", "street", "12 Maplewood Dr"),
        ("self", "email", "zq@example.org"),
        ("self", "city", "Springfield"),
        ("self", "zip", "02139"),
        ("relative", "name", "May Long"),
    )
]
PIECES = [
    *("a", "A", "9", "19", "00", "0 ", "1-", "-", "-\n", "\n", " ", ".", "'", "[", "(", "(ZQ", "@"),
    *("zelda", "Zelda ", "quimby-", "May ", "may long ", "Mr. ", "12 ", "12 maplewood ", "3/4/"),
    *("1950 ", "50", "123456", "123456 ", "123-4567 ", "zq@example.org", "J. ", "\u0301", "é", "ﬁ"),
    *("\ud800", "\x00", "\u202e", "\u00ad", "王", "ZeldaQ", "[PATIENT]", "aA", "mar ", "Dr. "),
    *("vv", "rn", "cl", "Octavia ", "Brandenquist, "),
]


def index():
    person = [KnownValue.of("staff", "name", "Octavia Brandenquist")]
    hashes = sorted(staff_hashes(person, StaffHash(KEYS)))
    return StaffIndex(b"".join(h.to_bytes(8, "little") for h in hashes), StaffHash(KEYS))


def seconds(work, text):
    began = time.process_time()
    work(text)
    return time.process_time() - began


@pytest.mark.parametrize("piece", PIECES)
def test_repeated_pieces_take_linear_time(piece):
    works = (Matcher(ROWS).candidates, Guard(ROWS).violations, index().candidates)
    for work in works:
        work(piece * 10)
        small, large = piece * (4_000 // len(piece)), piece * (32_000 // len(piece))
        one = min(seconds(work, small) for _ in range(2))
        assert min(seconds(work, large) for _ in range(3)) < 40 * one + 0.05


@pytest.mark.slow
def test_a_text_of_two_megabytes():
    text = "Seen with May Long; 12 Maplewood, 123 456.\n" * (2_000_000 // 43)
    assert seconds(Matcher(ROWS).candidates, text) < 12
    assert seconds(Guard(ROWS).violations, text) < 12


@pytest.mark.parametrize(
    "value",
    [
        "\ud800",
        "\x00",
        "\u202e",
        "🙂",
        "",
        " ",
        "-",
        "王",
        "é",
        "A" * 200,
        "\u0301",
        "((((",
        "1" * 200,
    ],
)
@pytest.mark.parametrize(
    "attribute",
    ["given", "family", "name", "birth", "street", "city", "zip", "phone", "email", "mrn", "id"],
)
def test_any_value(attribute, value):
    rows = [KnownValue.of("self", attribute, value)]
    text = f"x {value} y"
    for candidate in Matcher(rows).candidates(text):
        assert 0 <= candidate.start < candidate.end <= len(text)
    assert not Guard(rows).violations("nothing here")
    assert unpack_row(pack_value(rows[0]) + b"\xff") == tuple(rows)


def test_a_note_that_is_the_roster_itself():
    text = "\n".join(value.value for value in ROWS)
    found = Matcher(ROWS).candidates(text)
    kinds = {candidate.label for candidate in found}
    assert kinds == {
        *("PATIENT", "DATE", "MEDICALRECORD", "PHONE", "STREET", "EMAIL", "CITY", "ZIP"),
    }
    assert {class_ for class_, _ in Guard(ROWS).violations(text)} == set(OwnIdentifier)


PARTS = [
    ("Zelda was here", "OwnName"),
    ("saw May Long", "OwnName"),
    ("Mrs. Long", "OwnName"),
    ("then Long came", "OwnName"),
    ("MRN 123456", "OwnNumber"),
    ("MRN 00-123-456", "OwnNumber"),
    ("call (555) 123-4567", "OwnNumber"),
    ("call 123-4567", "OwnNumber"),
    ("DOB 03/04/1950", "OwnDate"),
    ("born March 4, 1950", "OwnDate"),
    ("at 12 Maplewood Dr", "OwnAddress"),
    ("zq@example.org", "OwnAddress"),
]


@pytest.mark.parametrize(("text", "expected"), PARTS)
def test_the_guard_fires_when_the_matcher_is_off(text, expected):
    assert [str(class_) for class_, _ in Guard(ROWS).violations(text)] == [expected]
    found = Matcher(ROWS).candidates(text)
    assert found, "and the matcher finds the same"


@pytest.mark.parametrize(
    "text",
    ["[PATIENT] was seen", "how long may it take", "in may", "Long walks", "1234568", "03/05/1950"]
    + ["12 Oak Dr", "[ZELDA-1]", ""],
)
def test_what_the_guard_leaves(text):
    assert Guard(ROWS).violations(text) == ()


def test_labels_that_the_policy_keeps_are_not_asserted():
    text = "Zelda, 03/04/1950"
    assert Guard(ROWS, kept=("PATIENT", "DATE")).violations(text) == ()


def test_staff_is_not_asserted():
    assert Guard([KnownValue.of("staff", "name", "Zelda Quimby")]).violations("Zelda Quimby") == ()


def test_nothing_shows_a_value():
    matcher, guard = Matcher(ROWS), Guard(ROWS)
    shown = " ".join(map(repr, (matcher, guard, ROWS, index(), StaffHash(KEYS), RowSealer(KEYS))))
    for value in ROWS:
        assert value.value not in shown
    for secret in (StaffHash(KEYS), RowSealer(KEYS)):
        with pytest.raises(TypeError, match="pickled"):
            pickle.dumps(secret)


def test_folding_and_the_way_back():
    view = FoldedView.of("Ærø \u00adMülleﬁ\u0301x")
    assert view.folded == "aero mullefix"
    assert view.span(0, 4) == (0, 3)
    start, end = view.span(5, 13)
    assert view.text[start:end] == "Mülleﬁ\u0301x"
    assert fold("\u0661\u0662") == "12"
    assert without_ocr("burnham") == without_ocr("bumham")
    assert list(occurrences("ann anna ann", "ann")) == [(0, 3), (9, 12)]


def test_nicknames_go_both_ways():
    table = nicknames()
    assert all(name in table[other] for name, others in table.items() for other in others)
    assert "bill" in table["william"]


@pytest.mark.parametrize(
    "content", [b"", b"x" * 40, bytes(32), b"scrubline-roster-1\n" + bytes(12)]
)
def test_what_is_no_shard(content):
    with pytest.raises(RosterError):
        Shard(memoryview(content))


def test_spilled_values_are_not_in_files(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with ValueGroups(200, most_held=2) as groups:
        for number in range(9):
            groups.add(bytes((number % 3,)) * 16, f"ZELDA{number}".encode())
        content = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
        assert content
        assert b"ZELDA" not in content
        groups_found = [group for part in groups.partitions() for group in part]
        assert [len(values) for _, values in groups_found] == [3, 3, 3]
    assert list(tmp_path.iterdir()) == []
