"""Planning: list the inputs, check the columns, split and pack into units, freeze.

OUT/restricted/<run>/job.json       what decides the content
OUT/restricted/<run>/plan.parquet   the units
OUT/restricted/<run>/files.parquet  the inputs, by name
"""

from __future__ import annotations

import dataclasses
import posixpath
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TypeVar

from ...models.core.display_names import ColumnNames, declared_list
from ...models.core.errors import StorageError, UsageError
from ...models.core.keys import Keys, fingerprint
from ...models.core.parallel_calls import map_in_threads
from ...models.formats import (
    FORMATS,
    FormatOptions,
    Limits,
    Locator,
    format_of,
    meant_by_columns,
    open_format,
)
from ...models.formats.column_roles import Columns, Role, preset_for, require_few
from ...models.jobs.job import Job
from ...models.jobs.plan import Increment, Plan, Unit, unit_name
from ...models.redaction.actions import SURROGATE
from ...models.redaction.policy import Policy
from ...models.roster.people import LABELS as PEOPLE_LABELS
from ...models.storage.hive import MOST_FOLDER_BYTES, fits
from ...models.storage.input_files import InputFile
from ...models.storage.storage import Storage
from .sealing import JOB, write_plan_seal

T = TypeVar("T")

_WHOLE = 1 << 62
"""A split size above that of any file."""

_LOOKS_AT_ONCE = 16
"""Threads that open footers and first blocks; most of the time they wait for storage."""

_ASKED_AT_ONCE = 1024
"""Files that are inspected ahead of the one whose result is used: this bounds memory."""


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class InputSurvey:
    """The inputs that are read, and what was seen of them.

    Attributes:
        files: in the order of their paths.
        formats: key of `FORMATS` for each file.
        settings: how files are written, for formats whose files do not say it.
        schemas: token of each file; files with different tokens do not share a unit.
        columns: all columns seen, hive keys included, in order.
        numbers: place of each file among all that were listed, where not all are read.
        first_in: column -> the first of `files` that has it.
    """

    files: tuple[InputFile, ...]
    formats: tuple[str, ...]
    settings: FormatOptions
    schemas: tuple[str, ...]
    columns: tuple[str, ...]
    numbers: tuple[int, ...] = ()
    first_in: Mapping[str, int] = dataclasses.field(default_factory=dict)

    @property
    def records(self) -> frozenset[str]:
        """The grammars of the messages that the inputs hold; "" for tables."""
        forms = dict.fromkeys(self.formats)
        return frozenset(open_format(name, self.settings).traits.record for name in forms)

    def number(self, index: int) -> int:
        """The number by which messages name a file: its place among all that were listed."""
        return self.numbers[index] if self.numbers else index


def inspect_inputs(
    storage: Storage,
    urls: Sequence[str],
    form: str | None = None,
    settings: FormatOptions | None = None,
    *,
    choose: Callable[[Sequence[InputFile]], Collection[str]] | None = None,
) -> InputSurvey:
    """Lists the inputs and opens each one's footer or first block.

    Args:
        urls: files, folders or globs.
        form: key of `FORMATS`, or None to go by the names' endings.
        settings: None for the default.
        choose: listed inputs -> URLs of those to read; the others are not opened. None for all.

    Raises:
        UsageError: if there is no input, a file has no known format or looks like FHIR, or a
            setting was given that none of the formats has.
    """
    settings = settings or FormatOptions()
    if form is not None:
        open_format(form, settings)
    files = tuple(storage.list_files(urls))
    formats = tuple(format_of_file(number, file, form) for number, file in enumerate(files))
    forms = {name: open_format(name, settings) for name in dict.fromkeys(formats)}
    known = {name for opened in forms.values() for name in opened.traits.options}
    if unused := [name for name in settings.changed if name not in known]:
        raise UsageError(
            f"{', '.join(unused)}: the format of the input, {', '.join(forms)}, has no such option"
        )
    numbers: tuple[int, ...] = tuple(range(len(files)))
    if choose is not None:
        chosen = choose(files)
        numbers = tuple(number for number in numbers if files[number].url in chosen)
        files = tuple(files[number] for number in numbers)
        formats = tuple(formats[number] for number in numbers)

    def look(index: int) -> tuple[tuple[str, ...], str]:
        opened = forms[formats[index]]
        try:
            names = opened.columns(storage, files[index])
            require_few(len(names), "it has")
            if form is None:
                _require_not_meant(formats[index], names)
            return names, opened.schema_token(storage, files[index])
        except (UsageError, StorageError) as error:
            raise _in_file(error, numbers[index], files[index]) from None

    seen = list(_for_each(look, range(len(files))))
    columns: dict[str, int] = {}
    for index, (file, (names, _)) in enumerate(zip(files, seen, strict=True)):
        for name in (*names, *(key for key, _ in file.partition)):
            columns.setdefault(name, index)
        if in_both := set(names) & {key for key, _ in file.partition}:
            raise ColumnNames(columns).error(
                "columns and hive keys of folders share names: {columns}; rename one of each",
                sorted(in_both),
            )
    require_few(len(columns), "the input has")
    return InputSurvey(
        files,
        formats,
        settings,
        tuple(token for _, token in seen),
        tuple(columns),
        numbers,
        columns,
    )


