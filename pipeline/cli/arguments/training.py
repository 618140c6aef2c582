"""Commands that make taggers: train, next, dial."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser
from typing import Any

from ...options.command_line import add_named
from .shared import describe


class _RecipeHelp(str):
    """Help that lists the recipes; it imports their table, which is heavy, only when printed."""

    __slots__ = ()

    def __mod__(self, values: object) -> str:
        """What argparse prints."""
        from ....models.recipes import DEFAULT_RECIPE, recipe_help

        return f"one of {recipe_help()}; default {DEFAULT_RECIPE}; see docs/recipes.md"


def add_train(parser: ArgumentParser) -> None:
    """Adds the options and the help of `train`."""
    describe(
        parser,
        "--corpus URL --name NAME --output FOLDER [OPTIONS]",
        "A corpus is standoff JSON Lines, {doc_id, text, spans: [{start, end, label}]} per line, "
        "or any other format that `scrubline convert --help` names. docs/training.md explains "
        "how few notes are enough, how to choose settings, and recall.\n\n"
        "Keep three sets of notes apart, by patient: those to train on (--corpus), those that set "
        "the recall (--tune-on), and those that score the result (--held-out).\n\n"
        "The examples: a first model; how good a model will be (five models are trained, none is "
        "written); a search for the best settings, which can be stopped and continued, then "
        "training on all notes; your own notes together with those of a shipped bundle; the biases "
        "that 98.5 % recall of PHI characters needs.",
        "scrubline train --corpus train.jsonl --recipe hide --name mine \\\n"
        "           --output bundles/mine",
        "scrubline train --corpus train.jsonl --folds 5 --group-by patient --jobs 4",
        "scrubline train --corpus train.jsonl --search c1=0.05,0.1,0.2 \\\n"
        "           --search c2=0.01,0.1 --work work --search-report report.md --jobs 4 \\\n"
        "           --name mine --output bundles/mine",
        "scrubline train --from-bundle en-default --add my-notes.jsonl \\\n"
        "           --held-out test.jsonl --name mine --output bundles/mine",
        "scrubline train --corpus train.jsonl --tune-on dial.jsonl --recall 0.985 \\\n"
        "           --held-out test.jsonl --name mine --output bundles/mine",
    )
    _add_corpora(parser)
    _add_bundle(parser)
    _add_recipe_changes(parser)
    _add_search(parser)
    _add_dial_of_training(parser)


def _add_corpora(parser: Any) -> None:
    """Options of `train` that say what is learned from and what it is scored on."""
    group = parser.add_argument_group("notes")
    group.add_argument(
        "--corpus", action="append", metavar="URL", help="annotated notes to train on; repeatable"
    )
    group.add_argument(
        "--mapped-corpus",
        nargs=2,
        action="append",
        metavar=("URL", "MAP"),
        help="a further corpus, whose labels are mapped to native ones first; repeatable",
    )
    group.add_argument(
        "--synth",
        metavar="SEED:NOTES",
        help="also train on this many generated notes, those of `scrubline synth`",
    )
    group.add_argument(
        "--from-bundle",
        metavar="NAME|URL",
        help="for --add: take recipe, settings, lists, label map, generated notes and (with the "
        "same learner) biases of this bundle",
    )
    group.add_argument(
        "--add",
        action="append",
        metavar="URL",
        help="your own annotated notes, weighted against the others; repeatable",
    )
    group.add_argument(
        "--weight",
        type=int,
        metavar="N",
        help="count each note of --add N times (default: so that they are a third of the text, "
        "1 to 20)",
    )
    group.add_argument(
        "--held-out",
        action="append",
        metavar="URL",
        help="annotated notes that are not trained on, but scored for the card; repeatable",
    )


def _add_bundle(parser: Any) -> None:
    """Options of `train` that say which recipe is trained, and what is written."""
    group = parser.add_argument_group("recipe and bundle")
    group.add_argument(
        "--recipe",
        metavar="NAME",
        help=_RecipeHelp("see the table of recipes"),
    )
    group.add_argument(
        "--language",
        default="en",
        metavar="NAME",
        help="language of the recipe's lists: en or es (default: %(default)s)",
    )
    group.add_argument(
        "--part",
        dest="parts",
        action="append",
        metavar="FOLDER",
        help="an auxiliary model that the recipe uses (`scrubline part`); repeatable",
    )
    group.add_argument(
        "--without-part",
        dest="without_parts",
        action="append",
        metavar="NAME",
        help="leave out the features of an auxiliary model, or of `all`; repeatable",
    )
    group.add_argument("--name", metavar="NAME", help="name of the bundle")
    group.add_argument(
        "--output",
        metavar="FOLDER",
        help="folder for the bundle; must not exist. Without it, --folds or --search only measure",
    )
    group.add_argument(
        "--label-map", metavar="NAME|URL", help="map your labels to native ones, for policies"
    )
    group.add_argument(
        "--credit",
        metavar="TEXT",
        help="for the card: what the bundle was trained on, and under which licence",
    )
    group.add_argument(
        "--curve",
        metavar="FILE",
        help="plot the loss by iteration, as SVG; the card lists it too",
    )


def _add_recipe_changes(parser: Any) -> None:
    """Options of `train` that change the recipe."""
    group = parser.add_argument_group("what is learned, and how")
    group.add_argument(
        "--fast",
        action="store_true",
        help="averaged perceptron, 20 rounds: about a ninth of the time for 0.002 of F1, from "
        "some hundred notes on; best with --sequence line; scores of spans are uncalibrated",
    )
    group.add_argument(
        "--algorithm",
        metavar="NAME",
        help="lbfgs (small models), averaged-perceptron (faster, larger models) linear-svm "
        "(each token by itself; needs scikit-learn) or boosted-trees (recipe szeged alone); "
        "default: the recipe's",
    )
    group.add_argument(
        "--set",
        dest="parameters",
        action="append",
        metavar="NAME=VALUE",
        help="parameter of the learner: max_iterations=100, c1 (L1: small models), c2 (L2), "
        "feature.minfreq=2 (drop features seen once), parts=2 (mix the weights of two perceptrons, "
        "each of half of the notes)...; repeatable",
    )
    group.add_argument(
        "--sequence",
        metavar="NAME",
        help="what is labelled as one sequence: document, sentence or line (default: the recipe's)",
    )
    group.add_argument(
        "--dictionary",
        dest="dictionaries",
        action="append",
        metavar="NAME|URL",
        help="a dictionary in place of the recipe's, or `none`; repeatable",
    )
    group.add_argument(
        "--dictionary-from",
        action="append",
        metavar="NAME=LIST",
        help="wi-deid makes its dictionaries from lists and training spans: take this list for the "
        "dictionary NAME; `none` for training spans alone; repeatable",
    )
    group.add_argument(
        "--leave-out",
        action="append",
        metavar="KIND",
        help="leave out features of a kind: word, prefix, suffix, gazetteer...; repeatable",
    )
    group.add_argument(
        "--sampling",
        metavar="HOW",
        help="for recall: random:0.3 learns from 30 %% of what is not PHI, window:20 from 20 "
        "tokens on either side of PHI (default: all, or the recipe's)",
    )
    group.add_argument(
        "--max-size",
        type=float,
        metavar="MB",
        help="drop the smallest weights until the model files fit",
    )
    group.add_argument(
        "--cache",
        metavar="FOLDER",
        help="keep features here for the next training; the folder holds words of the notes",
    )


def _add_search(parser: Any) -> None:
    """Options of `train` that measure and choose."""
    group = parser.add_argument_group("cross-validation and search")
    group.add_argument(
        "--folds",
        type=int,
        metavar="K",
        help="cross-validate by document (default: 3 with --search)",
    )
    group.add_argument(
        "--group-by",
        metavar="KEY",
        help="keep documents with the same value of this key of their meta in one fold, for "
        "example those of a patient (default: any document in any fold)",
    )
    group.add_argument(
        "--search",
        action="append",
        metavar="NAME=V,V,...",
        help="values to try: of a learner's parameter, leave_out=none,gazetteer,prefix+suffix or "
        "sampling=all,random:0.3; repeat for all combinations. The best mean strict F1 is trained",
    )
    group.add_argument(
        "--search-report", metavar="FILE", help="write the table of results, .json or Markdown"
    )
    group.add_argument(
        "--predicted",
        metavar="FILE",
        help="write what the best setting found in each document while it was held out, as a "
        "corpus for `scrubline evaluate`; the file contains the texts",
    )
    group.add_argument(
        "--work",
        metavar="FOLDER",
        help="keep each finished fold here; the same command continues after a stop",
    )
    group.add_argument(
        "--jobs",
        type=int,
        default=1,
        metavar="N",
        help="processes for the folds, each with a copy of its notes; results stay the same "
        "(default: %(default)s)",
    )


def _add_dial_of_training(parser: Any) -> None:
    """Options of `train` that set biases."""
    group = parser.add_argument_group("recall")
    group.add_argument(
        "--bias",
        dest="biases",
        action="append",
        metavar="LABEL=VALUE",
        help="added to a label's score before decoding; above 0 finds more of it; O stands for no "
        "label; repeatable",
    )
    _add_recalls(group)
    group.add_argument(
        "--tune-on",
        action="append",
        metavar="URL",
        help="annotated notes, neither trained on nor scored, on which --recall is measured; "
        "repeatable",
    )
    # Its name until 0.10.0, too like --held-out.
    group.add_argument("--held-back", dest="tune_on", action="append", help=SUPPRESS)


def add_next(parser: ArgumentParser) -> None:
    """Adds the options and the help of `next`."""
    describe(
        parser,
        "--from OUT --output FILE --key-file KEYFILE [OPTIONS]",
        "Writes notes that nobody has read yet, with what the run removed of each as its first "
        "spans, as stand-off JSON Lines: correct them in any tool, then train with --add. The "
        "first 25 are chosen at random, which finds more; after them four of five by how "
        "uncertain the model is of each token, the others at random. Left out are notes that were "
        "read in the find queue of `scrubline review`, those of --done, and all of a campaign "
        "that certifies something. The file holds the original texts: PHI, for you alone. Each "
        "text is recorded as for `scrubline review export`. See docs/training.md.",
        "scrubline next --from out/ --count 25 --key-file key.txt --output batch-1.jsonl",
        "scrubline next --from out/ --key-file key.txt --done batch-1.jsonl --output batch-2.jsonl",
        "scrubline train --from-bundle en-default --add batch-1.jsonl --add batch-2.jsonl \\\n"
        "           --name mine --output bundles/mine",
    )
    parser.add_argument(
        "--from",
        dest="published",
        required=True,
        metavar="OUT",
        help="published output; its inputs must be where the run read them, as they were",
    )
    parser.add_argument(
        "--count", type=int, default=25, metavar="N", help="notes (default: %(default)s)"
    )
    parser.add_argument("--output", required=True, metavar="FILE", help="new file")
    parser.add_argument(
        "--done",
        action="append",
        default=[],
        metavar="FILE",
        help="an earlier batch: its notes count as read, and are left out; repeatable",
    )
    parser.add_argument(
        "--reviewer",
        default="next",
        metavar="NAME",
        help="who is shown the texts, for the record of accesses (default: %(default)s)",
    )
    add_named(parser, "next", "key-file")


def add_dial(parser: ArgumentParser) -> None:
    """Adds the options and the help of `dial`."""
    describe(
        parser,
        "BUNDLE --on URL [OPTIONS]",
        "Biases are added to the scores of labels before decoding. --recall finds the smallest "
        "biases that reach a recall on annotated notes held back: notes that the bundle was "
        "neither trained on nor scored with. If a recall cannot be reached, the exit code is 2 "
        "and nothing is written. Only the taggers are measured, not the rules, in the labels of "
        "the bundle.",
        "scrubline dial bundles/mine/ --on held.jsonl --curve --svg curve.svg",
        "scrubline dial bundles/mine/ --on held.jsonl --recall 0.985 \\\n"
        "           --recall PATIENT=0.99 --output bundles/mine-985",
    )
    parser.add_argument("bundle", metavar="BUNDLE", help="name or URL; it is not changed")
    parser.add_argument(
        "--on",
        action="append",
        required=True,
        metavar="URL",
        help="annotated notes held back; repeatable",
    )
    _add_recalls(parser)
    parser.add_argument(
        "--output", metavar="FOLDER", help="folder for the new bundle; must not exist"
    )
    parser.add_argument("--curve", action="store_true", help="print scores for biases of O")
    parser.add_argument("--svg", metavar="FILE", help="plot the curve")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")


def _add_recalls(target: Any) -> None:
    target.add_argument(
        "--recall",
        dest="recalls",
        action="append",
        metavar="SHARE|LABEL=SHARE",
        help="find the smallest biases that reach this recall: of all PHI whatever its label, or "
        "of the characters of one label; repeatable",
    )
    target.add_argument(
        "--recall-by",
        choices=("character", "token"),
        default="character",
        help="what --recall SHARE counts (default: %(default)s)",
    )
