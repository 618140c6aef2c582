"""What each command takes, and what its help teaches. Nothing heavy is imported here."""

from __future__ import annotations

import argparse
import re
import sys
from typing import Any, NoReturn

REFUSED = 2
"""Exit code for bad usage."""

_EPILOG = """\
exit codes: 0 done, 1 failed but resumable, 2 bad usage or refused to start, 3 a gate held the run
back, 4 all is done and waits unpublished, as --hold asked.
The master key comes from --key-file or from the environment variable SCRUBLINE_KEY; make one with
`scrubline key new`. Credentials of object stores come from the environment, never from options."""


class _Parser(argparse.ArgumentParser):
    """Does not repeat values in its errors: a file's name in a wrong place is still a name."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        message = re.sub(
            r"(unrecognized arguments|ambiguous option|ignored explicit argument):? .*",
            r"\1",
            message,
        )
        message = re.sub(
            r"(invalid \S+ value|invalid choice): .*?(?= \(choose from|$)", r"\1", message
        )
        self.exit(REFUSED, f"{self.prog}: error: {message}\n")


def make_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line; `command` of what it gives is the command's name."""
    parser = _Parser(
        prog="scrubline",
        description="Removes protected health information from clinical text, with an audit log.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for add in (
        _add_scrub,
        _add_plan,
        _add_resume,
        _add_diff,
        _add_annotate,
        _add_verify,
        _add_inspect,
        _add_prune,
        _add_key,
        _add_train,
        _add_dial,
        _add_evaluate,
        _add_study,
        _add_convert,
        _add_synth,
        _add_policy,
        _add_dictionaries,
        _add_part,
    ):
        add(commands)
    return parser


def _command(commands: Any, name: str, help: str, more: str) -> Any:
    return commands.add_parser(
        name,
        help=help,
        description=f"{help[0].upper()}{help[1:]}.\n\n{more}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


_SHARED: dict[str, dict[str, Any]] = {
    "--input": {
        "dest": "inputs",
        "action": "append",
        "metavar": "URL",
        "help": "file, folder or glob; may be repeated",
    },
    "--model": {
        "dest": "models",
        "action": "append",
        "metavar": "NAME|URL",
        "help": "bundle; may be repeated; `none` for rules alone; default en-default",
    },
    "--key-file": {
        "metavar": "URL",
        "help": "the master key; default: the variable SCRUBLINE_KEY",
    },
    "--from": {
        "dest": "source_form",
        "metavar": "FORM",
        "help": "format of the input; default: by the names' endings, for .xml by the content",
    },
    "--to": {
        "dest": "target_form",
        "metavar": "FORM",
        "help": "format of the output; default: by its name's ending",
    },
}
"""Options that several commands take."""


def _share(parser: argparse.ArgumentParser, *names: str) -> None:
    for name in names:
        parser.add_argument(name, **_SHARED[name])


def _add_estimate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--estimate",
        action="store_true",
        default=None,
        help="first scrub a sample (30 s, 6 MB at most; nothing is written) and print what the "
        "whole will take with --workers: hours, memory, bytes, files, cost",
    )
    parser.add_argument(
        "--core-hour-price",
        type=float,
        metavar="MONEY",
        help="for the estimate: what one core costs an hour, in your currency; default 0.05, an "
        "example",
    )


