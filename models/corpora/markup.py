"""XML as corpora use it: a stream of events from expat, with everything dangerous refused.

Not read: entities of one's own (a few lines of them make gigabytes), DTDs, inside or outside of the
file, and namespaces. What XML itself changes is changed: CR and CR LF that stand raw in a file are
read as LF (XML 1.0, 2.11), as every XML parser reads them, so that offsets agree with other tools.
A carriage return that is to survive is written as `&#13;`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import IO, NoReturn, Protocol
from xml.parsers import expat

from ..shortage import raise_shortage
from .base import CorpusError, refuse

MOST_BYTES = 1 << 30
"""A larger XML file is refused; one document or a corpus of some thousands is a few megabytes."""

MOST_DEPTH = 16
"""No corpus nests elements deeper than four."""

_BLOCK_BYTES = 1 << 20

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""XML 1.0, production 2 (Char)."""


class Handler(Protocol):
    """What is told of a file; whatever it raises ends the reading."""

    line: int

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins, in line `line`."""

    def end(self, name: str) -> None:
        """It ends."""

    def text(self, data: str) -> None:
        """A piece of text, outside or inside of CDATA."""


def read_events(stream: IO[bytes], handler: Handler) -> Iterator[None]:
    """Reads a file and tells `handler`; yields after each block, so that results can be taken.

    Raises:
        CorpusError: "BadXml" if it is not well-formed, "Entity" or "TooLarge" if it is not safe,
            or what the handler raises.
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
            wrong("TooDeep", f"elements are nested more than {MOST_DEPTH} deep")
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
        # Without an inner part a DOCTYPE does nothing, as the outer one is never fetched.
        if internal:
            wrong("Entity", "the file has a DTD of its own; entities are not read, remove it")

    def entity(*_: object) -> NoReturn:
        wrong("Entity", "the file has entities of its own, which are not read")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = doctype
    parser.EntityDeclHandler = entity
    # An entity that only an outer DTD could tell is skipped by the parser: text would be missing.
    parser.SkippedEntityHandler = entity

    size, step, reached = 0, _BLOCK_BYTES, -1
    while True:
        block = stream.read(step)
        size += len(block)
        if size > MOST_BYTES:
            wrong("TooLarge", f"the file is over {MOST_BYTES:,} bytes; split it")
        _feed(parser, block)
        # A token that goes on and on is scanned from its beginning at every call: fewer of them.
        step = 2 * step if parser.CurrentByteIndex == reached else _BLOCK_BYTES
        reached = parser.CurrentByteIndex
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
        """Never comes."""

    def text(self, data: str) -> None:
        """Never comes."""


def root_of(stream: IO[bytes]) -> str:
    """The name of the outermost element of a file, of which only the beginning is read.

    Raises:
        CorpusError: if there is none, as `read_events`.
    """
    try:
        for _ in read_events(stream, _FirstElement()):
            pass
    except _Root as found:
        return str(found)
    raise CorpusError(1, "BadXml", "the file has no element")  # expat says so before


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
    """The text as CDATA sections, with what they cannot hold (`]]>`, CR) between or across them."""
    inner = text.replace("]]>", "]]]]><![CDATA[>").replace("\r", "]]>&#13;<![CDATA[")
    return f"<![CDATA[{inner}]]>"


def escaped(text: str) -> str:
    """The text outside of CDATA."""
    for character, reference in (("&", "amp"), ("<", "lt"), (">", "gt"), ("\r", "#13")):
        text = text.replace(character, f"&{reference};")
    return text


def attribute(value: str) -> str:
    """The value in its quotes; white space as references, which parsers leave as it is."""
    value = escaped(value).replace('"', "&quot;")
    for character in "\t\n":
        value = value.replace(character, f"&#{ord(character)};")
    return f'"{value}"'
