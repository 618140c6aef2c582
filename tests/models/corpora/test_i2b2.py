"""The two XML forms of the i2b2 challenges, and XML that means harm."""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.labels import CATEGORIES, CATEGORY_OF, LABELS
from scrubline.models.corpora import (
    CORPORA,
    AnnotatedDocument,
    Annotation,
    CorpusError,
    i2b2_2006,
    i2b2_2014,
)
from scrubline.models.corpora.markup import MOST_DEPTH

from .conftest import documents_of

SECRET = "Abernathy"


def of_2014(text: str, *tags: str) -> bytes:
    return f"<deIdi2b2>\n<TEXT>{text}</TEXT>\n<TAGS>\n{''.join(tags)}</TAGS>\n</deIdi2b2>".encode()


def of_2006(text: str) -> bytes:
    return f'<ROOT>\n<RECORD ID="{SECRET}">\n<TEXT>{text}</TEXT>\n</RECORD>\n</ROOT>'.encode()


def read_2014(content: bytes) -> AnnotatedDocument:
    (document,) = i2b2_2014.parse(content, "220-01")
    return document


def read_2006(content: bytes) -> AnnotatedDocument:
    (document,) = i2b2_2006.parse(content, "")
    return document


# -- 2014

OFFICIAL = b"""<?xml version="1.0" encoding="UTF-8" ?>
<deIdi2b2>
<TEXT><![CDATA[

Record date: 2067-05-03

NAME:  Abernathy, Tess

]]></TEXT>
<TAGS>
<DATE id="P0" start="15" end="25" text="2067-05-03" TYPE="DATE" comment="" />
<NAME id="P1" start="34" end="49" text="Abernathy, Tess" TYPE="PATIENT" comment="" />
</TAGS>
</deIdi2b2>
"""


def test_a_file_of_2014():
    document = read_2014(OFFICIAL)
    assert document == AnnotatedDocument(
        "220-01",
        "\n\nRecord date: 2067-05-03\n\nNAME:  Abernathy, Tess\n\n",
        (Annotation(15, 25, "DATE"), Annotation(34, 49, "PATIENT")),
    )
    assert i2b2_2014.render([document]) == {"220-01.xml": OFFICIAL}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<![CDATA[a]]>", "a"),
        ("a", "a"),
        ("", ""),
        ("<![CDATA[]]>", ""),
        ("&lt;&amp;&#233;&#x1F642;", "<&é🙂"),
        ("<![CDATA[&lt;]]>", "&lt;"),
        ("<![CDATA[a]]]]><![CDATA[>b]]>", "a]]>b"),
        # XML reads raw line ends as LF; only a reference is a carriage return.
        ("<![CDATA[a\r\nb\rc]]>", "a\nb\nc"),
        ("<![CDATA[a]]>&#13;<![CDATA[\nb]]>", "a\r\nb"),
        ("a<!-- no text -->b", "ab"),
    ],
)
def test_texts_of_2014(text, expected):
    assert read_2014(of_2014(text)).text == expected


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ('<NAME start="0" end="2" TYPE="DOCTOR"/>', (0, 2, "DOCTOR")),
        ('<NAME id="P0" start="0" end="2" text="Mr" TYPE="DOCTOR" comment="x"/>', (0, 2, "DOCTOR")),
        ('<PHI id="P0" start="0" end="2" text="Mr" TYPE="DOCTOR"/>', (0, 2, "DOCTOR")),
        ('<PHI start="0" end="2" TYPE="OWN-LABEL"/>', (0, 2, "OWN-LABEL")),
        ('<PHI start="0" end="2" TYPE="PHI"/>', (0, 2, "PHI")),
        ('<PHI start="0" end="2"/>', (0, 2, "PHI")),
        ('<LOCATION start="0" end="2" TYPE="ROOM"/>', (0, 2, "ROOM")),
        ('<AGE start="0" end="2"/>', (0, 2, "AGE")),
        ('<AGE start="0" end="2" TYPE=""/>', (0, 2, "AGE")),
        ('<DATE start="1" end="4" text="r&#10;7" TYPE="DATE"/>', (1, 4, "DATE")),
        ('<DATE start="1" end="4" text="r\n7" TYPE="DATE"/>', (1, 4, "DATE")),
        ('<DATE start="1" end="4" text="r 7" TYPE="DATE"></DATE>', (1, 4, "DATE")),
    ],
)
def test_tags_of_2014(tag, expected):
    document = read_2014(of_2014("Mr\n7", tag))
    assert document.spans == (Annotation(*expected),)


