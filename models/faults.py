"""Faults of storage: which deserve another try, how long to wait, what may be said of them."""

from __future__ import annotations

import errno
import hashlib

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


def failure_class(error: Exception) -> str:
    """Class and error number: all of an error that is safe to repeat."""
    number = getattr(error, "errno", None)
    code = errno.errorcode.get(number, "") if isinstance(number, int) else ""
    return f"{type(error).__qualname__} {code}".rstrip()


def jitter(operation: str, url: str, attempt: int) -> float:
    """Factor in [0.5, 1.5), spread over files and attempts but the same in every run."""
    digest = hashlib.sha256(f"{operation} {url} {attempt}".encode("utf-8", "surrogateescape"))
    return 0.5 + int.from_bytes(digest.digest()[:4], "big") / 2**32
