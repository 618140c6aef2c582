"""The register of campaigns: how often people have begun to measure the same texts.

Whoever measures until a campaign passes is bound to find one that does. The campaigns that are read
of the same texts therefore share one alpha: each takes its own from it when it is drawn, before
anybody reads, and together they may not take more. By the union bound, the chance that any of them
certifies too little is then at most that alpha, however many there are and whatever is done with
their results. One of which nobody was shown anything has told nobody anything, and costs nothing.

Each row has the hash of the one before and a mark of the master key: none can be changed, taken out
or put between. That the last ones were cut off shows where a campaign's folder is still there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ...models.core.display_names import counted
from ...models.core.errors import UsageError
from ...models.core.keys import Keys
from ...models.core.shortage import raise_shortage
from ...models.review.appended import append_line, hash_of_row, read_lines, walk_chain
from ...models.risk.bounds import ALPHA
from ...models.risk.carrying import Register
from ...models.risk.drawing import draw_sha256
from ...models.risk.rows import json_line
from .review_folder import ReviewFolder

MOST_ALPHA = ALPHA
"""That all campaigns on the same texts may spend together."""

_ROUNDING = 1e-12
_MARK = "campaign"


@dataclasses.dataclass(frozen=True, slots=True)
class RegisteredCampaign:
    """A row.

    Attributes:
        seq: its number, from 1.
        at: the day, in UTC.
        name, run: of the campaign.
        content: content digest of the run: campaigns with the same one are of the same texts.
        alpha: of the campaign.
        draw_sha256: of its draw.
        prev: see `hash_of_row`.
        mark: of all of these, by the master key.
    """

    seq: int
    at: str
    name: str
    run: str
    content: str
    alpha: float
    draw_sha256: str
    prev: str
    mark: str = ""


def read_register(folder: ReviewFolder, keys: Keys) -> tuple[RegisteredCampaign, ...]:
    """All rows.

    Raises:
        UsageError: if it was changed, has no row of a draw, or was made with another key.
    """
    rows, faults = _read_all(folder, keys)
    if faults:
        raise UsageError(f"the register of campaigns was changed: {faults[0]}. Nothing was done")
    return rows


def registered_draw(
    rows: Sequence[RegisteredCampaign], name: str, draw: bytes
) -> RegisteredCampaign:
    """The row of a draw.

    Raises:
        UsageError: if it has none.
    """
    row = next((row for row in rows if row.name == name), None)
    if row is None or row.draw_sha256 != draw_sha256(draw):
        raise UsageError(
            "the draw of the campaign is not the one that was registered: it was changed since, "
            "and certifies nothing"
        )
    return row


def faults_of_register(folder: ReviewFolder, keys: Keys | None) -> tuple[list[str], int]:
    """What is wrong with it and with the draws that it names; and how many rows it has.

    Args:
        keys: of the output; None if they are not at hand: then marks are not checked.
    """
    rows, faults = _read_all(folder, keys)
    for row in rows:
        content = folder.beside(row.name).draw()
        if content is None:
            faults.append(f"campaign {row.seq}: its draw is missing")
        elif draw_sha256(content) != row.draw_sha256:
            faults.append(f"campaign {row.seq}: its draw is not the one that was registered")
    return faults, len(rows)


def spent(
    folder: ReviewFolder, rows: Sequence[RegisteredCampaign], content: str, but: str = ""
) -> Register:
    """What the register says of some texts.

    Args:
        content: digest of the texts.
        but: name of a campaign that counts as read, whether it was or not.
    """
    same = [row for row in rows if row.content == content]
    read = [row for row in same if row.name == but or _counts(folder, row)]
    return Register(len(same), len(read), round(sum(row.alpha for row in read), 12))


def _counts(folder: ReviewFolder, row: RegisteredCampaign) -> bool:
    """Whether anything of it was shown; one whose draw is gone counts: nobody knows."""
    other = folder.beside(row.name)
    content = other.draw()
    is_there = content is not None and draw_sha256(content) == row.draw_sha256
    return not is_there or other.is_read or other.is_ended


def register_campaign(
    folder: ReviewFolder, keys: Keys, *, at: str, run: str, content: str, alpha: float, draw: str
) -> RegisteredCampaign:
    """Adds a campaign, before its draw is written.

    Args:
        draw: SHA-256 of its draw.

    Returns:
        Its row; that of an earlier try of the same draw which was stopped before it was written.

    Raises:
        UsageError: if the name is taken; if campaigns that were read leave too little alpha; if the
            register was changed.
    """
    made: list[RegisteredCampaign] = []

    def line(last: bytes | None) -> bytes:
        rows = read_register(folder, keys)  # nobody else adds to it meanwhile
        same = [row for row in rows if row.name == folder.name]
        if same and (same[0].draw_sha256 != draw or folder.draw() is not None):
            raise UsageError(
                f"there is a campaign {folder.name} already, and what is drawn stays as it is: "
                "give another --name"
            )
        if same:
            made.append(same[0])
            return b""
        require_alpha(folder, rows, content, alpha)
        prev = hash_of_row(last)
        row = RegisteredCampaign(len(rows) + 1, at, folder.name, run, content, alpha, draw, prev)
        row = dataclasses.replace(row, mark=keys.mark(_MARK, _content(row)))
        made.append(row)
        return json_line(dataclasses.asdict(row))

    try:
        append_line(folder.register, line)
    except OSError as error:
        raise_shortage(error)
        raise UsageError(
            f"the register of campaigns cannot be written ({type(error).__name__})"
        ) from None
    return made[0]


def require_alpha(
    folder: ReviewFolder, rows: Sequence[RegisteredCampaign], content: str, alpha: float
) -> None:
    """Refuses a campaign for which those that were read on the same texts leave no alpha.

    Raises:
        UsageError: saying how much is left.
    """
    before = spent(folder, rows, content)
    left = MOST_ALPHA - before.alpha
    if alpha > left + _ROUNDING:
        is_some = left > _ROUNDING
        raise UsageError(
            f"campaigns on these texts that were read: {before.read}; they have spent "
            f"{before.alpha:g} of the chance of {MOST_ALPHA:g} that a certificate is wrong: "
            "reading until one passes proves nothing. "
            + (f"What is left is --alpha {left:g}. " if is_some else "")
            + "Mend what leaked, train, and scrub again: other texts are another run"
        )


def _read_all(
    folder: ReviewFolder, keys: Keys | None
) -> tuple[tuple[RegisteredCampaign, ...], list[str]]:
    """All rows, and what is wrong with them."""
    drawn = folder.campaigns()  # first: each had its row before it was written
    rows, faults = _read(read_lines(folder.register), keys)
    if lost := len({one.name for one in drawn} - {row.name for row in rows}):
        faults.append(f"rows were cut off: the register has none of {counted(lost, 'draw')}")
    return rows, faults


def _read(content: bytes, keys: Keys | None) -> tuple[tuple[RegisteredCampaign, ...], list[str]]:
    rows, faults = [], []
    for number, (row, follows) in enumerate(walk_chain(content, RegisteredCampaign), 1):
        if row is None:
            faults.append(f"line {number} is no row of it")
            continue
        rows.append(row)
        if not follows:
            faults.append(f"line {number} does not follow from the one before")
        elif keys is not None and not keys.agrees(row.mark, _MARK, _content(row)):
            faults.append(f"line {number} was not written with the key of the output")
    return tuple(rows), faults


def _content(row: RegisteredCampaign) -> bytes:
    return json_line(dataclasses.asdict(dataclasses.replace(row, mark="")))
