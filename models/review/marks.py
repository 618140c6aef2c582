"""The marks of one reader: rows that are added to a file, each a revision of one text."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ..core.errors import ScrublineError
from ..core.keys import Keys
from ..risk.rows import MarkedSpan, MarkedText, MarksFile, json_line, read_marks
from .appended import append_line, read_lines

Text = tuple[str, str]
"""doc_key, field."""


def hmac_of_text(keys: Keys, text: str) -> str:
    """Keyed hash of a published text: by it marks are known to be of this text."""
    return keys.mark("review text", text.encode("utf-8", "surrogatepass"))


def hmac_of_original(keys: Keys, text: str) -> str:
    """Keyed hash of an original: a text that is scrubbed anew may have become another one."""
    return keys.mark("review original", text.encode("utf-8", "surrogatepass"))


class ReadText(NamedTuple):
    """What was read; see `MarkedText`."""

    text_hmac: str
    characters: int | None = None
    original: str = ""


class StaleMarks(ScrublineError):
    """Marks replace a revision that is not the last one.

    Attributes:
        held: the row that holds; None if there is none.
    """

    def __init__(self, held: MarkedText | None) -> None:
        super().__init__("marks of this text were saved since it was opened")
        self.held = held


class ReaderMarks:
    """All that one reader says; held in memory, and in a file of the reader's own.

    Attributes:
        reader: whose.
        held: text -> the row that holds, of texts that are still those that were read.
        rows: how many were written.
    """

    def __init__(
        self,
        path: str,
        reader: str,
        *,
        is_adjudicated: bool = False,
        is_of: Callable[[MarkedText], bool] = lambda row: True,
    ) -> None:
        """Reads the file.

        Args:
            is_of: whether a row is of a text as it is now.
        """
        self._path, self._is_adjudicated, self._is_of = path, is_adjudicated, is_of
        self.reader = reader
        self.held: dict[Text, MarkedText] = {}
        self._last: dict[Text, MarkedText] = {}
        self.rows = 0
        self._seen = (-1, -1)
        self.read()

    def refresh(self) -> None:
        """Reads the file anew if it was changed; see `read`."""
        if _stamp(self._path) != self._seen:
            self.read()

    def read(self) -> None:
        """Reads the file anew.

        Raises:
            UsageError: if it is open to others or damaged; a torn last line is dropped.
        """
        self._seen = _stamp(self._path)
        file = MarksFile(self.reader, read_lines(self._path), self._is_adjudicated)
        rows = read_marks([file])[self._is_adjudicated, self.reader]
        self._last = {(row.doc_key, row.field): row for row in rows}
        self.held = {text: row for text, row in self._last.items() if self._is_of(row)}
        self.rows = len(rows)

    def revision(self, text: Text) -> int:
        """The last revision, be it of the text as it is now or not; 0 for none."""
        return self._last[text].rev if text in self._last else 0

    def add(
        self,
        text: Text,
        read: ReadText,
        replaces: int,
        spans: tuple[MarkedSpan, ...],
        verdict: str,
        seconds: float = 0,
        of: Mapping[str, int] | None = None,
        *,
        first: Callable[[], None] = lambda: None,
    ) -> MarkedText:
        """Adds a revision, and gives it once it is on disk.

        Args:
            text: which.
            read: what it was.
            replaces: the revision that was changed; 0 for none.
            spans, verdict, seconds, of: see `MarkedText`.
            first: called before it is written, once it is known to follow from the last one.

        Raises:
            StaleMarks: if that is not the last one.
            ValueError: if a value is not allowed.
            OSError: if it cannot be written; nothing is then changed.
        """
        added: list[MarkedText] = []

        def row_after(last: bytes | None) -> bytes:
            # Another process of the same reader may have written.
            if (json.loads(last)["seq"] if last else 0) != self.rows:
                self.read()
            if replaces != self.revision(text):
                raise StaleMarks(self._last.get(text))
            first()
            row = MarkedText(
                seq=self.rows + 1,
                doc_key=text[0],
                field=text[1],
                text_hmac=read.text_hmac,
                rev=replaces + 1,
                spans=spans,
                verdict=verdict,
                seconds=seconds,
                of=dict(of or {}),
                characters=read.characters,
                original=read.original,
            )
            added.append(row)
            return json_line(dataclasses.asdict(row))

        append_line(self._path, row_after)
        (row,) = added
        self.held[text] = self._last[text] = row
        self.rows += 1
        return row


def _stamp(path: str) -> tuple[int, int]:
    """Changes where a file does."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return 0, 0
    return found.st_size, found.st_mtime_ns
