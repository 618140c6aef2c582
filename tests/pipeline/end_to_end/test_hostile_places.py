"""Hostile places: full and read-only disks, links, other processes, signals, odd documents.

Whatever happens: an exit code that says what to do, a message without names, nothing published
early, and `resume` ends with the digests of a run that nobody disturbed.
"""

import dataclasses
import errno
import fcntl
import json
import logging
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from scrubline.models.core.budgets import Budgets
from scrubline.models.core.error_classes import explain
from scrubline.models.core.errors import InputChanged
from scrubline.models.jobs import opening
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.cli import main as cli
from scrubline.pipeline.commands.inspect import read_rows
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.outputs.publishing import part_digest
from scrubline.pipeline.run import plan_and_freeze, scrub

from ...examples import rest
from ...waiting import GUARD_SECONDS, alive, children_of, wait_until
from .. import hostile_worker
from ..conftest import COLUMNS, write_corpus

pytestmark = pytest.mark.usefixtures("signals_as_in_a_terminal")


TEXTS = type(COLUMNS).parse([("path", "id"), ("text", "text")])

PATIENT = "JohnSmith-MRN7654321"
"""In the name of an input: must never be told."""


@pytest.fixture(autouse=True)
def _as_before():
    """Commands set up logs and hooks for the whole process."""
    root = logging.getLogger()
    before = root.handlers[:], root.level, sys.excepthook, threading.excepthook, sys.unraisablehook
    levels = {name: logging.getLogger(name).level for name in ("scrubline", "apache_beam")}
    yield
    root.handlers[:], root.level, sys.excepthook, threading.excepthook, sys.unraisablehook = before
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Four units; one file's name is PHI."""
    folder = write_corpus(tmp_path_factory.mktemp("corpus") / "in", notes=40, files=2, broken=False)
    (folder / "part1.jsonl").rename(folder / f"{PATIENT}.jsonl")
    return folder


@pytest.fixture
def options(options, corpus):
    # One rule: fast, and not the one that somebody edits.
    return dataclasses.replace(
        options, inputs=(str(corpus),), split_bytes=3000, recognisers=("email",)
    )


@pytest.fixture(scope="module")
def undisturbed(corpus, tmp_path_factory):
    """Digests of a run over the corpus, once for all tests."""
    return run_once(tmp_path_factory.mktemp("undisturbed") / "out")


def run_once(output):
    """Gives the digests of the run that some options mean: of the first one that is asked for."""
    known = []

    def run(options):
        if not known:
            there = dataclasses.replace(options, output=str(output))
            known.append(digests(scrub(Storage(), there)))
        return known[0]

    run.output = str(output)
    return run


def digests(manifest):
    return manifest["content_digest"], part_digest(manifest)


@pytest.fixture
def scrubline(capfd):
    """Runs a command line in this process; gives exit code, standard output and error."""

    def run_it(*words):
        with pytest.raises(SystemExit) as ended:
            cli.main([str(word) for word in words])
        sys.stdout.flush()
        out, err = capfd.readouterr()
        assert PATIENT not in err + out, "the name of an input is told"
        assert "Traceback" not in err
        return ended.value.code, out, err

    return run_it


def words_of(options, **changes):
    """The command line that means the options."""
    options = dataclasses.replace(options, **changes)
    words = ["--output", options.output, "--key-file", options.key_source, "--model", "none"]
    for url in options.inputs:
        words += ["--input", url]
    for name, role in options.columns.roles:
        words += ["--column", f"{name}={role}"]
    for name in options.recognisers:
        words += ["--recogniser", name]
    return [*words, "--split-bytes", str(options.split_bytes), "--max-quarantined", "1"]


def assert_unpublished(output):
    assert not (Path(output) / "_SUCCESS").exists()
    assert not (Path(output) / "manifest.json").exists()


def assert_resumed(scrubline, options, expected):
    """`resume` ends well, with the digests of the run that nobody disturbed."""
    assert scrubline("resume", "--output", options.output)[0] == 0
    manifest = json.loads((Path(options.output) / "manifest.json").read_bytes())
    assert digests(manifest) == expected
    assert not (Path(options.output) / "_staging").exists()
    assert not list(Path(options.output).rglob("*.tmp"))


# -- disks


