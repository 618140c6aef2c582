"""Prints one table: the content digest of a corpus however and wherever it is run.

    python -m benchmarks.digests [--model en-default]
    python -m benchmarks.digests --corpus notes.jsonl --column doc_id=id --column text=text
    python -m benchmarks.digests --policy expert --people demo/roster.csv --link-notes

Direct in one process, in one worker and in two; Beam's job server, Prism, a Flink cluster and
Spark, each with LOOPBACK and EXTERNAL workers; batch caps, splits; local files, memory, two S3
servers.
What is not installed is shown as such. Ends with 1 if any digest differs. Part digests differ with
what a plan freezes: splits, caps and the names of inputs.
"""

import argparse
import contextlib
import dataclasses
import logging
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import fsspec
from scrubline.models.core.keys import new_key
from scrubline.models.formats.column_roles import Columns
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.options import options_from, read_config
from scrubline.pipeline.outputs.publishing import part_digest
from scrubline.pipeline.run import scrub

from tests.servers.beam import beam_servers, logs_shown, worker_pool
from tests.servers.engines import NotInstalled
from tests.servers.flink import flink
from tests.servers.prism import prism
from tests.servers.s3_moto import s3_moto
from tests.servers.s3_server import Unavailable
from tests.servers.s3_swift import s3_swift
from tests.servers.spark import spark

ROOT = Path(__file__).parent.parent
SPLIT = 4000
ENGINES = {
    "Prism": ("prism", prism, ()),
    "Flink, parallelism 1": ("flink", flink, ("--parallelism=1",)),
    "Flink, parallelism 2": ("flink", flink, ("--parallelism=2",)),
    "Spark, local[2]": ("spark", spark, ()),
}
"""What a line is called -> runner, server, and what is said to the runner beside where that is."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", default="en-default", help="bundle, or none")
    parser.add_argument("--corpus", metavar="URL", help="documents; default: the demo corpus")
    parser.add_argument("--format", help="of that corpus, where its ending does not say it")
    parser.add_argument("--column", action="append", metavar="NAME=ROLE", help="of that corpus")
    parser.add_argument("--policy", help="name or URL; default: the demo's")
    parser.add_argument("--people", metavar="URL", help="table of `roster build`: with its roster")
    parser.add_argument("--link-notes", action="store_true", help="with links between notes")
    parser.add_argument("--split-bytes", type=int, default=SPLIT, help=f"default {SPLIT}")
    asked = parser.parse_args()
    logging.disable(logging.WARNING)
    if asked.corpus:
        pairs = [one.rpartition("=")[::2] for one in asked.column or ()]
        config, columns = {}, Columns.parse(pairs) if pairs else None
    else:
        config, columns = read_config((ROOT / "demo/scrubline.toml").read_bytes()), None
    given = {
        "inputs": (asked.corpus or str(ROOT / "demo/parquet"),),
        "columns": columns,
        "format": asked.format,
        "models": (asked.model,),
        "split_bytes": asked.split_bytes,
        "link_notes": asked.link_notes,
    }
    if asked.policy:
        given["policy"] = asked.policy
    with tempfile.TemporaryDirectory() as folder:
        digests = list(run_all(Path(folder), config, given, asked.people))
    print(f"{len(digests)} runs, {len(set(digests))} content digests")
    sys.exit(len(set(digests)) != 1)


def run_all(folder: Path, config, given, people=None):
    """Runs every variant, prints its line and yields its content digest."""
    (folder / "key").write_text(new_key() + "\n")
    if people:
        words = ["--input", people, "--output", folder / "roster", "--key-file", folder / "key"]
        build = [sys.executable, "-m", "scrubline", "roster", "build", *map(str, words)]
        subprocess.run(build, check=True, capture_output=True)
        given = {**given, "roster": str(folder / "roster"), "min_roster_share": 0.0}
    base = options_from(
        config,
        {
            "output": str(folder / "out"),
            "key_source": str(folder / "key"),
            "progress": False,
            **given,
        },
    )

    def run(name, **changes):
        place = {"output": str(folder / name.replace(" ", "_")), **changes}
        began = time.monotonic()
        manifest = scrub(Storage(), dataclasses.replace(base, **place))
        content, parts = manifest["content_digest"][:24], part_digest(manifest)[:24]
        print(f"{name:<30} {content} {parts} {time.monotonic() - began:7.1f}", flush=True)
        return manifest["content_digest"]

    print(f"{'how':<30} {'content digest':<24} {'part digest':<24} seconds")
    yield run("one process")
    yield run("one worker", workers=1)
    yield run("two workers", workers=2)
    for cap in (1, 7, 1000):
        yield run(f"batches of {cap}", batch_documents=cap)
    yield run("split 32 MB", split_bytes=32_000_000)
    with beam_servers(folder) as servers:
        for kind in ("LOOPBACK", "EXTERNAL"):
            yield run(f"Beam's job server, {kind}", runner="portable", beam=servers[kind])
    for name, (runner, start, more) in ENGINES.items():
        place = folder / name.replace(", ", "_").replace(" ", "_")  # Flink splits at commas
        place.mkdir()
        try:
            with logs_shown(place), start(place) as options, worker_pool(place) as pool:
                for kind, workers in (
                    ("LOOPBACK", ("--environment_type=LOOPBACK",)),
                    ("EXTERNAL", pool),
                ):
                    yield run(f"{name}, {kind}", runner=runner, beam=(*options, *workers, *more))
        except NotInstalled as error:
            print(f"{name:<30} not installed: {error}")
    yield run("memory", output="memory://digests/out")
    for name, server in (("S3 (moto)", s3_moto), ("S3 (Swift)", s3_swift)):
        try:
            with server() as started, environment(started.environment()):
                # Instances remember the endpoint of the server before.
                fsspec.get_filesystem_class("s3").clear_instance_cache()
                fsspec.url_to_fs("s3://digests")[0].makedirs("digests", exist_ok=True)
                yield run(name, output="s3://digests/out")
                yield run(f"{name}, two workers", output="s3://digests/out2", workers=2)
        except Unavailable as error:
            print(f"{name:<30} not available: {error}")


@contextlib.contextmanager
def environment(variables):
    """Sets environment variables for a while."""
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


if __name__ == "__main__":
    main()
