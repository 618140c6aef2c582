"""Single texts as documents: what is one, how it is written, and what becomes of it.

A text that is written in markup is opened as texts of tables are (`formats.text_markup`): detectors
see what is read, and what comes out is written as it came.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from .core.batches import Batch
from .core.budgets import BATCH_BYTES, Budgets, check_text
from .core.documents import Documents, Rows
from .core.errors import DocumentError, UsageError, error_class
from .core.shortage import raise_shortage
from .core.suggestions import did_you_mean
from .core.written_texts import WrittenText
from .formats.role_texts import PLAIN
from .formats.text_markup import opened_as
from .rendering.kinds import LAYERS
from .scrubbed_text import ScrubbedText

BATCH_TEXTS = 64
"""Texts of a batch."""


def check_markup(markup: str | None) -> None:
    """Refuses a kind of markup that there is not.

    Raises:
        UsageError: with those that there are.
    """
    kinds = (*LAYERS, PLAIN)
    if markup is not None and markup not in kinds:
        raise UsageError(
            f"markup: unknown kind{did_you_mean(str(markup), kinds)}; it may be "
            f"{', '.join(kinds)}, or None: then the beginning of each text tells"
        )


def open_text(text: Any, markup: str | None, budgets: Budgets) -> WrittenText | None:
    """How a text is written that stands in markup; None for one that stands as it is read.

    Args:
        text: may be anything.
        markup: see `text_markup.opened_as`.
        budgets: of a document; they hold for what is read as well.

    Raises:
        DocumentError: if it is no text, or cannot be opened.
    """
    check_text(text, budgets)
    if markup == PLAIN:
        return None
    try:
        written = opened_as(markup, text)
    except DocumentError:
        raise
    except Exception as error:  # fail closed, as for the texts of tables
        raise_shortage(error)
        raise DocumentError(error_class(error)) from None
    if written is not None:
        check_text(written.text, budgets)
    return written


def documents_of(texts: Sequence[str], written: Mapping[int, WrittenText]) -> Documents:
    """The texts as documents of a row each, read as they are written."""
    read = [written[at].text if at in written else text for at, text in enumerate(texts)]
    rows = np.arange(len(texts), dtype=np.int64)
    return Documents(tuple(read), rows, ("text",) * len(texts), written=written)


def batch_of(
    texts: Sequence[str],
    note_types: Sequence[str | None],
    written: Mapping[int, WrittenText],
    patient_keys: Sequence[str | None] | None = None,
) -> Batch:
    """The texts as a batch of a row each, without keys."""
    count = len(texts)
    rows = Rows(
        np.arange(count, dtype=np.int64),
        (None,) * count,
        tuple(patient_keys or (None,) * count),
        tuple(note_types),
        pa.table({}),
        np.arange(count, dtype=np.int64),
    )
    return Batch(0, True, rows, documents_of(texts, written))


def results_of(batch: Batch, *, as_written: bool = False) -> Iterator[ScrubbedText | DocumentError]:
    """Yields what became of each document of a scrubbed batch.

    Args:
        batch: after Scrub.
        as_written: whether texts in markup come out in it, not as they are read.
    """
    assert batch.spans is not None and batch.scrubbed is not None
    spans = batch.spans.by_document(len(batch.documents))
    at = 0
    for index, text in enumerate(batch.scrubbed.texts):
        own, begin, at = spans[index], at, at + len(spans[index])
        if (row := int(batch.documents.rows[index])) in batch.failures:
            yield DocumentError(batch.failures[row].error)
            continue
        assert text is not None
        starts, ends = batch.scrubbed.out_starts[begin:at], batch.scrubbed.out_ends[begin:at]
        if as_written and index in batch.documents.written:
            ((_, text),) = batch.scrubbed.sources[index]
            (piece,) = batch.documents.written[index].pieces
            places = piece.stack.placed([(s.start, s.end, s.replacement) for s in own])
            starts, ends = tuple(low for low, _ in places), tuple(high for _, high in places)
            kind = next(kind for kind, layer in LAYERS.items() if (layer,) == piece.layers)
            yield ScrubbedText(text, tuple(own), starts, ends, kind)
            continue
        yield ScrubbedText(text, tuple(own), tuple(starts), tuple(ends))


def listed(texts: Iterable[Any]) -> list[Any]:
    """The texts as a list.

    Raises:
        UsageError: for what is one text, or whose elements are names of columns or keys.
    """
    if isinstance(texts, str | bytes | Mapping) or hasattr(texts, "columns"):
        raise UsageError(
            f"expected a list or column of texts, got one {type(texts).__name__}: put a text into "
            "a list, take one column of a table"
        )
    return list(texts)


def packed(good: Iterable[int], texts: Sequence[Any]) -> Iterator[list[int]]:
    """Yields the positions in runs of `BATCH_TEXTS` texts, fewer where these are long."""
    held: list[int] = []
    size = 0
    for at in good:
        if held and (len(held) == BATCH_TEXTS or size + len(texts[at]) > BATCH_BYTES):
            yield held
            held, size = [], 0
        held.append(at)
        size += len(texts[at])
    if held:
        yield held
