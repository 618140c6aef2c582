r"""What values look like that pass or are dates, by data type: what does not is no such value.

A field with role `pass` is one because of its type: a number or a code tells of nobody. Where
something else stands there, it is read as a text; where it is no date, or no code of the standard,
it goes. Closed sets of what laboratories send in the place of numbers are forms as well: `<5`,
`1:128`, `5-10`, `2+`, `NEG`.

Source: HL7 v2.5.1 and v2.8.2, chapter 2A (data types) and appendix A (tables).
"""

from __future__ import annotations

import functools
import importlib.resources
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from ..core.labels import LABELS
from .hl7_fields import MALFORMED_CODE, MALFORMED_DATE, fields, types
from .vocabularies import is_state

Form = Callable[[str], object]
"""Says of a value without escapes whether it is written so: true or false."""


WORDS_FILE, WORDS_HEADER = "hl7_words.tsv", "kind\tword"


def _words(*kinds: str) -> frozenset[str]:
    """Words of some kinds, in lower case: `result`, `code`, `unit`, `range` (of reference)."""
    file = importlib.resources.files(__package__).joinpath(WORDS_FILE)
    lines = (line.split("\t") for line in file.read_text(encoding="utf-8").splitlines())
    return frozenset(word for kind, word in lines if kind in kinds)


_RESULTS, _CODES = _words("result"), _words("code")
_UNITS, _OF_RANGES = _words("unit"), _words("unit", "range")


def _form(pattern: str) -> Form:
    return re.compile(pattern).fullmatch


_NUMBER = (
    r"[+-]?(?:[0-9]{1,3}(?:,[0-9]{3}){1,4}(?:\.[0-9]{1,9})?"
    r"|[0-9]{1,20}(?:[.,][0-9]{0,20})?|\.[0-9]{1,20})(?:[eE][+-]?[0-9]{1,3})?"
)
_COMPARATOR = r"(?:<>|<=|>=|=<|=>|[<>=~≤≥])"
_AMOUNT = rf"{_COMPARATOR}? ?{_NUMBER} ?%?"
_SMALL = r"[0-9]{1,3}(?:\.[0-9]{1,5})?"
_BETWEEN = rf"{_SMALL} ?[-–] ?{_SMALL}"
_RATIO = rf"{_COMPARATOR}? ?[0-9]{{1,3}} ?: ?[0-9]{{1,6}}"
_GRADE = r"\+{1,4}|-{1,3}|\+/-|\+-|±|[1-4]\+"
_AS_NUMBER = _form(rf"{_AMOUNT}|{_BETWEEN}|{_RATIO}|{_GRADE}|{_COMPARATOR}|[-+/.:]|[*?.]{{1,4}}")


def is_number(text: str) -> bool:
    """Whether it is a number, or what is sent in the place of one; also a part of an SN."""
    return _AS_NUMBER(text) is not None or text.lower() in _RESULTS


COUNT: Final = _form(r"[0-9][0-9.]{0,9}")
"""SI: the number of a segment."""

CODE: Final = _form(r"(?!\S*(?:\[[\w-]{3,64}\]|\*\*))[^\s@]{1,80}")
"""A code of any table or system.

What stands in the place of removed words, `[PATIENT]` or `*******`, makes none: a text that was
read in the place of a code is a text in the output, too.
"""

_SHORT = r"(?=.{1,20}\Z)(?:[A-Za-z]{1,5}(?![A-Za-z])|[0-9_./:+*<>-])+"
_CHARACTER_SETS = (
    r"UNICODE(?: UTF-(?:8|16|32))?|ISO IR ?[0-9]{1,3}|ISO 2022-1994|GB 18030-2000|KS X 1001"
    r"|CNS 11643-1992"
)
_AS_ID = _form(rf"{_SHORT}|{_CHARACTER_SETS}")
SUB_ID: Final = _form(_SHORT)
"""OG: what tells observations of one kind apart."""


