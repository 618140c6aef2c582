"""The frame of a campaign: the documents of which it states something, and what they are like."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Set

from ..core.display_names import counted
from ..core.errors import UsageError
from .drift import SERIES, Distribution, distribution_of

OTHER = "other"
"""Note types of few documents, and documents without a type."""

LEAST_OF_TYPE = 20
"""Types of fewer documents are not told by name."""

STRATUM_SHARE = 0.05
"""From this share of the frame on, a note type is a stratum of its own."""


@dataclasses.dataclass(frozen=True, slots=True)
class FrameDocument:
    """A document of a run with status `scrubbed`.

    Attributes:
        doc_key: see `core.keys`.
        tokens: of all its texts.
        spans: that were found in all its texts, fragments left out.
        note_type: None if nothing tells it.
        patient: `patient_key`; None for a patient of whom this is the only document.
        risk: rank for people, greater is worse; None where the run has none.
        fields: its text columns that were scrubbed.
    """

    doc_key: str
    tokens: int
    spans: int
    note_type: str | None = None
    patient: str | None = None
    risk: int | None = None
    fields: tuple[str, ...] = ("text",)

    def __post_init__(self) -> None:
        if self.tokens < 0 or self.spans < 0 or not self.fields:
            raise ValueError("a document of a frame has counts and at least one text")


@dataclasses.dataclass(frozen=True, slots=True)
class CutTail:
    """What was taken out of the frame because of its risk; nothing is stated of it.

    Attributes:
        share: of the documents at most, as asked for.
        threshold: documents of greater risk were taken out; None if none were.
        documents: how many.
    """

    share: float = 0.0
    threshold: int | None = None
    documents: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class FrameFacts:
    """What is told of a frame, in the draw and in the certificate.

    Attributes:
        documents, patients, tokens: how many. A document without a patient is one of its own.
        types: note type -> documents; those of fewer than 20 together as `OTHER`.
        strata: stratum -> documents.
        quantiles: series -> its distribution, see `drift`.
    """

    documents: int
    patients: int
    tokens: int
    types: Mapping[str, int]
    strata: Mapping[str, int]
    quantiles: Mapping[str, Distribution]


@dataclasses.dataclass(frozen=True, slots=True)
class Frame:
    """The documents from which a campaign is drawn.

    Attributes:
        documents: sorted by key.
        cut_tail: what was taken out of them before.
        asked: note types of which a statement is asked, each a stratum whatever its share.
    """

    documents: tuple[FrameDocument, ...]
    cut_tail: CutTail = CutTail()
    asked: frozenset[str] = frozenset()

    @property
    def types(self) -> dict[str, int]:
        """Note type -> documents; see `FrameFacts`."""
        counts = Counter(one.note_type for one in self.documents)
        told: Counter[str] = Counter()
        for name, count in counts.items():
            told[name if name and count >= LEAST_OF_TYPE else OTHER] += count
        return dict(sorted(told.items()))

    def strata(self) -> dict[str, str]:
        """Key of each document -> its stratum: a note type of 5 % or more, or asked, or `OTHER`."""
        own = {
            name
            for name, count in self.types.items()
            if name in self.asked or count >= STRATUM_SHARE * len(self.documents)
        }
        return {
            one.doc_key: one.note_type if one.note_type and one.note_type in own else OTHER
            for one in self.documents
        }

    def facts(self) -> FrameFacts:
        """What is told of the frame."""
        documents = self.documents
        series = series_of(documents)
        return FrameFacts(
            documents=len(documents),
            patients=len({unit_of_patient(one) for one in documents}),
            tokens=sum(one.tokens for one in documents),
            types=self.types,
            strata=dict(sorted(Counter(self.strata().values()).items())),
            quantiles={name: distribution_of(series[name]) for name in SERIES},
        )


def series_of(documents: Iterable[FrameDocument]) -> dict[str, list[float]]:
    """Number of `SERIES` -> its values, of the documents that have one."""
    every = list(documents)
    return {
        "risk": [one.risk for one in every if one.risk is not None],
        "tokens": [one.tokens for one in every],
        "spans_per_token": [one.spans / one.tokens for one in every if one.tokens],
    }


def unit_of_patient(document: FrameDocument) -> tuple[str, str]:
    """What stands for the patient of a document: one without a patient is a patient of its own."""
    if document.patient is None:
        return "document", document.doc_key
    return "patient", document.patient


def frame_of(
    documents: Iterable[FrameDocument], *, cut_tail: float = 0.0, asked: Set[str] = frozenset()
) -> Frame:
    """The frame of some documents, in any order.

    Args:
        documents: all of a run with status `scrubbed`.
        cut_tail: the riskiest documents up to this share are taken out. Of equal risk, all or none
            are, so that it may be fewer.
        asked: note types of which a statement is asked.

    Raises:
        UsageError: if there are none; if two have one key; if a tail is to be cut and risks are
            missing; if fewer than 20 documents are of a type that is asked for.
    """
    ordered = sorted(documents, key=lambda one: one.doc_key)
    if len({one.doc_key for one in ordered}) < len(ordered):
        raise UsageError("two documents of the frame have one key")
    if not 0 <= cut_tail < 1:
        raise UsageError(f"--cut-tail is {cut_tail}, expected at least 0 and less than 1")
    kept, cut = _without_tail(ordered, cut_tail)
    if not kept:
        raise UsageError("there is no scrubbed document to draw from")
    frame = Frame(tuple(kept), cut, frozenset(asked))
    if missing := len(frame.asked - (frame.types.keys() - {OTHER})):
        raise UsageError(
            f"statements are asked of {counted(missing, 'note type')} that the frame does "
            f"not have, or has fewer than {LEAST_OF_TYPE} documents of",
            on_terminal=f"the frame does not have {LEAST_OF_TYPE} documents of each of "
            f"{sorted(frame.asked)}",
        )
    return frame


def _without_tail(
    documents: list[FrameDocument], share: float
) -> tuple[list[FrameDocument], CutTail]:
    if not share:
        return documents, CutTail()
    risks = [one.risk for one in documents if one.risk is not None]
    if missing := len(documents) - len(risks):
        raise UsageError(f"a tail cannot be cut: {counted(missing, 'document')} without a risk")
    at_most = math.floor(share * len(risks) + 1e-9)
    # The greatest of those that stay, if as many as may be are cut.
    threshold = sorted(risks)[-at_most - 1] if risks else 0
    kept = [one for one in documents if one.risk is None or one.risk <= threshold]
    return kept, CutTail(share, threshold, len(documents) - len(kept))