def _add_how(parser: argparse.ArgumentParser) -> None:
    """Options that decide how a run goes, never what it writes."""
    how = parser.add_argument_group("how it runs (changes no output)")
    how.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="supervised child processes; 0 (default): this process",
    )
    how.add_argument(
        "--runner",
        metavar="NAME",
        help="direct (default), prism, flink, spark, portable (a job server that runs already) or "
        "dataflow; Beam's options go after --",
    )
    how.add_argument(
        "--max-quarantined",
        type=float,
        metavar="SHARE",
        help="publish nothing above it; default 0.05, of `resume` what was planned",
    )
    _add_max_lost(
        how,
        "publish nothing if more than this share of the published spans of the same documents is "
        "removed no more; default: no limit, of `resume` what was planned",
    )
    how.add_argument(
        "--watchdog-seconds",
        type=float,
        metavar="S",
        help="kill a worker silent for so long; default 900",
    )
    how.add_argument("--log-level", metavar="LEVEL", help="DEBUG, INFO, WARNING (default) or ERROR")
    how.add_argument(
        "--log-format", metavar="FORM", help="text (default), or json: an object a line"
    )
    how.add_argument(
        "--report",
        metavar="URL",
        help="write what became of the run there, as JSON, however it ends: counts, classes, "
        "times, hashes; never PHI. For example /var/log/scrubline/last.json",
    )
    how.add_argument(
        "--metrics-file",
        metavar="FILE",
        help="keep gauges for Prometheus there, for node_exporter's textfile collector, which "
        "takes names in .prom: last success, rows, quarantined share, exit code; refreshed while "
        "it runs",
    )
    how.add_argument(
        "--progress", action=argparse.BooleanOptionalAction, help="default: on a terminal only"
    )
    how.add_argument("--json", action="store_true", help="print the manifest instead of a summary")


def _add_what(parser: argparse.ArgumentParser) -> None:
    """Options that decide what a run writes."""
    parser.add_argument(
        "--config", metavar="FILE", help="TOML file with these options; the command line wins"
    )
    parser.add_argument("--output", metavar="URL", help="folder to write to")
    _share(parser, "--model")
    parser.add_argument(
        "--recogniser",
        dest="recognisers",
        action="append",
        metavar="NAME",
        help="rule; may be repeated; `all` (default), `recipe` for those of the models' recipes, "
        "`none` for models alone",
    )
    parser.add_argument(
        "--policy", metavar="NAME|URL", help="hipaa (default), research, or a TOML file"
    )
    parser.add_argument(
        "--column",
        dest="columns",
        action="append",
        metavar="NAME=ROLE",
        help="role of an input column: text, id, patient, type, date, pass, drop or hash; "
        "every column needs one",
    )
    parser.add_argument(
        "--format", metavar="NAME", help="format of the input; default: by the names' endings"
    )
    parser.add_argument(
        "--group-lines",
        metavar="ID,LINE",
        help="rows are lines of notes: neighbouring rows with one ID are one note, scrubbed as a "
        "whole and written row by row; LINE is a number that grows",
    )
    _add_settings(parser)
    _add_night(parser)
    _share(parser, "--key-file")
    parser.add_argument(
        "--split-bytes", type=int, metavar="N", help="size of a work unit; default 32000000"
    )
    parser.add_argument(
        "--batch-documents", type=int, metavar="N", help="cap of a batch; default 256"
    )
    parser.add_argument(
        "--batch-bytes", type=int, metavar="N", help="cap of a batch; default 500000"
    )
    parser.add_argument(
        "--keep-candidates",
        action="store_true",
        default=None,
        help="write all candidates under restricted/",
    )


def _add_night(parser: argparse.ArgumentParser) -> None:
    """Options that decide which inputs are taken, and what holds a run back."""
    night = parser.add_argument_group("night after night (into an output that is there)")
    night.add_argument(
        "--incremental",
        action="store_true",
        default=None,
        help="take only inputs that are new, changed (size or version), or were made with another "
        "model, rule, policy, key or setting; the others are listed and not opened",
    )
    night.add_argument(
        "--retry-quarantined",
        action="store_true",
        default=None,
        help="take the inputs whose units have quarantined rows, again; beside --incremental or "
        "alone",
    )
    night.add_argument(
        "--drop-gone",
        action="store_true",
        default=None,
        help="with --incremental: inputs that are not there any more leave the output; default: "
        "what they gave stays, and their number is told",
    )
    night.add_argument(
        "--canaries",
        metavar="FILE",
        help="JSON Lines: documents planted in the input, texts that must be gone and texts that "
        "must stay; a canary that is missing, not clean or destroyed holds the run back",
    )
    _add_hold(night)


