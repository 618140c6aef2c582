"""The record of accesses: written, and on disk, before a text is sent."""

from __future__ import annotations

import datetime
from collections.abc import Callable

from ...models.core.errors import UsageError
from ...models.review.accesses import faults_of_chain, next_access
from ...models.review.appended import append_line, read_lines
from ..certifying.review_folder import ACCESSES, ReviewFolder
from .refusals import DeskRefusal, unsaved


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")


class AccessRecord:
    """Writes the accesses of one reviewer; several processes write one file, one after another."""

    def __init__(self, folder: ReviewFolder, reviewer: str, now: Callable[[], str] = _now) -> None:
        self._path, self._reviewer, self._now = folder.file(ACCESSES), reviewer, now

    def record(self, text: tuple[str, str], what: str) -> None:
        """Records that the reviewer is about to be shown a text.

        Raises:
            DeskRefusal: if that cannot be written: the text must then not be shown.
        """
        doc_key, field = text
        at = self._now()
        try:
            append_line(
                self._path,
                lambda last: next_access(
                    last, at=at, reviewer=self._reviewer, doc_key=doc_key, field=field, what=what
                ),
            )
        except OSError as error:
            raise unsaved(error) from None
        except (ValueError, UsageError):
            raise DeskRefusal(
                503, "NotLogged", "the record of accesses is damaged or open to others: see verify"
            ) from None


def verify_accesses(output: str) -> tuple[list[str], int]:
    """Walks the chains of all folders of a review: what is wrong, and how many rows there are.

    Raises:
        UsageError: if a file is open to others.
    """
    faults, rows = [], 0
    for folder in ReviewFolder.of(output).every():  # also those whose draw is gone
        content = read_lines(folder.file(ACCESSES))
        rows += content.count(b"\n")
        faults += [f"{folder.name}: {fault}" for fault in faults_of_chain(content)]
    return faults, rows
