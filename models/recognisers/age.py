"""Ages of patients: "54-year-old", "39M", "72 y/o", "aged 54", "Mrs. Lee, 82,", "she is 92".

45 CFR 164.514(b)(2)(i)(C) asks that ages over 89 be removed or put into one class of 90 and older;
i2b2 2014 annotates all of them, and what is done with the younger ones is the policy's business.
The span is the number only, as in i2b2 2014. Durations, distances and temperatures look alike: "for
5 years", "100 m", "98 F".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .patterns import after, before, disjoint, is_digit, is_word, number_is_whole, pattern, view

NAME = "age"
LABELS = ("AGE",)
# 51 of 52 right: english_clinical_sample 11/12, demo/train 40/40. asq_phi annotates
# no ages under 90.
# `python -m benchmarks.rules --scores`
SCORE = 0.963

# The oldest person on record reached 122.
_N = r"(1[01]\d|12[0-4]|\d{1,2})"
_SEX = r"(?:male|female|man|woman|lady|gentleman|boy|girl|patient|[mf]\b)"
_BEHIND = pattern(
    _N + r"(?:(?:[ -]?½)?(?: ?-? ?(?:years?|yrs?|y|months?|mos?|weeks?|wks?|days?|d)\.?[ -]{0,2}"
    r"(?:/ ?)?(?:olds?|of age|o\b)"
    r"|[ -]?(?:y[./]? ?o\b|yo[mfbg]?\b|años)"
    rf"|[ -]?(?:years?|yrs?|y)\.?,? {{0,3}}{_SEX}"
    rf"|[ -]?(?:months?|mos?|wks?|weeks?) {_SEX}"
    r"|[ -](?:years?|yrs?|months?|mos?)\.? (?:check-?up|well|physical|wcc)|[ -]mos?\.? {1,3}\(dob)"
    r"|( ?-?(?:years?|yrs?|y)\b)|( ?(?:male|female|man|woman|wm|wf|bm|bf)\b)|( {0,2}/? ?[mf]\b))"
)
# "a 2-1/2-year-old", "a 5-year, 4-month-old"
_PARTED = pattern(
    r"\b(\d{1,2})(?:[- ]1/2|½)?[- ](?:years?|yrs?)"
    r"(?:[- ](?:old|of age)|,? (?:and )?\d{1,2}[- ]months?[- ](?:old|of age))\b"
)
_AHEAD = pattern(
    r"\b(?:age[ds]?|edad)(?:/sex|/gender)?(?: ?[:=]| of| at| is| was| the| death| de| del| paciente"
    r"| {1,6}){0,3} ?" + _N + r"(?: (?:and|to|or|through) " + _N + ")?"
)
_SEX_AHEAD = pattern(r"\b[mf]/" + _N + r"\b|\b[mf] {1,3}" + _N + r"(?:  |\r?\n)")
_SLASHED_HEAD = re.compile(r"(?:sex|age|gender)\W{0,3}$|^$|  $")
_PATIENT_HEAD = re.compile(r" *(?:pt|patient|name)\b.* $")
_DECADE = pattern(
    r"\b(?:his|her|their|the patient's|my)(?: early| mid[ -]?| late)? ?((?:[2-9]|10|11)0'?s)\b"
)
_WORD = pattern(
    r"\b(?:(?:semi-?)?super ?centenarian|centenarian|nonagenarian|nonagenari[oa]|octogenarian"
    r"|septuagenarian)s?\b"
)
# A person right before it, and something that ends it: "Mrs. Lee, 82, had"; "She is 92".
_PERSON = pattern(
    r"(?:\b(?:m(?:r|rs|s)\.? [a-z][a-z'-]{1,24}, ?|(?:pt|patient"
    r"|name)[ :.]{1,3}[a-z][a-z' -]{2,32}, ?"
    r"|(?:he|she|patient|pt|who|mom|mother|dad|father) is (?:now )?(?:almost |nearly )?"
    r"|(?:turn(?:s|ed|ing)?|turning|(?:he|she|who|patient) will be|just turned) )|\(will be )" + _N
)
_AFTER_PERSON = re.compile(
    r",| \(| and (?![0-9])|\.(?: |$)|;|\)|:| on\b| in\b| since\b| today\b|$| backwards"
)
# A date of birth before it: "DOB 08/17/1960 (52)", "DOB 02/29/1936     71   Chart".
_BORN = pattern(
    r"(?:dob|birth ?date|date of birth|born)[ :.|]{1,12}\d{1,2}[/-]\d{1,2}[/-]\d{2,4}(?:  {0,7}\(?"
    r"|,? \()" + _N + r"(?:\)|  |\r?\n|/[mf]| ?[mf]\b| ?y)"
)
_LIFE = pattern(
    r"\b(?:menarche|menopause|first birth|first\r?\nbirth|onset|diagnosed|dx|dx'd|episode|attack"
    r"|smoked from"
    r"|married|died|retired)(?: at| age| at age){0,2}[ :]" + _N
)
_NOT_AN_AGE = (
    *("ago", "earlier", "later", "prior", "history", "hx", "before", "pack", "apart", "survival"),
    *("hence", "after", "since", "previously", "back", "duration", "follow", "course", "post", "x"),
)
_DURATION_LEFT = re.compile(
    r"(?:\b(?:for|over|past|last|x|about|than|in|every|next|least|several|within|after|of|to|total"
    r"|another|per|approximately|nearly|almost|previous|first|q|some|another|married|sober|works?"
    r"|worked|or|and|spent|some|smoked|roughly|around)|[~x<>=@+-]) ?$"
)
_HEADED = re.compile(r"(?:: |a/p | [mf] |, )$")
_PERSON_WORDS = ("with", "w", "w/", "who", "s/p", "presents", "presenting", "admitted")
_TEMPERATURE_WORDS = ("t", "temp", "temperature", "tm", "tmax", "tc", "of", "to", "fever", "at")
_SPANISH_LEFT = re.compile(
    r"(?:var\xf3n|mujer|hombre|pacientes?|ni\xf1[oa]|adolescente|lactante|femenin[oa]|masculin[oa]"
    r"|joven|se\xf1ora?|sexo|chic[oa]|hij[oa]|madre|padre"
    r"|herman[oa])(?: [a-z\xe1-\xfa]{1,12})?,? (?:de )?$|\ba los $"
)
_SPANISH_RIGHT = re.compile(
    r" (?:de (?:evoluci|seguim|tratam|dur|antig)|antes|despu|atr\xe1s|m\xe1s?\b|mas\b|previ|del? )"
)
_FRENCH = re.compile(
    r"\b(?:foley|sheath|catheter|cath|radial|femoral|terumo|tube|fr|french|drain|stent|introducer"
    r"|ureteral|guide|access|pigtail|jj|suction|line|picc|ng|ngt|og|ogt|nasogastric|orogastric)\b"
)
_NUMBERED = re.compile(
    r"(?:(?<![a-z/])(?:room|rm|bed|grade|stage|type|size|x|weight|wt|ht|bmi|hr|p|t|rr|page|unit|day"
    r"|week|pod|lot|no|ward|wing|floor|chest|suture|fr|gauge|vit|c|l|s|t|score|item|question|level"
    r"|box|apt|ste|#)[:.]? ?)$"
)


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one AGE per number or word for an age, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = [
        *_with_unit(text, seen),
        *_behind_cue(text, seen),
        *(match.span(1) for match in _DECADE.finditer(seen)),
        *(m.span(1) for m in _PARTED.finditer(seen) if number_is_whole(text, m.start(1), m.end())),
        *(match.span() for match in _WORD.finditer(seen)),
    ]
    yield from disjoint(Candidate(start, end, "AGE", NAME, SCORE) for start, end in found)


def _with_unit(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _BEHIND.finditer(seen):
        start, end = match.span(1)
        if (
            not is_word(text, start - 1)
            and not is_word(text, match.end())
            and (start == 0 or text[start - 1] not in ".,<>%$#x+")
            and not (start > 1 and text[start - 1] in "/-" and is_digit(text, start - 2))
            and _is_age(text, seen, start, end, match.end())
        ):
            yield start, end


def _is_age(text: str, seen: bytes, start: int, end: int, behind: int) -> bool:
    unit = seen[end:behind].strip(b" -/").lower()
    right = after(seen, behind, 24)
    word = right.lstrip(" .,-").split(" ", 1)[0].rstrip(".,;:)")
    left = before(seen, start, 24)
    if unit == b"a\xf1os":
        return int(seen[start:end]) > 89 or _is_spanish_age(left, right)
    if word in _NOT_AN_AGE and unit not in (b"m", b"f") and b"old" not in unit:
        return False
    if unit in (b"years", b"year", b"yrs", b"yr", b"y"):
        return _is_bare_years(unit, b" " in seen[end:behind], left, right)
    if unit in (b"m", b"f"):
        return _is_sex(text, seen, start, end, behind, left, right)
    if unit in (b"male", b"female", b"man", b"woman", b"wm", b"wf", b"bm", b"bf"):
        return int(seen[start:end]) > 12 and not left.endswith(("type ", "no. ", "# ", "size "))
    return True


def _is_spanish_age(left: str, right: str) -> bool:
    if right.startswith((" de edad", " de vida")) or left.endswith(("edad: ", "edad:", "edad:  ")):
        return True
    return _SPANISH_LEFT.search(left) is not None and _SPANISH_RIGHT.match(right) is None


def _is_bare_years(unit: bytes, spaced: bool, left: str, right: str) -> bool:
    """Whether "46 YRS", "15Y" and "(15 years)" tell an age rather than how long something took."""
    if _DURATION_LEFT.search(left) or right.startswith(("-", "/")):
        return False
    if left.endswith("(") and right.startswith(")"):
        return not left.rstrip(" (").endswith(("ago", "years", "yrs"))
    if unit == b"y" and right[:1] in (" ", ",", ";", ".", "") and not right.startswith(" x"):
        wide = left.endswith(("  ", "age ", "\t"))
        return wide or (not spaced and (not left.strip() or _HEADED.search(left) is not None))
    return left.endswith("  ") and right.startswith("  ")


def _is_sex(
    text: str, seen: bytes, start: int, end: int, behind: int, left: str, right: str
) -> bool:
    """Whether "39M", "58/F" or "70 M" tell age and sex; 100 m is a distance, 98 F a temperature."""
    spaces = seen[end : behind - 1].count(b" ")
    letter = text[behind - 1]
    word = right.lstrip(" .,-").split(" ", 1)[0].rstrip(".,;:)")
    age = int(seen[start:end])
    if _NUMBERED.search(left) or right[:1] == "/" or right.startswith((" x ", "x")):
        return False
    slashed = b"/" in seen[end:behind]
    if text[start - 1 : start] == "-":
        return False
    if letter in "fF" and (_FRENCH.search(left) or _FRENCH.search(right)):
        return False
    if age < 13 and not spaces and not slashed and word not in _PERSON_WORDS:
        # "29 4F" is a flat.
        return left.endswith(("  ", "\t", ": ", "a/p ")) or not left.strip()
    if letter in "fF" and not slashed:
        # 98F is a temperature.
        last = left.rstrip(" :=,").rsplit(" ", 1)[-1]
        if last in _TEMPERATURE_WORDS or (age >= 95 and word not in _PERSON_WORDS):
            return False
    if letter in "mM" and age % 10 == 0 and age >= 90 and word not in _PERSON_WORDS and not spaces:
        return False
    if slashed and (spaces or letter.isupper()):
        return left[-1:] in (" ", "", "\t", ":", "(", ",")
    if spaces:
        # Alone in a header: behind a name, a wide gap or the words for it, and before no word.
        return (
            letter.isupper()
            and right[:1] in (" ", "", "\t", ",", ";", ".")
            and not right[1:2].isdigit()
            and (left.endswith(("  ", "\t", ", ", "sex ", "age ", "sex: ")) or not left.strip())
            and (
                right[:2] in ("  ", "", " \t") or right[:1] in ("\t", ",") or right.startswith(" w")
            )
            or (letter.isupper() and left.endswith(("sex ", "age ", "sex: ", "age: ")))
        )
    return letter.isupper() or word in _PERSON_WORDS or left.endswith("  ") or not left.strip()


def _behind_cue(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _AHEAD.finditer(seen):
        start, end = match.span(1)
        # "age 46F" is one, "age 46B" a code.
        closed = not is_word(text, end) or after(seen, end, 1) in ("y", "m", "f")
        if closed and number_is_whole(text, start, end) and not is_word(text, match.start() - 1):
            yield start, end
            # "two sons, ages 37 and 38"
            last = match.span(2)
            if last[0] >= 0 and number_is_whole(text, *last) and not is_word(text, last[1]):
                yield last
    for match in _BORN.finditer(seen):
        if not is_word(text, match.start() - 1):
            yield match.span(1)
    for match in _PERSON.finditer(seen):
        if (
            number_is_whole(text, *match.span(1))
            and not is_word(text, match.start() - 1)
            and not is_word(text, match.end())
            and _AFTER_PERSON.match(after(seen, match.end(), 12))
            and not (
                seen[match.start(1) - 2 : match.start(1)] == b", "
                and _is_lower_name(text, match.start(1))
            )
        ):
            yield match.span(1)
    for match in _LIFE.finditer(seen):
        if (
            number_is_whole(text, *match.span(1))
            and not is_word(text, match.end())
            and int(match.group(1) or b"0") > 7
            and re.match(r"[,.;)]|$| (?:of|from|in|to)\b", after(seen, match.end(), 8))
        ):
            yield match.span(1)
    for match in _SEX_AHEAD.finditer(seen):
        group = 1 if match.start(1) >= 0 else 2
        start, end = match.span(group)
        if is_word(text, match.start() - 1) or not text[match.start()].isupper():
            continue
        left = before(seen, match.start())
        headed = _SLASHED_HEAD.search(left) if group == 1 else _PATIENT_HEAD.match(left)
        if headed and number_is_whole(text, start, end) and not is_word(text, end):
            yield start, end


def _is_lower_name(text: str, start: int) -> bool:
    """Whether the word before ", 82" has no capital: it is no name."""
    words = text[max(0, start - 40) : start].rstrip(" ,").split()
    return not words or not words[-1][:1].isupper()
