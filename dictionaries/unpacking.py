"""Reading files that others made: lines, rows and the members of a zip.

What is unpacked is counted while it is read: no header is believed. Whatever is wrong is a
`DictionaryError` that names file, member and line, never what is in them.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from typing import IO, BinaryIO

from . import DictionaryError

MOST_BYTES = 1 << 30
"""Most bytes of a file, packed or unpacked; the largest (MeSH as XML) has a third of it."""

MOST_MEMBERS = 2000
LONGEST_LINE = 1 << 20
"""In bytes."""

BLOCK = 1 << 20
"""Bytes that are read at once."""

_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError)
"""What unpacking raises; RuntimeError for what is encrypted or packed in an unknown way."""


class _CappedStream(io.RawIOBase):
    """A stream of at most `MOST_BYTES`, then an error: a bomb is not unpacked to its end."""

    def __init__(self, stream: IO[bytes], where: str) -> None:
        self._stream, self._where, self._left = stream, where, MOST_BYTES

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            block = self._stream.read(min(len(buffer), BLOCK))
        except _DAMAGED as error:
            raise DictionaryError(
                f"{self._where}: damaged or cannot be unpacked ({type(error).__name__})"
            ) from None
        self._left -= len(block)
        if self._left < 0:
            raise DictionaryError(f"{self._where}: more than {MOST_BYTES} bytes")
        buffer[: len(block)] = block
        return len(block)


def buffered(stream: IO[bytes], where: str) -> io.BufferedReader:
    """The stream, of at most `MOST_BYTES`.

    Args:
        stream: packed or not; what reading it raises becomes a DictionaryError.
        where: for messages.
    """
    return io.BufferedReader(_CappedStream(stream, where), BLOCK)


def lines_of(stream: IO[bytes], where: str, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """Line numbers, from 1, and lines without their ends."""
    reader = buffered(stream, where)
    number = 0
    while line := reader.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise DictionaryError(f"{where}, line {number}: more than {LONGEST_LINE} bytes")
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if b"\x00" in line:
            raise DictionaryError(f"{where}, line {number}: a NUL byte; expected text")
        try:
            yield number, line.decode(encoding).rstrip("\r\n")
        except UnicodeDecodeError:
            raise DictionaryError(f"{where}, line {number}: not {encoding.upper()}") from None


def members_of(stream: BinaryIO, where: str, pattern: str) -> Iterator[tuple[IO[bytes], str]]:
    """The members of a zip whose base name matches, in the order of their names."""
    try:
        archive = zipfile.ZipFile(stream)
        names = sorted(archive.namelist())
    except (*_DAMAGED, ValueError) as error:
        raise DictionaryError(f"{where}: not a zip ({type(error).__name__})") from None
    with archive:
        if len(names) > MOST_MEMBERS:
            raise DictionaryError(f"{where}: more than {MOST_MEMBERS} members")
        wanted = [n for n in names if re.fullmatch(pattern, n.rpartition("/")[2], re.IGNORECASE)]
        if not wanted:
            raise DictionaryError(f"{where}: no member whose name matches {pattern}")
        total = sum(archive.getinfo(name).file_size for name in wanted)
        if total > MOST_BYTES:
            raise DictionaryError(f"{where}: unpacks to more than {MOST_BYTES} bytes")
        for place, name in enumerate(wanted, 1):
            inside = f"{where}, member {place}"
            try:
                member = archive.open(name)
            except _DAMAGED as error:
                raise DictionaryError(
                    f"{inside}: cannot be read ({type(error).__name__})"
                ) from None
            with member:
                yield member, inside


def rows_of(
    stream: IO[bytes], where: str, columns: Iterable[tuple[str, ...]], **dialect: str
) -> Iterator[tuple[int, list[str]]]:
    """Line numbers and the asked columns of a table with a head.

    Args:
        stream: the table; UTF-8, unless `encoding` says otherwise.
        where: for messages.
        columns: for each column its possible names, small letters.
        dialect: `delimiter`, `encoding`.
    """
    encoding = dialect.pop("encoding", "utf-8")
    reader = csv.reader((line for _, line in lines_of(stream, where, encoding)), **dialect)  # type: ignore[arg-type]
    places: list[int] = []
    try:
        for row in reader:
            if not places:
                head = [cell.strip().lower() for cell in row]
                for names in columns:
                    if not (found := [head.index(name) for name in names if name in head]):
                        raise DictionaryError(
                            f"{where}, line 1: no column {' or '.join(names)} in the head"
                        )
                    places.append(found[0])
                continue
            if not any(cell.strip() for cell in row):
                continue
            if len(row) <= max(places):
                raise DictionaryError(
                    f"{where}, line {reader.line_num}: {len(row)} columns, expected at least"
                    f" {max(places) + 1}"
                )
            yield reader.line_num, [row[place].strip() for place in places]
    except csv.Error:
        raise DictionaryError(f"{where}, line {reader.line_num}: not a table row") from None
    if not places:
        raise DictionaryError(f"{where}: empty; expected a table with a head")
