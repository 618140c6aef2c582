"""Findings as files: a page in Markdown, a CSV a table, an SVG a plot; no clock and no text."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..evaluation.plots import standalone
from .base import Findings, Study, Table

_WIDEST = 14
"""Tables of more columns are given as CSV alone: a page could not show them."""

_MARKS: Mapping[bool | None, str] = {True: "agrees", False: "does not agree", None: "cannot tell"}

_MEANT = (
    "*Agrees* is said of the direction, what is better than what, and not of the size: corpus,"
    " language and labels are not the paper's."
)


def page(study: Study, corpus: str, findings: Findings, command: str) -> str:
    """The page of a study on one corpus.

    Args:
        study: what was run.
        corpus: its name, which is in the names of the files.
        findings: what came of it.
        command: that makes it.
    """
    stem = file_stem(study, corpus)
    lines = [f"# {study.title}: {corpus}", "", f"{study.source}.", "", findings.how, ""]
    if findings.verdicts:
        lines += ["| the paper | here | |", "| --- | --- | --- |"]
        lines += [f"| {v.claim} | {v.found} | {_MARKS[v.agrees]} |" for v in findings.verdicts]
        lines += ["", _MEANT, ""]
    for plot in findings.plots:
        lines += [f"![{plot.title}]({_name(stem, plot.name)}.svg)", ""]
    for table in findings.tables:
        if table.name:
            lines += [f"## {table.name.capitalize()}", ""]
        if len(table.head) <= _WIDEST:
            lines += [*_markdown(table), ""]
        lines += [f"As CSV: [{_name(stem, table.name)}.csv]"
                  f"({_name(stem, table.name)}.csv)", ""]  # fmt: skip
    lines += ["```sh", command, "```", ""]
    return "\n".join(lines)


def write_findings(
    folder: Path, study: Study, corpus: str, findings: Findings, command: str
) -> Path:
    """Writes the page with its tables and plots; returns the page's path."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = file_stem(study, corpus)
    for table in findings.tables:
        (folder / f"{_name(stem, table.name)}.csv").write_text(_csv(table), encoding="utf-8")
    for plot in findings.plots:
        drawn = standalone(plot.svg, plot.title)
        (folder / f"{_name(stem, plot.name)}.svg").write_text(drawn, encoding="utf-8")
    target = folder / f"{stem}.md"
    target.write_text(page(study, corpus, findings, command), encoding="utf-8")
    return target


def index_page(studies: Sequence[Study], there: Mapping[str, Sequence[str]]) -> str:
    """The list of all studies, with a link to each page that there is.

    Args:
        studies: in order.
        there: name of a study -> corpora that it has a page for.
    """
    lines = [
        "# Studies",
        "",
        "Tables and figures of the papers whose systems are recipes here, made again on open"
        " corpora: the papers' own are under data-use agreements. Each page puts our figures"
        " beside the paper's claims and says where they agree and where not.",
        "",
        "| study | source | pages |",
        "| --- | --- | --- |",
    ]
    for study in studies:
        links = ", ".join(
            f"[{corpus}]({file_stem(study, corpus)}.md)" for corpus in there.get(study.name, ())
        )
        lines.append(f"| `{study.name}`: {study.title} | {study.source} | {links or 'none'} |")
    return "\n".join([*lines, ""])


def file_stem(study: Study, corpus: str) -> str:
    """The name of the page without its ending."""
    return f"{study.name}.{corpus}"


def _name(stem: str, name: str) -> str:
    return f"{stem}.{name}" if name else stem


def _markdown(table: Table) -> list[str]:
    head = f"| {' | '.join(table.head)} |"
    rule = "|" + " --- |" * len(table.head)
    return [head, rule, *(f"| {' | '.join(map(_cell, row))} |" for row in table.rows)]


def _cell(value: str | int | float | None) -> str:
    if value is None:
        return "-"
    if isinstance(value, int):
        return f"{value:,}"
    return str(value).replace("|", "\\|")


def _csv(table: Table) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.head)
    writer.writerows(["" if value is None else value for value in row] for row in table.rows)
    return stream.getvalue()
