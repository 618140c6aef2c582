import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import DocumentError
from scrubline.models.core.views import applied
from scrubline.models.messages import json_text

UNITS = [
    r"\n",
    r"\u00e9",
    r"\ud83d\ude42",
    r"\/",
    r"\"",
    r"\\",
    r"\u0000",
    "a",
    "é",
    "🙂",
    " ",
    "x",
]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("plain é", "plain é"),
        (r"a\nb\tc\b\f\r", "a\nb\tc\b\f\r"),
        (r"\u00e9\u00C9", "éÉ"),
        (r"\ud83d\ude42!", "🙂!"),
        (r"a\/b\\n\"", 'a/b\\n"'),
        (r"\u0000", "\0"),
        (r"\ud800x", "\ud800x"),
        (r"\ude42\ud83d", "\ude42\ud83d"),
        (r"\\u0041", r"\u0041"),
    ],
)
def test_escapes_are_read(source, text):
    assert json_text.render(source).text == json_text.read(source) == text
    assert json.loads(f'"{source}"') == text


@pytest.mark.parametrize("source", ['a"b', "a\nb", "\\", r"\x41", r"\u12", "a\\"])
def test_what_cannot_stand_between_quotes_is_refused(source):
    with pytest.raises(DocumentError, match="UnmappedMarkup"):
        json_text.render(source)


@given(st.lists(st.sampled_from(UNITS)), st.text(), st.data())
def test_a_replacement_is_read_as_it_was_given(units, replacement, data):
    source = "".join(units)
    opened = json_text.render(source)
    text = opened.text
    assert text == json.loads(f'"{source}"')
    if not text:
        return
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    found = applied(source, opened.edits([(start, end, replacement)]))
    assert json_text.render(found).text == text[:start] + replacement + text[end:]
    low, high = sum(map(len, units[:start])), sum(map(len, units[end:]))
    assert found.startswith(source[:low]) and found.endswith(source[len(source) - high :])
