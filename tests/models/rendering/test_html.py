"""HTML: what is read, what stays, what goes, and how replacements are written."""

import pytest
from scrubline.models.core.errors import DocumentError
from scrubline.models.rendering.attributes import HTML_NAMES
from scrubline.models.rendering.html import render

from ...growth import assert_linear
from .laws import (
    REPLACEMENTS,
    assert_every_stretch,
    assert_reads,
    assert_replaced,
    assert_writes,
    cleaned,
)

READ = {
    "nothing": ("", ""),
    "text": ("Seen by Dr. Smith", "Seen by Dr. Smith"),
    # Names split by what is not seen.
    "inline tags": ("Spr<b>ing</b>field", "Springfield"),
    "nested tags": ("S<i><b>m</b></i>ith, J<span class=x>o</span>hn", "Smith, John"),
    "comment": ("Smi<!-- x -->th", "Smith"),
    "bogus comments": ("S<!x>m<?y?>i</ z>th</>", "Smith"),
    "unknown tag": ("Spr<foo bar>ing</foo>field", "Springfield"),
    "tag in capitals": ("Spr<B>ing</B>field", "Springfield"),
    "anchor": ('<a href="x">Anna</a> <a name=y>Smith</a>', "Anna Smith"),
    # References.
    "names": ("Mu&ntilde;oz &amp; S&ouml;hne &lt;x&gt;", "Muñoz & Söhne <x>"),
    "no semicolon": ("&copy2019 &AMP &notit; &notin;", "©2019 & ¬it; ∉"),
    "two characters": ("&fjlig;ord", "fjord"),
    "no references": ("AT&T & &; &x; &#; &#x; &nosuch;", "AT&T & &; &x; &#; &#x; &nosuch;"),
    "numbers": ("&#83;&#x6d;&#X69;&#116&#104", "Smith"),
    "Windows-1252": ("&#145;a&#146; &#x80; &#129;", "\u2018a\u2019 € \x81"),
    "no characters": ("&#0;&#xD800;&#x110000;&#5551234567;", "\ufffd\ufffd&#x110000;&#5551234567;"),
    "leading zeros": ("&#0000000000000000000083;x", "Sx"),
    "unbreakable blank": ("a&nbsp;&nbsp;b\xa0c", "a  b c"),
    # Signs that begin no tag.
    "less than": ("BP <120/80, x < y, <5 <", "BP <120/80, x < y, <5 <"),
    "slash at the end": ("a </", "a </"),
    "unclosed tag": ("a <b title='x", "a"),
    "unclosed comment": ("a <!-- b", "a"),
    "unclosed declaration": ("a <!b", "a"),
    # Blanks.
    "runs": ("a \n\t b\r\n\r\nc", "a b c"),
    "across tags": ("a <b> b </b> c", "a b c"),
    "beside blocks": (" <p> a </p>\n <p> b </p> ", "a\nb"),
    "as references": ("a&#32;&#10; b&Tab;c", "a b c"),
    "beside nul": ("a \0 b\0c", "a bc"),
    "pre": ("<pre>\n a  b\n\tc</pre> d  e", " a  b\n\tc\nd e"),
    "pre by style": ("<span style='white-space: pre-wrap'>a  b</span>  c", "a  b c"),
    "normal in pre": ("<pre>a  b<span style='white-space:normal'>  c  d</span></pre>", "a  b c d"),
    "nested pre": (
        "<div style='white-space:pre'>a  <div>b  c</div>  d</div>  e",
        "a  \nb  c\n  d\ne",
    ),
    "textarea": ("<textarea>\n a  b</b></textarea>c", " a  b</b>\nc"),
    "carriage returns in pre": ("<pre>a\r\nb\rc</pre>", "a\nb\nc"),
    # Joins.
    "paragraphs": ("<p>a<p>b</p><div>c</div>d", "a\nb\nc\nd"),
    "breaks": ("a<br>b<br/><br>c</br>d", "a\nb\n\nc\nd"),
    "one for several": ("<div><p>a</p></div><div><ul><li>b</li></ul></div>", "a\nb"),
    "table": ("<table><tr><td>a<td>b</tr><tr><th>c</th><th>d</th></table>e", "a\tb\nc\td\ne"),
    "empty cells": ("<tr><td>a</td><td></td><td>b</td></tr>", "a\tb"),
    "list": ("<ul><li>a<li>b</ul>", "a\nb"),
    "headings": ("<h1>a</h1>b<hr>c", "a\nb\nc"),
    "options": ("<select><option>a<option>b</select>", "a\nb"),
    # Elements whose contents are no HTML.
    "title": ("<title>A &amp; <b> B</title>x", "A & <b> B\nx"),
    "script": ("a<script>if (x < y) '</p>'</script>b", "ab"),
    "style sheet": ("a<style>p { x: y } </style>b", "ab"),
    "sample": ("<xmp>a <b> &amp;</xmp>c", "a <b> &amp;\nc"),
    "plaintext": ("<plaintext>a <b></plaintext>", "a <b></plaintext>"),
    "frames": ("a<iframe srcdoc=x>b</iframe>c<noframes>d</noframes>", "ac"),
    "noscript": ("<noscript>a</noscript>", "a"),
    "objects": ("a<svg><text>b</text></svg>c<object><object>d</object>e</object>f", "acf"),
    "empty SVG": ("a<svg/>b", "ab"),
    "SVG that a paragraph ends": ("a<svg><text>b<p>c", "a\nc"),
    "template": ("a<template><p>b</template>c", "ac"),
    "islands": ("<xml><o:Author>a</o:Author></xml>b", "b"),
    "CDATA is none": ("a<![CDATA[b]]>c", "ac"),
    "CDATA in formulas": ("<math><mi>x</mi><![CDATA[ < y]]></math>", "x < y"),
    "conditional comment": ("a<!--[if mso]><p>b</p><![endif]-->c<![if !mso]>d<![endif]>", "acd"),
    # A hidden line is read like another, what is hidden within one is not.
    "hidden": ("<p hidden>a</p><p style='display:none'>b", "a\nb"),
    "hidden cell": ("<td>a<td style='display:none'>b</td><td>c", "a\tb\tc"),
    "hidden before another line": ("<div>a</div><div hidden>b</div>c", "a\nb\nc"),
    "hidden paragraphs without an end": ("<p>a<p hidden>b<p>c</p>", "a\nb\nc"),
    "a hidden block ends a paragraph": ("<p>a<div hidden>b</div>c", "a\nb\nc"),
    "hidden without an end": ("<p>a<span hidden>b</p><p>c", "ab\nc"),
    "small letters that are shown": (
        "a<span style='font-size:0'>b<i style='font-size:9pt'>c</i></span>d",
        "abcd",
    ),
    "not hidden": (
        "a<b style='opacity:1;font:10px/0 Arial;overflow:hidden;width:0;font-size:.9em'>b</b>c",
        "abc",
    ),
    "order of letters": ("<bdo dir=ltr>a</bdo><p dir=rtl>b", "a\nb"),
    # Attributes that are read.
    "alt": ('a <img alt="Anna &amp; Bo" src=x> b', "a\nAnna & Bo\nb"),
    "several": ('<td title="A" abbr="B">c</td>', "A\nB\nc"),
    "input": ('Name:<input type=text value="Smith" placeholder=Name>', "Name:\nSmith\nName"),
    "hidden input": ('<input type=hidden value="Smith">a', "a"),
    "meta": ('<meta name="author" content="Dr. X"><meta name=viewport content="Y">a', "Dr. X\na"),
    "empty": ('a<img alt=""> b <img alt=" ">c', "a b c"),
    "within a word": ('Smi<b title="x">th</b>', "Smith"),
    "other references": ('<p title="a&copy=1&copy;&copy">', "a&copy=1©©"),
}