def _require_not_meant(form: str, names: Collection[str]) -> None:
    """Refuses files of a format whose ending does not say it, and whose columns show it.

    Raises:
        UsageError: with the formats that would read them.
    """
    if meant := meant_by_columns(form, names):
        traits = FORMATS[meant].traits
        raise UsageError(
            f"the file looks like {traits.family} (its records have a {traits.told_by}): give "
            f"--format {meant}, by which every value has a role, or --format {form} to read plain "
            "columns (it then holds for all input files)"
        )


def roles_for(seen: InputSurvey, declared: Columns | None, policy: Policy | None = None) -> Columns:
    """The declared roles, checked against the input; a preset if none is declared.

    Args:
        policy: says which known values of messages it puts something in place of.

    Raises:
        UsageError: see `Columns.check`.
    """
    forms = [open_format(name, seen.settings) for name in dict.fromkeys(seen.formats)]
    declared = _completed(declared or preset_for(seen.columns), seen.records, policy)
    if declared is None:
        raise ColumnNames(seen.columns).error(
            "the input has the columns {columns} and none has a declared role. "
            "Every column needs a role (drop leaves it out): add --column NAME=ROLE for each "
            "(text, id, patient, type, date, birth, pass, drop, hash, known:WHAT), or let "
            "`scrubline init --input ... --output job.toml` propose them in a config file",
            seen.columns,
        )
    declared = declared.resolved(seen.columns)
    flat = [form.name for form in forms if form.nesting is None]
    if declared.paths and flat:
        raise UsageError(
            f"columns {declared_list(declared.paths)} are paths into nested columns, which the "
            f"format {flat[0]} does not have"
        )
    hive = {key for file in seen.files for key, _ in file.partition}

    def where(name: str) -> str:
        return _place(seen.number(seen.first_in[name])) if len(seen.files) > 1 else ""

    declared.check(
        seen.columns,
        partial=any(form.traits.columns_are_partial for form in forms),
        unseen=hive.issuperset(seen.columns),
        where=where,
    )
    if textual := sorted(hive & set(declared.named(Role.TEXT))):
        raise UsageError(f"hive keys of folders cannot have role text: {declared_list(textual)}")
    for form in forms:
        form.check_roles(declared)
    return declared


def _completed(
    declared: Columns | None, records: frozenset[str], policy: Policy | None
) -> Columns | None:
    """The declared roles; of messages, laid over those of their format."""
    if len(records) > 1:
        raise UsageError(
            "the input has files of messages and of something else, or messages of two grammars: "
            "their roles differ, so give each a run and an output of its own"
        )
    if record := next(iter(records), ""):
        scopes = () if policy is None else policy.scopes
        filled = {n for n in PEOPLE_LABELS for one in scopes if one.action(n) == SURROGATE}
        overlaid = declared.overlaid_roles if declared else ()
        return Columns.of_record(record, overlaid, sorted(filled))
    if declared is not None and declared.partial:
        declared = dataclasses.replace(declared, partial=False)
    return declared


def check_types(storage: Storage, seen: InputSurvey, columns: Columns) -> None:
    """Checks the roles against the types of the columns.

    One file of each schema is inspected; all of them, if a column of an unsuitable type has no
    values in that one.

    Raises:
        UsageError: see `Format.check_types`.
    """
    by_schema: dict[tuple[str, str], list[int]] = {}
    for index in range(len(seen.files)):
        by_schema.setdefault((seen.formats[index], seen.schemas[index]), []).append(index)

    def suits_all(index: int) -> bool:
        form = open_format(seen.formats[index], seen.settings)
        try:
            return form.check_types(storage, seen.files[index], columns)
        except (UsageError, StorageError) as error:
            raise _in_file(error, seen.number(index), seen.files[index]) from None

    for first, *others in by_schema.values():
        if not suits_all(first):
            for _ in _for_each(suits_all, others):
                pass  # raised at the first file that has values


LEAST_UNIT, MOST_UNIT, UNITS = 1_000_000, 32_000_000, 32
"""Of a plan that is not told how large its units are: their sizes, and about how many they are."""


