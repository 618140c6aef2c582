"""What a page shows of a text: what stands in the clear, and boxes for what was removed.

Places are code points of the original text, which need not be at hand: what stands in the clear is
as long there as it is in the published text.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Sequence

from ..core.errors import ScrublineError
from ..risk.rows import Stretch
from ..text.tokenizer import tokenize_documents


class UnequalTexts(ScrublineError):
    """Published text, audit and original do not belong together."""


@dataclasses.dataclass(frozen=True, slots=True)
class RemovedBox:
    """A span that was removed.

    Attributes:
        start, end: in the original text.
        out_start, out_end: of what stands in its place, in the published text.
        label: PHI category.
    """

    start: int
    end: int
    out_start: int
    out_end: int
    label: str


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class ShownSegment:
    """A stretch of a text; the segments of a text follow each other from 0 to its length.

    Attributes:
        start, end: in the original text.
        text: what stands there for its reader; what is in the clear has one character a place.
        label: of what was removed; None for what is in the clear.
        original: what stood there, if it may be shown.
    """

    start: int
    end: int
    text: str
    label: str | None = None
    original: str | None = None

    @property
    def is_removed(self) -> bool:
        """Whether it is a box."""
        return self.label is not None


def segments_of(
    published: str,
    boxes: Iterable[RemovedBox],
    length: int,
    *,
    original: str | None = None,
    planted: Sequence[Stretch] = (),
    shows_original: bool = False,
) -> tuple[ShownSegment, ...]:
    """The segments of a text.

    Args:
        published: the scrubbed text.
        boxes: what was removed of it, disjoint.
        length: of the original text.
        original: needed for what is planted, and to be shown.
        planted: stretches of boxes to be shown as if they had been left; nothing tells them apart.
        shows_original: whether boxes are to have what stood there.

    Raises:
        UnequalTexts: if they do not belong together.
    """
    if original is not None and len(original) != length:
        raise UnequalTexts("the original is not as long as the documents table says")
    if (planted or shows_original) and original is None:
        raise UnequalTexts("the original is not at hand")
    pieces: list[ShownSegment] = []
    at = out_at = 0
    ordered = sorted(boxes, key=lambda box: (box.start, box.end))
    for box in [*ordered, RemovedBox(length, length, len(published), len(published), "")]:
        clear = published[out_at : box.out_start]
        if len(clear) != box.start - at or box.out_start < out_at:
            raise UnequalTexts("the audit does not lead to the published text")
        if original is not None and clear != original[at : box.start]:
            raise UnequalTexts("the original does not lead to the published text")
        if clear:
            pieces.append(ShownSegment(at, box.start, clear))
        if box.start < box.end:
            pieces += _cut(box, published[box.out_start : box.out_end], original or "", planted)
        at, out_at = box.end, box.out_end
    shown = original if shows_original else None
    return tuple(_joined(pieces, shown))


def _cut(
    box: RemovedBox, text: str, original: str, planted: Sequence[Stretch]
) -> list[ShownSegment]:
    """A box, without what of it is planted."""
    pieces, at = [], box.start
    for one in sorted(planted, key=lambda stretch: stretch.start):
        start, end = max(one.start, at), min(one.end, box.end)
        if start >= end:
            continue
        if at < start:
            pieces.append(ShownSegment(at, start, text, box.label))
        pieces.append(ShownSegment(start, end, original[start:end]))
        at = end
    if at < box.end:
        pieces.append(ShownSegment(at, box.end, text, box.label))
    return pieces


def _joined(pieces: Iterable[ShownSegment], original: str | None) -> list[ShownSegment]:
    """What is in the clear and follows each other as one; boxes with what stood there."""
    joined: list[ShownSegment] = []
    for piece in pieces:
        if joined and not piece.is_removed and not joined[-1].is_removed:
            before = joined.pop()
            piece = ShownSegment(before.start, piece.end, before.text + piece.text)
        elif piece.is_removed and original is not None:
            piece = dataclasses.replace(piece, original=original[piece.start : piece.end])
        joined.append(piece)
    return joined


def visible_text(segments: Iterable[ShownSegment]) -> str:
    """The text as far as it is shown, each character in its place; the rest is blank."""
    return "".join(
        (one.original or " " * (one.end - one.start)) if one.is_removed else one.text
        for one in segments
    )


def words_of(segments: Sequence[ShownSegment], *, fine: bool = False) -> list[tuple[int, int]]:
    """The words of a text, for a caret: coarse tokens of what is shown, and hidden boxes.

    Args:
        segments: of one text.
        fine: whether fine tokens are wanted.
    """
    tokens = tokenize_documents([visible_text(segments)], sentences=False)
    starts, ends = tokens.starts.tolist(), tokens.ends.tolist()
    firsts = [at for at in range(len(starts)) if fine or tokens.starts_coarse[at]]
    words = [
        (starts[at], ends[after - 1]) for at, after in itertools.pairwise([*firsts, len(starts)])
    ]
    hidden = [(one.start, one.end) for one in segments if one.is_removed and one.original is None]
    return sorted([*words, *hidden])
