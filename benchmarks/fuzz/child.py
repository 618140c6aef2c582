"""One target under the coverage-guided fuzzer; a process of its own, which the fuzzer ends.

Nothing of the program may be imported before it is instrumented.
"""

from __future__ import annotations

import argparse
import hashlib
import logging
import random
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

_MODELS = "scrubline.models"
COVERED: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "format.",
        (f"{_MODELS}.formats", f"{_MODELS}.corpora", "zipfile", "tarfile", "gzip"),
    ),
    ("corpus.", (f"{_MODELS}.corpora",)),
    ("rule", (f"{_MODELS}.recognisers",)),
    ("key", (f"{_MODELS}.keys",)),
    ("dictionary", ("scrubline.dictionaries",)),
    ("", ("scrubline.models", "scrubline.pipeline.options", "scrubline.dictionaries", "tomllib")),
)
"""Beginnings of targets' names -> the modules whose coverage guides; the first that fits counts.

Instrumenting costs seconds at the start, and what all inputs reach alike guides nowhere.
"""

ON_ARRAYS = ("tokenizer", "rule", "scrubbing", "corpus.conll", "format.conll")


def signature(error: BaseException) -> str:
    """Where and as what an error was raised: equal for findings that are one bug, mostly."""
    frames = traceback.extract_tb(error.__traceback__)
    place = next((f for f in reversed(frames) if "laws.py" not in f.filename), frames[-1])
    law = str(error) if type(error).__name__ == "Broken" else ""
    return f"{type(error).__name__} {Path(place.filename).name}:{place.lineno} {law}".strip()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("target")
    parser.add_argument("findings", type=Path)
    parser.add_argument("corpus", type=Path)
    for name in ("--seconds", "--seed", "--hang-seconds", "--memory-mb"):
        parser.add_argument(name, type=int, required=True)
    options = parser.parse_args()

    import atheris
    from atheris.import_hook import AtherisMetaPathFinder

    covered = next(names for begin, names in COVERED if options.target.startswith(begin))
    # Where arrays are compared, atheris 3.0 keeps the result of every comparison that it traces.
    traced = not options.target.startswith(ON_ARRAYS)

    class Finder(AtherisMetaPathFinder):  # type: ignore[misc]
        """Of a module below the top, `instrument_imports` takes the whole top-level package."""

        def find_spec(self, fullname: str, *rest: Any) -> Any:
            """The module with counters in it, if it is one of those that are to guide."""
            return super().find_spec(fullname, *rest) if fullname.startswith(covered) else None

    finder = Finder(set(), set(), True, traced)
    sys.meta_path.insert(0, finder)
    from .inputs import mutated
    from .targets import target_named

    sys.meta_path.remove(finder)
    logging.disable()
    target = target_named(options.target)
    if not any(options.corpus.iterdir()):
        for number, seed in enumerate(target.seeds()):
            (options.corpus / f"seed-{number:04d}").write_bytes(seed)
    known: set[str] = set()

    def check(data: bytes) -> None:
        try:
            target.check(data)
        except Exception as error:
            what = signature(error)
            if what not in known:
                known.add(what)
                name = f"{options.target}--{hashlib.sha256(what.encode()).hexdigest()[:12]}"
                (options.findings / name).write_bytes(data)
                (options.findings / f"{name}.what").write_text(what + "\n")

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        if target.mutate is None or seed % 3:
            return atheris.Mutate(data, most)  # type: ignore[no-any-return]
        chance = random.Random(seed)
        try:
            return target.mutate(data, chance)[:most]
        except Exception:  # a mutator may trip over what it is given; that is no finding
            return mutated(data, chance)[:most]

    with tempfile.NamedTemporaryFile("w", suffix=".dict") as words:
        for word in target.words:
            words.write('"' + "".join(f"\\x{byte:02x}" for byte in word[:60]) + '"\n')
        words.flush()
        flags = [
            f"-max_total_time={max(1, options.seconds)}",
            f"-seed={options.seed + 1}",
            f"-timeout={options.hang_seconds}",
            f"-rss_limit_mb={options.memory_mb}",
            f"-max_len={target.longest}",
            f"-artifact_prefix={options.findings}/{options.target}--",
            "-print_final_stats=1",
            "-len_control=0",
        ]
        if target.words:
            flags.append(f"-dict={words.name}")
        atheris.Setup([sys.argv[0], *flags, str(options.corpus)], check, custom_mutator=mutate)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
