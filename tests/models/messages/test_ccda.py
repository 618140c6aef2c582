# ruff: noqa: E501 - a case is a line
"""Which values a CDA document has, what they say and which name each goes by."""

import base64

import pytest
from scrubline.models.core.errors import DocumentError
from scrubline.models.core.views import applied
from scrubline.models.core.written_texts import Stack
from scrubline.models.messages.ccda import CCDA

from .ccda_documents import declared, document, names, values


def said(record, *roles):
    return {value.name: value.value for value in values(record, *roles)}


@pytest.mark.parametrize(
    ("body", "place", "name"),
    [
        ('<id root="1.2" extension="x"/>', "ClinicalDocument.id@extension", "ClinicalDocument.id"),
        ('<id root="1.2" extension="x"/>', "ClinicalDocument.id@root", "@root"),
        ('<id root="1.2"/>', "ClinicalDocument.id@root", "ClinicalDocument.id"),
        ('<id root="36e3e930-7b14-11db-9fe1-0800200c9a66"/>', "ClinicalDocument.id@root", "ClinicalDocument.id"),
        ('<id root="36e3e930-7b14-11db-9fe1-0800200c9a66" extension="1"/>', "ClinicalDocument.id@root", "@root(unique)"),
        ('<id root="1.2.1234567" extension="1"/>', "ClinicalDocument.id@root", "@root(unique)"),
        ('<setId root="1.2" extension="x"/>', "ClinicalDocument.setId@extension", "@extension"),
        ('<templateId root="1.2.1234567"/>', "ClinicalDocument.templateId@root", "@root"),
        ('<templateId root="1.2" extension="x"/>', "ClinicalDocument.templateId@extension", "templateId@extension"),
        ('<code code="x"/>', "ClinicalDocument.code@code", "ClinicalDocument.code@code"),
        ('<effectiveTime value="2024"/>', "ClinicalDocument.effectiveTime@value", "ClinicalDocument.effectiveTime@value"),
        ("<title>x</title>", "ClinicalDocument.title", "title"),
        ('<code displayName="x" codeSystem="2.16.840.1.113883.6.96"/>', "ClinicalDocument.code@displayName", "@displayName"),
        ('<code displayName="x" codeSystem="2.16.840.1.113883.3.99"/>', "ClinicalDocument.code@displayName", "@displayName(local)"),
        ('<code displayName="x"/>', "ClinicalDocument.code@displayName", "@displayName(local)"),
        ('<recordTarget><patientRole><id root="1.2" extension="x"/></patientRole></recordTarget>',
         "patientRole.id@extension", "recordTarget.patientRole.id"),
        ('<recordTarget><patientRole><id root="2.16.840.1.113883.4.1" extension="x"/></patientRole></recordTarget>',
         "patientRole.id(ssn)@extension", "patientRole.id(ssn)@extension"),
        ("<recordTarget><patientRole><patient><name><family>x</family></name></patient></patientRole></recordTarget>",
         "name.family", "patient.name.family"),
        ("<recordTarget><patientRole><patient><name>x</name></patient></patientRole></recordTarget>",
         "patient.name", "patient.name"),
        ('<recordTarget><patientRole><patient><birthTime value="19500101"/></patient></patientRole></recordTarget>',
         "patient.birthTime@value", "patient.birthTime@value"),
        ("<author><assignedAuthor><assignedPerson><name><family>x</family></name></assignedPerson></assignedAuthor></author>",
         "name.family", "assignedPerson.name.family"),
        ("<author><assignedAuthor><representedOrganization><name>x</name></representedOrganization></assignedAuthor></author>",
         "representedOrganization.name", "name"),
        ("<a><assignedEntity><telecom value='tel:5'/></assignedEntity></a>", "assignedEntity.telecom@value",
         "assignedEntity.telecom@value(tel)"),
        ("<a><assignedEntity><telecom value='FAX: 5'/></assignedEntity></a>", "assignedEntity.telecom@value",
         "assignedEntity.telecom@value(tel)"),
        ("<a><assignedEntity><telecom value='a@b.org'/></assignedEntity></a>", "assignedEntity.telecom@value",
         "assignedEntity.telecom@value(mailto)"),
        ("<a><assignedEntity><telecom value='https://b.org'/></assignedEntity></a>", "assignedEntity.telecom@value",
         "telecom@value"),
        ("<foo>x</foo>", "ClinicalDocument.foo", ""),
        ('<foo bar="x"/>', "ClinicalDocument.foo@bar", ""),
        ('<foo value="x"/>', "ClinicalDocument.foo@value", ""),
        ('<foo nullFlavor="NA"/>', "ClinicalDocument.foo@nullFlavor", "@nullFlavor"),
        ('<o:foo xmlns:o="urn:other" code="x"/>', "ClinicalDocument.other:foo@other:code", ""),
        ('<foo xmlns:o="urn:other" o:code="x"/>', "ClinicalDocument.foo@other:code", ""),
        ('<foo xmlns:o="urn:other"/>', "xmlns", ""),
        ('<foo xmlns:o="urn:hl7-org:v3/voc"/>', "xmlns", None),
        ('<foo xml:lang="en"/>', "ClinicalDocument.foo@xml:lang", "@xml:lang"),
        ('<code code="x" sdtc:valueSet="1.2"/>', "ClinicalDocument.code@sdtc:valueSet", "@sdtc:valueSet"),
        ("<!-- x -->", "comment", "comment"),
        ("<!-- -->", "comment", None),
    ],
)  # fmt: skip
def test_the_name_of_a_value_of_the_header(body, place, name):
    assert names(document(body)).get(place) == name


