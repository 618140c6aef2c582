"""OpenStack Swift with its S3 API: a real object store of four processes, on disk.

One replica on one device, without the daemons that repair and expire. Every process listens on
loopback, on a free port, and is this interpreter's own child.
"""

from __future__ import annotations

import contextlib
import dataclasses
import http.client
import importlib.util
import json
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from ..waiting import GUARD_SECONDS
from .s3_server import S3Server, Unavailable

# The proxy comes last: it asks the others as soon as it serves.
_SERVERS = ("account", "container", "object", "proxy")
_MODULES = {
    "account": "swift.account.server",
    "container": "swift.container.server",
    "object": "swift.obj.server",
    "proxy": "swift.proxy.server",
}
_TRIES = 6
_STOP_S = 10.0

# Generous timeouts: the defaults (0.5 s to connect, 1 s for the listing) fail on a busy machine. An
# object whose listing update timed out would stay unlisted, as no updater runs here.
_DEFAULTS = """
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
bind_timeout = 1
workers = 0
user = {user}
swift_dir = {folder}
devices = {folder}/devices
mount_check = false
disable_fallocate = true
fallocate_reserve = 0
conn_timeout = {patience}
node_timeout = {patience}
container_update_timeout = 60
log_level = WARNING
"""

_STORAGE = """
[pipeline:main]
pipeline = healthcheck {name}-server
[app:{name}-server]
use = egg:swift#{name}
conn_timeout = {patience}
node_timeout = {patience}
container_update_timeout = 60
[filter:healthcheck]
use = egg:swift#healthcheck
"""

# No versioned_writes, which needs symlink after it, and no cache, which needs memcached.
_PROXY = """
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck listing_formats s3api tempauth copy bulk slo dlo \
proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
conn_timeout = {patience}
node_timeout = {patience}
error_suppression_limit = 1000000
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:healthcheck]
use = egg:swift#healthcheck
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:copy]
use = egg:swift#copy
[filter:bulk]
use = egg:swift#bulk
[filter:slo]
use = egg:swift#slo
[filter:dlo]
use = egg:swift#dlo
"""

# What `swift-ring-builder create, add, rebalance` do, for three rings in one process, not nine.
_BUILD_RINGS = """
import json, sys
from swift.common.ring import RingBuilder
for name, port in json.loads(sys.argv[1]).items():
    builder = RingBuilder(part_power=2, replicas=1, min_part_hours=0)
    builder.add_dev({
        "region": 1, "zone": 1, "weight": 1.0, "device": "d1", "meta": "",
        "ip": "127.0.0.1", "port": port, "replication_ip": "127.0.0.1", "replication_port": port,
    })
    builder.rebalance()
    builder.get_ring().save(f"{name}.ring.gz")
"""

# A test run that is killed cannot stop its servers: the kernel ends them with it (Linux only, as
# are the extended attributes that Swift needs).
_RUN = """
import ctypes, os, runpy, signal, sys
os.fsync = os.fdatasync = lambda file: None  # the power stays on
PR_SET_PDEATHSIG = 1
ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
"""

# What env(1) and shells end with if a program is there and may not be run.
_MAY_NOT_RUN = 126

# Popen's own `user` makes it fork where it else vforks, and a fork runs gRPC's handlers, which now
# and then crash the child while this process has open channels. So the child changes its user
# itself, and only then becomes the server.
_RUN_AS = f"""
import os, sys
user, group, *command = sys.argv[1:]
try:
    os.setgroups([])
    os.setgid(int(group))
    os.setuid(int(user))
    os.execv(command[0], command)
except PermissionError:
    sys.exit({_MAY_NOT_RUN})
"""


@dataclasses.dataclass(frozen=True)
class SwiftServer(S3Server):
    """A running store.

    Attributes:
        pids: of its four processes.
        folder: everything it keeps; removed when it stops.
    """

    pids: tuple[int, ...]
    folder: Path


class _EndedEarly(Exception):
    """A server ended before it was ready; the message is the end of its log."""


