"""The report as one self-contained HTML page: headline, tables, plots, the worst documents.

The page holds no text, id or file name, unless the texts of documents are to be shown.
"""

from __future__ import annotations

import collections
import math
from collections.abc import Iterator, Mapping, Sequence

from ..corpora import AnnotatedDocument
from ..pages.design import (
    Bar,
    PagePart,
    card,
    cards,
    fold,
    note,
    render,
    row,
    safe,
    scrolled,
    table,
    visible,
    warning,
)
from ..plots.bars import bars, differences_plot, histogram
from .matrices import Matrix
from .paired import HEADLINE, ScoreDifference
from .portions import Shares
from .report import Report, Summary
from .scores import RATIOS, Score, Scores
from .tables import shown_interval, shown_ratio

_BINS = ((0, 0), (1, 2), (3, 5), (6, 10), (11, 20), (21, 50), (51, None))
_LETTERS = ("P", "R", "F1")
_OPEN_GROUP = "Release"
"""What decides on a release stands open; the other groups begin as folds."""


def page(
    report: Report,
    second: Report | None = None,
    found: Sequence[ScoreDifference] = (),
    *,
    facts: Mapping[str, str],
    compared: Sequence[str] = (),
    shown: tuple[Sequence[AnnotatedDocument], Sequence[AnnotatedDocument]] | None = None,
    curve: str | None = None,
) -> bytes:
    """The page, UTF-8.

    Args:
        report: of the first model.
        second: of the model that it is compared with.
        found: the differences between the two.
        facts: how the report was computed: what -> value.
        compared: what made the predictions of the first model, and of the second, in a line each.
        shown: gold and predicted documents, to show the texts of the worst; the page is then as
            sensitive as they are.
        curve: recall against precision, as inline SVG.
    """
    sections = []
    if isinstance(strict := report.metrics.get("strict"), Scores) and strict.by_label:
        sections.append(PagePart("Labels", _labels(strict), "labels"))
    if second is not None:
        sections.append(PagePart("Second model against the first", _comparison(found), "second"))
    if curve is not None:
        drawn = note("One point for each bias of O; the ringed ones are the bundle's own.")
        sections.append(PagePart("Recall against precision", drawn + scrolled(curve), "curve"))
    sections.append(PagePart("Documents", _documents(report), "documents"))
    if shown is not None:
        sections.append(PagePart("Texts of the worst documents", _texts(report, *shown), "texts"))
    sections += _groups(report)
    if report.left_out:
        rows = "".join(f"<li>{safe(n)}: {safe(why)}</li>" for n, why in report.left_out.items())
        sections.append(PagePart("Left out", f"<ul>{rows}</ul>", "left-out", fold=True))
    sections.append(PagePart("How it was computed", _facts(report, facts), "how", fold=True))
    head = _head(report, compared, shown is not None)
    return render("Evaluation", head, sections, version=f"scrubline {facts.get('version', '')}")


def _head(report: Report, compared: Sequence[str], texts: bool) -> str:
    warnings = ["This page shows texts of the corpus: protect it like the notes."] if texts else []
    warnings += [f"Warning: {said}" for said in report.warnings]
    size = (
        f"{report.documents:,} documents, {report.gold_spans:,} gold spans, "
        f"{report.predicted_spans:,} predicted; removed is: {report.removed}."
    )
    lines = "".join(f"<br>{safe(line)}" for line in compared)
    return (
        f'<p class="about">{safe(size)}{lines}</p>{"".join(map(warning, warnings))}'
        f"{cards(*_cards(report))}"
    )


def _cards(report: Report) -> Iterator[str]:
    """The figures that decide on a release, each with a verdict in words."""
    if isinstance(characters := report.metrics.get("character"), Scores):
        left = characters.micro.fn
        more = f"{left:,} PHI characters left" if left else "none left"
        yield card(
            "PHI characters found",
            shown_ratio(characters.micro.recall),
            more,
            f"95 %: {shown_interval(characters.intervals.recall)}",
            kind="bad" if left else "",
        )
    if isinstance(documents := report.metrics.get("documents"), Shares):
        leaked = documents.shares["leaked"]
        yield card(
            "documents with any leak",
            shown_ratio(leaked.rate),
            f"{leaked.count:,} of {leaked.of:,}",
            f"95 %: {shown_interval(leaked.interval)}",
            kind="bad" if leaked.count else "",
        )
    if isinstance(strict := report.metrics.get("strict"), Scores):
        yield card(
            "strict F1",
            shown_ratio(strict.micro.f1),
            "spans and labels",
            f"95 %: {shown_interval(strict.intervals.f1)}",
            kind="plain",
        )
    if isinstance(clinical := report.metrics.get("clinical"), Shares):
        terms = clinical.shares.get("all terms")
        if terms is not None:
            yield card(
                "clinical terms destroyed",
                shown_ratio(terms.rate),
                f"{terms.count:,} of {terms.of:,}",
                f"95 %: {shown_interval(terms.interval)}",
                kind="plain",
            )