def test_tags_of_the_other_track_are_left_out():
    tags = (
        '<DIABETES id="DOC0" time="continuing" indicator="mention">'
        '<DIABETES id="D1" start="0" end="2" text="DM"/></DIABETES>',
        '<SMOKER id="S0" start="-1" end="-1" status="unknown"/>',
        '<AGE start="3" end="5" TYPE="AGE"/>',
    )
    assert read_2014(of_2014("DM 64", *tags)).spans == (Annotation(3, 5, "AGE"),)


def test_a_file_without_tags_has_none():
    assert read_2014(b"<deIdi2b2><TEXT>a</TEXT></deIdi2b2>").spans == ()


@pytest.mark.parametrize(
    ("tag", "fault"),
    [
        ('<NAME start="0" end="10" TYPE="DOCTOR"/>', "OffsetOutsideText"),
        ('<NAME start="9" end="10" TYPE="DOCTOR"/>', "OffsetOutsideText"),
        ('<NAME start="0" end="999999999999999999" TYPE="DOCTOR"/>', "OffsetOutsideText"),
        ('<NAME start="0" end="1e3" TYPE="DOCTOR"/>', "WrongType"),
        ('<NAME start="-1" end="2" TYPE="DOCTOR"/>', "WrongType"),
        ('<NAME start="0" end="\u0663" TYPE="DOCTOR"/>', "WrongType"),
        (f'<NAME start="0" end="{"9" * 10_000}" TYPE="DOCTOR"/>', "WrongType"),
        ('<NAME start="" end="2" TYPE="DOCTOR"/>', "WrongType"),
        ('<NAME start="2" end="2" TYPE="DOCTOR"/>', "EmptySpan"),
        ('<NAME start="3" end="2" TYPE="DOCTOR"/>', "EmptySpan"),
        ('<NAME end="2" TYPE="DOCTOR"/>', "MissingKey"),
        ('<NAME start="2" TYPE="DOCTOR"/>', "MissingKey"),
        ('<NAME start="0" end="2"/>', "EmptyLabel"),
        ('<NAME start="0" end="2" TYPE="DATE"/>', "WrongCategory"),
        ('<NAME start="0" end="9" text="Abernath" TYPE="DOCTOR"/>', "SpanTextsDiffer"),
        ('<NAME start="1" end="9" text="Abernathy" TYPE="DOCTOR"/>', "SpanTextsDiffer"),
        ('<NAME start="0" end="9" text="" TYPE="DOCTOR"/>', "SpanTextsDiffer"),
        ('<NAMES start="0" end="9" TYPE="DOCTOR"/>', "UnknownTag"),
        ('<name start="0" end="9" TYPE="DOCTOR"/>', "UnknownTag"),
        ('<NAME start="0" end="9" TYPE="DOCTOR"><X/></NAME>', "UnknownTag"),
        ('<NAME start="0" end="9" TYPE="DOCTOR">Abernathy</NAME>', "StrayText"),
        ("Abernathy", "StrayText"),
        ('<NAME start="0" start="0" end="9" TYPE="DOCTOR"/>', "BadXml"),
    ],
)
def test_faults_of_tags_are_told_by_line(tag, fault):
    with pytest.raises(CorpusError) as caught:
        read_2014(of_2014(SECRET, "\n", tag))
    assert (caught.value.line, caught.value.fault) == (5, fault)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"<deIdi2b2></deIdi2b2>", "MissingText"),
        (b"<deIdi2b2><TAGS/></deIdi2b2>", "MissingText"),
        (b"<deIdi2b2><TEXT/><TEXT/></deIdi2b2>", "UnknownTag"),
        (b"<deIdi2b2><TEXT><PHI/></TEXT></deIdi2b2>", "UnknownTag"),
        (b"<deIdi2b2><META/><TEXT/></deIdi2b2>", "UnknownTag"),
        (b"<deIdi2b2>stray<TEXT/></deIdi2b2>", "StrayText"),
        (b"<deIdi2b2><TEXT>a]]>b</TEXT></deIdi2b2>", "BadXml"),
        (b"", "BadXml"),
    ],
)
def test_files_of_2014_that_are_refused(content, fault):
    with pytest.raises(CorpusError) as caught:
        read_2014(content)
    assert (caught.value.line, caught.value.fault) == (1, fault)


def test_every_label_is_written_under_its_category():
    spans = tuple(Annotation(i, i + 1, label) for i, label in enumerate(LABELS))
    document = AnnotatedDocument("1", "x" * len(LABELS), spans)
    root = ET.fromstring(i2b2_2014.render([document])["1.xml"])
    assert [(tag.tag, tag.get("TYPE")) for tag in root.find("TAGS")] == [
        (CATEGORY_OF[label], label) for label in LABELS
    ]
    assert read_2014(i2b2_2014.render([document])["1.xml"]).spans == spans


