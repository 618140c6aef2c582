"""Saving that is killed, or finds no room: what was there stays, whole, and it is said."""

import os
import signal
import threading

import pytest
from scrubline.models.core.errors import Shortage, UsageError
from scrubline.models.corpora import read_annotated
from scrubline.pipeline.review.access import verify_accesses
from scrubline.pipeline.review.exporting import export_corrections
from scrubline.pipeline.review.refusals import DeskRefusal

STEPS = ("open", "write", "pwrite", "ftruncate", "fsync", "link", "replace", "unlink")
MOST_STEPS = 60

FULL = {"open", "write", "pwrite", "fsync", "link", "replace"}
"""What a full disk refuses."""


class Steps:
    """Calls of the system by a save, counted; one of them can be where it stops."""

    def __init__(self, patch, stop=None, act=None):
        self.names, self._stop, self._act = [], stop, act
        self._thread = threading.get_ident()
        for name in STEPS:
            patch.setattr(os, name, self._counted(name, getattr(os, name)))

    def _counted(self, name, real):
        def call(*given, **more):
            makes = name != "open" or given[1] & (os.O_CREAT | os.O_WRONLY | os.O_RDWR)
            if not makes or threading.get_ident() != self._thread:
                return real(*given, **more)
            self.names.append(name)
            if len(self.names) - 1 == self._stop:
                if name in ("write", "pwrite"):  # a part of it arrives
                    real(given[0], given[1][: len(given[1]) // 2], *given[2:])
                self._act()
            return real(*given, **more)

        return call


def no_room():
    raise OSError(28, "No space left on device")


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def killed_at(step, act):
    """Whether an act was killed at a step of it, in a process of its own."""
    child = os.fork()
    if not child:  # pragma: no cover
        code = 1
        try:
            with pytest.MonkeyPatch.context() as patch:
                Steps(patch, step, die)
                act()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    assert os.WEXITSTATUS(status) == 0
    return False


MARK = {"start": 0, "end": 4, "label": "PATIENT", "was": None}
BEFORE = {"spans": [MARK], "verdict": "open", "seconds": 5, "comment": "first"}
AFTER = {"spans": [], "verdict": "done", "seconds": 9, "comment": "second"}


def text_of(reader):
    one = reader.call("GET", "/api/queue")["items"][0]
    return one["doc"], one["field"]


def told(reader, text):
    """What a page would show a reader who comes back."""
    found = reader.desk.document(text, "published")
    return found["revision"], len(found["spans"]), found["verdict"], found["comment"]


EARLIER, LATER = (1, 1, "open", "first"), (2, 0, "done", "second")


def test_a_save_that_is_killed_anywhere_is_there_whole_or_not_at_all(reader, output):
    ana = reader()
    text, seen = text_of(ana), set()
    ana.desk.save(text, 0, BEFORE)
    kept = {path: read_all(path) for path in files_of(ana)}
    for step in range(MOST_STEPS):
        put_back(ana, kept)
        is_killed = killed_at(step, lambda: ana.desk.save(text, 1, AFTER))
        again = reader()
        seen.add(told(again, text))
        if not is_killed:
            break
        if told(again, text) == EARLIER:
            assert again.desk.save(text, 1, AFTER) == {"revision": 2}
        assert told(reader(), text) == LATER
        assert verify_accesses(output)[0] == []
    assert not is_killed and step > 5
    assert seen == {EARLIER, LATER}


def files_of(reader):
    found = [os.path.join(at, one) for at, _, names in os.walk(reader.folder.root) for one in names]
    return [path for path in found if os.path.isfile(path)]


def read_all(path):
    with open(path, "rb") as file:
        return file.read()


def put_back(reader, kept):
    for path in files_of(reader):
        os.unlink(path)
    for path, content in kept.items():
        with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(content)


def stopping(act, monkeypatch):
    """Steps of an act that a full disk refuses, as (number, name); each as a patch of its own."""
    with monkeypatch.context() as patch:
        names = Steps(patch).names
        act()
    return [(n, name) for n, name in enumerate(names) if name in FULL]


def test_a_save_without_room_at_any_step_says_so_and_changes_nothing(reader, output, monkeypatch):
    ana = reader()
    text = text_of(ana)
    ana.desk.save(text, 0, BEFORE)
    kept = {path: read_all(path) for path in files_of(ana)}
    steps = stopping(lambda: reader().desk.save(text, 1, AFTER), monkeypatch)
    assert {"open", "pwrite", "fsync", "replace"} <= {name for _, name in steps}
    for step, _ in steps:
        put_back(ana, kept)
        mine = reader()
        with monkeypatch.context() as patch:
            Steps(patch, step, no_room)
            with pytest.raises(DeskRefusal, match="NotSaved") as refused:
                mine.desk.save(text, 1, AFTER)
        assert refused.value.status == 503 and "nothing was saved" in refused.value.why
        for again in (mine, reader()):
            assert told(again, text) == EARLIER
        assert mine.desk.save(text, 1, AFTER) == {"revision": 2}
        assert told(reader(), text) == LATER


def test_a_comment_of_a_save_that_failed_is_never_shown(reader, monkeypatch):
    ana = reader()
    text = text_of(ana)
    ana.desk.save(text, 0, BEFORE)
    writes = [
        n
        for n, name in stopping(lambda: ana.desk.save(text, 1, AFTER), monkeypatch)
        if name == "pwrite"
    ]
    mine, text = reader(), text_of(ana)
    with monkeypatch.context() as patch:
        Steps(patch, writes[-1], no_room)  # the comment is on disk, the marks are not
        with pytest.raises(DeskRefusal):
            mine.desk.save(text, 2, {**BEFORE, "comment": "third"})
    assert told(reader(), text) == LATER
    assert mine.desk.save(text, 2, {**BEFORE, "comment": "second"}) == {"revision": 3}
    assert told(reader(), text) == (3, 1, "open", "second")


def test_a_comment_of_another_window_stays(reader):
    ana, other = reader(), reader()
    text = text_of(ana)
    ana.desk.save(text, 0, BEFORE)
    with pytest.raises(DeskRefusal) as refused:
        other.desk.save(text, 0, AFTER)
    assert refused.value.code == "Conflict"
    assert told(reader(), text) == EARLIER


@pytest.mark.parametrize("what", ["killed", "full"])
def test_an_export_that_stops_leaves_the_earlier_one(reader, output, monkeypatch, what):
    ana = reader()
    items = ana.call("GET", "/api/queue")["items"][:2]
    first, second = ((one["doc"], one["field"]) for one in items)
    ana.desk.save(first, 0, AFTER)
    path = export(ana)
    ana.desk.save(second, 0, AFTER)
    kept = {path: read_all(path) for path in files_of(ana)}
    steps = stopping(lambda: export(reader()), monkeypatch)
    assert "replace" in {name for _, name in steps}
    for step, _ in steps:
        put_back(ana, kept)
        if what == "killed":
            assert killed_at(step, lambda: export(ana))
        else:
            with monkeypatch.context() as patch:
                Steps(patch, step, no_room)
                with pytest.raises((DeskRefusal, UsageError, Shortage)):
                    export(ana)
        assert len(list(read_annotated(path))) in (1, 2)
        assert verify_accesses(output)[0] == []
    assert export(reader()) == path and len(list(read_annotated(path))) == 2


def export(reader):
    return export_corrections(reader.output, reader.folder, "ana", with_measure=False).path


def test_a_comment_with_half_of_an_emoji_is_shown(reader):
    ana = reader()
    text, shown = ana.take()
    ana.save(text, shown["spans"], "open", comment="so \ud83d")
    assert ana.call("GET", f"/api/document/{text}")["comment"] == "so \ud83d"


@pytest.mark.parametrize("line", [b"{}", b"no", b"[1]", b'{"doc_key": 1}'])
def test_damaged_comments_are_named(reader, line):
    ana = reader()
    text, shown = ana.take()
    ana.save(text, shown["spans"], "open", comment="so")
    with open(ana.folder.file("comments-ana.jsonl"), "ab") as file:
        file.write(line + b"\n")
    assert ana.call("GET", f"/api/document/{text}", status=503)["error"] == "DamagedComments"
