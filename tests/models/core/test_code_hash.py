"""The hashes of the program's own code: what decides is in them, and nothing else.

Which files count is compared with the parsed imports, and tried out: each file of the rooms and
each list is edited in turn, and just the hashes that must move do.
"""

from __future__ import annotations

import ast
import functools
import subprocess
import sys
from pathlib import Path

import pytest
from scrubline.dictionaries import DICTIONARIES
from scrubline.models.core.code_hash import (
    ROOMS,
    code_hash,
    files_of_rooms,
    hash_of_module,
    hash_of_rooms,
    installed,
    source_file,
)
from scrubline.models.recognisers import RECOGNISERS, rule_hash

from ...examples import rest

ROOT = Path(__file__).parents[3]
RULES = {name: f"models/recognisers/{name}.py" for name in RECOGNISERS}

ROOTS = (
    "models/bundles/tagger_cache.py",
    "models/bundles/propagate.py",
    "models/bundles/tagger.py",
    "models/crf/learning.py",
    "models/training/crossvalidation.py",
    "models/training/decoding.py",
    "models/training/preparing.py",
)
"""What makes that which is kept under the hash: compiled taggers, features, trials."""

NEUTRAL = {
    "dictionaries/files.py": "how a file is opened",
    "dictionaries/table.py": "which lists there are; those that are read count",
    "models/corpora/__init__.py": "documents are hashed by their content",
    "models/corpora/base.py": "documents are hashed by their content",
    "models/evaluation/characters.py": "scores are computed anew from what is kept",
    "models/evaluation/comparison.py": "scores",
    "models/evaluation/scores.py": "scores",
    "models/evaluation/strict.py": "scores",
    "models/evaluation/token_level.py": "scores",
    "models/core/lazy.py": "when a value is computed, not which",
    "models/core/shortage.py": "which errors fail a unit",
    "models/core/version.py": "what a card says of its making",
    "models/redaction/actions.py": "what is done with what was found",
    "models/redaction/policy.py": "what is done with what was found",
    "models/recognisers/__init__.py": "rules run neither in taggers nor in trials",
    "models/storage/checksummed.py": "how a folder is checked",
    "models/storage/private_files.py": "how private files are written, and found whole",
}
"""What these read without its deciding anything, and why. The walk stops at them."""


@pytest.fixture(scope="module")
def tree():
    """The files of the tree, as the hashes see them."""
    found = {}
    for room in ("dictionaries", "models"):
        for path in sorted((ROOT / room).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix in (".py", ".tsv", ".txt") and not name.startswith("models/synth/"):
                found[name] = source_file(name, path.read_bytes())
    return found


def edited(tree, path):
    """The tree with a comment, or another entry, at the end of a file."""
    content = (ROOT / path).read_bytes()
    added = b"# a comment\n" if path.endswith(".py") else b"zzz\n"
    return {**tree, path: source_file(path, content + added)}


def hashes(tree):
    """Name of a rule or "code" -> hash."""
    found = {name: hash_of_module(path, tree) for name, path in RULES.items()}
    return {**found, "code": hash_of_rooms(tree)}


def moved(tree, before, path):
    after = hashes(edited(tree, path))
    return {name for name in after if after[name] != before[name]}


@pytest.fixture(scope="module")
def before(tree):
    return hashes(tree)


def test_the_hashes_are_those_of_the_installed_files(tree, before):
    assert code_hash() == before["code"]
    assert {name: rule_hash(name) for name in RECOGNISERS} == {
        name: digest for name, digest in before.items() if name != "code"
    }
    assert tree.items() <= dict(installed()).items()


@pytest.mark.parametrize("quarter", [0, *map(rest, (1, 2, 3))])
@pytest.mark.slow
def test_each_edit_moves_just_the_hashes_that_depend_on_the_file(tree, before, quarter):
    """The hash test of rooms, modules and lists, one edit each: in a quarter of them."""
    wrong = {}
    for path in list(tree)[quarter::4]:
        expected = {name for name, rule in RULES.items() if path in rule_reads(rule)}
        if path in code_reads():
            expected.add("code")
        if (found := moved(tree, before, path)) != expected:
            wrong[path] = (sorted(found - expected), sorted(expected - found))
    assert not wrong


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("models/recognisers/ssn.py", {"ssn"}),
        ("models/recognisers/named_numbers.py", {"idnum", "npi", "hl7", "vehicle"}),
        ("models/recognisers/names.py", {"titled_name", "known_name"}),
        ("models/recognisers/name_words.py", {"code", "titled_name", "known_name", "dictation"}),
        ("models/recognisers/role_name.py", {"role_name", "listed_name", "known_name"}),
        ("models/recognisers/casing.py", {"code", "city_state", "profession", "signature"}),
        ("models/text/characters.py", {"code", "city_state", "titled_name"}),
        ("models/text/classes-14.0.0.tsv", {"code", "city_state", "titled_name"}),
        ("dictionaries/rules/hospital_generic_en.txt", {"hospital"}),
        ("dictionaries/places/us_states.txt", {"city_state", "zip_code", "organization"}),
        ("dictionaries/medical/eponym_nouns_en.txt", {"code", "titled_name", "relative_name"}),
        ("dictionaries/sections/headings_allergies.txt", {"code"}),
        ("dictionaries/text/sentence_abbreviations.txt", {"code"}),
    ],
)
def test_what_decides_moves_a_hash(tree, before, path, names):
    """A few by hand, so that the walks below are no proof of themselves."""
    found = moved(tree, before, path)
    assert found >= names
    assert ("code" in found) == ("code" in names)
    assert not found & {"age", "email"}


