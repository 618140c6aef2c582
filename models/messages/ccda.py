"""CDA R2 documents, of C-CDA and others: XML in which entries stand beside narratives.

Source: HL7 Clinical Document Architecture, Release 2 (2005); HL7 C-CDA R2.1.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Mapping, Sequence

from ..core.views import Edit
from .base import DeclaredNames, MessageValue
from .ccda_names import PathNames
from .ccda_roles import NAMESPACE, NOTE_DATES, STYLESHEET, default_roles
from .ccda_scan import scanned
from .xml_values import BAD_CCDA, COMMENT_END, COMMENT_START, escaped

__all__ = ["BAD_CCDA", "CCDA", "CcdaGrammar"]

_NUMBER = re.compile(r"(?:\[[0-9]+\])?(?:\.[0-9]+)?\Z")
"""Of an element, and of a text in it."""


@dataclasses.dataclass(frozen=True, slots=True)
class CcdaGrammar:
    """The grammar `ccda`."""

    name: str = "ccda"
    note_dates: tuple[str, ...] = NOTE_DATES
    visit_places: tuple[str, ...] = ("encompassingEncounter.id@extension",)
    has_links: bool = False

    def patient_of(self, canonical: str) -> str | None:
        """None: documents have other ids than patients."""
        return None

    def default_roles(self) -> Mapping[str, str]:
        """See docs/ccda-fields.md."""
        return default_roles()

    def values(self, record: str, declared: DeclaredNames) -> list[MessageValue]:
        """Attributes, text, narratives and comments; white space alone is nothing.

        Raises:
            DocumentError: see `ccda_scan.scanned`.
        """
        return scanned(record, _path_names(declared))

    def may_name(self, name: str) -> bool:
        """True: elements of a document may be of any namespace."""
        return True

    def undeclared_name(self, value: MessageValue) -> str:
        """The last two elements of the path, and the attribute: `observation.value(ST)`."""
        return _NUMBER.sub("", value.place, count=1)

    def written(self, record: str, value: MessageValue, text: str) -> str:
        """A text with what is special escaped.

        Raises:
            DocumentError: `BAD_CCDA`.
        """
        return escaped(text, in_attribute=_is_in_attribute(record, value))

    def emptied(self, record: str, values: Sequence[MessageValue]) -> list[Edit]:
        """An attribute goes with its name and the blank before it, and of all else what it says.

        A comment stays as an empty one where text stands beside it: it would be another text
        without.

        No attribute stays without a value: by the schema, `extension=""` and `value=""` are not
        valid (types st, ts and uid are never empty), but all that may be left out are optional.
        """
        return [_emptied(record, value) for value in values]


CCDA = CcdaGrammar()


def _emptied(record: str, value: MessageValue) -> Edit:
    if value.name == NAMESPACE:  # else its prefix would mean nothing, and no two may mean the same
        return value.start, value.end, f"urn:removed:{value.start}"
    if _is_in_attribute(record, value):
        return _attribute_start(record, value.start), value.end + 1, ""
    if value.name.startswith(STYLESHEET):
        return record.rindex("<?", 0, value.start), record.index("?>", value.end) + len("?>"), ""
    if record.endswith(COMMENT_START, 0, value.start) and _is_alone(record, value):
        return value.start - len(COMMENT_START), value.end + len(COMMENT_END), ""
    return value.start, value.end, ""


def _is_in_attribute(record: str, value: MessageValue) -> bool:
    """Whether a value is that of an attribute: the text of an element holds its own quotes."""
    return record[value.end] in "\"'"


def _is_alone(record: str, comment: MessageValue) -> bool:
    """Whether nothing but blanks stands between a comment and the tags around it."""
    start, end = comment.start - len(COMMENT_START), comment.end + len(COMMENT_END)
    while start > 0 and record[start - 1].isspace():
        start -= 1
    while end < len(record) and record[end].isspace():
        end += 1
    before, behind = record[max(0, start - 3) : start], record[end : end + 3]
    is_tag = not before or (before[-1] == ">" and before not in ("]]>", "-->"))
    return is_tag and (not behind or (behind[0] == "<" and behind not in ("<![", "<!-")))


def _attribute_start(record: str, at: int) -> int:
    """Where the blank before an attribute begins, in whose value an offset is."""
    while record[at - 1] not in "\"'":
        at -= 1
    at = record.rindex("=", 0, at)
    while record[at - 1].isspace():
        at -= 1
    while not record[at - 1].isspace():
        at -= 1
    while record[at - 1].isspace():
        at -= 1
    return at


@functools.lru_cache(maxsize=8)  # by identity
def _path_names(declared: DeclaredNames) -> PathNames:
    return PathNames(declared, default_roles())
