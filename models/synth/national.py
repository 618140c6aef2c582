"""Numbers that countries give their people, with the check digits that they have.

A number is drawn until its check agrees: at most one in 23 does, so a few dozen draws do.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from ..recognisers import check_digits
from .drawing import Draw

_TRIES = 10_000


@dataclasses.dataclass(frozen=True, slots=True)
class NationalNumber:
    """How a number is made and written.

    Attributes:
        raw: a candidate without blanks and signs.
        manners: in which it is written, each as often: sizes of groups, and what stands between.
        check: whether a candidate is a number.
    """

    raw: Callable[[Draw], str]
    manners: tuple[tuple[tuple[int, ...], str], ...]
    check: Callable[[str], bool] = bool

    def draw(self, draw: Draw) -> str:
        """A number with the right check."""
        for _ in range(_TRIES):
            number = self.raw(draw)
            if self.check(number):
                break
        sizes, sign = draw.pick(self.manners)
        groups, at = [], 0
        for size in sizes:
            groups.append(number[at : at + size])
            at += size
        return sign.join(part for part in (*groups, number[at:]) if part)


def _shape(shape: str) -> Callable[[Draw], str]:
    return lambda draw: draw.shaped(shape)


def _born(draw: Draw) -> tuple[int, int, int]:
    """Year, month and day, of two digits each."""
    return draw.between(20, 99), draw.between(1, 12), draw.between(1, 28)


def _community_health_index(draw: Draw) -> str:
    year, month, day = _born(draw)
    return f"{day:02}{month:02}{year:02}{draw.digits(4)}"


def _national_insurance(draw: Draw) -> str:
    """Letters that are never issued are left out (HMRC, NIM39110)."""
    front = draw.pick("ABCEGHJKLMNPRSTWXYZ") + draw.pick("ABCEGHJKLMNPRSTWXYZ")
    return f"{front}{draw.digits(6)}{draw.pick('ABCD')}"


def _personal_public_service(draw: Draw) -> str:
    second = draw.pick(("", "", "A", "W"))
    return f"{draw.digits(7)}{draw.pick('WABCDEFGHIJKLMNOPQRSTUV')}{second}"


def _quebec(draw: Draw) -> str:
    year, month, day = _born(draw)
    month += draw.pick((0, 50))
    return f"{draw.shaped('AAAA')}{year:02}{month:02}{day:02}{draw.digits(2)}"


def _new_zealand(draw: Draw) -> str:
    return draw.shaped(draw.pick(("AAA####", "AAA####", "AAA##AA")))


def _south_africa(draw: Draw) -> str:
    year, month, day = _born(draw)
    return f"{year:02}{month:02}{day:02}{draw.digits(4)}08{draw.digits(1)}"


NUMBERS: dict[str, NationalNumber] = {
    "nhs": NationalNumber(
        _shape("9#########"),
        (((3, 3, 4), " "), ((3, 3, 4), " "), ((10,), ""), ((3, 3, 4), "-")),
        check_digits.modulo_11,
    ),
    "hcn": NationalNumber(
        _shape(r"3#########"), (((3, 3, 4), " "), ((10,), "")), check_digits.modulo_11
    ),
    "chi": NationalNumber(
        _community_health_index, (((10,), ""), ((6, 4), " ")), check_digits.modulo_11
    ),
    "nino": NationalNumber(_national_insurance, (((2, 2, 2, 2, 1), " "), ((9,), ""))),
    "pps": NationalNumber(_personal_public_service, (((9,), ""),), check_digits.ireland),
    "sin": NationalNumber(
        _shape("9########"), (((3, 3, 3), "-"), ((3, 3, 3), " ")), check_digits.luhn
    ),
    "ohip": NationalNumber(
        _shape("9#########"),
        (((4, 3, 3), "-"), ((4, 3, 3), " "), ((10,), "")),
        check_digits.luhn,
    ),
    "phn": NationalNumber(
        _shape(r"\9#########"), (((4, 3, 3), " "), ((10,), "")), check_digits.phn_british_columbia
    ),
    "ramq": NationalNumber(_quebec, (((4, 4, 4), " "), ((12,), "")), check_digits.quebec),
    "medicareau": NationalNumber(
        lambda draw: str(draw.between(2, 6)) + draw.digits(8) + draw.shaped("9"),
        (((4, 5, 1), " "), ((10,), "")),
        check_digits.medicare_australia,
    ),
    "ihi": NationalNumber(
        _shape("800360##########"), (((4, 4, 4, 4), " "), ((16,), "")), check_digits.luhn
    ),
    "nhi": NationalNumber(_new_zealand, (((7,), ""),), check_digits.new_zealand),
    "aadhaar": NationalNumber(
        lambda draw: str(draw.between(2, 9)) + draw.digits(11),
        (((4, 4, 4), " "), ((4, 4, 4), " "), ((12,), ""), ((4, 4, 4), "-")),
        check_digits.verhoeff,
    ),
    "abha": NationalNumber(_shape("9#############"), (((2, 4, 4, 4), "-"), ((14,), ""))),
    "cnic": NationalNumber(_shape("9############"), (((5, 7, 1), "-"), ((5, 7, 1), "-"))),
    "philhealth": NationalNumber(_shape("##########9#"), (((2, 9, 1), "-"), ((12,), ""))),
    "sss": NationalNumber(_shape("##########"), (((2, 7, 1), "-"),)),
    "nric": NationalNumber(
        lambda draw: draw.pick("ST") + draw.digits(7) + draw.pick("JZIHGFEDCBA"),
        (((9,), ""),),
        check_digits.singapore,
    ),
    "fin": NationalNumber(
        lambda draw: draw.pick("FG") + draw.digits(7) + draw.pick("XWUTRQPNMLK"),
        (((9,), ""),),
        check_digits.singapore,
    ),
    "said": NationalNumber(
        _south_africa, (((13,), ""), ((6, 4, 3), " "), ((6, 4, 2, 1), " ")), check_digits.luhn
    ),
}
"""Name in the lists of countries -> the number."""
