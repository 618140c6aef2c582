"""Plain CDA documents of single notes: a body that is no XML, with the text encoded.

Source: HL7 CDA R2 (2005), schema POCD_MT000040. What it requires and a note does not say (author,
custodian, confidentiality) has a null flavor. The Unstructured Document of HL7 C-CDA R2.1 has more:
none of its templates is claimed.
"""

from __future__ import annotations

import base64
import re
from typing import Final

from .message_times import as_digits
from .plain_notes import MEDIA_TYPES, PlainNote, require_encoded
from .xml_values import escaped

_CODE: Final = re.compile(r"\S+")
_UNKNOWN: Final = 'nullFlavor="UNK"'


def ccda_document(note: PlainNote, *, as_data: bool) -> str:
    """The document of a note.

    Args:
        as_data: of no account: a text is always encoded. One that is empty is none.

    Raises:
        DocumentError: "BadCcda" for an id that XML cannot hold; `plain_notes.BAD_CHARACTER`; see
            `message_times.as_digits`.
    """
    has_code = note.type is not None and _CODE.fullmatch(note.type)
    code = f'code="{_attribute(note.type)}"' if has_code else _UNKNOWN
    birth = f"<birthTime {_time(note.birth)}/>" if note.birth is not None else ""
    patient = f"<patient>{birth}</patient>" if birth else ""
    visit = (
        f"<componentOf><encompassingEncounter>{_id(note.visit)}<effectiveTime {_UNKNOWN}/>"
        "</encompassingEncounter></componentOf>\n"
        if note.visit is not None
        else ""
    )
    data = base64.b64encode(require_encoded(note.source or "")).decode("ascii")
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<ClinicalDocument xmlns="urn:hl7-org:v3">\n'
        '<typeId root="2.16.840.1.113883.1.3" extension="POCD_HD000040"/>\n'
        f"{_id(note.doc_id)}\n<code {code}/>\n<effectiveTime {_time(note.date)}/>\n"
        f"<confidentialityCode {_UNKNOWN}/>\n"
        f"<recordTarget><patientRole>{_id(note.patient)}{patient}</patientRole></recordTarget>\n"
        f"<author><time {_UNKNOWN}/><assignedAuthor>{_id(None)}</assignedAuthor></author>\n"
        "<custodian><assignedCustodian><representedCustodianOrganization>"
        f"{_id(None)}</representedCustodianOrganization></assignedCustodian></custodian>\n"
        f"{visit}<component><nonXMLBody>"
        f'<text mediaType="{MEDIA_TYPES[note.markup]}" representation="B64">{data}</text>'
        "</nonXMLBody></component>\n</ClinicalDocument>\n"
    )


def _id(own: str | None) -> str:
    """An id of which nobody says who gave it."""
    return f"<id {_UNKNOWN}" + ("" if own is None else f' extension="{_attribute(own)}"') + "/>"


def _time(time: str | None) -> str:
    return _UNKNOWN if time is None else f'value="{as_digits(time)}"'


def _attribute(text: str | None) -> str:
    return escaped(text or "", in_attribute=True)
