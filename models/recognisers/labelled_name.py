"""Names in the fields of forms, headers and letters (`Patient:`, `PCP:`, `Dear ...`) and of HL7.

The field's word decides between PATIENT and DOCTOR. It may stand on a line of its own above the
name, or be a sentence ("his wife's name is"). Values that no list knows are taken as long as they
are written as names; ordinary words are not ("Anesthesia: General", "Surgeon: same"). A name ends
before an eponym: `Patient: Ivy Baker Allis sign`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from ...dictionaries import load
from ..core.documents import Context, Document
from ..core.spans import Candidate
from .casing import CasedWords, words
from .context_words import cased
from .eponym_ends import before_eponym
from .matching import RuleView
from .name_words import (
    FIELD_WORDS,
    FUNCTION_WORDS,
    PARTICLES,
    eponyms,
    is_common,
    is_credential,
    is_given,
    is_surname,
)
from .names import NameSpan, is_plausible, names_an_institution, read_name
from .patterns import disjoint, is_word, pattern, view
from .word_forms import CAPITALISED, INITIAL, LOWER, plain, plain_all

NAME = "labelled_name"
LABELS = ("PATIENT", "DOCTOR")
# 82 of 83 right: english_clinical_sample 18/18, demo/train 61/62, asq_phi 3/3.
# `python -m benchmarks.rules --scores`.
SCORE = 0.9765

_RELATION = (
    r"(?:grand|step|great[ -]|half[ -])?(?:mother|father|mom|dad|parents?|sister|brother|sibling"
    r"|son|daughter)(?:[ -]in[ -]law)?|wife|husband|spouse|partner|(?:girl|boy)?friend|fiancée?"
    r"|guardian|niece|nephew|aunt|uncle|cousin|neighbou?r|dtr|husb|granny|grandma|grandpa"
)
_PATIENT_FIELD = (
    r"(?:patient|pt|client|resident|member|subscriber|insured|guarantor|policy ?holder|child|infant"
    r"|baby|newborn|donor|recipient|claimant|deceased|decedent|worker|employee|student|caller"
    r"|informant|historian|vet|veteran|subject|participant|responsible party|emergency contact"
    r"|emerg(?:ency)?(?: contact)?(?: \d)?|contact(?: person)?|(?:next|nearest)(?: of)? kin|kin"
    r"|nok|pcg|caregiver|hcp|poa"
    r"|hcpoa|dpoa|(?:health ?care )?(?:proxy|agent|surrogate)|accompanied by|here with"
    rf"|{_RELATION})(?:[' ]?s)?(?: full| legal)?(?: name)?(?: \((?:last|first"
    rf"|print)[^)\n]{{0,20}}\))?"
    r"|(?:full |legal |last |first |middle |family |given |maiden |preferred |sur|fore)?name"
    r"(?: of (?:patient|pt|child|resident|insured))?"
    r"|re|regarding|aka|alias|a\.k\.a\.|goes by|injured worker"
)
_STAFF = (
    r"attending|pcp|pmd|primary care(?: physician| provider)?|primary|surgeon|co-?surgeon|assistant"
    r"|(?:first|1st|second|2nd|surgical)(?: assistant| asst\.?)?|asst|assist|anes|anesthesi(?:a"
    r"|ologist)"
    r"|anesthetist|anaesthetist|referring|refer(?:red|ral)(?: by| from)?|ref(?: by)?"
    r"|req(?:uested|uesting"
    r")?(?: by)?|order(?:ed|ing)?(?: by)?|physicians?|phys|provider|doctor|dr|md|do|np|pa|rn"
    r"|lpn|rt|pct"
    r"|crna|cna|aide|tech(?:nologist|nician)?|sonographer|phlebotomist|nurse|midwife|fellow"
    r"|intern|res"
    r"|consult(?:ant|ing)?|hospitalist|intensivist|admitting|discharging|attn|attention|crew"
    r"|operator|endoscopist|proceduralist|obstetrician|pediatrician|dietitian|nutritionist"
    r"|prosector"
    r"|diener|(?:phys|radi|path|cardi|onc|neur|nephr|ur|gastroenter|dermat|pulmon|endocrin|rheumat"
    r"|hemat|psych|ophthalm|immun|audi|gynec|anesthesi)[a-z]{0,4}ologist|psychiatrist|dentist"
    r"|(?:physical |occupational |speech |respiratory )?therapist|pharmacist|pharm|counsell?or"
    r"|social worker|sw|cm|case ?manager|care (?:manager|coordinator)|coordinator|interpreter"
    r"|translator|interp|chaplain|scribe|medic|paramedic|driver|examiner|supervisor|preceptor"
    r"|prescriber|dispenser|author|signer|transcriptionist|typist|circulator|scrub|perfusionist"
    r"|witness|staff(?:ed with| physician)?|surg|gi|ent|ob|cc|c\.c\.|copy(?: to)?|copies(?: to)?|to"
    r"|(?:performed|supervised|precepted|cosigned|co-signed|dictated|transcribed|typed|read"
    r"|interpreted|reviewed|approved|verified|entered|signed|e-?signed|authenticated|documented"
    r"|recorded|prepared|collected|drawn|taken|seen|evaluated|examined|administered|given|completed"
    r"|resulted|reported|called|filled|witnessed|accepted|notified|checked|written|attested"
    r"|finalized"
    r"|released|assessed|requested|triaged)(?: electronically)?(?: by| to)?"
    r"|electronically (?:signed|authenticated|verified|approved)(?: by)?|sign(?:ed|ing)|by"
    r"|supervising"
    r"|responsible|covering|on[ -]call"
)
_DOCTOR_FIELD = (
    rf"(?:{_STAFF})(?:[ /](?:physician|md|provider|doctor|dr|surgeon|nurse|rn|name|clinician"
    rf"|radiologist"
    r"|pathologist|attending))?(?:[' ]?s)?(?:\(s\))?"
)
_COLON = r"[ \t.]{0,8}[:=][ \t]{0,16}(?:\r?\n[ \t]{0,8})?"
_PATIENT = pattern(rf"\b(?:{_PATIENT_FIELD}){_COLON}")
_DOCTOR = pattern(rf"\b(?:{_DOCTOR_FIELD}){_COLON}")
# Without a colon a column must separate field and value, or the value be `Last, First`.
_PATIENT_COLUMN = pattern(
    r"(?:^|\n|  |\t)(?:patient(?: name)?|pt(?: name)?|name|resident|spouse|re)[ \t]{1,16}"
)
_DOCTOR_COLUMN = pattern(
    r"(?:^|\n|  |\t)(?:(?:ref|attending|pcp|surgeon|surg|assistant|physician|provider|md|anes"
    r"|adm md"
    r"|resident|fellow|np|rn|crna|nurse|tech)[ \t]{1,16})"
)
# A field on a line of its own, the name alone on the next.
_PATIENT_ABOVE = pattern(
    r"(?:^|\n)[ \t]{0,8}(?:(?:patient|pt|client|resident)(?:'?s)?(?: (?:full )?name)?"
    r"|(?:full |legal )?name(?: of (?:patient|pt))?)[ \t]{0,8}\r?\n[ \t]{0,8}"
)
_DOCTOR_ABOVE = pattern(
    r"(?:^|\n)[ \t]{0,8}(?:(?:attending|referring|consultant|provider|physician|surgeon|pcp)"
    r"(?: (?:physician|provider|surgeon|name))?|(?:signed|dictated|reviewed|seen)(?: by)?"
    r"|signature)[ \t]{0,8}\r?\n[ \t]{0,8}"
)
_OF_PATIENTS = re.compile(r"(?:(?:patient|pt|client|resident)\b|(?:full |legal )?name\b)")
_FIELD_END = re.compile(r"[ \t]{0,8}(?:,|\r?\n|\Z)|  |\t")
_ALONE = re.compile(r"(?:, ?[A-Z][A-Za-z.-]{1,6}| [A-Z]{2,4})?\.?[ \t]{0,8}(?:\r?\n|\Z)")
# "His wife's name is Ivy Baker."
_NAMED = pattern(
    rf"\b(?:his|her|their|my|whose|(?:patient|pt|client|baby|child|boy|girl|{_RELATION})'?s?)"
    r" (?:full |first |last |legal |maiden |middle |real )?name (?:is|was) "
)
_STAFF_NAMED = pattern(
    r"\b(?:doctor|dr|physician|surgeon|consultant|nurse|midwife|dentist|therapist|provider|pcp)"
    r"'?s? (?:full |first |last )?name (?:is|was) "
)
# Letters go to colleagues, messages to patients, more often than not.
_GREETING = pattern(
    r"(?:^|\n)[ \t>]{0,8}(dear|hi|hello|good (?:morning|afternoon|evening))[ ,]{1,2}"
)
_GREETED = re.compile(r" ?[,:!.;-]|\s{0,4}(?:\n|\Z)")
_NEUTRAL = re.compile(r"(?:name|re|regarding|resident|aka|alias|contact)\b")
# Fields whose values are mostly something else.
_DOUBTFUL = re.compile(
    r"(?:cc|c\.c\.|to|by|do|pa|md|gi|ent|ob|primary|electronically|e-?sign(?:ed)?|sign(?:ed"
    r"|ing)?|first|second"
    r"|1st|2nd|order|consult|given"
    r"|reported|collected|completed|called|accepted|requested|anesthesia|anes|surg|subject"
    r"|contact|re"
    r"|employee|signed|dr|pharm|ref|req|reviewed|examined|seen|phys|pct|assist|res|attention|sw"
    r"|cm|crew"
    r"|responsible|covering|witness|name)[ :.=\t\r\n]"
)
_NO_SURNAMES = FIELD_WORDS | FUNCTION_WORDS
# "contact: john.doe@example.org" is the business of another rule.
_ADDRESS = re.compile(r"[@_\d]|\.[^\W\d_]{2}|\.[^\W_]{1,20}@")
_NICKNAME = re.compile(r" {1,4}[\"'“(]([^\W\d_]{2,12})[\"'”)](?![\w])")
_MORE = re.compile(r" ?(?:/|;|&|,|\band\b) ?")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one candidate per name in a field, left to right and without overlap."""
    yield from find(document.text)


