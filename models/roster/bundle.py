"""A roster's bundle, read by key: what is opened never leaves memory.

Shards of a bundle on this machine are mapped where they lie. Those of a store are copied to a
local cache as they are, sealed. Each file is compared with the manifest when it is first used.
"""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from ..core.errors import OverBudget, StorageError
from ..core.keys import Keys
from ..core.known_values import KnownValue
from ..core.shortage import raise_shortage
from ..core.user_cache import user_cache
from ..storage.places import local_path
from ..storage.storage import Storage
from .manifest import MANIFEST, STAFF, read_manifest
from .packed_rows import unpack_row
from .sealing import RosterError, RowSealer, Shard
from .staff import StaffHash, StaffIndex


class RosterFiles:
    """The files of a bundle, sealed; needs no key.

    Attributes:
        manifest: as read; whether it is genuine, `require_made_by` of it says.

    Args:
        url: folder of the bundle, on this machine or in a store.
        storage: reads it.
        cache: folder for copies of what lies in a store; None for the user's cache.

    Raises:
        RosterError: if there is no bundle, or its manifest is damaged.
    """

    def __init__(self, url: str, storage: Storage | None = None, cache: Path | None = None) -> None:
        self._url, self._storage = url.rstrip("/") or url, storage or Storage()
        self._cache = cache
        try:
            content = self._storage.read_bytes(f"{self._url}/{MANIFEST}")
        except (FileNotFoundError, StorageError) as error:
            # A table in place of a roster is like a file that is not there.
            if not isinstance(error, FileNotFoundError) and "NotADirectory" not in str(error):
                raise
            raise RosterError(
                f"roster: there is no {MANIFEST}: not a roster, or one whose build did not end; "
                "name the folder that `scrubline roster build` made, not the table"
            ) from None
        self.manifest = read_manifest(content)
        self._maps: list[mmap.mmap] = []
        self._shards: dict[str, Shard] = {}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.manifest.generation})"

    def __enter__(self) -> RosterFiles:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of all files."""
        for shard in self._shards.values():
            shard.close()
        self._shards.clear()
        for mapped in self._maps:
            with contextlib.suppress(BufferError):  # the index of staff may still be in use
                mapped.close()
        self._maps.clear()

    @property
    def shard_names(self) -> tuple[str, ...]:
        """Files of patients, in the order of their keys."""
        return tuple(sorted(name for name in self.manifest.files if name != STAFF))

    def shard(self, name: str) -> Shard:
        """A shard, opened once.

        Raises:
            RosterError: if it is missing, cut or damaged.
        """
        if name not in self._shards:
            self._shards[name] = shard = Shard(self.content(name))
            if len(shard) != self.manifest.files[name].rows:
                raise _damaged()
        return self._shards[name]

    def shard_of(self, patient: bytes) -> Shard | None:
        """The shard that has a patient, if the roster has the patient at all."""
        names = (f"patients-{patient[0]:02x}.bin", "patients.bin")
        found = next((name for name in names if name in self.manifest.files), None)
        return None if found is None else self.shard(found)

    def sealed_rows(self) -> Iterator[tuple[bytes, bytes]]:
        """Yields each patient's key and sealed row, by key."""
        for name in self.shard_names:
            shard = self.shard(name)
            for row in range(len(shard)):
                yield shard.key(row), shard.sealed(row)

    def require_whole(self) -> None:
        """Looks whether all files are there, with their sizes; their content is not read.

        Raises:
            RosterError: if one is missing or cut.
        """
        sizes = self._storage.list_sizes(self._url)
        for name, file in self.manifest.files.items():
            if name not in sizes:
                raise RosterError("roster: a file of it is missing; copy it again")
            if sizes[name] != file.bytes:
                raise _damaged()

    def content(self, name: str) -> memoryview:
        """The bytes of a file, mapped into memory and compared with the manifest.

        Raises:
            RosterError: if they differ.
        """
        path = local_path(f"{self._url}/{name}") or self._cached(name)
        try:
            with open(path, "rb") as stream:
                if not os.fstat(stream.fileno()).st_size:
                    view = memoryview(b"")
                else:
                    mapped = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
                    self._maps.append(mapped)
                    view = memoryview(mapped)
        except OSError as error:
            raise_shortage(error)
            raise RosterError(
                f"roster: a file of it cannot be read ({type(error).__name__}); copy it again"
            ) from None
        if not self._is_whole(name, view):
            view.release()
            raise _damaged()
        return view

    def _is_whole(self, name: str, view: memoryview) -> bool:
        expected = self.manifest.files[name]
        if len(view) != expected.bytes:
            return False
        return hashlib.sha256(view).hexdigest() == expected.sha256

    def _cached(self, name: str) -> str:
        """The local copy of a file in a store, made if it is not there or not whole."""
        folder = (self._cache or user_cache() / "rosters") / self.manifest.generation
        path = folder / name
        if not path.exists() or not self._is_whole(name, memoryview(path.read_bytes())):
            try:
                content = self._storage.read_bytes(f"{self._url}/{name}")
            except (StorageError, FileNotFoundError):
                raise RosterError("roster: a file of it is missing; copy it again") from None
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            temporary = folder / f".{secrets.token_hex(8)}.new"
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(handle, "wb") as stream:
                stream.write(content)
            os.replace(temporary, path)
        return str(path)


