"""Asserts that nothing of a patient's roster is left in what is written of the patient.

A second, plain implementation: fold, split, compare with sets. It takes the tables that the
matcher takes, and none of its code, so that a fault of the one is no fault of the other. What it
asserts the matcher finds; what it finds is therefore a bug, or a column that should not pass.

It asserts less than the matcher looks for: no word within an edit, no nickname, no initials. A
weak name (`May`, `Long`) is asserted in a full form, behind a title, and with a capital behind a
word in small letters. Whether the text has the word in small letters elsewhere is not asked: other
detectors remove such words, which would stop notes that are clean.
"""

from __future__ import annotations

import datetime
import enum
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator

from ..core.known_values import NAME_ATTRIBUTES, KnownAttribute, KnownValue, PersonKind
from .folding import SPECIAL_LETTERS
from .word_lists import (
    SUFFIXES,
    clinical_pairs,
    credentials,
    eponym_nouns,
    particles,
    street_suffixes,
    titles,
    words,
)


class OwnIdentifier(enum.StrEnum):
    """Under which error class a row is quarantined; which value it was is not told."""

    NAME = "OwnName"
    NUMBER = "OwnNumber"
    DATE = "OwnDate"
    ADDRESS = "OwnAddress"


Violation = tuple[OwnIdentifier, PersonKind]
"""What was left, and whose."""

_LABELS = {
    KnownAttribute.BIRTH: "DATE",
    KnownAttribute.STREET: "STREET",
    KnownAttribute.PHONE: "PHONE",
    KnownAttribute.EMAIL: "EMAIL",
    KnownAttribute.MRN: "MEDICALRECORD",
    KnownAttribute.ID: "IDNUM",
}

_PLACEHOLDER = re.compile(r"\[[A-Z][A-Z0-9_ #:-]{0,60}\]")
_CUT = "\ufffc"
_MARKS = re.compile("[\u0300-\u036f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]+")
_WORD = re.compile(r"[^\W\d_]+")
_UNSPACED = re.compile(
    "[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\u1100-\u11ff\uac00-\ud7af\U00020000-\U0003ffff]"
)
_BROKEN = re.compile(r"-[ \t]*\r?\n[ \t]*(?=[^\W\d_])")
_CHUNKS = re.compile(r"[a-z0-9]+(?:[-./ ][a-z0-9]+)*")
_CHUNK = re.compile(r"[-./ ]")
_MOST_CHUNKS = 5
_PHONE = re.compile(r"(?<!\d)\(?\d(?:[ ().-]{0,3}\d){6,10}(?!\d)")
_DATE = re.compile(r"(?<!\d)\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4}(?!\d)")
_NO_LETTER = {code: " " for code in range(128) if not chr(code).isalpha()}
_NO_DIGIT = bytes(byte for byte in range(128) if not chr(byte).isdigit())
_NO_ID = bytes(byte for byte in range(128) if not chr(byte).isalnum())
_WINDOW = 60
_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)


def _bare(text: str) -> str:
    """A text without accents and invisible characters, in its own case."""
    if text.isascii():
        return text
    for special in SPECIAL_LETTERS.keys() & set(text):
        text = text.replace(special, SPECIAL_LETTERS[special])
    if text.isascii():
        return text
    parts = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFC", _MARKS.sub("", parts))


