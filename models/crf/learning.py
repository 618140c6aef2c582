"""Training CRF weights with python-crfsuite, and the conversion of `Features` to its items."""

from __future__ import annotations

import bisect
import ctypes
import dataclasses
import itertools
import os
import re
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pycrfsuite

from ..core.arrays import Flags
from ..core.errors import BundleError, UsageError
from ..core.feature_rows import Features
from ..learners import PARTS, Learner, Parameter
from .mixing import mix
from .model_file import CONSTANT, CrfModel, read_model, snap

Progress = Callable[[int, float], None]
"""Called after each iteration with its number, from 1, and the loss (infinite if unknown)."""

ITEMS_AT_ONCE = 100_000
"""Whose strings are held at a time."""

_ITERATION = re.compile(r"\*{5} (?:Iteration|Epoch) #(\d+) \*{5}")
_LOSS = re.compile(r"Loss: (\S+)")


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class AttributeTable:
    """The attribute strings of a batch, ready for items; made by `attribute_table`.

    Attributes:
        strings: those of `Features.attributes`, then `CONSTANT`.
        keep: whether to put each into items, without `CONSTANT`, which always is; None for all.
    """

    strings: npt.NDArray[np.object_]
    keep: Flags | None


def attribute_table(
    attributes: Sequence[str], known: Collection[str] | None = None
) -> AttributeTable:
    """Prepares the strings of a batch.

    Args:
        attributes: `Features.attributes`.
        known: those to keep; None for all. When tagging, give the model's own: others score
            nothing, and leaving them out early saves most of the time. It also keeps strings from
            CRFsuite that it cannot hold, since no model has them.
    """
    strings = np.empty(len(attributes) + 1, object)
    strings[:] = [*attributes, CONSTANT]
    if known is None:
        return AttributeTable(strings, None)
    keep = np.fromiter((a in known for a in attributes), np.bool_, len(attributes))
    return AttributeTable(strings, keep)


def item_sequences(
    features: Features, table: AttributeTable | None = None, chosen: Flags | None = None
) -> Iterator[pycrfsuite.ItemSequence]:
    """Yields the sequences of a batch for python-crfsuite, each item with `CONSTANT` added.

    Lists of strings take much more memory than ids, so they are made for some items at a time.

    Args:
        features: of a batch, or of part of it.
        table: of the whole batch's `Features.attributes`; None to make one that keeps all.
        chosen: which sequences; None for all.
    """
    table = table or attribute_table(features.attributes)
    rows = features.sequence_offsets.tolist()
    first = 0
    while first < len(rows) - 1:
        after = max(first + 1, bisect.bisect_right(rows, rows[first] + ITEMS_AT_ONCE) - 1)
        items = _items(features, table, rows[first], rows[after])
        for sequence in range(first, after):
            if chosen is not None and not chosen[sequence]:
                continue
            begin, end = rows[sequence] - rows[first], rows[sequence + 1] - rows[first]
            yield pycrfsuite.ItemSequence(items[begin:end])
        first = after


def _items(features: Features, table: AttributeTable, first: int, after: int) -> list[list[str]]:
    """The strings of the items from one to before another."""
    offsets = features.item_offsets[first : after + 1]
    ids = features.attribute_ids[offsets[0] : offsets[-1]]
    offsets = offsets - offsets[0]
    if table.keep is not None:
        kept = table.keep[ids]
        ids = ids[kept]
        offsets = np.concatenate([[0], np.cumsum(kept)])[offsets]
    flat = table.strings[np.insert(ids, offsets[:-1], len(table.strings) - 1)].tolist()
    bounds = (offsets + np.arange(len(offsets))).tolist()
    return [flat[begin:end] for begin, end in zip(bounds, bounds[1:], strict=False)]


