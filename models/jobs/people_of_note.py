"""What is known of a row's people, as surrogates and shifted dates take it.

No surrogate is then a true name or number of theirs, initials stand for their names, and no date
comes to lie on a birth date: `Guard` would stop the row for any of these.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable

from ..core.known_values import NAME_ATTRIBUTES, KnownAttribute, KnownValue, PersonKind
from ..redaction.stand_ins import PeopleOfNote
from ..roster.folding import fold
from ..roster.name_marks import misspelt
from ..roster.names import KnownNames
from ..roster.normal import birth_dates
from ..roster.people import DEFAULT_FUZZY
from ..roster.word_lists import known_words

_FULL = (KnownAttribute.NAME, KnownAttribute.ALIAS)
_PARTS = (KnownAttribute.GIVEN, KnownAttribute.MIDDLE, KnownAttribute.FAMILY)
_NOT_AVOIDED = (KnownAttribute.SEX, KnownAttribute.BIRTH)
_SEXES = ("f", "m")
"""Beginnings of what a table says of sex, and the classes of given names."""


def people_of_note(values: Iterable[KnownValue], fuzzy: int = DEFAULT_FUZZY) -> PeopleOfNote:
    """The people of a note.

    Args:
        values: what is known of them.
        fuzzy: errors of typing within which a name is meant; see `Matcher`.
    """
    names: dict[tuple[str, ...], None] = {}
    parts: dict[KnownAttribute, dict[str, None]] = {}
    classes: dict[str, str] = {}
    avoid: dict[str, None] = {}
    births: set[datetime.date] = set()
    own = [value for value in values if value.kind is not PersonKind.STAFF]
    sex = next((v.value.casefold()[:1] for v in own if _is_of_self(v, KnownAttribute.SEX)), "")
    for value in own:
        if value.attribute is KnownAttribute.BIRTH:
            births.update(birth_dates(value.value))
        elif value.attribute in NAME_ATTRIBUTES:
            words = _given_first(value.value)
            avoid.update(dict.fromkeys(words))
            if value.kind is PersonKind.SELF:
                parts.setdefault(value.attribute, {}).update(dict.fromkeys(words))
            if value.attribute in _FULL and len(words) > 1:
                names[words] = None
            elif value.attribute is KnownAttribute.FAMILY:
                classes.update(dict.fromkeys(words, "surname"))
            elif _is_of_self(value, KnownAttribute.GIVEN) and sex in _SEXES:
                for word in words:
                    classes.setdefault(word, sex)
        elif value.attribute not in _NOT_AVOIDED:
            avoid[value.value] = None
            avoid.update(dict.fromkeys(value.value.split()))
    is_in_parts = parts.keys() >= {KnownAttribute.GIVEN, KnownAttribute.FAMILY}
    if is_in_parts and KnownAttribute.NAME not in parts:
        whole = [word for part in _PARTS for word in parts.get(part, ())]
        names.setdefault(tuple(whole))  # tables with a column for each part of the name
    spelt = KnownNames.of(own)

    def meant(written: Iterable[str]) -> dict[str, str]:
        words = {fold(word): word for word in written}
        found = dict(misspelt(words.keys() - known_words(), spelt, fuzzy))
        found |= {word: spelt.cut[word] for word in words.keys() & spelt.cut.keys()}
        return {words[word]: name for word, name in found.items()}

    return PeopleOfNote(tuple(names), classes, tuple(avoid), frozenset(births), meant)


def _is_of_self(value: KnownValue, attribute: KnownAttribute) -> bool:
    return value.kind is PersonKind.SELF and value.attribute is attribute


def _given_first(name: str) -> tuple[str, ...]:
    """The words of a name; `Surname, Given` the other way round."""
    family, comma, given = name.partition(",")
    return tuple((f"{given} {family}" if comma else name).split())
