"""Phrases of dictionaries in gold documents, and which characters gold spans cover."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..corpora import AnnotatedDocument
from ..features.gazetteer import gazetteer_from_phrases
from ..text.tokenizer import tokenize_documents


def listed_phrases(
    documents: Sequence[AnnotatedDocument], phrases: Iterable[str]
) -> Iterator[tuple[list[str], list[tuple[int, int]], Iterator[tuple[int, int]]]]:
    """Yields the fine tokens of each document, where each is, and the token ranges of phrases.

    Case is ignored; the ranges are disjoint, the longest from the left.
    """
    trie = gazetteer_from_phrases(phrases, "fine")
    tokens = tokenize_documents([document.text for document in documents])
    for number, document in enumerate(documents):
        rows = tokens.of_document(number)
        starts, ends = tokens.starts[rows].tolist(), tokens.ends[rows].tolist()
        words = tokens.texts(number, document.text)
        folded = [word.casefold() for word in words]
        yield words, list(zip(starts, ends, strict=True)), iter(trie.match(folded))


def covered_by_spans(document: AnnotatedDocument) -> bytearray:
    """For each character 1 in a gold span, else 0."""
    covered = bytearray(len(document.text))
    for span in document.spans:
        covered[span.start : span.end] = b"\1" * (span.end - span.start)
    return covered
