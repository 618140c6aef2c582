"""Cities, states and countries.

A city stands before a state ("Keene, NH 03431"), behind words for living and moving ("grew up in
Spokane"), or is one of a list and no ordinary word. A state's two letters count only where an
address or a licence makes them one: "OR", "IN", "MD", "PA" and "MA" are words and titles far more
often. Nationalities and languages ("Spanish-speaking") and places in names of scores, signs and
companies ("Glasgow coma scale", "Boston Scientific"), of serovars, grasses and dishes ("serovars:
Newport, Dublin", "Brussels sprouts") are not annotated.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from itertools import chain

from ...dictionaries import phrase_set
from ..core.documents import Context, Document
from ..core.spans import Candidate
from .casing import TOO_LONG, CasedWords, words
from .context_words import (
    CAPITAL,
    WORD,
    ContextWord,
    cased,
    folded,
    name_run,
    words_after,
    words_before,
)
from .matching import Match, RuleView
from .patterns import after, before, disjoint, is_word, lines_before, pattern, view
from .place_words import (
    BEGINS_PLACE,
    CITIES,
    COUNTRIES,
    FIRST,
    GOES_ON,
    IS_PLACE,
    IS_SMALL_PLACE,
    LEADS,
    ODD_FIRST,
    STATE_ABBREVIATIONS,
    STATES,
    first_words,
    small_places,
)
from .probe import TextProperty

NAME = "city_state"
LABELS = ("CITY", "STATE", "COUNTRY")
# 148 of 160 right: english_clinical_sample 17/17, demo/train 51/51, asq_phi 80/92.
# `python -m benchmarks.rules --scores`.
SCORE = 0.9198

# Cities, states and countries that are words, names of people or of months as often.
_AMBIGUOUS = phrase_set("city_state_ambiguous_en")
# What makes of a place's name the name of something else.
_SOMETHING_ELSE = re.compile(
    r"[ -](?:risk|\d|criteria|chromosome|collar|coma|scale|score|rules?|classification|system"
    r"|guidelines"
    r"|grad(?:e|ing)|strain|virus|disease|fever|stag(?:e|ing)|protocol|knee|sign|equation|syndrome"
    r"|foot|brace|tube|questionnaire|study|trial|test|bag|pig|worm|procedure|technique|splint"
    r"|university|college|j\b|heart|type|flu|consensus|definition|school|street|st\b|ave|road|rd\b"
    r"|blvd|drive|highway|county|park|lake|beach|airport|police|fire|pd\b|hospital|medical"
    r"|clinic|hosp|health|speaking|born|american|style|sandwich|sausage|pizza|breast|scheme|shunt|sprouts?\b|nuts?\b|beans?\b"
    r"|lettuce|potato|cypress|oak\b|live oak|plane\b|poplar|creeper|fern\b|ivy\b|cheese|cream"
    r"|blue\b|sleep|gambling|naming|aphasia|range|curve|terms|nomenclature|ii{1,2}[abc]?\b|iv\b"
    r"|i[abc]\b|(?:high|low|pos|neg)\b[.,;)])|'"
)
# The same, unless words say that somebody is there: "Ottawa ankle rules", "Congo red".
_NAMED_THING = re.compile(
    r" (?:shoulder|hip\b|red\b|stain|agar|pusley)"
    r"|(?: (?!(?:and|or|with|has|had|is|was|for|on|in|at|by|to|of|the|a|an|her|his|pt|she|he)\b)"
    r"[a-z-]{2,16}){1,3} (?:scale|score|sign|rules?|criteria|pathway|index|inventory|classification"
    r"|questionnaire|grading|staging)\b"
)
_THERE = re.compile(r"\b(?:in|from|near|to|at|outside)[ \n]$")
# "Salmonella Dublin; other serovars: Newport, Heidelberg": places where they were first found.
_SEROVARS = re.compile(r"\b(?:serovars?|serotypes?|ser\.|salmonella|leptospira)\b[^\n;]*$")
_LONGEST_LIST = 160
_REVISED = re.compile(r"\b(?:revised|modified|original) $")
_STATE_NAMES = "|".join(
    rf"{name[0].upper()}{name[1:]}"
    for name in sorted(s.title().replace(" Of ", " of ") for s in STATES)
)
_ANY_STATE = cased(
    rf"(, ?|[ \n]| [*|/] |\^)((?:{_STATE_NAMES}|{_STATE_NAMES.upper()})\b"
    r"|(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|P[AR]|RI"
    r"|S[CD]|T[NX]|UT|V[AIT]|W[AIVY])\b"
    r"|(?:Ala|Ariz|Ark|Calif|Colo|Conn|Del|Fla|Ga|Ill|Ind|Kan|Ky|La|Mass|Md|Mich|Minn|Miss|Mo|Mont"
    r"|Neb|Nev|Okla|Ore|Pa|Tenn|Tex|Va|Vt|Wash|Wis|Wyo|D\.C|N\.C|N\.D|N\.H|N\.J|N\.M|N\.Y|R\.I|S\.C"
    r"|S\.D|W\.Va)\.)"
)
# Two letters that are a title, a test, a diagnosis or a word as well.
_TITLES_AND_WORDS = phrase_set("city_state_doubtful_abbreviations_en")
_ZIP_ON_NEXT_LINE = re.compile(rb"[ ,.*|/^\r\n-]{0,24}\d{5}(?:-\d{4})?(?:[^\d]|$)")
_LICENSE = cased(
    r"\b([A-Z]{2}|[A-Z][a-z]{1,5}\.|"
    + _STATE_NAMES
    + r") (?:MD |RN |PT |DO |PA |driver'?s? |medical |nursing )?(?:[Ll]ic(?:ense"
    r"|ense no)?\b\.?|LIC(?:ENSE)?|DL\b)"
    r"|\b(?:[Ll]ic(?:ense)?\.?|LIC(?:ENSE)?|DL:?) ([A-Z]{2}) [A-Z]{0,2}[-. ]?\d"
)

_STRONG_CUE = (
    r"(?:lives?|lived|living|resid(?:es?|ed|ing)|relocated|relocating|emigrated|immigrated|born"
    r"|raised"
    r"|stays?|staying|grew up|settled|based|located|moved|moving|return(?:ed|ing)? home"
    r"|residence|retired"
    r"|traveled|travelled|traveling|travelling|vacation(?:ed|ing)?|incarcerated|stationed|deployed"
    r"|homeless|native|residents?|originally|hometown|hails|flew|fl(?:ies|ying)|driv(?:es?"
    r"|ing) in|drove in"
    r"|home|house|telehealth, pt|patient|pt|phone|sisters?|brothers?|daughters?|sons?|mother|father"
    r"|mom|dad|wife|husband|parents|family|niece|nephew|aunt|uncle|cousin|grandmother|grandfather"
    r"|grandma|grandpa|friend|partner|relatives|in-laws|funeral|wedding|trip|drive|break|back"
    r"|adopted"
    r"|job|works|working|work|school|nights|office|died|girlfriend|boyfriend|fiancee?|market"
    r"|dispatcher|teacher|man|woman|male|female|lady|gentleman|\d{2} ?[mf]|years?|y/?o|refugee"
    r"|immigrant)"
)
_NEARER = (
    r"(?:downtown |nearby |the |rural |north(?:ern)? |south(?:ern)? |east(?:ern)? |west(?:ern)? )"
    r"{0,2}"
)
_LONGEST_NEARER = 24
_CUE = pattern(
    rf"\b(?:{_STRONG_CUE},? (?:\w{{1,12}} ){{0,2}}?(?:in|to|from|of|near|at|outside(?: of)?|around)"
    r"|(?:transfer(?:red)?|transported|transport|brought|came|comes|come|coming|visiting|visited"
    r"|referred|arrived|arriving|in|from|to|out of|near|outside of|around|through|thru|via|leaving"
    r"|for))[ \n]"
    rf"{_NEARER}"
)
# The last words of all these, where a capital follows: nothing else counts.
LEADS_TO_CAPITAL = pattern(
    r"\b(?:in|to|from|of|near|at|outside|around|transfer(?:red)?|transported|transport|brought|came"
    r"|comes|come|coming|visiting|visited|referred|arrived|arriving|through|thru|via|leaving|for)"
    rf"[ \n]{_NEARER}(?-i:[A-Z])"
)
_STRONG = re.compile(
    r"\b(?:lives?|lived|living|resid(?:es?|ed|ing)|relocated|emigrated|immigrated|born|raised"
    r"|grew up"
    r"|moved|residents?|originally|native|hometown|adopted|hails|stationed|flew|fl(?:ies|ying)"
    r"|travels|travell?ed|travell?ing|in-laws|funeral|sister|brother|daughter|son|niece|nephew|aunt"
    r"|uncle|mother|mom|mothers|father|dad|dads|house|parents|partner|grandma|grandmother"
    r"|telehealth,"
    r" (?:pt|patient)|drive|driving|(?:patient|pt|stays|staying|currently|now|back) (?:at )?home"
    r"|family|cousin|phone|friend|residence)\b[^.;\n]{0,24}\b(?:in|to|from|of|near|at|outside)"
    r"[ \n](?:downtown |rural |nearby )?$"
)
_HISTORY = re.compile(
    r"\b(?:history|histories|hx|died|risk|signs?|symptoms|phone to|job at|(?:goes|home) to"
    r"|family|mother|father) (?:of |at |to )?(?:the )?$"
)
_CAPITALISED = cased(rf"{WORD}")

_STOPS = phrase_set("city_state_stops_en") | folded("weekdays_en") | folded("months_en")
_STREET_ENDS = frozenset(
    word.rstrip(".")
    for word in folded("street_words_en") - phrase_set("city_state_not_street_ends_en")
)


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields CITY, STATE and COUNTRY candidates, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = [
        *_with_state(text, seen),
        *_by_list(text, seen),
        *_by_cue(text, seen),
        *_licenses(seen),
    ]
    yield from disjoint(Candidate(start, end, label, NAME, SCORE) for start, end, label in found)


def _stops(word: ContextWord) -> bool:
    return word.low in _STOPS or word.low in _STREET_ENDS or word.text[0].isdigit()


def _with_state(text: str, seen: bytes) -> Iterator[tuple[int, int, str]]:
    """Cities before a state, and such states."""
    for match in _ANY_STATE.finditer(seen):
        start, end = match.span(2)
        if is_word(text, end):
            continue
        state = seen[start:end].decode("latin-1")
        mark = (match.group(1) or b"").strip()
        zipped = _ZIP_ON_NEXT_LINE.match(seen, end, end + 32) is not None
        if mark in (b"*", b"|", b"/", b"^") and not zipped:
            continue
        city = _city_before(seen, match.start(1))
        if city is None:
            continue
        name = seen[city[0] : city[1]].decode("latin-1").lower()
        paired = f"{name}, {state.lower()}" in _pairs()
        known = name in CITIES or paired
        if _is_serovar(seen, city[0]):
            continue
        if (
            paired
            and mark
            and not (
                state.lower() in ("md", "pa", "ma", "do", "me", "or", "in")
                and name in folded("surnames_en")
                and name not in folded("us_cities")
            )
        ):
            yield (*city, "CITY")
            yield start, end, "STATE"
            continue
        if len(state) == 2 and not zipped:
            told = _STRONG_ENOUGH.search(before(seen, city[0])) is not None
            if not _letters_are_a_state(
                state.lower(), bool(mark), known, told, seen[end : end + 2]
            ):
                continue
        elif not (mark or zipped or known):
            continue
        yield (*city, "CITY")
        yield start, end, "STATE"


def _letters_are_a_state(state: str, comma: bool, known: bool, told: bool, follows: bytes) -> bool:
    """Whether two letters behind a place, without a ZIP code, are a state.

    Args:
        state: the letters, small.
        comma: whether there is a comma before them.
        known: whether a list has the place.
        told: whether a word for being somewhere stands before the place.
        follows: the two code points behind the letters.
    """
    if not comma:
        closed = follows[:1] in b"\n\r;).,|:" or follows in (b"  ", b" (")
        return known and closed and state not in _TITLES_AND_WORDS
    if state not in _TITLES_AND_WORDS:
        return True
    return known and (told or state not in ("md", "pa", "or", "in", "do", "ma"))


_STRONG_ENOUGH = re.compile(r"(?:\b(?:in|from|to|of|near|at|home)|,|\d[ a-z.]{2,30},?)[ \n]$")


def _city_before(seen: bytes, end: int) -> tuple[int, int] | None:
    """The capitalised words that end at an offset, at most three, or four if the list has them."""
    end -= len(seen[max(0, end - 4) : end]) - len(seen[max(0, end - 4) : end].rstrip(b" *|/^,"))
    run = name_run(
        words_before(seen, end, 4), stop=_stops, links=frozenset({"de", "la", "of", "du"})
    )
    while run and len(run) > 1 and run[-1].low in _FROM_TO:
        run.pop()
    if not run or seen[end - 1 : end] == b".":
        return None
    for size in range(len(run), 0, -1):
        name = seen[run[size - 1].start : end].decode("latin-1").lower()
        if name in CITIES or name in small_places():
            return run[size - 1].start, end
    size = min(len(run), 3)
    # Behind a line break or a comma the city is all of the run; elsewhere what precedes it may
    # be a person's name or the street.
    return run[size - 1].start, end


@functools.cache
def _pairs() -> frozenset[str]:
    """Places with their states ("kent, wa")."""
    return folded("us_place_states")


_BEHIND_JOINT = cased(rf"[?'-]{CAPITAL}")


def _is_joined(found: CasedWords, seen: RuleView) -> bool:
    """Whether the view may join a word that begins a place to what stands before it."""
    starts = {match.start() + 1 for match in _BEHIND_JOINT.finditer(seen)}
    return bool(starts) and any(found.starts[index] in starts for index in found.where(FIRST))


def _beginning(text: str, seen: RuleView) -> Iterator[Match]:
    """Capitalised words of the view that begin the name of a place of the lists."""
    found = words(text)
    cut_elsewhere = (
        _IS_CUT_ELSEWHERE(text)
        or found.where(TOO_LONG)
        or found.where(ODD_FIRST)
        or _is_joined(found, seen)
    )
    indices = {*found.where(IS_PLACE), *found.where(IS_SMALL_PLACE, behind=LEADS)}
    indices.update(index - 1 for index in found.where(GOES_ON, behind=BEGINS_PLACE))
    if not indices and not cut_elsewhere:
        return
    first = first_words()
    places = [found.starts[index] for index in sorted(indices)]
    matches: Iterator[Match | None]
    if not cut_elsewhere:
        matches = (_CAPITALISED.match(seen, start, len(seen)) for start in places)
    else:
        # Where the words of the view begin and end depends on what stands beside them.
        matches = _CAPITALISED.finditer(seen)
    for match in matches:
        low = (match.group() or b"").decode("latin-1").lower() if match else ""
        if match and (low in first or low == "st"):
            yield match


# What joins the words of the view and not those of the text, or the other way round: accents that
# are code points of their own, dashes.
_ELSEWHERE_CUT = re.compile("[^\x00-\xff\u2019\u201c\u201d\u2022\u2026]")
_IS_CUT_ELSEWHERE = TextProperty(lambda text: _ELSEWHERE_CUT.search(text) is not None)


def _by_list(text: str, seen: RuleView) -> Iterator[tuple[int, int, str]]:
    """Cities, states and countries of the lists that are nothing else."""
    for match in _beginning(text, seen):
        start = match.start()
        if is_word(text, start - 1) or is_word(text, match.end()):
            continue
        phrase = _longest(words_after(seen, start, 4), seen)
        if phrase is None:
            continue
        end, label = phrase
        name = seen[start:end].decode("latin-1")
        if is_word(text, end) or _SOMETHING_ELSE.match(after(seen, end)):
            continue
        if _NAMED_THING.match(after(seen, end, 64)) and not _THERE.search(before(seen, start, 12)):
            continue
        left, right = words_before(seen, start, 1), words_after(seen, end, 1)
        cue = _PREPOSITION.search(before(seen, start)) is not None
        if label == "place":
            if not _is_place(seen, start, end, name.lower(), right):
                continue
            label = "CITY"
        # A longer run of capitalised words is a name of something else, in capitals it is prose.
        shouted = name.isupper()
        if shouted and len(name) < 4 and name != "USA":
            continue
        if right and right[0].capital and not right[0].text.isupper() and not shouted:
            continue
        if left and left[0].capital and not cue and left[0].low not in _STOPS:
            continue
        if shouted and not cue and not _FIELD.search(before(seen, start)):
            continue
        if (
            label == "STATE"
            and _OF_STATE.search(before(seen, start))
            or _BUREAU.match(seen, end, len(seen))
        ):
            continue
        if label == "CITY" and _OF_NAME.search(before(seen, start)):
            continue
        if _REVISED.search(before(seen, start)) or _is_serovar(seen, start):
            continue
        if name.lower() in _AMBIGUOUS and not _IN_OR_FROM.search(before(seen, start)):
            continue
        yield start, end, label


def _is_serovar(seen: bytes, start: int) -> bool:
    """Whether a bacterium is called after the place."""
    return bool(_SEROVARS.search(before(seen, start, _LONGEST_LIST)))


def _is_place(seen: bytes, start: int, end: int, name: str, right: list[ContextWord]) -> bool:
    """Whether words around the name of a smaller place say that it is one."""
    left = before(seen, start)
    if right and right[0].capital:
        return False
    if _OF_AN_ADDRESS.search(left):
        return _CLOSED.match(after(seen, end)) is not None and name not in folded("first_names_en")
    if _STRONG.search(left):
        return name not in _AMBIGUOUS and not (
            " " not in name
            and (name in folded("first_names_en") or name in folded("common_words_en"))
        )
    if not _IN_OR_FROM.search(left):
        return False
    if " " in name:
        return True
    return not any(
        name in folded(names) for names in ("common_words_en", "first_names_en", "surnames_en")
    )


_FIELD = re.compile(r"[,^] ?$")
_OF_STATE = re.compile(r"\b(?:commonwealth|state|university|college|bank) of $")
_OF_NAME = re.compile(
    r"\b(?:mutual|university|bank|hospital|women|therapy|care|rehab|clinic|college|city|diocese"
    r"|archdiocese) of $"
)
_BUREAU = cased(
    r" (?:BMV|DMV|MVC|DPS|DMV|DOT|DHS|DOC|Medicaid|Medicare|Dept|Department|Turnpike|Lottery)\b"
)
# A town stands behind a street or an institution, with a comma or a line between.
_OF_AN_ADDRESS = re.compile(
    r"\b(?:hospital|center|centre|clinic|dialysis|rehab[^\W_]*|imaging|associates|pediatrics"
    r"|medicine|health|street|st\.?|ave(?:nue)?\.?"
    r"|lane|ln\.?|road|rd\.?|drive|blvd\.?|court|ct\.?|way|terrace|place|co-op|inc\.?|llc"
    r"|school|church|university|pharmacy), $"
)
_CLOSED = re.compile(r"$|[;.,)]|  | \d")
_PREPOSITION = re.compile(
    r"\b(?:in|from|to|of|near|at|through|thru|around|outside|via|for|our|the)[ \n]$"
)
_IN_OR_FROM = re.compile(
    r"(?:\b(?:in|from|near|outside of|thru|through)|[a-z] (?:travels?|travell?ed|moved|back"
    r"|flew|flies|drive|return(?:ed)?)(?: \S{1,8})? to)[ \n]$"
)


def _longest(words: list[ContextWord], seen: bytes) -> tuple[int, str] | None:
    for size in range(len(words), 0, -1):
        if not words[size - 1].capital:
            continue
        name = seen[words[0].start : words[size - 1].end].decode("latin-1").lower()
        for names, label in ((CITIES, "CITY"), (STATES, "STATE"), (COUNTRIES, "COUNTRY")):
            if name in names:
                return words[size - 1].end, label
        if name in small_places():
            return words[size - 1].end, "place"
    return None


def _by_cue(text: str, seen: RuleView) -> Iterator[tuple[int, int, str]]:
    """Places behind words for living, moving and travelling, on the lists or not."""
    ends = [match.end() - 1 for match in LEADS_TO_CAPITAL.finditer(seen)]
    lines = lines_before(seen, ends, _LONGEST_NEARER)
    for match in chain.from_iterable(_CUE.finditer(seen, *line) for line in lines):
        end = match.end()
        if is_word(text, match.start() - 1) or not seen[end : end + 1].isupper():
            continue
        words = words_after(seen, end, 3)
        run = name_run(words, stop=_stops, links=frozenset({"de", "la", "of", "du"}))
        if run and _HISTORY.search(before(seen, end)):
            continue
        cut = next((i for i, word in enumerate(run) if word.low in _FROM_TO), len(run))
        run, words = (run[:cut], words[:cut]) if run[:1] and run[0].text.isupper() else (run, words)
        if not run or not _STRONG.search(seen[max(0, end - 64) : end].decode("latin-1").lower()):
            continue
        # "lives in Sunrise Manor": other rules know what the last word says.
        stop = run[-1].end
        if run[-1].low in _INSTITUTIONS or any(word.text.isdigit() for word in run):
            continue
        if len(words) > len(run) and (
            words[len(run)].capital or words[len(run)].low in _INSTITUTIONS
        ):
            continue
        if len(run) == 1 and (run[0].low in folded("first_names_en") or len(run[0].text) < 3):
            continue
        if run[0].text.isupper() and not _shouts(seen, run[0].start):
            continue
        if is_word(text, stop):
            continue
        name = seen[run[0].start : stop].decode("latin-1").lower()
        label = "STATE" if name in STATES else "COUNTRY" if name in COUNTRIES else "CITY"
        yield run[0].start, stop, label


_FROM_TO = phrase_set("city_state_no_names_after_en")


def _shouts(seen: bytes, start: int) -> bool:
    """Whether the words before an offset are in capitals too."""
    return seen[max(0, start - 12) : start].isupper()


_INSTITUTIONS = phrase_set("city_state_institutions_en")


def _licenses(seen: bytes) -> Iterator[tuple[int, int, str]]:
    """States of licences: "Ky. lic. 22817", "DL: NV 1700417226"."""
    for match in _LICENSE.finditer(seen):
        group = 1 if match.start(1) >= 0 else 2
        state = (match.group(group) or b"").decode("latin-1").lower()
        if (
            state in STATE_ABBREVIATIONS
            or state in STATES
            or state.rstrip(".") in STATE_ABBREVIATIONS
        ):
            yield (*match.span(group), "STATE")
