"""A Python that is there at once: a zygote that has imported Scrubline forks its processes.

Whoever starts it as `python -m`, `-c` or with a script gets a fork, with the limits of the one who
asked. Signals other than SIGKILL and groups of processes reach the stub alone, and what is imported
is there: what is about them, or about a small address space, needs the real one.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

HERE = Path(__file__).resolve().parent


@contextlib.contextmanager
def zygote(folder: Path, environment: Mapping[str, str]) -> Iterator[tuple[Path, int]]:
    """The stub that is to be started as `python`, and the zygote's process; ends with its forks.

    Args:
        folder: where the zygote works, and says what is wrong.
        environment: of the zygote alone: forks have that of the one who asks for them.

    Raises:
        FileNotFoundError: if there is no gcc.
    """
    # The length of a socket's name is bounded: a short folder holds it.
    with tempfile.TemporaryDirectory(prefix="sl-") as short:
        stub, log = Path(short) / "python", folder / "zygote.txt"
        subprocess.run(["gcc", "-O2", "-Wall", "-Werror", "-o", stub, HERE / "stub.c"], check=True)
        process = subprocess.Popen(
            [sys.executable, HERE / "zygote.py", stub.with_name("z"), stub],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log.open("wb"),
            # A process with threads cannot be forked.
            env={**environment, "OPENBLAS_NUM_THREADS": "1"},
            cwd=folder,
        )
        try:
            assert process.stdout is not None and process.stdin is not None
            while (line := process.stdout.readline().strip()) != b"ready":
                assert line or process.poll() is None, log.read_text()
            yield stub, process.pid
        finally:
            process.stdin.close()
            process.wait()
