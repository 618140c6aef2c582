"""The grammars of messages. A new one is a file here and a line in `GRAMMARS`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .base import MessageGrammar
from .ccda import CCDA
from .fhir import FHIR
from .hl7 import HL7

_GRAMMARS: tuple[MessageGrammar, ...] = (HL7, FHIR, CCDA)

GRAMMARS: Mapping[str, MessageGrammar] = MappingProxyType({one.name: one for one in _GRAMMARS})
"""Name of a grammar, and of the column that holds its records -> the grammar."""
