"""ZIP codes: five digits, or nine, behind a state, behind a city of the list, or named as ZIP.

A bare number of five digits is never one. Source of the forms: United States Postal Service,
Publication 28, section 22.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .context_words import folded, words_before
from .patterns import before, disjoint, is_word, number_is_whole, pattern, view

NAME = "zip_code"
LABELS = ("ZIP",)
# 15 of 15 right: english_clinical_sample 3/3, demo/train 11/11, asq_phi 1/1.
# `python -m benchmarks.rules --scores`.
SCORE = 0.9412

_CODE = pattern(r"\d{5}(?:-\d{4})?")
_NAMED = re.compile(
    r"\b(?:zip(?: ?\+ ?4)?(?: ?code)?|postal ?code|postcode)\b[ :#=.-]{0,4}(?:is |of )?$"
)
# Between state and code there is white space, one mark, or the separator of a form or message.
_SHORT_STATES = frozenset(
    name.replace(".", "").upper() for name in folded("us_state_abbreviations")
)
_LONG_STATES = frozenset(name for name in folded("us_states"))


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one ZIP a code, left to right."""
    text = document.text
    seen = view(text)
    found = []
    for match in _CODE.finditer(seen):
        start, end = match.span()
        if is_word(text, end) or is_word(text, start - 1) or not number_is_whole(text, start, end):
            continue
        if _NAMED.search(before(seen, start)) or _behind_place(seen, start):
            found.append(Candidate(start, end, "ZIP", NAME, SCORE))
    yield from disjoint(found)


def _behind_place(seen: bytes, start: int) -> bool:
    """Whether a state, or a city of the list, ends before an offset."""
    left = seen[max(0, start - 48) : start].decode("latin-1")
    bare = left.rstrip(" \t\r\n,.*|/^-")
    gap = left[len(bare) :]
    if not gap or len(gap) > 24 or gap.count("\n") > 1 or not bare:
        return False
    word = re.split(r"[^A-Za-z.]", bare)[-1]
    short = word.replace(".", "")
    if word.isupper() and short in _SHORT_STATES and len(short) == 2:
        # "OR 12345" in capitals is a room and a number: a city or a separator goes before.
        rest = bare[: -len(word)]
        return "^" in gap or _ends_a_place(rest)
    if short.upper() in _SHORT_STATES and gap.startswith("."):
        return True
    words = [w.text.lower() for w in words_before(seen, max(0, start - len(gap)), 3)]
    names = {" ".join(reversed(words[:size])) for size in (1, 2, 3)}
    if not bare[len(bare) - len(word) :][:1].isupper():
        return False
    return bool(names & _LONG_STATES) or (bool(names & folded("us_cities")) and "\n" not in gap)


def _ends_a_place(rest: str) -> bool:
    """Whether what precedes a state's two letters ends with a capitalised word, as cities do."""
    rest = rest.rstrip(" ,*|/^\t\r\n")
    word = re.split(r"[^\w'.?-]", rest)[-1] if rest else ""
    return word[:1].isupper()
