import dataclasses
import functools
import operator
import tempfile
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.batches import Failure
from scrubline.models.core.budgets import Budgets
from scrubline.models.core.digests import PARTS, Digest, content_digest
from scrubline.models.core.labels import HIPAA_OF
from scrubline.models.formats import FORMATS, Limits
from scrubline.models.jobs.audit import AUDIT, DOCUMENTS, QUARANTINE
from scrubline.models.jobs.audit_rows import audit_fields
from scrubline.models.jobs.output_rows import (
    COUNTS,
    Tally,
    build_output_rows,
    column_fields,
    quarantine_fields,
    text_fields,
)
from scrubline.models.redaction.policy_file import load_policy

from ...examples import examples
from ..conftest import HASHES, KEYS, columns, read, scrubbed, write_lines

ROLES = columns(i="id", p="patient", kind="type", a="text", b="text", n="pass")


def finished(batch, roles=ROLES, form="jsonl", run="run1"):
    return build_output_rows(
        batch, run=run, form=FORMATS[form], columns=roles, detector_hashes=HASHES
    )


def results(folder, records, roles=ROLES, policy="hipaa", **caps):
    path = write_lines(folder / "in.jsonl", *records)
    return [finished(scrubbed(b, policy), roles) for b in read(path, roles, limits=Limits(**caps))]


def rows(results, table):
    tables = [r.data if table == "data" else r.tables[table] for r in results]
    return pa.concat_tables(tables).to_pylist()


RECORDS = [
    {
        "i": 1,
        "p": "x",
        "kind": "note",
        "a": "Seen 3/4/2012.",
        "b": "MRN: 1234567 🙂 a@b.example",
        "n": 1,
    },
    {"i": 2, "p": "x", "kind": "note", "a": None, "b": "", "n": [1.50]},
    {"i": 3, "p": None, "a": "fine", "b": 17, "n": 2},
    '{"i": 4, "a": "cut',
    {"i": 5, "a": "Call 555-867-5309", "n": None},
]


def test_the_rows_of_a_batch(tmp_path):
    (result,) = results(tmp_path, RECORDS)
    assert result.data.column_names == ["doc_key", "patient_key", "kind", "a", "b", "n"]
    key = KEYS.doc_key
    assert result.data.to_pylist() == [
        {
            "doc_key": f'"{key("1")}"',
            "patient_key": f'"{KEYS.patient_key("x")}"',
            "kind": '"note"',
            "a": '"Seen [DATE]."',
            "b": '"MRN: [MEDICALRECORD] 🙂 [EMAIL]"',
            "n": "1",
        },
        {
            "doc_key": f'"{key("2")}"',
            "patient_key": f'"{KEYS.patient_key("x")}"',
            "kind": '"note"',
            # A JSON null stays one; a key that was not there stays away.
            "a": "null",
            "b": '""',
            "n": "[1.5]",
        },
        {
            "doc_key": f'"{key("5")}"',
            "patient_key": None,
            "kind": None,
            "a": '"Call [PHONE]"',
            "b": None,
            "n": "null",
        },
    ]
    assert result.tally.counts == {
        "rows_in": 5,
        "rows_out": 3,
        "rows_quarantined": 2,
        "documents": 6,
        "documents_null": 2,
        "tokens": result.tally.counts["tokens"],
        "characters": len("Seen 3/4/2012.")
        + len("MRN: 1234567 🙂 a@b.example")
        + len("Call 555-867-5309"),
        "spans": 4,
    }
    assert result.tally.labels == {"DATE": 1, "MEDICALRECORD": 1, "EMAIL": 1, "PHONE": 1}
    assert result.tally.errors == {"read: NotText": 1, "read: BadJson": 1}


def test_audit_rows_say_where_what_and_why(tmp_path):
    found = rows(results(tmp_path, RECORDS), "audit")
    assert [
        (r["field"], r["label"], r["start"], r["end"], r["out_start"], r["out_end"]) for r in found
    ] == [
        ("a", "DATE", 5, 13, 5, 11),
        ("b", "MEDICALRECORD", 5, 12, 5, 20),
        ("b", "EMAIL", 15, 26, 23, 30),
        ("a", "PHONE", 5, 17, 5, 12),
    ]
    for row in found:
        assert row["run"] == "run1"
        assert row["hipaa"] == HIPAA_OF[row["label"]]
        assert row["source_hash"] == HASHES[row["source"]]
        assert row["source"] in row["detectors"]
        assert (row["action"], row["fragment"], row["entity_id"]) == ("redact", False, None)
    assert found[0]["patient_key"] == KEYS.patient_key("x")
    assert found[-1]["patient_key"] is None


