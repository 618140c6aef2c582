"""Inline annotations: texts with their entities marked in place, `Dr. ⟦DOCTOR:Halvorsen⟧`.

The annotated sources of this project are written so: the demo notes, the development notes, the
templates of `synth` and the known cases. docs/annotation.md describes the notation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .base import Annotation

OPEN, CLOSE = "⟦", "⟧"

ESCAPES = {"FF": "\f", "NBSP": "\N{NO-BREAK SPACE}", "TAB": "\t"}
"""`⟦FF⟧` and so on: characters that editors do not preserve."""

_MARK = re.compile("⟦(?:([A-Z-]+):([^⟦⟧]+)|([A-Z]+))⟧")
_OWN_MARK = re.compile(r"⟦(?:([\w-]+):([^⟦⟧]+)|([A-Z]+))⟧")
_STRAY = re.compile("[⟦⟧]")


def parse_marked(source: str, *, own_labels: bool = False) -> tuple[str, tuple[Annotation, ...]]:
    """Parses a text with marks.

    Args:
        source: the text.
        own_labels: whether labels may have small letters, digits and underscores too, as those that
            a policy declares.

    Returns:
        The text without marks, and the annotations: disjoint, in order, with offsets in that text.

    Raises:
        ValueError: a mark is not closed, is nested, names an unknown escape, or begins or ends with
            white space. The message gives the line, from 1, and never text.
    """
    pieces: list[str] = []
    spans: list[Annotation] = []
    length = position = 0

    def wrong(what: str, offset: int) -> ValueError:
        return ValueError(f"line {source.count(chr(10), 0, offset) + 1}: {what}")

    for match in (_OWN_MARK if own_labels else _MARK).finditer(source):
        before = source[position : match.start()]
        if stray := _STRAY.search(before):
            raise wrong("a mark is not closed or is nested", position + stray.start())
        label, words, escape = match.groups()
        if escape and escape not in ESCAPES:
            raise wrong(f"unknown escape; known: {', '.join(sorted(ESCAPES))}", match.start())
        inside = ESCAPES[escape] if escape else words
        if label and inside != inside.strip():
            raise wrong(f"{label}: white space at the edge of a mark", match.start())
        length += len(before)
        if label:
            spans.append(Annotation(length, length + len(inside), label))
        length += len(inside)
        pieces += (before, inside)
        position = match.end()
    rest = source[position:]
    if stray := _STRAY.search(rest):
        raise wrong("a mark is not closed or is nested", position + stray.start())
    return "".join([*pieces, rest]), tuple(spans)


def mark(text: str, spans: Iterable[Annotation]) -> str:
    """Adds marks to a text: the inverse of `parse_marked` for a text without brackets ⟦ ⟧.

    Args:
        text: any.
        spans: disjoint.

    Raises:
        ValueError: the text contains a bracket ⟦ or ⟧, or spans overlap or end after the text.
    """
    if _STRAY.search(text):
        raise ValueError("the text contains a bracket of marks")
    pieces: list[str] = []
    position = 0
    for span in sorted(spans, key=lambda span: span.start):
        if span.start < position or span.end > len(text):
            raise ValueError("spans overlap, or end after the text")
        words = text[span.start : span.end]
        pieces += (text[position : span.start], f"{OPEN}{span.label}:{words}{CLOSE}")
        position = span.end
    return "".join([*pieces, text[position:]])
