"""What an attachment is read as: by what it is said to be, and by what it is seen to be."""

import base64

import pytest
from scrubline.models.core.errors import DocumentError
from scrubline.models.core.views import View
from scrubline.models.core.written_texts import Mapped, Stack
from scrubline.models.messages.attachments import (
    is_described,
    layers_of,
    layers_of_text,
    may_be_encoded,
    may_hold_encoded,
)
from scrubline.models.rendering.kinds import LAYERS

NOTE = "Seen Zelda Quimby today, MRN 48151623."
PACKAGE = (
    "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\n"
    "Content-Type: text/xml\r\nContent-Transfer-Encoding: {}\r\n\r\n{}\r\n--b--"
)


def plain(source):
    return Mapped(View.of(source, 0, len(source)), lambda text, at: text)


def b64(text):
    return base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()


def read(text, kind="TEXT", subtype="PLAIN", encoding="Base64"):
    """What is read of an attachment; None if it is none of a text."""
    layers = layers_of(text, plain, kind, subtype, encoding)
    return None if layers is None else Stack.of(text, layers).text


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("TEXT", "PLAIN", "Base64"), True),
        (("text", "Html", "BASE64"), True),
        (("AP", "PDF", "Hex"), True),
        (("Application", "Octet-stream", "Base64"), True),
        (("multipart", "x-hl7-cda-level-one", "A"), True),
        (("", "", "A"), True),
        (("TEXT", "PLAIN", ""), False),
        (("TEXT", "PLAIN", "BASE-64"), False),
        (("TEXT", "PLAIN", "B64"), False),
        (("TEXT", "PLAIN", "binary"), False),
        (("TEXT", "Base64", "UXVpbWJ5"), False),
        (("PDF", "Base64", "JVBERi0xLjQ="), False),
        (("TEXT", "Quimby", "A"), False),
        (("Zelda Quimby", "PLAIN", "A"), False),
    ],
)
def test_what_describes_an_attachment(words, expected):
    assert is_described(*words) is expected


@pytest.mark.parametrize(
    ("text", "subtype", "expected"),
    [
        (NOTE, "PLAIN", NOTE),
        (NOTE, "", NOTE),
        ("<p>Qui<b>mby</b></p>", "HTML", "Quimby"),
        ("<p>Qui<b>mby</b></p>", "PLAIN", "Quimby"),  # its beginning tells
        ("<a>Quimby</a>", "XML", "Quimby"),
        ("<a>Quimby</a>", "x-hl7-cda-level-one", "Quimby"),
        (r"{\rtf1 Qui{\b mby}}", "RTF", "Quimby"),
        (NOTE, "RTF", NOTE),  # systems call so what is plain text, or HTML
        ("<p>Qui<b>mby</b></p>", "RTF", "Quimby"),
        (PACKAGE.format("7bit", NOTE), "PLAIN", PACKAGE.format("7bit", NOTE)),
    ],
)
def test_a_text_is_read(text, subtype, expected):
    assert read(b64(text), subtype=subtype).strip() == expected
    assert read(text.encode().hex(), subtype=subtype, encoding="HEX").strip() == expected
    assert read(text, subtype=subtype, encoding="a").strip() == expected


@pytest.mark.parametrize(
    ("text", "subtype"),
    [
        (b64(NOTE), "PLAIN"),
        ("\r\n".join(b64(NOTE * 3)[at : at + 76] for at in range(0, 156, 76)), "PLAIN"),
        (NOTE.encode().hex(" "), "PLAIN"),
        (b64(NOTE), "HTML"),
        (NOTE, "XML"),
        ("%PDF-1.4 (Zelda) Tj", "PLAIN"),
        (PACKAGE.format("BASE64", b64(NOTE)), ""),
        (PACKAGE.format("quoted-printable", "=51uimby"), "PLAIN"),
        (PACKAGE.format("base64", b64(f"<a>{NOTE}</a>")), "x-hl7-cda-level-one"),
        (NOTE, "PDF"),
        (NOTE, "Octet-stream"),
    ],
)
@pytest.mark.parametrize("kind", ["TEXT", "multipart", "Application"])
def test_what_is_seen_to_be_no_text_is_none(text, subtype, kind):
    assert read(b64(text), kind, subtype) is None
    assert read(text, kind, subtype, "A") is None


@pytest.mark.parametrize(
    "text", [r"\u{1}{\rtf1 Qui{\b mby}}", r"{\urtf1 Qui{\b mby}}", r"Qui{\b mby}"]
)
def test_what_is_called_rtf_and_holds_a_group_of_it_is_not_read_as_plain_text(text):
    with pytest.raises(DocumentError) as error:
        read(b64(text), subtype="RTF")
    assert error.value.code == "UnmappedMarkup"


def test_pictures_are_no_texts():
    assert read(NOTE, "IM", "PLAIN", "A") is None


def test_what_cannot_be_decoded_is_told_where_it_is_read():
    assert layers_of_text("%%%", (plain, LAYERS["rtf"]), None) == (plain, LAYERS["rtf"])


@pytest.mark.parametrize(
    ("value", "expected"),
    [(b64(NOTE), True), ("Base64", False), (NOTE, False), ("", False), ("3" * 24, True)],
)
def test_what_may_be_encoded(value, expected):
    assert may_be_encoded(value) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("short words alone", False),
        (f"Seen.\n{b64(NOTE)}", True),
        ("41 42 43 44 " * 4, True),
        ("41 42 43 44", False),
        ("", False),
    ],
)
def test_which_texts_hold_what_may_be_encoded(text, expected):
    assert may_hold_encoded(text) is expected
