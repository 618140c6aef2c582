"""A rule is a file and a line in the table: it runs, is documented by `policy`, and is audited."""

import json

import pytest

from ..toy_tree import COMMAND, run_contract, run_in, tree_with

pytestmark = pytest.mark.slow

TOY = '''"""A toy: numbers of lockers."""

from .patterns import pattern, view
from ..core.spans import Candidate

NAME = "toy"
LABELS = ("IDNUM",)
SCORE = 0.9

_LOCKER = pattern(r"\\blocker (\\d+)")


def recognise(document, context):
    """Yields one IDNUM per number, left to right and without overlap."""
    for match in _LOCKER.finditer(view(document.text)):
        yield Candidate(*match.span(1), "IDNUM", NAME, SCORE)
'''
TEXT = "Put in locker 471."


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    edits = {
        "    titled_name,\n    unit_street,\n": "    titled_name,\n    toy,\n    unit_street,\n",
        '    "url": url,\n': '    "toy": toy,\n    "url": url,\n',
    }
    folder = tmp_path_factory.mktemp("tree")
    return tree_with(folder, "models/recognisers", {"toy.py": TOY}, "__init__.py", edits)


def test_it_keeps_every_promise_of_a_rule(tree):
    run_contract(tree, "models/recognisers/test_contract.py", "toy or agrees")


def test_a_scrubber_runs_it(tree):
    code = f"from scrubline import Scrubber\nprint(Scrubber(models=None).scrub({TEXT!r}))"
    assert run_in(tree, "-c", code) == "Put in locker [IDNUM].\n"


def test_the_command_runs_it_and_the_policy_names_it(tree):
    said = run_in(tree, *COMMAND, "scrub", "--json", "--model", "none", "-", given=TEXT)
    (span,) = json.loads(said)["spans"]
    assert (span["label"], span["detectors"]) == ("IDNUM", ["toy"])
    explained = json.loads(run_in(tree, *COMMAND, "policy", "check", "hipaa", "--json"))
    assert "toy" in explained["labels"]["IDNUM"]["rules"]
