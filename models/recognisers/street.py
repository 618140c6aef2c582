"""Streets: the whole line of an address with its suite or flat, and streets that are only named.

A number, one to five words and a word for a street ("404 Elm Avenue South"), a numbered street ("88
W. 2nd St., Unit C"), a highway ("Highway 154", "I-75"), a rural route ("RR 2 Box 14"). Without a
number a capitalised name and a word for a street do, where the word has no other use ("N 7th Ave");
with a word that has one ("Circle", "Place", "Court", "Dr") a number has to precede.

Source of the words: United States Postal Service, Publication 28, appendix C.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...dictionaries import phrase_set, word_set
from ..core.documents import Context, Document
from ..core.spans import Candidate
from .context_words import ContextWord, cased, folded, name_run, spaced_out, words_before
from .matching import Match
from .patterns import before, disjoint, is_word, pattern, view

NAME = "street"
LABELS = ("STREET",)
# 30 of 31 right: english_clinical_sample 4/4, demo/train 19/20, asq_phi 7/7.
# `python -m benchmarks.rules --scores`.
SCORE = 0.9394

# Entries of the list that are no words for a street: parts of a building, boxes, and words that
# hardly ever end a street's name but often a hospital's or a village's.
_PARTS = phrase_set("street_parts_en") | {"p.o. box", "po box", "rural route"}
_WORDS = sorted(
    {word.rstrip(".") for word in folded("street_words_en") - _PARTS}
    | phrase_set("street_more_words_en"),
    key=lambda word: (-len(word), word),
)
# Words that are hardly ever anything but a street's last, so that no number has to precede.
_CERTAIN = phrase_set("street_certain_words_en")
_SUFFIX = "|".join(re.escape(word) for word in _WORDS)
_DIRECTION = (
    r"(?:north|south|east|west|northeast|northwest|southeast|southwest|[ns]\.?[ew]\.?|[nsew]\.?)"
)
_PART = (
    r"(?:(?:,? {0,2}|\n)(?:apt|apartment|suite|ste|unit|flat|room|rm|bldg|building|floor|fl"
    r"|level|lot|space|spc"
    r"|trlr|penthouse|ph|no|number)\b\.? {0,2}#? {0,2}[a-z]?-?\d{0,5}-?[a-z]?\b"
    r"|,? {0,2}# {0,2}[a-z]?-?\d{1,5}-?[a-z]?\b|,? {0,2}\d{1,2}(?:st|nd|rd|th) (?:floor"
    r"|fl)\b\.?){0,3}"
)
_NUMBERS = (
    r"(?:\d{1,6}(?:-\d{1,5})?(?: ?1/2|[a-d])?"
    r"|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|fifty)"
)
_NAME = r"(?:\d{1,3}(?:st|nd|rd|th)|[a-z\xc0-\xff][a-z\xc0-\xff'?-]{0,19}|(?:st|mt|ft|[a-z])\.)"
_NUMBERED = pattern(
    rf"\b({_NUMBERS}),? {{1,2}}((?:{_DIRECTION} )?(?:{_NAME} ){{1,4}}?)({_SUFFIX})\b"
    # "2200 Quarry Hill Road"
    rf"(?: ({'|'.join(sorted(_CERTAIN))}|st)\b)?(\.?)"
    rf"(?: {_DIRECTION}\b)?{_PART}"
)
_SUFFIX_FIRST = pattern(
    rf"\b({_NUMBERS}) {{1,2}}(?:{_DIRECTION} )?(?:avenue|ave|avenida|calle|camino|rue|via"
    rf"|highway|hwy|route|rte"
    rf"|county road|co rd|state road|farm road)"
    rf" (?:(?:de|del|la|las|los|of|the|route|highway|hwy) ){{0,2}}(?:[a-z]{{1,20}}"
    rf"|\d{{1,4}}[a-z]?)\b{_PART}"
)
_ROUTE = pattern(
    r"\b(?:rr|r\.r\.|rural route|rural rte|rfd|hc|hcr) ?#? ?\d{1,3},? ?(?:box"
    r"|bx) ?#? ?\d{1,5}[a-z]?\b"
    r"|\b(?:county|state|farm|township|forest service|fire) (?:road|rd|route|rte|highway"
    r"|hwy) ?#? ?\d{1,5}[a-z]?\b"
    r"|\b(?:highway|hwy\.?|interstate|route|rte\.?|turnpike|us highway|u\.s\. highway"
    r"|state route) \d{1,4}[a-z]?\b"
    # Canada: site and compartment on a rural route, in any order.
    r"|\b(?:rr|r\.r\.|rural route) ?#? ?\d{1,3},? (?:site|ss|comp|box) ?#? ?\d{1,4}"
    r"(?:,? (?:site|comp(?:artment)?|box) ?#? ?\d{1,4})?\b"
    r"|\bsite \d{1,4},? (?:comp(?:artment)?|box) \d{1,4},? (?:rr|r\.r\.) ?#? ?\d{1,3}\b"
    r"|\b(?:rural route|rr) ?#? ?\d{1,3}\b"
)
_ROAD_SIGN = cased(
    r"\bI-\d{1,3}\b|\b(?:US|SR|CR|FM)[- ]\d{1,4}\b(?:[ \n]?(?:[Ee]ast|[Ww]est|[Nn]orth"
    r"|[Ss]outh)\b)?"
)
_ON_A_ROAD = re.compile(
    r"\b(?:on|off|along|near|at|left|via|down|from|take|took|of|driving|place|and|&|highway"
    r"|exit|crash|mvc"
    r"|mva|collision|traffic|northbound|southbound|eastbound|westbound)[: ]{1,12}(?:the )?$"
)
_UNNUMBERED_WORDS = "|".join(sorted(_CERTAIN | {"st"}))
_UNNUMBERED = pattern(rf" ({_UNNUMBERED_WORDS})\b(\.?)(?: {_DIRECTION}\b)?{_PART}")
_BEGINS_A_SAINT = cased(r"\.? [A-Z]")
_DIRECTIONS = word_set("n s e w ne nw se sw north south east west")
_CORNER = cased(
    r"\b(?:[Cc]orner of|[Ii]ntersection of"
    r"|[Cc]rossing of) ((?:[A-Z0-9][\w'.]{0,15} ){1,3}(?:and"
    r"|&) [A-Z0-9][\w']{1,15}(?: [A-Z][\w']{1,15})?)"
    r"|\b((?:\d{1,3}(?:st|nd|rd|th)) & [A-Z][a-z]{2,15}(?: (?:St(?:reet)?|Ave(?:nue)?))?)\b"
)
# Words of measures and of prose, which make of "2 L ... Drive" no address.
_NO_NAMES = phrase_set("street_no_names_en") | folded("weekdays_en")
_STOPS = _NO_NAMES | phrase_set("street_stops_en") | folded("months_en")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields STREET candidates, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = [*_lines(text, seen), *_routes(text, seen), *_names(text, seen)]
    yield from disjoint(
        Candidate(start, end - bool(_FULL_STOP.search(before(seen, end))), "STREET", NAME, SCORE)
        for start, end in found
    )


# "in Toorak Road.": a word in full has no dot of its own.
_FULL_STOP = re.compile(r"\b(?:road|street|avenue|lane|drive|court|terrace|crescent|close|way)\.$")


def _trimmed(seen: bytes, start: int, end: int) -> tuple[int, int]:
    return start, start + len(seen[start:end].rstrip(b" ,\n"))


def _lines(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _NUMBERED.finditer(seen):
        if is_word(text, match.start() - 1) or is_word(text, match.end()):
            continue
        if seen[max(0, match.start() - 1) : match.start()] in (b"/", b".", b"-", b":", b"%"):
            continue
        # "Hill Road": the last word says how sure it is.
        name, word = _lower(match, 2).split(), _lower(match, 4) or _lower(match, 3)
        if any(part.rstrip(".") in _NO_NAMES for part in name):
            continue
        # In small letters "2 west drive" may be prose: only words that are streets' alone count.
        capital = (match.group(2) or b"").decode("latin-1").lstrip()[:1]
        ordinal = capital.isdigit()
        if not (capital.isupper() or ordinal or word in _CERTAIN):
            continue
        if (
            not (match.group(3) or b"")[:1].isupper()
            and capital.isupper()
            and word not in _CERTAIN | {"st"}
        ):
            continue
        if (match.group(1) or b"")[:1].isalpha() and not capital.isupper():
            continue
        # "Dr" behind a number is a doctor where a capitalised name follows: "room 4 with Dr Wu".
        if word == "dr" and _NEXT_IS_NAME.match(seen, match.end(3), len(seen)):
            continue
        if word not in _CERTAIN | {"st"} and not all(
            part[:1].isupper() or part[:1].isdigit()
            for part in (match.group(2) or b"").decode("latin-1").split()
        ):
            continue
        shouted = seen[match.start(2) : match.end(3)].isupper()
        if (
            (word == "ct" or (shouted and word not in _CERTAIN))
            and not spaced_out(seen, match.start(), match.end())
            and not _ENDS.match(seen, match.end(3), len(seen))
        ):
            continue
        if _OF_AN_INSTITUTION.match(seen, match.end(), len(seen)):
            continue
        yield _trimmed(seen, match.start(), match.end())
    for match in _SUFFIX_FIRST.finditer(seen):
        if (
            not is_word(text, match.start() - 1)
            and seen[match.end(1) + 1 : match.end(1) + 2].isupper()
        ):
            yield _trimmed(seen, *match.span())


_ENDS = pattern(r"\.?(?:[,;\n\r^|)]|  |$)")
_OF_AN_INSTITUTION = cased(
    r" (?:(?:[A-Z][\w&'-]{1,20} ){0,3}(?:Hosp|Medic|Clinic|Center|Manor|School|Church|Pharm"
    r"|Famil|Health|OB|Pediatr"
    r"|House|Shelter|Apothec|Market|Grill|Baptist|Methodist|Elementary|Mission|Station|Bridge"
    r"|DRUG|MEDIC|HOSP|CLINIC"
    r"|CENTER|SCHOOL|Drug|Dental|Surg|Physi|Imag|Rehab|Nurs|Care)|viaduct|bridge|clinic"
    r"|hospital|shelter|station|overpass)"
)
_NEXT_IS_NAME = cased(r"\.? [A-Z][a-z]{2,20}\b[^,]")


def _lower(match: Match, group: int) -> str:
    return (match.group(group) or b"").decode("latin-1").lower()


def _routes(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _ROUTE.finditer(seen):
        start, end = match.span()
        if seen[start : start + 1].isupper() and not is_word(text, end):
            low = seen[start:end].lower()
            # RR is the respiratory rate as well.
            if low.startswith(b"rr") and not any(word in low for word in (b"b", b"site", b"comp")):
                continue
            yield start, end
    for match in _ROAD_SIGN.finditer(seen):
        left = before(seen, match.start()).rstrip("(")
        if _ON_A_ROAD.search(left) and not is_word(text, match.start() - 1):
            yield _trimmed(seen, *match.span())


def _names(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _UNNUMBERED.finditer(seen):
        word = match.group(1) or b""
        if not word[:1].isupper() or is_word(text, match.end()):
            continue
        run = name_run(
            words_before(seen, match.start() + 1, 4), stop=_stops, links=frozenset({"of", "the"})
        )
        if not run:
            continue
        low = word.lower()
        if low == b"st" and _BEGINS_A_SAINT.match(seen, match.end(1), len(seen)):
            continue
        if low in (b"drive", b"highway", b"hwy", b"road", b"lane") and not (run[0].capital):
            continue
        if _OF_AN_INSTITUTION.match(seen, match.end(), len(seen)):
            continue
        first = run[-1]
        for place, part in enumerate(run):
            # "Walmart N 7th Ave": a street's name begins with its direction or number.
            if part.low in _DIRECTIONS or part.text[0].isdigit():
                first = part
                if place + 1 < len(run) and run[place + 1].low in _DIRECTIONS:
                    first = run[place + 1]
                break
        end = match.end(1) if match.group(2) and len(word) > 4 else match.end()
        yield _trimmed(seen, first.start, end)
    for match in _CORNER.finditer(seen):
        group = 1 if match.start(1) >= 0 else 2
        yield match.span(group)


def _stops(word: ContextWord) -> bool:
    return word.low in _STOPS
