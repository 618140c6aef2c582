"""Logins, e-mail addresses and URLs: built from the surrogate names where they held true ones.

All addresses are at `example.org`, which RFC 2606 keeps for examples: nobody gets mail there.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Final

from .drawer import Drawer
from .lexicon import Lexicon
from .names import NAME, read_name
from .numbers import in_format
from .words import ascii_small

LONGEST: Final = 400
"""Most code points of an address."""

DOMAIN: Final = "example.org"

_RUN = re.compile(r"[^\W\d_]+|\d+")
_ADDRESS = re.compile(r"\s*(?:mailto:)?([^@\s]{1,128})@([^@\s]{1,255})\s*", re.IGNORECASE)
_URL = re.compile(r"([a-z][a-z0-9+.-]{1,9}://|//)?([^/?#\s]{1,255})([/?#][^\s]*)?", re.IGNORECASE)
_LEAST_SURNAME = 4
"""Letters of a surname behind an initial, as in `jsmith`."""

_LEAST_NAME = 3
"""Letters of a name in a login; fewer are initials."""


def username(drawer: Drawer, label: str, text: str) -> str | None:
    """The login that the surrogate would have; None if nothing is in it."""
    del label
    if len(text) > LONGEST or not any(map(str.isalnum, text)):
        return None
    made = _runs(drawer, text)
    return made if made and made.casefold() != text.casefold() else None


def email(drawer: Drawer, label: str, text: str) -> str | None:
    """The surrogate's address at `example.org`; None for what is no address."""
    if len(text) > LONGEST or not (match := _ADDRESS.fullmatch(text)):
        return None
    local = username(drawer, label, match.group(1))
    if local is None:
        return None
    return text[: match.start(1)] + local + "@" + DOMAIN + text[match.end(2) :]


def url(drawer: Drawer, label: str, text: str) -> str | None:
    """A page of `example.org` with the surrogate's names in its path; None for no URL."""
    del label
    stripped = text.strip()
    if len(text) > LONGEST or not (match := _URL.fullmatch(stripped)):
        return None
    scheme, host, path = match.group(1) or "", match.group(2), match.group(3) or ""
    if "." not in host:
        return None
    front = "www." if host.casefold().startswith("www.") else ""
    made = _runs(drawer, path) if path else ""
    if made is None:
        return None
    return scheme + front + DOMAIN + made


def _runs(drawer: Drawer, text: str) -> str | None:
    """Letters and digits run by run; signs stay."""
    out, end = [], 0
    for match in _RUN.finditer(text):
        out.append(text[end : match.start()])
        run = match.group()
        new = in_format(drawer, run, 0) if run[0].isdecimal() else _letters(drawer, run)
        if new is None:
            return None
        out.append(new)
        end = match.end()
    out.append(text[end:])
    return "".join(out)


def _letters(drawer: Drawer, run: str) -> str | None:
    """The surrogate of a run of letters: a name, an initial and a name, or letters."""
    words = drawer.words
    normal = words.normal(run)
    if len(run) == 1:
        return _alike(drawer.letter(normal), run)
    # Whoever is known first: Smithj is a surname too.
    for is_name in (drawer.is_known, functools.partial(_is_listed, drawer)):
        if is_name(normal):
            return _small(drawer, run)
        for parts in _readings(run):
            if all(len(part) < _LEAST_NAME or is_name(words.normal(part)) for part in parts):
                return _joined(drawer, parts)
    return in_format(drawer, run, 0)


def _readings(run: str) -> Iterator[tuple[str, ...]]:
    """What a run may be: `jsmith`, `smithj`, `jpsmith`, `maryjones`."""
    if len(run) > _LEAST_SURNAME:
        yield run[:1], run[1:]
        yield run[:-1], run[-1:]
    if len(run) > _LEAST_SURNAME + 1:
        yield run[:2], run[2:]
    for number in range(_LEAST_NAME, len(run) - _LEAST_NAME + 1):
        yield run[:number], run[number:]


def _joined(drawer: Drawer, parts: tuple[str, ...]) -> str | None:
    """The surrogates of names, and of the initials beside one."""
    out = []
    for number, part in enumerate(parts):
        if len(part) < _LEAST_NAME:
            name = parts[1 - number]
            out.append("".join(_initial(drawer, initial, name) for initial in part))
        elif (new := _small(drawer, part)) is not None:
            out.append(new)
        else:
            return None
    return "".join(out)


def _is_listed(drawer: Drawer, normal: str) -> bool:
    return len(normal) >= _LEAST_NAME and drawer.words.is_listed(normal)


def _small(drawer: Drawer, run: str) -> str | None:
    name = drawer.name(run, frozenset((drawer.words.normal(run),)))
    if name is None:
        return None
    return _alike(ascii_small(name), run)


def _initial(drawer: Drawer, letter: str, name: str) -> str:
    """The initial of whoever has the name, if it is known; else another letter."""
    normal, wanted = drawer.words.normal(name), drawer.words.normal(letter)
    for person in drawer.known.people:
        if normal in person:
            for word in person:
                if word != normal and word[:1] == wanted and (drawn := drawer.letter_of(word)):
                    return _alike(ascii_small(drawn), letter)
    return _alike(drawer.letter(wanted), letter)


def _alike(made: str, written: str) -> str:
    if written.isupper() and len(written) > 1:
        return made.upper()
    return made.capitalize() if written[:1].isupper() else made


def names_of(text: str, words: Lexicon) -> tuple[str, ...]:
    """The normal forms of the names in a text: what a caller needs for `Known.people`."""
    pieces = read_name(text, words, lambda word: False, staff=False)
    return tuple(words.normal(piece.text) for piece in pieces if piece.kind == NAME)
