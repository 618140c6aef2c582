"""The command line. Each command is a function; heavy imports wait until a command needs them."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from ..models.errors import GateHeld, RunFailed, ScrublineError, UsageError, error_class

DONE, FAILED, REFUSED, HELD = 0, 1, 2, 3
"""Exit codes: done; failed but resumable; bad usage or refused to start; a gate held it back."""

_EPILOG = """\
exit codes: 0 done, 1 failed but resumable, 2 bad usage or refused to start, 3 a gate held the run
back.
The master key comes from --key-file or from the environment variable SCRUBLINE_KEY; make one with
`scrubline key new`. Credentials of object stores come from the environment, never from options."""


def main(argv: Sequence[str] | None = None) -> None:
    """Runs the command line and exits with one of the codes above."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    beam: list[str] = []
    if "--" in arguments:
        cut = arguments.index("--")
        arguments, beam = arguments[:cut], arguments[cut + 1 :]
    parsed = _parser().parse_args(arguments)
    parsed.beam = tuple(beam) or None
    try:
        code = parsed.function(parsed)
    except UsageError as error:
        code = _say(error, REFUSED)
    except GateHeld as error:
        code = _say(error, HELD)
    except (RunFailed, ScrublineError) as error:
        code = _say(error, FAILED)
        if getattr(parsed, "output", None) and parsed.command in ("scrub", "resume"):
            print(
                "what is done is kept: go on with `scrubline resume --output ...`", file=sys.stderr
            )
    except KeyboardInterrupt:
        print("\nstopped. What is done is kept: go on with `scrubline resume`", file=sys.stderr)
        code = FAILED
    except BrokenPipeError:
        code = FAILED
    except Exception as error:
        # A foreign message may hold PHI or a file name; --log-level DEBUG does not change that.
        print(f"scrubline: unexpected {error_class(error)} at {_where(error)}", file=sys.stderr)
        code = FAILED
    sys.exit(code)


def _say(error: Exception, code: int) -> int:
    print(f"scrubline: {error}", file=sys.stderr)
    return code


def _where(error: BaseException) -> str:
    """File and line of our own code in which a foreign error came up."""
    trace, place = error.__traceback__, "?"
    while trace is not None:
        name = trace.tb_frame.f_globals.get("__name__", "")
        if name.startswith("scrubline."):
            place = f"{name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


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


def _parser() -> argparse.ArgumentParser:
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
        _add_annotate,
        _add_verify,
        _add_inspect,
        _add_key,
        _add_train,
        _add_evaluate,
    ):
        add(commands)
    return parser


def _command(commands: Any, name: str, function: Callable[..., int], help: str, more: str) -> Any:
    parser = commands.add_parser(
        name,
        help=help,
        description=f"{help[0].upper()}{help[1:]}.\n\n{more}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(function=function)
    return parser


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
        "--runner", metavar="NAME", help="direct (default) or portable; Beam's options go after --"
    )
    how.add_argument(
        "--max-quarantined",
        type=float,
        metavar="SHARE",
        help="publish nothing above it; default 0.05",
    )
    how.add_argument(
        "--watchdog-seconds",
        type=float,
        metavar="S",
        help="kill a worker silent for so long; default 900",
    )
    how.add_argument("--log-level", metavar="LEVEL", help="DEBUG, INFO, WARNING (default) or ERROR")
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
    parser.add_argument(
        "--model",
        dest="models",
        action="append",
        metavar="NAME|URL",
        help="bundle; may be repeated; `none` for rules alone; default en-hide",
    )
    parser.add_argument(
        "--recogniser",
        dest="recognisers",
        action="append",
        metavar="NAME",
        help="rule; may be repeated; `all` (default), or `none` for models alone",
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
        "--key-file", metavar="URL", help="the master key; default: the variable SCRUBLINE_KEY"
    )
    parser.add_argument(
        "--split-bytes", type=int, metavar="N", help="size of a work unit; default 32000000"
    )
    parser.add_argument(
        "--batch-documents", type=int, metavar="N", help="cap of a batch; default 256"
    )
    parser.add_argument(
        "--batch-bytes", type=int, metavar="N", help="cap of a batch; default 4000000"
    )
    parser.add_argument(
        "--keep-candidates",
        action="store_true",
        default=None,
        help="write all candidates under restricted/",
    )


def _config(parsed: argparse.Namespace) -> dict[str, Any]:
    """What the file given by --config says; nothing without one."""
    from .config import read_config

    if not getattr(parsed, "config", None):
        return {}
    try:
        with open(parsed.config, "rb") as stream:
            return read_config(stream.read())
    except OSError as error:
        raise UsageError(f"the config file cannot be read ({type(error).__name__})") from None


