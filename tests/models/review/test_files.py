"""Files to which lines are only added: torn ends, full disks, other people's eyes, chains."""

import json
import os

import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.review.accesses import (
    faults_of_chain,
    next_access,
    read_accesses,
)
from scrubline.models.review.appended import append_line, read_lines
from scrubline.models.review.marks import ReaderMarks, ReadText, StaleMarks
from scrubline.models.risk.rows import MarkedSpan, MarksFile, read_marks

TEXT = ("aa", "text")
SPAN = MarkedSpan(3, 8, "PATIENT")


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "marks-ana.jsonl")


def test_lines_are_added_after_the_last_whole_one(path):
    seen = []

    def make(last):
        seen.append(last)
        return b"line %d\n" % len(seen)

    append_line(path, make)
    append_line(path, make)
    assert seen == [None, b"line 1"]
    assert read_lines(path) == b"line 1\nline 2\n"
    assert os.stat(path).st_mode & 0o777 == 0o600


@pytest.mark.parametrize("torn", [b"half", b'{"seq":3,"doc', b"x" * 200_000])
def test_a_torn_end_is_dropped_by_the_next_line(path, torn):
    append_line(path, lambda last: b"y" * 100_000 + b"\n")
    with open(path, "ab") as file:
        file.write(torn)
    seen = []
    append_line(path, lambda last: seen.append(last) or b"next\n")
    assert seen == [b"y" * 100_000]
    assert read_lines(path) == b"y" * 100_000 + b"\nnext\n"


