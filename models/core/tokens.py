"""Tokens of a batch: exact offsets, sentences, lines and sections, columnar.

The two layers share one table. A row is a *fine* token; a *coarse* token (`3/4/12`, `t98.6`) is a
run of fine tokens without white space between them, marked by `starts_coarse` at its first.
"""

from __future__ import annotations

import dataclasses

from .arrays import Flags, Ints, require_equal_lengths, require_offsets


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sentences:
    """Where sentences begin, and in which section each token is.

    Attributes:
        starts: true where the token is the first of its sentence.
        sections: index into `section_names` of the heading above the token, or -1 before any
            heading.
        section_names: canonical names (`models.text.tokenizer.SECTIONS`).
    """

    starts: Flags
    sections: Ints
    section_names: tuple[str, ...] = ()


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
        sentences: None if they were not requested: they cost more than all the rest.
    """

    document_offsets: Ints
    starts: Ints
    ends: Ints
    starts_coarse: Flags
    starts_line: Flags
    sentences: Sentences | None

    def __post_init__(self) -> None:
        columns: dict[str, object] = {
            "starts": self.starts,
            "ends": self.ends,
            "starts_coarse": self.starts_coarse,
            "starts_line": self.starts_line,
        }
        if self.sentences is not None:
            columns["starts_sentence"] = self.sentences.starts
            columns["sections"] = self.sentences.sections
        rows = require_equal_lengths("Tokens", **columns)
        require_offsets("Tokens", self.document_offsets, rows)

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def starts_sentence(self) -> Flags:
        """See `Sentences.starts`."""
        return self._known_sentences().starts

    @property
    def sections(self) -> Ints:
        """See `Sentences.sections`."""
        return self._known_sentences().sections

    @property
    def section_names(self) -> tuple[str, ...]:
        """See `Sentences.section_names`."""
        return self._known_sentences().section_names

    def _known_sentences(self) -> Sentences:
        if self.sentences is None:
            raise ValueError("Tokens: sentences were not requested when the text was tokenized")
        return self.sentences

    def of_document(self, document: int) -> slice:
        """The rows of one document."""
        return slice(int(self.document_offsets[document]), int(self.document_offsets[document + 1]))

    def of_documents(self, low: int, high: int) -> Tokens:
        """Those of documents `low` to `high` - 1."""
        first, end = self.document_offsets[low], self.document_offsets[high]
        rows = slice(int(first), int(end))
        own = self.sentences
        return Tokens(
            self.document_offsets[low : high + 1] - first,
            self.starts[rows],
            self.ends[rows],
            self.starts_coarse[rows],
            self.starts_line[rows],
            own and Sentences(own.starts[rows], own.sections[rows], own.section_names),
        )

    def texts(self, document: int, text: str) -> list[str]:
        """The covered text of each token of one document."""
        rows = self.of_document(document)
        return [
            text[s:e]
            for s, e in zip(self.starts[rows].tolist(), self.ends[rows].tolist(), strict=True)
        ]
