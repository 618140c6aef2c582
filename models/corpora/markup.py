"""XML for corpora: a stream of events from expat that refuses everything dangerous.

Custom entities (a few lines of them expand to gigabytes), DTDs, internal or external, and
namespaces are not supported. Line ends are normalized as XML requires: raw CR and CR LF are read as
LF (XML 1.0, 2.11), so offsets agree with other tools. A carriage return in the text is written as
`&#13;`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import IO, NoReturn, Protocol
from xml.parsers import expat

from ..core.shortage import raise_shortage
from .base import CorpusError, refuse

MOST_BYTES = 1 << 30
"""Larger XML files are refused; a corpus of some thousand documents has a few megabytes."""

MOST_DEPTH = 16
"""No corpus nests elements deeper than four."""

_BLOCK_BYTES = 1 << 20

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""XML 1.0, production 2 (Char)."""


class MarkupHandler(Protocol):
    """Receives the events of a file; an exception that it raises ends the reading."""

    line: int

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins, on line `line`."""

    def end(self, name: str) -> None:
        """An element ends."""

    def text(self, data: str) -> None:
        """A piece of text, inside or outside CDATA."""


def read_events(stream: IO[bytes], handler: MarkupHandler) -> Iterator[None]:
    """Reads a file and calls `handler`; yields after each block, so results can be consumed.

    Raises:
        CorpusError: "BadXml" if it is not well-formed, "Entity", "TooDeep" or "TooLarge" if it is
            not safe, or from the handler.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    depth = 0

    def wrong(fault: str, what: str) -> NoReturn:
        raise CorpusError(parser.CurrentLineNumber, fault, what)

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MOST_DEPTH:
            wrong("TooDeep", f"elements are nested deeper than {MOST_DEPTH} levels")
        handler.line = parser.CurrentLineNumber
        handler.start(name, attributes)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        handler.line = parser.CurrentLineNumber
        handler.end(name)

    def text(data: str) -> None:
        handler.line = parser.CurrentLineNumber
        handler.text(data)

    def doctype(name: str, system: str | None, public: str | None, internal: bool) -> None:
        # Without an internal subset a DOCTYPE has no effect: the external one is never fetched.
        if internal:
            wrong("Entity", "the file has an internal DTD, which is not supported; remove it")

    def entity(*_: object) -> NoReturn:
        wrong("Entity", "the file has custom entities, which are not supported")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = doctype
    parser.EntityDeclHandler = entity
    # The parser skips entities that only an external DTD may define: text would be missing.
    parser.SkippedEntityHandler = entity

    size, step, last_index = 0, _BLOCK_BYTES, -1
    while True:
        block = stream.read(step)
        size += len(block)
        if size > MOST_BYTES:
            wrong("TooLarge", f"the file is over {MOST_BYTES:,} bytes; split it")
        _feed(parser, block)
        # Every call scans an unfinished token from its beginning: make fewer calls for long ones.
        step = 2 * step if parser.CurrentByteIndex == last_index else _BLOCK_BYTES
        last_index = parser.CurrentByteIndex
        yield
        if not block:
            return


def _feed(parser: expat.XMLParserType, block: bytes) -> None:
    try:
        parser.Parse(block, not block)
        return
    except expat.ExpatError as error:
        raise_shortage(error)
        line, what = error.lineno, expat.ErrorString(error.code)
    except (LookupError, ValueError):
        line, what = 1, "unknown encoding"
    raise CorpusError(line, "BadXml", f"{what}; expected well-formed XML 1.0")


class _Root(Exception):
    pass


class _FirstElement:
    line = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        raise _Root(name)

    def end(self, name: str) -> None:
        """Is never called."""

    def text(self, data: str) -> None:
        """Is never called."""


def root_of(stream: IO[bytes]) -> str:
    """The name of the outermost element of a file; only the beginning is read.

    Raises:
        CorpusError: if there is no element, or as `read_events`.
    """
    try:
        for _ in read_events(stream, _FirstElement()):
            pass
    except _Root as found:
        return str(found)
    raise CorpusError(1, "BadXml", "the file has no element")  # expat raises before this


# -- writing


def check_characters(text: str, number: int, what: str) -> None:
    """Checks that XML can hold a text.

    Args:
        text: of a document.
        number: ordinal of the document.
        what: what the text is, for example "text" or "doc_id".

    Raises:
        CorpusError: "NotXml", with the character's number and its offset.
    """
    if bad := _FORBIDDEN.search(text):
        refuse(
            number,
            "NotXml",
            f"XML cannot hold the character U+{ord(bad[0]):04X}, at {bad.start()} of the {what}",
        )


def cdata(text: str) -> str:
    """The text as CDATA sections; `]]>` is split across two, CR is written between two."""
    inner = text.replace("]]>", "]]]]><![CDATA[>").replace("\r", "]]>&#13;<![CDATA[")
    return f"<![CDATA[{inner}]]>"


def escaped(text: str) -> str:
    """The text, escaped for use outside CDATA."""
    for character, reference in (("&", "amp"), ("<", "lt"), (">", "gt"), ("\r", "#13")):
        text = text.replace(character, f"&{reference};")
    return text


def attribute(value: str) -> str:
    """The quoted value; white space is written as references, which parsers do not normalize."""
    value = escaped(value).replace('"', "&quot;")
    for character in "\t\n":
        value = value.replace(character, f"&#{ord(character)};")
    return f'"{value}"'
