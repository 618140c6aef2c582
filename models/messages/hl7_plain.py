r"""Plain HL7 v2.5.1 messages of single notes: ORU^R01, with MSH, PID, PV1, OBR and OBX.

Source: HL7 v2.5.1 chapter 7, section 7.3.1 (ORU^R01); chapters 2 (MSH), 3 (PID, PV1) and 7 (OBR,
OBX); tables 0004, 0078, 0085, 0200 and 0211. All values come from the note. A field that the
standard requires and the note lacks says that it is unknown, where the standard has a code for it
(PV1-2 and PID-5.7: `U`); else it is empty (MSH-7).
"""

from __future__ import annotations

import base64
import re
from typing import Final

from ..core.errors import DocumentError
from .hl7_escapes import Delimiters, Escapes
from .message_times import as_digits
from .plain_notes import BAD_CHARACTER, PlainNote, require_encoded

_ESCAPES: Final = Escapes(Delimiters("|", "^", "~", "\\", "&"))
_CONTROL: Final = re.compile(r"[\x01-\x1f\x7f]")
_SUBTYPES: Final = {"": "PLAIN", "html": "HTML", "rtf": "RTF", "xml": "XML"}
_NOTE: Final = "^Note"
"""In place of a type of note: the text of a code, without one."""

_END: Final = "\r"


def hl7_message(note: PlainNote, *, as_data: bool) -> str:
    r"""The message of a note: its text a line an OBX of type TX, or encoded in one of type ED.

    Args:
        as_data: whether the text is encoded, as one within markup always is. That holds any text;
            the form in lines none whose lines would be read otherwise one by one.

    Raises:
        DocumentError: `BAD_CHARACTER`, for NUL, and where the text is encoded for most control
            characters; see `message_times.as_digits`.
    """
    kind = _written(note.type) or _NOTE
    date, birth = _time(note.date), _time(note.birth)
    doc_id = _written(note.doc_id)
    segments = [f"MSH|^~\\&|||||{date}||ORU^R01^ORU_R01|{doc_id}|P|2.5.1||||||UNICODE UTF-8"]
    if note.patient is not None or note.visit is not None or birth:
        segments.append(f"PID|1||{_written(note.patient)}||^^^^^^U||{birth}".rstrip("|"))
    if note.visit is not None:
        segments.append(f"PV1|1|U|{'|' * 16}{_written(note.visit)}")
    segments.append(f"OBR|1||{doc_id}|{kind}|||{date}{'|' * 18}F")
    if note.text is None or note.source is None:
        pass
    elif as_data or note.markup:
        data = base64.b64encode(require_encoded(note.source)).decode("ascii")
        value = f"^TEXT^{_SUBTYPES[note.markup]}^Base64^{data}"
        segments.append(f"OBX|1|ED|{kind}||{value}||||||F")
    else:
        segments += (
            f"OBX|{number}|TX|{kind}||{_written(line)}||||||F"
            for number, line in enumerate(note.text.split("\n"), 1)
        )
    return "".join(segment + _END for segment in segments)


def _time(time: str | None) -> str:
    return "" if time is None else as_digits(time)


def _written(text: str | None) -> str:
    """A value with its delimiters and control characters escaped."""
    if text is None:
        return ""
    if "\0" in text:
        raise DocumentError(BAD_CHARACTER)
    return _CONTROL.sub(lambda sign: f"\\X{ord(sign[0]):02X}\\", _ESCAPES.written(text))