class Guard:
    """Says what of one patient's roster a text still holds.

    >>> guard = Guard([KnownValue.of("self", "name", "Zelda Quimby")])
    >>> guard.violations("Ms. Quimby was seen")
    ((<OwnIdentifier.NAME: 'OwnName'>, <PersonKind.SELF: 'self'>),)
    >>> guard.violations("Ms. [PATIENT] was seen")
    ()

    Args:
        known: of one patient; staff among it is not asserted.
        kept: labels that the policy keeps on purpose; they are not asserted.
    """

    __slots__ = (
        *("_dates", "_emails", "_ids", "_named", "_names", "_phones", "_streets", "_years"),
    )

    def __init__(self, known: Iterable[KnownValue], *, kept: Collection[str] = ()) -> None:
        self._names: dict[PersonKind, _OwnNames] = {}
        self._ids: dict[str, PersonKind] = {}
        self._phones: dict[str, PersonKind] = {}
        self._dates: dict[str, PersonKind] = {}
        self._named: dict[str, PersonKind] = {}
        self._years: set[str] = set()
        self._streets: dict[str, PersonKind] = {}
        self._emails: dict[str, PersonKind] = {}
        for value in known:
            if value.kind is PersonKind.STAFF:
                continue
            if value.attribute in NAME_ATTRIBUTES:
                if "PATIENT" not in kept:
                    self._names.setdefault(value.kind, _OwnNames()).add(value)
            elif _LABELS.get(value.attribute, "") not in (*kept, ""):
                self._add(value)

    def __repr__(self) -> str:
        return "Guard()"

    def _add(self, value: KnownValue) -> None:
        folded = _bare(value.value).casefold()
        match value.attribute:
            case KnownAttribute.MRN | KnownAttribute.ID:
                form = re.sub(r"[^a-z0-9]", "", folded).lstrip("0")
                if 5 <= len(form) <= 40 and sum(map(str.isdigit, form)) >= 3 and len(set(form)) > 1:
                    self._ids.setdefault(form, value.kind)
            case KnownAttribute.PHONE:
                digits = re.sub(r"[^0-9]", "", re.split("x|ext", folded)[0])[-10:]
                dialled = digits.lstrip("0")
                if len(dialled) >= 7 and len(set(dialled)) > 1:
                    self._phones.setdefault(digits, value.kind)
            case KnownAttribute.BIRTH:
                for form in _date_forms(folded):
                    named = self._named if form[0] == "(" else self._dates
                    named.setdefault(form, value.kind)
                self._years.update(_years(folded))
            case KnownAttribute.STREET:
                if line := _street_line(folded):
                    self._streets.setdefault(line, value.kind)
            case _ if _is_email(folded):
                self._emails.setdefault(folded, value.kind)

    def violations(self, text: str) -> tuple[Violation, ...]:
        """What a text still holds, each class and kind once, sorted; () for a clean one.

        Placeholders (`[PATIENT]`) are nobody's name. Linear in the text.
        """
        bare = _bare(_PLACEHOLDER.sub(_CUT, text) if "[" in text else text)
        folded = bare.casefold()
        found: set[Violation] = set()
        if self._names:
            spelt = set(
                folded.translate(_NO_LETTER).split() if folded.isascii() else _WORD.findall(folded)
            )
            if _BROKEN.search(folded):
                spelt.update(_WORD.findall(_BROKEN.sub("", folded)))
            for kind, names in self._names.items():
                if names.are_in(spelt, folded) or names.weak_in(spelt, bare):
                    found.add((OwnIdentifier.NAME, kind))
        found.update((OwnIdentifier.NUMBER, kind) for kind in self._numbers_in(folded))
        found.update((OwnIdentifier.DATE, kind) for kind in self._dates_in(folded))
        found.update((OwnIdentifier.ADDRESS, kind) for kind in self._addresses_in(folded))
        return tuple(sorted(found))

    def _numbers_in(self, folded: str) -> Iterator[PersonKind]:
        if self._ids:
            collapsed = _only(folded, _NO_ID)
            likely = {form: kind for form, kind in self._ids.items() if form in collapsed}
            if likely:
                joined = set(_joined_chunks(folded))
                for form, kind in likely.items():
                    if len(form) == 5 and form.isdigit():  # `120/80` is no id
                        if re.search(r"(?<!\d)0*" + "-?".join(form) + r"(?!\d)", folded):
                            yield kind
                    elif form in joined:
                        yield kind
        digits_left = _only(folded, _NO_DIGIT) if self._phones else ""
        if any(form[-7:] in digits_left for form in self._phones):
            for written in _PHONE.findall(folded):
                digits = re.sub(r"[^0-9]", "", written)
                if len(digits) == 11 and digits[0] == "1":
                    digits = digits[1:]
                for form, kind in self._phones.items():
                    short = len(digits) == 7 or len(form) == 7
                    if digits == form or (
                        short and len(digits) in (7, 10) and digits[-7:] == form[-7:]
                    ):
                        yield kind

    def _dates_in(self, folded: str) -> Iterator[PersonKind]:
        if any(year in folded for year in self._years):
            for written in _DATE.findall(folded.replace("|", "/").replace("·", "/")):
                if written in self._dates:
                    yield self._dates[written]
            if any(month[:3] in folded for month in _MONTHS):
                spaced = " ".join(folded.split())
                for pattern, kind in self._named.items():
                    if re.search(pattern, spaced):
                        yield kind

    def _addresses_in(self, folded: str) -> Iterator[PersonKind]:
        for form, kind in self._emails.items():
            at = folded.find(form)
            if at >= 0 and not folded[max(0, at - 1) : at].strip(" \n\t,;:(<\"'"):
                end = at + len(form)
                if not folded[end : end + 1].isalnum():
                    yield kind
        for form, kind in self._streets.items():
            likely = all(word in folded for word in form.split())
            if likely and _stands_in(form, " ".join(folded.split())):
                yield kind