@functools.lru_cache(maxsize=1)
def find(text: str) -> tuple[Candidate, ...]:
    """What `recognise` yields; the rules that look names up again ask for it too."""
    found = words(text)
    seen = view(text)
    candidates = [
        Candidate(start, end, label, NAME, SCORE)
        for start, end, label in (
            *_fields(found, seen),
            *_columns(found, seen),
            *_above(found, seen),
            *_sentences(found, seen),
            *_hl7(text, seen),
        )
    ]
    return tuple(disjoint(candidates))


def _fields(found: CasedWords, seen: RuleView) -> Iterator[tuple[int, int, str]]:
    read: set[int] = set()
    for searched, label in ((_PATIENT, "PATIENT"), (_DOCTOR, "DOCTOR")):
        for match in searched.finditer(seen):
            text = found.text
            if is_word(text, match.start() - 1) or text[match.start() - 1 : match.start()] == "-":
                continue
            if match.end() in read:
                # "Accompanied by:" is no "by:".
                continue
            read.add(match.end())
            field = seen[match.start() : match.end()].decode("latin-1").lower()
            stretch = _value(found, match.end(), doubtful=_DOUBTFUL.match(field) is not None)
            if _OF_PATIENTS.match(field) and _begins_line(text, match.start()):
                stretch = _whole_line(found, match.end()) or stretch or _rare(found, match.end())
            if stretch is None:
                continue
            called = label
            if label == "PATIENT" and _NEUTRAL.match(field) and _is_signed(found, stretch):
                called = "DOCTOR"
            nickname = _NICKNAME.match(text, stretch.end)
            if nickname and is_given(nickname[1]) and plain(nickname[1]) not in FIELD_WORDS:
                yield *nickname.span(1), called
            while stretch is not None:
                yield stretch.start, stretch.end, called
                stretch = _another(found, stretch) if label == "DOCTOR" else None


