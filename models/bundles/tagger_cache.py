"""A cache of compiled taggers: flat files that the extension opens.

Compiling a large bundle takes seconds and several times its memory. So it is done once per machine,
see `core.kept_files`. The file is mapped while the extension builds its tables, then released.
"""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import Any

from ..core import kept_files
from ..core.code_hash import code_hash
from ..native import extension

LEAST_BYTES = 4_000_000
"""Smaller taggers compile so fast that a file is not worth it."""

MOST_FILES = 8

_SUFFIX = ".tagger"


def read(name: str) -> Any | None:
    """The value written under a name (tuples, numbers, strings, read-only arrays), or None."""
    return kept_files.read(name, _SUFFIX)


def write(name: str, value: Any) -> None:
    """Keeps a value for `read`, if it is large enough and there is a folder."""
    kept_files.write(name, _SUFFIX, value, most_files=MOST_FILES, least_bytes=LEAST_BYTES)


def is_kept(name: str) -> bool:
    """Whether a value was written under a name."""
    return kept_files.is_kept(name, _SUFFIX)


def name_of(bundle_hash: str, kind: str) -> str:
    """The name of a compiled tagger: a hash of the bundle's bytes and of all code that compiles."""
    decisive = (bundle_hash, kind, code_hash(), _library_hash())
    return hashlib.sha256(" ".join(decisive).encode()).hexdigest()


@functools.cache
def _library_hash() -> str:
    native = extension()
    library = b"" if native is None else Path(str(native.__file__)).read_bytes()
    return hashlib.sha256(library).hexdigest()
