"""Spans of a corpus that overlap spans of another label: an item has one tag."""

from __future__ import annotations

from collections.abc import Iterable

from ..corpora import AnnotatedDocument, Annotation


def cut_by_others(documents: Iterable[AnnotatedDocument]) -> int:
    """How many spans lose some or all of their characters to spans of other labels.

    The longest goes first, then the leftmost, as in `crf.codec.encode`.
    """
    return sum(_cut(document.spans) for document in documents)


def _cut(spans: Iterable[Annotation]) -> int:
    each = sorted({(span.start, span.end, span.label) for span in spans})
    if all(one[1] <= other[0] for one, other in zip(each, each[1:], strict=False)):
        return 0
    owners: dict[int, str] = {}
    count = 0
    for start, end, label in sorted(each, key=lambda s: (s[0] - s[1], s[0], s[2])):
        places = range(start, end)
        count += any(owners.get(place, label) != label for place in places)
        for place in places:
            owners.setdefault(place, label)
    return count
