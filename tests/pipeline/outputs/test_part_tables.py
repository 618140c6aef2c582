"""Parts that are damaged, or come cut short, when they are read back."""

import pyarrow as pa
import pytest
from scrubline.models.core.errors import RunFailed, StorageError
from scrubline.models.jobs.plan import parquet_bytes
from scrubline.models.storage.storage import MissingFileError, Storage
from scrubline.pipeline.outputs.part_tables import read_part
from scrubline.pipeline.run import scrub

TABLE = pa.table({"a": ["x", "y"], "b": [1, 2]})


def test_some_columns_in_the_order_asked_for(storage, tmp_path):
    storage.write_bytes(f"{tmp_path}/part", parquet_bytes(TABLE))
    assert read_part(storage, f"{tmp_path}/part", ["b", "a"]).equals(TABLE.select(["b", "a"]))
    with pytest.raises(MissingFileError):
        read_part(storage, f"{tmp_path}/missing", ["a"])


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda data: b"",
        lambda data: data[:-8] + b"\xff\xff\xff\x7fPAR1",
        lambda data: data[:4] + bytes(len(data) - 16) + data[-12:],
        lambda data: parquet_bytes(TABLE.drop_columns(["a"])),
    ],
    ids=["cut", "empty", "length", "zeros", "column"],
)
def test_a_damaged_part_is_an_error_of_ours(storage, tmp_path, damage):
    storage.write_bytes(f"{tmp_path}/part", damage(parquet_bytes(TABLE)))
    with pytest.raises(StorageError, match="damaged") as caught:
        read_part(storage, f"{tmp_path}/part", ["a"])
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("table", ["documents", "audit"])
@pytest.mark.slow
def test_a_part_that_comes_cut_short_ends_the_run_and_it_goes_on(
    run, options, tmp_path, monkeypatch, table
):
    whole = run(output=str(tmp_path / "whole"))
    real, seen = Storage.read_bytes, []

    def cut(self, url):
        data = real(self, url)
        if f"/{table}/" not in url:
            return data
        seen.append(url)
        return data[: len(data) // 2]

    monkeypatch.setattr(Storage, "read_bytes", cut)
    with pytest.raises(RunFailed, match=f"'_staging/.*/{table}/.*damaged"):
        run()
    assert seen
    assert not (tmp_path / "out/_SUCCESS").exists()
    monkeypatch.undo()
    assert scrub(Storage(), options)["content_digest"] == whole["content_digest"]
