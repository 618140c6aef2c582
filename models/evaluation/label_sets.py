"""Which labels a metric needs, and labels that one side of a comparison cannot have."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator

from ..core.label_maps import NATIVE, label_map_names, load_map
from ..core.labels import LABELS


def native_only(labels: Collection[str]) -> str | None:
    """For `Metric.lacks`: why labels are not enough for a metric that needs native ones."""
    if set(labels) <= set(LABELS):
        return None
    return "needs the native labels (i2b2 2014's); map them with --label-map"


def unknown_labels(labels: Collection[str], others: Collection[str]) -> tuple[str, ...]:
    """The labels of one side that are in no label set of the other side, sorted.

    A label that the other side could have had but did not use is not among them: some set with all
    of the other side's labels, the native set or that of a shipped map, contains it.

    Args:
        labels: of one side.
        others: of the other side; if empty, nothing is unknown.
    """
    if not others:
        return ()
    sets = [known for known in _known_sets() if known.issuperset(others)]
    new = set(labels) - set(others)
    return tuple(sorted(label for label in new if not any(label in known for known in sets)))


def label_warnings(gold: Collection[str], predicted: Collection[str]) -> Iterator[str]:
    """Yields a warning, with the remedy, for each side that has labels unknown to the other."""
    for side, other, option, own, labels in (
        ("gold", "the prediction", "--label-map", gold, unknown_labels(gold, predicted)),
        ("predicted", "gold", "--predicted-label-map", predicted, unknown_labels(predicted, gold)),
    ):
        if labels:
            # A map is refused where it lacks any label of the side, be it known to the other.
            maps = [name for name, known in _maps().items() if known.issuperset(own)]
            lacking = f" and a map of your own: no shipped one has all {side} labels"
            which = f" {' or '.join(maps)}" if maps else lacking
            yield (
                f"{side} labels unknown to {other}: {', '.join(labels)}. Their spans can never "
                f"match by label; map them with {option}{which}"
            )


@functools.cache
def _maps() -> dict[str, frozenset[str]]:
    """Shipped maps to native labels -> the labels that they map."""
    maps = {name: load_map(name) for name in label_map_names()}
    return {n: frozenset(mapping.table) for n, mapping in maps.items() if mapping.target == NATIVE}


def _known_sets() -> Iterator[frozenset[str]]:
    yield frozenset(LABELS)
    yield from _maps().values()
