"""Promise 5: no PHI outside the data path. Canaries go in and are searched everywhere."""

import base64
import gzip
import io
import json
import os
import subprocess
import sys
import zipfile
from collections import Counter

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrubline.models.formats import EXPLICIT_ONLY, FORMATS
from scrubline.models.formats.jsonl import LOOK_BYTES
from scrubline.models.jobs.plan import Plan
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.graph import build
from scrubline.pipeline.outputs.planning import load_plan

from ...waiting import GUARD_SECONDS
from .. import hostile_worker
from ..hostile_worker import EXIT, LEAK
from ..makers import REFUSED, TABLES, break_, make

TEXT, ID, FILE = "Quuxfordtext", "quuxfordid", "quuxfordfile"
"""What the canaries of texts, of ids and patients, and of file names begin with, in any case."""


def phi(number):
    """A note whose canaries are PHI that the rules find."""
    return (
        f"Seen on 3/4/2019, wrote from {TEXT.lower()}{number}@ward{number}.example. "
        f"MRN: 77{number:05d}.\n"
        f"See https://{TEXT.lower()}.example/p/{number} for more.\n"
    )


def row(number, text, **more):
    return json.dumps(
        {
            "note_id": f"{ID}-{number}",
            "patient_id": f"{ID}-p{number}",
            "kind": "progress",
            "ward": f"{TEXT} ward {number}",
            "room": f"{TEXT} room {number}",
            "text": text,
            "n": number,
        }
        | more
    )


COLUMNS = ("note_id=id", "patient_id=patient", "kind=type", "ward=drop", "room=hash", "text=text")
ALL_COLUMNS = [word for one in (*COLUMNS, "n=pass") for word in ("--column", one)]


