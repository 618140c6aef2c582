"""Rules: detectors that are code, one file each, listed in `RECOGNISERS`."""

from __future__ import annotations

import functools
import hashlib
import importlib.resources
from collections.abc import Iterable, Iterator
from typing import Protocol

from ..documents import Context, Document
from ..errors import UsageError
from ..spans import Candidate
from . import age, date, email, ip_address, phone, record_number, ssn, url


class Recogniser(Protocol):
    """What a rule's module offers.

    Attributes:
        NAME: its key in `RECOGNISERS` and the detector of its candidates.
        LABELS: the labels its candidates may have.
        SCORE: score of its candidates: precision on development data as (right + 1) / (found + 2),
            where right means overlapping gold of the same label. Each file names the figures,
            `benchmarks/rules.py` measures them.
    """

    @property
    def NAME(self) -> str: ...  # noqa: D102, N802
    @property
    def LABELS(self) -> tuple[str, ...]: ...  # noqa: D102, N802
    @property
    def SCORE(self) -> float: ...  # noqa: D102, N802

    def recognise(self, document: Document, context: Context) -> Iterator[Candidate]:
        """Yields candidates left to right, without overlap, in linear time; never raises."""
        ...


RECOGNISERS: dict[str, Recogniser] = {
    "age": age,
    "date": date,
    "email": email,
    "ip_address": ip_address,
    "phone": phone,
    "record_number": record_number,
    "ssn": ssn,
    "url": url,
}


def recognise_all(document: Document, context: Context, names: Iterable[str]) -> list[Candidate]:
    """The candidates of the named rules, sorted; candidates of different rules may overlap.

    Raises:
        UsageError: if a name is not in `RECOGNISERS`.
    """
    return sorted(
        candidate
        for rule in map(_named, sorted(set(names)))
        for candidate in rule.recognise(document, context)
    )


@functools.cache
def rule_hash(name: str) -> str:
    """Hex SHA-256 of a rule's source and of what all rules share (`matching.py`), for the audit.

    Raises:
        UsageError: if the name is not in `RECOGNISERS`.
    """
    _named(name)
    digest = hashlib.sha256()
    for file in (f"{name}.py", "matching.py"):
        digest.update(importlib.resources.files(__package__).joinpath(file).read_bytes())
    return digest.hexdigest()


def _named(name: str) -> Recogniser:
    try:
        return RECOGNISERS[name]
    except KeyError:
        raise UsageError(
            f"unknown recogniser {name!r}; known: {', '.join(sorted(RECOGNISERS))}"
        ) from None
