"""Places: what a URL or path leads to, whether two are the same, whether one lies in another.

Everything that compares places asks here, so that `/out`, `file:///out`, `local:///out`, a link to
it and `/x/../out` are one place to all of them, and so are `s3://b/k` and `s3a://b/k/`. Where two
readings of a URL are possible (`s3://b/x/../k`), both count: these answers refuse, and to refuse
too much does no harm.

A local `..` leads where the kernel leads it: behind a link, to the folder above the one that the
link leads to. Behind a folder that is not there it takes the name before it back, where the kernel
would find nothing; so a path means one file before and after the folder is made. `Storage` works
with these paths alone: what is looked up is what is read, written and deleted.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import posixpath
import re
from collections.abc import Iterable

from fsspec.implementations.local import LocalFileSystem

from ..dictionaries.files import LOCAL_URL

PRIVATE_FOLDERS = ("restricted", "_staging")
"""Of an output: for their owner alone."""

_HOST = re.compile(r"(?:file|local)://(?!/|localhost/)", re.IGNORECASE)

_SCHEMES = {
    "s3a": "s3",
    "s3n": "s3",
    "gcs": "gs",
    "abfs": "az",
    "abfss": "az",
    "wasb": "az",
    "wasbs": "az",
    "adl": "az",
}
"""Names of one store."""

_OURS = re.compile(
    r"(?P<root>.*?)/(?:restricted|_staging)"
    r"(?:/(?:LOCK[^/]*|catalogue\.parquet|units\.parquet|[0-9a-f]{16}(?:/.*)?))?"
)
"""A private file or folder of an output; the root is as short as can be."""


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Place:
    """Where a URL leads.

    Attributes:
        store: "" for local files, else the scheme, as `_SCHEMES` names it.
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
    return _without_dots(str(LocalFileSystem._strip_protocol(path)))


def names_a_host(url: str) -> bool:
    """Whether a URL of a local file has something other than this machine before its path."""
    return _HOST.match(url) is not None


def leads_out(url: str, root: str) -> bool:
    """Whether a name below a root, as it is written, holds a `..`.

    Args:
        root: URL or path; "" if it is not known.
    """
    if not root:
        return False
    written = [(url, root.rstrip("/"))]
    if (path := local_path(root)) is not None:
        written.append((str(LocalFileSystem._strip_protocol(url)), path.rstrip("/")))
    return any(
        one.startswith(f"{above}/") and ".." in one[len(above) :].split("/")
        for one, above in written
    )


def _without_dots(path: str) -> str:
    """An absolute path with its `..` followed; names behind the last one stay as they are."""
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
    store = _SCHEMES.get(scheme.lower(), scheme.lower())
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
    one, other = place_of(inner), place_of(outer)
    if one.store != other.store:
        return False
    if one.account and other.account and one.account != other.account:
        return False
    if any(_below(a, b) for a in one.paths for b in other.paths):
        return True
    return not one.store and _shares_a_folder(f"/{one.paths[0]}", f"/{other.paths[0]}")


def is_same(one: str, other: str) -> bool:
    """Whether two URLs lead to one place."""
    return is_inside(one, other) and is_inside(other, one)


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


def _below(inner: str, outer: str) -> bool:
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
            pass  # it is not there yet, or may not be looked at
        if inner == "/":
            return False
        inner = os.path.dirname(inner)


def is_private(path: str, root: str) -> bool:
    """Whether a local path is for its owner alone: it belongs to `restricted/` or `_staging/`.

    Args:
        path: absolute.
        root: of the output, absolute; "" if that is not known: the names then have to be those
            that a run gives.
    """
    if root and path.startswith(f"{root}/"):
        return path[len(root) + 1 :].partition("/")[0] in PRIVATE_FOLDERS
    return _OURS.fullmatch(path) is not None


def trusted_part(path: str, root: str) -> str:
    """The beginning of a local path that its user named; what comes after it, a run made.

    Links are followed in the one and refused in the other.

    Args:
        path: absolute, of a file.
        root: see `is_private`.
    """
    if root and path.startswith(f"{root}/"):
        return root
    found = _OURS.fullmatch(path)
    return (found["root"] or "/") if found else os.path.dirname(path)
