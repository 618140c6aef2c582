"""Budgets: deterministic limits of one document. Over any of them it is quarantined, never cut."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from typing import Any

from .errors import DocumentError, OverBudget, UsageError
from .suggestions import did_you_mean

BATCH_DOCUMENTS, BATCH_BYTES = 256, 500_000
"""Most documents and bytes of a batch, unless a job says otherwise."""

_SINCE = {"max_encoded_share": (0, 9)}
"""The version that brought a budget; earlier ones neither wrote it down nor hashed it."""

_VERSION = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9}){0,3}")


@dataclasses.dataclass(frozen=True, slots=True)
class Budgets:
    """Limits by size, never by clock, so that slow and fast machines decide alike.

    Attributes:
        document_bytes: UTF-8 bytes of a text.
        line_bytes: bytes of one line of a line format.
        line_characters: code points of one line of a text (what a CRF sees as one sequence is
            bounded by it).
        tokens: fine tokens of a document.
        candidates: candidates of a document.
        unpacked_ratio: times its size that a compressed file, or a row group of Parquet, may unpack
            to (64 MB are always allowed); its rest is quarantined as one row, a row group whole.
        max_encoded_share: of the characters of a text that may stand in base64 or in hexadecimal
            digits, above 0 to 1; see `views.batches`.
    """

    document_bytes: int = 16_000_000
    line_bytes: int = 64_000_000
    line_characters: int = 4_000_000
    tokens: int = 4_000_000
    candidates: int = 200_000
    unpacked_ratio: int = 250
    max_encoded_share: float = 0.5

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            if field.name == "max_encoded_share":
                if not 0 < self.max_encoded_share <= 1:
                    raise UsageError(
                        "budget max_encoded_share must be greater than 0 and at most 1, got "
                        f"{self.max_encoded_share}"
                    )
            elif getattr(self, field.name) < 1:
                raise UsageError(
                    f"budget {field.name} must be at least 1, got {getattr(self, field.name)}"
                )

    @classmethod
    def parse(cls, pairs: Iterable[tuple[str, object]]) -> Budgets:
        """Budgets of names and values; those that are not named keep their defaults.

        Raises:
            UsageError: for an unknown name, or a value that cannot be used.
        """
        known = {field.name: field for field in dataclasses.fields(cls)}
        values: dict[str, Any] = {}
        for name, value in pairs:
            if name not in known:
                meant = did_you_mean(name, known)
                raise UsageError(f"unknown budget {name!r}{meant}; known are {', '.join(known)}")
            is_share = str(known[name].type) == "float"
            if not isinstance(value, int | float if is_share else int) or isinstance(value, bool):
                kind = "a number" if is_share else "a whole number"
                raise UsageError(f"budget {name} must be {kind}")
            values[name] = float(value) if is_share else value
        return cls(**values)

    def of_version(self, version: str) -> dict[str, int | float]:
        """What a version of the program writes down of it, and takes into its fingerprints."""
        return {name: getattr(self, name) for name in budgets_of(version)}


def budgets_of(version: str) -> tuple[str, ...]:
    """The names of the budgets that a version of the program has, in the order of fingerprints.

    Args:
        version: as "0.9.0"; anything else has all of them.
    """
    names = tuple(field.name for field in dataclasses.fields(Budgets))
    if not _VERSION.fullmatch(version):
        return names
    numbers = tuple(map(int, version.split(".")))
    return tuple(name for name in names if numbers >= _SINCE.get(name, ()))


def check_text(text: object, budgets: Budgets) -> None:
    """Refuses what cannot be scrubbed and written back as UTF-8.

    Raises:
        DocumentError: "NotText", "LoneSurrogate".
        OverBudget: bytes or line.
    """
    if not isinstance(text, str):
        raise DocumentError("NotText")
    if len(text) > budgets.document_bytes:
        raise OverBudget("bytes")
    try:
        size = len(text) if text.isascii() else len(text.encode())
    except UnicodeEncodeError:
        raise DocumentError("LoneSurrogate") from None
    if size > budgets.document_bytes:
        raise OverBudget("bytes")
    if len(text) > budgets.line_characters and _longest_line(text) > budgets.line_characters:
        raise OverBudget("line")


def _longest_line(text: str) -> int:
    """Length of the longest line in code points, by line feed and carriage return alone."""
    return max((len(part) for line in text.split("\n") for part in line.split("\r")), default=0)
