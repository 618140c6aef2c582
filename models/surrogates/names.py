"""Names of people, word by word.

A name is read as titles, particles, suffixes and credentials, which stay, initials, and names. Each
name has one surrogate, whatever stands beside it; its capitals, possessive and plural are carried
over. What is no word (signs, blanks, line breaks) stays as it is.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Final, NamedTuple

from ...dictionaries import phrase_set, word_set
from .lexicon import Lexicon
from .words import POSSESSIVE, folded

_MARKS = r"\u0300-\u036f"
WORD: Final = re.compile(rf"[^\W_](?:[^\W_]|[{_MARKS}]|['’ʼ`](?=[^\W\d_]))*")
"""A word: letters and digits, accents that stand for themselves, apostrophes inside."""

_ALWAYS_PARTICLES: Final = word_set("de del della der den des von vander zu")
"""Particles that are no names, in whatever case."""

_JOINING: Final = word_set("and und the family familia familie nee née geb")
_WRAP = re.compile(r"-[ \t]*(\r?\n[ \t]*)")

_SUFFIXES: Final = word_set("jr sr ii iii iv 2nd 3rd 4th junior senior")
_TITLES_DE: Final = word_set("herr herrn hr frau dr prof med dipl ing pd oa ärztin arzt schwester")

_SHORT = 4
"""Letters of most credentials, at most."""

_DEGREES: Final = word_set("md rn phd pa np dds dpm")
"""Credentials that are what they seem, in capitals behind a name."""

STAYS: Final = "stays"
INITIALS: Final = "initials"
NAME: Final = "name"
NUMBER: Final = "number"

_Word = tuple[int, int, str]
"""Where a word begins and ends, and the word."""


class Piece(NamedTuple):
    """A stretch of a name's text.

    Attributes:
        kind: one of `STAYS`, `INITIALS`, `NAME`, `NUMBER`.
        text: as it is written.
        tail: what is carried over behind a name: `'s` or a plural `s`.
    """

    kind: str
    text: str
    tail: str = ""


def read_name(
    text: str, words: Lexicon, known: Callable[[str], bool], *, staff: bool
) -> list[Piece]:
    """The pieces of a text that is a name. Takes linear time.

    Together they are the text, but for hyphens within names that a line end breaks.

    Args:
        text: as it is written.
        words: what is known of names.
        known: whether a normal form is a name of this record; such a word never stays.
        staff: whether credentials are more likely than names of the same letters (Do, MD).
    """
    if text.isalpha() and len(text) > 3 and folded(text) not in _no_names():
        # The most frequent form by far: a single word.
        return [Piece(NAME, *_without_tail(text, words, known))]
    found = [(m.start(), m.end(), m.group()) for m in WORD.finditer(text)]
    wraps: dict[int, str] = {}
    if "\n" in text:
        found, wraps = _unwrapped(text, found, words, known)
    kinds = _kinds(text, found, words, known, staff=staff)
    pieces, end = [], 0
    for (start, stop, word), kind in zip(found, kinds, strict=True):
        if start > end:
            pieces.append(Piece(STAYS, text[end:start]))
        if kind == NAME:
            body, tail = _without_tail(word, words, known)
            # The line ends behind the name.
            pieces.append(Piece(NAME, body, tail + wraps.get(start, "")))
        else:
            pieces.append(Piece(kind, word))
        end = stop
    if end < len(text):
        pieces.append(Piece(STAYS, text[end:]))
    return pieces


def _unwrapped(
    text: str, found: list[_Word], words: Lexicon, known: Callable[[str], bool]
) -> tuple[list[_Word], dict[int, str]]:
    """The words, those broken at a line end as one; and the line ends by where such words begin."""
    out: list[_Word] = []
    wraps: dict[int, str] = {}
    for start, end, word in found:
        if out and (wrap := _WRAP.fullmatch(text, out[-1][1], start)):
            before = out[-1]
            whole, parts = words.normal(before[2] + word), (before[2], word)
            is_name = known(whole) or words.is_listed(whole)
            if is_name and not all(words.is_listed(words.normal(part)) for part in parts):
                out[-1] = (before[0], end, before[2] + word)
                wraps[before[0]] = wrap.group(1)
                continue
        out.append((start, end, word))
    return out, wraps


def _kinds(
    text: str,
    found: list[_Word],
    words: Lexicon,
    known: Callable[[str], bool],
    *,
    staff: bool,
) -> list[str]:
    kinds = [""] * len(found)
    shouted = text.isupper()
    small = text.islower()
    for number, (_, _, word) in enumerate(found):
        normal = words.normal(word)
        if known(normal):
            kinds[number] = NAME
        elif any(map(str.isdigit, word)):
            kinds[number] = STAYS if number and normal in _SUFFIXES else NUMBER
        elif len(word) == 1:
            kinds[number] = STAYS if number and word in "yeª" else INITIALS
        elif normal in _JOINING and (word.islower() or len(word) > 3):
            kinds[number] = STAYS
    _mark_titles(text, found, kinds, words)
    _mark_particles(found, kinds, shouted or small)
    _mark_ends(text, found, kinds, words, shouted=shouted, staff=staff)
    alone = len(found) == 1
    for number, (_, _, word) in enumerate(found):
        if not kinds[number]:
            normal = words.normal(word)
            short = word.isupper() and len(word) <= 3 and not words.is_listed(normal)
            initials = short and (alone or not shouted)
            kinds[number] = INITIALS if initials else NAME
    return kinds


def _mark_titles(text: str, found: list[_Word], kinds: list[str], words: Lexicon) -> None:
    """Titles before a name: `Dr.`, `Major` of `Major Smith`, but not `Major, Mary`."""
    for number in range(len(found)):
        if kinds[number]:
            if kinds[number] == STAYS:
                continue
            break
        _, end, word = found[number]
        if folded(word) not in _titles():
            break
        if number + 1 == len(found):
            # A title alone is a name if it is a frequent one: Major, Judge.
            if not words.is_frequent(words.normal(word)):
                kinds[number] = STAYS
            break
        between = text[end : found[number + 1][0]]
        if between.strip(" .\t\r\n\xa0"):
            break
        kinds[number] = STAYS


def _mark_particles(found: list[_Word], kinds: list[str], plain: bool) -> None:
    """Particles before another word.

    Those that are names too stay if written small, or beside one that is none: `De La Cruz`,
    `van den Berg`, but not `Van Nguyen`.
    """
    last = len(found) - 1
    for number, (_, _, word) in enumerate(found):
        if kinds[number] or number == last:
            continue
        normal = folded(word)
        if normal in _ALWAYS_PARTICLES:
            kinds[number] = STAYS
        elif normal in _particles():
            before = folded(found[number - 1][2]) if number else ""
            after = folded(found[number + 1][2])
            beside = before in _ALWAYS_PARTICLES or after in _ALWAYS_PARTICLES
            if (word.islower() and not plain) or beside:
                kinds[number] = STAYS


def _mark_ends(
    text: str,
    found: list[_Word],
    kinds: list[str],
    words: Lexicon,
    *,
    shouted: bool,
    staff: bool,
) -> None:
    """Suffixes and credentials behind a name."""
    if len(found) < 2:
        return
    for number in range(len(found) - 1, 0, -1):
        if kinds[number] not in ("", INITIALS):
            continue
        start, end, word = found[number]
        normal = folded(word)
        if normal in _SUFFIXES:
            kinds[number] = STAYS
            continue
        name_too = words.is_listed(words.normal(word)) or normal in _romanised()
        if kinds[number] == INITIALS:
            # M. and D. of `Smith, M.D.` are one credential.
            pair = _dotted(text, found, number)
            if pair and pair in _credentials() and number > 1:
                kinds[number] = kinds[number - 1] = STAYS
            continue
        comma = "," in text[found[number - 1][1] : start]
        doubtful = name_too and (shouted or len(found) < 3) and not (staff and comma)
        if word not in _credentials() or doubtful:
            break
        kinds[number] = STAYS


def _dotted(text: str, found: list[_Word], number: int) -> str:
    """`M.D.`, of which the second letter is word `number`; else nothing."""
    before, here = found[number - 1], found[number]
    if len(before[2]) != 1 or text[before[1] : here[0]] != ".":
        return ""
    return before[2] + "." + here[2] + "."


def _without_tail(word: str, words: Lexicon, known: Callable[[str], bool]) -> tuple[str, str]:
    """A name, and its possessive or plural: `Smith's`, `Smiths`."""
    if match := POSSESSIVE.search(word):
        if match.start():
            return word[: match.start()], match.group()
        return word, ""
    normal = words.normal(word)
    if len(word) > 4 and word[-1] in "sS" and not (known(normal) or words.is_listed(normal)):
        base = words.normal(word[:-1])
        if known(base) or words.is_listed(base):
            return word[:-1], word[-1]
    return word, ""


def initials_of(
    letters: str,
    others: tuple[str, ...],
    people: tuple[tuple[str, ...], ...],
) -> tuple[str, ...] | None:
    """The words that initials stand for, in order; None if note and roster do not say whose.

    Args:
        letters: folded, of one name.
        others: normal forms of the names beside them.
        people: normal forms of the names of each known person, given names first.
    """
    readings: dict[tuple[str, ...], None] = {}
    for person in people:
        if not set(others) <= set(person):
            continue
        free = [word for word in person if word not in others]
        if (words := _matched(letters, free)) is not None:
            readings[words] = None
    return next(iter(readings)) if len(readings) == 1 else None


def _matched(letters: str, words: list[str]) -> tuple[str, ...] | None:
    """The words, in order, that begin with the letters."""
    out, at = [], 0
    for letter in letters:
        while at < len(words) and words[at][:1] != letter:
            at += 1
        if at == len(words):
            return None
        out.append(words[at])
        at += 1
    return tuple(out)


@functools.cache
def _titles() -> frozenset[str]:
    listed = phrase_set("titles_en") | phrase_set("titles_es") | _TITLES_DE
    return frozenset(folded(title.rstrip(".")) for title in listed if " " not in title)


@functools.cache
def _romanised() -> frozenset[str]:
    """Names that capitals make look like credentials: Do, Ma, Mir."""
    listed = phrase_set("surnames_romanised") | phrase_set("first_names_romanised")
    world = phrase_set("surnames_world") | phrase_set("first_names_world")
    short = frozenset(name for name in world if len(name) <= _SHORT)
    return frozenset(map(folded, listed | short)) - _DEGREES


@functools.cache
def _no_names() -> frozenset[str]:
    return _titles() | _JOINING


@functools.cache
def _particles() -> frozenset[str]:
    return frozenset(folded(particle.rstrip(".")) for particle in phrase_set("particles_world"))


@functools.cache
def _credentials() -> frozenset[str]:
    listed = phrase_set("credentials_en") | phrase_set("credentials_es")
    return frozenset(credential for credential in listed if len(credential) > 1)
