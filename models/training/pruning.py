"""Size control: removes the smallest weights until a model fits.

L1 (c1) sets most weights to exactly 0 at no cost in quality; with the perceptron or c1=0 all
weights remain, most of them small. The smallest contribute least to every sum, so they go first.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from ..bundles.bundle import Bundle, revise_bundle
from ..core.errors import UsageError
from ..crf.model_file import CONSTANT, CrfModel
from ..crf.packed import pack
from ..recipes import Recipe


@dataclasses.dataclass(frozen=True, slots=True)
class PrunedModels:
    """Models that fit.

    Attributes:
        models: key of a tagger -> model.
        threshold: smaller state weights (in absolute value) are left out.
        kept: share of the state weights that are kept.
    """

    models: Mapping[str, CrfModel]
    threshold: float
    kept: float


def prune_to_size(models: Mapping[str, CrfModel], most_bytes: int) -> PrunedModels:
    """The models, pruned at the lowest common threshold at which they fit.

    Transitions and the weights of the constant attribute stay, and no weight changes, so all stay
    on the grid.

    Args:
        models: key of a tagger -> model.
        most_bytes: limit for all of them together, packed.

    Raises:
        UsageError: if not even a model without state weights fits.
    """
    sizes = np.abs(np.concatenate([model.state_weights for model in models.values()]))
    # The first threshold keeps everything, the last one only the constant.
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
            f"--max-size: even without features the model has {least:,} bytes; allow more"
        )
    while low < high:
        middle = (low + high) // 2
        if size(middle) <= most_bytes:
            high = middle
        else:
            low = middle + 1
    threshold = float(steps[low])
    return PrunedModels(
        left(low), threshold, float(np.mean(sizes >= threshold)) if len(sizes) else 1.0
    )


def require_weights(recipe: Recipe) -> None:
    """Raises UsageError if a tagger of the recipe will have no weights that could go."""
    if any(tagger.learner.family == "trees" for tagger in recipe.taggers):
        raise UsageError("--max-size: trees cannot be made smaller; give fewer rounds")


def shrink(bundle: Bundle, most_bytes: int) -> tuple[Bundle, PrunedModels]:
    """The bundle with models that fit, and the pruned models; the card records it.

    Raises:
        UsageError: see `prune_to_size` and `require_weights`.
    """
    require_weights(bundle.recipe)
    weights = {key: one for key, one in bundle.models.items() if isinstance(one, CrfModel)}
    pruned = prune_to_size(weights, most_bytes)
    size = {"least weight kept": pruned.threshold, "share of weights kept": pruned.kept}
    return revise_bundle(bundle, models=pruned.models, card={"size": size}), pruned


def prune(model: CrfModel, threshold: float) -> CrfModel:
    """The model without state weights below a threshold and attributes left without weights."""
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
