"""Claims of He et al. 2015 that runs of its studies decide besides those of its tables."""

from __future__ import annotations

from collections.abc import Mapping

from ..core.labels import NATIVE_LABELS
from ..evaluation.matrices import Matrix
from ..evaluation.scores import Score
from ..evaluation.wi_deid import MISSING, SPURIOUS
from ..training.reporting import shown
from .findings import ClaimCheck

_HIGH = ("NAME", "DATE", "AGE", "CONTACT", "ID")
_BEST = ("USERNAME", "ZIP", "DATE", "MEDICALRECORD")
_FEW = 250
"""Training spans: the most that a label has which the paper calls rare is 234."""

_HIPAA = frozenset(label.name for label in NATIVE_LABELS if label.scored_as_hipaa)


def claim_of_recall(scored: Mapping[str, Score]) -> ClaimCheck:
    """Whether recall is below precision at each level of Table 3."""
    return ClaimCheck(
        "Recall is lower than precision, since missing errors are most (§3.4).",
        "; ".join(f"{n}: P {shown(s.precision)}, R {shown(s.recall)}" for n, s in scored.items())
        + ".",
        all((s.recall or 0.0) < (s.precision or 0.0) for s in scored.values()),
    )


def claims_of_types(
    by_label: Mapping[str, Score], by_category: Mapping[str, Score]
) -> tuple[ClaimCheck, ...]:
    """Which categories and labels are good, and which make i2b2's scores worse than HIPAA's.

    Args:
        by_label: native label -> strict score.
        by_category: category -> strict score.
    """
    there = {
        name: score.f1 or 0.0
        for name, score in by_category.items()
        if name != "total" and score.tp + score.fn
    }
    best = {n: by_label[n].f1 or 0.0 for n in _BEST if n in by_label and _gold(by_label[n])}
    inside, outside = (
        _sum([s for name, s in by_label.items() if (name in _HIPAA) == is_hipaa])
        for is_hipaa in (True, False)
    )
    high = all(there[name] > 0.9 for name in _HIGH if name in there)
    return (
        ClaimCheck(
            "NAME, DATE, AGE, CONTACT and ID have F above .9, PROFESSION has the lowest, .5929.",
            ", ".join(f"{name} {shown(f1)}" for name, f1 in there.items()) + ".",
            high and min(there, key=lambda name: there[name]) == "PROFESSION"
            if "PROFESSION" in there
            else None,
        ),
        ClaimCheck(
            "Labels that are not HIPAA's (PROFESSION, HOSPITAL, STATE, COUNTRY, LOCATION-OTHER) are"
            " below .9, which makes results for i2b2's labels worse. (So are seven labels of"
            " HIPAA's in Table 4.)",
            f"F of labels that are not HIPAA's {shown(outside.f1)}, of the others"
            f" {shown(inside.f1)}.",
            (outside.f1 or 0.0) < (inside.f1 or 0.0) if _gold(outside) and _gold(inside) else None,
        ),
        ClaimCheck(
            "USERNAME, ZIP, DATE and MEDICALRECORD exceed .97.",
            (", ".join(f"{name} {shown(f1)}" for name, f1 in best.items()) or "None is there")
            + ".",
            all(f1 > 0.97 for f1 in best.values()) if best else None,
        ),
    )


def _gold(score: Score) -> int:
    return score.tp + score.fn


def _sum(scores: list[Score]) -> Score:
    return Score(*(sum(getattr(s, count) for s in scores) for count in ("tp", "fp", "fn")))


def claims_of_errors(
    labels: Matrix,
    extents: Matrix,
    shares: Mapping[str, tuple[float | None, float | None]],
    train: Mapping[str, int],
) -> tuple[ClaimCheck, ...]:
    """What is missing, spurious and inexact, and of which labels.

    Args:
        labels, extents: the matrices of Tables 7 and 8.
        shares: label -> share of gold spans that are missing, of predicted ones that are spurious.
        train: label -> spans in training.
    """
    gold = sum(
        n for name, n in zip(labels.row_names, labels.row_totals(), strict=True) if name != SPURIOUS
    )
    missing = sum(labels.count(name, MISSING) for name in labels.row_names)
    spurious = sum(labels.count(SPURIOUS, name) for name in labels.column_names)
    most_missed = [name for name, (share, _) in shares.items() if (share or 0.0) > 0.5]
    highest = max(shares, key=lambda name: shares[name][1] or 0.0, default="")
    inexact = dict(zip(extents.column_names, extents.column_totals(), strict=True))
    worst = max(inexact, key=lambda name: inexact[name], default="")
    total = sum(inexact.values())
    rate = missing / gold if gold else 0.0
    return (
        ClaimCheck(
            "Missing spans are 7.4 % of the gold ones, 851 of 11,462. Within five points of that.",
            f"{missing:,} of {gold:,}, {rate:.1%}.",
            abs(rate - 0.074) < 0.05 if gold else None,
        ),
        ClaimCheck(
            "More than half of PROFESSION, ORGANIZATION, LOCATION-OTHER, FAX, EMAIL and DEVICE are"
            " missing, largely for lack of training instances, of which PROFESSION has 234.",
            "More than half is missing of "
            + (
                ", ".join(f"{n} ({train.get(n, 0):,} in training)" for n in most_missed)
                or "no label"
            )
            + ".",
            all(train.get(name, 0) < _FEW for name in most_missed) if most_missed else None,
        ),
        ClaimCheck(
            "Spurious errors are much rarer than missing ones; their share is highest in"
            " PROFESSION, 9.6 %.",
            f"{spurious:,} spurious, {missing:,} missing; the share is highest in {highest},"
            f" {shown(shares[highest][1] if highest else None)}.",
            spurious < missing and highest == "PROFESSION" if spurious else None,
        ),
        ClaimCheck(
            "Almost a third of extent errors are in DATE, 42 short and 20 long of 202; it has the"
            " most.",
            f"{inexact.get('DATE', 0):,} of {total:,} in DATE; most, {inexact.get(worst, 0):,}, in"
            f" {worst or 'no label'}.",
            worst == "DATE" if total else None,
        ),
    )
