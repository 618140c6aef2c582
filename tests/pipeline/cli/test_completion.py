"""Completion knows what the parser knows; bash runs the script, zsh and fish are looked at."""

import re
import shutil
import subprocess
import sys

import pytest
from scrubline.pipeline.cli.completion import SHELLS, bash, completed_commands, fish, zsh
from scrubline.pipeline.cli.parser import make_parser

from ...waiting import GUARD_SECONDS

COMMANDS = completed_commands(make_parser())


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    path = tmp_path_factory.mktemp("completion") / "scrubline"
    path.write_text(bash(COMMANDS))
    return path


@pytest.fixture
def completed(script):
    """What bash offers for the last of some words."""

    def complete(*words):
        quoted = " ".join(f"'{word}'" for word in words)
        code = (
            f"source {script}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _scrubline; "
            'printf "%s\\n" "${COMPREPLY[@]}"'
        )
        done = subprocess.run(
            ["bash", "-c", code], capture_output=True, text=True, timeout=GUARD_SECONDS
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.split()

    return complete


def flags_of(command):
    choices = next(a for a in make_parser()._actions if a.dest == "command").choices
    return [name for action in choices[command]._actions for name in action.option_strings]


def test_commands(completed):
    assert completed("scrubline", "") == [command.name for command in COMMANDS]
    assert completed("scrubline", "res") == ["resume"]
    assert completed("scrubline", "--v") == ["--version"]


@pytest.mark.parametrize("command", [command.name for command in COMMANDS])
def test_every_option_of_every_command(completed, command):
    assert completed("scrubline", command, "--") == [
        name for name in flags_of(command) if name.startswith("--")
    ]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("scrub", "--runner", "p"), ["portable", "prism"]),
        (("scrub", "--runner", "=", "f"), ["flink"]),  # as bash splits --runner=f
        (("scrub", "--runner", "="), ["direct", "portable", "prism", "flink", "spark", "dataflow"]),
        (("scrub", "--log-format", ""), ["text", "json"]),
        (("plan", "--policy", "h"), ["hipaa"]),
        (("plan", "--recognizer", "r"), ["recipe"]),
        (("resume", "--no-h"), ["--no-hold"]),
        (("dial", "bundle", "--recall-by", "t"), ["token"]),
        (("key", ""), ["new", "check", "doc", "patient", "offset", "map"]),
        (("policy", "sh"), ["show"]),
        (("completion", "z"), ["zsh"]),
        (("scrub", "--input", ""), []),  # the shell offers files
        (("scrub", "--workers", "2", "--policy", "res"), ["research"]),
        (("verify", ""), []),
    ],
)
def test_values(completed, words, expected):
    assert completed("scrubline", *words) == expected


@pytest.mark.parametrize("shell", SHELLS)
def test_the_command_prints_the_script(scrubline, shell):
    code, out, err = scrubline("completion", shell)
    assert (code, err) == (0, "")
    assert out == SHELLS[shell](COMMANDS) + "\n"


@pytest.mark.parametrize("make", [zsh, fish])
def test_the_scripts_for_other_shells_have_every_command_and_option(make):
    text = make(COMMANDS)
    for command in COMMANDS:
        assert re.search(rf"\b{command.name}\b", text)
        for name in command.names:
            assert name in text or f"-l {name[2:]} " in text or f"-s {name[1:]} " in text
    assert "portable prism flink" in text


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_that_is_here_finds_no_fault(shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "script").write_text(SHELLS[shell](COMMANDS))
    subprocess.run([shell, "-n", str(tmp_path / "script")], check=True, timeout=GUARD_SECONDS)


def test_nothing_heavy_is_loaded_to_make_it():
    code = (
        "import sys\nfrom scrubline.pipeline.cli.main import main\n"
        "try:\n    main(['completion', 'bash'])\nexcept SystemExit:\n    pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=GUARD_SECONDS,
    )
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert not loaded & {"numpy", "pyarrow", "apache_beam", "re2", "fsspec", "rich", "pycrfsuite"}
