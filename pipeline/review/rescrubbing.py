"""The run once more, with the model that was trained last: it waits, and its changes are shown."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

from ...models.core.budgets import Budgets
from ...models.core.display_names import counted
from ...models.core.errors import RunOnHold
from ...models.formats.column_roles import Columns
from ...models.jobs.job_options import JobOptions
from ...models.jobs.plan import Plan
from ...models.storage.storage import Storage
from ..options import Options
from ..outputs.audit_diff import diff
from ..outputs.planning import read_job
from ..outputs.state import pending_runs
from ..preparation import absolute_key_source, absolute_place
from ..process.exit_codes import ExitCode
from ..run import scrub
from .children import ChildWork, run_child
from .desk import ReviewDesk
from .refusals import DeskRefusal
from .training import Training

_SETTINGS = ("encoding", "delimiter", "quote", "escape", "header")


class Rescrubbing(ChildWork):
    """A run of the same inputs with another model, held back."""

    def __init__(self, desk: ReviewDesk, training: Training, output: str, key_source: str) -> None:
        super().__init__()
        self._desk, self._training = desk, training
        # The child works in another folder.
        self._output = absolute_place(output)
        self._key_source = absolute_key_source(key_source)

    def prepare(self) -> str:
        """The bundle to scrub with.

        Raises:
            DeskRefusal: if none was trained yet, or a run waits already.
        """
        bundle = self._training.newest()
        if bundle is None:
            raise DeskRefusal(409, "NoBundle", "train first")
        if pending_runs(Storage(), self._output):
            raise DeskRefusal(
                409, "RunWaits", "a run waits in this output: resume or discard it first"
            )
        return bundle

    def work(self, prepared: str) -> dict[str, Any]:
        """Runs, and compares."""
        self.tell("scrubbing again; nothing will be published")
        words = [__spec__.name, self._output, self._desk.output.job.run]
        folder = self._desk.folder.path
        run_child(
            [*words, self._key_source, prepared], accepted=(int(ExitCode.WAITING),), folder=folder
        )
        found = diff(Storage(), self._output)
        by_label = [
            {"label": name, "more": kinds["gained"], "less": kinds["lost"]}
            for name, kinds in sorted(found.labels.items())
        ]
        self.tell(f"{counted(found.documents['compared'], 'document')} compared")
        return {
            "output": self._output,
            "changed": {
                "documents": found.documents["compared"],
                "spans_more": found.spans["gained"],
                "spans_less": found.spans["lost"],
                "by_label": by_label,
            },
        }


def options_of_run(output: str, run: str, key_source: str, bundle: str) -> Options:
    """The options of a run once more, with another model in place of its first; on hold.

    Raises:
        UsageError: if the run's job or plan cannot be read.
    """
    storage = Storage()
    job = read_job(storage, output, run)
    plan = Plan.read(storage, job.restricted)
    same: dict[str, Any] = {
        field.name: getattr(job, field.name) for field in dataclasses.fields(JobOptions)
    }
    columns: Columns = job.columns
    budgets: Budgets = job.budgets
    return Options(
        **{
            **same,
            **{name: getattr(job.settings, name) for name in _SETTINGS},
            "hold": True,
            "budgets": budgets,
            "inputs": tuple(file.url for file in plan.files),
            "output": output,
            "columns": columns,
            "key_source": key_source,
            "models": (bundle, *job.models[1:]),
            "policy": job.policy,
            "recognisers": job.recognisers,
            "allow_different_job": True,
            "progress": False,
        }
    )


def _main(output: str, run: str, key_source: str, bundle: str) -> int:
    try:
        scrub(Storage(), options_of_run(output, run, key_source, bundle))
    except RunOnHold:
        return int(ExitCode.WAITING)
    return int(ExitCode.FAILED)


if __name__ == "__main__":  # a child of `Rescrubbing`
    sys.exit(_main(*sys.argv[1:5]))