def learn(
    features: Features,
    tags: Sequence[Sequence[str]],
    learner: Learner,
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> CrfModel:
    """Trains a CRF and returns its model with weights on the grid; same input, same model.

    The scores of L-BFGS are calibrated, those of the averaged perceptron are not.

    Not thread-safe: CRFsuite shuffles with the C library's only random generator.

    Args:
        features: of all training documents.
        tags: one list for each sequence, one tag for each of its items.
        learner: algorithm and parameters; others have CRFsuite's defaults. With `parts`, so many
            models learn from every so-manyth document, one after another, and are mixed.
        seed: of the order in which the perceptron reads the sequences.
        progress: see `Progress`; an exception that it raises ends the training and propagates.

    Raises:
        UsageError: if a parameter does not have CRFsuite's type, or there is nothing to learn.
        BundleError: if CRFsuite wrote no valid model.
    """
    check_training(features, tags)
    parts, learner = _parts(learner)
    count = len(features.document_offsets) - 1
    if parts > count:
        raise UsageError(f"{PARTS} must be at most the number of documents, {count}; got {parts}")
    of_sequences = np.repeat(np.arange(count) % parts, np.diff(features.document_offsets))
    models, iterations = [], 0

    def report(iteration: int, loss: float) -> None:
        nonlocal iterations
        iterations += 1
        if progress is not None:
            progress(iterations, loss)

    for part in range(parts):
        trainer = _ReportingTrainer()
        trainer.progress = report
        trainer.select(learner.algorithm, "crf1d")
        trainer.set_params(_parameters(learner, trainer))
        chosen = of_sequences == part
        own = list(itertools.compress(tags, chosen))
        if all(tag == "O" for sequence in own for tag in sequence):
            raise UsageError(f"{PARTS}: a part has no label: allow fewer parts than {parts}")
        for items, sequence in zip(item_sequences(features, chosen=chosen), own, strict=True):
            if len(sequence):
                trainer.append(items, sequence)
        models.append(_trained(trainer, seed + part))
    return mix(models)


def _parts(learner: Learner) -> tuple[int, Learner]:
    """The number of parts, and the learner of each."""
    parameters = dict(learner.parameters)
    parts = parameters.pop(PARTS, 1)
    if parts != int(parts) or parts < 1:
        raise UsageError(f"{learner.algorithm}: {PARTS} must be a whole number above 0")
    return int(parts), Learner(learner.algorithm, tuple(sorted(parameters.items())))


def _trained(trainer: _ReportingTrainer, seed: int) -> CrfModel:
    _seed_c_library(seed)
    # The model holds words of the corpus: only the owner can read the folder, and it is removed.
    with tempfile.TemporaryDirectory(prefix="scrubline-") as folder:
        path = Path(folder) / "model"
        trainer.train(str(path))
        # If it cannot write the path, CRFsuite fails silently.
        if not path.exists():
            raise BundleError(
                "CRFsuite wrote no model: is the temporary directory full or read-only?"
            )
        return snap(read_model(path.read_bytes()))


def _parameters(learner: Learner, trainer: _ReportingTrainer) -> dict[str, Parameter]:
    """The parameters in CRFsuite's types; it would truncate 1.5 iterations to 1."""
    cast = {}
    for name, value in learner.parameters:
        wanted = type(trainer.get(name))
        cast[name] = wanted(value)
        if cast[name] != value or (wanted is int and not cast[name] < 2**31):
            raise UsageError(
                f"{learner.algorithm}: {name} must be of type {wanted.__name__}, below 2^31"
            )
    return cast


class _ReportingTrainer(pycrfsuite.BaseTrainer):  # type: ignore[misc]
    """Turns CRFsuite's log lines into calls of `progress` instead of printing them."""

    progress: Progress | None = None
    _iteration = 0
    _loss = float("inf")

    def message(self, message: str) -> None:
        if self.progress is None:
            return
        if head := _ITERATION.match(message):
            self._iteration, self._loss = int(head[1]), float("inf")
        elif loss := _LOSS.match(message):
            self._loss = float(loss[1])
        elif message == "\n" and self._iteration:
            # A blank line ends an iteration; the next one does not belong to an iteration.
            iteration, self._iteration = self._iteration, 0
            self.progress(iteration, self._loss)


def check_training(features: Features, tags: Sequence[Sequence[str]]) -> None:
    """Refuses what no learner of a `CrfModel` can use.

    Raises:
        UsageError: if items lack tags, no item has a label, or a model cannot store a string.
    """
    lengths = np.diff(features.sequence_offsets)
    if len(tags) != len(lengths) or [len(sequence) for sequence in tags] != lengths.tolist():
        raise UsageError("training needs exactly one tag for each item of each sequence")
    seen = {tag for sequence in tags for tag in sequence}
    if not seen - {"O"}:
        raise UsageError("nothing to learn: no item of the training documents has a label")
    for what, strings in (("attribute", features.attributes), ("tag", sorted(seen))):
        for index, string in enumerate(strings):
            # CRFsuite would cut strings at NUL and confuse different ones.
            if "\0" in string or not _encodable(string):
                raise UsageError(
                    f"{what} {index} has a NUL or a lone surrogate, which a model cannot store"
                )
    if CONSTANT in features.attributes:
        raise UsageError(
            f"no feature may be called {CONSTANT!r}: every item already has this attribute"
        )


def _encodable(string: str) -> bool:
    try:
        string.encode()
    except UnicodeEncodeError:
        return False
    return True


def _seed_c_library(seed: int) -> None:
    """Seeds `rand`, which CRFsuite uses to shuffle and never seeds."""
    library = ctypes.CDLL(None) if os.name == "posix" else ctypes.CDLL("ucrtbase")
    library.srand(ctypes.c_uint(seed % 2**32))
