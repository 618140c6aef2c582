"""Whether a certificate of one run may be carried to the documents of a later night.

It may not where the night has notes of which nothing was stated, or notes that are not like those
of which something was. What cannot be compared counts as a difference.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import msgspec

from ..core.errors import UsageError
from .drift import drifted
from .frame import OTHER, CutTail, FrameDocument, FrameFacts, series_of


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class HoldReason:
    """Why a night is held.

    Attributes:
        what: "tail", documents of greater risk than any of the frame, which cut them; "type", notes
            of a type that the frame does not have by name; "drift", a number of documents is not
            distributed as in the frame; "missing", it is not known of all of them as it was there.
        name: of the type or of the number; "" for the tail.
        documents: of the night that it is about.
    """

    what: Literal["tail", "type", "drift", "missing"]
    name: str
    documents: int


def reasons_to_hold(
    certificate: Mapping[str, Any], night: Iterable[FrameDocument]
) -> tuple[HoldReason, ...]:
    """The reasons that hold a night, sorted; none if the certificate may be carried to it.

    Documents of the tail are told, and then left out: held or quarantined, they are no part of the
    night that is compared. A type of few documents was not told by name in the frame, and is new.

    Args:
        certificate: see `statement.certificate_of`; its signature was verified.
        night: all documents of the later run with status `scrubbed`.

    Raises:
        UsageError: if the certificate does not tell its frame.
    """
    facts, cut = _frame_of(certificate)
    every = list(night)
    kept = [one for one in every if not _is_of_tail(one, cut)]
    found = [HoldReason("tail", "", len(every) - len(kept))] if len(kept) < len(every) else []
    for name, count in Counter(one.note_type or OTHER for one in kept).items():
        if name not in facts.types:
            found.append(HoldReason("type", name, count))
    series = series_of(kept)
    for name, known in facts.quantiles.items():
        values = series.get(name, [])
        if known.count == facts.documents and len(values) < len(kept):
            found.append(HoldReason("missing", name, len(kept) - len(values)))
    for name in drifted(facts.quantiles, series):
        found.append(HoldReason("drift", name, len(series[name])))
    return tuple(sorted(found))


def _is_of_tail(document: FrameDocument, cut: CutTail) -> bool:
    """Whether the frame would have left it out: a document without a risk may be anywhere."""
    return cut.threshold is not None and (document.risk is None or document.risk > cut.threshold)


def _frame_of(certificate: Mapping[str, Any]) -> tuple[FrameFacts, CutTail]:
    try:
        return (
            msgspec.convert(certificate["frame"], FrameFacts),
            msgspec.convert(certificate["cut_tail"], CutTail),
        )
    except (KeyError, TypeError, ValueError):  # msgspec's are ValueErrors
        said = "the certificate does not tell its frame, or is of another version"
        raise UsageError(said) from None
