"""CoNLL-U, the format of Universal Dependencies: sentences, their words, offsets and tags.

Source: universaldependencies.org/format.html.
"""

from __future__ import annotations

import dataclasses
import re

from ..corpora import CorpusError
from ..corpora.base import BYTE_ORDER_MARK

UPOS, XPOS = 3, 4
"""Columns, from 0, of the universal tag and the language's own tag (for English: Penn)."""

_COLUMNS = 10
_ID = re.compile(r"(\d+)(?:([.-])(\d+))?")
_NO_SPACE = "SpaceAfter=No"

_TEXT = "text"
"""The comment that holds the original text of a sentence."""


@dataclasses.dataclass(frozen=True, slots=True)
class TaggedSentence:
    """One sentence and its syntactic words.

    Attributes:
        text: as written.
        starts, ends: code-point offsets of each word in the text.
        upos, xpos: tag of each word; "" for none.
    """

    text: str = dataclasses.field(repr=False)
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    upos: tuple[str, ...]
    xpos: tuple[str, ...]


def parse_conllu(content: bytes) -> list[TaggedSentence]:
    """The sentences of a file, in order.

    The text is that of `# text =`, or else the words joined as `SpaceAfter` says. Words of a
    multi-word token share its range in proportion to their lengths (`did` + `n't`). Empty nodes
    (`8.1`) are left out.

    Raises:
        CorpusError: if the file is not UTF-8, a line does not have ten columns, or the words do not
            match the text.
    """
    sentences: list[TaggedSentence] = []
    rows: list[list[str]] = []
    text: str | None = None
    first = 1
    try:
        lines = content.removeprefix(BYTE_ORDER_MARK).decode().split("\n")
    except UnicodeDecodeError as error:
        bad = content[: error.start].count(b"\n") + 1
        raise CorpusError(bad, "BadUtf8", "CoNLL-U must be UTF-8") from None
    for number, raw in enumerate([*lines, ""], 1):
        line = raw.removesuffix("\r")
        if not line:
            if rows:
                sentences.append(_sentence(rows, text, first))
            rows, text, first = [], None, number + 1
        elif line.startswith("#"):
            if (head := line[1:].partition("="))[0].strip() == _TEXT:
                text = head[2].strip()
        else:
            row = line.split("\t")
            if len(row) != _COLUMNS or not _ID.fullmatch(row[0]) or not row[1]:
                raise CorpusError(
                    number, "BadColumns", f"expected {_COLUMNS} columns, with an id and a word"
                )
            rows.append(row)
    return sentences


def _sentence(rows: list[list[str]], text: str | None, line: int) -> TaggedSentence:
    # Surface tokens: (form, its words, whether white space follows).
    surface: list[tuple[str, list[list[str]], bool]] = []
    last_of_range = 0
    for row in rows:
        match = _ID.fullmatch(row[0])
        assert match is not None
        if match[2] == ".":
            continue
        spaced = _NO_SPACE not in row[9].split("|")
        if match[2] == "-":
            last_of_range = int(match[3])
            surface.append((row[1], [], spaced))
        elif int(match[1]) <= last_of_range:
            surface[-1][1].append(row)
        else:
            surface.append((row[1], [row], spaced))
    if text is None:
        text = "".join(form + " " * spaced for form, _, spaced in surface).strip()
    starts: list[int] = []
    ends: list[int] = []
    words: list[list[str]] = []
    at = 0
    for form, inner, _ in surface:
        while at < len(text) and text[at].isspace():
            at += 1
        if not text.startswith(form, at):
            raise CorpusError(line, "SpanTextsDiffer", "the words do not match `# text =`")
        for word, (start, end) in zip(inner, _shares(form, inner), strict=True):
            words.append(word)
            starts.append(at + start)
            ends.append(at + end)
        at += len(form)
    if text[at:].strip():
        raise CorpusError(line, "SpanTextsDiffer", "the text continues after the last word")
    upos, xpos = (
        tuple("" if word[column] == "_" else word[column] for word in words)
        for column in (UPOS, XPOS)
    )
    return TaggedSentence(text, tuple(starts), tuple(ends), upos, xpos)


def _shares(form: str, inner: list[list[str]]) -> list[tuple[int, int]]:
    """The range of each word in its surface token, at least one character where possible."""
    sizes = [len(word[1]) for word in inner]
    total, whole = sum(sizes), len(form)
    bounds, run = [0], 0
    for size in sizes:
        run += size
        bounds.append(round(run * whole / total))
    return list(zip(bounds, bounds[1:], strict=False))
