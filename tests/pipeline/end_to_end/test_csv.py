"""Whole runs over CSV and TSV: verified against their originals, whatever the splits."""

import csv
import gzip
import io
import json
import logging
import sys
import threading

import pytest
from scrubline.models.formats.column_roles import Columns
from scrubline.models.storage.key_files import load_keys
from scrubline.pipeline.commands.verify import verify

pytestmark = pytest.mark.slow

SEEN = 'Seen 3/4/2012, by phone.\r\nMRN: 1234567; 5\'10" tall, "well" = ok\n'
SCRUBBED = SEEN.replace("3/4/2012", "[DATE]").replace("1234567", "[MEDICALRECORD]")
ROLES = {"id": "id", "patient": "patient", "text": "text", "type": "type"}
TYPES = ["progress", "a,b|c;d\te", '"', "é", "", "=1+1", "0012", "1.10"]


@pytest.fixture
def keys(storage, key_file):
    return load_keys(key_file, storage.read_bytes)


@pytest.fixture(autouse=True)
def _as_before():
    """Commands set up logs and hooks for the whole process."""
    root = logging.getLogger()
    before = root.handlers[:], root.level, sys.excepthook, threading.excepthook, sys.unraisablehook
    yield
    root.handlers[:], root.level, sys.excepthook, threading.excepthook, sys.unraisablehook = before


