"""The same notes in every format: one outcome, each in its own form."""

import json

import pytest
from scrubline import Scrubber
from scrubline.models.core.digests import Digest
from scrubline.models.formats import EXPLICIT_ONLY, FORMATS, Limits
from scrubline.models.formats.column_roles import Columns
from scrubline.models.jobs.output_rows import text_fields
from scrubline.models.storage.key_files import load_keys
from scrubline.pipeline.commands.inspect import read_rows
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.outputs import planning as plan

from ..makers import BROKEN, FILES, GZIPPED, MAKERS, TABLES, break_, make, slow_but

pytestmark = pytest.mark.slow

NOTES = [
    "Seen 3/4/2012 by phone. MRN: 1234567.",
    "",
    "No complaints.",
    "Line one\r\nSeen on March 4, 2012\r\nline three\r\n",
    "Old Mac\rSeen 3/4/2012\rend\r",
    "Unix\nCall 555-867-5309\n\n\n",
    "Emoji 🙂👩‍⚕️ and p7@clinic.example 🙂 é e\u0301",
    'She said "call 555-867-5309", then "no".',
    '"',
    "it's, a; list|of\tsigns, 3/4/2012",
    "\ttab at both ends\t",
    "  blanks at both ends  ",
    " ",
    "\n",
    "=1+1, +SUM(A1), -2, @x: 3/4/2012",
    "end ]]> of CDATA <![CDATA[ 3/4/2012 ]]> & &amp; &#13; <b>",
    '</TEXT></RECORD><RECORD ID="x"><TEXT>MRN: 7654321',
    "-DOCSTART-\tO\n\nDr.\tO\tSpaceAfter=No\n# doc_id = 7\n",
    "T1\tDATE 0 4\tSeen",
    '{"text": "Seen 3/4/2012", "n": [1e400, "\\ud83d"]}',
    "back\\slash \\n \\\\ \\u0041 C:\\new",
    "\ufeffmark at the beginning 3/4/2012",
    "line\u2028separator\u2029paragraph\x85next 3/4/2012",
    "path,text\r\na.txt,Seen 3/4/2012\r\n",
    "Seen 3/4/2012. MRN: 1234567; " * 400,
    "MRN:\u00a01234567 \u202e3/4/2012\u202c \U0001f9d1\u200d\U0001f52c",
]
ROWS = [(f"n{number:02d}.txt", text) for number, text in enumerate(NOTES)]
TAGS = ("<PHI", "start=", "B-DATE", "T1\tDATE 0 16")
"""How gold tags would show; one note has none of its own that look so."""


@pytest.fixture(scope="module")
def expected():
    scrubber = Scrubber(models=None)
    return [scrubber.scrub(text) for text in NOTES]


@pytest.fixture
def written(tmp_path):
    def write(files):
        for name, content in files.items():
            (tmp_path / "source").mkdir(exist_ok=True)
            (tmp_path / "source" / name).write_bytes(content)
        return str(tmp_path / "source")

    return write


@pytest.fixture
def scrub_as(run, storage, tmp_path):
    def scrub(name, source, **more):
        output = str(tmp_path / "out")
        asked = name if name in EXPLICIT_ONLY else None
        manifest = run(inputs=(source,), output=output, columns=None, format=asked, **more)
        faults, lines = verify(storage, output, originals=True, key_source=None)
        assert faults == []
        assert "leads to the published texts" in lines[-1]
        return manifest

    return scrub


def published(storage, name, folder):
    """(id, text) of each row of the data files, read as input of their format."""
    form, found = FORMATS[name], []
    for index, file in enumerate(storage.list_files([str(folder)])):
        columns = form.columns(storage, file)
        for locator in form.plan(storage, index, file, 1 << 30, Limits()):
            for chunk in form.read(storage, file, locator, columns, Limits()):
                assert not chunk.errors
                cells = [form.decode(column) for column in chunk.columns.columns]
                (key,) = {"doc_key", "path", "doc_id"} & set(columns)
                found += zip(cells[columns.index(key)], cells[columns.index("text")], strict=True)
    return found


def test_every_format_has_files_good_and_bad():
    inner = {name.removesuffix(".gz") if name in GZIPPED else name for name in TABLES}
    assert set(MAKERS) == set(BROKEN) == inner