def _add_hold(group: Any) -> None:
    group.add_argument(
        "--hold",
        action="store_true",
        default=None,
        help="do all the work and pass all gates, but do not publish: ends with 4; `scrubline "
        "diff` shows what would change, `scrubline resume` publishes it",
    )


def _add_settings(parser: argparse.ArgumentParser) -> None:
    """How files are written that do not say it themselves; the output is written alike."""
    how = parser.add_argument_group("how the input's files are written (and the output's)")
    how.add_argument(
        "--encoding",
        metavar="NAME",
        help="of texts, archives of texts, CSV and TSV; default utf-8; for example windows-1252",
    )
    how.add_argument(
        "--delimiter", metavar="SIGN", help="between the cells of CSV; default , (TSV: tab)"
    )
    how.add_argument(
        "--quote",
        metavar="SIGN",
        help='around cells of CSV with delimiters or line breaks; default "; "" for none',
    )
    how.add_argument(
        "--escape",
        metavar="SIGN",
        help="before a quote in a quoted cell; default: a quote is doubled",
    )
    how.add_argument(
        "--header",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="whether CSV begins with names of columns (default); else they are c1, c2, ...",
    )


def _add_scrub(commands: Any) -> None:
    parser = _command(
        commands,
        "scrub",
        "scrub a corpus: scrubbed copies, audit log, manifest",
        "`scrubline scrub -` reads one text from standard input and prints it scrubbed.\n\n"
        "example: scrubline scrub --input notes/ --output out/ --key-file key.txt \\\n"
        "  --column note_id=id --column patient_id=patient \\\n"
        "  --column note_text=text --column note_type=type\n"
        "example: scrubline scrub --config nightly.toml --input notes/ --incremental --workers 8\n"
        "example: echo 'Seen 3/4/2012' | scrubline scrub -\n\n"
        "engines (--runner): each stands for some of Beam's options; what is said after -- wins.\n"
        "  direct    in this process, or in --workers N; nothing else is needed\n"
        "  prism     Beam's own engine on one machine; workers in this process\n"
        "  flink     inside of a job server here; on a cluster with -- --flink_master=HOST:PORT\n"
        "  spark     inside of a job server here; on a cluster with -- --spark_master_url=URL\n"
        "  portable  a job server that runs already: -- --job_endpoint=HOST:PORT\n"
        "  dataflow  Google's service; see docs/engines.md\n"
        "`make engines` installs prism, flink and spark into ~/.cache/scrubline/engines, or where\n"
        "$SCRUBLINE_ENGINES says; -- --prism_location, --flink_job_server_jar and\n"
        "--spark_job_server_jar name files of your own.\n\n"
        "example: scrubline scrub --config nightly.toml --runner prism\n"
        "example: scrubline scrub --config nightly.toml --runner flink -- --parallelism=2\n"
        "example: scrubline scrub --config nightly.toml --runner flink -- \\\n"
        "           --flink_master=flink:8081 --parallelism=16 --environment_type=EXTERNAL \\\n"
        "           --environment_config=localhost:50000\n"
        "example: scrubline resume --output out/ --runner prism",
    )
    parser.add_argument(
        "text", nargs="?", choices=["-"], metavar="-", help="one text from standard input"
    )
    _share(parser, "--input")
    parser.add_argument(
        "--dry-run", action="store_true", help="plan, check and print; write nothing"
    )
    _add_what(parser)
    _add_how(parser)
    _add_estimate(parser)


