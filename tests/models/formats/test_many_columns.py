"""The work on a schema is linear in its columns: how often a name is looked at is counted."""

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrubline.models.core.budgets import Budgets
from scrubline.models.core.keys import Keys
from scrubline.models.formats import FORMATS, Limits
from scrubline.models.formats.column_roles import Columns, Role
from scrubline.models.jobs.plan import Unit
from scrubline.models.jobs.read_unit import read_unit
from scrubline.models.jobs.shifted_columns import DateColumns

from .test_contract import STORAGE, Parts, put

KEYS = Keys(bytes(range(32)))


class Counting(str):
    """A name that counts how often it is compared or hashed."""

    __slots__ = ()
    looks = 0

    def __hash__(self):
        Counting.looks += 1
        return super().__hash__()

    def __eq__(self, other):
        Counting.looks += 1
        return super().__eq__(other)


def names_of(count):
    return ["note_id", "text", *(f"column {number:x}" for number in range(count))]


def as_jsonl(names):
    return json.dumps(dict.fromkeys(names, "x")).encode() + b"\n"


def as_csv(names):
    return f"{','.join(names)}\n{','.join('x' * len(names))}\n".encode()


def as_parquet(names):
    sink = io.BytesIO()
    pq.write_table(pa.table({name: ["x"] for name in names}), sink)
    return sink.getvalue()


MADE = {"jsonl": as_jsonl, "csv": as_csv, "parquet": as_parquet}


def looks_at(form, count):
    """Looks at each name while a record of so many columns is read, written and read again."""
    names = names_of(count)
    file = put(f"a{form.suffixes[0]}", MADE[form.name](names))
    Counting.looks = 0
    columns = Columns(
        tuple(
            (Counting(name), {"note_id": Role.ID, "text": Role.TEXT}.get(name, Role.PASS))
            for name in names
        )
    )
    unit = Unit(0, "u", form.name, (), tuple(form.plan(STORAGE, 0, file, 1 << 30, Limits())))
    (batch,) = read_unit(
        STORAGE,
        form,
        unit,
        (file,),
        columns,
        KEYS,
        Limits(),
        Budgets(),
        dates=DateColumns(keep=True),
    )
    assert not batch.failures
    parts = Parts()
    writer = form.writer(parts.open, "u")
    writer.write(batch.rows.columns)
    writer.close()
    ((name, content),) = parts.items()
    (row,) = form.part_rows(STORAGE, put(name, content), columns)
    assert len(row.cells) == count
    return Counting.looks / count


@pytest.mark.parametrize("name", MADE)
def test_reading_and_writing_are_linear_in_the_columns(name):
    few, many = (looks_at(FORMATS[name], count) for count in (200, 1600))
    assert 0 < many <= 1.5 * few


def test_a_record_of_too_many_keys_is_looked_at_no_further(monkeypatch):
    from scrubline.models.formats import jsonl

    monkeypatch.setattr(jsonl, "MOST_COLUMNS", 10)
    rows = [json.dumps({f"k{row}-{n}": 1 for n in range(6)}) for row in range(50)]
    found = FORMATS["jsonl"].columns(STORAGE, put("a.jsonl", "\n".join(rows).encode()))
    assert len(found) == 12
