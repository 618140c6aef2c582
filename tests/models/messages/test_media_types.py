"""What content is by its media type, and what looks like base64."""

import base64
import hashlib
import random

import pytest
from scrubline.models.messages.media_types import is_text, looks_like_base64, markup_of

from ...growth import assert_linear


@pytest.mark.parametrize(
    ("written", "text", "markup"),
    [
        ("text/plain", True, None),
        (" Text/HTML; charset=utf-8", True, "html"),
        ("text/csv", True, None),
        ("application/rtf", True, "rtf"),
        ("application/hl7-cda+xml", True, "xml"),
        ("application/pdf", False, None),
        ("image/png", False, None),
        ("", False, None),
    ],
)
def test_media_types(written, text, markup):
    assert (is_text(written), markup_of(written)) == (text, markup)


def test_base64_of_any_text_looks_like_it():
    draw = random.Random(7)
    for _ in range(500):
        words = [draw.choice(["Seen", "by", "Dr.", "Quimby", "on", "3/4", "BP", "120"])
                 for _ in range(draw.randrange(9, 60))]  # fmt: skip
        text = base64.b64encode(" ".join(words).encode()).decode()
        assert looks_like_base64(text) == (len(text) >= 40)
        wrapped = base64.encodebytes(" ".join(words).encode()).decode()
        assert looks_like_base64(wrapped) == (len(text) >= 40)


@pytest.mark.parametrize(
    "text",
    [
        "Patient Zelda Quimby seen by Doctor Fotheringay in room 12 on Monday today",
        hashlib.sha256(b"x").hexdigest(),
        hashlib.sha256(b"x").hexdigest().upper(),
        "ACGT" * 30,
        "a" * 80,
        "http://loinc.org/vs/LL1162-8/aaaaaaaaaaaaaaaaaaaa",
        "abcDEF123" * 4,
        "",
    ],
)
def test_what_is_no_base64(text):
    assert not looks_like_base64(text)


@pytest.mark.parametrize("unit", ["YWJj", "YWFhYWFhYWFhYWFhYWFhYWFh1 ", " ", "a b "])
def test_any_text_is_told_in_time_that_grows_with_it(unit):
    assert_linear(lambda size: unit * size, looks_like_base64, 20_000)
