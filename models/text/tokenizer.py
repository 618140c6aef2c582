r"""Text to tokens: fine and coarse ones, lines, sentences and sections, with offsets into the text.

**Fine tokens** are runs of letters, runs of digits, and single signs, in the spirit of
`[^\W\d_]+|\d+|[^\w\s]|_`, letters split further where a word runs into the next (WI-deId,
He et al. 2015, Table 1): `ALMarital`, `JaffreyMarital`. Combining marks and joiners belong to
the character before them, in any script. Not split are a single small letter before a capital
(`McDonald`, `DeBakey`, `mL`, `pH`, `HbA`), two small letters before a capital that no two small
letters follow (`mmHg`, `cmH`), and words that begin with a name's prefix (`MacArthur`,
`VanBuren`).

**Coarse tokens** are runs of fine tokens without white space between them that read as one: dates,
decimals, numbers with letters, `A.B.` initials, telephone numbers, hyphenated and apostrophised
words. The rules are in `models.text.tokenizer_reference`.

Everything is decided by what stands within a few characters: time and memory are linear in the text
whatever is in it. The extension does it, or numpy if the extension is missing.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from ..core.arrays import Flags, Ints, joined_code_points
from ..core.errors import OverBudget
from ..core.tokens import Sentences, Tokens
from ..native import extension
from .characters import class_table, trait_table
from .sections import SECTIONS
from .sentences import find_sentences
from .tokenizer_reference import TokenArrays, read_tokens

__all__ = ["SECTIONS", "characters_of", "tokenize", "tokenize_documents"]


def tokenize(text: str) -> Tokens:
    """The tokens of one text; see `tokenize_documents`."""
    return tokenize_documents([text])


def tokenize_documents(
    texts: Sequence[str | None], *, max_tokens: int | None = None, sentences: bool = True
) -> Tokens:
    """The tokens of all documents, of any content and length; one that is None has none.

    Tokens are ordered and disjoint, and every character that is not white space (`str.isspace`) is
    in exactly one.

    Args:
        texts: of the documents.
        max_tokens: of one document.
        sentences: whether sentences and sections are wanted too.

    Raises:
        OverBudget: "OverBudget:tokens" if a document has more than `max_tokens` fine tokens.
    """
    native = extension()
    offsets, read = _read_all(texts) if native is None else _read_natively(texts, native)
    if max_tokens is not None and (np.diff(offsets) > max_tokens).any():
        raise OverBudget("tokens")
    found = _sentences(texts, offsets, read) if sentences else None
    return Tokens(offsets, read.starts, read.ends, read.starts_coarse, read.starts_line, found)


@functools.cache
def characters_of(native: ModuleType) -> Any:
    """The extension's table of characters, opened once a process."""
    return native.open_characters(class_table(), trait_table())


def _read_natively(texts: Sequence[str | None], native: ModuleType) -> tuple[Ints, TokenArrays]:
    columns = native.tokenize(characters_of(native), *joined_code_points(texts))
    wide, flags = np.int64, np.bool_
    types = (wide, wide, wide, flags, flags, np.uint8, wide)
    arrays: list[Any] = [np.frombuffer(c, t) for c, t in zip(columns, types, strict=True)]
    return arrays[0], TokenArrays(*arrays[1:])


def _read_all(texts: Sequence[str | None]) -> tuple[Ints, TokenArrays]:
    pieces = [read_tokens(text or "") for text in texts] or [read_tokens("")]
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(piece) for piece in pieces][: len(texts)], out=offsets[1:])
    return offsets, TokenArrays(
        np.concatenate([piece.starts for piece in pieces]),
        np.concatenate([piece.ends for piece in pieces]),
        np.concatenate([piece.starts_coarse for piece in pieces]),
        np.concatenate([piece.starts_line for piece in pieces]),
        np.concatenate([piece.classes for piece in pieces]),
        np.concatenate([piece.breaks for piece in pieces]),
    )


def _sentences(texts: Sequence[str | None], offsets: Ints, read: TokenArrays) -> Sentences:
    starts: list[Flags] = [np.zeros(0, np.bool_)]
    sections: list[Ints] = [np.zeros(0, np.int64)]
    bounds = offsets.tolist()
    for text, first, end in zip(texts, bounds[:-1], bounds[1:], strict=True):
        if text is None or first == end:
            continue
        rows = slice(first, end)
        line_tokens = read.starts_line[rows].nonzero()[0]
        begun, own = find_sentences(
            text,
            read.starts[rows],
            read.ends[rows],
            read.classes[rows],
            line_tokens,
            read.breaks[rows][line_tokens],
        )
        starts.append(begun)
        sections.append(own)
    return Sentences(np.concatenate(starts), np.concatenate(sections), SECTIONS)
