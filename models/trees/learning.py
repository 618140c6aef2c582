"""AdaBoostM1 on C4.5: from features and tags to a model.

Source: Freund, Schapire 1996, "Experiments with a New Boosting Algorithm", fig. 1; as in Szarvas et
al. 2006, §3.3, each round grows a tree of C4.5 (`growing`) on reweighted items.

Deviations: where the paper is silent, the first tree is kept if it errs in half of the weight or
more, alone and with one vote, so that there always is a model; a tree without errors ends the
learning and votes as if half an item were wrong; weights lie on a grid on which their sums are
exact, votes are whole numbers of 1 / 4096.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np

from ..core.arrays import Floats, Ids, Ints
from ..core.errors import UsageError
from ..core.feature_rows import Features
from ..learners.decoder import indexed
from .arithmetic import natural_log
from .coding import code_matrix, history_columns, learn_coding
from .declaration import TreesDeclaration
from .growing import Bytes, Grow, GrownTree, TreeParameters, grower, snapped
from .model import MOST_TAGS, VOTE_STEPS, CodingTable, TreesModel

Progress = Callable[[int, float], None]
"""Called after each round with its number, from 1, and the weighted share that its tree errs in."""

MOST_ROUNDS = 1000


@dataclasses.dataclass(frozen=True, slots=True)
class BoostingParameters:
    """How much is boosted.

    Attributes:
        rounds: most trees, 1 to 1000; 30 in Szarvas et al. 2006.
        tree: how each is grown.

    Raises:
        UsageError: if a value is out of range.
    """

    rounds: int = 30
    tree: TreeParameters = dataclasses.field(default_factory=TreeParameters)

    def __post_init__(self) -> None:
        whole = isinstance(self.rounds, int) and not isinstance(self.rounds, bool)
        if not whole or not 1 <= self.rounds <= MOST_ROUNDS:
            raise UsageError(
                f"boosted-trees: rounds must be a whole number from 1 to {MOST_ROUNDS}"
            )

    @classmethod
    def of(cls, rounds: int = 30, least: int = 5, confidence: float = 0.35) -> BoostingParameters:
        """Parameters as a recipe names them."""
        return cls(rounds, TreeParameters(least, confidence))


def learn(
    features: Features,
    tags: Sequence[Sequence[str]],
    declared: TreesDeclaration,
    parameters: BoostingParameters,
    *,
    progress: Progress | None = None,
    grow: Grow | None = None,
) -> TreesModel:
    """Trains boosted trees; same input, same model, on every machine.

    Args:
        features: at least those that are declared, of all training documents.
        tags: one list for each sequence, one tag for each of its items.
        declared: how features are coded, and how many classes of items before are seen.
        parameters: see there.
        progress: see `Progress`; an exception that it raises ends the training and propagates.
        grow: how trees are grown; the fastest way if None. All give the same.

    Raises:
        UsageError: if there is nothing to learn, or there are too many tags or columns.
    """
    _check(features, tags)
    names = sorted({tag for sequence in tags for tag in sequence}, key=lambda t: (t != "O", t))
    if len(names) > MOST_TAGS:
        raise UsageError(f"boosted-trees: {len(names)} tags; at most {MOST_TAGS} can be learned")
    numbers = {tag: number for number, tag in enumerate(names)}
    classes = np.array([numbers[tag] for sequence in tags for tag in sequence], np.int64)
    table = learn_coding(features, classes, names, declared)
    codes = _columns(features, table, classes, declared.history)
    trees, votes = boost(codes, classes.astype(np.uint8), len(names), parameters, progress, grow)
    return TreesModel(
        tuple(names),
        table,
        declared.history,
        votes,
        np.concatenate([tree.columns for tree in trees]).astype(np.int64),
        np.concatenate([tree.values for tree in trees]).astype(np.int64),
    )


def boost(
    codes: Bytes,
    classes: Bytes,
    n_classes: int,
    parameters: BoostingParameters,
    progress: Progress | None = None,
    grow: Grow | None = None,
) -> tuple[list[GrownTree], Ints]:
    """AdaBoostM1: trees and the votes of each, in steps of 1 / 4096.

    Args:
        codes: [column, item].
        classes: of the items.
        n_classes: how many there are.
        parameters, progress, grow: as of `learn`.
    """
    grow = grow or grower()
    weights = snapped(np.ones(len(classes)))
    trees: list[GrownTree] = []
    votes: list[int] = []
    for number in range(1, parameters.rounds + 1):
        tree = grow(codes, classes, weights, n_classes, parameters.tree)
        right = tree.predicted == classes
        total = float(weights.sum())
        error = float(weights[~right].sum()) / total
        if progress is not None:
            progress(number, error)
        if error >= 0.5:
            if not trees:
                trees, votes = [tree], [VOTE_STEPS]
            break
        trees.append(tree)
        votes.append(votes_of(error or 0.5 / len(classes)))
        if error == 0.0:
            break
        weights = reweighted(weights, right, error)
    return trees, np.array(votes, np.int64)


def votes_of(error: float) -> int:
    """ln(1 / b) in steps, at least one; b = error / (1 - error)."""
    return max(1, round(natural_log((1.0 - error) / error) * VOTE_STEPS))


def reweighted(weights: Floats, right: np.ndarray, error: float) -> Floats:
    """What is right weighs b times as much, and all together 1 an item again, on the grid."""
    b = error / (1.0 - error)
    total = float(weights[right].sum()) * b + float(weights[~right].sum())
    scale = len(weights) / total
    return snapped(np.where(right, weights * (b * scale), weights * scale))


def _columns(features: Features, table: CodingTable, classes: Ints, history: int) -> Bytes:
    """The codes of the training items, [column, item], gold classes of those before among them."""
    known = {attribute: number for number, attribute in enumerate(table.attributes)}
    ids: Ids = np.fromiter(
        (known.get(a, -1) for a in features.attributes), np.int32, len(features.attributes)
    )
    rows = indexed(features, ids)
    own = code_matrix(rows, table)
    before = history_columns(classes, features.sequence_offsets, history)
    return np.ascontiguousarray(np.hstack((own, before)).T)


def _check(features: Features, tags: Sequence[Sequence[str]]) -> None:
    lengths = np.diff(features.sequence_offsets)
    if len(tags) != len(lengths) or [len(sequence) for sequence in tags] != lengths.tolist():
        raise UsageError("training needs exactly one tag for each item of each sequence")
    seen = {tag for sequence in tags for tag in sequence}
    if not seen - {"O"}:
        raise UsageError("nothing to learn: no item of the training documents has a label")
