"""Counties, parks, lakes, stations and other places by the words in their names.

"Cedar County", "Lake Ridge Park", "Lake Volta", "Union Station". What such a word does alone or
with an ordinary word ("the county", "State Park", "Bay 4", "Circle of Willis", "nursing station")
is no name, nor are the signs and rules that carry a place's name ("Rocky Mountain spotted fever"),
acid-fast bacilli ("sputum AFB"), and institutions that are called by their place ("NHS Forth
Valley", "scan at Dorset County").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...dictionaries import phrase_set, word_set
from ..core.documents import Context, Document
from ..core.spans import Candidate
from .context_words import ContextWord, cased, folded, name_run, words_after, words_before
from .patterns import after, before, disjoint, is_word, view

NAME = "place"
LABELS = ("LOCATION-OTHER",)
# 14 of 16 right: english_clinical_sample 3/3, demo/train 11/11, asq_phi 0/2.
# The two others are a county and a valley that asq_phi leaves out.
# `python -m benchmarks.rules --scores`.
SCORE = 0.8333

_LAST = (
    "County|Parish County|Park|Lake|Lakes|Beach|River|Creek|Mountains?|Airport|Stadium|Arena"
    "|Bay|Island|Islands"
    "|Falls|Fairgrounds|Campground|Forest|Canyon|Reservoir|Reservation|Zoo|Plaza|Mall|Station"
    "|Speedway|Raceway"
    "|Racetrack|Museum|Theat(?:er|re)|Harbor|Valley|Desert|Ranch|Camp|Casino|Resort|Golf Course"
    "|Golf Club"
    "|Country Club|Ballpark|Colis?eum|Amphitheater|Peninsula|Gulch|Trailhead|Bowl|Ski Area|Pond"
    "|Sound|Cemetery"
    "|Waters|Gorge|Glacier|Prairie|Swamp|Marina|Pier|Dam|Field|Farm|Gardens?|Aquarium"
    "|Convention Center|Air Force Base"
    "|Naval Base|AFB|Air Base|Army Base|viaduct|overpass|fairgrounds|airport"
    "|Correctional (?:Facility|Institution|Center)"
    "|State Prison|County Jail|Tunnel|Summit|Mesa|Quarter|Terminal|Bridge|Motor Speedway"
    "|Memorial Park|Terminal"
)
_ANCHOR = cased(rf" ({_LAST}|{_LAST.upper()})\b")
# Words that end names of other things as often: they need a word for being somewhere.
_LOOSE = phrase_set("place_loose_en")
_FIRST = cased(
    r"\b(?:Lake|LAKE|Mount|Mt\.|Fort|Ft\.|Cape|Isle|Isle of|County of|NAS|Port of"
    r"|Naval Station|Joint Base"
    r"|Township of) ([A-Z][a-z\xc0-\xff'?]{2,20})"
)
_SOMEWHERE = re.compile(
    r"\b(?:in|at|near|to|from|on|around|through|thru|of|by|via|along|outside|inside|toward"
    r"|towards|beside|hikes?"
    r"|hiking|hiked|off|into|over|under|visit(?:ed|ing)?|the|toured|in the|\("
    r"|@)[ \n]?(?:the )?$|[(,] ?$|\|$"
)
_STOPS = phrase_set("place_stops_en") | folded("months_en") | folded("weekdays_en")
_NOT_ALONE = word_set("state national county city community regional memorial municipal")
_FROM_TO = frozenset(("thru", "from", "hx", "tech", "dx", "sx"))
_SURNAMES = word_set("park lake field forest rivers banks beach bay camp pond mesa marina bridge")
# Hospitals are named after valleys and meadows, and treatment says which is meant.
_OF_CARE = re.compile(
    r"\b(?:seen|fx|film|films|admitted|treated|transfer(?:red)?|x-?ray|ct|mri|labs?"
    r"|was \d+)\b[^.;\n]{0,12}\b(?:at|on|from|to|by) $"
)
# "NHS Forth Valley", "NRMC SUBIC BAY".
_OF_INSTITUTION = re.compile(r"\b(?:nhs|hse|nrmc|usnh|nmc|phsa|dhb|lhd) $")
_BACILLI = re.compile(
    r"(?:sputum|urine|csf|bal|aspirate|fluid|tissue|pus|gram|smears?|stain|culture|tb|x ?\d)[ s]*$"
)
_OF_BACILLI = re.compile(r" ?(?:smear|stain|cultur|c/s|neg|pos|x ?\d|\d|seen|not|none|[+-])")
_SOMETHING_ELSE = re.compile(
    r" (?:hospital|hosp\b|medical|clinic|health|elementary|middle|high|school|university"
    r"|college|church|pharmacy"
    r"|spotted|virus|fever|strain|rehab|nursing|manor|care|center|general|regional|imaging"
    r"|surgery|police|sheriff"
    r"|fire|ems|clerk|court|jail|department|dept|pathology|women|children|associates|orthopedic"
    r"|cancer|family"
    r"|pediatrics|avenue|ave|street|st\b|road|rd|drive|dr\b|blvd|lane|baptist|lutheran"
    r"|methodist|bank|foods"
    r"|internal|medicine|physicians|ambulance|schools|apartments|assay|social|human|mental"
    r"|public|probation|housing"
    r"|dialysis|dental|heart|visiting|home)\b"
)


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields LOCATION-OTHER candidates, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = [*_by_last(text, seen), *_by_first(text, seen)]
    yield from disjoint(Candidate(s, e, "LOCATION-OTHER", NAME, SCORE) for s, e in found)


def _stops(word: ContextWord) -> bool:
    return word.low in _STOPS


def _by_last(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _ANCHOR.finditer(seen):
        word = (match.group(1) or b"").decode("latin-1").lower()
        if is_word(text, match.end()) or _SOMETHING_ELSE.match(after(seen, match.end())):
            continue
        words = words_before(seen, match.start() + 1, 5)
        if words and words[0].low in _NOT_ALONE and len(words) > 1 and words[1].capital:
            inner = name_run(words[1:], stop=_stops, links=frozenset({"of", "de", "&"}))
            run = [words[0], *inner] if inner else []
        else:
            run = name_run(words, stop=_stops, links=frozenset({"of", "de", "&"}))
        if not run or run[-1].text[0] == "&":
            continue
        right = words_after(seen, match.end(), 1)
        if right and right[0].capital and word != "county" and not run[0].text.isupper():
            continue
        if word == "afb" and _is_of_bacilli(seen, match.start(), match.end()):
            continue
        if any(word.low in _FROM_TO for word in run):
            run = run[: next(i for i, word in enumerate(run) if word.low in _FROM_TO)]
            if not run:
                continue
        start = run[-1].start
        name = seen[start : match.end()].decode("latin-1").lower()
        # "Bar Harbor" is a town, "Sunny Park" may be a person.
        if name in folded("us_cities") or name in folded("us_places"):
            continue
        left = before(seen, start)
        if _OF_CARE.search(left) and word not in ("county", "beach", "park", "lake"):
            continue
        # People live in a county; at one is its hospital.
        if (word == "county" and left.endswith(" at ")) or _OF_INSTITUTION.search(left):
            continue
        if _OF_INSTITUTION.search(f"{run[-1].low} "):
            continue
        placed = _SOMEWHERE.search(left) is not None
        if word in _LOOSE and not placed:
            continue
        if word in _SURNAMES and not placed and run[0].low in folded("first_names_en"):
            continue
        # In capitals every word looks like a name.
        if run[0].text.isupper() and len(run[0].text) > 1 and not (placed or word == "county"):
            continue
        yield start, match.end()


def _is_of_bacilli(seen: bytes, start: int, end: int) -> bool:
    """Whether AFB are acid-fast bacilli, and no base of the Air Force."""
    return bool(_BACILLI.search(before(seen, start)) or _OF_BACILLI.match(after(seen, end)))


def _by_first(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _FIRST.finditer(seen):
        if is_word(text, match.start() - 1) or is_word(text, match.end()):
            continue
        if not _SOMEWHERE.search(before(seen, match.start())):
            continue
        run = name_run(words_after(seen, match.start(1), 3), stop=_stops, links=frozenset())
        if not run or _SOMETHING_ELSE.match(after(seen, run[-1].end)) or len(run) > 2:
            continue
        if any(word.low in _INSTITUTIONS for word in run):
            continue
        yield match.start(), run[-1].end


_INSTITUTIONS = phrase_set("place_institutions_en")
