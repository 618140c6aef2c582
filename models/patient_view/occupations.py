"""Occupations in groups, so that none of them tells of a person.

Source: Standard Occupational Classification 2018, major groups, and the high-level aggregation of
them (Bureau of Labor Statistics); O*NET has the same groups.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

from ...dictionaries import load_weighted

GROUPS: Mapping[int, str] = {
    11: "management",
    13: "business and finance",
    15: "computers and mathematics",
    17: "architecture and engineering",
    19: "science",
    21: "community and social service",
    23: "legal",
    25: "education and library",
    27: "arts, sports and media",
    29: "healthcare practice",
    31: "healthcare support",
    33: "protective service",
    35: "food preparation and serving",
    37: "building and grounds",
    39: "personal care and service",
    41: "sales",
    43: "office and administration",
    45: "farming, fishing and forestry",
    47: "construction and extraction",
    49: "installation and repair",
    51: "production",
    53: "transportation",
    55: "military",
}
"""Number of a major group -> its name."""

_KINDS: Mapping[str, tuple[int, int]] = {
    "management, business, science and arts": (11, 29),
    "service": (31, 39),
    "sales and office": (41, 43),
    "resources, construction and maintenance": (45, 49),
    "production and transportation": (51, 53),
    "military": (55, 55),
}
_KIND_OF: Mapping[str, str] = {
    GROUPS[number]: kind
    for kind, (first, last) in _KINDS.items()
    for number in GROUPS
    if first <= number <= last
}
_WORD = re.compile(r"[a-z]+(?:['’-][a-z]+)*")
_MOST_WORDS = 5


def kind_of_work(group: str) -> str:
    """The kind of work of a group, of which there are six."""
    return _KIND_OF[group]


@functools.cache
def _groups_of_words() -> Mapping[str, int]:
    return load_weighted("occupation_groups_en")


def group_of(occupation: str) -> str | None:
    """The group of an occupation as a note names it; None if it is not known.

    The longest known phrase counts, of equal ones the last: a `retired school bus driver` drives.
    """
    words = _WORD.findall(occupation.casefold().replace("’", "'"))[:20]
    known = _groups_of_words()
    for size in range(min(_MOST_WORDS, len(words)), 0, -1):
        for first in range(len(words) - size, -1, -1):
            phrase = " ".join(words[first : first + size])
            number = known.get(phrase) or known.get(phrase.removesuffix("s"))
            if number is not None:
                return GROUPS[number]
    return None
