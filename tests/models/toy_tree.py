"""A copy of the package with something added, to show that adding it takes one place."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = ("pipeline", "transforms", "models", "dictionaries")
COMMAND = ("-P", "-m", "scrubline.pipeline.cli.main")


def tree_with(
    folder: Path, room: str, new: dict[str, str], table: str, edits: dict[str, str]
) -> Path:
    """The package with one inner room changed; all others are links to this checkout.

    Args:
        folder: an empty one.
        room: the inner room that is copied: "models/recipes".
        new: name -> content of files added to it.
        table: the file of the room that lists its entries.
        edits: lines of the table -> the lines that replace them.

    Returns:
        The folder to put on the path; `scrubline` in it is the changed package.
    """
    outer, inner = room.split("/")
    package = folder / "scrubline"
    (package / outer).mkdir(parents=True)
    for path in (ROOT / "public").iterdir():
        if path.name != "__pycache__":
            (package / path.name).symlink_to(path)
    for name in ROOMS:
        if name != outer:
            (package / name).symlink_to(ROOT / name)
    for path in (ROOT / outer).iterdir():
        if path.name not in (inner, "__pycache__"):
            (package / outer / path.name).symlink_to(path)
    copy = package / outer / inner
    shutil.copytree(ROOT / room, copy)  # what was compiled, too
    for name, content in new.items():
        (copy / name).write_text(content, encoding="utf-8")
    text = (copy / table).read_text(encoding="utf-8")
    for old, changed in edits.items():
        assert text.count(old) == 1, f"{table} has {old!r} {text.count(old)} times"
        text = text.replace(old, changed)
    (copy / table).write_text(text, encoding="utf-8")
    return folder


def run_in(tree: Path, *words: object, given: str = "", **environment: str) -> str:
    """The output of `python *words` with the changed package.

    Args:
        tree: what `tree_with` gave.
        words: of the command line.
        given: on standard input.
        environment: more variables.

    Raises:
        AssertionError: if it fails.
    """
    changed = {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", **environment}
    done = subprocess.run(
        [sys.executable, *map(str, words)],
        input=given,
        env={**os.environ, **changed},
        cwd=tree,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run_contract(tree: Path, file: str, chosen: str) -> None:
    """Runs the tests of a file of `tests/` whose names hold a word; fails too if there are none."""
    options = ("-n0", "-q", "-p", "no:cacheprovider", "-k", chosen, "--rootdir", str(ROOT))
    run_in(tree, "-m", "pytest", *options, str(ROOT / "tests" / file))
