"""What a night has to do: the listed inputs compared with the catalogue.

A unit is replaced as a whole or not at all, so inputs that share units are taken together. Inputs
are compared by name, size and version; none is opened.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from ..models.errors import UsageError
from ..models.job import Job
from ..models.keys import fingerprint
from ..models.roles import Columns, preset_for
from ..models.storage import InputFile, Storage
from ..models.units import Night
from .catalogue import Catalogue, Entry
from .config import Options
from .plan import Input, look_at, read_job, roles_for

TOLD = {
    "listed": "inputs under the places that were given",
    "new": "inputs that the output does not hold",
    "changed": "of another size or version than in the output",
    "outdated": "made with another model, rule, policy, key or setting",
    "incomplete": "of whose published parts one is gone",
    "quarantined": "taken again for the quarantined rows of their units",
    "beside": "not changed, but in a unit with one that is taken: read again beside it",
    "untouched": "not opened",
    "left": "to be taken, but in a unit with one that is gone or not given: as they were published",
    "gone": "held by the output, but not there any more",
    "dropped": "of those that are gone, left out of the output from now on",
}
"""What a night counts of the inputs; all but the first and the last two add up to the first."""

CLASSES = tuple(name for name in TOLD if name not in ("listed", "gone", "dropped"))


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Changes:
    """What became of the listed inputs and of those that the catalogue knows.

    Attributes:
        classes: URL of each listed input -> one of `CLASSES`.
        gone: URLs that the catalogue has under the listed places, not listed any more; those of
            which a unit was made.
        dropped: those of them that leave the output.
        replaced: the units that go, by name.
    """

    classes: Mapping[str, str]
    gone: frozenset[str]
    dropped: frozenset[str]
    replaced: frozenset[str]

    @property
    def taken(self) -> frozenset[str]:
        """The URLs of the inputs that are read."""
        return frozenset(u for u, c in self.classes.items() if c not in ("untouched", "left"))

    @property
    def counts(self) -> dict[str, int]:
        """How many inputs there are of each kind in `TOLD`."""
        of = Counter(self.classes.values())
        return {
            "listed": len(self.classes),
            **{name: of[name] for name in CLASSES},
            "gone": len(self.gone),
            "dropped": len(self.dropped),
        }


def compare(
    listed: Sequence[InputFile],
    catalogue: Catalogue,
    meant: Collection[str],
    is_current: Callable[[str, str], bool],
    *,
    incomplete: Collection[str] = (),
    changes: bool = True,
    quarantined: bool = False,
    drop_gone: bool = False,
) -> Changes:
    """Compares what is there with what the output was made from.

    Args:
        meant: URLs of the catalogue that lie under the listed places.
        is_current: (run, fingerprint) of a unit -> whether it would be made alike today.
        incomplete: units of which a published part is gone.
        changes: whether what is new, changed or outdated is taken.
        quarantined: whether inputs of units with quarantined rows are taken.
        drop_gone: whether what is gone leaves the output. Else it stays, and with it what shares a
            unit with it. What shares one with an input under none of the listed places always
            stays: nobody said what became of that.
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
        if changes and any(name in incomplete for name in names):
            return "incomplete"
        if quarantined and any(e.receipt.tally.counts["rows_quarantined"] for e in entries):
            return "quarantined"
        return None

    wanted = {file.url: found for file in listed if (found := class_of(file))}
    classes = {file.url: wanted.get(file.url, "untouched") for file in listed}
    gone = {url for url in units_of if url in meant and url not in classes}
    replaced: set[str] = set()
    dropped: set[str] = set()
    seeds = (*(url for url in wanted if url in units_of), *(sorted(gone) if drop_gone else ()))
    for urls, names in _together(seeds, units_of, catalogue.units):
        stays = urls - classes.keys()
        if stays <= (gone if drop_gone else set()):
            replaced |= names
            dropped |= gone & urls
            classes |= {url: "beside" for url in urls if classes.get(url) == "untouched"}
        else:
            classes |= {url: "left" for url in urls if url in wanted}
    return Changes(classes, frozenset(gone), frozenset(dropped), frozenset(replaced))


def _together(
    seeds: Iterable[str], units_of: Mapping[str, list[str]], units: Mapping[str, Entry]
) -> Iterator[tuple[set[str], set[str]]]:
    """Yields the inputs and units that hang together with each seed, each such group once."""
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
    """What a night takes.

    Attributes:
        seen: the inputs that are taken, looked at.
        columns: the roles for them.
        night: what the plan keeps of it.
        identity: tells this night's run from all others over this output.
    """

    seen: Input
    columns: Columns
    night: Night
    identity: tuple[str, ...]