def _begins_line(text: str, start: int) -> bool:
    """Whether a field has nothing but a few blanks before it on its line."""
    before = text[max(0, start - 8) : start].rpartition("\n")
    return not before[2].strip() and (start <= 8 or before[1] == "\n")


def _whole_line(found: CasedWords, offset: int) -> NameSpan | None:
    """A first name and others that are all of a line: "grace winter", "quested, lorna".

    They may be ordinary words and in no list, as long as one of them is a first name in its place.
    """
    first = found.at(offset)
    last, gaps = first, []
    while last + 1 < len(found) and last - first < 4:
        gap = found.between(last)
        if gap not in (" ", ". ", ", "):
            break
        gaps.append(gap)
        last += 1
    if not 0 < len(gaps) < 4 or found.starts[first] - offset > 2:
        return None
    if gaps.count(", ") > 1 or not _ALONE.match(found.text, found.ends[last]):
        return None
    inside = range(first, last + 1)
    given = first + 1 + gaps.index(", ") if ", " in gaps else first
    if not is_given(found.texts[given]):
        return None
    if len({found.shapes[i] for i in inside if len(found.texts[i]) > 1}) > 1:
        return None
    for index in inside:
        name, word = found.plains[index], found.texts[index]
        if name in _NO_SURNAMES or is_credential(word):
            return None
        listed = is_given(word) or is_surname(word)
        if is_common(word) and not listed and is_common(found.texts[given]):
            return None
    return NameSpan(first, last, found.starts[first], found.ends[last])


