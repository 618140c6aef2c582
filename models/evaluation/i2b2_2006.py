"""The token scores of the i2b2 2006 challenge: words of eight classes.

Source: Uzuner, Luo and Szolovits 2007, "Evaluating the state-of-the-art in automatic
de-identification", section on evaluation metrics. The challenge splits its records into words at
white space; punctuation belongs to the word.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Collection

from ..core.label_maps import load_map
from ..core.labels import LABELS
from .comparison import Comparison, LabelledSpans
from .scores import DocumentCounts
from .strict import Row, tally_rows

MAP = "i2b2_2006"
_WORD = re.compile(r"\S+")


def native_or_2006(labels: Collection[str]) -> str | None:
    """For `Metric.lacks`: why labels are not enough for the metrics of i2b2 2006."""
    classes = load_map(MAP, "from_native").meanings
    if set(labels) <= set(LABELS) or set(labels) <= set(classes):
        return None
    return "needs the native labels or i2b2 2006's; map them with --label-map"


def count_words(comparison: Comparison) -> DocumentCounts:
    """Words by document and class: a word has a class if a span of the class touches it.

    Native labels are mapped to the classes first; labels that are classes already stay.
    """
    native = load_map(MAP, "from_native")
    classes = tuple(sorted(native.meanings))
    class_of = {
        name: name if name in classes else native.table.get(name) for name in comparison.label_names
    }
    places = [[match.span() for match in _WORD.finditer(text)] for text in comparison.texts]

    def words(spans: LabelledSpans) -> set[Row]:
        rows: set[Row] = set()
        for document, found in enumerate(comparison.by_document(spans)):
            starts, ends = ([place[at] for place in places[document]] for at in (0, 1))
            for start, end, label in found:
                name = class_of[label]
                if name is not None:
                    first, last = bisect.bisect_right(ends, start), bisect.bisect_left(starts, end)
                    rows.update((document, at, classes.index(name)) for at in range(first, last))
        return rows

    return tally_rows(comparison, words(comparison.gold), words(comparison.predicted), classes)
