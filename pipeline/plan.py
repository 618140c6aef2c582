"""Planning: list the inputs, check the columns, split and pack into units, freeze.

OUT/restricted/<run>/job.json       what decides the content
OUT/restricted/<run>/plan.parquet   the units
OUT/restricted/<run>/files.parquet  the inputs, by name
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TypeVar

from ..models.at_once import a_few_at_a_time
from ..models.errors import UsageError
from ..models.formats import Limits, Locator, Settings, format_of, open_format
from ..models.job import Job
from ..models.keys import Keys, fingerprint
from ..models.naming import ColumnNames, declared_list
from ..models.partitions import MOST_FOLDER_BYTES, fits
from ..models.roles import Columns, Role, preset_for, require_few
from ..models.storage import InputFile, Storage
from ..models.units import Night, Plan, Unit, unit_name
from .sealing import JOB, write_plan_seal

T = TypeVar("T")

_WHOLE = 1 << 62
"""A split size that no file is over."""

_LOOKS_AT_ONCE = 16
"""Threads that open footers and first blocks; they wait for storage most of the time."""

_ASKED_AT_ONCE = 1024
"""Files looked at before what is known of the first is taken: it bounds memory."""


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Input:
    """The listed inputs and what was seen of them.

    Attributes:
        files: in the order of their paths.
        formats: key of `FORMATS` for each file.
        settings: how files are written that do not say it themselves.
        schemas: token of each file; files with different tokens do not share a unit.
        columns: all columns seen, hive keys included, in order.
        numbers: of each file, its place among all that were listed, where not all were taken.
        first_in: column -> the first of `files` that has it.
    """

    files: tuple[InputFile, ...]
    formats: tuple[str, ...]
    settings: Settings
    schemas: tuple[str, ...]
    columns: tuple[str, ...]
    numbers: tuple[int, ...] = ()
    first_in: Mapping[str, int] = dataclasses.field(default_factory=dict)

    def number(self, index: int) -> int:
        """By which number messages name a file: its place among all that were listed."""
        return self.numbers[index] if self.numbers else index


def look_at(
    storage: Storage,
    urls: Sequence[str],
    form: str | None = None,
    settings: Settings | None = None,
    *,
    choose: Callable[[Sequence[InputFile]], Collection[str]] | None = None,
) -> Input:
    """Lists the inputs and opens each one's footer or first block.

    Args:
        urls: files, folders or globs.
        form: key of `FORMATS`, or None to go by the names' endings.
        settings: None for the default.
        choose: listed inputs -> URLs of those to take; the others are not opened. None for all.

    Raises:
        UsageError: if there is nothing, a file is of no known format, or none heeds a setting that
            was given.
    """
    settings = settings or Settings()
    if form is not None:
        open_format(form, settings)
    files = tuple(storage.list_files(urls))
    formats = tuple(form or _format_of(number, file) for number, file in enumerate(files))
    kinds = {name: open_format(name, settings) for name in dict.fromkeys(formats)}
    heeded = {name for kind in kinds.values() for name in kind.takes}
    if idle := [name for name in settings.given if name not in heeded]:
        raise UsageError(f"{', '.join(idle)}: the input's format {', '.join(kinds)} takes none")
    numbers: tuple[int, ...] = tuple(range(len(files)))
    if choose is not None:
        chosen = choose(files)
        numbers = tuple(number for number in numbers if files[number].url in chosen)
        files = tuple(files[number] for number in numbers)
        formats = tuple(formats[number] for number in numbers)

    def look(index: int) -> tuple[tuple[str, ...], str]:
        kind = kinds[formats[index]]
        try:
            names = kind.columns(storage, files[index])
            require_few(len(names), "it has")
            return names, kind.schema_token(storage, files[index])
        except UsageError as error:
            raise error.within(_place(numbers[index])) from None

    seen = list(_for_each(look, range(len(files))))
    columns: dict[str, int] = {}
    for index, (file, (names, _)) in enumerate(zip(files, seen, strict=True)):
        for name in (*names, *(key for key, _ in file.partition)):
            columns.setdefault(name, index)
        if twice := set(names) & {key for key, _ in file.partition}:
            raise ColumnNames(columns).error(
                "columns that are also hive keys of folders: {columns}", sorted(twice)
            )
    require_few(len(columns), "the input has")
    return Input(
        files,
        formats,
        settings,
        tuple(token for _, token in seen),
        tuple(columns),
        numbers,
        columns,
    )


def roles_for(seen: Input, declared: Columns | None) -> Columns:
    """The declared roles, checked against the input; or a preset where none is declared.

    Raises:
        UsageError: see `Columns.check`.
    """
    if declared is None:
        declared = preset_for(seen.columns)
    if declared is None:
        raise ColumnNames(seen.columns).error(
            "the input has the columns {columns} and none has a declared role. "
            "Nothing passes that nobody declared: add --column NAME=ROLE for each "
            "(text, id, patient, type, date, pass, drop, hash)",
            seen.columns,
        )
    forms = [open_format(name, seen.settings) for name in dict.fromkeys(seen.formats)]
    hive = {key for file in seen.files for key, _ in file.partition}

    def where(name: str) -> str:
        return _place(seen.number(seen.first_in[name])) if len(seen.files) > 1 else ""

    declared.check(
        seen.columns,
        sampled=any(form.sampled for form in forms),
        unseen=hive.issuperset(seen.columns),
        where=where,
    )
    if textual := sorted(hive & set(declared.named(Role.TEXT))):
        raise UsageError(f"hive keys of folders cannot have role text: {declared_list(textual)}")
    for form in forms:
        form.check_roles(declared)
    return declared


def check_types(storage: Storage, seen: Input, columns: Columns) -> None:
    """Checks the roles against the types of the columns.

    Of files of one schema one is looked at; all, if a column whose type cannot do has no values in
    that one.

    Raises:
        UsageError: see `Format.check_types`.
    """
    alike: dict[tuple[str, str], list[int]] = {}
    for index in range(len(seen.files)):
        alike.setdefault((seen.formats[index], seen.schemas[index]), []).append(index)

    def suits_all(index: int) -> bool:
        form = open_format(seen.formats[index], seen.settings)
        try:
            return form.check_types(storage, seen.files[index], columns)
        except UsageError as error:
            raise error.within(_place(seen.number(index))) from None

    for first, *others in alike.values():
        if not suits_all(first):
            for _ in _for_each(suits_all, others):
                pass  # raised at the first file that has values


def split(
    storage: Storage,
    seen: Input,
    split_bytes: int,
    limits: Limits,
    job_fingerprint: str,
    *,
    whole_files: bool = False,
) -> tuple[Unit, ...]:
    """Cuts the files into stretches and packs neighbours up to `split_bytes`.

    Only neighbours of one format, schema and hive folder share a unit.
    """
    forms = {name: open_format(name, seen.settings) for name in dict.fromkeys(seen.formats)}

    def stretches(index: int) -> list[Locator]:
        form = forms[seen.formats[index]]
        try:
            file = seen.files[index]
            return form.plan(storage, index, file, _WHOLE if whole_files else split_bytes, limits)
        except UsageError as error:
            raise error.within(_place(seen.number(index))) from None

    units: list[Unit] = []
    packed: list[Locator] = []
    size = 0

    def pack() -> None:
        nonlocal size
        size = 0
        if packed:
            first = packed[0].file
            units.append(
                Unit(
                    len(units),
                    unit_name(len(units), job_fingerprint, seen.files, tuple(packed)),
                    seen.formats[first],
                    seen.files[first].partition,
                    tuple(packed),
                )
            )
            packed.clear()

    for index, locators in enumerate(_for_each(stretches, range(len(seen.files)))):
        for locator in locators:
            if packed and not (
                _kind(seen, packed[0].file) == _kind(seen, index)
                and size + locator.bytes <= split_bytes
            ):
                pack()
            packed.append(locator)
            size += locator.bytes
    pack()
    return tuple(units)


def _format_of(number: int, file: InputFile) -> str:
    try:
        return format_of(file.url)
    except UsageError as error:
        raise error.within(_place(number)) from None


def _place(number: int) -> str:
    """How messages name a file."""
    return f"input file {number} (in the order of paths)"


def _for_each(action: Callable[[int], T], files: Sequence[int]) -> Iterator[T]:
    """What `action` gives for each of some files, in order, several at a time."""
    return a_few_at_a_time(action, files, at_once=_LOOKS_AT_ONCE, ahead=_ASKED_AT_ONCE)


def _kind(seen: Input, index: int) -> tuple[object, ...]:
    return seen.formats[index], seen.schemas[index], seen.files[index].partition


def _split(storage: Storage, seen: Input, job: Job) -> tuple[Unit, ...]:
    return split(
        storage,
        seen,
        job.split_bytes,
        job.limits,
        job.fingerprint,
        whole_files=job.group_lines is not None,  # a note may be anywhere in a file
    )


def make_plan(
    storage: Storage,
    seen: Input,
    job: Job,
    night: Night | None = None,
    identity: Sequence[str] = (),
) -> tuple[Job, Plan]:
    """Splits the input and gives the job the id of its run.

    Args:
        job: complete but for `run`.
        night: where `seen` is not all of the inputs.
        identity: what else tells this run from others.

    Raises:
        UsageError: if the folder of a hive value cannot be written.
    """
    _require_folders(seen, job)
    plan = Plan(seen.files, _split(storage, seen, job), night)
    run = fingerprint(
        job.fingerprint,
        str(job.batch_documents),
        str(job.batch_bytes),
        str(job.keep_candidates),
        *(unit.name for unit in plan.units),
        *identity,
    )[:16]
    return dataclasses.replace(job, run=run), plan


def freeze(storage: Storage, job: Job, plan: Plan, keys: Keys) -> None:
    """Writes plan and job, sealed; the job last, as the sign that the plan is whole."""
    contents = plan.contents() | {JOB: job.to_json().encode()}
    # First: whenever a run that is planned again is killed, each file is either as it was published
    # and sealed, or as this seal says.
    write_plan_seal(storage, job, keys, contents)
    for name, content in contents.items():
        storage.write_bytes(f"{job.restricted}/{name}", content)


def read_job(storage: Storage, output: str, run: str) -> Job:
    """The frozen job of a run of an output.

    Raises:
        UsageError: if there is no such run.
    """
    try:
        text = storage.read_bytes(f"{output}/restricted/{run}/{JOB}").decode()
    except FileNotFoundError:
        raise UsageError(
            f"there is no run {run} in this output, or its plan is not under restricted/ any more"
        ) from None
    # The output may have been moved, or be mounted elsewhere: where it was found counts.
    return dataclasses.replace(Job.from_json(text), output=output)


def thaw(storage: Storage, output: str, run: str) -> tuple[Job, Plan]:
    """Reads back what `freeze` wrote.

    Raises:
        UsageError: if there is no such run.
    """
    job = read_job(storage, output, run)
    return job, Plan.read(storage, job.restricted)


def _require_folders(seen: Input, job: Job) -> None:
    """Refuses hive values whose folder no output could have: escapes make them longer.

    Raises:
        UsageError: naming the key.
    """
    mirrored = (Role.PASS, Role.TYPE, Role.DATE)
    for key, value in {pair for file in seen.files for pair in file.partition}:
        if job.columns.role_of(key) in mirrored and not fits(key, value):
            raise UsageError(
                f"a value of the hive key {key!r} is too long for the name of a folder once it is "
                f"escaped (over {MOST_FOLDER_BYTES} bytes): rename the folder, or give the key the "
                "role hash or drop"
            )