@pytest.mark.parametrize("case", READ)
def test_what_is_read(case):
    source, text = READ[case]
    assert_reads(render, source, text)


HIDDEN = {
    "attribute": "<span hidden>{}</span>",
    "attribute with a value": "<b hidden='x'>{}</b>",
    "display": "<span style='color:red; DISPLAY : none !important'>{}</span>",
    "beside what goes": '<span style="background:url(x);display:none">{}</span>',
    "visibility": "<span style=visibility:hidden>{}</span>",
    "opacity": "<span style='opacity:0.0'>{}</span>",
    "faint": "<span style='opacity:1%'>{}</span>",
    "size": "<span style='font-size:0'>{}</span>",
    "small size": "<span style='font-size:.1px'>{}</span>",
    "font": "<font style='font:bold 0/1 Arial'>{}</font>",
    "extent": "<span style='display:inline-block;overflow:hidden;max-height:0px'>{}</span>",
    "floating extent": "<span style='float:left;overflow:hidden;width:1px'>{}</span>",
    "Word": "<span style='mso-hide:all'>{}</span>",
    "block": "<div style='display:none'>{}</div>",
    "blocks in one another": "<div hidden><p>{}</p><div>y</div></div>",
    "of a name": "<span hidden><span>y</span>{}<i title='z'>w</i></span>",
    "read attributes": "<span hidden title='y'>{}</span>",
    "noscript": "<noscript>{}</noscript>",
    "video": "<video src=x>{}</video>",
    "dialog": "<dialog>{}</dialog>",
    "template": "<template>{}</template>",
    "text area": "<textarea hidden>{}</textarea>",
    "end tag with attributes": "<b hidden>{}</b y=z>",
    "break": "<br hidden>",
    "hidden input": "<input type=text hidden value='{}'>",
}


