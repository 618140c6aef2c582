"""Phone numbers that nobody has: those that regulators keep for films and examples.

Sources: NANPA, 555-0100 to 555-0199; Ofcom, "Telephone numbers for use in TV and radio drama
programmes"; ACMA, "Phone numbers for use in TV shows, films and creative works"; ComReg, 020 91;
Bundesnetzagentur, "Rufnummern für Medienproduktionen"; ARCEP, decision 2012-0856. Spain keeps none;
its plan gives no numbers that begin with 4. Elsewhere a number of the same form is drawn.
"""

from __future__ import annotations

import re
from typing import Final

from ...dictionaries import word_set
from .drawer import ATTEMPTS, Drawer
from .numbers import LONGEST, digits_of, in_format, takes_number

_AREAS: Final = tuple(
    sorted(
        word_set(
            """
            201 202 203 205 206 207 208 209 210 212 213 214 215 216 217 218 219 224 225 228
            229 231 234 239 240 248 251 252 253 254 256 260 262 267 269 270 276 281 301 302
            303 304 305 307 308 309 310 312 313 314 315 316 317 318 319 320 321 323 325 330
            331 334 336 337 339 347 351 352 360 361 385 386 401 402 404 405 406 407 408 409
            410 412 413 414 415 417 419 423 424 425 430 432 434 435 440 443 469 478 479 480
            484 501 502 503 504 505 507 508 509 510 512 513 515 516 517 518 520 530 540 541
            551 559 561 562 563 567 570 571 573 574 580 585 586 601 602 603 605 606 607 608
            609 610 612 614 615 616 617 618 619 620 623 626 630 631 636 641 646 650 651 660
            661 662 678 682 701 702 703 704 706 707 708 712 713 714 715 716 717 718 719 720
            724 727 731 732 734 740 754 757 760 763 765 770 772 773 774 775 781 785 786 801
            802 803 804 805 806 808 810 812 813 814 815 816 817 818 828 830 831 832 843 845
            847 848 850 856 857 858 859 860 862 863 864 865 870 901 903 904 906 907 908 909
            910 912 913 914 915 916 917 918 919 920 925 928 931 936 937 940 941 949 951 952
            954 956 970 971 972 973 978 979 980 985 989
            """
        )
    )
)
"""Area codes of the United States, frozen."""

_TOLL_FREE: Final = word_set("800 833 844 855 866 877 888")

# Area, without the 0 before it, and number; `#` is any digit.
_BRITISH: Final = (
    *("1632 960###", "20 79460###", "113 4960###", "114 4960###", "115 4960###", "116 4960###"),
    *("117 4960###", "121 4960###", "131 4960###", "141 4960###", "151 4960###", "161 4960###"),
    *("191 4980###", "28 96496###", "29 20180###"),
)
_BRITISH_MOBILE: Final = ("7700 900###",)
_AUSTRALIAN: Final = {area: (f"{area} 5550####", f"{area} 7010####") for area in "2378"}
_AUSTRALIAN_MOBILE: Final = tuple(
    sorted(
        word_set(
            """
            491570006 491570110 491570156 491570157 491570158 491570159 491570313 491570737
            491571266 491571491 491571804 491572549 491572665 491572983 491573087 491573770
            491574118 491574632 491575254 491575789 491576398 491576801 491577426 491577644
            491578148 491578888 491578957 491579212 491579455 491579760
            """
        )
    )
)
_IRISH: Final = ("20 91#####",)
_GERMAN: Final = ("30 23125###", "69 90009###", "40 66969###", "221 4710###", "89 99998###")
_GERMAN_MOBILE: Final = ("171 39200##", "176 040690##")
_FRENCH: Final = (
    "1 9900####",
    "2 6191####",
    "3 5301####",
    "4 6571####",
    "5 3649####",
    "6 3998####",
)
_SPANISH: Final = ("4 ########",)

_PREFIX = re.compile(r"\s*(?:tel\.?:?\s*|p:\s*|f:\s*)?(?:\+|00(?=[1-9]))", re.IGNORECASE)
_CODE = re.compile(r"\d{1,3}(?=[ ().-])")
_EXTENSION = re.compile(r"[\s,;]*(?:extension|ext\b\.?|x(?=[\s.:]*\d)|durchwahl|#)", re.IGNORECASE)
_WORDS: Final = word_set(
    "tel telephone phone ph fax cell mobile home work office pager beeper bleep ext extension x "
    "voicemail vm main direct number no or and h w c m o f p t telf tlf teléfono telefono móvil "
    "movil telefon handy durchwahl dw privat dienst int desk after hours"
)
_LETTERS = re.compile(r"[^\W\d_]+")
_CALLING: Final = ("1", "44", "61", "353", "49", "33", "34")
"""Countries with numbers of their own, by calling code."""


