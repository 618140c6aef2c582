"""A note and what is said of it, as a row of a table has it and a plain message holds it."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ..core.errors import DocumentError

BAD_CHARACTER: Final = "BadCharacter"
"""The error class of a text with a control character that its message cannot hold."""

UNFIT_ID: Final = "UnfitId"
"""The error class of an id that its message cannot hold."""

_NO_TEXT: Final = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
"""What no encoded text is read with; see `rendering.encoded`."""


class PlainNote(NamedTuple):
    """A note of a record, or of a row.

    Attributes:
        row: index of its record in the chunk that it was read from.
        place: of its first piece within the record; of a table, its column. Empty without a text.
        doc_id, patient, visit: ids in their canonical form.
        type: kind of note.
        date, birth: in the plain form of `message_times`, or as they came where they have none.
        text: as it is read; None for a record without one.
        source: how it is written, where that is within markup; else as `text`.
        markup: the kind of markup, a key of `rendering.kinds.LAYERS`; empty for none.
        more: values of further columns, in the order in which they were asked for.
    """

    row: int
    place: str
    doc_id: str
    patient: str | None = None
    visit: str | None = None
    type: str | None = None
    date: str | None = None
    birth: str | None = None
    text: str | None = None
    source: str | None = None
    markup: str = ""
    more: tuple[object, ...] = ()

    def __repr__(self) -> str:
        return f"PlainNote(row={self.row})"


MEDIA_TYPES: Final = {
    "": "text/plain",
    "html": "text/html",
    "rtf": "text/rtf",
    "xml": "text/xml",
}
"""Kind of markup -> how attachments call it."""


def require_encoded(text: str) -> bytes:
    """A text in UTF-8, as attachments hold it.

    Raises:
        DocumentError: `BAD_CHARACTER`.
    """
    if _NO_TEXT.search(text):
        raise DocumentError(BAD_CHARACTER)
    return text.encode()


def without_empty_text(note: PlainNote) -> PlainNote:
    """A note whose text is none if it is empty, as where an element cannot be empty."""
    return note._replace(text=note.text or None)
