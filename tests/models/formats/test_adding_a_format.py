"""A new format is one file in `models/formats` and a line in `FORMATS`; everything else reads it.

A toy format is added to a copy of the folder, in just these places, and everything runs on that.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from scrubline.models.core.keys import new_key

ROOT = Path(__file__).resolve().parents[3]

TOY = '''
"""A toy: a line a document, its id and its text percent-encoded, with a tab between them."""

from urllib.parse import quote, unquote

from .chunks import ChunkCutter, LazySink, PlainCells
from .options import Limits
from .protocol import FormatTraits, Locator
from .text import named_texts, part_row


class Toy(PlainCells):
    """The format `toy`."""

    name = "toy"
    suffixes = (".toy",)
    traits = FormatTraits(locator_unit="bytes", family="toys")

    def columns(self, storage, file):
        """Id and text."""
        return ("doc_id", "text")

    def plan(self, storage, index, file, split_bytes, limits):
        """The whole file."""
        return [Locator(index, 0, file.size, file.size)] if file.size else []

    def read(self, storage, file, locator, columns, limits):
        """Yields a row a line."""
        cutter = ChunkCutter(columns, limits)
        for row in self._rows(storage, file):
            if isinstance(row, str):
                yield from cutter.add_error(row)
            else:
                yield from cutter.add([row.get(name) for name in columns], len(row["text"]))
        yield from cutter.rest()

    def writer(self, open_part, stem):
        """Writes `<stem>.toy`."""
        return _Writer(LazySink(open_part, f"{stem}.toy"))

    def part_rows(self, storage, file, columns):
        """Yields a row a line."""
        for row in self._rows(storage, file):
            if not isinstance(row, str):
                row = {"path": row["doc_id"], "text": row["text"]}
            yield part_row(row, columns, "")

    def _rows(self, storage, file):
        for line in storage.read_range(file.url, 0, file.size).split(b"\\n")[:-1]:
            cells = line.decode("ascii", "replace").split("\\t")
            plain = [unquote(cell) for cell in cells]
            if len(cells) == 2 and [quote(cell, safe="") for cell in plain] == cells:
                yield dict(zip(("doc_id", "text"), plain, strict=True))
            else:
                yield "BadLine"


class _Writer:
    def __init__(self, sink):
        self._sink = sink

    def write(self, table):
        for key, text in named_texts(table):
            self._sink.open().write(f"{quote(key, safe='')}\\t{quote(text, safe='')}\\n".encode())

    def close(self):
        self._sink.close()
'''


def link_all(source, target, *, but=()):
    target.mkdir()
    for entry in source.iterdir():
        if entry.name not in (*but, "__pycache__"):
            (target / entry.name).symlink_to(entry)


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Variables of a process to which the toy belongs to Scrubline."""
    above = tmp_path_factory.mktemp("with-toy")
    package = above / "scrubline"
    package.mkdir()
    for room in ("dictionaries", "transforms", "pipeline"):
        (package / room).symlink_to(ROOT / room)
    if (ROOT / "public").is_dir():
        for entry in (ROOT / "public").iterdir():
            (package / entry.name).symlink_to(entry)
    link_all(ROOT / "models", package / "models", but=("formats",))
    link_all(ROOT / "models/formats", package / "models/formats", but=("__init__.py",))
    (package / "models/formats/toy.py").write_text(TOY)
    table = (ROOT / "models/formats/__init__.py").read_text()
    assert table.count("\n    CONLL,\n)\n") == 1
    table = table.replace("\n    CONLL,\n)\n", "\n    CONLL,\n    Toy(),\n)\n")
    table = table.replace("from .zipped ", "from .toy import Toy\nfrom .zipped ")
    (package / "models/formats/__init__.py").write_text(table)
    return {**os.environ, "PYTHONPATH": str(above)}


def run(environment, *words, code=0):
    done = subprocess.run(
        [sys.executable, *map(str, words)],
        cwd=ROOT / "tests",  # in the checkout's root, `models` itself could be imported
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_it_keeps_every_promise_of_a_format(environment):
    run(  # which fails too if no test is selected
        environment,
        *("-m", "pytest", "-n0", "-q", "-p", "no:cacheprovider", "-k", "toy"),
        ROOT / "tests/models/formats/test_contract.py",
    )


@pytest.mark.slow
def test_it_is_scrubbed_sampled_shown_and_verified(environment, tmp_path):
    command = ("-P", "-m", "scrubline.pipeline.cli.main")
    (tmp_path / "key").write_text(new_key())
    (tmp_path / "key").chmod(0o600)
    (tmp_path / "in").mkdir()
    (tmp_path / "in/a.toy").write_text("1\tMRN%3A%207000001\n2\tno%20complaints\nbad\n")
    words = (
        *("--input", tmp_path / "in", "--output", tmp_path / "out", "--model", "none"),
        *("--key-file", tmp_path / "key", "--column", "doc_id=id", "--column", "text=text"),
        *("--max-quarantined", "0.5"),
    )
    estimate = run(environment, *command, "scrub", "--estimate", *words)
    assert re.search(r"^  rows +3$", estimate, re.MULTILINE)
    run(environment, *command, "scrub", *words)
    (written,) = (tmp_path / "out/data").glob("**/*.toy")
    assert sorted(line.partition("\t")[2] for line in written.read_text().splitlines()) == [
        *("MRN%3A%20%5BMEDICALRECORD%5D", "no%20complaints")
    ]
    seen = run(
        environment,
        *(*command, "inspect", "--quarantined", "--output", tmp_path / "out"),
        *("--key-file", tmp_path / "key"),
    )
    assert "BadLine" in seen and "bytes 0-" in seen
    run(
        environment,
        *command,
        "verify",
        "--output",
        tmp_path / "out",
        "--key-file",
        tmp_path / "key",
    )
