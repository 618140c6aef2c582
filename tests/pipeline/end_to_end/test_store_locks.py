"""Two nights do not overlap on an object store."""

import dataclasses
import errno
import json
import logging
import math
import re
import subprocess
import sys
import time

import pytest
from scrubline.models.core.errors import OutputBusy, RunFailed, StorageError
from scrubline.models.storage import locks
from scrubline.models.storage.filesystems import filesystem
from scrubline.models.storage.lock_holder import Holder
from scrubline.models.storage.locks import LEASE_SECONDS
from scrubline.models.storage.storage import Storage
from scrubline.pipeline import work
from scrubline.pipeline.run import plan_and_freeze, resume, scrub

from ...waiting import wait_until
from ..conftest import write_corpus
from .test_storage_digests import STORES, azurite, google, moto, opened, some

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def store(request):
    with opened(request.param) as url:
        yield url


@pytest.fixture
def options(options, tmp_path):
    source = write_corpus(tmp_path / "few", notes=6, files=1)
    return dataclasses.replace(options, inputs=(str(source),), recognisers=("date",))


@some(*STORES)
def test_a_conditional_write_makes_one_object(store):
    storage, url = Storage(), f"{store}/once"
    assert storage.create_exclusively(url, b"one") is True
    assert storage.create_exclusively(url, b"two") is False
    assert storage.read_bytes(url) == b"one"
    storage.delete(url)
    assert storage.create_exclusively(url, b"three") is True


@some(moto, azurite)
def test_a_second_run_is_refused_while_the_first_works(store, options):
    there = dataclasses.replace(options, output=f"{store}/two")
    lock = f"{there.output}/restricted/LOCK"
    storage = Storage()
    with storage.locked(lock) as still_ours:
        still_ours()
        for action in (scrub, plan_and_freeze, resume):
            with pytest.raises(OutputBusy, match="another process is working on this output"):
                action(Storage(), there)
    assert not storage.exists(lock)
    scrub(Storage(), there)
    assert not storage.exists(lock)


@some(moto, azurite)
def test_a_run_whose_lock_was_taken_over_is_not_published(store, options, monkeypatch):
    there = dataclasses.replace(options, output=f"{store}/lost")
    storage = Storage()
    reconcile = work.reconcile

    def loses(plan, receipts):
        url = f"{there.output}/restricted/LOCK"
        holder = Holder.from_bytes(storage.read_bytes(url))
        storage.write_bytes(url, dataclasses.replace(holder, owner="0" * 32).to_bytes())
        return reconcile(plan, receipts)

    monkeypatch.setattr(work, "reconcile", loses)
    with pytest.raises(RunFailed, match="another process took it over"):
        scrub(storage, there)
    assert not storage.exists(f"{there.output}/_SUCCESS")


HOLDER = """
import sys
from scrubline.models.storage.storage import Storage
with Storage().locked(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


@some(moto, google, azurite)
def test_the_lock_of_a_killed_process_is_free_here_and_after_a_while_elsewhere(
    store, caplog, monkeypatch
):
    if store.startswith("memory"):
        pytest.skip("no process sees the memory of another one")
    url = f"{store}/killed/restricted/LOCK"
    child = subprocess.Popen(
        [sys.executable, "-c", HOLDER, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert child.stdout.readline() == b"held\n"
    storage = Storage()
    held = storage.read_bytes(url)
    with pytest.raises(OutputBusy), storage.locked(url):
        pass
    child.kill()
    child.communicate()
    with caplog.at_level(logging.WARNING), storage.locked(url):
        assert "its holder is dead" in caplog.text
    # Of another machine, only its silence tells.
    elsewhere = {**json.loads(held), "machine": "elsewhere"}
    storage.write_bytes(url, json.dumps(elsewhere).encode())
    with (
        pytest.raises(OutputBusy, match="free 600 s after the last heartbeat"),
        storage.locked(url),
    ):
        pass
    # Whatever it says of its time: only the store's counts, by which it is new.
    for beat in (math.nan, math.inf, 0.0, elsewhere["beat"] - 1e6, elsewhere["beat"] + 1e6):
        storage.write_bytes(url, json.dumps({**elsewhere, "beat": beat}).encode())
        with pytest.raises(OutputBusy, match=r"last heartbeat was \d+ s ago"), storage.locked(url):
            pass
    written_long_ago(monkeypatch, url)
    with caplog.at_level(logging.WARNING), storage.locked(url) as still_ours:
        still_ours()
        silence = re.search(r"has written no heartbeat for (\d+)", caplog.text)
        assert int(silence[1]) >= LEASE_SECONDS
    assert storage.list_names(f"{store}/killed") == []


def written_long_ago(monkeypatch, lock):
    """Lets the store tell of a lock that it was last written 600 s before all else."""
    modified = Storage.modified

    def shifted(self, url):
        return modified(self, url) - (LEASE_SECONDS if url == lock else 0)

    monkeypatch.setattr(Storage, "modified", shifted)


@some(*STORES)
def test_a_store_tells_when_an_object_was_written(store):
    storage, url = Storage(), f"{store}/when"
    before = time.time()
    storage.write_bytes(url, b"one")
    first = storage.modified(url)
    # Servers on this machine have its clock; some tell whole seconds.
    assert before - 2 < first < time.time() + 2

    def written_later():
        storage.write_bytes(url, b"two")
        return storage.modified(url) > first

    wait_until(written_later, "the time of what is written anew has changed")
    with pytest.raises(FileNotFoundError):
        storage.modified(f"{store}/none")


@some(moto)
def test_a_store_without_conditional_writes_is_told_once(store, options, monkeypatch, caplog):
    monkeypatch.setattr(Storage, "create_exclusively", lambda self, url, data: None)
    locks.warn_unlocked.cache_clear()
    there = dataclasses.replace(options, output=f"{store}/unlocked")
    scrub(Storage(), there)
    scrub(Storage(), there)
    assert caplog.text.count("supports no conditional writes") == 1


@some(*STORES)
def test_a_holder_is_believed_where_the_store_seems_not_to_decide(store, monkeypatch):
    url, storage = f"{store}/throttled/restricted/LOCK", Storage()
    with storage.locked(url):
        held = json.loads(storage.read_bytes(url))
    monkeypatch.setattr(Storage, "create_exclusively", lambda self, url, data: None)
    elsewhere = {**held, "machine": "elsewhere"}
    storage.write_bytes(url, json.dumps(elsewhere).encode())
    with pytest.raises(OutputBusy, match="last heartbeat"), storage.locked(url):
        pass
    written_long_ago(monkeypatch, url)
    with storage.locked(url):
        pass


@some(*STORES)
@pytest.mark.parametrize("plain_writes", [True, False])
def test_a_store_that_is_slow_is_not_taken_for_one_without_conditional_writes(
    store, monkeypatch, plain_writes
):
    fs, _ = filesystem(store)
    real = fs.pipe_file

    def pipe_file(path, data, mode="overwrite", **more):
        if mode == "create" or not plain_writes:
            raise OSError(errno.EBUSY, "slow down")
        return real(path, data, mode=mode, **more)

    monkeypatch.setattr(fs, "pipe_file", pipe_file)
    storage = Storage(sleep=lambda seconds: None)
    if plain_writes:
        assert storage.create_exclusively(f"{store}/slow", b"one") is None
        assert storage.list_names(f"{store}/slow") == []
    else:
        with pytest.raises(StorageError, match="EBUSY after 6 tries"):
            storage.create_exclusively(f"{store}/slow", b"one")
