"""Texts of columns within HTML, RTF or XML: opened when they are read, also from an output.

What a column holds is declared (`note=text:html`), or seen by each text's beginning.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from ..core.written_texts import Stack, TextPiece, WrittenText
from ..rendering.kinds import LAYERS, recognised
from .column_roles import Columns
from .nested_paths import without_numbers
from .protocol import PartRow
from .role_texts import PLAIN


def opened_text(columns: Columns, place: str, text: str) -> WrittenText | None:
    """How a text is written that stands in markup; None for one that stands as it is read.

    Args:
        place: column of role text, or place within a nested one.

    Raises:
        DocumentError: if the markup is not as its grammar says.
    """
    markup = dict(columns.markup)
    declared = markup.get(place) or (markup.get(without_numbers(place)) if markup else None)
    kind = declared or recognised(text)
    if kind is None or kind == PLAIN:
        return None
    layers = (LAYERS[kind],)
    piece = TextPiece(place, Stack.of(text, layers), layers)
    return WrittenText((piece,), "" if declared else kind)


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
