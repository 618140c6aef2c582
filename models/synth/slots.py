"""All slots of templates, by name: docs/synth.md tells what each is."""

from __future__ import annotations

from . import calendar, clinical, numbers, people, places
from .filling import Maker, Note, Pieces
from .parsing import Slot


def _lab(note: Note, slot: Slot) -> Pieces:
    """`{lab}` is an institution, `{lab.value}` a result."""
    table = clinical.SLOTS if slot.form == "value" else places.SLOTS
    return table["lab"](note, slot)


SLOTS: dict[str, Maker] = {
    **people.SLOTS,
    **calendar.SLOTS,
    **places.SLOTS,
    **numbers.SLOTS,
    **clinical.SLOTS,
    "lab": _lab,
}
