"""The page of errors says what the code says: exceptions, classes of quarantine, messages."""

import ast
import re
from pathlib import Path

import pytest
from scrubline.models.core import errors
from scrubline.models.core.error_classes import error_classes
from scrubline.models.core.errors import ScrublineError
from scrubline.pipeline.cli import main as cli

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs/errors.md").read_text(encoding="utf-8")


def section(title):
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def rows(text):
    """Cells of the rows of tables, without their heads."""
    found = []
    for line in text.splitlines():
        if line.startswith("| ") and not line.startswith(("| ---", "| class", "| exc", "| gate")):
            found.append([cell.strip() for cell in line.strip("|").split(" | ")])
    return [row for row in found if row[0] != "message"]


def named(cell):
    return re.findall(r"`([^`]+)`", cell)


def test_every_class_of_quarantine_is_on_the_page_as_in_the_table():
    listed = [
        (row[0].strip("` "), row[1], row[2]) for row in rows(section("Why a row is quarantined"))
    ]
    assert sorted(listed) == sorted(
        (c, entry.cause, entry.remedy) for c, entry in error_classes().items()
    )


EXCEPTIONS = {
    name: kind
    for name, kind in vars(errors).items()
    if isinstance(kind, type) and issubclass(kind, ScrublineError)
}


def test_every_exception_is_on_the_page():
    listed = [row[0].strip("` ") for row in rows(section("Exit codes and exceptions"))]
    assert sorted(listed) == sorted(EXCEPTIONS)


@pytest.mark.parametrize("row", rows(section("Exit codes and exceptions")), ids=lambda row: row[0])
def test_exceptions_end_a_command_with_the_code_of_the_page(row, monkeypatch, capsys):
    kind = EXCEPTIONS[row[0].strip("` ")]
    if row[1] == "none":
        return

    def fail(parsed):
        raise kind("told")

    monkeypatch.setattr("scrubline.pipeline.commands.resume.run", fail)
    with pytest.raises(SystemExit) as end:
        cli.main(["resume", "--output", "nowhere"])
    assert end.value.code == int(row[1])
    assert "scrubline: told" in capsys.readouterr().err


def rendered(node):
    """A text of the code with … for what is filled in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            rendered(one) if isinstance(one, ast.Constant) else "…" for one in node.values
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return rendered(node.left) + rendered(node.right)
    return "…"


@pytest.fixture(scope="module")
def texts():
    found = set()
    for room in ("dictionaries", "models", "transforms", "pipeline"):
        for path in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp):
                    found.add(rendered(node))
    return found


MESSAGES = [row[0] for row in rows(section("What is refused most"))]
MESSAGES += [row[1] for row in rows(section("Gates"))]


@pytest.mark.parametrize("cell", MESSAGES)
def test_messages_of_the_page_are_those_of_the_code(cell, texts):
    (message,) = named(cell)
    pattern = ".*".join(map(re.escape, message.split("…")))
    assert any(re.search(pattern, text, re.DOTALL) for text in texts)


STEPS = ("map_documents", "_failing_those_that_raise")
"""Functions of `models.jobs.steps` whose second argument is the name of a step."""


def test_stages_of_the_page_are_those_of_the_code():
    told = re.search(r"gives the stage \(([^)]*)\)", PAGE)[1]
    found = set()
    for room in ("models", "transforms"):
        for path in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") in STEPS:
                    found.add(rendered(node.args[1]))
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Failure":
                    found.add(rendered(node.args[0]))
    assert set(named(told)) == {"read", *(found - {"…"})}


# -- the table of hostile input

SECURITY = (ROOT / "docs/security.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", SECURITY)


@pytest.mark.parametrize(("path", "name"), sorted(set(SHOWN)))
def test_the_tests_that_the_manual_names_are_there(path, name):
    assert re.search(rf"^def {name}\(", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)


def test_every_hostile_case_names_a_test():
    table = SECURITY.split("## Hostile input, and what happens\n")[1].split("\n## ")[0]
    cases = [line for line in table.splitlines() if line.startswith("| ")][2:]
    assert len(cases) > 20
    assert [case for case in cases if not re.search(r"`tests/[\w/.]+::\w+` \|$", case)] == []


def test_the_classes_that_the_manual_names_are_there():
    named = set(re.findall(r"\(`([A-Z][A-Za-z:]+)`(?:, `([A-Z][A-Za-z:]+)`)?\)", SECURITY))
    assert {name for pair in named for name in pair if name} <= set(error_classes())
