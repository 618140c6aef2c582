"""XML: strict, with the tables of HTML."""

import pytest
from scrubline.models.core.errors import DocumentError
from scrubline.models.core.written_texts import Stack
from scrubline.models.rendering.xml_text import render

from ...growth import assert_linear
from ..messages import ccda_documents
from .laws import REPLACEMENTS, assert_every_stretch, assert_reads, assert_writes, cleaned

XHTML = '<div xmlns="http://www.w3.org/1999/xhtml">{}</div>'

READ = {
    "nothing": ("", ""),
    "XHTML": (XHTML.format("<p>Mu&#241;oz<br/>a <b>b</b>\n  c</p> <p>d</p>"), "Muñoz\na b c\nd"),
    "prefix": ("<h:div xmlns:h='http://www.w3.org/1999/xhtml'>S<h:b>m</h:b>ith</h:div>", "Smith"),
    "narrative": (
        '<text><paragraph>S<content styleCode="Bold">m</content>ith</paragraph><list><item>a</item>'
        "<item>b</item></list><table><tr><td>c</td><td>d</td></tr></table></text>",
        "Smith\na\nb\nc\td",
    ),
    "body": (
        "<?xml version='1.0'?>\n<note>\n  <to>A</to>\n  <body>x\n  y  z</body>\n</note>",
        "A\nx\n  y  z",
    ),
    "CDATA": ("<note>Sm<![CDATA[i<t>h &amp;]]></note>", "Smi<t>h &amp;"),
    "numbers as they are": ("<p>&#128;&#x41;</p>", "\x80A"),
    "names of XHTML": ("<p>&nbsp;&amp;&eacute;</p>", " &é"),
    "comments": ("<p>S<!-- x -->m<?y z?>ith</p>", "Smith"),
    "space is kept": (
        "<p>a  b<span xml:space='preserve'>c  d</span>  e</p>",
        "a  bc  d e".replace("a  b", "a b"),
    ),
    "pre": ("<div><pre>a\n  b</pre></div>", "a\n  b"),
    "scripts and pictures": ("<div>a<script>b</script><svg><text>c</text></svg>d</div>", "ad"),
    "a script among other elements": ("<note><script>b</script></note>", "b"),
    "attributes that are read": ("<p title='A &lt; B'>c</p>", "A < B\nc"),
    "hidden within a line": (
        "<div>Qui<span style='display:none'>x<b>y</b></span>mb<div hidden='hidden'>z</div>y"
        "<br hidden=''/>a</div>",
        "Quimbya",
    ),
    "small letters": (
        "<p>Qui<b style='font-size:0'>x</b>mby<b style='font-size:0'>a<i>b</i></b></p>",
        "Quimbyab",
    ),
    "hidden lines": (
        "<div><p hidden=''>a</p><p>b</p><table><td hidden=''>c</td></table></div>",
        "a\nb\nc",
    ),
    "hidden in other elements": ("<note>a<b hidden='yes'>b</b></note>", "ab"),
    "a document of CDA": (
        "<ClinicalDocument xmlns='urn:hl7-org:v3' xmlns:x='urn:x'><id extension='4417'/><title>Note"
        "</title><recordTarget><name>Zelda<![CDATA[Quimby]]> <given>Z</given></name>"
        "</recordTarget>"
        "<x:text>a<![CDATA[ b]]><table><td>c</td></table></x:text><text representation='B64'>QQ=="
        "</text><text/><value>d</value><entry><text>e<title>f</title>g</text>h</entry>"
        "<text mediaType='text/plain'>i</text></ClinicalDocument>",
        "Note\na b\nc\ne\nf\ng\ni",
    ),
    "what is called as elements of CDA": ("<note>a<text>b</text></note>", "a\nb"),
    "several roots": ("<p>a</p><p>b</p>", "a\nb"),
}


@pytest.mark.parametrize("case", READ)
def test_what_is_read(case):
    source, text = READ[case]
    assert_reads(render, source, text)


