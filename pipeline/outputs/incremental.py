"""What an incremental run reads: the listed inputs compared with the catalogue.

A unit is replaced as a whole or not at all, so inputs that share units are read together. Inputs
are compared by name, size and version; none is opened.
"""

from __future__ import annotations

import dataclasses
import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from ...models.core.errors import UsageError
from ...models.core.keys import fingerprint
from ...models.formats.column_roles import Columns, preset_for
from ...models.jobs.job import CODE_VERSION, Job
from ...models.jobs.plan import Increment
from ...models.redaction.policy import Policy
from ...models.storage.input_files import InputFile
from ...models.storage.storage import Storage
from ..options import Options
from .catalogue import Catalogue, CatalogueEntry
from .note_links import due_units
from .planning import InputSurvey, inspect_inputs, read_job, roles_for

_log = logging.getLogger(__name__)

COUNTED = {
    "listed": "inputs under the places that were given",
    "new": "inputs that the output does not hold",
    "changed": "of another size or version than when they were published",
    "outdated": "published by another version, or with another model, rule, policy, key or setting",
    "linked": "published, but other notes of their patients say more now",
    "incomplete": "inputs of which a published part is missing",
    "quarantined": "read again for the quarantined rows of their units",
    "beside": "unchanged, but sharing a unit with an input that is read",
    "untouched": "not opened",
    "left": "to be read, but sharing a unit with an input that is missing or not given",
    "gone": "published, but missing now",
    "dropped": "missing, and removed from the output by this run",
}
"""What is counted of the inputs; all but the first and the last two add up to the first."""

CLASSES = tuple(name for name in COUNTED if name not in ("listed", "gone", "dropped"))


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Changes:
    """How the listed inputs differ from those that the catalogue has.

    Attributes:
        classes: URL of each listed input -> one of `CLASSES`.
        missing: URLs of published inputs under the listed places that are no longer there.
        dropped: those of them that the run removes from the output.
        replaced: names of the units that the run replaces or removes.
    """

    classes: Mapping[str, str]
    missing: frozenset[str]
    dropped: frozenset[str]
    replaced: frozenset[str]

    @property
    def taken(self) -> frozenset[str]:
        """The URLs of the inputs that are read."""
        return frozenset(u for u, c in self.classes.items() if c not in ("untouched", "left"))

    @property
    def counts(self) -> dict[str, int]:
        """How many inputs there are of each kind in `COUNTED`."""
        counts = Counter(self.classes.values())
        return {
            "listed": len(self.classes),
            **{name: counts[name] for name in CLASSES},
            "gone": len(self.missing),
            "dropped": len(self.dropped),
        }


def compare(
    listed: Sequence[InputFile],
    catalogue: Catalogue,
    within: Collection[str],
    is_current: Callable[[str, str], bool],
    *,
    again: Mapping[str, str] = MappingProxyType({}),
    changes: bool = True,
    quarantined: bool = False,
    drop_missing: bool = False,
) -> Changes:
    """Compares the listed inputs with those that the output was made from.

    Args:
        within: URLs of the catalogue that lie under the listed places.
        is_current: (run, fingerprint) of a unit -> whether the job would make it the same today.
        again: units that are read again -> why, one of `CLASSES`.
        changes: whether inputs that are new, changed or outdated are read.
        quarantined: whether inputs of units with quarantined rows are read.
        drop_missing: whether inputs that are missing are removed from the output. Otherwise they
            stay, and so does each input that shares a unit with one. An input that shares a unit
            with one outside of the listed places always stays: of that nothing is known.
    """
    units_of: dict[str, list[str]] = {}
    for name, entry in catalogue.units.items():
        for url in entry.inputs:
            units_of.setdefault(url, []).append(name)
    outdated = {
        name
        for name, entry in catalogue.units.items()
        if not is_current(entry.run, entry.fingerprint)
    }

    def class_of(file: InputFile) -> str | None:
        entries = [catalogue.units[name] for name in units_of.get(file.url, ())]
        idle = catalogue.idle.get(file.url)
        known = {entry.inputs[file.url] for entry in entries}
        known |= {(idle.size, idle.version)} if idle else set()
        if changes and not known:
            return "new"
        if changes and known != {(file.size, file.version)}:
            return "changed"
        names = units_of.get(file.url, ())
        if changes and not outdated.isdisjoint(names):
            return "outdated"
        if changes and idle and not is_current(idle.run, idle.fingerprint):
            return "outdated"
        if changes and (why := [again[name] for name in names if name in again]):
            return min(why)
        if quarantined and any(e.receipt.tally.counts["rows_quarantined"] for e in entries):
            return "quarantined"
        return None

    wanted = {file.url: kind for file in listed if (kind := class_of(file))}
    classes = {file.url: wanted.get(file.url, "untouched") for file in listed}
    missing = {url for url in units_of if url in within and url not in classes}
    droppable = missing if drop_missing else set[str]()
    replaced: set[str] = set()
    dropped: set[str] = set()
    seeds = (*(url for url in wanted if url in units_of), *sorted(droppable))
    for urls, names in _connected(seeds, units_of, catalogue.units):
        if urls - classes.keys() <= droppable:
            replaced |= names
            dropped |= missing & urls
            classes |= {url: "beside" for url in urls if classes.get(url) == "untouched"}
        else:
            classes |= {url: "left" for url in urls if url in wanted}
    return Changes(classes, frozenset(missing), frozenset(dropped), frozenset(replaced))


