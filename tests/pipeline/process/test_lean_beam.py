"""Beam comes without the clients of clouds, and all of it can be imported afterwards."""

import subprocess
import sys

import pytest
from scrubline.pipeline.process.lean_beam import UNUSED

CLIENTS = ("azure", "boto3", "google.cloud.storage", "google.cloud.bigquery")


def run(script):
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.split()


def test_what_units_never_use_is_not_imported():
    loaded = run(
        "from scrubline.pipeline.process.lean_beam import import_beam\n"
        "import_beam()\n"
        "import sys, scrubline.pipeline.runners.in_process\n"
        "print(*sys.modules)"
    )
    assert "apache_beam.runners.direct" in loaded
    assert not {*UNUSED, *CLIENTS}.intersection(loaded)


@pytest.mark.parametrize("name", UNUSED)
def test_it_can_be_imported_later(name):
    script = (
        "{}import importlib\n"
        f"try:\n    importlib.import_module({name!r})\n"
        "except ModuleNotFoundError as error:\n    print(error.name)\n"
    )
    lean = "from scrubline.pipeline.process.lean_beam import import_beam\nimport_beam()\n"
    assert run(script.format(lean)) == run(script.format(""))


def test_beam_that_is_imported_stays_as_it_is():
    loaded = run(
        "import apache_beam, sys\n"
        "before = set(sys.modules)\n"
        "from scrubline.pipeline.process.lean_beam import import_beam\n"
        "import_beam()\n"
        "print(*[name for name in before if name not in sys.modules])"
    )
    assert loaded == []
