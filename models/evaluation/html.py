"""The report as one self-contained HTML page: tables, plots, the worst documents.

The page holds no text, id or file name, unless the texts of documents are to be shown.
"""

from __future__ import annotations

import collections
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from ..corpora import AnnotatedDocument
from .matrices import Matrix
from .paired import HEADLINE, ScoreDifference
from .plots import bars, differences_plot, histogram
from .portions import Shares
from .report import Report, Summary
from .scores import RATIOS, Score, Scores
from .tables import shown_interval, shown_ratio

_BINS = ((0, 0), (1, 2), (3, 5), (6, 10), (11, 20), (21, 50), (51, None))
_LETTERS = ("P", "R", "F1")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 1100px; color: #222;
  padding: 0 1em }
h1, h2, h3 { line-height: 1.2 } h2 { border-bottom: 2px solid #ccc; margin-top: 2em }
table { border-collapse: collapse; margin: .6em 0 1.2em }
td, th { padding: .15em .6em; text-align: right; border-bottom: 1px solid #e4e4e4 }
th:first-child, td:first-child { text-align: left }
.wide { overflow-x: auto } .wide td, .wide th { font-size: 11px; padding: .1em .35em }
.cards { display: flex; gap: 1em; flex-wrap: wrap }
.card { border: 1px solid #ccc; border-radius: 6px; padding: .6em 1.1em }
.card b { display: block; font-size: 1.7em }
svg { max-width: 100%; height: auto } svg text { font: 12px system-ui, sans-serif }
svg .small { font-size: 10px; fill: #555 } svg .grid { stroke: #e4e4e4 }
svg .axis { stroke: #888 } svg .whisker { stroke: #111; stroke-width: 1.4 }
pre { white-space: pre-wrap; border: 1px solid #ccc; padding: .8em; overflow-wrap: anywhere }
.found { background: #cfe8cf } .leak { background: #f4b6b6; outline: 1px solid #b00 }
.spurious { background: #fbe3a6 } .note { color: #555 } summary { cursor: pointer }
.warning { background: #f4b6b6; padding: .6em 1em; font-weight: bold }
"""


def page(
    report: Report,
    second: Report | None = None,
    found: Sequence[ScoreDifference] = (),
    *,
    facts: Mapping[str, str],
    shown: tuple[Sequence[AnnotatedDocument], Sequence[AnnotatedDocument]] | None = None,
    curve: str | None = None,
) -> bytes:
    """The page, UTF-8.

    Args:
        report: of the first model.
        second: of the model that it is compared with.
        found: the differences between the two.
        facts: how the report was computed: what -> value.
        shown: gold and predicted documents, to show the texts of the worst; the page is then as
            sensitive as they are.
        curve: recall against precision, as inline SVG.
    """
    parts = [_head(report, facts, shown is not None), _cards(report)]
    if second is not None:
        parts.append(_comparison(found))
    if curve is not None:
        parts.append(f"<h2>Recall against precision</h2>{curve}")
    group = ""
    for name, summary in report.metrics.items():
        if report.groups[name] != group:
            group = report.groups[name]
            parts.append(f"<h2>{_safe(group)}</h2>")
        parts.append(f'<h3 id="{_safe(name)}">{_safe(_title(summary))}</h3>')
        parts.append(_block(summary, name in report.detailed))
    if report.left_out:
        rows = "".join(f"<li>{_safe(n)}: {_safe(why)}</li>" for n, why in report.left_out.items())
        parts.append(f"<h2>Left out</h2><ul>{rows}</ul>")
    parts.append(_documents(report))
    if shown is not None:
        parts.append(_texts(report, *shown))
    body = "\n".join(parts)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>Evaluation</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n"
        "</body>\n</html>\n"
    ).encode()


def _head(report: Report, facts: Mapping[str, str], texts: bool) -> str:
    rows = {
        "documents": f"{report.documents:,}",
        "characters": f"{report.characters:,}",
        "tokens": f"{report.tokens:,}",
        "gold spans": f"{report.gold_spans:,}",
        "predicted spans": f"{report.predicted_spans:,}",
        "removed is": report.removed,
        **facts,
    }
    table = "".join(f"<tr><td>{_safe(k)}</td><td>{_safe(v)}</td></tr>" for k, v in rows.items())
    warning = (
        '<p class="warning">This page shows texts of the corpus: protect it like the notes.</p>'
        if texts
        else ""
    )
    warning += "".join(f'<p class="warning">Warning: {_safe(w)}</p>' for w in report.warnings)
    return f"<h1>Evaluation</h1>{warning}<table>{table}</table>"


def _cards(report: Report) -> str:
    cards = []
    if isinstance(characters := report.metrics.get("character"), Scores):
        cards.append(("PHI characters found", characters.micro.recall, characters.intervals.recall))
    if isinstance(documents := report.metrics.get("documents"), Shares):
        leaked = documents.shares["leaked"]
        name = f"documents with any leak ({leaked.count:,} of {leaked.of:,})"
        cards.append((name, leaked.rate, leaked.interval))
    if isinstance(strict := report.metrics.get("strict"), Scores):
        cards.append(("strict F1", strict.micro.f1, strict.intervals.f1))
    shown = "".join(
        f'<div class="card">{_safe(name)}<b>{shown_ratio(value)}</b>{shown_interval(found)}</div>'
        for name, value, found in cards
    )
    return f'<div class="cards">{shown}</div>'


def _comparison(found: Sequence[ScoreDifference]) -> str:
    headline = [
        (f"{row.metric} {row.score}", row.difference, row.interval)
        for row in found
        if (row.metric, row.score) in HEADLINE and row.difference is not None
    ]
    plot = differences_plot([(n, d, i) for n, d, i in headline if d is not None])
    head = _row("th", ("score", "first", "second", "difference", "95 %", "p", "fewer", "more"))
    rows = "".join(_row("td", row.cells()) for row in found)
    return (
        "<h2>Second model against the first</h2>"
        '<p class="note">Difference: second minus first, with 95 % interval by a paired bootstrap '
        "over documents; p is two-sided, from the sign of the difference in the resamples. Fewer, "
        "more: documents in which the second makes fewer or more errors of that kind. All other "
        f"sections are about the first.</p>{plot}<details><summary>All scores</summary><table>"
        f"{head}{rows}</table></details>"
    )


def _title(summary: Summary) -> str:
    return str(getattr(summary, "title", ""))


def _block(summary: Summary, plotted: bool) -> str:
    """A metric; the plot of its labels is collapsed unless `plotted`."""
    if isinstance(summary, Scores):
        return _scores(summary, plotted)
    if isinstance(summary, Shares):
        return _shares(summary)
    if isinstance(summary, Matrix):
        return _matrix(summary)
    return f"<pre>{_safe(chr(10).join(summary.as_lines()))}</pre>"


def _scores(scores: Scores, plotted: bool) -> str:
    def cells(name: str, score: Score, spans: Sequence[str]) -> str:
        ratios = [shown_ratio(getattr(score, ratio)) for ratio in RATIOS]
        both = [cell for pair in zip(ratios, spans, strict=True) for cell in pair]
        return _row("td", (name, *both, str(score.tp), str(score.fp), str(score.fn)))

    def ends(intervals: object) -> list[str]:
        return [shown_interval(getattr(intervals, ratio)) for ratio in RATIOS]

    rows = [_row("th", ("", "P", "95 %", "R", "95 %", "F1", "95 %", "TP", "FP", "FN"))]
    rows.append(cells("micro", scores.micro, ends(scores.intervals)))
    if scores.documents:
        means = [shown_ratio(getattr(scores.documents, ratio)) for ratio in RATIOS]
        both = [c for p in zip(means, ends(scores.document_intervals), strict=True) for c in p]
        rows.append(_row("td", ("macro over documents", *both, "", "", "")))
    if scores.macro:
        means = [shown_ratio(getattr(scores.macro, ratio)) for ratio in RATIOS]
        both = [cell for mean in means for cell in (mean, "")]
        rows.append(_row("td", ("macro over labels", *both, "", "", "")))
    by_label = scores.most_frequent_first()
    rows += [cells(label, score, ends(scores.label_intervals[label])) for label, score in by_label]
    plot = bars(
        [
            (
                _visible(label),
                [
                    (letter, getattr(score, ratio), getattr(scores.label_intervals[label], ratio))
                    for letter, ratio in zip(_LETTERS, RATIOS, strict=True)
                ],
            )
            for label, score in by_label
        ]
    )
    table = f"<table>{''.join(rows)}</table>"
    if not by_label:
        return table
    state = " open" if plotted else ""
    return f"{table}<details{state}><summary>Plot</summary>{plot}</details>"


def _shares(shares: Shares) -> str:
    head = _row("th", ("", "count", "of", "rate", "95 %"))
    rows = [
        _row(
            "td",
            (
                name.replace("_", " "),
                f"{share.count:,}",
                f"{share.of:,}",
                shown_ratio(share.rate),
                shown_interval(share.interval),
            ),
        )
        for name, share in shares.shares.items()
    ]
    plot = bars(
        [
            (_visible(name.replace("_", " ")), [("", share.rate, share.interval)])
            for name, share in shares.shares.items()
        ]
    )
    return f"<table>{head}{''.join(rows)}</table>{plot}"


def _matrix(matrix: Matrix) -> str:
    """A table with larger cells darker; empty rows and columns are left out."""
    row_totals, column_totals = matrix.row_totals(), matrix.column_totals()
    columns = [n for n, total in enumerate(column_totals) if total]
    scores = matrix.scores()
    square = set(matrix.row_names) & set(matrix.column_names)
    ratios = _LETTERS if square else ()
    corner = f"{matrix.row_axis} \\ {matrix.column_axis}"
    rows = [_row("th", (corner, *(matrix.column_names[n] for n in columns), "total", *ratios))]
    for name, counts, total in zip(matrix.row_names, matrix.counts, row_totals, strict=True):
        if not total:
            continue
        cells = [
            _cell(counts[n], total, matrix.column_names[n] == name or not square) for n in columns
        ]
        values = [shown_ratio(v) for v in scores.get(name, (None,) * 3)] if square else []
        tail = "".join(f"<td>{value}</td>" for value in (str(total), *values))
        rows.append(f"<tr><td>{_safe(name)}</td>{''.join(cells)}{tail}</tr>")
    totals = [str(column_totals[n]) for n in columns]
    rows.append(_row("td", ("total", *totals, str(sum(row_totals)), *("" for _ in ratios))))
    return f'<div class="wide"><table>{"".join(rows)}</table></div>'


def _cell(count: int, total: int, right: bool) -> str:
    if not count:
        return "<td></td>"
    # Logarithmic, so that one error in ten thousand is visible.
    alpha = 0.15 + 0.75 * math.log1p(count) / math.log1p(total)
    colour = f"rgba(58,125,68,{alpha:.2f})" if right else f"rgba(209,73,91,{alpha:.2f})"
    return f'<td style="background:{colour}">{count}</td>'


def _documents(report: Report) -> str:
    leaked = [document.leaked for document in report.errors]
    columns = [
        (
            str(low) if high == low else f"{low}-{high}" if high else f"{low} or more",
            sum(low <= count and (high is None or count <= high) for count in leaked),
        )
        for low, high in _BINS
    ]
    head = _row(
        "th",
        (
            "document",
            "leaked characters",
            "not blank",
            "missed spans",
            "spurious spans",
            "gold spans",
            "characters destroyed",
        ),
    )
    rows = "".join(
        _row(
            "td",
            [
                str(value)
                for value in (
                    document.ordinal,
                    document.leaked,
                    document.leaked_ink,
                    document.missed,
                    document.spurious,
                    document.gold_spans,
                    document.destroyed,
                )
            ],
        )
        for document in report.worst()
    )
    return (
        "<h2>Documents</h2><h3>Leaked characters by document</h3>"
        f"{histogram(columns)}<h3>The worst documents</h3>"
        '<p class="note">By their ordinal in the gold corpus, from 0.</p>'
        f"<table>{head}{rows}</table>"
    )


def _texts(
    report: Report, gold: Sequence[AnnotatedDocument], predicted: Sequence[AnnotatedDocument]
) -> str:
    by_id = {document.doc_id: document for document in predicted}
    parts = [
        "<h2>Texts of the worst documents</h2><p>"
        '<span class="found">gold and predicted</span> <span class="leak">gold alone</span> '
        '<span class="spurious">predicted alone</span></p>'
    ]
    for errors in report.worst():
        document = gold[errors.ordinal]
        found = by_id[document.doc_id]
        parts.append(
            f"<details><summary>document {errors.ordinal}: {_safe(document.doc_id)}</summary>"
            f"<pre>{_marked(document, found)}</pre></details>"
        )
    return "".join(parts)


def _marked(gold: AnnotatedDocument, predicted: AnnotatedDocument) -> str:
    """The text with gold and predicted spans marked; labels are in the tooltips."""
    ends = {0, len(gold.text)}
    # Offset -> spans that start (1) or end (-1) there, so one pass knows which are open.
    changes: dict[int, list[tuple[int, str, int]]] = {}
    for side, document in enumerate((gold, predicted)):
        for span in document.spans:
            ends |= {span.start, span.end}
            changes.setdefault(span.start, []).append((side, span.label, 1))
            changes.setdefault(span.end, []).append((side, span.label, -1))
    places = sorted(ends)
    parts = []
    open_labels = (collections.Counter[str](), collections.Counter[str]())
    for start, end in zip(places, places[1:], strict=False):
        for side, label, change in changes.get(start, ()):
            open_labels[side][label] += change
            if not open_labels[side][label]:
                del open_labels[side][label]
        labels = [sorted(counter) for counter in open_labels]
        text = _safe(gold.text[start:end])
        if not any(labels):
            parts.append(text)
            continue
        kind = "found" if all(labels) else "leak" if labels[0] else "spurious"
        tooltip = "; ".join(
            f"{side}: {', '.join(names)}"
            for side, names in zip(("gold", "predicted"), labels, strict=True)
            if names
        )
        parts.append(f'<span class="{kind}" title="{_safe(tooltip)}">{text}</span>')
    return "".join(parts)


def _row(tag: str, cells: Iterable[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{_safe(cell)}</{tag}>" for cell in cells) + "</tr>"


def _safe(text: str) -> str:
    return escape(_visible(text))


def _visible(text: str) -> str:
    """The text without characters that HTML or UTF-8 cannot hold."""
    return _CONTROL.sub("\ufffd", text)
