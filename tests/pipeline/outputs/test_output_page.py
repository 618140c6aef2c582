"""`report.html`: what it says, what it never says, and that no publication depends on it."""

import collections
import dataclasses
import html.parser
import json
import os
import re
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from scrubline.models.core.errors import OutputBusy, RunFailed, StorageError, UsageError
from scrubline.models.jobs.audit import EARLIER
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.commands import report as command
from scrubline.pipeline.commands.report import report
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.outputs import output_page, publishing
from scrubline.pipeline.outputs.manifest import days_of_runs, read_manifest
from scrubline.pipeline.outputs.output_page import GENERATOR, make_page, page
from scrubline.pipeline.outputs.removal_counts import RemovalCounts, count_removals
from scrubline.pipeline.outputs.state import lock_file
from scrubline.pipeline.run import resume

from ..conftest import note

RULES = ("date", "medical_record", "phone", "email", "url", "zip_code")


class Tables(html.parser.HTMLParser):
    """The rows of the tables of a page, by the heading above them; checks that tags are closed."""

    def __init__(self, content):
        super().__init__()
        self.rows, self.cards, self.open, self.at = collections.defaultdict(list), [], [], ""
        self.feed(content.decode())
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "br"):
            self.open.append(tag)
        if tag == "tr":
            self.rows[self.at].append([])
        elif tag in ("td", "th"):
            self.rows[self.at][-1].append("")
        elif tag == "b":
            self.cards.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] == ["h2"]:
            self.at = data
        elif self.open[-1:] == ["b"]:
            self.cards[-1] += data
        elif self.open[-1:] in (["td"], ["th"]):
            self.rows[self.at][-1][-1] += data


@pytest.fixture
def run(run):
    """The same with a few rules."""
    return lambda **changes: run(**({"recognisers": RULES} | changes))


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


def manifest_of(**changes):
    """A manifest by hand."""
    return {
        "run": "0123456789abcdef",
        "code_version": "9.9",
        "models": {"en-x": "aa"},
        "recognisers": {"date": "bb"},
        "fingerprint": "ffff",
        "key_check": "cccc",
        "policy": {"name": "mine", "hash": "dddd", "kept": ["AGE"]},
        "content_digest": "eeee",
        "counts": {"rows_in": 40, "rows_out": 30, "rows_quarantined": 10, "spans": 100},
        "labels": {},
        "errors": {"read: BadEncoding": 7, "read: NotText": 2, "scrub: OverBudget": 1},
        "report": {
            "started": "2026-11-27T03:04:05+00:00",
            "days": {"r1": "2026-11-25", "r2": "2026-11-26", "r3": "2026-11-26"},
            "seconds": 12.3,
            "metrics": {
                "Read": {"batch_ms_sum": 1000, "documents": 40},
                "X": {"batch_ms_sum": 3000},
            },
        },
        "parts": [{"table": "data", "path": "data/x", "bytes": 1234, "sha256": "", "run": "r1"}],
    } | changes


COUNTS = RemovalCounts(
    collections.Counter(
        {
            ("r1", "DATE", "redact"): 50,
            ("r2", "DATE", "redact"): 30,
            ("r2", "DATE", "keep"): 6,
            ("r3", "AGE", "keep"): 8,
            ("r3", "SSN", "redact"): 2,
            ("r3", "URL", "redact"): 4,
        }
    ),
    collections.Counter({"r1": 20, "r2": 8, "r3": 2}),
    collections.Counter({"DATE": 30, "AGE": 8, "SSN": 2, "URL": 3}),
    {"progress": (20, 1000, 80), "discharge": (8, 500, 16), "odd <i>": (2, 90, 4)},
)


def test_page_by_hand():
    found = Tables(page(manifest_of(), COUNTS))
    assert found.cards == ["85", "15", "30", "10"]
    assert found.rows["By label"] == [
        ["label", "action", "spans", ""],
        ["DATE", "redact", "80", ""],
        ["DATE", "keep", "5", ""],
        ["AGE", "keep", "10", ""],
        ["2 small groups", "", "5", ""],
    ]
    assert found.rows["By type of note"] == [
        ["type", "texts", "spans", "in 1,000 characters", ""],
        ["progress", "20", "80", "80.0", ""],
        ["discharge", "10", "15", "30.0", ""],
        ["1 other type", "fewer than 5", "fewer than 5", "", ""],
    ]
    assert found.rows["By day of the run"] == [
        ["day, UTC", "runs", "texts", "spans removed", ""],
        ["2026-11-26", "2", "10", "35", ""],
        ["2026-11-25", "1", "20", "50", ""],
    ]
    assert [row[:3] for row in found.rows["Quarantine"][1:]] == [
        ["read", "BadEncoding", "5"],
        ["", "all other classes", "fewer than 5"],
    ]
    assert [row[:3] for row in found.rows["What the last run cost"][1:]] == [
        ["Read", "1.0", "25%"],
        ["X", "3.0", "75%"],
    ]
    assert ["model en-x", "aa"] in found.rows["Policy, models and versions"]
    assert ["kept whatever the text", "AGE"] in found.rows["Policy, models and versions"]
    assert found.rows["Files"] == [["table", "files", "bytes"], ["data", "1", "1,234"]]


