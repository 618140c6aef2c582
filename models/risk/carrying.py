"""What a certificate says of a run: of the very run that was read, or of a later one.

A later run is like the one that was read if the same program, models, rules and policy made it, if
it has no other types of notes, and if nothing that is counted of its documents has moved
(`drift`). Documents that were in no frame count as leaks, each of them: those of a tail that was
cut, and those that a model was trained on.
"""

from __future__ import annotations

import dataclasses
import datetime
import enum
import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.checked_json import convert_json
from ..core.display_names import counted
from ..core.errors import UsageError
from .drift import SERIES, drifted, new_types
from .frame import OTHER, CutTail, FrameDocument, FrameFacts, series_of, unit_of_patient
from .rows import Of, Unit
from .statement import BY_DOCUMENTS, SCHEMA, Statement


@dataclasses.dataclass(frozen=True, slots=True)
class MadeBy:
    """What made the texts of a run.

    Attributes:
        code_version: of the program.
        models: hash of each bundle, with its dictionaries, in order.
        rules: hash of all rules, with their dictionaries.
        policy: its hash.
        settings: the run's fingerprint: all of these, roles of columns, key, budgets and formats.
    """

    code_version: str
    models: tuple[str, ...]
    rules: str
    policy: str
    settings: str


@dataclasses.dataclass(frozen=True, slots=True)
class Register:
    """What the register of campaigns says of the texts of a run.

    Attributes:
        begun: campaigns drawn from them, this one too.
        read: those of which anything was shown.
        alpha: that those have spent together: with this probability at most, any of them is wrong.
    """

    begun: int
    read: int
    alpha: float


@dataclasses.dataclass(frozen=True, slots=True)
class Issued:
    """What a certificate has beside what was read.

    Attributes:
        made: what made the texts.
        content: content digest of the run.
        begun: the day on which the campaign was drawn, in UTC.
        register: other campaigns on the same texts.
        left_out: documents of the run that were in no frame because a model was trained on them.
    """

    made: MadeBy
    content: str
    begun: str
    register: Register
    left_out: int


_OF_CAMPAIGN = frozenset(
    (
        *("name", "target", "unread", "unfinished"),
        *("planted", "found", "readers", "twice", "agreement"),
    )
)
"""What every certificate says of its campaign, and sentences tell."""