@pytest.mark.parametrize(
    ("inner", "place", "name"),
    [
        ("<title>x</title>", "section.title", "title"),
        ("<text>x</text>", "section.text", "text"),
        ('<text ID="a1">x</text>', "section.text@ID", "@ID"),
        ('<text ID="a12345">x</text>', "section.text@ID", "@ID(other)"),
        ('<entry><act><text><reference value="#a1"/></text></act></entry>', "text.reference@value", "reference@value"),
        ('<entry><act><text><reference value="#a12345"/></text></act></entry>', "text.reference@value", "reference@value(other)"),
        ('<entry><act><text><reference value="http://x"/></text></act></entry>', "text.reference@value", "reference@value(other)"),
        ('<o><value xsi:type="PQ" value="1" unit="cm"/></o>', "o.value(PQ)@value", "value(PQ)@value"),
        ('<o><value xsi:type="PQ" value="91" unit="a"/></o>', "o.value(PQ)@value", "@value(over 89)"),
        ('<o><value xsi:type="PQ" value="89" unit="a"/></o>', "o.value(PQ)@value", "value(PQ)@value"),
        ('<o><value xsi:type="PQ" value="1090" unit="mo"/></o>', "o.value(PQ)@value", "@value(over 89)"),
        ('<o><value xsi:type="IVL_PQ"><low value="95" unit="a"/></value></o>', "value(IVL_PQ).low@value", "@value(over 89)"),
        ('<o><value xsi:type="IVL_PQ"><low value="9"/></value></o>', "value(IVL_PQ).low@value", "value(IVL_PQ).low@value"),
        ('<o><value xsi:type="IVL_TS"><low value="9"/></value></o>', "value(IVL_TS).low@value", "value(IVL_TS).low@value"),
        ('<o><value xsi:type="TS" value="9"/></o>', "o.value(TS)@value", "value(TS)@value"),
        ('<o><value xsi:type="ST">x</value></o>', "o.value(ST)", "value(ST)"),
        ('<o><value xsi:type="CD" code="x" displayName="y"/></o>', "o.value(CD)@displayName", "@displayName(local)"),
        ('<o><value xsi:type="XX" value="x"/></o>', "o.value(XX)@value", ""),
        ('<o><value xsi:type="John Smith" value="x"/></o>', "o.value@value", "value@value"),
        ('<o><value value="x"/></o>', "o.value@value", "value@value"),
        ('<o><value mediaType="image/png" representation="B64">eA==</value></o>', "o.value(binary)", "value(binary)"),
        ('<o><value mediaType="text/plain" compression="ZL" representation="B64">eA==</value></o>', "o.value(binary)", "value(binary)"),
        ('<s><effectiveTime xsi:type="PIVL_TS"><period value="6" unit="h"/></effectiveTime></s>', "effectiveTime.period@value", "period@value"),
        ('<s><doseQuantity><low value="6"/></doseQuantity></s>', "doseQuantity.low@value", "doseQuantity.low@value"),
        ("<p><playingEntity><name>x</name></playingEntity></p>", "playingEntity.name", "playingEntity.name"),
        ("<p><playingEntity><name><given>x</given></name></playingEntity></p>", "name.given", "playingEntity.name.given"),
        ('<p><playingEntity><sdtc:birthTime value="1950"/></playingEntity></p>', "playingEntity.sdtc:birthTime@value", "playingEntity.sdtc:birthTime@value"),
        ("<m><manufacturedMaterial><lotNumberText>x</lotNumberText></manufacturedMaterial></m>", "manufacturedMaterial.lotNumberText", "lotNumberText"),
        ("<x><addr><state>OR</state></addr></x>", "addr.state", "addr.state"),
        ("<x><addr><city>x</city></addr></x>", "addr.city", "addr.city"),
    ],
)  # fmt: skip
def test_the_name_of_a_value_of_a_section(inner, place, name):
    assert names(document(inner=inner)).get(place) == name


