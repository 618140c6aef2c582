"""From a campaign that was read to its certificate, signed or not."""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
from collections.abc import Sequence
from typing import Any

from ...models.core.errors import UsageError
from ...models.risk.carrying import Issued, read_certificate
from ...models.risk.envelope import DRAW as DRAW_SUBJECT
from ...models.risk.envelope import MANIFEST as MANIFEST_SUBJECT
from ...models.risk.envelope import MARKS as MARKS_SUBJECT
from ...models.risk.envelope import SigningKey, in_toto_statement, sign
from ...models.risk.rows import MarksFile, as_json, read_draw, sealed_marks
from ...models.risk.statement import certificate_bytes, certificate_of
from ...models.storage.storage import Storage
from ..outputs.measured_run import MeasuredRun, frame_documents, open_measured
from .register import MOST_ALPHA, RegisteredCampaign, read_register, registered_draw, spent
from .review_folder import ReviewFolder

RISK_FOLDER = "risk"
CERTIFICATE, ENVELOPE = "certificate.json", "certificate.dsse.json"
RUN_SUBJECT = "run.json"
"""Name of the subject that stands for the run: `MeasuredRun.facts`, which is no file."""

EXPIRES_DAYS = 180
_ROUNDING = 1e-9


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class IssuedCertificate:
    """A certificate that is not written yet.

    Attributes:
        value: the certificate.
        subjects: what it rests on: name -> SHA-256.
        is_published: whether its run is what the output holds.
    """

    value: dict[str, Any]
    subjects: dict[str, str]
    is_published: bool

    @property
    def reaches_target(self) -> bool:
        """Whether the primary statement is what the campaign asked for."""
        bound: float = self.value["statements"][0]["bound"]
        target: float = self.value["campaign"]["target"]
        return bound <= target

    def signed(self, keys: Sequence[SigningKey]) -> bytes:
        """The envelope."""
        return sign(in_toto_statement(self.value, self.subjects), keys)


def issue(
    storage: Storage,
    output: str,
    name: str,
    key_source: str | None,
    *,
    expires_days: int = EXPIRES_DAYS,
    trained: frozenset[str] = frozenset(),
) -> IssuedCertificate:
    """The certificate of a campaign: a function of what was drawn and marked, not of the clock.

    Args:
        expires_days: it holds for so many days from that on which the campaign was drawn.
        trained: keys of documents that a model of the run was trained on, as far as known.

    Raises:
        UsageError: if there is no such campaign, it has ended, its draw or its run was changed
            since, or the register was; if campaigns on the same texts have spent too much; if too
            little was read; see `certificate_of`.
        GateFailed: if a part of the run is not what was written.
    """
    folder = ReviewFolder.of_campaign(output, name)
    draw = folder.draw()
    if draw is None:
        raise UsageError(
            "there is no such campaign: `scrubline campaign` draws one, and `ls "
            "OUT/restricted/review` shows which there are"
        )
    if folder.is_ended:
        raise UsageError(
            "the campaign has ended: its notes were exported to train on, and say nothing any more"
        )
    campaign = read_draw(draw).campaign
    run = open_measured(storage, output, key_source, campaign.run)
    row, issued = _issued(storage, run, folder, draw)
    begun = datetime.date.fromisoformat(row.at)
    marks = folder.marks()
    value = certificate_of(
        draw,
        marks,
        run.facts,
        expires=begun + datetime.timedelta(days=expires_days),
        opened=folder.opened(),
        trained=trained | folder.exported(),
    )
    value["issued"] = as_json(issued)
    read_certificate(value)  # what is issued can be read
    return IssuedCertificate(value, subjects_of(run, draw, marks), run.manifest is not None)


def subjects_of(run: MeasuredRun, draw: bytes, marks: Sequence[MarksFile]) -> dict[str, str]:
    """Name -> SHA-256 of what a certificate rests on."""
    contents = {
        RUN_SUBJECT: run.facts,
        DRAW_SUBJECT: draw,
        MARKS_SUBJECT: sealed_marks(marks),
        **({MANIFEST_SUBJECT: run.manifest} if run.manifest is not None else {}),
    }
    return {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}


def write_certificate(
    storage: Storage, output: str, issued: IssuedCertificate, keys: Sequence[SigningKey]
) -> list[str]:
    """Writes it, and its envelope if it is signed; gives their names below the output.

    Raises:
        StorageError: if it cannot be written.
    """
    url = f"{output}/{RISK_FOLDER}"
    # An envelope of an earlier certificate must not stand beside this one.
    storage.delete(f"{url}/{ENVELOPE}")
    storage.write_bytes(f"{url}/{CERTIFICATE}", certificate_bytes(issued.value))
    written = [f"{RISK_FOLDER}/{CERTIFICATE}"]
    if keys:
        storage.write_bytes(f"{url}/{ENVELOPE}", issued.signed(keys))
        written.append(f"{RISK_FOLDER}/{ENVELOPE}")
    return written


def _issued(
    storage: Storage, run: MeasuredRun, folder: ReviewFolder, draw: bytes
) -> tuple[RegisteredCampaign, Issued]:
    """The row of a campaign in the register, and what its certificate says beside what was read."""
    rows = read_register(folder, run.keys)
    row = registered_draw(rows, folder.name, draw)
    if row.content != run.content:
        raise UsageError(
            f"run {run.job.run} is no longer what was drawn from: it was done again, or some of "
            "it was replaced by later runs"
        )
    campaign = read_draw(draw).campaign
    register = spent(folder, rows, row.content, but=folder.name)
    if register.alpha > MOST_ALPHA + _ROUNDING:
        raise UsageError(
            f"campaigns on these texts that were read: {register.read}; they have spent "
            f"{register.alpha:g} of the chance of {MOST_ALPHA:g} that a certificate is wrong: one "
            "of them passes by chance alone now and then, and none certifies anything. Scrub "
            "again, with what was found mended, and draw one campaign"
        )
    every = sum(1 for _ in frame_documents(storage, run.units))
    left_out = every - campaign.frame.documents - campaign.cut_tail.documents
    return row, Issued(run.made, run.content, row.at, register, left_out)
