"""FHIR R4 and R5: resources and Bundles as JSON.

Source: HL7 FHIR 4.0.1 and 5.0.0, JSON representation; elements by `fhir_elements`, roles by
`fhir_roles`. See docs/fhir-fields.md.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence

from ..core.errors import DocumentError
from ..core.views import Edit
from . import json_text
from .base import DeclaredNames, MessageValue
from .fhir_emptied import without
from .fhir_plans import plans_of
from .fhir_references import as_uuid, written_name
from .fhir_roles import NOTE_DATES, default_roles
from .fhir_scan import scan_object
from .fhir_walk import Walk, patient_of

_LAST_TYPE = re.compile(r".*\(([A-Za-z0-9?]+)\)", re.DOTALL)
_NUMBER = re.compile(r"\[[0-9]+\]")
_UUID = "urn:uuid:"
_LOOK_BACK = 200
_NEEDS_ADDRESS = re.compile(r'"fullUrl"[ \t\r\n]{0,50}:[ \t\r\n]{0,50}"\Z')
"""What stands before a value that is an absolute URL by the standard."""


@dataclasses.dataclass(frozen=True, slots=True)
class FhirGrammar:
    """The grammar `fhir`."""

    name: str = "fhir"
    note_dates: tuple[str, ...] = NOTE_DATES
    visit_places: tuple[str, ...] = (".encounter.reference",)
    has_links: bool = True

    def default_roles(self) -> Mapping[str, str]:
        """See docs/fhir-fields.md."""
        return default_roles()

    def values(self, record: str, declared: DeclaredNames) -> list[MessageValue]:
        """The values of all resources; see `fhir_plans` for their names.

        Raises:
            DocumentError: "BadJson", "NotAnObject", "DuplicateKey", "LoneSurrogate", "BadFhir";
                OverBudget "depth".
        """
        _require_encodable(record)
        found = Walk(record, scan_object(record), plans_of(declared)).values()
        if "\\u" in record:
            for value in found:
                _require_encodable(value.value)
        return found

    def patient_of(self, canonical: str) -> str | None:
        """The id of a patient, of `Patient/<id>`."""
        return patient_of(canonical)

    def may_name(self, name: str) -> bool:
        """True: keys of a record are made up by who wrote it."""
        return True

    def undeclared_name(self, value: MessageValue) -> str:
        """The path from the resource: `Patient.foo`."""
        path = _LAST_TYPE.sub(r"\1", value.place)
        return _NUMBER.sub("", path).replace("._", ".")

    def written(self, record: str, value: MessageValue, text: str) -> str:
        """A text as a JSON string; in the place of an id, as its name has it."""
        start, end = value.start, value.end
        if record[end : end + 1] != '"' or record[start : start + 1] == '"':
            return f'"{json_text.written(text)}"'
        if record[max(0, start - len(_UUID)) : start].lower() == _UUID:
            text = as_uuid(text)
        else:
            needs_address = _NEEDS_ADDRESS.search(record, max(0, start - _LOOK_BACK), start)
            text = written_name(record[start:end], text, needs_address=bool(needs_address))
        return json_text.written(text)

    def emptied(self, record: str, values: Sequence[MessageValue]) -> list[Edit]:
        """Members and items go, and what is left with nothing; see `fhir_emptied`."""
        return without(record, [value.start for value in values])


FHIR = FhirGrammar()


def _require_encodable(text: str) -> None:
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError:
        raise DocumentError("LoneSurrogate") from None
