"""The view as a run reads it: what stands in place of an age or a place of a patient.

A text shows the value of the patient's record, as coarse as the release has it, and only where it
says the same: the age of a mother and a town on the way are no values of the record, and get
markers. So nothing false is ever written, and nothing that the released rows do not say.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from typing import Literal

import numpy as np
import numpy.typing as npt

from ..core.errors import UsageError
from ..core.shortage import raise_shortage
from ..core.small_parquet import table_in
from ..storage.storage import Storage
from .attributes import LABELS, age_at_place, read_value
from .hierarchies import HIERARCHIES, UNKNOWN
from .release import CLASS_SIZE, Release

_SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")

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

    def of_text(self, label: str, text: str, start: int, end: int) -> tuple[str, str] | None:
        """The attribute that a stretch tells of, and its value as it may go out; None for no value.

        At the last level nothing is left to tell. A number of months is no age in years.
        """
        attribute = LABELS.get(label)
        if attribute is None or attribute not in self.levels:
            return None
        level, hierarchy = self.levels[attribute], HIERARCHIES[attribute]
        covered = text[start:end]
        if attribute == "age":
            covered, is_alone = age_at_place(text, start, end)
            if not is_alone:
                return None
        value = read_value(attribute, covered, self.restricted)
        if value is None or value == UNKNOWN or level == hierarchy.most:
            return None
        return attribute, hierarchy.at(value, level)

    def shown(self, patient: str, label: str, text: str, start: int, end: int) -> str | None:
        """What stands in place of a stretch of which it is known that its record says the same."""
        found = self.of_text(label, text, start, end)
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
        # 32 hex digits a patient, as two numbers.
        joined = bytes.fromhex("".join(table["patient_key"].to_pylist()))
        self._keys = np.frombuffer(joined, ">u8").astype(np.uint64).reshape(-1, 2)
        self._codes: dict[str, npt.NDArray[np.uint16]] = {}
        self._values: dict[str, list[str]] = {}
        for name in names:
            column = table[name].combine_chunks().dictionary_encode()
            self._codes[name] = column.indices.to_numpy().astype(np.uint16)
            self._values[name] = [
                HIERARCHIES[name].at(value, levels[name]) for value in column.dictionary.to_pylist()
            ]

    def shown(self, patient: str, label: str, text: str, start: int, end: int) -> str | None:
        """What stands in place of a stretch of a patient's note; None for a marker."""
        found = self._levels.of_text(label, text, start, end)
        if found is None:
            return None
        attribute, value = found
        at = self._place(patient)
        if at is None:
            return None
        of_record = self._values[attribute][int(self._codes[attribute][at])]
        return value if value == of_record else None

    def _place(self, patient: str) -> int | None:
        """The row of a patient; None for one of whom nothing is released."""
        high, low = int(patient[:16], 16), int(patient[16:], 16)
        first, end = (
            int(np.searchsorted(self._keys[:, 0], np.uint64(high), side)) for side in _SIDES
        )
        at = first + int(np.searchsorted(self._keys[first:end, 1], np.uint64(low)))
        return at if at < end and int(self._keys[at, 1]) == low else None


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