@pytest.fixture
def runs(run, storage, tmp_path):
    """Runs the same input cut in several ways; returns the first manifest after checking all."""

    def run_all(folder, roles, cuts=(300, 2000, 1 << 30), **more):
        manifests = []
        for number, cut in enumerate(cuts):
            output = tmp_path / f"out{number}"
            manifests.append(
                run(
                    inputs=(str(folder),),
                    output=str(output),
                    columns=Columns.parse(list(roles.items())),
                    split_bytes=cut,
                    batch_documents=max(1, min(cut // 100, 256)),
                    **more,
                )
            )
            faults, lines = verify(storage, str(output), originals=True, key_source=None)
            assert faults == []
            assert "leads to the published texts" in lines[-1]
        assert len({m["content_digest"] for m in manifests}) == 1
        return manifests[0]

    return run_all


def rows_in(number):
    """Invented rows, some without a text."""
    for index in range(number):
        text = None if index % 9 == 4 else f"{index}: {SEEN}"
        yield [f"n{index}", f"00{index % 3}", text, TYPES[index % len(TYPES)]]


def as_csv(rows, **dialect):
    stream = io.StringIO(newline="")
    csv.writer(stream, **{"lineterminator": "\r\n", **dialect}).writerows(rows)
    return stream.getvalue()


def published(tmp_path, output="out0"):
    """The bytes of the data files of an output, in order."""
    folder = tmp_path / output / "data"
    return [path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()]


def as_rows(contents, encoding, **dialect):
    """The rows of data files as the csv module reads them, headers checked and left out."""
    rows = []
    for content in contents:
        stream = io.StringIO(content.decode(encoding), newline="")
        header, *more = csv.reader(stream, strict=True, **dialect)
        assert header == ["doc_key", "patient_key", "text", "type"]
        rows += more
    return rows


def expected_rows(keys, number):
    return [
        [
            keys.doc_key(name),
            keys.patient_key(patient),
            "" if text is None else text.replace(SEEN, SCRUBBED),
            kind,
        ]
        for name, patient, text, kind in rows_in(number)
    ]


@pytest.mark.parametrize(
    ("name", "settings", "dialect"),
    [
        ("a.csv", {}, {}),
        ("a.CSV", {}, {"quoting": csv.QUOTE_ALL, "lineterminator": "\n"}),
        ("a.tsv", {}, {"delimiter": "\t"}),
        ("a.tab", {"encoding": "utf-16"}, {"delimiter": "\t"}),
        ("a.csv", {"encoding": "windows-1252", "delimiter": ";"}, {"delimiter": ";"}),
        ("a.csv", {"quote": "'"}, {"quotechar": "'"}),
        (
            "a.csv",
            {"delimiter": "|", "escape": "\\"},
            {
                "delimiter": "|",
                "doublequote": False,
                "escapechar": "\\",
                "quoting": csv.QUOTE_ALL,
            },
        ),
    ],
)
def test_dialects_and_encodings(runs, keys, tmp_path, name, settings, dialect):
    number, encoding = 40, settings.get("encoding", "utf-8")
    data = as_csv([list(ROLES), *rows_in(number)], **dialect).encode(encoding)
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / name).write_bytes(data)
    manifest = runs(folder, ROLES, **settings)
    assert manifest["counts"]["rows_in"] == manifest["counts"]["rows_out"] == number
    assert manifest["labels"]["DATE"] == manifest["labels"]["MEDICALRECORD"]
    dialect = {key: value for key, value in dialect.items() if key != "lineterminator"}
    for output in ("out0", "out2"):
        found = as_rows(published(tmp_path, output), encoding, **dialect)
        assert sorted(found) == sorted(expected_rows(keys, number))
    suffix = ".tsv" if name.endswith(("tsv", "tab")) else ".csv"
    assert all(
        part["path"].endswith(suffix) for part in manifest["parts"] if part["table"] == "data"
    )
    assert (manifest["report"]["units"] > 3) is (encoding != "utf-16")


def test_a_byte_order_mark_is_no_part_of_a_name_and_is_not_written(runs, keys, tmp_path):
    folder = tmp_path / "source"
    folder.mkdir()
    content = "\ufeff" + as_csv([list(ROLES), *rows_in(5)])
    (folder / "a.csv").write_bytes(content.encode())
    other = content.replace("\nn", "\nm")
    (folder / "b.csv.gz").write_bytes(gzip.compress(other.encode(), mtime=0))
    manifest = runs(folder, ROLES)
    assert manifest["counts"]["rows_out"] == 10
    plain, *more = (part for part in published(tmp_path, "out2") if not part.startswith(b"\x1f"))
    assert plain.startswith(b"doc_key,patient_key,text,type\n") and not more
    assert as_rows([plain], "utf-8") == expected_rows(keys, 5)


def test_columns_may_stand_in_any_order_and_some_files_may_lack_one(runs, keys, tmp_path):
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "a.csv").write_text('type,text,patient,id\nprogress,"MRN: 1234567",7,x\n')
    (folder / "b.csv").write_text("id,text\ny,Seen 3/4/2012\n")
    runs(folder, ROLES)
    assert as_rows(published(tmp_path, "out2"), "utf-8") == [
        [keys.doc_key("x"), keys.patient_key("7"), "MRN: [MEDICALRECORD]", "progress"],
        [keys.doc_key("y"), "", "Seen [DATE]", ""],
    ]


def test_what_is_malformed_is_quarantined_and_nothing_of_it_passes(runs, keys, tmp_path):
    folder = tmp_path / "source"
    folder.mkdir()
    note = 'Told "no".\nleaked, Leaked, leaked, leaked\n'
    lines = [
        b"id,patient,text,type",
        b"a,1,fine,x",
        f'b,1,"{note}",x'.encode(),
        b"c,1,caf\xe9,x",
        b"d,1,leaked",
        b",1,leaked,x",
        b'e,1,"",x',
        b'f,1,"leaked',
    ]
    (folder / "a.csv").write_bytes(b"\n".join(lines))
    manifest = runs(folder, ROLES, max_quarantined=0.9)
    assert manifest["errors"] == {
        "read: BadQuote": 4,
        "read: BadEncoding": 1,
        "read: WrongCellCount": 1,
        "read: MissingId": 1,
    }
    assert published(tmp_path, "out2") == [
        f"doc_key,patient_key,text,type\n{keys.doc_key('a')},{keys.patient_key('1')},fine,x\n"
        f'{keys.doc_key("e")},{keys.patient_key("1")},"",x\n'.encode()
    ]
    assert not any(b"leaked" in part.lower() for part in published(tmp_path))


