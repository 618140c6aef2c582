"""Account numbers: hospital and billing accounts, visits, bank accounts, payment cards.

FIN is the financial number of a visit, HAR its hospital account record and CSN its contact serial
number: all are what is billed.

Source of the checks: ISO 13616 (IBAN, remainder 97), ISO/IEC 7812-1 (cards).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .check_digits import luhn
from .named_numbers import candidates, is_unnamed, named, words
from .patterns import is_word, number_is_whole, pattern, stands_alone, view

NAME = "account"
LABELS = ("ACCOUNT",)
# 9 of 9 right: english_clinical_sample 1/1, demo/train 5/5, asq_phi 3/3.
# `python -m benchmarks.rules --scores`.
SCORE = 0.9091

_WORDS = words(
    r"acct\.?|a/c ?(?:#|no\b|number)|account ?(?:#|no\b|number|id)"
    r"|(?:billing|guarantor) ?(?:acct|account)?"
    r" ?(?:#|no\b|number|id)|invoice|har|fin|csn|iban|swift|routing ?(?:#|no\b|number)"
    r"|aba ?(?:#|no\b)|(?:bank|checking|savings|hospital|patient) account"
    r"|(?:enc(?:ounter|\.)?|visit) ?(?:#|no\b|number|id)",
    r"account",
)
# "Visit 100937718", but not "last visit 120/80" or "visit 99214".
_VISIT = pattern(r"\b(?:visit|encounter|enc)\.?[ \t]{0,3}:?[ \t]{1,3}([a-z]{0,3}\d{7,12})")
_IBAN = pattern(r"[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){2,7}(?: ?[a-z0-9]{1,3})?")
_CARD = pattern(r"[3-6]\d{3}(?:[ -]?\d{4}){3}(?:\d{3})?|3[47]\d{2}[ -]?\d{6}[ -]?\d{5}")
# British bank accounts.
_SORT_CODE = pattern(r"\bsort ?code[ \t]?[:#.=]?[ \t]{0,3}(?:is )?(\d\d[- ]?\d\d[- ]?\d\d)")
# Behind its word a card's number may go on in the next line.
_BROKEN_CARD = pattern(
    r"\b(?:card|visa|master ?card|amex|american express)(?: ?(?:no\b\.?|number|#|:)){0,3} {0,4}"
    r"([3-6]\d{3}(?:(?:[ -]?| ?\r?\n ?)\d{4}){3})"
)
_LAST_FOUR = pattern(
    r"\b(?:visa|master ?card|amex|american express|discover|(?:credit|debit) card|card|account"
    r"|acct)(?: on file:?| number| no\.?| #)? {0,2}(?:ending|ends)(?: in| with)?:? {0,2}[x*]{0,12}"
    r"(\d{4})"
)


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one ACCOUNT per number, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = [(start, end) for _, start, end in named(text, seen, _WORDS)]
    for match in _VISIT.finditer(seen):
        if stands_alone(text, *match.span(1)) and not is_word(text, match.start() - 1):
            found.append(match.span(1))
    for match in _IBAN.finditer(seen):
        start, end = match.span()
        if stands_alone(text, start, end) and _is_iban(seen[start:end]):
            found.append((start, end))
    for match in _CARD.finditer(seen):
        start, end = match.span()
        digits = "".join(filter(str.isdigit, seen[start:end].decode("latin-1")))
        if (
            len(digits) >= 15
            and number_is_whole(text, start, end)
            and stands_alone(text, start, end)
            and luhn(digits)
            and is_unnamed(seen, start)
        ):
            found.append((start, end))
    for match in _SORT_CODE.finditer(seen):
        start, end = match.span(1)
        if not is_word(text, match.start() - 1) and number_is_whole(text, start, end):
            found.append((start, end))
    for match in _BROKEN_CARD.finditer(seen):
        start, end = match.span(1)
        number = seen[start:end]
        if (
            number.count(b"\n") == 1
            and not is_word(text, match.start() - 1)
            and stands_alone(text, start, end)
            and number_is_whole(text, start, end)
            and luhn("".join(filter(str.isdigit, number.decode("latin-1"))))
        ):
            found.append((start, end))
    for match in _LAST_FOUR.finditer(seen):
        if not is_word(text, match.end(1)) and not is_word(text, match.start() - 1):
            found.append(match.span(1))
    yield from candidates(found, "ACCOUNT", NAME, SCORE)


def _is_iban(number: bytes) -> bool:
    solid = number.replace(b" ", b"").decode("latin-1")
    if len(solid) < 15 or not solid.isalnum() or solid.upper() != solid:
        return False
    turned = solid[4:] + solid[:4]
    return int("".join(str(int(character, 36)) for character in turned)) % 97 == 1
