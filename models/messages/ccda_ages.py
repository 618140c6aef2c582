"""Ages over 89 in a CDA document by what their observation is of, where no unit says years.

The code of an observation stands before its value by the schema, but nothing holds documents to
that: values are kept until their observation ends.

Source: HL7 CDA R2, class Observation; 45 CFR 164.514(b)(2)(i)(C).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Final

from .ages import is_age, is_over_89
from .base import MessageValue
from .ccda_names import PathOf, base_of
from .ccda_roles import NUMBER, form_names

_OBSERVATION: Final = "observation"
_CODE, _VALUE = "code", "value"
_TEXTS: Final = ("value", "value(ST)", "value(ED)", "value(SC)")
_OVER_89: Final = "(over 89)"


@dataclasses.dataclass(slots=True)
class Observation:
    """What an observation says of itself, and the values that are too high if it is an age."""

    _said: list[str] = dataclasses.field(default_factory=list)
    _high: list[tuple[int, MessageValue]] = dataclasses.field(default_factory=list)

    def say(self, *words: str) -> None:
        """Adds codes and names of what is observed."""
        self._said += words

    def add(self, index: int, value: MessageValue, said: Mapping[str, str]) -> None:
        """Adds a value, if it is one of an age over 89.

        Args:
            index: of the value among all.
            value: as it is named if it is such an age.
            said: the attributes of its element.
        """
        units = said.get("unit", ""), said.get("code", "")
        if is_over_89(value.value, units, of_age=True):
            self._high.append((index, value))

    def ages(self) -> list[tuple[int, MessageValue]]:
        """The values over 89 with their indexes; none, if it is not one of an age."""
        return self._high if is_age(self._said) else []


@dataclasses.dataclass(frozen=True, slots=True)
class Observed:
    """Where an element lies: in which observation, and in which of its elements.

    Attributes:
        part: name of that element; "" of the observation itself.
    """

    observation: Observation
    part: str = ""

    def child(self, path: PathOf) -> Observed:
        """Where an element in this one lies."""
        if path.label == _OBSERVATION:
            return Observed(Observation())
        return self if self.part else Observed(self.observation, base_of(path.label))

    @property
    def is_whole(self) -> bool:
        """Whether it is the observation itself."""
        return not self.part

    @property
    def is_code(self) -> bool:
        """Whether it says what is observed."""
        return self.part == _CODE

    def name_of_number(self, path: PathOf, name: str) -> str:
        """What a number in an attribute goes by if it is an age over 89; "" for all else."""
        is_value = self.part == _VALUE and form_names().get(name) == NUMBER
        return path.name(f"@value{_OVER_89}") if is_value else ""

    def name_of_text(self, path: PathOf) -> str:
        """What a text goes by if it is an age over 89; "" for all but the value itself."""
        is_value = self.part == _VALUE and path.label in _TEXTS
        return path.beside(f"value{_OVER_89}").name() if is_value else ""


OUTSIDE: Final = Observed(Observation(), "ClinicalDocument")
"""Of what lies in no observation."""