@pytest.mark.parametrize(
    ("inner", "name", "value"),
    [
        ("<title> a &amp; b </title>", "title", "a & b"),
        ("<title><![CDATA[a <b>]]></title>", "title", "a <b>"),
        ("<x><code displayName='&quot;a&quot; b'/></x>", "@displayName(local)", '"a" b'),
        ("<a><assignedEntity><telecom value='tel:+1 555'/></assignedEntity></a>", "assignedEntity.telecom@value(tel)", "+1 555"),
        ("<a><assignedEntity><telecom value='mailto:a@b.org'/></assignedEntity></a>", "assignedEntity.telecom@value(mailto)", "a@b.org"),
        ("<a><assignedEntity><telecom value='m&#97;ilto&#58;&#x61;@b.org'/></assignedEntity></a>", "assignedEntity.telecom@value(mailto)", "a@b.org"),
        ("<text>a <b>c</b></text>", "text", "a <b>c</b>"),
    ],
)  # fmt: skip
def test_what_a_value_says(inner, name, value):
    assert said(document(inner=inner))[name] == value


def opened(record):
    """What each text of a document reads as."""
    return {
        value.place: Stack.of(record[value.start : value.end], value.layers).text
        for value in values(record)
        if value.layers
    }


def coded(text):
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    ("attributes", "content", "text"),
    [
        ("", "a &lt; b", "a < b"),
        ('mediaType="text/plain"', "<![CDATA[a < b]]>", "a < b"),
        ('representation="B64"', coded("a < b"), "a < b"),
        ('mediaType="text/plain; charset=utf-8" representation="B64"', coded("é"), "é"),
        ('mediaType="text/html" representation="B64"', coded("<p>a &lt; b</p>"), "a < b"),
        ('mediaType="text/html"', "&lt;p&gt;a&lt;/p&gt;", "a"),
        ('mediaType="application/xml" representation="B64"', coded("<p>a</p>"), "a"),
        ('mediaType="text/rtf" representation="B64"', coded(r"{\rtf1 a\b  b}"), "a b"),
        ('mediaType="text/rtf" representation="B64"', coded("<content>a</content>"), "a"),
        ('mediaType="text/rtf" representation="B64"', coded("a < b"), "a < b"),
        ("", "&lt;html&gt;&lt;body&gt;a&lt;/body&gt;&lt;/html&gt;", "a"),
        ('mediaType="text/plain" representation="B64"', coded(r"{\rtf1 a\b  b}"), "a b"),
        ('representation="B64"', coded("<html><body>a</body></html>"), "a"),
    ],
)
def test_a_body_that_is_no_xml_is_read_through_its_layers(attributes, content, text):
    record = document(
        f"<component><nonXMLBody><text {attributes}>{content}</text></nonXMLBody></component>"
    )
    assert opened(record)["nonXMLBody.text"].strip() == text


LONG = coded("Patient Zelda Quimby, seen by Dr. Fotheringay in 2019.")
PDF = base64.b64encode(b"%PDF-1.4\n\x00\x01\xff" * 9).decode()