class FullDisk(hostile_worker.FaultyOs):
    """Lets one kind of operation fail for good, in one stretch of a run.

    Attributes:
        wanted: name of the operation.
        number: errno.
        promoting: whether it is while parts are published, or while units are worked on.
    """

    def __init__(self, output, wanted, number, promoting):
        super().__init__(lambda operation: 0)
        self._output, self.wanted, self.number = Path(output), wanted, number
        self.promoting = promoting

    def _maybe(self, operation, path):
        staged = "/_staging/" in str(path)
        begun = any(self._output.glob("_staging/*/promotion.json"))
        here = begun and not staged if self.promoting else "/data/" in str(path) and staged
        if operation == self.wanted and here and not os.path.isdir(path):
            self.failed += 1
            raise OSError(self.number, os.strerror(self.number), str(path))


DISKS = [
    *((errno.ENOSPC, what) for what in ("create", "pwrite", "fsync", "replace")),
    *((errno.EDQUOT, "pwrite"), (errno.EROFS, "create")),
]


@pytest.mark.parametrize(
    ("number", "operation", "promoting"),
    [
        # Each once while it works or while it promotes, by turns.
        (pytest.param if promoting == (at % 2 == 1) else rest)(
            *disk,
            promoting,
            id=f"{errno.errorcode[disk[0]]}-{disk[1]}-{'promoting' if promoting else 'working'}",
        )
        for at, disk in enumerate(DISKS)
        for promoting in (False, True)
    ],
)
@pytest.mark.slow
def test_a_disk_that_is_full_or_read_only_stops_the_run_and_it_goes_on_later(
    scrubline, options, undisturbed, monkeypatch, number, operation, promoting
):
    expected = undisturbed(options)
    monkeypatch.setattr(Storage.__init__, "__defaults__", hostile_worker.without_waiting())
    monkeypatch.setattr(opening, "_opened", {})
    disk = FullDisk(options.output, operation, number, promoting)
    with monkeypatch.context() as patched:
        hostile_worker.break_disk(disk, patched.setattr)
        code, out, err = scrubline("scrub", *words_of(options))
    assert disk.failed > 0
    assert (code, out) == (1, "")
    assert errno.errorcode[number] in err
    assert "continue with `scrubline resume" in err
    assert_unpublished(options.output)
    assert promoting or not (Path(options.output) / "data").exists()
    assert_resumed(scrubline, options, expected)


@pytest.fixture
def plain_user(options, undisturbed):
    """A folder in which nobody is root, for whom no file is read-only: gives it, with the key."""
    undisturbed(options)  # imports all: the library may lie where only root may read
    folder = Path(tempfile.mkdtemp(prefix="scrubline-test-"))
    folder.chmod(0o755)
    shutil.copy(options.key_source, folder / "key.txt")
    (folder / "key.txt").chmod(0o644)
    shutil.copytree(options.inputs[0], folder / "in")
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    user = os.geteuid()
    here = os.getcwd()
    os.chdir(folder)
    if user == 0:
        os.seteuid(65534)
    yield folder
    if user == 0:
        os.seteuid(0)
    os.chdir(here)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    shutil.rmtree(folder)


def privileged(action):
    """Does something as the user who began the tests."""
    mine = os.geteuid()
    os.seteuid(os.getuid())
    try:
        return action()
    finally:
        os.seteuid(mine)


def test_an_output_that_may_not_be_written_is_refused(scrubline, options, plain_user):
    out = plain_user / "out"
    privileged(out.mkdir)
    privileged(lambda: out.chmod(0o555))
    words = words_of(
        options, inputs=(f"{plain_user}/in",), output=str(out), key_source=f"{plain_user}/key.txt"
    )
    for place in (out, out / "below"):
        code, _, err = scrubline("scrub", *words, "--output", place)
        assert code == 2
        assert "output cannot be written" in err and "EACCES" in err
    assert list(out.iterdir()) == []


@pytest.mark.parametrize("what", ["file", "folder"])
def test_an_input_that_may_not_be_read_stops_the_run(scrubline, options, plain_user, what):
    place = plain_user / "in"
    texts = place / "notes"
    privileged(texts.mkdir)
    files = [texts / f"{PATIENT}{number}.txt" for number in range(3)]
    privileged(lambda: [file.write_text("Seen again.") for file in files])
    closed = texts if what == "folder" else files[1]
    privileged(lambda: closed.chmod(0))
    output = plain_user / "free" / "out"
    privileged((plain_user / "free").mkdir)
    privileged(lambda: (plain_user / "free").chmod(0o777))
    words = words_of(
        options,
        inputs=(str(texts),),
        columns=TEXTS,
        output=str(output),
        key_source=f"{plain_user}/key.txt",
    )
    code, _, err = scrubline("scrub", *words)
    assert code == 1
    assert "storage refused (PermissionError EACCES)" in err
    assert_unpublished(output)
    privileged(lambda: closed.chmod(0o755))
    # Of a folder that cannot be listed nothing was planned.
    again = ["resume", "--output", output] if what == "file" else ["scrub", *words]
    code, out, _ = scrubline(*again)
    assert code == 0
    assert "3 in = 3 out" in out


