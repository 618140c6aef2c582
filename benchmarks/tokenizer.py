"""How fast text becomes tokens, everything together: both layers, lines, sentences, sections.

One JSON line: tokens per second of processor time on one core, median and spread over repeats, and
the same for a plain `re.findall` over the same texts in the same run, which gives words without
offsets. Each text is tokenized once a repeat; nothing is kept from one document or repeat to the
next.

    python benchmarks/tokenizer.py [--repeats N] [FILE ...]

A file is JSON Lines with the field `text`, or a plain text. Without files: the demonstration notes,
over and over until there are a million characters.
"""

import argparse
import json
import os
import platform
import re
import statistics
import sys
import time
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from scrubline.models.text.tokenizer import tokenize, tokenize_documents

ROOT = Path(__file__).resolve().parent.parent
PLAIN = re.compile(r"\w+|[^\w\s]")
ENOUGH = 1_000_000


def read(path: Path) -> list[str]:
    content = path.read_text("utf-8")
    if path.suffix != ".jsonl":
        return [content]
    return [json.loads(line)["text"] for line in content.split("\n") if line]


def default_texts() -> tuple[str, list[str]]:
    for folder in ("demo/notes", "tests/golden"):
        texts = [text for path in sorted((ROOT / folder).rglob("*.txt")) for text in read(path)]
        if texts:
            rounds = -(-ENOUGH // max(1, sum(map(len, texts))))
            return f"{folder} x {rounds}", texts * rounds
    sys.exit("tokenizer.py: no demonstration notes and no golden files; name a file")


def rates(run: Callable[[Sequence[str]], int], texts: list[str], repeats: int) -> list[float]:
    """Units a second of processor time, one for each repeat."""
    found = []
    for _ in range(repeats):
        begin = time.process_time()
        count = run(texts)
        found.append(count / (time.process_time() - begin))
    return found


def plain(texts: Sequence[str]) -> int:
    return sum(len(PLAIN.findall(text)) for text in texts)


def summary(values: list[float]) -> dict[str, float]:
    return {
        "median": round(statistics.median(values)),
        "min": round(min(values)),
        "max": round(max(values)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "files", nargs="*", type=Path, help="JSON Lines with a field text, or texts"
    )
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    if options.repeats < 1:
        parser.error("--repeats must be at least 1")
    if options.files:
        corpus = " ".join("/".join(path.parts[-2:]) for path in options.files)
        texts = [text for path in options.files for text in read(path)]
    else:
        corpus, texts = default_texts()

    begin = time.process_time()
    tokenize("")
    table_ms = (time.process_time() - begin) * 1000
    ours = rates(lambda t: len(tokenize_documents(t)), texts, options.repeats)
    theirs = rates(plain, texts, options.repeats)
    characters = sum(map(len, texts))
    tokens = tokenize_documents(texts)
    print(
        json.dumps(
            {
                "what": "tokenize_documents, fine tokens per second of processor time, one core",
                "corpus": corpus,
                "documents": len(texts),
                "characters": characters,
                "tokens": len(tokens),
                "coarse_tokens": int(tokens.starts_coarse.sum()),
                "sentences": int(tokens.starts_sentence.sum()),
                "tokens_per_second": summary(ours),
                "characters_per_second": round(
                    statistics.median(ours) * characters / max(1, len(tokens))
                ),
                "plain_findall_tokens_per_second": summary(theirs),
                "ratio_to_plain_findall": round(
                    statistics.median(ours) / statistics.median(theirs), 3
                ),
                "class_table_ms": round(table_ms, 1),
                "repeats": options.repeats,
                "seed": None,
                "python": platform.python_version(),
                "numpy": np.__version__,
                "unicode": unicodedata.unidata_version,
                "machine": f"{platform.machine()}, {os.cpu_count()} cores",
            }
        )
    )


if __name__ == "__main__":
    main()