@pytest.mark.parametrize("name", slow_but(TABLES, "csv", "parquet", "text"))
def test_the_same_notes_give_the_same_texts(
    name, scrub_as, written, storage, key_file, tmp_path, expected
):
    files, ids = make(name, "notes", ROWS)
    source = written(files)
    manifest = scrub_as(name, source, split_bytes=1000, batch_documents=7)
    assert manifest["counts"]["rows_out"] == manifest["counts"]["rows_in"] == len(NOTES)
    assert manifest["errors"] == {}
    keys = load_keys(key_file, storage.read_bytes)
    wanted = dict(zip(map(keys.doc_key, ids), expected, strict=True))
    suffix = FORMATS[name].suffixes[0]
    found = published(storage, name, tmp_path / "out/data")
    found = {key.rsplit("/")[-1].removesuffix(suffix): text for key, text in found}
    if FORMATS[name].name in ("zip", "tar", "tar.gz"):
        found = {key.removesuffix(".txt"): text for key, text in found.items()}
    assert found == wanted
    if name not in ("text.gz", "i2b2_2014"):  # whose names, which are ids, end otherwise
        assert ids == [one for one, _ in ROWS]
        digest = Digest()
        for (one, _), text in zip(ROWS, expected, strict=True):
            digest.add(text_fields(keys.doc_key(one), "text", text))
        assert manifest["text_digest"] == digest.hex()
    whole = b"".join(
        path.read_bytes() for path in (tmp_path / "out/data").rglob("*") if path.is_file()
    ).decode(errors="ignore")
    assert not [tag for tag in TAGS if tag in whole]
    if name == "brat":
        texts, marks = ({p.stem for p in (tmp_path / "out").rglob(e)} for e in ("*.txt", "*.ann"))
        assert texts == marks == set(wanted)


@pytest.mark.parametrize("name", slow_but(TABLES, "csv", "parquet", "jsonl"))
def test_what_is_malformed_is_quarantined_and_the_rest_is_not(
    name, scrub_as, written, storage, tmp_path
):
    good, _ = make(name, "good", ROWS[:4])
    bad, codes = break_(name, "told", "smith")
    fine = codes.pop(None, 0)
    manifest = scrub_as(name, written(good | bad), max_quarantined=1.0)
    assert manifest["errors"] == {f"read: {code}": count for code, count in sorted(codes.items())}
    assert manifest["counts"]["rows_out"] == 4 + fine
    rows = read_rows(storage, str(tmp_path / "out"), manifest, "quarantine")
    assert len(rows) == codes.total()
    assert len(published(storage, name, tmp_path / "out/data")) == 4 + fine


def test_every_format_reads_again_what_it_wrote(scrub_as, written, run, tmp_path):
    source = written(make("conll", "notes", ROWS)[0])
    scrub_as("conll", source)
    again = run(inputs=(str(tmp_path / "out/data"),), output=str(tmp_path / "again"), columns=None)
    assert again["counts"]["rows_out"] == len(NOTES)
    assert again["labels"] == {}


def test_how_many_files_are_handed_to_threads_at_once_does_not_show(written, storage, monkeypatch):
    source = written(make("brat", "", ROWS)[0])
    plans = []
    for at_once in (1, 3, 52, 53, 1024):
        monkeypatch.setattr(plan, "_ASKED_AT_ONCE", at_once)
        seen = plan.inspect_inputs(storage, [source], "brat")
        plans.append((seen, plan.split(storage, seen, 300, Limits(), "f")))
    assert plans == plans[:1] * len(plans)
    locators = [one.file for unit in plans[0][1] for one in unit.locators]
    assert [seen.files[file].path for file in locators] == [name for name, _ in ROWS]


def test_the_asked_format_is_part_of_what_was_done(scrub_as, written, run, tmp_path):
    """The same files as another format are other work, and both may lie in one output."""
    source = written(make("brat", "", ROWS[:3])[0])
    first = scrub_as("brat", source)
    (tmp_path / "source" / "n00.ann").unlink()
    texts = run(
        inputs=(f"{source}/*.txt",),
        output=str(tmp_path / "other"),
        columns=Columns.parse([("path", "id"), ("text", "text")]),
    )
    assert first["run"] != texts["run"]
    assert first["fingerprint"] != texts["fingerprint"]
    assert first["text_digest"] == texts["text_digest"]
    job = next((tmp_path / "out/restricted").glob("*/job.json"))
    assert json.loads(job.read_text())["format"] == "brat"
    assert set(FILES) >= {"brat", "text"}


@pytest.mark.parametrize("name", FILES)
def test_files_of_one_name_in_two_places(run, storage, tmp_path, name):
    """They share a unit and an id, and so at first the name of what is written."""
    places = []
    for year, text in (("2024", "Seen 3/4/2024, long ago."), ("2025", "Seen 5/6/2025.")):
        places.append(tmp_path / year)
        places[-1].mkdir()
        for path, content in make(name, "", [("n1.txt", text)])[0].items():
            (places[-1] / path).write_bytes(content)
    manifest = run(
        inputs=tuple(map(str, places)),
        columns=None,
        format=name if name in EXPLICIT_ONLY else None,
        recognisers=("date",),
    )
    assert manifest["report"]["repeated_ids"] == 1
    assert manifest["counts"]["rows_out"] == 2
    assert len({part["path"] for part in manifest["parts"]}) == len(manifest["parts"])
    faults, lines = verify(storage, str(tmp_path / "out"), originals=True, key_source=None)
    assert faults == []
    assert "leads to the published texts" in lines[-1]
