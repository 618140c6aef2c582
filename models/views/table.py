"""The decoders, in the order in which a text is decoded, and the view that they lead to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ..core.views import Edit, View
from . import backslashes, entities, invisible, markup, octets, spaced, wide, wraps

Edits = Callable[[str], list[Edit]]

REPEATED: Mapping[str, Edits] = MappingProxyType(
    {
        "invisible": invisible.edits,
        "entities": entities.edits,
        "percent": octets.percent_edits,
        "quoted": octets.quoted_edits,
        "backslashes": backslashes.edits,
        "wide": wide.edits,
        "markup": markup.edits,
        "wraps": wraps.edits,
    }
)
"""What may be written in one another: `&amp;#79;`, an entity for a joiner."""

LAST: Mapping[str, Edits] = MappingProxyType(
    {
        "marks": invisible.mark_edits,
        "spaced": spaced.edits,
    }
)
"""What is looked at in the decoded text, once."""

DECODERS: Mapping[str, Edits] = MappingProxyType({**REPEATED, **LAST})
"""Name -> the edits of a text."""

MOST_ROUNDS = 3
"""So deep one may be written in another; it bounds the time."""


def decoded(view: View) -> View:
    """What a reader sees of a view; the same object if that is what is written."""
    for _ in range(MOST_ROUNDS):
        before = view
        for edits in REPEATED.values():
            view = view.edited(edits(view.text))
        if view is before:
            break
    for edits in LAST.values():
        view = view.edited(edits(view.text))
    return view
