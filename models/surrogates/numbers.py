"""Numbers in their format: digits for digits, letters for letters, signs where they were.

All of a number follows from its normal form (letters and digits, no leading zeros), so 123-45 and
12345 get the same digits. A single digit may be the true one by chance: were it never, releases
under other keys would give the number away digit by digit.

Numbers that are never issued: social security numbers with area 000 or 666 or group 00 (20 CFR
422.103 and SSA, "Social Security Number Randomization"; areas from 900 on are taxpayers' numbers
of the IRS), National Insurance prefixes that HMRC does not use (NIM39110), NHS numbers from 999 on
(test numbers), RFC 5737 and RFC 3849 addresses, RFC 7042 hardware addresses.
"""

from __future__ import annotations

import re
import string
import unicodedata
from typing import Final

from ..recognisers.check_digits import luhn, modulo_11, verhoeff
from .drawer import ATTEMPTS, Drawer

LONGEST: Final = 120
"""Most code points of a text that is a number."""

_WORD = re.compile(r"[^\W\d_]{4,}")
_MASKED = re.compile(r"[xX*#]{2,}")
_RECORD_LABELS: Final = frozenset(("MEDICALRECORD", "HEALTHPLAN", "IDNUM"))
_ORDINALS = "ºª"
_LEAST_KEPT_ZEROS = 5
"""Characters behind leading zeros, for these to be no part of the number."""

_SHORTEST_LUHN = 8
_NHS = re.compile(r"\d{3}[ -]\d{3}[ -]\d{4}")
_SSN = re.compile(r"\d{3}([-. ]?)\d{2}\1\d{4}|\d{3}([-. ])\d{3}\2\d{3}")
_LIKE_SSN = re.compile(r"\d{3}([- ])\d{2}\1\d{4}(?:-?[A-Z]\d?)?")
_NATIONAL_INSURANCE = re.compile(r"[A-Z]{2} ?\d\d ?\d\d ?\d\d ?[A-D]", re.IGNORECASE)
_UNUSED_PREFIXES: Final = ("BG", "GB", "KN", "NK", "NT", "TN", "ZZ")
_IPV4 = re.compile(r"(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})((?::\d{1,5})?(?:/\d{1,2})?)")
_DOCUMENTED: Final = ("192.0.2", "198.51.100", "203.0.113")
_HARDWARE = re.compile(r"(?:[0-9A-F]{2}([:-]))(?:[0-9A-F]{2}\1){4}[0-9A-F]{2}", re.IGNORECASE)


def normal_number(text: str) -> str:
    """Letters and digits alone, without case and leading zeros."""
    if text.isascii():
        kept = "".join(filter(str.isalnum, text)).casefold()
        bare = kept.lstrip("0")
        return bare if len(bare) >= _LEAST_KEPT_ZEROS else kept
    bare = "".join(c for c in text if c not in _ORDINALS)
    kept = "".join(c for c in unicodedata.normalize("NFKC", bare).casefold() if c.isalnum())
    bare = kept.lstrip("0")
    return bare if len(bare) >= _LEAST_KEPT_ZEROS else kept


def digits_of(text: str) -> str:
    """The digits alone, as ASCII."""
    return "".join(str(unicodedata.decimal(c)) for c in text if c.isdecimal())


def number(drawer: Drawer, label: str, text: str) -> str | None:
    """The surrogate of a number; None for a marker.

    Texts with words in them, too long ones, and ones without a letter or digit get None.
    """
    if len(text) > LONGEST or not any(map(str.isalnum, text)) or _has_words(text):
        return None
    for attempt in range(ATTEMPTS):
        found = _issued_to_nobody(drawer, label, text, attempt)
        if found is None:
            found = in_format(drawer, text, attempt)
            if label in _RECORD_LABELS:
                found = _with_check_digit(text, found)
        if takes_number(drawer, text, found, attempt):
            return found
    return None


def _has_words(text: str) -> bool:
    """Whether letters are words: a long run with small ones, or all there is."""
    runs = _WORD.findall(text)
    return bool(runs) and (not any(map(str.isdigit, text)) or not all(map(str.isupper, runs)))


def takes_number(drawer: Drawer, text: str, found: str, attempt: int) -> bool:
    """Whether a number may come out: it is neither the true one nor another true one."""
    return drawer.takes(normal_number(found), frozenset((normal_number(text),)), attempt)


def in_format(drawer: Drawer, text: str, attempt: int, *, keep: str = "") -> str:
    """A number of the same form.

    Args:
        drawer: draws.
        text: the true number.
        attempt: which draw.
        keep: characters that stay, beside signs: the `x` of a masked number.
    """
    normal = normal_number(text)
    kept = keep + _ORDINALS
    places = [at for at, c in enumerate(text) if c.isalnum() and c not in kept]
    # From the right: what stands before the normal form are leading zeros, which stay.
    zeros, most = 0, len(places) - len(normal)
    while zeros < most and text[places[zeros]] == "0":
        zeros += 1
    stream = drawer.draws.stream(len(places) - zeros, "number", normal, str(attempt))
    out = list(text)
    first = True
    for at, draw in zip(places[zeros:], stream, strict=True):
        out[at] = _alike(text[at], draw, first=first and text[at] != "0")
        first = False
    return "".join(out)


