"""Where a master key is kept: a file anywhere, or an environment variable.

It is read on the machine that needs it; it never travels in an option, a plan or a log.
"""

from __future__ import annotations

import functools
import logging
import os
import shlex
import stat
from collections.abc import Callable

from ..core.errors import StorageError, UsageError
from ..core.keys import PREFIX, Keys, key_bytes
from ..core.shortage import raise_shortage
from .places import local_path

_log = logging.getLogger(__name__)

ENVIRONMENT = "SCRUBLINE_KEY"


def warn_if_open(source: str) -> None:
    """Warns, once a process, if others on this machine can read or change a local key file.

    Args:
        source: as for `load_keys`.
    """
    path = None if source.startswith("env:") else local_path(source)
    if path is None:
        return
    try:
        found = stat.S_IMODE(os.stat(path).st_mode) & 0o077
    except OSError:
        return  # `load_keys` says what is wrong with it
    if found:
        _warn_open(path)


@functools.cache
def _warn_open(path: str) -> None:
    _log.warning(
        "other users of this machine can read or change the key file: close it with `chmod 600`; "
        "anyone who has read the key can compute the pseudonyms of known ids"
    )


def load_keys(source: str, read: Callable[[str], bytes], *, made_with: str | None = None) -> Keys:
    """Opens the master key.

    Args:
        source: URL of a key file, or "env:NAME" for an environment variable.
        read: reads the bytes of a URL.
        made_with: if only one key will do: the check value of the key that the output was made
            with, "" if it is not known.

    Raises:
        UsageError: if there is no key, or it is not a key; the message says what to do and never
            shows the content.
    """
    how = (
        "name it with --key-file. If there is none yet, create one with `scrubline key new "
        "--output KEYFILE`, and keep it: without it, keys and ids can never be joined again"
    )
    if made_with is not None:
        value = f" (check value {made_with})" if made_with else ""
        how = (
            f"use the key that this output was made with{value}, with --key-file if it has moved; "
            "a new key does not work"
        )
    if source.startswith("env:"):
        name = source[4:]
        text = os.environ.get(name, "")
        if not text:
            raise UsageError(
                f"no master key: the environment variable {name} is empty or not set; {how}"
            )
    else:
        try:
            text = read(source).decode("ascii", "replace")
        except FileNotFoundError:
            why = "no master key: the key file"
            if made_with is None:
                # A second key is worse than none: nothing joins what the first one made.
                how = (
                    "if there is one, say where it is with --key-file (a relative path begins in "
                    f"the current folder), since a new key changes every doc_key; else {how}"
                )
            raise UsageError(
                f"{why} does not exist; {how}",
                on_terminal=f"{why} {shlex.quote(source)} does not exist; {how}",
            ) from None
        except StorageError as error:
            raise error.within("the key file") from None
        except (OSError, ValueError) as error:
            raise_shortage(error)
            raise UsageError(
                f"the key file cannot be read ({type(error).__name__}); {how}"
            ) from None
    try:
        return Keys(key_bytes(text))
    except (ValueError, UsageError):
        raise UsageError(f"this is not a master key (expected {PREFIX}...); {how}") from None