def test_bars_and_shares_are_of_what_is_shown():
    """None of them tells a count more exactly than the page says it."""

    def pages(quarantined, found):
        counts = {"rows_in": 1000, "rows_out": 1000 - quarantined, "rows_quarantined": quarantined}
        removed = RemovalCounts(
            collections.Counter({("r1", "DATE", "redact"): 503, ("r1", "AGE", "redact"): found}),
            collections.Counter({"r1": 997}),
            collections.Counter({"DATE": 400, "AGE": found}),
        )
        return page(manifest_of(counts=counts, errors={"read: NotText": quarantined}), removed)

    assert pages(1, 2) == pages(2, 3) and pages(1, 13) == pages(2, 14)


def test_page_needs_nothing_from_elsewhere():
    content = page(manifest_of(), COUNTS).decode()
    assert "default-src 'none'" in content and f'content="{GENERATOR}"' in content
    assert not re.search(r"<(script|img|link|iframe|object|form)\b|\bsrc=|url\(", content)
    assert "http" not in content.replace("http-equiv", "")


def test_hostile_values_are_text():
    bad = '"><script>alert(1)</script>`<b>`&\x00\ud800'
    counts = RemovalCounts(
        collections.Counter({("r", bad, bad): 9}),
        collections.Counter({"r": 9}),
        collections.Counter({bad: 9}),
        {bad: (9, 9, 9), None: (9, 9, 9), "": (9, 9, 9)},
    )
    report_ = {
        "started": bad,
        "days": {"r": bad},
        "runner": bad,
        "metrics": {bad: {"batch_ms_sum": 9}},
    }
    manifest = manifest_of(
        run=bad,
        code_version=bad,
        models={bad: bad},
        errors={bad: 9},
        report=report_,
        policy={"name": bad, "hash": bad, "kept": [bad], "note_types": {bad: {"kept": [bad]}}},
        parts=[{"table": bad, "path": bad, "bytes": 1, "sha256": bad, "run": bad}],
    )
    content = page(manifest, counts)
    Tables(content)
    assert "<script" not in content.decode() and "<b>`" not in content.decode()


@pytest.mark.parametrize(
    "report_", [{}, {"days": "x", "metrics": None}, {"days": {}, "metrics": {}}]
)
def test_what_an_earlier_version_did_not_say_is_missing_on_the_page(report_):
    manifest = manifest_of(report=report_, policy={"hash": "dddd"}, counts={"rows_in": 0})
    for name in ("models", "recognisers", "code_version", "key_check", "fingerprint"):
        del manifest[name]
    found = Tables(page(manifest, COUNTS))
    assert found.rows["By day of the run"][1:] == [["not told", "3", "30", "85", ""]]
    Tables(page(manifest, RemovalCounts()))


def test_many_days_share_a_line():
    runs = [f"r{n}" for n in range(100)]
    days = {run: f"2026-{n // 28 + 1:02}-{n % 28 + 1:02}" for n, run in enumerate(runs)}
    counts = RemovalCounts(
        collections.Counter({(run, "DATE", "redact"): 10 for run in runs}),
        collections.Counter({run: 10 for run in runs}),
    )
    rows = Tables(page(manifest_of(report={"days": days}), counts)).rows["By day of the run"]
    assert len(rows) == 62 and rows[1][0] == "2026-04-16"
    assert rows[-1] == ["40 earlier days", "40", "400", "400", ""]


def test_a_run_publishes_its_page(run, storage, options, out):
    manifest = run()
    content = (out / "report.html").read_bytes()
    assert content == make_page(storage, options.output, read_manifest(storage, options.output))
    modes = {oct(os.stat(out / name).st_mode) for name in ("report.html", "manifest.json")}
    assert len(modes) == 1
    counts = count_removals(storage, options.output, manifest)
    by_label = collections.Counter()
    for (run_id, label, _), spans in counts.spans.items():
        assert run_id == manifest["run"]
        by_label[label] += spans
    assert by_label == manifest["labels"]
    assert counts.texts.total() == (
        manifest["counts"]["documents"] - manifest["counts"]["documents_null"]
    )
    (types,) = counts.types.items()
    assert types[0] is None and types[1][1] == manifest["counts"]["characters"]
    (out / "report.html").unlink()
    assert report(storage, options.output) == f"{options.output}/report.html"
    assert (out / "report.html").read_bytes() == content


