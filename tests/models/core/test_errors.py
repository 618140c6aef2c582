"""Errors: what is told of them, which exit code they are, and that every class is explained."""

import ast
import functools
import pickle
import re
from pathlib import Path

import pytest
from scrubline.models.core import errors
from scrubline.models.core.error_classes import error_classes, explain
from scrubline.models.core.errors import (
    BundleError,
    DocumentError,
    GateFailed,
    OverBudget,
    RunFailed,
    RunOnHold,
    ScrublineError,
    StorageError,
    UsageError,
    error_class,
)


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (ValueError("John Smith"), "ValueError"),
        (UnicodeDecodeError("utf-8", b"Smith", 0, 1, "Smith"), "UnicodeDecodeError"),
        (DocumentError("BadId"), "BadId"),
        (OverBudget("tokens"), "OverBudget:tokens"),
        (type("Inner", (KeyError,), {})("Smith"), "Inner"),
        (MemoryError(), "MemoryError"),
    ],
)
def test_only_the_class_of_an_error_is_told(error, shown):
    assert error_class(error) == shown
    assert "Smith" not in error_class(error)


@pytest.mark.parametrize(
    ("kind", "parent"),
    [
        (BundleError, UsageError),
        (StorageError, RunFailed),
        (OverBudget, DocumentError),
        (UsageError, ScrublineError),
        (RunFailed, ScrublineError),
        (GateFailed, ScrublineError),
        (RunOnHold, ScrublineError),
        (DocumentError, ScrublineError),
    ],
)
def test_kinds_decide_exit_codes(kind, parent):
    assert issubclass(kind, parent)


def test_exit_codes_never_overlap():
    # One error must not be two of: refused (2), failed but resumable (1), held back (3), waits (4).
    ends = (UsageError, RunFailed, GateFailed, RunOnHold, DocumentError)
    for name in vars(errors):
        kind = getattr(errors, name)
        if (
            isinstance(kind, type)
            and issubclass(kind, ScrublineError)
            # A command raises no DocumentsFailed.
            and kind not in (ScrublineError, errors.DocumentsFailed)
        ):
            assert sum(issubclass(kind, end) for end in ends) == 1


# -- every class under which a row is quarantined is explained

ROOT = Path(__file__).parents[3]

SOURCES = sorted(
    path
    for path in [*ROOT.glob("models/**/*.py"), *ROOT.glob("transforms/*.py")]
    + [*ROOT.glob("pipeline/**/*.py")]
    if path != ROOT / "models/core/errors.py"
)

CODE_OF = {
    "DocumentError": 0,
    "OverBudget": 0,
    "Unreadable": 0,
    "Failure": 1,
    "_letter": 2,
    "skipping": 2,
    "CorpusError": 1,
}
"""Call -> which of its arguments is a class."""

FAULT_OF = {"wrong": (0, 1), "_wrong": (0, 1), "refuse": (1,)}
"""The same of what corpora call; of a method or closure the line's number is not an argument."""

MAKERS = ["models/formats/*.py", "models/corpora/*.py"] + [
    f"models/{name}.py"
    for name in (
        *("core/budgets", "core/keys", "redaction/merging", "jobs/read_unit", "jobs/steps"),
        *("jobs/note_messages", "text/tokenizer", "roster/guard"),
    )
]
"""Where a class may also be told as a mere text: `return "BadEncoding"`."""

TWO_WORDS = re.compile(r"[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|OverBudget:[a-z_]+")
"""What a class looks like; those of one word ("Encrypted") are seen where they are raised."""

NO_CLASSES = {
    *("SpaceAfter", "SpacesAfter", "SpanBefore", "SpanAfter"),  # keys of CoNLL-U
    "Malformed",  # of a written part, which `verify` counts
    *("CarryOver", "MatchRoster", "GuardRoster"),  # steps
}


def test_the_places_that_are_searched_exist():
    assert [pattern for pattern in MAKERS if not list(ROOT.glob(pattern))] == []