def _labels(strict: Scores) -> str:
    """Strict spans by label, with a bar of the recall."""
    head = ("label", "R", "95 %", "", "P", "F1", "gold", "found", "missed", "spurious")
    rows = [
        (
            label,
            shown_ratio(score.recall),
            shown_interval(strict.label_intervals[label].recall),
            Bar(score.recall or 0.0),
            shown_ratio(score.precision),
            shown_ratio(score.f1),
            f"{score.tp + score.fn:,}",
            f"{score.tp:,}",
            f"{score.fn:,}",
            f"{score.fp:,}",
        )
        for label, score in strict.most_frequent_first()
    ]
    return note("Spans with the same start, end and label.") + table(head, rows, kind="full")


def _groups(report: Report) -> Iterator[PagePart]:
    """A section for each group of metrics."""
    by_group: dict[str, list[str]] = {}
    for name in report.metrics:
        by_group.setdefault(report.groups[name], []).append(name)
    for number, (group, names) in enumerate(by_group.items()):
        body = "".join(
            f'<h3 id="metric-{safe(name)}">{safe(_title(report.metrics[name]))}</h3>'
            + _block(report.metrics[name])
            for name in names
        )
        yield PagePart(group, body, f"group-{number}", fold=group != _OPEN_GROUP)


def _facts(report: Report, facts: Mapping[str, str]) -> str:
    rows = {
        "documents": f"{report.documents:,}",
        "characters": f"{report.characters:,}",
        "tokens": f"{report.tokens:,}",
        "gold spans": f"{report.gold_spans:,}",
        "predicted spans": f"{report.predicted_spans:,}",
        "removed is": report.removed,
        **facts,
    }
    return table((), rows.items(), kind="words")


def _comparison(found: Sequence[ScoreDifference]) -> str:
    headline = [
        (f"{row.metric} {row.score}", row.difference, row.interval)
        for row in found
        if (row.metric, row.score) in HEADLINE and row.difference is not None
    ]
    plot = differences_plot(
        [(n, d, i) for n, d, i in headline if d is not None],
        title="Differences of the second model, with their intervals",
    )
    head = ("score", "first", "second", "difference", "95 %", "p", "fewer", "more")
    said = note(
        "Difference: second minus first, with 95 % interval by a paired bootstrap over documents; "
        "p is two-sided, from the sign of the difference in the resamples. Fewer, more: documents "
        "in which the second makes fewer or more errors of that kind. All other sections are about "
        "the first."
    )
    scores = table(head, (row.cells() for row in found))
    return f"{said}{scrolled(plot)}{fold('All scores', scores)}"


def _title(summary: Summary) -> str:
    return str(getattr(summary, "title", ""))


def _block(summary: Summary) -> str:
    if isinstance(summary, Scores):
        return _scores(summary)
    if isinstance(summary, Shares):
        return _shares(summary)
    if isinstance(summary, Matrix):
        return _matrix(summary)
    return f"<pre>{safe(chr(10).join(summary.as_lines()))}</pre>"


def _scores(scores: Scores) -> str:
    """The table of a metric, and a fold with the plot of its labels."""

    def cells(name: str, score: Score, spans: Sequence[str]) -> tuple[str, ...]:
        ratios = [shown_ratio(getattr(score, ratio)) for ratio in RATIOS]
        both = [cell for pair in zip(ratios, spans, strict=True) for cell in pair]
        return (name, *both, str(score.tp), str(score.fp), str(score.fn))

    def ends(intervals: object) -> list[str]:
        return [shown_interval(getattr(intervals, ratio)) for ratio in RATIOS]

    rows = [cells("micro", scores.micro, ends(scores.intervals))]
    if scores.documents:
        means = [shown_ratio(getattr(scores.documents, ratio)) for ratio in RATIOS]
        both = [c for p in zip(means, ends(scores.document_intervals), strict=True) for c in p]
        rows.append(("macro over documents", *both, "", "", ""))
    if scores.macro:
        means = [shown_ratio(getattr(scores.macro, ratio)) for ratio in RATIOS]
        both = [cell for mean in means for cell in (mean, "")]
        rows.append(("macro over labels", *both, "", "", ""))
    by_label = scores.most_frequent_first()
    rows += [cells(label, score, ends(scores.label_intervals[label])) for label, score in by_label]
    head = ("", "P", "95 %", "R", "95 %", "F1", "95 %", "TP", "FP", "FN")
    drawn = table(head, rows)
    if not by_label:
        return drawn
    plot = bars(
        [
            (
                visible(label),
                [
                    (letter, getattr(score, ratio), getattr(scores.label_intervals[label], ratio))
                    for letter, ratio in zip(_LETTERS, RATIOS, strict=True)
                ],
            )
            for label, score in by_label
        ],
        title="Precision, recall and F1 by label, with their intervals",
    )
    return drawn + fold("Plot", scrolled(plot))


