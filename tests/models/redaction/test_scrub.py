from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.spans import Span
from scrubline.models.redaction.scrub import (
    OffsetMap,
    from_units,
    scrub,
    utf8_offsets,
    utf16_offsets,
)

texts = st.text(alphabet=st.characters(), max_size=40)


def span(start, end, replacement, action="redact"):
    return Span(start, end, "PATIENT", action, replacement, ("r",), "r", 1.0)


@st.composite
def scrubbings(draw):
    """A text and spans on it: disjoint, some touching, some leaving nothing behind, some kept."""
    text = draw(texts)
    points = sorted(draw(st.sets(st.integers(0, len(text)), max_size=12)))
    spans = []
    for start, end in zip(points, points[1:], strict=False):
        replacement = draw(st.sampled_from(["text", None, "", "[PATIENT]", "*"]))
        if replacement != "text":
            spans.append(
                span(start, end, "*" * (end - start) if replacement == "*" else replacement)
            )
    return text, spans


def slow_scrub(text, spans):
    """Character by character: the first of a span gives its replacement, the others ""."""
    cells = list(text)
    for s in spans:
        if s.replacement is not None:
            cells[s.start : s.end] = [s.replacement] + [""] * (s.end - s.start - 1)
    return "".join(cells), cells


@given(scrubbings())
def test_scrub_agrees_with_the_slow_definition(case):
    text, spans = case
    scrubbed, out_starts, out_ends = scrub(text, spans)
    expected, cells = slow_scrub(text, spans)
    assert scrubbed == expected
    assert out_starts == tuple(len("".join(cells[: s.start])) for s in spans)
    assert out_ends == tuple(len("".join(cells[: s.end])) for s in spans)


@given(scrubbings())
def test_the_text_is_put_together_again_from_output_and_originals(case):
    text, spans = case
    scrubbed, out_starts, out_ends = scrub(text, spans)
    pieces, at = [], 0
    for s, out_start, out_end in zip(spans, out_starts, out_ends, strict=True):
        shown = text[s.start : s.end] if s.replacement is None else s.replacement
        assert scrubbed[out_start:out_end] == shown
        pieces += (scrubbed[at:out_start], text[s.start : s.end])
        at = out_end
    assert "".join([*pieces, scrubbed[at:]]) == text


@pytest.mark.parametrize(
    ("text", "spans", "expected"),
    [
        ("", [], ""),
        ("abc", [], "abc"),
        ("Mr Smith.", [span(3, 8, "[PATIENT]")], "Mr [PATIENT]."),
        ("\ufeffAnn\r\nB", [span(1, 4, "***")], "\ufeff***\r\nB"),
        ("🙂Ann🙂", [span(1, 4, "[PATIENT]")], "🙂[PATIENT]🙂"),
        ("a\x00\ud800b", [span(3, 4, "")], "a\x00\ud800"),
        ("93", [span(0, 2, "90+")], "90+"),
        ("93", [span(0, 2, None, "keep")], "93"),
        ("AnnBob", [span(0, 3, "[A]"), span(3, 6, "[B]")], "[A][B]"),
    ],
)
def test_scrub_replaces_spans_only(text, spans, expected):
    assert scrub(text, spans)[0] == expected


@pytest.mark.parametrize(
    "spans",
    [
        [span(0, 4, "")],
        [span(2, 2, "")],
        [span(2, 1, "")],
        [span(-1, 1, "")],
        [span(0, 2, ""), span(1, 3, "")],
        [span(2, 3, ""), span(0, 1, "")],
    ],
)
def test_scrub_refuses_spans_that_do_not_fit_and_shows_no_text(spans):
    with pytest.raises(ValueError, match="scrub: span") as caught:
        scrub("abc", spans)
    assert "abc" not in str(caught.value)


def test_a_line_of_ten_megabytes():
    text = "x" * 10_000_000
    spans = [span(i, i + 3, "[PATIENT]") for i in range(0, len(text), 1000)]
    scrubbed, _, out_ends = scrub(text, spans)
    assert len(scrubbed) == len(text) + 6 * len(spans)
    assert out_ends[-1] == len(scrubbed) - 997


# -- offsets --------------------------------------------------------------------------------------


def slow_to_scrubbed(text, spans, offset, side):
    _, cells = slow_scrub(text, spans)
    for s in spans:
        if s.replacement is not None and s.start < offset < s.end:
            offset = s.start if side == "start" else s.end
    return len("".join(cells[:offset]))


@given(scrubbings(), st.sampled_from(["start", "end"]))
def test_to_scrubbed_agrees_with_the_slow_definition(case, side):
    text, spans = case
    offsets = OffsetMap.of(spans, *scrub(text, spans)[1:])
    assert offsets.to_scrubbed(range(len(text) + 1), side).tolist() == [
        slow_to_scrubbed(text, spans, offset, side) for offset in range(len(text) + 1)
    ]


