"""The hash of the program's own code: what decides features, learning and decoding is in it."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest
from scrubline.models.code import COUNTED, code_hash, counted_files, hash_of_rooms

ROOT = Path(__file__).parents[2]
ROOTS = (
    "models/compiled.py",
    "models/propagation.py",
    "models/taggers.py",
    "models/crf/learning.py",
    "models/training/crossvalidation.py",
    "models/training/decoding.py",
    "models/training/preparing.py",
)
"""What makes that which is kept under the hash: compiled taggers, features, trials."""

NEUTRAL = {
    "dictionaries/files.py": "how a file is opened",
    "models/actions.py": "what a policy does with a span",
    "models/caches.py": "where caches lie",
    "models/code.py": "the hash itself",
    "models/corpora/__init__.py": "documents are hashed by their content",
    "models/corpora/base.py": "documents are hashed by their content",
    "models/errors.py": "messages",
    "models/evaluation/characters.py": "scores are computed anew from what is kept",
    "models/evaluation/comparison.py": "scores",
    "models/evaluation/scores.py": "scores",
    "models/evaluation/strict.py": "scores",
    "models/evaluation/token_level.py": "scores",
    "models/lazy.py": "when a value is computed, not which",
    "models/shortage.py": "which errors fail a unit",
    "models/policy.py": "what is done with what was found",
    "models/recognisers/__init__.py": "rules run neither in taggers nor in trials",
    "models/sealed.py": "how a folder is checked",
}
"""What these read without its deciding anything, and why. The walk stops at them."""


@pytest.fixture
def rooms(tmp_path):
    """A copy of both rooms that can be edited."""
    for room in COUNTED:
        shutil.copytree(
            ROOT / room, tmp_path / room, ignore=shutil.ignore_patterns("*.so", "bundled", "*.txt")
        )
    return {room: tmp_path / room for room in COUNTED}


def test_the_hash_is_that_of_the_installed_rooms():
    assert code_hash() == hash_of_rooms({room: ROOT / room for room in COUNTED})


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("models/recognisers/names.py", "fundoplication"),
        ("models/sections.py", None),
        ("models/features/day_month.py", None),
        ("models/layers/wi_deid.py", None),
        ("models/parts/conllu.py", None),
        ("models/recipes/default.py", None),
        ("models/training/preparing.py", None),
        ("models/merging.py", None),
        ("models/classes-14.0.0.tsv", None),
        ("dictionaries/trie.py", None),
    ],
)
def test_what_decides_changes_the_hash(rooms, name, word):
    before = hash_of_rooms(rooms)
    room, _, inner = name.partition("/")
    path = rooms[room] / inner
    content = path.read_text()
    assert word is None or word in content
    path.write_text(content.replace(word, "", 1) if word else content + "\n")
    assert hash_of_rooms(rooms) != before


@pytest.mark.parametrize(
    "name",
    ["models/locks.py", "models/storage.py", "models/formats/jsonl.py", "models/recognisers/ssn.py"]
    + ["models/evaluation/strict.py", "dictionaries/official.py"],
)
def test_what_decides_nothing_leaves_the_hash(rooms, name):
    before = hash_of_rooms(rooms)
    room, _, inner = name.partition("/")
    with (rooms[room] / inner).open("a") as stream:
        stream.write("\n# a comment\n")
    assert hash_of_rooms(rooms) == before


def test_a_new_feature_changes_the_hash(rooms):
    before = hash_of_rooms(rooms)
    (rooms["models"] / "features" / "another.py").write_text("")
    assert hash_of_rooms(rooms) != before


def test_every_pattern_has_files():
    for room, patterns in COUNTED.items():
        names = [name for name, _ in counted_files(room, ROOT / room)]
        assert names == sorted(set(names), key=names.index)
        for pattern in patterns:
            assert any(Path(name).match(pattern) for name in names), pattern


def test_all_that_is_read_counts_or_is_said_to_be_neutral():
    counted = {f"{room}/{name}" for room in COUNTED for name, _ in counted_files(room, ROOT / room)}
    read, waiting = set(), list(ROOTS)
    while waiting:
        if (name := waiting.pop()) not in read:
            read.add(name)
            if name not in NEUTRAL:
                waiting += imported(name)
    missing = read - counted - NEUTRAL.keys()
    assert not missing, f"add to COUNTED in models/code.py, or say here why not: {sorted(missing)}"
    assert NEUTRAL.keys() <= read, f"not read any more: {sorted(NEUTRAL.keys() - read)}"


def imported(name):
    """The files of both rooms that a file imports, checks of types apart."""
    tree = ast.parse((ROOT / name).read_text())
    for block in [node for node in ast.walk(tree) if isinstance(node, ast.If)]:
        if isinstance(block.test, ast.Name) and block.test.id == "TYPE_CHECKING":
            block.body = []
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = Path(name).parents[node.level - 1] / (node.module or "").replace(".", "/")
            for alias in node.names:
                for file in (base / f"{alias.name}.py", base / alias.name / "__init__.py"):
                    if (ROOT / file).is_file():
                        found.add(str(file))
                        break
                else:
                    whole = base.with_suffix(".py")
                    found.add(str(whole if (ROOT / whole).is_file() else base / "__init__.py"))
    return sorted(found)
