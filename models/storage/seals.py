"""The seal of an output: keyed marks that only holders of the master key can make.

A mark is HMAC-SHA256, under a subkey of its own, over the name and the content of one file. The
seal lists a mark for each file that it covers and is itself marked. So a forged manifest or receipt
is detected without the originals. It does not protect against a holder of the key, nor against
someone who puts a complete older output back in its place.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from ..core.checked_json import parse_json
from ..core.keys import Keys

_VERSION = 1


class SealDamaged(ValueError):
    """The file in the place of a seal is not a seal."""


@dataclasses.dataclass(frozen=True, slots=True)
class Seal:
    """The seal of one publication.

    Attributes:
        run: the run that was published.
        key_check: of the master key under which it was made.
        adopted: runs whose receipts were taken over from an output that had no valid seal.
        marks: path below the output -> mark of its content, 64 hex digits.
        mark: of all of the above.
        version: of this form.
    """

    run: str
    key_check: str
    adopted: tuple[str, ...]
    marks: Mapping[str, str]
    mark: str
    version: int = _VERSION

    def to_bytes(self) -> bytes:
        """As JSON; equal seals are equal bytes."""
        return _json(dataclasses.asdict(self), indent=1)

    @classmethod
    def from_bytes(cls, data: bytes) -> Seal:
        """Reads what `to_bytes` gave.

        Raises:
            SealDamaged: if it is anything else, to the byte.
        """
        try:
            seal = parse_json(data, cls)
        except ValueError:
            raise SealDamaged from None
        if seal.to_bytes() != data or seal.version != _VERSION:
            raise SealDamaged
        return seal

    def is_made_by(self, keys: Keys) -> bool:
        """Whether these keys made it, and nothing of it was changed since."""
        return keys.agrees(self.mark, "seal", self._content())

    def agrees(self, keys: Keys, path: str, content: bytes) -> bool:
        """Whether a file is as it was sealed; one that the seal does not list is not."""
        return path in self.marks and keys.agrees(self.marks[path], path, content)

    def _content(self) -> bytes:
        return _json(dataclasses.asdict(self) | {"mark": ""})


def make_seal(
    keys: Keys,
    run: str,
    contents: Mapping[str, bytes],
    *,
    carried: Mapping[str, str],
    adopted: tuple[str, ...],
) -> Seal:
    """Seals some files.

    Args:
        contents: path below the output -> content.
        carried: marks of an earlier seal that still hold.
        adopted: see `Seal`.
    """
    marks = {**carried, **{path: keys.mark(path, data) for path, data in contents.items()}}
    bare = Seal(run, keys.check, adopted, dict(sorted(marks.items())), "")
    return dataclasses.replace(bare, mark=keys.mark("seal", bare._content()))


def _json(value: Mapping[str, Any], indent: int | None = None) -> bytes:
    return json.dumps(value, sort_keys=True, indent=indent).encode()
