"""Commands that scrub: scrub, plan, resume."""

from __future__ import annotations

import argparse
from typing import Any

from .shared import add_max_lost, command, share


def add_scrub(commands: Any) -> None:
    """Adds the command `scrub`."""
    parser = command(
        commands,
        "scrub",
        "scrub a corpus: scrubbed copies, audit log, manifest",
        "`scrubline scrub -` reads one text from standard input and prints it scrubbed; with\n"
        "--json an object of the scrubbed text and its spans.\n\n"
        "example: scrubline scrub --input notes/ --output out/ --key-file key.txt \\\n"
        "  --column note_id=id --column patient_id=patient \\\n"
        "  --column note_text=text --column note_type=type\n"
        "example: scrubline scrub --config nightly.toml --input notes/ --incremental --workers 8\n"
        "example: scrubline scrub --config nightly.toml --incremental --finish-pending\n"
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
        "text", nargs="?", metavar="-", help="one text from standard input; prints it scrubbed"
    )
    share(parser, "--input")
    parser.add_argument(
        "--dry-run", action="store_true", help="plan, check and print; write nothing"
    )
    _add_what(parser)
    parser.add_argument(
        "--finish-pending",
        action="store_true",
        default=None,
        help="first finish what an earlier night left unfinished, or give it up if its inputs have "
        "changed since; never what waits (--hold). For schedulers: the same command again goes on",
    )
    _add_how(parser)
    _add_estimate(parser)


def add_plan(commands: Any) -> None:
    """Adds the command `plan`."""
    parser = command(
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
    share(parser, "--input")
    _add_what(parser)
    _add_estimate(parser)
    parser.add_argument(
        "--workers", type=int, metavar="N", help="that the estimate is for; default 0: one process"
    )
    parser.add_argument("--json", action="store_true", help="print plan and estimate as JSON")


def add_resume(commands: Any) -> None:
    """Adds the command `resume`."""
    parser = command(
        commands,
        "resume",
        "go on with a planned, stopped or held run",
        "What it writes was frozen with its plan. A run that is to wait (--hold) and was stopped\n"
        "before it did, waits once; to resume it after that is to publish it.\n\n"
        "example: scrubline resume --output out/ --workers 8\n"
        "example: scrubline resume --output out/ --config nightly.toml   (its workers and logs)\n"
        "example: scrubline resume --output out/ --max-quarantined 0.2   (held, after a look)\n"
        "example: scrubline resume --output out/ --skip 12:3071      (too little memory for it)\n"
        "example: scrubline resume --output out/ --key-file new-place/key.txt   (the same key)\n"
        "example: scrubline resume --output out/ --discard",
    )
    parser.add_argument(
        "--config", metavar="FILE", help="TOML file; only where and how it says to run counts"
    )
    parser.add_argument("--output", metavar="URL", help="the output folder of the run")
    parser.add_argument("--run", metavar="ID", help="which one, if there are several")
    parser.add_argument(
        "--key-file",
        metavar="URL",
        help="where the master key is now; the run's plan says where it was",
    )
    parser.add_argument(
        "--discard", action="store_true", help="give the run up: remove its plan and staging"
    )
    parser.add_argument(
        "--skip",
        action="append",
        metavar="UNIT:ORDINAL",
        help="go on without a row for which there is too little memory, as the message of the "
        "stopped run names it; it is quarantined as Skipped, and recorded; may be repeated",
    )
    _add_hold(parser)
    _add_how(parser)


def _add_what(parser: argparse.ArgumentParser) -> None:
    """Options that decide what a run writes."""
    parser.add_argument(
        "--config", metavar="FILE", help="TOML file with these options; the command line wins"
    )
    parser.add_argument("--output", metavar="URL", help="folder to write to")
    share(parser, "--model")
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
    add_settings(parser)
    _add_night(parser)
    share(parser, "--key-file")
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


def add_settings(parser: argparse.ArgumentParser) -> None:
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
    night.add_argument(
        "--allow-different-job",
        action="store_true",
        default=None,
        help="write into an output beside what a job with other columns, formats, policy or key "
        "made; refused without it",
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
    how.add_argument(
        "--max-gone",
        type=float,
        metavar="SHARE",
        help="publish nothing if more than this share of the published documents of inputs that "
        "are read again, or of all, would leave; default 0.1, of `resume` what was planned",
    )
    add_max_lost(
        how,
        "publish nothing if more than this share of the published spans of the same documents is "
        "removed no more; default: no limit, of `resume` what was planned",
    )
    how.add_argument(
        "--reseal",
        action="store_true",
        default=None,
        help="go on though what is published does not agree with its seal (`scrubline verify`); "
        "what earlier runs left is then named as adopted in the new seal",
    )
    how.add_argument(
        "--watchdog-seconds",
        type=float,
        metavar="S",
        help="kill a worker silent for so long; default 900. The launcher ends itself after four "
        "times that without any progress, at least ten minutes",
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
    how.add_argument(
        "--json", action="store_true", help="print JSON: the manifest instead of a summary"
    )
