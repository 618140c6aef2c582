"""What `report.html` draws of the history, and its first screen."""

import dataclasses
import html.parser
import re

import pyarrow as pa
import pytest
from scrubline.models.pages.groups import rounded
from scrubline.models.risk.statement import Statement
from scrubline.pipeline.commands.report import report
from scrubline.pipeline.outputs.history_rows import SCHEMA, night_rows
from scrubline.pipeline.outputs.output_page import page
from scrubline.pipeline.outputs.page_nights import Nights
from scrubline.pipeline.outputs.risk_sentence import NOT_MEASURED, risk_sentence

from benchmarks.history import night

from .test_output_page import COUNTS, Tables, manifest_of


class Plots(html.parser.HTMLParser):
    """The figures of a page: tags and words of each."""

    def __init__(self, content):
        super().__init__()
        self.figures, self.inside = [], False
        self.feed(content.decode())

    def handle_starttag(self, tag, attrs):
        if tag == "figure":
            self.inside = True
            self.figures.append([])
        if self.inside:
            self.figures[-1].append(tag)

    def handle_endtag(self, tag):
        if tag == "figure":
            self.inside = False


def nights_of(count, types=("progress", "discharge"), change=lambda row: row):
    rows = [change(row) for n in range(count) for row in night_rows(*night(n, types))]
    return Nights(pa.Table.from_pylist(rows, SCHEMA))


def test_every_plot_has_a_title_a_description_and_its_numbers():
    content = page(manifest_of(), COUNTS, nights_of(40))
    Tables(content)  # all tags are closed
    figures = Plots(content).figures
    assert len(figures) == 2 + 3 + 3 + 1 + 1
    for tags in figures:
        assert tags[:5] == ["figure", "figcaption", "svg", "title", "desc"]
        assert {"details", "summary", "table"} <= set(tags)
    said = content.decode()
    assert not re.search(
        r"<(script|img|link|iframe|object|form)\b|\bsrc=|url\(|http(?!-equiv)", said
    )
    assert not re.search(r' (fill|stroke)="', said), "colours are classes"
    assert page(manifest_of(), COUNTS, nights_of(40)) == content


def test_nights_are_told_in_numbers():
    def odd(row):
        if row["published"].day == 31 and row["label"] is None and row["note_type"] is None:
            return row | {"spans": 9 * row["spans"], "fingerprint": "f" * 64}
        return row

    rows = Tables(page(manifest_of(), COUNTS, nights_of(31, change=odd))).rows["Night by night"]
    heads = [at for at, row in enumerate(rows) if row[0] == "day, UTC"]
    assert len(heads) == 3
    first = rows[heads[0] + 1]
    assert first[0] == "2024-01-31" and first[3] == "outside" and " to " in first[2]
    assert rows[heads[1] - 1][2:] == ["", ""], "the first night has no band"
    assert all(int(row[1].replace(",", "")) % 5 == 0 for row in rows[heads[1] + 1 : heads[2]])


def test_few_of_something_have_no_value():
    def few(row):
        return row | {"documents": min(row["documents"], 4), "spans": 3, "kept": 0}

    found = Tables(page(manifest_of(), COUNTS, nights_of(1, change=few)))
    values = {row[1] for row in found.rows["Night by night"] if row[0].startswith("2024")}
    assert "too few" in values
    assert [row for row in found.rows["By type of note"] if row[0] == "label"] == []


def test_counts_that_round_alike_give_one_page():
    """Plots and numbers too tell no count more exactly than by fives."""

    counts = ("documents", "spans", "fragments", "by_rules", "by_taggers", "by_both", "rows")

    def changed(move):
        def change(row):
            found = {name: move(row[name]) for name in counts if row[name] is not None}
            return row | found | {"kept": 0, "quarantined": [("read: BadEncoding", move(12))]}

        return change

    def low(count):
        return max(rounded(count), 10) - 2

    def high(count):
        return max(rounded(count), 10) + 2

    pages = [
        page(manifest_of(), COUNTS, nights_of(1, (None,), changed(move))) for move in (low, high)
    ]
    # What neither rules nor models found is what is over, and rounded by itself.
    assert pages[0].split(b'id="detectors"')[0] == pages[1].split(b'id="detectors"')[0]


def test_who_found_it_is_said_to_be_no_estimate():
    content = page(manifest_of(), COUNTS, nights_of(3))
    assert "This is no estimate of what is left" in content.decode()
    rows = Tables(content).rows["Found by rules, by models, by both"]
    assert rows[0] == ["label", "rules alone", "models alone", "both"] and len(rows) == 16
    none = page(manifest_of(), COUNTS)
    assert "begins with the next run" in none.decode() and "<svg" not in none.decode()


def test_risk_is_not_measured_until_it_is():
    assert NOT_MEASURED in page(manifest_of(), COUNTS).decode().replace("&#x27;", "'")
    made = dict(of="direct", type=None, unit="document", method="x", k=2, n=393, corrected=0.955)
    statement = Statement(bound=0.0196, alpha=0.05, **made)
    said = risk_sentence(statement, "2026-11-20")
    assert said == (
        "Risk of what was left: at most 2.0% of documents hold a direct identifier "
        "(95% confidence; 393 read, carried from 2026-11-20)."
    )
    row = {**dataclasses.asdict(statement), "bound_of_run": 0.0196, "limit": "x", "outside": 0}
    told = {"statements": [row], "begun": "2026-11-20", "how": "carried"}
    manifest = manifest_of()
    manifest["report"] = {**manifest.get("report", {}), "risk": told}
    content = page(manifest, COUNTS).decode()
    assert said.partition(": ")[2] in content
    assert "393 read" in content and "not measured" not in content
    assert "measured" in content.split('class="risk')[1][:20]
    assert "at most 2.1% of" in risk_sentence(Statement(bound=0.02001, alpha=0.05, **made))
    with pytest.raises(ValueError):
        risk_sentence(Statement(bound=3.0, alpha=0.05, **{**made, "unit": "million tokens"}))


def test_gates_and_who_signs():
    limits = {"quarantined": 0.01, "gone": 0.0, "lost": 0.001}
    content = page(manifest_of(report={"limits": limits, "canaries": {"all": 3}}), COUNTS).decode()
    assert "Gates: all passed (rows in quarantine at most 0.01; published documents" in content
    assert "spans lost against the last run at most 0.001; planted documents: none left" in content
    assert 'class="sign"' in content and "signature" in content
    assert "did not write down their limits" in page(manifest_of(), COUNTS).decode()


@pytest.mark.slow
def test_many_nights_are_one_small_page():
    assert len(page(manifest_of(), COUNTS, nights_of(400))) < 500_000
    once, again = (page(manifest_of(), COUNTS, nights_of(50)) for _ in range(2))
    assert once == again


def test_the_page_of_a_run_draws_its_history(run, storage, options, tmp_path):
    run(recognisers=("date", "phone"))
    place = tmp_path / "out" / "report.html"
    content = place.read_bytes()
    assert len(Plots(content).figures) == 7
    assert report(storage, options.output) and place.read_bytes() == content
    (tmp_path / "out" / "history.parquet").write_bytes(b"no")
    report(storage, options.output)
    assert b"is not what the last run wrote: it begins anew" in place.read_bytes()