@pytest.mark.parametrize(
    "path",
    [
        "models/storage/locks.py",
        "models/storage/storage.py",
        "models/formats/jsonl.py",
        "models/evaluation/strict.py",
        "models/recognisers/__init__.py",
        "dictionaries/official.py",
        "dictionaries/table.py",
        "dictionaries/places/municipalities_es.txt",
    ],
)
def test_what_decides_nothing_moves_none(tree, before, path):
    assert moved(tree, before, path) == set()


@pytest.mark.parametrize("path", ["models/recognisers/patterns.py", "dictionaries/__init__.py"])
def test_what_all_rules_use_moves_all(tree, before, path):
    assert moved(tree, before, path) >= set(RULES)


@pytest.mark.parametrize("room", ROOMS)
def test_a_new_file_of_a_room_moves_the_hash_of_the_code_alone(tree, before, room):
    path = f"models/{room}/another.py"
    after = hashes({**tree, path: source_file(path, b"")})
    assert {name for name in after if after[name] != before[name]} == {"code"}


def test_a_file_that_is_edited_in_place_is_another(tmp_path):
    """From the bytes on the disk to the hash, without the copies in memory of the tests above."""
    path = tmp_path / "models/recognisers/toy.py"
    path.parent.mkdir(parents=True)
    seen = set()
    for content in ("", "# a comment\n", 'from ...dictionaries import load\nload("us_states")\n'):
        path.write_text(content)
        known = source_file("models/recognisers/toy.py", path.read_bytes())
        tree = {"models/recognisers/toy.py": known, **lists_of_states(b"Ohio\n")}
        seen.add(hash_of_module("models/recognisers/toy.py", tree))
    tree |= lists_of_states(b"Ohio\nUtah\n")
    seen.add(hash_of_module("models/recognisers/toy.py", tree))
    assert len(seen) == 4


def lists_of_states(content):
    path = "dictionaries/places/us_states.txt"
    return {path: source_file(path, content)}


def test_imports_are_those_of_the_parsed_source(tree):
    for path, known in tree.items():
        if path.endswith(".py"):
            assert set(known.imports) == set(parsed_imports(path)), path