def _alike(sign: str, draw: int, *, first: bool) -> str:
    """A digit for a digit, in its script, or a letter for a letter, in its case."""
    if "0" <= sign <= "9":
        return str(1 + draw % 9 if first else draw % 10)
    if sign.isdecimal():
        digit = 1 + draw % 9 if first else draw % 10
        return chr(ord(sign) - unicodedata.decimal(sign) + digit)
    if sign.isdigit() or sign.isnumeric():
        return str(draw % 10)
    letter = string.ascii_uppercase[draw % 26]
    return letter if sign.isupper() else letter.lower()


def _issued_to_nobody(drawer: Drawer, label: str, text: str, attempt: int) -> str | None:
    """A number that nobody has, where there are such of this form; else None."""
    if label == "IPADDR":
        return _address(drawer, text, attempt)
    if _HARDWARE.fullmatch(text) and label in ("DEVICE", "IDNUM"):
        return _hardware(drawer, text, attempt)
    if label == "SSN" and (masked := _MASKED.search(text)):
        return in_format(drawer, text, attempt, keep=masked.group()[0])
    if drawer.settings.numbers == "format":
        return None
    if _LIKE_SSN.fullmatch(text):
        # A Medicare claim number was a social security number and a letter.
        return _social_security(drawer, text, attempt)
    if label == "SSN":
        if _SSN.fullmatch(text):
            return _social_security(drawer, text, attempt)
        if _NATIONAL_INSURANCE.fullmatch(text):
            free = in_format(drawer, text, attempt)
            draw = drawer.draws.number("prefix", normal_number(text), str(attempt))
            prefix = _UNUSED_PREFIXES[draw % len(_UNUSED_PREFIXES)]
            # The letter behind is one of four.
            last = "ABCD"[draw // len(_UNUSED_PREFIXES) % 4]
            small = text[0].islower()
            made = prefix + free[2:-1] + last
            return made.lower() if small else made
    if label == "MEDICALRECORD" and _NHS.fullmatch(text) and modulo_11(digits_of(text)):
        free = in_format(drawer, text, attempt)
        return _with_check_digit(text, "999" + free[3:])
    return None


def _social_security(drawer: Drawer, text: str, attempt: int) -> str:
    """One of the 10.8 million numbers with area 000 or 666 or group 00, each form as likely.

    Canadian numbers of nine digits in threes begin with 0, which is not used either.
    """
    normal = normal_number(text)
    free = in_format(drawer, text, attempt)
    digits = list(digits_of(free))
    draw = drawer.draws.number("never issued", normal, str(attempt))
    in_threes = len(digits_of(text)) == 9 and _groups(text) == [3, 3, 3]
    if in_threes or draw % 3 == 0:
        digits[:3] = "000"
    elif draw % 3 == 1:
        digits[:3] = "666"
    else:
        digits[3:5] = "00"
        if digits[0] == "9":  # taxpayers' numbers
            digits[0] = str(1 + draw // 3 % 8)
    return _filled(free, "".join(digits))


def _groups(text: str) -> list[int]:
    return [len(run) for run in re.findall(r"\d+", text)]


def _filled(text: str, digits: str) -> str:
    """The text with other digits, one for each of its own."""
    rest = iter(digits)
    return "".join(next(rest) if c.isdecimal() else c for c in text)


def _with_check_digit(text: str, found: str) -> str:
    """The number with a check digit that is right, if that of the original was."""
    true, drawn = digits_of(text), digits_of(found)
    if len(true) != len(drawn) or any(c.isalpha() for c in text):
        return found
    for length, check in ((10, modulo_11), (12, verhoeff), (0, luhn)):
        if len(true) == length or (not length and len(true) >= _SHORTEST_LUHN):
            if not check(true):
                continue
            for before in range(10):
                # A remainder of 10 has no check digit: the digit before moves on.
                head = drawn[:-2] + str((int(drawn[-2]) + before) % 10)
                for last in string.digits:
                    if check(head + last):
                        return _filled(found, head + last)
    return found


def _address(drawer: Drawer, text: str, attempt: int) -> str | None:
    """An address of RFC 5737 or RFC 3849, which are for documentation alone."""
    normal = text.casefold().strip()
    draw = drawer.draws.number("address", normal, str(attempt))
    if match := _IPV4.fullmatch(text):
        net = _DOCUMENTED[draw % 3]
        return f"{net}.{1 + draw // 3 % 254}{match.group(5)}"
    if ":" in text and re.fullmatch(r"[0-9A-Fa-f:.]+(?:%\w+)?(?:/\d{1,3})?", text):
        groups = [draw >> 16 * place & 0xFFFF for place in range(3)]
        tail = text[text.index("/") :] if "/" in text else ""
        return "2001:db8:" + ":".join(f"{group:x}" for group in groups) + "::1" + tail
    return None


def _hardware(drawer: Drawer, text: str, attempt: int) -> str:
    """An address of 00-00-5E-00-53 (RFC 7042, §2.1.2)."""
    draw = drawer.draws.number("hardware", normal_number(text), str(attempt))
    made = text[2].join(["00", "00", "5E", "00", "53", f"{draw % 256:02X}"])
    return made if text.upper() == text else made.lower()
