import argparse

import pytest
from scrubline.models.core.errors import UsageError
from scrubline.pipeline.cli.parser import make_parser, parse
from scrubline.pipeline.commands.run_options import read_options
from scrubline.pipeline.options import said

PLACES = ("--input", "i", "--output", "o")


def given(*words):
    return said(parse(["scrub", *words]))


def test_what_is_not_said_is_not_there():
    assert given() == {}
    assert given("--workers", "0") == {"workers": 0}
    assert said(argparse.Namespace(workers=None, something="else")) == {}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--input", "a", "--input", "b"), {"inputs": ("a", "b")}),
        (("--model", "none"), {"models": ("none",)}),
        (("--column", "a=b=text"), {"columns": [("a=b", "text")]}),
        (("--incremental",), {"incremental": True}),
        (("--no-incremental",), {"incremental": False}),
        (("--no-header",), {"header": False}),
        (("--quote", ""), {"quote": ""}),
        (("--max-gone", "1"), {"max_gone": 1.0}),
        (("--recognizer", "date", "--recogniser", "phone"), {"recognisers": ("date", "phone")}),
        (("--recog", "date"), {"recognisers": ("date",)}),
        (("--dry-run", "--json"), {"dry_run": True, "as_json": True}),
    ],
)
def test_what_is_said(words, expected):
    assert given(*words) == expected


def test_a_column_without_a_role_is_named():
    with pytest.raises(UsageError, match=r"--column takes NAME=ROLE; these have no =: \['score'\]"):
        given("--column", "a=text", "--column", "score")


def test_the_command_line_takes_back_what_the_file_sets(tmp_path):
    config = tmp_path / "job.toml"
    config.write_text("incremental = true\nhold = true\nworkers = 4\nheader = false\n")
    words = ["scrub", *PLACES, "--config", str(config)]
    options = read_options(parse(words))
    assert (options.incremental, options.hold) == (True, True)
    assert (options.workers, options.header) == (4, False)
    words += ["--no-incremental", "--no-hold", "--workers", "0", "--header"]
    options = read_options(parse(words))
    assert (options.incremental, options.hold) == (False, False)
    assert (options.workers, options.header) == (0, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("scrub", "--workers", "two"), "argument --workers: must be a whole number"),
        (("scrub", "--max-gone", "Smith"), "argument --max-gone: must be a number"),
        (("scrub", "--max"), "ambiguous option"),
        (("scrub", "--run", "x"), "--runner"),
    ],
)
def test_a_value_that_is_wrong_is_not_repeated(words, message, capsys):
    if words[1] == "--run":
        assert parse(words).runner == "x"  # an abbreviation: scrub has no --run
        return
    with pytest.raises(SystemExit) as ended:
        parse(words)
    shown = capsys.readouterr().err
    assert ended.value.code == 2 and message in shown
    assert "two" not in shown and "Smith" not in shown


@pytest.mark.parametrize("command", ["scrub", "plan", "resume", "inspect", "annotate"])
def test_help_shows_an_option_once(command, capsys):
    with pytest.raises(SystemExit):
        make_parser().parse_args([command, "--help"])
    shown = capsys.readouterr().out
    assert "--[no-]header" in shown or command not in ("scrub", "plan", "inspect")
    assert "\n  --recognizer" not in shown and "\n  --no-" not in shown