def _options(parsed: argparse.Namespace) -> Any:
    from ..models.roles import Columns
    from .config import Options, options_from

    values = {
        name: getattr(parsed, name, None)
        for name in Options.__dataclass_fields__
        if name not in ("columns", "budgets", "key_source", "inputs")
    }
    for name in ("models", "recognisers", "inputs"):
        given = getattr(parsed, name, None)
        values[name] = tuple(given) if given else None
    if columns := getattr(parsed, "columns", None):
        pairs = [one.partition("=") for one in columns]
        if bad := [name for name, equals, _ in pairs if not equals]:
            raise UsageError(f"--column takes NAME=ROLE, got {bad}")
        values["columns"] = Columns.parse([(name, role) for name, _, role in pairs])
    values["key_source"] = getattr(parsed, "key_file", None)
    options = options_from(_config(parsed), values)
    if not options.output and parsed.command in ("scrub", "plan", "resume"):
        raise UsageError("say where to write with --output URL")
    if not options.inputs and parsed.command in ("scrub", "plan", "annotate"):
        raise UsageError("say what to read with --input URL (a file, a folder or a glob)")
    return options


def _add_scrub(commands: Any) -> None:
    parser = _command(
        commands,
        "scrub",
        _scrub,
        "scrub a corpus: scrubbed copies, audit log, manifest",
        "`scrubline scrub -` reads one text from standard input and prints it scrubbed.\n\n"
        "example: scrubline scrub --input notes/ --output out/ --key-file key.txt \\\n"
        "  --column note_id=id --column patient_id=patient \\\n"
        "  --column note_text=text --column note_type=type\n"
        "example: scrubline scrub --config nightly.toml --input notes/2024/ --workers 8\n"
        "example: echo 'Seen 3/4/2012' | scrubline scrub -",
    )
    parser.add_argument(
        "text", nargs="?", choices=["-"], metavar="-", help="one text from standard input"
    )
    parser.add_argument(
        "--input",
        dest="inputs",
        action="append",
        metavar="URL",
        help="file, folder or glob; may be repeated",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="plan, check and print; write nothing"
    )
    _add_what(parser)
    _add_how(parser)


def _scrub(parsed: argparse.Namespace) -> int:
    if parsed.text == "-":
        return _scrub_text(parsed)
    from ..models.storage import Storage
    from .logs import set_up_logs
    from .runs import prepare, scrub

    options = _options(parsed)
    set_up_logs(options.log_level)
    storage = Storage()
    if parsed.dry_run:
        job, plan = prepare(storage, options)
        _print_plan(job, plan)
        return DONE
    return _print_manifest(scrub(storage, options), parsed)


def _scrub_text(parsed: argparse.Namespace) -> int:
    from ..models.errors import DocumentError
    from ..models.scrubber import Scrubber
    from .config import options_from

    options = options_from(
        _config(parsed),
        {
            "models": tuple(parsed.models) if parsed.models else None,
            "recognisers": tuple(parsed.recognisers) if parsed.recognisers else None,
            "policy": parsed.policy,
        },
    )
    scrubber = Scrubber(
        *options.models,
        policy=options.policy,
        recognisers=options.recognisers,
        budgets=options.budgets,
    )
    text = _standard_input()
    try:
        sys.stdout.buffer.write(scrubber.scrub(text).encode())
    except DocumentError as error:
        # Fail closed: nothing is printed of a text that cannot be processed.
        print(f"scrubline: the text is held back: {error.code}", file=sys.stderr)
        return HELD
    return DONE


def _print_plan(job: Any, plan: Any) -> None:
    size = sum(unit.bytes for unit in plan.units)
    print(f"run {job.run}: {len(plan.files):,} files, {size:,} bytes, {len(plan.units):,} units")
    print(f"columns: {', '.join(f'{name}={role}' for name, role in job.columns.roles)}")
    print(
        f"models: {', '.join(job.models) or 'none'}; "
        f"rules: {', '.join(job.recognisers) or 'none'}; policy: {job.policy}"
    )


def _print_manifest(manifest: dict[str, Any], parsed: argparse.Namespace) -> int:
    if manifest and parsed.json:
        print(json.dumps(manifest, indent=1))
    elif manifest:
        from .inspection import summary

        print(summary(manifest))
    return DONE


def _add_plan(commands: Any) -> None:
    parser = _command(
        commands,
        "plan",
        _plan,
        "list and split the input, freeze the plan, run nothing",
        "`scrubline resume --output URL` runs it.\n\n"
        "example: scrubline plan --config nightly.toml --input notes/ --output out/\n"
        "example: scrubline resume --output out/ --workers 8",
    )
    parser.add_argument(
        "--input",
        dest="inputs",
        action="append",
        metavar="URL",
        help="file, folder or glob; may be repeated",
    )
    _add_what(parser)


def _plan(parsed: argparse.Namespace) -> int:
    from ..models.storage import Storage
    from .runs import plan_only

    job, plan = plan_only(Storage(), _options(parsed))
    _print_plan(job, plan)
    return DONE


