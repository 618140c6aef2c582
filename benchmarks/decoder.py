r"""Whether the extension gives the reference's answer, and how much faster.

    python -m benchmarks.decoder --model en-default --texts notes.jsonl --texts folder/gold.jsonl
    python -m benchmarks.decoder --model meddocan-default --fuzz 1000000
    python -m benchmarks.decoder --model build/systems/szeged --corpora corpora --fuzz 5000000

For each tagger of a bundle, of every learner family, over texts (`{"text": ...}` a line), over all
such files of a folder of corpora but their test parts, and over so many drawn tokens as `--fuzz`
says: the tags of all items by the extension and by the reference (python-crfsuite; numpy for
trees), from strings and without the extension's columns, and the greatest difference of their
scores. Taggers of a later pass get what the earlier one found. Memory does not grow with the texts.

Beside it the processor time a fine token of each step. "reference tag" is python-crfsuite without
scores, "reference decode" is with them. "cold" is the first time that this process sees a text, new
words included; "warm" is again, right behind, and must give the same. "re.findall" is a plain
search for words, digits and signs. Any difference of tags, or of scores beyond 1e-9, ends with exit
code 1. Prints one JSON line a tagger and source.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
import random
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scrubline.models.auxiliary import cluster_tables, tag_columns
from scrubline.models.bundles.bundle import Bundle, open_bundle
from scrubline.models.bundles.detector import reads_sentences
from scrubline.models.bundles.passes import Tagged, found_tags, majority
from scrubline.models.bundles.tagger import Tagger, featurize_together
from scrubline.models.core.feature_rows import Featurized
from scrubline.models.core.tokens import Tokens
from scrubline.models.crf.decoding import ReferenceDecoder
from scrubline.models.families import FAMILIES
from scrubline.models.features import FOUND
from scrubline.models.features.declaration import FeatureSet, needs_of
from scrubline.models.features.featurizing import featurize
from scrubline.models.features.gazetteer import gazetteer_from_phrases
from scrubline.models.learners.decoder import Decoder
from scrubline.models.native import extension
from scrubline.models.recipes.tagger import SharedFeatures
from scrubline.models.text.tokenizer import tokenize_documents

_PLAIN = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
_AT_ONCE = 400_000
"""Characters of a batch: many, for the reference of trees goes through sequences side by side."""
_PIECES = (
    *("Ann", "LEE", "o'Brien", "van", "Dr.", "Smith,", "Müller-Ø", "李", "محمد", "ß", "ǅ", "é"),
    *("3/4/2012", "12:30", "555-0100", "98.6", "AB12345", "٣", "²", "x" * 300, "A" * 50),
    *("\n", "\r\n", "\n\n", "\t", "  ", "\u2028", "\x85", "\ufeff", "\u200d", "🙂", "\x00"),
    *("\ud800", "Name:", "MRN:", "of", "the", "|", "\\", "=", "(", ")", "-", "_", "St", "mg"),
    *('"', "«", "»", ".", "?", "[", "]", "{", "}", "Nombre:", "Sr.", "de", "la", "a@b.es"),
)
_PLANES = (0x80, 0x800, 0x3000, 0x10000, 0x20000, 0x110000)


def drawn(seed: int) -> Iterator[str]:
    """Texts without end: odd characters, words of all scripts, giant words and giant lines."""
    rng = random.Random(seed)
    while True:
        length = rng.choice((1, 5, 40, 300, 3_000))
        pieces = rng.choices(_PIECES, k=length)
        kind = rng.random()
        if kind < 0.3:
            pieces += [chr(rng.randrange(0x110000)) for _ in range(length)]
        elif kind < 0.6:
            pieces += [_word(rng) for _ in range(length)]
        rng.shuffle(pieces)
        yield rng.choice((" ", "", " ")).join(pieces)


def _word(rng: random.Random) -> str:
    """A few characters that stand close together in Unicode, as those of a script do."""
    begin = rng.randrange(rng.choice(_PLANES))
    return "".join(
        chr(min(begin + rng.randrange(64), 0x10FFFF)) for _ in range(rng.randrange(1, 9))
    )


def batches_of(texts: Iterable[str], most: int | None = None) -> Iterator[list[str]]:
    """The texts in batches, until so many fine tokens have gone by."""
    batch: list[str] = []
    size = tokens = 0
    for text in itertools.chain(texts, [None]):
        if text is not None:
            batch.append(text)
            size += len(text)
        if batch and (text is None or size >= _AT_ONCE):
            yield batch
            tokens += len(tokenize_documents(batch))
            batch, size = [], 0
            if most is not None and tokens >= most:
                return


class Clock:
    """Processor time by step."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}

    def run(self, step: str, work: Callable[[], Any]) -> Any:
        """What the work gives back; its time is added to the step's."""
        begun = time.process_time()
        result = work()
        self.spent[step] = self.spent.get(step, 0.0) + time.process_time() - begun
        return result