@pytest.mark.parametrize(
    ("attributes", "content", "read"),
    [
        ('mediaType="text/plain" representation="b64"', LONG, "Zelda Quimby"),
        ('mediaType="text/plain" representation=" B64 "', LONG, "Zelda Quimby"),
        ('representation="B64"', PDF, None),
        # Neither is prose, nor a sequence of genes, a hash or a word.
        (
            "",
            "Patient Zelda Quimby seen by Doctor Fotheringay in room 12 on Monday",
            "Zelda Quimby",
        ),
        ("", "ACGT" * 30, "ACGTACGT"),
        ("", "0123456789abcdef" * 4, "0123456789abcdef"),
        ("", "Aa1" * 10, "Aa1"),
    ],
)
def test_base64_is_read_however_it_is_called(attributes, content, read):
    record = document(
        f"<component><nonXMLBody><text {attributes}>{content}</text></nonXMLBody></component>"
    )
    if read is None:
        with pytest.raises(DocumentError, match="UnreadableAttachment"):
            opened(record)
    else:
        assert read in opened(record)["nonXMLBody.text"]


@pytest.mark.parametrize(
    ("attributes", "content"),
    [
        ('representation="TXT"', LONG),
        ("", LONG),
        ("", LONG[:40] + "\n    " + LONG[40:]),
        ('mediaType="text/csv"', LONG),
        ("", PDF),
    ],
)
def test_base64_that_does_not_say_so_is_left_out_unless_somebody_wants_it_read(attributes, content):
    body = f"<component><nonXMLBody><text {attributes}>{content}</text></nonXMLBody></component>"
    record = document(body)
    assert names(record)["nonXMLBody.text"] == "base64"
    assert "nonXMLBody.text" not in opened(record)
    (value,) = (one for one in values(record, ("base64", "text")) if one.name == "base64")
    if content != PDF:
        stack = Stack.of(record[value.start : value.end], value.layers)
        assert "Zelda Quimby" in stack.text


@pytest.mark.parametrize("kind", ["text/plain", "text/rtf", "text/html", ""])
@pytest.mark.parametrize("content", [LONG, "%PDF-1.4 /Author (Smith)"])
def test_what_is_seen_to_be_no_text_is_left_out(kind, content):
    value = f'<value xsi:type="ED" mediaType="{kind}" representation="B64">{coded(content)}</value>'
    assert names(document(inner=f"<o>{value}</o>"))["o.value(ED)"] == "value(binary)"


@pytest.mark.parametrize(
    "attributes",
    [
        'mediaType="application/pdf"',
        'mediaType="application/pdf" representation="B64"',
        'mediaType="IMAGE/PNG"',
        'mediaType="application/octet-stream; x=1" representation="TXT"',
        'compression="DF"',
    ],
)
def test_what_is_no_text_by_its_type_is_left_out(attributes):
    body = f"<component><nonXMLBody><text {attributes}>{LONG}</text></nonXMLBody></component>"
    assert names(document(body))["nonXMLBody.text(binary)"] == "text(binary)"
    inner = f'<o><value xsi:type="ED" {attributes}>{LONG}</value></o>'
    assert names(document(inner=inner))["o.value(binary)"] == "value(binary)"


