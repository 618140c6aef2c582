"""Names that a roster knows: how many of their words within gold spans are removed.

The words are those that the roster has of the note's own patient, relatives and contacts, as they
are written in any case, and nicknames. A *weak* one is a word as well (`May`, `Long`); see
`models/roster/names.py`. Words within an edit are not counted: the roster does not say them.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..core.known_values import PersonKind
from ..roster.folding import WORD, FoldedView
from ..roster.names import KnownNames, NameClass
from .comparison import Comparison
from .portions import Portions

ALL, STRONG, WEAK = "all words", "strong", "weak"
PATIENT, OTHERS = "of the patient", "of relatives and contacts"


def find_known_names(comparison: Comparison) -> Portions:
    """Words of known names within gold spans of which every character is removed, by class.

    A document of which nothing is known counts in no portion.
    """
    assert comparison.known is not None, "it is computed with a roster alone"
    names = (ALL, STRONG, WEAK, PATIENT, OTHERS)
    counts = {name: np.zeros((len(comparison), 2), np.int64) for name in names}
    gold = comparison.covered(comparison.gold)
    for document, (text, known) in enumerate(zip(comparison.texts, comparison.known, strict=True)):
        shift = int(comparison.text_offsets[document])
        for start, end, groups in _words(text, KnownNames.of(known)) if known else ():
            place = slice(shift + start, shift + end)
            if gold[place].all():
                for group in groups:
                    counts[group][document] += (comparison.removed[place].all(), 1)
    return Portions({name: (found[:, 0], found[:, 1]) for name, found in counts.items()})


def _words(text: str, names: KnownNames) -> Iterable[tuple[int, int, tuple[str, str, str]]]:
    """Yields the words of a text that are words of a name, with what they count for."""
    view = FoldedView.of(text)
    for match in WORD.finditer(view.folded):
        what = names.words.get(match[0])
        if what is not None and what.strength is not NameClass.SHORT:
            strength = STRONG if what.strength is NameClass.STRONG else WEAK
            whose = PATIENT if what.kind is PersonKind.SELF else OTHERS
            yield (*view.span(*match.span()), (ALL, strength, whose))
