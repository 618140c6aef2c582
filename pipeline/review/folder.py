"""The folder of a reading: made for its owner alone, refused where others can look."""

from __future__ import annotations

import os
import re

from ...models.core.errors import UsageError
from ...models.review.private_files import make_private_folder, require_private
from ...models.storage.places import local_path

FIND = "find"
"""The folder of the find queue; every other one is a campaign's, of its name."""

ENDED = "ended"
"""In a campaign's folder: its notes were exported to train on, so that it certifies nothing."""

DRAW = "draw.jsonl"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", re.ASCII)


def require_name(name: str, option: str) -> str:
    """The name of a reader or a campaign, which becomes part of a file's name.

    Raises:
        UsageError: if it cannot be.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{option}: expected letters, digits, and . _ - after the first, 64 at most"
        )
    return name


class ReviewFolder:
    """`OUT/restricted/review/<queue>/`.

    Attributes:
        root: path of `OUT/restricted/review`.
        name: of the folder.
        path: path of the folder.
    """

    def __init__(self, root: str, name: str = FIND) -> None:
        self.root, self.name = root, name
        self.path = os.path.join(root, name)

    @classmethod
    def of(cls, output: str, name: str = FIND) -> ReviewFolder:
        """That of an output.

        Raises:
            UsageError: if the output is not on a local disk.
        """
        local = local_path(output)
        if local is None:
            raise UsageError("review: the output must be on a local disk")
        return cls(os.path.join(local, "restricted", "review"), name)

    def make(self) -> None:
        """Makes it, of mode 0700, or looks whether it is.

        Raises:
            UsageError: if others can look into it, or it cannot be made.
        """
        for path in (self.root, self.path, self.file("leases")):
            make_private_folder(path)
        for name in os.listdir(self.path):
            path = self.file(name)
            if os.path.isfile(path):
                require_private(os.lstat(path))

    def file(self, name: str) -> str:
        """The path of a file of it."""
        return os.path.join(self.path, name)

    def marks_files(self) -> dict[str, str]:
        """Reader -> path of the file of marks."""
        names = sorted(os.listdir(self.path)) if os.path.isdir(self.path) else []
        return {
            name.removeprefix("marks-").removesuffix(".jsonl"): self.file(name)
            for name in names
            if name.startswith("marks-") and name.endswith(".jsonl")
        }

    def campaigns(self) -> list[ReviewFolder]:
        """The folders of all campaigns of the output."""
        names = sorted(os.listdir(self.root)) if os.path.isdir(self.root) else []
        others = [ReviewFolder(self.root, name) for name in names if name != FIND]
        return [other for other in others if os.path.isfile(other.file(DRAW))]

    @property
    def is_ended(self) -> bool:
        """Whether the campaign certifies nothing any more."""
        return os.path.lexists(self.file(ENDED))
