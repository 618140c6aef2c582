"""The names of a patient and of those around them, as words to look for, in three classes.

A *strong* word is in no word list: it is found in any case, anywhere. A *weak* one (`may`, `long`,
`white`) is a word as well. *Short* are words of two letters and particles: they count only as part
of a name. Initials are letters beside a name.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterable, Iterator, Sequence

from ..core.known_values import NAME_ATTRIBUTES, KnownAttribute, KnownValue, PersonKind
from .folding import LETTERS, is_unspaced, spellings, without_ocr
from .word_lists import (
    SUFFIXES,
    credentials,
    drug_beginnings,
    known_words,
    names_rather_than_words,
    nicknames,
    particles,
    titles,
    words,
)

LEAST_FUZZY, LEAST_FUZZY_TWO = 5, 8
"""Letters of a strong word that is found within one edit, and within two."""

LEAST_OCR = 4
"""Letters of a strong word that is found as optical recognition misreads it."""

LEAST_CUT, LEAST_STRONG_CUT = 3, 5
"""Letters of the beginning of a given name that stands for it, and of one that is strong: a shorter
one is a word of some language that no list has (`der` of Derya, `elle` of Ellen)."""

GIVEN, FAMILY = 1, 2
"""Parts of a name that a word can be; both where a table does not say."""

KIND_ORDER = tuple(PersonKind)
_MOST_WORDS = 40
_MOST_GROUP = 4


class NameClass(enum.IntEnum):
    """How much a word tells by itself; the greater one counts."""

    SHORT = 0
    WEAK = 1
    STRONG = 2


@dataclasses.dataclass(frozen=True, slots=True)
class NameWord:
    """What a folded word is as a name.

    Attributes:
        kind: whose; the first in the order of kinds.
        strength: its class.
        parts: `GIVEN`, `FAMILY`, or both.
        derived: whether it was made from a nickname or by joining words, and is not in the table.
    """

    kind: PersonKind
    strength: NameClass
    parts: int
    derived: bool = False

    def joined(self, other: NameWord) -> NameWord:
        """What a word is that is both."""
        return NameWord(
            min(self.kind, other.kind, key=KIND_ORDER.index),
            max(self.strength, other.strength),
            self.parts | other.parts,
            self.derived and other.derived,
        )


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class KnownNames:
    """The names of one patient's roster.

    Attributes:
        words: folded word -> what it is.
        whole: names of scripts without blanks, found as they are within any text -> whose they are.
        initials: first letters of the patient's own given names, and of surnames.
        fuzzy: strong words of `LEAST_FUZZY` letters or more, sorted.
        misread: form that optical recognition leaves -> the strong word.
        cut: beginning of a given name, which is no word -> the name: `napo`, `tem`.
    """

    words: dict[str, NameWord]
    whole: dict[str, PersonKind]
    initials: tuple[frozenset[str], frozenset[str]]
    fuzzy: tuple[str, ...]
    misread: dict[str, str]
    cut: dict[str, str]

    @classmethod
    def of(cls, known: Iterable[KnownValue]) -> KnownNames:
        """The names among what is known."""
        found: dict[str, NameWord] = {}
        whole: dict[str, PersonKind] = {}
        firsts: tuple[set[str], set[str]] = (set(), set())
        scripts: dict[PersonKind, tuple[list[str], list[str]]] = {}
        for value in known:
            if value.attribute not in NAME_ATTRIBUTES:
                continue
            for spelling in spellings(value.value):
                if is_unspaced("".join(LETTERS.findall(spelling))):
                    _add_unspaced(value, spelling, whole, scripts)
                    continue
                for word, what in _words(value, spelling):
                    if len(word) > 1:
                        found[word] = found[word].joined(what) if word in found else what
                    if value.kind is PersonKind.SELF and not what.derived:
                        for part, letters in zip((GIVEN, FAMILY), firsts, strict=True):
                            if what.parts & part:
                                letters.add(word[0])
        strong = sorted(w for w, what in found.items() if what.strength is NameClass.STRONG)
        return cls(
            found,
            whole,
            (frozenset(firsts[0]), frozenset(firsts[1])),
            tuple(word for word in strong if len(word) >= LEAST_FUZZY),
            {without_ocr(word): word for word in reversed(strong) if len(word) >= LEAST_OCR},
            dict(_beginnings(found)),
        )


def _beginnings(names: dict[str, NameWord]) -> Iterator[tuple[str, str]]:
    """Yields what people make of a given name by its first three letters or more, with the name."""
    for name, what in names.items():
        is_given = what.parts == GIVEN and what.strength is not NameClass.SHORT
        if is_given and not what.derived:
            for size in range(LEAST_CUT, len(name)):
                word = name[:size]
                if not (word in names or word in known_words() or word in drug_beginnings()):
                    yield word, name


def class_of(word: str) -> NameClass:
    """The class of a folded word of a name."""
    if len(word) <= 2:
        return NameClass.SHORT
    return NameClass.WEAK if word in words() else NameClass.STRONG


def split_name(attribute: KnownAttribute, folded: str) -> list[tuple[list[str], int]]:
    """The words of a name in groups, each with the part of the name that it is.

    Words of one group were written as one word or with a hyphen, an apostrophe or a particle.
    Titles, generations and credentials are left out.
    """
    given, family = GIVEN, FAMILY
    if attribute in (KnownAttribute.GIVEN, KnownAttribute.MIDDLE):
        return [(group, given) for group in _groups(folded)]
    if attribute is KnownAttribute.FAMILY:
        return [(group, family) for group in _groups(folded)]
    before, comma, after = folded.partition(",")
    behind = _groups(after)
    if comma and behind and not all("".join(g) in credentials() for g in behind):
        return [(group, family) for group in _groups(before)] + [(group, given) for group in behind]
    groups = _groups(before)
    if len(groups) == 1:
        return [(groups[0], given if attribute is KnownAttribute.ALIAS else given | family)]
    last = len(groups) - 1
    return [
        (group, given if not at else family if at == last else given | family)
        for at, group in enumerate(groups)
    ]


def _groups(folded: str) -> list[list[str]]:
    """Words of a name, those of a double or apostrophised one together, particles with the next."""
    groups: list[list[str]] = []
    held: list[str] = []
    for written in folded.split():
        group = LETTERS.findall(written)
        if not group or _is_no_name(group, written):
            continue
        if len(group) == 1 and group[0] in particles():
            held += group
            continue
        groups.append(held + group)
        held = []
    return groups + ([held] if held else [])


def _is_no_name(group: Sequence[str], written: str) -> bool:
    if len(group) != 1:
        return False
    (word,) = group
    return word in SUFFIXES or (written.endswith(".") and len(word) > 1 and word in titles())


def _words(value: KnownValue, folded: str) -> Iterator[tuple[str, NameWord]]:
    """Yields the words of a value with what each is; joined forms and nicknames too."""
    groups = split_name(value.attribute, folded)
    ends: dict[int, str] = {}
    for group, parts in groups[:_MOST_WORDS]:
        for at, word in enumerate(group):
            strength = class_of(word)
            if word in particles() and at < len(group) - 1:
                strength = NameClass.SHORT
            yield word, NameWord(value.kind, strength, parts)
            if parts & GIVEN and strength is not NameClass.SHORT:
                for nickname in nicknames().get(word, ()):
                    if nickname in names_rather_than_words():  # "Bill", and not "the bill"
                        yield nickname, NameWord(value.kind, NameClass.WEAK, GIVEN)
                    else:
                        strength = class_of(nickname)
                        yield nickname, NameWord(value.kind, strength, GIVEN, derived=True)
        for joined in _joined(group):
            if len(joined) > 2:
                yield joined, NameWord(value.kind, class_of(joined), parts, derived=True)
        for part in (GIVEN, FAMILY):
            if parts == part:
                ends.setdefault(part, "".join(group))
    if len(ends) == 2:
        for joined in (ends[GIVEN] + ends[FAMILY], ends[FAMILY] + ends[GIVEN]):
            if class_of(joined) is NameClass.STRONG and len(joined) > LEAST_FUZZY:
                yield joined, NameWord(value.kind, NameClass.STRONG, GIVEN | FAMILY, derived=True)


def _joined(group: Sequence[str]) -> Iterator[str]:
    """Yields neighbouring words of a group as one: `obrien`, `smithjones`, `vanderberg`."""
    size = min(len(group), _MOST_GROUP)
    for start in range(size - 1):
        for end in range(start + 2, size + 1):
            yield "".join(group[start:end])


def _add_unspaced(
    value: KnownValue,
    folded: str,
    whole: dict[str, PersonKind],
    scripts: dict[PersonKind, tuple[list[str], list[str]]],
) -> None:
    """Adds a name of a script without blanks, and what it is together with the other part."""
    name = "".join(LETTERS.findall(folded))
    givens, families = scripts.setdefault(value.kind, ([], []))
    if value.attribute is KnownAttribute.FAMILY:
        families.append(name)
    elif value.attribute is KnownAttribute.GIVEN:
        givens.append(name)
    else:
        _know(whole, name, value.kind)
        if value.attribute is KnownAttribute.NAME and len(name) > 2:  # the surname comes first
            givens.append(name[1:])
    for given in givens:
        if len(given) > 1:
            _know(whole, given, value.kind)
        for family in families:
            _know(whole, family + given, value.kind)
            _know(whole, given + family, value.kind)


def _know(whole: dict[str, PersonKind], name: str, kind: PersonKind) -> None:
    if len(name) > 1:
        whole[name] = min(whole.get(name, kind), kind, key=KIND_ORDER.index)
