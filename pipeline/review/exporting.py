"""Corrections as an annotated corpus: with the original texts, for training."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...models.core.errors import UsageError
from ...models.core.shortage import raise_shortage
from ...models.corpora import AnnotatedDocument, Annotation
from ...models.corpora.standoff import write
from ...models.review.accesses import EXPORT
from ...models.review.adjudication import compared
from ...models.risk.rows import DONE, MarkedSpan, read_draw
from ...models.storage.private_files import write_private
from ..certifying.review_folder import ENDED, ReviewFolder
from .access import AccessRecord
from .documents import boxes_of
from .texts import ReviewedOutput, Text

CORRECTIONS = "corrections.jsonl"


@dataclasses.dataclass(frozen=True, slots=True)
class ReadTexts:
    """What readers have said of a queue.

    Attributes:
        spans: text -> its marks, of texts of which they are known.
        undecided: texts that wait for an adjudicator; left out.
        changed: texts that are not there any more, or were scrubbed anew with other words, since
            somebody read them; left out unless others have read them as they are.
    """

    spans: Mapping[Text, tuple[MarkedSpan, ...]]
    undecided: int
    changed: int


def read_texts(folder: ReviewFolder, output: ReviewedOutput) -> ReadTexts:
    """The texts of a folder that were read to the end: what all agree on, or what was decided."""
    decided = folder.adjudicated().held
    spans, undecided, changed = {}, 0, 0
    verdicts = folder.verdicts()
    # By unit: an original is read with all others of its unit.
    for text in sorted(verdicts, key=lambda one: (output.unit_of(one), one)):
        every = verdicts[text]
        rows = {reader: row for reader, row in every.items() if output.is_of(row)}
        changed += len(rows) < len(every)
        done = {reader: row.spans for reader, row in rows.items() if row.verdict == DONE}
        if not done:
            continue
        agreed, differences = compared(done)
        row = decided.get(text)
        is_current = row is not None and dict(row.of) == {r: one.seq for r, one in rows.items()}
        if row is not None and is_current and row.verdict == DONE:
            spans[text] = row.spans
        elif not differences:
            spans[text] = agreed
        else:
            undecided += 1
    return ReadTexts(spans, undecided, changed)


def kept_out(folder: ReviewFolder) -> frozenset[str]:
    """Keys of the documents of all campaigns that still certify something.

    Raises:
        UsageError: if a draw is damaged.
    """
    keys: set[str] = set()
    for campaign in folder.campaigns():
        if not campaign.is_ended:
            keys.update(one.doc_key for one in read_draw(campaign.draw() or b"").texts)
    return frozenset(keys)


def document_ids(output: ReviewedOutput) -> dict[Text, str]:
    """Text -> the id that it has in a corpus."""
    is_one_field = len({field for _, field in output.texts}) == 1
    return {text: text[0] if is_one_field else f"{text[0]}:{text[1]}" for text in output.texts}


def annotated(
    output: ReviewedOutput,
    access: AccessRecord,
    spans: Mapping[Text, Sequence[MarkedSpan]],
    order: Sequence[Text] | None = None,
    *,
    what: str = EXPORT,
) -> Iterator[AnnotatedDocument]:
    """Yields texts with what should be removed of them; each is recorded before.

    Args:
        spans: text -> all that is PHI of it.
        order: of the texts; None for that of their keys.
        what: they are recorded as (`accesses.WHATS`).

    Raises:
        DeskRefusal: if an original is not there, or the access cannot be recorded.
    """
    ids = document_ids(output)
    for text in sorted(spans) if order is None else order:
        access.record(text, what)
        published = output.texts[text]
        meta = {"patient": published.patient or text[0]}
        if published.queued.note_type is not None:
            meta["note_type"] = published.queued.note_type
        yield AnnotatedDocument(
            ids[text],
            output.original(text),
            tuple(Annotation(one.start, one.end, one.label) for one in spans[text]),
            meta,
        )


def gold_of_campaign(
    output: ReviewedOutput, campaign: ReviewFolder
) -> dict[Text, list[MarkedSpan]]:
    """What is PHI of the texts read in a campaign: what the run removed, and what is left.

    Marks on what was planted are on what the run removed, and count once.
    """
    gold: dict[Text, list[MarkedSpan]] = {}
    for text, marks in read_texts(campaign, output).spans.items():
        boxes = boxes_of(output.audit(text))
        removed = [MarkedSpan(box.start, box.end, box.label) for box in boxes]
        left = [
            one for one in marks if not any(b.start < one.end and one.start < b.end for b in boxes)
        ]
        gold[text] = sorted([*removed, *left], key=lambda one: (one.start, one.end))
    return gold


def write_corpus(path: str, documents: Iterable[AnnotatedDocument]) -> int:
    """Writes a corpus for its owner alone, whole or not at all; gives the number of documents.

    Raises:
        OSError: if it cannot be written.
    """
    return write_private(path, write(documents), replace=True)


@dataclasses.dataclass(frozen=True, slots=True)
class ExportedCorrections:
    """What an export wrote.

    Attributes:
        path: of the file.
        documents: in it.
        undecided: texts that are left out, as readers differ and nobody has decided.
        changed: texts whose words were others when they were read.
        campaigns: that were ended.
    """

    path: str
    documents: int
    undecided: int
    changed: int
    campaigns: int


def export_corrections(
    output: ReviewedOutput, folder: ReviewFolder, reviewer: str, *, with_measure: bool
) -> ExportedCorrections:
    """Writes what was read in the find queue; and of campaigns, which then certify nothing.

    Raises:
        UsageError: if nothing was read, or it cannot be written.
        DeskRefusal: if an original is not there, or an access cannot be recorded.
    """
    found = read_texts(folder, output)
    out = kept_out(folder)
    spans: dict[Text, Sequence[MarkedSpan]] = {
        text: marks for text, marks in found.spans.items() if text[0] not in out
    }
    ended = [one for one in folder.campaigns() if not one.is_ended] if with_measure else []
    path = folder.file(CORRECTIONS)
    for campaign in folder.campaigns() if with_measure else []:
        spans |= gold_of_campaign(output, campaign)
    if not spans:
        raise UsageError("review export: nothing was read to the end yet")
    if ended:  # no campaign ends for what cannot be exported
        for text in sorted(spans, key=lambda one: (output.unit_of(one), one)):
            output.original(text)
    try:
        for campaign in ended:
            # Before it is written: a campaign must not go on that may be trained on.
            write_private(campaign.file(ENDED), [], replace=True)
        access = AccessRecord(folder, reviewer)
        count = write_corpus(path, annotated(output, access, spans))
    except OSError as error:
        raise_shortage(error)
        raise UsageError(f"review export: cannot be written ({type(error).__name__})") from None
    return ExportedCorrections(path, count, found.undecided, found.changed, len(ended))