@pytest.mark.parametrize("where", ["out", "out/below"])
def test_an_output_that_is_a_file_is_refused(scrubline, options, tmp_path, where):
    (tmp_path / "out").write_text("mine")
    code, _, err = scrubline("scrub", *words_of(options, output=str(tmp_path / where)))
    assert code == 2
    assert "is, or lies inside, a file" in err
    assert (tmp_path / "out").read_text() == "mine"


# -- input and output in each other


def linked(folder, target):
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.symlink_to(target)
    return folder


@pytest.mark.parametrize(
    "places",
    [
        lambda at: (at / "in", at / "in"),
        lambda at: (at / "in", at / "in/out"),
        lambda at: (at / "in/deep", at / "in"),
        lambda at: (at / "in", at / "x/../in"),
        lambda at: (at / "in/deep/../..", at / "new"),
        lambda at: (at / "in", linked(at / "link", at / "in")),
        lambda at: (at / "in", linked(at / "link", at / "in") / "out"),
        lambda at: (linked(at / "link", at / "in"), at / "in/out"),
        lambda at: (at / "in/part0.jsonl", at / "in/part0.jsonl"),
        lambda at: (f"file://{at}/in", at / "in/out"),
    ],
    ids=[
        *("equal", "out in in", "in in out", "dots", "dots above", "link", "in a link"),
        *("linked input", "file", "as a URL"),
    ],
)
def test_input_and_output_in_each_other_are_refused(scrubline, options, tmp_path, corpus, places):
    at = tmp_path / "at"
    shutil.copytree(corpus, at / "in")
    shutil.copytree(corpus, at / "in/deep")
    (at / "x").mkdir()
    given, output = places(at)
    before = sorted(at.rglob("*"))
    code, _, err = scrubline("scrub", *words_of(options, inputs=(str(given),), output=str(output)))
    assert code == 2
    assert "lie inside each other" in err or "inside the output" in err
    assert sorted(at.rglob("*")) == before


def test_a_link_in_the_input_that_leads_into_the_output_is_refused(scrubline, options, tmp_path):
    folder = write_corpus(tmp_path / "mine", notes=8, files=1, broken=False)
    (tmp_path / "out").mkdir()
    (tmp_path / "out/mine.jsonl").write_text((folder / "part0.jsonl").read_text())
    (folder / "more").symlink_to(tmp_path / "out")
    code, _, err = scrubline("scrub", *words_of(options, inputs=(str(folder),)))
    assert code == 2
    assert "inside the output" in err


# -- what a folder of input may hold


def test_links_are_followed_once_and_devices_left_out(scrubline, options, tmp_path):
    folder, far = tmp_path / "mine", tmp_path / "far"
    (folder / "sub").mkdir(parents=True)
    (far / "inner").mkdir(parents=True)
    for place, text in {
        folder / "a.txt": "mail a@clinic.example",
        far / "b.txt": "mail b@clinic.example",
        far / "inner/c.txt": "mail c@clinic.example",
    }.items():
        place.write_text(text)
    (folder / "to-a-file.txt").symlink_to(far / "b.txt")
    (folder / "to-a-folder").symlink_to(far / "inner")
    (folder / "sub/loop").symlink_to(folder)
    (folder / "itself.txt").symlink_to("itself.txt")
    os.link(folder / "a.txt", folder / "hard.txt")
    os.mkfifo(folder / "pipe.txt")
    (folder / "null.txt").symlink_to("/dev/null")
    (folder / "random.txt").symlink_to("/dev/urandom")
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(folder / "socket.txt"))
        words = words_of(options, inputs=(str(folder),), columns=TEXTS)
        code, out, _ = scrubline("scrub", *words)
    assert code == 0
    assert "4 in = 4 out" in out  # a, b by its link, c by its folder's, and the hard link
    texts = [path.read_text() for path in Path(options.output).glob("data/**/*.txt")]
    assert texts == ["mail [EMAIL]"] * 4