class RosterBundle(RosterFiles):
    """A bundle with the key that opens it.

    Args:
        url: as for `RosterFiles`.
        keys: under which it was built.
        storage: reads it.
        cache: as for `RosterFiles`.

    Raises:
        RosterError: if it was built under another key, or its manifest was changed.
    """

    def __init__(
        self,
        url: str,
        keys: Keys,
        storage: Storage | None = None,
        cache: Path | None = None,
    ) -> None:
        super().__init__(url, storage, cache)
        self.manifest.require_made_by(keys)
        self._sealer, self._hashes = RowSealer(keys), StaffHash(keys)

    def row(self, patient_key: str) -> tuple[KnownValue, ...] | None:
        """What is known of a patient; None if the roster has no such patient.

        Args:
            patient_key: 32 hex digits, of `Keys.patient_key`.

        Raises:
            OverBudget: "roster", if the patient has too many values.
            RosterError: if the row is damaged.
        """
        sealed = self.sealed(patient_key)
        return None if sealed is None else self.opened(patient_key, sealed)

    def sealed(self, patient_key: str) -> bytes | None:
        """The sealed row of a patient; None if the roster has no such patient.

        Raises:
            RosterError: if a file is missing, cut or damaged.
        """
        patient = bytes.fromhex(patient_key)
        shard = self.shard_of(patient)
        at = None if shard is None else shard.find(patient)
        return None if shard is None or at is None else shard.sealed(at)

    def rows(self) -> Iterator[tuple[str, tuple[KnownValue, ...]]]:
        """Yields key and values of all patients, by key; of those over the budget no values."""
        for patient, sealed in self.sealed_rows():
            try:
                yield patient.hex(), self.opened(patient.hex(), sealed)
            except OverBudget:
                yield patient.hex(), ()

    def staff(self) -> StaffIndex:
        """The index of staff, mapped into memory."""
        return StaffIndex(self.content(STAFF), self._hashes)

    def opened(self, patient_key: str, sealed: bytes) -> tuple[KnownValue, ...]:
        """What a sealed row of a patient holds.

        Raises:
            OverBudget, RosterError: see `row`.
        """
        try:
            return unpack_row(self._sealer.open(bytes.fromhex(patient_key), sealed))
        except ValueError:
            raise _damaged() from None


def _damaged() -> RosterError:
    return RosterError(
        "roster: a file is cut, changed or of another bundle; copy or build it again"
    )
