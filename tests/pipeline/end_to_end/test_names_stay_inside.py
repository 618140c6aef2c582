"""Ids, hive values, columns and members of archives cannot name a place outside of the output."""

import csv
import dataclasses
import gzip
import io
import json
import os
import re
import tarfile
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.formats.column_roles import Columns
from scrubline.models.storage.hive import MOST_FOLDER_BYTES, fits, partition_path
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.run import scrub

from ...examples import examples

HOSTILE = (
    *("../../outside", "/outside", "..", ".", "a/../../b", "..\\..\\outside", "\\\\host\\x"),
    *("%2e%2e%2foutside", "%2F", "C:outside", "file:///outside", "s3://b/outside", "~/outside"),
    *("x" * 300, "é" * 200, ":" * 100, "a\nb", "a\x7fb", "*?[x]", "k=v", "$HOME", "`id`", "con"),
)
"""Names that would lead elsewhere, or nowhere, if they became part of a path."""

FOR_PEOPLE = ("report.html", "history.parquet")
FOLDERS = {"data", "audit", "documents", "quarantine", "restricted"}
AT_THE_ROOT = {(name,) for name in ("manifest.json", "seal.json", "_SUCCESS", *FOR_PEOPLE)}
PART = re.compile(r"\d{6}-[0-9a-f]{12}(-\d+)?(\.[a-z0-9]+)+|[0-9a-f]{32}\.txt")
"""A part, or a text under its hashed id."""


def rows(names):
    return [{"note_id": name, "text": "Mail p@clinic.example", "n": name} for name in names]


def as_jsonl(folder, names):
    lines = [json.dumps(row) + "\n" for row in rows(names)]
    (folder / "a.jsonl").write_text("".join(lines))
    (folder / "b.jsonl.gz").write_bytes(gzip.compress("".join(lines).encode()))


def as_csv(folder, names):
    with (folder / "a.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, ["note_id", "text", "n"])
        writer.writeheader()
        writer.writerows(rows(names))


def as_parquet(folder, names):
    pq.write_table(pa.Table.from_pylist(rows(names)), folder / "a.parquet")


def as_zip(folder, names):
    with zipfile.ZipFile(folder / "a.zip", "w") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(f"{name}.txt"), "Mail p@clinic.example")


def as_tar(folder, names):
    with tarfile.open(folder / "a.tar", "w") as archive:
        for name in names:
            entry = tarfile.TarInfo(f"{name}.txt")
            entry.size = 21
            archive.addfile(entry, io.BytesIO(b"Mail p@clinic.example"))


def as_texts(folder, names):
    for name in names:
        if "/" not in name and len(name.encode()) < 250:
            (folder / f"x{name}.txt").write_text("Mail p@clinic.example")


TABLE = Columns.parse([("note_id", "id"), ("text", "text"), ("n", "pass")])
FILES = Columns.parse([("path", "id"), ("text", "text")])
WRITERS = {
    **dict.fromkeys((as_jsonl, as_csv, as_parquet), TABLE),
    **dict.fromkeys((as_zip, as_tar, as_texts), FILES),
}


def files_in(folder):
    return {path for path in Path(folder).rglob("*") if not path.is_dir()}


def assert_inside(output, known):
    """Every file that is new lies in the output, in its folders and under a name of a part."""
    for path in files_in(Path(output).parent) - known:
        below = path.relative_to(output).parts
        assert below[0] in FOLDERS or below in AT_THE_ROOT, path
        if below[0] in FOLDERS - {"restricted"}:
            assert PART.fullmatch(below[-1]), path
        assert not {"..", "."} & set(below)


@pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)
@pytest.mark.slow
def test_ids_and_members_are_data_and_no_paths(options, tmp_path, write):
    folder = tmp_path / "deep/er/mine"
    folder.mkdir(parents=True)
    write(folder, HOSTILE)
    known = files_in(tmp_path)
    output = tmp_path / "deep/er/out"
    options = dataclasses.replace(
        options,
        inputs=(str(folder),),
        output=str(output),
        columns=WRITERS[write],
        recognisers=("email",),
        keep_candidates=True,
        max_quarantined=1.0,
        split_bytes=500,
    )
    manifest = scrub(Storage(), options)
    assert manifest["counts"]["rows_out"] > 10
    assert_inside(output, known)
    assert verify(Storage(), str(output), originals=True, key_source=None)[0] == []


HIVE = [name for name in HOSTILE if "/" not in name and len(name.encode()) < 250]


@pytest.mark.parametrize("role", ["pass", "hash", "drop", "type", "date"])
@pytest.mark.slow
def test_hive_values_make_folders_of_one_level(options, tmp_path, role):
    folder = tmp_path / "deep/er/mine"
    for value in HIVE:
        if fits("k", value):
            (folder / f"k={value}").mkdir(parents=True)
            as_jsonl(folder / f"k={value}", ["1"])
    known = files_in(tmp_path)
    options = dataclasses.replace(
        options,
        inputs=(str(folder),),
        output=str(tmp_path / "deep/er/out"),
        columns=Columns.parse([*TABLE.roles, ("k", role)]),
        recognisers=("email",),
    )
    manifest = scrub(Storage(), options)
    assert_inside(options.output, known)
    folders = {os.path.dirname(p["path"]) for p in manifest["parts"] if p["table"] == "data"}
    assert all(re.fullmatch(r"data(/k=[^/]*)?", folder) for folder in folders)
    assert verify(Storage(), options.output, originals=True, key_source=None)[0] == []


@pytest.mark.parametrize("value", [":" * 100, "%" * 90])
def test_a_hive_value_that_no_folder_can_hold_is_refused_before_anything_is_written(
    options, tmp_path, value
):
    """It stopped the run with ENAMETOOLONG, and every resume of it."""
    folder = tmp_path / "mine"
    (folder / f"k={value}").mkdir(parents=True)
    as_jsonl(folder / f"k={value}", ["1"])
    changed = dataclasses.replace(
        options,
        inputs=(str(folder),),
        columns=Columns.parse([*TABLE.roles, ("k", "pass")]),
        recognisers=("email",),
    )
    with pytest.raises(UsageError, match="too long for the name of a folder") as caught:
        scrub(Storage(), changed)
    assert value not in str(caught.value)
    assert not Path(options.output).exists()
    columns = Columns.parse([*TABLE.roles, ("k", "hash")])
    assert scrub(Storage(), dataclasses.replace(changed, columns=columns))["counts"]["rows_out"]


@examples(300)
@given(key=st.text(min_size=1, max_size=80), value=st.text(max_size=120))
def test_a_key_and_value_are_one_folder_below_its_parent(key, value):
    try:
        folder = partition_path([(key, value)])
        folder.encode()
    except UnicodeEncodeError:
        return  # no name of a file that is read has lone surrogates
    assert folder.endswith("/") and folder.count("/") == 1
    assert folder not in ("./", "../", "/") and "\0" not in folder and "\\" not in folder
    assert fits(key, value) is (len(folder.encode()) <= MOST_FOLDER_BYTES + 1)


@pytest.mark.parametrize("form", ["brat", "i2b2_2014"])
@pytest.mark.parametrize(
    "name", ["../outside", "/outside", "a/../../b", "..", "a\\..\\b", "x" * 300]
)
def test_documents_are_not_written_outside_of_a_corpus(scrubline, tmp_path, form, name):
    folder = tmp_path / "deep/er"
    folder.mkdir(parents=True)
    gold = folder / "gold.jsonl"
    gold.write_text(json.dumps({"doc_id": name, "text": "x", "spans": []}) + "\n")
    code, _, err = scrubline("convert", gold, folder / "new", "--to", form)
    assert code == 2 and "BadDocId" in err and name not in err
    assert files_in(tmp_path) == {gold}