def test_rules_load_only_lists_that_their_files_name(tree):
    """A name that is put together at run time would be in no hash."""
    program = (
        "import inspect, sys\n"
        "import scrubline.dictionaries as dictionaries\n"
        "from scrubline.models.core.documents import Context, Document\n"
        "loaded = dictionaries.load\n"
        "def noted(name):\n"
        "    frame = next(f for f in inspect.stack()[1:] if '/dictionaries/' not in f.filename)\n"
        "    print(name, frame.filename, file=sys.stderr)\n"
        "    return loaded(name)\n"
        "dictionaries.load = noted\n"
        "from scrubline.models.recognisers import RECOGNISERS\n"
        "import scrubline.models.text.joined\n"
        "text = 'Dr. Ann Lee saw Bob Ray of Akron, Ohio, nurse, at Mercy Clinic, 12 Elm St.'\n"
        "for rule in RECOGNISERS.values():\n"
        "    list(rule.recognise(Document(text), Context()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    rows = [line.split(" ", 1) for line in done.stderr.splitlines() if " " in line]
    rows = [(name, Path(file)) for name, file in rows if name in DICTIONARIES]
    assert len(rows) > 80
    for name, file in rows:
        # What these load for a rule, that rule names.
        shared = file.stem in ("context_words", "patterns")
        files = file.parent.glob("*.py") if shared else [file]
        paths = [f"models/{file.parent.name}/{each.name}" for each in files]
        assert any(name in tree[path].lists for path in paths), (name, file.name)


def test_all_that_is_read_counts_or_is_said_to_be_neutral(tree):
    counted = set(files_of_rooms(tree))
    read, waiting = set(), list(ROOTS)
    while waiting:
        if (name := waiting.pop()) not in read:
            read.add(name)
            if name not in NEUTRAL:
                waiting += imported_files(name)
    missing = read - counted - NEUTRAL.keys()
    assert not missing, (
        f"add the room to ROOMS in models/core/code_hash.py, or say here why not: {sorted(missing)}"
    )
    assert NEUTRAL.keys() <= read, f"not read any more: {sorted(NEUTRAL.keys() - read)}"


# -- what the hashes are compared with: walks over the parsed source


FOLLOWED = ("models/recognisers/", "models/text/", "dictionaries/__init__.py")


@functools.cache
def parsed(path):
    return ast.parse((ROOT / path).read_text())


def parsed_imports(path):
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = "/".join(path.split("/")[: -node.level])
            below = f"{base}/{(node.module or '').replace('.', '/')}".strip("/")
            yield from ((below, alias.name) for alias in node.names)


@functools.cache
def imported_files(path):
    """The files of both rooms that a file imports."""
    found = set()
    for folder, name in parsed_imports(path):
        places = (f"{folder}/{name}.py", f"{folder}/{name}/__init__.py")
        places += (f"{folder}.py", f"{folder}/__init__.py")
        found.add(next(place for place in places if (ROOT / place).is_file()))
    return sorted(found)


@functools.cache
def named_lists(path):
    strings = {n.value for n in ast.walk(parsed(path)) if isinstance(n, ast.Constant)}
    return {f"dictionaries/{DICTIONARIES[name]}" for name in strings & DICTIONARIES.keys()}


@functools.cache
def rule_reads(path):
    """All files that a rule depends on."""
    read, waiting = set(), [path]
    while waiting:
        if (name := waiting.pop()) not in read:
            read.add(name)
            if name != "dictionaries/__init__.py":
                waiting += [
                    file
                    for file in imported_files(name)
                    if file.startswith(FOLLOWED) and file != "models/recognisers/__init__.py"
                ]
    lists = set().union(*(named_lists(name) for name in read))
    tables = {"models/text/classes-14.0.0.tsv"} if "models/text/characters.py" in read else set()
    return read | lists | tables


@functools.cache
def code_reads():
    """All files that the hash of the code depends on."""
    inside = {"dictionaries/__init__.py", "dictionaries/trie.py", "models/text/classes-14.0.0.tsv"}
    for room in ROOMS:
        inside |= {
            path.relative_to(ROOT).as_posix() for path in (ROOT / "models" / room).glob("**/*.py")
        }
    # What the rooms use of the rules, and what that uses.
    used = {file for path in inside if path.endswith(".py") for file in imported_files(path)}
    used = {file for file in used if file.startswith("models/recognisers/")}
    used -= {"models/recognisers/__init__.py"}
    inside = inside.union(*({f for f in rule_reads(file) if f.endswith(".py")} for file in used))
    given = ("models/auxiliary/", "models/recipes/")
    readers = [path for path in inside if path.endswith(".py") and not path.startswith(given)]
    return inside.union(*map(named_lists, readers))
