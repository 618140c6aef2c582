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
from ..models.evaluation import COVER
from ..models.merging import cover as union
from ..models.merging import select
from ..models.scrubber import Scrubber, batched
from ..models.shortage import raise_shortage
from .new_files import require_new_corpus


def annotate(
    inputs: Sequence[str],
    output: str,
    *,
    models: Sequence[str],
    recognisers: Sequence[str],
    native_labels: bool,
    cover: bool = False,
    source_form: str | None = None,
    target_form: str | None = None,
    overwrite: bool = False,
) -> int:
    """Writes every document with one typed span per place; returns their number.

    Args:
        inputs: files, folders or globs of a corpus in any format; spans in them are ignored.
        native_labels: map the bundles' labels to the native set.
        cover: write beside the spans, as `meta["cover"]`, all that any detector proposes: what a
            policy would remove that vetoes and keeps nothing.
        source_form, target_form: keys of `CORPORA`; None for what the endings say.
        overwrite: whether an output that exists is replaced; never if it is an input.

    Raises:
        UsageError: if the output exists or is an input; if a document is broken or cannot be
            processed: an annotator must not miss one.
    """
    require_new_corpus(output, target_form, inputs=inputs, overwrite=overwrite)
    scrubber = Scrubber(models=models, recognisers=recognisers, native_labels=native_labels)
    form = format_of_target(output, target_form)  # refused before anything is read
    if cover and not form.keeps_meta:
        raise UsageError(f"--cover: {form.name} has no place for it; write standoff (.jsonl)")
    count = 0

    def predicted() -> Iterator[AnnotatedDocument]:
        nonlocal count
        for documents in batched(read_annotated(inputs, source_form)):
            try:
                found = scrubber.candidates(*(document.text for document in documents))
            except Exception as error:
                raise_shortage(error)
                raise UsageError(
                    f"one of the documents {count} to {count + len(documents) - 1} cannot be "
                    "annotated "
                    f"({type(error).__name__})"
                ) from None
            for document, candidates in zip(documents, found, strict=True):
                spans = tuple(Annotation(e.start, e.end, e.label) for e in select(candidates))
                meta = {COVER: [[*stretch] for stretch in union(candidates)]} if cover else {}
                yield dataclasses.replace(document, spans=spans, meta=meta)
                count += 1

    write_annotated(predicted(), output, target_form)  # leaves nothing if a document cannot be done
    return count