def is_id(text: str) -> bool:
    """Whether a code of a table of the standard is written so: `F`, `ORU_R01`, `Final`."""
    return _AS_ID(text) is not None or text.lower() in _CODES


def is_answer(text: str) -> bool:
    """The same of a result, or one of the words of results."""
    return is_id(text) or text.lower() in _RESULTS


_YEAR, _MONTH, _DAY = r"(?:1[6-9]|2[01]|99)[0-9]{2}", r"(?:0[0-9]|1[0-2])", r"[0-3][0-9]"
_TIME = r"(?:[01][0-9]|2[0-4])(?::?[0-5][0-9](?::?[0-6][0-9](?:\.[0-9]{1,9})?)?)?"
_ZONE = r"(?: ?(?:Z|[+-][0-9]{2}:?[0-9]{2}))?"
_CLOCK = r"(?:[T ][0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?: ?[AaPp][Mm])?)?"
TIME: Final = _form(rf"{_TIME}{_ZONE}|[0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}})? ?(?:[AaPp][Mm])?")
DATE: Final = _form(
    rf"{_YEAR}(?:{_MONTH}(?:{_DAY}(?:{_TIME})?)?)?{_ZONE}"
    rf"|{_YEAR}-{_MONTH}(?:-{_DAY}{_CLOCK})?{_ZONE}"
    rf"|[0-9]{{1,2}}([/.-])[0-9]{{1,2}}\1(?:[0-9]{{4}}|[0-9]{{2}}){_CLOCK}"
    r"|[0-9]{1,2}[ -][A-Za-z]{3}[ -][0-9]{4}"
    r"|[YLDHMS]"
)
"""DT, DTM, TS: of HL7, or as other systems write dates; also the degree of precision of a TS."""

_UNIT_NAME = re.compile(
    r"(?:milli|micro|nano|pico|femto|kilo|centi|deci|mega|giga)?"
    r"(?:gram|gramme|liter|litre|meter|metre|mole|unit|equivalent|osmole|second|molar|curie|pascal"
    r"|becquerel|bar|volt|watt|joule|calorie|hertz|gray|sievert|katal|newton|kelvin)s?"
)
_RUN = re.compile(r"[^\W\d_]+")
_UNIT_SIGNS = re.compile(r"[A-Za-z0-9 .*/^'\"\[\]{}()%+\-µμΩ°º²³#,:;~&_<>=≤≥$|!]{1,60}")
_REMOVED = re.compile(rf"\[(?:{'|'.join(LABELS)})\]|\*\*")
"""As in `CODE`; of the labels alone, for some units stand in brackets: `[GAL_US]`."""

_TOO_LONG = re.compile(r"[0-9]{7}|[0-9]{3}[ -]?[0-9]{4}|[0-9]/[0-9]{1,2}/[0-9]|[0-9]{4}-[0-9]{2}-")
"""Digits that are of no unit and no range, but of a number to call, or of a date."""

MOST_LETTERS: Final = 5
"""Of a symbol that stands alone: longer ones are known words, or no units."""


def is_unit(text: str) -> bool:
    """Whether a unit of measurement is written so: `mmol/L`, `10*3/uL`, `cells per field`.

    Symbols are those of UCUM and others of a few letters; in several words each has to be known.
    """
    if not _UNIT_SIGNS.fullmatch(text) or _TOO_LONG.search(text) or _REMOVED.search(text):
        return False
    runs = _RUN.findall(text)
    if " " not in text:
        return all(len(run) <= MOST_LETTERS or _is_known(run, _UNITS) for run in runs)
    return all(_is_known(run, _UNITS) for run in runs)


def is_range(text: str) -> bool:
    """Whether a reference range is written so: `3.5-5.1`, `<150 mg/dL`, `Not Detected`."""
    if not _UNIT_SIGNS.fullmatch(text) or _TOO_LONG.search(text) or _REMOVED.search(text):
        return False
    return all(len(run) == 1 or _is_known(run, _OF_RANGES) for run in _RUN.findall(text))