@given(scrubbings())
def test_offsets_lead_back(case):
    text, spans = case
    scrubbed, out_starts, out_ends = scrub(text, spans)
    offsets = OffsetMap.of(spans, out_starts, out_ends)
    inside = {i for s in spans if s.replacement is not None for i in range(s.start + 1, s.end)}
    replaced = {i for s in spans if s.replacement is not None for i in range(s.start, s.end)}
    everything = np.arange(len(text) + 1)
    there = offsets.to_scrubbed(everything)
    first = offsets.to_original(there, "end")
    last = offsets.to_original(there, "start")
    for i in everything.tolist():
        if i < len(text) and i not in replaced:
            # A character that stayed is found in its new place, and from there again.
            assert scrubbed[there[i]] == text[i]
            assert last[i] == i
        if i > 0 and i - 1 not in replaced:
            assert first[i] == i
        if i not in inside:
            assert first[i] <= i <= last[i]
    back = offsets.to_original(np.arange(len(scrubbed) + 1), "start")
    # From the scrubbed text and back: nowhere but inside a replacement is an offset moved.
    moved = offsets.to_scrubbed(back) != np.arange(len(scrubbed) + 1)
    within = {
        i
        for s, a, b in zip(spans, out_starts, out_ends, strict=True)
        if s.replacement is not None
        for i in range(a + 1, b)
    }
    assert set(np.flatnonzero(moved).tolist()) <= within
    assert (np.diff(back) >= 0).all()
    assert (np.diff(there) >= 0).all()


def test_an_offset_inside_a_replacement_goes_outward():
    text = "Mr John Smith seen"
    spans = [span(3, 8, ""), span(8, 13, "[DOCTOR]")]
    offsets = OffsetMap.of(spans, *scrub(text, spans)[1:])
    assert scrub(text, spans)[0] == "Mr [DOCTOR] seen"
    assert offsets.to_scrubbed([0, 3, 5, 8, 10, 13, 18], "start").tolist() == [
        0,
        3,
        3,
        3,
        3,
        11,
        16,
    ]
    assert offsets.to_scrubbed([0, 3, 5, 8, 10, 13, 18], "end").tolist() == [0, 3, 3, 3, 11, 11, 16]
    assert offsets.to_original([2, 3, 5, 11, 16], "start").tolist() == [2, 8, 8, 13, 18]
    assert offsets.to_original([2, 3, 5, 11, 16], "end").tolist() == [2, 3, 13, 13, 18]
    assert int(offsets.to_scrubbed(5)) == 3
    assert offsets.to_scrubbed(np.zeros((2, 2))).shape == (2, 2)


def test_no_spans_is_the_identity():
    offsets = OffsetMap.of([], [], [])
    assert offsets.to_scrubbed([0, 7]).tolist() == offsets.to_original([0, 7]).tolist() == [0, 7]


def test_kept_spans_are_not_in_the_map():
    offsets = OffsetMap.of([span(0, 4, None, "keep")], [0], [4])
    assert offsets.to_scrubbed([1, 2]).tolist() == [1, 2]


def test_negative_offsets_are_refused():
    offsets = OffsetMap.of([span(0, 1, "")], [0], [0])
    for call in (offsets.to_scrubbed, offsets.to_original):
        with pytest.raises(ValueError, match="negative"):
            call([3, -1])


@pytest.mark.parametrize(
    "columns",
    [
        ([0, 1], [2, 3], [0, 2], [2, 4]),
        ([0], [0], [0], [1]),
        ([0], [2], [1], [3]),
        ([0, 5], [2, 6], [0, 4], [2, 5]),
        ([0], [2], [0], [-1]),
        ([0], [2, 3], [0], [1]),
    ],
)
def test_offset_maps_that_cannot_be_are_refused(columns):
    with pytest.raises(ValueError, match="OffsetMap"):
        OffsetMap(*(np.array(column, np.int64) for column in columns))


@given(texts)
def test_units_agree_with_the_codecs(text):
    for table, codec, size in (
        (utf8_offsets(text), "utf-8", 1),
        (utf16_offsets(text), "utf-16-le", 2),
    ):
        lengths = [
            len(text[:i].encode(codec, "surrogatepass")) // size for i in range(len(text) + 1)
        ]
        assert table.tolist() == lengths
        assert from_units(table, table).tolist() == list(range(len(text) + 1))


def test_an_offset_inside_a_code_point_goes_to_its_start():
    assert from_units(utf8_offsets("aé🙂"), [0, 1, 2, 3, 4, 5, 6, 7]).tolist() == [
        0, 1, 1, 2, 2, 2, 2, 3,
    ]  # fmt: skip
    assert from_units(utf16_offsets("🙂b"), [0, 1, 2, 3]).tolist() == [0, 0, 1, 2]


def test_units_past_the_end_are_refused():
    with pytest.raises(ValueError, match="past the end"):
        from_units(utf8_offsets("é"), [3])
    with pytest.raises(ValueError, match="negative"):
        from_units(utf8_offsets("é"), -1)