def _add_plan(commands: Any) -> None:
    parser = _command(
        commands,
        "plan",
        "list and split the input, freeze the plan, run nothing",
        "`scrubline resume --output URL` runs it. With --incremental it tells what a night would\n"
        "touch. With --estimate a sample, drawn by bytes, is really scrubbed and thrown away; the\n"
        "prediction is kept with the run and stands beside the outcome at its end.\n\n"
        "example: scrubline plan --config nightly.toml --input notes/ --output out/\n"
        "example: scrubline plan --config nightly.toml --input archive/ --output out/ \\\n"
        "  --estimate --workers 8 --core-hour-price 0.04\n"
        "example: scrubline resume --output out/ --workers 8",
    )
    _share(parser, "--input")
    _add_what(parser)
    _add_estimate(parser)
    parser.add_argument(
        "--workers", type=int, metavar="N", help="that the estimate is for; default 0: one process"
    )
    parser.add_argument("--json", action="store_true", help="print plan and estimate as JSON")


def _add_resume(commands: Any) -> None:
    parser = _command(
        commands,
        "resume",
        "go on with a planned, stopped or held run",
        "What it writes was frozen with its plan. A run that is to wait (--hold) and was stopped\n"
        "before it did, waits once; to resume it after that is to publish it.\n\n"
        "example: scrubline resume --output out/ --workers 8\n"
        "example: scrubline resume --output out/ --max-quarantined 0.2   (held, after a look)\n"
        "example: scrubline resume --output out/ --discard",
    )
    parser.add_argument("--output", metavar="URL", help="the output folder of the run")
    parser.add_argument("--run", metavar="ID", help="which one, if there are several")
    parser.add_argument(
        "--discard", action="store_true", help="give the run up: remove its plan and staging"
    )
    _add_hold(parser)
    _add_how(parser)


def _add_diff(commands: Any) -> None:
    parser = _command(
        commands,
        "diff",
        "what a run that waits would change, or how two outputs differ, by their audits",
        "A run that `scrub --hold` left waiting is compared with what is published of the same\n"
        "inputs: documents new, gone or with another text; spans gained, lost (nothing of them is\n"
        "removed any more), retyped (another label) and moved (other edges), in documents whose\n"
        "text is the same. No text is read, and no key is needed. Ends with 0 if these documents\n"
        "have the same spans, else with 3; with --max-lost with 3 only if more is lost.\n\n"
        "example: scrubline diff --output out/\n"
        "example: scrubline diff --output out/ --documents | sort -k4 -nr | head\n"
        "example: scrubline diff --output out-new/ --against out/ --max-lost 0.001",
    )
    parser.add_argument("--output", required=True, metavar="URL", help="the output folder")
    parser.add_argument("--run", metavar="ID", help="which run, if several are unfinished")
    parser.add_argument(
        "--against",
        metavar="URL",
        help="another output, of the same key: what was before; --output is then as published",
    )
    _add_max_lost(parser, "the share of spans of before that may be lost")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument(
        "--documents",
        action="store_true",
        help="a line a document that differs: its doc_key and what differs; tab-separated",
    )
    shown.add_argument("--json", action="store_true", help="print JSON instead of a table")


def _add_max_lost(group: Any, help: str) -> None:
    group.add_argument("--max-lost", type=float, metavar="SHARE", help=help)


def _add_annotate(commands: Any) -> None:
    parser = _command(
        commands,
        "annotate",
        "write documents with predicted spans, for pre-annotation and scoring",
        "The output holds the texts: it is as sensitive as the input.\n\n"
        "example: scrubline annotate --input dev.jsonl --model bundles/mine --output found.jsonl\n"
        "example: scrubline annotate --input dev.jsonl --model none --recogniser date \\\n"
        "  --output dates.jsonl\n"
        "example: scrubline annotate --input notes.xml --to brat --output for-brat/",
    )
    _share(parser, "--input")
    parser.add_argument(
        "--output",
        required=True,
        metavar="URL",
        help="corpus with predicted spans; a folder for formats of one document a file",
    )
    _share(parser, "--from", "--to")
    _share(parser, "--model")
    parser.add_argument(
        "--recogniser",
        dest="recognisers",
        action="append",
        metavar="NAME",
        help="rule; may be repeated; `all`; `recipe` for those of the models' recipes; default "
        "none",
    )
    parser.add_argument(
        "--own-labels",
        action="store_true",
        help="the bundle's own labels instead of the native set",
    )
    parser.add_argument(
        "--cover",
        action="store_true",
        help="also write what would be removed, in meta.cover of standoff: all that any detector "
        "proposes; `evaluate` then measures leaks by it",
    )


