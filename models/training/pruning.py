"""Size control: leaving out the smallest weights until a model fits.

L1 (c1) leaves most weights at exactly 0 and costs no quality; the perceptron and c1=0 leave them
all, and most are small. Those weigh least in every sum, so they go first.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from ..bundles import Bundle, revise_bundle
from ..crf.model_file import CONSTANT, CrfModel
from ..crf.packed import pack
from ..errors import UsageError


@dataclasses.dataclass(frozen=True, slots=True)
class Pruned:
    """Models that fit.

    Attributes:
        models: kind of tagger -> model.
        threshold: state weights below it in size are left out.
        kept: share of the state weights.
    """

    models: Mapping[str, CrfModel]
    threshold: float
    kept: float


def prune_to_size(models: Mapping[str, CrfModel], most_bytes: int) -> Pruned:
    """The models with the lowest threshold for all of them at which they fit.

    Transitions and the constant attribute's weights stay, and no weight changes: what is on the
    grid stays on it.

    Args:
        models: kind of tagger -> model.
        most_bytes: for all of them together, packed.

    Raises:
        UsageError: if not even a model without state weights fits.
    """
    sizes = np.abs(np.concatenate([model.state_weights for model in models.values()]))
    # 0 leaves everything as it is; the last leaves nothing but the constant.
    steps = np.unique(np.append(sizes, [0.0, sizes.max(initial=0.0) + 1.0]))

    def left(step: int) -> dict[str, CrfModel]:
        if step == 0:
            return dict(models)
        return {kind: prune(model, float(steps[step])) for kind, model in models.items()}

    def size(step: int) -> int:
        return sum(len(pack(model)) for model in left(step).values())

    low, high = 0, len(steps) - 1
    if size(0) <= most_bytes:
        high = 0
    elif (least := size(high)) > most_bytes:
        raise UsageError(
            f"--max-size: the model has {least:,} bytes without any feature; allow more"
        )
    while low < high:
        middle = (low + high) // 2
        if size(middle) <= most_bytes:
            high = middle
        else:
            low = middle + 1
    threshold = float(steps[low])
    return Pruned(left(low), threshold, float(np.mean(sizes >= threshold)) if len(sizes) else 1.0)


def shrink(bundle: Bundle, most_bytes: int) -> tuple[Bundle, Pruned]:
    """The bundle with models that fit, and what was done; the card says it too.

    Raises:
        UsageError: as `prune_to_size`.
    """
    pruned = prune_to_size(bundle.models, most_bytes)
    size = {"least weight kept": pruned.threshold, "share of weights kept": pruned.kept}
    return revise_bundle(bundle, models=pruned.models, card={"size": size}), pruned


def prune(model: CrfModel, threshold: float) -> CrfModel:
    """The model without state weights below a threshold in size, and attributes without weights."""
    constant = model.attributes.index(CONSTANT) if CONSTANT in model.attributes else -1
    kept = (np.abs(model.state_weights) >= threshold) | (model.state_attributes == constant)
    used = np.zeros(len(model.attributes), np.bool_)
    used[model.state_attributes[kept]] = True
    renumbered = np.cumsum(used) - 1
    return dataclasses.replace(
        model,
        attributes=tuple(model.attributes[index] for index in np.flatnonzero(used).tolist()),
        state_attributes=renumbered[model.state_attributes[kept]],
        state_tags=model.state_tags[kept],
        state_weights=model.state_weights[kept],
    )
