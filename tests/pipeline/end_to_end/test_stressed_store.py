"""An object store that throttles, fails, cuts, lies and stalls: always the same content.

Each fault by itself before moto; all together before Swift too, which keeps its objects on a disk.
"""

import contextlib
import dataclasses

import fsspec
import pytest
from scrubline.models.core.errors import RunFailed
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.outputs.publishing import part_digest
from scrubline.pipeline.run import resume, scrub

from ...examples import rest
from ...servers.hostile_proxy import Fault, hostile_proxy
from ...servers.s3_moto import s3_moto
from ...servers.s3_server import Unavailable
from ...servers.s3_swift import s3_swift
from ...waiting import GUARD_SECONDS
from ..conftest import write_corpus
from .test_storage_digests import options_for

pytestmark = pytest.mark.slow

SERVERS = {"moto": s3_moto, "swift": s3_swift}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("corpus") / "in", notes=20, files=2)


@pytest.fixture(scope="module")
def store(request, corpus, tmp_path_factory):
    """A proxy before an S3 server that holds the corpus, and what a quiet run gives."""
    with contextlib.ExitStack() as stack:
        try:
            server = stack.enter_context(SERVERS[request.param]())
        except Unavailable as error:
            pytest.skip(str(error))
        proxy = stack.enter_context(hostile_proxy(server.endpoint))
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        for name, value in {**server.environment(), "AWS_ENDPOINT_URL": proxy.endpoint}.items():
            patch.setenv(name, value)
        # Few tries of the client's own: ours are meant. It waits for a busy machine.
        client = {"read_timeout": GUARD_SECONDS, "retries": {"max_attempts": 1}}
        patch.setitem(fsspec.config.conf, "s3", {"config_kwargs": client})
        patch.setattr(fsspec.get_filesystem_class("s3"), "retries", 1)
        clear = fsspec.get_filesystem_class("s3").clear_instance_cache
        clear()
        stack.callback(clear)
        fs = fsspec.filesystem("s3")
        fs.mkdir("stress")
        for file in sorted(corpus.iterdir()):
            fs.pipe_file(f"stress/in/{file.name}", file.read_bytes())
        folder = tmp_path_factory.mktemp("quiet")
        quiet = scrub(Storage(), options_for(folder, "s3://stress/in", "s3://stress/quiet"))
        yield proxy, quiet


@contextlib.contextmanager
def spoiling(proxy, share, *faults):
    proxy.spoiled.clear()
    proxy.faults, proxy.share = faults, share
    try:
        yield
    finally:
        proxy.faults = ()


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Waits between tries of our own are left out; those of the client's library are short."""
    root, tries, *_, sleep = Storage.__init__.__defaults__
    monkeypatch.setattr(Storage.__init__, "__defaults__", (root, tries, 0.01, 0.05, sleep))


def assert_as_quiet(manifest, quiet, options):
    assert manifest["content_digest"] == quiet["content_digest"]
    assert part_digest(manifest) == part_digest(quiet)
    assert manifest["counts"] == quiet["counts"]
    assert verify(Storage(), options.output, originals=True, key_source=None)[0] == []
    assert Storage().list_names(f"{options.output}/_staging") == []


on_moto = pytest.mark.parametrize("store", ["moto"], indirect=True)


@on_moto
@pytest.mark.parametrize(
    "fault",
    # All together are tried below, but those that stall.
    [one if one in (Fault.LOST, Fault.STALLED) else rest(one) for one in Fault],
    ids=lambda fault: fault.name.lower(),
)
def test_each_fault_is_outlasted(store, fault, tmp_path, monkeypatch):
    proxy, quiet = store
    share = 0.1
    if fault is Fault.STALLED:
        share = 0.02
        # The client hangs up by the clock alone. On a busy machine it may do so where nothing is
        # stalled, so ours are many tries here.
        client = fsspec.config.conf["s3"]["config_kwargs"] | {"read_timeout": 1}
        monkeypatch.setitem(fsspec.config.conf, "s3", {"config_kwargs": client})
        root, _, *rest = Storage.__init__.__defaults__
        monkeypatch.setattr(Storage.__init__, "__defaults__", (root, 100, *rest))
    options = options_for(tmp_path, "s3://stress/in", f"s3://stress/{fault.name.lower()}")
    with spoiling(proxy, share, fault):
        manifest = scrub(Storage(), options)
    assert proxy.spoiled[fault] > 0
    assert_as_quiet(manifest, quiet, options)


@pytest.mark.parametrize("store", ["moto", rest("swift")], indirect=True)
def test_all_faults_at_once_end_in_the_same_bytes_or_in_a_run_that_is_resumed(store, tmp_path):
    proxy, quiet = store
    options = options_for(tmp_path, "s3://stress/in", "s3://stress/all")
    faults = [fault for fault in Fault if fault is not Fault.STALLED]
    manifest, tries = None, 0
    with spoiling(proxy, 0.4, *faults):
        while manifest is None and tries < 20:
            tries += 1
            try:
                manifest = scrub(Storage(), options)
            except RunFailed as error:
                assert "part0" not in str(error)
    assert manifest is not None
    assert len(proxy.spoiled) == len(faults)
    assert_as_quiet(manifest, quiet, options)


@on_moto
def test_a_store_that_answers_nobody_fails_the_run_and_publishes_nothing(store, tmp_path):
    proxy, quiet = store
    options = options_for(tmp_path, "s3://stress/in", "s3://stress/down")
    half = dataclasses.replace(options)
    seen = 0

    def after_a_while(method, sent, drawn=proxy.draw):
        nonlocal seen
        seen += 1
        return Fault.THROTTLED if seen > 60 else drawn(method, sent)

    proxy.draw = after_a_while
    try:
        with pytest.raises(RunFailed) as raised:
            scrub(Storage(tries=2), half)
    finally:
        del proxy.draw
    assert "part0" not in str(raised.value)
    assert not Storage().exists(f"{options.output}/_SUCCESS")
    manifest = resume(Storage(), options)
    assert_as_quiet(manifest, quiet, options)


@on_moto
def test_a_part_larger_than_a_request_is_put_in_pieces_that_may_be_lost(store):
    proxy, _ = store
    # The client's library puts what is below twice 50 MB at once.
    content = bytes(range(251)) * 450_000
    waiting = iter([Fault.LOST, Fault.THROTTLED, Fault.FAILED])
    sizes = []

    def draw(method, sent):
        sizes.append(sent)
        return next(waiting, None) if method == "PUT" else None

    proxy.draw = draw
    try:
        Storage(root="s3://stress").write_bytes("s3://stress/large.bin", content)
    finally:
        del proxy.draw
    assert next(waiting, None) is None
    assert max(sizes) < len(content)
    assert Storage().read_bytes("s3://stress/large.bin") == content
