"""File systems: which one a URL leads to, what its kind can do, renames that last."""

from __future__ import annotations

from typing import Any

import fsspec
from fsspec.core import split_protocol, url_to_fs
from fsspec.implementations.local import LocalFileSystem
from fsspec.registry import known_implementations

from .errors import UsageError
from .places import local_path, names_a_host
from .shortage import raise_shortage

OBJECT_STORES = frozenset(
    {"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oss", "oci", "memory"}
)
"""Protocols whose put of a whole object is atomic. Beside them, only local files are written."""

CONDITIONAL = frozenset({"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "memory"})
"""Protocols whose file systems are asked for a conditional put; whether the store does it shows."""

NO_HOST = (
    "a file:// URL names a host, or a relative path: expected file:///absolute/path "
    "(file://localhost/absolute/path is the same), or the path alone"
)

ARCHIVES = frozenset({"zip", "tar", "libarchive"})
"""Kinds of fsspec that look into an archive; archives are formats here, and read as a whole."""

NO_PLACES = frozenset({"data", "generic", "reference", "dir"})
"""Kinds of fsspec that have no files of their own."""


def filesystem(url: str) -> tuple[Any, str]:
    """The filesystem, of which fsspec keeps one a process and thread, and the path in it.

    A local path is absolute and without `..`, see `places`.

    Raises:
        UsageError: if the URL leads to no place of files; it is not repeated.
    """
    if names_a_host(url):
        raise UsageError(NO_HOST)
    if split_protocol(url)[0] in NO_PLACES:
        raise UsageError(
            "a URL of this kind holds or makes its content itself and is no place of files; "
            "expected a path, or a URL of a file, a folder or a glob"
        )
    if split_protocol(url)[0] in ARCHIVES:
        raise UsageError(
            "a URL that leads into an archive is not taken: name the .zip itself (or the .tar), "
            "whose members are read as documents"
        )
    # "::" chains protocols only where another one follows; elsewhere it is part of a name.
    chained = "::" in url and "://" in url.rpartition("::")[2]
    try:
        kind = fsspec.get_filesystem_class(split_protocol(url)[0] or "file")
    except (ValueError, ImportError) as error:
        # A URL may hold a name anywhere: only a kind that exists is repeated.
        protocol = split_protocol(url)[0]
        kind_of = f"the kind {protocol}://" if protocol in known_implementations else "this kind"
        raise UsageError(
            f"storage of {kind_of} is unknown or not installed "
            f"({type(error).__name__}); see the extras s3, gcs and azure"
        ) from None
    if chained or "::" not in url:
        fs, path = _reached(url)
    else:
        fs = kind(**kind._get_kwargs_from_urls(url), use_listings_cache=False)
        path = kind._strip_protocol(url)
    if isinstance(fs, LocalFileSystem):
        path = local_path(url) or path
    return fs, str(path)


def _reached(url: str) -> tuple[Any, str]:
    """What fsspec makes of a URL; some kinds ask for their server by this."""
    problem = ""
    try:
        found: tuple[Any, str] = url_to_fs(url, use_listings_cache=False)
        return found
    except OSError as error:
        raise_shortage(error)
        problem = type(error).__name__
    raise UsageError(
        f"storage of the kind {split_protocol(url)[0] or 'file'}:// cannot be reached ({problem})"
    )


def protocols(fs: Any) -> tuple[str, ...]:
    """What a filesystem is called in URLs; the first is its own name."""
    return (fs.protocol,) if isinstance(fs.protocol, str) else tuple(fs.protocol)
