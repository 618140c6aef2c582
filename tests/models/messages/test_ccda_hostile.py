"""Documents that were made to break a reader are refused, and in little time."""

import pytest
from scrubline.models.core.errors import DocumentError
from scrubline.models.messages.ccda import CCDA

from ...growth import assert_linear
from .ccda_documents import declared, document, values

BOMB = (
    '<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;">]>'
    '<ClinicalDocument xmlns="urn:hl7-org:v3"><title>&lol2;</title></ClinicalDocument>'
)
NAMESPACES = "".join(f' xmlns:p{n}="urn:hl7-org:v3"' for n in range(200))
EXTERNAL = '<!DOCTYPE foo SYSTEM "file:///etc/passwd"><ClinicalDocument xmlns="urn:hl7-org:v3"/>'


@pytest.mark.parametrize(
    ("record", "code"),
    [
        (BOMB, "XmlEntities"),
        (EXTERNAL, "XmlEntities"),
        (document("<!DOCTYPE a>"), "XmlEntities"),
        (document("<?php x?>"), "XmlEntities"),
        (document("<?xml-stylesheet href='a'?>"), "XmlEntities"),
        (document(inner="<text><?php x?></text>"), "XmlEntities"),
        (document("<title>&nbsp;</title>"), "BadCcda"),
        (document("<title>&lol;</title>"), "BadCcda"),
        (document("<a>" * 100_000), "OverBudget:depth"),
        (document("<a>" * 100_000 + "</a>" * 100_000), "OverBudget:depth"),
        (document(inner=f"<text>{'<a>' * 1000}{'</a>' * 1000}</text>"), "OverBudget:depth"),
        (document("<title>a\0b</title>"), "BadCcda"),
        (document("<title>\ud800</title>"), "BadCcda"),
        (document("<title>&#0;</title>"), "BadCcda"),
        (document("<title>a]]>b</title>"), "BadCcda"),
        (document("<a></b>"), "BadCcda"),
        (document("<a/></a>"), "BadCcda"),
        (document("<a"), "BadCcda"),
        (document("<!--"), "BadCcda"),
        (document("<!-- a -- b -->"), "BadCcda"),
        (document("<title><![CDATA[</title>"), "BadCcda"),
        (document("<a b='1' b='2'/>"), "BadCcda"),
        (document("<a b=1/>"), "BadCcda"),
        (document("<a b='1'c='2'/>"), "BadCcda"),
        (document("<a b/>"), "BadCcda"),
        (document("<a b='<'/>"), "BadCcda"),
        (document("<1a/>"), "BadCcda"),
        (document("<x:a/>"), "BadCcda"),
        (document("<a x:b='1'/>"), "BadCcda"),
        (document("<a:b:c/>"), "BadCcda"),
        (document(f"<{'a' * 101}/>"), "BadCcda"),
        ("", "BadCcda"),
        ("<", "BadCcda"),
        ("text", "BadCcda"),
        ("text" + document(), "BadCcda"),
        (document() + "text", "BadCcda"),
        (document() + document(), "BadCcda"),
        ("<ClinicalDocument/>", "BadCcda"),
        ('<ClinicalDocument xmlns="urn:hl7-org:v2"/>', "BadCcda"),
        ('<Bundle xmlns="urn:hl7-org:v3"/>', "BadCcda"),
        ("<html><body>x</body></html>", "BadCcda"),
        (" <?xml version='1.0'?>" + document(), "XmlEntities"),
        ("<?xml version='1.0'>" + document(), "XmlEntities"),
        (document("".join(f"<a{n}/>" for n in range(60_000))), "BadCcda"),
        # Each element that declares a namespace would hold all of them.
        (document(attributes=NAMESPACES), "BadCcda"),
    ],
    ids=lambda one: ascii(one[:40]),
)  # fmt: skip
def test_what_is_no_document_is_refused(record, code):
    with pytest.raises(DocumentError) as refused:
        values(record)
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("record", "places"),
    [
        (document(), []),
        ("\ufeff" + document(), []),
        (
            '\ufeff<?xml version="1.0" encoding="UTF-8"?>\n' + document("<a>b</a>"),
            ["ClinicalDocument.a"],
        ),
        ('<?xml version="1.0" encoding="utf-16"?>' + document(), []),
        (
            "<?xml version='1.0' encoding='ISO-8859-1' standalone='yes' ?>" + document("<a>ő</a>"),
            ["ClinicalDocument.a"],
        ),
        ("\n\n" + document("<a>b</a>") + "\n<!-- a -->\n", ["ClinicalDocument.a", "comment"]),
        ("<!-- a -->" + document(), ["comment"]),
        (document("<a />\n<b\n/>").replace("><", ">\r\n<"), []),
    ],
    ids=range(8),
)
def test_what_surrounds_a_document_is_read_over(record, places):
    assert [one.place for one in values(record)] == places


@pytest.mark.parametrize(
    ("made", "size"),
    [
        (lambda n: document(f'<title code="{"a" * n}"/>'), 200_000),
        (
            lambda n: document(f"<assignedEntity><telecom value='{'1' * n}!'/></assignedEntity>"),
            200_000,
        ),
        (lambda n: document(f'<o><value xsi:type="PQ" value="{"1" * n}" unit="a"/></o>'), 100_000),
        (lambda n: document(f'<o><value xsi:type="PQ" value="1" unit="{"m " * n}"/></o>'), 50_000),
        (lambda n: document(f"<title>{'&amp;' * n}</title>"), 5_000),
        (lambda n: document(f"<title>{'<![CDATA[]]>' * n}x</title>"), 5_000),
        (lambda n: document(f"<title>a{'<!-- c -->b' * n}</title>"), 2_000),
        (lambda n: document(f"<addr><state>a{'<!-- c -->b' * n}</state></addr>"), 1_000),
        (lambda n: document(f"<title>{'YWFh' * n}</title>"), 20_000),
        (lambda n: document(f"<title>{'YWFhYWFhYWFhYWFhYWFhYWFh1 ' * n}</title>"), 5_000),
        (lambda n: document(f"<a{' ' * n}/>"), 100_000),
        (lambda n: document(f"<!-- {' ' * n}x -->"), 100_000),
        (lambda n: document("<!-- a -->" * n), 2_000),
        (lambda n: document("<a/>" * n), 2_000),
        (lambda n: document('<a code="x"/>' * n), 1_000),
        (lambda n: document(inner=f"<text>{'<a/>' * n}</text>"), 2_000),
        (lambda n: f"<?xml-stylesheet {' ' * n}x?>" + document(), 50_000),
        (lambda n: document(f'<id root="{"1." * n}1" extension="x"/>'), 50_000),
        (lambda n: document(f'<id root="1.2" extension="{" " * n}x"/>'), 100_000),
    ],
    ids=range(19),
)  # fmt: skip
def test_documents_are_read_in_time_that_grows_with_them(made, size):
    found = declared()

    def read(record):
        CCDA.emptied(record, [one for one in CCDA.values(record, found) if one.name])

    assert_linear(made, read, size)


@pytest.mark.parametrize(
    "made", [lambda n: " " * n, lambda n: "a='" * n, lambda n: "\n" * n + "="], ids=range(3)
)
def test_broken_tags_are_refused_in_time_that_grows_with_them(made):
    def refused(record):
        with pytest.raises(DocumentError):
            values(record)

    assert_linear(lambda n: document(f"<a{made(n)}"), refused, 50_000)
