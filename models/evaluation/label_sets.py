"""Labels that one side of a comparison cannot know: no span of theirs ever matches."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator

from ..labels import LABELS
from ..mapping import NATIVE, load_map
from ..shipped import shipped_names


def unknown_labels(labels: Collection[str], others: Collection[str]) -> tuple[str, ...]:
    """The labels of one side that are of no label set of the other, sorted.

    A label that the other side merely did not give is known to it: it is of a set that has all of
    the other's labels, the native set or that of a shipped map.

    Args:
        labels: of one side.
        others: of the other side; where there are none, nothing is said.
    """
    if not others:
        return ()
    sets = [known for known in _known_sets() if known.issuperset(others)]
    return tuple(
        sorted(one for one in set(labels) - set(others) if not any(one in s for s in sets))
    )


def label_warnings(gold: Collection[str], predicted: Collection[str]) -> Iterator[str]:
    """Yields a line for each side with labels that the other cannot know, with the remedy."""
    for side, other, option, labels in (
        ("gold", "the prediction", "--label-map", unknown_labels(gold, predicted)),
        ("predicted", "gold", "--predicted-label-map", unknown_labels(predicted, gold)),
    ):
        if labels:
            maps = [name for name, known in _maps().items() if known.issuperset(labels)]
            which = f" {' or '.join(maps)}" if maps else ": a map of yours, or a shipped one"
            yield (
                f"{side} labels unknown to {other}: {', '.join(labels)}. No span of theirs can "
                f"match by label; map them with {option}{which}"
            )


@functools.cache
def _maps() -> dict[str, frozenset[str]]:
    """Shipped maps to native labels -> the labels that they take."""
    maps = {name: load_map(name) for name in shipped_names("label_maps")}
    return {name: frozenset(one.table) for name, one in maps.items() if one.target == NATIVE}


def _known_sets() -> Iterator[frozenset[str]]:
    yield frozenset(LABELS)
    yield from _maps().values()