@pytest.mark.parametrize("label", ["", "NAME", "FECHAS", "date", "LOCATION"])
def test_other_labels_are_refused_and_named_on_a_terminal_alone(label):
    label = label or "-"
    document = AnnotatedDocument("1", SECRET, (Annotation(0, 1, label),))
    for form in (i2b2_2014, i2b2_2006):
        if (form, label) == (i2b2_2006, "LOCATION"):
            continue
        with pytest.raises(CorpusError, match="UnknownLabel") as caught:
            form.render([document])
        assert repr(label) in caught.value.on_terminal
        assert "UnknownLabel: a label is not one of" in str(caught.value)
        assert repr(label) in caught.value.in_file(2).on_terminal
        assert SECRET not in str(caught.value) + caught.value.on_terminal


@given(documents_of())
def test_other_parsers_read_the_same(document):
    # The challenge's evaluation script takes `find("TEXT").text` and the elements of the categories
    # from a tree; `lxml`, which it uses, agrees with this parser on both.
    content = i2b2_2014.render([AnnotatedDocument("1", document.text, document.spans)])["1.xml"]
    roots = [ET.fromstring(content)]
    try:
        from lxml import etree
    except ImportError:
        pass  # the other parser has to do
    else:
        roots.append(etree.fromstring(content))
    for root in roots:
        assert root.tag == "deIdi2b2"
        assert (root.find("TEXT").text or "") == document.text
        tags = [tag for name in CATEGORIES for tag in root.find("TAGS").findall(name)]
        assert sorted(
            (int(tag.get("start")), int(tag.get("end")), tag.get("TYPE"), tag.get("text"))
            for tag in tags
        ) == sorted(
            (s.start, s.end, s.label, document.text[s.start : s.end]) for s in document.spans
        )
        assert all(
            list(tag.keys()) == ["id", "start", "end", "text", "TYPE", "comment"] for tag in tags
        )
        assert len({tag.get("id") for tag in tags}) == len(tags)


@pytest.mark.parametrize(
    "doc_id",
    ["", "/a", "a/", "a//b", "../a", "a/../b", ".a", "_a", "a/.b", "a\0", "a\\b", "x" * 300]
    + ["s3://a/b", "a::b", "\ud800"],
)
def test_ids_that_are_no_paths_are_refused(doc_id):
    for name in ("i2b2_2014", "brat"):
        with pytest.raises(CorpusError, match="BadDocId") as caught:
            CORPORA[name].render([AnnotatedDocument("0", ""), AnnotatedDocument(doc_id, "")])
        assert caught.value.line == 2


# -- 2006


def test_a_file_of_2006():
    content = of_2006('Dr. <PHI TYPE="DOCTOR">Who</PHI><PHI TYPE="ID">7</PHI> &lt;&#13;\n')
    document = read_2006(content)
    assert document == AnnotatedDocument(
        SECRET, "Dr. Who7 <\r\n", (Annotation(4, 7, "DOCTOR"), Annotation(7, 8, "ID"))
    )
    rendered = i2b2_2006.render([document])
    assert rendered == (
        b'<?xml version="1.0" encoding="UTF-8" ?>\n<ROOT>\n'
        b'<RECORD ID="Abernathy">\n<TEXT>Dr. <PHI TYPE="DOCTOR">Who</PHI><PHI TYPE="ID">7</PHI> '
        b"&lt;&#13;\n</TEXT>\n</RECORD>\n</ROOT>\n"
    )


