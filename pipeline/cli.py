"""The command line. Each command is a function; heavy imports wait until a command needs them."""

from __future__ import annotations

import argparse
import atexit
import contextlib
import errno
import itertools
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any

from ..models.errors import (
    GateHeld,
    InputChanged,
    OutputBusy,
    RunHeld,
    ScrublineError,
    UsageError,
    error_class,
)
from ..models.faults import failure_class
from ..models.shortage import raise_shortage, shortage_of
from .arguments import REFUSED, make_parser
from .cgroups import little_address_space
from .ending import WATCHDOG_SECONDS, end_soon, ended_by_signals, ended_without_progress
from .logs import say, say_error, set_up_logs
from .memory_dumps import WARNING as DUMPABLE
from .memory_dumps import dumps_are_allowed, forbid_dumps

RUNS = ("scrub", "plan", "resume")
"""Commands that take options of Beam behind `--`."""
MAY_BE_EMPTY = ("--quote", "--escape", "--delimiter")

DONE, FAILED, HELD, WAITS, BUSY = 0, 1, 3, 4, 5
"""Exit codes beside REFUSED: done; failed but resumable; a gate held it back; waits as asked;
another process works on the output."""


_KEPT = "what is done is kept: go on with `scrubline resume --output ...`"
_REFUSED_BUT_KEPT = (
    "what is done is kept: once that is put right, go on with `scrubline resume --output ...`; or "
    "give the run up (`--discard`)"
)


def command() -> None:
    """What `scrubline` calls: `main`, without core dumps, and an end that takes no library down.

    Threads of C++ libraries may still run while the interpreter ends, and bring down a process
    whose work is done and told ("terminate called without an active exception").
    """
    codes: list[int] = []
    atexit.register(_end, codes)  # the first to be registered is the last to be called
    forbid_dumps()
    try:
        main()
    except SystemExit as ended:
        code = DONE if ended.code is None else ended.code
        codes.append(code if isinstance(code, int) else FAILED)
        end_soon(lambda: _end(codes))  # the interpreter first waits for threads of libraries
        raise


def _end(codes: list[int]) -> None:
    """Ends with the exit code, all that was said written out; does nothing if there is none."""
    if codes:
        logging.shutdown()  # was registered before this, and would come after it
        code = _flushed(codes[-1])
        with contextlib.suppress(AttributeError, OSError, ValueError):
            sys.stderr.flush()
        os._exit(code & 0xFF)


def main(argv: Sequence[str] | None = None) -> None:
    """Runs the command line and exits with one of the codes above."""
    _fill_standard_streams()
    arguments = list(sys.argv[1:] if argv is None else argv)
    beam: list[str] = []
    if "--" in arguments and arguments[0] in RUNS:
        cut = arguments.index("--")
        arguments, beam = arguments[:cut], arguments[cut + 1 :]
    parser = make_parser()
    parsed = parser.parse_args(arguments)
    if empty := _empty_option(arguments):
        parser.error(f"{empty} is given, but empty: is a variable not set?")
    parsed.beam = tuple(beam) or None
    set_up_logs(form="json" if getattr(parsed, "log_format", None) == "json" else "text")
    if dumps_are_allowed():
        say(f"scrubline: {DUMPABLE}", "WARNING")
    if parsed.command in RUNS and (little := little_address_space()):
        say(f"scrubline: {little}", "WARNING")
    with _stoppable(lambda: _stopped_words(parsed)) as stopped:
        parsed.stopped = stopped
        code = _run(parsed, stopped)
    sys.exit(_flushed(code))


def _empty_option(arguments: Sequence[str]) -> str | None:
    """An option that is given an empty value: what was meant would silently not be there."""
    for option, value in itertools.pairwise((*arguments, "-")):
        name, equals, same = option.partition("=")
        if name.startswith("--") and not (same if equals else value) and name not in MAY_BE_EMPTY:
            return name
    return None


