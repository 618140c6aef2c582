"""What the view says of a patient: which attributes, from where, and how their values are read.

Nothing finer than level 0 of `hierarchies` is ever written, not even for key holders: a value is
made coarse where it is read.
"""

from __future__ import annotations

import dataclasses
import datetime
import re
from collections.abc import Callable, Mapping

from ..core.errors import UsageError
from ..core.keys import canonical_id
from ..core.suggestions import did_you_mean
from ..dates.written_ages import years_named
from ..redaction.generalization import generalise_zip
from .hierarchies import HIERARCHIES, age_band
from .occupations import group_of
from .states import STATE_OF

LONGEST_VALUE = 80
"""Code points of a value of a sensitive attribute; a longer one is no value but a text."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")
_LABEL = "label:"
_YEAR = re.compile(r"\s*((?:18|19|20|21)[0-9]{2})(?![0-9])")
_DAY = re.compile(r"[0-9]{4}-?[0-9]{2}-?[0-9]{2}(?![0-9])|[0-9]{1,2}([/.-])[0-9]{1,2}\1[0-9]{2,4}")
RESERVED = frozenset(("patient_key", "class_size", "patients"))
"""Names of columns that every view has."""
_ZIP3 = re.compile(r"\s*[0-9]{3}\s*")


def _age(text: str) -> str | None:
    years = years_named(text)
    if years is None:
        return None
    low, high = (age_band(int(one)) for one in years)
    return low if low == high else None


_SUB_YEAR = re.compile(
    r"[ \t\n-]{0,2}(mo(?:nth)?s?|wks?|weeks?|days?|hours?|hrs?|mes(?:es)?|semanas?|d[ií]as?)\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"\s?(?:[0-9]+/[0-9]|[.,][0-9]|['’]?s\b|\+)")
_BOUND = re.compile(
    r"(?:over|above|under|below|than|least|most|until|up to|after|before|[<>≤≥~]|\byears?,?)\s*$",
    re.IGNORECASE,
)
_AROUND = 12


def age_at_place(text: str, start: int, end: int) -> tuple[str, bool]:
    """An age with the unit that stands behind it, and whether it stands for itself.

    Spans often cover the number alone: `18` of `18-month-old`. Within bounds (`over 65`), fractions
    and ages of two parts the number is no age.
    """
    covered, before, after = (
        text[start:end],
        text[max(0, start - _AROUND) : start],
        text[end : end + _AROUND],
    )
    is_alone = not (_BOUND.search(before) or _GOES_ON.match(after))
    if unit := _SUB_YEAR.match(after):
        return f"{covered} {unit.group(1)}", False
    return covered, is_alone


_SEXES = {
    **dict.fromkeys(
        ["f", "female", "woman", "girl", "femenino", "femenina", "mujer", "w", "weiblich"], "F"
    ),
    **dict.fromkeys(
        ["m", "male", "man", "boy", "masculino", "masculina", "hombre", "varón", "männlich"], "M"
    ),
}
"""In English, Spanish and German; anything else is not known."""


def _sex(text: str) -> str | None:
    return _SEXES.get(text.strip().casefold())


def _state(text: str) -> str | None:
    return STATE_OF.get(" ".join(text.casefold().split()))


def _year(text: str) -> str | None:
    match = _YEAR.match(text)
    return match and match.group(1)


def zip3_of(text: str, restricted: frozenset[str]) -> str | None:
    """The first three digits of a ZIP code, 000 where few live; three digits stay as they are."""
    return generalise_zip(text.strip() + "00" if _ZIP3.fullmatch(text) else text, restricted)


READERS: Mapping[str, Callable[[str], str | None]] = {
    "age": _age,
    "profession": group_of,
    "sex": _sex,
    "state": _state,
    "year": _year,
}
"""Attribute -> value of level 0 of a text; None for what is not understood. ZIP codes apart."""

LABELS: Mapping[str, str] = {
    "AGE": "age",
    "PROFESSION": "profession",
    "STATE": "state",
    "ZIP": "zip3",
}
"""Label of what is found in texts -> attribute that it tells of."""


def read_value(attribute: str, text: str, restricted: frozenset[str]) -> str | None:
    """A value as the view holds it: of level 0, or of a sensitive attribute tidied."""
    if attribute == "zip3":
        return zip3_of(text, restricted)
    if attribute in READERS:
        return READERS[attribute](text)
    value = " ".join(text.split())
    if not value or len(value) > LONGEST_VALUE or not value.isprintable() or _DAY.match(value):
        return None  # a day is no value: beside shifted dates it would tell by how many days
    return value


def text_of_cell(attribute: str, cell: object) -> str | None:
    """What a cell of a column says of an attribute, as a text; None for what is no single value."""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, int) and attribute == "zip3":
        # Numbers have lost their zeros; of small ones nobody knows how many.
        return f"{cell:05}" if cell > 999 else None
    if isinstance(cell, float) and cell == cell and not cell.is_integer():
        return str(int(cell)) if attribute == "age" else f"{cell:g}"
    return canonical_id(cell)


def age_at(birth: datetime.date, day: datetime.date) -> int | None:
    """Whole years of age on a day; None before birth, or for ages that nobody reaches."""
    years = day.year - birth.year - ((day.month, day.day) < (birth.month, birth.day))
    return years if 0 <= years <= 130 else None


@dataclasses.dataclass(frozen=True, slots=True)
class ViewAttributes:
    """The attributes of a view, and where they come from.

    Attributes:
        names: all of them; those of `HIERARCHIES` are what somebody may be known by, all others
            are sensitive.
        columns: attribute -> column of the input that has it, in order.
        labels: sensitive attribute -> label of what is found in texts.
    """

    names: tuple[str, ...]
    columns: tuple[tuple[str, str], ...] = ()
    labels: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, text: str) -> ViewAttributes:
        """Reads a list such as `age,sex,zip3,diagnosis=icd_chapter,drug=label:DRUG`.

        Raises:
            UsageError: saying what is wrong with it.
        """
        names: list[str] = []
        columns: list[tuple[str, str]] = []
        labels: list[tuple[str, str]] = []
        for entry in text.split(","):
            name, equals, source = (part.strip() for part in entry.partition("="))
            if not _NAME.fullmatch(name) or (equals and not source):
                raise UsageError(
                    "--view-attributes: expected names of small letters, digits and underscores, "
                    "each alone, as NAME=COLUMN or as NAME=label:LABEL, with commas between"
                )
            if name in RESERVED:
                raise UsageError(f"--view-attributes: {name} is a column of every view")
            if name in names:
                raise UsageError(f"--view-attributes: {name} is there twice")
            if not source and name not in HIERARCHIES:
                known = sorted(HIERARCHIES)
                raise UsageError(
                    f"--view-attributes: {name} is none of {', '.join(known)}"
                    f"{did_you_mean(name, known)}; of a sensitive attribute say where it comes "
                    f"from: {name}=COLUMN or {name}=label:LABEL"
                )
            if source.startswith(_LABEL):
                if name in HIERARCHIES:
                    raise UsageError(
                        f"--view-attributes: {name} is read from its own label; only sensitive "
                        "attributes can come from another"
                    )
                labels.append((name, source.removeprefix(_LABEL)))
            elif source:
                columns.append((name, source))
            names.append(name)
        if not any(name in HIERARCHIES for name in names):
            raise UsageError(
                "--view-attributes: name at least one attribute by which somebody may be known: "
                + ", ".join(sorted(HIERARCHIES))
            )
        return cls(tuple(names), tuple(columns), tuple(labels))

    @property
    def identifying(self) -> tuple[str, ...]:
        """The attributes by which somebody may be known, sorted."""
        return tuple(sorted(name for name in self.names if name in HIERARCHIES))

    @property
    def sensitive(self) -> tuple[str, ...]:
        """All others, sorted."""
        return tuple(sorted(name for name in self.names if name not in HIERARCHIES))

    @property
    def from_texts(self) -> tuple[str, ...]:
        """The sensitive attributes whose values are words of notes, sorted."""
        return tuple(sorted(name for name, _ in self.labels))

    def attributes_of(self, label: str) -> tuple[str, ...]:
        """The attributes that a label tells of."""
        found = [name for name, of in self.labels if of == label]
        own = LABELS.get(label)
        if own is not None and own in self.names and own not in dict(self.columns):
            found.insert(0, own)
        return tuple(found)
