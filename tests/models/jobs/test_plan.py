import dataclasses

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.formats import Locator
from scrubline.models.jobs.plan import Increment, Plan, Unit, unit_name
from scrubline.models.storage.input_files import InputFile

FILES = (
    InputFile("/in/smith=1/a.jsonl", 10, "v1", "smith=1/a.jsonl", (("smith", "1"),)),
    InputFile("/in/b é\n.jsonl", 20, "v2", "b é\n.jsonl"),
)
PLAN = Plan(
    FILES,
    (
        Unit(
            0, "000000-a", "jsonl", (("smith", "1"),), (Locator(0, 0, 5, 5), Locator(0, 5, 10, 5))
        ),
        Unit(1, "000001-b", "parquet", (), (Locator(1, 0, 1, 20),)),
        Unit(2, "000002-c", "text", (), ()),
    ),
)


def test_a_plan_survives_storage(storage, tmp_path):
    PLAN.write(storage, str(tmp_path))
    assert Plan.read(storage, str(tmp_path)) == PLAN


def test_a_night_survives_storage(storage, tmp_path):
    gone = InputFile("/in/gone.jsonl", 3, "v1", "")
    plan = dataclasses.replace(PLAN, increment=Increment({"listed": 3, "dropped": 1}, (gone,)))
    plan.write(storage, str(tmp_path))
    assert Plan.read(storage, str(tmp_path)) == plan
    assert plan.inputs == (*FILES, gone)
    assert not plan.is_nothing
    for night, nothing in ((None, False), (Increment({}), True), (Increment({}, (gone,)), False)):
        assert Plan((), (), night).is_nothing == nothing


def test_a_plan_of_before_is_read(storage, tmp_path):
    PLAN.write(storage, str(tmp_path))
    table = pq.read_table(tmp_path / "files.parquet")
    pq.write_table(table.drop_columns(["dropped"]), tmp_path / "files.parquet")
    assert Plan.read(storage, str(tmp_path)) == PLAN


def test_an_empty_plan_survives_storage(storage, tmp_path):
    Plan((), ()).write(storage, str(tmp_path))
    assert Plan.read(storage, str(tmp_path)) == Plan((), ())


def test_the_size_of_a_unit():
    assert [unit.bytes for unit in PLAN.units] == [10, 20, 0]


def test_no_plan_is_a_usage_error(storage, tmp_path):
    with pytest.raises(UsageError, match="no plan for this run"):
        Plan.read(storage, str(tmp_path))


@pytest.mark.parametrize("name", ["plan.parquet", "files.parquet"])
@pytest.mark.parametrize("content", [b"", b"PAR1", b"nonsense" * 100])
def test_a_damaged_plan_is_told_without_what_is_in_it(storage, tmp_path, name, content):
    PLAN.write(storage, str(tmp_path))
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError, match="cannot be read") as caught:
        Plan.read(storage, str(tmp_path))
    assert "nonsense" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "column", "value"),
    [
        ("files.parquet", "size", None),
        ("files.parquet", "size", "nonsense"),
        ("files.parquet", "partition", None),
        ("files.parquet", "url", b"nonsense"),
        ("plan.parquet", "locators", [{"file": 0}]),
        ("plan.parquet", "locators", [{"file": 2, "start": 0, "end": 1, "bytes": 1}]),
        ("plan.parquet", "locators", [{"file": -1, "start": 0, "end": 1, "bytes": 1}]),
        ("plan.parquet", "partition", [{"nonsense": "1"}]),
        ("plan.parquet", "unit", 1.5),
        ("plan.parquet", "name", None),
    ],
)
def test_a_plan_of_other_columns_is_told(storage, tmp_path, name, column, value):
    PLAN.write(storage, str(tmp_path))
    table = pq.read_table(tmp_path / name)
    kept = table.drop_columns([column])
    for odd in (kept, kept.append_column(column, pa.array([value] * len(table)))):
        pq.write_table(odd, tmp_path / name)
        with pytest.raises(UsageError, match="cannot be read") as caught:
            Plan.read(storage, str(tmp_path))
        assert "nonsense" not in str(caught.value)


def test_names_of_inputs_are_not_shown():
    shown = repr(PLAN) + repr(PLAN.units) + repr(PLAN.files)
    assert "smith" not in shown
    assert ".jsonl" not in shown


NAMED = (3, "fingerprint", FILES, PLAN.units[0].locators)


def test_a_units_name_tells_its_place_and_nothing_else():
    name = unit_name(*NAMED)
    assert name == unit_name(*NAMED)
    assert name.startswith("000003-")
    assert len(name) == 19
    assert set(name[7:]) <= set("0123456789abcdef")


@pytest.mark.parametrize(
    "changed",
    [
        (3, "other", FILES, PLAN.units[0].locators),
        (
            3,
            "fingerprint",
            (dataclasses.replace(FILES[0], version="v9"), FILES[1]),
            PLAN.units[0].locators,
        ),
        (
            3,
            "fingerprint",
            (dataclasses.replace(FILES[0], size=11), FILES[1]),
            PLAN.units[0].locators,
        ),
        (
            3,
            "fingerprint",
            (dataclasses.replace(FILES[0], url="/in/x"), FILES[1]),
            PLAN.units[0].locators,
        ),
        (3, "fingerprint", FILES, PLAN.units[0].locators[:1]),
        (3, "fingerprint", FILES, (Locator(0, 0, 4, 4), Locator(0, 4, 10, 6))),
        (3, "fingerprint", FILES, PLAN.units[1].locators),
    ],
)
def test_a_units_name_follows_what_it_reads_and_how(changed):
    assert unit_name(*changed) != unit_name(*NAMED)
