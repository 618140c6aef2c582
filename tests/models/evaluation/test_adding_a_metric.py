"""A metric is a file and a line in the table: every form of the report shows it."""

import json

import pytest

from ..toy_tree import ROOT, run_in, tree_with

pytestmark = pytest.mark.slow

TOY = '''"""A toy: documents without any predicted span."""

import numpy as np

from .comparison import Comparison
from .portions import Portions


def find_silent(comparison: Comparison) -> Portions:
    """Documents without a predicted span, of all documents."""
    silent = np.ones(len(comparison), np.bool_)
    silent[comparison.predicted.documents] = False
    return Portions({"silent": (silent, np.ones(len(comparison), np.bool_))})
'''
GOLD = ROOT / "demo/gold/dev.jsonl"


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    line = '        "documents": Metric("Documents", find_leaks, _RELEASE),\n'
    edits = {
        line: f'{line}        "toy": Metric("Silent documents", find_silent, "Toys"),\n',
        "from .token_level import": "from .toy import find_silent\nfrom .token_level import",
    }
    folder = tmp_path_factory.mktemp("tree")
    return tree_with(folder, "models/evaluation", {"toy.py": TOY}, "__init__.py", edits)


def test_text_json_and_page_have_it(tree):
    page = tree / "page.html"
    command = ("-m", "scrubline.pipeline.cli.main", "evaluate", str(GOLD), str(GOLD), "--all")
    text = run_in(tree, *command, "--resamples", "0", "--html", str(page))
    assert "== Toys ==" in text and "Silent documents" in text
    report = json.loads(run_in(tree, *command, "--resamples", "0", "--json"))
    documents = len(GOLD.read_text(encoding="utf-8").splitlines())
    assert report["metrics"]["toy"]["silent"]["of"] == documents
    assert "Silent documents" in page.read_text(encoding="utf-8")
