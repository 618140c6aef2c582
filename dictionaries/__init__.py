"""What is known: lists of phrases, whose origin is in `<kind>/SOURCES.md`, and how they are read.

A list has one phrase a line; a *weighted* list has a weight behind each, after a tab: a whole
number, how many (of a million) have the name. The shipped ones are sorted, unique, NFC and without
blank lines; lists of a site, given by URL, may be in any order. Matching them against tokens is
`trie.TokenTrie`'s part, fetching the large official ones `pipeline.commands.dictionaries`'s.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import hashlib
import importlib.resources
import unicodedata
from collections.abc import Mapping
from importlib.resources.abc import Traversable
from types import MappingProxyType

from .files import NotARegularFile, read_named
from .table import DICTIONARIES

__all__ = [
    "DICTIONARIES",
    "Dictionary",
    "DictionaryError",
    "load",
    "load_weighted",
    "parse",
    "phrase_set",
    "without_secrets",
    "word_set",
]

LONGEST_PHRASE = 200
"""Most code points of a phrase. A longer one says that the file is something else than a list."""

MOST_WEIGHT = (1 << 53) - 1
"""Larger weights would not be exact as floats."""

_BUT_TABS = bytes(byte for byte in range(256) if byte not in b"\t\n")
_SEPARATORS = ("Cc", "Zl", "Zp")


class DictionaryError(ValueError):
    """A list is unknown, cannot be read or is no list; says file and line, never what is in it."""


@dataclasses.dataclass(frozen=True, slots=True)
class Dictionary:
    """The phrases of one list.

    Attributes:
        name: key of `DICTIONARIES`, or the URL without credentials and query.
        phrases: sorted by code point, unique, NFC, in the case of the list.
        sha256: hex digest of the list's bytes, as `sha256sum` gives it; goes into the audit.
        weights: one a phrase, of a weighted list; else None.
    """

    name: str
    phrases: tuple[str, ...] = dataclasses.field(repr=False)
    sha256: str
    weights: tuple[int, ...] | None = dataclasses.field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.phrases)

    def to_bytes(self) -> bytes:
        """The list as the shipped ones are written; `parse` reads it back."""
        if self.weights is None:
            return "".join(f"{phrase}\n" for phrase in self.phrases).encode()
        rows = zip(self.phrases, self.weights, strict=True)
        return "".join(f"{phrase}\t{weight}\n" for phrase, weight in rows).encode()


def load(name_or_url: str) -> Dictionary:
    """Reads a shipped list by its name, or any list by its path or fsspec URL (`.gz` is unpacked).

    Lists of a site: UTF-8 with or without a byte order mark, LF or CRLF. Blank lines, white space
    around a phrase and repeats are dropped, order does not matter, and phrases are brought to NFC.
    If the first phrase has a tab behind it, the list is weighted: each line is a phrase, a tab and
    a whole number; the weights of repeats are added up.

    Raises:
        DictionaryError: if the name is unknown, the file cannot be opened, or a line is not UTF-8,
            has control characters (tabs too, but for the one before a weight: a table is not a
            list), has no sound weight where the first has one, or is over `LONGEST_PHRASE`, or
            there is no phrase at all.
    """
    if path := DICTIONARIES.get(name_or_url):
        return parse(name_or_url, _folder().joinpath(path).read_bytes())
    if not any(mark in name_or_url for mark in "/\\:."):
        raise DictionaryError(
            f"unknown dictionary {name_or_url!r}{_nearest(name_or_url)}; `scrubline dictionaries"
            " list` shows all names; give a list of your own by its path or URL"
        )
    shown = without_secrets(name_or_url)
    try:
        content = read_named(name_or_url, unpack=True)
    except NotARegularFile as error:
        raise DictionaryError(f"dictionary {shown}: {error.strerror}") from None
    except Exception as error:
        # Storage libraries raise whatever they like, with signed URLs in the message: only the
        # class is told.
        raise DictionaryError(
            f"dictionary {shown}: cannot be read ({type(error).__name__})"
        ) from None
    return parse(shown, content)


@functools.cache
def phrase_set(name: str) -> frozenset[str]:
    """The phrases of a shipped list, as they stand in it; read once per process.

    Raises:
        DictionaryError: as `load` does.
    """
    return frozenset(load(name).phrases)


def word_set(words: str) -> frozenset[str]:
    """The words of a string, for lists of up to a dozen, too short for a file."""
    return frozenset(words.split())


def load_weighted(name_or_url: str) -> Mapping[str, int]:
    """Phrase -> weight of a weighted list; read-only.

    Raises:
        DictionaryError: as `load` does, and if the list has no weights.
    """
    dictionary = load(name_or_url)
    if dictionary.weights is None:
        raise DictionaryError(
            f"dictionary {dictionary.name}: has no weights; expected a phrase, a tab and a whole"
            " number a line"
        )
    return MappingProxyType(dict(zip(dictionary.phrases, dictionary.weights, strict=True)))


def parse(name: str, content: bytes) -> Dictionary:
    """The dictionary in the bytes of a list; see `load` for what is accepted and raised."""
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    weighted = b"\t" in next((line.strip() for line in lines if line.strip()), b"")
    sha256 = hashlib.sha256(content).hexdigest()
    if rows := _plain_rows(content, weighted=weighted):
        phrases, weights = rows
        return Dictionary(name, phrases, sha256, weights)
    found: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        try:
            text = unicodedata.normalize("NFC", line.decode("utf-8").strip())
        except UnicodeDecodeError:
            raise DictionaryError(f"dictionary {name}, line {number}: not UTF-8") from None
        phrase, weight = _weight(name, number, text) if weighted and text else (text, 0)
        if len(phrase) > LONGEST_PHRASE:
            raise DictionaryError(
                f"dictionary {name}, line {number}: {len(phrase)} characters, expected at most"
                f" {LONGEST_PHRASE}"
            )
        if not all(character.isprintable() or character.isspace() for character in phrase) or any(
            unicodedata.category(character) in _SEPARATORS for character in phrase
        ):
            raise DictionaryError(
                f"dictionary {name}, line {number}: a control character; expected one phrase a line"
            )
        if phrase:
            found[phrase] = min(found.get(phrase, 0) + weight, MOST_WEIGHT)
    if not found:
        raise DictionaryError(f"dictionary {name}: no phrases; expected one a line")
    ordered = sorted(found)
    return Dictionary(
        name,
        tuple(ordered),
        sha256,
        tuple(found[phrase] for phrase in ordered) if weighted else None,
    )


def without_secrets(url: str) -> str:
    """The URL without `user:password@` and query string, either of which may hold a key."""
    url = url.split("?", 1)[0]
    scheme, mark, rest = url.rpartition("://")
    host, slash, path = rest.partition("/")
    return scheme + mark + (host.rpartition("@")[2] if mark else host) + slash + path


@functools.cache
def _folder() -> Traversable:
    return importlib.resources.files(__package__)


def _nearest(name: str) -> str:
    names = difflib.get_close_matches(name, DICTIONARIES, 3)
    return f" (did you mean {' or '.join(names)}?)" if names else ""


def _plain_rows(
    content: bytes, *, weighted: bool
) -> tuple[tuple[str, ...], tuple[int, ...] | None] | None:
    """Phrases and weights of a list that is as the shipped ones are; None for any other.

    The same as the way line by line, twenty times as fast: each check is one call for all lines.
    """
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    flat = text.replace("\n", "")
    if not (flat.replace("\t", "") if weighted else flat).isprintable():
        return None
    if not text.endswith("\n") or not unicodedata.is_normalized("NFC", text):
        return None
    lines, weights = text[:-1].split("\n"), None
    if weighted:
        # Only tabs and line feeds are left: one of each a line, the tab first.
        if content.translate(None, _BUT_TABS) != b"\t\n" * len(lines):
            return None
        parts = text[:-1].replace("\t", "\n").split("\n")
        lines, numbers = parts[::2], parts[1::2]
        digits = "".join(numbers)
        if not (digits.isascii() and digits.isdigit() and all(numbers)):
            return None
        if max(map(len, numbers)) > 15:
            return None
        weights = tuple(map(int, numbers))
    if not all(map(str.__lt__, lines, lines[1:])) or not lines[0]:
        return None
    if list(map(str.strip, lines)) != lines or max(map(len, lines)) > LONGEST_PHRASE:
        return None
    return tuple(lines), weights


def _weight(name: str, number: int, text: str) -> tuple[str, int]:
    """Phrase and weight of a line of a weighted list."""
    phrase, tab, weight = text.rpartition("\t")
    weight = weight.strip()
    if not tab or not (weight.isascii() and weight.isdigit()) or len(weight) > 16:
        raise DictionaryError(
            f"dictionary {name}, line {number}: expected a phrase, a tab and a whole number"
        )
    if not phrase.strip() or int(weight) > MOST_WEIGHT:
        raise DictionaryError(
            f"dictionary {name}, line {number}: expected a phrase and a weight up to {MOST_WEIGHT}"
        )
    return phrase.strip(), int(weight)
