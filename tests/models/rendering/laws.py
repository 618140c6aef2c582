"""What holds for every layer, whatever the source: shared by the tests of HTML, XML and RTF."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import strategies as st
from scrubline.models.core.errors import DocumentError
from scrubline.models.core.views import Edit, applied
from scrubline.models.core.written_texts import Layer, Mapped, Stack

REPLACEMENTS = (
    "[PATIENT]",
    "Anna Muñoz",
    "03/04/2019",
    "xxxx",
    "<b>&amp;",
    "a",
    "4",
    ";",
    "amp;",
    "{\\b x}\\",
    "漢 🙂",
    "-1 x",
    " x  y ",
    "a\nb",
    "'\"=`",
)


def assert_in_order(source: str, opened: Mapped) -> None:
    """Offsets of the view rise; joins and removed ranges are in order, and no text is removed."""
    view = opened.view
    assert (np.diff(view.starts) >= 0).all() and (np.diff(view.ends) >= 0).all()
    assert (view.starts < view.ends).all()
    assert not len(view.text) or (view.starts[0] >= 0 and view.ends[-1] <= len(source))
    assert list(opened.joins) == sorted(set(opened.joins))
    assert all(0 <= join < len(view.text) for join in opened.joins)
    assert all(opened.text[join] in "\n\t" for join in opened.joins)
    assert all(low < high for low, high in opened.removed)
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(opened.removed))
    joins = set(opened.joins)
    gone = np.zeros(len(source) + 1, np.int64)
    for low, high in opened.removed:
        gone[low:high] = 1
    for offset in range(len(view.text)):
        if offset not in joins:
            assert not gone[view.starts[offset] : view.ends[offset]].any()


@st.composite
def edits_of(draw: st.DrawFn, opened: Mapped) -> list[Edit]:
    """Random edits of a text that cover no join and part no character of the source."""
    joins, text = set(opened.joins), opened.text
    starts = opened.view.starts
    bounds = draw(st.lists(st.integers(0, len(text)), max_size=8, unique=True).map(sorted))
    found = []
    for low, high in zip(bounds[::2], bounds[1::2], strict=False):
        halved = any(0 < b < len(text) and starts[b] == starts[b - 1] for b in (low, high))
        if not halved and joins.isdisjoint(range(low, high)):
            found.append((low, high, draw(st.sampled_from(REPLACEMENTS))))
    return found


def assert_replaced(layer: Layer, source: str, edits: list[Edit]) -> None:
    """The text after edits is what the source says after them, and all else in it stays."""
    opened = layer(source)
    assert isinstance(opened, Mapped)
    try:
        written = opened.edits(edits)
    except DocumentError:
        # A line end may have no place, in a title for example.
        assert any("\n" in replacement for _, _, replacement in edits)
        return
    result = applied(source, written)
    again = layer(result)
    assert again.text == applied(opened.text, edits)
    # What was removed stays removed, and there is no more of it.
    assert applied(result, again.edits([])) == result
    allowed = np.zeros(len(source) + 1, np.int64)
    for low, high in opened.removed:
        allowed[low:high] = 1
    for start, end, _ in edits:
        for low, high in opened._places(start, end):
            allowed[low:high] = 1
    assert all(allowed[low:high].all() for low, high, _ in written)


def cleaned(layer: Layer, source: str) -> str:
    """The source without what goes anyway."""
    return Stack.of(source, [layer]).replaced([])


def assert_reads(layer: Layer, source: str, text: str) -> None:
    """The source is read as the text, each character in its place, and as the same once cleaned."""
    opened = layer(source)
    assert isinstance(opened, Mapped)
    assert opened.text == text
    assert_in_order(source, opened)
    assert_replaced(layer, source, [])


def assert_writes(layer: Layer, source: str, where: int, replacement: str, expected: str) -> None:
    """A replacement of the character at `where` is written as expected, and read as it is."""
    edits = [(where, where + 1, replacement)]
    assert applied(source, layer(source).edits(edits)) == expected
    assert_replaced(layer, source, edits)


def assert_every_stretch(layer: Layer, source: str, replacement: str, longest: int = 1000) -> None:
    """Each range of the text that holds no join can be replaced."""
    opened = layer(source)
    joins, size = set(opened.joins), len(opened.text)
    for start in range(size):
        for end in range(start + 1, min(start + longest, size) + 1):
            if joins.isdisjoint(range(start, end)):
                assert_replaced(layer, source, [(start, end, replacement)])


def assert_opens(layer: Layer, source: str) -> Mapped | None:
    """Opens a source, or refuses it as a document that cannot be read; nothing else is raised."""
    try:
        opened = layer(source)
    except DocumentError:
        return None
    assert isinstance(opened, Mapped)
    assert_in_order(source, opened)
    return opened
