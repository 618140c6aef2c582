"""One content digest whatever stores input and output; one part digest whatever stores output."""

import contextlib
import dataclasses
import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import fsspec
import pytest
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.options import Options
from scrubline.pipeline.outputs.manifest import read_manifest
from scrubline.pipeline.outputs.publishing import part_digest
from scrubline.pipeline.run import plan_and_freeze, resume, scrub
from scrubline.pipeline.runners.beam import run_direct

from ...examples import EXHAUSTIVE
from ...servers.azure import CONTAINER, azure
from ...servers.gcs import BUCKET, gcs
from ...servers.s3_moto import s3_moto
from ...servers.s3_server import Unavailable
from ...servers.s3_swift import s3_swift
from ...waiting import GUARD_SECONDS
from ..conftest import COLUMNS, note, write_corpus

SPLIT_BYTES = 2000
RULES = ("date", "medical_record", "email")
"""A few rules: what they find does not matter here."""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("corpus") / "in", notes=30, files=2)


@pytest.fixture(scope="module")
def expected(corpus, tmp_path_factory):
    """Manifest of a run from files to files."""
    folder = tmp_path_factory.mktemp("local")
    return scrub(Storage(), options_for(folder, corpus, folder / "out"))


def options_for(folder, source, target):
    key = Path(folder) / "key.txt"
    key.write_text("scrubline-key-v1:" + "QUJD" * 10 + "QUI=\n")
    return Options(
        inputs=(str(source),),
        output=str(target),
        models=(),
        columns=COLUMNS,
        key_source=str(key),
        split_bytes=SPLIT_BYTES,
        max_quarantined=0.5,
        recognisers=RULES,
        progress=False,
    )


@contextlib.contextmanager
def memory():
    yield "memory://scrubline", {}


@contextlib.contextmanager
def moto():
    with s3_moto() as server:
        yield "s3://scrubline", server.environment()


@contextlib.contextmanager
def swift():
    with s3_swift() as server:
        yield "s3://scrubline", server.environment()


@contextlib.contextmanager
def google():
    with gcs() as server:
        yield f"gs://{BUCKET}", server.environment()


@contextlib.contextmanager
def azurite():
    with azure() as server:
        yield f"abfs://{CONTAINER}", server.environment()


STORES = [memory, moto, swift, google, azurite]


def some(*stores):
    """Parametrizes `store`: some of the stores in each run of the tests, all of them at length."""
    return pytest.mark.parametrize(
        "store",
        [pytest.param(one, marks=() if one in stores else EXHAUSTIVE) for one in STORES],
        ids=lambda one: one.__name__,
        indirect=True,
        scope="module",
    )


@contextlib.contextmanager
def opened(one):
    """URL of an empty store, which this process and its children find by their environment."""
    with contextlib.ExitStack() as stack:
        try:
            url, environment = stack.enter_context(one())
        except Unavailable as error:
            pytest.skip(str(error))
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        for name, value in environment.items():
            patch.setenv(name, value)
        # Instances remember the endpoint of a server that another test has stopped.
        clear = fsspec.get_filesystem_class(url.split(":")[0]).clear_instance_cache
        clear()
        stack.callback(clear)
        fsspec.url_to_fs(url)[0].makedirs(url, exist_ok=True)
        yield url
        if url.startswith("memory"):
            fsspec.url_to_fs(url)[0].rm("/scrubline", recursive=True)


@pytest.fixture(scope="module")
def store(request):
    with opened(request.param) as url:
        yield url


def upload(corpus, url):
    fs, path = fsspec.url_to_fs(url)
    for file in sorted(corpus.iterdir()):
        fs.pipe_file(f"{path}/{file.name}", file.read_bytes())


@some(*STORES)
@pytest.mark.slow
def test_output_in_a_store(store, expected, corpus, tmp_path):
    options = options_for(tmp_path, corpus, f"{store}/out")
    manifest = scrub(Storage(), options)
    assert manifest["content_digest"] == expected["content_digest"]
    assert part_digest(manifest) == part_digest(expected)
    assert manifest["run"] == expected["run"]
    assert read_manifest(Storage(), options.output) == manifest
    assert verify(Storage(), options.output, originals=True, key_source=None)[0] == []
    assert Storage().list_names(f"{options.output}/_staging") == []
    # A published folder can be copied from store to store.
    fs, path = fsspec.url_to_fs(options.output)
    fs.get(f"{path}/", f"{tmp_path}/copy/", recursive=True)
    assert verify(Storage(), str(tmp_path / "copy"), originals=False, key_source=None)[0] == []


