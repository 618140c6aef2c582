"""Roles by path, from planning to `verify`: texts within structs, lists and maps."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.cli import main as cli
from scrubline.pipeline.options import options_from, read_config
from scrubline.pipeline.run import scrub

NOTE = "Seen by Dr. Quuxford on 3/4/2019."
CLEAN = "Seen by Dr. [DOCTOR] on [DATE]."
CANARY = "Quuxford"
COLUMNS = {
    "id": "id",
    "who.id": "patient",
    "who.name": "drop",
    "note.text": "text",
    "note.kind": "type",
    "items[].t": "text",
    "items[].n": "pass",
    "items[].by": "hash",
    "meta{}.key": "pass",
    "meta{}.value": "text",
}


def rows(count=40):
    for n in range(count):
        items = [{"t": f"{NOTE} {i}", "n": i, "by": f"p{i}"} for i in range(n % 4)]
        yield {
            "id": n,
            "who": {"id": f"P{n % 5}", "name": CANARY},
            "note": None if n % 7 == 3 else {"text": NOTE, "kind": "ED"},
            "items": None if n % 5 == 4 else [*items, None, {"t": None, "n": -1, "by": None}],
            "meta": {"a": NOTE, "b": None} if n % 3 else {},
        }


SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("who", pa.struct([("id", pa.string()), ("name", pa.string())])),
        ("note", pa.struct([("text", pa.string()), ("kind", pa.string())])),
        (
            "items",
            pa.list_(pa.struct([("t", pa.string()), ("n", pa.int64()), ("by", pa.string())])),
        ),
        ("meta", pa.map_(pa.string(), pa.string())),
    ]
)


def write(folder, form, some=None, *, name="a"):
    folder.mkdir(exist_ok=True)
    some = list(rows()) if some is None else some
    if form == "jsonl":
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in some))
    else:
        typed = [row | {"meta": row["meta"] and list(row["meta"].items())} for row in some]
        table = pa.Table.from_pylist([r | {"meta": r["meta"] or []} for r in typed], SCHEMA)
        pq.write_table(table, folder / f"{name}.parquet", row_group_size=7)
    return folder


@pytest.fixture
def key(tmp_path):
    path = tmp_path / "key.txt"
    path.write_text("scrubline-key-v1:" + "QUJD" * 10 + "QUI=\n")
    path.chmod(0o600)
    return path


def run(source, output, key, columns=COLUMNS, **more):
    said = {"model": ["none"], "key_file": str(key), "column": columns, "progress": False}
    said |= {"input": [str(source)], "output": str(output)} | more
    return scrub(Storage(), options_from(said, {}))


def published(output):
    found = []
    for path in sorted((output / "data").rglob("*.*")):
        if path.suffix == ".jsonl":
            found += [json.loads(line) for line in path.read_text().splitlines()]
        elif path.suffix == ".parquet":
            found += [
                row | ({"meta": dict(row["meta"])} if "meta" in row else {})
                for row in pq.read_table(path).to_pylist()
            ]
    return found


def command(capfd, *words):
    with pytest.raises(SystemExit) as ended:
        cli.main([*map(str, words)])
    printed = capfd.readouterr()
    return ended.value.code, printed.out, printed.err


@pytest.fixture(params=["jsonl", "parquet"])
def form(request):
    return request.param


@pytest.mark.slow
def test_structure_is_kept_and_texts_are_scrubbed(tmp_path, key, form, capfd):
    write(tmp_path / "in", form)
    manifest = run(tmp_path / "in", tmp_path / "out", key)
    assert manifest["counts"]["rows_out"] == 40
    found = published(tmp_path / "out")
    for row, made in zip(rows(), found, strict=True):
        note = row["note"] and {"text": CLEAN, "kind": "ED"}
        assert made["note"] == note
        assert made.keys() == {"doc_key", "patient_key", "note", "items", "meta"}
        assert (made["items"] is None) == (row["items"] is None)
        for item, old in zip(made["items"] or (), row["items"] or (), strict=True):
            if old is None or old["t"] is None:
                assert item == old
            else:
                assert item["t"] == old["t"].replace(NOTE, CLEAN)
                assert item["n"] == old["n"] and len(item["by"]) == 32
        assert made["meta"] == ({"a": CLEAN, "b": None} if row["meta"] else {})
    fields = set(pq.read_table(tmp_path / "out/audit")["field"].to_pylist())
    assert fields == {"note.text", "meta{0}.value", *(f"items[{n}].t" for n in range(3))}
    for words in (("verify", "--originals"), ("inspect", "--quarantined")):
        code, out, err = command(capfd, *words, "--output", tmp_path / "out", "--key-file", key)
        assert code == 0, err
        assert CANARY not in out + err
    for path in (tmp_path / "out").rglob("*"):
        if path.is_file() and "restricted" not in path.parts:
            content = path.read_bytes()
            assert CANARY.encode() not in content


@pytest.mark.slow
def test_any_split_and_batch_gives_the_same_content(tmp_path, key, form):
    write(tmp_path / "in", form)
    ways = (
        {},
        {"split_bytes": 900},
        {"split_bytes": 2000, "batch_documents": 1},
        {"batch_documents": 3},
    )
    digests = {
        run(tmp_path / "in", tmp_path / f"out{n}", key, **more)["content_digest"]
        for n, more in enumerate(ways)
    }
    assert len(digests) == 1
    half = list(rows())
    write(tmp_path / "two", form, half[:11], name="a")
    write(tmp_path / "two", form, half[11:], name="b")
    digests.add(run(tmp_path / "two", tmp_path / "out9", key)["content_digest"])
    assert len(digests) == 1


@pytest.mark.slow
def test_a_repeated_id_is_numbered_however_many_texts_a_row_has(tmp_path, key, form):
    some = [row | {"id": n // 2} for n, row in enumerate(rows(20))]
    write(tmp_path / "in", form, some)
    manifest = run(tmp_path / "in", tmp_path / "out", key)
    assert manifest["report"]["repeated_ids"] == 10
    keys = [row["doc_key"] for row in published(tmp_path / "out")]
    assert len(set(keys)) == 20


@pytest.mark.slow
def test_incremental_runs_know_their_inputs(tmp_path, key, form):
    write(tmp_path / "in", form)
    run(tmp_path / "in", tmp_path / "out", key)
    again = run(tmp_path / "in", tmp_path / "out", key, incremental=True)
    assert again["nothing_to_do"]
    write(tmp_path / "in", form, [row | {"id": row["id"] + 100} for row in rows(3)], name="b")
    manifest = run(tmp_path / "in", tmp_path / "out", key, incremental=True)
    assert manifest["counts"]["rows_out"] == 43
    assert manifest["report"]["incremental"]["new"] == 1


@pytest.mark.slow
def test_hold_and_diff(tmp_path, key, form, capfd):
    write(tmp_path / "in", form)
    run(tmp_path / "in", tmp_path / "out", key)
    write(tmp_path / "in", form, list(rows(39)))
    words = ["scrub", "--input", tmp_path / "in", "--output", tmp_path / "out", "--model", "none"]
    words += ["--key-file", key, "--no-progress", "--hold"]
    for name, role in COLUMNS.items():
        words += ["--column", f"{name}={role}"]
    code, _, err = command(capfd, *words)
    assert code == 4, err
    code, out, err = command(capfd, "diff", "--output", tmp_path / "out", "--json")
    assert code in (0, 3), err
    assert json.loads(out)


def test_rows_that_are_not_as_declared_are_quarantined(tmp_path, key):
    good = [row | {"pad": None} for row in rows(2)]
    odd = [
        {"id": 100, "note": "text"},
        {"id": 101, "note": {"text": NOTE, "extra": CANARY}},
        {"id": 102, "items": {"t": NOTE}},
        {"id": 103, "items": [{"t": 5}]},
        {"id": 104, "items": ["x"]},
        {"id": 105, "who": {"id": True}},
        {"id": 106, "items": [{"t": NOTE, "by": 1.5}]},
        {"id": 107},
    ]
    # Beyond what planning looks at.
    write(tmp_path / "in", "jsonl", [*good, {"id": 99, "pad": "x" * 300_000}, *odd])
    columns = COLUMNS | {"pad": "drop"}
    manifest = run(tmp_path / "in", tmp_path / "out", key, columns, max_quarantined=1.0)
    assert manifest["errors"] == {
        "read: BadId": 2,
        "read: NotText": 1,
        "read: UndeclaredColumn": 4,
    }
    assert manifest["counts"]["rows_out"] == 4
    assert CANARY not in str(published(tmp_path / "out"))


def test_an_undeclared_value_is_refused_at_planning(tmp_path, key, form):
    write(tmp_path / "in", form)
    columns = {name: role for name, role in COLUMNS.items() if name != "who.name"}
    with pytest.raises(UsageError, match="without a declared role") as caught:
        run(tmp_path / "in", tmp_path / "out", key, columns)
    assert "who.name" not in str(caught.value)
    assert "--column who.name=ROLE" in caught.value.on_terminal
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_the_config_file_takes_tables_and_paths(tmp_path, key):
    write(tmp_path / "in", "jsonl")
    text = """
        [column]
        id = "id"
        who.id = "patient"
        "who.name" = "drop"
        "items[].t" = "text"
        "items[].n" = "pass"
        "items[].by" = "hash"
        "meta{}.key" = "pass"
        "meta{}.value" = "text"
        [column.note]
        text = "text"
        kind = "type"
    """
    columns = read_config(text.encode())["column"]
    first = run(tmp_path / "in", tmp_path / "out", key, columns)
    second = run(tmp_path / "in", tmp_path / "out2", key)
    assert first["content_digest"] == second["content_digest"]


def test_a_flat_column_keeps_its_name_with_a_dot(tmp_path, key):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.jsonl").write_text(json.dumps({"note.id": 1, "note.text": NOTE}) + "\n")
    run(folder, tmp_path / "out", key, {"note.id": "id", "note.text": "text"})
    (row,) = published(tmp_path / "out")
    assert row["note.text"] == CLEAN
    assert set(pq.read_table(tmp_path / "out/audit")["field"].to_pylist()) == {"note.text"}


def test_formats_without_nested_columns_refuse_paths(tmp_path, key):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.csv").write_text("id,note\n1,x\n")
    with pytest.raises(UsageError, match="paths into nested columns"):
        run(folder, tmp_path / "out", key, {"id": "id", "note.text": "text"})


@pytest.mark.slow
def test_a_whole_struct_that_is_dropped_leaves_no_column(tmp_path, key, form):
    write(tmp_path / "in", form)
    columns = COLUMNS | {"items[].n": "drop", "items[].by": "drop", "items[].t": "drop"}
    run(tmp_path / "in", tmp_path / "out", key, columns)
    assert all("items" not in row and "who" not in row for row in published(tmp_path / "out"))


def test_what_passes_whole_is_said_without_its_names(tmp_path, key, form, capfd):
    write(tmp_path / "in", form)
    columns = {"id": "id", "note.text": "text", "note.kind": "drop", "who": "pass", "items": "drop"}
    words = ["scrub", "--input", tmp_path / "in", "--output", tmp_path / "out", "--model", "none"]
    words += ["--key-file", key, "--column", "meta=drop"]
    for name, role in columns.items():
        words += ["--column", f"{name}={role}"]
    code, out, err = command(capfd, *words, "--dry-run")
    assert code == 0, err
    assert "passes whole: who, with 2 kinds of values\n" in out
    assert "who.name" not in out + err
    code, out, err = command(capfd, *words, "--no-progress")
    assert code == 0, err
    assert "passes whole: who, with 2 kinds of values\n" in out
