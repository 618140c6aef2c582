"""Check digits of national numbers: pure functions of a number without blanks and signs.

Each takes the number in capitals, of the length of its form, and says whether its check agrees.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_VERHOEFF_PRODUCTS = (
    "0123456789", "1234067895", "2340178956", "3401289567", "4012395678",
    "5987604321", "6598710432", "7659821043", "8765932104", "9876543210",
)  # fmt: skip
"""Products of the dihedral group of ten elements (Verhoeff 1969)."""

_VERHOEFF_PLACES = (
    "0123456789", "1576283094", "5803796142", "8916043527",
    "9453126870", "4286573901", "2793806415", "7046913258",
)  # fmt: skip
"""What a digit becomes at each place from the right, in turn."""

_NEW_ZEALAND = "ABCDEFGHJKLMNPQRSTUVWXYZ"


def _weighted(digits: Iterable[int], weights: Sequence[int]) -> int:
    return sum(digit * weight for digit, weight in zip(digits, weights, strict=True))


def _digits(number: str) -> list[int]:
    return [ord(digit) - 48 for digit in number]


def luhn(number: str) -> bool:
    """Whether the last digit is the check digit of the others (ISO/IEC 7812-1, annex B).

    Of NPI, of social insurance and OHIP (Canada), IHI (Australia), South Africa, the Emirates.
    """
    total = 0
    for place, digit in enumerate(reversed(_digits(number))):
        value = digit * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def modulo_11(number: str) -> bool:
    """The NHS number, the CHI number and the Health and Care number, all of ten digits."""
    *digits, last = _digits(number)
    return (11 - _weighted(digits, range(10, 1, -1)) % 11) % 11 == last


def date_ddmmyy(number: str) -> bool:
    """Whether it begins with a day and a month."""
    return 1 <= int(number[:2]) <= 31 and 1 <= int(number[2:4]) <= 12


def date_yymmdd(number: str) -> bool:
    """Whether it begins with a year, a month and a day."""
    return 1 <= int(number[2:4]) <= 12 and 1 <= int(number[4:6]) <= 31


def ireland(number: str) -> bool:
    """The Personal Public Service Number: seven digits, a check letter, a letter since 2013."""
    second = ord(number[8]) - 64 if len(number) > 8 and number[8] != "W" else 0
    total = _weighted(_digits(number[:7]), range(8, 1, -1)) + 9 * second
    return "WABCDEFGHIJKLMNOPQRSTUV"[total % 23] == number[7]


def medicare_australia(number: str) -> bool:
    """Eight digits and their check; the number of the card and of the person follow."""
    digits = _digits(number)
    return _weighted(digits[:8], (1, 3, 7, 9, 1, 3, 7, 9)) % 10 == digits[8]


def new_zealand(number: str) -> bool:
    """The National Health Index: AAANNNC, since 2019 AAANNAX as well (HISO 10046)."""
    values = [_NEW_ZEALAND.find(c) + 1 if c.isalpha() else int(c) for c in number]
    rest = _weighted(values[:6], (7, 6, 5, 4, 3, 2)) % (23 if number[6].isalpha() else 11)
    if number[6].isalpha():
        return 23 - rest == values[6]
    return rest != 0 and (11 - rest) % 10 == values[6]


def phn_british_columbia(number: str) -> bool:
    """The Personal Health Number of British Columbia: nine, eight digits, a check digit."""
    digits = _digits(number)
    return (11 - _weighted(digits[1:9], (2, 4, 8, 5, 10, 9, 7, 3)) % 11) % 11 == digits[9]


def quebec(number: str) -> bool:
    """The RAMQ number: four letters, year, month (women: 50 more), day, two digits."""
    return int(number[6:8]) % 50 in range(1, 13) and 1 <= int(number[8:10]) <= 31


def verhoeff(number: str) -> bool:
    """Aadhaar: twelve digits (Verhoeff 1969)."""
    check = 0
    for place, digit in enumerate(reversed(_digits(number))):
        check = int(_VERHOEFF_PRODUCTS[check][int(_VERHOEFF_PLACES[place % 8][digit])])
    return check == 0


def singapore(number: str) -> bool:
    """NRIC and FIN: a letter of the series, seven digits, a check letter."""
    series = number[0]
    total = _weighted(_digits(number[1:8]), (2, 7, 6, 5, 4, 3, 2))
    total += {"T": 4, "G": 4, "M": 3}.get(series, 0)
    if series == "M":
        return "KLJNPQRTUWX"[10 - total % 11] == number[8]
    letters = "JZIHGFEDCBA" if series in "ST" else "XWUTRQPNMLK"
    return letters[total % 11] == number[8]


def hong_kong(number: str) -> bool:
    """The identity card: one or two letters, six digits, a check digit or A."""
    *values, last = [int(c, 36) for c in number]
    padded = values if len(values) == 8 else [36, *values]
    return (_weighted(padded, range(9, 1, -1)) + last) % 11 == 0
