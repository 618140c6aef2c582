"""Every error in its surroundings, by kind and label: what to read before mending anything.

The list holds text: it is as sensitive as the notes.
"""

from __future__ import annotations

import collections
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..columns import Flags
from .comparison import Comparison
from .wi_deid import overlaps

KINDS = ("missed", "false alarm", "label or ends")
"""What was to be removed and is not, wholly; what was removed for nothing; what was removed under
another label or with other ends than gold's."""

_BEFORE, _BEHIND = 50, 35
"""Characters shown on either side."""


class Error(NamedTuple):
    """One error.

    Attributes:
        kind: one of `KINDS`.
        label: gold's; of a false alarm the predicted one.
        ordinal: of the document, from 0, as the gold corpus was given.
        start, end: of the gold span, or of the predicted one.
        found: labels of the predicted spans that touch a gold one, sorted.
        shown: the place with what stands around it; PHI.
    """

    kind: str
    label: str
    ordinal: int
    start: int
    end: int
    found: tuple[str, ...]
    shown: str


def list_errors(comparison: Comparison) -> list[Error]:
    """All errors, by kind, label, document and place."""
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
    return sorted(
        errors, key=lambda one: (KINDS.index(one.kind), one.label, one.ordinal, one.start, one.end)
    )


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
    before, behind = text[max(0, start - _BEFORE) : start], text[end : end + _BEHIND]
    line = f"{before}>>{text[start:end]}<<{behind}"
    return "".join(sign if sign.isprintable() else " " for sign in line)


def error_page(errors: Sequence[Error]) -> str:
    """The list as plain text: counts by kind and label first, then every error."""
    counts = collections.Counter((error.kind, error.label) for error in errors)
    lines = [f"{len(errors)} errors"]
    for kind in KINDS:
        of_kind = [(n, label) for (k, label), n in counts.items() if k == kind]
        told = ", ".join(
            f"{label} {n}" for n, label in sorted(of_kind, key=lambda x: (-x[0], x[1]))
        )
        lines.append(f"{kind}: {sum(n for n, _ in of_kind)}" + (f" ({told})" if told else ""))
    heading = ("", "")
    for error in errors:
        if heading != (error.kind, error.label):
            heading = (error.kind, error.label)
            lines += ["", f"{error.kind}: {error.label}"]
        found = f"  [{', '.join(error.found)}]" if error.found else ""
        lines.append(f"  {error.ordinal:>5} {error.start:>6}  {error.shown}{found}")
    return "\n".join(lines) + "\n"
