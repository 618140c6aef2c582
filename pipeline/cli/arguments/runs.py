"""Commands that scrub: scrub, plan, resume. Their options are the table of `pipeline.options`."""

from __future__ import annotations

from argparse import ArgumentParser

from ...options.command_line import add_named, add_options
from .shared import describe

_ENGINES = """\
Engines (--runner). Each sets some of Beam's options; your own follow after -- and win.
  direct    this process, or --workers N child processes; nothing else is needed
  prism     Beam's own engine on one machine
  flink     inside a local job server; on a cluster with -- --flink_master=HOST:PORT
  spark     inside a local job server; on a cluster with -- --spark_master_url=URL
  portable  a job server that is already running: -- --job_endpoint=HOST:PORT
  dataflow  Google's service; see docs/engines.md
`make engines` installs prism, flink and spark into ~/.cache/scrubline/engines, or into
$SCRUBLINE_ENGINES; -- --prism_location, --flink_job_server_jar and --spark_job_server_jar name
files of your own."""


def add_scrub(parser: ArgumentParser) -> None:
    """Adds the options and the help of `scrub`."""
    describe(
        parser,
        "--input URL --output URL --column NAME=ROLE [OPTIONS] [-- BEAM OPTIONS]\n"
        "       scrubline scrub - [OPTIONS] < TEXT\n"
        "       scrubline scrub NOTE.txt [OPTIONS]",
        "Every column of the input needs a role: nothing is passed on that you have not declared. "
        "`scrubline scrub -` scrubs one text from standard input and prints it, `scrubline scrub "
        "NOTE.txt` the text of a file; with --json an object with the scrubbed text and its spans. "
        f"With --output, a path without an option is an --input.\n\n{_ENGINES}",
        "scrubline scrub --input notes/ --output out/ --key-file key.txt \\\n"
        "           --column note_id=id --column patient_id=patient \\\n"
        "           --column note_text=text --column note_type=type",
        "scrubline scrub --config nightly.toml --incremental --finish-pending --workers 8",
        "scrubline scrub --config nightly.toml --input notes/ --dry-run --estimate",
        "scrubline scrub notes/ --output out/ --key-file key.txt     (a folder of text files)",
        "echo 'Seen 3/4/2012' | scrubline scrub -",
        "scrubline scrub --config nightly.toml --runner prism",
        "scrubline scrub --config nightly.toml --runner flink -- --parallelism=2",
        "scrubline scrub --config nightly.toml --runner flink -- \\\n"
        "           --flink_master=flink:8081 --parallelism=16 --environment_type=EXTERNAL \\\n"
        "           --environment_config=localhost:50000",
    )
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="`-`: scrub one text from standard input and print it; a .txt file: scrub it and "
        "print it; with --output: the same as --input PATH",
    )
    add_options(parser, "scrub")


def add_init(parser: ArgumentParser) -> None:
    """Adds the options and the help of `init`."""
    describe(
        parser,
        "--input URL [--output FILE] [OPTIONS]",
        "Looks at a sample of the input and writes a config file that only you can read: each "
        "column with its type, share of nulls, mean length and a guessed role, and how CSV and "
        "text files seem to be written. Values are never printed or written. Whatever is doubtful "
        "gets the role drop: read the file, and change what is wrong. Then the file is loaded and "
        "a run is planned with it, without writing anything; the next command is printed.",
        "scrubline init --input notes/ --make-key key.txt",
        "scrubline init --input s3://warehouse/notes/ --output nightly.toml",
        "scrubline init --input export.csv --encoding windows-1252 --output export.toml",
    )
    add_named(parser, "init", "input")
    parser.add_argument(
        "--output",
        dest="new_config",
        default="job.toml",
        metavar="FILE",
        help="the config file to write (mode 600); must not exist (default: %(default)s)",
    )
    parser.add_argument(
        "--make-key",
        metavar="FILE",
        help="also make a master key, as `scrubline key new` does, and name it in the config file",
    )
    add_named(parser, "init", "key-file", "format")
    how = parser.add_argument_group("how CSV and text files are written; default: a guess")
    add_named(how, "init", "encoding", "delimiter", "quote", "escape", "header")


def add_preview(parser: ArgumentParser) -> None:
    """Adds the options and the help of `preview`."""
    describe(
        parser,
        "--input URL --column NAME=ROLE [OPTIONS]",
        "Shows what becomes of each column, and the first notes before and after, in a colour a "
        "label. It prints to a terminal only, writes nothing, and needs a key for a roster only.",
        "scrubline preview --config job.toml",
        "scrubline preview --input notes/ --column note_id=id --column note_text=text --rows 10",
    )
    parser.add_argument(
        "--rows",
        type=int,
        default=3,
        metavar="N",
        help="so many notes are shown (default: %(default)s)",
    )
    add_options(parser, "preview")


def add_plan(parser: ArgumentParser) -> None:
    """Adds the options and the help of `plan`."""
    describe(
        parser,
        "--input URL --output URL --column NAME=ROLE [OPTIONS]",
        "`scrubline resume --output URL` runs the plan. With --incremental, the inputs that the "
        "run would read are counted. With --estimate, a sample is scrubbed and thrown away; the "
        "prediction is kept with the run and compared with the outcome at its end.",
        "scrubline plan --config nightly.toml --input notes/ --output out/",
        "scrubline plan --config nightly.toml --input archive/ --output out/ \\\n"
        "           --estimate --workers 8 --core-hour-price 0.04",
        "scrubline resume --output out/ --workers 8",
    )
    add_options(parser, "plan")


def add_resume(parser: ArgumentParser) -> None:
    """Adds the options and the help of `resume`."""
    describe(
        parser,
        "--output URL [OPTIONS] [-- BEAM OPTIONS]",
        "What the run writes was frozen with its plan; options say how it runs, and what may be "
        "published. A run that was planned with --hold waits once; resuming it then publishes it.",
        "scrubline resume --output out/ --workers 8",
        "scrubline resume --output out/ --config nightly.toml     (its workers and logs)",
        "scrubline resume --output out/ --max-quarantined 0.2     (after a look at the rows)",
        "scrubline resume --output out/ --skip 12:3071            (too little memory for it)",
        "scrubline resume --output out/ --key-file new/key.txt    (the same key, moved)",
        "scrubline resume --output out/ --runner prism",
        "scrubline resume --output out/ --discard",
    )
    add_options(parser, "resume")
