r"""How many notes, and how many words, does it take to mark? Random notes beside uncertain ones.

    python -m benchmarks.active --train meddocan/train.jsonl --test meddocan/dev.jsonl

HIDE's iterative experiment (Gardner et al. 2010): a model is trained on the notes that were marked
so far, chooses from the others which are marked next, and is trained anew. The first notes are
random ones, the same for all ways of a seed. The recipe is `hide`, without rules or biases, in the
labels of the corpus; with `--fast` by the averaged perceptron, as `train --fast`. The ways:

    random   the next notes of a random order
    sum      greatest sum over the tokens of 1 less the probability of the likeliest tag
    token    greatest mean of the same
    risk     as `scrubline next` after its first notes: 2^(risk / 4) of the documents table, by
             token, four fifths of a batch so and the rest at random, three of a template at most

Probabilities are those of the CRF with its scores divided by the temperature of risks. A word read
is a fine token of a note that was marked. Of several `--train` each line says how many notes of
each were marked. Prints a JSON line for each model, then the table and
whether the bars hold: 50 notes by `sum` have the F1 of 50 random ones and .02 more; 100 notes by
`token` have the recall of 100 random ones and fewer words. Exit code 1 if one does not. A run that
was stopped goes on with `--rows FILE`, to which its lines are added.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
import statistics
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from scrubline.dictionaries import load
from scrubline.models.bundles.bundle import Bundle
from scrubline.models.core.arrays import Floats, Ints
from scrubline.models.corpora import AnnotatedDocument, read_annotated
from scrubline.models.crf.codec import OUTSIDE
from scrubline.models.crf.decoding import ReferenceDecoder
from scrubline.models.evaluation import compare
from scrubline.models.features.featurizing import featurize
from scrubline.models.features.gazetteer import gazetteer_from_phrases
from scrubline.models.recipes import Recipe, recipe_in
from scrubline.models.review.choosing import (
    QueuedText,
    TeachingText,
    next_to_learn,
    template_of,
    uncertainty_of,
)
from scrubline.models.risk.scoring import rank_of
from scrubline.models.scrubber import Scrubber
from scrubline.models.text.tokenizer import tokenize_documents
from scrubline.models.training import train
from scrubline.models.training.settings import FAST, with_learner

WAYS = ("random", "sum", "token", "risk")
SIZES = (10, 25, 50, 100)
SEEDS = (1, 2, 3)
AT_ONCE = 32
GAIN = 0.02
"""By so much F1 of 50 notes by `sum` is to be greater than that of 50 random ones."""


@dataclasses.dataclass(frozen=True)
class Row:
    """What a model reached that was trained on some notes; `parts` are how many of each file."""

    way: str
    seed: int
    notes: int
    words: int
    f1: float
    recall: float
    parts: Sequence[int] = ()


@dataclasses.dataclass(frozen=True)
class Doubt:
    """What a model says of a note: sums over its tokens, and how many they are."""

    uncertain: float
    risk: float
    tokens: int


class Experiment:
    """Notes of some files to choose from, and a corpus to score on."""

    def __init__(
        self,
        files: Sequence[Sequence[AnnotatedDocument]],
        test: Sequence[AnnotatedDocument],
        language: str,
        *,
        is_fast: bool = False,
    ) -> None:
        self.notes, self.test = [one for file in files for one in file], test
        self.file_of = [number for number, file in enumerate(files) for _ in file]
        self.recipe: Recipe = recipe_in("hide", language)
        if is_fast:
            self.recipe = with_learner(self.recipe, FAST.algorithm, dict(FAST.parameters))
        self.lists = {name: load(name) for name in self.recipe.lists}
        tokens = tokenize_documents([one.text for one in self.notes], sentences=False)
        self.words = np.diff(tokens.document_offsets).tolist()
        self.templates = [template_of(one.text) for one in self.notes]

    def trained(self, marked: Iterable[int]) -> Bundle:
        """A model of these notes."""
        documents = [self.notes[at] for at in sorted(marked)]
        return train(self.recipe, documents, dictionaries=self.lists, name="trial")

    def row(self, way: str, seed: int, marked: Sequence[int], bundle: Bundle) -> Row:
        """The scores of a model on the other corpus."""
        scrubber = Scrubber(bundle, recognisers=(), native_labels=False)
        found = list(scrubber.annotate(self.test))
        metrics = compare(self.test, found, metrics=("strict", "character"), resamples=0).metrics
        f1, recall = metrics["strict"].micro.f1 or 0, metrics["character"].micro.recall or 0
        words = sum(self.words[at] for at in marked)
        files = [self.file_of[at] for at in marked]
        parts = [files.count(number) for number in range(self.file_of[-1] + 1)]
        return Row(way, seed, len(marked), words, round(f1, 4), round(recall, 4), parts)

    def doubts(self, bundle: Bundle, wanted: Sequence[int]) -> dict[int, Doubt]:
        """What a model says of notes."""
        found = {}
        for low in range(0, len(wanted), AT_ONCE):
            some = wanted[low : low + AT_ONCE]
            found |= zip(some, doubts_of(bundle, [self.notes[at].text for at in some]), strict=True)
        return found

    def grown(
        self,
        way: str,
        seed: int,
        order: Sequence[int],
        marked: Sequence[int],
        size: int,
        bundle: Bundle,
    ) -> list[int]:
        """The notes that are marked, and others up to a number of them, as a way chooses."""
        taken = set(marked)
        left = [at for at in order if at not in taken]
        more = size - len(marked)
        if way == "random":
            return [*marked, *left[:more]]
        doubts = self.doubts(bundle, left)
        if way == "risk":
            return [*marked, *self.chosen_by_risk(doubts, seed, more, len(marked))]

        def score(at: int) -> float:
            tokens = 1 if way == "sum" else max(1, doubts[at].tokens)
            return doubts[at].uncertain / tokens

        return [*marked, *sorted(left, key=lambda at: (-score(at), at))[:more]]

    def chosen_by_risk(
        self, doubts: Mapping[int, Doubt], seed: int, more: int, read: int
    ) -> list[int]:
        """Notes as the program chooses them from a table of documents."""
        texts = []
        for at, one in doubts.items():
            queued = QueuedText(str(at), "text", risk=rank_of(one.risk), tokens=self.words[at])
            scored = uncertainty_of(queued)
            texts.append(TeachingText(str(at), "text", scored, self.templates[at]))
        # The first notes of the experiment stand for the first 25 of the program.
        chosen = next_to_learn(texts, seed.to_bytes(32, "big"), more, max(25, read))
        return [int(one.doc_key) for one in chosen]


def doubts_of(bundle: Bundle, texts: Sequence[str]) -> list[Doubt]:
    """What a model of one CRF of tokens says of texts."""
    ((key, recipe),) = bundle.recipe.tagger_of.items()
    model = bundle.models[key]
    gazetteers = {
        name: gazetteer_from_phrases(one.phrases, recipe.layer, one.weights)
        for name, one in bundle.dictionaries.items()
    }
    features = featurize(texts, tokenize_documents(texts), recipe, gazetteers)
    states = ReferenceDecoder(model)._states(features, {})
    likeliest, outside, best = marginals(
        states / bundle.temperature_of(recipe),
        features.sequence_offsets,
        model.transitions() / bundle.temperature_of(recipe),
        model.tags.index(OUTSIDE),
    )
    documents, size = features.documents(), len(texts)
    return [
        Doubt(*sums)
        for sums in zip(
            np.bincount(documents, 1 - likeliest, size).tolist(),
            np.bincount(documents, (1 - outside) * best, size).tolist(),
            np.bincount(documents, minlength=size).tolist(),
            strict=True,
        )
    ]


def marginals(
    states: Floats, bounds: Ints, moves: Floats, outside: int
) -> tuple[Floats, Floats, Floats]:
    """Of each item the greatest marginal, that of O, and 1 where O is the likeliest, else 0.

    All sequences are gone through side by side, by logarithms; the shorter ones are padded.
    """
    factors = np.exp(moves - moves.max())
    likeliest, of_outside, best = (np.ones(len(states)) for _ in range(3))
    firsts, lengths = bounds[:-1], np.diff(bounds)
    longest = int(lengths.max(initial=0))
    items = np.minimum(firsts[:, None] + np.arange(longest), max(0, len(states) - 1))
    forward = [states[items[:, 0]]] if longest else []
    with np.errstate(divide="ignore"):
        for at in range(1, longest):
            forward.append(_passed(forward[-1], factors) + states[items[:, at]])
        backward = np.zeros((len(firsts), len(moves)))
        for at in reversed(range(longest)):
            backward[at >= lengths - 1] = 0  # the last item, and what is behind it
            both = forward[at] + backward
            masses = np.exp(both - both.max(axis=1, keepdims=True))
            shares = masses / masses.sum(axis=1, keepdims=True)
            own = at < lengths
            places = items[own, at]
            likeliest[places] = shares.max(axis=1)[own]
            of_outside[places] = shares[own, outside]
            best[places] = shares.argmax(axis=1)[own] == outside
            backward = _passed(states[items[:, at]] + backward, factors.T)
    return likeliest, of_outside, best


def _passed(logs: Floats, factors: Floats) -> Floats:
    """Logarithms of what goes from each tag to the next, but for a constant of each sequence."""
    passed: Floats = np.log(np.exp(logs - logs.max(axis=1, keepdims=True)) @ factors)
    return passed


def run(
    experiment: Experiment,
    ways: Sequence[str],
    seeds: Sequence[int],
    sizes: Sequence[int],
    known: Sequence[Row],
    file: Path | None,
    until: float,
) -> list[Row]:
    """The rows of all ways; those that are known are not made again.

    Args:
        until: by the clock of `time.time`; no other round begins after it.
    """
    rows = list(known)
    done = {(row.way, row.seed, row.notes) for row in known}
    for seed in seeds:
        order = list(range(len(experiment.notes)))
        random.Random(seed).shuffle(order)
        first = experiment.trained(order[: sizes[0]])
        for way in ways:
            if all((way, seed, size) in done for size in sizes):
                continue
            marked, bundle = order[: sizes[0]], first
            for size in sizes:
                if time.time() > until:
                    return rows
                if size == sizes[0]:  # the same for all ways
                    same = [row for row in rows if (row.seed, row.notes) == (seed, size)]
                    if same and (way, seed, size) not in done:
                        done.add((way, seed, size))
                        rows.append(added(dataclasses.replace(same[0], way=way), file))
                if size > len(marked):
                    marked = experiment.grown(way, seed, order, marked, size, bundle)
                    bundle = experiment.trained(marked)
                if (way, seed, size) in done:
                    continue
                rows.append(added(experiment.row(way, seed, marked, bundle), file))
    return rows


def added(row: Row, file: Path | None) -> Row:
    """The row, printed and added to a file."""
    line = json.dumps(dataclasses.asdict(row))
    print(line, flush=True)
    if file is not None:
        with file.open("a") as stream:
            stream.write(line + "\n")
    return row


def mean(rows: Sequence[Row], way: str, notes: int) -> tuple[float, float, float, int] | None:
    """F1, recall and thousands of words, means over seeds, and how many seeds; None for none."""
    own = [row for row in rows if (row.way, row.notes) == (way, notes)]
    if not own:
        return None
    values = (
        statistics.fmean(getattr(row, name) for row in own) for name in ("f1", "recall", "words")
    )
    f1, recall, words = values
    return f1, recall, words / 1000, len(own)


def table(rows: Sequence[Row], ways: Sequence[str], sizes: Sequence[int]) -> list[str]:
    """A row a size, a column a way: strict F1 / characters' recall (thousand words read), seeds."""
    lines = [f"| notes | {' | '.join(ways)} |", f"| --- {'| --- ' * len(ways)}|"]
    for size in sizes:
        cells = []
        for way in ways:
            one = mean(rows, way, size)
            if one is None:
                cells.append("")
                continue
            f1, recall, words, seeds = one
            shown = f"{f1:.3f} / {recall:.3f} ({words:.1f}), {seeds}".replace("0.", ".", 1)
            cells.append(shown.replace("/ 0.", "/ ."))
        lines.append(f"| {size} | {' | '.join(cells)} |")
    return lines


