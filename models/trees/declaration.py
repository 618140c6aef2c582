"""How declared features become columns of bytes: the declaration, before anything is learned."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from ..core.errors import BundleError, UsageError
from ..features import Feature, feature_from_json, feature_to_json
from ..features.base import require_int, require_one_of
from .model import MOST_COLUMNS, MOST_HISTORY

KINDS = ("rank", "flag", "class")
WHERE = ("any", "tagged", "first", "last")
OF = ("item", "value")

_PARAMETERS = {"rank": ("kind",), "flag": ("kind", "frequency", "most", "by_document")}
"""Of the kinds that do not have all of them."""


@dataclasses.dataclass(frozen=True, slots=True)
class Coding:
    """How the values of features become codes.

    Attributes:
        kind: "rank": a column a feature, its values in order (whole numbers by size, others by
            their characters; places before and behind the sequence come first). "flag": a column a
            value, for the most frequent ones. "class": a column a feature, with the class that a
            value announces most often, "O" apart: the code is class + 1.
        frequency: items of training that must have a value (of "flag" and "class").
        most: values that are kept, of all features of the group together: the most frequent flags;
            of "class" those that tell most about the classes of all items (information gain).
        where: of "class", the items that a value is counted at: "any", those that are "tagged", or
            the "first" or "last" of each phrase.
        share: of "class", the percentage of a value's items that must be counted ones.
        of: of "class", whose class counts: that of the "item" which sees the value, or that of the
            one that has it ("value"). With "value" all features are one property at offsets, 0
            among them: what is learned there holds at all.
        by_document: whether `frequency` counts documents instead of items.

    Raises:
        UsageError: if a value is not allowed, or does not go with the kind.
    """

    kind: str
    frequency: int = 1
    most: int = MOST_COLUMNS
    where: str = "any"
    share: int = 0
    of: str = "item"
    by_document: bool = False

    def __post_init__(self) -> None:
        require_one_of("coding", "kind", self.kind, KINDS)
        require_int("coding", "frequency", self.frequency, 1, 1_000_000)
        require_int("coding", "most", self.most, 1, 1_000_000)
        require_one_of("coding", "where", self.where, WHERE)
        require_int("coding", "share", self.share, 0, 100)
        require_one_of("coding", "of", self.of, OF)
        if (allowed := _PARAMETERS.get(self.kind)) is not None:
            for field in dataclasses.fields(self):
                if field.name not in allowed and getattr(self, field.name) != field.default:
                    raise UsageError(f"coding {self.kind}: it has no parameter {field.name}")


RANK = Coding("rank")


@dataclasses.dataclass(frozen=True, slots=True)
class CodedFeatures:
    """Features with one coding.

    Attributes:
        features: each once.
        coding: of all.

    Raises:
        UsageError: if a feature repeats, or the coding asks for what a feature is not.
    """

    features: tuple[Feature, ...]
    coding: Coding

    def __post_init__(self) -> None:
        if not self.features or len(set(self.features)) < len(self.features):
            raise UsageError("coding: features must be given, each once")
        coding = self.coding
        if coding.kind == "rank" and any(len(feature.parts) > 1 for feature in self.features):
            raise UsageError("coding rank: values of conjunctions have no order")
        if coding.of == "value" and (
            any(len(feature.parts) > 1 for feature in self.features)
            or len({feature.parts[0][0] for feature in self.features}) > 1
            or not any(feature.parts[0][1] == 0 for feature in self.features)
        ):
            raise UsageError('coding of "value": expected one property at offsets, 0 among them')


@dataclasses.dataclass(frozen=True, slots=True)
class TreesDeclaration:
    """All that trees see of an item.

    Attributes:
        groups: of coded features; a feature may be in several.
        history: how many items before have their classes seen; gold ones in training.

    Raises:
        UsageError: without groups, or with a history out of range.
    """

    groups: tuple[CodedFeatures, ...]
    history: int = 4

    def __post_init__(self) -> None:
        if not self.groups:
            raise UsageError("coding: trees need features")
        require_int("coding", "history", self.history, 0, MOST_HISTORY)

    @property
    def features(self) -> tuple[Feature, ...]:
        """What must be featurized, each once, in order of appearance."""
        every = (feature for group in self.groups for feature in group.features)
        return tuple(dict.fromkeys(every))


def declaration_to_json(declared: TreesDeclaration) -> dict[str, object]:
    """The declaration as JSON values."""
    groups = [
        {
            "features": [feature_to_json(feature) for feature in group.features],
            "coding": dataclasses.asdict(group.coding),
        }
        for group in declared.groups
    ]
    return {"groups": groups, "history": declared.history}


def declaration_from_json(data: object) -> TreesDeclaration:
    """The declaration that `declaration_to_json` wrote.

    Raises:
        BundleError: if it is anything else.
    """
    fields = _object(data, ("groups", "history"))
    if not isinstance(fields["groups"], list):
        raise BundleError("coding: groups must be a list")
    try:
        groups = tuple(_group(group) for group in fields["groups"])
        return TreesDeclaration(groups, _whole(fields["history"], "history"))
    except BundleError:
        raise
    except UsageError as error:
        raise BundleError(str(error)) from None


def _group(data: object) -> CodedFeatures:
    fields = _object(data, ("features", "coding"))
    if not isinstance(fields["features"], list):
        raise BundleError("coding: features must be a list")
    names = tuple(field.name for field in dataclasses.fields(Coding))
    given = _object(fields["coding"], names)
    words = {name: given[name] for name in ("kind", "where", "of")}
    if not all(isinstance(word, str) for word in words.values()):
        raise BundleError("coding: kind, where and of must be strings")
    if not isinstance(given["by_document"], bool):
        raise BundleError("coding: by_document must be true or false")
    coding = Coding(
        kind=str(words["kind"]),
        frequency=_whole(given["frequency"], "frequency"),
        most=_whole(given["most"], "most"),
        where=str(words["where"]),
        share=_whole(given["share"], "share"),
        of=str(words["of"]),
        by_document=given["by_document"],
    )
    return CodedFeatures(tuple(map(feature_from_json, fields["features"])), coding)


def _object(data: object, names: tuple[str, ...]) -> Mapping[str, object]:
    if not isinstance(data, Mapping) or data.keys() != set(names):
        raise BundleError(f"coding: expected an object with {', '.join(names)}")
    return data


def _whole(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise BundleError(f"coding: {name} must be a whole number")
    return value
