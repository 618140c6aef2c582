"""What a page shows of a text, and where the same words stand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.review.places import same_places
from scrubline.models.review.segments import (
    RemovedBox,
    ShownSegment,
    UnequalTexts,
    segments_of,
    visible_text,
    words_of,
)
from scrubline.models.risk.rows import Stretch

ORIGINAL = "Dr. Ana 🙂 Sørensen seen 3/4/2012\r\nby Ben."
PUBLISHED = "Dr. [DOCTOR] 🙂 [D] seen [DATE]\r\nby Ben."
BOXES = [
    RemovedBox(4, 7, 4, 12, "DOCTOR"),
    RemovedBox(10, 18, 15, 18, "DOCTOR"),
    RemovedBox(24, 32, 24, 30, "DATE"),
]


def shown(**more):
    return segments_of(PUBLISHED, BOXES, len(ORIGINAL), **more)


def test_segments_are_places_of_the_original():
    assert shown() == (
        ShownSegment(0, 4, "Dr. "),
        ShownSegment(4, 7, "[DOCTOR]", "DOCTOR"),
        ShownSegment(7, 10, " 🙂 "),
        ShownSegment(10, 18, "[D]", "DOCTOR"),
        ShownSegment(18, 24, " seen "),
        ShownSegment(24, 32, "[DATE]", "DATE"),
        ShownSegment(32, 41, "\r\nby Ben."),
    )


def test_boxes_have_the_original_where_it_may_be_shown():
    found = shown(original=ORIGINAL, shows_original=True)
    assert [one.original for one in found] == [
        *(None, "Ana", None, "Sørensen", None, "3/4/2012", None)
    ]
    assert visible_text(found) == ORIGINAL


@pytest.mark.parametrize(
    ("published", "boxes", "length", "words"),
    [
        ("", [], 0, []),
        (" \n\t", [], 3, []),
        ("[DOCTOR]", [RemovedBox(0, 7, 0, 8, "DOCTOR")], 7, [(0, 7)]),
    ],
    ids=["empty", "blank", "removed whole"],
)
def test_a_text_of_which_no_word_stands_is_shown(published, boxes, length, words):
    found = segments_of(published, boxes, length)
    for fine in (False, True):
        assert words_of(found, fine=fine) == words


def test_nothing_tells_what_was_planted_from_what_was_left():
    found = shown(original=ORIGINAL, planted=[Stretch(10, 18)])
    assert found[2] == ShownSegment(7, 24, " 🙂 Sørensen seen ")
    assert [one.is_removed for one in found] == [False, True, False, True, False]
    left = [BOXES[0], BOXES[2]]
    as_left = "Dr. [DOCTOR] 🙂 Sørensen seen [DATE]\r\nby Ben."
    moved = [left[0], RemovedBox(24, 32, 29, 35, "DATE")]
    assert found == segments_of(as_left, moved, len(ORIGINAL))
    assert words_of(found) == words_of(segments_of(as_left, moved, len(ORIGINAL)))


def test_part_of_a_box_can_be_planted():
    found = shown(original=ORIGINAL, planted=[Stretch(12, 14)])
    assert [(one.start, one.end, one.text) for one in found][2:6] == [
        *((7, 10, " 🙂 "), (10, 12, "[D]"), (12, 14, "re"), (14, 18, "[D]"))
    ]


@pytest.mark.parametrize(
    ("published", "original", "planted"),
    [
        (PUBLISHED[1:], None, ()),
        (PUBLISHED.replace("seen", "saw"), None, ()),
        (PUBLISHED, ORIGINAL.replace("seen", "been"), ()),
        (PUBLISHED, ORIGINAL + " ", ()),
        (PUBLISHED, None, [Stretch(10, 18)]),
    ],
)
def test_texts_that_do_not_belong_together_are_refused(published, original, planted):
    with pytest.raises(UnequalTexts) as refused:
        segments_of(published, BOXES, len(ORIGINAL), original=original, planted=planted)
    assert "Ana" not in str(refused.value)


@given(st.data())
def test_segments_follow_each_other_and_lead_to_the_published_text(data):
    text = data.draw(st.text(st.characters(codec="utf-8"), max_size=60))
    ends = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    boxes, out, at = [], "", 0
    for start, end in zip(ends[::2], ends[1::2], strict=False):
        out += text[at:start]
        boxes.append(RemovedBox(start, end, len(out), len(out) + 3, "PHI"))
        out, at = out + "[x]", end
    out += text[at:]
    found = segments_of(out, boxes, len(text), original=text, shows_original=True)
    assert "".join(one.text for one in found) == out
    assert [one.start for one in found] == [0, *(one.end for one in found)][: len(found)]
    assert (found[-1].end if found else 0) == len(text)
    assert visible_text(found) == text


def test_words_are_coarse_tokens_and_hidden_boxes():
    words = words_of(shown())
    text = visible_text(shown())
    assert [text[start:end].strip() for start, end in words] == [
        *("Dr", ".", "", "🙂", "", "seen", "", "by", "Ben", ".")
    ]
    assert (10, 18) in words
    assert (24, 32) in words_of(shown(original=ORIGINAL, shows_original=True))
    fine = words_of(shown(original=ORIGINAL, shows_original=True), fine=True)
    assert {(24, 25), (25, 26), (26, 27)} <= set(fine)


@pytest.mark.parametrize(
    ("text", "stretch", "found"),
    [
        ("Ann saw ANN, not Anna.", (0, 3), [(0, 3), (8, 11)]),
        ("Ann Lee. ann\n lee! Ann of Lee", (0, 7), [(0, 7), (9, 17)]),
        ("aba aba abaaba", (1, 2), [(1, 2), (5, 6), (9, 10), (12, 13)]),
        ("🙂 José josé JOSÉ", (2, 6), [(2, 6), (7, 11), (12, 16)]),
        ("   ", (0, 2), []),
        ("x x x", (0, 3), [(0, 3)]),
    ],
)
def test_the_same_words(text, stretch, found):
    assert same_places(text, *stretch) == found
