"""Surrogates: what stands in place of PHI, keyed, with nothing stored.

`surrogate(patient, class, word, attempt)` is a word of a frozen pool, chosen by HMAC-SHA256. All
ways to write a name agree because the choice is of words and not of mentions. Source of hiding in
plain sight: Carrell et al. 2013; of what consistency costs: Carrell et al. 2020, Osborne et al.
2025.
"""

from __future__ import annotations

import dataclasses
import functools
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NoReturn

from ..core.errors import UsageError
from .ages import age
from .contacts import email, url, username
from .drawer import ATTEMPTS, NOBODY, Drawer, DrawWord, Known, drawn_letters, drawn_word
from .drawing import Draws
from .identity import identity_of, people_in
from .lexicon import Lexicon, lexicon, pools_hash
from .numbers import normal_number, number
from .people import person
from .phones import phone
from .places import city, institution, postal_code
from .pools import NAME_CLASSES, pool
from .professions import profession
from .settings import SurrogateSettings
from .streets import street

_Make = Callable[[Drawer, str, str], str | None]

MAKERS: Final[Mapping[str, _Make]] = MappingProxyType(
    {
        "PATIENT": person,
        "DOCTOR": person,
        "USERNAME": username,
        "PROFESSION": profession,
        "HOSPITAL": institution,
        "ORGANIZATION": institution,
        "STREET": street,
        "CITY": city,
        "ZIP": postal_code,
        "AGE": age,
        "PHONE": phone,
        "FAX": phone,
        "EMAIL": email,
        "URL": url,
        "IPADDR": number,
        "SSN": number,
        "MEDICALRECORD": number,
        "HEALTHPLAN": number,
        "ACCOUNT": number,
        "LICENSE": number,
        "VEHICLE": number,
        "DEVICE": number,
        "BIOID": number,
        "IDNUM": number,
    }
)
"""Label -> what makes its surrogate. Other labels get a marker."""

KEEPS: Final = ("AGE",)
"""Labels whose surrogate may be the text itself: ages up to 89."""

WORDS_CACHED, TEXTS_CACHED, SCOPES_CACHED = 1 << 16, 1 << 14, 1 << 10
LONGEST_CACHED: Final = 100
"""Most code points of a text whose surrogate is kept in memory."""

NOTHING: Final[frozenset[str]] = frozenset()


LONGEST: Final = 400
"""Most code points of a text that gets a surrogate: no name or address is as long."""

_UNREAD: Final = frozenset(("So", "Mn", "Mc", "Me", "Co", "Cn", "Cs"))
"""Categories of characters that would stay, as signs do, and might be letters in disguise."""


def _is_readable(text: str) -> bool:
    """Whether letters and digits are all that a text could tell by."""
    if len(text) > LONGEST:
        return False
    return text.isascii() or not any(
        unicodedata.category(c) in _UNREAD and c != "°" and not "\u0300" <= c <= "\u036f"
        for c in text
    )


@dataclasses.dataclass(frozen=True, slots=True)
class Surrogate:
    """What stands in place of a text.

    Attributes:
        text: the surrogate.
        attempt: the last draw that a word of it took, 0 to 2; for the audit.
    """

    text: str = dataclasses.field(repr=False)
    attempt: int = 0


_Made = tuple[Surrogate | None, frozenset[str]]


@dataclasses.dataclass(frozen=True, slots=True)
class SurrogateNames:
    """Surrogates by names and hashes, without their key: this is what is pickled.

    Attributes:
        settings: how they are made.
        pools: `pools_hash` of what they are drawn from.
    """

    settings: SurrogateSettings
    pools: str

    def opened(self, key: bytes) -> Surrogates:
        """The surrogates, where the key is at hand.

        Raises:
            UsageError: if the pools here are others.
        """
        opened = Surrogates(key, self.settings)
        if opened.pools != self.pools:
            raise UsageError(
                "surrogates: the lists they are drawn from are others here; install the same "
                "version everywhere"
            )
        return opened