@some(memory, moto)
@pytest.mark.slow
def test_input_and_output_in_a_store(store, expected, corpus, tmp_path):
    upload(corpus, f"{store}/in")
    options = options_for(tmp_path, f"{store}/in", f"{store}/both")
    manifest = scrub(Storage(), options)
    # Parts carry the identity of their inputs in their names, so only the content can be equal.
    assert manifest["content_digest"] == expected["content_digest"]
    assert manifest["counts"] == expected["counts"]
    assert verify(Storage(), options.output, originals=True, key_source=None)[0] == []


@some(moto, azurite)
@pytest.mark.slow
def test_a_run_on_a_store_is_resumed_by_two_workers(store, expected, corpus, tmp_path, forked):
    options = options_for(tmp_path, corpus, f"{store}/workers")
    job, plan = plan_and_freeze(Storage(), options)
    run_direct(job, [0, 1])
    # What is in memory is one process's own.
    workers = 0 if store.startswith("memory") else 2
    manifest = resume(Storage(), dataclasses.replace(options, workers=workers))
    assert len(plan.units) > 3
    assert manifest["content_digest"] == expected["content_digest"]
    assert part_digest(manifest) == part_digest(expected)


KILLED = """
import json, os, signal, sys, threading
from scrubline.models.formats.column_roles import Columns
from scrubline.models.storage.storage import Storage
from scrubline.pipeline import run as runs
from scrubline.pipeline.options import Options

values = json.loads(sys.argv[1])
columns = Columns.parse([tuple(pair) for pair in values.pop("columns")])
moved, one_at_a_time = [], threading.Lock()

def move(self, source, target, real=Storage.move):
    with one_at_a_time:
        if len(moved) == 3:  # some parts are in place, some are not
            os.kill(os.getpid(), signal.SIGKILL)
        moved.append(target)
        real(self, source, target)

Storage.move = move
values["recognisers"] = tuple(values["recognisers"])
runs.scrub(Storage(), Options(**values, columns=columns))
"""


@some(moto, google, azurite)
@pytest.mark.slow
def test_a_run_that_is_killed_while_it_publishes_is_resumed_and_the_next_takes_what_is_new(
    store, expected, corpus, tmp_path, forked
):
    if store.startswith("memory"):
        pytest.skip("no process sees the memory of another one")
    source = tmp_path / "in"
    shutil.copytree(corpus, source)
    options = options_for(tmp_path, source, f"{store}/killed-run")
    values = {
        **{name: getattr(options, name) for name in ("output", "key_source", "split_bytes")},
        **{"inputs": [str(source)], "models": [], "max_quarantined": 0.5, "progress": False},
        "recognisers": RULES,
        "columns": [(name, str(role)) for name, role in options.columns.roles],
    }
    done = subprocess.run(
        [sys.executable, "-c", KILLED, json.dumps(values)],
        capture_output=True,
        timeout=GUARD_SECONDS,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    storage = Storage()
    assert not storage.exists(f"{options.output}/_SUCCESS")
    tables = ("data", "audit", "documents", "quarantine")
    assert any(storage.list_names(f"{options.output}/{table}") for table in tables)
    manifest = resume(storage, options)
    assert manifest["content_digest"] == expected["content_digest"]
    assert manifest["counts"] == expected["counts"]
    assert storage.list_names(f"{options.output}/_staging") == []
    assert "restricted/LOCK" not in storage.list_names(options.output)

    (source / "new.jsonl").write_text(json.dumps(note(777)) + "\n")
    more = scrub(storage, dataclasses.replace(options, incremental=True))
    assert more["report"]["incremental"]["new"] == 1
    assert more["counts"]["rows_in"] == manifest["counts"]["rows_in"] + 1
    faults, _ = verify(storage, options.output, originals=True, key_source=None)
    assert faults == []
    idle = scrub(storage, dataclasses.replace(options, incremental=True))
    assert idle["run"] == more["run"]