def bars(rows: Sequence[Row]) -> list[tuple[str, bool]]:
    """What was to be reached and whether it was, of what there are figures of."""
    found = []
    by_sum, at_random = mean(rows, "sum", 50), mean(rows, "random", 50)
    if by_sum and at_random:
        said = f"50 notes by sum: F1 {by_sum[0]:.4f}, at random {at_random[0]:.4f}"
        found.append((said, round(by_sum[0] - at_random[0], 4) >= GAIN))
    by_token, at_random = mean(rows, "token", 100), mean(rows, "random", 100)
    if by_token and at_random:
        said = (
            f"100 notes by token: recall {by_token[1]:.4f}, {by_token[2]:.1f} thousand words; at "
            f"random {at_random[1]:.4f}, {at_random[2]:.1f}"
        )
        found.append((said, by_token[1] >= at_random[1] and by_token[2] < at_random[2]))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--train", required=True, action="append")
    parser.add_argument("--test", required=True)
    parser.add_argument("--language", default="en", help="of the lists; default: en, as train")
    parser.add_argument("--fast", action="store_true", help="by the averaged perceptron")
    parser.add_argument("--way", choices=WAYS, action="append", help="default: all")
    parser.add_argument("--seed", type=int, action="append", help="default: 1, 2, 3")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument(
        "--rows", type=Path, metavar="FILE", help="lines of an earlier run; added to"
    )
    parser.add_argument("--minutes", type=float, help="no other model is begun after these")
    asked = parser.parse_args()
    known = []
    if asked.rows is not None and asked.rows.exists():
        known = [Row(**json.loads(line)) for line in asked.rows.read_text().splitlines()]
    files = [list(read_annotated(url)) for url in asked.train]
    test = list(read_annotated(asked.test))
    experiment = Experiment(files, test, asked.language, is_fast=asked.fast)
    ways, seeds, sizes = asked.way or WAYS, asked.seed or SEEDS, sorted(asked.sizes)
    until = float("inf") if asked.minutes is None else time.time() + 60 * asked.minutes
    rows = run(experiment, ways, seeds, sizes, known, asked.rows, until)
    print("\n".join(table(rows, ways, sizes)))
    held = bars(rows)
    for said, is_held in held:
        print("held:" if is_held else "NOT held:", said)
    sys.exit(0 if all(is_held for _, is_held in held) else 1)


if __name__ == "__main__":
    main()
