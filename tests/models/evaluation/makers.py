"""Marked texts, a tokenizer that one can do by hand, and random pairs of annotations."""

import re
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st
from scrubline.models.core.tokens import Sentences, Tokens
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.evaluation import METRICS, compare

WORD = re.compile(r"\w+|[^\w\s]")

PLAIN = {name: metric for name, metric in METRICS.items() if not metric.of_roster}
"""Metrics that need no roster."""


def tokenize(texts: Sequence[str]) -> Tokens:
    """Words and punctuation marks; each is a sentence of its own."""
    rows = [[match.span() for match in WORD.finditer(text)] for text in texts]
    places = np.array([place for row in rows for place in row], np.int64).reshape(-1, 2)
    marks = np.ones(len(places), np.bool_)
    offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    sections = np.full(len(places), -1, np.int64)
    return Tokens(offsets, places[:, 0], places[:, 1], marks, marks, Sentences(marks, sections))


def document(marked: str, doc_id: str = "1") -> AnnotatedDocument:
    """`Mr {PATIENT Lee}` is the text "Mr Lee" with a span on "Lee"."""
    text, spans = "", []
    for part in re.split(r"(\{[\w-]+ [^}]*\})", marked):
        if part.startswith("{"):
            label, part = part[1:-1].split(" ", 1)
            spans.append(Annotation(len(text), len(text) + len(part), label))
        text += part
    return AnnotatedDocument(doc_id, text, tuple(spans))


def placed(text: str, *spans: tuple[int, int, str], doc_id: str = "1") -> AnnotatedDocument:
    """A text with spans that may overlap."""
    return AnnotatedDocument(doc_id, text, tuple(Annotation(*span) for span in spans))


def measured(gold, predicted, metric, **options):
    """The summary of one metric."""
    assert metric in METRICS
    options = {"tokenize": tokenize, "resamples": 20, "metrics": [metric]} | options
    return compare(gold, predicted, **options).metrics[metric]


def counts(gold, predicted, metric, **options) -> tuple[int, int, int]:
    """TP, FP and FN of one metric, of all labels."""
    micro = measured(gold, predicted, metric, **options).micro
    return micro.tp, micro.fp, micro.fn


@st.composite
def pairs(draw: st.DrawFn, alphabet: str = "ab1.- \n🙂é", labels: Sequence[str] = "XYZ"):
    """Gold and predicted documents of equal texts; spans overlap and repeat freely."""
    texts = draw(st.lists(st.text(st.sampled_from(alphabet), max_size=12), max_size=3))

    def annotated() -> list[AnnotatedDocument]:
        made = []
        for ordinal, text in enumerate(texts):
            places = st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))
            spans = [
                (*sorted(place), draw(st.sampled_from(labels)))
                for place in draw(st.lists(places, max_size=5))
            ]
            kept = [span for span in spans if span[0] < span[1]]
            made.append(placed(text, *kept, doc_id=f"{ordinal:03}-01"))
        return made

    return annotated(), annotated()
