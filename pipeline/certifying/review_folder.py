"""Where people read an output: `OUT/restricted/review/<name>/`, and who was shown what of it."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterator

from ...models.core.errors import UsageError
from ...models.review.accesses import EXPORT, Access, faults_of_chain, read_accesses
from ...models.review.appended import PLACE, read_lines
from ...models.review.marks import ReaderMarks, Text
from ...models.risk.rows import UNFINISHED, MarkedText, MarksFile
from ...models.storage.places import local_path
from ...models.storage.private_files import make_private_folder, read_private, require_private

DRAW, ADJUDICATED, ACCESSES, REGISTER = (
    *("draw.jsonl", "adjudicated.jsonl", "access.jsonl", "campaigns.jsonl"),
)
FIND = "find"
"""The folder of the find queue; every other one is a campaign's, of its name."""

ENDED = "ended"
"""In a campaign's folder: its notes were exported to train on, so that it certifies nothing."""

LEASES = "leases"
"""In each folder: who reads what now."""

ADJUDICATOR = "adjudicator"
"""Who decided, whoever that was."""

_MARKS = re.compile(r"marks-(.+)\.jsonl")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", re.ASCII)


def require_name(name: str, what: str) -> str:
    """The name of a reader or a campaign, which becomes part of a file's name.

    Raises:
        UsageError: if it cannot be.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(f"{what}: expected letters, digits, and . _ - after the first, 64 at most")
    return name


class ReviewFolder:
    """Where the find queue lies, or a campaign.

    Attributes:
        root: path of `OUT/restricted/review`.
        name: of the folder.
        path: of the folder.
    """

    def __init__(self, root: str, name: str = FIND) -> None:
        self.root, self.name = root, name
        self.path = os.path.join(root, name)

    @classmethod
    def of(cls, output: str, name: str = FIND) -> ReviewFolder:
        """That of an output; nothing is made.

        Raises:
            UsageError: if the output is not on this machine.
        """
        local = local_path(output)
        if local is None:
            raise UsageError(
                "reviews and campaigns are kept with an output on a disk of this machine"
            )
        return cls(os.path.join(local, "restricted", "review"), name)

    @classmethod
    def of_campaign(cls, output: str, name: str) -> ReviewFolder:
        """That of a campaign, which may be there or not.

        Raises:
            UsageError: as `of`; if it cannot be the name of a campaign.
        """
        require_name(name, "the name of a campaign")
        if name in (FIND, REGISTER):
            raise UsageError(f"the name of a campaign: `{name}` is taken")
        return cls.of(output, name)

    def beside(self, name: str) -> ReviewFolder:
        """Another one of the same output."""
        return ReviewFolder(self.root, name)

    @property
    def register(self) -> str:
        """Path of the register of all campaigns of the output."""
        return os.path.join(self.root, REGISTER)

    def make(self) -> None:
        """Makes it, of mode 0700, or looks whether it and its files are their owner's alone.

        Raises:
            UsageError: if others can look into it, or it cannot be made.
        """
        for path in (self.root, self.path, self.file(LEASES)):
            make_private_folder(path, PLACE)
        for name in os.listdir(self.path):
            path = self.file(name)
            if os.path.isfile(path):
                require_private(os.lstat(path), PLACE)

    def file(self, name: str) -> str:
        """Path of a file of it."""
        return os.path.join(self.path, name)

    def draw(self) -> bytes | None:
        """The file of the draw; None if there is none."""
        return read_private(self.file(DRAW), PLACE)

    def every(self) -> list[ReviewFolder]:
        """All folders of the output: of the find queue, of campaigns."""
        found = map(self.beside, _names(self.root))
        return [folder for folder in found if os.path.isdir(folder.path)]

    def campaigns(self) -> list[ReviewFolder]:
        """The folders of all campaigns of the output."""
        others = [folder for folder in self.every() if folder.name != FIND]
        return [other for other in others if os.path.lexists(other.file(DRAW))]

    @property
    def is_ended(self) -> bool:
        """Whether the campaign certifies nothing any more."""
        return os.path.lexists(self.file(ENDED))

    # -- what was said

    def marks_path(self, reader: str) -> str:
        """Path of the file of a reader's marks."""
        return self.file(f"marks-{reader}.jsonl")

    def readers(self) -> list[str]:
        """Those who have a file of marks."""
        matches = map(_MARKS.fullmatch, _names(self.path))
        return [match[1] for match in matches if match]

    def marks(self) -> list[MarksFile]:
        """What was marked, and what was decided on that."""
        files = [MarksFile(name, read_lines(self.marks_path(name))) for name in self.readers()]
        decided = read_private(self.file(ADJUDICATED), PLACE)
        if decided is not None:
            files.append(MarksFile(ADJUDICATOR, decided, is_adjudicated=True))
        return files

    def adjudicated(self, is_of: Callable[[MarkedText], bool] = lambda row: True) -> ReaderMarks:
        """What was decided where readers differ; see `ReaderMarks`."""
        path = self.file(ADJUDICATED)
        return ReaderMarks(path, ADJUDICATOR, is_adjudicated=True, is_of=is_of)

    def verdicts(self) -> dict[Text, dict[str, MarkedText]]:
        """Text -> reader -> what holds of it, of texts of which the reader gave a verdict."""
        found: defaultdict[Text, dict[str, MarkedText]] = defaultdict(dict)
        for reader in self.readers():
            for text, row in ReaderMarks(self.marks_path(reader), reader).held.items():
                if row.verdict != UNFINISHED:
                    found[text][reader] = row
        return dict(found)

    # -- what was shown

    def opened(self) -> frozenset[str]:
        """Keys of the documents of which anything was shown, by the record of accesses.

        Raises:
            UsageError: if that is damaged.
        """
        return frozenset(row.doc_key for row in self._accesses())

    @property
    def is_read(self) -> bool:
        """Whether anything of it was shown or marked, as far as its files tell."""
        return bool(self.opened()) or any(file.lines() for file in self.marks())

    def exported(self) -> frozenset[str]:
        """Keys of the documents of the output that went into a corpus to train on, from any folder.

        Raises:
            UsageError: if a record of accesses is damaged.
        """
        return frozenset(
            row.doc_key
            for folder in self.every()
            for row in folder._accesses()
            if row.what == EXPORT
        )

    def _accesses(self) -> Iterator[Access]:
        content = read_lines(self.file(ACCESSES))
        if faults_of_chain(content):
            raise UsageError(
                "a record of accesses is damaged: nothing can be said of what was shown"
            )
        yield from read_accesses(content)


def _names(path: str) -> list[str]:
    """What is in a folder, if it is there.

    Raises:
        UsageError: if others can look into it.
    """
    if not os.path.lexists(path):
        return []
    require_private(os.lstat(path), PLACE, folder=True)
    return sorted(os.listdir(path))
