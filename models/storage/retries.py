"""Retries: which faults of storage deserve one, how long to wait, what a message may say."""

from __future__ import annotations

import dataclasses
import errno
import hashlib
import re
import shlex
import time
from collections.abc import Callable
from typing import TypeVar

from ...dictionaries import without_secrets
from ..core.errors import ScrublineError, Shortage, StorageError
from ..core.heartbeat import record_heartbeat
from ..core.shortage import MEMORY, Resource, remedy_of, shortage_of
from .paths import below

T = TypeVar("T")

_FINAL_ERRORS = (
    FileNotFoundError,
    FileExistsError,
    PermissionError,
    IsADirectoryError,
    NotADirectoryError,
)
_FINAL_ERRNOS = frozenset(
    {
        errno.EDQUOT,
        errno.EFBIG,
        errno.EINVAL,  # S3's InvalidRange, MalformedXML and the like, as s3fs gives them
        errno.ELOOP,
        errno.EMFILE,
        errno.EMSGSIZE,
        errno.ENAMETOOLONG,
        errno.ENOSPC,
        errno.ENOSYS,
        errno.ENOTEMPTY,
        errno.EROFS,
        errno.EXDEV,
    }
)
# By name, so that no client library is imported for the sake of its errors.
_TRANSIENT_CLASSES = frozenset(
    {
        "aiohttp.ClientError",
        "botocore.FlexibleChecksumError",  # what came is not what the store has
        "botocore.HTTPClientError",
        "botocore.ConnectionError",
        "botocore.IncompleteReadError",
        "botocore.ResponseStreamingError",
        "urllib3.HTTPError",
        "requests.RequestException",
        "http.HTTPException",
        "azure.ServiceRequestError",
        "azure.ServiceResponseError",
    }
)
_TRANSIENT_STATUS = frozenset({"408", "425", "429", "500", "502", "503", "504"})


def is_transient(error: Exception) -> bool:
    """Whether the same request may succeed a little later."""
    if isinstance(error, _FINAL_ERRORS):
        return False
    if isinstance(error, OSError):
        return error.errno not in _FINAL_ERRNOS
    classes = {f"{c.__module__.partition('.')[0]}.{c.__name__}" for c in type(error).__mro__}
    if classes & _TRANSIENT_CLASSES:
        return True
    status = getattr(error, "status_code", getattr(error, "code", None))
    return isinstance(status, int | str) and str(status) in _TRANSIENT_STATUS


_CLOCK = "the clocks of this machine and the store differ too much: set this one (NTP), then resume"
_CREDENTIALS = "the credentials have expired: get new ones, then resume"

STORE_CODES = {
    "RequestTimeTooSkewed": _CLOCK,
    "RequestExpired": _CLOCK,
    "ExpiredToken": _CREDENTIALS,
    "ExpiredTokenException": _CREDENTIALS,
    "TokenRefreshRequired": _CREDENTIALS,
}
"""Error codes of S3 for refusals that neither a retry nor the permissions explain, with remedies.

Messages repeat only these: a server can write anything there.
"""


def store_code(error: BaseException) -> str:
    """Which of `STORE_CODES` caused an error of a client library; "" for none."""
    for link in (error, error.__cause__):
        response = getattr(link, "response", None)
        if isinstance(response, dict) and isinstance(response.get("Error"), dict):
            code = response["Error"].get("Code")
            if code in STORE_CODES:
                return str(code)
    return ""


def failure_class(error: Exception) -> str:
    """Class and error number, or the store's code: all of an error that is safe to show."""
    number = getattr(error, "errno", None)
    code = errno.errorcode.get(number, "") if isinstance(number, int) else ""
    return " ".join(filter(None, (type(error).__qualname__, code, store_code(error))))


_MAKES = ("lock", "write", "create")
"""Operations that make what is not there: then it is what it would lie in that is missing."""


_A_FILE, _INPUT = " a file", " an input file"
_PERMISSIONS = ": look at its permissions, and at those of the folders above it"


def _lack_of(error: Exception) -> Resource | None:
    """What the machine lacked, if smaller batches may need less of it; not the disk or files."""
    resource = shortage_of(error)
    return resource if resource is MEMORY or not isinstance(error, OSError) else None


def jitter(operation: str, url: str, attempt: int) -> float:
    """Factor in [0.5, 1.5), spread over files and attempts but the same in every run."""
    digest = hashlib.sha256(f"{operation} {url} {attempt}".encode("utf-8", "surrogateescape"))
    return 0.5 + int.from_bytes(digest.digest()[:4], "big") / 2**32


class MissingFileError(StorageError, FileNotFoundError):
    """There is no file at the URL; unlike in other FileNotFoundErrors, the message has no name."""


class StorageAccessError(StorageError):
    """Storage refused: missing permission, or something else is in the way. No retry helps."""


@dataclasses.dataclass(frozen=True, slots=True)
class Retrying:
    """Retries operations of storage, and reports failures without names of inputs.

    Attributes:
        root: output root; only used to name outputs in messages.
        tries: how often an operation is tried in all.
        base_seconds, cap_seconds: the first wait between tries, which doubles, and the longest.
        sleep: waits; tests give their own.
        private: whether all files on local disks are private to their owner (mode 0600).
    """

    root: str = ""
    tries: int = 6
    base_seconds: float = 0.2
    cap_seconds: float = 10.0
    sleep: Callable[[float], None] = time.sleep
    private: bool = dataclasses.field(default=False, kw_only=True)

    def retry(self, operation: str, url: str, action: Callable[[], T]) -> T:
        """The result of `action`, tried again after transient faults.

        The error is raised outside of every `except` block, so that no chained one carries a name.
        """
        waited = self.base_seconds
        for attempt in range(1, self.tries + 1):
            try:
                result = action()
                record_heartbeat()
                return result
            except ScrublineError:
                raise
            except Exception as error:
                final = not is_transient(error)
                kind = failure_class(error)
                cause = type(error)
                lack = _lack_of(error)
                remedy = STORE_CODES.get(store_code(error), "")
                remedy = f": {remedy}" if remedy else remedy_of(getattr(error, "errno", None))
            if final or attempt == self.tries:
                break
            self.sleep(min(self.cap_seconds, waited) * jitter(operation, url, attempt))
            waited *= 2
        if lack is not None:
            raise Shortage(f"cannot {operation}{self.named(url)}: {lack}")
        if issubclass(cause, FileNotFoundError):
            how = (
                "; create the bucket first, or choose another place" if operation in _MAKES else ""
            )
            why = f"there is no such file, folder or bucket{how}"
            raise self._error(MissingFileError, operation, url, why)
        if final:
            remedy = remedy or (_PERMISSIONS if issubclass(cause, PermissionError) else "")
            why = f"storage refused ({kind}){remedy}"
            raise self._error(StorageAccessError, operation, url, why)
        raise self._error(StorageError, operation, url, f"{kind} after {self.tries} tries{remedy}")

    def _error(self, kind: type[StorageError], operation: str, url: str, why: str) -> StorageError:
        """The error of an operation; on a terminal it names its file, whatever that is."""
        where = self.named(url)
        shown = f" {shlex.quote(without_secrets(url))}" if where in (_A_FILE, _INPUT) else where
        return kind(
            f"cannot {operation}{where}: {why}", on_terminal=f"cannot {operation}{shown}: {why}"
        )

    def named(self, url: str) -> str:
        """` '<path below the output root>'` of an output, ` an input file` of anything else."""
        if not self.root:
            return _A_FILE
        name = below(url, self.root)
        return _INPUT if name is None else " " + repr(re.sub(r"=[^/]*/", "=*/", name))