def test_the_page_tells_types_where_the_policy_does(run, out, tmp_path):
    policy = tmp_path / "policy.toml"
    policy.write_text('name = "mine"\ndefault = "redact"\n[documents]\nnote_type = true\n')
    run(policy=str(policy))
    rows = Tables((out / "report.html").read_bytes()).rows["By type of note"]
    assert [row[0] for row in rows[:3]] == ["type", "progress", "label"]


def test_two_nights_are_on_one_page(run, storage, options, out, tmp_path):
    first = run(incremental=True)
    day = {first["run"]: "2020-01-02"}
    place = out / "manifest.json"
    manifest = json.loads(place.read_bytes())
    manifest["report"]["days"] = day
    place.write_text(json.dumps(manifest, indent=1))
    rows = [json.dumps(note(n)) for n in range(100, 130)]
    (tmp_path / "in" / "later.jsonl").write_text("\n".join(rows) + "\n")
    second = run(incremental=True, reseal=True)
    assert second["report"]["days"] == day | {second["run"]: second["report"]["started"][:10]}
    rows = Tables((out / "report.html").read_bytes()).rows["By day of the run"]
    assert [row[0] for row in rows[1:]] == [second["report"]["started"][:10], "2020-01-02"]


def test_days_of_a_damaged_manifest_are_left_out(run, storage, options, out):
    run()
    job = output_of(storage, options)
    for content in (
        "",
        "[]",
        "{}",
        '{"report": [], "run": 3}',
        '{"run": "x", "report": {"days": 3}}',
    ):
        (out / "manifest.json").write_text(content)
        job_, catalogue = job
        assert days_of_runs(storage, job_, catalogue, {}) == {}


def output_of(storage, options):
    from scrubline.pipeline.outputs.catalogue import Catalogue
    from scrubline.pipeline.outputs.planning import read_job

    run_id = read_manifest(storage, options.output)["run"]
    return read_job(storage, options.output, run_id), Catalogue.read(storage, options.output)


def test_a_page_that_cannot_be_written_takes_nothing_back(
    run, storage, options, out, monkeypatch, caplog
):
    def fail(*_):
        raise StorageError("no room")

    with monkeypatch.context() as patch:
        patch.setattr(output_page, "count_removals", fail)
        assert run()["counts"]["rows_out"] == 60
    assert "the run is published, but its page report.html could not be written (no room)" in (
        caplog.text
    )
    assert (out / "_SUCCESS").exists() and not (out / "_staging").exists()
    assert not (out / "report.html").exists()
    faults, lines = verify(storage, options.output, originals=True, key_source=None)
    assert faults == [] and "report.html is not here: `scrubline report` makes it" in lines
    report(storage, options.output)
    assert verify(storage, options.output, originals=True, key_source=None)[0] == []


def test_a_foreign_error_is_told_by_its_class(run, monkeypatch, caplog):
    def fail(*_):
        raise KeyError("Mr Abernathy")

    monkeypatch.setattr(output_page, "make_page", fail)
    run()
    assert "could not be written (KeyError)" in caplog.text and "Abernathy" not in caplog.text


