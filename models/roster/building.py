"""From tables to a sealed bundle: the same tables and key, the same bytes."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from ..core.errors import UsageError
from ..core.keys import Keys
from ..core.known_values import PersonKind
from ..storage.storage import Storage
from .grouping import MOST_HELD, Group, ValueGroups
from .manifest import MANIFEST, STAFF, RosterFile, RosterManifest, generation_of
from .packed_rows import MOST_VALUES, is_over, pack_row, pack_value, unpack_row
from .sealing import RowSealer, shard_bytes
from .staff import HASH_BYTES, StaffHash, staff_hashes
from .tables import PeopleTables, PersonValue, TableCounts, TableFaults

MOST_IN_ONE_SHARD = 4096
"""Up to so many patients are one shard; more are 256, by the first byte of their keys."""

_REPORT_EVERY = 50_000

Progress = Callable[[int, int], None]
"""Told now and then: values read, and patients sealed."""


def build_roster(
    tables: PeopleTables,
    keys: Keys,
    output: str,
    *,
    storage: Storage,
    date: str = "",
    progress: Progress = lambda values, patients: None,
    most_held: int = MOST_HELD,
) -> tuple[RosterManifest, TableCounts]:
    """Reads tables and writes a bundle; its manifest comes last.

    Args:
        tables: opened.
        keys: of the project; rows are sealed under a subkey of them.
        output: folder or URL, checked to be new.
        storage: writes it.
        date: of the tables; see `RosterManifest`.
        progress: see `Progress`.
        most_held: values in memory; it does not change what is written.

    Raises:
        UsageError: if the tables have faults, or hold nobody; then nothing is written.
    """
    counts, faults = TableCounts(), TableFaults()
    with ValueGroups(MOST_VALUES, most_held) as patients, ValueGroups(MOST_VALUES, most_held) as st:
        for number, value in enumerate(tables.values(counts, faults)):
            is_staff = value.known.kind is PersonKind.STAFF
            (st if is_staff else patients).add(_key(keys, value, is_staff), pack_value(value.known))
            if number % _REPORT_EVERY == 0:
                progress(number, 0)
        faults.require_none()
        if not counts.values:
            raise UsageError(
                f"nobody is in the tables: none of {counts.rows:,} rows has a value by which "
                "somebody can be found. Nothing is written"
            )
        writer = _BundleWriter(keys, output, storage, progress)
        writer.write_patients(patients)
        staff = writer.write_staff(st)
    manifest = RosterManifest(
        generation=generation_of(keys.check, writer.files),
        date=date,
        key_check=keys.check,
        patients=writer.patients,
        over_budget=writer.over,
        staff=staff,
        values=dict(sorted(writer.values.items())),
        unusable=dict(sorted(counts.unusable.items())),
        files=writer.files,
        mark="",
    ).marked(keys)
    storage.write_bytes(f"{output}/{MANIFEST}", manifest.to_bytes())
    return manifest, counts


def _key(keys: Keys, value: PersonValue, is_staff: bool) -> bytes:
    # Of staff it only groups; a patient of the same id has another key.
    owner = f"\0staff\0{value.owner}" if is_staff else value.owner
    return bytes.fromhex(keys.patient_key(owner))


class _BundleWriter:
    """Writes the files of a bundle, and counts."""

    def __init__(self, keys: Keys, output: str, storage: Storage, progress: Progress) -> None:
        self._sealer, self._hashes = RowSealer(keys), StaffHash(keys)
        self._output, self._storage, self._progress = output, storage, progress
        self.files: dict[str, RosterFile] = {}
        self.values: Counter[str] = Counter()
        self.patients = self.over = 0

    def write_patients(self, groups: ValueGroups) -> None:
        """Seals all rows and writes them in shards."""
        waiting: list[list[tuple[bytes, bytes]]] = []
        for part, group in enumerate(groups.partitions()):
            rows = self._rows(group)
            if self.patients <= MOST_IN_ONE_SHARD:
                waiting.append(rows)
                continue
            for number, earlier in enumerate(waiting):
                self._write_shard(f"patients-{number:02x}.bin", earlier)
            waiting = []
            self._write_shard(f"patients-{part:02x}.bin", rows)
        if waiting:
            self._write_shard("patients.bin", [row for rows in waiting for row in rows])

    def _rows(self, groups: Sequence[Group]) -> list[tuple[bytes, bytes]]:
        rows = []
        for patient, values in groups:
            content = pack_row(values)
            if is_over(content):
                self.over += 1
            else:
                self.values.update(f"{v.kind}.{v.attribute}" for v in unpack_row(content))
            rows.append((patient, self._sealer.seal(patient, content)))
        self.patients += len(rows)
        self._progress(0, self.patients)
        return rows

    def _write_shard(self, name: str, rows: list[tuple[bytes, bytes]]) -> None:
        self._write(name, shard_bytes(rows), len(rows))

    def write_staff(self, groups: ValueGroups) -> int:
        """Writes the index of staff; gives how many people it is of."""
        hashes: set[int] = set()
        people = 0
        for part in groups.partitions():
            for _, values in part:
                known = unpack_row(pack_row(sorted(values)[:MOST_VALUES]))
                hashes |= staff_hashes(known, self._hashes)
                self.values.update(f"{v.kind}.{v.attribute}" for v in known)
                people += 1
        content = b"".join(value.to_bytes(HASH_BYTES, "little") for value in sorted(hashes))
        self._write(STAFF, content, len(hashes))
        return people

    def _write(self, name: str, content: bytes, rows: int) -> None:
        self._storage.write_bytes(f"{self._output}/{name}", content)
        digest = hashlib.sha256(content).hexdigest()
        self.files[name] = RosterFile(rows, len(content), digest)


def sizes(manifest: RosterManifest) -> Iterable[tuple[str, int, int]]:
    """Yields files of a bundle with their rows and bytes, by name."""
    for name, file in sorted(manifest.files.items()):
        yield name, file.rows, file.bytes