@pytest.fixture
def words(tmp_path, key_file):
    """Words of a scrub by rules alone."""
    return [
        *("scrub", "--input", tmp_path / "source", "--output", tmp_path / "out0"),
        *("--key-file", key_file, "--model", "none", "--workers", "0", "--no-progress", "--json"),
    ]


def test_the_options_of_the_command_line(scrubline, words, keys, tmp_path):
    folder = tmp_path / "source"
    folder.mkdir()
    lines = [f"'{i}'|7|'Caf\\'é \\\\ 3/4/2012|\\\nMRN: 123456{i}'|a'b" for i in range(3)]
    (folder / "a.csv").write_bytes(("\r\n".join(lines) + "\r\n").encode("cp1252"))
    roles = ["c1=id", "c2=patient", "c3=text", "c4=pass"]
    code, out, err = scrubline(
        *words,
        *("--delimiter", "|", "--quote", "'", "--escape", "\\", "--encoding", "windows-1252"),
        *("--no-header", *(word for role in roles for word in ("--column", role))),
    )
    assert (code, err) == (0, "")
    assert json.loads(out)["counts"]["rows_out"] == 3
    (content,) = published(tmp_path)
    assert content.decode("cp1252") == "doc_key|patient_key|c3|c4\n" + "".join(
        f"{keys.doc_key(str(i))}|{keys.patient_key('7')}|"
        "'Caf\\'é \\\\ [DATE]|\nMRN: [MEDICALRECORD]'|'a\\'b'\n"
        for i in range(3)
    )
    code, out, err = scrubline("verify", "--output", tmp_path / "out0", "--originals")
    assert code == 0, err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--delimiter", "ab"), "--delimiter"),
        (("--quote", ","), "must differ"),
        (("--quote", "", "--escape", "\\"), "--escape"),
        (("--encoding", "base64"), "encoding"),
        (("--delimiter", ";"), "several: give --delimiter"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_written(
    scrubline, words, tmp_path, options, told
):
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "a.csv").write_text("id,text\nx,y\n")
    code, _, err = scrubline(*words, *options, "--column", "id=id", "--column", "text=text")
    assert code == 2
    assert any(one in err for one in told.split("|"))
    assert not (tmp_path / "out0").exists()


CUT_OFF = gzip.compress(as_csv([list(ROLES), *rows_in(3)]).encode(), mtime=0)[:30]


@pytest.mark.parametrize(
    ("name", "content", "errors"),
    [
        ("a.csv", b"", {}),
        ("a.jsonl", b"", {}),
        ("a.csv.gz", b"", {}),
        ("a.csv.gz", gzip.compress(b"", mtime=0), {}),
        ("a.csv.gz", CUT_OFF, {"DamagedArchive": 1}),
        ("a.jsonl.gz", CUT_OFF, {"DamagedArchive": 1}),
        ("a.tsv.gz", b"no gzip at all", {"DamagedArchive": 1}),
    ],
    ids=["csv", "jsonl", "no gzip", "empty gzip", "cut csv", "cut jsonl", "other bytes"],
)
def test_files_that_show_no_column_are_empty_or_quarantined(runs, tmp_path, name, content, errors):
    folder = tmp_path / "source"
    (folder / "year=2024").mkdir(parents=True)
    (folder / "year=2024" / name).write_bytes(content)
    manifest = runs(folder, {**ROLES, "year": "pass"}, cuts=(300,), max_quarantined=1.0)
    number = sum(errors.values())
    counts = manifest["counts"]
    assert (counts["rows_in"], counts["rows_out"]) == (number, 0)
    assert manifest["errors"] == {f"read: {code}": count for code, count in errors.items()}
