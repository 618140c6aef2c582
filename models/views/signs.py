"""What lies within escapes of signs names no one: `le` of `&le;50`, `8211` of `10&#8211;20 mg`.

Detectors see a text as it is written, and take names and numbers of characters for those of people.
Where the character is a letter or digit, what they find may be a part of a name; where it is a
dash, a bullet or a half, it is not, whichever detector finds it. What reaches beyond the
escape, to a letter or digit of the text, is believed.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

import numpy as np

from ..core.arrays import Flags
from ..core.batches import Batch
from ..core.views import View
from . import backslashes, entities, octets

NamesNoOne = Callable[[int, int], bool]
"""Whether a range of a text lies within escapes of signs."""

_SYMBOL = re.compile(
    # An ohm, a micro, a beta: one by itself is no name, two may be one of Greek.
    r"(?<![\u0370-\u03ff\u1f00-\u1fff])[\u0370-\u03ff\u2126\xb5](?![\u0370-\u03ff\u1f00-\u1fff])"
    r"|[\xaa\xba]"
)
"""Letters that are read as signs."""

_DECODERS = (*(entities.edits, octets.percent_edits, octets.quoted_edits, backslashes.edits),)


def signs_of(batch: Batch, index: int) -> NamesNoOne | None:
    """What tells of a document whether a candidate lies within escapes of signs.

    Returns:
        None where there are no such escapes, as in all documents without views.
    """
    if batch.views is None:
        return None
    owners = batch.views.owners
    views = batch.views.views[bisect_left(owners, index) : bisect_right(owners, index)]
    return within_signs(batch.documents.texts[index], views) if views else None


def within_signs(text: str, views: Sequence[View]) -> NamesNoOne | None:
    """As `signs_of`, of a text with its views. O(text)."""
    signs = np.zeros(len(text), np.bool_)
    for view in views:
        _mark(signs, text, view)
    if not signs.any():
        return None

    def within(start: int, end: int) -> bool:
        own = signs[start:end]
        # Punctuation between and beside them names no one either.
        return bool(own.any()) and not any(
            character.isalnum() and not sign
            for character, sign in zip(text[start:end], own.tolist(), strict=True)
        )

    return within


def _mark(signs: Flags, text: str, view: View) -> None:
    """Sets the flags of the characters that stand for no letter or digit."""
    low = text.rfind("\n", 0, int(view.starts[0])) + 1
    high = text.find("\n", int(view.ends[-1]) - 1) + 1 or len(text)
    # What is left out of a view, a joiner, has no place in it.
    for edits in _DECODERS:
        for start, end, replacement in edits(text[low:high]):
            if not any(map(_is_word, replacement)):
                signs[low + start : low + end] = True
    symbols = {match.start() for match in _SYMBOL.finditer(view.text)}
    wide = np.flatnonzero(view.ends - view.starts > 1).tolist()
    words = [at for at in wide if at not in symbols and _is_word(view.text[at])]
    for at in wide:
        signs[view.starts[at] : view.ends[at]] = True
    for at in words:
        signs[view.starts[at] : view.ends[at]] = False


def _is_word(character: str) -> bool:
    """Whether names and numbers are written with a character; not a half or a small two."""
    return character.isalpha() or character.isdecimal()
