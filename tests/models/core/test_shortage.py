"""What the machine lacks is told from what is wrong with a document, by class and number."""

import ast
import errno
import gzip
import io
import lzma
import threading
import zipfile
import zlib
from pathlib import Path
from xml.parsers import expat

import numpy as np
import pyarrow as pa
import pytest
from scrubline import Scrubber
from scrubline.models.core import batches
from scrubline.models.core.errors import (
    DocumentError,
    OverBudget,
    RunFailed,
    Shortage,
    StorageError,
    UsageError,
    error_class,
)
from scrubline.models.core.shortage import (
    DISK,
    FILES,
    MEMORY,
    THREADS,
    raise_shortage,
    shortage_in,
    shortage_of,
)
from scrubline.models.jobs import steps
from scrubline.models.storage.retries import Retrying

ROOT = Path(__file__).resolve().parents[3]


def caught(function, *arguments):
    try:
        function(*arguments)
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def arrow_out_of_memory():
    pa.default_memory_pool()
    return pa.allocate_buffer(1 << 62)


def thread_that_cannot_start(monkeypatch):
    def refused(*arguments, **more):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading, "_start_new_thread", refused)
    return caught(threading.Thread(target=print).start)


def expat_error(code):
    error = expat.ExpatError("out of memory: line 1, column 0")
    error.code = code
    return error


@pytest.mark.parametrize(
    ("error", "resource"),
    [
        (MemoryError(), MEMORY),
        (caught(arrow_out_of_memory), MEMORY),
        (caught(np.zeros, 1 << 55), MEMORY),
        (OSError(errno.ENOMEM, "of a name"), MEMORY),
        (BlockingIOError(errno.EAGAIN, "fork"), THREADS),
        (OSError(errno.EMFILE, "open"), FILES),
        (OSError(errno.ENFILE, "open"), FILES),
        (OSError(errno.ENOSPC, "write"), DISK),
        (OSError(errno.EDQUOT, "write"), DISK),
        (RuntimeError("can't start new thread"), THREADS),
        (RuntimeError("Resource temporarily unavailable"), THREADS),
        (RuntimeError("Cannot allocate memory"), MEMORY),
        (zlib.error("Error -4 while decompressing data"), MEMORY),
        (expat_error(1), MEMORY),
        (ImportError("libx.so.1: failed to map segment from shared object"), MEMORY),
        (ImportError("libx.so.1: cannot open shared object file: Too many open files"), FILES),
        (Shortage("memory ran out"), None),
    ],
    ids=repr,
)
def test_a_shortage_is_known_by_class_and_number(error, resource):
    assert shortage_of(error) is resource
    with pytest.raises(Shortage):
        raise_shortage(error)


@pytest.mark.parametrize(
    "error",
    [
        caught(gzip.decompress, b"\x1f\x8bnone"),  # an OSError
        caught(zlib.decompress, b"none"),
        caught(zipfile.ZipFile, io.BytesIO(b"none")),
        caught(lzma.decompress, b"none"),
        caught(pa.ipc.open_file, pa.py_buffer(b"none")),
        OSError("Parquet: corrupt snappy compressed data"),
        OSError(errno.EIO, "Cannot allocate memory"),
        expat_error(4),
        RecursionError(),
        ValueError("MemoryError"),
        RuntimeError("a note: can't start new thread"),
        ImportError("cannot import name 'x'"),
        OverBudget("tokens"),
        StorageError("cannot write: OSError ENOSPC"),
    ],
    ids=repr,
)
def test_damaged_bytes_and_documents_are_no_shortage(error):
    assert shortage_of(error) is None
    raise_shortage(error)


def test_a_thread_that_cannot_start_is_a_shortage(monkeypatch):
    assert shortage_of(thread_that_cannot_start(monkeypatch)) is THREADS


def test_what_an_error_wraps_is_looked_at_and_circles_end():
    hidden = ValueError("no")
    hidden.__cause__ = KeyError("no")
    hidden.__cause__.__context__ = MemoryError()
    assert shortage_of(hidden) is MEMORY
    circle = ValueError("no")
    circle.__cause__ = KeyError("no")
    circle.__cause__.__context__ = circle
    assert shortage_of(circle) is None


@pytest.mark.parametrize(
    ("line", "resource"),
    [
        ("MemoryError", MEMORY),
        ("pyarrow.lib.ArrowMemoryError: malloc of size 64 failed", MEMORY),
        ("RuntimeError: can't start new thread [while running 'ReadUnits']", THREADS),
        ("OSError: [Errno 24] Too many open files: 'x'", FILES),
        ("BlockingIOError: [Errno 11] Resource temporarily unavailable", THREADS),
        ("OSError: [Errno 5] Input/output error", None),
        ("ValueError: MemoryError", None),
        ("    raise MemoryError", None),
        ("", None),
    ],
)
def test_a_line_of_a_runners_traceback_says_so_too(line, resource):
    assert shortage_in(line) is resource


def test_a_shortage_says_what_to_do_and_repeats_nothing_of_the_error():
    with pytest.raises(Shortage, match="unit 3: memory ran out: use fewer --workers") as told:
        raise_shortage(MemoryError("Quorvath"), "unit 3")
    assert "Quorvath" not in str(told.value)
    assert told.value.__suppress_context__
    assert issubclass(Shortage, RunFailed)