def test_a_link_that_leads_nowhere_is_refused(scrubline, options, tmp_path):
    folder = write_corpus(tmp_path / "mine", notes=8, files=1)
    (folder / f"{PATIENT}.jsonl").symlink_to(folder / "gone")
    code, _, err = scrubline("scrub", *words_of(options, inputs=(str(folder),)))
    assert code == 2
    assert "a dangling symbolic link" in err
    assert not Path(options.output).exists()


@pytest.mark.parametrize("what", ["pipe", "link to a pipe", "socket", "device"])
def test_an_input_that_is_no_file_is_refused_and_not_waited_for(scrubline, options, tmp_path, what):
    place = tmp_path / f"{PATIENT}.jsonl"
    with socket.socket(socket.AF_UNIX) as one:
        if what == "socket":
            one.bind(str(place))
        elif what == "device":
            place = Path("/dev/zero")
        else:
            os.mkfifo(place)
        if what == "link to a pipe":
            place = linked(tmp_path / "link.jsonl", place)
        code, _, err = scrubline(
            "scrub", *words_of(options, inputs=(str(place),)), "--format", "jsonl"
        )
    assert code == 2
    assert "input 1 of 1 is a pipe, a socket or a device" in err


@pytest.fixture(scope="module")
def of_eight_notes(tmp_path_factory):
    return run_once(tmp_path_factory.mktemp("eight") / "out")


@pytest.mark.parametrize("what", ["vanishes", "grows", "shrinks", "becomes a pipe", "is touched"])
@pytest.mark.slow
def test_an_input_that_changes_after_planning_ends_the_run(
    scrubline, options, of_eight_notes, tmp_path, what
):
    folder = write_corpus(tmp_path / "mine", notes=8, files=2, broken=False)
    options = dataclasses.replace(options, inputs=(str(folder),))
    content_digest, _ = of_eight_notes(options)
    place = (folder / "part1.jsonl").rename(folder / f"{PATIENT}.jsonl")
    content = place.read_bytes()
    plan_and_freeze(Storage(), options)
    place.unlink()
    if what == "becomes a pipe":
        os.mkfifo(place)
    elif what != "vanishes":
        place.write_bytes(content + content if what == "grows" else content[:-20])
        if what == "is touched":
            place.write_bytes(content)
    code, out, err = scrubline("resume", "--output", options.output)
    assert (code, out) == (1, "")
    assert "after it was planned" in err and "--discard`, then scrub again" in err
    assert_unpublished(options.output)
    place.unlink(missing_ok=True)
    (folder / "part1.jsonl").write_bytes(content)
    assert scrubline("resume", "--output", options.output, "--discard")[0] == 0
    manifest = scrub(Storage(), options)
    assert manifest["content_digest"] == content_digest  # a part's name tells of its input


def test_a_text_that_grows_while_it_is_read_is_not_cut(storage, options, tmp_path, monkeypatch):
    folder = tmp_path / "mine"
    folder.mkdir()
    for name in "ab":
        (folder / f"{name}.txt").write_text("mail a@clinic.example")
    real = Storage.read_range

    def growing(self, url, start, end):
        if url.endswith("/a.txt"):
            with (folder / "a.txt").open("a") as stream:
                stream.write(" and more")
        return real(self, url, start, end)

    monkeypatch.setattr(Storage, "read_range", growing)
    options = dataclasses.replace(options, inputs=(str(folder),), columns=TEXTS, max_quarantined=1)
    with pytest.raises(InputChanged):
        scrub(storage, options)
    assert_unpublished(options.output)


# -- other processes

LAUNCHER = "from scrubline.pipeline.cli.main import command; command()"


@pytest.fixture(scope="module", autouse=True)
def _quick_children(tmp_path_factory):
    """Spares child processes what Beam would import and no test needs."""
    folder = tmp_path_factory.mktemp("absent")
    for name in ("boto3", "pymongo"):
        (folder / f"{name}.py").write_text("raise ImportError")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
        yield


