"""Properties of all layers, over sources drawn from what their grammars are made of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.rendering.kinds import LAYERS, recognised

from ...examples import examples
from .laws import assert_opens, assert_replaced, edits_of

HTML = (
    *("<p>", "</p>", "<b>", "</b>", "<br>", "<td>", "</td>", "<tr>", "<pre>", "</pre>", "<i/>"),
    *(
        "<foo>",
        "</foo>",
        "<!--",
        "-->",
        "<!-- x -->",
        "<!x>",
        "<?x>",
        "</ x>",
        "</>",
        "<",
        ">",
        "/",
    ),
    *(
        "&",
        "&amp;",
        "&am",
        "&copy",
        "&lt",
        "&#32;",
        "&#65",
        "&nbsp;",
        "&#x4f;",
        "&#",
        ";",
        "&notit;",
    ),
    *(" ", "  ", "\n", "\r\n", "\r", "\t", "\0", "\xa0", "\f", "a", "Jo", "hn", "5", "=", '"', "'"),
    *('<p title="x y">', "<b title='J'>", "<a href=x title=y>", '<img alt="A &amp; B">', "<p a=b"),
    *(
        "<textarea>",
        "</textarea>",
        "<title>",
        "</title>",
        "<xmp>",
        "</xmp>",
        "<script>",
        "</script>",
    ),
    *(
        "<svg>",
        "</svg>",
        "<math>",
        "</math>",
        "<![CDATA[",
        "]]>",
        "<plaintext>",
        "é",
        "🙂",
        "\ud800",
    ),
    *('<span style="white-space:pre">', '<p style="color:red;x:y">', "</span>", "<input value=q>"),
    *("<b hidden>", "<div hidden>", "</div>", "<span style='font-size:0'>", "<noscript>"),
    *(
        "</noscript>",
        "<br hidden>",
        '<b hidden title="J">',
        "<p class='note Quimby'>",
        "<li hidden>",
    ),
)
XML = (
    *(
        "<p>x</p>",
        "<div>",
        "</div>",
        "<b>",
        "</b>",
        "<br/>",
        "<td>x</td>",
        "<note>",
        "</note>",
        " ",
    ),
    *("a", "Jo", "&amp;", "&#65;", "&#32;", "&nbsp;", "\n", "\r\n", "<![CDATA[", "]]>", "<b>y</b>"),
    *(
        "<![CDATA[x < y]]>",
        "<!-- x -->",
        "<?x y?>",
        '<p title="x y">',
        '<b id="q">',
        "</p>",
        "]",
        "é",
    ),
    *("<b hidden='x'>y</b>", "<div hidden=''><b>y</b> </div>", "<br hidden=''/>", "<p hidden=''/>"),
    *("<b style='font-size:0' title='x'>y</b>", "<p class='note Quimby'>z</p>"),
    *("<pre> x\n y</pre>", "<script>x</script>", '<a title=" z "/>', "<note> \n</note>", "🙂", ">"),
)
RTF = (
    *(
        "{",
        "}",
        "\\b ",
        "\\b",
        "\\b0",
        "\\par ",
        "\\par",
        "\\line ",
        "\\tab ",
        "\\cell ",
        "\\row",
        "a",
    ),
    *(
        "Jo",
        "hn",
        " ",
        "5",
        "-",
        "\n",
        "\r\n",
        "\\'e9",
        "\\'41",
        "\\u233?",
        "\\u233 ?",
        "\\u8364\\'80",
    ),
    *(
        "\\uc0 ",
        "\\uc2 ",
        "\\u-10179?\\u-8704?",
        "\\uc0 \\u55357\\uc1 \\u56898\\'3f",
        "\\~",
        "\\-",
        "\\_",
        "\\{",
        "\\}",
        "\\\\",
        "\\emdash ",
    ),
    *(
        "{\\b x}",
        "{\\footnote n}",
        "{\\*\\bkmkstart x}",
        "{\\*\\foo y}",
        "{\\info{\\author z}}",
        "é",
    ),
    *(
        "{\\field{\\*\\fldinst q}{\\fldrslt r}}",
        "\\foo ",
        "\\foo5 ",
        "\\foo5",
        "{\\upr{a}{\\*\\ud{b}}}",
    ),
    *("{\\v x}", "\\v0 ", "\\insrsid123456 ", "\\rsid1", "{\\*\\listtable{\\list\\listid123456}}"),
    *("\\listid7", "\\listid1 ", "\\listid-987654x"),
    *(
        "\\bin3 {}{",
        "{\\pict 00ff}",
        "\\f1 ",
        "\\f1\\'82\\'a0",
        "\\'82",
        "A",
        "🙂",
        "\\v ",
        "\\*",
        "\t",
    ),
)
PARTS = {"html": HTML, "xml": XML, "rtf": RTF}


def _source(kind, parts):
    text = "".join(parts)
    if kind == "rtf":
        return "{\\rtf1\\ansi{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset128 x;}}" + text + "}"
    return text


@pytest.mark.parametrize("kind", LAYERS)
@examples(2000)
@given(data=st.data())
def test_what_is_replaced_is_read_again(kind, data):
    parts = data.draw(st.lists(st.sampled_from(PARTS[kind]), max_size=14))
    source = _source(kind, parts)
    opened = assert_opens(LAYERS[kind], source)
    if opened is not None:
        assert_replaced(LAYERS[kind], source, data.draw(edits_of(opened)))


@pytest.mark.parametrize("kind", LAYERS)
@examples(500)
@given(text=st.text(max_size=60))
def test_any_text_is_opened_or_refused(kind, text):
    assert_opens(LAYERS[kind], text)
    assert_opens(LAYERS[kind], _source(kind, text))
    assert recognised(text) in (None, *LAYERS)