def phone(drawer: Drawer, label: str, text: str) -> str | None:
    """The surrogate of a phone, fax or pager number; None for a marker.

    Words such as `ext.` stay; other letters are digits in disguise and are drawn anew.
    """
    del label
    if len(text) > LONGEST or not any(map(str.isdecimal, text)):
        return None
    words = _LETTERS.findall(text)
    vanity = [word for word in words if word.casefold() not in _WORDS]
    if any(len(word) > 3 and not word.isupper() for word in vanity):
        return None
    for attempt in range(ATTEMPTS):
        found = _kept_words(text, in_format(drawer, text, attempt))
        if drawer.settings.numbers == "never-issued" and not vanity:
            found = _never_issued(drawer, text, found, attempt)
        if takes_number(drawer, text, found, attempt):
            return found
    return None


def _kept_words(text: str, found: str) -> str:
    """The drawn number with the words of the original."""
    out = list(found)
    for match in _LETTERS.finditer(text):
        if match.group().casefold() in _WORDS:
            out[match.start() : match.end()] = match.group()
    if (prefix := _PREFIX.match(text)) and (code := _CODE.match(text, prefix.end())):
        out[: code.end()] = text[: code.end()]  # the country stays
    return "".join(out)


def _never_issued(drawer: Drawer, text: str, free: str, attempt: int) -> str:
    """The number in a kept range; as it was drawn if its country keeps none."""
    match = _EXTENSION.search(text)
    end = match.start() if match else len(text)
    digits = digits_of(text[:end])
    calling, national = _parted(digits, text, drawer.language)
    draw = drawer.draws.number("phone", national, str(attempt))
    kept = _kept(calling, national, _area_digits(text[:end], len(digits) - len(national)), draw)
    if not calling:
        return free
    # Digits behind a number that nobody has reach nobody either.
    more = in_format(drawer, national, attempt)[len(kept) :]
    filled = iter(digits[: len(digits) - len(national)] + kept + more)
    return "".join(
        next(filled) if c.isdecimal() and at < end else free[at] for at, c in enumerate(text)
    )


def _area_digits(text: str, before: int) -> int:
    """Digits of the first group behind calling code and 0, which are the first `before` digits."""
    for group in re.findall(r"\d+", text):
        if before < len(group):
            return len(group) - before
        before -= len(group)
    return 0


def _parted(digits: str, text: str, language: str) -> tuple[str, str]:
    """The calling code, or what stands for it, and the digits behind it and its 0."""
    if _PREFIX.match(text):
        bare = digits.removeprefix("00")
        for calling in sorted(_CALLING, key=len, reverse=True):
            if bare.startswith(calling):
                return calling, bare[len(calling) :].removeprefix("0")
        return "", digits
    if digits.startswith("0") and len(digits) > 8 and language in ("en", "de"):
        national = digits[1:]
        if language == "de":
            return "49", national
        if len(digits) == 10:
            return ("61" if digits[1] in "23478" else "353"), national
        return "44", national
    if language == "es" and len(digits) == 9 and digits[0] in "6789":
        return "34", digits
    if len(digits) == 11 and digits[0] == "1":
        return "1", digits[1:]
    if language == "en" and len(digits) in (7, 10) and digits[0] in "23456789":
        return "1", digits
    return "", digits


def _kept(calling: str, national: str, area: int, draw: int) -> str:
    """A number of a kept range in place of one, without calling code and 0; or nothing."""
    if calling == "1":
        return _north_american(national, draw)
    ranges: tuple[str, ...] = ()
    first = national[:1]
    if calling == "44":
        ranges = _BRITISH_MOBILE if first == "7" else _BRITISH
    elif calling == "61":
        ranges = _AUSTRALIAN_MOBILE if first == "4" else _AUSTRALIAN.get(first, ())
    elif calling == "353":
        ranges = _IRISH
    elif calling == "49":
        ranges = _GERMAN_MOBILE if first == "1" else _GERMAN
    elif calling == "33":
        ranges = _FRENCH
    elif calling == "34":
        ranges = _SPANISH
    ranges = tuple(r for r in ranges if len(r) <= len(national) + 1)
    if not ranges:
        return ""
    # An area of as many digits, where there is one: the groups stay those of a number.
    ranges = tuple(r for r in ranges if r.find(" ") == area) or ranges
    shape = ranges[draw % len(ranges)].replace(" ", "")
    return _digits_for(shape, draw // len(ranges))


def _north_american(national: str, draw: int) -> str:
    line = f"55501{draw % 100:02d}"
    if len(national) == 7:
        return line
    if len(national) != 10:
        return ""
    # A toll-free number stays one; any other gets another area: where somebody lives is PHI.
    area = national[:3] if national[:3] in _TOLL_FREE else _AREAS[draw // 100 % len(_AREAS)]
    return area + line


def _digits_for(shape: str, draw: int) -> str:
    out = []
    for sign in shape:
        if sign == "#":
            draw, digit = divmod(draw, 10)
            out.append(str(digit))
        else:
            out.append(sign)
    return "".join(out)
