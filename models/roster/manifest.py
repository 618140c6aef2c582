"""The manifest of a roster's bundle: what is in it, sealed by a keyed mark."""

from __future__ import annotations

import dataclasses
import datetime
import json
import re
from collections.abc import Mapping

from ..core.checked_json import parse_json
from ..core.errors import UsageError
from ..core.keys import Keys, fingerprint
from .sealing import RosterError

MANIFEST = "roster.json"
STAFF = "staff.bin"

_VERSION = 1
_MARK = "roster"
_SHARD = re.compile(r"patients-[0-9a-f]{2}\.bin|patients\.bin")


@dataclasses.dataclass(frozen=True, slots=True)
class RosterFile:
    """A file of a bundle.

    Attributes:
        rows: patients of a shard, hashes of the staff index.
        bytes: size.
        sha256: of its content.
    """

    rows: int
    bytes: int
    sha256: str


@dataclasses.dataclass(frozen=True, slots=True)
class RosterManifest:
    """What a bundle holds, in counts alone.

    Attributes:
        generation: 32 hex digits of all that the bundle knows; equal for equal tables and keys.
        date: of the tables, as its maker said, `YYYY-MM-DD`; "" if nothing was said. The clock is
            never asked.
        key_check: of the master key under which it is sealed.
        patients: with a row, those over the budget among them.
        over_budget: patients with too many values; their documents are quarantined.
        staff: people of the staff.
        values: how many values there are, by "kind.attribute".
        unusable: values of the tables by which nothing can be found.
        files: name in the bundle -> file; shards and the staff index.
        mark: keyed, of all of the above.
        version: of this form.
    """

    generation: str
    date: str
    key_check: str
    patients: int
    over_budget: int
    staff: int
    values: Mapping[str, int]
    unusable: Mapping[str, int]
    files: Mapping[str, RosterFile]
    mark: str
    version: int = _VERSION

    def to_bytes(self) -> bytes:
        """As JSON; equal manifests are equal bytes."""
        return _json(self)

    def marked(self, keys: Keys) -> RosterManifest:
        """The same with its mark."""
        return dataclasses.replace(self, mark=keys.mark(_MARK, self._content()))

    def require_made_by(self, keys: Keys) -> None:
        """Refuses what other keys made, or somebody without them.

        Raises:
            RosterError: with the check values, which reveal no key.
        """
        if self.key_check != keys.check:
            raise RosterError(
                f"roster: it is sealed under another master key (check value {self.key_check}, "
                f"this key's is {keys.check}); use that key, or build the roster again with this "
                "one"
            )
        if not keys.agrees(self.mark, _MARK, self._content()):
            raise RosterError("roster: its manifest was changed after it was built; build it again")

    def _content(self) -> bytes:
        return _json(dataclasses.replace(self, mark=""))


def read_manifest(data: bytes) -> RosterManifest:
    """Reads what `to_bytes` gave.

    Raises:
        RosterError: if it is anything else, to the byte.
    """
    try:
        manifest = parse_json(data, RosterManifest)
    except ValueError:
        raise RosterError(
            f"roster: {MANIFEST} is damaged or of another version; build the roster again"
        ) from None
    known = all(name == STAFF or _SHARD.fullmatch(name) for name in manifest.files)
    if manifest.to_bytes() != data or manifest.version != _VERSION or not known:
        raise RosterError(f"roster: {MANIFEST} is damaged; build the roster again")
    return manifest


def generation_of(key_check: str, files: Mapping[str, RosterFile]) -> str:
    """32 hex digits for the content of a bundle."""
    parts = [str(_VERSION), key_check]
    for name, file in sorted(files.items()):
        parts += [name, file.sha256]
    return fingerprint(*parts)[:32]


def check_date(text: str | None) -> str:
    """The date of a roster as it is kept.

    Raises:
        UsageError: if it is not `YYYY-MM-DD`.
    """
    if not text:
        return ""
    try:
        return datetime.date.fromisoformat(text).isoformat()
    except ValueError:
        raise UsageError("--date: expected YYYY-MM-DD") from None


def _json(manifest: RosterManifest) -> bytes:
    return json.dumps(dataclasses.asdict(manifest), sort_keys=True, indent=1).encode() + b"\n"
