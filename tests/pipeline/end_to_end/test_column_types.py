"""A role that a column's type cannot have ends with 2, before anything is written."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.formats import FORMATS
from scrubline.models.formats.column_roles import Columns
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.outputs.planning import check_types, inspect_inputs


@pytest.mark.parametrize("command", ["scrub", "plan"])
@pytest.mark.parametrize("incremental", [False, True])
def test_a_numeric_text_column_is_refused_at_planning(
    scrubline, tmp_path, key_file, command, incremental
):
    source = tmp_path / "source"
    source.mkdir()
    for day, column in enumerate((["a"], ["b"], [1.5])):
        table = pa.table({"id": [str(day)], "score": column})
        pq.write_table(table, source / f"roe{day}.parquet")
    words = ["--input", source, "--output", tmp_path / "out", "--key-file", key_file]
    words += ["--column", "id=id", "--column", "score=text", "--model", "none"]
    code, out, err = scrubline(command, *words, *(["--incremental"] if incremental else []))
    assert (code, out) == (2, "")
    assert "input file 3 (in the order of paths): column 'score' has role text" in err
    assert "type double" in err and "roe" not in err
    assert not (tmp_path / "out").exists()
    pq.write_table(
        pa.table({"id": ["2"], "score": pa.nulls(1, pa.float64())}), source / "roe2.parquet"
    )
    assert scrubline(command, *words)[0] == 0


@pytest.mark.parametrize("statistics", [True, False])
@pytest.mark.parametrize("full", [1, 40])
def test_a_file_without_values_hides_no_later_file_of_its_schema(
    scrubline, tmp_path, key_file, full, statistics
):
    source = tmp_path / "source"
    source.mkdir()
    for day in range(41):
        score = pa.array([1.5 if day == full else None], pa.float64())
        table = pa.table({"id": [str(day)], "score": score})
        pq.write_table(table, source / f"roe{day:02}.parquet", write_statistics=statistics)
    words = ["--input", source, "--output", tmp_path / "out", "--key-file", key_file]
    words += ["--column", "id=id", "--column", "score=text", "--model", "none"]
    code, out, err = scrubline("plan", *words)
    assert (code, out) == (2, "")
    assert f"input file {full + 1} (in the order of paths): column 'score' has role text" in err
    assert not (tmp_path / "out").exists()


def test_where_all_types_do_one_file_of_a_schema_is_looked_at(tmp_path, monkeypatch):
    for day in range(5):
        pq.write_table(pa.table({"id": [day], "t": ["a"]}), tmp_path / f"{day}.parquet")
    storage, columns = Storage(), Columns.parse([("id", "id"), ("t", "text")])
    seen = inspect_inputs(storage, [str(tmp_path)])
    opened = []
    real = Storage.open_read
    monkeypatch.setattr(
        Storage, "open_read", lambda *words, **how: opened.append(1) or real(*words, **how)
    )
    check_types(storage, seen, columns)
    assert len(opened) == 1


def test_the_place_is_said_on_a_terminal_and_elsewhere(tmp_path, monkeypatch):
    pq.write_table(pa.table({"id": [1], "t": ["a"]}), tmp_path / "0.parquet")
    storage, columns = Storage(), Columns.parse([("id", "id"), ("t", "text")])
    seen = inspect_inputs(storage, [str(tmp_path)])

    def refuse(*words):
        raise UsageError("column 2 is odd", on_terminal="column 'roe' is odd")

    monkeypatch.setattr(type(FORMATS["parquet"]), "check_types", refuse)
    with pytest.raises(UsageError) as caught:
        check_types(storage, seen, columns)
    where = "input file 1 (in the order of paths)"
    assert str(caught.value) == f"{where}: column 2 is odd"
    assert caught.value.on_terminal == f"{where}, '0.parquet': column 'roe' is odd"
