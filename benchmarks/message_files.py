"""Records in files, as systems write them: read back, and written as they were."""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Iterator

import pyarrow as pa
from scrubline.models.formats import FORMATS, Limits
from scrubline.models.storage.input_files import InputFile

_HEADS = re.compile(r"(?:[\r\n\x0b\x1c])(?:MSH|FHS|BHS|BTS|FTS)(?![A-Za-z0-9])")
_ENCODING = re.compile(r"""\A\ufeff?<\?xml\s[^<>]*?encoding\s*=\s*["']([\w.-]+)["']""")
_NAMES = {"utf-16": "utf-16-le", "windows-1252": "cp1252"}


@dataclasses.dataclass
class OneFile:
    """A storage of one file, or a sink of what is written."""

    content: bytes = b""

    def read_range(self, url: str, start: int, end: int) -> bytes:
        """As `Reader`."""
        return self.content[start:end]

    def read_blocks(
        self, url: str, start: int, end: int, block_bytes: int = 1 << 16
    ) -> Iterator[bytes]:
        """As `Reader`, in small blocks."""
        for at in range(start, end, 1000):
            yield self.content[at : min(end, at + 1000)]

    def __call__(self, name: str) -> OneFile:
        """Opens it, whatever it is called."""
        return self

    def __enter__(self) -> OneFile:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def write(self, data: bytes) -> int:
        """Adds to the file."""
        self.content += data
        return len(data)


def read(name: str, content: bytes) -> list[str]:
    """The records of a file, and the classes of errors of those that cannot be read."""
    form, storage = FORMATS[name], OneFile(content)
    file = InputFile("memory://a/x", len(content), version="", path="x")
    found = []
    for locator in form.plan(storage, 0, file, 1 << 30, Limits()):  # type: ignore[arg-type]
        for chunk in form.read(storage, file, locator, (name,), Limits()):  # type: ignore[arg-type]
            rows = chunk.columns.column(0).to_pylist()
            found += [chunk.errors.get(row, record) for row, record in enumerate(rows)]
    return found


def written(name: str, record: str) -> bytes:
    """The file that is written of a record."""
    sink = OneFile()
    writer = FORMATS[name].writer(sink, "part")  # type: ignore[arg-type]
    writer.write(pa.table({"doc_key": ["a"], name: pa.array([record], pa.string())}))
    writer.close()
    return sink.content


def check_file(name: str, record: str, draw: random.Random) -> str:
    """A word for how a file of a record was read; what is written is read as the record.

    Raises:
        AssertionError: if the record is another one.
    """
    codec = "utf-8"
    if name == "ccda" and (said := _ENCODING.match(record)):
        codec = _NAMES.get(said[1].lower(), said[1])
    try:
        record.encode(codec)
    except (UnicodeEncodeError, LookupError):
        return "not in its encoding"
    content, expected = _content(name, record, draw)
    if not content:
        return "several records"
    found = read(name, content.encode(codec))
    if name == "fhir" and found != expected and re.match(r"\s*\{[^\n]*\}\s*\n", record):
        return "first line ends as a record does"
    assert found == expected, "a file is not read as what it holds"
    again = written(name, expected[0])
    if name == "ccda":
        assert again == content.encode(codec), "a file is written otherwise"
    assert read(name, again) == expected[:1], "what is written is not read as the same"
    return "read"


def _content(name: str, record: str, draw: random.Random) -> tuple[str, list[str]]:
    """A file, and the records in it; nothing for a record that is several in a file."""
    if name == "ccda":
        return record, [record]
    if name == "fhir":
        one = record.strip(" \t\r\n")
        end = draw.choice(("\n", "\r\n", "\n\n"))
        count = draw.choice((1, 2, 3))
        return draw.choice(("", "\ufeff")) + (one + end) * count, [one] * count
    one = record.strip("\r\n\x0b\x1c")
    if _HEADS.search(one):
        return "", []
    end = draw.choice(("\r", "\n", "\r\n"))
    count = draw.choice((1, 2, 3))
    begin, stop, tail = draw.choice((("", "", ""), ("\x0b", "\x1c\r", ""), ("", "", "x")))
    head = draw.choice(("", "\ufeff"))
    if tail:
        signs = one[3:8]
        head += f"FHS{signs}|A{end}BHS{signs}|B{end}"
        tail = f"BTS{one[3]}{count}{end}FTS{one[3]}1{end}"
    return head + f"{begin}{one}{end}{stop}" * count + tail, [one] * count
