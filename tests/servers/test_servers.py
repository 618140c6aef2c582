"""The S3 servers of the tests do what our storage code asks of S3."""

import contextlib
import importlib.util
import itertools
import os
import platform
import socket
import subprocess
import sys
from pathlib import Path

import fsspec
import pytest

from ..waiting import GUARD_SECONDS
from . import s3_swift as swift_module
from .s3_moto import s3_moto
from .s3_server import Unavailable
from .s3_swift import SwiftServer, s3_swift

pytestmark = pytest.mark.slow

MEGABYTE = 1 << 20
ROOT = Path(__file__).resolve().parents[2]
NUMBERS = itertools.count()
SERVERS = {"moto": s3_moto, "swift": s3_swift}


@pytest.fixture(scope="module", params=SERVERS.values(), ids=SERVERS.keys())
def server(request):
    with contextlib.ExitStack() as running:
        try:
            yield running.enter_context(request.param())
        except Unavailable as error:
            pytest.skip(str(error))


@pytest.fixture
def bucket(server):
    """A file system and the name of a bucket of the test's own."""
    files = fsspec.filesystem("s3", **server.storage_options())
    name = f"bucket-{next(NUMBERS)}"
    files.mkdir(name)
    return files, name


def test_small_objects_round_trip(bucket):
    files, name = bucket
    for key, body in {"a.txt": b"one", "deep/er/b.bin": bytes(range(256)), "empty": b""}.items():
        files.pipe_file(f"{name}/{key}", body)
        assert files.cat_file(f"{name}/{key}") == body
        assert files.info(f"{name}/{key}")["size"] == len(body)


def test_a_second_put_wins(bucket):
    files, name = bucket
    for body in (b"first", b"the second"):
        files.pipe_file(f"{name}/key", body)
    assert files.cat_file(f"{name}/key") == b"the second"


def test_ranges_are_read(bucket):
    files, name = bucket
    files.pipe_file(f"{name}/key", b"0123456789")
    assert files.cat_file(f"{name}/key", start=3, end=7) == b"3456"
    assert files.cat_file(f"{name}/key", start=-2) == b"89"
    with files.open(f"{name}/key", "rb", block_size=4) as stream:
        stream.seek(8)
        assert stream.read(100) == b"89"


def test_large_objects_go_up_in_parts(bucket):
    files, name = bucket
    body = os.urandom(MEGABYTE) * 6
    with files.open(f"{name}/large", "wb", block_size=5 * MEGABYTE) as stream:
        for begin in range(0, len(body), MEGABYTE):
            stream.write(body[begin : begin + MEGABYTE])
    assert files.info(f"{name}/large")["size"] == 6 * MEGABYTE
    # S3 marks an object of several parts by their number after the hash.
    assert files.info(f"{name}/large")["ETag"].strip('"').endswith("-2")
    edge = 5 * MEGABYTE
    assert (
        files.cat_file(f"{name}/large", start=edge - 9, end=edge + 9) == body[edge - 9 : edge + 9]
    )
    assert files.cat_file(f"{name}/large") == body


def test_copies_are_made_by_the_server(bucket):
    files, name = bucket
    files.pipe_file(f"{name}/from", b"body")
    files.copy(f"{name}/from", f"{name}/some/where")
    files.rm(f"{name}/from")
    assert files.cat_file(f"{name}/some/where") == b"body"


def test_listings_are_complete_and_sorted(bucket):
    files, name = bucket
    keys = [f"{name}/day={day}/part-{part}" for day in (1, 2) for part in range(3)]
    for key in reversed(keys):
        files.pipe_file(key, b"x")
    files.invalidate_cache()
    assert files.find(name) == keys
    assert files.ls(name, detail=False) == [f"{name}/day=1", f"{name}/day=2"]
    assert files.glob(f"{name}/day=*/part-1") == [keys[1], keys[4]]


