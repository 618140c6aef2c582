"""Installs the object stores of the tests: each at one version, checked against pinned hashes.

    python -m tests.servers.stores [gcs azure]      what `make stores` runs

fake-gcs-server is built by Go from its module; Azurite and what it needs come by npm, as the
lock file in `azurite/` pins them. They go beside the engines; see `engines`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from scrubline.pipeline.runners.engines import engines_folder

from .engines import NotInstalled, run
from .s3_server import Unavailable

HERE = Path(__file__).resolve().parent

GCS = "github.com/fsouza/fake-gcs-server"
GCS_VERSION = "v1.56.1"
GCS_SUM = "h1:K03sAvbLvDz4hAynpCCUqnNRp+ik9JFSvHbkD/wTPOU="
"""Go's hash of the module's source; those of the modules it needs are in its own go.sum."""

AZURITE = HERE / "azurite"
"""`package.json`, and `package-lock.json` with the hash of every package."""

PLACES = {
    "gcs": f"gcs-{GCS_VERSION}/fake-gcs-server",
    "azure": "azurite-3.37.0/node_modules/azurite/dist/src/blob/main.js",
}
"""Store -> what starts it, below the folder of the engines."""


REQUIRED = "SCRUBLINE_REQUIRED_STORES"
"""Variable with the stores whose tests must not skip: `.ci/run` sets it."""


class Required(AssertionError):
    """A store that has to run does not."""


def unavailable(store: str, why: str) -> Exception:
    """What to raise for a store that cannot run: tests skip on `Unavailable`."""
    if store in os.environ.get(REQUIRED, "").split():
        return Required(f"the store {store} has to run here: {why}")
    return Unavailable(why)


def place_of(store: str) -> Path:
    """What starts a store.

    Raises:
        NotInstalled: if it is not there.
    """
    place = engines_folder() / PLACES[store]
    if not place.is_file():
        raise NotInstalled(f"the store {store} is not installed: `make stores` does it")
    if store == "azure" and shutil.which("node") is None:
        raise NotInstalled("the store azure needs Node.js")
    return place


def install(store: str) -> str:
    """Installs one store if it is not there; gives a line to show.

    Raises:
        NotInstalled: with what is missing, or what a client said.
    """
    place = engines_folder() / PLACES[store]
    if place.is_file():
        return f"{store}: is there, {place}"
    target = engines_folder() / PLACES[store].partition("/")[0]
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{store}-") as work:
        made = Path(work) / "made"
        made.mkdir()
        (build_gcs if store == "gcs" else get_azurite)(made)
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(target)
        made.rename(target)
    return f"{store}: installed, {place}"


def build_gcs(target: Path) -> None:
    """Builds fake-gcs-server, if the module's source is the one that is pinned."""
    said = run("go", "mod", "download", "-json", f"{GCS}@{GCS_VERSION}")
    if (found := json.loads(said)["Sum"]) != GCS_SUM:
        raise NotInstalled(f"the module {GCS} has the hash {found}, expected was {GCS_SUM}")
    run("go", "install", f"{GCS}@{GCS_VERSION}", GOBIN=str(target))


def get_azurite(target: Path) -> None:
    """Has npm fetch what the lock file pins; no script of a package is run."""
    for name in ("package.json", "package-lock.json"):
        shutil.copy(AZURITE / name, target)
    run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", f"--prefix={target}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("stores", nargs="*", metavar="NAME", help=", ".join(PLACES))
    asked = parser.parse_args()
    if unknown := set(asked.stores) - PLACES.keys():
        parser.error(f"unknown: {sorted(unknown)}")
    failed = False
    for store in asked.stores or PLACES:
        try:
            print(install(store), flush=True)
        except NotInstalled as error:
            print(f"{store}: {error}", file=sys.stderr)
            failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