@dataclasses.dataclass(slots=True)
class Compared:
    """What was found of one tagger.

    Attributes:
        items: labelled.
        differences: tags that are not alike.
        furthest: the greatest difference of scores.
        clock: of its steps.
    """

    items: int = 0
    differences: int = 0
    furthest: float = 0.0
    clock: Clock = dataclasses.field(default_factory=Clock)

    def take(self, ours: Tagged, other: Tagged) -> None:
        """Compares two answers for a batch."""
        if ours.names != other.names:
            raise ValueError("the tags of two decoders are not the same")
        self.differences += int((ours.tags != other.tags).sum())
        self.furthest = max(
            self.furthest, float(np.abs(ours.scores - other.scores).max(initial=0.0))
        )

    def as_json(self, tokens: int, shared: Mapping[str, float]) -> dict[str, Any]:
        """The row of the tagger.

        Args:
            tokens: of the source.
            shared: seconds of the steps that it has in common with others.
        """
        every = {**shared, **self.clock.spent}
        spent = {step: round(s / max(tokens, 1) * 1e6, 3) for step, s in every.items()}

        def faster(temperature: str) -> float | None:
            own = (spent.get(f"{temperature} {step}", 0.0) for step in ("featurize", "decode"))
            path = spent.get("reference featurize", 0.0) + spent.get("reference decode", 0.0)
            return round(path / total, 1) if (total := sum(own)) else None

        return {
            "items": self.items,
            "tokens": tokens,
            "differences": self.differences,
            "furthest_score": self.furthest,
            "microseconds_a_token": spent,
            "times_faster": {"cold": faster("cold"), "warm": faster("warm")},
        }


class Pass:
    """The taggers of a pass, or the one of a recipe without passes, both ways."""

    def __init__(self, bundle: Bundle, keys: Sequence[str]) -> None:
        recipes = [bundle.recipe.tagger_of[key] for key in keys]
        self.keys = keys
        self.taggers = [Tagger(bundle, key, labels_as="own") for key in keys]
        self.oracles: list[Decoder] = [
            FAMILIES[recipe.learner.family].open_reference(bundle.models[key])
            for key, recipe in zip(keys, recipes, strict=True)
        ]
        self.seen: FeatureSet = SharedFeatures.of(recipes) or recipes[0]
        self.biases = bundle.biases
        self.clusters = cluster_tables(bundle.auxiliary)
        self.gazetteers = {
            name: gazetteer_from_phrases(one.phrases, self.seen.layer, one.weights)
            for name, one in bundle.dictionaries.items()
            if name in needs_of(self.seen.features, "gazetteer")
        }
        self.clock = Clock()
        self.found = {key: Compared() for key in keys}

    def compare(
        self, texts: Sequence[str], tokens: Tokens, tags: Mapping[str, Sequence[str]]
    ) -> tuple[list[Tagged], Featurized]:
        """Labels a batch every way; gives the extension's answer and the items."""
        rows, answers = self._natively("cold", texts, tokens, tags)
        _, again = self._natively("warm", texts, tokens, tags)
        strings = self.clock.run(
            "reference featurize",
            lambda: featurize(
                texts, tokens, self.seen, self.gazetteers, tags, clusters=self.clusters
            ),
        )
        for key, oracle, ours, later in zip(self.keys, self.oracles, answers, again, strict=True):
            found = self.found[key]
            found.items += len(ours.tags)
            found.take(ours, later)
            if isinstance(oracle, ReferenceDecoder):
                ready = oracle.ready(strings)
                found.clock.run(
                    "reference tag",
                    lambda r=ready, o=oracle: o.decode(r, self.biases, scored=False),
                )
            theirs = found.clock.run(
                "reference decode", lambda o=oracle: o.decode(o.ready(strings), self.biases)
            )
            found.take(ours, Tagged(oracle.tags, *theirs))
        return answers, rows

    def _natively(
        self,
        temperature: str,
        texts: Sequence[str],
        tokens: Tokens,
        tags: Mapping[str, Sequence[str]],
    ) -> tuple[Featurized, list[Tagged]]:
        rows = self.clock.run(
            f"{temperature} featurize",
            lambda: featurize_together(self.taggers, texts, tokens, tags),
        )
        answers = [
            self.found[key].clock.run(f"{temperature} decode", lambda t=tagger, r=own: t.tag(r))
            for key, tagger, own in zip(self.keys, self.taggers, rows, strict=True)
        ]
        return rows[0], answers


