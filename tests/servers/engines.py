"""Installs the engines: each at one version, all of its files checked against pinned hashes.

    python -m tests.servers.engines [prism flink spark]      what `make engines` runs

Prism is built by Go from Beam's module. Flink and Spark are jars of Beam's job servers and of the
engines themselves, which Maven gets; a jar without classes then says how to start them. Ordinary
clients, configured as the machine's user has them.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from scrubline.pipeline.runners.engines import BEAM, PLACES, engines_folder

HERE = Path(__file__).resolve().parent
SUMS = HERE / "engines.sha256"
"""Lines of `<sha256>  <engine>/<jar>`."""
SECONDS = 1800
"""Until a client is given up."""

PRISM = "github.com/apache/beam/sdks/v2"
PRISM_SUM = "h1:RsC61pHEvtySEHAURQyP/+CVOJm/hy5hewuG9JF0+Ow="
"""Go's hash of the module's source; those of the modules it needs are in its own go.sum."""
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"
MAINS = {
    "flink": "org.apache.beam.runners.flink.FlinkJobServerDriver",
    "spark": "org.apache.beam.runners.spark.SparkJobServerDriver",
}
OPENS = tuple(
    f"java.base/{package}"
    for package in (
        *("java.io", "java.lang", "java.lang.invoke", "java.lang.reflect", "java.net", "java.nio"),
        *("java.text", "java.time", "java.util", "java.util.concurrent"),
        *("java.util.concurrent.atomic", "java.util.concurrent.locks", "sun.nio.ch", "sun.nio.cs"),
        *("sun.security.action", "sun.util.calendar"),
    )
)
"""Packages of Java 17 that both engines reach into."""


class NotInstalled(Exception):
    """An engine is not there, or could not be installed; the message says why."""


def place_of(engine: str) -> Path:
    """What starts an engine: Prism's program, or a job server's jar, with `lib/` beside it.

    Raises:
        NotInstalled: if it is not there.
    """
    place = engines_folder() / PLACES[engine]
    if not place.is_file():
        raise NotInstalled(f"{engine} is not installed: `make engines` does it")
    if engine != "prism" and shutil.which("java") is None:
        raise NotInstalled(f"{engine} needs Java")
    return place


def install(engine: str) -> str:
    """Installs one engine if it is not there, and checks it if it is; gives a line to show.

    Raises:
        NotInstalled: with what is missing, or what a client said.
    """
    place = engines_folder() / PLACES[engine]
    if place.is_file():
        if engine != "prism":
            check_jars(engine, place.parent / "lib")
        return f"{engine}: is there, {place}"
    place.parent.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent.parent, prefix=f".{engine}-") as work:
        made = Path(work) / "made"
        made.mkdir()
        if engine == "prism":
            build_prism(made)
        else:
            get_jars(engine, made / "lib")
            check_jars(engine, made / "lib")
            write_starter(made / "lib", made / place.name, MAINS[engine])
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(place.parent)
        made.rename(place.parent)
    return f"{engine}: installed, {place}"


def build_prism(target: Path) -> None:
    """Builds Prism, if the module's source is the one that is pinned."""
    said = run("go", "mod", "download", "-json", f"{PRISM}@v{BEAM}")
    if (found := json.loads(said)["Sum"]) != PRISM_SUM:
        raise NotInstalled(f"the module {PRISM} has the hash {found}, expected was {PRISM_SUM}")
    run("go", "install", f"{PRISM}/go/cmd/prism@v{BEAM}", GOBIN=str(target))


def get_jars(engine: str, target: Path) -> None:
    """Has Maven copy all jars that an engine needs."""
    run(
        *("mvn", "--batch-mode", "--quiet", "-f", str(HERE / f"{engine}.pom.xml"), COPY),
        *(f"-DoutputDirectory={target}", "-DincludeScope=runtime"),
    )


def pinned(engine: str) -> dict[str, str]:
    """Name -> SHA-256 of an engine's jars."""
    lines = [line.split("  ") for line in SUMS.read_text().splitlines()]
    names = {name.partition("/")[2]: found for found, name in lines if name.startswith(engine)}
    return dict(sorted(names.items()))


def check_jars(engine: str, folder: Path) -> None:
    """Compares the jars in a folder, names and content, with the pinned ones."""
    found = sums(folder)
    if found != pinned(engine):
        wrong = sorted(name for name, _ in found.items() ^ pinned(engine).items())
        raise NotInstalled(f"{engine}: not the jars that are pinned: {sorted(set(wrong))}")


def sums(folder: Path) -> dict[str, str]:
    """Name -> SHA-256 of all files in a folder."""
    files = sorted(folder.iterdir())
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def write_starter(lib: Path, target: Path, main: str) -> None:
    """Writes a jar of nothing but a manifest, which names the main class and the other jars."""
    entries = {
        "Manifest-Version": "1.0",
        "Main-Class": main,
        "Class-Path": " ".join(f"{lib.name}/{path.name}" for path in sorted(lib.glob("*.jar"))),
        "Add-Opens": " ".join(OPENS),
    }
    lines = []
    for name, value in entries.items():
        line = f"{name}: {value}"
        # A line of a manifest has at most 72 bytes; the next ones of it begin with a space.
        lines += [line[:70], *(f" {line[at : at + 69]}" for at in range(70, len(line), 69))]
    with zipfile.ZipFile(target, "w") as jar:
        jar.writestr(zipfile.ZipInfo("META-INF/MANIFEST.MF"), "\r\n".join(lines) + "\r\n\r\n")


def run(*command: str, **environment: str) -> str:
    """Runs a client; gives its standard output."""
    if shutil.which(command[0]) is None:
        raise NotInstalled(f"there is no {command[0]} on this machine: install it first")
    try:
        done = subprocess.run(
            command,
            env=os.environ | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            cwd=tempfile.gettempdir(),  # no go.mod or pom.xml of another project
        )
    except subprocess.TimeoutExpired:
        raise NotInstalled(f"{command[0]} took longer than {SECONDS} s") from None
    if done.returncode:
        raise NotInstalled(f"{command[0]} failed: {(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("engines", nargs="*", metavar="NAME", help=", ".join(PLACES))
    parser.add_argument("--write-sums", action="store_true", help="pin the jars that are installed")
    asked = parser.parse_args()
    if unknown := set(asked.engines) - PLACES.keys():
        parser.error(f"unknown: {sorted(unknown)}")
    if asked.write_sums:
        lines = [
            f"{found}  {engine}/{name}\n"
            for engine in MAINS
            for name, found in sums(place_of(engine).parent / "lib").items()
        ]
        SUMS.write_text("".join(lines))
        return
    failed = False
    for engine in asked.engines or PLACES:
        try:
            print(install(engine), flush=True)
        except NotInstalled as error:
            print(f"{engine}: {error}", file=sys.stderr)
            failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
