"""Files that a user names: pipes, devices, sockets and folders are refused and not waited for."""

import contextlib
import os
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from scrubline.dictionaries import DictionaryError, load
from scrubline.dictionaries.files import NO_FILE, NotARegularFile, open_regular, read_named
from scrubline.models.core.errors import ScrublineError, UsageError
from scrubline.models.storage.key_files import load_keys
from scrubline.models.storage.storage import Storage

from ...waiting import GUARD_SECONDS
from ..conftest import write_corpus
from ..makers import slow_but

pytestmark = pytest.mark.slow

KINDS = ("pipe", "link to a pipe", "socket", "device", "endless device", "folder")


@contextlib.contextmanager
def something(kind, folder):
    """The path of something that is no regular file."""
    place = folder / "odd.toml"
    if kind == "folder":
        place.mkdir()
    elif kind in ("pipe", "link to a pipe"):
        os.mkfifo(place)
        if kind.startswith("link"):
            (folder / "link.toml").symlink_to(place)
            place = folder / "link.toml"
    elif kind == "socket":
        here = os.getcwd()
        os.chdir(folder)  # names of sockets are short
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(place.name)
            os.chdir(here)
            yield place
        return
    else:
        place = Path("/dev/null" if kind == "device" else "/dev/zero")
    yield place


def in_time(action):
    """What an action gives, or raises, within `GUARD_SECONDS` seconds."""
    found = []

    def run():
        try:
            found.append(action())
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(GUARD_SECONDS)
    assert found, "it is waited for"
    if isinstance(found[0], BaseException):
        raise found[0]
    return found[0]


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_but_a_regular_file_is_opened(tmp_path, kind):
    storage = Storage(sleep=lambda seconds: None)
    with something(kind, tmp_path) as place:
        for action, error in (
            (lambda: open_regular(str(place)), NotARegularFile),
            (lambda: read_named(str(place)), NotARegularFile),
            (lambda: read_named(f"file://{place}", 10, unpack=True), NotARegularFile),
            (lambda: storage.read_bytes(str(place)), UsageError),
            (lambda: storage.read_bytes(f"file://{place}"), UsageError),
            (lambda: storage.read_range(str(place), 0, 10), ScrublineError),
            (lambda: storage.open_read(str(place)), ScrublineError),
            (lambda: load_keys(str(place), storage.read_bytes), UsageError),
            (lambda: load(str(place)), DictionaryError),
        ):
            with pytest.raises(error) as caught:
                in_time(action)
            assert str(place) not in str(caught.value) or error is DictionaryError


def test_files_are_read_whole_in_part_and_unpacked(tmp_path):
    import gzip

    (tmp_path / "a.gz").write_bytes(gzip.compress(b"one two"))
    (tmp_path / "link").symlink_to(tmp_path / "a.gz")
    for url in (f"{tmp_path}/a.gz", f"file://{tmp_path}/a.gz"):
        assert read_named(url, unpack=True) == b"one two"
        assert read_named(url, 3, unpack=True) == b"one"
    assert read_named(f"{tmp_path}/link") == (tmp_path / "a.gz").read_bytes()
    with pytest.raises(FileNotFoundError):
        read_named(f"{tmp_path}/none")


OPTIONS = (
    *("key", "policy", "list of a policy", "canaries", "config", "key check", "key doc"),
    *("policy check", "policy show", "bundle", "gold", "label map", "clinical terms", "annotate"),
)