def _shares(shares: Shares) -> str:
    rows = [
        (
            name.replace("_", " "),
            f"{share.count:,}",
            f"{share.of:,}",
            shown_ratio(share.rate),
            shown_interval(share.interval),
            Bar(share.rate or 0.0),
        )
        for name, share in shares.shares.items()
    ]
    return table(("", "count", "of", "rate", "95 %", ""), rows, kind="full")


def _matrix(matrix: Matrix) -> str:
    """A table with larger cells darker; empty rows and columns are left out."""
    row_totals, column_totals = matrix.row_totals(), matrix.column_totals()
    columns = [n for n, total in enumerate(column_totals) if total]
    scores = matrix.scores()
    square = set(matrix.row_names) & set(matrix.column_names)
    ratios = _LETTERS if square else ()
    corner = f"{matrix.row_axis} \\ {matrix.column_axis}"
    rows = [row("th", (corner, *(matrix.column_names[n] for n in columns), "total", *ratios))]
    for name, counts, total in zip(matrix.row_names, matrix.counts, row_totals, strict=True):
        if not total:
            continue
        cells = [
            _cell(counts[n], total, matrix.column_names[n] == name or not square) for n in columns
        ]
        values = [shown_ratio(v) for v in scores.get(name, (None,) * 3)] if square else []
        tail = "".join(f"<td>{value}</td>" for value in (str(total), *values))
        rows.append(f"<tr><td>{safe(name)}</td>{''.join(cells)}{tail}</tr>")
    totals = [str(column_totals[n]) for n in columns]
    rows.append(row("td", ("total", *totals, str(sum(row_totals)), *("" for _ in ratios))))
    return scrolled(f'<table class="small">{"".join(rows)}</table>')


def _cell(count: int, total: int, right: bool) -> str:
    if not count:
        return "<td></td>"
    # Logarithmic, so that one error in ten thousand is visible; never so dark that it hides digits.
    alpha = 0.08 + 0.37 * math.log1p(count) / math.log1p(total)
    colour = f"rgba(0,114,178,{alpha:.2f})" if right else f"rgba(213,94,0,{alpha:.2f})"
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
    head = (
        "document",
        "leaked characters",
        "not blank",
        "missed spans",
        "spurious spans",
        "gold spans",
        "characters destroyed",
    )
    rows = [
        (
            document.ordinal,
            document.leaked,
            document.leaked_ink,
            document.missed,
            document.spurious,
            document.gold_spans,
            document.destroyed,
        )
        for document in report.worst()
    ]
    drawn = histogram(columns, title="Documents by their leaked characters")
    worst = note("By their ordinal in the gold corpus, from 0.") + table(head, rows)
    return (
        f"<h3>Documents by their leaked characters</h3>{scrolled(drawn)}"
        f"{fold('The worst documents', worst)}"
    )


def _texts(
    report: Report, gold: Sequence[AnnotatedDocument], predicted: Sequence[AnnotatedDocument]
) -> str:
    by_id = {document.doc_id: document for document in predicted}
    parts = [
        "<p>"
        '<span class="found">gold and predicted</span> <span class="leak">gold alone</span> '
        '<span class="spurious">predicted alone</span></p>'
    ]
    for errors in report.worst():
        document = gold[errors.ordinal]
        found = by_id[document.doc_id]
        parts.append(
            f"<details><summary>document {errors.ordinal}: {safe(document.doc_id)}</summary>"
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
        text = safe(gold.text[start:end])
        if not any(labels):
            parts.append(text)
            continue
        kind = "found" if all(labels) else "leak" if labels[0] else "spurious"
        tooltip = "; ".join(
            f"{side}: {', '.join(names)}"
            for side, names in zip(("gold", "predicted"), labels, strict=True)
            if names
        )
        parts.append(f'<span class="{kind}" title="{safe(tooltip)}">{text}</span>')
    return "".join(parts)