def compared(bundle: Bundle, batches: Iterable[Sequence[str]]) -> Iterator[dict[str, Any]]:
    """Both ways over batches of texts: a row for each tagger."""
    recipe = bundle.recipe
    # Taggers that are no pass know nothing of each other.
    groups = recipe.keys_of_passes if recipe.passes else [(key,) for key in recipe.keys]
    passes = [Pass(bundle, keys) for keys in groups]
    trusted = bundle.dictionaries[recipe.trust.name].phrases if recipe.trust else ()
    clock, count, sentences = Clock(), 0, reads_sentences(bundle)
    for texts in batches:
        tokens = clock.run("tokenize", lambda t=texts: tokenize_documents(t, sentences=sentences))
        clock.run("re.findall", lambda t=texts: [_PLAIN.findall(text) for text in t])
        count += len(tokens)
        tags = tag_columns(bundle.auxiliary, texts, tokens)
        for one in passes:
            answers, rows = one.compare(texts, tokens, tags)
            if recipe.passes and one is not passes[-1]:
                voted = majority(answers).spans(rows)
                known = [[(s, e, label) for s, e, label, _ in own] for own in voted]
                tags = {**tags, FOUND: found_tags(known, trusted, texts, tokens)}
    for one in passes:
        for key, found in one.found.items():
            yield {"key": key, **found.as_json(count, {**clock.spent, **one.clock.spent})}


def read_texts(path: str | Path) -> list[str]:
    """The texts of a file of JSON Lines."""
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines if line.strip()]


def sources_of(options: argparse.Namespace) -> dict[str, Callable[[], Iterator[list[str]]]]:
    """What is read and drawn: name -> batches, anew at each call."""
    paths = [Path(path) for path in options.texts]
    if options.corpora:
        every = sorted(Path(options.corpora).glob("*/*.jsonl"))
        paths += [path for path in every if "test" not in path.stem]
    sources: dict[str, Callable[[], Iterator[list[str]]]] = {
        f"{path.parent.name}/{path.stem}": lambda p=path: batches_of(read_texts(p))
        for path in paths
    }
    if options.fuzz:
        sources["fuzz"] = lambda: batches_of(drawn(options.seed), options.fuzz)
    return sources


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--model", required=True, action="append")
    parser.add_argument("--texts", action="append", default=[])
    parser.add_argument("--corpora", metavar="FOLDER", help="all FOLDER/*/*.jsonl but test parts")
    parser.add_argument("--fuzz", type=int, default=0, help="tokens to draw")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if extension() is None:
        parser.error("the native extension is not built here")
    if not (sources := sources_of(options)):
        parser.error("--texts, --corpora or --fuzz is needed")
    wrong = False
    for name in options.model:
        bundle = open_bundle(name)
        for source, batches in sources.items():
            for row in compared(bundle, batches()):
                wrong |= row["differences"] > 0 or row["furthest_score"] > 1e-9
                print(json.dumps({"model": name, "source": source, **row}), flush=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
