"""Where a name ends because an eponym begins: `Patient: Ivy Baker Allis sign`."""

from __future__ import annotations

from .casing import CasedWords
from .name_words import EPONYM_NOUNS, NO_PERSONS, PARTICLES, SUFFIXES, eponyms, is_given
from .names import NameSpan
from .word_forms import INITIAL, LOWER


def before_eponym(found: CasedWords, stretch: NameSpan) -> NameSpan | None:
    """A name without the eponym that it runs into: "Ivy Baker" of "Ivy Baker Allis sign".

    Returns:
        The stretch itself if no eponym ends it. None if all of it may be one ("Grey Turner sign",
        "Charles Bonnet syndrome", "Murphy's").
    """
    if not _ends_in_eponym(found, stretch):
        return stretch
    last = stretch.last - 1
    if last >= stretch.first and _are_one_eponym(found, last):
        last -= 1
    while last >= stretch.first and found.plains[last] in PARTICLES:
        last -= 1
    left = range(stretch.first, last + 1)
    if not left:
        return None
    apart = "," in found.between(last)
    if len(left) == 1 and not apart and is_given(found.texts[last]):
        return None
    if len(left) > 1 and all(
        found.plains[i] in eponyms() and not is_given(found.texts[i]) for i in left
    ):
        return None
    end = found.ends[last]
    if found.shapes[last] == INITIAL and found.text[end : end + 1] == ".":
        end += 1
    return NameSpan(stretch.first, last, stretch.start, end)


def _ends_in_eponym(found: CasedWords, stretch: NameSpan) -> bool:
    """Whether a sign, an instrument or the like is called by the last word of a stretch."""
    gap, following = found.between(stretch.last), stretch.last + 1
    if found.ends[stretch.last] != stretch.end or found.plains[stretch.last] in SUFFIXES:
        return False
    if _are_one_eponym(found, stretch.last):
        return True
    if gap[:2] in ("'s", "’s") and gap[2:3] in (",", ";", "."):
        # "Kocher's, Allis", but not "Agnes Murphy's daughter".
        return found.plains[stretch.last] in eponyms()
    return (
        following < len(found)
        and gap in (" ", "'s ", "’s ")
        and found.plains[following] in EPONYM_NOUNS
        # "Agnes Stone line" is of an eponym; in one case throughout only what is listed is.
        and (
            found.plains[stretch.last] in eponyms()
            or found.shapes[following] == LOWER != found.shapes[stretch.last]
        )
    )


def _are_one_eponym(found: CasedWords, index: int) -> bool:
    """Whether a word and the next are an eponym of two names: "Grey Turner"."""
    if index + 1 >= len(found) or found.between(index) != " ":
        return False
    pair = f"{found.plains[index]} {found.plains[index + 1]}"
    return pair in NO_PERSONS or pair in eponyms()
