"""Commands that look after an output: diff, verify, inspect, status, prune."""

from __future__ import annotations

import argparse
from typing import Any

from .runs import add_settings
from .shared import add_max_lost, command, share


def add_diff(commands: Any) -> None:
    """Adds the command `diff`."""
    parser = command(
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
    _add_output(parser)
    parser.add_argument("--run", metavar="ID", help="which run, if several are unfinished")
    parser.add_argument(
        "--against",
        metavar="URL",
        help="another output, of the same key: what was before; --output is then as published",
    )
    add_max_lost(parser, "the share of spans of before that may be lost")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument(
        "--documents",
        action="store_true",
        help="a line a document that differs: its doc_key and what differs; tab-separated",
    )
    share(shown, "--json")


def add_verify(commands: Any) -> None:
    """Adds the command `verify`."""
    parser = command(
        commands,
        "verify",
        "say whether anything in an output was changed, added or left out",
        "Hashes, digests, counts and every field of the manifest are compared, and files that no\n"
        "receipt names are found. With the key the seal is checked: it finds forgery. With\n"
        "--originals the inputs of the last run are read again, the audit is applied to them and\n"
        "the result compared. Ends with 3 if anything does not agree, or there is no seal.\n\n"
        "example: scrubline verify --output out/\n"
        "example: scrubline verify --output out/ --key-file key.txt\n"
        "example: scrubline verify --output out/ --originals --key-file key.txt",
    )
    _add_output(parser)
    parser.add_argument(
        "--originals", action="store_true", help="also compare with the inputs of the last run"
    )
    share(parser, "--key-file")


def add_inspect(commands: Any) -> None:
    """Adds the command `inspect`."""
    parser = command(
        commands,
        "inspect",
        "a run's summary; for key holders, documents side by side and what is quarantined",
        "--quarantined lists the rows that were held back, also of a held or unfinished run:\n"
        "unit, row, step, error and where in the input they are; tab-separated.\n"
        "--gone lists the inputs that the output holds and that are not there any more.\n"
        "--columns lists the columns of an input: number, name and type; no --output is needed.\n"
        "A name may be a value of the input (a CSV file without a header), so it is shown on a\n"
        "terminal alone, or in a new file that only you can read; anything else is refused.\n\n"
        "example: scrubline inspect --columns --input notes/\n"
        "example: scrubline inspect --output out/\n"
        "example: scrubline inspect --output out/ --document 5100107 --key-file key.txt\n"
        "example: scrubline inspect --output out/ --quarantined --key-file key.txt\n"
        "example: scrubline inspect --output out/ --gone --input notes/ --key-file key.txt",
    )
    parser.add_argument("--output", metavar="URL", help="the output folder")
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
    shown.add_argument(
        "--columns",
        dest="list_columns",
        action="store_true",
        help="number, name and type of each column of --input",
    )
    share(parser, "--input", "--key-file")
    parser.add_argument(
        "--names-file",
        metavar="FILE",
        help="for --columns: write them to a new file that only you can read (0600)",
    )
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="for --columns: TOML file that says how the input is written",
    )
    parser.add_argument("--format", metavar="NAME", help="for --columns: format of the input")
    add_settings(parser)


def add_status(commands: Any) -> None:
    """Adds the command `status`."""
    parser = command(
        commands,
        "status",
        "what state an output is in: published, pending, waiting, locked; and what to do next",
        "Stages of a pending run: planning (its plan is not whole), unfinished (stopped, or held\n"
        "back by a gate), waits (as --hold asked), publishing (its publication was cut off).\n"
        "Nothing is read but the state: no key is needed, and nothing that is told is PHI.\n\n"
        "example: scrubline status --output out/\n"
        "example: scrubline status --output s3://research/notes/ --json",
    )
    _add_output(parser)
    share(parser, "--json")


def add_prune(commands: Any) -> None:
    """Adds the command `prune`."""
    parser = command(
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
    _add_output(parser)
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


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--output", required=True, metavar="URL", help="the output folder")
