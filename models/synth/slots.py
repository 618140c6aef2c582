"""All slots of templates, by name: docs/synth.md tells what each is."""

from __future__ import annotations

from . import calendar, clinical, numbers, people, places
from .filling import Maker, Note, Pieces
from .parsing import ENGLISH, SPANISH, Slot
from .spanish import spanish_slots
from .world import slots_abroad


def _lab(note: Note, slot: Slot) -> Pieces:
    """`{lab}` is an institution, `{lab.value}` a result."""
    table = clinical.SLOTS if slot.form == "value" else _ABROAD
    return table["lab"](note, slot)


_AT_HOME: dict[str, Maker] = {
    **people.SLOTS,
    **calendar.SLOTS,
    **places.SLOTS,
    **numbers.SLOTS,
    **clinical.SLOTS,
}

_ABROAD = slots_abroad({**_AT_HOME, "lab": places.SLOTS["lab"]})

SLOTS: dict[str, Maker] = {**_AT_HOME, **_ABROAD, "lab": _lab}

SLOTS_IN: dict[str, dict[str, Maker]] = {
    ENGLISH: SLOTS,
    SPANISH: {**SLOTS, **spanish_slots({**_AT_HOME, "lab": places.SLOTS["lab"]})},
}
"""Language -> its slots."""
