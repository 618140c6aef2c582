"""The Beam graphs, on one screen: of units, and of the links between notes."""

from collections.abc import Callable, Sequence

import apache_beam as beam

from ..models.core.shortage import Pace
from ..models.jobs.job import Job
from ..transforms.carry_over import CarryOver
from ..transforms.featurize import Featurize
from ..transforms.guard import GuardRoster
from ..transforms.label import Label
from ..transforms.link import LinkNotes
from ..transforms.match import MatchRoster
from ..transforms.merge import Merge
from ..transforms.read import ReadUnits
from ..transforms.recognise import Recognise
from ..transforms.scrub import Scrub
from ..transforms.tokenize import Tokenize
from ..transforms.write import Write


def build(
    pipeline: beam.Pipeline,
    job: Job,
    units: Sequence[int],
    *,
    report: Callable[[int, int, int], None] | None = None,
    pace: Pace = Pace.FULL,
) -> beam.PCollection:
    """Wires units -> receipts.

    The only shuffle is of unit numbers, some bytes each. All after it is one fused chain: a shuffle
    of texts would cost about 60 fused steps, and of attributes far more.

    Args:
        units: indexes in the plan, in the order in which they are to be begun.
        report, pace: see `ReadUnits`.
    """
    return (
        pipeline
        | "Units" >> beam.Create(units)
        | "SpreadUnits" >> beam.Reshuffle()
        | "ReadUnits" >> ReadUnits(job, report, pace)
        | "Tokenize" >> Tokenize(job)
        | "Featurize" >> Featurize(job)
        | "Label" >> Label(job)
        | "Recognise" >> Recognise(job)
        | "CarryOver" >> CarryOver(job)
        | "MatchRoster" >> MatchRoster(job)
        | "Merge" >> Merge(job)
        | "Scrub" >> Scrub(job)
        | "GuardRoster" >> GuardRoster(job)
        | "Write" >> Write(job)
    )


def build_links(
    pipeline: beam.Pipeline, job: Job, folder: str, buckets: Sequence[int]
) -> beam.PCollection:
    """Wires buckets of keys -> numbers of facts; see `models.jobs.link_task`.

    Args:
        folder: of the task.
        buckets: that are left to do.
    """
    return (
        pipeline
        | "Buckets" >> beam.Create(buckets)
        | "SpreadBuckets" >> beam.Reshuffle()
        | "LinkNotes" >> LinkNotes(job, folder)
    )