def _is_signed(found: CasedWords, stretch: NameSpan) -> bool:
    after = stretch.last + 1
    return after < len(found) and (
        is_credential(found.texts[after])
        or re.fullmatch(r",? ?M\.D.*", found.text[stretch.end : stretch.end + 6]) is not None
    )


def _value(found: CasedWords, offset: int, *, doubtful: bool) -> NameSpan | None:
    """The name that begins at an offset, if the value of a field can be one."""
    index = found.at(offset)
    if index >= len(found) or found.starts[index] - offset > 2:
        return None
    title = found.plains[index]
    if title in ("mr", "mrs", "ms", "miss", "dr", "sr", "rev", "prof"):
        # Read by the rule for titles.
        return None
    if found.text[offset : found.starts[index]].strip(" \"'_*(["):
        return None
    stretch = _read(found, index, doubtful=doubtful)
    if stretch is None:
        return None
    if _ADDRESS.match(found.text, stretch.end) or _ADDRESS.match(found.text, stretch.end - 1):
        return None
    return stretch


def _read(found: CasedWords, index: int, *, doubtful: bool) -> NameSpan | None:
    """The name that begins with a word; without what stands behind a comma, if that is no name."""
    for comma in (True, False):
        read = read_name(found, index, comma=comma, lower=True)
        stretch = before_eponym(found, read) if read is not None else None
        if stretch is not None and _is_name(found, stretch, doubtful):
            return stretch if doubtful else _with_rare(found, stretch)
        if read is None or "," not in found.text[read.start : read.end]:
            return None
    return None


def _with_rare(found: CasedWords, stretch: NameSpan) -> NameSpan:
    """With a surname that is an ordinary word and in no list, at the end of a field.

    `Patient: Maud E. Larkspur`, `Patient: Lorna Quested, 71`.
    """
    index, before = stretch.last + 1, found.texts[stretch.last]
    if (
        index >= len(found)
        or found.text[stretch.end : found.starts[index]] != " "
        or "," in found.text[stretch.start : stretch.end]
        or found.shapes[index] != CAPITALISED
        or len(found.texts[index]) < 4
        or found.plains[index] in _NO_SURNAMES
        or not _FIELD_END.match(found.text, found.ends[index])
    ):
        return stretch
    initial = found.shapes[stretch.last] == INITIAL and stretch.last > stretch.first
    if not initial and (is_common(before) or not is_given(before)):
        return stretch
    return NameSpan(stretch.first, index, stretch.start, found.ends[index])


