"""`scrubline evaluate`: gold against predicted."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from ..dictionaries import DICTIONARIES, DictionaryError, load
from ..models.bundles import open_bundle
from ..models.corpora import AnnotatedDocument, read_annotated, remap
from ..models.errors import UsageError
from ..models.evaluation import (
    Report,
    compare,
    difference_lines,
    differences,
    term_finder,
)
from ..models.evaluation.comparison import FindTerms, align
from ..models.evaluation.error_list import error_page, list_errors
from ..models.evaluation.html import page
from ..models.mapping import load_map
from ..models.tokenizing import tokenize_documents
from ..models.training.dial import Row, sweep
from ..models.version import VERSION
from .dialling import curve_json, curve_plot, curve_table
from .inputs import asked_by
from .new_files import require_new, write_new


def evaluate(asked: argparse.Namespace) -> str:
    """The report as a table or as JSON; writes the page that is asked for.

    Args:
        asked: the parsed command line of `scrubline evaluate`.

    Raises:
        UsageError: if the sides do not hold the same documents, or an option cannot be used.
    """
    if asked.show_text and not asked.html:
        raise UsageError("--show-text is about the page: give --html FILE with it")
    if asked.resamples < 0 or asked.seed < 0:
        raise UsageError("--resamples and --seed take whole numbers from 0")
    for option, path in (("--html", asked.html), ("--list-errors", asked.list_errors)):
        require_new(path, option)
    if asked.list_errors and asked.predicted is None:
        raise UsageError("--list-errors needs what was predicted")
    if asked.predicted is None and not asked.dial:
        raise UsageError("say what was predicted, or which bundle's curve to draw with --dial")
    find_terms = _terms(asked.clinical_terms)
    with asked_by("gold"):
        gold = _documents(asked.gold, asked.label_map)
    rows = sweep(open_bundle(asked.dial), gold) if asked.dial else []
    if asked.predicted is None:
        return _curve_alone(asked, rows)

    def scored(url: str, name: str) -> tuple[list[AnnotatedDocument], Report]:
        with asked_by(name):
            predicted = _documents(url, asked.predicted_label_map)
        report = compare(
            gold,
            predicted,
            ignore=tuple(asked.ignore or ()),
            find_terms=find_terms,
            resamples=asked.resamples,
            seed=asked.seed,
        )
        return predicted, report

    predicted, first = scored(asked.predicted, "predicted")
    second = scored(asked.against, "--against")[1] if asked.against else None
    found = differences(first, second) if second else ()
    if asked.list_errors:
        both = align(gold, predicted, tokenize_documents, ignore=tuple(asked.ignore or ()))
        write_new(asked.list_errors, error_page(list_errors(both)).encode(), "--list-errors")
    if asked.html:
        shown = (gold, predicted) if asked.show_text else None
        curve = curve_plot(rows) if rows else None
        facts = _facts(asked)
        write_new(
            asked.html, page(first, second, found, facts=facts, shown=shown, curve=curve), "--html"
        )
    if asked.json:
        whole = first.as_json() | {"options": _facts(asked)}
        if second:
            whole["against"] = second.as_json()
            whole["differences"] = [one.as_json() for one in found]
        if rows:
            whole["curve"] = curve_json(rows)
        return json.dumps(whole, indent=1)
    told = [first.as_table()]
    if second:
        told.append("\n".join(difference_lines(found)) + "\n")
    if rows:
        told.append(curve_table(rows) + "\n")
    return "\n".join(told)


def _curve_alone(asked: argparse.Namespace, rows: Sequence[Row]) -> str:
    if asked.against or asked.html:
        raise UsageError("--against and --html need what was predicted; `dial --svg` draws a curve")
    return json.dumps({"curve": curve_json(rows)}, indent=1) if asked.json else curve_table(rows)


def _documents(url: str, label_map: str | None) -> list[AnnotatedDocument]:
    documents = list(read_annotated(url))
    if label_map is None:
        return documents
    mapping = load_map(label_map)
    return [remap(document, mapping.apply) for document in documents]


def _terms(names: Sequence[str] | None) -> FindTerms | None:
    """The finder of the lists asked for; None for the shipped ones."""
    if not names:
        return None
    try:
        lists = {
            name if name in DICTIONARIES else f"list {number}": load(name).phrases
            for number, name in enumerate(names, 1)
        }
    except DictionaryError as error:
        raise UsageError(f"--clinical-terms: {error}") from None
    return term_finder(lists)


def _facts(asked: argparse.Namespace) -> dict[str, str]:
    """How it was computed; never what the files are called, which may be PHI."""
    facts = {
        "version": VERSION,
        "resamples": str(asked.resamples),
        "seed": str(asked.seed),
    }
    if asked.ignore:
        facts["ignored labels"] = ", ".join(sorted(asked.ignore))
    for option in ("label_map", "predicted_label_map"):
        if name := getattr(asked, option):
            facts[option.replace("_", " ")] = load_map(name).source
    shipped = [name for name in asked.clinical_terms or () if name in DICTIONARIES]
    own = len(asked.clinical_terms or ()) - len(shipped)
    facts["clinical terms"] = (
        ", ".join([*shipped, *([f"{own} own lists"] if own else [])]) or "shipped lists"
    )
    return facts
