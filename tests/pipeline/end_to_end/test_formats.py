"""Whole runs, a format each: every one verified against its originals, whatever the splits."""

import datetime
import decimal
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrubline.models.formats.column_roles import Columns
from scrubline.models.storage.key_files import load_keys
from scrubline.pipeline.commands.inspect import read_rows
from scrubline.pipeline.commands.verify import verify

pytestmark = pytest.mark.slow

SEEN = "Seen 3/4/2012. MRN: 1234567. Café 🙂\r\n"
SCRUBBED = "Seen [DATE]. MRN: [MEDICALRECORD]. Café 🙂\r\n"


@pytest.fixture
def keys(storage, key_file):
    return load_keys(key_file, storage.read_bytes)


@pytest.fixture
def runs(run, storage, tmp_path):
    """Runs the same input cut in several ways; returns the first manifest after checking all."""

    def run_all(folder, roles, cuts=(150, 1000, 1 << 30), **more):
        columns = None if roles is None else Columns.parse(list(roles.items()))
        manifests = []
        for number, cut in enumerate(cuts):
            output = tmp_path / f"out{number}"
            manifests.append(
                run(
                    inputs=(str(folder),),
                    output=str(output),
                    columns=columns,
                    split_bytes=cut,
                    batch_documents=max(1, min(cut // 100, 256)),
                    **more,
                )
            )
            faults, lines = verify(storage, str(output), originals=True, key_source=None)
            assert faults == []
            assert "leads to the published texts" in lines[-1]
        assert len({m["content_digest"] for m in manifests}) == 1
        assert manifests[0]["report"]["units"] >= manifests[-1]["report"]["units"]
        return manifests[0]

    return run_all


def published(tmp_path, pattern, output="out0"):
    folder = tmp_path / output / "data"
    return {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob(pattern))}


def test_text_files(runs, storage, keys, tmp_path):
    folder = tmp_path / "source"
    texts = {
        "a.txt": SEEN.encode(),
        "ward 3/smith, john.txt": b"\xef\xbb\xbfMRN: 1234567",
        "ward 3/empty.txt": b"",
        "ward 3/nul.txt": b"a\0b\rc 3/4/2012\n\n",
        "ward 3/latin.txt": "Café 3/4/2012".encode("latin-1"),
        "ward 3/surrogate.txt": b"\xed\xa0\xbd 3/4/2012",
        "long.txt": b"x" * 3000,
    }
    for name, content in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    manifest = runs(folder, None)
    assert manifest["counts"]["rows_in"] == 7
    assert manifest["errors"] == {"read: BadEncoding": 2}
    found = {
        path.stem: path.read_bytes() for path in published(tmp_path, "*").values() if path.is_file()
    }
    assert found == {
        keys.doc_key("a.txt"): SCRUBBED.encode(),
        keys.doc_key("ward 3/smith, john.txt"): b"\xef\xbb\xbfMRN: [MEDICALRECORD]",
        keys.doc_key("ward 3/empty.txt"): b"",
        keys.doc_key("ward 3/nul.txt"): b"a\0b\rc [DATE]\n\n",
        keys.doc_key("long.txt"): b"x" * 3000,
    }
    told = json.dumps(manifest) + "".join(str(p) for p in (tmp_path / "out0").rglob("*"))
    assert "smith" not in told


def test_text_files_below_hive_folders_of_patients(runs, keys, tmp_path):
    # Names that no key spells by chance: the names of the published files are digests.
    for patient, name in (("patient-007", "a"), ("patient-007", "b"), ("patient-12", "c")):
        path = tmp_path / f"source/patient={patient}/site=north/{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(SEEN.encode())
    runs(tmp_path / "source", {"path": "id", "text": "text", "patient": "patient", "site": "pass"})
    assert all(name.startswith("site=north/") for name in published(tmp_path, "*.txt"))
    assert len(published(tmp_path, "*.txt")) == 3
    assert not any("patient" in name for name in published(tmp_path, "*"))


def test_json_lines(runs, keys, tmp_path):
    folder = tmp_path / "source"
    folder.mkdir()
    lines = [
        '\ufeff{"i": 1, "t": ' + json.dumps(SEEN) + ', "n": 1.10, "x": {"a": [1e400, "\\ud83d"]}}',
        '{"i": "2", "t": null, "n": null}\r',
        '{"i": 3, "u": "MRN: 1234567", "n": 123456789012345678901234567890}',
        '{"i": 4, "t": "\\u0053een 3\\/4\\/2012", "u": ""}',
        '{"i": 5, "t": "a", "t": "b"}',
        "",
        '{"i": 6, "t": "half \\ud83d"}',
        '{"i": 7, "t": "no line break at the end 3/4/2012"}',
    ]
    (folder / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (folder / "b.NDJSON").write_text('{"i": 8}\n')
    manifest = runs(folder, {"i": "id", "t": "text", "u": "text", "n": "pass", "x": "pass"})
    assert manifest["counts"]["rows_in"] == manifest["counts"]["rows_out"] + 2
    written = "".join(p.read_text() for p in published(tmp_path, "*").values() if p.is_file())
    rows = {row["doc_key"]: row for row in map(json.loads, written.splitlines())}
    assert rows[keys.doc_key("1")]["t"] == SCRUBBED
    assert rows[keys.doc_key("4")]["t"] == "Seen [DATE]"
    assert rows[keys.doc_key("3")]["u"] == "MRN: [MEDICALRECORD]"
    assert rows[keys.doc_key("2")]["t"] is None
    assert "t" not in rows[keys.doc_key("8")]
    for untouched in ("1.10", '[1e400, "\\ud83d"]', "123456789012345678901234567890"):
        assert untouched in written
    assert "i" not in rows[keys.doc_key("1")]


def test_parquet_with_hive_folders_and_all_kinds_of_types(runs, storage, keys, tmp_path):
    ids = iter(range(1, 100))

    def table(rows):
        texts = [SEEN, None, "", "fine", SEEN * 3][:rows]
        nested = pa.list_(pa.struct([("code", pa.string()), ("at", pa.timestamp("us"))]))
        when = datetime.datetime(2024, 1, 2, 3, 4, 5)
        return pa.table(
            {
                "note_id": pa.array([next(ids) for _ in range(rows)], pa.int64()),
                "body": pa.array(texts, pa.large_string()),
                "addendum": pa.array(texts[::-1]).dictionary_encode(),
                "amount": pa.array([decimal.Decimal("1.10")] * rows, pa.decimal128(10, 2)),
                "score": pa.array([1.5, None, float("inf"), -0.0, 2.5][:rows], pa.float32()),
                "codes": pa.array(
                    [[{"code": "a", "at": when}], [], None, [None], []][:rows], nested
                ),
                "raw": pa.array([b"\xff\0", None, b"", b"x", b"y"][:rows], pa.binary()),
                "flags": pa.array(
                    [[("k", True)], [], None, [], []][:rows], pa.map_(pa.string(), pa.bool_())
                ),
                "day": pa.array([datetime.date(2024, 1, 2)] * rows, pa.date32()),
                "visit": pa.array([7, 7, None, 8, 8][:rows], pa.uint16()),
                "name": ["Smith"] * rows,
            }
        )

    folder = tmp_path / "source"
    tables = {}
    for partition, rows in (
        ("year=2023/ward=A%2FB", 5),
        ("year=2024/ward=C", 3),
        ("year=2024/ward=D", 4),
    ):
        (folder / partition).mkdir(parents=True)
        tables[partition] = table(rows)
        pq.write_table(tables[partition], folder / partition / "part.parquet", row_group_size=2)
    roles = {
        "note_id": "id",
        "body": "text",
        "addendum": "text",
        **dict.fromkeys(("amount", "score", "codes", "raw", "flags", "ward", "year"), "pass"),
        **{"day": "date", "visit": "hash", "name": "drop"},
    }
    manifest = runs(folder, roles, (1, 300, 1 << 30), policy="research")
    assert manifest["counts"]["rows_out"] == 12
    assert manifest["counts"]["documents"] == 24
    for partition, source in tables.items():
        (path, *more) = [
            p for n, p in published(tmp_path, "*.parquet", "out2").items() if partition in n
        ]
        assert more == []
        out = pq.ParquetFile(path).read()
        assert out.column_names == ["doc_key", *source.column_names[1:-1]]
        for name in ("amount", "score", "codes", "raw", "flags", "day"):
            assert out.schema.field(name).type == source.schema.field(name).type
            assert out.column(name).combine_chunks().equals(source.column(name).combine_chunks())
        kept = SCRUBBED.replace("[DATE]", "3/4/2012")
        assert out.schema.field("body").type == pa.large_string()
        assert out.column("body").to_pylist() == [
            t and t.replace(SEEN, kept) for t in source.column("body").to_pylist()
        ]
        assert out.column("addendum").to_pylist() == [
            t and t.replace(SEEN, kept) for t in source.column("addendum").to_pylist()
        ]
        assert out.column("visit").to_pylist()[0] == keys.column_hash("7")
    assert "Smith" not in str(
        [pq.ParquetFile(p).read().to_pylist() for p in published(tmp_path, "*.parquet").values()]
    )


def test_dates_stay_away_under_hipaa_in_folders_too(runs, tmp_path):
    path = tmp_path / "source/day=2024-01-02/patient=7/a.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(pa.table({"i": [1, 2], "t": [SEEN, "fine"]}), path)
    runs(
        tmp_path / "source",
        {"i": "id", "t": "text", "day": "date", "patient": "patient"},
    )
    (name,) = published(tmp_path, "*.parquet", "out2")
    assert "/" not in name
    (table,) = [pq.ParquetFile(p).read() for p in published(tmp_path, "*.parquet", "out2").values()]
    assert table.column_names == ["doc_key", "patient_key", "t"]
    assert table.column("t").to_pylist() == [SCRUBBED, "fine"]


def test_a_damaged_row_group_is_quarantined_and_the_others_are_not(runs, storage, tmp_path):
    folder = tmp_path / "source"
    folder.mkdir()
    table = pa.table({"i": list(range(40)), "t": [f"{n} {SEEN}" for n in range(40)]})
    pq.write_table(
        table, folder / "a.parquet", row_group_size=10, compression="none", use_dictionary=False
    )
    content = bytearray((folder / "a.parquet").read_bytes())
    at = content.index(b"25 Seen")
    content[at : at + 4] = b"\xff\xfe\xff\xfe"
    (folder / "a.parquet").write_bytes(content)
    manifest = runs(folder, {"i": "id", "t": "text"}, (1, 300, 1 << 30))
    assert manifest["counts"]["rows_in"] == 40
    assert manifest["counts"]["rows_quarantined"] == 1
    assert manifest["errors"] == {"read: BadEncoding": 1}


def test_a_stand_off_corpus_needs_no_declaration(runs, storage, keys, tmp_path):
    folder = tmp_path / "source"
    folder.mkdir()
    spans = [{"start": 5, "end": 13, "label": "DATE"}]
    with (folder / "gold.jsonl").open("w") as stream:
        for number in range(9):
            record = {
                "doc_id": f"d{number}",
                "text": SEEN,
                "spans": spans,
                "meta": {"name": "Smith"},
            }
            stream.write(json.dumps(record) + "\n")
    manifest = runs(folder, None)
    assert manifest["labels"] == {"DATE": 9, "MEDICALRECORD": 9}
    (path, *_) = published(tmp_path, "*.jsonl").values()
    assert set(json.loads(path.read_text().splitlines()[0])) == {"doc_key", "text"}


def test_candidates_are_kept_where_only_key_holders_look(run, storage, tmp_path):
    output = tmp_path / "out"
    manifest = run(keep_candidates=True)
    rows = []
    for path in (output / "restricted" / manifest["run"] / "candidates").glob("*.parquet"):
        rows += pq.read_table(path).to_pylist()
    assert sum(row["verdict"] == "accepted" for row in rows) >= manifest["counts"]["spans"]
    assert not any(part["table"] == "candidates" for part in manifest["parts"])
    assert len(read_rows(storage, str(output), manifest, "audit")) == manifest["counts"]["spans"]


def test_several_formats_in_one_run(runs, tmp_path):
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "a.jsonl").write_text(json.dumps({"i": 1, "t": SEEN}) + "\n")
    pq.write_table(pa.table({"i": [2], "t": [SEEN]}), folder / "b.parquet")
    manifest = runs(folder, {"i": "id", "t": "text"})
    assert manifest["counts"]["rows_out"] == 2
    assert {name.rsplit(".")[-1] for name in published(tmp_path, "*")} == {"jsonl", "parquet"}
