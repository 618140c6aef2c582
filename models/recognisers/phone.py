"""Telephone, pager and fax numbers; the word before a number says which.

North American numbers by shape, seven digits by shape or word, extensions and pagers by word,
international numbers with `+`, nine-digit Spanish ones behind a word. Of other countries: groups
behind the 0 of the trunk ("01924 550 300", "(03) 9417 5586", "0491 577 644"), Indian mobile numbers
("94480 71263"), 1300 and 1800 numbers, and eight digits in two groups behind a word ("HP 8381
0136"). "#" and "x" before a number, and the extension after one, are outside the span; an extension
is a PHONE of its own, as in i2b2 2014.

Source of the shapes: North American Numbering Plan, area and exchange codes begin with 2 to 9; the
national numbering plans as ITU-T E.129 lists them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .matching import Match
from .named_numbers import count_digits
from .number_words import names_a_number
from .patterns import after, before, disjoint, is_digit, is_word, pattern, view

NAME = "phone"
LABELS = ("PHONE", "FAX")
# 104 of 104 right: english_clinical_sample 21/21, demo/train 52/52, asq_phi 31/31.
# `python -m benchmarks.rules --scores`.
SCORE = 0.9906

_TEN = pattern(
    r"(?:\+?1[-. ]?)?(?:\(\d{3}\)[-. ]{0,2}\d{3}|\d{3} ?- ?\d{3}|\d{3}\.\d{3}"
    r"|[2-9]\d{2}[-./ ]{1,2}[2-9]\d{2})[-. ]{1,2}\d{4}"
)
_SOLID = pattern(r"(?:\+?1[-. ]?)?[2-9]\d{9}|[2-9]\d{2}[ -]?\d{7}")
_JOINED = pattern(r".{0,4}\(?\d{3}\)?[-./ ]{1,3}\d{3}[-./ ]{1,3}\d{4}")
# "called patient 617-555-0100": words of other numbers too, but without a sign for one.
_SOFT = re.compile(
    r"\b(?:patient|insurance|medicare|medicaid|unit|plan|group|ref|case|order|auth\w*|claim|records?"
    r"|social security)[ (]{1,2}$"
)
_SEVEN = pattern(r"[2-9]\d{2}([-. ])\d{4}")
_INTERNATIONAL = pattern(r"\+[1-9]\d{0,2}(?:[-. ]{0,2}\(?\d{1,4}\)?){2,6}")
_SPANISH = pattern(
    r"[6-9]\d{2}(?:[-. ]?\d{3}[-. ]?\d{3}|(?:[-. ]?\d{2}){3})"
    r"|[6-9]\d[-. ]\d{3}[-. ]?\d{2}[-. ]?\d{2}"
)
# Behind the 0 of the trunk, nine to eleven digits in all: the United Kingdom, Ireland, Australia,
# New Zealand, South Africa, Kenya, Nigeria, Ghana, Pakistan, India, the Philippines, Malaysia.
_TRUNK = pattern(
    r"(?:\(0[1-9]\d{0,4}\)[- ]?|0[1-9]\d{0,4}[- ])\d{3,4}[- ]?\d{3,4}"
    r"|0[1-9]\d{3,4}-\d{6,7}|0[1-9]\d{3} \d{6}"
)
# India's mobile numbers, and those that Australia pays for.
_GROUPS = pattern(r"[6-9]\d{4} \d{5}|1[38]00 \d{3} \d{3}")
# Too plain without a word: "HP 8381 0136", "hp 0197570127", "9447 550 121", "13 77 22".
_PLAIN_ABROAD = pattern(r"[3689]\d{3} \d{4}|0[1-9]\d{8,9}|[6-9]\d{3} \d{3} \d{3}|13 ?\d{2} ?\d{2}")
_CLOCK = re.compile(r"(?:\(?0\d\)? )?(?:(?:[01]\d|2[0-3])[0-5]\d ){1,2}(?:[01]\d|2[0-3])[0-5]\d")
_OF_HEALTH_SERVICE = re.compile(r"\b(?:nhs|chi|nhi|h&c|hcn|ihi|abha|pps|phn)\b[^\d\n]{0,12}$")
# 1-800-FLOWERS: freephone codes before letters and digits that are not all digits.
_VANITY = pattern(
    r"(?:1[-. ]?)?(?:\(8(?:00|33|44|55|66|77|88)\) ?|8(?:00|33|44|55|66|77|88)[-. ])"
    r"(?:[a-z0-9]{2,7}-[a-z0-9]{2,7}(?:-[a-z0-9]{2,7})?|[a-z0-9]{6,9})"
)
# Behind a field's label any number of seven to fifteen digits is one, however it is grouped.
_LABELLED = pattern(
    r"\b(?:phone|telephone|tel|mobile|cell(?:phone| phone)?|home|work|office|desk|direct|landline"
    r"|m[oó]vil|tel[eé]fono|fax|call me (?:at|on)|reach me (?:at|on))"
    r"(?:\.? ?:[ \t]{0,4}\n?[ \t]{0,4}| )(\(?[+0-9](?:(?:[-. /]|\)[- ]?|[- ]?\(| - )?[0-9]){6,15})"
)
# "Tel 07700\n900 812": behind its word, one line end where the number is not whole before it.
_BROKEN = pattern(
    r"\b(?:phone|telephone|tel|tfno|mob(?:ile)?|cell(?:phone)?|fax|ph|m[oó]vil|contact)"
    r"(?:\.| ?no\.?)? ?[:=]? {0,4}"
    r"(0[1-9]\d{1,4}(?:[ -]\d{3,4})?-? ?\r?\n ?\d{3,4}(?:[ -]?\d{3,4})?"
    r"|\(?[2-9]\d{2}\)?(?:[-. ]\d{3})?[-.]? ?\r?\n ?(?:\d{3}[-. ])?\d{4})"
)
_WHOLE_LINE = 8
_AFTER_NUMBER = pattern(
    r",? {0,2}\(?(?:x|#|ext(?:ension|n)?\.?|extensión)[ :#.]{0,3}(\d-\d{4}|\d{1,6})"
)
# "S. Adler MD  #50221", "p 31234", "PAGED AT 7719".
_PAGER = pattern(
    r"\b(?:(?:m\.?d\.?|d\.?o\.?|rn|np|pa-?c?|pgy-?\d),? {1,4}(?:#|p[:#]? ?)"
    r"|p ?[:#]? {1,2}|paged? (?:at|to|#) ?|page {1,2})"
    r"(\d{4,6})"
)
# "home: 2014-08-07 10", "work 1234567 mg".
_NO_PHONE = pattern(
    r"(?:19|20)\d{2}[-./ ]\d{1,2}[-./ ]\d{1,2}.{0,8}|\d{1,2}[-./]\d{1,2}[-./]\d{4}.{0,8}"
    r"|(?:[01]\d|2[0-4])[0-5]\d-(?:[01]\d|2[0-4])[0-5]\d"
)
_LOINC = re.compile(r"[-.]\d")
# "617-555-0100/0101", "617-555-0100/617-555-0101".
_NEXT_LINE = pattern(r"[/](\d{4})")
_TIME = pattern(r"(?:[01]\d|2[0-3])[0-5]\d")
_EXTENSION = pattern(
    r"(?:\b(?:ext(?:ension|n|\.)?|bleep|blp|dect|sat ph|loc\.|pager|pgr|beeper|bpr"
    r"|pg|pp|spectralink|vocera|ascom|voalte|zone"
    r" phone|long range (?:pager|beeper)|in-?house)"
    r"(?: ?(?:#|:|no\.?|number|id|is|at)){0,3} {0,2}|x ?)(\d-\d{4}|\d{3,7})"
)
_VEHICLE = re.compile(r"\b(?:taxi|car|van|bus|vehicle|plate) $")
_FOUR_DIGITS = pattern(r"[-. ]\d{4}")
_SHORT = pattern(
    r"\b(?:call|phone|ph|tel|telephone|cell|fax|contact|office|extension|ext)(?: back)?(?: at| on)?"
    r"(?: ?[#:.]){0,2}"
    r" {0,2}(\d-\d{4})"
)

_CUE = re.compile(
    r"(?P<FAX>\b(?:fax(?:ed|es|ing)?|facsimile|telefax|téléc(?:opieur)?|fx)\b|\bf[.:]? {0,3}$)"
    r"|(?P<PHONE>\b(?:tele)?phones?\b|\bph\b|\bt(?:el|e?lf|f)[a-zé]{0,6}\b|\bcell(?:ular)?\b"
    r"|\bmob(?:ile)?\b|\bhp\b|\bgsm\b|\bsat ph\b|\bwhatsapp\b|\brang\b|\bring(?:ing)?\b"
    r"|\bm[oó]vil\b|\bpager\b|\bpgr\b|\bbeeper\b|\bcall(?:ed|s|ing|back)?\b|\bcontact(?:ed)?\b"
    r"|\bdial\b|\bhotline\b"
    r"|\btext(?:ed)?\b|\bvoicemail\b|\breach(?:ed|able)?\b|\bnumbers?\b|\b[tphc][.:]? {0,3}$)"
)
_INTERVAL_WORDS = re.compile(r"normal|range|rango|refer|limit|[munp]g|mol|u/l|units")
_LINKS = (b" y ", b" o ", b" or ", b" and ", b" / ", b"/", b", ", b" - ", b" & ", b"; ")
_UNITS = re.compile(
    r" ?(?:mg|mcg|ug|g|gm|grams?|ml|cc|l|iu|u|units?|k?cals?|calories|meq|mmol|ng|pg|mm|cm|%|x10"
    r"|cells|steps|feet|ft|hours|hrs?"
    r"|years?|/[a-z]|k\b|m\b)(?![a-z:])"
)


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields PHONE and FAX candidates, left to right and without overlap."""
    text = document.text
    seen = view(text)
    numbers = sorted(
        (match.start(), _last(seen, *match.span()), needs_word)
        for shape, needs_word in (
            (_TEN, False),
            (_INTERNATIONAL, False),
            (_SEVEN, False),
            (_SOLID, True),
            (_SPANISH, True),
            (_TRUNK, False),
            (_GROUPS, False),
            (_PLAIN_ABROAD, True),
        )
        for match in shape.finditer(seen)
        if _is_whole(
            text,
            match.start(),
            _last(seen, *match.span()),
            listed=shape is _TEN,
        )
    )
    found: list[tuple[int, int, str]] = []
    reach, label = -1, "PHONE"
    for start, end, needs_word in numbers:
        # "Tel. 956 203 145 y 956 203 146": one word serves all numbers of a list.
        cue = (
            label
            if 0 <= reach < start and seen[reach:start].lower() in _LINKS
            else _cue(seen, start)
        )
        if (
            _is_other(seen, start, end, cue)
            or (needs_word and not cue)
            or not _fits(seen, start, end, bool(cue))
        ):
            continue
        reach, label = max(reach, end), cue or "PHONE"
        found.append((start, end, label))
        extension = _AFTER_NUMBER.match(seen, end, len(seen))
        line = _NEXT_LINE.match(seen, end, len(seen))
        if line and _is_whole(text, *line.span(1), listed=True):
            found.append((*line.span(1), label))
        # "#2" may begin a list.
        if extension and (
            not is_word(text, extension.end())
            and (
                b"#" not in seen[end : extension.start(1)]
                or extension.end() - extension.start(1) > 2
            )
        ):
            found.append((*extension.span(1), "PHONE"))
    found += _unusual(text, seen)
    for match in _EXTENSION.finditer(seen):
        if _is_extension(text, seen, match):
            found.append((*match.span(1), "PHONE"))
    for match in _SHORT.finditer(seen):
        if _is_whole(text, *match.span(1)):
            found.append((*match.span(1), _cue(seen, match.start(1)) or "PHONE"))
    yield from disjoint(Candidate(start, end, label, NAME, SCORE) for start, end, label in found)