def _is_known(run: str, words: frozenset[str]) -> bool:
    word = run.lower()
    return word in words or _UNIT_NAME.fullmatch(word) is not None


def is_quantity(text: str) -> bool:
    """Whether it is a part of a quantity with its unit, or of a price with its currency."""
    return is_number(text) or is_unit(text) or is_id(text)


_OF_WORDS = "text"
"""The role of components that hold the words of a code."""

NAME_OF_MALFORMED: Mapping[Form, str] = {
    COUNT: MALFORMED_CODE,
    DATE: MALFORMED_DATE,
    is_id: MALFORMED_CODE,
}
"""What is not written so -> its name, where it is another one than `MALFORMED`."""


class FieldForms(NamedTuple):
    """The forms of the components of a field.

    Attributes:
        first: of those that have one each; None for one that may say anything.
        others: of all behind them.
    """

    first: Sequence[Form | None]
    others: Form | None = None

    def of(self, component: int) -> Form | None:
        """That of a component, from 1 on."""
        return self.first[component - 1] if component <= len(self.first) else self.others


ANY: Final = FieldForms(())
_NOTHING = _form(r"(?!)")
"""Of components that the standard does not have."""

DATES: Final = FieldForms((), DATE)
_UNIT = FieldForms((is_unit, is_unit, CODE, is_unit, is_unit, CODE, CODE, CODE, is_unit), CODE)

_OF_TYPE: Mapping[str, FieldForms] = {
    "NM": FieldForms((), is_number),
    "SN": FieldForms((), is_number),
    "SI": FieldForms((), COUNT),
    "ID": FieldForms((), is_id),
    "IS": FieldForms((), CODE),
    "ST": FieldForms((), CODE),
    "TM": FieldForms((), TIME),
    "OG": FieldForms((), SUB_ID),
    "MSG": FieldForms((), is_id),
    "PT": FieldForms((), is_id),
    "VID": FieldForms((), CODE),
    **dict.fromkeys(("CQ", "CP", "MO", "NR", "NA", "MA"), FieldForms((), is_quantity)),
}
_OF_FIELD: Mapping[str, FieldForms] = {
    **dict.fromkeys(("OBR-4.1", "OBR-4.2", "OBR-4.5"), ANY),
    "OBX-5(ID)": FieldForms((), is_answer),
    "OBX-6": _UNIT,
    "OBX-7": FieldForms((), is_range),
}
_OF_COMPONENT: Mapping[str, Form | None] = {
    **dict.fromkeys(("AD.4", "AD.6", "XAD.4", "XAD.6"), is_state),
    **dict.fromkeys(("CD.3", "RPT.6", "RPT.10", "UVC.4"), is_unit),
}


@functools.cache
def forms_of(name: str) -> FieldForms:
    """The forms of a field or component that passes: `OBX-5(NM)`, `PID-3.5`.

    Of what the standard does not have, nothing is known. The words of a code pass only where the
    table of fields says so, and may then be any.
    """
    if name in _OF_FIELD:
        return _OF_FIELD[name]
    table = _types_of_fields()
    whole, _, component = name.partition(".")
    data_type = table.get(name, table.get(whole, ""))
    if component and name not in table:
        return FieldForms((), _component_form(data_type, int(component)))
    if data_type in _OF_TYPE:
        return _OF_TYPE[data_type]
    if data_type not in types():
        return ANY
    count = len(types()[data_type])
    return FieldForms([_component_form(data_type, at) for at in range(1, count + 1)], _NOTHING)


@functools.cache
def _types_of_fields() -> Mapping[str, str]:
    return {field.key: field.type for field in fields()}


def _component_form(data_type: str, number: int) -> Form | None:
    components = types().get(data_type, ())
    if number > len(components):
        return _NOTHING
    if components[number - 1].role == _OF_WORDS:
        return None
    return _OF_COMPONENT.get(f"{data_type}.{number}", CODE)
