"""Options of the whole test run, fixtures of several rooms, and `benchmarks` made importable.

Importable without the checkout's root on the path: `models` is there too.
"""

import gc
import importlib.util
import os
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from .examples import FAST_PART
from .forking.python import zygote
from .quick_disk import wait_for_no_disk

wait_for_no_disk()

# `make test` runs with `fast`, by pytest's option --hypothesis-profile; see `examples.py`.
for name, count in {"full": 100, "fast": 100 // FAST_PART}.items():
    settings.register_profile(
        name,
        max_examples=count,
        # How long an example takes is the machine's business: no test fails because it is busy.
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        # In CI the examples are the same for the same code: what a change did not break cannot
        # fail it. Others are drawn wherever else the tests run.
        derandomize="SCRUBLINE_SAME_EXAMPLES" in os.environ,
    )
settings.load_profile("full")

# Compiled taggers of this run, which its children share; not those of the user.
_CACHE = tempfile.TemporaryDirectory(prefix="scrubline-tests-")
os.environ.setdefault("SCRUBLINE_CACHE", _CACHE.name)

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"

if "benchmarks" not in sys.modules:
    spec = importlib.util.spec_from_file_location(
        "benchmarks", BENCHMARKS / "__init__.py", submodule_search_locations=[str(BENCHMARKS)]
    )
    sys.modules["benchmarks"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["benchmarks"])


def pytest_addoption(parser):
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite tests/golden/*.json with what comes out now; review the difference",
    )


def pytest_collection_modifyitems(items):
    """Files with slow tests come first, then whole runs: processes that share them end together."""
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    items.sort(key=lambda item: (-slow[item.path], "pipeline" not in item.path.parts))


def pytest_collection_finish():
    """What was collected stays to the end: the collector of garbage need not look at it again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # it takes a fifteenth of the time else


@pytest.fixture(scope="session")
def forking_python(tmp_path_factory):
    """A Python whose processes are there at once; the usual one where it cannot be made."""
    if not sys.platform.startswith("linux") or shutil.which("gcc") is None:
        yield sys.executable
        return
    with zygote(tmp_path_factory.mktemp("zygote"), os.environ) as (stub, _):
        yield str(stub)


@pytest.fixture
def rules_raise_on_quuxworth(monkeypatch):
    """In this process, the rules raise at a text with this name, and quote the text."""
    from scrubline.models.jobs import steps

    real = steps.recognise_all

    def recognise_all(document, context, names):
        if "Quuxworth" in document.text:
            raise ValueError(document.text)
        return real(document, context, names)

    monkeypatch.setattr(steps, "recognise_all", recognise_all)
