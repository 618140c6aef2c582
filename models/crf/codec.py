"""The label codec: spans to tags of items and back, in the schemes BIO, BIOES and IO.

Encoding covers every item that a span touches, and decoding gives every tag but O a span, even if
tags are ill-formed; so neither loses PHI. For disjoint spans that begin and end with items,
decoding returns exactly what was encoded in BIO and BIOES; IO joins neighbours of one label.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ..core.arrays import Ints
from ..core.errors import UsageError
from ..core.feature_rows import Features, Featurized

SCHEMES = ("BIO", "BIOES", "IO")
OUTSIDE = "O"

SpanTuple = tuple[int, int, str]
"""Start, end (half-open, code points) and label of a span."""

Decoded = tuple[int, int, int, str, int, int]
"""(document, start, end, label, first item, last item) of a span; items are rows of `Features`."""


def encode(
    spans: Iterable[SpanTuple], starts: Sequence[int], ends: Sequence[int], scheme: str
) -> list[str]:
    """The tags of one sequence.

    A span covers each item that it overlaps, even by one character; a span that overlaps no item
    is lost. If several spans cover an item, the longest gets it, then the earlier, then the one
    whose label sorts first; the others keep their remaining items. See `misaligned`.

    Args:
        spans: in any order; they may overlap, and lie outside the items.
        starts: of the items, disjoint and in order.
        ends: of the items.
        scheme: one of `SCHEMES`.

    Raises:
        UsageError: if the scheme is unknown.
        ValueError: if a span is empty, or a label is empty or cannot be part of a tag.
    """
    _require_scheme(scheme)
    ordered = _longest_first(spans)
    return _tags(_owners(ordered, starts, ends), [label for _, _, label in ordered], scheme)


def misaligned(spans: Iterable[SpanTuple], starts: Sequence[int], ends: Sequence[int]) -> int:
    """The number of spans that do not start at an item's start and end at an item's end.

    After encoding and decoding they are longer, or missing if they touch no item.
    """
    begins, stops = set(starts), set(ends)
    return sum(start not in begins or end not in stops for start, end, _ in spans)


def decode(tags: Sequence[str], starts: Sequence[int], ends: Sequence[int]) -> list[SpanTuple]:
    """The spans of one sequence, in order.

    Reads all schemes and mixtures of them. A tag that cannot continue the open span (I or E after
    O, or of another label) begins a new one; a span without its E ends where the next span or O
    begins.

    Args:
        tags: one for each item.
        starts: of the items.
        ends: of the items.

    Raises:
        ValueError: if a tag is not O, or B-, I-, E- or S- with a label; or the lengths differ.
    """
    if not len(tags) == len(starts) == len(ends):
        raise ValueError(f"decode: {len(tags)} tags for {len(starts)} items")
    names: dict[str, int] = {}
    ids = np.array([names.setdefault(tag, len(names)) for tag in tags], np.int64)
    runs = _runs(ids, tuple(names), np.array([0, len(tags)], np.int64))
    return [
        (starts[head], ends[last], label)
        for head, last, label in zip(
            runs.heads.tolist(), runs.lasts.tolist(), runs.labels, strict=True
        )
    ]


def encode_batch(
    annotations: Sequence[Iterable[SpanTuple]], features: Features, scheme: str
) -> list[list[str]]:
    """The tags of each sequence of a batch; a span never extends over the end of a sequence.

    Args:
        annotations: spans of each document; see `encode`.
        features: of the batch.
        scheme: one of `SCHEMES`.

    Raises:
        UsageError: if the scheme is unknown.
        ValueError: as `encode`, or if the number of documents differs.
    """
    _require_scheme(scheme)
    bounds, documents, starts, ends = _layout(features)
    if len(annotations) != len(documents) - 1:
        raise ValueError(f"encode: {len(annotations)} annotated documents of {len(documents) - 1}")
    batch: list[list[str]] = []
    for document, spans in enumerate(annotations):
        first, last = documents[document], documents[document + 1]
        begin, end = bounds[first], bounds[last]
        ordered = _longest_first(spans)
        owners = _owners(ordered, starts[begin:end], ends[begin:end])
        labels = [label for _, _, label in ordered]
        for sequence in range(first, last):
            rows = slice(bounds[sequence] - begin, bounds[sequence + 1] - begin)
            batch.append(_tags(owners[rows], labels, scheme))
    return batch


def misaligned_batch(annotations: Sequence[Iterable[SpanTuple]], features: Features) -> int:
    """The number of spans of a batch that encoding and decoding does not return unchanged."""
    bounds, documents, starts, ends = _layout(features)
    count = 0
    for document, spans in enumerate(annotations):
        first, last = documents[document], documents[document + 1]
        begin, end = bounds[first], bounds[last]
        begins = {start: item for item, start in enumerate(starts[begin:end], begin)}
        stops = {stop: item for item, stop in enumerate(ends[begin:end], begin)}
        for start, stop, _ in spans:
            head, tail = begins.get(start), stops.get(stop)
            count += (
                head is None
                or tail is None
                or bisect.bisect_right(bounds, head) != bisect.bisect_right(bounds, tail)
            )
    return count


def decode_batch(tags: Sequence[Sequence[str]], features: Features) -> list[Decoded]:
    """The spans of a batch, in order of document and start.

    Args:
        tags: of each sequence, one for each item; see `decode`.
        features: of the batch.

    Returns:
        One row per span: document, start, end, label, and its first and last item as rows of
            `features`.

    Raises:
        ValueError: as `decode`.
    """
    sizes = np.diff(features.sequence_offsets).tolist()
    if len(tags) != len(sizes):
        raise ValueError(f"decode: tags of {len(tags)} sequences, expected {len(sizes)}")
    for sequence, size in zip(tags, sizes, strict=True):
        if len(sequence) != size:
            raise ValueError(f"decode: {len(sequence)} tags for {size} items")
    names: dict[str, int] = {}
    ids = [names.setdefault(tag, len(names)) for sequence in tags for tag in sequence]
    return decode_ids(np.array(ids, np.int64), tuple(names), features)


def decode_ids(tags: Ints, names: Sequence[str], features: Featurized) -> list[Decoded]:
    """The spans of a batch, in order; like `decode_batch`, but tags are ids in one column.

    Items outside of spans cost next to nothing.

    Args:
        tags: one for each item: index into `names`.
        names: tags; see `decode`.
        features: of the batch.

    Raises:
        ValueError: as `decode`, or if there is not one tag for each item.
    """
    if len(tags) != len(features.starts):
        raise ValueError(f"decode: {len(tags)} tags for {len(features.starts)} items")
    runs = _runs(tags, names, features.sequence_offsets)
    sequences = np.searchsorted(features.sequence_offsets, runs.heads, side="right") - 1
    documents = np.searchsorted(features.document_offsets, sequences, side="right") - 1
    starts, ends = features.starts[runs.heads], features.ends[runs.lasts]
    columns: tuple[Ints, ...] = (documents, starts, ends, runs.heads, runs.lasts)
    lists = [column.tolist() for column in columns]
    return list(zip(*lists[:3], runs.labels, *lists[3:], strict=True))


class _TagRuns(NamedTuple):
    """The spans of some items: rows of the first and the last item, and the label of each."""

    heads: Ints
    lasts: Ints
    labels: Sequence[str]


def _runs(tags: Ints, names: Sequence[str], sequence_offsets: Ints) -> _TagRuns:
    """The spans of items with tags, by ids; see `decode`."""
    inside = np.array([name != OUTSIDE for name in names], np.bool_)
    rows = np.flatnonzero(inside[tags])
    own = tags[rows]
    if any(not _is_tag(names[tag]) for tag in np.unique(own).tolist()):
        raise ValueError("decode: a tag must be O, or B-, I-, E- or S- with a label")
    of_labels: dict[str, int] = {}
    labels = np.array([of_labels.setdefault(n[2:], len(of_labels)) for n in names], np.int64)[own]
    opens = np.array([name[:1] in ("B", "S") for name in names], np.bool_)[own]
    closes = np.array([name[:1] in ("E", "S") for name in names], np.bool_)[own]
    sequences = np.searchsorted(sequence_offsets, rows, side="right") - 1
    # No span extends over an item outside of spans, or the edge of a sequence.
    begins = opens | (np.diff(rows, prepend=-2) != 1) | (np.diff(sequences, prepend=-1) != 0)
    begins |= np.diff(labels, prepend=-1) != 0
    begins[1:] |= closes[:-1]
    firsts = np.flatnonzero(begins)
    lasts = np.append(firsts, len(rows))[1:] - 1
    known = tuple(of_labels)
    return _TagRuns(rows[firsts], rows[lasts], [known[at] for at in labels[firsts].tolist()])


def _is_tag(name: str) -> bool:
    return name[:1] in ("B", "I", "E", "S") and name[1:2] == "-" and len(name) > 2


def _require_scheme(scheme: str) -> None:
    if scheme not in SCHEMES:
        raise UsageError(f"the label scheme must be one of {', '.join(SCHEMES)}")


def _layout(features: Features) -> tuple[list[int], list[int], list[int], list[int]]:
    """Row pointers into items and into sequences, starts and ends, as lists."""
    columns: tuple[Ints, ...] = (
        features.sequence_offsets,
        features.document_offsets,
        features.starts,
        features.ends,
    )
    bounds, documents, starts, ends = (column.tolist() for column in columns)
    return bounds, documents, starts, ends


def _longest_first(spans: Iterable[SpanTuple]) -> list[SpanTuple]:
    ordered = sorted(set(spans), key=lambda span: (span[0] - span[1], span[0], span[2]))
    for start, end, label in ordered:
        if not 0 <= start < end:
            raise ValueError(f"encode: bad span [{start}, {end})")
        if not label or "\x00" in label:
            raise ValueError("encode: a label must not be empty or contain NUL")
    return ordered


def _owners(ordered: Sequence[SpanTuple], starts: Sequence[int], ends: Sequence[int]) -> list[int]:
    """Index of the span that each item belongs to, or -1.

    Spans come in order of precedence. `free` points from a taken item towards the next free one, so
    spans that are nested a thousand deep do not cost a thousand times their items.
    """
    owners = [-1] * len(starts)
    free = list(range(len(starts) + 1))
    for index, (start, end, _) in enumerate(ordered):
        item = bisect.bisect_right(ends, start)
        stop = bisect.bisect_left(starts, end)
        path = []
        while item < stop:
            path.append(item)
            if free[item] == item:
                owners[item] = index
                free[item] = item + 1
            item = free[item]
        for passed in path:
            free[passed] = item
    return owners


def _tags(owners: Sequence[int], labels: Sequence[str], scheme: str) -> list[str]:
    tags = [OUTSIDE] * len(owners)
    before = -1
    for item, owner in enumerate(owners):
        if owner >= 0:
            tags[item] = f"{'I' if owner == before or scheme == 'IO' else 'B'}-{labels[owner]}"
        before = owner
    if scheme == "BIOES":
        for item, tag in enumerate(tags):
            if tag != OUTSIDE and (item + 1 == len(tags) or owners[item + 1] != owners[item]):
                tags[item] = ("S" if tag[0] == "B" else "E") + tag[1:]
    return tags