def test_documents_are_listed_also_when_nothing_was_found(tmp_path):
    found = rows(results(tmp_path, RECORDS), "documents")
    key = KEYS.doc_key
    assert [
        (r["doc_key"], r["field"], r["status"], r["ordinal"], dict(r["spans"])) for r in found
    ] == [
        (key("1"), "a", "scrubbed", 0, {"DATE": 1}),
        (key("1"), "b", "scrubbed", 0, {"EMAIL": 1, "MEDICALRECORD": 1}),
        (key("2"), "a", "null", 1, {}),
        (key("2"), "b", "scrubbed", 1, {}),
        (key("3"), "a", "quarantined", 2, {}),
        (key("3"), "b", "quarantined", 2, {}),
        (key("5"), "a", "scrubbed", 4, {"PHONE": 1}),
        (key("5"), "b", "null", 4, {}),
    ]
    by_place = {(r["doc_key"], r["field"]): r for r in found}
    assert by_place[key("1"), "b"]["characters"] == 26
    assert by_place[key("1"), "b"]["out_characters"] == len("MRN: [MEDICALRECORD] 🙂 [EMAIL]")
    # What a quarantined document held is nobody's business.
    assert by_place[key("3"), "a"]["characters"] == by_place[key("3"), "a"]["tokens"] == 0
    assert all(
        f"{name}@{hash[:12]}" in found[0]["detectors"].split() for name, hash in HASHES.items()
    )


def test_quarantine_rows_say_where_and_why(tmp_path):
    found = rows(results(tmp_path, RECORDS), "quarantine")
    assert found == [
        {
            "run": "run1",
            "unit": 0,
            "ordinal": 2,
            "doc_key": KEYS.doc_key("3"),
            "stage": "read",
            "error": "NotText",
        },
        {
            "run": "run1",
            "unit": 0,
            "ordinal": 3,
            "doc_key": None,
            "stage": "read",
            "error": "BadJson",
        },
    ]


def test_no_text_of_a_failed_row_leaves_it(tmp_path):
    everything = str(
        [rows(results(tmp_path, RECORDS), t) for t in ("data", "audit", "documents", "quarantine")]
    )
    for secret in ("fine", "cut", "1234567", "3/4/2012", "555-867"):
        assert secret not in everything


def test_schemas_do_not_depend_on_what_is_in_the_batch(tmp_path):
    for records in (RECORDS, [], ["{"], [{"i": 1}]):
        (result,) = results(tmp_path, records)
        assert result.tables["audit"].schema.equals(AUDIT, check_metadata=True)
        assert result.tables["documents"].schema.equals(DOCUMENTS, check_metadata=True)
        assert result.tables["quarantine"].schema.equals(QUARANTINE, check_metadata=True)
        assert result.data.schema == results(tmp_path, RECORDS)[0].data.schema


def test_an_empty_batch_counts_nothing(tmp_path):
    (result,) = results(tmp_path, [])
    assert result.data.num_rows == 0
    assert not any(result.tally.counts.values())
    assert result.tally.digests["text"].value == 0


def test_a_batch_of_failures_alone(tmp_path):
    (result,) = results(tmp_path, ["{", "[]", {"a": "Smith"}])
    assert result.data.num_rows == 0
    assert {t: result.tables[t].num_rows for t in result.tables} == {
        "audit": 0,
        "documents": 0,
        "quarantine": 3,
    }
    assert result.tally.counts["rows_quarantined"] == result.tally.counts["rows_in"] == 3
    assert result.tally.digests["columns"].value == 0
    assert result.tally.digests["quarantine"].value != 0


