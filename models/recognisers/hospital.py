"""Hospitals, clinics, practices and nursing homes.

A name ends with a word for an institution ("Oak Lawn Imaging"), begins with one ("Hospice of the
Ozarks"), or stands where a patient is treated ("transferred from MGH", "echo at Cheshire").
Departments are no names: words that every hospital has, alone or together, do not make one ("Pain
Clinic", "the emergency department", "Cardiology Associates").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...dictionaries import phrase_set
from ..core.documents import Context, Document
from ..core.spans import Candidate
from .context_words import (
    ContextWord,
    apart,
    cased,
    folded,
    name_run,
    words_after,
    words_before,
)
from .matching import Match
from .patterns import after, before, disjoint, is_word, pattern, view

NAME = "hospital"
LABELS = ("HOSPITAL",)
# 496 of 497 right: english_clinical_sample 22/22, demo/train 67/67, asq_phi 407/408.
# `python -m benchmarks.rules --scores`.
SCORE = 0.996

# (words that say by themselves that a name precedes, words that also name departments and
# sections: those need a name of which one word at least is no hospital's everyday word).
_STRONG = (
    r"hospitals?|hosp|infirmary|medical (?:center|centre|ctr|clinic|group|plaza|offices?)"
    r"|med(?:ical)? ?(?:center|ctr)|clinics?|polyclinic|health (?:cent(?:er|re)|system|network|care"
    r"|partners|plaza)|healthcare|nursing (?:home|cent(?:er|re)|facility)"
    r"|(?:rehab(?:ilitation)?|surgery|surgical|cancer|heart|eye|dialysis|kidney|trauma|birth"
    r"|treatment|wellness|sleep|imaging|care|recovery|outpatient|breast|spine|endoscopy|transplant"
    r"|burn|stroke|vein|fertility|counseling|psychiatric|dental|birthing|crisis|detox|hospice"
    r"|infusion|access|ambulatory|women's|children's) (?:cent(?:er|re)|ctr|institute|pavilion"
    r"|hospital|clinic)"
    r"|hospice|(?:family|internal|sports|occupational|general|geriatric) medicine"
    r"|family (?:practice|physicians|health|care|medical)|primary care|urgent care"
    r"|(?:cancer|memory|senior|hospice|home|eye|skin|dental|kidney|heart) care|assisted living"
    r"|(?:veterans|convalescent|rest|retirement|soldiers) home|women's (?:health|care|pavilion"
    r"|center)|pavilion|sanatorium|sanitarium|vamc|va (?:medical center|hospital|clinic)"
    r"|physicians|dental group|heart group|hand surgery|plastic surgery|visiting nurses?"
    r"(?: association)?|physical therapy|home health|behavioral health|mental health"
)
_WEAK = (
    r"associates|health|medical|rehab(?:ilitation)?|imaging|radiology|pathology|p(?:ea|ae"
    r"|e)diatrics"
    r"|peds|orthop(?:a?edics|edic)|dermatology|cardiology|neurology|gastroenterology|oncology"
    r"|urology|nephrology|endocrinology|rheumatology|pulmonology|ophthalmology|psychiatry"
    r"|electrophysiology|gynecology|obstetrics|ob-?gyn|ob/gyn|anesthesia|surgery|microsurgery"
    r"|vascular|dialysis|transplant|endoscopy|dental|dentistry|endodontics|orthodontics"
    r"|optometry|podiatry|genomics|fertility|allergy|hematology|psychological"
    r"|general|regional|memorial|baptist|methodist|presbyterian|mercy|lutheran|manor|sleep"
    r"|institute|therapy|therapies|specialists|village|meadows|cent(?:er|re)"
    r"|ctr|care|children's|women's|kids|infants|spine|ed|er|e\.r\."
)
_ANCHOR = pattern(rf"\b(?:({_STRONG})|({_WEAK}))\b", capital=True)
# What may follow the first word of an institution and belongs to its name.
_LATER = pattern(
    r"(?: |, | - )(?:hospitals?|medical center|medical group|center|centre|ctr|clinic|institute"
    r"|associates|specialists|consultants|group|pavilion|partners|services|physicians|practice|system|campus"
    r"|p\.?a\.?|p\.?c\.?|pllc|p\.?l\.?l\.?c\.?|l\.?l\.?c\.?|l\.?l\.?p\.?|inc\.?|ltd\.?"
    r"|& (?:medical|health|rehab\w{0,9}|wellness|surgery|rehabilitation|nursing)[a-z]{0,2}"
    r"|and (?:medical|health|rehab\w{0,9}|wellness|surgery) (?:center|clinic))(?: center)?\b"
)

_GOOD = frozenset({"shepherd", "samaritan", "hope", "counsel", "neighbor", "neighbors"})
_CONNECTED = frozenset({"of", "the", "and", "&", "de", "la"})
# Words that end a name that is read towards the left.
_STOPS = phrase_set("hospital_stops_en") | {
    word for month in folded("months_en") for word in month.split()
}
_STOPS |= folded("weekdays_en")
# Words that every hospital has: they may be part of a name and do not make one.
_GENERIC = phrase_set("hospital_generic_en")
_DEPARTMENTS = phrase_set("hospital_departments_en")

# Words that make a place of treatment of what follows "at".
_TREATED = re.compile(
    r"\b(?:seen|admit(?:ted|s)?|admission|treat(?:ed|ment)|evaluat(?:ed|ion)|follow(?:ed|s|ing"
    r"|-up)?"
    r"|f/u|transfer(?:red|s)?|xfer(?:red)?|txf|hospitali[sz](?:ed|ation)s?|diagnosed|operated"
    r"|visit(?:ed|s)?"
    r"|underwent|consult(?:ed|ation|s)?|monitored|discharged?|d/c(?:'?d|ed)?|dc|presented|tx'?d"
    r"|surger(?:y|ies)|procedure|bypass|biopsy|bx|echo|tte|cath|mri|cta?|pet|x-?rays?|cxr|films?"
    r"|scan(?:s|ned)?|ultrasound|us|ekg|ecg|eeg|emg|colonoscopy|egd|endoscopy|mammogram|imaging"
    r"|labs?|dialysis|hd|chemo(?:therapy)?|radiation|xrt|infusions?|therapy|rehab|pt|detox|iop"
    r"|stents?|cabg|pci|ablation|transplant(?:ed)?|replacement|repair(?:ed)?|resection|delivery"
    r"|delivered|born|nsvd|svd|lt?cs|c-?section|appointment|appt|check-?up|workup|w/u|work-up"
    r"|bed|respite|snf|placed|intubated|resuscitated|coded|stay(?:ed)?|boarding|wound clinic"
    r"|(?:burn|pain|wound|heart failure|chf|gi|id|ortho|cancer|memory|sleep) clinic|received care"
    r"|care|cared for|managed|performed|done|obtained|taken|brought|medevaced|flown|airlifted"
    r"|life-?flighted|life ?flight|sent|referred|refer|session(?:s)?|pcp|physician|oncologist"
    r"|cardiologist|neurologist|surgeon|rheumatologist|psychiatrist|nephrologist|dermatologist"
    r"|urologist|pulmonologist|gastroenterologist|endocrinologist|ed|er|icu|patient|choice"
    r"|second|compar(?:ison|e)|outside)\b"
    r"[^.;\n]{0,30}$"
)
_AT = cased(
    r"\b(?:[Aa]t|AT|[Ff]rom|FROM|[Tt]o|TO|@)[ \n](?:the |THE |our )?"
    r"([A-Z\xc0-\xde][A-Za-z\xc0-\xff'&.-]{1,24})"
)
# In small letters a name shows only by being no word.
_SMALL = cased(
    r"\b(?:rehab|snf|transfer(?:red)?|admitted|placement|placed|bed|d/?c(?:'?d)?"
    r"|discharged?|seen|stay|eval|labs|asking|called|admission)"
    r" (?:at|to|from|re|in|by) ([a-z]{4,15}(?: (?:hospital|center|clinic|manor|house|rehab"
    r"|general|memorial|medical|home|place|health|care)){0,3})\b"
)
_SAINT = cased(r"\b(?:St\.?|ST\.?|Saint|SAINT) [A-Z][A-Za-z]{2,15}(?:'[sS])?")
_WHOLE_SAINT = re.compile(
    r"[).,;]|$| (?:on|for|in|at|and|with|where|after|discharge|emergency|ed\b|er\b|clinic"
    r"|progress|operative|nursing|\()"
)
# HL7 version 2: MSH-4 and MSH-6 are the sending and the receiving facility, the fourth component of
# PID-3 assigned the patient's number.
_SENDER = cased(
    r"(?:^|\n)MSH\|\^~\\&\|[^|\n]{0,40}\|([A-Z][A-Z0-9 '&.-]{2,40})?\|[^"
    r"|\n]{0,40}\|([A-Z][A-Z0-9 '&.-]{2,40})?\|"
)
_OWNER = cased(r"(?:^|\n)PID\|[^|\n]{0,8}\|[^|\n]{0,40}\|[^|^\n]{1,24}\^\^\^([A-Z]{2,16})\^?")
_PLACED = re.compile(
    r"\b(?:seen|admitted|treated|evaluated|followed|transferred|operated|visited|presented"
    r"|diagnosed"
    r"|monitored|hospitali[sz]ed|discharged|transfer|xfer|consulted|admission|dx'd|tx'd)"
    r"(?: (?:on|in|for|by|with|again|there|last|initially|recently|currently|first|care)\b"
    r"[^.;,\n]{0,18})?,? ?$"
)
# Of the United States, by the abbreviations and short names by which colleagues speak of them.
_KNOWN = cased(
    r"\b(?:UCSF|UCLA|UCSD|NYU Langone|NYU|MGH|BWH|BIDMC|MSKCC|Sloan[- ]Kettering|M\.?D\.? Anderson"
    r"|Johns? Hopkins|John's Hopkins|Cedars?-? ?Sinai|Mt\.? Sinai|Mount Sinai|Beth Israel"
    r"|Brigham(?: and Women's)?|Kaiser(?: Permanente)?|Ochsner|Sentara|Geisinger|Intermountain"
    r"|Dana[- ]Farber|Fox Chase|Moffitt|Cleveland Clinic|Stanford|Emory|Baylor|Vanderbilt"
    r"|Mass(?:achusetts)? General|Lahey|Tufts Medical|Montefiore|Maimonides|Lenox Hill|Bellevue"
    r"|Columbia[- ]Presbyterian|N(?:ew )?Y(?:ork)?[- ]Presbyterian|Weill Cornell|Northwell"
    r"|Swedish Medical|Virginia Mason|Harborview|Barnes[- ]Jewish|Jackson Memorial"
    r"|Scripps|City of Hope|Dignity Health|UPMC|UNC|UAB|UVA|OHSU|MUSC|UTSW|UTMB|UW|UIHC|DHMC"
    r"|CHOP|CHLA|BCH|TCH|Shriners|VAMC)\b"
)


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields HOSPITAL candidates, left to right and without overlap."""
    text = document.text
    seen = view(text)
    yield from disjoint(
        Candidate(start, end, "HOSPITAL", NAME, SCORE)
        for start, end in (*_by_words(text, seen), *_by_place(text, seen))
    )