def _run(parsed: argparse.Namespace, stopped: list[int]) -> int:
    """Runs a command; gives the exit code."""
    try:
        return COMMANDS[parsed.command](parsed)
    except OutputBusy as error:
        return _say(error, BUSY)
    except UsageError as error:
        code = _say(error, REFUSED)
        if getattr(parsed, "frozen", False):
            say(_REFUSED_BUT_KEPT, "WARNING")
        return code
    except GateHeld as error:
        return _say(error, HELD)
    except RunHeld as error:
        return _say(error, WAITS)
    except BaseException as error:
        if isinstance(error, SystemExit):
            raise
        if stopped or isinstance(error, KeyboardInterrupt):
            # Whatever the signal became on its way: Beam makes an error of its own of it.
            say(_stopped_words(parsed), "WARNING")
        elif isinstance(error, ScrublineError):
            _say(error, FAILED)
            if _is_resumable(parsed) and not isinstance(error, InputChanged):
                say(_KEPT, "WARNING")
        elif isinstance(error, OSError) and _is_of_output(error):
            _tell_unwritable(error)
        elif (lack := shortage_of(error)) is not None:
            # Wherever in the launcher, or in a library, it came up: no line of ours is at fault.
            say(f"scrubline: {lack}")
            if _is_resumable(parsed):
                say(_KEPT, "WARNING")
        else:
            # A foreign message may hold PHI or a file name; --log-level DEBUG does not change that.
            say(
                f"scrubline: unexpected {error_class(error)} at {_where(error)}. "
                "Please report this line: it holds no PHI"
            )
        return FAILED


def _is_resumable(parsed: argparse.Namespace) -> bool:
    """Whether `resume` can go on; before its plan is frozen, nothing of a run is there."""
    return parsed.command == "resume" or getattr(parsed, "frozen", False)


def _advice(parsed: argparse.Namespace) -> str:
    """What to do once there was no sign of progress for long."""
    if parsed.command not in ("scrub", "resume"):  # these have no --watchdog-seconds
        return "Look whether storage answers, then give the same command again"
    kept = "No run was begun: give the same command again"
    if _is_resumable(parsed):
        kept = "What is done is kept: go on with `scrubline resume`"
    return f"{kept}. If storage is only slow, give it a longer --watchdog-seconds"


def _stopped_words(parsed: argparse.Namespace) -> str:
    hint = " What is done is kept: go on with `scrubline resume`" if _is_resumable(parsed) else ""
    if getattr(parsed, "work", None):
        hint = " Finished folds are kept: the same command goes on"
    return f"\nstopped.{hint}"


