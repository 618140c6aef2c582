r"""Whether the extension gives python-crfsuite's answer, and how much faster.

    python -m benchmarks.decoder --model en-default --texts notes.jsonl --texts folder/gold.jsonl
    python -m benchmarks.decoder --model meddocan-default --fuzz 1000000

For each tagger of a bundle, over texts (`{"text": ...}` a line) and over `--fuzz` so many drawn
tokens: the tags of all items by the extension and by python-crfsuite, and the greatest difference
of scores between the extension and the reference path; processor time a fine token of each step.
"reference tag" is python-crfsuite without scores, "reference decode" with ours. "cold" is the first
time that this process sees the texts, new words included; "warm" is a second pass over the same
texts, whose tags must be the same. Beside it a plain `re.findall` of words, digits and signs. Any
difference of tags, or of scores beyond 1e-9, ends with exit code 1. Prints one JSON line a tagger
and source.
"""

from __future__ import annotations

import argparse
import functools
import json
import random
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from scrubline.models.auxiliary import cluster_tables, tag_columns
from scrubline.models.bundles.bundle import Bundle, open_bundle
from scrubline.models.bundles.detector import reads_sentences
from scrubline.models.bundles.tagger import Tagger
from scrubline.models.crf.decoding import NativeDecoder, ReferenceDecoder
from scrubline.models.features.featurizing import featurize
from scrubline.models.features.gazetteer import gazetteer_from_phrases
from scrubline.models.native import extension
from scrubline.models.text.tokenizer import tokenize_documents

_PLAIN = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
_AT_ONCE = 32
_PIECES = (
    *("Ann", "LEE", "o'Brien", "van", "Dr.", "Smith,", "Müller-Ø", "李", "محمد", "ß", "ǅ", "é"),
    *("3/4/2012", "12:30", "555-0100", "98.6", "AB12345", "٣", "²", "x" * 300, "A" * 50),
    *("\n", "\r\n", "\n\n", "\t", "  ", "\u2028", "\x85", "\ufeff", "\u200d", "🙂", "\x00"),
    *("\ud800", "Name:", "MRN:", "of", "the", "|", "\\", "=", "(", ")", "-", "_", "St", "mg"),
)


def drawn(tokens: int, seed: int) -> Iterator[str]:
    """Texts of odd characters, giant words and giant lines, of about so many tokens in all."""
    rng = random.Random(seed)
    while tokens > 0:
        length = rng.choice((1, 5, 40, 300, 3_000))
        pieces = rng.choices(_PIECES, k=length)
        if rng.random() < 0.3:
            pieces += [chr(rng.randrange(0x110000)) for _ in range(length)]
            rng.shuffle(pieces)
        yield rng.choice((" ", "", " ")).join(pieces)
        tokens -= length


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


def compared(bundle: Bundle, kind: str, texts: Sequence[str]) -> dict[str, Any]:
    """Both ways over the texts."""
    (recipe,) = (tagger for tagger in bundle.recipe.taggers if tagger.kind == kind)
    native, tagger = NativeDecoder(bundle.models[kind]), Tagger(bundle, kind, labels_as="own")
    oracle = ReferenceDecoder(bundle.models[kind])
    gazetteers = {
        name: gazetteer_from_phrases(one.phrases, recipe.layer, one.weights)
        for name, one in bundle.dictionaries.items()
        if name in recipe.needs("gazetteer")
    }
    clusters = cluster_tables(bundle.auxiliary)
    clock = Clock()
    read = functools.partial(tokenize_documents, sentences=reads_sentences(bundle))
    differences, items, tokens, furthest = 0, 0, 0, 0.0
    answers = []
    for temperature in ("cold", "warm"):
        for low in range(0, len(texts), _AT_ONCE):
            part = texts[low : low + _AT_ONCE]
            found = clock.run(f"{temperature} tokenize", lambda p=part: read(p))
            tags = tag_columns(bundle.auxiliary, part, found)
            features = clock.run(
                f"{temperature} featurize", lambda a=(part, found, tags): tagger.featurize(*a)
            )
            answer = clock.run(
                f"{temperature} decode", lambda f=features: native.decode(f, bundle.biases)
            )
            if temperature == "cold":
                answers.append(answer)
                tokens += len(found)
            else:
                again = answers[low // _AT_ONCE]
                differences += int((answer[0] != again[0]).sum())
    for number, low in enumerate(range(0, len(texts), _AT_ONCE)):
        part = texts[low : low + _AT_ONCE]
        clock.run("re.findall", lambda p=part: [_PLAIN.findall(text) for text in p])
        found = read(part)
        tags = tag_columns(bundle.auxiliary, part, found)
        strings = clock.run(
            "reference featurize",
            lambda a=(part, found, recipe, gazetteers, tags): featurize(*a, clusters=clusters),
        )
        ours, scores = answers[number]
        ready = oracle.ready(strings)
        clock.run("reference tag", lambda r=ready: oracle.decode(r, bundle.biases, scored=False))
        theirs, known = clock.run(
            "reference decode",
            lambda s=strings: oracle.decode(oracle.ready(s), bundle.biases),
        )
        differences += int((ours != theirs).sum())
        furthest = max(furthest, float(np.abs(scores - known).max(initial=0.0)))
        items += len(ours)
    spent = {step: round(s / max(tokens, 1) * 1e6, 3) for step, s in clock.spent.items()}

    def total(*steps: str) -> float:
        return sum(spent.get(step, 0.0) for step in steps)

    path = ("reference featurize", "reference decode")
    cold, warm = (
        total(*(f"{temperature} {step}" for step in ("featurize", "decode")))
        for temperature in ("cold", "warm")
    )

    return {
        "items": items,
        "tokens": tokens,
        "differences": differences,
        "furthest_score": furthest,
        "microseconds_a_token": spent,
        "times_faster": {
            "cold": round(total(*path) / cold, 1) if tokens else None,
            "warm": round(total(*path) / warm, 1) if tokens else None,
        },
    }


def read_texts(path: str) -> list[str]:
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines if line.strip()]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--model", required=True, action="append")
    parser.add_argument("--texts", action="append", default=[])
    parser.add_argument("--fuzz", type=int, default=0, help="tokens to draw")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if extension() is None:
        parser.error("the native extension is not built here")
    sources = {path: read_texts(path) for path in options.texts}
    if options.fuzz:
        sources["fuzz"] = list(drawn(options.fuzz, options.seed))
    if not sources:
        parser.error("--texts or --fuzz is needed")
    wrong = False
    for name in options.model:
        bundle = open_bundle(name)
        for source, texts in sources.items():
            for tagger in bundle.recipe.taggers:
                row = compared(bundle, tagger.kind, texts)
                wrong |= row["differences"] > 0 or row["furthest_score"] > 1e-9
                print(json.dumps({"model": name, "kind": tagger.kind, "source": source, **row}))
                sys.stdout.flush()
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
