"""Post codes outside the United States: by shape, by the word for them, or behind a place.

The codes of the United Kingdom, Ireland, Canada and Barbados have letters and a shape of their own.
Those of figures alone (Australia, New Zealand, South Africa and the Philippines four; Malaysia and
Pakistan five; India, Nigeria and Singapore six) count behind the word, behind a State or city of
the lists, or behind a town at the end of an address.

Sources of the shapes: Royal Mail, "Programmers' guide to the Postcode Address File" (areas, letters
that the last part has not); Eircode product guide; Canada Post, addressing guidelines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...dictionaries import phrase_set
from ..core.documents import Context, Document
from ..core.spans import Candidate
from .context_words import cased, folded, words_before
from .patterns import before, disjoint, is_word, number_is_whole, pattern, stands_alone, view

NAME = "post_code"
LABELS = ("ZIP",)
# 27 of 27 right on the readable half of `world`; no other corpus has such notes.
SCORE = 0.9655

_AREAS = phrase_set("post_code_areas_uk")
_UNITED_KINGDOM = pattern(r"([a-z]{1,2})\d[a-z\d]? {1,2}\d([abd-hjlnp-uw-z]{2})\b")
# "vitamin B6 1BD" is a dose.
_DOSES = frozenset((b"BD", b"QD", b"TD", b"PR", b"SL"))
_IRELAND = pattern(r"(?:[ac-fhknprtv-y]\d\d|d6w) ([0-9ac-fhknprtv-y]{4})\b")
# With its blank: "E4V4M6" is a score of consciousness.
_CANADA = pattern(r"[abceghj-nprstvxy]\d[abceghj-nprstv-z] \d[abceghj-nprstv-z]\d\b")
_BARBADOS = pattern(r"\bbarbados,? {1,2}(bb\d{5})\b")
_SINGAPORE = pattern(r"\b(?:singapore|s|s'?pore) {0,2}\(?(\d{6})\b")
_NAMED = pattern(
    r"\b(?:post ?code|postal code|pin ?code|eircode|p/?code)[ :#.=-]{1,5}(?:is )?"
    r"(\d{3} ?\d{3}|\d{4,6}|[a-z]{1,2}\d[a-z\d]?(?: ?| ?\r?\n ?)\d[a-z]{2}"
    r"|[a-z]\d[\dw] ?[a-z0-9]{4}"
    r"|[abceghj-nprstvxy]\d[a-z](?:[ -]?| ?\r?\n ?)\d[a-z]\d)\b"
)
# A State's abbreviation and four figures.
_AUSTRALIA = cased(r"\b(?:NSW|VIC|Vic|QLD|Qld|SA|WA|TAS|Tas|NT|ACT)\.?,? {1,2}(\d{4})\b")
_FIGURES = pattern(r"\d{6}|[1-8]\d{2} \d{3}|\d{4,5}")
_TOWN = re.compile(
    r"(?P<before>^|[,(\"] ?|[a-z]\.?,? )(?P<town>[A-Z][a-z?'.-]{2,24}(?: [A-Z][a-z?'.-]{2,24}){0,2}"
    r"\)?|[A-Z]\.[A-Z]\.|D[ist]{1,4}\.|T[kq]\.)(?P<gap>,? {1,2}| ?- ?)$"
)
# In the same line before the town.
_ADDRESS = re.compile(
    r"\b(?:address|addr|alamat|street|st|road|rd|ave(?:nue)?|drive|dr|lane|crescent|cres|terrace|tce"
    r"|jalan|jln|lorong|taman|kampung|kg|ladang|blk|block|flat|h\.? ?no|plot|sector|nagar|colony"
    r"|site|ext|brgy|barangay|highway|hwy|p\.?o|dist(?:t|rict)?|dt|tk|taluk|tq|tal|teh(?:sil)?"
    r"|vill(?:age)?|estate|r/o|res)\b"
)
# Before the town, where no comma is.
_STREET = re.compile(
    r"\b(?:street|st|road|rd|ave(?:nue)?|drive|lane|crescent|cres|terrace|tce|highway|hwy)\.?"
    r" [a-z?'. -]{3,32}$"
)
_NO_TOWNS = re.compile(
    r"(?:.* )?(?:box|pin|reg|no|lic|ext|bleep|pager|room|ward|bed|unit|close|out|chart|plate|tel"
    r"|mob|ph|fax|cell|dr|mr|mrs|ms|from|age|aged|hosp|hospital|police|case|file|ref|billing)\.?"
)
# Malaysia: five figures before the town.
_BEFORE_TOWN = cased(r"(?:,|\n) {0,2}(\d{5}) [A-Z][a-z]{2,20}")
_MALAY = re.compile(
    r"\b(?:jalan|jln|lorong|taman|kampung|kg|ladang|alamat|batu|persiaran|bandar|felda|lot)\b"
)
_CLOSED = re.compile(rb"[ \t]*(?:$|[\n\r,;.)|(]|  |\t| (?:[Tt]el|[Pp]h|[Mm]ob|[Ff]ax|[Cc]ell|DOB))")
_YEAR = re.compile(r"(?:19|20[0-3])\d")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one ZIP a code, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = [*_lettered(text, seen), *_named(text, seen), *_behind_towns(text, seen)]
    yield from disjoint(Candidate(start, end, "ZIP", NAME, SCORE) for start, end in found)


def _lettered(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _UNITED_KINGDOM.finditer(seen):
        start, end = match.span()
        area, last = match.group(1) or b"", match.group(2) or b""
        if (
            area.decode("ascii").lower() in _AREAS
            and _stands(text, start, end)
            and (len(area) > 1 or last not in _DOSES)
        ):
            yield start, end
    for match in _IRELAND.finditer(seen):
        start, end = match.span()
        last = match.group(1) or b""
        if not last.isdigit() and not last.isalpha() and _stands(text, start, end):
            yield start, end
    for match in _CANADA.finditer(seen):
        if _stands(text, *match.span()):
            yield match.span()


def _stands(text: str, start: int, end: int) -> bool:
    return stands_alone(text, start, end) and text[start:end].upper() == text[start:end]


def _named(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for shape in (_SINGAPORE, _BARBADOS, _NAMED, _AUSTRALIA):
        for match in shape.finditer(seen):
            start, end = match.span(1)
            if (
                not is_word(text, match.start() - 1)
                and not is_word(text, end)
                and (shape is _NAMED or text[match.start()].isupper())
                and number_is_whole(text, start, end)
                and (shape is not _AUSTRALIA or _CLOSED.match(seen, end))
            ):
                yield start, end


def _behind_towns(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _FIGURES.finditer(seen):
        start, end = match.span()
        if not (stands_alone(text, start, end) and number_is_whole(text, start, end)):
            continue
        left = seen[max(0, start - 28) : start].rpartition(b"\n")[2].decode("latin-1")
        town = _TOWN.search(left)
        if town is None or _NO_TOWNS.fullmatch(town["town"].lower()):
            continue
        size = end - start
        if not _CLOSED.match(seen, end) or (size == 4 and _YEAR.match(text[start:end])):
            continue
        if _is_behind(seen, start, town, size):
            yield start, end
    for match in _BEFORE_TOWN.finditer(seen):
        start, end = match.span(1)
        if _MALAY.search(before(seen, start, 96)):
            yield start, end


def _is_behind(seen: bytes, start: int, town: re.Match[str], size: int) -> bool:
    """Whether figures behind a capitalised word end an address."""
    addressed = _ADDRESS.search(before(seen, start, 72)) is not None
    if size == 4:
        # Four figures are times and doses as well.
        joined = "," in town["before"] or _STREET.search(before(seen, start, 40)) is not None
        return addressed and joined and "-" not in town["gap"]
    if size == 5 and "-" in town["gap"]:
        return " " in town["gap"] and _is_city(seen, start - len(town["gap"]))
    return addressed or _is_city(seen, start - len(town["gap"]))


def _is_city(seen: bytes, end: int) -> bool:
    names = [word.low for word in words_before(seen, end, 3)]
    places = folded("world_cities") | folded("states_abroad_en")
    return any(" ".join(reversed(names[:size])) in places for size in (1, 2, 3))
