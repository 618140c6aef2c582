"""Plain FHIR resources of single notes: DocumentReference with the text as an attachment.

Source: HL7 FHIR R4 (4.0.1), DocumentReference; datatypes id, Attachment, dateTime and instant.
"""

from __future__ import annotations

import base64
import json
import re
from typing import Any, Final

from ..core.errors import DocumentError
from .message_times import as_fhir
from .plain_notes import (
    MEDIA_TYPES,
    UNFIT_ID,
    PlainNote,
    require_encoded,
    without_empty_text,
)

TYPE: Final = "DocumentReference"
_CODE: Final = re.compile(r"\S+")
_ID: Final = re.compile(r"[A-Za-z0-9.-]{1,64}")


def fhir_resource(note: PlainNote, *, as_data: bool) -> str:
    """The resource of a note, on one line.

    A time stands in `date`, a day or less, which an instant cannot be, in `context.period.start`.

    Args:
        as_data: of no account: a text is always encoded. FHIR has no empty values, so an empty text
            is none.

    Raises:
        DocumentError: `UNFIT_ID`, `BAD_CHARACTER`; see `message_times.as_fhir`.
    """
    found: dict[str, Any] = {
        "resourceType": TYPE,
        "id": _fit(note.doc_id.removeprefix(f"{TYPE}/")),
        "status": "current",
    }
    if note.type is not None and _CODE.fullmatch(note.type):  # other words would be a text
        found["type"] = {"coding": [{"code": note.type}]}
    if note.patient is not None:
        found["subject"] = {"reference": f"Patient/{_fit(note.patient)}"}
    date = None if note.date is None else as_fhir(note.date)
    if date is not None and "T" in date:
        found["date"] = date
    attachment = {"contentType": f"{MEDIA_TYPES[note.markup]}; charset=UTF-8"}
    if note.source:
        attachment["data"] = base64.b64encode(require_encoded(note.source)).decode("ascii")
    found["content"] = [{"attachment": attachment}]
    context: dict[str, Any] = {}
    if note.visit is not None:
        context["encounter"] = [{"reference": f"Encounter/{_fit(note.visit)}"}]
    if date is not None and "T" not in date:
        context["period"] = {"start": date}
    return json.dumps(found | ({"context": context} if context else {}), ensure_ascii=False)


def kept_by_fhir(note: PlainNote) -> PlainNote:
    """What a note says as a resource: its id has the type before it, its time seconds."""
    return without_empty_text(note)._replace(
        doc_id=f"{TYPE}/{note.doc_id.removeprefix(f'{TYPE}/')}",
        date=None if note.date is None else as_fhir(note.date),
    )


def _fit(own: str) -> str:
    if not _ID.fullmatch(own):
        raise DocumentError(UNFIT_ID)
    return own