@pytest.mark.parametrize(
    ("inner", "place", "name"),
    [
        ('<value xsi:type="PQ" value="Dr Splungeworth"/>', "value(PQ)@value", "@value(text)"),
        ('<value xsi:type="PQ" value="&lt;5"/>', "value(PQ)@value", "@value(text)"),
        ('<value xsi:type="PQ" value="-1.50e3"/>', "value(PQ)@value", "value(PQ)@value"),
        ('<value xsi:type="INT" value=" 7 "/>', "value(INT)@value", "value(INT)@value"),
        ('<value xsi:type="BL" value="true"/>', "value(BL)@value", "value(BL)@value"),
        ('<value xsi:type="BL" value="Smith"/>', "value(BL)@value", "@value(malformed)"),
        ('<value xsi:type="TS" value="20240101101500.123-0500"/>', "value(TS)@value", "value(TS)@value"),
        ('<value xsi:type="TS" value="2024-01-01T10:15:00Z"/>', "value(TS)@value", "value(TS)@value"),
        ('<value xsi:type="TS" value="Smith"/>', "value(TS)@value", "@value(malformed)"),
        ('<value xsi:type="PQ" unit="per Dr Splungeworth"/>', "value(PQ)@unit", "@unit(malformed)"),
        ('<value xsi:type="PQ" unit="617-555-0142"/>', "value(PQ)@unit", "@unit(malformed)"),
        ('<value xsi:type="PQ" unit="mm[Hg]"/>', "value(PQ)@unit", "@unit"),
        ('<value xsi:type="PQ" unit="mm Hg"/>', "value(PQ)@unit", "@unit"),
        ('<value xsi:type="PQ" unit="10*3/uL"/>', "value(PQ)@unit", "@unit"),
        ('<value xsi:type="CD" nullFlavor="UNK"/>', "value(CD)@nullFlavor", "@nullFlavor"),
        ('<value xsi:type="CD" nullFlavor="Smith"/>', "value(CD)@nullFlavor", "@nullFlavor(malformed)"),
        ('<value xsi:type="CD" code="per Dr Splungeworth"/>', "value(CD)@code", "@code(malformed)"),
        ('<value xsi:type="CD" code="8480-6"/>', "value(CD)@code", "@code"),
        ('<value xsi:type="CD" codeSystem="Smith list"/>', "value(CD)@codeSystem", "@codeSystem(malformed)"),
        ('<value xsi:type="CD" codeSystemName="LOINC" codeSystem="2.16.840.1.113883.6.1"/>',
         "value(CD)@codeSystemName", "@codeSystemName"),
        ('<value xsi:type="CD" codeSystemName="Smith list" codeSystem="1.2.3"/>',
         "value(CD)@codeSystemName", "@codeSystemName(local)"),
        ('<value xsi:type="CD" displayName="MR Brain" codeSystem="2.16.840.1.113883.6.1"/>',
         "value(CD)@displayName", "@displayName"),
        ('<value xsi:type="CD" displayName="note by Dr Smith" codeSystem="2.16.840.1.113883.6.1"/>',
         "value(CD)@displayName", "@displayName(malformed)"),
        ('<value xsi:type="CD" codeSystemVersion="Smith"/>', "value(CD)@codeSystemVersion", "@codeSystemVersion(malformed)"),
        ('<value xsi:type="CD" codeSystemVersion="January 2012 Release"/>', "value(CD)@codeSystemVersion", "@codeSystemVersion"),
        ('<value xsi:type="GLIST_PQ"><digits>1 2 -3</digits></value>', "value(GLIST_PQ).digits", "digits"),
        ('<value xsi:type="GLIST_PQ"><digits>Smith</digits></value>', "value(GLIST_PQ).digits", "digits(malformed)"),
        ('<templateId root="Smith"/>', "o.templateId@root", "@root(malformed)"),
        ('<templateId root="1.2" extension="a b"/>', "o.templateId@extension", "@extension(malformed)"),
        ('<addr use="HP PUB"/>', "o.addr@use", "@use"),
        ('<addr use="at Smith"/>', "o.addr@use", "@use(malformed)"),
        ("<addr><state>IL</state></addr>", "addr.state", "addr.state"),
        ("<addr><state>12 Elm St</state></addr>", "addr.state", "addr.state(malformed)"),
        ("<addr><country>Springfield 62704</country></addr>", "addr.country", "addr.country(malformed)"),
        ('<value xsi:type="AD"><state>12 Elm St</state></value>', "value(AD).state", "value(AD).state(malformed)"),
        ('<value xsi:type="PQ" value="95" unit="a"/>', "value(PQ)@value", "@value(over 89)"),
    ],
)  # fmt: skip
def test_what_is_not_written_as_its_type_is_does_not_pass(inner, place, name):
    found = names(document(inner=f"<o>{inner}</o>"))
    assert found[place if place in found else f"o.{place}"] == name


AGE = '<code code="30525-0" codeSystem="2.16.840.1.113883.6.1"/>'
PULSE = '<code code="8867-4" codeSystem="2.16.840.1.113883.6.1"/>'


