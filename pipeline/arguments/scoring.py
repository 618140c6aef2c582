"""Commands that measure: evaluate, study."""

from __future__ import annotations

from typing import Any

from .shared import command, share


def add_evaluate(commands: Any) -> None:
    """Adds the command `evaluate`."""
    parser = command(
        commands,
        "evaluate",
        "score predicted spans against gold ones",
        "First what matters to a release: PHI characters found, documents with any leak, strict\n"
        "F1, clinical terms destroyed; then the numbers of i2b2 2014 and 2006, CoNLL, MEDDOCAN,\n"
        "HIDE and WI-deId. Intervals are by bootstrap over documents, or Wilson's where that has\n"
        "no variance. Labels are taken as they are: a metric that needs others is left out, and\n"
        "that is said. Where the predicted documents tell their cover (`annotate --cover`), leaks\n"
        "and label-blind scores are of it.\n"
        "docs/evaluation.md says what each number is.\n\n"
        "example: scrubline evaluate gold.jsonl predicted.jsonl\n"
        "example: scrubline evaluate gold.jsonl predicted.jsonl --ignore PROFESSION --json\n"
        "example: scrubline evaluate gold.jsonl old.jsonl --against new.jsonl --html report.html\n"
        "example: scrubline evaluate meddocan/ predicted.jsonl --label-map meddocan",
    )
    parser.add_argument("gold", help="a corpus in any form that `convert` reads")
    parser.add_argument(
        "predicted", nargs="?", help="another, for example from `scrubline annotate`"
    )
    parser.add_argument(
        "--dial",
        metavar="NAME|URL",
        help="a bundle: draws its recall against its precision on the gold notes, for biases of O",
    )
    parser.add_argument(
        "--against",
        metavar="URL",
        help="a second prediction of the same documents: how it differs from the first, and "
        "whether that may be chance",
    )
    parser.add_argument(
        "--ignore", action="append", metavar="LABEL", help="labels to leave out on both sides"
    )
    parser.add_argument("--label-map", metavar="NAME|URL", help="applied to the gold labels")
    parser.add_argument(
        "--predicted-label-map",
        metavar="NAME|URL",
        help="applied to the predicted labels, of both predictions",
    )
    parser.add_argument(
        "--clinical-terms",
        action="append",
        metavar="NAME|URL",
        help="list of clinical phrases, one a line, that should stay; may be repeated; default the "
        "shipped medical words and eponyms",
    )
    parser.add_argument(
        "--resamples",
        type=int,
        default=1000,
        metavar="N",
        help="of the bootstrap; 0 for no intervals; default 1000",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of it; default 0")
    share(parser, "--json")
    parser.add_argument(
        "--html", metavar="FILE", help="also write one page with plots; it must not exist"
    )
    parser.add_argument(
        "--list-errors",
        metavar="FILE",
        help="write every error with the words around it, by kind and label; holds PHI, and must "
        "not exist",
    )
    parser.add_argument(
        "--show-text",
        action="store_true",
        help="show ids and texts of the worst documents on that page: it is then PHI",
    )


def add_study(commands: Any) -> None:
    """Adds the command `study`."""
    parser = command(
        commands,
        "study",
        "make the papers' tables and figures again on a corpus of yours",
        "For each study a page, a CSV a table and an SVG a plot, which put what was found\n"
        "beside what the paper claims. Trained folds are kept in --work: a study that was\n"
        "stopped goes on where it was, and studies share what they train. `study list` names\n"
        "all studies.\n\n"
        "example: scrubline study list\n"
        "example: scrubline study hide-features hide-window --train train.jsonl \\\n"
        "           --test dev.jsonl --corpus meddocan --language es --label-map meddocan \\\n"
        "           --work work --output pages\n"
        "example: scrubline study all --quick --train demo/gold/train.jsonl \\\n"
        "           --test demo/gold/dev.jsonl --corpus demo --output build/studies",
    )
    parser.add_argument("study", nargs="+", metavar="NAME", help="a study, `all`, or `list`")
    for option in ("--train", "--test"):
        parser.add_argument(
            option, action="append", metavar="URL", help="annotated notes; may be repeated"
        )
    parser.add_argument("--corpus", metavar="NAME", help="what pages call the corpus")
    parser.add_argument(
        "--language", default="en", metavar="NAME", help="whose lists: en (default) or es"
    )
    parser.add_argument("--label-map", metavar="NAME|URL", help="the corpus' labels -> native ones")
    parser.add_argument(
        "--part",
        dest="parts",
        action="append",
        metavar="FOLDER",
        help="a language part; may be repeated; features of parts that are not there are left out",
    )
    parser.add_argument("--output", metavar="FOLDER", help="for the pages")
    parser.add_argument(
        "--work", metavar="FOLDER", help="keeps what is trained; holds no text, but places of PHI"
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes; default 1")
    parser.add_argument(
        "--quick", action="store_true", help="a look at whether it runs; figures mean nothing"
    )
