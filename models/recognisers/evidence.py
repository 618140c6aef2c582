"""Names for which something beside them speaks, as the rules that see it find them.

The rules that know less (`listed_name`, `known_name`) leave such places alone, take their label
from them, or look the same names up again.
"""

from __future__ import annotations

import functools
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from ..core.spans import Candidate
from . import labelled_name, relative_name, role_name, signature, titled_name
from .casing import CasedWords
from .name_words import FUNCTION_WORDS, PARTICLES, SUFFIXES
from .word_forms import INITIAL, OTHER


@functools.lru_cache(maxsize=1)
def evidence(text: str) -> tuple[Candidate, ...]:
    """Candidates of the rules for titles, fields, relations, roles and signatures; may overlap."""
    return tuple(
        sorted(
            candidate
            for rule in (titled_name, labelled_name, relative_name, role_name, signature)
            for candidate in rule.find(text)
        )
    )


def labels_of_words(found: CasedWords, candidates: Iterable[Candidate]) -> dict[str, str]:
    """The words of names with the label that most of their mentions have (then the first).

    Initials, particles and words of grammar are left out; words are as `plain` writes them.
    """
    labels: dict[str, dict[str, int]] = {}
    for candidate in candidates:
        index = found.at(candidate.start)
        while index < len(found) and found.starts[index] < candidate.end:
            name = found.plains[index]
            if (
                found.shapes[index] not in (INITIAL, OTHER)
                and len(name) > 2
                and name not in PARTICLES
                and name not in SUFFIXES
                and name not in FUNCTION_WORDS
            ):
                counted = labels.setdefault(name, {})
                counted[candidate.label] = counted.get(candidate.label, 0) + 1
            index += 1
    return {name: max(counted, key=counted.__getitem__) for name, counted in labels.items()}


class Taken:
    """Whether places are covered by candidates, asked in logarithmic time.

    Args:
        candidates: sorted; they may overlap.
    """

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self._starts = [candidate.start for candidate in candidates]
        self._reaches: list[int] = []
        reach = 0
        for candidate in candidates:
            reach = max(reach, candidate.end)
            self._reaches.append(reach)

    def touches(self, start: int, end: int) -> bool:
        """Whether any candidate shares a character with [start, end)."""
        before = bisect_right(self._starts, end - 1)
        return before > 0 and self._reaches[before - 1] > start
