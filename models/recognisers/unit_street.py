"""Street lines that begin with a part of a building, or have the forms of South and East Asia.

"Flat 6, Lockwood Court, 118 Horbury Road", "5/88 Carlisle Ave", "2/117, North Street", "Blk 318
Teban Vale Ave 2 #01-04", "Lot 1187 Jalan Parit Haji Omar". A word for a part alone ("Block 4",
"Unit 3") is no address: a word for a street or an estate has to follow.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .context_words import CAPITAL, LETTER, cased
from .patterns import disjoint, is_word, view

NAME = "unit_street"
LABELS = ("STREET",)
# 10 of 10 right on the readable half of `world`; no other corpus has such notes.
SCORE = 0.9167

_WORD = rf"(?:{CAPITAL}{LETTER}{{1,19}}(?:[?'-]{LETTER}{{1,19}})?|St\.|{CAPITAL}\.?)"
_STREETS = (
    r"Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Close|Crescent|Cres|Way|Terrace|Tce|Place|Pl"
    r"|Gardens|Grove|Square|Sq|Quay|Row|Mews|Hill|Walk|Link|Central|Highway|Hwy|Parade|Pde|Bazaa?r"
    r"|Marg|Nagar|Colony|Layout|Estate|Enclave|Society|Theru|Gali|Mohalla|Chowk|Ring"
)
_LAST = rf"(?:{_STREETS}|{_STREETS.upper()})\b"
_UNIT = (
    r"(?:[Ff]lat|FLAT|Apt\.?|APT|Apartment|Unit|UNIT|Suite|Block|BLOCK|Blk|BLK|Plot|PLOT|Lot|LOT|Shop"
    r"|Bothy|Room|H\. ?No\.?|House No\.?|Door No\.?|D\. ?No\.?|Site) {0,2}#?"
    r"(?:\d{1,5}[A-Z]?(?:[/.-]\d{1,4}[A-Z]?){0,3}|[A-Z](?:[-/ ]?\d{1,4})?)"
)
_NUMBER = r"\d{1,5}[A-Za-z]?(?:[/-]\d{1,4}[A-Za-z]?)?"
_PIECE = rf"(?:{_NUMBER},? )?{_WORD}(?: {_WORD}){{0,3}}"
_AFTER = r"(?:\.? \d{1,2}\b)?(?:,? #\d{1,2}-\d{1,4})?"
_BY_UNIT = cased(
    rf"\b{_UNIT},? (?:(?:{_UNIT}|{_PIECE}), ?){{0,2}}(?:{_NUMBER},? )?(?:{_WORD} ){{1,4}}"
    rf"{_LAST}{_AFTER}"
)
_BY_SLASH = cased(rf"\b\d{{1,4}}[A-Z]?/\d{{1,4}}[A-Z]?,? (?:{_WORD} ){{1,3}}{_LAST}{_AFTER}")
_JALAN = cased(
    rf"\b(?:(?:{_UNIT}|No\.? ?\d{{1,4}}[A-Z]?|\d{{1,4}}[A-Z]?),? )?"
    rf"(?:Jalan|JALAN|Jln\.?|Lorong|Persiaran|Lebuh|Leboh)"
    rf" (?:\d{{1,2}}/\d{{1,3}}[A-Z]?|{_WORD}(?: {_WORD}){{0,3}})"
    r"(?: \d{1,2}(?:/\d{1,3}[A-Z]?)?\b)?"
)


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields STREET candidates, left to right and without overlap."""
    text = document.text
    seen = view(text)
    yield from disjoint(
        Candidate(*match.span(), "STREET", NAME, SCORE)
        for lines in (_BY_UNIT, _BY_SLASH, _JALAN)
        for match in lines.finditer(seen)
        if not is_word(text, match.start() - 1)
        and seen[match.start() - 1 : match.start()] not in (b"/", b"-", b".")
        and not is_word(text, match.end())
    )
