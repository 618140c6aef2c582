"""An environment of its own for each peer, from frozen versions of the package registry."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TAGGER = "taggers/averaged_perceptron_tagger_eng"
TAGGED = "ud_english_ewt/en_ewt-ud-train.conllu"
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}


class NotThere(Exception):
    """A peer cannot be set up here; says why."""


def python_of(peer: str, folder: Path) -> Path:
    """The Python of a peer; its environment is made if it is not there or others are frozen now.

    Raises:
        NotThere: if the registry does not give what is frozen.
    """
    frozen = HERE / f"requirements/{peer}.txt"
    own = folder / peer
    python, mark = own / "bin/python", own / "frozen.sha256"
    digest = hashlib.sha256(frozen.read_bytes()).hexdigest()
    if mark.is_file() and mark.read_text("utf-8") == digest:
        return python
    print(f"setting up {peer} in {own}", file=sys.stderr)
    venv.create(own, clear=True, with_pip=True)
    # Wheels alone: nothing of a peer runs before it is measured.
    install = ("-m", "pip", "install", "-qq", "--no-deps", "--only-binary", ":all:")
    ran = subprocess.run([python, *install, "-r", frozen], check=False)
    if ran.returncode:
        raise NotThere("its packages cannot be installed")
    mark.write_text(digest, encoding="utf-8")
    return python


def variables_of(peer: str, folder: Path) -> dict[str, str]:
    """The variables of the environment that a peer runs with."""
    own = {"NLTK_DATA": str(folder / "nltk_data")} if peer == "philter" else {}
    # Without the tree's own packages: a peer sees its environment and `benchmarks` alone.
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return {**inherited, **ONE_THREAD, **own}


def prepare(peer: str, python: Path, folder: Path, corpora: Path | None) -> None:
    """What a peer needs that its packages do not have: Philter's tagger, trained once.

    Raises:
        NotThere: if there is nothing to train it on.
    """
    if peer != "philter" or (folder / "nltk_data" / TAGGER).is_dir():
        return
    tagged = corpora / TAGGED if corpora else None
    if tagged is None or not tagged.is_file():
        raise NotThere(
            f"its tagger is trained on {TAGGED} of SCRUBLINE_CORPORA, which is not there"
        )
    print("training the tagger of philter: some minutes", file=sys.stderr)
    words = [python, "-m", "benchmarks.peers.philter", tagged]
    subprocess.run(words, check=True, cwd=ROOT, env=variables_of(peer, folder))
