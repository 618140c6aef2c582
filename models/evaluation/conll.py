"""CoNLL phrases: a predicted phrase is correct if a gold one has the same tokens and type.

Source: Tjong Kim Sang and De Meulder 2003, "Introduction to the CoNLL-2003 shared task", and the
rules by which its scorer `conlleval` splits tags into phrases. A sequence is a document.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..crf.codec import OUTSIDE, encode
from ..text.segmentation import ItemBounds
from .comparison import Comparison, LabelledSpans
from .scores import DocumentCounts
from .strict import Row, tally_rows


def count_phrases(comparison: Comparison) -> DocumentCounts:
    """Phrases of the BIO tags of the fine tokens, by document and type.

    Tags are flat: where spans overlap, the longest gets the token (`crf.codec.encode`). A span that
    touches no token gives no phrase.
    """
    names = comparison.label_names

    def rows(spans: LabelledSpans) -> set[Row]:
        return {
            (document, first, last, names.index(label))
            for document, tags in enumerate(token_tags(comparison, spans))
            for first, last, label in phrases(tags)
        }

    return tally_rows(comparison, rows(comparison.gold), rows(comparison.predicted), names)


def phrases(tags: Sequence[str]) -> list[tuple[int, int, str]]:
    """First token, last token and type of each phrase of BIO tags, including ill-formed ones.

    As in conlleval, a phrase begins at every `B-`, and at an `I-` at the beginning, after `O`, or
    after a tag of another type.
    """
    found: list[tuple[int, int, str]] = []
    previous = OUTSIDE
    for token, tag in enumerate(tags):
        if tag != OUTSIDE:
            label = tag[2:]
            if tag[0] == "B" or previous[2:] != label:  # "O"[2:] is empty
                found.append((token, token, label))
            else:
                found[-1] = (found[-1][0], token, label)
        previous = tag
    return found


def token_tags(comparison: Comparison, spans: LabelledSpans) -> list[list[str]]:
    """The BIO tags of the fine tokens of each document."""
    tokens = comparison.tokens
    return item_tags(
        comparison, spans, ItemBounds(tokens.document_offsets, tokens.starts, tokens.ends)
    )


def item_tags(comparison: Comparison, spans: LabelledSpans, items: ItemBounds) -> list[list[str]]:
    """The BIO tags of the items of each document."""
    starts, ends, offsets = (
        column.tolist() for column in (items.starts, items.ends, items.document_offsets)
    )
    # Numbers that sort as the labels do: not every label of a corpus can be part of a tag.
    number = {name: f"{n:09d}" for n, name in enumerate(comparison.label_names)}
    shown = {
        f"{place}-{code}": f"{place}-{name}" for name, code in number.items() for place in "BI"
    }
    shown[OUTSIDE] = OUTSIDE
    tags = []
    for document, found in enumerate(comparison.by_document(spans)):
        rows = slice(offsets[document], offsets[document + 1])
        coded = [(start, end, number[label]) for start, end, label in found]
        tags.append([shown[tag] for tag in encode(coded, starts[rows], ends[rows], "BIO")])
    return tags
