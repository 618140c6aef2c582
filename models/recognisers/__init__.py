"""Rules: detectors that are code, one file each.

`DEFAULT_RECOGNISERS` run unless others are named. `RECIPE_RECOGNISERS`, which belong to recipes,
run only where they are named. `RECOGNISERS` are both.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Protocol

from ..core.code_hash import hash_of_module, installed, lists_read, modules_used
from ..core.documents import Context, Document
from ..core.errors import UsageError
from ..core.spans import Candidate
from ..core.suggestions import did_you_mean
from . import (
    accession,
    account,
    age,
    age_relative,
    bioid,
    city_state,
    date,
    date_short,
    dea,
    device,
    dictation,
    email,
    health_plan,
    health_service,
    hl7,
    holiday,
    hospital,
    idnum,
    ip_address,
    joined_name,
    known_initials,
    known_name,
    labelled_name,
    license,
    listed_name,
    liu_2015,
    medical_record,
    month,
    national_number,
    npi,
    organization,
    phone,
    place,
    po_box,
    post_code,
    profession,
    region,
    relative_name,
    role_name,
    season,
    signature,
    spanish_age,
    spanish_date,
    spanish_institution,
    spanish_name,
    spanish_number,
    spanish_profession,
    spanish_street,
    ssn,
    street,
    timestamp,
    titled_name,
    unit_street,
    url,
    username,
    vehicle,
    weekday,
    year,
    zip_code,
)
from .casing import words
from .dispatch import RuleBatch
from .patterns import view


class Recogniser(Protocol):
    """What a rule's module offers.

    Attributes:
        NAME: its key in `RECOGNISERS` and the detector of its candidates.
        LABELS: the labels its candidates may have.
        SCORE: score of its candidates: precision on development data as (right + 1) / (found + 2),
            where right means overlapping gold of the same label. Each file names the figures,
            `benchmarks/rules.py` measures them.
    """

    __name__: str

    @property
    def NAME(self) -> str: ...  # noqa: D102, N802
    @property
    def LABELS(self) -> tuple[str, ...]: ...  # noqa: D102, N802
    @property
    def SCORE(self) -> float: ...  # noqa: D102, N802

    def recognise(self, document: Document, context: Context) -> Iterator[Candidate]:
        """Yields candidates left to right, without overlap, in linear time; never raises."""
        ...


DEFAULT_RECOGNISERS: dict[str, Recogniser] = {
    "accession": accession,
    "account": account,
    "age": age,
    "age_relative": age_relative,
    "bioid": bioid,
    "city_state": city_state,
    "date": date,
    "date_short": date_short,
    "dea": dea,
    "device": device,
    "dictation": dictation,
    "email": email,
    "health_plan": health_plan,
    "health_service": health_service,
    "hl7": hl7,
    "holiday": holiday,
    "hospital": hospital,
    "idnum": idnum,
    "ip_address": ip_address,
    "joined_name": joined_name,
    "known_initials": known_initials,
    "known_name": known_name,
    "labelled_name": labelled_name,
    "license": license,
    "listed_name": listed_name,
    "medical_record": medical_record,
    "month": month,
    "national_number": national_number,
    "npi": npi,
    "organization": organization,
    "phone": phone,
    "place": place,
    "po_box": po_box,
    "post_code": post_code,
    "profession": profession,
    "region": region,
    "relative_name": relative_name,
    "role_name": role_name,
    "season": season,
    "signature": signature,
    "ssn": ssn,
    "street": street,
    "timestamp": timestamp,
    "titled_name": titled_name,
    "unit_street": unit_street,
    "url": url,
    "username": username,
    "vehicle": vehicle,
    "weekday": weekday,
    "year": year,
    "zip_code": zip_code,
}

SPANISH_RECOGNISERS: dict[str, Recogniser] = {
    "spanish_age": spanish_age,
    "spanish_date": spanish_date,
    "spanish_institution": spanish_institution,
    "spanish_name": spanish_name,
    "spanish_number": spanish_number,
    "spanish_profession": spanish_profession,
    "spanish_street": spanish_street,
}
"""Rules for notes in Spanish: they run beside the default ones where a recipe names them."""

ENGLISH_RECOGNISERS = frozenset((
    "age", "age_relative", "dictation", "joined_name", "labelled_name", "listed_name", "profession",
    "relative_name", "role_name", "signature", "titled_name",
))  # fmt: skip
"""Default rules that go by English words alone: where all models are for Spanish, those for Spanish
run in their place. On Spanish notes they take ordinary words for names."""

RECIPE_RECOGNISERS: dict[str, Recogniser] = {
    "liu_2015": liu_2015,
    **SPANISH_RECOGNISERS,
}

RECOGNISERS: dict[str, Recogniser] = dict(
    sorted({**DEFAULT_RECOGNISERS, **RECIPE_RECOGNISERS}.items())
)


def recognise_all(document: Document, context: Context, names: Iterable[str]) -> list[Candidate]:
    """The candidates of the named rules, sorted; candidates of different rules may overlap.

    Raises:
        UsageError: if a name is not in `RECOGNISERS`.
    """
    rules = [_named(name) for name in dict.fromkeys(names)]
    return sorted(candidate for rule in rules for candidate in rule.recognise(document, context))


def rules_on(texts: Sequence[str | None], names: Iterable[str]) -> RuleBatch:
    """Tells which of the named rules to call on each text of a batch; the others find nothing.

    Raises:
        UsageError: if a name is not in `RECOGNISERS`.
    """
    return RuleBatch(texts, {name: _named(name) for name in sorted(set(names))})


def forget_texts() -> None:
    """Lets go of the texts that the rules have seen last, and of what is known of their batch."""
    view.clear()
    words.clear()


@functools.cache
def rule_hash(name: str) -> str:
    """Hex SHA-256 of a rule, of the modules that it uses and of the lists they read; for the audit.

    Raises:
        UsageError: if the name is not in `RECOGNISERS`.
    """
    return hash_of_module(_path(name), installed())


def lists_of(name: str) -> list[str]:
    """Names of the shipped lists that a rule reads, itself or in what it shares, in order."""
    return lists_read(modules_used(_path(name), installed()), installed())


def modules_shared_by(name: str) -> list[str]:
    """Modules of this folder that a rule uses beside itself, in order."""
    used = (PurePosixPath(path) for path in modules_used(_path(name), installed()))
    return [path.stem for path in used if path.parent.name == _FOLDER and path.stem != name]


_FOLDER = __package__.rpartition(".")[2]


def _path(name: str) -> str:
    module = _named(name).__name__.rpartition(".")[2]
    return f"models/{_FOLDER}/{module}.py"


def _named(name: str) -> Recogniser:
    try:
        return RECOGNISERS[name]
    except KeyError:
        raise UsageError(
            f"unknown recogniser {name!r}{did_you_mean(name, RECOGNISERS)}; known: "
            f"{', '.join(sorted(RECOGNISERS))}"
        ) from None
