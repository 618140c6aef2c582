"""Makes the pages of `docs/studies`: the studies of all papers, on Spanish and on English notes.

    python -m benchmarks.studies --corpora corpora --gazetteers gazetteers --work work --jobs 2
    python -m benchmarks.studies --corpora corpora --work work --language en --study hitsz-features

Each step is a command of `scrubline`, shown as it runs: first what the studies need, then the
studies. What lies in the work folder is not made again, so a run that was stopped goes on.

Spanish: MEDDOCAN, training and development part; clusters of words from the training texts.
English: 800 generated notes to train on, 300 for the CRFs of single characters, which are slow; the
frozen development notes to score on; parts of speech and entities from open treebanks and corpora,
clusters from open dialogues and notes, and, where there are tables of MeSH and Link Grammar is
installed, categories of phrases and links.
"""

from __future__ import annotations

import argparse
import dataclasses
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from scrubline.models.auxiliary.link_grammar import is_installed
from scrubline.models.recipes import LANGUAGES
from scrubline.models.studies import STUDIES

ROOT = Path(__file__).resolve().parent.parent
SEED, NOTES, FEWER = 21, 800, 300
"""Of the generated English notes: about as many spans as the 500 notes of MEDDOCAN have, and how
many of them the studies with CRFs of single characters learn from."""
SLOW = "hitsz-"
"""How the names of studies begin that learn from fewer notes."""


@dataclasses.dataclass(frozen=True)
class Sources:
    """Folders that hold what is given, and the one that keeps what is made."""

    corpora: Path
    gazetteers: Path | None
    work: Path

    def corpus(self, name: str) -> str:
        """A file of an open corpus."""
        return str(self.corpora / name)

    def made(self, name: str) -> Path:
        """A file or folder of the work folder."""
        return self.work / name


@dataclasses.dataclass(frozen=True)
class Material:
    """What the studies of a language need.

    Attributes:
        steps: file or folder of the work folder -> the command that makes it.
        train: what studies learn from.
        fewer: what those with CRFs of single characters learn from.
        options: the others of `scrubline study`.
    """

    steps: dict[Path, list[str]]
    train: str
    fewer: str
    options: list[str]

    def commands(self, names: Sequence[str]) -> Iterator[list[str]]:
        """The commands of `scrubline` that run these studies."""
        slow = [name for name in names if name.startswith(SLOW)]
        others = [name for name in names if name not in slow]
        for chosen, train in ((others, self.train), (slow, self.fewer)):
            if chosen:
                yield ["study", *chosen, "--train", train, *self.options]


def spanish(sources: Sources) -> Material:
    """What MEDDOCAN's studies need."""
    train = sources.corpus("meddocan/train.jsonl")
    steps = {
        sources.made(f"es/{kind}"): ["part", "train", kind, "--input", train]
        for kind in ("brown", "word2vec")
    }
    named = ["--corpus", "meddocan", "--language", "es", "--label-map", "meddocan"]
    options = ["--test", sources.corpus("meddocan/dev.jsonl"), *named, *_parts(steps)]
    return Material(steps, train, train, options)


def english(sources: Sources) -> Material:
    """What the English studies need."""
    notes, fewer = (sources.made(f"en/{name}.jsonl") for name in ("notes", "fewer-notes"))
    raw = _inputs(
        sources.corpus(f"{name}/raw.jsonl") for name in ("aci_bench", "mts_dialog", "primock57")
    )
    treebank = sources.corpus("ud_english_ewt/en_ewt-ud-train.conllu")
    entities = (
        "wnut17/train.jsonl",
        "btc/train.jsonl",
        "wikigold/train.jsonl",
        "uner_ewt/dev.jsonl",
    )
    parts = {
        "pos": ["--input", treebank],
        "ner": _inputs(map(sources.corpus, entities)),
        "brown": raw,
        "word2vec": raw,
    }
    if sources.gazetteers is not None:
        tables = ("mesh2022_descriptors.tsv", "mesh2022_entry_terms.tsv")
        given = _inputs(str(sources.gazetteers / name) for name in tables)
        parts["mesh"] = [*given, "--set", "year=2022"]
    if is_installed():
        parts |= {name: raw for name in ("linkleft", "linkright")}
    steps = {
        sources.made(f"en/{kind}"): ["part", "train", kind, *given] for kind, given in parts.items()
    }
    made = {
        file: ["synth", "--seed", str(SEED), "--notes", str(count)]
        for file, count in ((notes, NOTES), (fewer, FEWER))
    }
    named = ["--corpus", "english", "--language", "en"]
    test = str(ROOT / "benchmarks/notes/development.jsonl")
    return Material(made | steps, str(notes), str(fewer), ["--test", test, *named, *_parts(steps)])


def _inputs(files: Iterator[str] | Sequence[str]) -> list[str]:
    return [word for file in files for word in ("--input", file)]


def _parts(steps: dict[Path, list[str]]) -> list[str]:
    return [word for folder in steps for word in ("--part", str(folder))]


MATERIALS = {"es": spanish, "en": english}
"""Language -> what its studies need, and their options."""


def scrubline(words: Sequence[str]) -> None:
    """Runs a command of this version; ends the program if it fails."""
    print("scrubline", shlex.join(words), file=sys.stderr, flush=True)
    subprocess.run([sys.executable, "-m", "scrubline.pipeline.cli.main", *words], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--corpora", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--gazetteers", type=Path, metavar="FOLDER", help="tables of MeSH")
    parser.add_argument("--work", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--output", type=Path, default=ROOT / "docs/studies", metavar="FOLDER")
    parser.add_argument("--language", choices=LANGUAGES, action="append", help="default: all")
    parser.add_argument("--study", action="append", metavar="NAME", help="default: all")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="a short trial run")
    given = parser.parse_args()
    sources = Sources(
        given.corpora.resolve(),
        given.gazetteers and given.gazetteers.resolve(),
        given.work.resolve(),
    )
    for language in given.language or MATERIALS:
        material = MATERIALS[language](sources)
        sources.made(language).mkdir(mode=0o700, parents=True, exist_ok=True)
        for made, words in material.steps.items():
            if not made.exists():
                scrubline([*words, "--output", str(made)])
        ways = ["--work", str(sources.made(f"{language}/trials")), "--jobs", str(given.jobs)]
        ways += ["--output", str(given.output.resolve()), *(["--quick"] if given.quick else [])]
        for command in material.commands(given.study or list(STUDIES)):
            scrubline([*command, *ways])


if __name__ == "__main__":
    main()
