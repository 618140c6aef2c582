"""`scrubline evaluate`: scores predicted annotations against gold ones."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence

from ...dictionaries import DICTIONARIES, DictionaryError, load
from ...models.bundles.bundle import open_bundle
from ...models.core.errors import UsageError
from ...models.core.label_maps import load_map
from ...models.core.resources import shown_keys
from ...models.core.version import VERSION
from ...models.corpora import AnnotatedDocument, read_annotated, remap
from ...models.evaluation import (
    Report,
    ScoreDifference,
    compare,
    difference_lines,
    differences,
    term_finder,
)
from ...models.evaluation.comparison import FindTerms, align
from ...models.evaluation.error_list import error_page, list_errors
from ...models.evaluation.html import page
from ...models.evaluation.made_by import told
from ...models.text.tokenizer import tokenize_documents
from ...models.training.recall_tuning import CurvePoint, recall_curve
from ..options import options_from, said
from ..process.exit_codes import ExitCode
from ..process.logs import say
from ..process.stdout import show
from .dial import curve_json, curve_plot, curve_table
from .named_inputs import naming
from .new_files import require_new, write_new
from .roster_of_notes import roster_of_notes


def evaluate(args: argparse.Namespace) -> str:
    """The report as a table or as JSON; also writes the files that options name.

    Args:
        args: the parsed command line of `scrubline evaluate`.

    Raises:
        UsageError: if the sides do not hold the same documents, or an option cannot be used.
    """
    _check_options(args)
    find_terms = _terms(args.clinical_terms)
    options = options_from({}, said(args), command="evaluate")
    people = roster_of_notes(options.roster, options.key_source, args.patient)
    with naming("gold"):
        gold = _documents(args.gold, args.label_map)
    if not gold:
        raise UsageError("gold: has no documents, so there is nothing to compare")
    points = recall_curve(open_bundle(args.dial), gold) if args.dial else ()
    if args.predicted is None:
        return _curve_alone(args, points)

    def scored(url: str, name: str) -> tuple[list[AnnotatedDocument], Report]:
        with naming(name):
            predicted = _documents(url, args.predicted_label_map)
        report = compare(
            gold,
            predicted,
            ignore=tuple(args.ignore or ()),
            find_terms=find_terms,
            what_is_known=people and people.known,
            resamples=args.resamples,
            seed=args.seed,
        )
        return predicted, report

    predicted, first = scored(args.predicted, "predicted")
    if people is not None:
        people.tell()
    other, second = scored(args.against, "--against") if args.against else ((), None)
    _warn_of_unknown(args.ignore or (), (*gold, *predicted))
    found = differences(first, second) if second else ()
    if args.list_errors:
        both = align(gold, predicted, tokenize_documents, ignore=tuple(args.ignore or ()))
        write_new(args.list_errors, error_page(list_errors(both)).encode(), "--list-errors")
    made = [told(predicted), *([told(other)] if second else [])]
    if args.html:
        which = ("predictions", "second predictions")
        content = page(
            first,
            second,
            found,
            facts=_facts(args),
            compared=[f"{name}: {said}" for name, said in zip(which, made, strict=False)],
            shown=(gold, predicted) if args.show_text else None,
            curve=curve_plot(points) if points else None,
        )
        write_new(args.html, content, "--html")
    if args.json:
        whole = first.as_json() | {"options": _facts(args), "made_by": made}
        if second:
            whole["against"] = second.as_json()
            whole["differences"] = [difference.as_json() for difference in found]
        if points:
            whole["curve"] = curve_json(points)
        return json.dumps(whole, indent=1)
    return _as_text(first, found if second else None, points, whole=args.all)


def _as_text(
    report: Report,
    found: Sequence[ScoreDifference] | None,
    points: Sequence[CurvePoint],
    *,
    whole: bool,
) -> str:
    blocks = [report.as_table(whole=whole)]
    if found is not None:
        blocks.append("\n".join(difference_lines(found)) + "\n")
    if points:
        blocks.append(curve_table(points) + "\n")
    if not whole:
        blocks.append(f"--all shows all {len(report.metrics)} metrics, --html FILE makes a page\n")
    return "\n".join(blocks)


def _warn_of_unknown(ignored: Sequence[str], documents: Iterable[AnnotatedDocument]) -> None:
    """Warns of labels of --ignore that no span has."""
    labels = {span.label for document in documents for span in document.spans}
    if unknown := [label for label in dict.fromkeys(ignored) if label not in labels]:
        say(f"--ignore: no span has the label {shown_keys(unknown, unknown)}", "WARNING")


def _check_options(args: argparse.Namespace) -> None:
    """Refuses what can be refused before anything is read."""
    if args.show_text and not args.html:
        raise UsageError("--show-text needs --html FILE: it adds texts to that page")
    if args.resamples < 0 or args.seed < 0:
        raise UsageError("--resamples and --seed must be whole numbers, 0 or more")
    for option, path in (("--html", args.html), ("--list-errors", args.list_errors)):
        require_new(path, option)
    if args.list_errors and args.predicted is None:
        raise UsageError("--list-errors needs predicted annotations")
    if args.predicted is None and args.roster:
        raise UsageError("--roster needs predicted annotations")
    if args.predicted is None and not args.dial:
        raise UsageError("give PREDICTED, or --dial BUNDLE for the curve of a bundle")


def _curve_alone(args: argparse.Namespace, points: Sequence[CurvePoint]) -> str:
    if args.against or args.html:
        raise UsageError(
            "--against and --html need predicted annotations; `dial --svg` draws a curve"
        )
    return json.dumps({"curve": curve_json(points)}, indent=1) if args.json else curve_table(points)


def _documents(url: str, label_map: str | None) -> list[AnnotatedDocument]:
    documents = list(read_annotated(url))
    if label_map is None:
        return documents
    mapping = load_map(label_map)
    return [remap(document, mapping.apply) for document in documents]


def _terms(names: Sequence[str] | None) -> FindTerms | None:
    """Finds the terms of the given lists; None for the shipped ones."""
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


def _facts(args: argparse.Namespace) -> dict[str, str]:
    """How the report was computed; never file names, which may be PHI."""
    facts = {
        "version": VERSION,
        "resamples": str(args.resamples),
        "seed": str(args.seed),
    }
    if args.ignore:
        facts["ignored labels"] = ", ".join(sorted(args.ignore))
    for option in ("label_map", "predicted_label_map"):
        if name := getattr(args, option):
            facts[option.replace("_", " ")] = load_map(name).source
    shipped = [name for name in args.clinical_terms or () if name in DICTIONARIES]
    own = len(args.clinical_terms or ()) - len(shipped)
    facts["clinical terms"] = (
        ", ".join([*shipped, *([f"{own} own lists"] if own else [])]) or "shipped lists"
    )
    return facts


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Raises:
        UsageError: if what was asked for cannot be done.
    """
    show(evaluate(parsed))
    return ExitCode.DONE
