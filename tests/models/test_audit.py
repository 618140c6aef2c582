import pyarrow as pa
import pytest
from scrubline.models.audit import AUDIT, CANDIDATES, DOCUMENTS, QUARANTINE, TABLES
from scrubline.models.receipts import RESTRICTED


def test_the_audit_has_the_columns_that_were_promised():
    assert AUDIT.names == [
        *("run", "doc_key", "patient_key", "field", "start", "end", "out_start", "out_end"),
        *("label", "hipaa", "detectors", "source", "source_hash", "score", "action", "fragment"),
        "entity_id",
    ]


@pytest.mark.parametrize("name", TABLES)
def test_no_table_has_a_place_for_text_ids_or_names_of_inputs(name):
    forbidden = {
        "text",
        "covered",
        "replacement",
        "id",
        "url",
        "path",
        "file",
        "message",
        "note_id",
    }
    assert not forbidden & set(TABLES[name].names)


@pytest.mark.parametrize("name", TABLES)
def test_every_column_says_what_it_is(name):
    for field in TABLES[name]:
        assert len(field.metadata[b"description"]) > 5


@pytest.mark.parametrize(
    ("schema", "nullable"),
    [
        (AUDIT, {"patient_key", "hipaa", "entity_id"}),
        (DOCUMENTS, {"patient_key"}),
        (QUARANTINE, {"doc_key"}),
        (CANDIDATES, set()),
    ],
)
def test_what_may_be_null_is_declared(schema, nullable):
    assert {field.name for field in schema if field.nullable} == nullable


def test_only_candidates_are_restricted():
    assert set(RESTRICTED) == {"candidates"}
    assert all(pa.types.is_string(TABLES[name].field("run").type) for name in TABLES)
