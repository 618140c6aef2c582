"""An output has a place of its own: never inside another output, whose tables would take it in."""

import dataclasses
import os
import uuid

import pytest
from scrubline.models.core.errors import StorageError, UsageError
from scrubline.models.storage.places import folders_above
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.outputs.state import require_none_above
from scrubline.pipeline.run import plan_and_freeze, prepare

pytestmark = pytest.mark.slow

INNER = ("data/x", "restricted", "restricted/a/b", "_staging", "audit", "beside.data")


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("stage", ["planned", "published"])
def test_an_output_inside_an_output_is_refused_before_anything_is_written(
    scrubline, run, storage, options, tmp_path, key_file, inner, stage
):
    if stage == "planned":
        plan_and_freeze(storage, options)
    else:
        run()
    before = sorted((tmp_path / "out").rglob("*"))
    os.symlink(tmp_path / "out", tmp_path / "link")
    words = ["--input", options.inputs[0], "--key-file", key_file, "--model", "none"]
    words += [w for name, role in options.columns.roles for w in ("--column", f"{name}={role}")]
    for place in (tmp_path / "out" / inner, tmp_path / "link" / inner):
        for command in ("scrub", "plan"):
            code, _, err = scrubline(command, *words, "--output", place)
            assert (code, "lies inside another output" in err) == (2, True), err
    assert sorted((tmp_path / "out").rglob("*")) == before


def test_an_output_beside_an_output_is_taken(storage, options, run, tmp_path):
    run()
    for place in ("out2", "out.data", "folder/out"):
        prepare(storage, dataclasses.replace(options, output=str(tmp_path / place)))


def test_a_manifest_of_another_program_makes_no_output(storage, tmp_path):
    (tmp_path / "manifest.json").write_text("{}")
    require_none_above(storage, str(tmp_path / "out"))
    (tmp_path / "restricted").mkdir()
    with pytest.raises(UsageError, match="inside another output"):
        require_none_above(storage, str(tmp_path / "out"))


def test_so_it_is_in_a_store():
    storage, root = Storage(), f"memory://{uuid.uuid4().hex}/night"
    storage.write_bytes(f"{root}/restricted/catalogue.parquet", b"")
    for inner in ("data/x", "restricted", "a/b/c"):
        with pytest.raises(UsageError, match="inside another output"):
            require_none_above(storage, f"{root}/{inner}")
    for beside in (root, f"{root}2", f"{root}/../other"):
        require_none_above(storage, beside.replace("/night/../", "/"))


def test_a_bucket_that_may_not_be_looked_at_hinders_nothing(monkeypatch):
    def denied(storage, url):
        raise StorageError("cannot look up a file: PermissionError")

    monkeypatch.setattr(Storage, "exists", denied)
    require_none_above(Storage(), "s3://bucket/mine/out")


@pytest.mark.parametrize(
    ("place", "above"),
    [
        ("/a/b/c", ["/a/b", "/a", "/"]),
        ("file:///a/b", ["/a", "/"]),
        ("/", []),
        ("s3://bucket/a//b/", ["s3://bucket/a", "s3://bucket"]),
        ("s3://bucket", []),
        ("abfs://c@acc.dfs.core.windows.net/a/b", ["abfs://c@acc.dfs.core.windows.net/a",
         "abfs://c@acc.dfs.core.windows.net"]),
    ],
)  # fmt: skip
def test_folders_above_a_place(place, above):
    assert folders_above(place) == above