def choose_inputs(storage: Storage, options: Options, job: Job, catalogue: Catalogue) -> Chosen:
    """Lists the inputs and looks at those that have to be read.

    Args:
        job: complete but for run and columns.

    Raises:
        UsageError: as `look_at` and `roles_for`.
    """
    published = _Published(storage, job.output)
    runs = sorted({entry.run for entry in catalogue.units.values()})
    expected = options.columns or next(filter(None, map(published.preset, runs)), job.columns)
    found, seen = _look(storage, options, _with(job, expected), catalogue, published)
    columns = expected
    if seen.files:
        # A column of inputs that stay need not be in those that are taken.
        stay = {e.run for name, e in catalogue.units.items() if name not in found.replaced}
        known = expected.roles if expected in map(published.columns, stay) else ()
        names = tuple(dict.fromkeys((*(name for name, _ in known), *seen.columns)))
        columns = roles_for(dataclasses.replace(seen, columns=names), options.columns)
        if columns != expected and len(found.taken) < len(found.classes):
            # The preset has become another one: all is made anew.
            found, seen = _look(storage, options, _with(job, columns), catalogue, published)
            columns = roles_for(seen, options.columns)
    gone = {
        url: InputFile(url, *entry.inputs[url], "")
        for entry in catalogue.units.values()
        for url in entry.inputs.keys() & found.dropped
    }
    night = Night(found.counts, tuple(gone[url] for url in sorted(gone)))
    identity = (
        "night",
        *(f"{file.url} {file.size} {file.version}" for file in seen.files),
        *sorted(gone),
        # The same inputs may come again: quarantined rows, or a file put back.
        *(f"{name} {catalogue.units[name].run}" for name in sorted(found.replaced)),
    )
    return Chosen(seen, columns, night, (fingerprint(*identity),))


def _with(job: Job, columns: Columns) -> Job:
    return dataclasses.replace(job, columns=columns)


def _look(
    storage: Storage, options: Options, job: Job, catalogue: Catalogue, published: _Published
) -> tuple[Changes, Input]:
    """What is to be taken if the job is this one, and what is seen of it."""
    now = job.fingerprint
    known = {url for entry in catalogue.units.values() for url in entry.inputs}
    found: list[Changes] = []

    def choose(listed: Sequence[InputFile]) -> Collection[str]:
        found.append(
            compare(
                listed,
                catalogue,
                storage.meant(options.inputs, known),
                lambda run, told: (told or published.fingerprint(run)) == now,
                incomplete=catalogue.incomplete(storage, job.output),
                changes=options.incremental,
                quarantined=options.retry_quarantined,
                drop_gone=options.drop_gone,
            )
        )
        return found[0].taken

    seen = look_at(storage, options.inputs, options.format, options.settings, choose=choose)
    return found[0], seen


class _Published:
    """The frozen jobs of published runs, each read once and only if it is asked for."""

    def __init__(self, storage: Storage, output: str) -> None:
        self._storage, self._output = storage, output
        self._jobs: dict[str, Job | None] = {}

    def _job(self, run: str) -> Job | None:
        if run not in self._jobs:
            try:
                self._jobs[run] = read_job(self._storage, self._output, run)
            except UsageError:  # gone, or of a version that is not understood any more
                self._jobs[run] = None
        return self._jobs[run]

    def fingerprint(self, run: str) -> str:
        """Of a catalogue that does not say it; "" if nobody knows."""
        job = self._job(run)
        return job.fingerprint if job else ""

    def columns(self, run: str) -> Columns | None:
        """The roles that a run had."""
        job = self._job(run)
        return job.columns if job else None

    def preset(self, run: str) -> Columns | None:
        """The same, if they are those of a preset."""
        columns = self.columns(run)
        if columns and preset_for(name for name, _ in columns.roles) == columns:
            return columns
        return None


def missing_names(storage: Storage, catalogue: Catalogue, urls: Sequence[str]) -> list[str]:
    """The inputs under some places that the output holds and that are gone, by URL, sorted."""
    listed = {file.url for file in storage.list_files(urls)}
    known = {url for entry in catalogue.units.values() for url in entry.inputs}
    return sorted(storage.meant(urls, known) - listed)


def told_night(counts: Mapping[str, int]) -> list[str]:
    """The counts of a night as lines of a summary."""
    taken = [f"{counts[name]:,} {name}" for name in CLASSES if counts.get(name)]
    lines = [f"inputs           {counts.get('listed', 0):,} listed: {', '.join(taken) or 'none'}"]
    if gone := counts.get("gone"):
        dropped = counts.get("dropped", 0)
        what = f"{dropped:,} dropped" if dropped else "what they gave stays published"
        if 0 < dropped < gone:
            what += ", the others stay: they share units with inputs of places that are not given"
        lines.append(f"gone             {gone:,} inputs are not there any more: {what}")
    if left := counts.get("left"):
        lines.append(
            f"warning          {left:,} inputs are as they were published, not as they are now: "
            "they share units with some that are gone (--drop-gone) or of places that are not "
            "given (add these to --input)"
        )
    return lines