@pytest.mark.parametrize(
    ("inner", "place", "name"),
    [
        (AGE + '<value xsi:type="INT" value="93"/>', "observation.value(INT)@value", "@value(over 89)"),
        (AGE + '<value xsi:type="INT" value="89"/>', "observation.value(INT)@value", "value(INT)@value"),
        (AGE + '<value xsi:type="REAL" value="93.5"/>', "observation.value(REAL)@value", "@value(over 89)"),
        (AGE + '<value xsi:type="PQ" value="93"/>', "observation.value(PQ)@value", "@value(over 89)"),
        (AGE + '<value xsi:type="PQ" value="93" unit="%"/>', "observation.value(PQ)@value", "value(PQ)@value"),
        (AGE + '<value xsi:type="PQ" value="&gt;93"/>', "observation.value(PQ)@value", "@value(over 89)"),
        (AGE + '<value xsi:type="PQ" value="&gt;9"/>', "observation.value(PQ)@value", "@value(text)"),
        (AGE + '<value xsi:type="IVL_INT"><low value="93"/></value>', "value(IVL_INT).low@value", "@value(over 89)"),
        (AGE + '<value xsi:type="ST">93 y</value>', "observation.value(ST)", "value(over 89)"),
        (AGE + '<value xsi:type="ST">71 y</value>', "observation.value(ST)", "value(ST)"),
        (AGE + '<value xsi:type="ED">9<![CDATA[3]]></value>', "observation.value(ED)", "value(over 89)"),
        (AGE + "<value>93</value>", "observation.value", "value(over 89)"),
        (AGE + '<value xsi:type="TS" value="1913"/>', "observation.value(TS)@value", "value(TS)@value"),
        (AGE + '<value xsi:type="ED"><reference value="#a93"/></value>', "value(ED).reference@value", "reference@value"),
        (AGE + '<value xsi:type="CD"><originalText>93</originalText></value>', "value(CD).originalText", "originalText"),
        # Wherever the code stands, and however it says what it is.
        ('<value xsi:type="INT" value="93"/>' + AGE, "observation.value(INT)@value", "@value(over 89)"),
        ('<code code="424144002"/><value xsi:type="INT" value="93"/>', "observation.value(INT)@value", "@value(over 89)"),
        ('<code code="X" displayName="Patient age"/><value xsi:type="INT" value="93"/>', "observation.value(INT)@value", "@value(over 89)"),
        ('<code nullFlavor="OTH"><originalText>Age</originalText></code><value xsi:type="INT" value="93"/>', "observation.value(INT)@value", "@value(over 89)"),
        ('<code code="X"><translation code="30525-0"/></code><value xsi:type="INT" value="93"/>', "observation.value(INT)@value", "@value(over 89)"),
        # Not what is of another observation, or of another thing in this one.
        (PULSE + '<value xsi:type="INT" value="93"/>', "observation.value(INT)@value", "value(INT)@value"),
        (AGE + '<repeatNumber value="93"/>', "observation.repeatNumber@value", "repeatNumber@value"),
        (AGE + "<entryRelationship><observation>" + PULSE + '<value xsi:type="INT" value="93"/></observation></entryRelationship>',
         "observation.value(INT)@value", "value(INT)@value"),
        (PULSE + "<entryRelationship><observation>" + AGE + '</observation></entryRelationship><value xsi:type="INT" value="93"/>',
         "observation.value(INT)@value", "value(INT)@value"),
        (PULSE + "<entryRelationship><observation>" + AGE + '<value xsi:type="INT" value="93"/></observation></entryRelationship>',
         "observation.value(INT)@value", "@value(over 89)"),
        (AGE + '<referenceRange><observationRange><value xsi:type="INT" value="93"/></observationRange></referenceRange>',
         "observationRange.value(INT)@value", "value(INT)@value"),
        ('<value xsi:type="PQR"/><value xsi:type="PQ"><translation value="93" code="a"/></value>' + AGE,
         "value(PQ).translation@value", "@value(over 89)"),
    ],
)  # fmt: skip
def test_an_age_over_89_is_one_by_the_code_of_its_observation(inner, place, name):
    record = document(inner=f"<entry><observation>{inner}</observation></entry>")
    assert names(record)[place] == name


@pytest.mark.parametrize(
    ("value", "roles"),
    [
        ('<value xsi:type="INT" value="93"/>', [("@value(over 89)", "text")]),
        ('<value xsi:type="ST">93</value>', [("value(over 89)", "text"), ("value(ST)", "pass")]),
    ],
)
def test_an_age_over_89_that_is_declared_a_text_is_one(value, roles):
    record = document(inner=f"<entry><observation>{AGE}{value}</observation></entry>")
    (found,) = (one for one in values(record, *roles) if one.value == "93")
    assert found.name == roles[0][0] and found.layers


def test_what_a_user_declares_of_an_attribute_holds_for_any_form():
    record = document(inner='<o><value xsi:type="PQ" unit="per Smith"/></o>')
    assert names(record, ("@unit", "pass"))["o.value(PQ)@unit"] == "@unit"


