"""The table of options: what it says of each is so, and a new one is one entry of it."""

import dataclasses
import re
import subprocess
from pathlib import Path

import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.core.options import Kept, ValueKind, option, options_of
from scrubline.models.formats.column_roles import Role
from scrubline.models.jobs.job import Job
from scrubline.models.jobs.job_options import PLANNING, RUNS, Heading, JobOptions
from scrubline.models.redaction.policy_file import policy_names
from scrubline.pipeline.cli.completion import bash, completed_commands
from scrubline.pipeline.cli.parser import make_parser, parse
from scrubline.pipeline.commands.run_options import read_options
from scrubline.pipeline.options import Options, load_config, options_from, table
from scrubline.pipeline.options.manual import table_of_options
from scrubline.pipeline.options.table import run_options
from scrubline.pipeline.runners.engines import RUNNERS

from ...waiting import GUARD_SECONDS

MODELS = Path(__file__).parents[3] / "models"
TABLE = {option.name: option for option in run_options()}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class WithToy(Options):
    """One entry more than the table has."""

    toy_level: int = option(
        7,
        name="toy-level",
        help="how much of a toy it is",
        group=Heading.WORK,
        kept=Kept.CONFIG,
        commands=RUNS,
        metavar="N",
        suggested=("7", "77"),
        aliases=("toy-lvl",),
        old_names=("toyness",),
    )


@pytest.fixture
def toy(monkeypatch):
    monkeypatch.setattr(table, "Options", WithToy)


def help_of(command, capsys):
    with pytest.raises(SystemExit):
        make_parser().parse_args([command, "--help"])
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.usefixtures("toy")
class TestOneEntryIsEnough:
    def test_on_the_command_line(self):
        words = ["scrub", "--input", "i", "--output", "o"]
        assert read_options(parse(words)).toy_level == 7
        assert read_options(parse([*words, "--toy-level", "8"])).toy_level == 8
        assert read_options(parse([*words, "--toy-lvl", "8"])).toy_level == 8
        assert read_options(parse([*words, "--toy", "8"])).toy_level == 8  # short for both

    def test_a_wrong_value_is_refused(self, capsys):
        with pytest.raises(SystemExit) as ended:
            parse(["scrub", "--toy-level", "Smith"])
        assert ended.value.code == 2
        shown = capsys.readouterr().err
        assert "--toy-level/--toy-lvl: must be a whole number" in shown and "Smith" not in shown

    def test_in_the_config_file(self, tmp_path, caplog):
        (tmp_path / "job.toml").write_text("toy_level = 8\n")
        assert options_from(load_config(str(tmp_path / "job.toml")), {}).toy_level == 8
        assert options_from({"toy-lvl": 8}, {}).toy_level == 8
        assert options_from({"toy_level": 8}, {"toy_level": 9}).toy_level == 9
        assert caplog.messages == []
        assert options_from({"toyness": 8}, {}).toy_level == 8
        assert "toyness is called toy_level now" in caplog.text
        with pytest.raises(UsageError, match="toy_level must be a whole number, got a text"):
            options_from({"toy_level": "8"}, {})
        with pytest.raises(UsageError, match="'toy_leve' .did you mean 'toy_level'"):
            options_from({"toy_leve": 8}, {})

    @pytest.mark.parametrize("command", RUNS)
    def test_in_the_help(self, command, capsys):
        assert "--toy-level N how much of a toy it is (default: 7)" in help_of(command, capsys)

    def test_in_the_manual(self):
        row = "| `--toy-level` | whole number | `7` | config | scrub, plan, resume | How much of a "
        assert row in table_of_options()

    def test_in_completion(self, tmp_path):
        (tmp_path / "script").write_text(bash(completed_commands(make_parser())))
        code = (
            f"source {tmp_path}/script; COMP_WORDS=(scrubline resume --toy-level 7); COMP_CWORD=3"
        )
        code += "; _scrubline; echo ${COMPREPLY[@]}"
        done = subprocess.run(
            ["bash", "-c", code], capture_output=True, text=True, timeout=GUARD_SECONDS
        )
        assert (done.stdout, done.stderr) == ("7 77\n", "")