@contextlib.contextmanager
def s3_swift(parent: Path | None = None, user: str | None = None) -> Iterator[SwiftServer]:
    """Runs an empty store.

    Args:
        parent: folder in which a temporary one is made, on a file system with extended attributes;
            the system's temporary folder if None.
        user: login name that the processes run as; the current user if None. Another one needs
            root, and must be allowed to enter `parent` and to read this Python's packages.

    Raises:
        Unavailable: if this machine lacks something that Swift needs.
        RuntimeError: if it does not start although all is there, with the end of the log.
    """
    name = _login_name(user)
    folder = Path(tempfile.mkdtemp(prefix="swift-", dir=parent))
    processes: list[subprocess.Popen[bytes]] = []
    try:
        _require_all(folder)
        for attempt in range(1, _TRIES + 1):
            ports = dict(zip(_SERVERS, _free_ports(len(_SERVERS)), strict=True))
            _lay_out(folder, ports, name)
            try:
                processes.extend(_started(folder, server, name) for server in _SERVERS)
                _await_ready(folder, dict(zip(_SERVERS, processes, strict=True)), ports)
                break
            except _EndedEarly as error:
                # Between our choice of a port and its use another program may have taken it.
                _stop(processes)
                processes.clear()
                if attempt == _TRIES:
                    raise RuntimeError(f"Swift does not start: {error}") from None
        yield SwiftServer(
            endpoint=f"http://127.0.0.1:{ports['proxy']}",
            key="test:tester",
            secret="testing",
            pids=tuple(process.pid for process in processes),
            folder=folder,
        )
    finally:
        _stop(processes)
        shutil.rmtree(folder, ignore_errors=True)


def _login_name(user: str | None) -> str:
    try:
        wanted = pwd.getpwuid(os.geteuid()) if user is None else pwd.getpwnam(user)
    except KeyError:
        raise Unavailable("the user that Swift is to run as has no login name") from None
    if os.geteuid() not in (0, wanted.pw_uid):
        raise Unavailable("only root can run Swift as another user")
    return wanted.pw_name


def _require_all(folder: Path) -> None:
    for module in ("swift", "pyeclib", "xattr"):
        if importlib.util.find_spec(module) is None:
            raise Unavailable(f"the package {module} is not installed")
    if not hasattr(os, "setxattr"):
        raise Unavailable("this system has no extended attributes that Swift can use")
    try:
        # Swift keeps an object's metadata there; this much is the common case.
        os.setxattr(folder, "user.swift.metadata", b"x" * 1024)
    except OSError as error:
        raise Unavailable(
            f"no extended attributes in the temporary folder: {error.strerror}"
        ) from None


def _free_ports(count: int) -> list[int]:
    # All are held at once, so that no two are equal.
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def _lay_out(folder: Path, ports: dict[str, int], user: str) -> None:
    (folder / "devices" / "d1").mkdir(parents=True, exist_ok=True)
    (folder / "swift.conf").write_text(
        "[swift-hash]\nswift_hash_path_prefix = test\nswift_hash_path_suffix = test\n"
        "[storage-policy:0]\nname = default\ndefault = yes\n"
    )
    patience = int(GUARD_SECONDS)
    for server, port in ports.items():
        rest = (_PROXY if server == "proxy" else _STORAGE).format(name=server, patience=patience)
        defaults = _DEFAULTS.format(port=port, user=user, folder=folder, patience=patience)
        (folder / f"{server}-server.conf").write_text(defaults + rest)
    rings = json.dumps({server: port for server, port in ports.items() if server != "proxy"})
    subprocess.run(
        [sys.executable, "-c", _BUILD_RINGS, rings], cwd=folder, check=True, timeout=GUARD_SECONDS
    )
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            shutil.chown(path, user)


def _started(folder: Path, server: str, user: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", _RUN, _MODULES[server], f"{folder}/{server}-server.conf"]
    if os.geteuid() == 0:
        # Swift's own option `user` is followed only by servers that fork workers.
        wanted = pwd.getpwnam(user)
        become = [sys.executable, "-I", "-S", "-c", _RUN_AS, str(wanted.pw_uid), str(wanted.pw_gid)]
        command = become + command
    with (folder / f"{server}.log").open("wb") as log:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
        )


def _await_ready(
    folder: Path, processes: dict[str, subprocess.Popen[bytes]], ports: dict[str, int]
) -> None:
    deadline = time.monotonic() + GUARD_SECONDS
    for server, process in processes.items():
        while not _healthy(ports[server]):
            ended = process.poll()
            if ended == _MAY_NOT_RUN:
                raise Unavailable("the user that Swift is to run as may not run this Python")
            if ended is not None or time.monotonic() > deadline:
                why = "is not ready in time" if ended is None else f"ended with {ended}"
                log = (folder / f"{server}.log").read_text(errors="replace")
                raise _EndedEarly(f"the {server} server {why}: {log[-2000:]}")
            time.sleep(0.05)


def _healthy(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=GUARD_SECONDS)
    try:
        connection.request("GET", "/healthcheck")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _stop(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in reversed(processes):
        process.terminate()
    for process in processes:
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