def test_deleting_a_folder_leaves_its_neighbours(bucket):
    files, name = bucket
    for key in ("a/1", "a/b/2", "ab"):
        files.pipe_file(f"{name}/{key}", b"x")
    files.rm(f"{name}/a", recursive=True)
    files.invalidate_cache()
    assert files.find(name) == [f"{name}/ab"]
    files.rm(name, recursive=True)
    files.invalidate_cache()
    assert not files.exists(name)


def test_what_is_not_there_is_not_found(bucket):
    files, name = bucket
    with pytest.raises(FileNotFoundError):
        files.cat_file(f"{name}/nothing")


def test_wrong_secrets_are_refused(server):
    if not isinstance(server, SwiftServer):
        pytest.skip("moto takes any credentials")
    options = server.storage_options() | {"secret": "wrong"}
    with pytest.raises((PermissionError, OSError)):
        fsspec.filesystem("s3", **options).mkdir("bucket-refused")


def test_swift_starts_anew_and_leaves_nothing_behind(monkeypatch, tmp_path):
    await_ready, ports_tried = swift_module._await_ready, []

    def fail_once(folder, processes, ports):
        ports_tried.append(ports)
        if len(ports_tried) == 1:
            raise swift_module._EndedEarly("as if another program had taken a port")
        await_ready(folder, processes, ports)

    monkeypatch.setattr(swift_module, "_await_ready", fail_once)
    try:
        with s3_swift(tmp_path) as server:
            # A port may really be taken meanwhile: then more tries fail than the one made to.
            assert len(ports_tried) > 1
            assert server.endpoint == f"http://127.0.0.1:{ports_tried[-1]['proxy']}"
            assert server.folder.parent == tmp_path
            assert len({os.getpgid(pid) for pid in server.pids}) == 4
    except Unavailable as error:
        pytest.skip(str(error))
    assert list(tmp_path.iterdir()) == []
    for pid in server.pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    for port in ports_tried[-1].values():
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), timeout=GUARD_SECONDS)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_swift_runs_as_another_user():
    try:
        with s3_swift(user="nobody") as server:
            owners = {os.stat(f"/proc/{pid}").st_uid for pid in server.pids}
            files = fsspec.filesystem("s3", **server.storage_options())
            files.mkdir("bucket")
            files.pipe_file("bucket/key", b"x")
            assert files.cat_file("bucket/key") == b"x"
    except Unavailable as error:
        pytest.skip(str(error))
    assert 0 not in owners
    assert len(owners) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_user_who_may_not_run_python_is_said(monkeypatch, tmp_path):
    pytest.importorskip("swift")
    monkeypatch.setattr(os, "setxattr", lambda *_: None, raising=False)
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(python))
    with pytest.raises(Unavailable, match="may not run this Python"), s3_swift(user="nobody"):
        pass


# A fork runs the handlers of all libraries, of which gRPC's crash now and then; a vfork runs none.
START_WITHOUT_A_FORK = """
import ctypes, pathlib, sys
from tests.servers.s3_swift import Unavailable, s3_swift
libc = ctypes.CDLL(None)
libc.__register_atfork(libc.abort, None, None, None)
try:
    with s3_swift(pathlib.Path(sys.argv[1])):
        pass
except Unavailable as error:
    print(error)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc tells of forks")
def test_swift_starts_without_a_fork(tmp_path):
    command = [sys.executable, "-c", START_WITHOUT_A_FORK, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    if done.stdout:
        pytest.skip(done.stdout.strip())


@pytest.mark.parametrize(
    ("user", "reason"), [("no-such-user", "no login name"), (None, "extended attributes")]
)
def test_what_is_missing_is_said(monkeypatch, tmp_path, user, reason):
    pytest.importorskip("swift")

    def refuse(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "setxattr", refuse, raising=False)
    with pytest.raises(Unavailable, match=reason), s3_swift(tmp_path, user=user):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="Swift runs on Linux only")
@pytest.mark.parametrize("package", ["moto", "swift", "pyeclib"])
def test_what_the_servers_need_is_installed_with_the_tests(package):
    """Without them the tests above would skip, and nobody would notice."""
    assert importlib.util.find_spec(package) is not None
