"""Engines: which of Beam's options each runner stands for, and what must be there for it.

A runner is a short list of Beam's own options. The user's own, those after `--`, follow it, and
of two values the last one wins. No Beam is imported here: all that can be refused is refused
before anything heavy is loaded or written.
"""

from __future__ import annotations

import importlib.util
import itertools
import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ...models.core.errors import UsageError
from ...models.core.suggestions import did_you_mean
from ...models.core.user_cache import user_cache
from ...models.jobs.job import Job
from ...models.storage.places import local_path
from ..options import Options

RUNNERS = ("direct", "portable", "prism", "flink", "spark", "dataflow")

BEAM = "2.77.0"
"""The version of Beam's SDK, and of Prism, which is released with it."""
FOLDER_VARIABLE = "SCRUBLINE_ENGINES"
PLACES = {
    "prism": f"prism-{BEAM}/prism",
    "flink": "flink-1.19/job-server.jar",
    "spark": "spark-3.5/job-server.jar",
}
"""Where `make engines` puts what starts each engine, below `engines_folder()`."""

# Beam ends a job's stream of states with an error after this many seconds, 300 by default, on
# Prism and on its own job server: a longer job would fail while it runs. Whether a server answers
# at all is asked before (`execute.require_reached`).
_PATIENCE = "--job_server_timeout=31536000"


def check_runner(name: str) -> str:
    """The runner's own name.

    Raises:
        UsageError: for a runner that is unknown or refused.
    """
    lowered = name.lower().removesuffix("runner")
    if lowered == "dask":
        raise UsageError(
            "DaskRunner is refused: it runs only the last branch of a pipeline and reports "
            "success, which would lose outputs silently"
        )
    if lowered in ("fnapi", "direct"):
        return "direct"
    if lowered in RUNNERS:
        return lowered
    meant = did_you_mean(lowered, RUNNERS)
    raise UsageError(f"runner {name!r} is unknown{meant}; runners are {', '.join(RUNNERS)}")


def engines_folder() -> Path:
    """Where engines are looked for: $SCRUBLINE_ENGINES, else in the user's cache."""
    named = os.environ.get(FOLDER_VARIABLE)
    return Path(named) if named else user_cache() / "engines"


def value_of(options: Iterable[str], *names: str) -> str | None:
    """The value that holds of an option of Beam, by any of its names without dashes, or None."""
    found = None
    for word, following in itertools.pairwise((*options, "")):
        name, equals, value = word.partition("=")
        if name.removeprefix("--") in names and name.startswith("--"):
            found = value if equals else following
    return found


def beam_options(runner: str, given: Sequence[str]) -> tuple[str, ...]:
    """All of Beam's options for an engine: what the runner stands for, then what was given.

    Args:
        runner: one of `RUNNERS` but the direct one.
        given: what the user said after `--`; it wins.

    Raises:
        UsageError: if the engine is not installed, or an option is missing.
    """
    if value_of(given, "runner") is not None:
        raise UsageError(
            "--runner is Scrubline's own option: give it before the `--`, so that it can be checked"
        )
    return (_PATIENCE, *_PRESETS[runner](given), *given)


def beam_options_of(options: Options) -> tuple[str, ...] | None:
    """All of Beam's options that a run asks for; None for the direct runner, which needs none.

    Raises:
        UsageError: if something is missing, or options contradict each other.
    """
    runner = check_runner(options.runner)
    if runner == "direct":
        return None
    if options.workers:
        raise UsageError("--workers is for the direct runner; engines start workers of their own")
    return beam_options(runner, options.beam)


def _portable(given: Sequence[str]) -> list[str]:
    if value_of(given, "job_endpoint") is None:
        raise UsageError(
            "--runner portable sends the job to a job server that is already running: say where "
            "with `-- --job_endpoint=HOST:PORT`"
        )
    return ["--runner=PortableRunner"]


def _prism(given: Sequence[str]) -> list[str]:
    # Of any other kind Beam would read the log line by line, and tell all of it as its own.
    options = ["--runner=PrismRunner", "--environment_type=LOOPBACK", "--prism_log_kind=text"]
    if value_of(given, "job_endpoint") is None:
        options.append(_found("prism", given, "prism_location"))
    return options


def _flink(given: Sequence[str]) -> list[str]:
    return [
        "--runner=FlinkRunner",
        *_java_engine("flink", given, "flink_job_server_jar", "flink_master", "[local]"),
    ]


def _spark(given: Sequence[str]) -> list[str]:
    return [
        "--runner=SparkRunner",
        *_java_engine("spark", given, "spark_job_server_jar", "spark_master_url", "local[2]"),
    ]


