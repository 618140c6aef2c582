"""Prints one table: the content digest of the demo corpus however and wherever it is run.

    python -m benchmarks.digests [--model en-default]

Direct in one process and in two workers, Beam's job server with LOOPBACK and EXTERNAL workers,
batch caps, splits, local files, memory, and two S3 servers. Ends with 1 if any digest differs.
"""

import argparse
import contextlib
import dataclasses
import logging
import os
import sys
import tempfile
from pathlib import Path

import fsspec
from scrubline.models.keys import new_key
from scrubline.models.storage import Storage
from scrubline.pipeline.config import options_from, read_config
from scrubline.pipeline.publish import part_digest
from scrubline.pipeline.runs import scrub

from tests.servers.beam import beam_servers
from tests.servers.s3_moto import s3_moto
from tests.servers.s3_server import Unavailable
from tests.servers.s3_swift import s3_swift

ROOT = Path(__file__).parent.parent
SPLIT = 4000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", default="en-default", help="bundle, or none")
    asked = parser.parse_args()
    logging.disable(logging.INFO)
    with tempfile.TemporaryDirectory() as folder:
        digests = list(run_all(Path(folder), asked.model))
    print(f"{len(digests)} runs, {len(set(digests))} content digests")
    sys.exit(len(set(digests)) != 1)


def run_all(folder: Path, model: str):
    """Runs every variant, prints its line and yields its content digest."""
    (folder / "key").write_text(new_key() + "\n")
    config = read_config((ROOT / "demo/scrubline.toml").read_bytes())
    base = options_from(
        config,
        {
            "inputs": (str(ROOT / "demo/parquet"),),
            "output": str(folder / "out"),
            "models": (model,),
            "key_source": str(folder / "key"),
            "split_bytes": SPLIT,
            "progress": False,
        },
    )

    def run(name, **changes):
        place = {"output": str(folder / name.replace(" ", "_")), **changes}
        manifest = scrub(Storage(), dataclasses.replace(base, **place))
        print(
            f"{name:<28} {manifest['content_digest'][:24]} {part_digest(manifest)[:24]}", flush=True
        )
        return manifest["content_digest"]

    print(f"{'how':<28} {'content digest':<24} part digest")
    yield run("one process")
    yield run("two workers", workers=2)
    for cap in (1, 7, 1000):
        yield run(f"batches of {cap}", batch_documents=cap)
    yield run("split 32 MB", split_bytes=32_000_000)
    with beam_servers(folder) as servers:
        for kind in ("LOOPBACK", "EXTERNAL"):
            yield run(f"job server, {kind}", runner="portable", beam=servers[kind])
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
            print(f"{name:<28} not available: {error}")


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
