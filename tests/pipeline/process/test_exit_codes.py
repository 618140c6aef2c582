import json
import re
from pathlib import Path

import pytest
from scrubline.models.core.errors import (
    BundleError,
    GateHeld,
    InputChanged,
    OutputBusy,
    RunFailed,
    RunHeld,
    StorageError,
    UsageError,
)
from scrubline.pipeline.cli.parser import make_parser
from scrubline.pipeline.process.exit_codes import STATES, ExitCode, exit_code_of

OPERATIONS = Path(__file__).parents[3] / "docs/operations.md"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (OutputBusy("x"), 5),
        (UsageError("x"), 2),
        (BundleError("x"), 2),
        (GateHeld("x"), 3),
        (RunHeld("x"), 4),
        (RunFailed("x"), 1),
        (InputChanged("x"), 1),
        (StorageError("x"), 1),
        (ValueError("x"), 1),
        (KeyboardInterrupt(), 1),
    ],
)
def test_the_code_of_an_error(error, code):
    assert exit_code_of(error) == code


def test_a_code_is_a_number_wherever_it_is_written():
    assert json.dumps({"exit_code": ExitCode.HELD}) == '{"exit_code": 3}'
    assert (
        f"{ExitCode.BUSY} {ExitCode.BUSY.meaning}" == "5 another process is working on this output"
    )


def test_a_report_says_how_a_run_ended_with_every_code_that_it_can_have():
    assert set(STATES.values()) == set(ExitCode) - {ExitCode.BUSY}


def test_help_and_manual_list_every_code():
    help_text = make_parser().epilog
    section = OPERATIONS.read_text(encoding="utf-8").split("## Exit codes", 1)[1]
    rows = re.findall(r"^\| (\d) \| ([^|]*) \|", section, re.M)
    assert [int(code) for code, _ in rows] == list(ExitCode)
    for (_, meaning), code in zip(rows, ExitCode, strict=True):
        assert meaning.startswith(code.meaning.replace("--hold", "`--hold`"))
        assert f"  {code}  {code.meaning}\n" in help_text