def test_a_run_stopped_before_its_page_makes_it_when_it_is_resumed(
    run, storage, options, out, monkeypatch
):
    def stop(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(publishing, "write_page_or_warn", stop)
        with pytest.raises(KeyboardInterrupt):
            run()
    assert (out / "_SUCCESS").exists() and not (out / "report.html").exists()
    assert "nothing_to_do" in resume(storage, dataclasses.replace(options, recognisers=RULES))
    assert (out / "report.html").exists() and not (out / "_staging").exists()


@pytest.mark.parametrize("what", ["folder", "link", "dangling"])
def test_what_stands_in_its_place_does_no_harm(run, storage, options, out, tmp_path, what, caplog):
    out.mkdir()
    aim = tmp_path / "elsewhere"
    if what == "folder":
        (out / "report.html").mkdir()
    else:
        if what == "link":
            aim.write_text("mine")
        (out / "report.html").symlink_to(aim)
    run()
    assert (out / "_SUCCESS").exists()
    if what == "folder":
        assert "report.html could not be written" in caplog.text
        assert verify(storage, options.output, originals=False, key_source=None)[0]
    else:
        assert not (out / "report.html").is_symlink()
        assert aim.read_text() == "mine" if what == "link" else not aim.exists()


def test_verify_makes_it_again(run, storage, options, out):
    run()
    place = out / "report.html"
    content = place.read_bytes()

    def told():
        return verify(storage, options.output, originals=False, key_source=options.key_source)

    assert told()[0] == []
    place.write_bytes(content.replace(b"spans removed", b"spans <script>"))
    assert [fault[:11] for fault in told()[0]] == ["report.html"]
    place.write_bytes(content.replace(GENERATOR.encode(), b"scrubline 0.0.1"))
    [fault] = told()[0]
    assert "another version made it" in fault and "scrubline report" in fault
    report(storage, str(out))
    assert told()[0] == []


def test_report_waits_for_nobody(run, storage, options, out, monkeypatch):
    with pytest.raises(UsageError, match="no such output"):
        report(storage, str(out))
    run()
    content = (out / "report.html").read_bytes()
    (out / "report.html").unlink()
    with Storage().locked(lock_file(options.output)), pytest.raises(OutputBusy):
        report(storage, options.output)
    assert not (out / "report.html").exists()

    def meanwhile(*_):
        (out / "manifest.json").write_bytes((out / "manifest.json").read_bytes() + b"\n")
        return content

    monkeypatch.setattr(command, "make_page", meanwhile)
    with pytest.raises(RunFailed, match="a run published while"):
        report(storage, options.output)
    assert not (out / "report.html").exists()


def test_report_by_the_command_line(scrubline, run, options, out, monkeypatch, capfdbinary):
    run()
    capfdbinary.readouterr()  # what the run logged is not the command's
    for words in (("report", out), ("report", "--output", f"{out}/")):
        code, told, err = scrubline(*words)
        assert (code, told, err) == (0, "report.html is written, at the root of the output\n", "")
    monkeypatch.setattr("scrubline.pipeline.commands.report.is_terminal", lambda stream: True)
    assert scrubline("report", out)[1] == f"{out}/report.html\n"
    assert scrubline("report")[0] == 2
    part = next((out / "audit").rglob("*.parquet"))
    part.write_bytes(part.read_bytes()[:100])
    code, told, err = scrubline("report", out)
    assert (code, told) == (1, "") and "a part of audit is damaged" in err
    (out / "_SUCCESS").unlink()
    assert scrubline("report", out)[0] == 2


def test_tables_of_earlier_versions_are_counted(run, storage, options, out):
    manifest = run()
    before = count_removals(storage, options.output, manifest)
    for name, earlier in EARLIER.items():
        for schema in reversed(earlier):
            for place in (out / name).rglob("*.parquet"):
                pq.write_table(pq.ParquetFile(place).read().select(schema.names), place)
            assert count_removals(storage, options.output, manifest) == before


def test_nothing_of_texts_ids_and_names_is_on_the_page(run, options, out, tmp_path):
    canary = "Quuxford"
    folder = tmp_path / f"{canary}folder"
    folder.mkdir()
    rows = [
        note(n)
        | {"note_id": f"{canary}{n}", "patient_id": f"{canary}p{n}", "kind": f"{canary} kind {n}"}
        | {"text": f"{canary} on 3/4/2019, https://{canary.lower()}{n}.example"}
        for n in range(30)
    ]
    lines = [json.dumps(row) for row in rows] + [f'{{"note_id": "{canary}', f"{canary}"]
    (folder / f"{canary}file.jsonl").write_text("\n".join(lines) + "\n")
    policy = tmp_path / "policy.toml"
    policy.write_text('name = "mine"\ndefault = "redact"\n[documents]\nnote_type = true\n')
    run(inputs=(str(folder),), policy=str(policy))
    content = (out / "report.html").read_text()
    assert canary.lower() not in content.lower()
    assert "30 other types" in content


def test_any_store_takes_the_page(run, storage, options, out):
    run()
    place = "memory://pages/out"
    for path in out.rglob("*"):
        if path.is_file() and path.name != "LOCK":
            storage.write_bytes(f"{place}/{path.relative_to(out)}", path.read_bytes())
    storage.delete(f"{place}/report.html")
    assert report(storage, place) == f"{place}/report.html"
    assert storage.read_bytes(f"{place}/report.html") == (out / "report.html").read_bytes()


def test_parts_outside_of_their_table_are_not_read(run, storage, options, out):
    manifest = run()
    shutil.copy(next((out / "audit").rglob("*.parquet")), Path(out).parent / "x.parquet")
    parts = [{**part, "path": "../x.parquet"} for part in manifest["parts"]]
    assert count_removals(storage, options.output, {"parts": parts}) == RemovalCounts()
