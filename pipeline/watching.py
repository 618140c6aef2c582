"""Who hears what a run does: nobody, unless a report, metrics or an estimate is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..models.job import Job
from ..models.receipts import Receipt
from ..models.results import Tally
from ..models.storage import Storage
from ..models.units import Plan
from .metrics import Metrics


class Watch:
    """Hears of a run, or of several one after the other, in this order; does nothing.

    What it raises ends the run.
    """

    def alone(self) -> None:
        """The output is ours: no other process works on it, nor tells of it. May come twice."""

    def frozen(self, storage: Storage, job: Job, plan: Plan) -> None:
        """The plan is frozen, or was read back."""

    def planning(self) -> None:
        """What an earlier night left is finished or given up; tonight's run comes next."""

    def began(self, left: Sequence[int]) -> None:
        """So many units are still to be done."""

    def rows(self, rows: int) -> None:
        """A batch of so many rows is being worked on."""

    def done(self, units: Sequence[int], metrics: Metrics) -> None:
        """Units are finished; `metrics` are of all that were until now."""

    def retried(self, what: str) -> None:
        """Something was done again: a "worker" died, a "unit" or an engine's "job" failed."""

    def tallied(self, tally: Tally, receipts: Mapping[int, Receipt]) -> None:
        """All units are done and counted; gates come next."""

    def checked(self) -> None:
        """One more thing that comes before publication was looked at."""

    def publishing(self, parts: int) -> None:
        """All gates are passed; so many files will be moved."""

    def moved(self) -> None:
        """One of them was; several threads say so."""

    def idle(self, night: Mapping[str, int]) -> None:
        """There is nothing to do, as counts of the inputs show; nothing else will be heard."""

    def published(self, manifest: Mapping[str, Any]) -> None:
        """The output is there."""


NOBODY = Watch()