def start(*words, **more):
    return subprocess.Popen(
        [sys.executable, "-c", LAUNCHER, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,
    )


def receipts(output):
    return list(Path(output).glob("_staging/*/receipts/*.json"))


@pytest.fixture(scope="module")
def long_corpus(tmp_path_factory):
    """About fifteen units: long enough to be stopped in the middle."""
    return write_corpus(tmp_path_factory.mktemp("long") / "in", notes=100, files=2, broken=False)


@pytest.fixture(scope="module")
def long_digests(long_corpus, tmp_path_factory):
    return run_once(tmp_path_factory.mktemp("undisturbed") / "out")


@pytest.mark.parametrize(
    ("number", "workers"),
    [
        rest(signal.SIGINT, 0),
        (signal.SIGTERM, 0),
        (signal.SIGINT, 2),
        rest(signal.SIGTERM, 2),
    ],
    ids=lambda value: value.name if isinstance(value, signal.Signals) else f"{value} workers",
)
@pytest.mark.slow
def test_a_signal_ends_a_run_in_the_middle_and_it_goes_on_later(
    scrubline, options, long_corpus, long_digests, number, workers
):
    options = dataclasses.replace(options, inputs=(str(long_corpus),), split_bytes=2000)
    process = start("scrub", *words_of(options), "--workers", workers)
    wait_until(lambda: receipts(options.output) or process.poll() is not None, "a unit is done")
    children = children_of(process.pid)
    assert len(children) >= workers
    process.send_signal(number)
    out, err = process.communicate(timeout=GUARD_SECONDS)
    assert (process.returncode, out) == (1, ""), err
    assert "stopped. Finished work is kept: continue with `scrubline resume" in err
    assert "Traceback" not in err and PATIENT not in err
    wait_until(lambda: not any(alive(pid) for pid in children), "they end")
    assert receipts(options.output)
    assert_unpublished(options.output)
    assert not (Path(options.output) / "data").exists()
    assert_resumed(scrubline, options, long_digests(options))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_are_heeded_once_and_handlers_put_back(scrubline, monkeypatch, tmp_path, number):
    before = signal.getsignal(number)
    swallowed = []

    def command(parsed):
        try:
            os.kill(os.getpid(), number)
            threading.Event().wait(GUARD_SECONDS)
        except KeyboardInterrupt:
            swallowed.append(1)
        if number != signal.SIGINT:
            os.kill(os.getpid(), number)  # some senders send several
        raise RuntimeError(f"{PATIENT}: what a library made of it")

    monkeypatch.setattr("scrubline.pipeline.commands.resume.run", command)
    code, out, err = scrubline("resume", "--output", tmp_path)
    assert (code, out, swallowed) == (1, "", [1])
    assert (
        err == "\nstopped. Finished work is kept: continue with `scrubline resume --output ...`\n"
    )
    assert signal.getsignal(number) is before


def test_a_signal_that_is_ignored_stays_so(scrubline, monkeypatch, tmp_path):
    def command(parsed):
        os.kill(os.getpid(), signal.SIGHUP)
        return 0

    monkeypatch.setattr("scrubline.pipeline.commands.resume.run", command)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        assert scrubline("resume", "--output", tmp_path)[0] == 0
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.slow
def test_of_two_runs_into_one_output_the_second_is_refused(
    scrubline, options, long_corpus, long_digests
):
    options = dataclasses.replace(options, inputs=(str(long_corpus),), split_bytes=2000)
    expected = long_digests(options)
    first = start("scrub", *words_of(options))
    wait_until(lambda: receipts(options.output) or first.poll() is not None, "a unit is done")
    first.send_signal(signal.SIGSTOP)
    try:
        before = sorted(Path(options.output).rglob("*"))
        for command in (
            ["scrub", *words_of(options)],
            ["scrub", *words_of(options, split_bytes=900)],
            ["plan", *words_of(options)[:-2]],
            ["resume", "--output", options.output],
            ["resume", "--output", options.output, "--discard"],
        ):
            code, out, err = scrubline(*command)
            assert (code, out) == (5, ""), command
            assert "another process is working on this output" in err
        assert sorted(Path(options.output).rglob("*")) == before
        assert scrubline("scrub", *words_of(options), "--dry-run")[0] == 0
    finally:
        first.send_signal(signal.SIGCONT)
    _, err = first.communicate(timeout=GUARD_SECONDS)
    assert first.returncode == 0, err
    manifest = json.loads((Path(options.output) / "manifest.json").read_bytes())
    assert digests(manifest) == expected


HOLDER = """
import sys
from scrubline.models.storage.storage import Storage
with Storage().locked(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_the_lock_of_a_process_that_was_killed_is_free(scrubline, options, undisturbed):
    expected = undisturbed(options)
    lock = Path(options.output) / "restricted/LOCK"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout.readline() == b"held\n"
    assert scrubline("scrub", *words_of(options))[0] == 5
    holder.kill()
    holder.communicate(timeout=GUARD_SECONDS)
    assert lock.exists()
    assert stat.S_IMODE(lock.stat().st_mode) == 0o600
    assert scrubline("scrub", *words_of(options))[0] == 0
    manifest = json.loads((Path(options.output) / "manifest.json").read_bytes())
    assert digests(manifest) == expected


@pytest.mark.parametrize("number", [errno.ENOTSUP, errno.ENOLCK, errno.EIO])
def test_where_nothing_can_be_locked_there_is_a_warning(
    scrubline, options, undisturbed, monkeypatch, number
):
    expected = undisturbed(options)

    def no_locks(descriptor, operation):
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patched:
        patched.setattr(fcntl, "flock", no_locks)
        code, _, err = scrubline("plan", *words_of(options)[:-2])
    assert code == 0
    assert "does not support locks" in err and errno.errorcode[number] in err
    assert_resumed(scrubline, options, expected)


# -- documents


@pytest.mark.slow
def test_huge_and_odd_documents_are_scrubbed_or_held_back_and_harm_no_neighbour(
    storage, options, tmp_path
):
    # A twentieth of the usual budgets, and documents as much smaller.
    budgets = Budgets(document_bytes=800_000, line_characters=200_000, candidates=10_000)
    folder = tmp_path / "odd"
    folder.mkdir()
    note = "Seen again. Mail p@clinic.example\n"
    out = "Seen again. Mail [EMAIL]\n"
    scrubbed = {
        "neighbour-1": (note, out),
        "many tokens": ("Not in pain.\n" * 25_000 + note, "Not in pain.\n" * 25_000 + out),
        "NUL": ("\0" * 100_000, "\0" * 100_000),
        "NUL between": ("a\0b " + note, "a\0b " + out),
        "emoji": ("🙂👩‍👩‍👧‍👦🏴‍☠️" * 10_000,) * 2,
        "line breaks": ("\n" * 100_000 + "\r\n" * 50_000 + "\r" * 50_000,) * 2,
        "other breaks": ("\v\f\x1c\x85\u2028\u2029" * 10_000 + note,) * 1
        + ("\v\f\x1c\x85\u2028\u2029" * 10_000 + out,),
        "white space": (" \t\u00a0\u3000\u200b\ufeff" * 10_000,) * 2,
        "combining": ("a" + "\u0301" * 100_000 + "\n" + note,) * 1
        + ("a" + "\u0301" * 100_000 + "\n" + out,),
        "right to left": ("\u202e" + note, "\u202e" + out),
        "empty": ("", ""),
        "mark": ("\ufeff", "\ufeff"),
        "a long line": ("x" * 190_000 + " " + note, "x" * 190_000 + " " + out),
        "neighbour-2": (note, out),
    }
    held = {
        "one line of 500 kB": (b"word " * 100_000, "OverBudget:line"),
        "10,001 candidates": (b"a@b.org " * 10_001, "OverBudget:candidates"),
        "UTF-16": (note.encode("utf-16"), "BadEncoding"),
        "Latin-1": ("Café\n".encode("latin-1"), "BadEncoding"),
        "a lone surrogate": ("half \ud83d".encode("utf-8", "surrogatepass"), "BadEncoding"),
        "a megabyte": (b"Not in pain.\n" * 80_000, "OverBudget:bytes"),
    }
    for name, (text, _) in scrubbed.items():
        (folder / f"{name}.txt").write_bytes(text.encode())
    for name, (content, _) in held.items():
        (folder / f"{name}.txt").write_bytes(content)
    options = dataclasses.replace(
        options,
        inputs=(str(folder),),
        columns=TEXTS,
        split_bytes=10**9,  # all in one unit and one batch: neighbours indeed
        max_quarantined=1.0,
        budgets=budgets,
    )
    manifest = scrub(storage, options)
    assert manifest["counts"]["rows_in"] == len(scrubbed) + len(held)
    expected = sorted(text for _, text in scrubbed.values())
    written = [path.read_bytes().decode() for path in Path(options.output).glob("data/**/*.txt")]
    assert sorted(written) == expected
    quarantined = read_rows(storage, options.output, manifest, "quarantine")
    names = sorted([*scrubbed, *held])
    found = {names[row["ordinal"]]: row["error"] for row in quarantined}
    assert found == {name: error for name, (_, error) in held.items()}
    assert verify(storage, options.output, originals=False, key_source=None)[0] == []


# -- an odd environment


@pytest.mark.slow
def test_a_run_needs_no_home_no_locale_and_no_log(options, undisturbed):
    expected = undisturbed(options)
    bare = {
        name: value
        for name, value in os.environ.items()
        if name not in ("HOME", "TMPDIR", "LANG", "LC_CTYPE", "PYTHONUTF8", "XDG_CONFIG_HOME")
    }
    bare |= {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "TMPDIR": "/nowhere/x"}
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", LAUNCHER, "scrub", *words_of(options), "--log-level", "INFO"],
            env=bare,
            stdout=subprocess.PIPE,
            stderr=full,
            timeout=GUARD_SECONDS,
        )
    assert done.returncode == 0
    assert expected[0] in done.stdout.decode("ascii")


def test_without_a_temporary_folder_a_run_stops_and_says_so(
    scrubline, options, undisturbed, monkeypatch, tmp_path
):
    expected = undisturbed(options)
    with monkeypatch.context() as patched:
        patched.setattr(tempfile, "tempdir", None)
        patched.setattr(tempfile, "_candidate_tempdir_list", lambda: [str(tmp_path / "gone")])
        code, _, err = scrubline("scrub", *words_of(options))
    assert code == 1
    assert "set TMPDIR" in err
    assert_resumed(scrubline, options, expected)


@pytest.fixture
def published(options, undisturbed):
    """An output for commands that only read one."""
    undisturbed(options)
    return undisturbed.output


def told_to(stdout, *words, **more):
    return subprocess.run(
        [sys.executable, "-c", LAUNCHER, *words],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=GUARD_SECONDS,
        **more,
    )


@pytest.mark.slow
def test_standard_output_may_be_full_broken_or_closed(options, published):
    words = ("inspect", "--output", published)
    with open("/dev/full", "wb") as full:
        done = told_to(full, *words)
    assert done.returncode == 1
    assert done.stderr == "scrubline: standard output cannot be written (OSError ENOSPC)\n"

    reader, writer = os.pipe()
    os.close(reader)
    done = told_to(writer, *words)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")

    # The first file opened would get the number of a stream that is gone, and what is printed.
    verifying = ("verify", "--output", published)
    done = told_to(None, *verifying, preexec_fn=lambda: os.closerange(0, 2))
    assert done.returncode == 1
    assert done.stderr == "scrubline: standard output cannot be written (OSError EBADF)\n"
    assert verify(Storage(), published, originals=False, key_source=None)[0] == []


@pytest.mark.parametrize(
    ("words", "code"),
    [
        *((("inspect",), 1), (("scrub", "-"), 1), (("--help",), 1), (("--version",), 1)),
        *((("key", "new"), 0), (("scrub", "x"), 2)),
        *(rest((word,), 1) for word in ("status", "diff")),
        *(rest(words, 1) for words in (("status", "--json"), ("policy", "list"))),
        rest(("no-such-command",), 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
@pytest.mark.slow
def test_what_cannot_be_printed_is_no_success(options, published, tmp_path, words, code):
    if words[0] in ("status", "inspect", "diff"):
        words = (*words, "--output", published)
        words += ("--against", published) if words[0] == "diff" else ()
    elif words[0] == "key":
        words = (*words, "--output", str(tmp_path / "new"))
    (tmp_path / "text").write_text("Seen on 3/4/2019.")
    with open(tmp_path / "text", "rb") as text:
        done = told_to(None, *words, preexec_fn=lambda: os.close(1), stdin=text)
    assert done.returncode == code, done.stderr
    told = "scrubline: standard output cannot be written (OSError EBADF)\n"
    assert done.stderr == told if code == 1 else "EBADF" not in done.stderr


@pytest.mark.parametrize(
    ("words", "code"), [(("scrub", "-"), 2), (("policy", "list"), 1), rest(("policy", "none"), 2)]
)
@pytest.mark.slow
def test_with_all_streams_closed_the_code_still_tells(words, code):
    done = told_to(None, *words, preexec_fn=lambda: os.closerange(0, 3))
    assert (done.returncode, done.stderr) == (code, "")


@pytest.mark.parametrize("workers", [rest(0), 1])
@pytest.mark.slow
def test_a_run_needs_no_standard_error(options, undisturbed, workers):
    words = ("scrub", *words_of(options), "--workers", str(workers))
    done = told_to(subprocess.PIPE, *words, preexec_fn=lambda: os.close(2))
    assert (done.returncode, done.stderr) == (0, "")
    assert "rows" in done.stdout
    manifest = json.loads((Path(options.output) / "manifest.json").read_bytes())
    assert digests(manifest) == undisturbed(options)


@pytest.mark.slow
def test_a_closed_standard_input_is_refused(options):
    done = told_to(subprocess.PIPE, "scrub", "-", preexec_fn=lambda: os.close(0))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "scrubline: standard input is closed: there is nothing to read\n"


def test_a_long_listing_into_a_full_disk_is_no_unknown_error(
    scrubline, options, tmp_path, monkeypatch
):
    folder = write_corpus(tmp_path / "broken", notes=4, files=1, broken=False)
    with (folder / "part0.jsonl").open("a") as stream:
        stream.write("no JSON\n" * 400)
    options = dataclasses.replace(options, inputs=(str(folder),), max_quarantined=1.0)
    scrub(Storage(), options)
    words = ("--output", options.output, "--key-file", options.key_source, "--quarantined")
    code, out, err = scrubline("inspect", *words)
    assert (code, len(out.splitlines())) == (0, 401)
    legend = "BadJson: {0.cause}; {0.remedy}".format(explain("BadJson"))
    assert err.splitlines()[-1] == legend  # what the run before logged may stand before it
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        code, _, err = scrubline("inspect", *words)
        assert code == 1
        assert err == "scrubline: standard output cannot be written (OSError ENOSPC)\n"


MESSAGES = {
    "hl7": ("hl7", "MSH|^~\\&|a|b|c|d|2024||ORU^R01|1|P|2.5\rOBX|1|TX|||Seen again.\r"),
    "fhir": ("ndjson", '{"resourceType": "Observation", "id": "1"}\n'),
    "ccda": ("xml", '<ClinicalDocument xmlns="urn:hl7-org:v3"><title>a</title></ClinicalDocument>'),
}


@pytest.mark.parametrize("command", ["scrub", "init", "convert"])
@pytest.mark.parametrize("form", MESSAGES)
def test_messages_that_may_not_be_read_are_named(scrubline, options, plain_user, form, command):
    ending, content = MESSAGES[form]
    place, free = plain_user / "messages", plain_user / "free"
    privileged(place.mkdir)
    privileged(free.mkdir)
    privileged(lambda: free.chmod(0o777))
    files = [place / f"{PATIENT}{number}.{ending}" for number in range(2)]
    privileged(lambda: [file.write_text(content) for file in files])
    words = {
        "scrub": ("--input", place, "--output", free / "out", "--key-file", plain_user / "key.txt"),
        "init": ("--input", place, "--output", free / "job.toml", "--make-key", free / "key"),
        "convert": (place, free / "table.csv"),
    }[command]
    words = (command, *words, "--from" if command == "convert" else "--format", form)
    privileged(lambda: files[1].chmod(0))
    code, _, err = scrubline(*words)
    assert code == 1 and "input file 2" in err and "look at its permissions" in err
    assert PATIENT not in err and not list(free.glob("**/*.*"))
    privileged(lambda: place.chmod(0))
    code, _, err = scrubline(*words)
    assert code == 1 and "input 1 of 1: cannot list" in err and PATIENT not in err
    assert not list(free.glob("**/*.*"))


def test_what_verify_may_not_read_is_named(scrubline, options, plain_user):
    place, out = plain_user / "messages", plain_user / "free" / "out"
    privileged(place.mkdir)
    privileged((plain_user / "free").mkdir)
    privileged(lambda: (plain_user / "free").chmod(0o777))
    file = place / f"{PATIENT}.hl7"
    privileged(lambda: file.write_text(MESSAGES["hl7"][1]))
    key = ("--key-file", plain_user / "key.txt")
    code, _, err = scrubline("scrub", "--input", place, "--output", out, *key, "--model", "none")
    assert code == 0, err
    privileged(lambda: file.chmod(0))
    code, _, err = scrubline("verify", "--output", out, "--originals", *key)
    assert code == 1 and "originals of unit 0: cannot open an input file: storage" in err
    privileged(lambda: (out / "manifest.json").chmod(0))
    code, _, err = scrubline("verify", "--output", out, "--originals", *key)
    assert code == 1 and "cannot read 'manifest.json': storage refused" in err
    privileged(lambda: (plain_user / "key.txt").chmod(0))
    code, _, err = scrubline("scrub", "--input", place, "--output", out, *key, "--model", "none")
    assert code == 1 and "the key file: cannot read a file: storage refused" in err
