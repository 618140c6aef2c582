"""The compiled shim, or the reason why there are none."""

import shutil
import sys

import pytest

from .laboratory import compiled, laboratory


@pytest.fixture(scope="session")
def gcc():
    if not sys.platform.startswith("linux") or shutil.which("gcc") is None:
        pytest.skip("the shim is built by gcc, for Linux")


@pytest.fixture(scope="session")
def shim(gcc, tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("shim"))


# A module's, not the session's: the next server of a process empties the buckets of all.
@pytest.fixture(scope="module")
def lab(gcc, tmp_path_factory):
    pytest.importorskip("moto.server")
    with laboratory(tmp_path_factory.mktemp("faults")) as lab:
        yield lab
