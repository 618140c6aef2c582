"""What the parts that tag have in common: from tags of fine tokens to a part."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Sequence

from ..crf.learning import Progress, learn
from ..errors import UsageError
from ..features import Features
from ..recipes.recipe import Learner
from .base import Declaration, TagPart, make_tag_part
from .sources import Origin


def by_sequence(tags: Sequence[str], features: Features) -> list[list[str]]:
    """Tags of all items, cut into the sequences of the batch."""
    rows = features.sequence_offsets.tolist()
    return [list(tags[begin:end]) for begin, end in zip(rows, rows[1:], strict=False)]


def train_tag_part(
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
) -> TagPart:
    """Learns the weights and makes the part; same input, same bytes.

    Args:
        name: of the part.
        declaration: what `features` were made by.
        features: of all training texts.
        tags: one list for each sequence, one tag for each item.
        learner: algorithm and parameters.
        corpus: what the card says of the training texts, in counts.
        origin: of the training texts.
        command: what the part was made by, for the card.
        progress: see `models.crf.learning.Progress`.
    """
    if not len(features.starts):
        raise UsageError(f"part {name}: there is no token to learn from")
    model = learn(features, tags, learner, progress=progress)
    card = {
        "trained_on": origin.title,
        "licence": origin.licence,
        "command": command,
        "corpus": {**corpus, "tokens": len(features.starts)},
        "learner": {
            "algorithm": learner.algorithm,
            "parameters": dict(learner.parameters),
            "python-crfsuite": importlib.metadata.version("python-crfsuite"),
        },
        "scores": {},
    }
    return make_tag_part(name, declaration, model, card=card, licence_text=origin.text())