def _last(seen: bytes, start: int, end: int) -> int:
    """Where a number ends: a bracket around it is not of it."""
    return end - (seen[end - 1] == 0x29 and b"(" not in seen[start:end])


def _cue(seen: bytes, start: int) -> str | None:
    """The label that the last word for a telephone or fax before the number asks for, if any."""
    left = before(seen, start)
    # A number between the word and this one has taken the word for itself: "T 603-555-0141   F
    # 603-555-0142".
    left = re.split(r"\d{4}(?!\d)", left)[-1].rstrip("(+")
    label = None
    for cue in _CUE.finditer(left):
        # "phone/fax:" and "fax or call" leave it open; the commoner one is taken.
        label = (
            cue.lastgroup
            if label is None or left[: cue.start()].rstrip()[-1:] not in ("/", "&", "y")
            else "PHONE"
        )
    return label


def _is_whole(text: str, start: int, end: int, *, listed: bool = False) -> bool:
    """Whether it is no piece of a longer number; an extension may begin right behind it.

    Args:
        text: the document's text.
        start: of the number.
        end: of the number.
        listed: whether a slash may part it from another one.
    """
    joints = "-." if listed else "-./"
    if is_digit(text, start - 1) or is_word(text, start - 1) or is_digit(text, end):
        return False
    glued = start > 1 and text[start - 1] in joints and is_word(text, start - 2)
    if glued and text[start] != "+":
        return False
    return not (end + 1 < len(text) and text[end] in joints and is_digit(text, end + 1)) and not (
        is_word(text, end) and text[end] not in "xX"
    )


