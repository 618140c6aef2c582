"""Names that the document has said elsewhere: a later bare `Smith`, `SMITH's` or `Jane`.

The words of the names that other rules found are looked up in the whole document, in one pass. A
word that is an ordinary one too counts only as it is written in a name: `Brown` where it is
capitalised in the middle of a sentence or in a name's place, never `brown`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from ...dictionaries import load
from ..core.documents import Context, Document
from ..core.spans import Candidate
from .casing import CasedWords, words
from .evidence import Taken, evidence, labels_of_words
from .listed_name import find as listed
from .name_words import FIELD_WORDS, MONTHS_AND_DAYS, given_names, is_common
from .names import NameSpan, is_saint, names_an_institution
from .patterns import disjoint
from .word_forms import CAPITALISED, LOWER, OTHER, UPPER, plain_all

NAME = "known_name"
LABELS = ("PATIENT", "DOCTOR")
# 29 of 30 right: english_clinical_sample 3/3, demo/train 26/27.
# `python -m benchmarks.rules --scores`.
SCORE = 0.9375

# "jane.doe@example.org" is the business of another rule.
_ADDRESS = re.compile(r"[@_\d\\]|\.[^\W\d_]{2}|\.[^\W_]{1,20}@")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one candidate per mention of a known name, left to right and without overlap.

    Places where another rule has found a name are left to it.
    """
    text = document.text
    taken = sorted((*evidence(text), *listed(text)))
    if not taken:
        return
    found = words(text)
    known = labels_of_words(found, taken)
    for name in _places().intersection(known):
        del known[name]
    places = Taken(taken)
    candidates = []
    for index in found.among(known):
        start, end = found.starts[index], found.ends[index]
        if places.touches(start, end) or not _is_mention(found, index):
            continue
        candidates.append(Candidate(start, end, known[found.plains[index]], NAME, SCORE))
    yield from disjoint(_joined(text, candidates))


@functools.cache
def _places() -> frozenset[str]:
    """Words that name countries, states and nations far more often than people."""
    phrases = (
        phrase
        for name in ("countries_en", "nationalities_en", "us_states")
        for phrase in load(name).phrases
    )
    people = given_names()
    return frozenset(word for word in plain_all(phrases) if word not in people) | {"german"}


def _is_mention(found: CasedWords, index: int) -> bool:
    word, shape = found.texts[index], found.shapes[index]
    start, end = found.starts[index], found.ends[index]
    if _ADDRESS.match(found.text, end) or found.text[start - 1 : start] in ("@", "_", "\\"):
        return False
    if start > 1 and found.text[start - 1] == "." and found.text[start - 2].isalnum():
        return shape != LOWER
    if shape == LOWER:
        return not is_common(word) and len(word) > 3
    if shape not in (CAPITALISED, UPPER):
        return False
    stretch = NameSpan(index, index, found.starts[index], found.ends[index])
    if names_an_institution(found, stretch) or is_saint(found, index):
        return False
    if not is_common(word):
        return True
    # An ordinary word: capitals say nothing in a line of capitals or at the head of a sentence.
    name = found.plains[index]
    if shape == UPPER or name in FIELD_WORDS or name in MONTHS_AND_DAYS:
        return False
    gap = found.between(index - 1) if index else ""
    return gap in (" ", " (", "/", " / ") and found.shapes[index - 1] in (LOWER, OTHER)


def _joined(text: str, candidates: list[Candidate]) -> Iterator[Candidate]:
    """Neighbours of one label become one candidate: `Jane Smith`, `Smith, Jane`."""
    last: Candidate | None = None
    for candidate in candidates:
        if (
            last is not None
            and last.label == candidate.label
            and text[last.end : candidate.start] in (" ", ", ", ",", "-")
        ):
            last = Candidate(last.start, candidate.end, last.label, NAME, SCORE)
            continue
        if last is not None:
            yield last
        last = candidate
    if last is not None:
        yield last