def _connected(
    seeds: Iterable[str], units_of: Mapping[str, list[str]], units: Mapping[str, CatalogueEntry]
) -> Iterator[tuple[set[str], set[str]]]:
    """Yields the inputs and units that are connected with each seed, each such group once."""
    seen: set[str] = set()
    for seed in seeds:
        if seed in seen:
            continue
        urls, names, waiting = {seed}, set[str](), [seed]
        while waiting:
            for name in units_of.get(waiting.pop(), ()):
                if name not in names:
                    names.add(name)
                    more = units[name].inputs.keys() - urls
                    urls |= more
                    waiting += more
        seen |= urls
        yield urls, names


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Chosen:
    """What an incremental run reads.

    Attributes:
        seen: the inputs that are read.
        columns: the roles for them.
        increment: what the plan keeps of it.
        identity: distinguishes the run from all others over this output.
    """

    seen: InputSurvey
    columns: Columns
    increment: Increment
    identity: tuple[str, ...]


def choose_inputs(
    storage: Storage, options: Options, job: Job, catalogue: Catalogue, policy: Policy
) -> Chosen:
    """Lists the inputs and inspects those that have to be read.

    Args:
        job: complete but for run and columns.

    Raises:
        UsageError: as `inspect_inputs` and `roles_for`.
    """
    published = _Published(storage, job.output)
    runs = sorted({entry.run for entry in catalogue.units.values()})
    known = (published.expected(run, options) for run in runs)
    expected = next(filter(None, known), options.columns or job.columns)
    found, seen = _look(storage, options, job.with_columns(expected), catalogue, published)
    columns = expected
    if seen.files:
        # A column of inputs that stay need not be in those that are read.
        stay = {e.run for name, e in catalogue.units.items() if name not in found.replaced}
        held = next((one for one in map(published.columns, stay) if one == expected), None)
        names = tuple(dict.fromkeys((*(held.inputs if held else ()), *seen.columns)))
        columns = roles_for(dataclasses.replace(seen, columns=names), options.columns, policy)
        if columns != expected and len(found.taken) < len(found.classes):
            # Another preset fits now: everything is read again.
            found, seen = _look(storage, options, job.with_columns(columns), catalogue, published)
            columns = roles_for(seen, options.columns, policy)
    dropped = {
        url: InputFile(url, *entry.inputs[url], "")
        for entry in catalogue.units.values()
        for url in entry.inputs.keys() & found.dropped
    }
    increment = Increment(found.counts, tuple(dropped[url] for url in sorted(dropped)))
    identity = (
        "night",  # what earlier versions wrote here, so that ids of runs stay
        *(f"{file.url} {file.size} {file.version}" for file in seen.files),
        *sorted(dropped),
        # The same inputs may come again: quarantined rows, or a file put back.
        *(f"{name} {catalogue.units[name].run}" for name in sorted(found.replaced)),
    )
    return Chosen(seen, columns, increment, (fingerprint(*identity),))


