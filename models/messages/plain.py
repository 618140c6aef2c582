"""How a plain message of a note is made, by grammar. A new one is a file here and a line in it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from .ccda_plain import ccda_document
from .fhir_plain import fhir_resource
from .hl7_plain import hl7_message
from .plain_notes import PlainNote


class MakeMessage(Protocol):
    """Makes the message of a note, by what the note says alone: no clock, nothing drawn."""

    def __call__(self, note: PlainNote, *, as_data: bool) -> str:
        """The message.

        Args:
            as_data: whether a text is encoded that could also stand as it is.

        Raises:
            DocumentError: for a note that the grammar cannot hold.
        """


MESSAGES: Mapping[str, MakeMessage] = MappingProxyType(
    {"hl7": hl7_message, "fhir": fhir_resource, "ccda": ccda_document}
)
"""Name of a grammar -> what makes its messages."""
