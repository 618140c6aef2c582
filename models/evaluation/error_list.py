"""Every error in its context, by kind and label: what to read before fixing anything.

The list holds text: it is as sensitive as the notes.
"""

from __future__ import annotations

import collections
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..core.arrays import Flags
from .comparison import Comparison
from .wi_deid import overlaps

KINDS = ("missed", "false alarm", "label or ends")
"""A gold span that is not removed as a whole; something removed that is not gold; a gold span that
is removed under another label or with other ends."""

_BEFORE, _AFTER = 50, 35
"""How many characters of context are shown before and after."""


class Error(NamedTuple):
    """One error.

    Attributes:
        kind: one of `KINDS`.
        label: of the gold span; of a false alarm, of the predicted one.
        ordinal: position of the document in the gold corpus as given, from 0.
        start, end: of the same span.
        found: labels of the predicted spans that touch a gold one, sorted.
        shown: the span in its context; PHI.
    """

    kind: str
    label: str
    ordinal: int
    start: int
    end: int
    found: tuple[str, ...]
    shown: str


def list_errors(comparison: Comparison) -> list[Error]:
    """All errors, sorted by kind, label, document and offsets."""
    gold_cover = comparison.covered(comparison.gold)
    sides = [comparison.by_document(side) for side in (comparison.gold, comparison.predicted)]
    errors: list[Error] = []
    for document, (gold, predicted) in enumerate(zip(*sides, strict=True)):
        base = int(comparison.text_offsets[document])
        text = comparison.texts[document]
        for kind, span, found in _of_document(
            text, base, gold, predicted, gold_cover, comparison.removed
        ):
            start, end, label = span
            shown = _shown(text, start, end)
            ordinal = int(comparison.ordinals[document])
            errors.append(Error(kind, label, ordinal, start, end, found, shown))
    return sorted(errors, key=lambda e: (KINDS.index(e.kind), e.label, e.ordinal, e.start, e.end))


def _of_document(
    text: str,
    base: int,
    gold: Sequence[tuple[int, int, str]],
    predicted: Sequence[tuple[int, int, str]],
    gold_cover: Flags,
    removed: Flags,
) -> Iterator[tuple[str, tuple[int, int, str], tuple[str, ...]]]:
    def ink_outside(span: tuple[int, int, str], flags: Flags) -> bool:
        start, end, _ = span
        left = (~flags[base + start : base + end]).nonzero()[0].tolist()
        return any(not text[start + place].isspace() for place in left)

    known, touching = set(predicted), overlaps(gold, predicted)
    for span in gold:
        found = tuple(sorted({label for _, _, label in touching[span]}))
        if ink_outside(span, removed):
            yield "missed", span, found
        elif span not in known:
            yield "label or ends", span, found
    for span in predicted:
        if ink_outside(span, gold_cover):
            yield "false alarm", span, ()


def _shown(text: str, start: int, end: int) -> str:
    before, after = text[max(0, start - _BEFORE) : start], text[end : end + _AFTER]
    line = f"{before}>>{text[start:end]}<<{after}"
    return "".join(character if character.isprintable() else " " for character in line)


def error_page(errors: Sequence[Error]) -> str:
    """The list as plain text: counts by kind and label first, then every error."""
    counts = collections.Counter((error.kind, error.label) for error in errors)
    lines = [f"{len(errors)} errors"]
    for kind in KINDS:
        of_kind = [(n, label) for (k, label), n in counts.items() if k == kind]
        by_label = ", ".join(
            f"{label} {n}" for n, label in sorted(of_kind, key=lambda pair: (-pair[0], pair[1]))
        )
        total = sum(n for n, _ in of_kind)
        lines.append(f"{kind}: {total} ({by_label})" if by_label else f"{kind}: {total}")
    heading = ("", "")
    for error in errors:
        if heading != (error.kind, error.label):
            heading = (error.kind, error.label)
            lines += ["", f"{error.kind}: {error.label}"]
        found = f"  [{', '.join(error.found)}]" if error.found else ""
        lines.append(f"  {error.ordinal:>5} {error.start:>6}  {error.shown}{found}")
    return "\n".join(lines) + "\n"
