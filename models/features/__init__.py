"""Declared features: a closed set of property kinds, from which the CRF's attributes are made.

A recipe says which properties are seen at which offsets (`Feature`); `featurize` renders them as
the attribute strings of CRFsuite. Nothing else decides what a tagger sees.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import cast

from ..core.errors import BundleError, UsageError
from .affixes import KnownAffix, Prefix, Suffix, known_affixes
from .base import Property
from .character_class import CharacterClass
from .characters import Character, CharacterNgrams
from .cluster import Cluster
from .count import Count
from .day_month import DayMonth
from .declaration import Feature, at, ngrams, together
from .digits import Digits
from .field import Field
from .field_repeat import Elsewhere
from .frequency import Frequency
from .gazetteer import Gazetteer, gazetteer_from_phrases
from .heading import SectionHeading
from .length import Length
from .line import Line
from .link import Link
from .nearby import Nearby
from .nearest import Beside, Nearest
from .normal import Kind, Normal
from .section import Section
from .sentence import Sentence
from .shape import Shape
from .spacing import Spacing
from .tag import FOUND, Tag
from .tree import Tree
from .word import Word

__all__ = [
    "FOUND",
    "KINDS",
    "CharacterClass",
    "Character",
    "CharacterNgrams",
    "Cluster",
    "Count",
    "Beside",
    "DayMonth",
    "Digits",
    "Elsewhere",
    "Field",
    "Kind",
    "KnownAffix",
    "Nearby",
    "Nearest",
    "Normal",
    "Spacing",
    "Feature",
    "Frequency",
    "Gazetteer",
    "SectionHeading",
    "Length",
    "Line",
    "Link",
    "Prefix",
    "Property",
    "Section",
    "Sentence",
    "Shape",
    "Suffix",
    "Tag",
    "Tree",
    "Word",
    "at",
    "feature_from_json",
    "feature_to_json",
    "gazetteer_from_phrases",
    "known_affixes",
    "ngrams",
    "property_from_json",
    "property_to_json",
    "together",
]

KINDS: dict[str, type[Property]] = {
    "word": Word,
    "prefix": Prefix,
    "suffix": Suffix,
    "affix": KnownAffix,
    "shape": Shape,
    "class": CharacterClass,
    "length": Length,
    "character": Character,
    "ngrams": CharacterNgrams,
    "gazetteer": Gazetteer,
    "frequency": Frequency,
    "cluster": Cluster,
    "section": Section,
    "heading": SectionHeading,
    "sentence": Sentence,
    "line": Line,
    "count": Count,
    "tag": Tag,
    "tree": Tree,
    "link": Link,
    "normal": Normal,
    "kind": Kind,
    "field": Field,
    "day_month": DayMonth,
    "digits": Digits,
    "elsewhere": Elsewhere,
    "nearest": Nearest,
    "beside": Beside,
    "nearby": Nearby,
    "spacing": Spacing,
}
"""All kinds of property, by their name in JSON."""


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(member, str) for member in value)


_CHECKS: dict[str, tuple[str, Callable[[object], bool]]] = {
    "int": ("a whole number", _is_int),
    "bool": ("true or false", lambda value: isinstance(value, bool)),
    "str": ("a string", lambda value: isinstance(value, str)),
    "tuple[str, ...]": ("a list of strings", _is_names),
}
"""Annotation of a parameter -> what JSON must have there."""


def property_to_json(declared: Property) -> dict[str, object]:
    """The property as JSON values: its kind and all its parameters."""
    parameters = {
        field.name: getattr(declared, field.name) for field in dataclasses.fields(declared)
    }
    listed = {n: list(v) if isinstance(v, tuple) else v for n, v in parameters.items()}
    return {"kind": declared.KIND, **listed}


def property_from_json(data: object) -> Property:
    """The property that `property_to_json` wrote.

    Raises:
        BundleError: if the kind or a parameter is unknown, missing, of a wrong type or out of
            range. Nothing in the data is run or looked up but in `KINDS`.
    """
    if not isinstance(data, Mapping):
        raise BundleError("feature: a property must be an object with a kind")
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise BundleError(
            f"feature: unknown kind {_named(kind)}; known: {', '.join(sorted(KINDS))}"
        )
    fields = {field.name: field for field in dataclasses.fields(KINDS[kind])}
    given = {name: value for name, value in data.items() if name != "kind"}
    if unknown := sorted(_named(name) for name in given if name not in fields):
        raise BundleError(
            f"{kind}: unknown parameters {', '.join(unknown)}; known: {', '.join(fields)}"
        )
    if missing := [name for name in fields if name not in given]:
        raise BundleError(f"{kind}: parameters {', '.join(missing)} are missing")
    for name, value in given.items():
        expected, holds = _CHECKS[str(fields[name].type)]
        if not holds(value):
            raise BundleError(f"{kind}: {name} must be {expected}")
    parameters = {n: tuple(v) if isinstance(v, list) else v for n, v in given.items()}
    make = cast(Callable[..., Property], KINDS[kind])
    try:
        return make(**parameters)
    except BundleError:
        raise
    except UsageError as error:
        raise BundleError(str(error)) from None


def feature_to_json(feature: Feature) -> list[object]:
    """The feature as JSON values: a list of [property, offset] pairs."""
    return [[property_to_json(part), offset] for part, offset in feature.parts]


def feature_from_json(data: object) -> Feature:
    """The feature that `feature_to_json` wrote.

    Raises:
        BundleError: if it is anything else.
    """
    if not isinstance(data, list) or not all(isinstance(p, list) and len(p) == 2 for p in data):
        raise BundleError("feature: expected a list of [property, offset] pairs")
    if not all(_is_int(offset) for _, offset in data):
        raise BundleError("feature: offset must be a whole number")
    parts = tuple((property_from_json(part), offset) for part, offset in data)
    try:
        return Feature(parts)
    except UsageError as error:
        raise BundleError(str(error)) from None


def _named(value: object) -> str:
    """A short form of what a damaged file has in place of a name."""
    return repr(value[:64]) if isinstance(value, str) else type(value).__name__
