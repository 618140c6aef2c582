import html.parser
import re

import pytest
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.evaluation import compare, differences
from scrubline.models.evaluation.html import _marked, page
from scrubline.models.evaluation.intervals import Interval
from scrubline.models.evaluation.report import WORST
from scrubline.models.plots.bars import bars, differences_plot, histogram

from .makers import PLAIN, document, placed, tokenize

GOLD = [document("Dr {DOCTOR Ann <b>Lee</b>} on {DATE 3 May}", f"MRN-{n}&") for n in range(30)]
FOUND = [
    document(
        "Dr {DOCTOR Ann} <b>Lee</b> {CITY on} {DATE 3 May}"
        if n % 2
        else "Dr {DOCTOR Ann <b>Lee</b>} on 3 May",
        d.doc_id,
    )
    for n, d in enumerate(GOLD)
]
VOID = {"meta", "line", "rect", "circle", "br"}


class Checker(html.parser.HTMLParser):
    """Every element is closed in order; collects tags, attributes and text."""

    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.open, self.tags, self.attributes, self.words = [], [], [], []
        self.feed(content.decode())
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


@pytest.fixture(scope="module")
def report():
    return compare(GOLD, FOUND, tokenize=tokenize, resamples=20, seed=7)


def test_page_is_whole_and_needs_nothing_from_elsewhere(report):
    content = page(report, facts={"version": "9.9", "seed": "7"})
    checked = Checker(content)
    assert not {"script", "img", "link", "iframe", "object"} & set(checked.tags)
    assert not {"src", "data", "xlink:href"} & {name for name, _ in checked.attributes}
    links = {value for name, value in checked.attributes if name == "href"}
    anchors = {f"#{value}" for name, value in checked.attributes if name == "id"}
    assert links and links <= anchors
    ids = [value for name, value in checked.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    assert b"url(" not in content
    assert b"http" not in content.replace(b"http-equiv", b"")
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in checked.attributes
    assert {"svg", "table", "style"} <= set(checked.tags)
    words = " ".join(checked.words)
    for told in ("9.9", "30", "predicted spans", "PHI characters found", "strict F1"):
        assert told in words
    for metric in PLAIN.values():
        assert metric.title in checked.words
    assert content == page(report, facts={"version": "9.9", "seed": "7"})


def test_page_has_no_text_and_no_id_unless_asked(report):
    content = page(report, facts={}).decode()
    assert "Lee" not in content
    assert "MRN" not in content
    shown = page(report, facts={}, shown=(GOLD, FOUND)).decode()
    assert "MRN-0&amp;" in shown
    assert "protect it like the notes" in shown


def test_shown_text_is_escaped_and_marked(report):
    shown = page(report, facts={}, shown=(GOLD, FOUND))
    checked = Checker(shown)
    assert "b" not in checked.tags[checked.tags.index("pre") :]
    text = shown.decode()
    assert '<span class="leak" title="gold: DOCTOR"> &lt;b&gt;Lee&lt;/b&gt;</span>' in text
    assert '<span class="found" title="gold: DOCTOR; predicted: DOCTOR">Ann</span>' in text
    assert '<span class="spurious" title="predicted: CITY">on</span>' in text


def test_headline_comes_first_then_labels_then_folds(report):
    text = page(report, facts={"version": "9.9"}, compared=["first: en-x@1, policy <p>"]).decode()
    places = [
        text.index(said)
        for said in (
            "first: en-x@1, policy &lt;p&gt;",
            "PHI characters found",
            "documents with any leak",
            "strict F1",
            "clinical terms destroyed",
            "<nav",
            'id="labels"',
            'id="documents"',
            "<summary>Spans and tokens</summary>",
            "<summary>How it was computed</summary>",
        )
    ]
    assert places == sorted(places)
    assert text.count('class="card bad"') == 2  # characters are left, and documents leak
    perfect = page(compare(GOLD, GOLD, tokenize=tokenize, resamples=5), facts={}).decode()
    assert 'class="card bad"' not in perfect and "none left" in perfect


def test_hostile_labels_and_texts_cannot_break_out():
    label = '"><script>alert(1)</script>&\x00\ud800'
    text = "</pre><script>\x00\x1b\ud800\uffff\r\n🙂x"
    gold = [placed(text, (0, 6, label), doc_id="<script>\ud800")]
    predicted = [placed(text, (0, 7, label), doc_id="<script>\ud800")]
    report = compare(gold, predicted, tokenize=tokenize, resamples=5)
    content = page(
        report, report, differences(report, report), facts={label: label}, shown=(gold, predicted)
    )
    checked = Checker(content)
    assert "script" not in checked.tags
    assert not re.search("[\x00-\x08\x0e-\x1f\ud800-\udfff\uffff]", content.decode())


def test_comparison_is_shown(report):
    other = compare(GOLD, GOLD, tokenize=tokenize, resamples=20, seed=7)
    content = page(report, other, differences(report, other), facts={})
    words = Checker(content).words
    assert "Second model against the first" in words
    assert "documents leaked" in words
    assert "+1.0000" not in page(report, facts={}).decode()


def test_nothing_at_all_makes_a_page():
    empty = compare([], [], tokenize=tokenize)
    Checker(page(empty, empty, differences(empty, empty), facts={}, shown=([], [])))


def test_left_out_metrics_are_told():
    gold = [document("{CALLE x}")]
    words = Checker(page(compare(gold, gold, tokenize=tokenize), facts={})).words
    assert any(word.startswith("i2b2_2014_category: needs") for word in words)


def test_worst_documents_first_by_their_ordinals():
    gold = [
        document("{DATE a} {DATE bcd}", "z"),
        document("{DATE a} {DATE b}", "y"),
        document("{DATE a b}", "x"),
        document("{DATE a} b", "w"),
        document("{DATE a} b", "v"),
    ]
    predicted = [
        document("{DATE a} bcd", "z"),  # three characters
        document("{DATE a} {DATE b}", "y"),  # right
        document("{DATE a} {DATE b}", "x"),  # a blank
        document("{DATE a} {DATE b}", "w"),  # one spurious
        document("a {CITY b}", "v"),  # one character
    ]
    found = compare(gold, predicted, tokenize=tokenize, resamples=0).worst()
    assert [one.ordinal for one in found] == [0, 4, 2, 3]
    assert [(one.leaked, one.leaked_ink) for one in found] == [(3, 3), (1, 1), (1, 0), (0, 0)]
    assert [(one.gold_spans, one.missed, one.spurious, one.destroyed) for one in found] == [
        (2, 1, 0, 0),
        (1, 1, 1, 1),
        (1, 1, 2, 0),
        (1, 0, 1, 1),
    ]


def test_no_more_than_the_worst_are_listed(report):
    assert len(report.worst()) == WORST < len(report.errors)


def test_bars_are_as_long_as_their_values():
    drawn = bars([("X <", [("P", 0.5, Interval(0.25, 1.0)), ("R", None, None), ("F", 1.5, None)])])
    widths = [float(width) for width in re.findall(r'<rect [^>]*width="([\d.]+)"', drawn)]
    assert widths == [240, 480]  # nothing is drawn beyond 1
    assert "X &lt;" in drawn
    ends = re.findall(r'x1="([\d.]+)" y1="[\d.]+" x2="([\d.]+)" y2="[\d.]+" class="whisker"', drawn)
    assert ends[0] == ("430.0", "790.0")


def test_histogram_is_scaled_to_its_tallest():
    drawn = histogram([("0", 10), ("1 or more", 5), ("none", 0)])
    heights = [float(height) for height in re.findall(r' height="([\d.]+)" class="f', drawn)]
    assert heights == [150, 75, 0]
    assert "svg" in histogram([])


def test_differences_lie_about_their_line():
    drawn = differences_plot([("a", 0.1, Interval(-0.1, 0.2)), ("b", -0.2, None)])
    centres = [float(x) for x in re.findall(r'cx="([\d.]+)"', drawn)]
    middle = 310 + 240
    assert centres == [middle + 115, middle - 230]
    assert "svg" in differences_plot([])


def test_texts_with_many_spans_cost_little():
    # Tens of thousands of spans: looking at all of them at each place would take minutes.
    spans = tuple(Annotation(start, start + 2, "CITY") for start in range(0, 90_000, 3))
    gold = AnnotatedDocument("a", "ab " * 30_000, (*spans, Annotation(0, 90_000, "DATE")))
    found = _marked(gold, AnnotatedDocument("a", gold.text, spans))
    assert found.count('title="gold: CITY, DATE; predicted: CITY">ab</span>') == 30_000
    assert found.count('class="leak" title="gold: DATE"> </span>') == 30_000