def unit_bytes(files: Sequence[InputFile]) -> int:
    """How large units are where nobody says: workers, up to eight, then have four each.

    It follows from the inputs alone. Were it to depend on the workers, the same run with one more
    of them would be another run.
    """
    return min(max(sum(file.size for file in files) // UNITS, LEAST_UNIT), MOST_UNIT)


def split(
    storage: Storage,
    seen: InputSurvey,
    split_bytes: int | None,
    limits: Limits,
    job_fingerprint: str,
    *,
    whole_files: bool = False,
) -> tuple[Unit, ...]:
    """Cuts the files into ranges and packs neighbours into units of up to `split_bytes`.

    Only neighbours of one format, schema and hive folder share a unit.

    Args:
        split_bytes: None for what `unit_bytes` says.
    """
    most = unit_bytes(seen.files) if split_bytes is None else split_bytes
    forms = {name: open_format(name, seen.settings) for name in dict.fromkeys(seen.formats)}

    def ranges(index: int) -> list[Locator]:
        form = forms[seen.formats[index]]
        try:
            file = seen.files[index]
            return form.plan(storage, index, file, _WHOLE if whole_files else most, limits)
        except (UsageError, StorageError) as error:
            raise _in_file(error, seen.number(index), seen.files[index]) from None

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

    for index, locators in enumerate(_for_each(ranges, range(len(seen.files)))):
        for locator in locators:
            if packed and not (
                _kind(seen, packed[0].file) == _kind(seen, index) and size + locator.bytes <= most
            ):
                pack()
            packed.append(locator)
            size += locator.bytes
    pack()
    return tuple(units)


def format_of_file(number: int, file: InputFile, asked: str | None = None) -> str:
    """The format of a listed file, by its name.

    Args:
        number: its place in the list, for the message.
        asked: see `format_of`.

    Raises:
        UsageError: see `format_of`.
    """
    try:
        return format_of(file.url, asked)
    except UsageError as error:
        raise _in_file(error, number, file) from None


def _place(number: int) -> str:
    """How messages name a file: counted from 1, as `input 1 of 2` is."""
    return f"input file {number + 1} (in the order of paths)"


def _in_file(
    error: UsageError | StorageError, number: int, file: InputFile
) -> UsageError | StorageError:
    """The error with its file: by number, and by name on the user's own terminal."""
    return error.within(_place(number), repr(posixpath.basename(file.url)))


def _for_each(action: Callable[[int], T], files: Sequence[int]) -> Iterator[T]:
    """The result of `action` for each of some files, in order, several at a time."""
    return map_in_threads(action, files, at_once=_LOOKS_AT_ONCE, ahead=_ASKED_AT_ONCE)


def _kind(seen: InputSurvey, index: int) -> tuple[object, ...]:
    return seen.formats[index], seen.schemas[index], seen.files[index].partition


def _split(storage: Storage, seen: InputSurvey, job: Job) -> tuple[Unit, ...]:
    return split(
        storage,
        seen,
        job.split_bytes,
        job.limits,
        job.fingerprint,
        whole_files=job.group_lines is not None,  # a note may be anywhere in a file
    )


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class PlannedRun:
    """A run that is planned, and what was opened to plan it.

    Attributes:
        policy: None for a run that was planned earlier: it was not read yet.
    """

    job: Job
    plan: Plan
    keys: Keys
    policy: Policy | None = None


def make_plan(
    storage: Storage,
    seen: InputSurvey,
    job: Job,
    increment: Increment | None = None,
    identity: Sequence[str] = (),
) -> tuple[Job, Plan]:
    """Splits the input and gives the job the id of its run.

    Args:
        job: complete but for `run`.
        increment: of an incremental run, where `seen` is not all of the inputs.
        identity: what else distinguishes this run from others.

    Raises:
        UsageError: if the folder of a hive value cannot be written.
    """
    _require_folders(seen, job)
    if job.split_bytes is None:
        job = dataclasses.replace(job, split_bytes=unit_bytes(seen.files))
    plan = Plan(seen.files, _split(storage, seen, job), increment)
    run = fingerprint(
        job.fingerprint,
        str(job.batch_documents),
        str(job.batch_bytes),
        str(job.keep_candidates),
        *((job.roster_generation,) if job.roster_generation else ()),
        *(() if job.risk else ("no risk",)),
        *(unit.name for unit in plan.units),
        *identity,
    )[:16]
    return dataclasses.replace(job, run=run), plan


def freeze(storage: Storage, job: Job, plan: Plan, keys: Keys) -> None:
    """Writes plan and job, sealed; the job last, as the sign that the plan is complete."""
    contents = plan.contents() | {JOB: job.to_json().encode()}
    # The seal comes first: if a run that is planned again is killed here, each file is either as it
    # was published and sealed, or as this seal says.
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
            f"there is no run {run} in this output, or its plan is no longer under restricted/"
        ) from None
    # The output may have been moved, or be mounted elsewhere: the place where it was found counts.
    return dataclasses.replace(Job.from_json(text), output=output)


def load_plan(storage: Storage, output: str, run: str) -> tuple[Job, Plan]:
    """Reads back what `freeze` wrote.

    Raises:
        UsageError: if there is no such run.
    """
    job = read_job(storage, output, run)
    return job, Plan.read(storage, job.restricted)


def _require_folders(seen: InputSurvey, job: Job) -> None:
    """Refuses hive values whose folders would have too long a name: escapes make them longer.

    Raises:
        UsageError: naming the key.
    """
    mirrored = (Role.PASS, Role.TYPE, Role.DATE, Role.BIRTH)
    for key, value in {pair for file in seen.files for pair in file.partition}:
        if job.columns.role_of(key) in mirrored and not fits(key, value):
            raise UsageError(
                f"a value of the hive key {key!r} is too long for the name of a folder once it is "
                f"escaped (over {MOST_FOLDER_BYTES} bytes): rename the folder, or give the key the "
                "role hash or drop"
            )