def called(node):
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def texts_in(node):
    """Texts in an expression, written there or by the name of a constant."""
    found = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant)]
    found += [constants().get(one.id) for one in ast.walk(node) if isinstance(one, ast.Name)]
    return [text for text in found if isinstance(text, str)]


@functools.cache
def constants():
    """Texts that modules give a name in capitals, by that name."""
    found = {}
    for path in SOURCES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.Assign | ast.AnnAssign):
                continue
            name = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
            if isinstance(name, ast.Name) and name.id.isupper() and is_text:
                found[name.id] = node.value.value
    return found


def names_in(tree):
    """Classes of Python that a module speaks of: in `__all__`, in annotations as text."""
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names |= {one.name for node in ast.walk(tree) for one in getattr(node, "names", ())
              if isinstance(one, ast.alias)}  # fmt: skip
    return names | {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


def classes_in(path):
    """Every literal of a file that becomes an error class: (class, line)."""
    found = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    in_corpora = path.parent.name == "corpora"
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = called(node)
        places = (CODE_OF[name],) if name in CODE_OF else ()
        if in_corpora:
            places = places or FAULT_OF.get(name, ())
        if name == "add_error":
            places = (0,)
        for place in places:
            for text in texts_in(node.args[place]) if place < len(node.args) else ():
                if re.fullmatch(r"[A-Z]\w*(:\w+)?", text) or name == "OverBudget":
                    found.add((f"OverBudget:{text}" if name == "OverBudget" else text, node.lineno))
    if any(path in ROOT.glob(pattern) for pattern in MAKERS):
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                alike = TWO_WORDS.fullmatch(node.value) or node.value == "Encrypted"
                if alike and node.value not in NO_CLASSES | names_in(tree):
                    found.add((node.value, node.lineno))
    return found


def test_every_class_in_the_code_is_explained_and_every_one_explained_is_there():
    found = {}
    for path in SOURCES:
        for code, line in classes_in(path):
            found.setdefault(code, f"{path.relative_to(ROOT)}:{line}")
    assert {code: at for code, at in found.items() if code not in error_classes()} == {}
    assert set(error_classes()) - set(found) == set()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('raise DocumentError("NewClass")', {"NewClass"}),
        ('raise errors.OverBudget("seconds")', {"OverBudget:seconds"}),
        ('yield from cutter.add_error("Word")', {"Word"}),
        ('Failure(STAGE, "MissingId" if missing else "Word")', {"MissingId", "Word"}),
        ('amendments.skipping(unit, row, "Word")', {"Word"}),
        ("amendments.skipping(unit, row, SKIPPED)", {"Skipped"}),
        ('raise Unreadable(f"{code}")', set()),
        ('Failure("skip-list", code)', set()),
        ('log("DocumentError")', set()),
    ],
)
def test_a_class_is_found_however_it_is_told(tmp_path, source, expected):
    (tmp_path / "some.py").write_text(source)
    assert {code for code, _ in classes_in(tmp_path / "some.py")} == expected


@pytest.mark.parametrize("code", error_classes())
def test_a_class_is_explained_in_a_line(code):
    found = explain(code)
    assert 3 < len(found.cause) < 90 and 3 < len(found.remedy) < 110
    for text in (found.cause, found.remedy):
        assert text == text.strip() and "\t" not in text and "\n" not in text and "|" not in text
        assert not text.endswith(".")


@pytest.mark.parametrize("code", ["KeyError", "ArrowInvalid", "", "badjson"])
def test_what_is_not_ours_is_called_an_exception(code):
    assert "exception" in explain(code).cause


@pytest.mark.parametrize(
    "error",
    [
        *(DocumentError("BadId"), OverBudget("bytes"), BundleError("damaged")),
        UsageError("unknown column", on_terminal="unknown column 'x'"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_are_the_same_after_pickling(error):
    back = pickle.loads(pickle.dumps(error))
    assert (type(back), str(back), vars(back)) == (type(error), str(error), vars(error))