def test_a_row_that_fails_late_takes_its_spans_along(tmp_path):
    (batch,) = read(write_lines(tmp_path / "in.jsonl", *RECORDS), ROLES)
    batch = scrubbed(batch)
    late = dataclasses.replace(
        batch, failures={**batch.failures, 0: Failure("scrub", "ValueError")}
    )
    result = finished(late)
    assert {row["doc_key"] for row in result.tables["audit"].to_pylist()} == {KEYS.doc_key("5")}
    assert result.tally.labels == {"PHONE": 1}
    assert result.tally.errors["scrub: ValueError"] == 1
    assert result.tally.counts["rows_out"] == result.data.num_rows == 2


def test_fragments_and_kept_spans_are_audited_and_fragments_not_counted(tmp_path):
    (batch,) = read(write_lines(tmp_path / "in.jsonl", RECORDS[0]), ROLES)
    batch = scrubbed(batch, "research")
    result = finished(batch)
    actions = {row["label"]: row["action"] for row in result.tables["audit"].to_pylist()}
    assert actions == {"DATE": "keep", "MEDICALRECORD": "redact", "EMAIL": "redact"}
    assert "3/4/2012" in str(result.data.to_pylist())
    spans = dataclasses.replace(batch.spans, fragments=~batch.spans.fragments)
    all_fragments = finished(dataclasses.replace(batch, spans=spans))
    assert all_fragments.tables["audit"].num_rows == 3
    assert all_fragments.tally.counts["spans"] == 0
    assert all_fragments.tally.labels == Counter()
    assert [row["spans"] for row in all_fragments.tables["documents"].to_pylist()] == [[], []]


def test_without_a_patient_column_there_is_no_patient_key(tmp_path):
    roles = columns(i="id", a="text", p="drop", kind="drop", b="drop", n="drop")
    (result,) = results(tmp_path, RECORDS[:1], roles)
    assert result.data.column_names == ["doc_key", "a"]


# -- laws


TEXTS = st.sampled_from(
    [
        "",
        "fine",
        "Seen 3/4/2012.",
        "MRN: 1234567",
        "a@b.example é🙂",
        "BP 120/80\r\n",
        "half \ud83d",
        "5 5 5",
    ]
)
MANY = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {"i": st.integers(0, 4) | st.none()},
            optional={
                "p": st.sampled_from(["x", "y", None, [1]]),
                "a": TEXTS | st.none(),
                "b": TEXTS | st.integers(),
                "n": st.sampled_from([1, 1.50, "1", None, {"z": [1]}]),
            },
        ),
        st.sampled_from(["{", "[]", ""]),
    ),
    max_size=10,
)


@examples(40)
@given(MANY, st.integers(1, 4))
def test_tallies_add_up_however_the_rows_are_batched(records, cap):
    with tempfile.TemporaryDirectory() as folder:
        whole = results(Path(folder), records)
        cut = results(Path(folder), records, batch_documents=cap)
    total = Tally.total(result.tally for result in cut)
    assert total.to_json() == whole[0].tally.to_json()
    for table in ("data", "audit", "documents", "quarantine"):
        assert rows(cut, table) == rows(whole, table)
    counts = total.counts
    assert counts["rows_in"] == counts["rows_out"] + counts["rows_quarantined"]
    assert sum(total.errors.values()) == counts["rows_quarantined"]
    assert sum(total.labels.values()) == counts["spans"]
    assert counts["documents"] == counts["rows_out"] * 2
    # What verify computes from the written tables is what was counted here.
    digests = {part: Digest() for part in PARTS}
    for row in rows(whole, "audit"):
        digests["audit"].add(audit_fields(row))
    for row in rows(whole, "quarantine"):
        digests["quarantine"].add(quarantine_fields(row))
    form = FORMATS["jsonl"]
    data = pa.concat_tables([r.data for r in whole])
    keys, patients = form.decode(data.column("doc_key")), form.decode(data.column("patient_key"))
    for name in ("a", "b"):
        for key, text in zip(keys, form.decode(data.column(name)), strict=True):
            digests["text"].add(text_fields(key, name, text))
    for key, patient, row in zip(keys, patients, data.to_pylist(), strict=True):
        digests["columns"].add(column_fields(key, patient, [(n, row[n]) for n in ("kind", "n")]))
    assert {p: d.hex() for p, d in digests.items()} == total.to_json()["digests"]


