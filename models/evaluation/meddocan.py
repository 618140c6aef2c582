"""MEDDOCAN's own scores besides strict NER: leak score, and sensitive spans, strict and merged.

Source: Marimon et al. 2019, "Automatic De-identification of Medical Texts in Spanish: the MEDDOCAN
Track", section 2.3, and the rules of its evaluation script
(github.com/PlanTL-GOB-ES/MEDDOCAN-Evaluation-Script).
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Callable, Collection, Sequence

from .comparison import Comparison, LabelledSpans, count_by_document
from .portions import Portions
from .scores import DocumentCounts
from .strict import count_strict_spans, tally_of, tally_rows

Range = tuple[int, int]
"""Start and end of a span."""


def find_leak_score(comparison: Comparison) -> Portions:
    """Spans missed by the strict NER score, per sentence.

    The script reads the number of sentences from files that the organisers made with their own
    splitter; here sentences are those of our tokenizer, so compare only scores of one program.
    """
    missed = count_strict_spans(comparison).fn.sum(axis=1)
    sentences = count_by_document(
        comparison.tokens.starts_sentence, comparison.tokens.document_offsets
    )
    return Portions({"missed_spans_per_sentence": (missed, sentences)})


def count_sensitive_spans(comparison: Comparison) -> DocumentCounts:
    """Sub-track 2, strict: spans with the same start and end, whatever the label."""
    gold, predicted = (
        [(document, *place) for document, found in enumerate(side) for place in found]
        for side in (_places(comparison, s) for s in (comparison.gold, comparison.predicted))
    )
    return tally_rows(comparison, gold, predicted, None)


def count_merged_spans(comparison: Comparison) -> DocumentCounts:
    """Sub-track 2, merged: neighbours without a letter or digit between them may be one span.

    True positives are the spans that are equal as they are and those that are equal once joined, in
    one set; a span inside one of them is not an error.
    """
    tables: list[list[tuple[int, ...]]] = [[], [], []]
    sides = (_places(comparison, s) for s in (comparison.gold, comparison.predicted))
    for document, (text, gold, predicted) in enumerate(zip(comparison.texts, *sides, strict=True)):
        joined = set(merged(text, gold)) & set(merged(text, predicted))
        right = (set(gold) & set(predicted)) | joined
        within = _within(right)
        false = [place for place in set(predicted) - set(gold) if not within(place)]
        missed = [place for place in set(gold) - set(predicted) if not within(place)]
        for table, places in zip(tables, (right, false, missed), strict=True):
            table += [(document, *place) for place in places]
    tp, fp, fn = tables
    return tally_of(len(comparison), None, tp, fp, fn)


def merged(text: str, places: Sequence[Range]) -> list[Range]:
    """Spans in order, with those joined that have no letter or digit between them.

    As in the script, the end is that of the later span, even if that one is nested.
    """
    joined: list[Range] = []
    for start, end in places:
        if joined and not any(character.isalnum() for character in text[joined[-1][1] : start]):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _places(comparison: Comparison, spans: LabelledSpans) -> list[list[Range]]:
    """The ranges of the spans of each document, sorted and unique."""
    return [
        sorted({(start, end) for start, end, _ in found}) for found in comparison.by_document(spans)
    ]


def _within(others: Collection[Range]) -> Callable[[Range], bool]:
    """A test whether a range is inside one of the others, which may overlap."""
    ordered = sorted(others)
    starts = [start for start, _ in ordered]
    # The furthest end of all ranges that start no later.
    reach = list(itertools.accumulate((end for _, end in ordered), max))

    def check(place: Range) -> bool:
        before = bisect.bisect_right(starts, place[0])
        return before > 0 and place[1] <= reach[before - 1]

    return check
