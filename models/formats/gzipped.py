"""Gzip around another format: a file is one range, since reading cannot begin in its middle.

Source: RFC 1952. Members may follow each other; what follows the last one but zeros is damage.
"""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType

import pyarrow as pa

from ..core.shortage import raise_shortage
from ..storage.input_files import InputFile
from .chunks import Streamed
from .column_roles import Columns
from .nested_columns import Nesting
from .options import UNKNOWN_SIZE, UNPACKED_FREE_BYTES, FormatOptions, Limits
from .protocol import (
    Chunk,
    Format,
    FormatTraits,
    Locator,
    OpenPart,
    PartRow,
    PartWriter,
    Reader,
    SampleRange,
    Sink,
    Unreadable,
)

LEVEL = 6
"""Of compression; zlib's own default."""

_BLOCK_BYTES = 1 << 20

_PIECE_BYTES = 1 << 16
"""Unpacked at a time. Of the piece in which a file is damaged, all that zlib has not yet given is
lost; so pieces are those of the file, whatever the blocks in which a storage reads it."""

_GZIP = 16 + zlib.MAX_WBITS


@dataclasses.dataclass(frozen=True)
class Gzipped:
    """A format whose files are each compressed as a whole.

    Attributes:
        inner: the format inside.
    """

    inner: Format

    @property
    def name(self) -> str:
        """`<inner>.gz`."""
        return f"{self.inner.name}.gz"

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Those of the inner format, and `.gz`."""
        return tuple(f"{suffix}.gz" for suffix in self.inner.suffixes)

    @property
    def traits(self) -> FormatTraits:
        """Those of the inner format; how many rows a file has is not known before its end."""
        return dataclasses.replace(self.inner.traits, locator_unit="bytes", counts_rows=False)

    @property
    def nesting(self) -> Nesting | None:
        """That of the inner format."""
        return self.inner.nesting

    def configured(self, options: FormatOptions) -> Gzipped:
        """The inner format configured."""
        return Gzipped(self.inner.configured(options))

    def check_roles(self, columns: Columns) -> None:
        """As the inner format."""
        self.inner.check_roles(columns)

    def check_types(self, storage: Reader, file: InputFile, columns: Columns) -> bool:
        """As the inner format; whatever a damaged file has, its rows will be quarantined."""
        try:
            return self.inner.check_types(
                _Unpacked(storage, file, Limits()), _inside(file), columns
            )
        except Unreadable:
            return False

    def columns(self, storage: Reader, file: InputFile) -> tuple[str, ...]:
        """As the inner format; no columns for a damaged file, whose rows will be quarantined."""
        try:
            return self.inner.columns(_Unpacked(storage, file, Limits()), _inside(file))
        except Unreadable:
            return ()

    def schema_token(self, storage: Reader, file: InputFile) -> str:
        """As the inner format."""
        return self.inner.schema_token(_Unpacked(storage, file, Limits()), _inside(file))

    def plan(
        self, storage: Reader, index: int, file: InputFile, split_bytes: int, limits: Limits
    ) -> list[Locator]:
        """The whole file."""
        return [Locator(index, 0, file.size, file.size)]

    def sample(
        self, storage: Reader, file: InputFile, locator: Locator, at: int, most_bytes: int
    ) -> SampleRange | None:
        """None: a file can only be unpacked from its beginning."""
        return None

    def read(
        self,
        storage: Reader,
        file: InputFile,
        locator: Locator,
        columns: tuple[str, ...],
        limits: Limits,
    ) -> Iterator[Chunk]:
        """Yields the records; where the file is damaged, an error row stands for its rest."""
        inside = Locator(locator.file, 0, UNKNOWN_SIZE, file.size)
        return self.inner.read(
            _Unpacked(storage, file, limits), _inside(file), inside, columns, limits
        )

    def is_text(self, kind: pa.DataType) -> bool:
        """As the inner format."""
        return self.inner.is_text(kind)

    def cells(self, column: pa.ChunkedArray | pa.Array) -> list[str | None]:
        """As the inner format."""
        return self.inner.cells(column)

    def decode(self, column: pa.ChunkedArray | pa.Array) -> list[object]:
        """As the inner format."""
        return self.inner.decode(column)

    def encode_text(self, values: Sequence[str | None], like: pa.DataType) -> pa.Array:
        """As the inner format."""
        return self.inner.encode_text(values, like)

    def writer(self, open_part: OpenPart, stem: str) -> PartWriter:
        """As the inner format; every file compressed, without name or time in its head."""
        return self.inner.writer(lambda name: GzipSink(open_part(f"{name}.gz")), stem)

    def part_rows(self, storage: Reader, file: InputFile, columns: Columns) -> Iterator[PartRow]:
        """As the inner format."""
        limits = Limits.of_published(file.size)
        inside = dataclasses.replace(_inside(file), path=file.path.removesuffix(".gz"))
        return self.inner.part_rows(_Unpacked(storage, file, limits), inside, columns)


def _inside(file: InputFile) -> InputFile:
    return dataclasses.replace(file, size=UNKNOWN_SIZE if file.size else 0)


@dataclasses.dataclass(frozen=True)
class _Unpacked(Streamed):
    """The unpacked content of one gzip file."""

    storage: Reader
    file: InputFile
    limits: Limits

    def blocks(self, block_bytes: int) -> Iterator[bytes]:
        """See `gunzip`."""
        return gunzip(self.storage, self.file, self.limits)


def gunzip(storage: Reader, file: InputFile, limits: Limits) -> Iterator[bytes]:
    """Yields what a gzip file holds, in blocks of bounded size.

    Raises:
        Unreadable: where the file is damaged, or unpacks to more than it may.
    """
    most = max(file.size * limits.unpacked_ratio, UNPACKED_FREE_BYTES)
    total = 0
    stream = zlib.decompressobj(_GZIP)
    begun = ended = False
    for packed in _pieces(storage.read_blocks(file.url, 0, file.size)):
        while packed:
            if ended:
                packed = packed.lstrip(b"\0")  # padding of tapes and block devices
                if not packed:
                    break
                stream, ended, begun = zlib.decompressobj(_GZIP), False, False
            begun = True
            try:
                block = stream.decompress(packed, _BLOCK_BYTES)
            except zlib.error as error:
                raise_shortage(error)
                raise Unreadable("DamagedArchive") from None
            packed = stream.unconsumed_tail or stream.unused_data
            ended = stream.eof
            total += len(block)
            if total > most:
                raise Unreadable("OverBudget:unpacked")
            if block:
                yield block
    while begun and not ended:
        try:
            block = stream.decompress(b"", _BLOCK_BYTES)
        except zlib.error as error:
            raise_shortage(error)
            raise Unreadable("DamagedArchive") from None
        if not block and not stream.eof:
            raise Unreadable("DamagedArchive")
        ended = stream.eof
        total += len(block)
        if total > most:
            raise Unreadable("OverBudget:unpacked")
        if block:
            yield block


def _pieces(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces of `_PIECE_BYTES`; the last may be shorter."""
    held = b""
    for block in blocks:
        held += block
        whole = len(held) - len(held) % _PIECE_BYTES
        for at in range(0, whole, _PIECE_BYTES):
            yield held[at : at + _PIECE_BYTES]
        held = held[whole:]
    if held:
        yield held


class GzipSink:
    """A sink that compresses; the same bytes for the same content, however it was cut."""

    def __init__(self, opened: Sink) -> None:
        self._opened = self._sink = opened
        self._stream = zlib.compressobj(LEVEL, zlib.DEFLATED, _GZIP)

    def write(self, data: bytes, /) -> int:
        """Appends all of `data`."""
        if packed := self._stream.compress(data):
            self._sink.write(packed)
        return len(data)

    def __enter__(self) -> GzipSink:
        self._sink = self._opened.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None:
        try:
            if kind is None:
                self._sink.write(self._stream.flush())
        except BaseException as fault:
            self._opened.__exit__(type(fault), fault, fault.__traceback__)
            raise
        self._opened.__exit__(kind, error, trace)
