"""What is known: lists of phrases, whose origin is in `<kind>/SOURCES.md`, and how they are read.

A list has one phrase a line. The shipped ones are sorted, unique, NFC and without blank lines;
lists of a site, given by URL, may be in any order. Matching them against tokens is
`trie.TokenTrie`'s part.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.resources
import unicodedata

import fsspec

DICTIONARIES: dict[str, str] = {
    "cities_es": "places/cities_es.txt",
    "countries_en": "places/countries_en.txt",
    "countries_es": "places/countries_es.txt",
    "credentials_en": "names/credentials_en.txt",
    "credentials_es": "names/credentials_es.txt",
    "first_names_en": "names/first_names_en.txt",
    "first_names_es": "names/first_names_es.txt",
    "holidays_en": "calendar/holidays_en.txt",
    "holidays_es": "calendar/holidays_es.txt",
    "institution_words_en": "institutions/institution_words_en.txt",
    "institution_words_es": "institutions/institution_words_es.txt",
    "months_en": "calendar/months_en.txt",
    "months_es": "calendar/months_es.txt",
    "provinces_es": "places/provinces_es.txt",
    "seasons_en": "calendar/seasons_en.txt",
    "seasons_es": "calendar/seasons_es.txt",
    "street_words_en": "places/street_words_en.txt",
    "street_words_es": "places/street_words_es.txt",
    "surnames_en": "names/surnames_en.txt",
    "surnames_es": "names/surnames_es.txt",
    "titles_en": "names/titles_en.txt",
    "titles_es": "names/titles_es.txt",
    "us_cities": "places/us_cities.txt",
    "us_state_abbreviations": "places/us_state_abbreviations.txt",
    "us_states": "places/us_states.txt",
    "weekdays_en": "calendar/weekdays_en.txt",
    "weekdays_es": "calendar/weekdays_es.txt",
}
"""Name -> path of the list below this folder."""

LONGEST_PHRASE = 200
"""Most code points in a line. A longer one says that the file is something else than a list."""


class DictionaryError(ValueError):
    """A list is unknown, cannot be read or is no list; says file and line, never what is in it."""


@dataclasses.dataclass(frozen=True, slots=True)
class Dictionary:
    """The phrases of one list.

    Attributes:
        name: key of `DICTIONARIES`, or the URL without credentials and query.
        phrases: sorted by code point, unique, NFC, in the case of the list.
        sha256: hex digest of the list's bytes, as `sha256sum` gives it; goes into the audit.
    """

    name: str
    phrases: tuple[str, ...] = dataclasses.field(repr=False)
    sha256: str

    def __len__(self) -> int:
        return len(self.phrases)


def load(name_or_url: str) -> Dictionary:
    """Reads a shipped list by its name, or any list by its path or fsspec URL (`.gz` is unpacked).

    Lists of a site: UTF-8 with or without a byte order mark, LF or CRLF. Blank lines, white space
    around a phrase and repeats are dropped, order does not matter, and phrases are brought to NFC.

    Raises:
        DictionaryError: if the name is unknown, the file cannot be opened, or a line is not UTF-8,
            has control characters (tabs too: a table is not a list) or is over `LONGEST_PHRASE`,
            or there is no phrase at all.
    """
    if path := DICTIONARIES.get(name_or_url):
        content = importlib.resources.files(__package__).joinpath(path).read_bytes()
        return parse(name_or_url, content)
    if not any(mark in name_or_url for mark in "/\\:."):
        raise DictionaryError(
            f"unknown dictionary {name_or_url!r}; known: {', '.join(sorted(DICTIONARIES))}; "
            "a list of your own is given by its path or URL"
        )
    shown = _without_secrets(name_or_url)
    try:
        with fsspec.open(name_or_url, "rb", compression="infer") as file:
            content = file.read()
    except Exception as error:
        # Storage libraries raise whatever they like, with signed URLs in the message: only the
        # class is told.
        raise DictionaryError(
            f"dictionary {shown}: cannot be read ({type(error).__name__})"
        ) from None
    return parse(shown, content)


def parse(name: str, content: bytes) -> Dictionary:
    """The dictionary in the bytes of a list; see `load` for what is accepted and raised."""
    phrases: set[str] = set()
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        try:
            phrase = unicodedata.normalize("NFC", line.decode("utf-8").strip())
        except UnicodeDecodeError:
            raise DictionaryError(f"dictionary {name}, line {number}: not UTF-8") from None
        if len(phrase) > LONGEST_PHRASE:
            raise DictionaryError(
                f"dictionary {name}, line {number}: {len(phrase)} characters, expected at most"
                f" {LONGEST_PHRASE}"
            )
        if not all(character.isprintable() or character.isspace() for character in phrase) or any(
            unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in phrase
        ):
            raise DictionaryError(
                f"dictionary {name}, line {number}: a control character; expected one phrase a line"
            )
        if phrase:
            phrases.add(phrase)
    if not phrases:
        raise DictionaryError(f"dictionary {name}: no phrases; expected one a line")
    return Dictionary(name, tuple(sorted(phrases)), hashlib.sha256(content).hexdigest())


def _without_secrets(url: str) -> str:
    """The URL without `user:password@` and query string, either of which may hold a key."""
    url = url.split("?", 1)[0]
    scheme, mark, rest = url.rpartition("://")
    host, slash, path = rest.partition("/")
    return scheme + mark + (host.rpartition("@")[2] if mark else host) + slash + path