# -- every step


def refuse(*arguments, **more):
    raise MemoryError


STEPS = ("tokenize_documents", "recognise_all", "merge_vectorized", "merge", "replace_ranges")


@pytest.mark.parametrize("name", STEPS)
def test_no_step_blames_a_document_for_short_memory(name, monkeypatch):
    scrubber = Scrubber()
    assert scrubber.scrub("MRN: 1234567, seen 3/4/2012.") == "MRN: [MEDICALRECORD], seen [DATE]."
    monkeypatch.setattr(steps, name, refuse)
    with pytest.raises(Shortage, match="memory ran out"):
        scrubber.scrub("MRN: 1234567, seen 3/4/2012.")


@pytest.mark.parametrize("name", ["featurize", "decode_risks", "join_document"])
def test_no_tagger_blames_a_document_for_short_memory(name, monkeypatch):
    scrubber = Scrubber("en-default")
    monkeypatch.setattr(type(scrubber.detectors[0]), name, refuse)
    with pytest.raises(Shortage, match="memory ran out"):
        scrubber.scrub("Mr. Smith came on 3/4/2012.")


def test_other_errors_still_fail_their_document_alone(monkeypatch):
    def raises(*arguments):
        raise OSError("damaged")

    monkeypatch.setattr(steps, "recognise_all", raises)
    with pytest.raises(DocumentError) as told:
        Scrubber().scrub("MRN: 1234567.")
    assert error_class(told.value) == "OSError"
    assert batches.Failure("recognise", "OSError").error == "OSError"


# -- storage


def test_storage_that_is_full_says_what_to_do():
    def full():
        raise OSError(errno.ENOSPC, "no space", "/a/name")

    with pytest.raises(StorageError, match="ENOSPC.: free space") as told:
        Retrying(sleep=lambda seconds: None).retry("write", "/a/name", full)
    assert "/a/name" not in str(told.value)


@pytest.mark.parametrize("error", [MemoryError(), OSError(errno.ENOMEM, "x", "/a/name")])
def test_storage_for_which_memory_runs_out_falls_short(error):
    def short():
        raise error

    with pytest.raises(Shortage, match="cannot read a file: memory ran out") as told:
        Retrying(sleep=lambda seconds: None).retry("read", "/a/name", short)
    assert "/a/name" not in str(told.value)


def test_a_policy_that_cannot_be_read_for_lack_of_files_is_not_refused(monkeypatch):
    from scrubline.models.core import resources as shipped
    from scrubline.models.redaction.policy_file import load_policy

    def too_many(*arguments, **more):
        raise OSError(errno.EMFILE, "open")

    monkeypatch.setattr(shipped, "read_named", too_many)
    with pytest.raises(Shortage, match="too many files are open: raise ulimit -n"):
        load_policy("/somewhere/policy.toml")
    monkeypatch.setattr(shipped, "read_named", lambda *a: open("/nowhere"))  # noqa: SIM115
    with pytest.raises(UsageError):
        load_policy("/somewhere/policy.toml")


# -- the law, over all code

PASSES_ON = {
    # These end with `raise`, or make every error one of ours and look at it themselves.
    "models/core/parallel_calls.py": 2,
    "models/storage/retries.py": 1,
    "models/storage/locks.py": 2,  # one raises again, the other ends a thread, which `check` finds
    "models/storage/readers.py": 1,
    "models/jobs/row_texts.py": 1,
    "models/training/processes.py": 1,
    "transforms/write.py": 1,
    "models/core/kept_files.py": 1,
    "models/storage/writers.py": 1,
    "models/corpora/files.py": 1,
    "models/formats/gzipped.py": 1,
    "models/recognisers/casing.py": 1,
}
"""Handlers of all errors that do not call `raise_shortage`, by module."""

BROAD = {"Exception", "BaseException", "ArrowException", "ExpatError", "zlib.error"}


def broad(handler):
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {ast.unparse(kind) for kind in kinds}
    return bool(BROAD & (names | {name.rpartition(".")[2] for name in names}))


def test_whatever_catches_all_errors_lets_a_shortage_through():
    found = {}
    for room in ("models", "transforms"):
        for path in sorted((ROOT / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.ExceptHandler) or node.type is None:
                    continue
                first = node.body[0]
                calls = isinstance(first, ast.Expr) and "raise_shortage" in ast.unparse(first)
                if broad(node) and not calls:
                    name = path.relative_to(ROOT).as_posix()
                    found[name] = found.get(name, 0) + 1
    assert found == PASSES_ON


def test_no_refusal_is_made_of_a_shortage():
    """Whoever refuses because of an `OSError` first asks whether the machine falls short."""
    wrong = []
    for room in ("dictionaries", "models", "transforms", "pipeline"):
        for path in sorted((ROOT / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.ExceptHandler) or node.type is None:
                    continue
                kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
                body = "\n".join(map(ast.unparse, node.body))
                refuses = "UsageError(" in body or "BundleError(" in body
                asks = "shortage" in body or ".errno" in body
                if "OSError" in map(ast.unparse, kinds) and refuses and not asks:
                    wrong.append(f"{path.relative_to(ROOT).as_posix()}:{node.lineno}")
    assert wrong == []