def _unusual(text: str, seen: bytes) -> Iterator[tuple[int, int, str]]:
    """What only its context, or its letters, shows to be a telephone number."""
    for match in _VANITY.finditer(seen):
        start, end = match.span()
        tail = text[start:end].lstrip("1-. ()")[3:]
        if (
            _is_whole(text, start, end)
            and tail.upper() == tail
            and any(character.isalpha() for character in tail)
            and sum(character.isalnum() for character in tail) >= 7
        ):
            yield start, end, _cue(seen, start) or "PHONE"
    for match in _LABELLED.finditer(seen):
        start, end = match.span(1)
        # "by phone (216 555 0184)": the bracket is not of the number.
        start += seen[start] == 0x28 and b")" not in seen[start:end]
        number = seen[start:end]
        if (
            _is_whole(text, start, end)
            and not is_word(text, match.start() - 1)
            # "Phone 8/22 0830", "work 330-1130": a day or a shift, without the colon of a field.
            and (
                b":" in seen[match.start() : start]
                or (count_digits(number) > 8 and b"/" not in number)
            )
            and _NO_PHONE.fullmatch(number) is None
            and not _UNITS.match(after(seen, end, 12))
        ):
            yield start, end, _cue(seen, start) or "PHONE"
    for match in _BROKEN.finditer(seen):
        start, end = match.span(1)
        ahead, behind = (count_digits(part) for part in seen[start:end].split(b"\n"))
        if (
            ahead <= _WHOLE_LINE
            and 10 <= ahead + behind <= 11
            and _is_whole(text, start, end)
            and not is_word(text, match.start() - 1)
            and not _UNITS.match(after(seen, end, 12))
        ):
            yield start, end, _cue(seen, start) or "PHONE"
    for match in _PAGER.finditer(seen):
        start, end = match.span(1)
        word = seen[match.start() : start].lower()
        if (
            _is_whole(text, start, end)
            and not is_word(text, match.start() - 1)
            and not _UNITS.match(after(seen, end, 12))
            and not _LOINC.match(after(seen, end, 2))
            # "p 5000" is a count and "paged at 0200" a time.
            and (end - start == 5 or word.strip(b" :#") not in (b"p", b"page"))
            and not (word.startswith(b"page") and _TIME.fullmatch(seen[start:end]))
        ):
            yield start, end, "PHONE"


