"""`ScrubText` in a pipeline that knows nothing else of Scrubline."""

import json
import logging
import os
import pickle
from pathlib import Path

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.testing.test_pipeline import TestPipeline
from apache_beam.testing.util import assert_that, equal_to
from apache_beam.transforms import window
from scrubline import Scrubber, UsageError, scrub_table
from scrubline.beam import DeadLetter, ScrubText
from scrubline.models.core.budgets import Budgets
from scrubline.transforms.scrub_text import _ScrubFn

from ..servers.engines import NotInstalled
from ..servers.prism import prism

ROOT = Path(__file__).parents[2]
CORPORA = Path(os.environ.get("SCRUBLINE_CORPORA", ROOT.parent / "shared/corpora"))
RAW = sorted(CORPORA.glob("*/raw.jsonl"))
MOST_RAW = int(os.environ.get("SCRUBLINE_RAW_NOTES", "150"))
"""About how many of the raw notes are scrubbed; all of them take minutes."""

RULES = Scrubber(models=None)
TIGHT = Scrubber(models=None, budgets=Budgets(tokens=30))
KEY = "scrubline-key-v1:" + "QUJD" * 10 + "QUI="
ROLES = {"note": "text", "n": "pass"}
RECORDS = [{"note": f"Seen {n}/4/2012 by Dr. Halvorsen", "n": n} for n in range(1, 10)]
BAD = [
    {"note": "word " * 40 + "Quuxworth", "n": -1},
    {"note": 7, "n": -2},
    {"x": "Quuxworth"},
    "Quux",
]
OPTIONS = PipelineOptions(["--runner=FnApiRunner"])


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("SCRUBLINE_KEY", KEY)


def letter(one):
    return (repr(one.element), one.stage, one.error, one.doc_key)


def test_dicts_come_out_scrubbed_or_as_dead_letters_and_nowhere_else():
    with TestPipeline(options=OPTIONS) as pipeline:
        found = pipeline | beam.Create([*RECORDS, *BAD]) | ScrubText(ROLES, scrubber=TIGHT)
        assert_that(
            found.scrubbed,
            equal_to([{"note": "Seen [DATE] by Dr. [DOCTOR]", "n": n} for n in range(1, 10)]),
            label="scrubbed",
        )
        assert_that(
            found.dead_letters | beam.Map(letter),
            equal_to(
                [
                    (repr(BAD[0]), "tokenize", "OverBudget:tokens", None),
                    (repr(BAD[1]), "read", "NotText", None),
                    (repr(BAD[2]), "read", "UndeclaredColumn", None),
                    (repr(BAD[3]), "read", "NotARecord", None),
                ]
            ),
            label="dead letters",
        )
        assert_that(
            found.audit | beam.Map(lambda row: row["label"]),
            equal_to(["DATE", "DOCTOR"] * 9),
            label="audit",
        )


def test_texts_in_markup_are_read_as_in_a_run():
    notes = [{"note": "<p>Seen 3/<b>4</b>/2012</p>", "n": 1}, {"note": r"{\rtf1 {x", "n": 2}]
    with TestPipeline(options=OPTIONS) as pipeline:
        found = pipeline | beam.Create(notes) | ScrubText(ROLES, scrubber=TIGHT)
        out = [{"note": "<p>Seen [DATE]<b></b></p>", "n": 1}]
        assert_that(found.scrubbed, equal_to(out), label="scrubbed")
        errors = found.dead_letters | beam.Map(lambda one: one.error)
        assert_that(errors, equal_to(["UnmappedMarkup"]), label="dead letters")


def test_rows_stay_rows_with_keys_in_place_of_ids():
    with TestPipeline(options=OPTIONS) as pipeline:
        found = (
            pipeline
            | beam.Create(RECORDS)
            | beam.Map(lambda r: beam.Row(note=str(r["note"]), n=int(r["n"])))
            | ScrubText({"note": "text", "n": "id"}, scrubber=RULES)
        )
        assert_that(
            found.scrubbed
            | beam.Map(lambda row: (row.note, len(row.doc_key), sorted(row._asdict()))),
            equal_to([("Seen [DATE] by Dr. [DOCTOR]", 32, ["doc_key", "note"])] * 9),
        )


