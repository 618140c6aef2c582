"""Philter of UCSF, as `philter-lite`, with its own filters (`philter_delta`).

It asks NLTK's tagger for parts of speech. The weights of that were not found in the package
registry, so the same tagger is trained here on UD English EWT (`python -m benchmarks.peers.philter
FILE`), and kept open from note to note, which the package does not do.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import nltk
import philter_lite
from nltk.tag.perceptron import PerceptronTagger

from .measured import Program, Stretch

VERSION, DISTRIBUTION = "", "philter-lite"
TAGGER = "taggers/averaged_perceptron_tagger_eng"


def opened() -> Program:
    """With the tagger that `train` made in the folder NLTK_DATA."""
    folder = Path(os.environ["NLTK_DATA"]) / TAGGER
    tagger = functools.partial(PerceptronTagger, loc=str(folder))()
    nltk.tag._get_tagger = lambda lang=None: tagger
    place = Path(philter_lite.__file__).parent / "configs/philter_delta.toml"
    filters = philter_lite.load_filters(str(place))

    def scrub(texts: Sequence[str]) -> list[str]:
        return [
            philter_lite.transform_text_asterisk(text, philter_lite.detect_phi(text, filters)[0])
            for text in texts
        ]

    def found(text: str) -> list[Stretch]:
        written = scrub([text])[0]
        return [(at, at + 1) for at, (a, b) in enumerate(zip(text, written, strict=True)) if a != b]

    return Program(scrub, found)


def sentences(file: Path) -> Iterator[list[tuple[str, str]]]:
    """Words with their Penn tags, of a file of CoNLL-U."""
    for block in file.read_text("utf-8").split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if line[:1].isdigit()]
        if words := [(row[1], row[4]) for row in rows if row[0].isdigit()]:
            yield words


def train(file: Path) -> None:
    """Trains the tagger, and keeps it in the folder NLTK_DATA."""
    folder = Path(os.environ["NLTK_DATA"]) / TAGGER
    folder.parent.mkdir(parents=True, exist_ok=True)
    tagger = PerceptronTagger(load=False)
    tagger.train(list(sentences(file)))
    tagger.save_to_json("eng", str(folder))


if __name__ == "__main__":
    train(Path(sys.argv[1]))