def test_without_the_toy_there_is_none(capsys):
    assert "toy" not in help_of("scrub", capsys) + table_of_options()


def test_what_the_job_keeps_as_it_is_has_one_default():
    """A new one of these is an entry of `JobOptions`, and in the job with that."""
    inherited = [entry.attribute for entry in options_of(JobOptions)]
    assert inherited == [entry.attribute for entry in options_of(Options)][: len(inherited)]
    made = {field.name: field for field in dataclasses.fields(Job)}
    for entry in options_of(JobOptions):
        assert entry.kept is Kept.JOB
        assert made[entry.attribute].default == entry.default


def test_a_plan_takes_its_limits_where_none_are_given():
    assert Options().max_quarantined is Options().max_gone is None
    planned = Options().planned()
    assert (planned["max_quarantined"], planned["max_gone"]) == (0.05, 0.1)
    assert planned["max_lost"] is None
    assert Options(max_gone=0.0).planned()["max_gone"] == 0.0
    assert set(planned) == {entry.attribute for entry in options_of(JobOptions)}


@pytest.mark.parametrize("entry", run_options(), ids=lambda entry: entry.name)
def test_an_entry_says_what_is_so(entry):
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", entry.name)
    assert not entry.help.endswith(".") and "%" not in entry.help
    assert entry.group in set(Heading)
    if entry.kept is Kept.JOB and entry.on_command_line:
        assert set(PLANNING) <= set(entry.commands)
    assert set(entry.help_for) <= set(entry.commands)
    value = getattr(Options(), entry.attribute)
    assert Options(**{entry.attribute: value}) == Options()
    if entry.kind is not ValueKind.SWITCH and entry.on_command_line:
        assert entry.metavar
    if entry.kind is ValueKind.SWITCH or entry.shown == "" or entry.name == "recogniser":
        return
    shown = ", ".join(value) if isinstance(value, tuple) else value
    if entry.planned is not None:
        shown = entry.planned
    expected = "" if shown in (None, "") else str(shown).removesuffix(".0")
    assert entry.default_for("scrub") == expected


def test_names_are_one_each():
    names = [n for e in run_options() for n in (e.name, *e.aliases, *e.old_names)]
    assert len(names) == len(set(names))
    assert len({entry.attribute for entry in run_options()}) == len(run_options())


def test_what_stands_elsewhere_is_the_same_there():
    assert set(TABLE["runner"].suggested) == set(RUNNERS)
    assert TABLE["policy"].suggested == policy_names()
    bundles = {path.name for path in (MODELS / "bundles/bundled").iterdir() if path.is_dir()}
    assert set(TABLE["model"].suggested) == bundles | {"none"}
    assert all(role in TABLE["column"].help for role in Role)
    for name in ("runner", "log-level", "log-format"):
        entry = TABLE[name]
        assert all(word in entry.help for word in entry.choices or entry.suggested)


@pytest.mark.parametrize(
    "changes",
    [
        *({"batch_documents": 0}, {"split_bytes": -1}, {"watchdog_seconds": float("nan")}),
        *({"workers": -1}, {"max_gone": 1.1}, {"max_lost": float("nan")}),
        *({"core_hour_price": float("inf")}, {"log_level": "LOUD"}, {"log_format": "xml"}),
        *({"report": ""}, {"metrics_file": ""}, {"canaries": ""}, {"policy": ""}),
    ],
    ids=str,
)
def test_a_value_that_no_command_can_work_with_is_refused(changes):
    (name,) = changes
    with pytest.raises(UsageError, match=f"^--{name.replace('_', '-')} "):
        Options(**changes)


def test_caps_that_are_too_large_together_are_refused():
    with pytest.raises(UsageError, match="batch_bytes and line_bytes together"):
        Options(batch_bytes=3_000_000_000)
