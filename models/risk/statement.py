"""From what was drawn and marked to what can be stated: the certificate of a campaign.

It is a function of the set of marks: neither their order nor the files that they lie in change a
byte. Nothing in it is a score, and no score has a part in it. The first statement has the alpha of
the campaign; all others share as much, so that they hold together with the same confidence.
"""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import json
import math
from collections.abc import Callable, Iterable, Sequence, Set
from typing import Any

from ..core.display_names import counted
from ..core.errors import UsageError
from .bounds import alpha_of_reading, shared_alpha, upper_bound
from .drawing import draw_sha256
from .judging import JudgedUnit, Judgement, judge
from .rows import Campaign, DrawnList, MarksFile, Of, as_json, json_line, read_draw, sealed_marks
from .sequential import corrected_sequential_upper

SCHEMA = "scrubline-certificate-v1"

BY_DOCUMENTS = "documents a patient"
"""Method of a bound of patients that was had from the one of documents."""

_MILLION = 1_000_000
_DECIMALS = 6


@dataclasses.dataclass(frozen=True, slots=True)
class Statement:
    """One upper bound, and what it rests on.

    Attributes:
        of: what counts as a leak.
        type: note type; None for all documents of the frame.
        unit: "document" or "patient", of which `bound` is a share; or "million tokens", of which it
            is the number of leaks.
        method: "Clopper-Pearson", "hypergeometric", "e-value"; or "documents a patient", the bound
            of documents times their mean number a patient.
        k: units that leak; of "million tokens", leaks.
        n: units that were drawn and count.
        bound: rounded up.
        alpha: with this probability at most the bound is too low.
        corrected: the least recall of readers, for which the bound makes up.
    """

    of: Of
    type: str | None
    unit: str
    method: str
    k: int
    n: int
    bound: float
    alpha: float
    corrected: float


def statements_of(campaign: Campaign, judgement: Judgement) -> tuple[Statement, ...]:
    """What can be stated of a campaign, the primary statement first.

    Raises:
        UsageError: if nothing was read of what is asked about, or too few planted spans were shown.
    """
    units = [unit for unit in judgement.units if not unit.extra]
    if not any(unit.is_touched for unit in units):
        raise UsageError("nothing was read")
    other: Of = "any" if campaign.of == "direct" else "direct"
    share = shared_alpha(campaign.alpha, 2 + len(campaign.types))
    make = _Maker(campaign, judgement)
    found = [make.share_of(units, campaign.of, campaign.units, campaign.alpha)]
    if campaign.unit == "document" and campaign.frame.patients < campaign.frame.documents:
        found.append(_of_patients(campaign, found[0]))
    found.append(make.share_of(units, other, campaign.units, share))
    if campaign.frame.tokens:
        found.append(make.of_tokens(units, share))
    for name in campaign.types:
        of_type = [unit for unit in judgement.units if unit.stratum == name]
        if not any(unit.is_touched for unit in of_type):
            raise UsageError(
                "nothing was read of a note type of which a statement is asked",
                on_terminal=f"nothing was read of note type {name}, of which a statement is asked",
            )
        size = campaign.frame.strata[name]
        found.append(make.share_of(of_type, campaign.of, size, share, name))
    return tuple(found)


@dataclasses.dataclass(frozen=True, slots=True)
class _Maker:
    """Makes the statements of a campaign, each corrected for what readers miss."""

    campaign: Campaign
    judgement: Judgement

    def share_of(
        self,
        units: Sequence[JudgedUnit],
        of: Of,
        population: int,
        alpha: float,
        name: str | None = None,
    ) -> Statement:
        """The share of some units that leaks."""
        leaks = [int(unit.leaks_any(of)) for unit in units]
        recall = self.judgement.recall.at_least(alpha)
        if self.campaign.method == "sequential":
            bound = corrected_sequential_upper(leaks, recall, alpha, population=population)
            method = "e-value"
        else:
            part = alpha_of_reading(alpha)
            bound, method = upper_bound(sum(leaks), len(leaks), population, part, recall)
        return Statement(
            of=of,
            type=name,
            unit=self.campaign.unit,
            method=method,
            k=sum(leaks),
            n=len(leaks),
            bound=_rounded_up(bound, _DECIMALS),
            alpha=alpha,
            corrected=recall,
        )

    def of_tokens(self, units: Sequence[JudgedUnit], alpha: float) -> Statement:
        """Leaks of any PHI a million tokens, by their mean a unit."""
        campaign = self.campaign
        most = campaign.most_leaks
        leaks = [unit.counted("any", most) for unit in units]
        recall = self.judgement.recall.at_least(alpha)
        a_unit = corrected_sequential_upper(
            leaks, recall, alpha, most=most, population=campaign.units
        )
        rate = a_unit * campaign.units / campaign.frame.tokens * _MILLION
        return Statement(
            of="any",
            type=None,
            unit="million tokens",
            method="e-value",
            k=sum(leaks),
            n=len(leaks),
            bound=_rounded_up(rate, 1),
            alpha=alpha,
            corrected=recall,
        )