@pytest.mark.parametrize("blank", ["", " "])
@pytest.mark.parametrize("case", HIDDEN)
def test_what_is_hidden_parts_no_words(case, blank):
    source = f"<div>Qui{blank}{HIDDEN[case].format('xxx')}mby</div>"
    assert render(source).text == f"Qui{blank}mby"
    assert "xxx" not in cleaned(render, source)
    assert_replaced(render, source, [(0, 3, "[PATIENT]")])


TURNED = (
    '<bdo dir="rtl">ybmiuQ</bdo>',
    "<bdo>ybmiuQ</bdo>",
    '<p style="unicode-bidi:bidi-override;direction:rtl">ybmiuQ',
    '<p style="unicode-bidi : isolate-override">ybmiuQ',
)


@pytest.mark.parametrize("source", TURNED)
def test_letters_that_are_turned_around_are_refused(source):
    with pytest.raises(DocumentError, match="UnmappedMarkup"):
        render(f"<p>a</p>{source}")
    assert render(f"a<span hidden>{source}</p></span>b").text == "ab"


MARKUP = {
    "layout": '<td colspan="2" width=50% align=left bgcolor="#ffeeDD" nowrap valign=\'top\'>x',
    "languages": '<html lang="en-US" dir=ltr xmlns="http://www.w3.org/1999/xhtml"><p xml:lang=es>x',
    "style": "<p style=\"margin-left:.5in; color:red !important; font-family:'Times New Roman'\">x",
    "office": "<p class=MsoNormal style='mso-margin-top-alt:auto'><o:p></o:p><font face=Arial>x",
    "classes": '<p class="col-md-6 note-body ql-align-center x_MsoListParagraphCxSpFirst p1 xl5">x',
    "sizes": '<p style="width:33.3333%;margin:0in 12.25pt .0001pt -1.5em;left:1280px;top:-999px">x',
    "form": '<input type="checkbox" checked disabled="disabled" maxlength=20>x',
    "top of the page": '<a href="#">x',
    "head": '<meta charset=utf-8><meta http-equiv=Content-Type content="text/html; charset=utf-8">',
    "doctypes": '<!DOCTYPE html><!doctype HTML PUBLIC "-//W3C//DTD HTML 4.01//EN"'
    ' "http://www.w3.org/TR/html4/strict.dtd"><?xml version="1.0" encoding="UTF-8"?>',
    "sheet": "<style>p, td.x > b:hover { color: red; margin: 0 } @page { size: 8in 11in }</style>",
    "odd": "<p\n  class = x  / ><br/></p\n>",
}


@pytest.mark.parametrize("case", MARKUP)
def test_markup_that_says_nothing_stays(case):
    assert cleaned(render, MARKUP[case]) == MARKUP[case]