def _is_email(folded: str) -> bool:
    local, _, host = folded.rpartition("@")
    return bool(local) and "." in host and len(folded) > 5


def _only(folded: str, dropped: bytes) -> str:
    """A text without some of its ASCII characters, and without all others."""
    return folded.encode("ascii", "ignore").translate(None, dropped).decode()


def _years(folded: str) -> set[str]:
    """The last two digits of the year of a birth date."""
    return {run[2:4] for run in re.findall(r"\d{4,8}", folded)}


def _stands_in(form: str, text: str) -> bool:
    """Whether a phrase stands in a text between characters that are no letters or digits."""
    at = text.find(form)
    while at >= 0:
        end = at + len(form)
        if not text[max(0, at - 1) : at].isalnum() and not text[end : end + 1].isalnum():
            return True
        at = text.find(form, at + 1)
    return False


def _joined_chunks(folded: str) -> Iterator[str]:
    """Yields letters and digits as they stand, and joined over single separators."""
    for run in _CHUNKS.findall(folded):
        chunks = _CHUNK.split(run)
        for start in range(len(chunks)):
            joined = ""
            for chunk in chunks[start : start + _MOST_CHUNKS]:
                joined += chunk
                if len(joined) > 48:
                    break
                yield joined.lstrip("0")
                digits = joined.lstrip("abcdefghijklmnopqrstuvwxyz")
                if len(digits) < len(joined):
                    yield digits.lstrip("0")


def _date_forms(folded: str) -> Iterator[str]:
    """Yields how a birth date of a table may be written."""
    parts = [int(part) for part in re.findall(r"\d+", folded.split("t")[0].split(" ")[0])]
    iso = re.fullmatch(r"(\d{4})(\d{2})(\d{2})", folded)
    if iso is not None:
        parts = [int(part) for part in iso.groups()]
    if len(parts) != 3:
        return
    orders = [parts] if parts[0] > 31 else [[parts[2], *parts[:2]], [parts[2], parts[1], parts[0]]]
    for year, month, day in orders:
        try:
            datetime.date(year, month, day)
        except ValueError:
            continue
        if year < 1000:
            continue
        for mark in "/-.":
            for m in {str(month), f"{month:02d}"}:
                for d in {str(day), f"{day:02d}"}:
                    yield f"{year}{mark}{m}{mark}{d}"
                    for y in (str(year), f"{year % 100:02d}"):
                        yield f"{m}{mark}{d}{mark}{y}"
                        yield f"{d}{mark}{m}{mark}{y}"
        # With the month in words: a pattern for either order.
        name = _MONTHS[month - 1]
        spelt = rf"(?:{name}|{name[:3]})\.?"
        yield rf"(?<!\d)0?{day}(?:st|nd|rd|th)?[ -]?{spelt},?[ -]?{year}(?!\d)"
        yield rf"(?<![^\W\d_]){spelt}[ -]?0?{day}(?:st|nd|rd|th)?,?[ -]?{year}(?!\d)"


def _street_line(folded: str) -> str:
    """Number and name of a street as tables mostly have it; "" for any other form."""
    spelt = re.findall(r"[^\W_]+", folded)
    if len(spelt) < 2 or not spelt[0][0].isdigit() or len(spelt[0]) > 8:
        return ""
    line = spelt[:1]
    for word in spelt[1:5]:
        if len(line) > 1 and (word in street_suffixes() or word[0].isdigit()):
            break
        line.append(word)
    return " ".join(line) if len(line) > 1 and len(line[-1]) > 2 else ""