def _add_resume(commands: Any) -> None:
    parser = _command(
        commands,
        "resume",
        _resume,
        "go on with a planned, stopped or held run",
        "What it writes was frozen with its plan.\n\n"
        "example: scrubline resume --output out/ --workers 8\n"
        "example: scrubline resume --output out/ --max-quarantined 0.2   (held, after a look)\n"
        "example: scrubline resume --output out/ --discard",
    )
    parser.add_argument("--output", metavar="URL", help="the output folder of the run")
    parser.add_argument("--run", metavar="ID", help="which one, if there are several")
    parser.add_argument(
        "--discard", action="store_true", help="give the run up: remove its plan and staging"
    )
    _add_how(parser)


def _resume(parsed: argparse.Namespace) -> int:
    from ..models.storage import Storage
    from .logs import set_up_logs
    from .runs import resume

    options = _options(parsed)
    set_up_logs(options.log_level)
    return _print_manifest(resume(Storage(), options, parsed.run, discard=parsed.discard), parsed)


def _add_annotate(commands: Any) -> None:
    parser = _command(
        commands,
        "annotate",
        _annotate,
        "write documents with predicted spans, for pre-annotation and scoring",
        "The output holds the texts: it is as sensitive as the input.\n\n"
        "example: scrubline annotate --input dev.jsonl --model bundles/mine --output found.jsonl\n"
        "example: scrubline annotate --input dev.jsonl --model none --recogniser date \\\n"
        "  --output dates.jsonl",
    )
    parser.add_argument(
        "--input",
        dest="inputs",
        action="append",
        metavar="URL",
        help="stand-off JSON Lines (doc_id, text); may be repeated",
    )
    parser.add_argument(
        "--output", required=True, metavar="FILE", help="stand-off JSON Lines with predicted spans"
    )
    parser.add_argument(
        "--model",
        dest="models",
        action="append",
        metavar="NAME|URL",
        help="bundle; may be repeated; `none` for rules alone",
    )
    parser.add_argument(
        "--recogniser",
        dest="recognisers",
        action="append",
        metavar="NAME",
        help="rule; may be repeated; `all` for all; default none",
    )
    parser.add_argument(
        "--own-labels",
        action="store_true",
        help="the bundle's own labels instead of the native set",
    )


def _annotate(parsed: argparse.Namespace) -> int:
    from .annotate import annotate

    options = _options(parsed)
    count = annotate(
        options.inputs,
        parsed.output,
        models=options.models,
        recognisers=options.recognisers if parsed.recognisers else (),
        native_labels=not parsed.own_labels,
    )
    print(f"{count:,} documents annotated")
    return DONE