def _is_name(found: CasedWords, stretch: NameSpan, doubtful: bool) -> bool:
    inside = range(stretch.first, stretch.last + 1)
    full = [i for i in inside if len(found.texts[i]) > 1]
    if not full:
        return False
    if (
        "," in found.text[stretch.start : stretch.end]
        and is_surname(found.texts[stretch.first])
        and is_given(found.texts[full[-1]])
        and not is_common(found.texts[full[-1]])
    ):
        # "WARD, CALVIN", whatever the first word is besides.
        return True
    if not all(is_plausible(found, i) or found.plains[i] in PARTICLES for i in full[:1]):
        return False
    listed = [i for i in full if is_given(found.texts[i]) or is_surname(found.texts[i])]
    ordinary = [i for i in full if is_common(found.texts[i])]
    comma = "," in found.text[stretch.start : stretch.end]
    if names_an_institution(found, stretch):
        return False
    if len(inside) == 1:
        return (
            bool(listed)
            and (not doubtful or not ordinary)
            and found.shapes[stretch.first] != LOWER
            or (bool(listed) and not ordinary)
            or (not doubtful and not ordinary and len(found.texts[stretch.first]) > 3)
        )
    if ordinary and len(ordinary) == len(full) and len(full) == len(inside):
        # "Hope Ransom", "Brown, Hazel": both are words; the first name must be one.
        first = next((i for i in full[1:]), full[0]) if comma else full[0]
        return is_given(found.texts[first]) and len(listed) == len(full)
    if doubtful:
        return bool(listed) and (len(ordinary) < len(full) or len(inside) > len(full))
    return bool(listed) or not ordinary or comma


def _another(found: CasedWords, stretch: NameSpan) -> NameSpan | None:
    """The next name of `A. Jones, MD / B. Smith`, behind credentials or none."""
    index = stretch.last + 1
    for _ in range(3):
        if index >= len(found) or not is_credential(found.texts[index]):
            break
        index += 1
    if index >= len(found):
        return None
    gap = found.between(index - 1)
    if gap == " " and found.texts[index].lower() == "and":
        index += 1
    elif not _MORE.fullmatch(gap):
        return None
    following = read_name(found, index, lower=True) if index < len(found) else None
    if following is None or not _is_name(found, following, doubtful=True):
        return None
    return following


def _columns(found: CasedWords, seen: bytes) -> Iterator[tuple[int, int, str]]:
    for searched, label in ((_PATIENT_COLUMN, "PATIENT"), (_DOCTOR_COLUMN, "DOCTOR")):
        for match in searched.finditer(seen):
            stretch = _value(found, match.end(), doubtful=True)
            if stretch is None:
                continue
            wide = (
                seen[match.end() - 2 : match.end()].isspace()
                or b"\t" in seen[match.end() - 1 : match.end()]
            )
            comma = "," in found.text[stretch.start : stretch.end]
            given = is_given(found.texts[stretch.first])
            surname_first = (
                is_surname(found.texts[stretch.first])
                and is_given(found.texts[stretch.last])
                and not is_common(found.texts[stretch.last])
            )
            if comma or wide or surname_first or (stretch.last > stretch.first and given):
                yield stretch.start, stretch.end, label
    for match in _GREETING.finditer(seen):
        stretch = _value(found, match.end(), doubtful=True)
        if stretch is not None and _GREETED.match(found.text, stretch.end):
            dear = (match.group(1) or b"").lower() == b"dear"
            yield stretch.start, stretch.end, "DOCTOR" if dear else "PATIENT"


def _above(found: CasedWords, seen: RuleView) -> Iterator[tuple[int, int, str]]:
    """Names alone on the line below their field."""
    for searched, label in ((_PATIENT_ABOVE, "PATIENT"), (_DOCTOR_ABOVE, "DOCTOR")):
        for match in searched.finditer(seen):
            field = seen[match.start() : match.end()].split()
            doubtful = len(field) < 2 or field[-1].lower() != b"name"
            stretch = _value(found, match.end(), doubtful=doubtful) or _rare(found, match.end())
            if stretch is None or not _ALONE.match(found.text, stretch.end):
                continue
            if found.shapes[stretch.first] != LOWER or stretch.last > stretch.first:
                yield stretch.start, stretch.end, label