def _add_verify(commands: Any) -> None:
    parser = _command(
        commands,
        "verify",
        "recompute the hashes and digests of an output",
        "With --originals and the key, the inputs of the last run are read again, the audit is\n"
        "applied to them and the result compared. Ends with 3 if anything does not agree.\n\n"
        "example: scrubline verify --output out/\n"
        "example: scrubline verify --output out/ --originals --key-file key.txt",
    )
    parser.add_argument("--output", required=True, metavar="URL", help="the output folder")
    parser.add_argument(
        "--originals", action="store_true", help="also compare with the inputs of the last run"
    )
    _share(parser, "--key-file")


def _add_inspect(commands: Any) -> None:
    parser = _command(
        commands,
        "inspect",
        "a run's summary; for key holders, documents side by side and what is quarantined",
        "--quarantined lists the rows that were held back, also of a held or unfinished run:\n"
        "unit, row, step, error and where in the input they are; tab-separated.\n"
        "--gone lists the inputs that the output holds and that are not there any more.\n\n"
        "example: scrubline inspect --output out/\n"
        "example: scrubline inspect --output out/ --document 5100107 --key-file key.txt\n"
        "example: scrubline inspect --output out/ --quarantined --key-file key.txt\n"
        "example: scrubline inspect --output out/ --gone --input notes/ --key-file key.txt",
    )
    parser.add_argument("--output", required=True, metavar="URL", help="the output folder")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument(
        "--document", metavar="ID|DOC_KEY", help="a document (its original must be readable)"
    )
    shown.add_argument(
        "--quarantined", action="store_true", help="the rows held back, and their inputs' names"
    )
    shown.add_argument(
        "--gone",
        action="store_true",
        help="names of inputs under --input that the output holds and that are gone",
    )
    _share(parser, "--input")
    _share(parser, "--key-file")


def _add_prune(commands: Any) -> None:
    parser = _command(
        commands,
        "prune",
        "remove what superseded and given-up runs left in an output",
        "Plans, skip-lists and candidates of runs of which nothing is published any more, and the\n"
        "staging of runs that were stopped before they were planned. What is published, what\n"
        "`verify` and `inspect` need, and runs that `resume` can go on with stay. Without --yes\n"
        "it only says what would go.\n\n"
        "example: scrubline prune --output out/\n"
        "example: scrubline prune --output out/ --keep-runs 7 --older-than 30 --yes",
    )
    parser.add_argument("--output", required=True, metavar="URL", help="the output folder")
    parser.add_argument(
        "--keep-runs",
        type=int,
        default=0,
        metavar="N",
        help="keep the last N superseded runs; default 0",
    )
    parser.add_argument(
        "--older-than",
        type=float,
        default=0.0,
        metavar="DAYS",
        help="keep what was written within so many days; default 0",
    )
    parser.add_argument("--yes", action="store_true", help="do it")


def _add_key(commands: Any) -> None:
    parser = _command(
        commands,
        "key",
        "make a master key; compute doc_key and patient_key for its holders",
        "example: scrubline key new --output key.txt\n"
        "example: scrubline key patient 0012345 --key-file key.txt\n"
        "example: cut -d, -f1 ids.csv | scrubline key doc - --key-file key.txt   (line for line)",
    )
    parser.add_argument(
        "what",
        choices=["new", "check", "doc", "patient"],
        help="new: make one; check: its check value; doc, patient: keys of the given ids",
    )
    parser.add_argument(
        "ids", nargs="*", help="ids; `-` reads them from standard input, one a line"
    )
    parser.add_argument(
        "--ordinal",
        type=int,
        default=0,
        metavar="N",
        help="for ids that the input repeats; default 0, the first",
    )
    _share(parser, "--key-file")
    parser.add_argument(
        "--output", metavar="FILE", help="new: the file to make (mode 600); it must not exist"
    )


