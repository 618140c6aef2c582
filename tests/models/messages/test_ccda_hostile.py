"""Documents that were made to break a reader are refused, and in little time."""

import time

import pytest
from scrubline.models.core.errors import DocumentError
from scrubline.models.messages.ccda import CCDA

from .ccda_documents import declared, document, values

BOMB = (
    '<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;">]>'
    '<ClinicalDocument xmlns="urn:hl7-org:v3"><title>&lol2;</title></ClinicalDocument>'
)
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
    ],
    ids=lambda one: ascii(one[:40]),
)  # fmt: skip
def test_what_is_no_document_is_refused(record, code):
    with pytest.raises(DocumentError) as refused:
        values(record)
    assert refused.value.code == code


@pytest.mark.parametrize(
    "record",
    [
        document(),
        "\ufeff" + document(),
        '\ufeff<?xml version="1.0" encoding="UTF-8"?>\n' + document(),
        '<?xml version="1.0" encoding="utf-16"?>' + document(),
        "<?xml version='1.0' encoding='ISO-8859-1' standalone='yes' ?>" + document("<a>ő</a>"),
        "\n\n" + document() + "\n<!-- a -->\n",
        document("<a />\n<b\n/>").replace("><", ">\r\n<"),
    ],
    ids=range(7),
)  # fmt: skip
def test_what_surrounds_a_document_is_read_over(record):
    values(record)


@pytest.mark.parametrize(
    "record",
    [
        document(f'<title code="{"a" * 10_000_000}"/>'),
        document(f'<a><assignedEntity><telecom value="{"1" * 10_000_000}!"/></assignedEntity></a>'),
        document(f'<o><value xsi:type="PQ" value="{"1" * 5_000_000}" unit="a"/></o>'),
        document(f"<title>{'&amp;' * 1_000_000}</title>"),
        document(f"<title>{'<![CDATA[]]>' * 500_000}x</title>"),
        document(f"<a{' ' * 5_000_000}/>"),
        document(f"<!-- {' ' * 5_000_000}x -->"),
        document("<!-- a -->" * 200_000),
        document("<a/>" * 200_000),
        document('<a code="x"/>' * 100_000),
        document(inner=f"<text>{'<a/>' * 200_000}</text>"),
        f"<?xml-stylesheet {' ' * 3_000_000}x?>" + document(),
        document(f'<id root="{"1." * 2_000_000}1" extension="x"/>'),
        document(f'<id root="1.2" extension="{" " * 3_000_000}x"/>'),
    ],
    ids=range(14),
)  # fmt: skip
def test_long_documents_are_read_in_time_that_grows_with_them(record):
    found, begin = declared(), time.process_time()
    read = [one for one in CCDA.values(record, found) if one.name]
    CCDA.emptied(record, read)
    assert time.process_time() - begin < 20  # a quadratic reader takes hours


@pytest.mark.parametrize("blanks", [" " * 2_000_000, "a='" * 500_000, "\n" * 2_000_000 + "="])
def test_broken_tags_are_refused_in_little_time(blanks):
    begin = time.process_time()
    with pytest.raises(DocumentError):
        values(document(f"<a{blanks}"))
    assert time.process_time() - begin < 10
