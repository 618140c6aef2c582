"""Initials of people whom the document names: `JK` after `Jane Kimani`, `SJ` beside a dose.

A bare pair of capitals is an abbreviation far more often, so the place must speak for a person as
well: behind a time or an hour, alone in a cell of a table, behind a dash, a slash or a bracket at
the end of a line, before `=` and the name itself. An abbreviation of medicine (`AM`, `RV`) counts
only in a cell, behind a clock time, or with `=`. Initials stand for the first and the last word of
a name, for all its words, or for `Last F`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping

from ...dictionaries import phrase_set
from ..core.documents import Context, Document
from ..core.spans import Candidate
from .context_words import cased
from .evidence import Taken, evidence
from .listed_name import find as listed
from .name_words import PARTICLES, SUFFIXES
from .patterns import disjoint, view
from .probe import TextProperty

NAME = "known_initials"
LABELS = ("PATIENT", "DOCTOR")
# 22 of 22 right on the readable half of `world`; other corpora hardly have such notes.
SCORE = 0.9583

# Two or three letters match everywhere, which the interpreter's engine tells faster.
_CAPITALS = re.compile(rb"(?i)\b[A-Z]\.? ?[A-Z](?:\.? ?[A-Z])?\b\.?")
_PAIR = re.compile("[A-Z][.]?[A-Z]")
_HAS_INITIALS = TextProperty(lambda text: _PAIR.search(text) is not None)
_NAME_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_ABBREVIATIONS = frozenset(word.upper() for word in phrase_set("medical_abbreviations_en"))
_CLOCK = re.compile(
    r"(?:(?<![\d/.])(?:[01]?\d|2[0-4])[:.h]?[0-5]\d ?(?:h|hrs?)?|\| {0,3}\d\d?)[ \t]{1,3}$"
)
_CELL_BEFORE = re.compile(r"[|\t] {0,40}$|\S {3,}$")
_CELL_AFTER = re.compile(r" {0,40}(?:[|\t\r\n]|$)| {3,}")
_KEYED = re.compile(r"\b([A-Z]{2,3}) ?= ?([A-Z][a-z]{1,20}(?: [A-Z][a-z]{0,20}){1,2})")
_MAY_KEY = cased("[A-Z] ?= ?[A-Z][a-z]")
_SIGNED_BEFORE = re.compile(r"(?:[-\u2013\u2014/(\[]|  | by| per| d/w| w/)[ \t]{0,2}$")
_SIGNED_AFTER = re.compile(r"[)\].,]{0,2}[ \t]{0,8}(?:[\r\n/]|$)|[)\]]")
_SPEAKER = re.compile(r"(?:^|[\r\n]) {0,8}$")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one candidate per mention of known initials, left to right and without overlap."""
    text = document.text
    if not _HAS_INITIALS(text):
        return
    # "Key: SJ = Sijo Jose" tells who wrote in a chart, and that SJ is nothing else in it.
    keyed = frozenset(
        match[1]
        for match in (_KEYED.finditer(text) if any(_MAY_KEY.finditer(view(text))) else ())
        if match[1] == "".join(word[0] for word in match[2].split())
    )
    # Before the names: most texts have no such place.
    written = list(_written(text, keyed))
    if not written:
        return
    taken = sorted((*evidence(text), *listed(text)))
    known = {**_initials_of(text, taken), **dict.fromkeys(keyed, "DOCTOR")}
    places = Taken(taken)
    yield from disjoint(
        Candidate(start, end, label, NAME, SCORE)
        for start, end, letters in written
        if (label := known.get(letters)) is not None
        and (letters in keyed or label != "PATIENT" or letters not in _ABBREVIATIONS)
        and not places.touches(start, end)
    )


def _written(text: str, keyed: Container[str]) -> Iterator[tuple[int, int, str]]:
    """Where initials stand that are somebody's if the text names one: start, end, letters."""
    for match in _CAPITALS.finditer(view(text)):
        start, end = match.span()
        written = text[start:end]
        if " " in written:
            continue
        letters = written.replace(".", "")
        if not letters.isupper():
            continue
        if "." not in written:
            end = start + len(letters)
        if letters in keyed or _speaks(text, start, end, letters):
            yield start, end, letters


def _initials_of(text: str, names: Iterable[Candidate]) -> Mapping[str, str]:
    """Initials -> label; staff go before others of the same initials."""
    found: dict[str, str] = {}
    for name in names:
        written = text[name.start : name.end]
        words = [
            word
            for word in _NAME_WORD.findall(written)
            if word.lower() not in SUFFIXES and (len(word) < 2 or word.lower() not in PARTICLES)
        ]
        if not 2 <= len(words) <= 4 or all(len(word) < 2 for word in words):
            continue
        if "," in written:
            words = [*words[1:], words[0]]
        heads = [word[0].upper() for word in words]
        ways = {heads[0] + heads[-1], "".join(heads[:3])}
        if len(words[-1]) < 2:
            ways.add(heads[-1] + heads[0])
        for initials in ways:
            if found.get(initials) != "DOCTOR":
                found[initials] = name.label
    return found


def _speaks(text: str, start: int, end: int, letters: str) -> bool:
    """Whether what stands around initials makes them a person's."""
    left, right = text[max(0, start - 44) : start], text[end : end + 44]
    closed = _CELL_AFTER.match(right) is not None
    if closed and (_CLOCK.search(left) or _CELL_BEFORE.search(left)):
        return True
    if letters in _ABBREVIATIONS:
        return False
    if _CLOCK.search(left) or (_SPEAKER.search(left) and right.startswith(":")):
        return True
    return _SIGNED_BEFORE.search(left) is not None and _SIGNED_AFTER.match(right) is not None