def _add_verify(commands: Any) -> None:
    parser = _command(
        commands,
        "verify",
        _verify,
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
    parser.add_argument(
        "--key-file", metavar="URL", help="the master key; default: the variable SCRUBLINE_KEY"
    )


def _verify(parsed: argparse.Namespace) -> int:
    from ..models.storage import Storage
    from .verify import verify

    faults, lines = verify(
        Storage(), parsed.output.rstrip("/"), originals=parsed.originals, key_source=parsed.key_file
    )
    print("\n".join(lines))
    for fault in faults:
        print(f"FAULT {fault}")
    return HELD if faults else DONE


def _add_inspect(commands: Any) -> None:
    parser = _command(
        commands,
        "inspect",
        _inspect,
        "a run's summary; with --document, original and scrubbed text side by side",
        "example: scrubline inspect --output out/\n"
        "example: scrubline inspect --output out/ --document 5100107 --key-file key.txt",
    )
    parser.add_argument("--output", required=True, metavar="URL", help="the output folder")
    parser.add_argument(
        "--document", metavar="ID|DOC_KEY", help="a document (its original must be readable)"
    )
    parser.add_argument(
        "--key-file", metavar="URL", help="the master key; default: the variable SCRUBLINE_KEY"
    )


def _inspect(parsed: argparse.Namespace) -> int:
    from ..models.storage import Storage
    from .inspection import read_manifest, show_document, summary

    storage, output = Storage(), parsed.output.rstrip("/")
    if parsed.document:
        show_document(storage, output, parsed.document, key_source=parsed.key_file)
    else:
        print(summary(read_manifest(storage, output)))
    return DONE


def _add_key(commands: Any) -> None:
    parser = _command(
        commands,
        "key",
        _key,
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
    parser.add_argument(
        "--key-file", metavar="URL", help="the master key; default: the variable SCRUBLINE_KEY"
    )
    parser.add_argument(
        "--output", metavar="FILE", help="new: the file to make (mode 600); it must not exist"
    )


def _key(parsed: argparse.Namespace) -> int:
    import os

    from ..models.keys import ENVIRONMENT, canonical_id, load_keys, new_key
    from ..models.storage import Storage

    if parsed.what == "new":
        if not parsed.output:
            raise UsageError(
                "say where to write the key with --output FILE: it is not shown on the screen"
            )
        try:
            handle = os.open(parsed.output, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            raise UsageError("the key file exists already; a key is never overwritten") from None
        except OSError as error:
            raise UsageError(f"the key file cannot be made ({type(error).__name__})") from None
        with os.fdopen(handle, "w") as stream:
            stream.write(new_key() + "\n")
        return DONE
    keys = load_keys(parsed.key_file or f"env:{ENVIRONMENT}", Storage().read_bytes)
    if parsed.what == "check":
        print(keys.check)
        return DONE
    ids = parsed.ids
    if ids == ["-"]:
        ids = _standard_input().removesuffix("\n").split("\n")
    for one in ids:
        canonical = canonical_id(one)
        if canonical is None:
            print()  # a line for a line: the two are pasted side by side
        elif parsed.what == "doc":
            print(keys.doc_key(canonical, parsed.ordinal))
        else:
            print(keys.patient_key(canonical))
    return DONE


def _standard_input() -> str:
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError:
        raise UsageError("standard input is not UTF-8") from None


def _add_train(commands: Any) -> None:
    parser = _command(
        commands,
        "train",
        _train,
        "train a bundle on your own annotated notes",
        "A corpus is stand-off JSON Lines, {doc_id, text, spans: [{start, end, label}]} a line.\n\n"
        "example: scrubline train --corpus train.jsonl --recipe hide --name mine \\\n"
        "  --output bundles/mine",
    )
    parser.add_argument(
        "--corpus", action="append", required=True, metavar="URL", help="may be repeated"
    )
    parser.add_argument(
        "--mapped-corpus",
        nargs=2,
        action="append",
        metavar=("URL", "MAP"),
        help="a further corpus, its labels mapped to native ones first; may be repeated",
    )
    parser.add_argument("--recipe", default="hide", metavar="NAME", help="default hide")
    parser.add_argument("--name", required=True, metavar="NAME", help="of the bundle")
    parser.add_argument(
        "--output",
        required=True,
        metavar="FOLDER",
        help="where to write the bundle; must not exist",
    )
    parser.add_argument(
        "--sequence",
        metavar="NAME",
        help="what is labelled as one: document, sentence or line; default the recipe's",
    )
    parser.add_argument(
        "--held-out",
        action="append",
        metavar="URL",
        help="annotated notes that are not trained on: scored, for the card; may be repeated",
    )
    parser.add_argument(
        "--algorithm", metavar="NAME", help="lbfgs or averaged-perceptron; default the recipe's"
    )
    parser.add_argument(
        "--set",
        dest="parameters",
        action="append",
        metavar="NAME=VALUE",
        help="learner's parameter, for example max_iterations=100",
    )
    parser.add_argument(
        "--dictionary",
        dest="dictionaries",
        action="append",
        metavar="NAME|URL",
        help="default the recipe's; `none` for none",
    )
    parser.add_argument(
        "--label-map", metavar="NAME|URL", help="own labels -> native ones, for policies"
    )
    parser.add_argument(
        "--bias",
        dest="biases",
        action="append",
        metavar="LABEL=VALUE",
        help="added to a label's score before decoding; above 0 finds more of it; O for none",
    )
    parser.add_argument(
        "--credit", metavar="TEXT", help="for the card: what it was trained on, and its licence"
    )


def _train(parsed: argparse.Namespace) -> int:
    from .training import train_bundle

    print(train_bundle(parsed))
    return DONE


def _add_evaluate(commands: Any) -> None:
    parser = _command(
        commands,
        "evaluate",
        _evaluate,
        "score predicted spans against gold ones",
        "Strict spans, tokens, label-blind characters, documents with a leak; intervals by\n"
        "bootstrap over documents.\n\n"
        "example: scrubline evaluate gold.jsonl predicted.jsonl\n"
        "example: scrubline evaluate gold.jsonl predicted.jsonl --ignore PROFESSION --json",
    )
    parser.add_argument("gold", help="stand-off JSON Lines")
    parser.add_argument(
        "predicted", help="stand-off JSON Lines, for example from `scrubline annotate`"
    )
    parser.add_argument(
        "--ignore", action="append", metavar="LABEL", help="labels to leave out on both sides"
    )
    parser.add_argument("--label-map", metavar="NAME|URL", help="applied to the gold labels")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def _evaluate(parsed: argparse.Namespace) -> int:
    from .scoring import evaluate

    print(
        evaluate(
            parsed.gold,
            parsed.predicted,
            ignore=parsed.ignore or (),
            label_map=parsed.label_map,
            as_json=parsed.json,
        )
    )
    return DONE


if __name__ == "__main__":
    main()
