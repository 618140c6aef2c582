"""Texts with their entities marked in place: `Seen by Dr. ⟦DOCTOR:Halvorsen⟧`.

The form of annotation in which the sources of this project are written: the demo notes, the
development notes, the templates of `synth`, the known cases. docs/annotation.md describes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .corpora.base import Annotation

OPEN, CLOSE = "⟦", "⟧"

ESCAPES = {"FF": "\f", "NBSP": "\N{NO-BREAK SPACE}", "TAB": "\t"}
"""`⟦FF⟧` and so on: characters that editors lose."""

_MARK = re.compile("⟦(?:([A-Z-]+):([^⟦⟧]+)|([A-Z]+))⟧")
_STRAY = re.compile("[⟦⟧]")


def parse_marked(source: str) -> tuple[str, tuple[Annotation, ...]]:
    """Takes the marks out of a text.

    Returns:
        The text without marks, and what they said: disjoint, in order, offsets in the text.

    Raises:
        ValueError: a mark is not closed, is nested, names an unknown escape, or begins or ends in
            white space. The message gives the line, counted from 1, and never text.
    """
    parts: list[str] = []
    spans: list[Annotation] = []
    length = position = 0

    def wrong(what: str, at: int) -> ValueError:
        return ValueError(f"line {source.count(chr(10), 0, at) + 1}: {what}")

    for match in _MARK.finditer(source):
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
        parts += (before, inside)
        position = match.end()
    rest = source[position:]
    if stray := _STRAY.search(rest):
        raise wrong("a mark is not closed or is nested", position + stray.start())
    return "".join([*parts, rest]), tuple(spans)


def mark(text: str, spans: Iterable[Annotation]) -> str:
    """Puts marks into a text: the inverse of `parse_marked` for a text without mark signs.

    Args:
        text: any.
        spans: disjoint.

    Raises:
        ValueError: the text has a mark sign of its own, or spans overlap.
    """
    if _STRAY.search(text):
        raise ValueError("the text has a mark sign of its own")
    parts: list[str] = []
    position = 0
    for span in sorted(spans, key=lambda one: one.start):
        if span.start < position or span.end > len(text):
            raise ValueError("spans overlap, or end behind the text")
        words = text[span.start : span.end]
        parts += (text[position : span.start], f"{OPEN}{span.label}:{words}{CLOSE}")
        position = span.end
    return "".join([*parts, text[position:]])
