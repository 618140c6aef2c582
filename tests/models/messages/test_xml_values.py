"""References and CDATA are read with their places, and replacements written in theirs."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import DocumentError
from scrubline.models.core.written_texts import Stack
from scrubline.models.messages.xml_values import (
    ATTRIBUTE,
    BAD_CCDA,
    NO_CHARACTER,
    TEXT,
    comment_text,
    decoded,
    escaped,
)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("plain", "plain"),
        ("a &amp; b &lt;c&gt; &quot;d&quot; &apos;e&apos;", "a & b <c> \"d\" 'e'"),
        ("M&#252;ller M&#xFC;ller M&#x0fc;ller", "Müller Müller Müller"),
        ("&#128512;", "\U0001f600"),
        ("&amp;lt;", "&lt;"),
        ("<![CDATA[a < b & c]]>", "a < b & c"),
        ("x<![CDATA[]]>y", "xy"),
        ("x<![CDATA[&amp;]]>&amp;", "x&amp;&"),
        ("<![CDATA[a]]><![CDATA[b]]>", "ab"),
        ("<![CDATA[]]]]><![CDATA[>]]>", "]]>"),
        ("\r\n a \t", "\r\n a \t"),
    ],
)
def test_what_a_source_says(source, text):
    assert decoded(source) == text
    assert TEXT(source).text == text


@pytest.mark.parametrize(
    "source",
    ["&", "&nbsp;", "&#0;", "&#x1F;", "&#xD800;", "&#x110000;", "&#;", "& amp;", "&amp", "<b>",
     "<![CDATA[x", "&#xFFFE;", "&#99999999999;"],
)  # fmt: skip
def test_what_is_no_character_data_is_refused(source):
    for read in (decoded, TEXT, ATTRIBUTE):
        with pytest.raises(DocumentError, match=BAD_CCDA):
            read(source)


@pytest.mark.parametrize(
    ("source", "found", "new", "written"),
    [
        ("Dr. Smith &amp; co", "Smith", "Jones", "Dr. Jones &amp; co"),
        ("Dr. Sm&#105;th", "Smith", "Jones", "Dr. Jones"),
        ("a Smith", "Smith", "<&\"'>]]", "a &lt;&amp;&quot;&apos;&gt;]]"),
        ("<![CDATA[a Smith < b]]>", "Smith", "]]> & <", "<![CDATA[a ]]]]><![CDATA[> & < < b]]>"),
        ("Smi<![CDATA[th & co]]>", "Smith", "<", "&lt;<![CDATA[ & co]]>"),
        ("<![CDATA[Smi]]>th", "Smith", "<", "<![CDATA[<]]>"),
        ("x>Smith]>", "Smith", "]", "x>&#93;]>"),
    ],
)
def test_a_replacement_is_written_as_its_place_is(source, found, new, written):
    stack = Stack.of(source, (TEXT,))
    at = stack.text.index(found)
    assert stack.replaced([(at, at + len(found), new)]) == written


def test_line_ends_are_written_as_references_in_attributes():
    assert escaped("a\nb\tc\rd", in_attribute=True) == "a&#10;b&#9;c&#13;d"
    assert escaped("a\nb\tc\rd", in_attribute=False) == "a\nb\tc&#13;d"


@pytest.mark.parametrize("text", ["\0", "\x0b", "\ud800", "\uffff"])
def test_what_xml_cannot_hold_is_refused(text):
    for layer in (TEXT, ATTRIBUTE, comment_text):
        with pytest.raises(DocumentError, match=BAD_CCDA):
            Stack.of("Smith", (layer,)).replaced([(0, 5, text)])
    with pytest.raises(DocumentError, match=BAD_CCDA):
        Stack.of("<![CDATA[Smith]]>", (TEXT,)).replaced([(0, 5, text)])


@pytest.mark.parametrize("text", ["--", "a-"])
def test_what_a_comment_cannot_hold_is_refused(text):
    with pytest.raises(DocumentError, match=BAD_CCDA):
        Stack.of("Smith", (comment_text,)).replaced([(0, 5, text)])


_CHARACTERS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20).filter(
    lambda text: not NO_CHARACTER.search(text)
)
_PIECES = st.one_of(
    _CHARACTERS.map(lambda text: escaped(text, in_attribute=False)),
    _CHARACTERS.map(lambda text: "".join(f"&#{ord(one)};" for one in text)),
    _CHARACTERS.filter(lambda text: "]]>" not in text and not text.endswith("]")).map(
        "<![CDATA[{}]]>".format
    ),
)


@given(st.lists(_PIECES, max_size=6).map("".join), _CHARACTERS, st.data())
def test_any_replacement_is_read_as_it_was_given(source, new, data):
    stack = Stack.of(source, (TEXT,))
    size = len(stack.text)
    if not size:
        return
    start = data.draw(st.integers(0, size - 1))
    end = data.draw(st.integers(start + 1, size))
    written = stack.replaced([(start, end, new)])
    read = Stack.of(written, (TEXT,)).text
    assert read == stack.text[:start] + new + stack.text[end:]


@given(_CHARACTERS)
def test_escaping_is_undone_by_reading(text):
    for in_attribute in (False, True):
        written = escaped(text, in_attribute=in_attribute)
        assert decoded(written) == text
        assert not re.search("[<>\"']", written)
