"""The label codec: laws, ill-formed tags, misaligned and overlapping spans."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.core.feature_rows import Features
from scrubline.models.crf.codec import (
    SCHEMES,
    decode,
    decode_batch,
    encode,
    encode_batch,
    misaligned,
    misaligned_batch,
)

LABELS = ("DATE", "LOCATION-OTHER", "ID")


def features_of(
    documents: list[list[list[tuple[int, int]]]],
) -> Features:
    """Features without attributes: items (start, end) of each sequence of each document."""
    sequences = [sequence for document in documents for sequence in document]
    items = [item for sequence in sequences for item in sequence]
    return Features(
        (),
        np.zeros(0, np.int64),
        np.zeros(len(items) + 1, np.int64),
        np.array([s for s, _ in items], np.int64),
        np.array([e for _, e in items], np.int64),
        np.array([0, *itertools.accumulate(map(len, sequences))], np.int64),
        np.array([0, *itertools.accumulate(map(len, documents))], np.int64),
    )


@st.composite
def items_and_spans(draw: st.DrawFn) -> tuple[list[int], list[int], list[tuple[int, int, str]]]:
    """Items with gaps between some, and disjoint spans over whole items."""
    lengths = draw(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 4)), max_size=12))
    starts, ends, place = [], [], 0
    for gap, size in lengths:
        starts.append(place + gap)
        place += gap + size
        ends.append(place)
    spans, item = [], 0
    while item < len(starts):
        size = draw(st.integers(0, 3))
        if size:
            last = min(item + size, len(starts)) - 1
            spans.append((starts[item], ends[last], draw(st.sampled_from(LABELS))))
        item += max(size, 1)
    return starts, ends, spans


@pytest.mark.parametrize("scheme", ["BIO", "BIOES"])
@given(items_and_spans())
def test_decode_gives_back_aligned_disjoint_spans(scheme: str, drawn: tuple) -> None:
    starts, ends, spans = drawn
    tags = encode(reversed(spans), starts, ends, scheme)
    assert decode(tags, starts, ends) == spans
    assert misaligned(spans, starts, ends) == 0
    assert encode(decode(tags, starts, ends), starts, ends, scheme) == tags


def joined(starts: list[int], ends: list[int], spans: list) -> list:
    """Spans over whole items, those of one label joined where no item lies between them."""
    found: list = []
    for start, end, label in spans:
        if found and found[-1][2] == label and starts.index(start) == ends.index(found[-1][1]) + 1:
            found[-1] = (found[-1][0], end, label)
        else:
            found.append((start, end, label))
    return found


@given(items_and_spans())
def test_io_joins_neighbours_of_one_label_and_loses_nothing_else(drawn: tuple) -> None:
    starts, ends, spans = drawn
    tags = encode(reversed(spans), starts, ends, "IO")
    assert {tag[:2] for tag in tags} <= {"O", "I-"}
    assert decode(tags, starts, ends) == joined(starts, ends, spans)
    assert encode(decode(tags, starts, ends), starts, ends, "IO") == tags


def test_io_by_hand() -> None:
    starts, ends = [0, 3, 6, 9], [2, 5, 8, 11]
    spans = [(0, 2, "ID"), (3, 5, "ID"), (6, 8, "DATE")]
    assert encode(spans, starts, ends, "IO") == ["I-ID", "I-ID", "I-DATE", "O"]
    assert decode(["I-ID", "I-ID", "I-DATE", "O"], starts, ends) == [(0, 5, "ID"), spans[2]]


@pytest.mark.parametrize("scheme", SCHEMES)
@given(
    items_and_spans(),
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 9), st.sampled_from(LABELS)), max_size=8),
)
def test_every_touched_item_is_covered_and_no_other(scheme: str, drawn: tuple, wild: list) -> None:
    starts, ends, _ = drawn
    spans = [(start, start + size, label) for start, size, label in wild]
    tags = encode(spans, starts, ends, scheme)
    for start, end, tag in zip(starts, ends, tags, strict=True):
        touching = {label for s, e, label in spans if s < end and e > start}
        assert (tag != "O") == bool(touching)
        assert tag == "O" or tag[2:] in touching
    decoded = decode(tags, starts, ends)
    assert encode(decoded, starts, ends, scheme) == tags


TAGS = st.sampled_from(["O", *(f"{p}-{label}" for p in "BIES" for label in LABELS)])


@given(st.lists(TAGS, max_size=12))
def test_any_tags_decode_to_spans_that_cover_all_but_o(tags: list[str]) -> None:
    starts = [3 * i for i in range(len(tags))]
    ends = [start + 2 for start in starts]
    spans = decode(tags, starts, ends)
    covered = {}
    for start, end, label in spans:
        for item in range(start // 3, (end + 2) // 3):
            assert item not in covered
            covered[item] = label
    assert covered == {i: tag[2:] for i, tag in enumerate(tags) if tag != "O"}


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("", []),
        ("O O", []),
        ("B-ID", [(0, 1, "ID")]),
        ("I-ID I-ID", [(0, 2, "ID")]),
        ("O I-ID", [(1, 2, "ID")]),
        ("B-ID B-ID", [(0, 1, "ID"), (1, 2, "ID")]),
        ("B-ID I-DATE", [(0, 1, "ID"), (1, 2, "DATE")]),
        ("B-ID E-ID I-ID", [(0, 2, "ID"), (2, 3, "ID")]),
        ("S-ID E-ID", [(0, 1, "ID"), (1, 2, "ID")]),
        ("B-ID S-ID", [(0, 1, "ID"), (1, 2, "ID")]),
        ("E-ID", [(0, 1, "ID")]),
        ("B-ID E-DATE", [(0, 1, "ID"), (1, 2, "DATE")]),
        ("B-LOCATION-OTHER E-LOCATION-OTHER", [(0, 2, "LOCATION-OTHER")]),
    ],
)
def test_decode(tags: str, expected: list) -> None:
    listed = tags.split()
    assert decode(listed, range(len(listed)), range(1, len(listed) + 1)) == expected


@pytest.mark.parametrize("tag", ["", "X-ID", "B-", "B", "-ID", "OO", "b-ID", "B_ID"])
def test_unknown_tags_are_refused(tag: str) -> None:
    with pytest.raises(ValueError, match="a tag must be O"):
        decode([tag], [0], [1])


@pytest.mark.parametrize(
    ("spans", "bio", "bioes"),
    [
        ([], "O O O O", "O O O O"),
        ([(0, 3, "ID")], "B-ID O O O", "S-ID O O O"),
        ([(0, 8, "ID")], "B-ID I-ID O O", "B-ID E-ID O O"),
        # Misaligned: inside an item, over parts of two, and over white space only.
        ([(1, 2, "ID")], "B-ID O O O", "S-ID O O O"),
        ([(2, 5, "ID")], "B-ID I-ID O O", "B-ID E-ID O O"),
        ([(3, 4, "ID")], "O O O O", "O O O O"),
        # Neighbours stay apart.
        ([(0, 3, "ID"), (4, 8, "ID")], "B-ID B-ID O O", "S-ID S-ID O O"),
        # Overlapping: the longest first, what is left stays covered.
        ([(0, 8, "DATE"), (0, 3, "ID")], "B-DATE I-DATE O O", "B-DATE E-DATE O O"),
        ([(0, 8, "ID"), (4, 20, "DATE")], "B-ID B-DATE I-DATE I-DATE", "S-ID B-DATE I-DATE E-DATE"),
        ([(0, 3, "ID"), (0, 3, "DATE")], "B-DATE O O O", "S-DATE O O O"),
        # The same span twice counts once.
        ([(0, 3, "ID"), (0, 3, "ID")], "B-ID O O O", "S-ID O O O"),
    ],
)
def test_encode(spans: list, bio: str, bioes: str) -> None:
    starts, ends = [0, 4, 9, 15], [3, 8, 14, 20]
    assert encode(spans, starts, ends, "BIO") == bio.split()
    assert encode(spans, starts, ends, "BIOES") == bioes.split()


def test_what_longer_spans_leave_of_a_shorter_one_stays_covered() -> None:
    starts, ends = list(range(9)), list(range(1, 10))
    spans = [(2, 6, "DATE"), (0, 3, "ID"), (5, 8, "ID"), (3, 5, "AGE")]
    tags = encode(spans, starts, ends, "BIO")
    assert tags == ["B-ID", "I-ID", "B-DATE", "I-DATE", "I-DATE", "I-DATE", "B-ID", "I-ID", "O"]
    middle = encode([(0, 4, "DATE"), (5, 9, "DATE"), (3, 6, "ID")], starts, ends, "BIOES")
    assert middle == [
        "B-DATE",
        "I-DATE",
        "I-DATE",
        "E-DATE",
        "S-ID",
        "B-DATE",
        "I-DATE",
        "I-DATE",
        "E-DATE",
    ]


@pytest.mark.parametrize(
    "span", [(3, 3, "ID"), (5, 3, "ID"), (-1, 3, "ID"), (0, 3, ""), (0, 3, "A\0")]
)
def test_bad_spans_are_refused(span: tuple) -> None:
    with pytest.raises(ValueError, match="encode"):
        encode([span], [0], [3], "BIO")


def test_unknown_scheme_is_refused() -> None:
    with pytest.raises(UsageError, match="one of BIO, BIOES"):
        encode([], [], [], "IOB2")
    with pytest.raises(UsageError, match="one of BIO, BIOES"):
        encode_batch([], features_of([]), "bio")


def test_misaligned_counts_spans_that_come_back_different() -> None:
    starts, ends = [0, 4], [3, 8]
    spans = [(0, 3, "ID"), (0, 8, "ID"), (0, 4, "ID"), (1, 3, "ID"), (3, 4, "ID")]
    assert misaligned(spans, starts, ends) == 3


TWO = features_of([[[(0, 1), (2, 3)], [(4, 5)]], [], [[(0, 5)]]])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_batches_keep_spans_inside_sequences(scheme: str) -> None:
    annotations = [[(2, 5, "ID")], [(0, 9, "DATE")], [(0, 5, "DATE")]]
    tags = encode_batch(annotations, TWO, scheme)
    alone = {"BIO": "B", "BIOES": "S", "IO": "I"}[scheme]
    assert tags == [["O", f"{alone}-ID"], [f"{alone}-ID"], [f"{alone}-DATE"]]
    assert decode_batch(tags, TWO) == [
        (0, 2, 3, "ID", 1, 1),
        (0, 4, 5, "ID", 2, 2),
        (2, 0, 5, "DATE", 3, 3),
    ]
    assert misaligned_batch(annotations, TWO) == 2


def test_batch_gives_first_and_last_item() -> None:
    features = features_of([[[(0, 1)]], [[(0, 1), (2, 3), (4, 5)]]])
    tags = encode_batch([[], [(2, 5, "ID")]], features, "BIO")
    assert decode_batch(tags, features) == [(1, 2, 5, "ID", 2, 3)]
    assert misaligned_batch([[], [(2, 5, "ID")]], features) == 0


def test_lengths_must_agree() -> None:
    with pytest.raises(ValueError, match="1 annotated documents of 3"):
        encode_batch([[]], TWO, "BIO")
    with pytest.raises(ValueError, match="tags of 1 sequences, expected 3"):
        decode_batch([["O", "O"]], TWO)
    with pytest.raises(ValueError, match="1 tags for 2 items"):
        decode_batch([["O"], ["O"], ["O"]], TWO)
    with pytest.raises(ValueError, match="1 tags for 0 items"):
        decode(["O"], [], [])


def test_deeply_nested_spans_stay_cheap() -> None:
    size = 20_000
    starts, ends = list(range(size)), list(range(1, size + 1))
    spans = [(i, size, "ID") for i in range(0, size, 2)]
    assert encode(spans, starts, ends, "BIO") == ["B-ID", *["I-ID"] * (size - 1)]
