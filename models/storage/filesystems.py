"""File systems: which one a URL leads to, and what its kind can do."""

from __future__ import annotations

from typing import Any

import fsspec
from fsspec.core import split_protocol, url_to_fs
from fsspec.implementations.local import LocalFileSystem
from fsspec.registry import known_implementations

from ...dictionaries.files import NO_HOST, names_a_host
from ..core.errors import UsageError
from ..core.shortage import raise_shortage
from .places import SCHEMES, Scheme, local_path

ARCHIVES = frozenset({"zip", "tar", "libarchive"})
"""Kinds of fsspec that look into an archive; archives are formats here, and read as a whole."""

NO_PLACES = frozenset({"data", "generic", "reference", "dir"})
"""Kinds of fsspec that have no files of their own."""


_EXTRAS = {
    **dict.fromkeys(("s3", "s3a"), "s3"),
    **dict.fromkeys(("gs", "gcs"), "gcs"),
    **dict.fromkeys(("az", "abfs", "abfss", "adl"), "azure"),
}
"""Protocol of a store -> the extra that installs it."""


def filesystem(url: str) -> tuple[Any, str]:
    """The filesystem (fsspec keeps one per process and thread), and the path in it.

    A local path is absolute and without `..`, see `places`.

    Raises:
        UsageError: if the URL does not lead to files; the message does not repeat it.
    """
    if names_a_host(url):
        raise UsageError(NO_HOST)
    if split_protocol(url)[0] in NO_PLACES:
        raise UsageError(
            "a URL of this kind contains or generates its own content and leads to no files; "
            "expected a path, or a URL of a file, a folder or a glob"
        )
    if split_protocol(url)[0] in ARCHIVES:
        raise UsageError(
            "URLs that lead into an archive are not supported: name the .zip or .tar itself, whose "
            "members are read as documents"
        )
    # "::" chains protocols only where another one follows; elsewhere it is part of a name.
    chained = "::" in url and "://" in url.rpartition("::")[2]
    try:
        kind = fsspec.get_filesystem_class(split_protocol(url)[0] or "file")
    except (ValueError, ImportError) as error:
        # A URL may contain a name anywhere: the message repeats only a kind that exists.
        protocol = split_protocol(url)[0]
        kind_of = f"the kind {protocol}://" if protocol in known_implementations else "this kind"
        how = (
            f"install it with: pip install 'scrubline[{_EXTRAS[protocol]}]'"
            if protocol in _EXTRAS
            else "for s3://, gs:// and az:// install scrubline[s3], scrubline[gcs] or "
            "scrubline[azure]"
        )
        raise UsageError(
            f"storage of {kind_of} is unknown or not installed ({type(error).__name__}); {how}"
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
    """The filesystem and path that fsspec finds; some kinds connect to their server for this."""
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


def scheme_of(fs: Any) -> Scheme:
    """The scheme of a filesystem; one of an unknown scheme is neither written nor locked."""
    known = [SCHEMES[name] for name in protocols(fs) if name in SCHEMES]
    return known[0] if known else Scheme(protocols(fs)[0])
