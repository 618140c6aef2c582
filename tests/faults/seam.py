"""Faults at the seam of storage: of an object store's client, and of `Storage` itself.

Rules are written as those of `shim.c`, and counted the same way: in a file that all processes of a
combination share. Operations of the client are asked for below the retries of `Storage`, those of
`Storage` above them. An answer is given in the words that client or storage would use, and names
the file, as their errors do.

A process is made faulty by `install`, which the zygote calls in its forks; where Python starts in
the common way, a `sitecustomize` can (see `tests/pipeline/hostile_site`).
"""

from __future__ import annotations

import asyncio
import dataclasses
import datetime as dt
import fcntl
import functools
import inspect
import mmap
import os
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

RULES = 256

CLIENT = {
    "s3.head": "_info",
    "s3.list": "_lsdir",
    "s3.get": "_cat_file",
    "s3.range": "_cat_file",
    "s3.put": "_pipe_file",
    "s3.conditional": "_pipe_file",
    "s3.copy": "_cp_file",
    "s3.delete": "_rm_file",
    "s3.clear": "_rm",
}
"""Operation -> the method of `s3fs.S3FileSystem` that asks the store for it.

A listing is asked for by `_lsdir`, below `find`, `ls` and the deletion of a folder: the class binds
`find` to its own `_find` before a hook could take that one's place.
"""

STORAGE = ("list_sizes", "read_bytes", "write_bytes", "move", "delete", "exists", "open_read")
"""Methods of `Storage` that may fail for good, as `storage.NAME`."""


@dataclasses.dataclass(frozen=True)
class Rule:
    """One line: the fields of `shim.c`."""

    op: str
    answer: str
    value: int
    first: int
    times: int
    role: str
    place: str

    @classmethod
    def parse(cls, line: str) -> Rule:
        """Reads a line."""
        op, answer, value, first, times, role, place = line.split(",", 6)
        return cls(op, answer, int(value), int(first), int(times), role, place)


class Judge:
    """Decides what becomes of each operation of this process."""

    def __init__(self, text: str, role: str) -> None:
        counters, *lines = text.splitlines()
        self._rules = [Rule.parse(line) for line in lines]
        self._role = role
        self._file = os.open(counters, os.O_RDWR | os.O_CREAT, 0o600)
        os.ftruncate(self._file, 8 * RULES)
        self._counters = mmap.mmap(self._file, 8 * RULES)

    def of(self, op: str, path: str) -> Rule | None:
        """The rule by which an operation is answered; None for as it should be."""
        found = None
        for index, rule in enumerate(self._rules):
            if rule.op != op or rule.role not in ("a", self._role):
                continue
            if not path.startswith(rule.place):
                continue
            seen = self._count(index)
            if rule.answer != "none" and 0 <= seen - rule.first < rule.times:
                self._count(RULES + index)
                found = found or rule
        return found

    def _count(self, at: int) -> int:
        """Adds one to a counter; gives the sum."""
        fcntl.lockf(self._file, fcntl.LOCK_EX, 4, 4 * at)
        try:
            (value,) = struct.unpack_from("I", self._counters, 4 * at)
            struct.pack_into("I", self._counters, 4 * at, value + 1)
        finally:
            fcntl.lockf(self._file, fcntl.LOCK_UN, 4, 4 * at)
        return int(value) + 1


def counted(counters: Path) -> tuple[list[int], list[int]]:
    """How often each rule of a counters file was asked, and how often it answered."""
    data = counters.read_bytes() if counters.exists() else bytes(8 * RULES)
    values = struct.unpack(f"{2 * RULES}I", data)
    return list(values[:RULES]), list(values[RULES:])


def install(text: str, role: str) -> None:
    """Makes this process faulty."""
    judge = Judge(text, role)
    import s3fs
    from scrubline.models.storage.storage import Storage

    for name in set(CLIENT.values()):
        real = getattr(s3fs.S3FileSystem, name)
        setattr(s3fs.S3FileSystem, name, _of_client(judge, name, real))
    for name in STORAGE:
        setattr(Storage, name, _of_storage(judge, name, getattr(Storage, name)))


def _operation(name: str, path: str, arguments: dict[str, Any]) -> str:
    if name == "_cat_file":
        return "s3.range" if arguments.get("start") is not None else "s3.get"
    if name == "_pipe_file":
        return "s3.conditional" if arguments.get("mode") == "create" else "s3.put"
    return next(op for op, one in CLIENT.items() if one == name)


def _error(number: int, path: str) -> OSError:
    return OSError(number, os.strerror(number), path)


def _of_client(judge: Judge, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(real)

    @functools.wraps(real)
    async def method(*given: Any, **named: Any) -> Any:
        arguments = signature.bind(*given, **named).arguments
        arguments |= arguments.pop("kwargs", {})
        paths = [str(one) for key, one in arguments.items() if key in ("path", "path1", "path2")]
        path = paths[-1] if paths else ""
        rule = judge.of(_operation(name, path, arguments), path)
        if rule is None:
            return await real(*given, **named)
        if rule.answer == "error":
            raise _error(rule.value, path)
        if rule.answer == "slow":
            await asyncio.sleep(rule.value / 1000)
        result = await real(*given, **named)
        if rule.answer == "late":
            raise _error(rule.value, path)
        return _lie(rule, result)

    return method


def _lie(rule: Rule, result: Any) -> Any:
    """A result as a store gives it that is wrong about it."""
    if rule.answer == "short":
        return result[: len(result) // 2]
    if rule.answer == "flip" and result:
        changed = bytearray(result)
        changed[len(changed) // 2] ^= 1
        return bytes(changed)
    if rule.answer == "omit":
        if isinstance(result, list):
            return sorted(result, key=_name)[1:]
        first = sorted(result)[:1]
        return {name: info for name, info in result.items() if name not in first}
    if rule.answer == "double":
        return result + [_again(info) for info in sorted(result, key=_name)[-1:]]
    if rule.answer in ("size", "etag", "time"):
        if isinstance(result, list):
            return [_another(rule, info) for info in result]
        return _another(rule, result)
    return result


def _name(info: dict[str, Any]) -> str:
    return str(info["name"])


def _again(info: dict[str, Any]) -> dict[str, Any]:
    return info | {"name": f"{info['name']}.again"}


def _another(rule: Rule, info: dict[str, Any]) -> dict[str, Any]:
    info = dict(info)
    if rule.answer == "size" and info.get("size"):
        info["size"] += rule.value
        info["Size"] = info["size"]
    if rule.answer == "etag" and "ETag" in info:
        info["ETag"] = '"00000000000000000000000000000000"'
    if rule.answer == "time" and "LastModified" in info:
        info["LastModified"] += dt.timedelta(seconds=rule.value)
    return info


def _of_storage(judge: Judge, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    from scrubline.models.core.errors import StorageError
    from scrubline.models.storage.retries import MissingFileError, StorageAccessError

    kinds = (StorageError, StorageAccessError, MissingFileError)

    @functools.wraps(real)
    def method(self: Any, url: str, *given: Any, **named: Any) -> Any:
        rule = judge.of(f"storage.{name}", url.removeprefix("file://").removeprefix("s3://"))
        if rule is None:
            return real(self, url, *given, **named)
        if rule.answer == "error":
            raise kinds[rule.value](f"cannot do it{self.named(url)}: storage failed")
        if rule.answer == "slow":
            time.sleep(rule.value / 1000)
        result = real(self, url, *given, **named)
        if rule.answer == "late":
            raise kinds[rule.value](f"cannot do it{self.named(url)}: storage failed")
        return _lie(rule, result)

    return method
