"""An action is a file and a line in the table: policies, merging, audit and `verify` read that."""

import json

import pytest
from scrubline.models.core.keys import new_key

from ..toy_tree import COMMAND, run_in, tree_with

pytestmark = pytest.mark.slow

TOY = '''"""Toys: one that needs no look at the text, one that fills it, one that looks at it."""

import re


def count(label, length, marker):
    """How long it was."""
    return f"<{length}>"


def blacken(label, length, marker):
    """A block for each character."""
    return "#" * length


def keep_year(label, covered, restricted_zip3):
    """The year of a date; None for anything else."""
    found = re.fullmatch(r"\\d+/\\d+/(\\d{4})", covered)
    return found and found[1]
'''
LINES = """\
        Action("count", True, count, meaning="replaced by its length"),
        Action("blacken", True, blacken, fills=True),
        Action("year", True, look=keep_year, labels=frozenset({"DATE"}), meaning="made a year"),
"""
POLICY = """
name = "toy"
default = "count"
[actions]
DATE = "year"
PHONE = "blacken"
"""
TEXT = "Seen 3/4/2012 and on March 5th. MRN: 1234567. Phone (617) 555-0100."
SCRUBBED = "Seen 2012 and on [DATE]. MRN: <7>. Phone ##############."


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    keep = '        Action(KEEP, False, meaning="left as it is"),\n'
    generalisations = "from .generalization import GENERALISATIONS\n"
    edits = {
        keep: LINES + keep,
        generalisations: f"{generalisations}from .toy import blacken, count, keep_year\n",
    }
    folder = tmp_path_factory.mktemp("tree")
    tree_with(folder, "models/redaction", {"toy.py": TOY}, "actions.py", edits)
    (folder / "toy.toml").write_text(POLICY)
    return folder


def test_it_replaces_text(tree):
    words = ("scrub", "--model", "none", "--policy", tree / "toy.toml", "-")
    assert run_in(tree, *COMMAND, *words, given=TEXT) == SCRUBBED


def test_the_definition_of_merging_and_its_columns_agree_about_it(tree):
    code = (
        "from scrubline.models.core.spans import Candidate as C, Candidates\n"
        "from scrubline.models.redaction.merging import merge\n"
        "from scrubline.models.redaction.merging_vectorized import merge_vectorized\n"
        "from scrubline.models.redaction.policy_file import load_policy\n"
        "text = '3/4/2012 5/6/2013 617-555-0100 abcdef'\n"
        "places = (0, 8, 'DATE'), (9, 17, 'DATE'), (18, 30, 'PHONE'), (31, 37, 'IDNUM')\n"
        "found = [C(*place, 'a', 1.0) for place in places]\n"
        "policy = load_policy('toy.toml')\n"
        "alone, left = merge_vectorized(Candidates.of([(0, c) for c in found]), [policy], [text])\n"
        "print(len(left), *alone.replacements)\n"
        # Somebody else wants the second date gone, and a phone number that is longer.
        "found += [C(12, 17, 'IDNUM', 'b', 1.0), C(20, 33, 'PHONE', 'b', 1.0)]\n"
        "print([(s.action, s.replacement, s.fragment) for s in merge(text, found, policy)])\n"
    )
    alone, merged = run_in(tree, "-c", code).splitlines()
    assert alone == "0 2012 2013 ############ <6>"
    assert merged == str(
        [
            ("year", "2012", False),
            ("redact", "[DATE]", False),
            ("blacken", "##", True),
            ("blacken", "#############", False),
            ("redact", "", True),
        ]
    )


def test_a_run_audits_it_and_verify_knows_it(tree):
    (tree / "key").write_text(new_key())
    (tree / "key").chmod(0o600)
    (tree / "in").mkdir()
    (tree / "in/a.txt").write_text(TEXT)
    place = ("--output", tree / "out", "--key-file", tree / "key")
    words = ("--input", tree / "in", "--model", "none", "--policy", tree / "toy.toml")
    run_in(tree, *COMMAND, "scrub", *words, *place, "--no-progress")
    (written,) = (tree / "out/data").glob("**/*.txt")
    assert written.read_text() == SCRUBBED
    run_in(tree, *COMMAND, "verify", *place)
    explained = json.loads(run_in(tree, *COMMAND, "policy", "check", tree / "toy.toml", "--json"))
    assert explained["labels"]["MEDICALRECORD"]["action"] == "count"
    assert "count (replaced by its length)" in run_in(
        tree, *COMMAND, "policy", "check", tree / "toy.toml"
    )