@given(
    st.lists(
        st.tuples(
            st.dictionaries(st.sampled_from(COUNTS), st.integers(0, 9)),
            st.dictionaries(st.sampled_from(["DATE", "AGE"]), st.integers(0, 9)),
            st.dictionaries(st.sampled_from(PARTS), st.integers(0, 1 << 256)),
        ),
        max_size=5,
    ),
    st.randoms(use_true_random=False),
)
def test_tallies_add_in_any_order_and_survive_json(parts, random):
    def tally(counts, labels, digests):
        made = Tally(Counter(counts), Counter(labels), Counter({"read: X": len(labels)}))
        for part, value in digests.items():
            made.digests[part].merge(Digest(value % (1 << 256)))
        return made

    one = Tally.total(Tally.from_json(tally(*part).to_json()) for part in parts)
    random.shuffle(parts)
    other = functools.reduce(operator.add, (tally(*part) for part in parts), Tally())
    assert {**one.to_json(), "labels": +one.labels, "errors": +one.errors} == {
        **other.to_json(),
        "labels": +other.labels,
        "errors": +other.errors,
    }
    assert content_digest(one.digests) == content_digest(other.digests)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([("a", None)], [("a", "")]),
        ([("a", 1)], [("a", 2)]),
        ([("a", "x"), ("b", None)], [("b", "x"), ("a", None)]),
        ([("a", "x"), ("b", "y")], [("a", "y"), ("b", "x")]),
        ([("a", "xb"), ("b", "y")], [("a", "x"), ("b", "by")]),
    ],
)
def test_other_values_in_other_columns_are_another_digest(one, other):
    digests = [Digest(), Digest()]
    for digest, values in zip(digests, (one, other), strict=True):
        digest.add(column_fields("k", None, values))
    assert digests[0].hex() != digests[1].hex()


def test_the_order_of_columns_is_not_part_of_the_content():
    values = [("a", 1), ("b", "x")]
    assert column_fields("k", "p", values) == column_fields("k", "p", values[::-1])
    # A column that some lines lack and one that is null there are one thing.
    assert column_fields("k", "p", [*values, ("c", None)]) == column_fields("k", "p", values)


def test_where_a_row_was_is_not_part_of_the_content():
    row = {
        "run": "r",
        "unit": 1,
        "ordinal": 2,
        "doc_key": None,
        "stage": "read",
        "error": "BadJson",
    }
    assert quarantine_fields(row) == quarantine_fields({**row, "run": "s", "unit": 3, "ordinal": 4})


# -- what a policy adds


def test_what_deny_lists_find_counts_in_the_budget(tmp_path):
    (tmp_path / "site.toml").write_text('name = "site"\n[deny]\nCITY = ["ab"]\n')
    policy = load_policy(str(tmp_path / "site.toml"))
    source = write_lines(tmp_path / "in.jsonl", {"i": 1, "a": "ab " * 9}, {"i": 2, "a": "ab " * 8})
    [batch] = read(source, ROLES)
    after = scrubbed(batch, str(tmp_path / "site.toml"), Budgets(candidates=8))
    assert after.failures == {0: Failure("merge", "OverBudget:candidates")}
    assert len(after.candidates) == 17
    hashes = HASHES | policy.detector_hashes
    result = build_output_rows(
        after, run="r", form=FORMATS["jsonl"], columns=ROLES, detector_hashes=hashes
    )
    assert result.tally.labels == {"CITY": 8}
    assert {row["source"] for row in result.tables["audit"].to_pylist()} == {"deny"}


def test_own_labels_have_their_item_in_the_audit(tmp_path):
    (tmp_path / "site.toml").write_text(
        'name = "site"\n[labels]\nS = { hipaa = "R" }\n[deny]\nS = ["ab"]\n'
    )
    policy = load_policy(str(tmp_path / "site.toml"))
    [batch] = read(write_lines(tmp_path / "in.jsonl", {"i": 1, "a": "ab"}), ROLES)
    result = build_output_rows(
        scrubbed(batch, str(tmp_path / "site.toml")),
        run="r",
        form=FORMATS["jsonl"],
        columns=ROLES,
        detector_hashes=HASHES | policy.detector_hashes,
        hipaa=policy.hipaa_of,
    )
    assert [(r["label"], r["hipaa"]) for r in result.tables["audit"].to_pylist()] == [("S", "R")]
