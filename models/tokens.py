"""Tokens of a batch: exact offsets, sentences, lines and sections, columnar.

The two layers share one table. A row is a *fine* token; a *coarse* token (`3/4/12`, `t98.6`) is a
run of fine tokens without white space between them, marked by `starts_coarse` at its first.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from .columns import Flags, Ints, require_equal_lengths, require_offsets


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tokens:
    """The fine tokens of all documents of a batch, in text order.

    Attributes:
        document_offsets: row pointers, one more than documents: tokens of document d are rows
            `document_offsets[d]` to `document_offsets[d + 1]`.
        starts: first code point of each token in its document's text.
        ends: one past the last code point, always greater than `starts`.
        starts_coarse: true where a coarse token begins.
        starts_line: true where the token is the first of its (non-blank) line.
        starts_sentence: true where the token is the first of its sentence.
        sections: index into `section_names` of the heading above the token, or -1 before any
            heading.
        section_names: canonical names (`models.tokenizing.SECTIONS`).
    """

    document_offsets: Ints
    starts: Ints
    ends: Ints
    starts_coarse: Flags
    starts_line: Flags
    starts_sentence: Flags
    sections: Ints
    section_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        rows = require_equal_lengths(
            "Tokens",
            starts=self.starts,
            ends=self.ends,
            starts_coarse=self.starts_coarse,
            starts_line=self.starts_line,
            starts_sentence=self.starts_sentence,
            sections=self.sections,
        )
        require_offsets("Tokens", self.document_offsets, rows)

    def __len__(self) -> int:
        return len(self.starts)

    def of_document(self, document: int) -> slice:
        """The rows of one document."""
        return slice(int(self.document_offsets[document]), int(self.document_offsets[document + 1]))

    def texts(self, document: int, text: str) -> list[str]:
        """The covered text of each token of one document."""
        rows = self.of_document(document)
        return [
            text[s:e]
            for s, e in zip(self.starts[rows].tolist(), self.ends[rows].tolist(), strict=True)
        ]


EMPTY = Tokens(
    np.zeros(1, np.int64),
    *(np.zeros(0, np.int64),) * 2,
    *(np.zeros(0, np.bool_),) * 3,
    np.zeros(0, np.int64),
)
