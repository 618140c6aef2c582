"""Commands that measure: evaluate, study."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from ...options.command_line import add_named
from .shared import describe, share


def add_evaluate(parser: ArgumentParser) -> None:
    """Adds the options and the help of `evaluate`."""
    describe(
        parser,
        "GOLD PREDICTED [OPTIONS]\n       scrubline evaluate GOLD --dial BUNDLE [OPTIONS]",
        "Shows what matters for a release (PHI characters found, documents with a leak, strict F1) "
        "and the strict spans by label; with --all also clinical terms destroyed and the metrics "
        "of i2b2 2014 and 2006, CoNLL, MEDDOCAN, HIDE and WI-deId. Intervals come from a bootstrap "
        "over documents, or are Wilson's where that has no variance. Labels are compared as they "
        "are; a metric that needs other labels is left out, with a note. If the predicted "
        "documents give their cover (`annotate --cover`), leaks and label-blind scores are "
        "measured by it. docs/evaluation.md explains each number.",
        "scrubline evaluate gold.jsonl predicted.jsonl",
        "scrubline evaluate gold.jsonl predicted.jsonl --all",
        "scrubline evaluate gold.jsonl predicted.jsonl --ignore PROFESSION --json",
        "scrubline evaluate gold.jsonl old.jsonl --against new.jsonl --html report.html",
        "scrubline evaluate meddocan/ predicted.jsonl --label-map meddocan",
        "scrubline evaluate records.jsonl predicted.jsonl --roster roster/ --key-file key.txt",
    )
    parser.add_argument("gold", metavar="GOLD", help="a corpus in any format that `convert` reads")
    parser.add_argument(
        "predicted",
        nargs="?",
        metavar="PREDICTED",
        help="the same documents with predicted spans, for example from `scrubline annotate`",
    )
    _add_comparison(parser)
    _add_evaluation_output(parser)


def _add_comparison(parser: Any) -> None:
    """Options of `evaluate` that say what is compared, and how."""
    group = parser.add_argument_group("what is compared")
    group.add_argument(
        "--dial",
        metavar="NAME|URL",
        help="a bundle: plot its recall against its precision on the gold notes, by bias of O",
    )
    group.add_argument(
        "--against",
        metavar="URL",
        help="a second prediction of the same documents: show how it differs from the first, and "
        "whether that may be chance",
    )
    group.add_argument(
        "--ignore",
        action="append",
        metavar="LABEL",
        help="leave a label out on both sides; repeatable",
    )
    group.add_argument(
        "--label-map", metavar="NAME|URL", help="map the labels of the gold spans first"
    )
    group.add_argument(
        "--predicted-label-map",
        metavar="NAME|URL",
        help="map the labels of the predicted spans first, those of --against too",
    )
    group.add_argument(
        "--clinical-terms",
        action="append",
        metavar="NAME|URL",
        help="list of clinical phrases that should stay, one per line (default: the shipped "
        "medical words and eponyms); repeatable",
    )
    add_named(group, "evaluate", "roster", "key-file")
    share(group, "--patient")
    group.add_argument(
        "--resamples",
        type=int,
        default=1000,
        metavar="N",
        help="resamples of the bootstrap; 0 for no intervals (default: %(default)s)",
    )
    group.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="N",
        help="seed of the bootstrap (default: %(default)s)",
    )


def _add_evaluation_output(parser: Any) -> None:
    """Options of `evaluate` that say what is written."""
    group = parser.add_argument_group("output")
    group.add_argument("--all", action="store_true", help="show all metrics, in groups")
    share(group, "--json")
    group.add_argument(
        "--html",
        metavar="FILE",
        help="also write a page with all metrics and plots; must not exist",
    )
    group.add_argument(
        "--list-errors",
        metavar="FILE",
        help="write every error with the words around it, by kind and label; the file contains "
        "PHI, and must not exist",
    )
    group.add_argument(
        "--show-text",
        action="store_true",
        help="show ids and texts of the worst documents on the page of --html: it then contains "
        "PHI",
    )


def add_study(parser: ArgumentParser) -> None:
    """Adds the options and the help of `study`."""
    describe(
        parser,
        "NAME ... --train URL --test URL --work FOLDER --output FOLDER [OPTIONS]\n"
        "       scrubline study list",
        "Each study gives a page, a CSV file per table and an SVG file per plot, which compare the "
        "results with the paper's. Trained folds are kept in --work: a study that was stopped "
        "continues there, and studies share what they train. `study list` names all studies.",
        "scrubline study list",
        "scrubline study hide-features hide-window --train train.jsonl \\\n"
        "           --test dev.jsonl --corpus meddocan --language es --label-map meddocan \\\n"
        "           --work work --output pages",
        "scrubline study all --quick --train demo/gold/train.jsonl \\\n"
        "           --test demo/gold/dev.jsonl --corpus demo --output build/studies",
    )
    parser.add_argument("study", nargs="+", metavar="NAME", help="a study, `all`, or `list`")
    parser.add_argument(
        "--train", action="append", metavar="URL", help="annotated notes to train on; repeatable"
    )
    parser.add_argument(
        "--test", action="append", metavar="URL", help="annotated notes to score; repeatable"
    )
    parser.add_argument("--corpus", metavar="NAME", help="name of the corpus on the pages")
    parser.add_argument(
        "--language",
        default="en",
        metavar="NAME",
        help="language of the lists: en or es (default: %(default)s)",
    )
    parser.add_argument(
        "--label-map", metavar="NAME|URL", help="map the corpus' labels to native ones"
    )
    parser.add_argument(
        "--part",
        dest="parts",
        action="append",
        metavar="FOLDER",
        help="an auxiliary model (`scrubline part`); features of missing ones are left out; "
        "repeatable",
    )
    parser.add_argument(
        "--nursing",
        action="append",
        metavar="URL",
        help="annotated English nursing notes for the figures of HIDE on PhysioNet's, such as its "
        "id.text (default: generated ones); repeatable",
    )
    parser.add_argument("--output", metavar="FOLDER", help="folder for the pages")
    parser.add_argument(
        "--work",
        metavar="FOLDER",
        help="folder that keeps trained folds; it holds no text, but the positions of PHI",
    )
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="processes (default: %(default)s)"
    )
    parser.add_argument(
        "--quick", action="store_true", help="a short trial run; its figures mean nothing"
    )