@contextlib.contextmanager
def _stoppable(last_words: Callable[[], str]) -> Iterator[list[int]]:
    """Makes the signals that ask for an end what Ctrl-C is; gives a list of those that came.

    One that is ignored stays so (`nohup`), and so does one that somebody else handles. While the
    first is heeded, others do nothing (some senders send several), but a second Ctrl-C ends at
    once, which is safe at any time. Where the main thread does not heed the first, say as storage
    does not answer, the process is ended all the same; `last_words` gives what is said then.
    """
    came: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        came.append(number)
        if len(came) == 1:
            raise KeyboardInterrupt
        if number == signal.SIGINT:
            os._exit(FAILED)

    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                before[number] = signal.signal(number, stop)
    try:
        with ended_by_signals(before.keys(), lambda: bool(came), last_words):
            yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _fill_standard_streams() -> None:
    """Opens nothing as standard input, output and error where they are closed.

    Else the next file opened, a part say, would get the number of one of them, and whatever a
    library prints. What is said on standard error is then lost; to print fails, as on a full disk.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # Gets the least number that is free: this one. As output it is opened for reading, so
            # that a write fails; workers inherit it.
            os.open(os.devnull, os.O_RDONLY if number == 1 else os.O_RDWR)
            os.set_inheritable(number, True)
    # Python has no stream where there was no descriptor when it started.
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(  # noqa: SIM115
            2, "w", encoding="utf-8", errors="backslashreplace", closefd=False
        )


def _flushed(code: int) -> int:
    """The exit code once standard output is written out; FAILED if it cannot be."""
    if sys.stdout is None or sys.stdout.closed:
        return code
    try:
        sys.stdout.flush()
        return code
    except OSError as error:
        _tell_unwritable(error)
    # What is left would fail again while Python ends.
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return FAILED


def _is_of_output(error: OSError) -> bool:
    """Whether standard output refused: storage has errors of its own, and all else is foreign."""
    own = _where(error).startswith(f"{__name__}:")
    return own and error.errno not in (errno.ENOMEM, errno.EMFILE, errno.ENFILE)


def _tell_unwritable(error: OSError) -> None:
    if not isinstance(error, BrokenPipeError):  # whoever closed it knows
        say(f"scrubline: standard output cannot be written ({failure_class(error)})")


def _say(error: Exception, code: int) -> int:
    say_error(error)
    return code


def _where(error: BaseException) -> str:
    """File and line of our own code in which a foreign error came up."""
    trace, place = error.__traceback__, "?"
    while trace is not None:
        name = trace.tb_frame.f_globals.get("__name__", "")
        if name.startswith("scrubline.") or name == __name__:  # that is "__main__" under -m
            place = f"{name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


def _config(parsed: argparse.Namespace) -> dict[str, Any]:
    """What the file given by --config says; nothing without one."""
    from ..dictionaries.files import NO_FILE, NotARegularFile, open_regular
    from .config import read_config

    if not getattr(parsed, "config", None):
        return {}
    try:
        with os.fdopen(open_regular(parsed.config), "rb") as stream:
            return read_config(stream.read())
    except NotARegularFile:
        raise UsageError(f"the config file cannot be read: {NO_FILE}") from None
    except OSError as error:
        raise_shortage(error)
        raise UsageError(f"the config file cannot be read ({type(error).__name__})") from None


def _options(parsed: argparse.Namespace) -> Any:
    from ..models.roles import Columns
    from .config import HOW, Options, options_from
    from .engines import check_runner

    values = {
        name: getattr(parsed, name, None)
        for name in Options.__dataclass_fields__
        if name not in ("columns", "budgets", "key_source", "inputs")
    }
    for name in ("models", "recognisers", "inputs"):
        given = getattr(parsed, name, None)
        values[name] = tuple(given) if given else None
    if columns := getattr(parsed, "columns", None):
        if bad := [one for one in columns if "=" not in one]:
            raise UsageError(f"--column takes NAME=ROLE, as note_text=text; without a role: {bad}")
        pairs = [one.rpartition("=") for one in columns]
        values["columns"] = Columns.parse([(name, role) for name, _, role in pairs])
    values["key_source"] = getattr(parsed, "key_file", None)
    only = HOW if parsed.command == "resume" else None
    options = options_from(_config(parsed), values, only=only)
    if options.beam and check_runner(options.runner) == "direct":
        raise UsageError(
            "options after -- are Beam's, for engines (--runner portable, prism, flink, ...); the "
            "direct runner takes none"
        )
    if not options.output and parsed.command in ("scrub", "plan", "resume"):
        raise UsageError("say where to write with --output URL")
    if options.output.startswith("memory:"):
        raise UsageError("memory:// is gone when this command ends: write to a place that stays")
    if not options.inputs and parsed.command in ("scrub", "plan", "annotate"):
        raise UsageError("say what to read with --input URL (a file, a folder or a glob)")
    return options


def _scrub(parsed: argparse.Namespace) -> int:
    if parsed.text not in (None, "-"):
        raise UsageError(
            "files are named by options: scrubline scrub --input FILE --output FOLDER --column "
            "NAME=ROLE ... (--input again for each further file, or a glob in quotes). One text "
            "from standard input: scrubline scrub - < FILE"
        )
    if parsed.text == "-":
        if parsed.inputs or parsed.output or parsed.columns or parsed.dry_run:
            raise UsageError("`scrub -` takes one text from standard input and prints it; no files")
        return _scrub_text(parsed)
    from ..models.storage import Storage
    from .runs import prepare, scrub

    storage = Storage()
    if parsed.dry_run:
        options = _options(parsed)
        set_up_logs(options.log_level, options.log_format)
        job, plan = prepare(storage, options)
        _print_plan(job, plan, _estimated(storage, job, plan, options), options, parsed)
        return DONE
    with _recorded(parsed, storage) as (options, recorder):
        manifest = scrub(storage, options, recorder)
    return _print_manifest(manifest, parsed)


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
        models=options.models,
        policy=options.policy,
        recognisers=options.recognisers,
        budgets=options.budgets,
    )
    text = _standard_input()
    try:
        found = scrubber.explain(text)
        shown = json.dumps(found.as_json(), indent=1) + "\n" if parsed.json else found.text
        sys.stdout.buffer.write(shown.encode())
    except DocumentError as error:
        # Fail closed: nothing is printed of a text that cannot be processed.
        print(f"scrubline: the text is held back: {error.code}", file=sys.stderr)
        return HELD
    return DONE


def _estimated(storage: Any, job: Any, plan: Any, options: Any) -> Any:
    """The basis of an estimate, if one is asked for."""
    if not options.estimate or plan.is_nothing:
        return None
    from .sampling import Bounds, sample

    return sample(storage, job, plan, Bounds(), core_hour_price=options.core_hour_price)


@contextlib.contextmanager
def _recorded(parsed: argparse.Namespace, storage: Any) -> Iterator[tuple[Any, Any]]:
    """Options and the recorder of a run, which tells of it when the block ends."""
    from .predictions import keep
    from .reporting import Recorder, require_apart

    class Recording(Recorder):
        def frozen(self, storage: Any, job: Any, plan: Any) -> None:
            parsed.frozen = True
            if (basis := _estimated(storage, job, plan, options)) is not None:
                keep(storage, job, basis)
                if not parsed.json:
                    _print_plan(job, plan, basis, options, parsed)
            super().frozen(storage, job, plan)

    given = (*(getattr(parsed, "inputs", None) or ()), parsed.output or "")
    # Refused before there is a recorder: it tells of refusals in these very files.
    require_apart(storage, parsed.report, parsed.metrics_file, tuple(filter(None, given)))
    recorder = Recording(
        parsed.command, storage, report=parsed.report, metrics_file=parsed.metrics_file
    )
    with recorder.recording(parsed.stopped):
        options = _options(parsed)
        set_up_logs(options.log_level, options.log_format)
        recorder.opened(
            report=options.report,
            metrics_file=options.metrics_file,
            places=(*options.inputs, options.output),
            workers=options.workers,
            runner=options.runner,
        )
        with ended_without_progress(options.watchdog_seconds, lambda: _advice(parsed)):
            yield options, recorder


def _print_plan(job: Any, plan: Any, basis: Any, options: Any, parsed: argparse.Namespace) -> None:
    from ..models.naming import role_list
    from .changes import told_night

    size = sum(unit.bytes for unit in plan.units)
    night = {} if plan.night is None else dict(plan.night.counts)
    if parsed.json:
        from .estimate import told

        value = {"run": job.run, "files": len(plan.files), "bytes": size, "units": len(plan.units)}
        value |= {"night": night} if night else {}
        print(json.dumps(value | (told(basis, options.workers) if basis else {}), indent=1))
        return
    if night:
        print("\n".join(told_night(night)))
    if plan.is_nothing:
        print("nothing to do")
        return
    print(f"run {job.run}: {len(plan.files):,} files, {size:,} bytes, {len(plan.units):,} units")
    print(f"columns: {role_list(dict(job.columns.roles))}")
    print(
        f"models: {', '.join(job.models) or 'none'}; "
        f"rules: {', '.join(job.recognisers) or 'none'}; policy: {job.policy}"
    )
    if basis is not None:
        from .estimate import table

        print(table(basis, options.workers), flush=True)


def _print_manifest(manifest: dict[str, Any], parsed: argparse.Namespace) -> int:
    if manifest and parsed.json:
        print(json.dumps(manifest, indent=1))
    elif "nothing_to_do" in manifest:
        from .changes import told_night
        from .inspection import summary

        if counts := manifest["nothing_to_do"]:
            print("\n".join((*told_night(counts), "nothing to do")))
        else:
            print("nothing to do: these inputs are published, with these settings; what is there:")
            print(summary(manifest, "that run"))
    elif manifest:
        from .inspection import summary

        print(summary(manifest))
    return DONE


def _plan(parsed: argparse.Namespace) -> int:
    from ..models.storage import Storage
    from .predictions import keep
    from .runs import plan_and_freeze

    storage, options = Storage(), _options(parsed)
    with ended_without_progress(options.watchdog_seconds, lambda: _advice(parsed)):
        job, plan = plan_and_freeze(storage, options)
    if (basis := _estimated(storage, job, plan, options)) is not None:
        keep(storage, job, basis)
    _print_plan(job, plan, basis, options, parsed)
    return DONE


def _resume(parsed: argparse.Namespace) -> int:
    from ..models.storage import Storage
    from .runs import resume

    storage = Storage()
    with _recorded(parsed, storage) as (options, recorder):
        skip = [_locator(one) for one in parsed.skip or ()]
        if skip and parsed.discard:
            raise UsageError("--skip goes on with a run, --discard gives it up: give one of them")
        manifest = resume(
            storage,
            options,
            parsed.run,
            key_source=parsed.key_file,
            discard=parsed.discard,
            skip=skip,
            watch=recorder,
        )
    return _print_manifest(manifest, parsed)


def _locator(text: str) -> tuple[int, int]:
    """Unit and ordinal of `UNIT:ORDINAL`.

    Raises:
        UsageError: if it is something else.
    """
    unit, _, row = text.partition(":")
    if not all(one.isascii() and one.isdecimal() and len(one) < 19 for one in (unit, row)):
        raise UsageError("--skip takes UNIT:ORDINAL, two numbers as the message names them")
    return int(unit), int(row)


def _diff(parsed: argparse.Namespace) -> int:
    from ..models.storage import Storage
    from .differences import diff, told, told_documents

    if parsed.max_lost is not None and not 0 <= parsed.max_lost <= 1:
        raise UsageError(f"--max-lost is a share from 0 to 1, got {parsed.max_lost}")
    with ended_without_progress(WATCHDOG_SECONDS, lambda: _advice(parsed)):
        found = diff(
            Storage(),
            parsed.output.rstrip("/"),
            run=parsed.run,
            against=parsed.against and parsed.against.rstrip("/"),
            by_document=parsed.documents,
        )
    if parsed.json:
        print(json.dumps(found.to_json(), indent=1))
    else:
        for line in told_documents(found) if parsed.documents else told(found):
            print(line)
    limit = parsed.max_lost
    alike = found.is_none if limit is None else found.lost_share <= limit
    return DONE if alike and (found.is_telling or limit == 1) else HELD


def _annotate(parsed: argparse.Namespace) -> int:
    from .annotate import annotate

    options = _options(parsed)
    count = annotate(
        options.inputs,
        parsed.output,
        models=options.models,
        recognisers=options.recognisers if parsed.recognisers else (),
        native_labels=not parsed.own_labels,
        cover=parsed.cover,
        source_form=parsed.source_form,
        target_form=parsed.target_form,
        overwrite=parsed.overwrite,
    )
    print(f"{count:,} documents annotated")
    return DONE


def _verify(parsed: argparse.Namespace) -> int:
    from ..models.storage import Storage
    from .state import exposed, require_there
    from .verify import verify

    require_there(Storage(), parsed.output.rstrip("/"))
    with ended_without_progress(WATCHDOG_SECONDS, lambda: _advice(parsed)):
        faults, lines = verify(
            Storage(),
            parsed.output.rstrip("/"),
            originals=parsed.originals,
            key_source=parsed.key_file,
        )
    print("\n".join(lines))
    for fault in faults:
        print(f"FAULT {fault}")
    if warning := exposed(parsed.output):
        print(f"WARNING {warning}")
    return HELD if faults else DONE


def _list_columns(parsed: argparse.Namespace) -> int:
    from ..models.storage import Storage
    from .column_names import list_columns
    from .new_files import write_new

    if parsed.names_file is None and not sys.stdout.isatty():
        raise UsageError(
            "names of columns may be values of the input, so they are printed on a terminal alone; "
            "--names-file FILE writes them to a new file that only you can read"
        )
    lines = list_columns(Storage(), _options(parsed))
    if parsed.names_file is not None:
        text = "".join(f"{line}\n" for line in lines)
        write_new(parsed.names_file, text.encode("utf-8", "backslashreplace"), "--names-file")
    else:
        print("\n".join(lines))
    return DONE


def _inspect(parsed: argparse.Namespace) -> int:
    if parsed.list_columns:
        return _list_columns(parsed)
    if not parsed.output:
        raise UsageError("say which output with --output URL")
    from ..models.storage import Storage
    from .inspection import (
        ERROR_COLUMN,
        legend,
        list_gone,
        list_quarantined,
        read_manifest,
        show_document,
        summary,
    )
    from .state import require_there

    storage, output = Storage(), parsed.output.rstrip("/")
    require_there(storage, output)
    if parsed.document:
        show_document(storage, output, parsed.document, key_source=parsed.key_file)
    elif parsed.gone:
        if not parsed.inputs:
            raise UsageError("say where inputs should be with --input URL, as for the run")
        for line in list_gone(storage, output, parsed.inputs, key_source=parsed.key_file):
            print(line)
    elif parsed.quarantined:
        lines, errors = list_quarantined(storage, output, key_source=parsed.key_file), set()
        print(next(lines))
        for line in lines:
            print(line)
            errors.add(line.split("\t")[ERROR_COLUMN])
        sys.stdout.flush()
        for line in legend(errors):
            print(line, file=sys.stderr)
    else:
        print(summary(read_manifest(storage, output), "last run"))
    return DONE


def _status(parsed: argparse.Namespace) -> int:
    from ..models.storage import Storage
    from .status import status, told

    found = status(Storage(), parsed.output.rstrip("/"))
    print(json.dumps(found, indent=1) if parsed.json else "\n".join(told(found)))
    return DONE


def _prune(parsed: argparse.Namespace) -> int:
    from ..models.storage import Storage
    from .pruning import prune

    for line in prune(
        Storage(),
        parsed.output.rstrip("/"),
        keep_runs=parsed.keep_runs,
        older_than_days=parsed.older_than,
        yes=parsed.yes,
    ):
        print(line)
    return DONE


def _key(parsed: argparse.Namespace) -> int:
    from ..models.keys import ENVIRONMENT, canonical_id, load_keys, new_key, warn_if_open
    from ..models.storage import Storage
    from .new_files import require_new, write_new

    if parsed.what == "new":
        if not parsed.output:
            raise UsageError(
                "say where to write the key with --output FILE: it is not shown on the screen"
            )
        require_new(parsed.output, "--output")
        write_new(parsed.output, f"{new_key()}\n".encode(), "--output")
        return DONE
    ids = parsed.ids
    if parsed.what != "check" and not ids:
        raise UsageError("say which ids, or - to read them from standard input, one a line")
    source = parsed.key_file or f"env:{ENVIRONMENT}"
    keys = load_keys(source, Storage().read_bytes)
    warn_if_open(source)
    if parsed.what == "check":
        print(keys.check)
        return DONE
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
    if sys.stdin is None:
        raise UsageError("standard input is closed: nothing can be read from it")
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError:
        raise UsageError("standard input is not UTF-8") from None


def _train(parsed: argparse.Namespace) -> int:
    from .training import train_bundle

    print(train_bundle(parsed))
    return DONE


def _dial(parsed: argparse.Namespace) -> int:
    from .dialling import dial_bundle

    print(
        dial_bundle(
            parsed.bundle,
            parsed.on,
            recalls=parsed.recalls or (),
            recall_by=parsed.recall_by,
            output=parsed.output,
            curve=parsed.curve,
            svg=parsed.svg,
            as_json=parsed.json,
        )
    )
    return DONE


def _evaluate(parsed: argparse.Namespace) -> int:
    from .scoring import evaluate

    print(evaluate(parsed))
    return DONE


def _convert(parsed: argparse.Namespace) -> int:
    from .converting import convert

    for line in convert(
        parsed.source,
        parsed.target,
        source_form=parsed.source_form,
        target_form=parsed.target_form,
        label_map=parsed.label_map,
        check=parsed.check,
        overwrite=parsed.overwrite,
    ).lines():
        print(line)
    return DONE


def _synth(parsed: argparse.Namespace) -> int:
    from .synthesis import synthesise

    print(synthesise(parsed))
    return DONE


def _policy(parsed: argparse.Namespace) -> int:
    from .policies import check_policy, list_policies, show_policy

    if (parsed.policy is None) != (parsed.what == "list"):
        raise UsageError("`policy list` takes no name; `policy check` and `policy show` need one")
    if parsed.what == "list":
        print(list_policies())
    elif parsed.what == "show":
        print(show_policy(parsed.policy))
    else:
        print(check_policy(parsed.policy, as_json=parsed.json))
    return DONE


def _dictionaries(parsed: argparse.Namespace) -> int:
    from ..dictionaries import DictionaryError
    from .dictionaries import build, fetch, list_lists

    only, output = tuple(parsed.only or ()), parsed.output
    if parsed.what != "list" and not output:
        raise UsageError("say where to write with --output FOLDER")
    if parsed.what == "build" and not parsed.source:
        raise UsageError("say where the official files are with --from FOLDER")
    try:
        if parsed.what == "list":
            lines = iter(list_lists())
        elif parsed.what == "fetch":
            lines = fetch(output, only=only, urls=tuple(parsed.urls or ()))
        else:
            lines = build(
                parsed.source,
                output,
                only=only,
                least_count=parsed.least_count,
                subtract=tuple(parsed.subtract or ()),
            )
        for line in lines:
            print(line)
    except DictionaryError as error:
        raise UsageError(str(error)) from None
    return DONE


def _study(parsed: argparse.Namespace) -> int:
    from .studying import list_studies, run_studies

    if parsed.study == ["list"]:
        print("\n".join(list_studies()))
        return DONE
    for line in run_studies(parsed):
        print(line, flush=True)
    return DONE


def _part(parsed: argparse.Namespace) -> int:
    from .parts import list_parts, score_part, show_part, train_part

    if (parsed.part is None) != (parsed.what == "list"):
        raise UsageError("`part list` takes no name; `part train` needs one, the others a folder")
    if parsed.what == "list":
        print("\n".join(list_parts()))
    elif parsed.what == "train":
        print(train_part(parsed))
    elif parsed.what == "show":
        print(show_part(parsed.part))
    else:
        print(score_part(parsed.part, parsed.inputs or ()))
    return DONE


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "scrub": _scrub,
    "plan": _plan,
    "resume": _resume,
    "diff": _diff,
    "annotate": _annotate,
    "verify": _verify,
    "inspect": _inspect,
    "status": _status,
    "prune": _prune,
    "key": _key,
    "train": _train,
    "dial": _dial,
    "evaluate": _evaluate,
    "convert": _convert,
    "synth": _synth,
    "policy": _policy,
    "dictionaries": _dictionaries,
    "part": _part,
    "study": _study,
}
"""Command -> its function; `arguments` says what each takes."""


if __name__ == "__main__":
    command()