def _java_engine(
    name: str, given: Sequence[str], jar: str, master: str, inside: str
) -> Sequence[str]:
    """Options of an engine whose job server is a jar; without a master it runs inside of that."""
    at = value_of(given, master)
    cluster = at is not None and not at.startswith(("local", "[local]", "[auto]"))
    if cluster and value_of(given, "environment_type") is None:
        raise UsageError(
            f"{name} on a cluster: say where the Python workers run, with `-- "
            "--environment_type=EXTERNAL --environment_config=HOST:PORT` (a worker pool beside "
            "each task manager), DOCKER (an image), or LOOPBACK (in the launcher, if the cluster "
            "is this machine)"
        )
    # Else Python workers are started anew for each stage, and where one task ends while another
    # begins sometimes none is, which the engine notices after three minutes.
    options = ["--environment_cache_millis=60000"]
    options += [f"--{master}={inside}"] if at is None else []
    if value_of(given, "environment_type") is None:
        options.append("--environment_type=LOOPBACK")
    if value_of(given, "job_endpoint") is None:
        options.append(_found(name, given, jar))
        java = value_of(given, "job_server_java_launcher") or "java"
        if shutil.which(java) is None:
            raise UsageError(f"--runner {name} needs Java 11 or 17: there is no {java!r}")
    return options


def _dataflow(given: Sequence[str]) -> list[str]:
    needed = {
        "project": "the project that pays",
        "region": "where it runs",
        "temp_location": "a folder in gs://",
    }
    for name, why in needed.items():
        if value_of(given, name) is None:
            raise UsageError(f"--runner dataflow needs `-- --{name}=...`: {why}")
    if not (value_of(given, "temp_location") or "").startswith("gs://"):
        raise UsageError("--runner dataflow: --temp_location must lie in gs://")
    image = value_of(given, "sdk_container_image", "worker_harness_container_image")
    if image is None and value_of(given, "setup_file") is None:
        raise UsageError(
            "--runner dataflow: Scrubline is missing on its workers: give `-- "
            "--sdk_container_image=IMAGE` (see docs/engines.md) or `-- --setup_file=./setup.py`"
        )
    if importlib.util.find_spec("apitools") is None:
        raise UsageError("--runner dataflow needs pip install 'apache-beam[gcp]'")
    return ["--runner=DataflowRunner"]


_PRESETS: dict[str, Callable[[Sequence[str]], list[str]]] = {
    "portable": _portable,
    "prism": _prism,
    "flink": _flink,
    "spark": _spark,
    "dataflow": _dataflow,
}


def _found(name: str, given: Sequence[str], option: str) -> str:
    """The option that tells Beam where an engine is, looked for before Beam would download it."""
    named = value_of(given, option)
    place = Path(named) if named else engines_folder() / PLACES[name]
    if named and "://" in named:
        return f"--{option}={named}"
    if not place.is_file():
        where = f"--{option} names no file" if named else f"it is not in ${FOLDER_VARIABLE}"
        raise UsageError(
            f"{name} is not installed: {where}. Run `make engines` in a checkout of Scrubline, or "
            f"give `-- --{option}=FILE`"
        )
    return f"--{option}={place}"


def check_places(runner: str, places: Iterable[str], key_source: str) -> None:
    """Refuses what workers on other machines cannot reach, where it is known that they are others.

    Args:
        places: URLs of inputs, output, bundles, roster and policy; names of shipped ones are none.

    Raises:
        UsageError: naming what to change.
    """
    if runner != "dataflow":
        return
    if any(local_path(one) is not None or one.startswith("memory:") for one in places):
        raise UsageError(
            "--runner dataflow: inputs, output, bundles, roster and policy must be URLs that its "
            "workers can read, such as gs://...; one of them is a place of this machine"
        )
    if key_source.startswith("env:"):
        raise UsageError(
            "--runner dataflow: the key is in a variable that only this machine has; give "
            "--key-file URL, of a file that the workers' account may read"
        )
    if local_path(key_source) is not None:
        raise UsageError("--runner dataflow: --key-file must be a URL that its workers can read")


def check_job_places(runner: str, job: Job, inputs: Iterable[str]) -> None:
    """Refuses a job with places that workers on other machines cannot reach; see `check_places`."""
    named = [place for place in (job.policy, *job.models) if "/" in place]
    roster = [job.roster] if job.roster is not None else []
    check_places(runner, [*inputs, job.output, *named, *roster], job.key_source)
