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

_COMMAND = re.compile(r"\.(?:(?P<parts>br|sp|ce|sk|ne)|[a-z]{2}) ?[+-]?[0-9]{0,4}")
"""A formatting command; behind some of them text goes on in another line, or further on in the same
line."""

_HEXADECIMAL = re.compile(r"x([0-9a-f ]+)")
_CHARACTER_SET = re.compile(r"[cm](?:[0-9a-f]{2}){2,3}|z[0-9a-f]{1,40}")
"""Another character set begins (2.7.2, 2.7.3); what a site has agreed upon (2.7.6)."""

_UNKNOWN = re.compile(r"[a-z](?:(?=[a-f]*[0-9])[0-9a-f]{0,40})?")
"""Looks like an escape; no name is written so."""


class Delimiters(NamedTuple):
    """The signs of a message; one that it does not name is empty."""

    field: str
    component: str
    repetition: str
    escape: str
    subcomponent: str
    truncation: str = ""


def delimiters_of(record: str) -> Delimiters:
    """The delimiters that the first segment of a message names.

    Raises:
        DocumentError: `BAD_MESSAGE`, if it names none, or one twice.
    """
    field = record[3:4]
    if record[:3] != "MSH" or not field or field.isalnum() or field.isspace():
        raise DocumentError(BAD_MESSAGE)
    signs = re.split(rf"[\r\n{re.escape(field)}]", record[4:12])[0][:5]
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
        r"""The escapes of a source, from its beginning on.

        Where two signs hold nothing that is an escape, the second one may be the first of another:
        `C:\temp \H\` has one sign that is just that.
        """
        escape = self.signs.escape
        if not escape or escape not in source:
            return []
        found: list[Edit] = []
        between = source.split(escape)
        start, index = len(between[0]), 1
        while index < len(between) - 1:
            inner = between[index]
            end = start + 1 + len(inner)
            read = self._read(inner)
            if read is None and _UNKNOWN.fullmatch(inner.lower()):
                is_within_word = (
                    between[index - 1][-1:].isalpha() and between[index + 1][:1].isalpha()
                )
                read = "" if is_within_word else None
            if read is not None and len(read) <= end + 1 - start:
                found.append((start, end + 1, read))
                start = end + 1 + len(between[index + 1])
                index += 2
            else:
                start = end
                index += 1
        return found

    def _read(self, inner: str) -> str | None:
        """What stands between two signs of escape; None if it is no escape of the standard."""
        named = _read_as(self.signs).get(inner.upper())
        if named is not None:
            return named
        inner = inner.lower()
        if command := _COMMAND.fullmatch(inner):
            return "\n" if command["parts"] else ""
        if digits := _HEXADECIMAL.fullmatch(inner):
            return _of_hexadecimal(digits[1].replace(" ", ""))
        return "" if _CHARACTER_SET.fullmatch(inner) else None


def _of_hexadecimal(digits: str) -> str:
    raw = bytes.fromhex(digits[: len(digits) // 2 * 2])
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


@functools.cache
def _read_as(signs: Delimiters) -> dict[str, str]:
    """Letter of an escape -> what it stands for; highlighting stands for nothing."""
    of_signs = {
        "F": signs.field,
        "S": signs.component,
        "R": signs.repetition,
        "E": signs.escape,
        "T": signs.subcomponent,
        "P": signs.truncation,
    }
    return {letter: sign for letter, sign in of_signs.items() if sign} | {"H": "", "N": ""}


@functools.cache
def _written_as(signs: Delimiters) -> dict[int, str]:
    escape = signs.escape
    table = {
        ord(sign): f"{escape}{letter}{escape}"
        for letter, sign in _read_as(signs).items()
        if sign and letter in "FSRET"
    }
    breaks = {"\n": ".br", "\r": "X0D", "\x0b": "X0B", "\x1c": "X1C"}
    return table | {ord(sign): f"{escape}{name}{escape}" for sign, name in breaks.items()}
