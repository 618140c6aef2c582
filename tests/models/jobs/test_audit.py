import re

import pyarrow as pa
import pytest
from scrubline.models.core.spans import POLICY
from scrubline.models.jobs.audit import AUDIT, CANDIDATES, DOCUMENTS, QUARANTINE, TABLES
from scrubline.models.jobs.receipts import RESTRICTED
from scrubline.models.redaction.actions import ACTIONS
from scrubline.models.redaction.merging import ESCAPE
from scrubline.models.redaction.policy import ALLOW, VETO


def test_the_audit_has_the_columns_that_were_promised():
    assert AUDIT.names == [
        *("run", "doc_key", "patient_key", "field", "start", "end", "out_start", "out_end"),
        *("label", "hipaa", "detectors", "source", "source_hash", "score", "action", "reason"),
        *("fragment", "entity_id", "attempt", "precision", "roster"),
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


def test_the_actions_of_the_audit_are_those_of_the_table():
    description = AUDIT.field("action").metadata[b"description"].decode()
    assert re.findall(r"\w+", description.replace(" or ", " ")) == list(ACTIONS)
    reason = AUDIT.field("reason").metadata[b"description"].decode()
    assert all(word in reason for word in (POLICY, VETO, ALLOW, ESCAPE))


@pytest.mark.parametrize("name", TABLES)
def test_every_column_says_what_it_is(name):
    for field in TABLES[name]:
        assert len(field.metadata[b"description"]) > 5


@pytest.mark.parametrize(
    ("schema", "nullable"),
    [
        (AUDIT, {"patient_key", "hipaa", "reason", "entity_id", "attempt", "precision", "roster"}),
        (
            DOCUMENTS,
            {"patient_key", "note_type", "period"}
            | {"roster", "surrogates", "dates_unread", "dates_ambiguous", "risk"},
        ),
        (QUARANTINE, {"doc_key"}),
        (CANDIDATES, set()),
    ],
)
def test_what_may_be_null_is_declared(schema, nullable):
    assert {field.name for field in schema if field.nullable} == nullable


def test_what_only_key_holders_may_see():
    assert set(RESTRICTED) == {"candidates", "evidence", "view"}
    assert all(pa.types.is_string(TABLES[name].field("run").type) for name in TABLES)
