"""A recipe is a file and a line in the table: the command line and training take it from there."""

import json

import pytest

from ..toy_tree import run_in, tree_with

pytestmark = pytest.mark.slow

TOY = '''"""A toy: words alone."""

from ..features import Word, at
from .family import RecipeFamily
from .recipe import Learner, Recipe


def toy(language: str) -> Recipe:
    """The recipe; it needs no dictionaries."""
    return Recipe.single(
        name="toy",
        layer="fine",
        sequence="line",
        features=at(Word(), -1, 0, 1),
        scheme="BIO",
        learner=Learner.of("averaged-perceptron", max_iterations=5),
    )


FAMILY = RecipeFamily("words alone", ("en",), toy)
'''
TEXT = "Seen by Dr. Lee."


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    edits = {
        "from . import default, hide, hitsz, stat_deid, szeged, wi_deid\n": (
            "from . import default, hide, hitsz, stat_deid, szeged, toy, wi_deid\n"
        ),
        '    "hide": hide.FAMILY,\n': '    "hide": hide.FAMILY,\n    "toy": toy.FAMILY,\n',
    }
    folder = tmp_path_factory.mktemp("tree")
    return tree_with(folder, "models/recipes", {"toy.py": TOY}, "__init__.py", edits)


def test_the_help_shows_it(tree):
    said = run_in(tree, "-m", "scrubline.pipeline.cli.main", "train", "--help")
    assert "toy (words alone)" in " ".join(said.split())


def test_the_command_trains_it_and_the_bundle_opens(tree):
    corpus = tree / "notes.jsonl"
    start = TEXT.index("Lee")
    span = {"start": start, "end": start + 3, "label": "DOCTOR"}
    rows = [{"doc_id": str(n), "text": TEXT, "spans": [span]} for n in range(3)]
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = ("-m", "scrubline.pipeline.cli.main")
    run_in(
        tree,
        *command,
        *("train", "--corpus", str(corpus), "--recipe", "toy", "--name", "toy-1"),
        *("--output", str(tree / "bundle")),
    )
    run_in(
        tree,
        *command,
        *("annotate", "--input", str(corpus), "--model", f"{tree}/bundle"),
        *("--output", str(tree / "found.jsonl")),
    )
    found = [json.loads(line) for line in (tree / "found.jsonl").read_text().splitlines()]
    assert [row["spans"] for row in found] == [row["spans"] for row in rows]
