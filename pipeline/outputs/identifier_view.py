"""The identifier view of an output: built from what its units tell, checked, and released.

    OUT/restricted/<run>/view/<unit>.parquet   what the notes of a unit say of their patients
    OUT/restricted/view/patients-<n>.parquet   a row a patient, as fine as anything that is kept
    OUT/restricted/view/release.json           levels, requirement and counts; written last
    OUT/view/patients.parquet                  the released rows, anonymous

Source: Gardner et al. 2010, "An Evaluation of Feature Sets and Sampling Techniques for
De-identification of Medical Records", §3, identifier view and anonymisation.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ...models.core.errors import StorageError, UsageError
from ...models.core.shortage import raise_shortage
from ...models.core.small_parquet import row_groups_between, table_in
from ...models.jobs.plan import parquet_bytes
from ...models.jobs.receipts import Part
from ...models.patient_view.anonymity import Requirement, generalised
from ...models.patient_view.attributes import ViewAttributes
from ...models.patient_view.merging import VIEW, ViewTable, merged
from ...models.patient_view.release import RELEASE, ROWS, Release, ViewRows, ViewRules
from ...models.storage.storage import Storage
from .catalogue import Catalogue, CatalogueEntry
from .manifest import read_manifest
from .planning import read_job
from .source_documents import key_check_of
from .state import lock_file

PUBLIC = "view/patients.parquet"
FILES = re.compile(r"view/(release\.json|budget\.json|patients-[0-9]+\.parquet)")
"""Those under restricted/."""

OUTDATED = "the output was published since the view was built: build it again"
_FOLDER = "restricted/view"
_BUCKET_ROWS = 4_000_000
"""Most rows of units that are merged at once, about."""

_KEYS = 1 << 16
"""Patients are cut into buckets by the first four hex digits of their keys."""


@dataclasses.dataclass(frozen=True, slots=True)
class BuiltView:
    """What a build came to.

    Attributes:
        release: that is written.
        silent_units: that were written without these `--view-attributes`, and tell nothing.
    """

    release: Release
    silent_units: int


def build_view(
    storage: Storage,
    output: str,
    asked: Mapping[str, Any] = MappingProxyType({}),
    *,
    relevel: bool = False,
    dry_run: bool = False,
) -> BuiltView:
    """Builds the view of a published output and releases it.

    The first time levels are chosen; they are frozen, and later builds leave out whoever would be
    in too small a class. The release is written before the rows that it names: of a build that was
    killed between the two, `check_view` tells.

    Args:
        asked: fields of `Requirement`; what is not named is as in the last release, else the
            default.
        relevel: choose levels anew.
        dry_run: write nothing.

    Raises:
        UsageError: if there is nothing to build from, another requirement is asked for than that of
            the first release, or no levels do.
        StorageError: if a part cannot be read.
    """
    manifest = read_manifest(storage, output)
    attributes = read_job(storage, output, str(manifest["run"])).view
    if attributes is None:
        raise UsageError(
            "the last run of this output wrote nothing for a view: scrub with --view-attributes"
        )
    with storage.locked(lock_file(output)) as still_ours:
        last = read_release(storage, output)
        requirement = _requirement(last, asked, relevel=relevel)
        units = Catalogue.read(storage, output).units.values()
        parts = list(_parts_alike(storage, output, units, attributes))
        table = ViewTable.of(_buckets(storage, output, parts, attributes.names), attributes.names)
        if last is None or relevel:
            rules = ViewRules.chosen(table, attributes, requirement)
        else:
            rules = _frozen(last, attributes)
        rows = ViewRows.of(table, rules)
        number = 1 + (last.number if last else 0)
        place = f"{_FOLDER}/patients-{number}.parquet"
        restricted, public = parquet_bytes(rows.restricted), parquet_bytes(rows.public)
        release = Release(
            number=number,
            levels_number=(last.levels_number if last else 0) + (relevel or last is None),
            run=str(manifest["run"]),
            key_check=key_check_of(manifest),
            rules=rules,
            patients=len(table.patients),
            suppressed=rows.suppressed,
            classes=rows.classes,
            known=rows.known,
            rows=place,
            rows_sha256=hashlib.sha256(restricted).hexdigest(),
            public_sha256=hashlib.sha256(public).hexdigest(),
        )
        if not dry_run:
            still_ours()
            storage.write_bytes(f"{output}/{place}", restricted)
            storage.write_bytes(f"{output}/{RELEASE}", release.to_json().encode())
            storage.write_bytes(f"{output}/{PUBLIC}", public)
            for name in storage.list_names(f"{output}/{_FOLDER}"):
                if ROWS.fullmatch(f"{_FOLDER}/{name}") and f"{_FOLDER}/{name}" != place:
                    storage.delete(f"{output}/{_FOLDER}/{name}")
    return BuiltView(release, len(units) - len(parts))


def read_release(storage: Storage, output: str) -> Release | None:
    """The release of an output; None if there is none yet."""
    try:
        return Release.from_json(storage.read_bytes(f"{output}/{RELEASE}"))
    except FileNotFoundError:
        return None


def require_release(storage: Storage, output: str) -> Release:
    """The release of an output.

    Raises:
        UsageError: if there is none.
    """
    release = read_release(storage, output)
    if release is None:
        raise UsageError("this output has no view: make one with `scrubline view build`")
    return release


def _requirement(last: Release | None, asked: Mapping[str, Any], *, relevel: bool) -> Requirement:
    if last is None and relevel:
        raise UsageError("view relevel: there is no release yet: make the first with `view build`")
    before = last.rules.requirement if last else Requirement()
    now = dataclasses.replace(before, **asked)
    if last is not None and not relevel and now != before:
        raise UsageError(
            "view build: the levels and what is required are frozen with the first release; "
            "`view relevel` chooses anew: whoever has both releases can tell more from the two "
            "than from each"
        )
    return now


def _frozen(last: Release, attributes: ViewAttributes) -> ViewRules:
    rules = last.rules
    if (tuple(sorted(rules.levels)), rules.sensitive, rules.from_texts) != (
        attributes.identifying,
        attributes.sensitive,
        attributes.from_texts,
    ):
        raise UsageError(
            "view build: the last run has other --view-attributes than the release: choose levels "
            "anew with `view relevel`"
        )
    return rules


def _parts_alike(
    storage: Storage, output: str, units: Iterable[CatalogueEntry], attributes: ViewAttributes
) -> Iterator[Part]:
    """Yields what units tell whose run asked for the same attributes, from the same places."""
    same: dict[str, bool] = {}
    for entry in units:
        if (part := entry.receipt.view_part) is not None:
            if entry.run not in same:
                same[entry.run] = read_job(storage, output, entry.run).view == attributes
            if same[entry.run]:
                yield part


def _buckets(
    storage: Storage, output: str, parts: Sequence[Part], names: Sequence[str]
) -> Iterator[pa.Table]:
    """Yields the merged rows of the patients, by ranges of their keys."""
    rows = sum(_checked_rows(storage, output, part) for part in parts)
    count = max(1, -(-rows // _BUCKET_ROWS))
    bounds = [_KEYS * at // count for at in range(count + 1)]
    for low, high in zip(bounds[:-1], bounds[1:], strict=True):
        first, end = f"{low:04x}", f"{high:04x}" if high < _KEYS else "g"
        urls = (f"{output}/{part.path}" for part in parts)
        yield merged((_between(storage, url, first, end) for url in urls), names)


def _checked_rows(storage: Storage, output: str, part: Part) -> int:
    """The number of rows of a part of a unit, which is as the unit wrote it.

    Raises:
        UsageError: if it is not.
    """
    try:
        content = storage.read_bytes(f"{output}/{part.path}")
        if hashlib.sha256(content).hexdigest() == part.sha256:
            return int(pq.ParquetFile(io.BytesIO(content), pre_buffer=False).metadata.num_rows)
    except FileNotFoundError:
        pass
    raise UsageError(
        f"{part.path} is damaged or gone: remove it, then scrub with --incremental, which reads "
        "the inputs of its unit again"
    )


def _between(storage: Storage, url: str, first: str, end: str) -> pa.Table:
    """The rows of a part whose patients have keys in a range; rows are sorted by them."""
    with storage.open_read(url) as stream:
        file = pq.ParquetFile(stream, pre_buffer=False)
        groups = row_groups_between(file, first, end)
        table = file.read_row_groups(groups, columns=VIEW.names, use_threads=False)
    keys = table["patient_key"].to_numpy(zero_copy_only=False)
    low, high = np.searchsorted(keys, [first, end]) if len(keys) else (0, 0)
    return table.slice(low, high - low)


@dataclasses.dataclass(frozen=True, slots=True)
class CheckedView:
    """What a check of a view found.

    Attributes:
        release: of the output.
        faults: what is wrong with what was released.
        is_current: whether it was built from what is published now.
    """

    release: Release
    faults: tuple[str, ...]
    is_current: bool


def check_view(storage: Storage, output: str) -> CheckedView:
    """Looks whether what was released of an output is as it should be.

    Sizes of classes and different values are counted from the released rows alone; all else that
    was asked for holds if the restricted rows, made anonymous again, give these.

    Raises:
        UsageError: if there is none.
    """
    release = require_release(storage, output)
    faults: list[str] = []
    public = _read(storage, output, PUBLIC, release.public_sha256, faults)
    restricted = _read(storage, output, release.rows, release.rows_sha256, faults)
    if public is not None:
        faults += _too_telling(public, release.rules)
    if restricted is not None and public is not None:
        rules = release.rules
        table = ViewTable.of([restricted.select(["patient_key", *rules.names])], rules.names)
        if not ViewRows.of(table, rules).public.equals(public):
            faults.append("the released rows are not what the restricted rows give")
    is_current = read_manifest(storage, output)["run"] == release.run
    return CheckedView(release, tuple(faults), is_current)


def _read(
    storage: Storage, output: str, place: str, sha256: str, faults: list[str]
) -> pa.Table | None:
    try:
        content = storage.read_bytes(f"{output}/{place}")
        if hashlib.sha256(content).hexdigest() != sha256:
            faults.append(f"{place} is not what was built")
        return table_in(content)
    except FileNotFoundError:
        faults.append(f"{place} is gone")
    except StorageError:
        raise
    except Exception as error:  # whatever is wrong with it
        raise_shortage(error)
        faults.append(f"{place} is damaged")
    return None


def _too_telling(public: pa.Table, rules: ViewRules) -> Iterator[str]:
    """Yields what the released rows tell that they must not."""
    if public.column_names != ["patient_key", *rules.names]:
        yield f"{PUBLIC} has other columns than the view"
        return
    if not len(public):
        return
    asked, sensitive = rules.requirement, rules.sensitive
    classes = public.group_by(sorted(rules.levels)).aggregate(
        [("patient_key", "count_distinct"), *((name, "count_distinct") for name in sensitive)]
    )
    if few := pc.sum(pc.less(classes["patient_key_count_distinct"], asked.k)).as_py():
        yield f"{few} of {len(classes)} classes have fewer than {asked.k} patients"
    for name in sensitive:
        if few := pc.sum(pc.less(classes[f"{name}_count_distinct"], asked.l_distinct)).as_py():
            yield f"{few} of {len(classes)} classes have fewer than {asked.l_distinct} {name}"
    # All that was asked for, of what is released alone: as coarse as it is to be, it is level 0.
    table = ViewTable.of([public], rules.names)
    as_it_is = dataclasses.replace(rules, levels=dict.fromkeys(rules.levels, 0))
    found = generalised(as_it_is.counted(table), [0] * len(rules.levels), asked)
    if found.suppressed:
        yield f"{int(found.fails.sum())} classes do not fulfil what was asked for"