@pytest.mark.parametrize(
    "element", ["addr.state", "xml-stylesheet", "value.digits", "x_y", "ClinicalDocument.code"]
)
def test_an_element_that_is_spelt_as_a_path_is_none_of_the_standard(element):
    found = names(document(f"<{element}>Smith</{element}>"))
    assert found[f"ClinicalDocument.other:{element}"] == ""


def test_a_narrative_is_one_text_that_keeps_what_entries_refer_to():
    inner = '<text><paragraph ID="p1" styleCode="Bold">Dr. <content ID="x98765">Smith</content></paragraph></text>'
    record = document(inner=inner)
    value = next(one for one in values(record) if one.name == "text")
    stack = Stack.of(record[value.start : value.end], value.layers)
    assert stack.text == "Dr. Smith"
    assert stack.replaced([(4, 9, "X")]) == (
        '<paragraph ID="p1" styleCode="Bold">Dr. <content ID="">X</content></paragraph>'
    )


def test_labels_of_a_narrative_and_what_leads_to_them_stay_and_are_told():
    inner = (
        '<text><content ID="al1">A</content><footnoteRef IDREF="fn1"/><footnote ID = "fn1">B</footnote>'
        "<linkHtml href='#al1'>C</linkHtml><linkHtml href='al1'>D</linkHtml>"
        '<renderMultiMedia referencedObject="MM1"/><content ID="noteSmith2">E</content>'
        '<content IDREF="x98765">F</content></text>'
    )
    record = document(inner=inner)
    value = next(one for one in values(record) if one.name == "text")
    stack = Stack.of(record[value.start : value.end], value.layers)
    assert stack.replaced([]) == (
        inner.removeprefix("<text>")
        .removesuffix("</text>")
        .replace("href='al1'", "href=''")
        .replace('IDREF="x98765"', 'IDREF=""')
    )
    assert {"al 1", "MM 1", "note Smith 2"} <= set(stack.names)


def test_texts_of_one_element_are_one_note_and_have_places_of_their_own():
    inner = "<title>a<x/>b</title><component><section><title>d</title></section></component>"
    found = [one for one in values(document(inner=inner)) if one.name == "title"]
    assert [one.place for one in found] == ["section.title", "section.title.2", "section.title[2]"]
    assert found[0].note == found[1].note != found[2].note


def test_places_count_elements_and_not_values():
    inner = "<title/><title>a</title><x><code/><code code='b'/></x>"
    found = names(document(inner=inner))
    assert "section.title[2]" in found and "x.code@code[2]" in found


@pytest.mark.parametrize(
    ("content", "read", "written"),
    [
        ("Zelda Qui<!-- c -->mby", "Zelda Quimby", "X<!---->"),
        (
            "<!-- a -->Qui<!----><!-- b -->mby<!-- c -->",
            "Quimby",
            "<!-- a -->X<!----><!----><!-- c -->",
        ),
        ("Qui<![CDATA[m]]><!-- c --><![CDATA[by]]>", "Quimby", "X<![CDATA[]]><!----><![CDATA[]]>"),
        ("Qui<!-- c --> <!-- d -->&#109;by", "Qui mby", "X<!----><!---->"),
        ("<!-- a --> <!-- b -->", None, None),
    ],
)
def test_a_comment_parts_no_word_of_a_text_and_goes(content, read, written):
    record = document(inner=f"<title>{content}</title>")
    found = [one for one in values(record) if one.layers and one.name == "title"]
    if read is None:
        assert found == []
        return
    (value,) = found
    stack = Stack.of(record[value.start : value.end], value.layers)
    assert value.value == stack.text == read
    left = applied(record, [(value.start, value.end, stack.replaced([(0, len(stack.text), "X")]))])
    assert f"<title>{written}</title>" in left.replace("&#93;", "]")


def test_of_a_value_in_several_places_the_first_says_all():
    record = document("<addr><city>Spring<!-- a -->fie<!-- b -->ld</city></addr>")
    found = [one for one in values(record) if one.name == "addr.city"]
    assert [one.value for one in found] == ["Springfield", "", ""]
    assert [record[one.start : one.end] for one in found] == ["Spring", "fie", "ld"]


