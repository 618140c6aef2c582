"""What is fed: bytes as decisions, files in memory, fragments of text, and plain mutations."""

from __future__ import annotations

import functools
import io
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from scrubline.models.storage.input_files import InputFile

T = TypeVar("T")
ROOT = Path(__file__).resolve().parent.parent.parent

PIECES: tuple[str, ...] = (
    *("3/4/12", "8/15", "2014", "May ", "7, ", "sat", "617-555-0100", "x4419", "fax ", "tel "),
    *("MRN", "#", "id ", "123-45-6789", "ssn ", "a@b.com", "@", "http://", "www.", ".com"),
    *("10.0.0.1", "::1", "92 yo", "aged 9", "93-year-old", "54M", "02139", "03601", "ninety-three"),
    *("Dr. ", "Smith", "JANE ", "Mary D.", "wife ", "Patient: ", " RN", "van der ", "O'Hara"),
    *("JS/mk\n", "\n/s/ ", "Dear ", "Jr.", "\nDOE, ", "DOE^JANE", "M.D.", "nurse ", " and ", "'s "),
    *("Mercy Hospital ", "seen at ", "St. ", "& ", "Boston", ", MA", "lives in ", "12 Elm St"),
    *("PO Box 7", "Polk County", "works at ", "Inc", "is a ", "retired ", "cook", "driver"),
    *("MSH|^~\\&|A|", "\nPID|1||", "NPI ", "1234567893", "BK7719203", "1HGCM82633A004352"),
    *("lot ", "S/N ", "acct ", "plate ", "user: ", "jdoe1", " dot org", "last fall ", "MWF"),
    *("Foley ", "HEART-2", "Mount  Sinai", "Pt. ", "b.i.d. ", "HISTORY:\n", "PLAN", "1) "),
    *(" ", "  ", "\n", "\r\n", "\r", "\t", "\n\n", "\x0b", "\x0c", "\x1c", "\x85", "\xa0"),
    *("-", "/", ".", ",", ":", ";", "(", ")", "[", "]", "'", '"', "*", "_", "|", "^", "~", "%"),
    *("’", "–", "…", "\u2028", "\u2029", "\u200b", "\u200d", "\ufeff", "\x00", "\x7f", "\ufffe"),
    *("é", "ñ", "ß", "İ", "ı", "ſ", "ﬁ", "ł", "Ω", "中", "文", "한", "ก", "ा", "שלום", "مريم"),
    *(
        "🙂",
        "👨\u200d👩\u200d👧",
        "🏳️",
        "🇺🇸",
        "👍🏽",
        "e\u0301",
        "\u0301",
        "\u202e",
        "\u2066",
        "٣",
        "３",
        "²",
    ),
    *("\ud800", "\udfff", "\udc80", "[DATE]", "[PATIENT]", "***", "90+", "a", "Z", "9", "0"),
)
"""What begins, joins or ends what rules look for, and what breaks careless code."""

TEMPLATES: tuple[str, ...] = (
    "{name} was seen on {date} at {place}.",
    "Patient: {name}  MRN: {number}  DOB: {date}",
    "Dr. {name} called {phone} about the {age} y/o patient",
    "{name}, {name} MD\r\n{number} {place}",
    "lives in {place}, MA {number}, works at {place} Inc.",
    "wife {name} ({age}), son {name}, {age}",
    "acct# {number}; SSN {number}-{number}; user: {name}{number}",
    "Fax {phone} email {name}@{place}.org http://www.{place}.com/{name}?id={number}",
    "HISTORY:\nThe {age}-year-old was admitted {date} - {date} to {place} Hospital.",
    "PID|1||{number}^^^{place}||{name}^{name}||{date}|F",
    "{date} {date}/{number} {age}.{number} x{number} #{number}",
    "/s/ {name} {name}\n{name}/{name}\nD: {date}\nT: {date}",
    "study HEART-2 at Mount Sinai, Foley 93, ward 4 west",
)

