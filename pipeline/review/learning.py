"""A batch of notes from which a model learns most, written to be corrected without the page."""

from __future__ import annotations

import dataclasses
from collections.abc import Set

from ...models.core.errors import UsageError
from ...models.review.choosing import (
    RANDOM_FIRST,
    QueuedText,
    TeachingText,
    next_to_learn,
    template_of,
    uncertainty_of,
)
from ...models.risk.rows import MarkedSpan
from ..certifying.review_folder import ReviewFolder
from .access import AccessRecord
from .documents import boxes_of
from .exporting import annotated, document_ids, kept_out, write_corpus
from .texts import ReviewedOutput, Text

_LOOKED_AT = 4
"""Of so many texts for each wanted one it is looked which template they have."""


@dataclasses.dataclass(frozen=True, slots=True)
class ChosenBatch:
    """What is read next.

    Attributes:
        texts: in the order of choice.
        at_random: how many of them were the first of all that are read, and chosen blindly.
        without_risk: of the texts that could be chosen, how many have no risk.
        read: texts that were read before.
    """

    texts: tuple[Text, ...]
    at_random: int
    without_risk: int
    read: int


def choose_batch(
    output: ReviewedOutput, folder: ReviewFolder, count: int, done: Set[str] = frozenset()
) -> ChosenBatch:
    """Chooses what is read next of an output.

    Args:
        folder: of the find queue.
        count: texts wanted; there may be fewer.
        done: ids, in a corpus, of texts that were read elsewhere.

    Raises:
        UsageError: if nothing is left to read, or a file of the review is damaged.
    """
    ids, out = document_ids(output), kept_out(folder)
    read = {*folder.verdicts()} | {text for text in output.texts if ids[text] in done}
    left = [
        one.queued
        for text, one in output.texts.items()
        if text not in read and text[0] not in out and one.queued.tokens
    ]
    if not left:
        raise UsageError("next: every note was read, or is of a campaign that certifies something")
    chosen = next_to_learn(_teaching(output, left, count), output.keys.draws, count, len(read))
    return ChosenBatch(
        tuple((one.doc_key, one.field) for one in chosen),
        min(len(chosen), max(0, RANDOM_FIRST - len(read))),
        sum(one.risk is None for one in left),
        len(read),
    )


def _teaching(output: ReviewedOutput, left: list[QueuedText], count: int) -> list[TeachingText]:
    """Texts with their uncertainty; the most uncertain ones with their template."""
    scored = [
        TeachingText(one.doc_key, one.field, uncertainty_of(one), note_type=one.note_type)
        for one in left
    ]
    scored.sort(key=lambda one: (-one.uncertainty, one.doc_key, one.field))
    first = scored[: _LOOKED_AT * count]
    # By unit: the texts of one are read together.
    first.sort(key=lambda one: (output.texts[one.doc_key, one.field].name, one.doc_key, one.field))
    looked_at = [
        dataclasses.replace(one, template=template_of(output.published((one.doc_key, one.field))))
        for one in first
    ]
    return [*looked_at, *scored[_LOOKED_AT * count :]]


def write_batch(
    output: ReviewedOutput, folder: ReviewFolder, batch: ChosenBatch, reviewer: str, path: str
) -> int:
    """Writes a batch with its original texts; what the run removed is what is marked first.

    Raises:
        DeskRefusal: if an original is not there, or an access cannot be recorded.
        OSError: if it cannot be written.
    """
    spans = {
        text: [MarkedSpan(box.start, box.end, box.label) for box in boxes_of(output.audit(text))]
        for text in batch.texts
    }
    access = AccessRecord(folder, reviewer)
    return write_corpus(path, annotated(output, access, spans, batch.texts))
