"""Golden files: what comes out of the demo corpus under a fixed key changes only on purpose.

`<case>.json` covers every note by digests, `<case>/notes.json` shows what became of a few. After a
deliberate change: `pytest tests/golden --update-golden`, review the difference, raise
`VERSION` in `models/core/version.py`, and say in the changelog that output changes.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from scrubline.models import native
from scrubline.models.core.keys import canonical_id
from scrubline.models.formats import FORMATS, format_of
from scrubline.models.formats.column_roles import Columns
from scrubline.models.storage.key_files import load_keys
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.commands.inspect import read_rows
from scrubline.pipeline.options import options_from, read_config
from scrubline.pipeline.run import scrub

from ..waiting import GUARD_SECONDS

HERE = Path(__file__).parent
DEMO = HERE.parent.parent / "demo"

CASES = {
    "demo_parquet_hipaa": {"inputs": (str(DEMO / "parquet"),)},
    "demo_parquet_research_rules": {
        "inputs": (str(DEMO / "parquet"),),
        "policy": "research",
        "models": (),
    },
    "demo_text_rules": {"inputs": (str(DEMO / "text"),), "models": (), "columns": None},
}

SHOWN = ("5100107", "5105044", "5106011", "5108003", "5116001", "5120001")
"""Notes that differ in kind: ambulance, letter, addendum, psychiatry, HL7, dictation."""

ROW = ("start", "end", "out_start", "out_end", "label", "action", "detectors")


def notes_of(output, manifest, keys):
    """Scrubbed text, line by line, and audit rows, by place, of each of the notes in `SHOWN`."""
    storage = Storage()
    files = {path.stem.rpartition("_")[2]: path.name for path in (DEMO / "text").glob("*.txt")}
    known = {keys.doc_key(canonical_id(i)): note for note in SHOWN for i in (note, files[note])}
    texts = {}
    for part in manifest["parts"]:
        if part["table"] == "data":
            form = FORMATS[format_of(part["path"])]
            (file,) = storage.list_files([f"{output}/{part['path']}"])
            columns = Columns.parse(manifest["runs"][part["run"]]["columns"])
            for row in form.part_rows(storage, file, columns):
                if row.doc_key in known:
                    (texts[known[row.doc_key]],) = row.texts.values()
    rows = {note: [] for note in SHOWN}
    for row in read_rows(storage, output, manifest, "audit", known):
        rows[known[row["doc_key"]]].append({name: row[name] for name in ROW})
    return {
        note: {
            "text": texts[note].splitlines(keepends=True),
            "audit": sorted(rows[note], key=lambda row: (row["start"], row["end"])),
        }
        for note in SHOWN
    }


def readable(notes):
    """JSON with one line of text, or one row of the audit, on each line."""

    def lines(values):
        return ",\n".join(f"   {json.dumps(value, ensure_ascii=False)}" for value in values)

    def note(shown):
        return ",\n".join(f'  "{name}": [\n{lines(values)}\n  ]' for name, values in shown.items())

    body = ",\n".join(f' "{name}": {{\n{note(shown)}\n }}' for name, shown in notes.items())
    return f"{{\n{body}\n}}\n"


@pytest.mark.parametrize("case", CASES)
def test_the_demo_corpus_comes_out_as_before(case, tmp_path, request):
    (tmp_path / "key.txt").write_text("scrubline-key-v1:" + "QUJD" * 10 + "QUI=\n")
    config = read_config((DEMO / "scrubline.toml").read_bytes())
    changes = CASES[case]
    if "columns" in changes:
        del config["column"]
    changes = {
        **changes,
        "output": str(tmp_path / "out"),
        "key_source": str(tmp_path / "key.txt"),
        "progress": False,
    }
    manifest = scrub(Storage(), options_from(config, changes))
    found = {name: manifest[name] for name in ("content_digest", "counts", "labels", "errors")}
    keys = load_keys(changes["key_source"], Storage().read_bytes)
    notes = notes_of(changes["output"], manifest, keys)
    golden, shown = HERE / f"{case}.json", HERE / case / "notes.json"
    if request.config.getoption("--update-golden"):
        golden.write_text(json.dumps(found, indent=1) + "\n")
        shown.parent.mkdir(exist_ok=True)
        shown.write_text(readable(notes), encoding="utf-8")
    # The notes first: their difference can be read.
    assert notes == json.loads(shown.read_text(encoding="utf-8"))
    assert found == json.loads(golden.read_text())


@pytest.mark.skipif(native.extension() is None, reason="the native extension is not built here")
@pytest.mark.slow
def test_without_the_extension_the_digest_is_the_same(tmp_path):
    """In a process of its own, for what is open in this one has the extension."""
    (tmp_path / "key.txt").write_text("scrubline-key-v1:" + "QUJD" * 10 + "QUI=\n")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "scrubline.pipeline.cli.main", "scrub", "--json"),
            *("--config", str(DEMO / "scrubline.toml"), "--input", str(DEMO / "parquet")),
            *("--output", str(tmp_path / "out"), "--key-file", str(tmp_path / "key.txt")),
        ],
        env={**os.environ, native.SWITCH: "0"},
        capture_output=True,
        text=True,
        timeout=GUARD_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    assert "is turned off by SCRUBLINE_NATIVE=0" in done.stderr
    expected = json.loads((HERE / "demo_parquet_hipaa.json").read_text())
    assert json.loads(done.stdout)["content_digest"] == expected["content_digest"]