class Surrogates:
    """Makes surrogates under one key. Frozen, and safe for threads; keeps the latest in memory.

    What it gives depends on key, settings, `pools_hash` and arguments alone: not on the order of
    calls, nor on what was cached. It cannot be pickled, as no key can: pickle its `names`, and open
    them where they are used.

    Args:
        key: the subkey for surrogates, 32 bytes or more.
        settings: how they are made.

    Attributes:
        settings: as given.
        pools: SHA-256 of all lists that they are drawn from, 64 hex digits.
    """

    __slots__ = ("_draws", "_key", "_lexicon", "_text", "_word", "pools", "settings")
    _draws: Callable[[tuple[str, ...]], Draws]
    _key: bytes
    _lexicon: Lexicon
    _text: Callable[[tuple[str, ...], str, str, Known], _Made]
    _word: DrawWord
    pools: str
    settings: SurrogateSettings

    def __init__(self, key: bytes, settings: SurrogateSettings | None = None) -> None:
        if len(key) < 32:
            raise ValueError(f"surrogates: the key has {len(key)} bytes, expected 32 or more")
        given = SurrogateSettings() if settings is None else settings
        put = functools.partial(object.__setattr__, self)
        put("_key", bytes(key))
        put("settings", given)
        put("pools", pools_hash())
        put("_lexicon", lexicon(given.languages))
        put("_draws", functools.lru_cache(SCOPES_CACHED)(self._scoped))
        put("_word", functools.lru_cache(WORDS_CACHED)(self._draw_word))
        put("_text", functools.lru_cache(TEXTS_CACHED)(self._make))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("Surrogates cannot be changed")

    def __repr__(self) -> str:
        return f"Surrogates({self.settings})"

    @property
    def names(self) -> SurrogateNames:
        """What they are, without the key."""
        return SurrogateNames(self.settings, self.pools)

    def __reduce__(self) -> NoReturn:
        raise TypeError("keys cannot be pickled: pickle `names` and open them where they are used")

    def of(
        self,
        patient: str | None,
        label: str,
        text: str,
        *,
        document: str = "",
        mention: int = 0,
        known: Known = NOBODY,
        avoid: frozenset[str] = NOTHING,
    ) -> Surrogate | None:
        """What stands in place of a text; None for a marker.

        Never the text itself (but for `KEEPS`), and no word of it is a true one of the text or of
        `avoid`. With "pad", as long as the text.

        Args:
            patient: the patient's key; None if there is none, then the scope is the document.
            label: native label of the text.
            text: what is replaced; any text, one of 10 MB too.
            document: the document's key; needed where the scope is not the record.
            mention: where the text begins in the document; for scope "mention".
            known: what is known of the record's people, by `known`.
            avoid: true words and numbers of note and roster, by `normal`.

        Raises:
            ValueError: if the scope needs a document and there is none.
        """
        if label not in MAKERS:
            return None
        scope = self._scope(patient, document, mention)
        if len(text) > LONGEST_CACHED or len(scope) > 3:
            return self._make(scope, label, text, known, avoid)[0]
        made, used = self._text(scope, label, text, known)
        if made is None or used.isdisjoint(avoid):
            return made
        return self._make(scope, label, text, known, avoid)[0]

    def known(
        self,
        *,
        people: Iterable[Sequence[str]] = (),
        classes: Mapping[str, str] = MappingProxyType({}),
        same: Mapping[str, str] = MappingProxyType({}),
        attempts: Mapping[str, int] = MappingProxyType({}),
    ) -> Known:
        """What is known of a record's people. Make it once a record: it is a key of the cache.

        Args:
            people: the words of each person's name, given names first.
            classes: word -> "f", "m", "either" or "surname", over what the lists say.
            same: word -> the word that is meant, for typos and nicknames.
            attempts: word -> the draw to begin with, by `attempts`.

        Raises:
            ValueError: for a class that is none.
        """
        normal = self._lexicon.normal
        if not set(classes.values()) <= set(NAME_CLASSES):
            raise ValueError(f"surrogates: a class must be one of {', '.join(NAME_CLASSES)}")
        persons = tuple(tuple(map(normal, person)) for person in people)
        meant = {normal(word): normal(said) for word, said in same.items()}
        kinds = {normal(word): kind for word, kind in classes.items()}
        words = frozenset(word for person in persons for word in person)
        return Known(
            classes=kinds,
            same=meant,
            people=persons,
            attempts={normal(word): number for word, number in attempts.items()},
            words=(words | meant.keys() | kinds.keys()) - {""},
        )

    def entity(
        self,
        patient: str | None,
        label: str,
        text: str,
        *,
        document: str = "",
        known: Known = NOBODY,
    ) -> str | None:
        """Who or what a text speaks of within its scope: 16 hex digits, see `identity_of`.

        None under scope "mention", where nobody can be followed, and for what tells of nobody.
        Arguments are those of `of`.
        """
        if self.settings.scope == "mention":
            return None
        drawer = self._drawer(self._scope(patient, document, 0), known, NOTHING)
        identity = identity_of(drawer, label, text)
        return None if identity is None else f"{drawer.draws.number('entity', *identity):016x}"

    def people(self, texts: Iterable[tuple[str, str]]) -> list[tuple[str, ...]]:
        """The full names among (label, text), for `known`; see `identity.people_in`."""
        return people_in(self._drawer(("document", "", ""), NOBODY, NOTHING), texts)

    def normal(self, words: Iterable[str]) -> frozenset[str]:
        """The normal forms of words and numbers, as `avoid` takes them."""
        normal = self._lexicon.normal
        out: set[str] = set()
        for word in words:
            out.add(normal_number(word) if any(map(str.isdigit, word)) else normal(word))
        return frozenset(out - {""})

    def attempts(
        self,
        patient: str | None,
        words: Iterable[str],
        *,
        document: str = "",
        known: Known = NOBODY,
        avoid: frozenset[str] = NOTHING,
    ) -> dict[str, int]:
        """With which draw each word of names begins, so that no two get one surrogate.

        Of two words that would share one, that with the greater hash moves on. Needed only for
        words that are known beforehand; the result does not depend on their order. Nicknames count
        as the names that they stand for, and layout "pad" is not looked at.

        Args:
            patient: as in `of`.
            words: true words of names of the record.
            document: as in `of`.
            known: as in `of`.
            avoid: as in `of`.

        Returns:
            Normal form -> draw, of those words that do not begin with 0; `ATTEMPTS` for a marker.
        """
        scope = self._scope(patient, document, 0)
        drawer = self._drawer(scope, known, avoid)
        true = {drawer.meant(self._lexicon.normal(word)) for word in words} - {""}
        truths = frozenset(true)
        taken: set[str] = set()
        out: dict[str, int] = {}
        for word in sorted(true, key=lambda word: (drawer.draws.number("order", word), word)):
            for attempt in range(ATTEMPTS):
                drawn = drawer.name_at(word, attempt)
                normal = None if drawn is None else self._lexicon.normal(drawn)
                if normal is None or normal in taken or not drawer.takes(normal, truths, attempt):
                    continue
                taken.add(normal)
                break
            else:
                attempt = ATTEMPTS
            if attempt:
                out[word] = attempt
        return out

    def _scope(self, patient: str | None, document: str, mention: int) -> tuple[str, ...]:
        scope = self.settings.scope
        if scope == "record" and patient:
            return ("record", patient)
        if not document:
            raise ValueError("surrogates: this scope needs the document's key")
        if scope == "mention":
            return ("mention", patient or "", document, str(mention))
        return ("document", patient or "", document)

    def _drawer(self, scope: tuple[str, ...], known: Known, avoid: frozenset[str]) -> Drawer:
        draws = self._draws(scope)
        return Drawer(draws, scope, self.settings, self._lexicon, known, avoid, self._word)

    def _make(
        self,
        scope: tuple[str, ...],
        label: str,
        text: str,
        known: Known,
        avoid: frozenset[str] = NOTHING,
    ) -> _Made:
        """The surrogate, and the normal forms of its words."""
        if not _is_readable(text):
            return None, NOTHING
        drawer = self._drawer(scope, known, avoid)
        made = MAKERS[label](drawer, label, text)
        if made is not None and self.settings.layout == "pad":
            made = made + " " * (len(text) - len(made)) if len(made) <= len(text) else None
        if made is None or (made == text and label not in KEEPS):
            return None, NOTHING
        return Surrogate(made, drawer.attempt), frozenset(drawer.used)

    def _scoped(self, scope: tuple[str, ...]) -> Draws:
        return Draws(self._key, *scope)

    def _draw_word(
        self,
        scope: tuple[str, ...],
        kind: str,
        language: str,
        normal: str,
        attempt: int,
        length: int | None,
    ) -> str | None:
        found = pool(kind, language)
        if found is None:
            return None
        letter = normal[:1] if self.settings.initials == "keep" and kind in NAME_CLASSES else ""
        draws = self._draws(scope)
        if not letter and length is None:
            return drawn_word(draws, kind, normal, attempt, found.words)
        words = found.some(letter=letter, length=length)
        if not words:
            return drawn_letters(draws, normal, attempt, length or 1)
        return drawn_word(draws, kind, normal, attempt, words)
