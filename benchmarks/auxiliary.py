"""How fast auxiliary models give a batch its columns of tags.

One JSON line for each model: fine tokens per second of processor time on one core, median and
spread over repeats; features, CRF and column together, without tokenizing. Documents go in batches,
as in a run, and each is seen once per repeat.

    python -m benchmarks.auxiliary --part parts/pos --part parts/ner [--repeats N] [FILE ...]

Files as for `benchmarks/tokenizer.py`.
"""

import argparse
import json
import os
import platform
import resource
import time
from collections.abc import Sequence
from pathlib import Path

from scrubline.models.auxiliary import ColumnModel, read_auxiliary
from scrubline.models.text.tokenizer import tokenize_documents

from .tokenizer import default_texts, read, summary

BATCH = 256
"""Documents of a batch, as in a run."""


def seconds(model: ColumnModel, texts: Sequence[str]) -> float:
    """Processor time for the columns of all batches."""
    spent = 0.0
    for first in range(0, len(texts), BATCH):
        batch = texts[first : first + BATCH]
        tokens = tokenize_documents(batch)
        begin = time.process_time()
        model.columns(batch, tokens)
        spent += time.process_time() - begin
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--part", action="append", required=True, metavar="FOLDER")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    if options.files:
        corpus = " ".join("/".join(path.parts[-2:]) for path in options.files)
        texts = [text for path in options.files for text in read(path)]
    else:
        corpus, texts = default_texts()
    count = len(tokenize_documents(texts))
    for url in options.part:
        model = read_auxiliary(url)
        if not isinstance(model, ColumnModel):
            parser.error(f"{model.name} gives no columns")
        begin = time.process_time()
        model.columns(["a"], tokenize_documents(["a"]))
        ready_ms = (time.process_time() - begin) * 1000
        rates = [count / seconds(model, texts) for _ in range(options.repeats)]
        print(
            json.dumps(
                {
                    "what": "columns of tags, fine tokens per second of processor time, one core",
                    "model": model.name,
                    "hash": model.hash[:12],
                    "bytes": sum(map(len, model.files.values())),
                    "corpus": corpus,
                    "documents": len(texts),
                    "tokens": count,
                    "tokens_per_second": summary(rates),
                    "first_call_ms": round(ready_ms),
                    "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
                    "repeats": options.repeats,
                    "seed": None,
                    "python": platform.python_version(),
                    "machine": f"{platform.machine()}, {os.cpu_count()} cores",
                }
            ),
            flush=True,
        )


if __name__ == "__main__":
    main()
