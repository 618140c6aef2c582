"""Budgets: deterministic limits of one document. Over any of them it is quarantined, never cut."""

from __future__ import annotations

import dataclasses

from .errors import DocumentError, OverBudget, UsageError


@dataclasses.dataclass(frozen=True, slots=True)
class Budgets:
    """Limits by size, never by clock, so that a slow machine decides as a fast one.

    Attributes:
        document_bytes: UTF-8 bytes of a text.
        line_bytes: bytes of one line of a line format.
        line_characters: code points of one line of a text (what a CRF sees as one sequence is
            bounded by it).
        tokens: fine tokens of a document.
        candidates: candidates of a document.
        unpacked_ratio: times its size that a compressed file may unpack to (64 MB are always
            allowed); its rest is quarantined as one row.
    """

    document_bytes: int = 16_000_000
    line_bytes: int = 64_000_000
    line_characters: int = 4_000_000
    tokens: int = 4_000_000
    candidates: int = 200_000
    unpacked_ratio: int = 250

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            if getattr(self, field.name) < 1:
                raise UsageError(
                    f"budget {field.name} must be at least 1, got {getattr(self, field.name)}"
                )


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