def _stops(word: ContextWord) -> bool:
    return word.low in _STOPS


def _by_words(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _ANCHOR.finditer(seen):
        start, end = match.span()
        if not seen[start : start + 1].isupper() or is_word(text, start - 1) or is_word(text, end):
            continue
        weak = match.start(1) < 0
        left = name_run(words_before(seen, start, 7), stop=_stops, links=_CONNECTED)
        first = left[-1].start if left else start
        for _ in range(3):
            later = _LATER.match(seen, end, len(seen))
            if not later or not seen[end : later.end()].strip(b" ,-&")[:1].isupper():
                break
            end = later.end()
        of = _of(seen, end)
        end = of[-1].end if of else end
        own = [word for word in left if word.low not in _GENERIC and word.low not in _CONNECTED]
        name = any(word.capital for word in own) or bool(of and of[-1].low not in _GENERIC)
        if not name:
            continue
        while len(left) > 1 and len(left[-1].text) == 1:
            left.pop()
        first = left[-1].start if left else start
        if left and left[-1].low in _GOOD and seen[max(0, first - 5) : first].lower() == b"good ":
            first -= 5  # "good" ends a name elsewhere: "in good health"
        word = seen[start:end].lower()
        shouted = seen[first:end].isupper()
        if word in (b"ed", b"er", b"e.r."):
            # An emergency department is a hospital's only where that stands before it.
            if not (own and shouted and _BANNER.match(seen[max(0, first - 2) : first])):
                continue
        elif weak and not (
            apart(seen, first, end)
            or _TREATED.search(before(seen, first))
            or _named(own)
            or (shouted and _EMERGENCY.match(after(seen, end)))
            or (shouted and len(own) > 1 and _LINE.search(seen[max(0, first - 1) : first]))
        ):
            continue
        if word in _CHURCHES and _AT_CHURCH.search(before(seen, first)):
            continue
        if seen[end : end + 1] == b"." and seen[end - 2 : end - 1] == b".":
            end += 1
        yield first, end


_NO_PLACE = re.compile(r"(?:\b(?:mrn|np|dr\.?|md|nurse|mr|mrs|ms)(?: [a-z]+)?[ :#]{1,3}|-)$")
_FROM = re.compile(
    r"\b(?:transfer(?:red|s)?|xfer(?:red)?|txf|discharged?|d/c(?:'?d)?|records?|referred"
    r"|referral|transport(?:ed)?|films?|biops\w+|results?"
    r"|labs?|report(?:s)?|admitted|admission|sent|brought|taken|flown|airlifted|dc|moved"
    r"|presented|presents|returned)\b[^.;\n]{0,20}$"
)
_PLACES = (
    "county",
    "park",
    "lake",
    "beach",
    "church",
    "school",
    "police",
    "fire",
    "co-op",
    "motel",
    "hotel",
    "university",
    "college",
)


def _of_care(seen: bytes, left: str, match: Match, run: list[ContextWord]) -> bool:
    """Whether what follows "at" or "to" may be where somebody is treated."""
    word = (match.group() or b"").split()[0].lower()
    # "reported to Lisinopril", "born to Maria": of "to" and "from" only words for moving tell.
    if word in (b"to", b"from"):
        if not _FROM.search(left):
            return False
    elif not (_PLACED.search(left) or _TREATED.search(left)):
        return False
    name = " ".join(part.low for part in run)
    if any(
        name in folded(places)
        for places in ("us_cities", "us_states", "countries_en", "world_cities")
    ):
        return False
    if word == b"from" and name in folded("us_places"):
        return False
    if run[-1].low in _PLACES or any(part.low in ("police", "county", "church") for part in run):
        return False
    if word == b"to" and run[0].low in folded("first_names_en") and len(run) == 2:
        return False
    # One name alone behind "to" is a person's or a town's more often.
    return not (len(run) == 1 and run[0].low in folded("first_names_en") and word != b"at")


_CHURCHES = (b"baptist", b"lutheran", b"methodist", b"presbyterian", b"mercy")
_BANNER = re.compile(rb"(?:|\n|[\d ] |\n )$|^(?:\n|)$|[A-Z0-9] $")
_EMERGENCY = re.compile(r" e\.?[dr]\b\.?")
_LINE = re.compile(rb"(?:^|\n)$")
_AT_CHURCH = re.compile(
    r"\b(?:church|hymns?|worships?|supper|choir|faith|pastor|mass|usher|member"
    r"|congregation)\b[^.\n]{0,24}$"
)


def _named(words: list[ContextWord]) -> bool:
    """Whether one of the words is a town or a saint, whatever stands about it."""
    return any(
        word.low in ("st", "st.", "saint", "mt", "mount", "santa", "san", "los")
        or word.low in folded("us_cities")
        for word in words
    )


def _of(seen: bytes, end: int) -> list[ContextWord]:
    """The words of "of Philadelphia" behind an institution's name."""
    words = words_after(seen, end, 5)
    if not words or words[0].text.lower() != "of":
        return []
    run = name_run(words, stop=_stops, links=_CONNECTED)
    return run if len(run) > 1 else []


def _by_place(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _KNOWN.finditer(seen):
        run = name_run(words_after(seen, match.end(), 4), stop=_stops, links=frozenset())
        end = run[-1].end if run else match.end()
        mark = seen[match.end() : match.end() + 1]
        if (
            is_word(text, match.start() - 1)
            or (mark == b"-" and run == [])
            or _NO_PLACE.search(before(seen, match.start()))
        ):
            continue
        yield match.start(), end
    for match in _SAINT.finditer(seen):
        left = before(seen, match.start())
        if (
            _WHOLE_SAINT.match(after(seen, match.end()))
            and (
                _TREATED.search(left) or (not left and seen[match.start() : match.end()].isupper())
            )
            and not (_AT_CHURCH.search(left) or is_word(text, match.end()))
        ):
            yield match.span()
    for match in _SMALL.finditer(seen):
        word = (match.group(1) or b"").decode("latin-1").split(" ")[0]
        lists = (
            "common_words_en",
            "medical_words_en",
            "first_names_en",
            "us_places",
            "world_cities",
            "countries_en",
        )
        rest = match.end(1) - match.start(1) > len(word)
        # A first name or a town may begin an institution's name, but be none alone.
        if is_word(text, match.end()) or any(
            word in folded(name) for name in (lists[:2] if rest else lists)
        ):
            continue
        yield match.span(1)
    for shape in (_SENDER, _OWNER):
        for match in shape.finditer(seen):
            for group in range(1, len(match.groups()) + 1):
                name = match.group(group)
                if name and re.search(rb"[A-Za-z]{3}", name):
                    yield match.span(group)
    for match in _AT.finditer(seen):
        start = match.start(1)
        left = before(seen, match.start())
        run = name_run(words_after(seen, start, 5), stop=_stops, links=frozenset({"&", "of", "de"}))
        if run and not _of_care(seen, left, match, run):
            continue
        if (
            not run
            or (run[0].low in _DEPARTMENTS and not (len(run) > 1 and run[0].low == "st"))
            or all(w.low in _GENERIC for w in run)
        ):
            continue
        yield start, run[-1].end