@pytest.mark.parametrize("call", ["pwrite", "fsync"])
def test_what_cannot_be_written_is_taken_back(path, monkeypatch, call):
    append_line(path, lambda last: b"first\n")
    real = os.pwrite
    calls = []

    def full(*arguments):
        if call == "pwrite" and not calls:  # some bytes go, then the disk is full
            calls.append(1)
            return real(arguments[0], arguments[1][:3], arguments[2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, call, full)
    with pytest.raises(OSError, match="space"):
        append_line(path, lambda last: b"second\n")
    monkeypatch.undo()
    assert read_lines(path) == b"first\n"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_files_that_others_can_read_are_refused(path, mode):
    append_line(path, lambda last: b"first\n")
    os.chmod(path, mode)
    with pytest.raises(UsageError, match="0600"):
        read_lines(path)
    with pytest.raises(UsageError, match="0600"):
        append_line(path, lambda last: b"second\n")


def test_links_and_folders_are_no_files_of_a_review(tmp_path, path):
    os.symlink("/dev/null", path)
    with pytest.raises(OSError, match=r"."):
        append_line(path, lambda last: b"x\n")
    os.unlink(path)
    os.mkfifo(path, 0o600)
    with pytest.raises(UsageError, match="another kind"):
        read_lines(path)


# -- marks


def test_marks_are_revisions_and_are_read_again(path):
    marks = ReaderMarks(path, "ana")
    first = marks.add(TEXT, ReadText("h"), 0, (SPAN,), "open", 12)
    second = marks.add(TEXT, ReadText("h"), 1, (), "done", 30.5)
    other = marks.add(("bb", "text"), ReadText("i"), 0, (), "skipped")
    assert [(row.seq, row.rev) for row in (first, second, other)] == [(1, 1), (2, 2), (3, 1)]
    again = ReaderMarks(path, "ana")
    assert again.held == marks.held == {TEXT: second, ("bb", "text"): other}
    assert again.rows == 3
    # They are the files that certificates are made from.
    assert read_marks([MarksFile("ana", read_lines(path))]) == {
        (False, "ana"): (first, second, other)
    }


@pytest.mark.parametrize("replaces", [0, 2])
def test_marks_of_another_revision_are_refused(path, replaces):
    marks = ReaderMarks(path, "ana")
    held = marks.add(TEXT, ReadText("h"), 0, (SPAN,), "open")
    with pytest.raises(StaleMarks) as refused:
        marks.add(TEXT, ReadText("h"), replaces, (), "done")
    assert refused.value.held == held
    assert marks.rows == ReaderMarks(path, "ana").rows == 1


def test_two_processes_of_one_reader_do_not_write_over_each_other(path):
    one, other = ReaderMarks(path, "ana"), ReaderMarks(path, "ana")
    held = one.add(TEXT, ReadText("h"), 0, (SPAN,), "open")
    with pytest.raises(StaleMarks):
        other.add(TEXT, ReadText("h"), 0, (), "done")
    assert other.held[TEXT] == held
    assert other.add(TEXT, ReadText("h"), 1, (), "done").seq == 2
    one.refresh()
    assert one.held[TEXT].rev == 2


def test_a_reader_killed_in_mid_save_loses_that_save_alone(path):
    marks = ReaderMarks(path, "ana")
    held = marks.add(TEXT, ReadText("h"), 0, (SPAN,), "open")
    content = read_lines(path)
    marks.add(TEXT, ReadText("h"), 1, (), "done")
    whole = read_lines(path)
    for cut in range(len(content), len(whole)):
        with open(path, "wb") as file:
            file.write(whole[:cut])
        again = ReaderMarks(path, "ana")
        assert again.held[TEXT] == held
        assert again.add(TEXT, ReadText("h"), 1, (), "done").seq == 2
        assert read_lines(path) == whole


def test_marks_that_cannot_be_saved_are_not_held(path, monkeypatch):
    marks = ReaderMarks(path, "ana")

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(OSError, match="space"):
        marks.add(TEXT, ReadText("h"), 0, (SPAN,), "done")
    monkeypatch.undo()
    assert marks.held == {}
    assert marks.add(TEXT, ReadText("h"), 0, (SPAN,), "done").seq == 1


def test_marks_hold_no_text(path):
    ReaderMarks(path, "ana").add(TEXT, ReadText("h", 40, "o"), 0, (SPAN,), "done", 3)
    (row,) = map(json.loads, read_lines(path).splitlines())
    assert row == {
        "seq": 1,
        "doc_key": "aa",
        "field": "text",
        "text_hmac": "h",
        "rev": 1,
        "spans": [{"start": 3, "end": 8, "label": "PATIENT", "was": None}],
        "verdict": "done",
        "seconds": 3,
        "of": {},
        "characters": 40,
        "original": "o",
    }


def test_rows_of_other_words_are_not_held_and_keep_their_revision(path):
    ReaderMarks(path, "ana").add(TEXT, ReadText("h", 40), 0, (SPAN,), "done")
    marks = ReaderMarks(path, "ana", is_of=lambda row: row.characters == 41)
    assert (marks.held, marks.revision(TEXT), marks.rows) == ({}, 1, 1)
    with pytest.raises(StaleMarks):
        marks.add(TEXT, ReadText("h", 41), 0, (), "done")
    assert marks.add(TEXT, ReadText("h", 41), 1, (), "done").rev == 2
    assert marks.held[TEXT].characters == 41


# -- accesses


def chain(*keys):
    content, last = b"", None
    for key in keys:
        line = next_access(
            last, at="2026-11-28", reviewer="ana", doc_key=key, field="text", what="published"
        )
        content, last = content + line, line[:-1]
    return content


def test_a_chain_follows_from_its_first_row():
    content = chain("a", "b", "a")
    assert faults_of_chain(content) == []
    assert faults_of_chain(content + b'{"seq":4') == []
    assert [row.seq for row in read_accesses(content)] == [1, 2, 3]
    assert faults_of_chain(b"") == []


def test_rows_that_were_changed_taken_out_or_swapped_show():
    lines = chain("a", "b", "c", "d").splitlines(keepends=True)
    changed = [lines[0], lines[1].replace(b'"b"', b'"e"'), *lines[2:]]
    for wrong, numbers in (
        (changed, [3]),
        ([lines[0], *lines[2:]], [2, 3]),
        ([lines[1], lines[0], *lines[2:]], [1, 2, 3]),
        ([lines[0], b"no row\n", *lines[1:]], [2, 3, 4, 5]),
        ([*lines, lines[3]], [5]),
    ):
        faults = faults_of_chain(b"".join(wrong))
        assert [int(fault.split("line ")[1].split(":")[0]) for fault in faults] == numbers


def test_an_unknown_access_is_refused():
    with pytest.raises(ValueError, match="known are published"):
        next_access(None, at="", reviewer="a", doc_key="b", field="c", what="all")
