"""Numbers that Spanish-speaking countries give their people, with their check digits.

Sources: Real Decreto 1553/2005 (DNI, remainder 23), Registro Civil de Chile (RUT, modulo 11), AFIP
(CUIT, modulo 11), IMSS (NSS, Luhn), Registro Civil del Ecuador (cédula, modulo 10), DOF 18-10-2021
(CURP, whose last two signs are drawn here).
"""

from __future__ import annotations

from collections.abc import Callable

from ..recognisers import check_digits
from .drawing import Draw
from .national import NationalNumber

_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_VOWELS, _CONSONANTS = "AEIOU", "BCDFGHJKLMNPQRSTVZ"
_MEXICAN_STATES = ("AS", "BC", "CL", "CS", "DF", "GR", "GT", "HG", "JC", "MC", "NL", "OC", "VZ")


def _dni(draw: Draw) -> str:
    digits = draw.shaped("9#######")
    return digits + _LETTERS[int(digits) % 23]


def _nie(draw: Draw) -> str:
    first, digits = draw.below(3), draw.digits(7)
    return "XYZ"[first] + digits + _LETTERS[int(f"{first}{digits}") % 23]


def _weighted(digits: str, weights: tuple[int, ...]) -> int:
    return sum(int(d) * w for d, w in zip(digits, weights, strict=True))


def _rut(draw: Draw) -> str:
    digits = f"{draw.between(4, 26):02}{draw.digits(6)}"
    check = 11 - _weighted(digits, (3, 2, 7, 6, 5, 4, 3, 2)) % 11
    return digits + {11: "0", 10: "K"}.get(check, str(check))


def _rut_in_dots(draw: Draw) -> str:
    number = _rut(draw)
    return f"{number[:2]}.{number[2:5]}.{number[5:8]}-{number[8]}".removeprefix("0")


def _rut_plain(draw: Draw) -> str:
    number = _rut(draw)
    return f"{number[:8].lstrip('0')}-{number[8]}"


def _cuit(draw: Draw) -> str:
    while True:
        digits = draw.pick(("20", "23", "27")) + draw.digits(8)
        check = 11 - _weighted(digits, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
        if check != 10:
            return digits + str(check % 11)


def _person_in_mexico(draw: Draw) -> str:
    """Four letters of the name and the birthday."""
    letters = draw.pick(_CONSONANTS) + draw.pick(_VOWELS) + draw.pick(_CONSONANTS)
    birthday = f"{draw.below(100):02}{draw.between(1, 12):02}{draw.between(1, 28):02}"
    return letters + draw.pick(_CONSONANTS) + birthday


def _curp(draw: Draw) -> str:
    inner = "".join(draw.pick(_CONSONANTS) for _ in range(3))
    end = draw.shaped("##") if draw.chance(0.7) else draw.shaped("A#")
    state = draw.pick(_MEXICAN_STATES)
    return _person_in_mexico(draw) + draw.pick("HM") + state + inner + end


def _rfc(draw: Draw) -> str:
    return _person_in_mexico(draw) + draw.shaped("A#A")


def _cedula_ecuador(draw: Draw) -> str:
    digits = f"{draw.between(1, 24):02}{draw.below(6)}{draw.digits(6)}"
    total = sum(
        sum(divmod(int(d) * (2 if place % 2 == 0 else 1), 10)) for place, d in enumerate(digits)
    )
    return digits + str(-total % 10)


def _as_made(make: Callable[[Draw], str]) -> NationalNumber:
    return NationalNumber(make, (((99,), ""),))


NUMBERS_SPANISH: dict[str, NationalNumber] = {
    "dni": NationalNumber(_dni, (((9,), ""), ((9,), ""), ((8, 1), "-"), ((8, 1), " "))),
    "nie": NationalNumber(_nie, (((9,), ""), ((9,), ""), ((1, 7, 1), "-"))),
    "rut": _as_made(_rut_in_dots),
    "rutplain": _as_made(_rut_plain),
    "cuit": NationalNumber(_cuit, (((2, 8, 1), "-"), ((2, 8, 1), "-"), ((11,), ""))),
    "curp": _as_made(_curp),
    "rfc": _as_made(_rfc),
    "nssmx": NationalNumber(
        lambda draw: draw.digits(11),
        (((11,), ""), ((4, 2, 4, 1), "-"), ((2, 2, 2, 4, 1), " ")),
        check_digits.luhn,
    ),
    "cedulaec": NationalNumber(_cedula_ecuador, (((10,), ""), ((9, 1), "-"))),
}
"""Name in the lists of countries -> the number."""
