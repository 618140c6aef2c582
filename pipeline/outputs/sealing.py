"""The seal over what is published: written at the end of a publication, checked before the next.

A publication takes over the receipts of earlier ones. It does so only if the earlier seal agrees
with them: else a forged receipt would be sealed as a good one. What an output without a seal holds,
as earlier versions wrote it, is taken over and named as adopted for as long as it stays.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
from collections.abc import Iterable, Mapping, Sequence

from ...models.core.errors import GateFailed
from ...models.core.keys import Keys
from ...models.core.parallel_calls import map_in_threads
from ...models.jobs.job import Job
from ...models.storage.seals import Seal, SealDamaged, make_seal
from ...models.storage.storage import Storage
from .catalogue import FILES as CATALOGUE_FILES
from .state import MANIFEST, pending_runs, put_aside_file, seal_file

_log = logging.getLogger(__name__)

JOB, PLAN_SEAL = "job.json", "plan.seal.json"
_PLANNED = (JOB, "plan.parquet", "files.parquet")
OF_RUN = (*_PLANNED, PLAN_SEAL, "numbered.parquet", "rework.json")
"""What is sealed of restricted/<run>/, where it is there."""

REMEDY = (
    "`scrubline verify --output ... --key-file ...` shows what differs. Restore what was changed, "
    "or scrub all inputs again into a new output; or examine it, and accept it with --reseal"
)


def read_seal(storage: Storage, output: str) -> Seal | None:
    """The seal of an output; None if it has none.

    Raises:
        SealDamaged: if it is not a seal.
    """
    try:
        return Seal.from_bytes(storage.read_bytes(seal_file(output)))
    except FileNotFoundError:
        return None


def faults_of_seal(
    storage: Storage, output: str, keys: Keys, seal: Seal, paths: Iterable[str]
) -> list[str]:
    """What of some files, or of the seal itself, does not agree with the seal.

    Args:
        paths: below the output.
    """
    if seal.key_check != keys.check:
        return [f"the seal was made under another master key (check value {_hex(seal.key_check)})"]
    if not seal.is_made_by(keys):
        return ["the seal itself was changed, or made without the master key"]

    plans = {run: _read_plan_seal(storage, output, run) for run in pending_runs(storage, output)}

    def fault(path: str) -> str | None:
        content = _content(storage, f"{output}/{path}")
        if content is not None and seal.agrees(keys, path, content):
            return None
        run, _, name = path.removeprefix("restricted/").rpartition("/")
        if run in plans and path.startswith("restricted/"):
            # Planned and done again: what was published lies aside. In its place is the new plan,
            # or nothing may be there that was not planned with the key.
            before = _content(storage, put_aside_file(output, run, name))
            planned = name not in _PLANNED or _vouches(plans[run], keys, path, content)
            if before is not None and seal.agrees(keys, path, before) and planned:
                return None
        if content is None:
            return f"{path} is missing, and was sealed" if path in seal.marks else None
        return f"{path} is not {'what was sealed' if path in seal.marks else 'under the seal'}"

    return [found for found in map_in_threads(fault, list(paths)) if found is not None]


def _content(storage: Storage, url: str) -> bytes | None:
    try:
        return storage.read_bytes(url)
    except FileNotFoundError:
        return None


def write_plan_seal(storage: Storage, job: Job, keys: Keys, contents: Mapping[str, bytes]) -> None:
    """Seals what a run is planned with: no one without the key can plan one, or change it.

    Args:
        contents: of the files under restricted/<run>/, by name.
    """
    named = {f"restricted/{job.run}/{name}": content for name, content in contents.items()}
    seal = make_seal(keys, job.run, named, carried={}, adopted=())
    storage.write_bytes(f"{job.restricted}/{PLAN_SEAL}", seal.to_bytes())


def require_planned(storage: Storage, job: Job, keys: Keys) -> None:
    """Refuses a plan that was made or changed without the master key.

    Raises:
        GateFailed: if it was.
    """
    # A run that is planned again may be killed between: what was published is sealed too.
    seals = (
        _read_plan_seal(storage, job.output, job.run),
        _seal_at(storage, seal_file(job.output)),
    )
    paths = [f"restricted/{job.run}/{name}" for name in _PLANNED]
    contents = {path: _content(storage, f"{job.output}/{path}") for path in paths}
    if all(
        any(_vouches(seal, keys, path, content) for seal in seals)
        for path, content in contents.items()
    ):
        return
    raise GateFailed(
        f"the plan of run {job.run} was changed after it was made, or made without the master "
        "key: nothing was done with it. Give the run up with `scrubline resume --output ... "
        "--discard`, and find out who can write under restricted/"
    )


def _read_plan_seal(storage: Storage, output: str, run: str) -> Seal | None:
    return _seal_at(storage, f"{output}/restricted/{run}/{PLAN_SEAL}")


def _seal_at(storage: Storage, url: str) -> Seal | None:
    """The seal in a file; None if it is missing or damaged: then it vouches for nothing."""
    content = _content(storage, url)
    try:
        return None if content is None else Seal.from_bytes(content)
    except SealDamaged:
        return None


def _vouches(seal: Seal | None, keys: Keys, path: str, content: bytes | None) -> bool:
    return (
        content is not None
        and seal is not None
        and seal.is_made_by(keys)
        and seal.agrees(keys, path, content)
    )


def _hex(check: str) -> str:
    return check if check.isalnum() and len(check) <= 16 else "?"


@dataclasses.dataclass(frozen=True, slots=True)
class Inherited:
    """What a publication takes over from the seal before.

    Attributes:
        adopted: see `Seal`.
        marks: that are carried on, of plans and jobs of runs that stay.
        is_sealed: whether there was a seal, and it agrees.
        accepts: whether there was one that does not agree, and that was accepted.
    """

    adopted: tuple[str, ...] = ()
    marks: Mapping[str, str] = dataclasses.field(default_factory=dict)
    is_sealed: bool = False
    accepts: bool = False

    def warn(self) -> None:
        """Says what is taken over without a seal, if anything is."""
        if not self.adopted or self.is_sealed:
            return
        _log.warning(
            "the output %s: what %d earlier runs published is adopted as it is, and `verify` "
            "reports that",
            "does not match its seal, and --reseal accepts that" if self.accepts else "has no seal",
            len(self.adopted),
        )


def inherit(
    storage: Storage,
    output: str,
    keys: Keys,
    runs: Sequence[str],
    *,
    reseal: bool,
) -> Inherited:
    """Checks the seal of what is published before anything is built upon it.

    Args:
        runs: those whose parts stay. Without any, nothing is taken over.
        reseal: whether what does not match is accepted, and named as adopted.

    Raises:
        GateFailed: if the seal does not match what is there.
    """
    if not runs:
        return Inherited()
    try:
        seal = read_seal(storage, output)
    except SealDamaged:
        seal, faults = None, ["seal.json is damaged, or was changed"]
    else:
        faults = []
    if seal is not None:
        # What is accepted is looked at as `verify` does; else what the work is built upon.
        names = OF_RUN if reseal else (JOB,)
        of_runs = [f"restricted/{run}/{name}" for run in runs for name in names]
        faults = faults_of_seal(storage, output, keys, seal, [MANIFEST, *CATALOGUE_FILES, *of_runs])
    if faults and not reseal:
        raise GateFailed(
            "what is published does not match its seal: "
            + "; ".join(faults[:5])
            + f". Nothing is published. {REMEDY}"
        )
    if seal is None or faults:
        return Inherited(adopted=tuple(sorted(runs)), accepts=bool(faults))
    wanted = {f"restricted/{run}/{name}" for run in runs for name in OF_RUN}
    return Inherited(
        tuple(sorted(set(seal.adopted) & set(runs))),
        {path: mark for path, mark in seal.marks.items() if path in wanted},
        is_sealed=True,
    )


def write_seal(
    storage: Storage,
    output: str,
    keys: Keys,
    run: str,
    runs: Iterable[str],
    contents: Mapping[str, bytes],
    inherited: Inherited,
) -> None:
    """Seals a publication; the last thing before `_SUCCESS`.

    Args:
        run: the one that is published.
        runs: those with parts in the output, and that one.
        contents: of the manifest and the catalogue, as they were written.
    """
    found = dict(contents)
    for one in runs:
        for name in OF_RUN:
            path = f"restricted/{one}/{name}"
            # Of what the seal before says, it is not asked whether it still holds: `verify` does.
            if path in inherited.marks and one != run:
                continue
            with contextlib.suppress(FileNotFoundError):
                found[path] = storage.read_bytes(f"{output}/{path}")
    carried = {path: mark for path, mark in inherited.marks.items() if path not in found}
    seal = make_seal(keys, run, found, carried=carried, adopted=inherited.adopted)
    storage.write_bytes(seal_file(output), seal.to_bytes())


def put_aside(storage: Storage, output: str, run: str) -> None:
    """Keeps what a published run was planned with, before the same run is planned again."""
    for name in OF_RUN:
        with contextlib.suppress(FileNotFoundError):
            content = storage.read_bytes(f"{output}/restricted/{run}/{name}")
            storage.write_bytes(put_aside_file(output, run, name), content)


def put_back(storage: Storage, output: str, run: str) -> None:
    """Undoes what a run that is given up changed of the published run of the same id."""
    for name in OF_RUN:
        with contextlib.suppress(FileNotFoundError):
            content = storage.read_bytes(put_aside_file(output, run, name))
            storage.write_bytes(f"{output}/restricted/{run}/{name}", content)
