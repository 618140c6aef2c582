"""What a test needs to know of a running S3 server."""

from __future__ import annotations

import dataclasses


class Unavailable(Exception):
    """The server cannot run on this machine; the message says why, for `pytest.skip`."""


@dataclasses.dataclass(frozen=True)
class S3Server:
    """A server on loopback.

    Attributes:
        endpoint: URL without a bucket.
        key, secret: credentials that may do everything.
    """

    endpoint: str
    key: str
    secret: str = dataclasses.field(repr=False)

    def storage_options(self) -> dict[str, object]:
        """Options for `fsspec.filesystem("s3", **options)`; a region would break `mkdir`."""
        return {
            "key": self.key,
            "secret": self.secret,
            "client_kwargs": {"endpoint_url": self.endpoint},
            # Another test's server may have had the same port, and so an equal cached file system.
            "skip_instance_cache": True,
        }

    def environment(self) -> dict[str, str]:
        """Environment variables by which child processes find the server."""
        return {
            "AWS_ACCESS_KEY_ID": self.key,
            "AWS_SECRET_ACCESS_KEY": self.secret,
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_EC2_METADATA_DISABLED": "true",
        }
