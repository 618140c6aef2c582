"""Planted spans: what was removed is shown as if it had been left, to see who finds it.

What readers find of them tells how much of what is left they find. They are chosen by key, one a
document at most, half of them among those that a detector nearly missed: such ones are more like
what was missed in truth. They are easier to find than that all the same.
"""

from __future__ import annotations

import dataclasses
import hmac
from collections.abc import Iterable, Sequence

from .rows import Stretch

PLANTED = 100


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class RemovedSpan:
    """A span of the audit that is removed and no fragment.

    Attributes:
        doc_key, field: its text.
        start, end: in the original text.
        label: PHI category.
        detectors: how many found it.
        score: see `Candidate`.
    """

    doc_key: str
    field: str
    start: int
    end: int
    label: str
    detectors: int
    score: float


def keyed(key: bytes, *parts: str) -> bytes:
    """A keyed hash of some texts, each framed by its length: no two lists of texts share one."""
    content = b"".join(
        len(raw).to_bytes(8, "big") + raw
        for raw in (part.encode("utf-8", "surrogatepass") for part in parts)
    )
    return hmac.digest(key, content, "sha256")


def plant(
    documents: Sequence[str],
    removed: Iterable[RemovedSpan],
    key: bytes,
    campaign: str,
    *,
    planted: int = PLANTED,
    within: int | None = None,
) -> dict[tuple[str, str], Stretch]:
    """Chooses the spans to plant.

    Args:
        documents: keys of the documents that are read, in the order of the draw.
        removed: their removed spans, of the labels on which readers are to be tried.
        key: `Keys.draws`.
        campaign: its name.
        planted: how many, where so many documents have a removed span.
        within: as many are planted in each so many documents, for a reading that may stop early;
            None for all documents.

    Returns:
        Text (doc_key, field) -> what is shown of it.
    """
    spans: dict[str, list[RemovedSpan]] = {}
    for span in sorted(removed):
        spans.setdefault(span.doc_key, []).append(span)
    block = within or max(1, len(documents))
    chosen: dict[tuple[str, str], Stretch] = {}
    for first in range(0, len(documents), block):
        able = [doc for doc in documents[first : first + block] if doc in spans]
        able.sort(key=lambda doc: keyed(key, "planted", campaign, doc))
        for number, doc in enumerate(able[:planted]):
            among = spans[doc] if number % 2 else _nearly_missed(spans[doc])
            span = min(among, key=lambda one: keyed(key, "span", campaign, *_place(one)))
            chosen[doc, span.field] = Stretch(span.start, span.end)
    return chosen


def _place(span: RemovedSpan) -> tuple[str, ...]:
    return span.doc_key, span.field, str(span.start), str(span.end)


def _nearly_missed(spans: Sequence[RemovedSpan]) -> list[RemovedSpan]:
    """Spans of a document that one detector alone found, or those of the least score."""
    alone = [span for span in spans if span.detectors <= 1]
    least = min(span.score for span in spans)
    return alone or [span for span in spans if span.score == least]
