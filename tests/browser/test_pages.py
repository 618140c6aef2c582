"""The pages for people as a browser shows them: wide and narrow, light and dark, printed."""

import collections

import pyarrow as pa
import pytest
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.evaluation import compare, differences
from scrubline.models.evaluation.html import page as evaluation_page
from scrubline.models.plots.curves import lines
from scrubline.models.scrubber import Scrubber
from scrubline.pipeline.outputs.history_rows import SCHEMA, night_rows
from scrubline.pipeline.outputs.output_page import page as output_page
from scrubline.pipeline.outputs.page_nights import Nights
from scrubline.pipeline.outputs.removal_counts import RemovalCounts

from benchmarks.history import night

from .looking import looking

pytestmark = pytest.mark.slow

LABELS = ("DATE", "DOCTOR", "ID_TITULACION_PERSONAL_SANITARIO", "HOSPITAL", "<b>AGE</b>")
TYPES = ("progress note", "discharge summary", "<i>x</i>", "radiology", "a_long_name_" * 6)
TEXT = "Seen by Ann Lee on 3 May at St Mary's, room 12, aged 93, on metformin 500 mg twice a day."


def evaluation():
    gold, found = [], []
    for number in range(24):
        spans = [Annotation(9 * n, 9 * n + 7, label) for n, label in enumerate(LABELS)]
        gold.append(AnnotatedDocument(f"MRN-{number}", TEXT, tuple(spans)))
        missed = spans[: 5 - number % 3] + [Annotation(60, 64 + number % 2, "CITY")]
        found.append(AnnotatedDocument(f"MRN-{number}", TEXT, tuple(missed)))
    first, second = (compare(gold, some, resamples=20) for some in (found, gold))
    points = [(0.5 + n / 40, 1 - n * n / 400) for n in range(17)]
    marks = [(*points[8], "bias -0.6, in use", True), (*points[0], "bias 3", False)]
    return evaluation_page(
        first,
        second,
        differences(first, second),
        facts={"version": "9.9", "seed": "7", "clinical terms": "shipped lists"},
        compared=["predictions: models en-default@0123456789ab; 51 rules; policy hipaa"],
        shown=(gold, found),
        curve=lines({"strict": points}, across="recall", up="precision", marks={"strict": marks}),
    )


def output():
    long = "a_very_long_name_without_any_blank_in_it_" * 3
    counts = RemovalCounts(
        collections.Counter(
            {(f"r{n}", label, "redact"): 10_000 // (n + 1) for n, label in enumerate(LABELS)}
            | {("r0", "AGE", "keep"): 900}
        ),
        collections.Counter({f"r{n}": 100 for n in range(5)}),
        collections.Counter(dict.fromkeys((*LABELS, "AGE"), 100)),
        {"progress note": (300, 90_000, 4000), long: (200, 50_000, 9000)},
    )
    manifest = {
        "run": "0123456789abcdef",
        "code_version": "9.9",
        "models": {"en-default": "a" * 64, long: "b" * 64},
        "policy": {"name": long, "hash": "c" * 64, "kept": ["AGE", "COUNTRY"]},
        "content_digest": "d" * 64,
        "counts": {"rows_in": 12_345, "rows_out": 12_300, "rows_quarantined": 45, "documents": 500},
        "errors": {"read: BadEncoding": 30, "scrub: OverBudget": 15},
        "report": {
            "started": "2026-11-27T03:04:05+00:00",
            "days": {f"r{n}": f"2026-11-{n + 20}" for n in range(5)},
            "metrics": {"Recognise": {"batch_ms_sum": 3000}, "Label": {"batch_ms_sum": 900}},
        },
        "parts": [{"table": "data", "path": "data/x", "bytes": 1 << 40, "run": "r0"}],
    }
    rows = [row for number in range(200) for row in night_rows(*night(number, TYPES))]
    return output_page(manifest, counts, Nights(pa.Table.from_pylist(rows, SCHEMA)))


@pytest.fixture(scope="session", params=[evaluation, output], ids=lambda make: make.__name__)
def path(request, tmp_path_factory):
    """A page in a file."""
    target = tmp_path_factory.mktemp("pages") / "page.html"
    target.write_bytes(request.param())
    return target


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1400])
def test_page_is_read_at_any_width_by_day_and_night(browser, path, width, scheme):
    with looking(browser, path, width=width, scheme=scheme) as seen:
        assert not seen.is_too_wide()
        last = seen.page.locator(".card").last.bounding_box()
        assert last["y"] + last["height"] < 800, "the headline is not all on the first screen"
        assert seen.unreadable() == []
        background = seen.page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 26)"}[scheme]
        seen.open_folds()
        assert not seen.is_too_wide()
        assert seen.unreadable() == []
        assert seen.complaints == []
        assert seen.requests == [path.as_uri()]


def test_links_of_the_contents_lead_to_what_is_seen(browser, path):
    with looking(browser, path, width=1400, scheme="light") as seen:
        for link in seen.page.locator("nav a").all():
            seen.page.evaluate("() => scrollTo(0, 0)")
            link.click()
            target = seen.page.locator(link.get_attribute("href"))
            assert target.is_visible()
            box = target.bounding_box()
            assert -60 < box["y"] < 800, "a link leads nowhere"
        assert seen.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_prints_in_light_on_paper(browser, path, scheme):
    # The width of a sheet of A4 without its margins.
    with looking(browser, path, width=720, scheme=scheme, media="print") as seen:
        background = seen.page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        assert background == "rgb(255, 255, 255)"
        assert seen.unreadable() == []
        assert not seen.page.locator("nav").is_visible()
        assert not seen.is_too_wide()
        for box in seen.page.locator(".scroll:visible").all():
            assert box.evaluate("box => box.scrollWidth <= box.clientWidth"), "a table is cut off"
        content = seen.page.pdf(format="A4")
        assert content.startswith(b"%PDF") and 1 <= content.count(b"/Type /Page\n") <= 12
        assert seen.complaints == [] and seen.requests == [path.as_uri()]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1400])
def test_spans_in_a_notebook_are_read(browser, tmp_path, width, scheme):
    scrubber = Scrubber(None, recognisers=("date", "email", "age", "phone", "url"), policy="hipaa")
    text = "Aged 34, seen on 3/4/2012, wrote from a@b.example, call 555-867-5309. " * 4
    result = scrubber.explain(text)
    colours = {"light": "#fff;color:#111", "dark": "#111;color:#eee"}[scheme]
    target = tmp_path / "notebook.html"
    target.write_text(
        f'<!DOCTYPE html><meta charset="utf-8"><title>x</title><body style="background:{colours};'
        f'color-scheme:{scheme}">{result.beside_original(text)._repr_html_()}',
        encoding="utf-8",
    )
    with looking(browser, target, width=width, scheme=scheme) as seen:
        assert seen.page.locator("mark").count() >= 8
        assert not seen.is_too_wide()
        assert seen.unreadable() == []
        assert seen.complaints == [] and seen.requests == [target.as_uri()]
