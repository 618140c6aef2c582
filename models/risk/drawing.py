"""Which notes are read: a random draw that nobody chooses and that the holder of the key repeats.

Units are ordered by a keyed hash, and the first n are the sample: a simple random draw of the whole
frame, without replacement, at whatever unit it stops. Each note type then has its part of the
sample by chance, in proportion on average. Where a statement of a type is asked and the sample has
too few of it, the next of that type in the same order are read besides, for that statement alone.

Allocating the sample to types beforehand would not do: with a least number a type the sample is no
longer in proportion, one that is rounded is not quite so, and a prefix of it is not at all. Bounds
of all notes taken over such a sample are too low where small types leak less than others.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Sequence

from .frame import Frame, FrameDocument, unit_of_patient
from .judging import is_direct
from .planting import PLANTED, RemovedSpan, keyed, plant
from .rows import Campaign, DrawnList, DrawnText
from .sample_sizes import Reading, sequential_notes

LEAST_BY_TYPE = 30
"""Documents that are read at least of a type of which a statement is asked, if it has so many."""

TWICE_ONE_IN = 10
"""One of so many units is read by two people."""


def draw(
    campaign: Campaign,
    frame: Frame,
    key: bytes,
    removed: Iterable[RemovedSpan] = (),
    *,
    planted: int = PLANTED,
    least_by_type: int = LEAST_BY_TYPE,
) -> DrawnList:
    """Draws the texts of a campaign.

    Args:
        campaign: with the facts of the same frame.
        frame: what to draw from.
        key: `Keys.draws`.
        removed: spans that the run removed, at least those of documents that are drawn; of these,
            those that count for the primary statement may be planted.
        planted: how many spans to plant; with method `sequential`, in each as many units as suffice
            at the earliest.
        least_by_type: documents to read of each type of which a statement is asked.

    Returns:
        The list, to be written and hashed before the first text is shown; without the hashes of
        texts, see `DrawnList.with_hmacs`.

    Raises:
        ValueError: if the campaign is of another frame.
    """
    if (campaign.frame, campaign.cut_tail) != (frame.facts(), frame.cut_tail):
        raise ValueError("the campaign is of another frame")
    if not frame.asked.issuperset(campaign.types):
        raise ValueError("the frame was made without the types of which a statement is asked")
    strata = frame.strata()
    units = _ordered_units(campaign, frame, key)
    read = [(unit, False) for unit in units[: campaign.n]]
    read += [(unit, True) for unit in _extras(campaign, units, strata, least_by_type)]
    shown = [one.doc_key for unit, _ in read for one in unit]
    places = plant(
        shown,
        (span for span in removed if campaign.of == "any" or is_direct(span.label)),
        key,
        campaign.name,
        planted=planted,
        within=_stretch_of_planting(campaign, planted, len(shown), len(read)),
    )
    twice = _read_twice(len(read), key, campaign.name)
    texts = []
    for number, (unit, extra) in enumerate(read, 1):
        for one in unit:
            for field in one.fields:
                place = places.get((one.doc_key, field))
                row = DrawnText(number, one.doc_key, field, strata[one.doc_key], campaign.run, "")
                texts.append(
                    dataclasses.replace(
                        row,
                        planted=(place,) if place else (),
                        twice=number in twice,
                        extra=extra,
                    )
                )
    return DrawnList(campaign, tuple(texts))


def draw_sha256(content: bytes) -> str:
    """The number of a draw: SHA-256 of the bytes of its file."""
    return hashlib.sha256(content).hexdigest()


def _ordered_units(campaign: Campaign, frame: Frame, key: bytes) -> list[list[FrameDocument]]:
    """The documents of each unit, units in the order of their keyed hash."""
    units: dict[tuple[str, str], list[FrameDocument]] = {}
    for one in frame.documents:
        of = ("document", one.doc_key) if campaign.unit == "document" else unit_of_patient(one)
        units.setdefault(of, []).append(one)
    order = sorted(units, key=lambda unit: keyed(key, "order", campaign.name, *unit))
    return [units[unit] for unit in order]


def _extras(
    campaign: Campaign,
    units: Sequence[list[FrameDocument]],
    strata: dict[str, str],
    least: int,
) -> list[list[FrameDocument]]:
    """Units beyond the sample that are read for statements of types, in the order of the draw."""
    if not campaign.types:
        return []
    lacking = dict.fromkeys(campaign.types, least)
    extras = []
    for number, unit in enumerate(units):
        stratum = strata[unit[0].doc_key]
        if lacking.get(stratum, 0) > 0:
            lacking[stratum] -= 1
            if number >= campaign.n:
                extras.append(unit)
    return extras


def _stretch_of_planting(
    campaign: Campaign, planted: int, documents: int, units: int
) -> int | None:
    """In how many documents the planted spans lie; None for all that are drawn."""
    if campaign.method == "fixed" or planted < 1:
        return None
    reading = Reading(campaign.alpha, max(planted, 60), campaign.units)
    least = sequential_notes(campaign.target, reading)
    if least is None:
        return None
    # Of patients, documents are planted; as many as lie in so many units on average.
    return max(planted, round(least * documents / max(1, units)))


def _read_twice(units: int, key: bytes, campaign: str) -> set[int]:
    """Numbers of the units that two people read: one of each ten, chosen by key."""
    chosen = set()
    for first in range(1, units + 1, TWICE_ONE_IN):
        block = range(first, min(first + TWICE_ONE_IN, units + 1))
        if len(block) == TWICE_ONE_IN or first == 1:
            chosen.add(min(block, key=lambda n: keyed(key, "twice", campaign, str(n))))
    return chosen