@dataclasses.dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate as it was read; see `statement.certificate_of`."""

    schema: str
    run: str
    fingerprint: str
    frame: FrameFacts
    campaign: Mapping[str, Any]
    statements: tuple[Statement, ...]
    cut_tail: CutTail
    limits: tuple[str, ...]
    expires: str
    issued: Issued

    def __post_init__(self) -> None:
        for day in (self.expires, self.issued.begun):
            datetime.date.fromisoformat(day)
        if not self.frame.documents > 0 or any(not one.bound >= 0 for one in self.statements):
            raise ValueError("a certificate is of documents, and bounds are no less than 0")
        if not self.statements or not self.campaign.keys() >= _OF_CAMPAIGN:
            raise ValueError("a certificate states something, and says how it was read")
        if missing := set(SERIES) - self.frame.quantiles.keys():
            raise ValueError(f"the frame says nothing of {', '.join(sorted(missing))}")

    def has_expired(self, today: datetime.date) -> bool:
        """Whether its last day is over."""
        return today > datetime.date.fromisoformat(self.expires)


def read_certificate(value: object) -> Certificate:
    """The certificate in a JSON value.

    Raises:
        UsageError: if it is none, or of another version.
    """
    if not isinstance(value, dict) or value.get("schema") != SCHEMA:
        raise UsageError("certificate: it is of another kind, or of another version")
    try:
        return convert_json(value, Certificate)
    except ValueError as error:
        raise UsageError(f"certificate: {error}") from None


# -- limits


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class RiskLimit:
    """What must be certified before a run is published: at most this share leaks."""

    of: Of
    unit: Unit
    share: float

    def __str__(self) -> str:
        unit = "" if self.unit == "document" else f":{self.unit}"
        return f"{self.of}{unit}={self.share:g}"


_LIMIT_FORM = "expected direct=SHARE, any=SHARE, direct:patient=SHARE or any:patient=SHARE"
_OFS: tuple[Of, ...] = ("direct", "any")
_UNITS: tuple[Unit, ...] = ("document", "patient")


def parse_limits(text: str) -> tuple[RiskLimit, ...]:
    """Limits, separated by commas; those of 1 ask for nothing and are left out.

    Raises:
        UsageError: if it is something else.
    """
    found: dict[tuple[Of, Unit], RiskLimit] = {}
    for word in text.split(","):
        what, _, share_said = word.strip().partition("=")
        of_said, _, unit_said = what.partition(":")
        of = next((one for one in _OFS if one == of_said), None)
        unit = next((one for one in _UNITS if one == (unit_said or "document")), None)
        try:
            share = float(share_said)
        except ValueError:
            share = math.nan
        if of is None or unit is None or not 0 < share <= 1 or (of, unit) in found:
            raise UsageError(f"{_LIMIT_FORM}, a share over 0 and at most 1, each once")
        found[of, unit] = RiskLimit(of, unit, share)
    return tuple(sorted(one for one in found.values() if one.share < 1))


# -- runs


class Uncertified(enum.StrEnum):
    """Why a run is not published; the name is what messages and manual call it."""

    NO_CERTIFICATE = "NoCertificate"
    UNTRUSTED = "Untrusted"
    DAMAGED = "DamagedCertificate"
    EXPIRED = "Expired"
    TOO_OLD = "TooOld"
    OTHER_CODE = "OtherCode"
    OTHER_MODELS = "OtherModels"
    OTHER_RULES = "OtherRules"
    OTHER_POLICY = "OtherPolicy"
    OTHER_SETTINGS = "OtherSettings"
    OTHER_TEXTS = "OtherTexts"
    NEW_TYPE = "NewType"
    DRIFT = "Drift"
    NOT_STATED = "NotStated"
    ABOVE_LIMIT = "AboveLimit"


@dataclasses.dataclass(frozen=True, slots=True)
class Reason:
    """One reason.

    Attributes:
        kind: what is the matter.
        more: what and where, never PHI.
        names: for a terminal alone: of types of notes, which come from the input.
    """

    kind: Uncertified
    more: str
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.kind}: {self.more}"


@dataclasses.dataclass(frozen=True, slots=True)
class GatedRun:
    """A run that is to be published.

    Attributes:
        run: its id.
        made: what made its texts.
        content: content digest of the run.
        documents: those with status `scrubbed`.
    """

    run: str
    made: MadeBy
    content: str
    documents: Sequence[FrameDocument] = dataclasses.field(repr=False)

    def is_of(self, certificate: Certificate) -> bool:
        """Whether a certificate is of this very run, or of one with the same texts and audit."""
        return (self.content, self.made) == (certificate.issued.content, certificate.issued.made)


@dataclasses.dataclass(frozen=True, slots=True)
class RunBound:
    """What a certificate says of one limit.

    Attributes:
        limit: that is asked for.
        statement: of the certificate.
        bound: of the whole run: with documents that were in no frame counted as leaks.
        outside: how many of these there are.
    """

    limit: RiskLimit
    statement: Statement
    bound: float
    outside: int


def bounds_of(
    certificate: Certificate, run: GatedRun, limits: Sequence[RiskLimit]
) -> tuple[RunBound, ...]:
    """The bounds of a run for some limits; those of which nothing is stated are left out."""
    frame = certificate.frame
    patients = max(1, len({unit_of_patient(document) for document in run.documents}))
    inside = _inside(certificate, run.documents)
    outside = len(run.documents) - len(inside)
    is_own = run.is_of(certificate)
    if is_own:
        outside = max(outside, len(run.documents) - frame.documents)
    found = []
    for limit in limits:
        stated = [
            one
            for one in certificate.statements
            if (one.of, one.unit, one.type) == (limit.of, limit.unit, None)
        ]
        for one in stated[:1]:
            bound = one.bound
            is_carried = limit.unit == "patient" and not is_own
            if is_carried or one.method == BY_DOCUMENTS:
                # Nothing else watches how many notes a patient has.
                before = frame.documents / max(1, frame.patients)
                bound = min(1.0, bound * max(1.0, len(run.documents) / patients / before))
            if outside and limit.unit == "document":
                bound = (bound * (len(run.documents) - outside) + outside) / len(run.documents)
            elif outside:
                bound = min(1.0, bound + outside / patients)
            found.append(RunBound(limit, one, bound, outside))
    return tuple(found)


def reasons_against(
    certificate: Certificate,
    run: GatedRun,
    limits: Sequence[RiskLimit],
    *,
    today: datetime.date,
    max_age: float,
) -> tuple[Reason, ...]:
    """Why a certificate does not let a run pass; nothing if it does.

    Args:
        certificate: signed by somebody who is trusted.
        run: to be published.
        limits: to be held to.
        today: in UTC.
        max_age: days since the campaign was drawn.
    """
    is_own = run.is_of(certificate)
    reasons = [*_of_time(certificate, today, max_age)]
    reasons += [*_of_making(certificate, run)]
    if not is_own:
        if certificate.run == run.run:
            reasons.append(
                Reason(Uncertified.OTHER_TEXTS, "the run was done again since, with other results")
            )
        reasons += _of_notes(certificate, run)
    bounds = {one.limit: one for one in bounds_of(certificate, run, limits)}
    for limit in limits:
        if limit not in bounds:
            reasons.append(Reason(Uncertified.NOT_STATED, f"it says nothing of {limit}"))
        elif bounds[limit].bound > limit.share:
            found = bounds[limit]
            more = counted(found.outside, "document")
            outside = f", with {more} in no frame" if found.outside else ""
            reasons.append(
                Reason(
                    Uncertified.ABOVE_LIMIT,
                    f"at most {found.bound:.4f} is certified{outside}, asked for is {limit}",
                )
            )
    return tuple(reasons)


def _of_time(certificate: Certificate, today: datetime.date, max_age: float) -> list[Reason]:
    begun = datetime.date.fromisoformat(certificate.issued.begun)
    reasons = []
    if certificate.has_expired(today):
        reasons.append(Reason(Uncertified.EXPIRED, f"its last day was {certificate.expires}"))
    if (begun - today).days > 1:  # clocks of two machines may differ around midnight
        why = f"its campaign was drawn on {begun}, and the clock here is behind that: set it right"
        reasons.append(Reason(Uncertified.EXPIRED, why))
    if (today - begun).days > max_age:
        reasons.append(
            Reason(
                Uncertified.TOO_OLD,
                f"its campaign was drawn on {begun}, over {max_age:g} days ago (--max-age)",
            )
        )
    return reasons


def _of_making(certificate: Certificate, run: GatedRun) -> list[Reason]:
    was, now = certificate.issued.made, run.made
    compared = [
        (Uncertified.OTHER_CODE, was.code_version, now.code_version, "another version"),
        (Uncertified.OTHER_MODELS, was.models, now.models, "other models"),
        (Uncertified.OTHER_RULES, was.rules, now.rules, "other rules or dictionaries"),
        (Uncertified.OTHER_POLICY, was.policy, now.policy, "another policy"),
    ]
    reasons = [
        Reason(kind, f"the run that was read was made with {what}")
        for kind, before, after, what in compared
        if before != after
    ]
    if not reasons and was.settings != now.settings:
        what = "another key, other roles of columns, formats, budgets, or another use of a roster"
        reasons.append(
            Reason(Uncertified.OTHER_SETTINGS, f"the run that was read was made with {what}")
        )
    return reasons


def _of_notes(certificate: Certificate, run: GatedRun) -> list[Reason]:
    reasons = []
    frame = certificate.frame
    types = {one.note_type or OTHER for one in run.documents}
    if found := new_types(frame.types, types):
        more = (
            f"{counted(len(found), 'type')} of notes that the frame did not have, or had too few of"
        )
        reasons.append(Reason(Uncertified.NEW_TYPE, more, found))
    inside = _inside(certificate, run.documents)
    series = series_of(inside)
    unknown = {
        name
        for name, known in frame.quantiles.items()
        if known.values and series["tokens"] and not series.get(name)
    }
    risks = frame.quantiles["risk"]
    if risks.count == frame.documents and len(series["risk"]) < len(inside):
        unknown.add("risk")  # of some documents it is not known any more
    if moved := sorted(unknown.union(drifted(frame.quantiles, series))):
        names = ", ".join(moved)
        reasons.append(Reason(Uncertified.DRIFT, f"documents are not as in the frame by {names}"))
    return reasons


def _inside(certificate: Certificate, documents: Sequence[FrameDocument]) -> list[FrameDocument]:
    """The documents that are not of the tail."""
    threshold = certificate.cut_tail.threshold
    if threshold is None:
        return list(documents)
    return [one for one in documents if one.risk is not None and one.risk <= threshold]