def _add_train(commands: Any) -> None:
    parser = _command(
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


def _add_dial(commands: Any) -> None:
    parser = _command(
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


def _add_evaluate(commands: Any) -> None:
    parser = _command(
        commands,
        "evaluate",
        "score predicted spans against gold ones",
        "First what matters to a release: PHI characters found, documents with any leak, strict\n"
        "F1, clinical terms destroyed; then the numbers of i2b2 2014 and 2006, CoNLL, MEDDOCAN,\n"
        "HIDE and WI-deId. Intervals are by bootstrap over documents. Labels are taken as they\n"
        "are: a metric that needs others is left out, and that is said. Where the predicted\n"
        "documents tell their cover (`annotate --cover`), leaks and label-blind scores are of it.\n"
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
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
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


def _add_study(commands: Any) -> None:
    parser = _command(
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


def _add_convert(commands: Any) -> None:
    parser = _command(
        commands,
        "convert",
        "rewrite an annotated corpus in another form",
        "forms, and what each cannot hold:\n"
        "  standoff   JSON Lines, {doc_id, text, spans: [{start, end, label}], meta} a line;\n"
        "             .jsonl, .ndjson\n"
        "  i2b2_2014  XML, one document a file, in a folder: native labels only; no control\n"
        "             characters, no meta\n"
        "  i2b2_2006  XML, all documents in one file: no overlapping spans, only labels PATIENT,\n"
        "             DOCTOR, HOSPITAL, ID, DATE, LOCATION, PHONE, AGE; no control characters,\n"
        "             no meta\n"
        "  brat       pairs of .txt and .ann, in a folder: no meta\n"
        "  conll      a token a line, BIO tags: no overlapping spans, none of white space only,\n"
        "             no meta; .conll, .bio, .iob, .bioes\n"
        "Texts and offsets stay as they are, to the character. In folders a document's file is\n"
        "named by its doc_id. A document that the form cannot hold stops the conversion, and\n"
        "nothing is left behind. The output holds the texts: it is as sensitive as the input.\n\n"
        "example: scrubline convert gold.jsonl for-brat/ --to brat --check\n"
        "example: scrubline convert training-PHI-Gold/ gold.jsonl\n"
        "example: scrubline convert gold.jsonl gold.xml --to i2b2_2006 --label-map i2b2_2006\n"
        "example: scrubline convert meddocan/ spanish.conll --label-map meddocan",
    )
    parser.add_argument("source", metavar="INPUT", help="file, folder or glob; .gz is unpacked")
    parser.add_argument(
        "target", metavar="OUTPUT", help="file, or a folder that is empty or not there"
    )
    _share(parser, "--from", "--to")
    parser.add_argument(
        "--label-map",
        metavar="NAME|FILE",
        help="labels -> native ones; the other way if the map is named as the form of the output; "
        "spans of labels without counterpart are left out and counted",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="say what the form cannot hold before anything is written, then read the result back "
        "and compare it; reads the input twice",
    )


def _add_synth(commands: Any) -> None:
    parser = _command(
        commands,
        "synth",
        "make annotated notes to train on, with invented identities",
        "The wording is of templates written by hand, of many kinds of notes; names, dates,\n"
        "places, numbers and layouts are drawn anew for each note. The same seed and options give\n"
        "the same bytes, another seed other identities. docs/synth.md tells how to write\n"
        "templates of your own.\n\n"
        "example: scrubline synth --seed 1 --notes 3000 --output notes.jsonl\n"
        "example: scrubline synth --templates ours/ --check\n"
        "example: scrubline synth --seed 1 --templates ours/ --notes 500 --output notes.jsonl\n"
        "example: scrubline synth --seed 1 --raw raw-notes/ --output notes.jsonl",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="default 1")
    parser.add_argument(
        "--notes",
        type=int,
        metavar="N",
        help="how many; templates are taken in turn; default one of each; 0 for --raw alone",
    )
    parser.add_argument(
        "--templates", metavar="FOLDER", help="in place of the shipped ones: <kind>.txt files"
    )
    parser.add_argument(
        "--raw",
        action="append",
        metavar="FOLDER",
        help="notes without annotation, to mix in: .jsonl with a text a line, or .txt; what the "
        "rules find is replaced, lines with an unexplained name are left out. The result holds "
        "their wording: treat it as you treat them; may be repeated",
    )
    parser.add_argument("--output", metavar="FILE", help="stand-off .jsonl, or another form")
    parser.add_argument(
        "--check", action="store_true", help="write nothing: say all that is wrong with templates"
    )
    parser.add_argument(
        "--show", type=int, metavar="N", help="like --check, and print N filled notes of each kind"
    )


def _add_policy(commands: Any) -> None:
    parser = _command(
        commands,
        "policy",
        "explain a policy: what goes, what stays, which identifiers that covers",
        "A policy says label by label what becomes of what is found: redact ([PATIENT]), mask\n"
        "(***), generalise (90+, ZIP to three digits) or keep; which texts and phrases differ;\n"
        "what holds for some note types only. Write one as a TOML file; this keeps doctors:\n\n"
        '  name = "site"\n'
        '  extends = "hipaa"\n'
        "  [actions]\n"
        '  DOCTOR = "keep"\n\n'
        "`check` reads it as a run would, lists and all, says in plain words what it does, and\n"
        "goes through the eighteen identifiers of HIPAA's Safe Harbor. It ends with 2 if the file\n"
        "is wrong, and says which key, and what is allowed. Phrases are counted, never shown.\n\n"
        "example: scrubline policy list\n"
        "example: scrubline policy show hipaa > site.toml\n"
        "example: scrubline policy check site.toml\n"
        "example: scrubline policy check site.toml --json",
    )
    parser.add_argument(
        "what",
        choices=["check", "show", "list"],
        help="check: explain one, with its errors; show: the file of a shipped one; "
        "list: the shipped ones",
    )
    parser.add_argument("policy", nargs="?", metavar="NAME|FILE", help="shipped, or a TOML file")
    parser.add_argument("--json", action="store_true", help="check: print JSON instead of text")


def _add_dictionaries(commands: Any) -> None:
    parser = _command(
        commands,
        "dictionaries",
        "list the word lists; fetch and build the large official ones",
        "Small lists come with the package. `fetch` gets the large ones of the Census Bureau, the\n"
        "Social Security Administration, CMS, the FDA and the National Library of Medicine; it is\n"
        "the only command that opens a network connection of its own. Where it may not, download\n"
        "the files that `list` names, and put them in a folder as first_names_ssa.zip,\n"
        "surnames_census2010.zip, surnames_census2000.zip, hospitals_cms.csv, drugs_fda.zip,\n"
        "mesh_terms.bin.\n\n"
        "`build` makes lists of what is in such a folder, each a file that `scrubline train\n"
        "--dictionary` takes. A line is a phrase; in weighted lists (.tsv) a tab and a count\n"
        "follow. The same files and options give the same bytes; SOURCES.md says where they\n"
        "come from, and under which licence.\n\n"
        "example: scrubline dictionaries list\n"
        "example: scrubline dictionaries fetch --output official/ --only first_names_ssa\n"
        "example: scrubline dictionaries build --from official/ --output lists/ \\\n"
        "  --least-count 1000 --subtract common_words_en --subtract medical_words_en\n"
        "example: scrubline train --corpus train.jsonl --recipe hide --name mine \\\n"
        "  --dictionary lists/first_names_ssa.tsv --output bundles/mine",
    )
    parser.add_argument(
        "what",
        choices=["list", "fetch", "build"],
        help="list: all lists, with kind, size and origin; fetch: get the official files; "
        "build: make lists of them",
    )
    parser.add_argument("--from", dest="source", metavar="FOLDER", help="build: the official files")
    parser.add_argument(
        "--output", metavar="FOLDER", help="fetch: for the files; build: for the lists, a new one"
    )
    parser.add_argument(
        "--only",
        action="append",
        metavar="NAME",
        help="a list that `list` names; may be repeated; default all",
    )
    parser.add_argument(
        "--url",
        dest="urls",
        action="append",
        metavar="NAME=URL",
        help="fetch: another place for a file, for example a newer year; may be repeated",
    )
    parser.add_argument(
        "--least-count",
        type=int,
        default=1,
        metavar="N",
        help="build: leave out what weighted lists count less often; default 1",
    )
    parser.add_argument(
        "--subtract",
        action="append",
        metavar="NAME|URL",
        help="build: leave out the phrases of this list, whatever their case; may be repeated",
    )


def _add_part(commands: Any) -> None:
    parser = _command(
        commands,
        "part",
        "make the language parts that some recipes need: parts of speech, names, clusters",
        "A part is a folder: a small tagger or a table of word clusters, through which recipes\n"
        "see texts. None comes with the package; each is made by one command:\n"
        "  pos       part of speech, Penn tags        from a treebank in CoNLL-U\n"
        "  upos      part of speech, universal tags   from the same\n"
        "  ner       PER, LOC, ORG                    from annotated corpora\n"
        "  brown     Brown clusters                   from raw texts: .txt, or .jsonl with {text}\n"
        "  word2vec  clusters of word vectors         from the same; needs scrubline[clusters]\n"
        "A part keeps the licence of its data beside it (LICENCE.md), apart from ours: UD English\n"
        "is share-alike. Clusters of your notes hold words of them, names too: keep such a part\n"
        "as you keep the notes. `list` shows the command for each part, `score` works on data\n"
        "that the part was not made from. docs/parts.md has more.\n\n"
        "example: scrubline part train pos --input en_ewt-ud-train.conllu --output parts/pos \\\n"
        "  --held-out en_ewt-ud-dev.conllu\n"
        "example: scrubline part train brown --input notes.jsonl --output parts/brown \\\n"
        "  --set clusters=200 --credit 'Notes of our own, not to be given on.'\n"
        "example: scrubline part show parts/pos\n"
        "example: scrubline part score parts/ner --input dev.jsonl",
    )
    parser.add_argument(
        "what",
        choices=["train", "show", "list", "score"],
        help="train: make one; show: its card; list: all that can be made; score: on new data",
    )
    parser.add_argument(
        "part", nargs="?", metavar="NAME|FOLDER", help="train: its name; show, score: its folder"
    )
    _share(parser, "--input")
    parser.add_argument("--output", metavar="FOLDER", help="train: where to; must not exist")
    parser.add_argument(
        "--held-out",
        action="append",
        metavar="URL",
        help="train: data not learned from, scored for the card; may be repeated",
    )
    parser.add_argument(
        "--set",
        dest="parameters",
        action="append",
        metavar="NAME=VALUE",
        help="train: of taggers a learner's parameter, for example max_iterations=100; of clusters "
        "clusters, vocabulary, least_count, fold (0 keeps case), epochs, dimensions, window, seed",
    )
    parser.add_argument(
        "--algorithm",
        metavar="NAME",
        help="train: lbfgs (default: small models) or averaged-perceptron (faster, larger)",
    )
    parser.add_argument(
        "--licence",
        metavar="TEXT",
        help="train: of the data, where it is none of the known corpora; default: not stated",
    )
    parser.add_argument("--credit", metavar="TEXT", help="train: for LICENCE.md")
