"""Replays the steps of `Dockerfile` where no container can be built, and starts its entry point.

    python deploy/replay.py FOLDER [--python python3.11] [--boot FILE]

Every `COPY`, `RUN` and `ENV` is carried out in order, in an environment that has nothing of this
one: a new virtual environment stands for the image's Python, FOLDER for its root, and of the
variables only PATH, HOME, TMPDIR and those of `ENV` are set. Then the entry point is started as a
pool of workers, as Beam starts it with `--environment_type=EXTERNAL`, until it listens.

Three things stand for what only a container has:
- Of the base images comes the Python alone. Steps of `apt-get` are left out: the compiler that they
  install has to be here.
- Paths of the image (/source, /wheels, /opt, ...) lie below FOLDER.
- Beam's program `boot`, which is copied from Beam's image, is built by Go from Beam's module of the
  same version, or given by `--boot`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOTS = ("/source", "/wheels", "/opt")
"""Folders of the image that the steps name."""
BOOT = "github.com/apache/beam/sdks/v2/python/container"
SECONDS_TO_LISTEN = 120.0
PORT = 50000
"""On which a pool of workers listens."""


def steps_of(text: str) -> Iterator[tuple[str, str]]:
    """Yields instruction and arguments of a Dockerfile, comments left out, values filled in."""
    values: dict[str, str] = {}
    for line in text.replace("\\\n", " ").splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        word, _, rest = line.strip().partition(" ")
        if word == "ARG":
            name, equals, value = rest.partition("=")
            if equals:
                values[name] = value
        yield word, re.sub(r"\$\{(\w+)\}", lambda match: values.get(match[1], match[0]), rest)


class Replay:
    """The steps, carried out below a folder."""

    def __init__(self, root: Path, python: str, boot: str | None) -> None:
        """Makes the virtual environment.

        Args:
            root: an empty folder, which stands for the image's root.
            python: a program; of it comes the environment.
            boot: Beam's program; None to build it.
        """
        self._root, self._boot = root, boot
        for name in (*ROOTS, "/home", "/tmp"):
            self._place(name).mkdir(parents=True)
        venv = root / "venv"
        subprocess.run([python, "-m", "venv", str(venv)], check=True)
        path = os.pathsep.join((str(venv / "bin"), os.environ.get("PATH", os.defpath)))
        self.environment = {
            "PATH": path,
            "HOME": str(self._place("/home")),
            "TMPDIR": str(self._place("/tmp")),
            "LANG": "C.UTF-8",
            # How pip and Go are configured here belongs to this machine, as does the network.
            **{name: value for name, value in os.environ.items() if _is_of_clients(name)},
        }

    def carry_out(self, steps: Sequence[tuple[str, str]]) -> list[str]:
        """Carries out the steps; gives the command of the entry point.

        Raises:
            RuntimeError: for an instruction that is not known, or an image without entry point.
        """
        for word, rest in steps:
            print(f"{word} {rest}"[:150], flush=True)
            if word == "RUN":
                self._run(rest)
            elif word == "COPY":
                self._copy(shlex.split(rest))
            elif word == "ENV":
                name, _, value = rest.partition("=")
                self.environment[name] = self._moved(value)
            elif word == "ENTRYPOINT":
                return [self._moved(part) for part in json.loads(rest)]
            elif word not in ("ARG", "FROM"):
                raise RuntimeError(f"unknown instruction {word}")
        raise RuntimeError("there is no ENTRYPOINT")

    def _run(self, command: str) -> None:
        if command.startswith("apt-get"):
            print("  left out: what it installs is expected to be here")
            return
        subprocess.run(
            ["sh", "-euc", self._moved(command)],
            check=True,
            env=self.environment,
            cwd=self._root,
        )

    def _copy(self, words: Sequence[str]) -> None:
        *sources, target = [word for word in words if not word.startswith("--")]
        stage = next((w.partition("=")[2] for w in words if w.startswith("--from=")), None)
        if stage == "beam":
            self._bring_boot(self._place(target))
        elif stage is None:
            for source in sources:
                _copy_tree(HERE.parent / source, self._place(target), into=target.endswith("/"))
        # A stage of our own lies in the same folder: what is copied from it is there.

    def _bring_boot(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        if self._boot is not None:
            shutil.copy(self._boot, folder / "boot")
            return
        beam = dict(w.partition("=")[::2] for k, w in STEPS if k == "ARG" and "=" in w)["BEAM"]
        goes = {**self.environment, "GOBIN": str(folder)}
        subprocess.run(["go", "install", f"{BOOT}@v{beam}"], check=True, env=goes)
        (folder / "container").rename(folder / "boot")

    def _place(self, path: str) -> Path:
        return self._root / path.lstrip("/")

    def _moved(self, text: str) -> str:
        """A text with the folders of the image below the root."""
        names = "|".join(name.lstrip("/") for name in ROOTS)
        return re.sub(rf"(?<![\w./])/({names})\b", lambda m: str(self._root / m[1]), text)


def listens(command: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Whether an entry point that is started as a pool of workers comes to listen."""
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", PORT)) == 0:
            raise RuntimeError(f"something else listens on port {PORT}")
    pool = subprocess.Popen([*command, "--worker_pool"], env=dict(environment))
    try:
        deadline = time.monotonic() + SECONDS_TO_LISTEN
        while time.monotonic() < deadline and pool.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", PORT)) == 0:
                    return True
            time.sleep(0.2)
        return False
    finally:
        pool.terminate()
        pool.wait(timeout=30)


def _copy_tree(source: Path, target: Path, *, into: bool) -> None:
    ignore = shutil.ignore_patterns("__pycache__", "*.so")  # as Dockerfile.dockerignore
    if source.is_dir():
        shutil.copytree(source, target, ignore=ignore, dirs_exist_ok=True)
    else:
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target / source.name if into else target)


def _is_of_clients(name: str) -> bool:
    proxies = ("http_proxy", "https_proxy", "no_proxy")
    return name.startswith(("PIP_", "GO", "SSL_")) or name.lower() in proxies


STEPS = list(steps_of((HERE / "Dockerfile").read_text(encoding="utf-8")))


def main() -> None:
    """Replays all steps; ends with 1 if the entry point does not come to listen."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="is made, and stands for the image's root")
    parser.add_argument("--python", default=sys.executable, help="default: the one that runs this")
    parser.add_argument("--boot", help="Beam's program; default: Go builds it")
    asked = parser.parse_args()
    root = asked.folder.resolve()
    root.mkdir(parents=True)
    replay = Replay(root, asked.python, asked.boot)
    command = replay.carry_out(STEPS)
    print("starting", shlex.join(command), "--worker_pool", flush=True)
    if not listens(command, replay.environment):
        sys.exit("the entry point does not listen")
    print(f"the entry point listens on port {PORT}")


if __name__ == "__main__":
    main()