@pytest.mark.parametrize(
    ("inner", "place", "name"),
    [
        ("<foo>x</foo>", "section.foo", "section.foo"),
        ("<foo/><foo><bar a='x'/></foo>", "foo.bar@a", "foo.bar@a"),
        ("<foo>x<!-- c -->y</foo>", "section.foo.2", "section.foo"),
        ("<foo/><foo a='x'/>", "section.foo@a[2]", "section.foo@a"),
    ],
)
def test_the_name_to_declare_is_the_last_two_elements_and_the_attribute(inner, place, name):
    value = next(one for one in values(document(inner=inner)) if one.place == place)
    assert CCDA.undeclared_name(value) == name
    declared_as = names(document(inner=inner), (name, "drop"))
    assert declared_as[place] == name


@pytest.mark.parametrize(
    ("body", "name", "left"),
    [
        ('<x><id root="1.2"\n extension = "a" x=""/></x>', "@extension", '<x><id root="1.2" x=""/></x>'),
        ("<x><id extension='a'/></x>", "@extension", "<x><id/></x>"),
        ("<a><assignedEntity><telecom use='H' value='tel:5' /></assignedEntity></a>",
         "assignedEntity.telecom@value(tel)", "<a><assignedEntity><telecom use='H' /></assignedEntity></a>"),
        ("<title> a <b/></title>", "title", "<title>  <b/></title>"),
        ("<x><!-->--><b/></x>", "comment", "<x><b/></x>"),
        ("<x><!-- a --><b/></x>", "comment", "<x><b/></x>"),
        ("<x>\n<!-- a -->\n<b/></x>", "comment", "<x>\n\n<b/></x>"),
        ("<addr><state>a<!-- b -->c</state></addr>", "comment",
         "<addr><state>a<!---->c</state></addr>"),
        ("<addr><city>a<!-- b -->c<!-- d -->e</city></addr>", "addr.city",
         "<addr><city><!-- b --><!-- d --></city></addr>"),
        ("<title><!-- b -->c</title>", "comment", "<title><!---->c</title>"),
        ("<addr><state><![CDATA[a]]><!-- b --><![CDATA[c]]></state></addr>", "comment",
         "<addr><state><![CDATA[a]]><!----><![CDATA[c]]></state></addr>"),
        ("<title><!-- x -->a<!-- b -->c</title>", "title", "<title><!-- x --></title>"),
    ],
)  # fmt: skip
def test_what_is_left_when_a_value_is_taken_out(body, name, left):
    record = document(body)
    gone = [one for one in values(record) if one.name == name]
    assert applied(record, CCDA.emptied(record, gone)) == document(left)


def test_a_namespace_that_nobody_knows_is_taken_out_without_its_prefix():
    record = document('<x xmlns:o="urn:smith-hospital"><o:y/></x>')
    gone = [one for one in values(record, ("xmlns", "drop")) if one.name == "xmlns"]
    left = applied(record, CCDA.emptied(record, gone))
    assert "smith" not in left
    assert len(values(left, ("xmlns", "drop"))) == len(values(record, ("xmlns", "drop")))


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ('<?xml-stylesheet type="text/xsl" href="CDA.xsl"?>', "xml-stylesheet"),
        (
            '<?xml-stylesheet href="file:///C:/smith/CDA.xsl" type="text/xsl"?>',
            "xml-stylesheet(url)",
        ),
        ('<?xml-stylesheet title="Smith" type="text/xsl"?>', "xml-stylesheet(url)"),
    ],
)
def test_a_stylesheet_passes_if_it_is_a_file_beside_the_document(head, name):
    record = f'<?xml version="1.0"?>\n{head}\n{document()}'
    value = values(record)[0]
    assert (value.name, value.place) == (name, "xml-stylesheet")
    assert (
        applied(record, CCDA.emptied(record, [value])) == f'<?xml version="1.0"?>\n\n{document()}'
    )


def test_a_value_is_written_as_its_place_needs_it():
    record = document("<title>a</title><x><id extension='b'/></x>")
    found = {one.name: one for one in values(record)}
    assert CCDA.written(record, found["title"], "<'\n>") == "&lt;&apos;\n&gt;"
    assert CCDA.written(record, found["@extension"], "<'\n>") == "&lt;&apos;&#10;&gt;"
    with pytest.raises(DocumentError):
        CCDA.written(record, found["title"], "\0")


def test_what_is_declared_of_attributes_is_opened_too():
    record = document('<x><code displayName="a &amp; b"/></x>')
    value = next(
        one for one in CCDA.values(record, declared(("@displayName", "text"))) if one.layers
    )
    assert Stack.of(record[value.start : value.end], value.layers).text == "a & b"
