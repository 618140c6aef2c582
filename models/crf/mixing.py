"""Mixing: models that learned from parts of a corpus, as one with the means of their weights.

The averaged perceptron depends on the order and the choice of its notes; means of several depend
less, and each part needs its share of the memory alone.

Source: McDonald, Hall and Mann 2010, "Distributed Training Strategies for the Structured
Perceptron", §3 (parameter mixing), with equal mixing weights.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.arrays import Floats, Ints
from .model_file import CrfModel, snap


def mix(models: Sequence[CrfModel]) -> CrfModel:
    """The model with the mean of each weight, on the grid; 0 stands for one that a model lacks.

    Args:
        models: one or more, of any tags and attributes.

    Raises:
        BundleError: if a weight is too large for exact sums.
    """
    if len(models) == 1:
        return models[0]
    tags = tuple(sorted({tag for model in models for tag in model.tags}))
    attributes = tuple(dict.fromkeys(name for model in models for name in model.attributes))
    tag_ids = {tag: index for index, tag in enumerate(tags)}
    ids = {name: index for index, name in enumerate(attributes)}
    states: list[tuple[Ints, Floats]] = []
    transitions: list[tuple[Ints, Floats]] = []
    for model in models:
        of_tags = np.array([tag_ids[tag] for tag in model.tags], np.int64)
        of_names = np.array([ids[name] for name in model.attributes], np.int64)
        rows = of_names[model.state_attributes] * len(tags) + of_tags[model.state_tags]
        states.append((rows, model.state_weights))
        pairs = of_tags[model.transition_sources] * len(tags) + of_tags[model.transition_targets]
        transitions.append((pairs, model.transition_weights))
    rows, weights = _means(states)
    pairs, of_pairs = _means(transitions)
    return snap(
        CrfModel(
            tags=tags,
            attributes=attributes,
            state_attributes=rows // len(tags),
            state_tags=rows % len(tags),
            state_weights=weights,
            transition_sources=pairs // len(tags),
            transition_targets=pairs % len(tags),
            transition_weights=of_pairs,
        )
    )


def _means(found: Sequence[tuple[Ints, Floats]]) -> tuple[Ints, Floats]:
    """The keys of any model, ascending, and their means over all models."""
    keys, inverse = np.unique(np.concatenate([own for own, _ in found]), return_inverse=True)
    sums = np.bincount(inverse, np.concatenate([weights for _, weights in found]), len(keys))
    return keys, sums / len(found)
