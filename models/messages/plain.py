"""How a plain message of a note is made, by grammar. A new one is a file here and a line in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol

from .ccda_plain import ccda_document
from .fhir_plain import fhir_resource, kept_by_fhir
from .hl7_plain import hl7_message
from .plain_notes import PlainNote, without_empty_text


class MakeMessage(Protocol):
    """Makes the message of a note, by what the note says alone: no clock, nothing drawn."""

    def __call__(self, note: PlainNote, *, as_data: bool) -> str:
        """The message.

        Args:
            as_data: whether a text is encoded that could also stand as it is.

        Raises:
            DocumentError: for a note that the grammar cannot hold.
        """


class PlainMessages(NamedTuple):
    """The plain messages of a grammar.

    Attributes:
        make: makes one.
        kept: what a note says once it was one.
        has_birth: whether there is a place for a date of birth.
    """

    make: MakeMessage
    kept: Callable[[PlainNote], PlainNote]
    has_birth: bool = True


PLAIN_MESSAGES: Mapping[str, PlainMessages] = MappingProxyType(
    {
        "hl7": PlainMessages(hl7_message, lambda note: note),
        "fhir": PlainMessages(fhir_resource, kept_by_fhir, has_birth=False),
        "ccda": PlainMessages(ccda_document, without_empty_text),
    }
)
"""Name of a grammar -> its plain messages."""
