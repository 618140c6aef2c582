"""Commands that make taggers: train, dial."""

from __future__ import annotations

import argparse
from typing import Any

from .shared import command


def add_train(commands: Any) -> None:
    """Adds the command `train`."""
    parser = command(
        commands,
        "train",
        "train a bundle on your own annotated notes",
        "A corpus is stand-off JSON Lines, {doc_id, text, spans: [{start, end, label}]} a line,\n"
        "or any other form that `scrubline convert --help` names. docs/training.md has the whole\n"
        "story: few notes, choosing settings, recall.\n\n"
        "Keep three sets of notes apart, by patient: those trained on (--corpus), those that set\n"
        "the recall (--held-back), and those that score the result (--held-out).\n\n"
        "A first model:\n"
        "example: scrubline train --corpus train.jsonl --recipe hide --name mine \\\n"
        "  --output bundles/mine\n"
        "How good will it be? (trains five models, writes none):\n"
        "example: scrubline train --corpus train.jsonl --folds 5 --group-by patient --jobs 4\n"
        "Choose settings, go on after a stop, then train the best on all notes:\n"
        "example: scrubline train --corpus train.jsonl --search c1=0.05,0.1,0.2 \\\n"
        "  --search c2=0.01,0.1 --work work --search-report report.md --jobs 4 \\\n"
        "  --name mine --output bundles/mine\n"
        "Your own notes beside those that a shipped bundle was trained on:\n"
        "example: scrubline train --from-bundle en-default --add my-notes.jsonl \\\n"
        "  --held-out test.jsonl --name mine --output bundles/mine\n"
        "The biases that 98.5 % of the PHI characters need:\n"
        "example: scrubline train --corpus train.jsonl --held-back dial.jsonl --recall 0.985 \\\n"
        "  --held-out test.jsonl --name mine --output bundles/mine",
    )
    parser.add_argument("--corpus", action="append", metavar="URL", help="may be repeated")
    parser.add_argument(
        "--mapped-corpus",
        nargs=2,
        action="append",
        metavar=("URL", "MAP"),
        help="a further corpus, its labels mapped to native ones first; may be repeated",
    )
    parser.add_argument(
        "--synth",
        metavar="SEED:NOTES",
        help="train on so many generated notes as well, those of `scrubline synth`",
    )
    parser.add_argument(
        "--from-bundle",
        metavar="NAME|URL",
        help="recipe, settings, lists, label map, biases (unless the learner is another) and "
        "generated notes of this bundle, for --add",
    )
    parser.add_argument(
        "--add",
        action="append",
        metavar="URL",
        help="your own annotated notes, weighted against the others; may be repeated",
    )
    parser.add_argument(
        "--weight",
        type=int,
        metavar="N",
        help="each note of --add counts N times; default: so that they are a third of the text, "
        "1 to 20",
    )
    parser.add_argument(
        "--recipe",
        metavar="NAME",
        help="hide (if none is named), wi-deid, hitsz, or `default`, our best and slower: "
        "docs/recipes.md",
    )
    parser.add_argument(
        "--language",
        default="en",
        metavar="NAME",
        help="whose lists the recipe sees: en (default) or es",
    )
    parser.add_argument(
        "--part",
        dest="parts",
        action="append",
        metavar="FOLDER",
        help="a language part that the recipe asks for (`scrubline part`); may be repeated",
    )
    parser.add_argument(
        "--without-part",
        dest="without_parts",
        action="append",
        metavar="NAME",
        help="leave out features made from a part, or `all`; may be repeated",
    )
    parser.add_argument("--name", metavar="NAME", help="of the bundle")
    parser.add_argument(
        "--output",
        metavar="FOLDER",
        help="where to write the bundle; must not exist; without it --folds or --search measures",
    )
    parser.add_argument(
        "--held-out",
        action="append",
        metavar="URL",
        help="annotated notes that are not trained on: scored, for the card; may be repeated",
    )
    parser.add_argument(
        "--label-map", metavar="NAME|URL", help="own labels -> native ones, for policies"
    )
    parser.add_argument(
        "--credit", metavar="TEXT", help="for the card: what it was trained on, and its licence"
    )
    parser.add_argument(
        "--curve", metavar="FILE", help="draw the loss by iteration, as SVG; the card lists it"
    )
    _add_recipe_changes(parser)
    _add_search(parser)
    _add_dial_of_training(parser)