@given(
    st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn"]) | st.sampled_from("\t\n\r\"'<&"))
)
def test_any_id_survives(doc_id):
    document = AnnotatedDocument(doc_id, "")
    assert i2b2_2006.parse(i2b2_2006.render([document]), "") == [document]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('<PHI TYPE="DATE"></PHI>', "EmptySpan"),
        ('<PHI TYPE="DATE"/>', "EmptySpan"),
        ("<PHI>x</PHI>", "EmptyLabel"),
        ('<PHI TYPE="">x</PHI>', "EmptyLabel"),
        ('<PHI TYPE="DATE">x<PHI TYPE="ID">y</PHI></PHI>', "NestedTag"),
        ("<B>x</B>", "UnknownTag"),
        ("</TEXT><TEXT>", "UnknownTag"),
        ('</TEXT></RECORD><RECORD ID="Abernathy"><TEXT>', "DuplicateDocId"),
        ("</TEXT></RECORD><RECORD><TEXT>", "MissingKey"),
        ('</TEXT></RECORD><RECORD ID="2"></RECORD><RECORD ID="3"><TEXT>', "MissingText"),
        ("</TEXT>Abernathy<TEXT>", "StrayText"),
        ("</TEXT></RECORD>Abernathy<RECORD>", "StrayText"),
        ('<PHI TYPE="DATE">x</TEXT>', "BadXml"),
        ('<PHI TYPE="DATE>x</PHI>', "BadXml"),
        ("&nbsp;", "BadXml"),
        ("a & b", "BadXml"),
        ("&#0;", "BadXml"),
        ("&#xD800;", "BadXml"),
        ("&#xFFFE;", "BadXml"),
        ("\0", "BadXml"),
        ("\x0c", "BadXml"),
        ("\uffff", "BadXml"),
    ],
)
def test_faults_of_records_are_told_by_line(text, fault):
    with pytest.raises(CorpusError) as caught:
        i2b2_2006.parse(of_2006(f"\n{text}"), "")
    assert (caught.value.line, caught.value.fault) == (4, fault)
    assert SECRET not in str(caught.value)


def test_records_before_a_fault_are_given():
    import io

    many = "".join(f'<RECORD ID="{i}"><TEXT>{"x" * 1000}</TEXT></RECORD>' for i in range(3000))
    documents = i2b2_2006.read(io.BytesIO(f"<ROOT>{many}</ROO>".encode()))
    assert next(documents).doc_id == "0"
    with pytest.raises(CorpusError, match="BadXml"):
        list(documents)


# -- XML that means harm

_BOMB = "".join(
    f'<!ENTITY e{i} "{f"&e{i - 1};" * 10 if i else SECRET}">' for i in range(12)
)  # a terabyte


@pytest.mark.parametrize(
    "prologue",
    [
        f"<!DOCTYPE ROOT [{_BOMB}]>",
        '<!DOCTYPE ROOT [<!ENTITY e11 SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE ROOT [<!ENTITY % p SYSTEM "http://127.0.0.1:1/x.dtd"> %p;]>',
        '<!DOCTYPE ROOT [<!ATTLIST PHI TYPE CDATA "DATE">]>',
        "<!DOCTYPE ROOT []>",
        # Nothing is fetched, so that the entity stays unknown: not read as nothing.
        '<!DOCTYPE ROOT SYSTEM "http://127.0.0.1:1/x.dtd">',
    ],
)
def test_entities_are_refused(prologue):
    for content in (of_2006("&e11;"), of_2014("&e11;")):
        for parse in (i2b2_2006.parse, i2b2_2014.parse):
            with pytest.raises(CorpusError) as caught:
                parse(prologue.encode() + content, "")
            assert caught.value.fault in ("Entity", "UnknownTag")
            assert SECRET not in str(caught.value)


def test_a_document_type_alone_does_no_harm():
    content = b'<!DOCTYPE ROOT SYSTEM "deid.dtd">' + of_2006("a")
    assert read_2006(content).text == "a"


def test_the_depth_is_capped():
    deep = "<DIABETES>" * 100_000
    with pytest.raises(CorpusError, match=f"TooDeep: .* deeper than {MOST_DEPTH} "):
        read_2014(of_2014("", deep))


def test_the_size_is_capped(monkeypatch):
    from scrubline.models.corpora import markup

    monkeypatch.setattr(markup, "MOST_BYTES", 1000)
    assert read_2014(of_2014("x" * 800)).text
    with pytest.raises(CorpusError, match="TooLarge"):
        read_2014(of_2014("x" * 1000))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "iso-8859-1", "windows-1252"])
def test_other_encodings_are_read_as_declared(encoding):
    name = encoding.removesuffix("-sig")
    content = f'<?xml version="1.0" encoding="{name}"?>' + of_2014("é").decode()
    assert read_2014(content.encode(encoding)).text == "é"


@pytest.mark.parametrize("encoding", ["rot13", "no-such", "utf-7", "idna"])
def test_unknown_encodings_are_refused(encoding):
    content = f'<?xml version="1.0" encoding="{encoding}"?>'.encode() + of_2014("a")
    with pytest.raises(CorpusError, match="BadXml"):
        read_2014(content)


@pytest.mark.parametrize("name", ["i2b2_2006", "i2b2_2014"])
def test_a_label_that_looks_like_none_is_not_repeated(name):
    document = AnnotatedDocument("d", "Anna Roe", (Annotation(0, 4, "Anna\nRoe"),))
    with pytest.raises(CorpusError, match="UnknownLabel") as caught:
        CORPORA[name].render([document])
    assert "Anna" not in str(caught.value)
