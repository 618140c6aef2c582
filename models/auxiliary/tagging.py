"""What auxiliary taggers share: training one from tagged fine tokens."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Sequence

from ..core.errors import UsageError
from ..core.feature_rows import Features
from ..core.version import VERSION
from ..crf.learning import Progress, learn
from ..families import require_crf
from ..recipes.recipe import Learner
from .base import make_tagger
from .kinds import AuxiliaryTagger, Declaration
from .sources import Origin


def by_sequence(tags: Sequence[str], features: Features) -> list[list[str]]:
    """Tags of all items, cut into the sequences of the batch."""
    rows = features.sequence_offsets.tolist()
    return [list(tags[begin:end]) for begin, end in zip(rows, rows[1:], strict=False)]


def train_tagger(
    name: str,
    declaration: Declaration,
    features: Features,
    tags: Sequence[Sequence[str]],
    learner: Learner,
    *,
    corpus: dict[str, object],
    origin: Origin,
    command: str,
    progress: Progress | None,
) -> AuxiliaryTagger:
    """Learns the weights and assembles the tagger; the same input gives the same bytes.

    Args:
        name: of the model.
        declaration: what `features` were computed by.
        features: of all training texts.
        tags: one list for each sequence, one tag for each item.
        learner: algorithm and parameters.
        corpus: counts of the training texts, for the card.
        origin: of the training texts.
        command: that makes the model, for the card.
        progress: see `models.crf.learning.Progress`.

    Raises:
        UsageError: if there are no tokens.
    """
    if not len(features.starts):
        raise UsageError(f"{name}: the training data has no tokens")
    require_crf(learner.algorithm, "the algorithm of an auxiliary model")
    model = learn(features, tags, learner, progress=progress)
    card = {
        "trained_on": origin.title,
        "licence": origin.licence,
        "command": command,
        "scrubline": VERSION,
        "corpus": {**corpus, "tokens": len(features.starts)},
        "learner": {
            "algorithm": learner.algorithm,
            "parameters": dict(learner.parameters),
            "python-crfsuite": importlib.metadata.version("python-crfsuite"),
        },
        "scores": {},
    }
    return make_tagger(name, declaration, model, card=card, licence_text=origin.text())