@pytest.mark.parametrize("kind", [pa.Table, pa.RecordBatch])
def test_tables_stay_tables_and_only_their_bad_rows_are_dead_letters(kind):
    table = pa.table({"note": ["Seen 3/4/2012", "x"], "id": [1, None]})
    element = table if kind is pa.Table else table.to_batches()[0]
    other = pa.table({"other": ["Quuxworth"]})
    with TestPipeline(options=OPTIONS) as pipeline:
        found = (
            pipeline
            | beam.Create([element, other])
            | ScrubText({"note": "text", "id": "id"}, scrubber=RULES)
        )
        assert_that(
            found.scrubbed | beam.Map(lambda t: (type(t).__name__, t.column("note").to_pylist())),
            equal_to([(kind.__name__, ["Seen [DATE]"])]),
            label="scrubbed",
        )
        assert_that(
            found.dead_letters | beam.Map(lambda d: (d.element.to_pylist(), d.error)),
            equal_to(
                [
                    ([{"note": "x", "id": None}], "MissingId"),
                    ([{"other": "Quuxworth"}], "UsageError"),
                ]
            ),
            label="dead letters",
        )
        assert_that(found.audit | beam.Map(len), equal_to([1]), label="audit")


def test_windows_and_times_stay():
    def told(record, at=beam.DoFn.TimestampParam, own=beam.DoFn.WindowParam):
        return (record["n"], float(at), float(own.start))

    with TestPipeline(options=OPTIONS) as pipeline:
        found = (
            pipeline
            | beam.Create(RECORDS)
            | beam.Map(lambda r: window.TimestampedValue(r, r["n"]))
            | beam.WindowInto(window.FixedWindows(4))
            | ScrubText(ROLES, scrubber=RULES, batch_records=2)
        )
        assert_that(
            found.scrubbed | beam.Map(told) | "All" >> beam.WindowInto(window.GlobalWindows()),
            equal_to([(n, float(n), float(n // 4 * 4)) for n in range(1, 10)]),
        )


def test_what_it_did_is_counted():
    pipeline = TestPipeline(options=OPTIONS)
    _ = pipeline | beam.Create([*RECORDS, *BAD]) | ScrubText(ROLES, scrubber=TIGHT, batch_records=4)
    result = pipeline.run()
    result.wait_until_finish()
    found = result.metrics().query(beam.metrics.MetricsFilter().with_namespace("ScrubText"))
    counters = {one.key.metric.name: one.committed for one in found["counters"]}
    assert counters == {"documents": 13, "documents_failed": 4, "spans_found": 18}
    distributions = {one.key.metric.name: one.committed for one in found["distributions"]}
    assert distributions["batch_records"].sum == 12
    assert distributions["batch_records"].max <= 4
    assert distributions["batch_ms"].count == distributions["batch_records"].count


@pytest.mark.usefixtures("rules_raise_on_quuxworth")
def test_a_document_that_raises_is_told_without_its_text(caplog, capfd):
    bad = {"note": "Zebulon Quuxworth", "n": 0}
    with caplog.at_level(logging.DEBUG), TestPipeline(options=OPTIONS) as pipeline:
        found = (
            pipeline
            | beam.Create([RECORDS[0], bad, RECORDS[1]])
            | ScrubText(ROLES, scrubber=RULES, keep_elements=False)
        )
        assert_that(
            found.dead_letters,
            equal_to([DeadLetter(None, "recognise", "ValueError")]),
            label="dead letters",
        )
        assert_that(found.scrubbed | beam.Map(lambda r: r["n"]), equal_to([1, 2]), label="scrubbed")
    for said in (caplog.text, *capfd.readouterr(), repr(DeadLetter(bad, "x", "y"))):
        assert "Quuxworth" not in said


def test_what_travels_is_names_hashes_and_no_key():
    transform = ScrubText({"id": "id", "note": "text"}, scrubber=RULES)
    travels = pickle.dumps(transform._fn)
    assert b"QUJD" not in travels and b"scrubline-key" not in travels
    assert len(travels) < 12_000


def test_what_cannot_be_used_is_refused_while_the_pipeline_is_built(monkeypatch):
    for roles in ({"note": "pass"}, {"note": "texts"}):
        with pytest.raises(UsageError):
            ScrubText(roles, scrubber=RULES)
    with pytest.raises(UsageError, match="at least 1"):
        ScrubText(ROLES, scrubber=RULES, batch_records=0)
    monkeypatch.delenv("SCRUBLINE_KEY")
    with pytest.raises(UsageError, match="no master key"):
        ScrubText({"id": "id", "note": "text"}, scrubber=RULES)


def test_a_worker_with_another_key_or_rule_is_refused(monkeypatch):
    fn = pickle.loads(pickle.dumps(ScrubText({"id": "id", "note": "text"}, scrubber=RULES)._fn))
    monkeypatch.setenv("SCRUBLINE_KEY", "scrubline-key-v1:" + "QUJE" * 10 + "QUI=")
    with pytest.raises(UsageError, match="the master key here has the check value"):
        fn.setup()
    assert isinstance(fn, _ScrubFn)


def corpora():
    """The demo corpus, and raw notes where they are: texts by the file that they are in."""
    yield "demo", pq.read_table(ROOT / "demo/parquet").select(["note_id", "note_text"]).to_pylist()
    lines = [line for file in RAW for line in file.read_text(encoding="utf-8").splitlines()]
    if lines:
        step = max(1, len(lines) // MOST_RAW)
        notes = [json.loads(line)["text"] for line in lines[::step]]
        yield "raw", [{"note_id": str(at), "note_text": text} for at, text in enumerate(notes)]


@pytest.fixture(scope="module", params=["demo", "raw"])
def written(request, tmp_path_factory):
    """Records of a corpus, its key file, and the texts that `scrubline scrub` makes of it."""
    from scrubline.models.storage.storage import Storage
    from scrubline.pipeline.options import options_from
    from scrubline.pipeline.run import scrub

    notes = dict(corpora()).get(request.param)
    if notes is None:
        pytest.skip("the raw notes are not there")
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "in").mkdir()
    pq.write_table(pa.Table.from_pylist(notes), folder / "in/notes.parquet")
    (folder / "key").write_text(KEY + "\n")
    said = {
        "inputs": (str(folder / "in"),),
        "output": str(folder / "out"),
        "key_source": str(folder / "key"),
        "progress": False,
        "columns": (("note_id", "id"), ("note_text", "text")),
        "max_quarantined": 1.0,
    }
    scrub(Storage(), options_from({}, said))
    rows = pq.read_table(folder / "out/data").to_pylist()
    return notes, str(folder / "key"), {row["doc_key"]: row["note_text"] for row in rows}


def assert_same(written, options):
    notes, key, texts = written
    with TestPipeline(options=options) as pipeline:
        found = (
            pipeline
            | beam.Create(notes)
            | beam.Reshuffle()
            | ScrubText({"note_id": "id", "note_text": "text"}, key=key)
        )
        assert_that(
            found.scrubbed | beam.Map(lambda r: (r["doc_key"], r["note_text"])),
            equal_to(list(texts.items())),
            label="texts",
        )
        assert_that(found.dead_letters, equal_to([]), label="no dead letters")


@pytest.mark.slow
def test_texts_are_those_of_the_command_on_the_direct_runner(written):
    assert_same(written, OPTIONS)


@pytest.mark.engines
def test_texts_are_those_of_the_command_on_prism(written, tmp_path):
    try:
        with prism(tmp_path) as options:
            assert_same(
                written,
                PipelineOptions(
                    ["--runner=PortableRunner", "--environment_type=LOOPBACK", *options]
                ),
            )
    except NotInstalled as error:
        pytest.skip(str(error))


def test_surrogates_and_shifted_dates_are_those_of_the_table():
    roles = {"id": "id", "who": "patient", "note": "text"}
    records = [
        {"id": n, "who": n % 3, "note": f"Seen 3/{n}/2012 by Dr. Smith"} for n in range(1, 8)
    ]
    expert = Scrubber(models=None, policy="expert")
    expected = scrub_table(pa.Table.from_pylist(records), roles, scrubber=expert).table.to_pylist()
    with TestPipeline(options=OPTIONS) as pipeline:
        transform = ScrubText(roles, scrubber=expert, batch_records=2)
        found = pipeline | beam.Create(records) | transform
        notes = found.scrubbed | beam.Map(lambda one: (one["doc_key"], one["note"]))
        assert_that(notes, equal_to([(row["doc_key"], row["note"]) for row in expected]))
    assert len({row["note"].split()[-1] for row in expected}) == 3
    with pytest.raises(UsageError, match="no column has role patient"):
        ScrubText({"id": "id", "note": "text"}, scrubber=expert)
