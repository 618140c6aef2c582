"""Places: what a URL or path leads to, whether two are the same, whether one lies in another.

Everything that compares places asks here, so that `/out`, `file:///out`, `local:///out`, a link to
it and `/x/../out` are one place to all of them, and so are `s3://b/k` and `s3a://b/k/`. Where two
readings of a URL are possible (`s3://b/x/../k`), both count: these answers are used to refuse, and
refusing too much does no harm.

A local `..` leads where the kernel leads it: after a link, to the folder above the one that the
link leads to. After a folder that does not exist it cancels the name before it, where the kernel
would find nothing; so a path means the same file before and after the folder is created. `Storage`
works only with these paths: what is looked up is what is read, written and deleted.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import posixpath
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from ...dictionaries.files import LOCAL_URL
from .paths import below

PRIVATE_FOLDERS = ("restricted", "_staging")
"""Folders of an output that are private to its owner."""


class Scheme(NamedTuple):
    """What the scheme of a URL says of an object store.

    Attributes:
        store: the scheme under which places of the store are compared.
        is_written: whether outputs are written there: a whole object is put in one atomic step.
            Of other schemes than those of object stores, only local files are written.
        is_conditional: whether its file system is asked for conditional puts. Whether the store
            honours them only shows when it is asked.
    """

    store: str
    is_written: bool = False
    is_conditional: bool = False


SCHEMES: Mapping[str, Scheme] = MappingProxyType(
    {
        "s3": Scheme("s3", True, True),
        "s3a": Scheme("s3", True, True),
        "s3n": Scheme("s3"),
        "gs": Scheme("gs", True, True),
        "gcs": Scheme("gs", True, True),
        "az": Scheme("az", True, True),
        "abfs": Scheme("az", True, True),
        "abfss": Scheme("az", True, True),
        "adl": Scheme("az", True),
        "wasb": Scheme("az"),
        "wasbs": Scheme("az"),
        "oss": Scheme("oss", True),
        "oci": Scheme("oci", True),
        "memory": Scheme("memory", True, True),
    }
)
"""The schemes of object stores."""

_OURS = re.compile(
    r"(?P<root>.*?)/(?:restricted|_staging)"
    r"(?:/(?:LOCK[^/]*|catalogue\.parquet|units\.parquet|[0-9a-f]{16}(?:/.*)?))?"
)
"""A private file or folder of an output; the root is as short as can be."""


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Place:
    """Where a URL leads.

    Attributes:
        store: "" for local files, else `Scheme.store`, or an unknown scheme itself.
        account: of Azure, where the URL says it; else "".
        paths: readings of the path, without slashes at either end; a local one is real: links and
            `..` are followed.
    """

    store: str
    account: str
    paths: tuple[str, ...]


def local_path(url: str) -> str | None:
    """The absolute local path that a URL or path means, as fsspec reads it; None for a store."""
    url = _unchained(url)
    if not url.startswith("/") and not LOCAL_URL.match(url) and "://" in url:
        return None
    path = LOCAL_URL.sub("", url, count=1)
    return _without_dots(_as_fsspec_reads(path))


def leads_out(url: str, root: str) -> bool:
    """Whether a name below a root, as it is written, holds a `..`.

    Args:
        root: URL or path; "" if it is not known.
    """
    if not root:
        return False
    names = [below(url, root)]
    if (path := local_path(root)) is not None:
        names.append(below(_as_fsspec_reads(url), path))
    return any(name is not None and ".." in name.split("/") for name in names)


def _as_fsspec_reads(path: str) -> str:
    from fsspec.implementations.local import LocalFileSystem  # the command line starts without it

    return str(LocalFileSystem._strip_protocol(path))


def _without_dots(path: str) -> str:
    """An absolute path with its `..` followed; names after the last one stay as they are."""
    parts = path.split("/")
    count = len(parts) - parts[::-1].index("..") if ".." in parts else 0
    folder, below = "/".join(parts[:count]), parts[count:]
    if count:
        with contextlib.suppress(ValueError):  # a NUL, which no name holds: opening refuses it
            folder = os.path.realpath(folder)
    return re.sub("^/+", "/", os.path.normpath("/".join([folder, *below])))


def place_of(url: str) -> Place:
    """Where a URL or path leads, as it is now."""
    path = local_path(url)
    if path is not None:
        return Place("", "", (os.path.realpath(path).strip("/"),))
    scheme, _, rest = _unchained(url).partition("://")
    scheme = scheme.lower()
    store = SCHEMES[scheme].store if scheme in SCHEMES else scheme
    account = ""
    if store == "az":
        rest, account = _without_account(rest)
    literal = re.sub("/+", "/", rest).strip("/")
    resolved = posixpath.normpath(f"/{literal}").strip("/")
    return Place(store, account, tuple(dict.fromkeys((literal, resolved))))


def _unchained(url: str) -> str:
    """The place that a chain of protocols ends at; elsewhere `::` is part of a name."""
    last = url.rpartition("::")[2]
    return last if "://" in last and not url.startswith("/") else url


def _without_account(rest: str) -> tuple[str, str]:
    """`container@account.dfs.core.windows.net/key` as `container/key` and the account."""
    head, slash, key = rest.partition("/")
    container, at, host = head.partition("@")
    return (f"{container}{slash}{key}", host.partition(".")[0]) if at else (rest, "")


def folders_above(url: str) -> list[str]:
    """The folders in which a place lies, nearest first: local ones by their real path.

    Of a store, its bucket or container is the last.
    """
    if local_path(url) is not None:
        (path,) = place_of(url).paths
        parts = path.split("/") if path else []
        return ["/" + "/".join(parts[:count]) for count in range(len(parts) - 1, -1, -1)]
    head, _, rest = url.partition("://")
    parts = [part for part in rest.split("/") if part]
    return [f"{head}://" + "/".join(parts[:count]) for count in range(len(parts) - 1, 0, -1)]


def is_inside(inner: str, outer: str) -> bool:
    """Whether one place is the other, or lies in it."""
    low, high = place_of(inner), place_of(outer)
    if low.store != high.store:
        return False
    if low.account and high.account and low.account != high.account:
        return False
    if any(_is_below(a, b) for a in low.paths for b in high.paths):
        return True
    return not low.store and _shares_a_folder(f"/{low.paths[0]}", f"/{high.paths[0]}")


def is_same(left: str, right: str) -> bool:
    """Whether two URLs lead to the same place."""
    return is_inside(left, right) and is_inside(right, left)


def any_inside(urls: Iterable[str], outer: str) -> bool:
    """Whether any file lies in a place; files of one folder are looked up once."""
    known: dict[str, bool] = {}
    names = {path.rpartition("/")[2] for path in place_of(outer).paths}
    for url in urls:
        folder, _, name = url.rpartition("/")
        linked = local_path(url)
        if not folder or not name or (linked is not None and os.path.islink(linked)):
            folder = url
        if folder not in known:
            known[folder] = is_inside(folder, outer)
        if known[folder] or (name in names and is_same(url, outer)):
            return True
    return False


def _is_below(inner: str, outer: str) -> bool:
    return not outer or f"{inner}/".startswith(f"{outer}/")


def _shares_a_folder(inner: str, outer: str) -> bool:
    """Whether a folder above a real path is the other: by a bind mount, or in another case."""
    try:
        wanted = os.stat(outer)
    except OSError:
        return False
    while True:
        try:
            if os.path.samestat(os.stat(inner), wanted):
                return True
        except OSError:
            pass  # it does not exist yet, or may not be read
        if inner == "/":
            return False
        inner = os.path.dirname(inner)


def is_private(path: str, root: str) -> bool:
    """Whether a local path is private to its owner: it belongs to `restricted/` or `_staging/`.

    Args:
        path: absolute.
        root: of the output, absolute; "" if that is not known: the names then have to be those
            that a run gives.
    """
    if root and (name := below(path, root)) is not None:
        return name.partition("/")[0] in PRIVATE_FOLDERS
    return _OURS.fullmatch(path) is not None


def trusted_part(path: str, root: str) -> str:
    """The beginning of a local path that its user named; what comes after it, a run made.

    Links are followed in the one and refused in the other.

    Args:
        path: absolute, of a file.
        root: see `is_private`.
    """
    if root and below(path, root) is not None:
        return root
    found = _OURS.fullmatch(path)
    return (found["root"] or "/") if found else os.path.dirname(path)