def _add_recipe_changes(parser: argparse.ArgumentParser) -> None:
    """Options of `train` that change the recipe."""
    how = parser.add_argument_group("what is learned, and how")
    how.add_argument(
        "--fast",
        action="store_true",
        help="averaged perceptron, 20 rounds: about a ninth of the time for 0.002 of F1, from "
        "some hundred notes on; best with --sequence line; scores of spans are uncalibrated",
    )
    how.add_argument(
        "--algorithm", metavar="NAME", help="lbfgs or averaged-perceptron; default the recipe's"
    )
    how.add_argument(
        "--set",
        dest="parameters",
        action="append",
        metavar="NAME=VALUE",
        help="learner's parameter: max_iterations=100, c1 (L1: small models), c2 (L2), "
        "feature.minfreq=2 (forget what was seen once)...",
    )
    how.add_argument(
        "--sequence",
        metavar="NAME",
        help="what is labelled as one: document, sentence or line; default the recipe's",
    )
    how.add_argument(
        "--dictionary",
        dest="dictionaries",
        action="append",
        metavar="NAME|URL",
        help="default the recipe's; `none` for none",
    )
    how.add_argument(
        "--dictionary-from",
        action="append",
        metavar="NAME=LIST",
        help="wi-deid makes its dictionaries from lists and training spans: take this list for the"
        " dictionary NAME; may be repeated; `none` for training spans alone",
    )
    how.add_argument(
        "--leave-out",
        action="append",
        metavar="KIND",
        help="leave out features of a kind: word, prefix, suffix, gazetteer...; may be repeated",
    )
    how.add_argument(
        "--sampling",
        metavar="HOW",
        help="for recall: random:0.3 learns from 30 %% of what is not PHI, window:20 from 20 "
        "tokens on either side of PHI; default all, or the recipe's",
    )
    how.add_argument(
        "--max-size",
        type=float,
        metavar="MB",
        help="leave out the smallest weights until the model files fit",
    )
    how.add_argument(
        "--cache",
        metavar="FOLDER",
        help="keep features here for the next training; holds words of the notes",
    )


def _add_search(parser: argparse.ArgumentParser) -> None:
    """Options of `train` that measure and choose."""
    search = parser.add_argument_group("cross-validation and search")
    search.add_argument(
        "--folds",
        type=int,
        metavar="K",
        help="cross-validate by document; default 3 with --search",
    )
    search.add_argument(
        "--group-by",
        metavar="KEY",
        help="documents with the same value of this key of their meta stay in one fold, for "
        "example the patient's; default each document for itself",
    )
    search.add_argument(
        "--search",
        action="append",
        metavar="NAME=V,V,...",
        help="values to try: a learner's parameter, leave_out=none,gazetteer,prefix+suffix or "
        "sampling=all,random:0.3; repeated: all combinations. The best mean strict F1 is trained",
    )
    search.add_argument(
        "--search-report", metavar="FILE", help="write the table; .json or Markdown"
    )
    search.add_argument(
        "--predicted",
        metavar="FILE",
        help="write what the best setting found in each document while it was held out, as a "
        "corpus for `scrubline evaluate`; holds the texts",
    )
    search.add_argument(
        "--work",
        metavar="FOLDER",
        help="keep each finished fold here; the same command goes on where it stopped",
    )
    search.add_argument(
        "--jobs",
        type=int,
        default=1,
        metavar="N",
        help="processes for the folds, each with a copy of its part; changes no result; default 1",
    )


def _add_dial_of_training(parser: argparse.ArgumentParser) -> None:
    """Options of `train` that set biases."""
    dial = parser.add_argument_group("the recall dial")
    dial.add_argument(
        "--bias",
        dest="biases",
        action="append",
        metavar="LABEL=VALUE",
        help="added to a label's score before decoding; above 0 finds more of it; O for none",
    )
    _add_recalls(dial)
    dial.add_argument(
        "--held-back",
        action="append",
        metavar="URL",
        help="annotated notes, neither trained on nor scored, on which --recall is measured; may "
        "be repeated",
    )


def add_dial(commands: Any) -> None:
    """Adds the command `dial`."""
    parser = command(
        commands,
        "dial",
        "turn a bundle's recall up, or draw recall against precision",
        "Biases are added to the scores of labels before decoding. --recall finds the least that\n"
        "reach a recall on annotated notes held back; these should be neither those that it was\n"
        "trained on nor those that score it. A recall that cannot be reached is told, with exit\n"
        "code 2, and nothing is written. Rules have no part in it: the taggers alone are\n"
        "measured, in the labels of the bundle.\n\n"
        "example: scrubline dial bundles/mine/ --on held.jsonl --curve --svg curve.svg\n"
        "example: scrubline dial bundles/mine/ --on held.jsonl --recall 0.985 \\\n"
        "           --recall PATIENT=0.99 --output bundles/mine-985",
    )
    parser.add_argument("bundle", metavar="NAME|URL", help="the bundle; stays as it is")
    parser.add_argument(
        "--on",
        action="append",
        required=True,
        metavar="URL",
        help="annotated notes held back; may be repeated",
    )
    _add_recalls(parser)
    parser.add_argument(
        "--output", metavar="FOLDER", help="where to write the bundle; must not exist"
    )
    parser.add_argument("--curve", action="store_true", help="print scores for biases of O")
    parser.add_argument("--svg", metavar="FILE", help="draw the curve")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")


def _add_recalls(parser: Any) -> None:
    parser.add_argument(
        "--recall",
        dest="recalls",
        action="append",
        metavar="SHARE|LABEL=SHARE",
        help="find the least biases that reach it: of all PHI whatever its label, or of the "
        "characters of one label; may be repeated",
    )
    parser.add_argument(
        "--recall-by",
        choices=("character", "token"),
        default="character",
        help="whether --recall SHARE counts characters (default) or tokens",
    )