def _rare(found: CasedWords, offset: int) -> NameSpan | None:
    """A name alone on its line of words that are in no list, of ordinary words or of drugs."""
    stretch = _value(found, offset, doubtful=False)
    if stretch is None or not _ALONE.match(found.text, stretch.end):
        return None
    for index in range(stretch.first, stretch.last + 1):
        word = found.texts[index]
        if found.shapes[index] != CAPITALISED or len(word) < 4 or is_common(word):
            return None
        if found.plains[index] in eponyms() or found.plains[index] in _products():
            return None
    return stretch


@functools.cache
def _products() -> frozenset[str]:
    """Drugs, devices and tests by their names, as `plain` writes them."""
    lists = ("drug_names_en", "medical_products_en", "device_brands_en", "organisms_en")
    return frozenset(plain_all([phrase for name in lists for phrase in load(name).phrases]))


def _sentences(found: CasedWords, seen: RuleView) -> Iterator[tuple[int, int, str]]:
    """Names behind "her name is"."""
    for searched, label in ((_NAMED, "PATIENT"), (_STAFF_NAMED, "DOCTOR")):
        for match in searched.finditer(seen):
            if is_word(found.text, match.start() - 1):
                continue
            stretch = _value(found, match.end(), doubtful=False)
            if stretch is not None:
                yield stretch.start, stretch.end, label


# Segment -> {field number: label}; HL7 v2.5.1, chapters 3 (PID, NK1, PV1), 4 (ORC, OBR).
_SEGMENTS = {
    "PID": {5: "PATIENT", 6: "PATIENT", 9: "PATIENT"},
    "NK1": {2: "PATIENT", 30: "PATIENT"},
    "GT1": {3: "PATIENT", 4: "PATIENT"},
    "IN1": {16: "PATIENT"},
    "PD1": {4: "DOCTOR"},
    "PV1": {7: "DOCTOR", 8: "DOCTOR", 9: "DOCTOR", 17: "DOCTOR", 52: "DOCTOR"},
    "ORC": {10: "DOCTOR", 11: "DOCTOR", 12: "DOCTOR", 19: "DOCTOR"},
    "OBR": {10: "DOCTOR", 16: "DOCTOR", 28: "DOCTOR", 32: "DOCTOR", 33: "DOCTOR", 34: "DOCTOR",
            35: "DOCTOR"},
    "TXA": {5: "DOCTOR", 9: "DOCTOR", 10: "DOCTOR", 11: "DOCTOR", 22: "DOCTOR"},
    "DG1": {16: "DOCTOR"},
    "AIP": {3: "DOCTOR"},
}  # fmt: skip
_SEGMENT = re.compile(rf"(?:^|(?<=[\r\n]))(?:{'|'.join(_SEGMENTS)})\|[^\r\n]{{0,4000}}")

_ANY_SEGMENT = cased(rf"(?:{'|'.join(_SEGMENTS)})\|")


def _hl7(text: str, seen: RuleView) -> Iterator[tuple[int, int, str]]:
    if not any(_ANY_SEGMENT.finditer(seen)):
        return
    for match in _SEGMENT.finditer(text):
        wanted = _SEGMENTS[text[match.start() : match.start() + 3]]
        start = match.start()
        for number, field in enumerate(match[0].split("|")):
            if label := wanted.get(number):
                at = start
                for repeat in field.split("~"):
                    if span := _components(repeat):
                        yield at + span[0], at + span[1], label
                    at += len(repeat) + 1
            start += len(field) + 1


def _components(name: str) -> tuple[int, int] | None:
    """Where family, given and middle name stand in `ID^DOE^JANE^Q^^DR`, carets between included."""
    start, kept = 0, []
    for component in name.split("^")[:6]:
        if any(map(str.isalpha, component)) and not any(map(str.isdecimal, component)):
            kept.append((start, start + len(component)))
        elif kept:
            break
        start += len(component) + 1
    kept = kept[:4]
    while kept and is_credential(name[slice(*kept[-1])]):
        kept.pop()
    if not kept:
        return None
    begin, end = kept[0][0], kept[-1][1]
    stripped = name[begin:end]
    return begin + len(stripped) - len(stripped.lstrip()), begin + len(stripped.rstrip())
