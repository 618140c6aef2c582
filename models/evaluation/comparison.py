"""Gold and predicted annotations of the same texts, columnar: the input of every metric."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Sequence

import numpy as np

from ..core.arrays import Flags, Ints, require_equal_lengths
from ..core.errors import UsageError
from ..core.known_values import KnownValue
from ..core.tokens import Tokens
from ..corpora import COVER, AnnotatedDocument, Annotation

FindTerms = Callable[[str], Sequence[tuple[int, int, str]]]

WhatIsKnown = Callable[[AnnotatedDocument], Iterable[KnownValue]]
"""What a roster knows of the people of a gold document."""

_SHOWN_ORDINALS = 10


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class LabelledSpans:
    """The spans of one side, sorted by (document, start, end, label) and unique; may overlap.

    Attributes:
        documents: index into `Comparison.texts`.
        starts, ends: half-open code-point offsets in that text.
        labels: index into `Comparison.label_names`.
    """

    documents: Ints
    starts: Ints
    ends: Ints
    labels: Ints

    def __post_init__(self) -> None:
        require_equal_lengths(
            "LabelledSpans",
            documents=self.documents,
            starts=self.starts,
            ends=self.ends,
            labels=self.labels,
        )

    def __len__(self) -> int:
        return len(self.starts)

    def rows(self) -> set[tuple[int, int, int, int]]:
        """The spans as (document, start, end, label)."""
        columns = (self.documents, self.starts, self.ends, self.labels)
        return set(zip(*(column.tolist() for column in columns), strict=True))


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison:
    """Gold and predicted spans of the same documents, sorted by `doc_id`.

    Attributes:
        texts: text of each document.
        text_offsets: row pointers of the texts laid end to end, one more than documents: character
            c of document d has the global offset `text_offsets[d] + c`.
        label_names: every label that either side uses, sorted.
        gold, predicted: the spans of the two sides.
        tokens: the fine tokens of the texts.
        removed: for each character of the texts laid end to end, whether it would be removed: by
            the cover if every predicted document states its cover, else by the predicted spans.
        has_cover: whether `removed` is the cover.
        find_terms: finds the clinical terms of a text, as (start, end, kind).
        ordinals: position of each document in the gold corpus as given, from 0.
        doc_ids: of the documents; may be PHI.
        known: what a roster knows of the people of each document; None without a roster. PHI.
    """

    texts: tuple[str, ...]
    text_offsets: Ints
    label_names: tuple[str, ...]
    gold: LabelledSpans
    predicted: LabelledSpans
    tokens: Tokens
    removed: Flags
    has_cover: bool
    find_terms: FindTerms
    ordinals: Ints
    doc_ids: tuple[str, ...]
    known: tuple[tuple[KnownValue, ...], ...] | None = None

    def __len__(self) -> int:
        return len(self.texts)

    def covered(self, spans: LabelledSpans) -> Flags:
        """For each character of the texts laid end to end, whether any span covers it."""
        shift = self.text_offsets[spans.documents]
        return covered(spans.starts + shift, spans.ends + shift, int(self.text_offsets[-1]))

    def touched_tokens(self, spans: LabelledSpans) -> tuple[Ints, Ints]:
        """For each span, the half-open range of rows of `tokens` that overlap it."""
        shift = self.text_offsets[spans.documents]
        # Tokens are disjoint and in text order, so both global columns are increasing.
        starts, ends = self.token_places()
        first = np.searchsorted(ends, spans.starts + shift, side="right")
        last = np.searchsorted(starts, spans.ends + shift, side="left")
        return first.astype(np.int64), last.astype(np.int64)

    def token_places(self) -> tuple[Ints, Ints]:
        """Start and end of each token in the texts laid end to end."""
        shift = np.repeat(self.text_offsets[:-1], np.diff(self.tokens.document_offsets))
        return self.tokens.starts + shift, self.tokens.ends + shift

    def by_document(self, spans: LabelledSpans) -> list[list[tuple[int, int, str]]]:
        """For each document its spans in order, as (start, end, name of the label)."""
        found: list[list[tuple[int, int, str]]] = [[] for _ in self.texts]
        columns = (spans.documents, spans.starts, spans.ends, spans.labels)
        for document, start, end, label in zip(*(c.tolist() for c in columns), strict=True):
            found[document].append((start, end, self.label_names[label]))
        return found


def align(
    gold: Iterable[AnnotatedDocument],
    predicted: Iterable[AnnotatedDocument],
    tokenize: Callable[[Sequence[str]], Tokens],
    label_map: Callable[[str], str | None] | None = None,
    ignore: Collection[str] = (),
    find_terms: FindTerms = lambda text: (),
    what_is_known: WhatIsKnown | None = None,
) -> Comparison:
    """Matches the documents of the two sides by `doc_id`.

    Args:
        gold: in any order; spans that are equal after mapping count once.
        predicted: likewise.
        tokenize: makes the tokens of the texts.
        label_map: applied to the labels of both sides; None drops a span.
        ignore: labels whose spans are dropped on both sides, after mapping. If this or the map
            drops any predicted span, covers are not used: they do not say which label they are of.
        find_terms: finds the clinical terms of a text.
        what_is_known: of the people of a gold document; None without a roster.

    Raises:
        UsageError: if a side repeats a `doc_id`, the sides hold different documents or texts, or a
            cover is not valid; it says how many and at which ordinals (from 0, in the order given).
    """
    gold_documents, predicted_documents = list(gold), list(predicted)
    _require_same_documents(gold_documents, predicted_documents)
    covers = _covers(predicted_documents)
    ordinals = sorted(range(len(gold_documents)), key=lambda n: gold_documents[n].doc_id)
    gold_documents.sort(key=lambda document: document.doc_id)
    predicted_documents.sort(key=lambda document: document.doc_id)

    def kept(spans: Iterable[Annotation]) -> set[tuple[int, int, str]]:
        labelled = ((s.start, s.end, label_map(s.label) if label_map else s.label) for s in spans)
        return {(s, e, la) for s, e, la in labelled if la is not None and la not in ignore}

    gold_rows = [kept(document.spans) for document in gold_documents]
    predicted_rows = [kept(document.spans) for document in predicted_documents]
    names = sorted({label for rows in (*gold_rows, *predicted_rows) for _, _, label in rows})
    texts = tuple(document.text for document in gold_documents)
    offsets = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    all_kept = all(
        len(rows) == len({(s.start, s.end, s.label) for s in document.spans})
        for rows, document in zip(predicted_rows, predicted_documents, strict=True)
    )
    removed = [
        {(start, end) for start, end, _ in rows}
        | set(covers[document.doc_id] if covers and all_kept else ())
        for rows, document in zip(predicted_rows, predicted_documents, strict=True)
    ]
    ranges = [
        (start + int(shift), end + int(shift))
        for shift, rows in zip(offsets[:-1], removed, strict=True)
        for start, end in rows
    ]
    starts, ends = np.array(ranges, np.int64).reshape(-1, 2).T
    return Comparison(
        texts=texts,
        text_offsets=offsets,
        label_names=tuple(names),
        gold=_columns(gold_rows, names),
        predicted=_columns(predicted_rows, names),
        tokens=tokenize(texts),
        removed=covered(starts, ends, int(offsets[-1])),
        has_cover=bool(covers) and all_kept,
        find_terms=find_terms,
        ordinals=np.array(ordinals, np.int64),
        doc_ids=tuple(document.doc_id for document in gold_documents),
        known=what_is_known and tuple(tuple(what_is_known(one)) for one in gold_documents),
    )


def _covers(documents: Sequence[AnnotatedDocument]) -> dict[str, list[tuple[int, int]]]:
    """The cover of each document by `doc_id`; empty unless every document has one."""
    covers: dict[str, list[tuple[int, int]]] = {}
    for ordinal, document in enumerate(documents):
        if COVER not in document.meta:
            continue
        value = document.meta[COVER]
        rows: list[list[int]] = value if isinstance(value, list) else [[]]
        if not all(_is_range(row, len(document.text)) for row in rows):
            raise UsageError(
                f"predicted document {ordinal}: meta.{COVER} must be [[start, end], ...] within "
                "the text, with each start before its end"
            )
        covers[document.doc_id] = [(start, end) for start, end in rows]
    return covers if len(covers) == len(documents) else {}


def _is_range(row: object, size: int) -> bool:
    if not (isinstance(row, list) and len(row) == 2 and all(type(end) is int for end in row)):
        return False
    start, end = row
    return bool(0 <= start < end <= size)


def covered(starts: Ints, ends: Ints, size: int) -> Flags:
    """For each of `size` offsets, whether a half-open range [start, end) contains it."""
    depth = np.bincount(starts, minlength=size + 1) - np.bincount(ends, minlength=size + 1)
    flags: Flags = np.cumsum(depth[:size]) > 0
    return flags


def count_by_document(flags: Flags, offsets: Ints) -> Ints:
    """How many flags are set between consecutive row pointers."""
    running = np.concatenate(([0], np.cumsum(flags, dtype=np.int64)))
    counts: Ints = np.diff(running[offsets])
    return counts


def _require_same_documents(
    gold: Sequence[AnnotatedDocument], predicted: Sequence[AnnotatedDocument]
) -> None:
    gold_texts = {document.doc_id: document.text for document in gold}
    predicted_ids = {document.doc_id for document in predicted}
    faults = [
        ("with a repeated doc_id in gold", _repeated(gold)),
        ("with a repeated doc_id in predicted", _repeated(predicted)),
        ("of gold missing in predicted", _ordinals(gold, lambda d: d.doc_id not in predicted_ids)),
        (
            "of predicted missing in gold",
            _ordinals(predicted, lambda d: d.doc_id not in gold_texts),
        ),
        (
            "of predicted with a different text from gold",
            _ordinals(predicted, lambda d: gold_texts.get(d.doc_id, d.text) != d.text),
        ),
    ]
    if found := [
        f"{len(which)} {what} (ordinals {_first_of(which)})" for what, which in faults if which
    ]:
        raise UsageError(
            f"gold and predicted must hold the same documents: {'; '.join(found)}. Predict the "
            "gold documents themselves (scrubline annotate --input GOLD), or remove what the other "
            "side lacks; ordinals count from 0"
        )


def _repeated(documents: Sequence[AnnotatedDocument]) -> list[int]:
    first = {document.doc_id: n for n, document in reversed(list(enumerate(documents)))}
    return [n for n, document in enumerate(documents) if first[document.doc_id] != n]


def _ordinals(
    documents: Sequence[AnnotatedDocument], wrong: Callable[[AnnotatedDocument], bool]
) -> list[int]:
    return [ordinal for ordinal, document in enumerate(documents) if wrong(document)]


def _first_of(ordinals: Sequence[int]) -> str:
    shown = ", ".join(map(str, ordinals[:_SHOWN_ORDINALS]))
    return shown + (", ..." if len(ordinals) > _SHOWN_ORDINALS else "")


def _columns(rows: Sequence[set[tuple[int, int, str]]], names: Sequence[str]) -> LabelledSpans:
    label_ids = {name: index for index, name in enumerate(names)}
    table = [
        (document, start, end, label_ids[label])
        for document, spans in enumerate(rows)
        for start, end, label in sorted(spans)
    ]
    return LabelledSpans(*np.array(table, np.int64).reshape(-1, 4).T.copy())
