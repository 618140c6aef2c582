"""Commands that look after an output: diff, verify, inspect, find, report, status, prune."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser

from ...options.command_line import add_named
from .shared import describe, share


def add_diff(parser: ArgumentParser) -> None:
    """Adds the options and the help of `diff`."""
    describe(
        parser,
        "--output URL [OPTIONS]",
        "Compares the audit of a run that waits (`scrub --hold`) with what is published of the "
        "same inputs: documents that are new, gone or have another text; and, in documents with "
        "the same text, spans gained, lost (no longer removed), retyped (another label) and moved "
        "(other boundaries). No text is read and no key is needed. Exit code 0 if the spans are "
        "the same, else 3; with --max-lost, 3 only if more than that is lost.",
        "scrubline diff --output out/",
        "scrubline diff --output out/ --documents | sort -k4 -nr | head",
        "scrubline diff --output out-new/ --against out/ --max-lost 0.001",
    )
    _add_output(parser)
    add_named(parser, "diff", "run")
    parser.add_argument(
        "--against",
        metavar="URL",
        help="an earlier output, made with the same key: --output is compared with it as published",
    )
    add_named(parser, "diff", "max-lost")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument(
        "--documents",
        action="store_true",
        help="print a tab-separated line for each document that differs: doc_key and counts",
    )
    share(shown, "--json")


def add_verify(parser: ArgumentParser) -> None:
    """Adds the options and the help of `verify`."""
    describe(
        parser,
        "--output URL [OPTIONS]",
        "Compares all hashes, digests, counts and fields of the manifest, and finds files that no "
        "receipt names. With the key, it checks the seal, which reveals forgery. With "
        "--originals, the inputs of the last run are read again, the audit is applied to them and "
        "the result is compared with what is published. With --roster, nothing that the roster "
        "knows of a patient may be left in that patient's rows. Exit code 3 if anything does not "
        "match, or if there is no seal.",
        "scrubline verify --output out/",
        "scrubline verify --output out/ --key-file key.txt --roster roster/",
        "scrubline verify --output out/ --originals --key-file key.txt",
    )
    _add_output(parser)
    parser.add_argument(
        "--originals", action="store_true", help="also compare with the inputs of the last run"
    )
    add_named(parser, "verify", "key-file", "roster", "trusted-keys")


def add_inspect(parser: ArgumentParser) -> None:
    """Adds the options and the help of `inspect`."""
    describe(
        parser,
        "--output URL [OPTIONS]\n       scrubline inspect --columns --input URL [OPTIONS]",
        "--quarantined lists the rows that were held back, also those of a run that is held or "
        "unfinished: unit, row, step, error and place in the input, tab-separated.\n"
        "--gone lists the inputs that the output holds and that no longer exist.\n"
        "--columns lists the columns of an input: number, name and type; it needs no --output. A "
        "column name may be a value of the input (a CSV file without a header), so names are shown "
        "on a terminal only, or written to a new file that only you can read.",
        "scrubline inspect --columns --input notes/",
        "scrubline inspect --output out/",
        "scrubline inspect --output out/ --document 5100107 --key-file key.txt",
        "scrubline inspect --output out/ --quarantined --key-file key.txt",
        "scrubline inspect --output out/ --gone --input notes/ --key-file key.txt",
        "scrubline inspect --output out/ --sql | duckdb notes.duckdb",
    )
    parser.add_argument("--output", metavar="URL", help="the output folder")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument(
        "--document",
        metavar="ID|DOC_KEY",
        help="show a document, original and scrubbed side by side; its input must be readable",
    )
    shown.add_argument(
        "--quarantined", action="store_true", help="list quarantined rows with their input files"
    )
    shown.add_argument(
        "--gone",
        action="store_true",
        help="list inputs under --input that the output holds and that no longer exist",
    )
    shown.add_argument(
        "--sql",
        action="store_true",
        help="print SQL that makes views over audit, documents and quarantine, for DuckDB",
    )
    shown.add_argument(
        "--columns",
        dest="list_columns",
        action="store_true",
        help="list number, name and type of each column of --input",
    )
    add_named(parser, "inspect", "input", "key-file")
    parser.add_argument(
        "--names-file",
        metavar="FILE",
        help="with --columns: write them to a new file that only you can read (mode 600)",
    )
    add_named(parser, "inspect", "config", "format")
    how = parser.add_argument_group("how CSV and text files are written, for --columns")
    add_named(how, "inspect", "encoding", "delimiter", "quote", "escape", "header")


def add_find(parser: ArgumentParser) -> None:
    """Adds the options and the help of `find`."""
    describe(
        parser,
        "--output URL --name-file FILE [OPTIONS]",
        "For the day on which somebody says that a name leaked. FILE has a name, a number or a "
        "phrase a line; whole words are found whatever their case and accents, and shown by the "
        "number of the line alone. Lines `stands` give the documents in which a name still stands, "
        "in texts or in columns that pass; lines `found` the patients in whose notes a word of it "
        "was found, which needs a run with --link-notes. --by-evidence is for large outputs of "
        "such runs: it reads only the data of units in which a name may be left in texts. It does "
        "not see columns that pass, words of lists in small letters, words with a capital inside, "
        "parts of other words, and notes without a patient. Exit code 3 if a name stands anywhere.",
        "scrubline find --output out/ --name-file names.txt --key-file key.txt",
        "scrubline find --output out/ --name-file - --key-file key.txt --by-evidence",
    )
    _add_output(parser)
    parser.add_argument(
        "--name-file", metavar="FILE", help="names, one a line; - is standard input"
    )
    add_named(parser, "find", "key-file")
    parser.add_argument(
        "--by-evidence",
        action="store_true",
        help="read only the data of units of which evidence says that a name may be left",
    )
    share(parser, "--json")


def add_view(parser: ArgumentParser) -> None:
    """Adds the options and the help of `view`."""
    describe(
        parser,
        "build|check|relevel|counts --output URL [OPTIONS]",
        "What the notes of an output say of its patients, a row a patient, made anonymous: age, "
        "sex, state, ZIP code, year and profession so coarse that at least k patients look alike. "
        "The run must have written it, with --view-attributes. Restricted rows lie under "
        "restricted/view/, anonymous ones in view/patients.parquet.\n\n"
        "`build` chooses the finest levels that do and freezes them: later builds, after more "
        "nights, take the same levels and leave out whoever is still in too small a class; what is "
        "asked for is kept, too. `relevel` chooses anew; who has both releases can tell more "
        "than from each. `check` "
        "counts classes again, and exits with 3 if something is wrong. `counts` publishes numbers "
        "of patients with noise (differential privacy); it needs the extra dp. See docs/view.md.",
        "scrubline view build --output out/ --k 5 --dry-run",
        "scrubline view build --output out/ --k 5",
        "scrubline view check --output out/",
        "scrubline view counts --output out/ --by age,sex --epsilon 0.5",
    )
    parser.add_argument(
        "what",
        choices=["build", "check", "relevel", "counts"],
        help="build: make the view and release it; check: look whether it is as it should be; "
        "relevel: choose levels anew; counts: numbers of patients with noise",
    )
    _add_output(parser)
    _add_requirement(parser)
    _add_counts(parser)
    share(parser, "--json")


def _add_requirement(parser: ArgumentParser) -> None:
    asked = parser.add_argument_group(
        "build, relevel: what is asked of every class of patients who look alike"
    )
    asked.add_argument(
        "--dry-run", action="store_true", help="show what would be released; write nothing"
    )
    asked.add_argument("--k", type=int, metavar="N", help="at least N patients (default: 5)")
    asked.add_argument(
        "--suppressed",
        type=float,
        metavar="SHARE",
        help="most patients who may be left out for it (default: 0.01)",
    )
    asked.add_argument(
        "--l",
        dest="l_distinct",
        type=int,
        metavar="N",
        help="at least N different values of each sensitive attribute, so that the class does "
        "not give it away (l-diversity; default: 1)",
    )
    asked.add_argument(
        "--entropy-l",
        dest="l_entropy",
        type=float,
        metavar="X",
        help="the same, stricter: no value may be much more frequent than others (default: 1)",
    )
    asked.add_argument(
        "--t",
        type=float,
        metavar="X",
        help="how far the shares of a sensitive attribute's values may be from those among all "
        "patients, 0 (equal) to 1 (t-closeness; default: 1)",
    )
    asked.add_argument(
        "--distance",
        choices=["equal", "ordered"],
        help="of --t: whether values count as equally far apart, or in the order of their texts "
        "(default: equal)",
    )


def _add_counts(parser: ArgumentParser) -> None:
    counts = parser.add_argument_group("counts")
    counts.add_argument("--by", metavar="NAMES", help="attributes, with commas between")
    counts.add_argument(
        "--values",
        action="append",
        metavar="NAME=ONE,TWO",
        help="values of an attribute that are not known beforehand (year, sensitive ones); "
        "repeatable",
    )
    counts.add_argument(
        "--epsilon", type=float, metavar="X", help="how much these counts may tell of a patient"
    )
    counts.add_argument(
        "--budget",
        type=float,
        metavar="X",
        help="most epsilon of all counts of this output together (default: 1)",
    )


def add_report(parser: ArgumentParser) -> None:
    """Adds the options and the help of `report`."""
    describe(
        parser,
        "OUT",
        "Writes OUT/report.html: what was removed by label, type of note, night and day of the "
        "run, the quarantine, what runs cost, policy, models and versions. The page is one file "
        "without a script that loads nothing, and holds no text, id or input name; groups of fewer "
        "than 5 are merged. Each run writes it when it publishes: this command is for outputs of "
        "earlier versions, and for a page that is missing. No key is needed.",
        "scrubline report out/",
        "scrubline report s3://research/notes/",
    )
    parser.add_argument(
        "output", nargs="?", default=SUPPRESS, metavar="OUT", help="the output folder, any URL"
    )
    parser.add_argument("--output", metavar="URL", help="the same")


def add_status(parser: ArgumentParser) -> None:
    """Adds the options and the help of `status`."""
    describe(
        parser,
        "--output URL [OPTIONS]",
        "Stages of a pending run: planning (its plan is incomplete), unfinished (stopped, or held "
        "back by a gate), waits (--hold), publishing (publication was interrupted). No key is "
        "needed, and nothing that is printed is PHI.",
        "scrubline status --output out/",
        "scrubline status --output s3://research/notes/ --json",
    )
    _add_output(parser)
    share(parser, "--json")


def add_prune(parser: ArgumentParser) -> None:
    """Adds the options and the help of `prune`."""
    describe(
        parser,
        "--output URL [OPTIONS]",
        "It removes plans, skip-lists and candidates of runs with nothing published any more, and "
        "the staging of runs that were stopped before they were planned. What is published, what "
        "`verify` and `inspect` need, and runs that `resume` can continue are kept. Without "
        "--yes, it only lists what would be removed.",
        "scrubline prune --output out/",
        "scrubline prune --output out/ --keep-runs 7 --older-than 30 --yes",
    )
    _add_output(parser)
    parser.add_argument(
        "--keep-runs",
        type=int,
        default=0,
        metavar="N",
        help="keep the last N superseded runs (default: %(default)s)",
    )
    parser.add_argument(
        "--older-than",
        type=float,
        default=0.0,
        metavar="DAYS",
        help="remove only what is older than this (default: %(default)g)",
    )
    parser.add_argument("--yes", action="store_true", help="really remove it")


def _add_output(parser: ArgumentParser) -> None:
    parser.add_argument("--output", required=True, metavar="URL", help="the output folder")
