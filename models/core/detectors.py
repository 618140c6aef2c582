"""Names of detectors, as they stand in candidates, columns, audit rows and tables of hashes.

A rule goes by its own name ("date"), a site's own by kind and name ("own:chart"), the deny-lists of
a policy are one detector ("deny"), what is known of people beforehand goes by whose it is
("roster:self"), what other notes of a patient say is one ("record:links"), and what a bundle has
goes by kind and bundle ("crf:en-default"). Nothing else builds such a name or takes one apart.
"""

from __future__ import annotations

import dataclasses
import enum
import functools


class DetectorKind(enum.StrEnum):
    """What a detector is. A further kind is one line here, and a rank in `merging.ORDER`.

    Attributes:
        family: of the learner of a trained tagger: a key of `models.families.FAMILIES`; else "".
        items: what a trained tagger of the kind labels, "token" or "character"; else "".
    """

    family: str
    items: str

    RULE = "rule"
    DENY = "deny"
    ROSTER = "roster"
    OWN = "own"
    CHARACTER_CRF = "charcrf", "crf", "character"
    TOKEN_CRF = "crf", "crf", "token"
    LINEAR_SVM = "svm", "margin", "token"
    TREES = "trees", "trees", "token"
    RECORD = "record"
    PROPAGATION = "propagation"

    def __new__(cls, value: str, family: str = "", items: str = "") -> DetectorKind:
        """One kind; see the attributes."""
        kind = str.__new__(cls, value)
        kind._value_, kind.family, kind.items = value, family, items
        return kind


RULE, DENY, PROPAGATION = DetectorKind.RULE, DetectorKind.DENY, DetectorKind.PROPAGATION
ROSTER, OWN, RECORD = DetectorKind.ROSTER, DetectorKind.OWN, DetectorKind.RECORD
CHARACTER_CRF, TOKEN_CRF = DetectorKind.CHARACTER_CRF, DetectorKind.TOKEN_CRF
LINEAR_SVM, TREES = DetectorKind.LINEAR_SVM, DetectorKind.TREES

_OF_TAGGERS = {(kind.family, kind.items): kind for kind in DetectorKind if kind.items}
_NAMED = {kind.value: kind for kind in DetectorKind if kind not in (RULE, DENY)}


@dataclasses.dataclass(frozen=True, slots=True)
class DetectorId:
    """One detector; `str` gives its name, from which `parse` makes an equal value.

    Attributes:
        kind: of the detector; a string of that value will do.
        name: of the rule or the bundle, of a roster whose it is; "" for the deny-lists.

    Raises:
        ValueError: if the kind is unknown, the deny-lists have a name, or that of a rule is one
            that another kind has.
    """

    kind: DetectorKind
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", DetectorKind(self.kind))
        if _split(str(self)) != (self.kind, self.name):
            raise ValueError(f"a detector of kind {self.kind} cannot be called so")

    def __str__(self) -> str:
        if self.kind in _NAMED:
            return f"{self.kind}:{self.name}"
        return DENY.value if self.kind is DENY else self.name

    @classmethod
    def parse(cls, text: str) -> DetectorId:
        """The detector of a name; one that no other kind can have is a rule's."""
        return _parsed(text)

    @classmethod
    def of_tagger(cls, family: str, items: str, bundle: str) -> DetectorId:
        """The taggers of a bundle of one family that label "token" or "character" items."""
        return cls(_OF_TAGGERS[family, items], bundle)

    @staticmethod
    def items_of(family: str) -> tuple[str, ...]:
        """What taggers of a family of learners label: "token", "character" or both."""
        return tuple(items for known, items in _OF_TAGGERS if known == family)

    @property
    def is_rule(self) -> bool:
        """Whether it is one of the recognisers."""
        return self.kind is RULE

    @property
    def is_tagger(self) -> bool:
        """Whether it was trained on annotated notes."""
        return self.kind.items != ""


def _split(text: str) -> tuple[DetectorKind, str]:
    """Kind and name."""
    if text == DENY:
        return DENY, ""
    kind, colon, name = text.partition(":")
    return (_NAMED[kind], name) if colon and kind in _NAMED else (RULE, text)


@functools.lru_cache(maxsize=256)
def _parsed(text: str) -> DetectorId:
    """A run has few detectors, and asks for the kind of each candidate's."""
    return DetectorId(*_split(text))
