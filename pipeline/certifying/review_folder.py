"""The files of a campaign, below `OUT/restricted/review/<name>/`, and who was shown what of it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from ...models.core.errors import UsageError
from ...models.review.accesses import EXPORT, Access, read_accesses
from ...models.review.private_files import make_private_folder, read_private
from ...models.risk.rows import MarksFile
from ...models.storage.places import local_path

DRAW, ADJUDICATED, ACCESSES, REGISTER = (
    *("draw.jsonl", "adjudicated.jsonl", "access.jsonl", "campaigns.jsonl"),
)
ENDED = "ended"
"""In a campaign's folder: its notes were exported to train on, so that it certifies nothing."""

_MARKS = re.compile(r"marks-(.+)\.jsonl")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", re.ASCII)
_TAKEN = ("find", REGISTER)


class CampaignFolder:
    """Where a campaign lies.

    Attributes:
        root: path of `OUT/restricted/review`.
        name: of the campaign.
        path: of its folder.
    """

    def __init__(self, root: str, name: str) -> None:
        self.root, self.name = root, name
        self.path = os.path.join(root, name)

    @classmethod
    def of(cls, output: str, name: str) -> CampaignFolder:
        """That of an output; nothing is made.

        Raises:
            UsageError: if the output is not on this machine, or it cannot be the name of a folder.
        """
        local = local_path(output)
        if local is None:
            raise UsageError("campaigns are kept with an output on a disk of this machine")
        if not _NAME.fullmatch(name) or name in _TAKEN:
            raise UsageError(
                "the name of a campaign has letters, digits, and . _ - after the first, 64 at "
                "most; `find` is taken"
            )
        return cls(os.path.join(local, "restricted", "review"), name)

    def beside(self, name: str) -> CampaignFolder:
        """That of another campaign of the same output."""
        return CampaignFolder(self.root, name)

    @property
    def register(self) -> str:
        """Path of the register of all campaigns of the output."""
        return os.path.join(self.root, REGISTER)

    def make(self) -> None:
        """Makes it; see `make_private_folder`."""
        for path in (self.root, self.path):
            make_private_folder(path)

    def file(self, name: str) -> str:
        """Path of a file of it."""
        return os.path.join(self.path, name)

    def draw(self) -> bytes | None:
        """The file of the draw; None if there is none."""
        return read_private(self.file(DRAW))

    def marks(self) -> list[MarksFile]:
        """What was marked, and what was decided on that."""
        names = sorted(os.listdir(self.path)) if os.path.isdir(self.path) else []
        found = []
        for name in names:
            match = _MARKS.fullmatch(name)
            if match or name == ADJUDICATED:
                content = read_private(self.file(name)) or b""
                reader = match[1] if match else "adjudicator"
                found.append(MarksFile(reader, content, is_adjudicated=match is None))
        return found

    def opened(self) -> frozenset[str]:
        """Keys of the documents of which anything was shown, by the record of accesses."""
        return frozenset(row.doc_key for row in _accesses(self.file(ACCESSES)))

    @property
    def is_read(self) -> bool:
        """Whether anything of it was shown or marked, as far as its files tell."""
        return bool(self.opened()) or any(file.lines() for file in self.marks())

    @property
    def is_ended(self) -> bool:
        """Whether it certifies nothing any more."""
        return os.path.lexists(self.file(ENDED))

    def exported(self) -> frozenset[str]:
        """Keys of the documents of the output that went into a corpus to train on, from any folder.

        Raises:
            UsageError: if a record of accesses is damaged.
        """
        found: set[str] = set()
        for name in sorted(os.listdir(self.root)) if os.path.isdir(self.root) else ():
            rows = _accesses(os.path.join(self.root, name, ACCESSES))
            found.update(row.doc_key for row in rows if row.what == EXPORT)
        return frozenset(found)


def _accesses(path: str) -> Iterator[Access]:
    if not os.path.isdir(os.path.dirname(path)):
        return
    try:
        yield from read_accesses(read_private(path) or b"")
    except ValueError:
        raise UsageError(
            "the record of accesses of a campaign is damaged: nothing can be said of what was shown"
        ) from None
