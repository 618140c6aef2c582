"""Nothing that was planted in a document is left after the roles of the grammar."""

import io
import re

import pyarrow as pa
import pytest
from scrubline.models.formats.message_columns import MessageColumn, declared_names
from scrubline.models.messages.ccda import CCDA

from .ccda_documents import COLUMNS, PLANTED, declared, documents, scrubbed, values

DOCUMENTS = documents()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_nothing_planted_is_left(name):
    record = DOCUMENTS[name]
    assert PLANTED.search(record)
    left = scrubbed(record)
    assert [left[max(0, m.start() - 40) : m.end() + 20] for m in PLANTED.finditer(left)] == []


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_value_has_a_role_and_the_document_one_id(name):
    record = DOCUMENTS[name]
    found = values(record)
    assert [value.place for value in found if not value.name] == []
    assert [value.name for value in found].count("ClinicalDocument.id") == 1
    assert "recordTarget.patientRole.id" in {value.name for value in found}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_values_are_in_order_disjoint_and_each_has_its_own_place(name):
    record = DOCUMENTS[name]
    found = values(record)
    end = 0
    for value in found:
        assert end <= value.start < value.end
        end = value.end
    assert len({value.place for value in found}) == len(found)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_result_is_well_formed_and_has_the_same_elements(name):
    etree = pytest.importorskip("lxml.etree")

    def elements(record):
        record = re.sub(r"<\?xml .*?\?>", "", record)  # its encoding is that of the file
        return [one.tag for one in etree.parse(io.BytesIO(record.encode())).iter("*")]

    record = DOCUMENTS[name]
    assert elements(scrubbed(record, "a < b & c > \" ' ]] é")) == elements(record)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_with_nothing_changed_is_itself(name):
    record = DOCUMENTS[name]
    column = MessageColumn(pa.array([record]), CCDA, declared_names(COLUMNS.nested["ccda"]))
    cells = {name: leaf.cells for name, leaf in column.leaves.items()}
    assert column.closed(cells).to_pylist() == [record]


def test_codes_units_and_references_stay():
    left = scrubbed(DOCUMENTS["ccd"])
    for kept in (
        '<languageCode code="en-US"/>',
        'displayName="Female"',
        '<value xsi:type="PQ" value="177" unit="cm"/>',
        '<value xsi:type="INT" value="3"/>',
        '<reference value="#p1"/>',
        '<paragraph ID="p1">',
        '<period value="6" unit="h"/>',
        '<low value="150" unit="cm"/>',
        "<state>OR</state>",
        '<templateId root="2.16.840.1.113883.10.20.22.1.2" extension="2015-08-01"/>',
        '<?xml-stylesheet type="text/xsl" href="CDA.xsl"?>',
    ):
        assert kept in left


def test_what_is_left_out_goes_with_its_name():
    left = scrubbed(DOCUMENTS["ccd"])
    assert '<value xsi:type="PQ" unit="a"/>' in left  # 97 years
    assert "<birthTime/>" in left
    assert "<family" in left and "<city></city>" in left
    assert left.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<?xml-stylesheet')
    assert set(re.findall("<!--.*?-->", left)) == {"<!---->"}


def test_the_grammar_gives_the_same_values_to_the_same_names():
    record = DOCUMENTS["ccd"]
    assert CCDA.values(record, declared()) == CCDA.values(record, declared())
