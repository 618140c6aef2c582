"""What is said of an error, and with which code a command ends; no foreign message is repeated."""

import argparse
import ast
import errno
import os
import pathlib
import re

import pytest
from scrubline.models.core.errors import (
    GateFailed,
    InputChanged,
    OutputBusy,
    RunFailed,
    RunOnHold,
    UsageError,
)
from scrubline.pipeline.cli.failures import report_failure
from scrubline.pipeline.commands.advice import KEPT, REFUSED_BUT_KEPT
from scrubline.pipeline.process.logs import set_up_logs
from scrubline.pipeline.process.stdout import StdoutError

from .test_main import _as_before  # noqa: F401 - fixture

ROOT = pathlib.Path(__file__).parents[3]


def reported(error, capsys, *, frozen=False, command="scrub", stopped=()):
    set_up_logs()
    parsed = argparse.Namespace(command=command, frozen=frozen)
    try:
        raise error
    except BaseException as raised:
        code = report_failure(raised, parsed, stopped)
    return code, capsys.readouterr().err


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize(
    ("error", "code", "hint"),
    [
        (UsageError("a reason"), 2, REFUSED_BUT_KEPT),
        (OutputBusy("a reason"), 5, ""),
        (GateFailed("a reason"), 3, ""),
        (RunOnHold("a reason"), 4, ""),
        (RunFailed("a reason"), 1, KEPT),
        (InputChanged("a reason"), 1, ""),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_error_of_ours(capsys, error, code, hint, frozen):
    expected = "scrubline: a reason\n" + (f"{hint}\n" if hint and frozen else "")
    assert reported(error, capsys, frozen=frozen) == (code, expected)


def test_every_advice_to_resume_names_the_output():
    """On a terminal `--output ...` becomes what was typed, so that the command can be pasted."""
    helps = ("arguments", "job_options.py", "exit_codes.py")
    checked = 0
    for path in (*ROOT.glob("models/**/*.py"), *ROOT.glob("pipeline/**/*.py")):
        if any(part in helps for part in path.parts):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and id(node) not in docs:
                for words in re.findall("`scrubline (?:resume|diff)([^`]*)`", str(node.value)):
                    assert words.startswith((" --output ...", " --output OUT")), path
                    checked += 1
    assert checked > 20


def test_what_resume_left_can_always_be_resumed(capsys):
    code, said = reported(RunFailed("a reason"), capsys, command="resume")
    assert (code, said) == (1, f"scrubline: a reason\n{KEPT}\n")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("Smith")])
def test_whatever_a_signal_became_on_its_way(capsys, error):
    code, said = reported(error, capsys, frozen=True, stopped=[15])
    assert code == 1
    assert said == (
        "\nstopped. Finished work is kept: continue with `scrubline resume --output ...`\n"
    )


def test_a_foreign_error_is_named_by_class_and_place(capsys):
    code, said = reported(ValueError("Smith"), capsys)
    assert code == 1
    assert "unexpected ValueError at " in said and "Please report this line" in said
    assert "Smith" not in said


def test_a_working_folder_that_was_removed(capsys, tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(FileNotFoundError) as missing:
        os.getcwd()
    code, said = reported(missing.value, capsys)
    assert code == 1
    assert said == "scrubline: the working folder was removed: change to one that is there\n"


@pytest.mark.parametrize(
    "error",
    [MemoryError("Smith"), OSError(errno.EMFILE, "Smith"), RuntimeError("can't start new thread")],
)
def test_a_shortage_is_no_fault_of_a_line(capsys, error):
    code, said = reported(error, capsys, frozen=True)
    assert code == 1 and said.endswith(f"{KEPT}\n")
    assert "unexpected" not in said and "Smith" not in said


def test_standard_output(capsys):
    full = StdoutError(OSError(errno.ENOSPC, "No space left"))
    shown = "scrubline: standard output cannot be written (OSError ENOSPC)\n"
    assert reported(full, capsys, frozen=True) == (1, shown)
    assert reported(StdoutError(BrokenPipeError(errno.EPIPE, "x")), capsys) == (1, "")