class _OwnNames:
    """The names of one kind of people."""

    __slots__ = ("_family", "_given", "_strong", "_weak", "_whole")

    def __init__(self) -> None:
        self._strong: set[str] = set()
        self._weak: set[str] = set()
        self._given: set[str] = set()
        self._family: set[str] = set()
        self._whole: set[str] = set()

    def add(self, value: KnownValue) -> None:
        """Adds the words of a name."""
        folded = _bare(value.value).casefold()
        whole = "".join(_WORD.findall(folded))
        if _UNSPACED.search(whole):
            if value.attribute in (KnownAttribute.NAME, KnownAttribute.ALIAS) and len(whole) > 1:
                self._whole.add(whole)
            return
        spelt = [w for w in _WORD.findall(folded) if not _is_no_name(w, value.attribute)]
        for word in spelt:
            (self._weak if word in words() else self._strong).add(word)
        if value.attribute in (KnownAttribute.GIVEN, KnownAttribute.MIDDLE):
            self._given.update(spelt)
        elif value.attribute is KnownAttribute.FAMILY:
            self._family.update(spelt)
        elif value.attribute is KnownAttribute.NAME and len(spelt) == 2:
            turned = "," in folded
            self._given.add(spelt[turned])
            self._family.add(spelt[not turned])

    def are_in(self, spelt: set[str], folded: str) -> bool:
        """Whether a text has a strong word, in any case, or a name without blanks."""
        if not self._strong.isdisjoint(spelt):
            return True
        return any(whole in folded for whole in self._whole)

    def weak_in(self, spelt: set[str], bare: str) -> bool:
        """Whether a text has a weak word as a name."""
        if self._weak.isdisjoint(spelt):
            return False
        folded = bare.casefold()
        if len(folded) != len(bare):  # rare letters: all of the text is one window
            return self._weak_in_window(bare, 0, len(bare))
        for weak in self._weak & spelt:
            at = folded.find(weak)
            while at >= 0:
                if self._weak_in_window(bare, at, at + len(weak)):
                    return True
                at = folded.find(weak, at + len(weak))
        return False

    def _weak_in_window(self, bare: str, start: int, end: int) -> bool:
        """Whether a weak word within some characters is a name, by what is around them."""
        low, high = max(0, start - _WINDOW), min(len(bare), end + _WINDOW)
        while low and bare[low - 1].isalpha() and start - low < 2 * _WINDOW:
            low -= 1
        found = [
            (m[0], m[0].casefold(), m.start(), m.end()) for m in _WORD.finditer(bare, low, high)
        ]
        return any(
            start <= found[at][2] < end and self._is_name(bare, found, at)
            for at in range(len(found))
            if found[at][1] in self._weak
        )

    def _is_name(self, bare: str, found: list[tuple[str, str, int, int]], at: int) -> bool:
        shown, word, start, end = found[at]
        if self._is_full(bare, found, at) or (at and self._is_full(bare, found, at - 1)):
            return True
        if not at or not shown[0].isupper():
            return False
        before, before_word, _, before_end = found[at - 1]
        between = bare[before_end:start]
        if between in (" ", ". ") and before_word in titles():
            return True
        if between != " " or not before.islower() or not (shown.istitle() or shown.isupper()):
            return False
        following = [other for _, other, _, _ in found[at + 1 : at + 3]]
        if following[:1] == ["s"] or bare[end : end + 1] in ("'", "\u2019"):
            following = following[1:] or following
        if any(f in eponym_nouns() or f"{word} {f}" in clinical_pairs() for f in following):
            return False
        return f"{before_word} {word}" not in clinical_pairs() and not bare[end : end + 1].isdigit()

    def _is_full(self, bare: str, found: list[tuple[str, str, int, int]], at: int) -> bool:
        """Whether a word and the next one are given name and surname, written alike."""
        if at + 1 >= len(found):
            return False
        shown, word, _, end = found[at]
        other_shown, other, start, _ = found[at + 1]
        if shown[0].isupper() != other_shown[0].isupper():
            return False
        between = bare[end:start]
        if between == " ":
            return word in self._given and other in self._family
        return between == ", " and word in self._family and other in self._given


def _is_no_name(word: str, attribute: KnownAttribute) -> bool:
    """Whether a word of a name is too short to assert, or a title, a particle, a credential."""
    if len(word) < 3 or word in particles() or word in SUFFIXES:
        return True
    whole = attribute in (KnownAttribute.NAME, KnownAttribute.ALIAS)
    return whole and (word in titles() or word in credentials())