def command_line(option, place, key, folder, out):
    """A command line in which an option that names a file to read leads to a place."""
    write_corpus(folder / "in", notes=2, files=1, broken=False)
    gold = folder / "gold.jsonl"
    gold.write_text('{"doc_id": "1", "text": "x", "spans": []}\n')
    policy = folder / "policy.toml"
    policy.write_text(f'name = "x"\nbase = "hipaa"\n[allow]\n"*" = "{place}"\n')
    scrub = (
        *("scrub", "--input", f"{folder}/in", "--output", out, "--model", "none"),
        *("--recogniser", "email", "--column", "note_id=id", "--column", "text=text"),
        *("--column", "patient_id=patient", "--column", "kind=type", "--column", "n=pass"),
    )
    keyed = (*scrub, "--key-file", key)
    return {
        "key": (*scrub, "--key-file", place),
        "policy": (*keyed, "--policy", place),
        "list of a policy": (*keyed, "--policy", policy),
        "canaries": (*keyed, "--canaries", place),
        "config": (*keyed, "--config", place),
        "key check": ("key", "check", "--key-file", place),
        "key doc": ("key", "doc", "7", "--key-file", place),
        "policy check": ("policy", "check", place),
        "policy show": ("policy", "show", policy),
        "bundle": (*keyed, "--model", place),
        "gold": ("evaluate", place, gold),
        "label map": ("evaluate", gold, gold, "--label-map", place),
        "clinical terms": ("evaluate", gold, gold, "--clinical-terms", place),
        "annotate": ("annotate", "--input", place, "--output", out, "--recogniser", "email"),
    }[option]


def run(*words, **more):
    """A command line in a process of its own, which must end soon."""
    command = [sys.executable, "-m", "scrubline.pipeline.cli.main", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=GUARD_SECONDS, **more)


@pytest.mark.parametrize("option", slow_but(OPTIONS, "key", "policy check"))
def test_no_option_waits_for_a_pipe(tmp_path, key_file, option):
    out = tmp_path / "out"
    with something("pipe", tmp_path) as place:
        done = run(*command_line(option, place, key_file, tmp_path, out), stdin=subprocess.DEVNULL)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert not out.exists()


@pytest.mark.parametrize("place", ["/dev/fd/{}", "/dev/stdin"])
@pytest.mark.parametrize("option", ["key", "policy", "config"])
def test_what_a_command_prints_is_refused_with_what_to_do(tmp_path, key_file, option, place):
    """`--key-file <(vault read ...)`: what people type."""
    read, write = os.pipe()
    try:
        os.write(write, Path(key_file).read_bytes())
        words = command_line(option, place.format(read), key_file, tmp_path, tmp_path / "out")
        done = run(*words, stdin=read, pass_fds=(read,))
    finally:
        os.close(read)
        os.close(write)
    assert done.returncode == 2
    assert NO_FILE in " ".join(done.stderr.split())


def test_a_key_on_standard_input_that_is_a_file_is_read(key_file):
    with open(key_file, "rb") as stream:
        done = run("key", "check", "--key-file", "/dev/stdin", stdin=stream)
    assert (done.returncode, len(done.stdout.strip())) == (0, 8)


# -- who may read what


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o640, 0o604, 0o620])
def test_a_key_that_others_can_read_is_reported(scrubline, key_file, mode):
    Path(key_file).chmod(mode)
    code, out, err = scrubline("key", "check", "--key-file", key_file)
    assert code == 0 and len(out.strip()) == 8
    assert ("chmod 600" in err) is bool(mode & 0o077)
    assert key_file not in err and Path(key_file).read_text().strip() not in err


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_keys_and_texts_are_written_for_their_owner_alone(scrubline, tmp_path, umask):
    gold = tmp_path / "in.jsonl"
    gold.write_text('{"doc_id": "1", "text": "Mail p@clinic.example", "spans": []}\n')
    before = os.umask(umask)
    try:
        assert scrubline("key", "new", "--output", tmp_path / "key")[0] == 0
        annotate = ("annotate", "--input", gold, "--model", "none", "--recogniser", "email")
        assert scrubline(*annotate, "--output", tmp_path / "new/a.jsonl")[0] == 0
        assert scrubline(*annotate, "--output", tmp_path / "brat", "--to", "brat")[0] == 0
        assert scrubline("convert", tmp_path / "new/a.jsonl", tmp_path / "b.jsonl")[0] == 0
    finally:
        os.umask(before)
    files = [path for path in (tmp_path / "brat").rglob("*") if path.is_file()]
    assert files
    for path in (tmp_path / "key", tmp_path / "new/a.jsonl", tmp_path / "b.jsonl", *files):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    for folder in (tmp_path / "new", tmp_path / "brat"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
