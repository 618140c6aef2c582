"""The view as a run reads it: what stands in place of an age or a place of a patient.

A text shows the value of the patient's record, as coarse as the release has it, and only where it
says the same: the age of a mother and a town on the way are no values of the record, and get
markers. So nothing false is ever written, and nothing that the released rows do not say.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ..core.errors import UsageError
from ..core.shortage import raise_shortage
from ..core.small_parquet import table_in
from ..storage.storage import Storage
from .attributes import LABELS, read_value
from .hierarchies import HIERARCHIES, UNKNOWN
from .release import CLASS_SIZE, Release

Levels = tuple[tuple[str, int], ...]
"""Attribute -> level, sorted."""


@dataclasses.dataclass(frozen=True, slots=True)
class ViewLevels:
    """How coarse what a text says becomes.

    Attributes:
        levels: of a release.
        restricted: ZIP prefixes that become 000.
    """

    levels: Mapping[str, int]
    restricted: frozenset[str]

    def of_text(self, label: str, covered: str) -> tuple[str, str] | None:
        """The attribute that a text tells of, and its value as it may go out; None for no value.

        At the last level nothing is left to tell.
        """
        attribute = LABELS.get(label)
        if attribute is None or attribute not in self.levels:
            return None
        level, hierarchy = self.levels[attribute], HIERARCHIES[attribute]
        value = read_value(attribute, covered, self.restricted)
        if value is None or value == UNKNOWN or level == hierarchy.most:
            return None
        return attribute, hierarchy.at(value, level)

    def shown(self, patient: str, label: str, covered: str) -> str | None:
        """What stands in place of a text of which it is known that its record says the same."""
        found = self.of_text(label, covered)
        return None if found is None else found[1]


class RecordView:
    """The values of all records of a release.

    Attributes:
        generation: hash of the release.
    """

    __slots__ = ("_codes", "_keys", "_levels", "_values", "generation")

    def __init__(self, storage: Storage, place: str, restricted: frozenset[str]) -> None:
        """Reads a release.

        Args:
            place: URL of the folder of the release.
            restricted: see `ViewLevels`.

        Raises:
            UsageError: if it is missing or damaged.
        """
        release, self.generation = read_release_at(storage, place)
        levels = release.rules.levels
        self._levels = ViewLevels(levels, restricted)
        try:
            content = storage.read_bytes(f"{place}/{release.rows.rpartition('/')[2]}")
            if hashlib.sha256(content).hexdigest() != release.rows_sha256:
                raise ValueError("changed")
            names = sorted(set(LABELS.values()) & levels.keys())
            table = table_in(content, ["patient_key", CLASS_SIZE, *names])
        except FileNotFoundError:
            raise UsageError("--view-release: its rows are gone: build the view again") from None
        except Exception as error:  # whatever is wrong with it
            raise_shortage(error)
            raise UsageError(
                f"--view-release: its rows are damaged ({type(error).__name__}): build it again"
            ) from None
        table = table.filter(np.asarray(table[CLASS_SIZE]) > 0)
        # 32 hex digits a patient, as 16 bytes.
        joined = "".join(table["patient_key"].to_pylist())
        self._keys: npt.NDArray[np.bytes_] = np.frombuffer(bytes.fromhex(joined), "S16")
        self._codes: dict[str, npt.NDArray[np.uint16]] = {}
        self._values: dict[str, list[str]] = {}
        for name in names:
            column = table[name].combine_chunks().dictionary_encode()
            self._codes[name] = column.indices.to_numpy().astype(np.uint16)
            self._values[name] = [
                HIERARCHIES[name].at(value, levels[name]) for value in column.dictionary.to_pylist()
            ]

    def shown(self, patient: str, label: str, covered: str) -> str | None:
        """What stands in place of a text of a patient's note; None for a marker."""
        found = self._levels.of_text(label, covered)
        if found is None:
            return None
        attribute, value = found
        key = np.bytes_(bytes.fromhex(patient))
        at = int(np.searchsorted(self._keys, key))
        if at == len(self._keys) or self._keys[at] != key:
            return None
        of_record = self._values[attribute][int(self._codes[attribute][at])]
        return value if value == of_record else None


def read_release_at(storage: Storage, place: str) -> tuple[Release, str]:
    """The release in a folder, and its generation.

    Raises:
        UsageError: if it is missing or damaged.
    """
    try:
        content = storage.read_bytes(f"{place}/release.json")
    except FileNotFoundError:
        raise UsageError(
            "--view-release: there is no release in this folder; it is restricted/view of an "
            "output of which `scrubline view build` made one"
        ) from None
    return Release.from_json(content), hashlib.sha256(content).hexdigest()[:16]
