"""Numbers that a country gives its people, and its health services their patients.

By their words (`NHS No`, `Aadhaar`), by word and form, and without a word where the form and the
check digit say enough. Sources of forms and check digits: the pages of each issuer, as
python-stdnum 2.1 lists them, whose checks a test compares with these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .matching import Pattern
from .named_numbers import has_unit, is_capital, is_unnamed, named
from .national_schemes import SCHEMES
from .patterns import before, disjoint, is_word, number_is_whole, stands_alone, view

NAME = "national_number"
LABELS = ("HEALTHPLAN", "IDNUM", "MEDICALRECORD", "SSN")
# 58 of 58 right on the readable half of `world`; no other corpus has such notes.
SCORE = 0.9833

_BARE = str.maketrans("", "", " -./()\r\n")
# A telephone number may have any form and now and then any check digit.
_CALLED = re.compile(
    r"\b(?:tel\w*|ph(?:one)?|mob(?:ile)?|cell|fax|call\w*|pager|bleep|rang|ring|text\w*|at|hp)"
    r"[^a-z\d]{0,6}$|\+\d{0,3}[ (]{0,2}$"
)


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one candidate a number, left to right and without overlap.

    Behind its word any number counts, without one the check digit must agree.
    """
    text = document.text
    seen = view(text)
    found = []
    for scheme in SCHEMES:
        spans: list[tuple[int, int]] = []
        if scheme.named is not None:
            spans += [(s, e) for _, s, e in named(text, seen, scheme.named, long_groups=True)]
        if scheme.shaped is not None:
            spans += _by_word_and_shape(text, seen, scheme.shaped, scheme.check)
        if scheme.alone is not None:
            spans += _by_shape(text, seen, scheme.alone, scheme.check)
        found += [Candidate(start, end, scheme.label, NAME, SCORE) for start, end in spans]
    yield from disjoint(found)


def _by_shape(
    text: str, seen: bytes, shape: Pattern, check: Callable[[str], bool]
) -> Iterator[tuple[int, int]]:
    """Yields the numbers of a form that their check digits agree with."""
    for match in shape.finditer(seen):
        start, end = match.span()
        if (
            stands_alone(text, start, end)
            and number_is_whole(text, start, end)
            and is_capital(text, start, end)
            and check(seen[start:end].decode("latin-1").upper().translate(_BARE))
            and is_unnamed(seen, start)
            and not _CALLED.search(before(seen, start, 16))
            and not has_unit(seen, end)
        ):
            yield start, end


def _by_word_and_shape(
    text: str, seen: bytes, both: Pattern, check: Callable[[str], bool]
) -> Iterator[tuple[int, int]]:
    """Yields the numbers of a form behind their word, whatever their check digit.

    Over a line end the check digit must agree, and the number must end there: the next line may
    begin with one of its own.
    """
    for match in both.finditer(seen):
        start, end = match.span(1)
        if is_word(text, match.start() - 1) or not stands_alone(text, start, end):
            continue
        number = seen[start:end]
        broken = b"\n" in number
        if not broken or (
            number.count(b"\n") == 1
            and number_is_whole(text, start, end)
            and not has_unit(seen, end)
            and check(number.decode("latin-1").upper().translate(_BARE))
        ):
            yield start, end
