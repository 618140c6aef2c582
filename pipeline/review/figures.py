"""What a page shows in numbers: agreement of readers, and how far a campaign has come."""

from __future__ import annotations

import dataclasses
from typing import Any

from ...models.core.errors import UsageError
from ...models.review.readers import TextOfReaders, agreement_of
from ...models.review.segments import words_of
from ...models.risk.judging import Judgement, judge
from ...models.risk.rows import DONE, UNFINISHED, DrawnList
from ...models.risk.statement import statements_of
from .desk import ReviewDesk
from .refusals import DeskRefusal


def agreement_json(desk: ReviewDesk) -> dict[str, Any]:
    """How far readers agree, over the texts that two or more have read to the end.

    In a campaign a reader sees only what comes of texts that he has read himself.
    """
    by_text: dict[tuple[str, str], dict[str, Any]] = {}
    for reader, marks in desk.readers().items():
        for text, row in marks.held.items():
            if row.verdict == DONE and text in desk.ranks:
                by_text.setdefault(text, {})[reader] = row.spans
    own = desk.settings.reviewer
    texts = [
        TextOfReaders(words_of(desk.segments(text), fine=True), marks)
        for text, marks in sorted(by_text.items())
        if len(marks) > 1 and (not desk.is_blind or desk.settings.is_adjudicator or own in marks)
    ]
    found = agreement_of(texts)
    return {
        "read_twice": found.read_twice,
        "strict": dataclasses.asdict(found.strict),
        "blind": dataclasses.asdict(found.blind),
        "kappa": found.kappa,
        "alpha": found.alpha,
        "by_label": [
            {"label": label, "f1": f1, "spans": spans}
            for label, (f1, spans) in sorted(found.by_label.items())
        ],
        "pairs": [dataclasses.asdict(pair) for pair in found.pairs],
    }


def measure_json(desk: ReviewDesk) -> dict[str, Any]:
    """How far a campaign has come; what leaks is told only where reading may stop at any time.

    Raises:
        DeskRefusal: if no campaign is read, or its files do not agree.
    """
    if desk.drawn is None:
        raise DeskRefusal(404, "NoCampaign", "this server reads the find queue")
    campaign = desk.drawn.campaign
    try:
        judged = judge(desk.drawn, desk.folder.marks(), desk.folder.opened())
    except UsageError as error:
        raise DeskRefusal(503, "BadMarks", str(error)) from None
    skipped = sum(
        row.verdict not in (DONE, UNFINISHED)
        for marks in desk.readers().values()
        for row in marks.held.values()
    )
    sample = [unit for unit in judged.units if not unit.extra]
    read = sum(unit.is_read for unit in sample)
    leaking = sum(unit.leaks_any(campaign.of) for unit in sample)
    is_sequential = campaign.method == "sequential"
    return {
        "read": read,
        "skipped": skipped,
        "n": campaign.n,
        "planted": judged.recall.planted,
        "found": judged.recall.found,
        "so_far": {"k": leaking, "n": len(sample)} if is_sequential else None,
        "enough": _is_enough(desk.drawn, judged) if is_sequential else read >= campaign.n,
    }


def _is_enough(drawn: DrawnList, judged: Judgement) -> bool:
    """Whether what was read certifies the target."""
    try:
        primary = statements_of(drawn.campaign, judged)[0]
    except (UsageError, ValueError):
        return False  # too few are planted, or nothing is read yet
    return primary.bound <= drawn.campaign.target
