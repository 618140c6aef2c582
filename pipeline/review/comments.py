"""What a reader says of a note beside its marks: a file of the reader's own, a line a comment."""

from __future__ import annotations

import json

from ...models.review.appended import append_line, read_lines, whole_lines
from .refusals import DeskRefusal
from .texts import Text


class ReaderComments:
    """The comments of one reader.

    Args:
        path: of the file.
    """

    def __init__(self, path: str) -> None:
        self._path = path

    def add(self, text: Text, rev: int, reason: str, comment: str) -> None:
        """Adds what is said with a revision of the marks, if that is something new.

        Raises:
            OSError: if it cannot be written.
            DeskRefusal: if the file is damaged.
        """
        if not reason and comment == self.of(text, rev):
            return
        row = {"doc_key": text[0], "field": text[1], "rev": rev, "reason": reason}
        line = json.dumps({**row, "comment": comment}, sort_keys=True).encode() + b"\n"
        append_line(self._path, lambda last: line)

    def of(self, text: Text, rev: int) -> str:
        """The last comment up to a revision: one beyond is of a save that failed.

        Raises:
            DeskRefusal: if the file is damaged.
        """
        found = ""
        try:
            for row in map(json.loads, whole_lines(read_lines(self._path))):
                if (row["doc_key"], row["field"]) == text and row["rev"] <= rev:
                    found = row["comment"]
        except (ValueError, KeyError, TypeError):
            why = "the file of your comments is damaged: move it away, and open the note again"
            raise DeskRefusal(503, "DamagedComments", why) from None
        return found
