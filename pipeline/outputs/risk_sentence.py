"""The one sentence that a page has on what was left, measured or not."""

from __future__ import annotations

import math

from ...models.risk.statement import Statement

NOT_MEASURED = (
    "Risk of what was left: not measured. No person has read a sample of this output for it; the "
    "counts on this page are of what was found."
)

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