def _look(
    storage: Storage, options: Options, job: Job, catalogue: Catalogue, published: _Published
) -> tuple[Changes, InputSurvey]:
    """What has to be read for this job, and what is seen of it."""
    now = job.fingerprint
    known = {url for entry in catalogue.units.values() for url in entry.inputs}
    found: list[Changes] = []
    again: dict[str, str] = {}
    if job.rewrites_stale:
        again = dict.fromkeys(due_units(storage, job, catalogue).names, "linked")
    again |= dict.fromkeys(catalogue.incomplete(storage, job.output), "incomplete")

    def choose(listed: Sequence[InputFile]) -> Collection[str]:
        changes = compare(
            listed,
            catalogue,
            storage.meant(options.inputs, known),
            lambda run, fingerprint: (fingerprint or published.fingerprint(run)) == now,
            again=again,
            changes=options.incremental,
            quarantined=options.retry_quarantined,
            drop_missing=options.drop_gone,
        )
        published.warn_of_upgrade(changes, catalogue)
        found.append(changes)
        return changes.taken

    seen = inspect_inputs(storage, options.inputs, options.format, options.settings, choose=choose)
    return found[0], seen


class _Published:
    """The frozen jobs of published runs, each read once and only if needed."""

    def __init__(self, storage: Storage, output: str) -> None:
        self._storage, self._output = storage, output
        self._jobs: dict[str, Job | None] = {}
        self._has_warned = False

    def _job(self, run: str) -> Job | None:
        if run not in self._jobs:
            try:
                self._jobs[run] = read_job(self._storage, self._output, run)
            except UsageError:  # missing, or of a version that this one cannot read
                self._jobs[run] = None
        return self._jobs[run]

    def fingerprint(self, run: str) -> str:
        """The fingerprint of a run, where the catalogue lacks it; "" if it is not known."""
        job = self._job(run)
        return job.fingerprint if job else ""

    def columns(self, run: str) -> Columns | None:
        """The roles that a run had."""
        job = self._job(run)
        return job.columns if job else None

    def warn_of_upgrade(self, changes: Changes, catalogue: Catalogue) -> None:
        """Says, once and before any input is opened, that this version reads inputs again."""
        outdated = {url for url, name in changes.classes.items() if name == "outdated"}
        runs = {e.run for e in catalogue.units.values() if not outdated.isdisjoint(e.inputs)}
        jobs = [job for run in sorted(runs) if (job := self._job(run)) is not None]
        versions = sorted({job.code_version for job in jobs} - {CODE_VERSION})
        if versions and not self._has_warned:
            self._has_warned = True
            _log.warning(
                "version %s reads %d inputs again, once: they were last read by %s",
                CODE_VERSION,
                len(outdated),
                ", ".join(versions),
            )

    def expected(self, run: str, options: Options) -> Columns | None:
        """The same, if what is declared now leads to them: for messages, or by a preset."""
        columns, declared = self.columns(run), options.columns
        if columns is None:
            return None
        if columns.record:
            is_same = columns.overlaid == (declared.overlaid_roles if declared else ())
        else:
            is_same = declared is None and preset_for(n for n, _ in columns.roles) == columns
        return columns if is_same else None


def missing_names(storage: Storage, catalogue: Catalogue, urls: Sequence[str]) -> list[str]:
    """URLs of published inputs under some places that are no longer there, sorted."""
    listed = {file.url for file in storage.list_files(urls)}
    known = {url for entry in catalogue.units.values() for url in entry.inputs}
    return sorted(storage.meant(urls, known) - listed)


def format_change_counts(counts: Mapping[str, int]) -> list[str]:
    """The counts of an incremental run, as lines of a summary."""
    kinds = [f"{counts[name]:,} {name}" for name in CLASSES if counts.get(name)]
    lines = [f"inputs           {counts.get('listed', 0):,} listed: {', '.join(kinds) or 'none'}"]
    if missing := counts.get("gone"):
        dropped = counts.get("dropped", 0)
        what = f"{dropped:,} dropped" if dropped else "their documents stay published"
        if 0 < dropped < missing:
            what += ", the others stay: they share units with inputs of places that are not given"
        lines.append(f"gone             {missing:,} inputs no longer exist: {what}")
    if left := counts.get("left"):
        lines.append(
            f"warning          {left:,} inputs stay as they were published, not as they are now: "
            "they share units with inputs that no longer exist (--drop-gone) or that are "
            "outside the given places (add these to --input)"
        )
    return lines
