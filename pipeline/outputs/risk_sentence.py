"""The one sentence that a page has on what was left, measured or not."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

from ...models.core.checked_json import convert_json
from ...models.risk.statement import Statement

NOT_MEASURED = (
    "Risk of what was left: not measured. No person has read a sample of this output for it; the "
    "counts on this page are of what was found."
)

MEASURED, CARRIED = "measured", "carried"
"""How a certificate is of a run, as the manifest says it."""

_OF = {"direct": "a direct identifier", "any": "PHI of any kind"}


def risk_sentence(statement: Statement | None, carried_from: str | None = None) -> str:
    """The sentence; without a statement, that nothing was measured.

    Args:
        statement: of a share of documents or patients, over all types.
        carried_from: the day of the run that was read, if that is an earlier one.

    Raises:
        ValueError: for a statement of something else.
    """
    if statement is None:
        return NOT_MEASURED
    if statement.unit not in ("document", "patient") or statement.type is not None:
        raise ValueError("the sentence on risk is about a share of all documents or patients")
    bound = math.ceil(round(1000 * statement.bound, 6)) / 1000  # never told as less than it is
    carried = f", carried from {carried_from}" if carried_from else ""
    return (
        f"Risk of what was left: at most {bound:.1%} of {statement.unit}s hold "
        f"{_OF[statement.of]} ({1 - statement.alpha:.0%} confidence; {statement.n:,} "
        f"read{carried})."
    )


@dataclasses.dataclass(frozen=True, slots=True)
class ToldRisk:
    """What a manifest says of the risk of the run that published last.

    Attributes:
        statement: the first that was asked for; its bound is that of the whole run.
        carried_from: the day on which the campaign was drawn, if it was of an earlier run.
    """

    statement: Statement
    carried_from: str | None


def told_risk(manifest: Mapping[str, Any]) -> ToldRisk | None:
    """What a manifest says of risk; None where it was not measured, or is told otherwise."""
    try:
        said = manifest["report"]["risk"]
        first = dict(said["statements"][0])
        bound = float(first.pop("bound_of_run"))
        for name in ("limit", "outside"):
            first.pop(name)
        statement = convert_json({**first, "bound": bound}, Statement)
        return ToldRisk(statement, str(said["begun"]) if said["how"] == CARRIED else None)
    except (KeyError, IndexError, TypeError, ValueError):
        return None
