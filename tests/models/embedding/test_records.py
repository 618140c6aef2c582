import datetime

import pytest
from scrubline import Scrubber
from scrubline.models.core.budgets import BATCH_BYTES
from scrubline.models.core.keys import Keys
from scrubline.models.embedding import records as embedded
from scrubline.models.embedding.records import scrub_records
from scrubline.models.embedding.rows import Roles, RowScrubber
from scrubline.models.jobs import steps

RULES = Scrubber(models=None)
KEYS = Keys(b"ABC" * 10 + b"AB")
OBJECT = object()


def scrubbed(records, roles, scrubber=RULES):
    return list(scrub_records(records, RowScrubber(scrubber, Roles.of(roles), KEYS)))


def test_values_that_pass_are_the_same_objects():
    now = datetime.datetime(2020, 1, 2, tzinfo=datetime.UTC)
    nan = float("nan")
    records = [
        {"note": "Seen 3/4/2012", "any": OBJECT},
        {"note": nan, "any": now},
        {"note": None, "any": {"of": [1, "x"]}},
        {"any": nan},
        {"note": ""},
    ]
    done = scrubbed(records, {"note": "text", "any": "pass"})
    assert [one.record for one in done] == [{**records[0], "note": "Seen [DATE]"}, *records[1:]]
    assert done[0].record["any"] is OBJECT
    assert done[1].record["note"] is nan
    assert [len(one.audit) for one in done] == [1, 0, 0, 0, 0]
    assert {one.error for one in done} == {""}


def test_roles_decide_as_in_a_run():
    roles = {"id": "id", "who": "patient", "day": "date", "note": "text", "v": "hash", "x": "drop"}
    record = {"id": 7, "who": "0012", "day": "d", "note": "a@b.example", "v": 3.0, "x": "y"}
    (one, same, none, bad) = scrubbed(
        [record, {**record, "id": "7 "}, {**record, "id": None}, {**record, "id": 1.5}], roles
    )
    assert one.record == {
        "doc_key": KEYS.doc_key("7"),
        "patient_key": KEYS.patient_key("0012"),
        "note": "[EMAIL]",
        "v": KEYS.column_hash("3"),
    }
    assert one.doc_key == same.doc_key == one.audit[0]["doc_key"]
    assert {"run", "row"}.isdisjoint(one.audit[0])
    assert [(o.record, o.error) for o in (none, bad)] == [(None, "MissingId"), (None, "BadId")]


@pytest.mark.parametrize(
    ("record", "error"),
    [
        ({"note": 7}, "NotText"),
        ({"note": b"x"}, "NotText"),
        ({"note": ["x"]}, "NotText"),
        ({"note": "half \ud83d"}, "LoneSurrogate"),
        ({"note": "x", "name": "Quuxworth"}, "UndeclaredColumn"),
    ],
)
def test_a_record_that_cannot_be_scrubbed_fails_alone(record, error):
    found = scrubbed([{"note": "3/4/2012"}, record, {"note": "x"}], {"note": "text"})
    assert [one.record for one in found] == [{"note": "[DATE]"}, None, {"note": "x"}]
    assert (found[1].stage, found[1].error, found[1].audit) == ("read", error, ())
    assert "Quuxworth" not in repr(found) and "Quuxworth" not in str(found[1].error)


def test_a_text_that_a_step_fails_on_is_told_by_step_and_class(monkeypatch):
    def fail(document, context, names):
        raise ValueError(document.text)

    monkeypatch.setattr(steps, "recognise_all", fail)
    (one,) = scrubbed([{"note": "Zebulon"}], {"note": "text"})
    assert (one.record, one.stage, one.error) == (None, "recognise", "ValueError")


def test_many_and_long_records_go_in_batches_and_come_out_in_order(monkeypatch):
    sizes = []
    real = embedded._scrubbed
    monkeypatch.setattr(
        embedded, "_scrubbed", lambda r, rows: sizes.append(len(r)) or real(r, rows)
    )
    long = "word " * (BATCH_BYTES // 10)
    records = [{"note": f"{n % 12 + 1}/4/2012", "n": n} for n in range(600)]
    records[3:3] = [{"note": long, "n": -1}] * 3
    done = scrubbed(records, {"note": "text", "n": "pass"}, Scrubber(None, recognisers=("date",)))
    assert [one.record["n"] for one in done] == [record["n"] for record in records]
    assert sizes == [4, 1, 256, 256, 86] or sum(sizes) == 603
    assert max(sizes) == 256
    assert scrubbed([], {"note": "text"}) == []


def test_records_and_tables_say_the_same():
    import pyarrow as pa
    from scrubline import scrub_table

    records = [{"note": "Seen 3/4/2012", "w": 1}, {"note": None, "w": 2}, {"note": "a@b.c", "w": 3}]
    roles = {"note": "text", "w": "pass"}
    table = scrub_table(pa.Table.from_pylist(records), roles, scrubber=RULES)
    done = scrubbed(records, roles)
    assert [one.record for one in done] == table.table.drop_columns("row").to_pylist()
    assert [row for one in done for row in one.audit] == table.audit.drop_columns("row").to_pylist()


def test_records_with_known_people():
    roles = {"name": "known:name", "any": "pass", "note": "text"}
    records = [
        {"name": "Ada Vance", "note": "ada came", "any": OBJECT},
        {"name": "Ada Vance", "note": "ada came", "any": ["x", {"by": "Vance"}]},
        {"note": "ada came"},
    ]
    done = scrubbed(records, roles)
    assert [one.record and one.record["note"] for one in done] == [
        "[PATIENT] came",
        None,
        "ada came",
    ]
    assert (done[1].stage, done[1].error) == ("guard", "OwnName")
