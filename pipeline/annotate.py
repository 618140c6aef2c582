"""Documents with predicted spans: for pre-annotation, and for scoring a model."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from ..models.corpora import (
    AnnotatedDocument,
    Annotation,
    format_of_target,
    read_annotated,
    write_annotated,
)
from ..models.errors import UsageError
from ..models.scrubber import Scrubber

_AT_ONCE = 64
"""Documents of one batch: attributes are computed once for each distinct word of a batch."""


def annotate(
    inputs: Sequence[str],
    output: str,
    *,
    models: Sequence[str],
    recognisers: Sequence[str],
    native_labels: bool,
    source_form: str | None = None,
    target_form: str | None = None,
) -> int:
    """Writes every document with one typed span per place; returns their number.

    Args:
        inputs: files, folders or globs of a corpus in any format; spans in them are ignored.
        native_labels: map the bundles' labels to the native set.
        source_form, target_form: keys of `CORPORA`; None for what the endings say.

    Raises:
        UsageError: if a document is broken or cannot be processed: an annotator must not miss one.
    """
    scrubber = Scrubber(*models, recognisers=recognisers, native_labels=native_labels)
    format_of_target(output, target_form)  # refused before anything is read
    count = 0

    def predicted() -> Iterator[AnnotatedDocument]:
        nonlocal count
        for documents in _chunks(read_annotated(inputs, source_form)):
            try:
                found = scrubber.entities(*(document.text for document in documents))
            except Exception as error:
                raise UsageError(
                    f"one of the documents {count} to {count + len(documents) - 1} cannot be "
                    "annotated "
                    f"({type(error).__name__})"
                ) from None
            for document, entities in zip(documents, found, strict=True):
                spans = tuple(Annotation(e.start, e.end, e.label) for e in entities)
                yield dataclasses.replace(document, spans=spans, meta={})
                count += 1

    write_annotated(predicted(), output, target_form)  # leaves nothing if a document cannot be done
    return count


def _chunks(documents: Iterator[AnnotatedDocument]) -> Iterator[list[AnnotatedDocument]]:
    chunk: list[AnnotatedDocument] = []
    for document in documents:
        chunk.append(document)
        if len(chunk) == _AT_ONCE:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