def write_corpus(folder, deadly):
    """Notes that are scrubbed, notes to be quarantined, and if asked one that kills its worker."""
    folder = folder / f"{FILE}-folder"
    folder.mkdir(parents=True)
    lines = [row(number, phi(number)) for number in range(20)]
    lines[2:2] = [
        row(101, f"{TEXT} makes a detector raise {LEAK}"),
        row(102, f"{TEXT} cut off")[:-30],
        row(103, f"{TEXT} half ").replace('half "', 'half \\ud83d"'),
        row(104, [f"{TEXT} in a list"]),
        row(105, f"{TEXT} without an id", note_id=None),
        row(106, f"{TEXT} with a strange id", note_id={ID: ID}),
        f'"{TEXT} is not an object"',
        f"{TEXT} is not JSON",
        "",
    ]
    if deadly:
        lines.insert(8, row(108, f"{TEXT} kills its worker {EXIT}"))
    (folder / f"{FILE}-1.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    more = [row(number, phi(number)) for number in range(200, 230)]
    # A column that nobody declared, too late to be seen before the run.
    more += [row(230, "word " * (LOOK_BYTES // 5))]
    more += [row(107, f"{TEXT} with a stranger", **{f"{TEXT} column": f"{TEXT} value"})]
    (folder / f"{FILE}-2.jsonl").write_text("\n".join(more) + "\n", encoding="utf-8")
    # Bytes that are no UTF-8.
    with (folder / f"{FILE}-1.jsonl").open("ab") as stream:
        stream.write(row(109, f"{TEXT} @").encode().replace(b"@", b"\xff\xfe") + b"\n")
    return str(folder)


class Sinks:
    """All that came out of some command lines."""

    def __init__(self, folder):
        self.folder = folder
        self.printed = {}

    def run(self, name, lines, **environment):
        """Runs command lines in a process of their own; its temporary files are searched too."""
        temporary = self.folder / "temporary"
        temporary.mkdir(exist_ok=True)
        done = subprocess.run(
            [sys.executable, hostile_worker.__file__, "command-lines"],
            input=json.dumps(lines).encode(),
            capture_output=True,
            timeout=GUARD_SECONDS,
            env=os.environ | {"TMPDIR": str(temporary)} | environment,
        )
        self.printed[f"{name}: stdout"] = done.stdout
        self.printed[f"{name}: stderr"] = done.stderr
        assert done.returncode == 0, done.stderr.decode(errors="replace")[-2000:]
        return json.loads(done.stdout.splitlines()[-1])

    def places(self):
        """Name of each sink -> what is in it."""
        places = dict(self.printed)
        for path in sorted(self.folder.rglob("*")):
            relative = str(path.relative_to(self.folder))
            if relative.startswith("in/") or relative == "in":
                continue
            places[f"name of {relative}"] = relative.encode()
            if path.is_file():
                places[relative] = path.read_bytes() + decoded(path)
        return places

    def found(self, *canaries):
        """Where any canary is: names of sinks, each with what was found."""
        hits = []
        for place, content in self.places().items():
            content = content.lower()
            hits += [(place, one) for one in canaries if one.lower().encode() in content]
        return hits


def decoded(path):
    """What a file says once it is decompressed: all cells and metadata of a Parquet file."""
    if path.suffix in (".gz", ".tgz"):
        return gzip.decompress(path.read_bytes())
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            return b"".join(name.encode() + archive.read(name) for name in archive.namelist())
    if path.suffix != ".parquet":
        return b""
    content = path.read_bytes()
    file = pq.ParquetFile(io.BytesIO(content))
    texts = [f.name for f in file.schema_arrow if pa.types.is_string(f.type)]
    # As dictionaries, for a page may hold values that no row has.
    table = pq.ParquetFile(io.BytesIO(content), read_dictionary=texts).read()
    held = [chunk.dictionary for name in texts for chunk in table.column(name).chunks]
    stored = base64.b64decode((file.metadata.metadata or {}).get(b"ARROW:schema", b""))
    # Page indexes are not compressed: they are found in the file's bytes.
    return repr((table.to_pylist(), held, file.metadata.to_dict())).encode() + stored


def restricted(hits):
    """Leaves out what is where names of files may be."""
    return [(place, what) for place, what in hits if "/restricted/" not in place]


@pytest.fixture
def sinks(tmp_path, forked):
    return Sinks(tmp_path)


@pytest.fixture
def common(tmp_path):
    key = tmp_path / "key.txt"
    key.write_text("scrubline-key-v1:" + "QUJD" * 10 + "QUI=\n")
    return ["--key-file", str(key), "--model", "none", "--log-level", "DEBUG"]


@pytest.mark.slow
def test_nothing_leaks_from_a_run_with_quarantine_and_killed_workers(sinks, common, tmp_path):
    source, out = write_corpus(tmp_path / "in", deadly=True), str(tmp_path / "out")
    workers = ["--workers", "2", "--log-level", "DEBUG"]
    scrub = ["scrub", "--input", source, "--output", out, *common, *ALL_COLUMNS, *workers]
    codes = sinks.run(
        "run",
        [
            [*scrub, "--split-bytes", "400000"],
            ["resume", "--output", out, "--max-quarantined", "1", *workers, "--json"],
            ["verify", "--output", out, "--originals"],
            ["inspect", "--output", out],
        ],
    )
    assert codes == [3, 0, 0, 0]
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    assert manifest["errors"]["skip-list: KillsWorker"] == 1
    assert manifest["errors"]["recognise: ValueError"] == 1
    assert manifest["counts"]["rows_quarantined"] >= 9
    assert manifest["labels"]["EMAIL"] >= 50
    stderr = sinks.printed["run: stderr"].decode()
    assert "skip-list" in stderr
    assert "a worker ended (7)" in stderr
    assert "message withheld" in stderr
    assert sinks.found(TEXT, ID) == []
    assert restricted(sinks.found(FILE)) == []
    # The search itself works: names are in the restricted plan, texts are in the input; and what
    # the history says is among what was looked at.
    assert sinks.found(FILE) != []
    assert ("out/history.parquet", "skip-list: KillsWorker") in sinks.found(
        "skip-list: KillsWorker"
    )
    job, plan = load_plan(Storage(), out, manifest["run"])
    for canary in (TEXT, ID, FILE):
        assert canary.lower() not in job.to_json().lower()
        assert canary.lower() not in repr((job, plan)).lower()
    assert_steps_tell_nothing(job, plan)


def assert_steps_tell_nothing(job, plan: Plan):
    pipeline = beam.Pipeline(runner="FnApiRunner")
    build(pipeline, job, range(len(plan.units)))
    names = [one.unique_name for one in pipeline.to_runner_api().components.transforms.values()]
    assert names
    assert not [one for one in names if "quuxford" in one.lower()]


@pytest.mark.slow
def test_nothing_leaks_from_a_run_that_fails(sinks, common, tmp_path):
    source, out = write_corpus(tmp_path / "in", deadly=False), str(tmp_path / "out")
    scrub = ["scrub", "--input", source, "--output", out, *common, *ALL_COLUMNS]
    gone = f"{tmp_path}/{FILE}-nowhere"
    refused = [
        # The columns are told, as they must be declared; nothing of their values.
        ["scrub", "--input", source, "--output", out, *common],
        ["scrub", "--input", source, "--output", out, *common, *ALL_COLUMNS[:-2]],
        ["scrub", "--input", gone, "--output", out, *common, *ALL_COLUMNS],
        ["scrub", "--input", source, "--output", f"{source}/out", *common, *ALL_COLUMNS],
        ["scrub", "--config", gone, "--input", source, "--output", out],
        ["scrub", gone],
        [*scrub, gone],
        [*scrub, "--workers", gone],
        [*scrub, "--policy", f"{gone}.toml"],
        [*scrub, "--model", gone],
        [*scrub, "--key-file", gone],
        ["resume", "--output", gone],
        ["inspect", "--output", gone],
        ["verify", "--output", gone],
        [*scrub, "--dry-run"],
    ]
    codes = sinks.run("refused", refused)
    assert codes == [2] * (len(refused) - 1) + [0]
    assert not (tmp_path / "out").exists()

    # Storage that names files in its errors; too often for the retries.
    codes = sinks.run("faults", [[*scrub, "--split-bytes", "400000"]] * 3, HOSTILE_FAULTS="0.6")
    assert codes == [1] * 3
    assert sinks.found(TEXT, ID) == []
    assert restricted(sinks.found(FILE)) == []


# -- what Parquet says beside its rows


def parquet_with_canaries():
    """Rows, and canaries in all that a Parquet file holds beside those that go out."""
    said = {"comment": f"e.g. {TEXT}", f"{TEXT} key": "x"}
    words = pa.dictionary(pa.int8(), pa.string())
    deep = pa.struct([pa.field("w", pa.list_(pa.field("element", words, metadata=said)))])
    fields = {
        "note_id": (pa.string(), [f"{ID}-{n}" for n in range(4)]),
        "patient_id": (pa.string(), [f"{ID}-p"] * 4),
        "kind": (words, ["progress", "progress", "progress", f"{TEXT} kind"]),
        "ward": (pa.string(), [f"{TEXT} ward {n}" for n in range(4)]),
        "room": (words, [f"{TEXT} room {n}" for n in range(4)]),
        "text": (pa.string(), [phi(0), phi(1), None, f"{TEXT} @@"]),
        "n": (pa.int64(), [0, 1, 2, 3]),
        "day": (pa.timestamp("us", f"{TEXT} zone"), [1, 2, 3, 4]),
        "deep": (deep, [{"w": ["a"]}, None, {"w": ["b"]}, {"w": [f"{TEXT} deep"]}]),
        "raw": (pa.opaque(pa.string(), TEXT, TEXT), ["a", None, "b", f"{TEXT} raw"]),
    }
    arrays = []
    for kind, values in fields.values():
        if isinstance(kind, pa.BaseExtensionType):
            arrays.append(pa.ExtensionArray.from_storage(kind, pa.array(values, kind.storage_type)))
        else:
            arrays.append(pa.array(values, kind))
    schema = pa.schema(
        [pa.field(name, kind, metadata=said) for name, (kind, _) in fields.items()],
        {"pandas": json.dumps({"columns": TEXT}), "site": TEXT},
    )
    sink = io.BytesIO()
    pq.write_table(
        pa.table(arrays, schema=schema),
        sink,
        compression="none",
        use_dictionary=["kind", "room"],
        write_page_index=True,
        sorting_columns=[pq.SortingColumn(0)],
    )
    # The fourth row, and it alone, holds bytes that are no text.
    content = sink.getvalue()
    assert content.count(b"@@") >= 1
    return content.replace(b"@@", b"\xff\xfe")


@pytest.mark.slow
def test_nothing_leaks_that_parquet_says_beside_its_rows(sinks, common, tmp_path):
    source, out = tmp_path / "in" / f"{FILE}.parquet", str(tmp_path / "out")
    source.parent.mkdir()
    source.write_bytes(parquet_with_canaries())
    stored = pq.ParquetFile(source).metadata.metadata[b"ARROW:schema"]
    assert TEXT.encode() in base64.b64decode(stored)
    roles = (*COLUMNS, "n=pass", "day=pass", "deep=pass", "raw=pass")
    asked = [word for one in roles for word in ("--column", one)]
    scrub = ["scrub", "--input", str(source), "--output", out, *common, *asked]
    codes = sinks.run(
        "parquet",
        [
            [*scrub, "--max-quarantined", "1", "--keep-candidates"],
            ["verify", "--output", out, "--originals"],
            ["inspect", "--output", out],
        ],
    )
    assert codes == [0, 0, 0]
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    assert manifest["errors"] == {"read: BadEncoding": 1}
    assert manifest["counts"]["rows_out"] == 3
    assert sinks.found(TEXT, ID) == []
    assert restricted(sinks.found(FILE)) == []
    (part,) = (tmp_path / "out/data").iterdir()
    table = pq.read_table(part)
    assert table.column("kind").to_pylist() == ["progress"] * 3
    assert table.column("deep").to_pylist() == [{"w": ["a"]}, None, {"w": ["b"]}]
    assert table.schema.field("deep").type.field("w").type.value_type == pa.dictionary(
        pa.int8(), pa.string()
    )


# -- every format

BY_NAME = tuple(name for name in TABLES if name not in EXPLICIT_ONLY and name != "conll")
"""Formats whose files, of the same two columns, can be scrubbed in one run."""

GROUPS = {"by name": BY_NAME} | {name: (name,) for name in TABLES if name not in BY_NAME}
NOTES_EACH = 3


def write_formats(folder, names):
    """Good and malformed files of some formats, with canaries in all that they hold.

    Returns:
        errors: to be expected, by class.
        fine: rows of the malformed files that are good.
    """
    errors = Counter()
    folder.mkdir(parents=True)
    for number, name in enumerate(names):
        # Where the name of the file is the id, it is in the restricted plan.
        what = FILE if FORMATS[name].traits.file_is_record or name == "text.gz" else ID
        rows = [(f"{what}-{number}-{n}.txt", phi(number * 100 + n)) for n in range(NOTES_EACH)]
        good, _ = make(name, f"{FILE}-{number}", rows)
        bad, codes = break_(name, TEXT, what)
        errors += codes
        for path, content in (good | bad).items():
            (folder / path.replace(ID, FILE)).write_bytes(content)
    return errors, errors.pop(None, 0)


@pytest.mark.slow
def test_nothing_leaks_whatever_the_format(sinks, common, tmp_path):
    expected, lines = {}, []
    for group, names in GROUPS.items():
        source, out = tmp_path / "in" / group / f"{FILE}-folder", str(tmp_path / "out" / group)
        expected[group] = write_formats(source, names)
        asked = ["--format", group] if group in EXPLICIT_ONLY else []
        lines += [
            [
                *("scrub", "--input", str(source), "--output", out, *common, *asked),
                *("--max-quarantined", "1", "--split-bytes", "5000"),
            ],
            ["verify", "--output", out, "--originals"],
            ["inspect", "--output", out],
        ]
    assert sinks.run("formats", lines) == [0] * len(lines)
    for group, (errors, fine) in expected.items():
        manifest = json.loads((tmp_path / "out" / group / "manifest.json").read_text())
        assert manifest["errors"] == {f"read: {code}": n for code, n in sorted(errors.items())}
        assert manifest["counts"]["rows_out"] == NOTES_EACH * len(GROUPS[group]) + fine
    assert sinks.found(TEXT, ID) == []
    assert restricted(sinks.found(FILE)) == []
    # The search itself works: data of each format is read.
    seen = [place for place, _ in sinks.found("EMAIL") if "/data/" in place]
    for group, names in GROUPS.items():
        for name in names:
            ending = FORMATS[name].suffixes[0]
            assert any(p.startswith(f"out/{group}/") and p.endswith(ending) for p in seen), name


def test_nothing_leaks_where_a_format_refuses_a_file(sinks, common, tmp_path):
    lines = []
    for name, make_file in REFUSED.items():
        ending, content = make_file(TEXT)
        path = tmp_path / "in" / name / f"{FILE}{ending}"
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
        line = ["scrub", "--input", str(path), "--output", str(tmp_path / "out"), *common]
        lines += [[*line, "--format", name], line]
    assert sinks.run("refused", lines) == [2] * len(lines)
    assert not (tmp_path / "out").exists()
    assert sinks.found(TEXT, ID, FILE) == []


@pytest.mark.slow
def test_nothing_leaks_from_a_run_with_a_roster_or_of_the_roster(sinks, common, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    kin = f"{TEXT}kin"
    rows = [("patient", "kind", "attribute", "value")]
    for number in range(6):
        rows.append((f"{ID}-p{number}", "self", "name", f"{TEXT}given {TEXT}family{number}x"))
        rows.append((f"{ID}-p{number}", "relative", "name", f"Zelda {kin}"))
    rows += [(f"{ID}-p5", "relative", "given", f"{TEXT}many{n}x") for n in range(300)]
    people = folder / "people.csv"
    people.write_text("".join(",".join(one) + "\n" for one in rows))
    notes = [
        row(n, f"{TEXT}given came, {kin.upper()} called", n="x") for n in (0, 1, 2, 3, 4, 5)
    ] + [
        row(7, "seen", patient_id=f"{ID}-p1", n=f"dr {kin}"),
        row(8, f"makes a detector raise {LEAK}", patient_id=f"{ID}-p1", n="x"),
    ]  # fmt: skip
    (folder / "notes.jsonl").write_text("\n".join(notes) + "\n")
    roster, out = str(tmp_path / "roster"), str(tmp_path / "out")
    key = common[:2]
    asked = ["scrub", "--input", str(folder / "notes.jsonl"), "--output", out, *common]
    asked += [*ALL_COLUMNS, "--roster", roster, "--workers", "1", "--keep-candidates"]
    build_it = ["roster", "build", "--input", str(people), *key, "--output", roster]
    resumed = ["resume", "--output", out, "--max-quarantined", "1", "--max-guard", "1"]
    seen = [str(tmp_path / "report.json"), str(tmp_path / "metrics.prom")]
    codes = sinks.run(
        "roster",
        [
            build_it,
            asked,
            [*resumed, "--report", seen[0], "--metrics-file", seen[1], "--log-level", "DEBUG"],
            ["verify", "--output", out, "--originals", "--roster", roster],
            ["inspect", "--output", out],
            ["inspect", "--output", out, "--quarantined"],
        ],
    )
    assert codes == [0, 3, 0, 0, 0, 0]
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    assert manifest["errors"] == {
        "guard: OwnName": 1,
        "match: OverBudget:roster": 1,
        "recognise: ValueError": 1,
    }
    assert sinks.found(TEXT, kin) == []
    assert restricted(sinks.found(ID)) == []