REMOVED = {
    "comment": ("a<!-- b -->c", "a<!---->c"),
    "short comments": ("a<!-->b<!--->c<!--d--!>e", "a<!-->b<!--->c<!----!>e"),
    "unclosed comment": ("a<!-- b", "a"),
    "instruction": ("a<?b?>c", "a<?>c"),
    "doctype": ("<!DOCTYPE html PUBLIC 'Smith'>a<!doctype smith>", "<!DOCTYPE html>a<!>"),
    "value": ('<a href="x.html" id=y>z', '<a href="" id>z'),
    "unquoted value": ("<a href=x title=y>z", "<a href title=y>z"),
    "data": ("<p data-x='y' z=1 smith>w", "<p   >w"),
    "end tag": ("<p>a</p smith='>'>", "<p>a</p>"),
    "unknown tag": ("a<john@example.org>b</smith>", "ab"),
    "declarations": (
        "<p style=\"color:red;background:url(x;y);content:'z';margin:0/* q */\">a",
        '<p style="color:red;;;;">a',
    ),
    "whole style": ("<p style=x:y style='z'>a", "<p style style=''>a"),
    "class": ("<p class='MsoNormal mrn-1234567'>a", "<p class='MsoNormal '>a"),
    "class that names someone": (
        "<p class='patient-Quimby Zelda'>a<b class=quimby>c",
        "<p class=''>a<b class>c",
    ),
    "class beside layout": (
        "<p class='note Quimby ql-indent-2'>a",
        "<p class='note  ql-indent-2'>a",
    ),
    "class of short numbers": ("<p class=a123-456-789>a", "<p class>a"),
    "font": ("<font face='Smith'>a", "<font face=''>a"),
    "language": ("<p lang='john-smith'>a", "<p lang=''>a"),
    "number": ("<td width=1234567>a", "<td width>a"),
    "number with a point": ("<td width=4815.16>a", "<td width>a"),
    "map": ("<area coords='4815,1623'>a", "<area coords=''>a"),
    "numbers": (
        "<p style='margin:4815px 1623px;width:4815.1623px;left:1280px'>a",
        "<p style=';;left:1280px'>a",
    ),
    "prefix": (
        "<p xmlns:quimby='urn:x' xmlns:o='urn:schemas-microsoft-com:office:office'>a",
        "<p  xmlns:o='urn:schemas-microsoft-com:office:office'>a",
    ),
    "selectors": (
        "<style>p.Quimby{color:red} p:quimby{color:red} p.note{color:red}</style>a",
        "<style> p.note{color:red}</style>a",
    ),
    "rule that hides": (
        "<style>.x{display:none}p.y{font-size:0}i{}</style>a",
        "<style>i{}</style>a",
    ),
    "order": (
        "<p style='display:flex;flex-direction:row-reverse;order:2;flex-flow:column-reverse'>a",
        "<p style='display:flex;;;'>a",
    ),
    "flag": ("<p hidden=smith>a", "<p hidden>a"),
    "script": ("<script src=x>y</script>", "<script src></script>"),
    "sheet": (
        "<style>p{color:red;x:y} #smith{} /* z */ b{}</style>",
        "<style>p{color:red;}</style>",
    ),
    "namespace": ('<html xmlns:x="http://a.example/smith">', '<html xmlns:x="http:">'),
    "within a word": ("Smi<b title='x'>th", "Smi<b title=''>th"),
    # What stands beside a tag that is left out is not brought together.
    "no tag comes about": ("<<foo>b>c", "<<!---->b>c"),
    "no reference comes about": ("&am<foo>p;", "&am<!---->p;"),
}


@pytest.mark.parametrize("case", REMOVED)
def test_what_is_not_seen_is_removed(case):
    source, expected = REMOVED[case]
    assert cleaned(render, source) == expected
    assert render(expected).text == render(source).text


CANARY = "Qzx7391846"


@pytest.mark.parametrize("quote", ["", '"', "'"])
@pytest.mark.parametrize("element", ["p", "img", "input", "meta", "td", "a", "font", "body", "foo"])
def test_no_attribute_leaks(element, quote):
    for name in (*sorted(HTML_NAMES), "data-x", "onpaste", "xmlns:q", "xml:base", CANARY):
        for value in (CANARY, f"{CANARY};color:red", f"http://x/{CANARY}"):
            source = f"<{element} {name}={quote}{value}{quote}>x</{element}>"
            assert CANARY not in cleaned(render, source) or CANARY in render(source).text, name


