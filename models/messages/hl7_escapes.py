r"""The delimiters of an HL7 v2 message, and its escapes: `\.br\`, `\T\`, `\X0D\`, `\H\`.

Source: HL7 v2.8.2 chapter 2, sections 2.5.4 (delimiters) and 2.7 (escape sequences in text fields).
"""

from __future__ import annotations

import dataclasses
import functools
import re
from typing import NamedTuple

from ..core.errors import DocumentError
from ..core.views import Edit, View
from ..core.written_texts import Mapped

BAD_MESSAGE = "BadHl7"
"""The error class of a record that is no message."""

_BREAKS = ("br", "sp", "ce", "sk")
"""Formatting commands after which text goes on in another line, or further on in the same."""

_COMMAND = re.compile(r"\.(?:(br|sp|ce|sk)|(?:fi|nf|in|ti))[ +-]?[0-9]{0,4}")
_HEXADECIMAL = re.compile(r"X((?:[0-9A-Fa-f]{2}){1,200})")


class Delimiters(NamedTuple):
    """The signs of a message; one that it does not name is empty."""

    field: str
    component: str
    repetition: str
    escape: str
    subcomponent: str


def delimiters_of(record: str) -> Delimiters:
    """The delimiters that the first segment of a message names.

    Raises:
        DocumentError: `BAD_MESSAGE`, if it names none, or one twice.
    """
    field = record[3:4]
    if record[:3] != "MSH" or not field or field.isalnum() or field.isspace():
        raise DocumentError(BAD_MESSAGE)
    signs = re.split(rf"[\r\n{re.escape(field)}]", record[4:12])[0][:4]
    given = (field, *signs)
    if len(set(given)) < len(given) or any(one.isalnum() or one.isspace() for one in given):
        raise DocumentError(BAD_MESSAGE)
    return Delimiters(*given, *[""] * (5 - len(given)))


@dataclasses.dataclass(frozen=True, slots=True)
class Escapes:
    """Reads and writes the texts of messages with some delimiters."""

    signs: Delimiters

    def __call__(self, source: str) -> Mapped:
        """The layer of a text: escapes are read, repetitions stand on lines of their own."""
        repetition = self.signs.repetition
        view = View.of(source, 0, len(source)).edited(self._edits(source))
        joins: list[int] = []
        if repetition and repetition in source:
            breaks = [at for at, one in enumerate(source) if one == repetition]
            places = {at: n for n, at in enumerate(view.starts.tolist())}
            joins = [places[at] for at in breaks if at in places]
            view = view.edited([(at, at + 1, "\n") for at in joins])
        return Mapped(view, lambda text, at: self.written(text), joins)

    def read(self, source: str) -> str:
        """A value without its escapes."""
        if not self.signs.escape or self.signs.escape not in source:
            return source
        return View.of(source, 0, len(source)).edited(self._edits(source)).text

    def written(self, text: str) -> str:
        r"""A text with its delimiters escaped; a line break is `\.br\`.

        Raises:
            DocumentError: `BAD_MESSAGE`, if a sign has to be escaped and the message names none.
        """
        table = _written_as(self.signs)
        if table.keys().isdisjoint(map(ord, text)):
            return text
        if not self.signs.escape:
            raise DocumentError(BAD_MESSAGE)
        return text.translate(table)

    def _edits(self, source: str) -> list[Edit]:
        if not self.signs.escape or self.signs.escape not in source:
            return []
        found: list[Edit] = []
        for match in _pattern(self.signs.escape).finditer(source):
            read = self._read(match[1])
            if read is not None and len(read) <= len(match.group()):
                found.append((*match.span(), read))
        return found

    def _read(self, inner: str) -> str | None:
        """What stands between two signs of escape; None if it is no escape."""
        named = _read_as(self.signs).get(inner)
        if named is not None:
            return named
        if command := _COMMAND.fullmatch(inner):
            return "\n" if command[1] in _BREAKS else ""
        if digits := _HEXADECIMAL.fullmatch(inner):
            raw = bytes.fromhex(digits[1])
            try:
                return raw.decode()
            except UnicodeDecodeError:
                return raw.decode("latin-1")
        return None


@functools.cache
def _pattern(escape: str) -> re.Pattern[str]:
    sign = re.escape(escape)
    return re.compile(rf"{sign}([^{sign}\r\n]{{1,402}}){sign}")


@functools.cache
def _read_as(signs: Delimiters) -> dict[str, str]:
    """Letter of an escape -> what it stands for; highlighting stands for nothing."""
    of_signs = {
        "F": signs.field,
        "S": signs.component,
        "R": signs.repetition,
        "E": signs.escape,
        "T": signs.subcomponent,
    }
    return {letter: sign for letter, sign in of_signs.items() if sign} | {"H": "", "N": ""}


@functools.cache
def _written_as(signs: Delimiters) -> dict[int, str]:
    escape = signs.escape
    table = {
        ord(sign): f"{escape}{letter}{escape}"
        for letter, sign in _read_as(signs).items()
        if sign and letter not in "HN"
    }
    breaks = {"\n": ".br", "\r": "X0D", "\x0b": "X0B", "\x1c": "X1C"}
    return table | {ord(sign): f"{escape}{name}{escape}" for sign, name in breaks.items()}
