"""Findings as files: a Markdown page, a CSV per table, an SVG per plot; no times and no texts."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..plots.drawing import standalone
from .findings import (
    Findings,
    PageTable,
    Study,
)
from .overview import CLAIMS, MARKS, MEANT, TRIMMED, claims_table, file_stem

_WIDEST = 14
"""Tables with more columns are only written as CSV: a page could not show them."""

INDEX_TITLE = "# Studies"
"""The first line of the list of all studies."""


def page(study: Study, corpus: str, findings: Findings, command: str) -> str:
    """The page of a study on one corpus.

    Args:
        study: that was run.
        corpus: its name, which is part of file names.
        findings: its results.
        command: that makes the page.
    """
    stem = file_stem(study, corpus)
    lines = [f"# {study.title}: {corpus}", "", f"{study.source}.", "", findings.how, ""]
    if findings.verdicts:
        lines += ["| the paper | here | |", "| --- | --- | --- |"]
        lines += [f"| {v.claim} | {v.found} | {MARKS[v.agrees]} |" for v in findings.verdicts]
        lines += ["", f"{MEANT} {TRIMMED}", "", _link(stem, CLAIMS), ""]
    for plot in findings.plots:
        lines += [f"![{plot.title}]({_name(stem, plot.name)}.svg)", ""]
    for table in findings.tables:
        if table.name:
            lines += [f"## {table.name.capitalize()}", ""]
        if len(table.head) <= _WIDEST:
            lines += [*_markdown(table), ""]
        lines += [_link(stem, table.name), ""]
    lines += ["```sh", command, "```", ""]
    return "\n".join(lines)


def write_findings(
    folder: Path, study: Study, corpus: str, findings: Findings, command: str
) -> Path:
    """Writes the page with its tables and plots; returns the page's path."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = file_stem(study, corpus)
    for table in (*findings.tables, claims_table(findings.verdicts)):
        (folder / f"{_name(stem, table.name)}.csv").write_text(_csv(table), encoding="utf-8")
    for plot in findings.plots:
        drawn = standalone(plot.svg, plot.title)
        (folder / f"{_name(stem, plot.name)}.svg").write_text(drawn, encoding="utf-8")
    target = folder / f"{stem}.md"
    target.write_text(page(study, corpus, findings, command), encoding="utf-8")
    return target


def index_page(studies: Sequence[Study], existing: Mapping[str, Sequence[str]]) -> str:
    """The list of all studies, with links to existing pages.

    Args:
        studies: in order.
        existing: name of a study -> corpora that it has a page for.
    """
    lines = [
        INDEX_TITLE,
        "",
        "Tables and figures of the papers whose systems are recipes here, reproduced on open"
        " corpora, since the papers' own are under data-use agreements. Each page compares our"
        " figures with the paper's claims; [claims.md](claims.md) lists all of them.",
        "",
        "| study | source | pages |",
        "| --- | --- | --- |",
    ]
    for study in studies:
        links = ", ".join(
            f"[{corpus}]({file_stem(study, corpus)}.md)" for corpus in existing.get(study.name, ())
        )
        lines.append(f"| `{study.name}`: {study.title} | {study.source} | {links or 'none'} |")
    return "\n".join([*lines, ""])


def _name(stem: str, name: str) -> str:
    return f"{stem}.{name}" if name else stem


def _link(stem: str, name: str) -> str:
    file = f"{_name(stem, name)}.csv"
    return f"As CSV: [{file}]({file})"


def _markdown(table: PageTable) -> list[str]:
    head = f"| {' | '.join(table.head)} |"
    rule = "|" + " --- |" * len(table.head)
    return [head, rule, *(f"| {' | '.join(map(_cell, row))} |" for row in table.rows)]


def _cell(value: str | int | float | None) -> str:
    if value is None:
        return "-"
    if isinstance(value, int):
        return f"{value:,}"
    return str(value).replace("|", "\\|")


def _csv(table: PageTable) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.head)
    writer.writerows(["" if value is None else value for value in row] for row in table.rows)
    return stream.getvalue()