HOLES: dict[str, tuple[str, ...]] = {
    "name": ("Smith", "JANE", "O'Hara", "van der Berg", "Mary", "Núñez", "Иванов", "Li", "J.", "E"),
    "date": (
        "3/4/12",
        "2014-05-07",
        "May 7",
        "7/2014",
        "Sat",
        "fall 2013",
        "12.3.",
        "'09",
        "0/0/0",
    ),
    "place": ("Mercy", "Boston", "St. Mary's", "São Paulo", "12 Elm St", "Polk", "MGH", "A"),
    "number": ("1234567", "42", "123", "45-6789", "A12-3", "02139", "0", "٣٤٥", "1" * 30),
    "phone": ("617-555-0100", "(617) 555-0100", "x4419", "+1 617 555 0100", "800-FLOWERS", "5-5"),
    "age": ("93", "54", "ninety-three", "89", "90", "1", "130", "5 1/2", "late 90s"),
}


class Draw:
    """Decisions read off bytes, front to back; when they are used up, every decision is the first.

    The same bytes decide the same, which makes a finding repeatable, and a small change of the
    bytes is mostly a small change of what is decided.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def __bool__(self) -> bool:
        return self._at < len(self._data)

    def below(self, count: int) -> int:
        """A number in [0, count)."""
        width = 1 if count <= 256 else 2 if count <= 65536 else 4
        piece = self._data[self._at : self._at + width]
        self._at += width
        return int.from_bytes(piece, "little") % max(1, count)

    def one(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self.below(len(options))]

    def rest(self) -> bytes:
        """What is left."""
        left = self._data[self._at :]
        self._at = len(self._data)
        return left


def text_of(data: bytes) -> str:
    """Bytes as a text of anything: what is no UTF-8 becomes lone surrogates."""
    return data.decode("utf-8", "surrogateescape")


def drawn_text(draw: Draw, pieces: int) -> str:
    """A text of some pieces."""
    found = []
    for _ in range(draw.below(pieces)):
        if not draw:
            break
        kind = draw.below(8)
        found.append(chr(draw.below(0x11_0000)) if kind == 7 else draw.one(PIECES))
    return "".join(found)


@functools.cache
def demo_lines() -> tuple[str, ...]:
    """The lines of the demonstration notes."""
    notes = sorted((ROOT / "demo/notes").glob("*.txt"))
    lines = [line for note in notes for line in note.read_text("utf-8").split("\n") if line]
    return tuple(lines) or ("There are no demonstration notes.",)


def near_phi(chance: random.Random) -> str:
    """A template with its holes filled."""
    filled = {name: chance.choice(fills) for name, fills in HOLES.items()}
    return chance.choice(TEMPLATES).format(**filled)


def text_seeds() -> list[bytes]:
    """Texts to begin with."""
    chance = random.Random(0)
    lines = demo_lines()
    texts = [*lines[:: max(1, len(lines) // 60)], *(near_phi(chance) for _ in range(60))]
    texts += ["".join(PIECES[i : i + 12]) for i in range(0, len(PIECES), 12)]
    texts += ["\n".join(lines[:30]), "x" * 3000, "3/4/12 " * 200, "", " \n"]
    return [text.encode("utf-8", "surrogatepass") for text in texts]


TEXT_WORDS = tuple(piece.encode("utf-8", "surrogatepass") for piece in PIECES)


# -- files


class Memory:
    """One file in memory as formats see storage, in blocks as small as is asked for."""

    def __init__(self, content: bytes, block_bytes: int = 1 << 20) -> None:
        self.content = content
        self.block_bytes = block_bytes

    def open_read(self, url: str, *, buffer_bytes: int = 0) -> BinaryIO:
        """The file, opened."""
        return io.BytesIO(self.content)

    def read_range(self, url: str, start: int, end: int) -> bytes:
        """Some bytes of the file."""
        return self.content[start:end] if start < end else b""

    def read_blocks(self, url: str, start: int, end: int, block_bytes: int = 0) -> Iterator[bytes]:
        """The same in blocks."""
        step = min(block_bytes or self.block_bytes, self.block_bytes)
        end = min(end, len(self.content))
        for at in range(start, end, step):
            yield self.content[at : min(at + step, end)]

    def read_bytes(self, url: str) -> bytes:
        """The whole file."""
        return self.content

    def check_unchanged(self, file: InputFile) -> None:
        """It never changes."""


def file_of(content: bytes, path: str = "in/note.x") -> InputFile:
    """What a listing says of such a file."""
    return InputFile("memory://fuzz/file", len(content), "1", path)


class Sinks(dict[str, bytes]):
    """Collects what a writer writes, by name."""

    def open(self, name: str) -> Any:
        """A file that is kept once it was closed well."""
        return _Sink(self, name)


class _Sink(io.BytesIO):
    def __init__(self, sinks: Sinks, name: str) -> None:
        super().__init__()
        self._sinks, self._name = sinks, name

    def __enter__(self) -> _Sink:
        return self

    def __exit__(self, *error: object) -> None:
        if error == (None, None, None):
            self._sinks[self._name] = self.getvalue()


# -- mutations

_ODD = (
    *(b"\x00", b"\xff", b"\n", b"\r", b'"', b"'", b"\\", b"{", b"}", b"[", b"]", b",", b":", b"<"),
    *(b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xf0\x9f\x99\x82", b"-1", b"0", b"1e999", b"null", b"\t"),
    *(b"9" * 25, b"\x80", b"\xfe\xff", b"\xff\xfe", b"true", b" ", b"\x7f\xff\xff\xff"),
)


def mutated(data: bytes, chance: random.Random, words: Sequence[bytes] = ()) -> bytes:
    """The bytes with one to six small changes: flips, cuts, copies, inserted words."""
    out = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
        kind = chance.randrange(8)
        at = chance.randrange(len(out) + 1)
        reach = min(len(out), at + chance.choice((1, 2, 4, 8, 32, 128)))
        if kind == 0 and at < len(out):
            out[at] ^= 1 << chance.randrange(8)
        elif kind == 1 and at < len(out):
            out[at] = chance.randrange(256)
        elif kind == 2:
            del out[at:reach]
        elif kind == 3:
            out[at:at] = out[chance.randrange(len(out) + 1) :][: reach - at]
        elif kind == 4:
            out[at:at] = chance.choice(words or _ODD)
        elif kind == 5:
            out[at:reach] = chance.choice(_ODD)
        elif kind == 6:
            out[at:at] = out[at:reach] * chance.choice((2, 5, 40))
        else:
            out[at:at] = chance.choice(_ODD)
    return bytes(out)


def mutated_value(value: Any, chance: random.Random) -> Any:
    """A JSON or TOML value with one thing in it changed."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice(sorted(value))
        kind = chance.randrange(10)
        out = dict(value)
        if kind == 0:
            del out[key]
        elif kind == 1:
            out[key + chance.choice(("", "x", " "))] = chance.choice(ODD_VALUES)
        else:
            out[key] = mutated_value(value[key], chance)
        return out
    if isinstance(value, list) and value and chance.random() < 0.9:
        at = chance.randrange(len(value))
        kind = chance.randrange(8)
        if kind == 0:
            return value[:at] + value[at + 1 :]
        if kind == 1:
            return [*value, value[at]]
        return [*value[:at], mutated_value(value[at], chance), *value[at + 1 :]]
    if isinstance(value, str) and chance.random() < 0.6:
        made = mutated(value.encode("utf-8", "surrogatepass"), chance)
        return made.decode("utf-8", "replace")
    if isinstance(value, int) and chance.random() < 0.4:
        return value + chance.choice((-1, 1, 256, -value - 1, 1 << 31, 1 << 63, 10**30))
    return chance.choice(ODD_VALUES)


ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 1.5, -0.0, 1e308, 10**30, "", "x", " ", "\x00", "🙂", "*", "0"),
    *([], {}, [[]], [{}], {"": None}, ["a", "b"], {"a": 1}, "A" * 300, [0] * 300, "memory://x/y"),
)

Check = Callable[[bytes], None]
