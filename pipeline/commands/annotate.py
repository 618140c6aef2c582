"""`scrubline annotate`: documents with predicted spans, for pre-annotation and scoring."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from ...models.core.display_names import counted
from ...models.core.errors import UsageError
from ...models.core.shortage import raise_shortage
from ...models.core.spans import Candidate
from ...models.corpora import (
    AnnotatedDocument,
    Annotation,
    format_of_target,
    read_annotated,
    write_annotated,
)
from ...models.evaluation import COVER
from ...models.evaluation.made_by import MADE_BY, made_by
from ...models.redaction.merging import cover as union
from ...models.redaction.merging import select
from ...models.scrubber import Scrubber, batched
from ..process.exit_codes import ExitCode
from ..process.logs import is_terminal, say
from ..process.stdout import show
from .document_progress import DocumentProgress
from .new_files import require_new_corpus
from .roster_of_notes import RosterOfNotes, roster_of_notes
from .run_options import read_options


def annotate_corpus(
    inputs: Sequence[str],
    output: str,
    *,
    models: Sequence[str],
    recognisers: Sequence[str],
    native_labels: bool,
    policy: str = "hipaa",
    cover: bool = False,
    source_form: str | None = None,
    target_form: str | None = None,
    overwrite: bool = False,
    people: RosterOfNotes | None = None,
) -> int:
    """Writes every document with disjoint predicted spans; returns their number.

    A format that can hold it says of each document which models, rules and policy made the spans.

    Args:
        inputs: files, folders or globs of a corpus in any format; their spans are ignored.
        output: file, or folder for formats of several files.
        models: names or URLs of bundles.
        recognisers: names of rules.
        native_labels: map the bundles' labels to the native set.
        policy: name or URL; of it only the rules of the site's own are used.
        cover: also write, as `meta["cover"]`, everything that any detector proposes: what a policy
            without exceptions would remove.
        source_form, target_form: keys of `CORPORA`; None to go by the endings.
        overwrite: whether to replace an existing output; never if it is an input.
        people: a roster, whose entries are found in the notes of their patients.

    Raises:
        UsageError: if the output exists or is an input, or a document is invalid or cannot be
            processed, since an annotator must not miss one.
    """
    require_new_corpus(output, target_form, inputs=inputs, overwrite=overwrite)
    scrubber = Scrubber(
        models=models, recognisers=recognisers, native_labels=native_labels, policy=policy
    )
    form = format_of_target(output, target_form)  # refused before anything is read
    if cover and not form.keeps_meta:
        raise UsageError(f"--cover: {form.name} cannot hold it; write standoff (.jsonl)")
    told = [(detector.name, detector.hash) for detector in scrubber.detectors]
    made = made_by(told, len(scrubber.recognisers), scrubber.policy.name)
    meta_of_all = {MADE_BY: made} if form.keeps_meta else {}
    count = 0

    def predicted() -> Iterator[AnnotatedDocument]:
        nonlocal count
        for documents in batched(read_annotated(inputs, source_form)):
            found = _candidates(scrubber, documents, people, count)
            for document, candidates in zip(documents, found, strict=True):
                entities = select(candidates, scrubber.order)
                spans = tuple(Annotation(e.start, e.end, e.label) for e in entities)
                meta = {COVER: [[*span] for span in union(candidates)]} if cover else {}
                yield dataclasses.replace(document, spans=spans, meta=meta_of_all | meta)
                count += 1
            progress.did(len(documents), sum(len(document.text) for document in documents))
        if people is not None and count:
            people.tell()

    def sizes() -> Iterator[int]:
        yield from (len(document.text) for document in read_annotated(inputs, source_form))

    with DocumentProgress("annotating", sizes) as progress:
        write_annotated(predicted(), output, target_form)  # writes all documents or nothing
    return count


def _candidates(
    scrubber: Scrubber,
    documents: Sequence[AnnotatedDocument],
    people: RosterOfNotes | None,
    first: int,
) -> list[list[Candidate]]:
    """What is found in each document of a batch, whose first one has the ordinal `first`."""
    known: dict[str, Any] = {}
    if people is not None:
        keys = [people.patient_key(document) for document in documents]
        known = {"people": people.people, "patient_keys": keys}
    try:
        return scrubber.candidates_knowing(*(one.text for one in documents), **known)
    except Exception as error:
        raise_shortage(error)
        raise UsageError(
            f"one of documents {first} to {first + len(documents) - 1} cannot be annotated "
            f"({type(error).__name__})"
        ) from None


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Raises:
        UsageError: if what was asked for cannot be done.
    """
    options = read_options(parsed)
    count = annotate_corpus(
        options.inputs,
        parsed.output,
        models=options.models,
        recognisers=options.recognisers if parsed.recognisers else (),
        native_labels=not parsed.own_labels,
        policy=options.policy,
        cover=parsed.cover,
        source_form=parsed.source_form,
        target_form=parsed.target_form,
        overwrite=parsed.overwrite,
        people=roster_of_notes(
            options.roster, options.key_source, parsed.patient, options.roster_fuzzy
        ),
    )
    show(f"{counted(count, 'document')} annotated")
    if is_terminal(sys.stderr):
        say(
            "next: score them with `scrubline evaluate GOLD PREDICTED`, or correct them by hand "
            "and train on them with `scrubline train --add`",
            "INFO",
        )
    return ExitCode.DONE