@pytest.mark.parametrize(
    "source",
    [
        "<!--{}-->",
        "<!--[if mso]>{}<![endif]-->",
        "<!{}>",
        "<?{}?>",
        "</{}>",
        "</p {}>",
        "</ {}>",
        "<{}>",
        "<p {}>",
        "<p {0}={0}",
        "<!DOCTYPE {}>",
        "<!DOCTYPE html SYSTEM '{}'>",
        "<![CDATA[{}]]>",
        "<script>{}</script>",
        "<style>{}</style>",
        "<style>.{} {{}}</style>",
        "<style>p {{ content: '{}' }}</style>",
        "<svg><title>{}</title></svg>",
        "<object>{}</object>",
        "<iframe>{}</iframe>",
        "<noembed>{}</noembed>",
        "<template>{}</template>",
        "<xml><o:Author>{}</o:Author></xml>",
        "<p style='a:b;{}'>",
        "<p class='a {}'>",
    ],
)
def test_nothing_that_is_not_seen_leaks(source):
    source = "a " + source.format(CANARY) + " b"
    assert CANARY not in cleaned(render, source)
    assert CANARY not in render(source).text


WRITTEN = {
    "text": ("<p>x</p>", "<b>&amp;", "<p>&lt;b&gt;&amp;amp;</p>"),
    "line feed": ("<p>x</p>", "a\nb", "<p>a<br>b</p>"),
    "blanks": ("<p>x</p>", " a  b ", "<p>&#160;a&#160;&#160;b&#160;</p>"),
    "quotes": ('<p title="x">', "'a' \"b\"\n", '<p title="&#39;a&#39; &quot;b&quot;&#10;">'),
    "unquoted": ("<p title=x>", "a b='", "<p title=a&#32;b&#61;&#39;>"),
    "title": ("<title>x</title>", "</title>", "<title>&lt;/title&gt;</title>"),
    "sample": ("<xmp>x</xmp>", "<b>&amp;", "<xmp><b>&amp;</xmp>"),
    "formula": ("<math><![CDATA[x]]></math>", "]]>", "<math><![CDATA[]]>]]&gt;<![CDATA[]]></math>"),
    # The sign before would become a tag or a reference.
    "behind less than": ("<5", "Anna", "<&#65;nna"),
    "behind a reference": ("&am5", "p;", "&am&#112;;"),
}


@pytest.mark.parametrize("case", WRITTEN)
def test_how_a_replacement_is_written(case):
    source, replacement, expected = WRITTEN[case]
    text = render(source).text
    where = max(text.find("x"), text.find("5"))
    assert_writes(render, source, where, replacement, expected)


@pytest.mark.parametrize("replacement", REPLACEMENTS)
@pytest.mark.parametrize(
    "source",
    [
        "<p>Dr. <b>Jo</b>hn &#83;mi<i>th</i>, Spr<!-- x -->ing<foo>field &lt;5",
        "a <b> John </b> <i> Smith</i> b",
        "<pre>\nJohn  Smith\r\nx</pre>",
        "<td title='John Smith'><img alt=John><input value=\"a b\">",
    ],
)
def test_every_stretch_can_be_replaced(source, replacement):
    assert_every_stretch(render, source, replacement, longest=12)


def test_what_cannot_be_written_is_refused():
    opened = render("<xmp>x</xmp>")
    with pytest.raises(DocumentError, match="UnmappedMarkup"):
        opened.edits([(0, 1, "</xmp>")])


REPEATED = (
    *("<", "&", "&#", "&#x", "&a", "<!--", "\0", "\ud800", "<a", "<a ", "<p a='", "</", "<!", "<?"),
    *("<p>", "<b>", "<br>", "<foo>", "<svg>", "<pre>", "<title>", "&amp;", " &", "\n a", "<p a=b>"),
    *("<span style='white-space:pre'>", "<math><![CDATA[", "<p style='a:b;", "<b title='x'>", "{}"),
    *("<b hidden>", "<div hidden>", "a<b hidden>b</b>", "a<p hidden>", "<div hidden>a</div>"),
    *("<style>p{", "<style>a ", "<object>", "<!doctype html ", "&#0"),
)


@pytest.mark.parametrize("part", REPEATED)
def test_time_is_linear(part):
    assert_linear(lambda size: part * (size // len(part)), render, 20_000, repr(part))


def test_hostile_pages():
    for source in (
        "<p title='" + "x" * 1_000_000 + "'>a",
        "<p " + "x " * 50_000 + ">a",
        "&#" + "1" * 1_000_000,
        "&#" + "0" * 1_000_000 + "65;",
        "<div>" * 100_000 + "a" + "</div>" * 100_000,
        "<" * 10_000_000,
        "<p style='" + "a:b;" * 100_000 + "'>",
    ):
        opened = render(source)
        assert len(opened.view.starts) == len(opened.text)
        opened.edits([])