REFUSED = {
    "open element": ("<p>a", "UnmappedMarkup"),
    "wrong end": ("<p>a</b>", "UnmappedMarkup"),
    "end without beginning": ("a</b>", "UnmappedMarkup"),
    "other case": ("<p>a</P>", "UnmappedMarkup"),
    "sign alone": ("<p>a & b</p>", "UnmappedMarkup"),
    "less than": ("<p>a < b</p>", "UnmappedMarkup"),
    "unknown entity": ("<p>&smith;</p>", "UnmappedMarkup"),
    "no semicolon": ("<p>&amp</p>", "UnmappedMarkup"),
    "no character": ("<p>&#0;</p>", "UnmappedMarkup"),
    "control": ("<p>\x01</p>", "UnmappedMarkup"),
    "unquoted": ("<p class=a>b</p>", "UnmappedMarkup"),
    "no value": ("<p hidden>b</p>", "UnmappedMarkup"),
    "open comment": ("<p><!-- b</p>", "UnmappedMarkup"),
    "open section": ("<p><![CDATA[b</p>", "UnmappedMarkup"),
    "name with a number": ("<p12345>b</p12345>", "UnmappedMarkup"),
    "attribute with a number": ("<p a12345='x'>b</p>", "UnmappedMarkup"),
    "letters": ("<muñoz>b</muñoz>", "UnmappedMarkup"),
    "letters turned around": ('<p><bdo dir="rtl">b</bdo></p>', "UnmappedMarkup"),
    "letters turned by style": (
        "<p style='unicode-bidi:bidi-override;direction:rtl'>b</p>",
        "UnmappedMarkup",
    ),
    "doctype": ("<!DOCTYPE p [<!ENTITY x 'y'>]><p>&x;</p>", "XmlEntities"),
    "entity": ("<!ENTITY x 'y'><p/>", "XmlEntities"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(case):
    source, code = REFUSED[case]
    with pytest.raises(DocumentError) as error:
        render(source)
    assert error.value.code == code


REMOVED = {
    "attributes": ("<p id='a' x:y=\"b\" class='c'>d</p>", "<p id='' x:y=\"\" class='c'>d</p>"),
    "comment": ("<p>a<!-- b -->c</p>", "<p>a<!---->c</p>"),
    "instruction": ("<p>a<?b c?>d</p>", "<p>a<!---->d</p>"),
    "namespaces": (
        "<p xmlns='urn:hl7-org:v3' xmlns:a='urn:smith:x' xmlns:b='http://smith.example'/>",
        "<p xmlns='urn:hl7-org:v3' xmlns:a='urn:' xmlns:b='http:'/>",
    ),
    "script": ("<div><script>a</script>b</div>", "<div><script></script>b</div>"),
    "within a word": ("<p>Smi<b title='x'>th</b></p>", "<p>Smi<b title=''>th</b></p>"),
}


@pytest.mark.parametrize("case", REMOVED)
def test_what_is_not_seen_is_removed(case):
    source, expected = REMOVED[case]
    assert cleaned(render, source) == expected


def test_names_that_stay_are_told():
    source = (
        "<note><ZeldaQuimby Dr_Fothering='x' id='y' xml:lang='en'><b>x</b></ZeldaQuimby></note>"
    )
    assert render(source).names == ["Dr Fothering", "Zelda Quimby", "note"]
    assert Stack.of(source, [render]).names == ["Dr Fothering", "Zelda Quimby", "note"]
    assert render(XHTML.format("<p class='x'>a</p>")).names == []


WRITTEN = {
    "text": ("<p>x</p>", "<b>&amp;", "<p>&lt;b&gt;&amp;amp;</p>"),
    "line feed": ("<p>x</p>", "a\nb", "<p>a<br/>b</p>"),
    "line feed in a body": ("<note>x</note>", "a\n b", "<note>a&#10; b</note>"),
    "attribute": ("<p title='x'/>", "a'b\n", "<p title='a&#39;b&#10;'/>"),
    "section": ("<p><![CDATA[x]]></p>", "a]]>b", "<p><![CDATA[]]>a]]&gt;b<![CDATA[]]></p>"),
    "plain section": ("<p><![CDATA[x]]></p>", "Anna", "<p><![CDATA[Anna]]></p>"),
}


@pytest.mark.parametrize("case", WRITTEN)
def test_how_a_replacement_is_written(case):
    source, replacement, expected = WRITTEN[case]
    where = render(source).text.index("x")
    assert_writes(render, source, where, replacement, expected)


@pytest.mark.parametrize("replacement", REPLACEMENTS)
@pytest.mark.parametrize(
    "source",
    [
        XHTML.format("<p>Jo<b>hn</b> <i> Smith</i>&#65;</p> a"),
        "<note><to>Jo<![CDATA[hn]]> &amp; co</to>\n <from>x\n y</from></note>",
    ],
)
def test_every_stretch_can_be_replaced(source, replacement):
    assert_every_stretch(render, source, replacement)


@pytest.mark.parametrize(
    "source",
    [
        "<p {0}='{1}'>x</p>",
        "<note {0}='{1}'>x</note>",
        "<p><!--{1}-->x</p>",
        "<p><?{0} {1}?>x</p>",
        "<div><script>{1}</script>x</div>",
    ],
)
def test_nothing_that_is_not_seen_leaks(source):
    canary = "Qzx7391846"
    for name in ("id", "ID", "value", "href", "src", "style", "class", "xml:id", "xmlns:a", "code"):
        given = source.format(name, canary)
        assert canary not in cleaned(render, given)
        assert canary not in render(given).text


@pytest.mark.parametrize(
    "part", ["<a/>", "<p>a</p>", "<!---->", "<a b='c'/>", "&amp;", "a\n  ", "a<b hidden=''>c</b>"]
)
def test_time_is_linear(part):
    def prepare(size):
        return "<note>" + part * (size // len(part)) + "</note>"

    assert_linear(prepare, render, 20_000, repr(part))


def test_hostile_fragments():
    deep = "<p>" * 100_000 + "a" + "</p>" * 100_000
    assert render(deep).text == "a"
    for source in (
        "<" * 10_000_000,
        "<p " + "a " * 100_000 + ">",
        "<" + "a" * 1_000_000,
        "<p a='" + "x" * 1_000_000,
        "&#" + "1" * 1_000_000 + ";",
        "<p" + " " * 1_000_000,
    ):
        with pytest.raises(DocumentError):
            render(source)


@pytest.mark.parametrize("name", ccda_documents.documents())
def test_nothing_but_what_is_read_stays_of_a_document_of_cda(name):
    source = ccda_documents.documents()[name]
    said = ccda_documents.PLANTED.findall
    assert said(cleaned(render, source)) == said(render(source).text)
