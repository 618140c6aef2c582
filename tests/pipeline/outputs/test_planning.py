import dataclasses
import itertools
import json
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.core.keys import Keys
from scrubline.models.formats import Limits
from scrubline.models.formats import column_roles as roles
from scrubline.models.formats.column_roles import Columns, Role
from scrubline.models.jobs.job import Job
from scrubline.models.storage.input_files import InputFile
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.outputs.planning import (
    freeze,
    inspect_inputs,
    load_plan,
    make_plan,
    roles_for,
    split,
    unit_bytes,
)

from ...examples import examples

COLUMNS = Columns.parse([("i", "id"), ("t", "text")])
JOB = Job(
    run="",
    output="out",
    columns=COLUMNS,
    models=(),
    model_hashes=(),
    recognisers=("date",),
    recogniser_hashes=("d1",),
    policy="hipaa",
    policy_hash="ab",
    key_source="env:KEY",
    key_check="cd",
    split_bytes=100,
)


def write(path, size, keys=("i", "t")):
    """A JSON Lines file of exactly `size` bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    line = json.dumps(dict.fromkeys(keys, 1)) + "\n"
    path.write_text((line + " " * (size - len(line) - 1) + "\n") if size else "")
    assert path.stat().st_size == size
    return path


def test_columns_of_all_files_and_folders_are_seen(storage, tmp_path):
    write(tmp_path / "year=2024/a.jsonl", 30)
    write(tmp_path / "year=2025/b.jsonl", 40, ("i", "name"))
    seen = inspect_inputs(storage, [str(tmp_path)])
    assert seen.columns == ("i", "t", "year", "name")
    assert seen.formats == ("jsonl", "jsonl")
    assert [file.path for file in seen.files] == ["year=2024/a.jsonl", "year=2025/b.jsonl"]


def test_json_lines_of_fhir_are_read_as_such_only_if_somebody_says_so(storage, tmp_path):
    write(tmp_path / "a.ndjson", 60, ("resourceType", "id", "name"))
    with pytest.raises(UsageError, match="give --format fhir, .* or --format jsonl"):
        inspect_inputs(storage, [str(tmp_path)])
    assert inspect_inputs(storage, [str(tmp_path)], "jsonl").columns[0] == "resourceType"
    assert inspect_inputs(storage, [str(tmp_path)], "fhir").columns == ("fhir",)


def test_a_column_that_only_the_last_file_has_is_refused_too(storage, tmp_path):
    write(tmp_path / "a.jsonl", 30)
    write(tmp_path / "b.jsonl", 60, ("i", "t", "patient_name"))
    with pytest.raises(UsageError, match=r"\[column 3\].*--column NAME=ROLE") as caught:
        roles_for(inspect_inputs(storage, [str(tmp_path)]), COLUMNS)
    assert "--column patient_name=ROLE" in caught.value.on_terminal


def test_a_file_with_columns_beside_an_empty_one_must_have_the_declared(storage, tmp_path):
    (tmp_path / "empty.csv").write_text("")
    assert roles_for(inspect_inputs(storage, [str(tmp_path)]), COLUMNS) == COLUMNS
    (tmp_path / "other.csv").write_text("i\n")
    with pytest.raises(UsageError, match=r"lacks declared columns: \['t'\]; it has \['i'\]"):
        roles_for(inspect_inputs(storage, [str(tmp_path)]), COLUMNS)


def test_a_folder_without_role_is_refused(storage, tmp_path):
    write(tmp_path / "patient_name=Smith/a.jsonl", 30)
    with pytest.raises(UsageError, match=r"role: \[column 3\]") as caught:
        roles_for(inspect_inputs(storage, [str(tmp_path)]), COLUMNS)
    assert "patient_name" in caught.value.on_terminal
    assert "Smith" not in str(caught.value) + caught.value.on_terminal


def test_a_key_that_is_also_a_column_is_refused(storage, tmp_path):
    write(tmp_path / "t=1/a.jsonl", 30)
    with pytest.raises(
        UsageError, match=r"hive keys of folders share names: \[column 2\]"
    ) as caught:
        inspect_inputs(storage, [str(tmp_path)])
    assert "['t']" in caught.value.on_terminal


def test_presets_need_no_declaration(storage, tmp_path):
    (tmp_path / "a.txt").write_text("x")
    assert roles_for(inspect_inputs(storage, [str(tmp_path)]), None).role_of("path") is Role.ID


def test_without_preset_the_columns_are_listed(storage, tmp_path):
    write(tmp_path / "a.jsonl", 30)
    with pytest.raises(
        UsageError, match=r"columns \[column 1, column 2\] .*and none has"
    ) as caught:
        roles_for(inspect_inputs(storage, [str(tmp_path)]), None)
    assert "columns ['i', 't'] and none has a declared role" in caught.value.on_terminal
    assert "`scrubline init --input ... --output job.toml`" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("smith.docx", b"x", "the file name has an unknown ending"),
        ("smith.parquet", b"x", r"input file 1 \(in the order of paths\): not readable as Parquet"),
    ],
)
def test_what_cannot_be_read_is_named_by_its_place(storage, tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError, match=message) as caught:
        inspect_inputs(storage, [str(tmp_path)])
    assert "smith" not in str(caught.value)
    assert f"input file 1 (in the order of paths), {name!r}: " in caught.value.on_terminal


def test_the_format_can_be_said(storage, tmp_path):
    write(tmp_path / "export.dat", 30)
    assert inspect_inputs(storage, [str(tmp_path)], "jsonl").formats == ("jsonl",)


def test_an_unknown_format_is_refused(storage, tmp_path):
    write(tmp_path / "export.dat", 30)
    with pytest.raises(UsageError, match="unknown format 'docx'; known: text, jsonl, "):
        inspect_inputs(storage, [str(tmp_path)], "docx")


# -- splitting


@examples(40)
@given(
    st.lists(st.tuples(st.sampled_from(["", "y=1/", "y=2/"]), st.integers(0, 3)), max_size=6),
    st.integers(25, 200),
)
def test_units_hold_every_byte_once_and_never_mix_folders(shapes, split_bytes):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "first.jsonl", 50)
        for index, (partition, tens) in enumerate(shapes):
            write(folder / f"{partition}{index}.jsonl", tens and 20 + tens * 40)
        storage = Storage()
        seen = inspect_inputs(storage, [name])
        units = split(storage, seen, split_bytes, Limits(), "fingerprint")
    assert [unit.index for unit in units] == list(range(len(units)))
    assert len({unit.name for unit in units}) == len(units)
    covered = [locator for unit in units for locator in unit.locators]
    assert covered == sorted(covered)
    for index, file in enumerate(seen.files):
        mine = [locator for locator in covered if locator.file == index]
        edges = [(locator.start, locator.end) for locator in mine]
        assert edges[:1] == ([(0, edges[0][1])] if file.size else [])
        assert all(a[1] == b[0] for a, b in itertools.pairwise(edges))
        assert not file.size or edges[-1][1] == file.size
    for unit in units:
        assert {seen.files[locator.file].partition for locator in unit.locators} == {unit.partition}
        assert unit.bytes <= split_bytes or len(unit.locators) == 1
    # Packed as full as may be: two neighbours that could share a unit do.
    for one, other in itertools.pairwise(units):
        assert one.partition != other.partition or one.bytes + other.locators[0].bytes > split_bytes


def test_files_of_other_schemas_do_not_share_a_unit(storage, tmp_path):
    for name, kind in (("a", pa.int64()), ("b", pa.int64()), ("c", pa.int32())):
        table = pa.table({"i": pa.array([1], kind), "t": ["x"]})
        pq.write_table(table, tmp_path / f"{name}.parquet")
    seen = inspect_inputs(storage, [str(tmp_path)])
    units = split(storage, seen, 1 << 30, Limits(), "fingerprint")
    assert [[locator.file for locator in unit.locators] for unit in units] == [[0, 1], [2]]


def test_formats_do_not_share_a_unit(storage, tmp_path):
    write(tmp_path / "a.jsonl", 30)
    (tmp_path / "b.txt").write_text("x")
    seen = inspect_inputs(storage, [str(tmp_path)])
    units = split(storage, seen, 1 << 30, Limits(), "f")
    assert [unit.format for unit in units] == ["jsonl", "text"]


# -- the run's id


@pytest.fixture
def seen(storage, tmp_path):
    for name in ("a", "b", "c"):
        write(tmp_path / "in" / f"{name}.jsonl", 80)
    return inspect_inputs(storage, [str(tmp_path / "in")])


def test_equal_work_has_an_equal_id(storage, seen):
    job, plan = make_plan(storage, seen, JOB)
    again, same = make_plan(storage, seen, JOB)
    assert (job, plan) == (again, same)
    assert len(plan.units) == 3
    assert dataclasses.replace(job, run="") == JOB


@pytest.mark.parametrize(
    "change",
    [
        {"batch_documents": 1},
        {"batch_bytes": 1},
        {"split_bytes": 1000},
        {"keep_candidates": True},
        {"risk": False},
        {"policy_hash": "zz"},
        {"key_check": "zz"},
        {"recognisers": ("age",)},
    ],
)
def test_other_work_has_another_id(storage, seen, change):
    job, _ = make_plan(storage, seen, JOB)
    other, _ = make_plan(storage, seen, dataclasses.replace(JOB, **change))
    assert other.run != job.run


def test_where_it_is_written_is_not_part_of_the_id(storage, seen):
    job, _ = make_plan(storage, seen, JOB)
    other, _ = make_plan(storage, seen, dataclasses.replace(JOB, output="elsewhere"))
    assert other.run == job.run


def test_a_changed_input_is_other_work(storage, seen, tmp_path):
    job, _ = make_plan(storage, seen, JOB)
    write(tmp_path / "in/b.jsonl", 81)
    other, _ = make_plan(storage, inspect_inputs(storage, [str(tmp_path / "in")]), JOB)
    assert other.run != job.run


# -- freezing


def test_a_frozen_plan_thaws_wherever_the_output_lies_by_then(storage, seen, tmp_path):
    job, plan = make_plan(storage, seen, dataclasses.replace(JOB, output=str(tmp_path / "out")))
    freeze(storage, job, plan, Keys(bytes(32)))
    assert load_plan(storage, job.output, job.run) == (job, plan)
    (tmp_path / "out").rename(tmp_path / "moved")
    moved = str(tmp_path / "moved")
    assert load_plan(storage, moved, job.run) == (dataclasses.replace(job, output=moved), plan)


def test_an_unknown_run_is_told(storage, tmp_path):
    with pytest.raises(UsageError, match="there is no run abc in this output"):
        load_plan(storage, str(tmp_path), "abc")


def test_more_columns_than_the_limit_are_refused(storage, tmp_path, monkeypatch):
    monkeypatch.setattr(roles, "MOST_COLUMNS", 3)
    write(tmp_path / "a.jsonl", 30, ("i", "t", "n"))
    assert roles_for(
        inspect_inputs(storage, [str(tmp_path)]), Columns((*COLUMNS.roles, ("n", Role.PASS)))
    )
    write(tmp_path / "b.jsonl", 30, ("i", "t", "m"))
    with pytest.raises(UsageError, match="the input has 4 columns; at most 3 are supported"):
        inspect_inputs(storage, [str(tmp_path)])
    write(tmp_path / "b.jsonl", 60, ("i", "t", "m", "n"))
    with pytest.raises(UsageError, match="file 2 .*: it has 4 columns; at most 3 are"):
        inspect_inputs(storage, [str(tmp_path)])
    many = [("i", "id"), ("t", "text"), ("n", "pass"), ("m", "pass")]
    with pytest.raises(UsageError, match="declared for 4 columns; at most 3 are"):
        Columns.parse(many)


def test_a_hundred_thousand_columns_are_refused_by_a_short_message(storage, tmp_path):
    keys = [f"{chr(97 + n % 26)}{n // 26:x}" for n in range(99_000)]
    (tmp_path / "a.jsonl").write_text(json.dumps({"i": "1", "t": "x", **dict.fromkeys(keys, 1)}))
    with pytest.raises(UsageError, match="and 98,980 more") as caught:
        roles_for(inspect_inputs(storage, [str(tmp_path)]), COLUMNS)
    assert len(caught.value.on_terminal) < 2000


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ((), 1_000_000),
        ((5,), 1_000_000),
        ((20_000_000, 20_000_000), 1_250_000),
        ((32 * 32_000_000,), 32_000_000),
        ((10**12,), 32_000_000),
    ],
)
def test_units_are_a_share_of_the_input_within_bounds(sizes, expected):
    assert unit_bytes([InputFile("u", size, "v", "p") for size in sizes]) == expected


def test_one_file_is_cut_for_several_workers_and_the_plan_says_how(tmp_path):
    with (tmp_path / "a.jsonl").open("w") as stream:
        for number in range(5000):
            print(json.dumps({"i": number, "t": "x" * 600}), file=stream)
    storage = Storage()
    seen = inspect_inputs(storage, [str(tmp_path / "a.jsonl")])
    job, plan = make_plan(storage, seen, dataclasses.replace(JOB, split_bytes=None))
    assert job.split_bytes == 1_000_000
    assert len(plan.units) == 4
    assert make_plan(storage, seen, job) == (job, plan)
    told, whole = make_plan(storage, seen, dataclasses.replace(JOB, split_bytes=10**9))
    assert told.split_bytes == 10**9
    assert len(whole.units) == 1
    assert Job.from_json(job.to_json()).split_bytes == 1_000_000