def _is_other(seen: bytes, start: int, end: int, cue: str | None) -> bool:
    """Whether a word before the number calls it something else, or a unit follows."""
    left = before(seen, start)
    # "cell #617-555-0100".
    left = left.rstrip("#") if cue else left
    if not cue and _OF_HEALTH_SERVICE.search(left):
        return True
    joined = _JOINED.fullmatch(seen[start:end])
    if names_a_number(left):
        return not (joined and _SOFT.search(left))
    # What is written with two joints is no quantity: "call 617-555-0100 L arm swollen".
    return not joined and (_UNITS.match(after(seen, end, 12)) is not None)


def _fits(seen: bytes, start: int, end: int, cue: bool) -> bool:
    """What shapes that other numbers share must fulfil besides."""
    if seen[start] == 0x2B:
        # ITU-T E.164: at most 15 digits; OMIM writes `+603967`.
        return 8 <= sum(0x30 <= byte <= 0x39 for byte in seen[start:end]) <= 15
    if end - start == 11 and seen[start + 5] == 0x20:
        # "60000 70000" are counts, "B4172 77190 07372" is one number of something else.
        if seen[start - 2 : start - 1].isdigit() and seen[start - 1 : start] == b" ":
            return False
        return seen[start + 3 : start + 5] != b"00" or seen[end - 2 : end] != b"00"
    if seen[start] in b"0(" and seen[start : start + 2].lstrip(b"(")[:1] == b"0":
        written = seen[start:end]
        digits = sum(0x30 <= byte <= 0x39 for byte in written)
        return 9 <= digits <= 11 and not _CLOCK.fullmatch(written.decode("latin-1"))
    if end - start != 8 or seen[start + 3 : start + 4].isdigit() or cue:
        return True
    if seen[start + 3] != 0x2D:
        return False
    first, second = int(seen[start : start + 3]), int(seen[start + 4 : end])
    # 500-1000 is a dose or a distance, 800-1630 a shift, 298-2350 behind a unit an interval.
    if first % 10 == 0 and second % 50 == 0 and second > first:
        return False
    if first < second < 2400 and first % 100 < 60 and second % 100 < 60:
        return False
    return second < first or not _INTERVAL_WORDS.search(before(seen, start, 30))


def _is_extension(text: str, seen: bytes, match: Match) -> bool:
    start, end = match.span(1)
    word = seen[match.start() : start].strip().lower()
    if is_word(text, end) or (
        end + 1 < len(text) and text[end] in "-./:," and is_word(text, end + 1)
    ):
        return False
    if word != b"x":
        if word.startswith(b"page") and _TIME.fullmatch(seen[start:end]):
            return False
        if word == b"pp" and _VEHICLE.search(before(seen, match.start())):
            # The plate of a taxi.
            return False
        return end - start > 3 or word.startswith((b"ext", b"loc"))
    # "steri x4", "2x1000", "x 2000 units": a bare x needs four or five digits, no unit, and
    # nothing or a telephone number in front.
    glued = is_word(text, match.start() - 1)
    if glued and not _FOUR_DIGITS.fullmatch(seen[max(0, match.start() - 5) : match.start()]):
        return False
    return (end - start in (4, 5) or seen[start + 1] == 0x2D) and not _UNITS.match(
        after(seen, end, 12)
    )
