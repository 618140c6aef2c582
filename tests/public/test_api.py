"""The public API: the names that `import scrubline` gives, and what users may rely on of them."""

import ast
import doctest
import importlib
import inspect
import pickle
import re
import subprocess
import sys
import types
import typing
from pathlib import Path

import pytest
import scrubline
from scrubline.models.core.version import VERSION

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/python.md").read_text(encoding="utf-8")
METHODS = ("scrub", "explain", "scrub_many", "explain_many", "spans", "entities", "candidates")
"""Those of `Scrubber` that the manual names."""


def test_each_name_is_given_and_is_what_its_module_defines():
    for home, names in scrubline._HOMES.items():
        module = importlib.import_module(f"scrubline.{home}")
        for name in names:
            value = getattr(scrubline, name)
            assert value is getattr(module, name)
            assert value.__module__ == module.__name__
    assert sorted(scrubline._HOME_OF) == scrubline.__all__


def test_type_checkers_see_the_same_names_from_the_same_modules():
    (block,) = (
        node
        for node in ast.parse(Path(scrubline.__file__).read_text(encoding="utf-8")).body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    assert {
        node.module: tuple(alias.name for alias in node.names) for node in block.body
    } == scrubline._HOMES
    assert (Path(scrubline.__file__).parent / "py.typed").exists()


def test_star_import_gives_the_names_and_leaves_the_version_alone():
    given = {}
    exec("from scrubline import *", given)
    assert sorted(set(given) - {"__builtins__"}) == scrubline.__all__


def test_dir_shows_the_public_names_alone():
    assert dir(scrubline) == sorted([*scrubline.__all__, "__version__"])


def test_help_explains_each_name_in_one_table():
    table = scrubline.__doc__.split("public API")[1].split("\n\n")[1]
    described = re.findall(r"^    (\w+) +\S", table, re.MULTILINE)
    assert sorted(described) == dir(scrubline)
    shown = subprocess.run(
        [sys.executable, "-m", "pydoc", "scrubline"], capture_output=True, text=True, check=True
    ).stdout
    assert all(re.search(rf"^    (class )?{name}\b", shown, re.M) for name in scrubline.__all__)


def test_the_example_of_the_docstring_holds():
    result = doctest.testmod(scrubline)
    assert (result.attempted >= 4, result.failed) == (True, 0)


def test_the_examples_of_the_manual_hold(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = doctest.testfile(str(ROOT / "docs/python.md"), module_relative=False)
    assert (result.attempted >= 10, result.failed) == (True, 0)


def test_the_manual_names_all_that_is_public():
    listed = re.findall(r"^\| `([\w.]+)", PAGE.split("## What is public\n")[1], re.MULTILINE)
    assert sorted(listed) == sorted(set(dir(scrubline)) - {"__version__"})
    (row,) = re.findall(r"^\| `Scrubber` \|.*", PAGE, re.MULTILINE)
    assert set(METHODS) <= set(re.findall(r"`(\w+)`", row))


def types_in(hint):
    """All classes in an annotation."""
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is not None:
        for part in typing.get_args(hint):
            yield from types_in(part)
    elif hint is not Ellipsis:
        yield hint


SIGNATURES = [
    *(getattr(scrubline.Scrubber, name) for name in ("__init__", *METHODS)),
    *(scrubline.load_policy, scrubline.open_bundle),
    *(scrubline.ScrubbedText, scrubline.Span, scrubline.Candidate, scrubline.Budgets),
]


@pytest.mark.parametrize("function", SIGNATURES, ids=lambda function: function.__qualname__)
def test_what_public_functions_take_and_return_is_public(function):
    known = {getattr(scrubline, name) for name in scrubline.__all__}
    hints = typing.get_type_hints(function)
    assert hints
    for name, hint in hints.items():
        for kind in types_in(hint):
            assert kind in known or kind.__module__ in ("builtins", "types"), name


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Scruber", "Scrubber"),
        ("scrubber", "Scrubber"),
        ("loadpolicy", "load_policy"),
        ("OpenBundle", "open_bundle"),
        ("DocumentEror", "DocumentError"),
    ],
)
def test_a_misspelt_name_is_refused_with_the_one_that_was_meant(name, meant):
    with pytest.raises(AttributeError, match=f"did you mean '{meant}'\\?$"):
        getattr(scrubline, name)


@pytest.mark.parametrize("name", ["quux", "_Scrubber", "__wrapped__"])
def test_other_names_are_refused_without_a_guess(name):
    with pytest.raises(AttributeError) as caught:
        getattr(scrubline, name)
    assert str(caught.value) == f"module 'scrubline' has no attribute '{name}'"


def test_a_traceback_shows_the_suggestion_once():
    done = subprocess.run(
        [sys.executable, "-c", "import scrubline; scrubline.Scruber"],
        capture_output=True,
        text=True,
    )
    assert done.stderr.casefold().count("did you mean") == 1


def test_values_pickle():
    scrubber = scrubline.Scrubber(None)
    (span,) = scrubber.spans("MRN: 1234567")
    ((candidate,),) = scrubber.candidates("MRN: 1234567")
    values = [
        *(span, candidate, scrubber.explain("MRN: 1234567")),
        *(scrubline.load_policy("hipaa"), scrubline.Budgets(tokens=7)),
    ]
    assert pickle.loads(pickle.dumps(values)) == values
    bundle = scrubline.open_bundle("en-default")
    assert pickle.loads(pickle.dumps(bundle)).hash == bundle.hash


def test_all_public_errors_have_one_base_and_are_caught_where_they_come_up():
    errors = [
        value
        for name in scrubline.__all__
        if inspect.isclass(value := getattr(scrubline, name)) and issubclass(value, Exception)
    ]
    assert len(errors) == 7
    assert all(issubclass(error, scrubline.ScrublineError) for error in errors)
    with pytest.raises(scrubline.UsageError):
        scrubline.load_policy("no-such")
    with pytest.raises(scrubline.BundleError):
        scrubline.open_bundle("no-such")
    with pytest.raises(scrubline.OverBudget) as caught:
        scrubline.Scrubber(None, budgets=scrubline.Budgets(document_bytes=1)).scrub("ab")
    assert isinstance(caught.value, scrubline.DocumentError)
    assert caught.value.code == "OverBudget:bytes"


def test_python_m_is_the_command():
    done = subprocess.run(
        [sys.executable, "-P", "-m", "scrubline", "--version"], capture_output=True, text=True
    )
    assert done.returncode == 0 and done.stdout.startswith(f"scrubline {VERSION} (")
