"""Texts of columns within HTML, RTF or XML: opened when they are read, also from an output.

What a column holds is declared (`note=text:html`), or seen by each text's beginning. Single texts
are opened the same way (`Scrubber`).
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator

from ..core.written_texts import Stack, TextPiece, WrittenText
from ..rendering.kinds import LAYERS, begins_as_cda, recognised
from .column_roles import Columns
from .nested_paths import without_numbers
from .protocol import PartRow
from .role_texts import PLAIN

_MESSAGE = re.compile(r"[\ufeff\x0b\s]{0,20}(?:MSH|FHS|BHS)([^\w\s])[^\w\s]{3,5}\1")


def opened_text(columns: Columns, place: str, text: str) -> WrittenText | None:
    """How a text is written that stands in markup; None for one that stands as it is read.

    Args:
        columns: their roles say in which markup texts are.
        place: column of role text, or place within a nested one.
        text: as it is written.

    Raises:
        DocumentError: see `opened_as`.
    """
    markup = dict(columns.markup)
    declared = markup.get(place) or (markup.get(without_numbers(place)) if markup else None)
    return opened_as(declared, text, place)


def opened_as(declared: str | None, text: str, place: str = "text") -> WrittenText | None:
    """See `opened_text`.

    Args:
        declared: a kind of `LAYERS`, or `PLAIN`; None if the beginning of the text tells. Of RTF it
            always does: what systems call RTF is plain text, too.
        text: as it is written.
        place: where it stands.

    Raises:
        DocumentError: if the markup is not as its grammar says.
    """
    kind = declared
    if kind is None or kind == "rtf":
        kind = recognised(text)
    if kind is None or kind == PLAIN:
        return None
    layers = (LAYERS[kind],)
    piece = TextPiece(place, Stack.of(text, layers), layers)
    return WrittenText((piece,), "" if declared == kind else kind)


def is_message(text: str) -> bool:
    """Whether a text begins as messages of HL7 v2 or files of them do.

    It is scrubbed as a text: its fields have no roles, and nothing in it is asserted to be gone.
    """
    return _MESSAGE.match(text) is not None


def is_cda(written: WrittenText) -> bool:
    """Whether a text is a document of CDA: titles and narratives alone were read of it."""
    stack = written.pieces[0].stack
    source = stack.levels[-2].text if len(stack.levels) > 1 else stack.source
    return begins_as_cda(source)


def as_read(rows: Iterable[PartRow], columns: Columns) -> Iterator[PartRow]:
    """Rows of a published part with their texts as a reader sees them, as documents have them.

    Texts of records come so from their format, which alone knows how they are written.

    Raises:
        DocumentError: if one is not written as it was published.
    """
    if columns.record:
        yield from rows
        return
    for row in rows:
        texts = dict(row.texts)
        for place, text in row.texts.items():
            if text and (written := opened_text(columns, place, text)) is not None:
                texts[place] = written.text
        yield dataclasses.replace(row, texts=texts)
