"""Training linear support vector machines: a function a tag, each against all other items.

The functions are kept as a `CrfModel` without transitions, so whatever opens, packs, biases and
tags with a CRF does so with them, with equal results. With two tags there is one function, of the
tag that is not O. Scores of such models are not calibrated.

Source: Tafvizi et al. 2010, §4 (linear kernel; C is not given there); liblinear's dual coordinate
descent by scikit-learn, which is needed to train and never to tag.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.arrays import Floats, Ints
from ..core.errors import UsageError
from ..core.feature_rows import Features
from ..crf.codec import OUTSIDE
from ..crf.learning import Progress, check_training
from ..crf.model_file import CONSTANT, CrfModel, snap
from ..learners import Learner

DEFAULTS = {"C": 1.0, "max_iterations": 300}
"""Parameters of "linear-svm" that a recipe does not give."""


def learn(
    features: Features,
    tags: Sequence[Sequence[str]],
    learner: Learner,
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> CrfModel:
    """Trains the functions and returns them with weights on the grid; same input, same model.

    Args:
        features: of all training documents.
        tags: one list for each sequence, one tag for each of its items.
        learner: with algorithm "linear-svm".
        seed: of the order in which the items are visited.
        progress: called after each function with its number, from 1, and no loss (infinite).

    Raises:
        UsageError: if there is nothing to learn, or scikit-learn is not installed.
    """
    svm, sparse = _libraries()
    check_training(features, tags)
    flat = [tag for sequence in tags for tag in sequence]
    names = (OUTSIDE, *sorted(set(flat) - {OUTSIDE}))
    if len(set(flat)) < 2:
        raise UsageError("a support vector machine needs items with a label and items without")
    ids = {name: index for index, name in enumerate(names)}
    gold = np.fromiter((ids[tag] for tag in flat), np.int64, len(flat))
    rows = sparse.csr_matrix(
        (
            np.ones(len(features.attribute_ids)),
            features.attribute_ids.astype(np.int64),
            features.item_offsets,
        ),
        shape=(len(flat), len(features.attributes)),
    )
    given = {**DEFAULTS, **dict(learner.parameters)}
    functions = []
    for tag in range(1 if len(names) == 2 else 0, len(names)):
        machine = svm.LinearSVC(
            C=given["C"],
            loss="hinge",
            dual=True,
            max_iter=int(given["max_iterations"]),
            random_state=seed,
        )
        with warnings.catch_warnings():
            # The number of rounds is a parameter; more of them change little.
            warnings.simplefilter("ignore")
            machine.fit(rows, gold == tag)
        functions.append((tag, np.append(machine.coef_[0], machine.intercept_[0])))
        if progress is not None:
            progress(len(functions), float("inf"))
    return snap(_model(names, features.attributes, functions))


def _model(
    tags: tuple[str, ...], attributes: Sequence[str], functions: Sequence[tuple[int, Floats]]
) -> CrfModel:
    """The functions as a model; each has a weight an attribute, and last one of `CONSTANT`."""
    columns = np.zeros((len(attributes) + 1, len(tags)))
    for tag, weights in functions:
        columns[:, tag] = weights
    rows, ids = np.nonzero(columns)
    used = np.unique(rows)
    names = [*attributes, CONSTANT]
    none: Ints = np.empty(0, np.int64)
    return CrfModel(
        tags,
        tuple(names[row] for row in used.tolist()),
        np.searchsorted(used, rows),
        ids,
        columns[rows, ids],
        none,
        none,
        np.empty(0),
    )


def _libraries() -> tuple[Any, Any]:
    """scikit-learn's machines and scipy's matrices."""
    try:
        from scipy import sparse
        from sklearn import svm
    except ImportError:
        raise UsageError(
            "training a support vector machine needs scikit-learn: `pip install 'scrubline[svm]'`"
        ) from None
    return svm, sparse
