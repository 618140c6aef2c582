"""Employers, schools, churches, insurers, shops, services and agencies.

A name ends with a word for an organisation ("Lone Star Roofing", "Maplewood Elementary School"),
begins with one ("Department of Veterans Affairs"), stands behind a word for working, learning or
being insured ("works at Fade Kings", "Ins: Anthem"), or is known throughout the United States
("Walmart", "Aetna"). Medicare and Medicaid alone are not annotated.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from ...dictionaries import load, phrase_set, word_set
from ..core.documents import Context, Document
from ..core.spans import Candidate
from .context_words import (
    ContextWord,
    apart,
    cased,
    folded,
    name_run,
    spaced_out,
    words_after,
    words_before,
)
from .matching import Pattern
from .patterns import after, any_of, before, disjoint, is_word, pattern, view

NAME = "organization"
LABELS = ("ORGANIZATION",)
# 57 of 58 right: english_clinical_sample 9/9, demo/train 48/49.
# `python -m benchmarks.rules --scores`.
SCORE = 0.9667

_LAST = (
    r"inc|llc|l\.l\.c|corp|corporation|company|ltd|plc|co-?op|cooperative|industries"
    r"|enterprises|holdings"
    r"|(?:elementary|middle|high|grade|grammar|primary|charter|nursing|law|business|preparatory"
    r"|prep|montessori"
    r"|day|community|state|technical|junior) (?:school|college)|elementary|schools?|academy"
    r"|university|college"
    r"|preschool|daycare|kindergarten|seminary|church|parish|synagogue|mosque|cathedral"
    r"|ministries|chapel"
    r"|convent|monastery|lutheran|baptist|methodist|episcopal|catholic|congregation|diocese"
    r"|bank|credit union|insurance|assurance|mutual|foundation|(?:fire|police|sheriff'?s?"
    r"|highway|parks) (?:department"
    r"|dept|office|patrol|rescue)|police|sheriff|ems|ambulance|fire rescue|airlift|airlife"
    r"|lifeflight|medevac|pharmac(?:y|ies)|drugs?|drugstore|drug store"
    r"|apothecary|chemists|farms?|foods?|dairy|motel|hotel|inn|lodge|supermarket|market|stores?"
    r"|hardware|roofing"
    r"|construction|plumbing|electric|energy|trucking|haulage|logistics|transport|services?"
    r"|manufacturing"
    r"|mill|mills|mine|mining|works|shipworks|shipyard|stables|restaurant|cafe|diner|grill"
    r"|pizzeria|bakery|brewery|winery|vineyards"
    r"|library|society|association|agency|legal aid|mission|shelter|airlines?|airways|railroad"
    r"|railway|extension"
    r"|supply|transcription|trust|funeral home|mortuary|crematory|brigade|regiment|battalion"
    r"|donor services"
    r"|auto|motors|automotive|realty|properties|homes|apothecary|nursery|landscaping|printing"
    r"|press|courier|times|steel"
    r"|lumber|oil|gas|petroleum|chemical|technologies|solutions|systems|software|laboratories"
    r"|labs?|cleaners|salon"
    r"|studios?|shanty|tavern|pub|bar|steakhouse|nugget|co|dept of corrections|bmv|dmv|mvc|dps"
    r"|pd|poison (?:control|center)"
    r"|cold storage|storage|cab|taxi|hospice foundation|clocks|pianos|hygiene lab|academy"
    r"|relief|club|ymca|meeting|league|rescue"
)
_ANCHOR = pattern(rf"[ \n]({_LAST})\b", capital=True)
# Words that are more often something else: they count only behind words for working and the like,
# or where a name stands beside "Employer".
_LOOSE = phrase_set("organization_loose_en")
# Of those, words for things and for what hospitals have: they need words for working.
_THINGS = phrase_set("organization_things_en")
_FIRST = cased(
    r"\b(?:(?:Department|Dept\.?|Office|Bureau|Ministry|Board|University|College|Church"
    r"|Consulate|Embassy|Bank|Archdiocese"
    r"|Diocese|Commonwealth|Convent|Society|Friends|City|State) (?:of|for) (?:the )?"
    r"|OFFICE OF THE |(?:Our Lady|OUR LADY) (?:of|OF) (?:the |THE )?"
    r"|Camp |USS |VFW |Knights of |Sons of |Daughters of |Veterans of )([A-Z][A-Za-z'.-]{2,24})"
)
# Known from coast to coast, and hardly ever anything else in a note.
_KNOWN = cased(
    rf"\b(?:{any_of('companies_us')}|Walgreens?|Rite[- ]Aid|Winn[- ]Dixie"
    r"|Anthem(?: Blue Cross(?: (?:and|&) Blue Shield)?)?|UnitedHealth(?:care)?|United ?Healthcare"
    r"|(?:(?:Anthem|Highmark|Empire|Premera|Regence|CareFirst|Horizon"
    r"|Independence) )?Blue[- ]?Cross(?:[ /&-]{1,3}(?:and )?Blue[- ]?Shield)?"
    r"|BLUE CROSS(?: (?:AND |& )?BLUE SHIELD)?|Exxon(?:Mobil)?"
    r"|(?:U\.?S\.? )?(?:Army|Navy|Marine Corps|Air Force|Coast Guard|Marines))\b"
)
_PARISH = cased(r"\b((?:St\.?|Saint) [A-Z][a-zA-Z]{2,14}(?:'s)? (?:parish|church))\b")
_SAINTS = cased(
    r"\b((?:St\.?|Saint|SAINT|ST\.?) [A-Z][a-zA-Z]{2,14}(?:'s)?) (?:choir|usher|school|mass"
    r"|youth group|parishioner|food pantry|cathedral|rectory|deacon)\b"
)
_STATE_COLLEGE = cased(
    r"\b((?:[A-Z][a-z]{3,12} ){1,2}State|(?:UC|SUNY|CUNY) [A-Z][a-z]{2,12}) (?:freshman"
    r"|sophomore|junior|senior|student|graduate|alum|professor|dorm|football)\b"
)
_SHOP = cased(
    r"(?:^|[ (\n])((?:[A-Z][a-z']{2,14} ){0,2}[A-Z][a-z']{2,14}) (?:pharmacy|drugstore"
    r"|warehouse|supermarket|distribution center)\b"
)
_NO_SHOP = phrase_set("organization_no_shop_en")

_CUE = cased(
    r"\b(?:(?:[Ww]ork(?:s|ed|ing)?|[Ee]mployed|[Jj]ob|[Vv]olunteers?|[Vv]olunteered|[Bb]usboy"
    r"|[Ss]hifts?|[Ss]uperior|[Ss]tudent|[Tt]eaches(?: \w{1,12})?|[Tt]aught|[Ff]reshman"
    r"|[Ss]ophomore|[Gg]rader?|[Ee]nrolled|[Mm]ember|[Uu]sher|[Ww]orships|[Pp]arishioner"
    r"|[Pp]re-K|[Kk]indergarten|[Aa]t work) (?:there )?(?:at|for|with|by|w/|in) (?:the )?"
    r"|[Aa]ttends (?:the )?|[Ee]mployer:? {0,4}|EMPLOYER:? {0,8}|[Rr]etired from (?:the )?"
    r"|[Ii]nsurance:? {1,4}|INSURANCE:? {1,4}|[Ii]ns:? {1,3}|INS:? (?:[12] {1,3})?"
    r"|[Pp]ayor:? {1,4}"
    r"|[Pp]ayer:? {1,4}|[Pp]harm(?:acy)?: {0,4}|Pharm |PHARM(?:ACY)?: {0,4}"
    r"|[Ff]uneral home: {0,3}|[Ss]chool: {1,4}|[Ii]nsured (?:by|with|through) |[Cc]overed by "
    r"|[Ss]erved (?:with|in|on) the |[Cc]arrier:? {1,3}"
    r"|[Pp]harmacy is (?:the )?|[Tt]ransport by |[Tt]ransported by |[Rr]x (?:sent )?(?:to )?"
    r"|[Cc]ourier )"
    r"([A-Z][A-Za-z'&./\xc0-\xff-]{1,24})"
)
_JOB_AT = cased(
    rf"\b(?:{any_of('organization_jobs_en')})s?[ \n](?:at|for|with|w/|AT|of)[ \n]"
    r"(?:the )?([A-Z][A-Za-z0-9'&.\xc0-\xff-]{1,24})"
)
_WORKING = re.compile(
    r"\b(?:work(?:s|ed|ing)?|employ(?:ed|er|ment)|job|attends?|attend(?:ed|ing)|school"
    r"|teach(?:es|er)?|retired|drives? for|for|at|from"
    r"|by|of|to|with|the|via|w/|ins|insurance|pharm(?:acy)?|owns|ran|runs|owner|student|member"
    r"|usher|active)\b[^.;\n]{0,14}$|[(|:] {0,6}$|\b(?:at|by|for|from)\n$"
)
_STOPS = phrase_set("organization_stops_en") | folded("months_en") | folded("weekdays_en")
_GENERIC = phrase_set("organization_generic_en")
_IS_CODE = re.compile(r"\d")
_NUMBER_FOLLOWS = pattern(r"-? ?\d")
_SOFT = re.compile(rb"(?:with|w/|in|member|enrolled.{0,8}) (?:the )?$")
_PLACES = word_set("bowl park beach lake county airport nas ski resort")
_NO_NAME = phrase_set("organization_no_name_en")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields ORGANIZATION candidates, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = [
        *_by_last(text, seen),
        *_by_first(text, seen),
        *_by_cue(text, seen),
        *(m.span() for m in _insurers().finditer(seen) if _whole(text, *m.span())),
        *(m.span(1) for m in _PARISH.finditer(seen) if _whole(text, *m.span())),
        *(m.span(1) for m in _SAINTS.finditer(seen) if _whole(text, *m.span())),
        *(m.span(1) for m in _STATE_COLLEGE.finditer(seen) if _whole(text, *m.span())),
        *(m.span(1) for m in _SHOP.finditer(seen) if _of_a_shop(m.group(1) or b"")),
        *(
            (m.start(), m.end())
            for m in _KNOWN.finditer(seen)
            if _whole(text, m.start(), m.end())
            and not _SOMETHING_ELSE.match(after(seen, m.end()))
            and not (m.group() == b"CVS" and _OF_HEART.match(after(seen, m.end())))
        ),
    ]
    yield from disjoint(Candidate(s, e, "ORGANIZATION", NAME, SCORE) for s, e in found)


def _of_a_shop(name: bytes) -> bool:
    return not any(
        word in _NO_SHOP or word in _STOPS for word in name.decode("latin-1").lower().split()
    )


def _whole(text: str, start: int, end: int) -> bool:
    return not is_word(text, start - 1) and not is_word(text, end)


def _stops(word: ContextWord) -> bool:
    return word.low in _STOPS


_LINKS = frozenset({"of", "&", "the", "and", "de", "la"})
_SOMETHING_ELSE = re.compile(
    r" (?:hospital|medical|clinic|health|surgery|rehab|nursing|manor|care|center|general"
    r"|regional|children|hosp\b|field|med\b|stadium|arena)"
)


# "slow pathway work in Koch's triangle".
_OF_EPONYM = re.compile(rf" (?:{any_of('eponym_nouns_en')}|triangle|ligament|fascia|canal|fossa)\b")
# "CVS  HR 140s": the cardiovascular system.
_OF_HEART = re.compile(
    r" ?[:-]|[ \t]{1,8}(?:hr\b|s1|hs\b|nad|normal|rrr|regular|no |i\+ii|jvp|bp|pulse"
    r"|nsr|stable|exam)"
)


def _by_last(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _ANCHOR.finditer(seen):
        start, end = match.span(1)
        if not seen[start : start + 1].isupper() or not _whole(text, start, end):
            continue
        word = seen[start:end].decode("latin-1").lower()
        shouted = seen[start:end].isupper() and len(word) > 3
        if _SOMETHING_ELSE.match(after(seen, end)):
            continue
        run = name_run(words_before(seen, start, 6), stop=_stops, links=_LINKS)
        own = [w for w in run if w.low not in _GENERIC and w.low not in _LINKS]
        if not own:
            continue
        first = run[-1].start
        if (word in _LOOSE or shouted) and not (
            _WORKING.search(before(seen, first))
            or (spaced_out(seen, first, end) and (not shouted or _rare(own)))
            or (word not in _THINGS and apart(seen, first, end))
        ):
            continue
        yield first, end


def _rare(words: list[ContextWord]) -> bool:
    """Whether one of the words is no word of English or medicine, as those of headings are."""
    return any(
        word.low not in folded("common_words_en") and word.low not in folded("medical_words_en")
        for word in words
    )


@functools.cache
def _insurers() -> Pattern:
    """Insurers of the list, but for those that are ordinary words, programmes or abbreviations."""
    others = (_PLAIN, *map(folded, ("common_words_en", "us_cities", "us_states")))
    names = [
        name
        for name in load("insurers_en").phrases
        if len(name) > 4
        and not name.startswith(("Medicare", "Medicaid", "Medi-", "Medigap"))
        and not any(name.lower() in words for words in others)
    ]
    both = sorted({*names, *(name.upper() for name in names)}, key=lambda name: (-len(name), name))
    return cased(rf"\b(?:{'|'.join(re.escape(name) for name in both)})\b")


_PLAIN = frozenset(
    (
        "first health",
        "golden rule",
        "health first",
        "health partners",
        "the standard",
        "medical mutual",
        "quartz",
    )
)


def _by_first(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _FIRST.finditer(seen):
        if is_word(text, match.start() - 1):
            continue
        run = name_run(words_after(seen, match.start(1), 4), stop=_stops, links=_LINKS)
        if run and run[0].low not in _SERVICES:
            yield match.start(), run[-1].end


# What hospitals have departments of.
_SERVICES = phrase_set("organization_services_en")


def _by_cue(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for cue in (_CUE, _JOB_AT):
        for match in cue.finditer(seen):
            start = match.start(1)
            run = name_run(words_after(seen, start, 5), stop=_stops, links=_LINKS)
            if _KNOWN.match(seen, start, len(seen)):
                continue
            if not run or run[0].low in _NO_NAME or is_word(text, match.start() - 1):
                continue
            cut = next(
                (
                    i
                    for i, w in enumerate(run)
                    if _IS_CODE.search(w.text) or i and w.low in _NO_NAME
                ),
                len(run),
            )
            run = run[:cut]
            if run and run[-1].text.endswith("'s") and _OF_EPONYM.match(after(seen, run[-1].end)):
                continue
            # "Insurance: HPB-654321" is the number of a plan, "w/ ADHD" a diagnosis.
            if not run or _NUMBER_FOLLOWS.match(seen, run[-1].end, len(seen)):
                continue
            if (
                run[0].text.isupper()
                and len(run) == 1
                and _SOFT.search(seen[match.start() : start])
            ):
                continue
            if run[-1].low in _PLACES or cue is _JOB_AT and run[0].text == "NAS":
                continue
            name = " ".join(w.low for w in run)
            if (
                name in folded("us_cities")
                or name in folded("us_states")
                or name in folded("countries_en")
            ):
                continue
            if all(w.low in _GENERIC for w in run):
                continue
            yield start, run[-1].end
