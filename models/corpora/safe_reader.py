"""Streams whose errors name no file."""

from __future__ import annotations

import io
import lzma
import zlib
from typing import IO, Any, cast

from ..core.errors import StorageError, error_class
from ..core.shortage import raise_shortage


class SafeReader(io.BufferedReader):
    """A stream that raises its errors as `StorageError`, without names."""

    @classmethod
    def of(cls, stream: IO[bytes]) -> IO[bytes]:
        """The safe stream; closing it leaves the other one open."""
        return cast("IO[bytes]", cls(_SafeRaw(stream), 1 << 20))


class _SafeRaw(io.RawIOBase):
    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__()
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            block = self._stream.read(len(buffer))
        except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
            raise_shortage(error)
            what = error_class(error)  # the message itself may hold the file's name
        else:
            buffer[: len(block)] = block
            return len(block)
        raise StorageError(f"the corpus file cannot be read: {what}")
