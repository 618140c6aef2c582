"""Which texts are taken for HTML, RTF and XML."""

import pytest
from scrubline.models.rendering.kinds import recognised

RICH = {
    "page": ("<!DOCTYPE html><title>x</title>", "html"),
    "page behind a mark": ("\ufeff \r\n<HTML lang=en>", "html"),
    "page behind a comment": ("<!-- saved from x -->\n<html>", "html"),
    "fragment": ("<p>Dear Dr. Smith,</p>", "html"),
    "fragment in capitals": ("<P CLASS=x>Dear Dr. Smith,</P>", "html"),
    "fragment with attributes": (
        "<div class=\"note\" id=x data-y='z'>" + "a " * 5000 + "</div>",
        "html",
    ),
    "bold": ("<b>Discharge summary</b> of", "html"),
    "table": ("<table border=1><tr><td>x</td></tr></table>", "html"),
    "RTF": (r"{\rtf1\ansi x}", "rtf"),
    "RTF behind blanks": ("\ufeff\r\n {\\rtf1 x}", "rtf"),
    "XHTML": ("<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC 'x'><html/>", "html"),
    "XML": ("<?xml version='1.0'?><note/>", "xml"),
}

PLAIN = (
    "",
    "BP <120/80>",
    "<120/80 today",
    "<br>",
    "<br>x<br/>",
    "<john.smith@example.org> wrote:",
    "<Patient Name> was seen",
    "<p> without an end",
    "<p and more text </p>",
    "<i.e. nothing> </i>",
    "Seen today.\n<b>Plan</b>: rest",
    "a < b and c > d",
    "< p >x</p>",
    "<redacted>x</redacted>",
    "<a@b.c></a>",
    "{ x }",
    "{rtf1}",
    "\\rtf1 x",
    "{\\b x}",
    "<-- see above",
    "<!-- note -->",
    "<?",
    "<<b>>x</b>",
)


@pytest.mark.parametrize("case", RICH)
def test_rich_texts_are_recognised(case):
    source, kind = RICH[case]
    assert recognised(source) == kind


@pytest.mark.parametrize("text", PLAIN)
def test_plain_texts_are_not(text):
    assert recognised(text) is None


def test_only_the_ends_are_looked_at():
    text = "<p>" + "x" * 10_000_000 + "</p>"
    assert recognised(text) == "html"
    assert recognised("<p>" + "x" * 3000 + "</p>" + "x" * 3000) is None
    for part in ("<!--", "<p ", "<p a=", "<p a='", " ", "<!-- -->", "<p a='' "):
        assert recognised(part * 1_000_000) is None
