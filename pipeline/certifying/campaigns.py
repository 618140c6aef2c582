"""A campaign: how much must be read, and what; drawn by key, and frozen before anybody reads."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Iterator, Sequence

from ...models.core.display_names import counted, of_them
from ...models.core.errors import GateFailed, UsageError
from ...models.core.shortage import raise_shortage
from ...models.risk.bounds import LEAST_PLANTED
from ...models.risk.drawing import LEAST_BY_TYPE, draw, draw_sha256
from ...models.risk.frame import OTHER, Frame, FrameDocument, frame_of
from ...models.risk.planting import PLANTED
from ...models.risk.rows import Campaign, DrawnList, Method, Of, Unit
from ...models.risk.sample_sizes import Reading, SampleSizes, fixed_notes, sample_sizes
from ...models.storage.private_files import write_private
from ...models.storage.storage import Storage
from ..outputs.measured_run import MeasuredRun, frame_documents, removed_spans, text_hmacs
from .register import MOST_ALPHA, read_register, register_campaign, require_alpha
from .review_folder import DRAW, ReviewFolder

_TRIES = 6
_SPARE = 1.1
"""Of notes that are to hold enough that can be planted, so many times as many are drawn."""

_SEQUENTIAL = 1.3
"""What a sequential reading costs at most, of a fixed one."""


@dataclasses.dataclass(frozen=True, slots=True)
class CampaignRequest:
    """What is asked for; see `rows.Campaign`.

    Attributes:
        target, of, unit, method, alpha, cut_tail: of the campaign.
        by_type: whether each type of note gets a statement of its own.
        notes: units to read; None for as many as the target takes.
        expected: part of the target that is supposed to leak in truth, for that number.
        trained: keys of documents that a model was trained on: they are not drawn.
    """

    target: float
    of: Of = "direct"
    unit: Unit = "document"
    method: Method = "fixed"
    alpha: float = MOST_ALPHA
    cut_tail: float = 0.0
    by_type: bool = False
    notes: int | None = None
    expected: float = 0.0
    trained: frozenset[str] = dataclasses.field(default=frozenset(), repr=False)

    def __post_init__(self) -> None:
        if not 0 < self.target < 1:
            raise UsageError(f"--target is a share over 0 and below 1, got {self.target}")
        if not 0 < self.alpha <= MOST_ALPHA:
            raise UsageError(f"--alpha is over 0 and at most {MOST_ALPHA}, got {self.alpha}")
        if not 0 <= self.expected < 1:
            raise UsageError(f"--expected is at least 0 and below 1, got {self.expected}")
        if self.notes is not None and self.notes < 1:
            raise UsageError(f"--notes must be 1 or more, got {self.notes}")
        if self.by_type and self.unit != "document":
            raise UsageError("--by-type is of documents: leave --unit patient out")


@dataclasses.dataclass(frozen=True, slots=True)
class PreparedCampaign:
    """A draw that is not written yet.

    Attributes:
        drawn: what it is.
        left_out: documents that are not drawn, as a model was trained on them.
        reading: what the sizes rest on.
        sizes: what the target takes.
    """

    drawn: DrawnList
    left_out: int
    reading: Reading
    sizes: SampleSizes

    @property
    def planted(self) -> int:
        """How many spans are planted."""
        return sum(len(text.planted) for text in self.drawn.texts)

    def most_leaks(self) -> int | None:
        """So many leaking units of the sample the target allows; None for not even none."""
        campaign = self.drawn.campaign
        if not self.reading.refutes(0, campaign.n, campaign.target):
            return None
        leaks = 0
        while leaks + 1 < campaign.n and self.reading.refutes(
            leaks + 1, campaign.n, campaign.target
        ):
            leaks += 1
        return leaks


def prepare_campaign(
    storage: Storage, run: MeasuredRun, folder: ReviewFolder, request: CampaignRequest
) -> PreparedCampaign:
    """Draws a campaign; nothing is written.

    Raises:
        UsageError: if what is asked for cannot be; if campaigns that were read leave too little
            alpha.
        GateFailed: if a part of the run is not what was written, or has not all of its texts.
    """
    if folder.draw() is not None:
        raise _is_there(folder)
    # One of this very name that was stopped before its draw was written is gone on with.
    rows = [row for row in read_register(folder, run.keys) if row.name != folder.name]
    require_alpha(folder, rows, run.content, request.alpha)
    trained = request.trained | folder.exported()
    every = list(frame_documents(storage, run.units))
    documents = [one for one in every if one.doc_key not in trained]
    _require_possible(documents, request)
    frame = _frame(documents, request)
    units = frame.facts().documents if request.unit == "document" else frame.facts().patients
    planted, n = PLANTED, 0
    for _ in range(_TRIES):
        n = max(n, request.notes or _size(request, units, planted))
        drawn = _draw(storage, run, folder.name, request, frame, n)
        found = sum(len(text.planted) for text in drawn.texts)
        if found >= planted or request.notes or n == units:
            break
        if found >= LEAST_PLANTED:
            planted = found
            if _size(request, units, planted) <= n:
                break
        else:
            n = min(units, math.ceil(_SPARE * n * LEAST_PLANTED / max(1, found)))
            planted = LEAST_PLANTED
    if found < LEAST_PLANTED:
        kind = "direct identifiers " if request.of == "direct" else ""
        raise UsageError(
            f"only {found} of the {counted(n, 'unit')} that would be read have {kind}removed that "
            f"can be planted, at least {LEAST_PLANTED} are needed: without them nothing is known "
            "of what readers miss"
            + ("; draw more with --notes" if n < units else "; measure a run of more notes")
        )
    hmacs = text_hmacs(storage, run, {text.doc_key for text in drawn.texts})
    if lost := sum((text.doc_key, text.field) not in hmacs for text in drawn.texts):
        raise GateFailed(
            f"not in the data of the run: {counted(lost, 'text')} to be read; see `verify`"
        )
    drawn = drawn.with_hmacs(hmacs)
    reading = Reading(request.alpha, min(found, PLANTED), units)
    sizes = sample_sizes(request.target, reading)
    return PreparedCampaign(drawn, len(every) - len(documents), reading, sizes)


def write_campaign(
    folder: ReviewFolder, run: MeasuredRun, prepared: PreparedCampaign, today: str
) -> str:
    """Registers a campaign and writes its draw; gives the draw's SHA-256.

    Raises:
        UsageError: if there is one of that name, or it cannot be written; see `register_campaign`.
    """
    content = prepared.drawn.to_bytes()
    sha256 = draw_sha256(content)
    folder.make()
    # First: whatever is shown of a draw is in the register. Where this is killed between the two,
    # the same command draws the same and goes on.
    register_campaign(
        folder,
        run.keys,
        at=today,
        run=run.job.run,
        content=run.content,
        alpha=prepared.drawn.campaign.alpha,
        draw=sha256,
    )
    try:
        write_private(folder.file(DRAW), [content])
    except FileExistsError:
        raise _is_there(folder) from None
    except OSError as error:
        raise_shortage(error)
        raise UsageError(f"the draw cannot be written ({type(error).__name__})") from None
    return sha256


def _is_there(folder: ReviewFolder) -> UsageError:
    return UsageError(
        f"there is a campaign {folder.name} already, and what is drawn stays as it is: give "
        "another --name"
    )


def _require_possible(documents: Collection[FrameDocument], request: CampaignRequest) -> None:
    if not documents:
        raise UsageError("the run has no scrubbed document to draw from")
    if request.unit == "patient" and all(one.patient is None for one in documents):
        raise UsageError(
            "--unit patient: nothing says whose notes these are; scrub with a column that has the "
            "role patient"
        )
    if request.cut_tail and any(one.risk is None for one in documents):
        raise UsageError(
            "--cut-tail needs the risk of each document: scrub with a model that tells it, and "
            "without --no-risk"
        )


def _frame(documents: Collection[FrameDocument], request: CampaignRequest) -> Frame:
    frame = frame_of(documents, cut_tail=request.cut_tail)
    if not request.by_type:
        return frame
    if not (asked := frame.types.keys() - {OTHER}):
        raise UsageError("--by-type: no type of notes has enough documents")
    return frame_of(documents, cut_tail=request.cut_tail, asked=asked)


def _size(request: CampaignRequest, units: int, planted: int) -> int:
    """How many units to draw.

    Raises:
        UsageError: if all there are would not do.
    """
    reading = Reading(request.alpha, planted, units)
    fixed = fixed_notes(request.target, request.expected * request.target, reading)
    if request.method == "fixed":
        if fixed is None:
            raise _too_small(request, units)
        return fixed
    sizes = sample_sizes(request.target, reading)
    if sizes.clean_sequential is None:
        raise _too_small(request, units)
    most = math.ceil(_SEQUENTIAL * (sizes.half or units))
    return min(units, max(sizes.clean_sequential, most))


def _too_small(request: CampaignRequest, units: int) -> UsageError:
    return UsageError(
        f"too few: {counted(units, request.unit)}. Not even if all of them were read, and as "
        f"little leaked as is supposed, could it be said that at most {request.target:g} leak. "
        "Measure a run of more notes, or ask for a greater --target"
    )


def _draw(
    storage: Storage,
    run: MeasuredRun,
    name: str,
    request: CampaignRequest,
    frame: Frame,
    n: int,
) -> DrawnList:
    facts = frame.facts()
    campaign = Campaign(
        name=name,
        run=run.job.run,
        fingerprint=run.job.fingerprint,
        target=request.target,
        n=min(n, facts.documents if request.unit == "document" else facts.patients),
        frame=facts,
        cut_tail=frame.cut_tail,
        of=request.of,
        unit=request.unit,
        method=request.method,
        alpha=request.alpha,
        types=tuple(sorted(frame.asked)),
    )
    # What is planted does not change what is drawn: so only the audit of that is kept.
    bare = draw(campaign, frame, run.keys.draws)
    spans = removed_spans(storage, run, {text.doc_key for text in bare.texts})
    return draw(campaign, frame, run.keys.draws, spans)


# -- said before anything is written


def campaign_lines(prepared: PreparedCampaign) -> Iterator[str]:
    """Yields what is drawn, and how much a target takes, line by line."""
    campaign, texts = prepared.drawn.campaign, prepared.drawn.texts
    frame = campaign.frame
    yield (
        f"run {campaign.run}: {counted(frame.documents, 'document')} of "
        f"{counted(frame.patients, 'patient')}, {counted(frame.tokens, 'token')}"
    )
    cut = campaign.cut_tail
    if cut.documents:
        yield (
            f"cut: the {counted(cut.documents, 'document')} of a risk over {cut.threshold}; "
            "nothing is said of them, and the gate counts each as a leak"
        )
    if prepared.left_out:
        yield (
            f"left out: {counted(prepared.left_out, 'document')} that a model was trained on; "
            "the gate counts each as a leak"
        )
    yield ""
    yield from _size_lines(prepared)
    units = {text.n for text in texts if not text.extra}
    extras = {text.n for text in texts if text.extra}
    yield ""
    most = "at most " if campaign.method == "sequential" else ""
    yield (
        f"campaign {campaign.name}: {most}{counted(len(units), campaign.unit)} to read, in "
        f"{counted(len(texts), 'text')}; {sum(text.twice for text in texts)} of them twice, by two "
        f"people; {counted(prepared.planted, 'span')} planted"
    )
    if extras:
        yield (
            f"for statements by type: {len(extras)} more, so that each of "
            f"{counted(len(campaign.types), 'type')} has {LEAST_BY_TYPE} or all it has"
        )
    if campaign.method == "fixed":
        yield from _chance_lines(prepared)


def _size_lines(prepared: PreparedCampaign) -> Iterator[str]:
    campaign, sizes = prepared.drawn.campaign, prepared.sizes
    what = "a direct identifier" if campaign.of == "direct" else "PHI of any kind"
    yield (
        f"{campaign.unit}s to read, until at most {_percent(campaign.target)} are certified to "
        f"hold {what}, with a confidence of {1 - campaign.alpha:.1%}:"
    )
    rows = [
        ("none of those that are read leaks", sizes.clean, sizes.clean_sequential),
        (f"{_percent(campaign.target / 4)} leak in truth", sizes.quarter, None),
        (f"{_percent(campaign.target / 2)} leak in truth", sizes.half, None),
        (f"{_percent(campaign.target * 0.75)} leak in truth", sizes.three_quarters, None),
    ]
    for number, (what_is_so, fixed, sequential) in enumerate(rows):
        said = "more than there are" if fixed is None else f"{fixed:,}"
        if sequential is not None:
            said += f"  (--sequential: {sequential:,})"
        yield f"  if {what_is_so + ':':<36} {said}{'  (chance 80 %)' if number else ''}"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _chance_lines(prepared: PreparedCampaign) -> Iterator[str]:
    """What the sample allows, and how likely it suffices."""
    campaign = prepared.drawn.campaign
    leaks = prepared.most_leaks()
    if leaks is None:
        yield "WARNING: that is too few for the target, even if none of them leaks"
        return
    chances = [
        f"{prepared.reading.chance(leaks, campaign.n, campaign.target * part):.0%} if "
        f"{_percent(campaign.target * part)} leak in truth"
        for part in (0.25, 0.5)
    ]
    yield (
        f"it certifies the target if at most {of_them(leaks, 'leaks', 'leak')}: a chance of "
        + ", ".join(chances)
    )


def read_trained(lines: Sequence[str]) -> frozenset[str]:
    """Keys of documents, one a line.

    Raises:
        UsageError: if a line is none.
    """
    found = set()
    for number, line in enumerate(lines, 1):
        if not (word := line.strip()):
            continue
        if len(word) != 32 or set(word) - set("0123456789abcdef"):
            raise UsageError(f"--trained: line {number} is no doc_key of 32 hexadecimal digits")
        found.add(word)
    return frozenset(found)