def _of_patients(campaign: Campaign, documents: Statement) -> Statement:
    """The share of patients of whom any document leaks: no more patients than documents do."""
    mean = campaign.frame.documents / campaign.frame.patients
    return dataclasses.replace(
        documents,
        unit="patient",
        method=BY_DOCUMENTS,
        bound=_rounded_up(min(1.0, documents.bound * mean), _DECIMALS),
    )


def _rounded_up(value: float, decimals: int) -> float:
    """Not lower than the value; the last bits, which differ between libraries, go."""
    scale: int = 10**decimals
    return math.ceil(value * scale) / scale


def refuse_in_training(drawn: DrawnList, trained: Iterable[str]) -> None:
    """Notes that a model was trained on say nothing of those that it was not.

    Args:
        drawn: a campaign.
        trained: keys of the documents in training.

    Raises:
        UsageError: if any of them was drawn.
    """
    if both := len({text.doc_key for text in drawn.texts} & set(trained)):
        raise UsageError(
            f"in training: {counted(both, 'document')} of the campaign; what is measured on them "
            "is no measure of others"
        )


def certificate_of(
    draw: bytes,
    marks: Sequence[MarksFile],
    manifest: bytes,
    *,
    expires: datetime.date,
    opened: Set[str] = frozenset(),
    trained: Set[str] = frozenset(),
) -> dict[str, Any]:
    """The certificate of a campaign, as JSON.

    Args:
        draw: the file of the draw.
        marks: the files of marks and of decisions on them, in any order.
        manifest: of the output.
        expires: the last day on which it holds.
        opened: see `judge`.
        trained: keys of the documents on which the run's models were trained, as far as known.

    Raises:
        UsageError: if a file is not as expected; if the draw is of another run than the manifest;
            and as `judge`, `statements_of` and `refuse_in_training`.
    """
    drawn = read_draw(draw)
    campaign = drawn.campaign
    _require_run(manifest, campaign)
    refuse_in_training(drawn, trained)
    judgement = judge(drawn, marks, opened)
    statements = statements_of(campaign, judgement)
    units = judgement.units
    return {
        "schema": SCHEMA,
        "run": campaign.run,
        "fingerprint": campaign.fingerprint,
        "frame": as_json(campaign.frame),
        "campaign": {
            "name": campaign.name,
            "target": campaign.target,
            "method": campaign.method,
            "draw_sha256": draw_sha256(draw),
            "marks_sha256": hashlib.sha256(sealed_marks(marks)).hexdigest(),
            "n": len(units),
            "unread": sum(not unit.is_read for unit in units),
            "unfinished": sum(unit.is_read and not unit.is_finished for unit in units),
            "planted": judgement.recall.planted,
            "found": judgement.recall.found,
            "readers": judgement.readers,
            "twice": judgement.twice,
            "agreement": judgement.agreed / judgement.twice if judgement.twice else None,
        },
        "statements": [as_json(one) for one in statements],
        "cut_tail": as_json(campaign.cut_tail),
        "limits": _limits(campaign, judgement, statements),
        "expires": expires.isoformat(),
    }


def certificate_bytes(certificate: dict[str, Any]) -> bytes:
    """The file of a certificate."""
    return json_line(certificate)


def _require_run(manifest: bytes, campaign: Campaign) -> None:
    try:
        said = json.loads(manifest)
        same = (said["run"], said["fingerprint"]) == (campaign.run, campaign.fingerprint)
    except (ValueError, TypeError, KeyError):
        raise UsageError("the manifest cannot be read") from None
    if not same:
        raise UsageError("the campaign was drawn from another run than the manifest is of")


_ALWAYS = (
    "It is of the documents of the frame: not of what was quarantined, nor of the cut tail.",
    "A leak is what a reader takes for PHI in a published text. Nothing is said of how well "
    "someone could be recognised by what else a text tells.",
    "Readers' recall is measured on planted spans, which are easier to find than what was missed.",
    "It holds of other runs only as far as their notes are like these.",
)


def _limits(campaign: Campaign, judgement: Judgement, statements: Sequence[Statement]) -> list[str]:
    """What the statements do not say, in sentences."""
    said: list[tuple[Callable[[], bool], str]] = [
        (
            lambda: campaign.of == "direct",
            "Spans of direct identifiers alone were planted; other PHI may be found less often.",
        ),
        (
            lambda: any(one.unit == "million tokens" for one in statements),
            f"Leaks of a unit that are counted: {campaign.most_leaks} at most.",
        ),
        (
            lambda: not judgement.twice,
            "No text was read by two people: nothing is known of how far readers agree.",
        ),
        (
            lambda: campaign.unit == "document" and campaign.frame.patients > 0,
            "Documents were drawn, not patients: leaks of one patient may lie together.",
        ),
    ]
    return [*_ALWAYS, *(text for holds, text in said if holds())]
