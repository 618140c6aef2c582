"""The recall dial: biases, added before decoding, for a recall asked for on held-back documents.

What decides is decoding, never a score: a bias on the grid is exact and the same on every path.
Documents are featurized once and tagged once for each bias that is tried.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence

from ..bundles import Bundle
from ..corpora import AnnotatedDocument
from ..crf.codec import OUTSIDE
from ..crf.model_file import snap_bias
from ..errors import UsageError
from ..systems import System
from ..tokenizing import tokenize_documents
from .decoding import Decoders
from .scoring import Scored, Scorer

FARTHEST = 16.0
"""The largest turn of a bias: beyond it nearly everything is PHI, and recall grows no more."""

FINEST = 1 / 256
"""Where the search stops; a multiple of the grid. Finer steps would fit these notes only."""

STEPS = (1.0, 0.5, 0.0, -0.25, -0.5, -0.75, -1.0, -1.25, -1.5, -2.0, -2.5, -3.0, -4.0)
"""The biases of "O" of a curve, unless others are asked for."""

MEASURES = ("character", "token")


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """One point of a curve.

    Attributes:
        bias: of "O"; below 0 finds more.
        scored: what it leads to.
    """

    bias: float
    scored: Scored


@dataclasses.dataclass(frozen=True, slots=True)
class Goal:
    """One recall asked for.

    Attributes:
        label: whose biases are turned; "O" for the label-blind recall of everything.
        recall: asked for.
        before: with the bundle's own biases; None if there is nothing to find.
        after: with those found; where it is not reached, the highest that was met.
        reached: whether `after` is at least `recall`.
    """

    label: str
    recall: float
    before: float | None
    after: float | None
    reached: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Turned:
    """What turning the dial led to.

    Attributes:
        biases: label or "O" -> bias, on the grid: the bundle's own and those turned.
        before: scores with the bundle's own biases.
        after: scores with `biases`.
        goals: in the order in which they were sought: labels by name, then "O".
        documents: number of those held back.
    """

    biases: Mapping[str, float]
    before: Scored
    after: Scored
    goals: tuple[Goal, ...]
    documents: int

    @property
    def reached(self) -> bool:
        """Whether every recall asked for is met."""
        return all(goal.reached for goal in self.goals)

    def as_json(self) -> dict[str, object]:
        """JSON values, for the card."""
        return {
            "documents": self.documents,
            "biases": dict(self.biases),
            "recall asked for": {goal.label: goal.recall for goal in self.goals},
            "recall reached": {goal.label: goal.after for goal in self.goals},
            "before": self.before.as_json(),
            "after": self.after.as_json(),
        }


class Dial:
    """Some documents, ready to be tagged by a bundle with any biases."""

    def __init__(self, bundle: Bundle, documents: Sequence[AnnotatedDocument]) -> None:
        """Featurizes the documents.

        Args:
            bundle: its taggers alone, without rules, in its own labels.
            documents: gold in the bundle's own labels, neither trained nor later scored on.

        Raises:
            UsageError: if there is no document with a span.
        """
        if not any(document.spans for document in documents):
            raise UsageError(
                "none of the held-back documents has a span: no recall can be measured"
            )
        system = System(bundle, labels_as="own")
        texts = [document.text for document in documents]
        features = system.featurize(texts, tokenize_documents(texts))
        by_kind = {t.recipe.kind: f for t, f in zip(system.taggers, features, strict=True)}
        self._decoders = Decoders(bundle.models, by_kind, bundle.recipe, texts)
        self._scorer = Scorer(documents)
        self._known: dict[tuple[tuple[str, float], ...], Scored] = {}

    def score(self, biases: Mapping[str, float]) -> Scored:
        """The scores with these biases, in place of the bundle's own; each is computed once."""
        key = tuple(sorted((label, bias) for label, bias in biases.items() if bias))
        if key not in self._known:
            self._known[key] = self._scorer.score(self._decoders.entities(dict(key)))
        return self._known[key]


def sweep(
    bundle: Bundle, documents: Sequence[AnnotatedDocument], biases: Iterable[float] = STEPS
) -> tuple[Row, ...]:
    """The scores with each bias of "O", beside the bundle's other biases.

    Args:
        bundle: see `Dial`.
        documents: see `Dial`.
        biases: rounded to the grid; equal ones come once.

    Returns:
        A row for each, the highest bias (most precise) first.

    Raises:
        UsageError: as `Dial`.
    """
    dial = Dial(bundle, documents)
    wanted = sorted({snap_bias(bias) for bias in biases}, reverse=True)
    return tuple(Row(bias, dial.score({**bundle.biases, OUTSIDE: bias})) for bias in wanted)


def turn(
    bundle: Bundle,
    documents: Sequence[AnnotatedDocument],
    *,
    recall: float | None = None,
    labels: Mapping[str, float] = {},
    measure: str = "character",
) -> Turned:
    """Finds the smallest turns that reach the recalls asked for; what is reached is left alone.

    A label's recall is the share of the characters of its gold spans that are covered by whatever
    is found: a patient's name removed as a doctor's is removed. Its dial is its own bias; that of
    everything is "O"'s. Labels come first, then "O", which can only help them. Along one bias
    recall rises almost always, so it is doubled until it suffices and then bisected; the bias taken
    is one that was measured to suffice.

    Args:
        bundle: see `Dial`.
        documents: see `Dial`.
        recall: label-blind, in `measure`; None to leave "O" alone.
        labels: own label -> recall.
        measure: "character" or "token", of `recall`.

    Raises:
        UsageError: if a recall is not above 0 to 1, a label is not the bundle's or has no span in
            the documents, nothing is asked, or as `Dial`.
    """
    if recall is None and not labels:
        raise UsageError("say which recall is wanted: --recall 0.985 or --recall LABEL=0.99")
    if measure not in MEASURES:
        raise UsageError(f"a recall is measured by {' or '.join(MEASURES)}")
    if unknown := sorted(set(labels) - set(bundle.labels)):
        raise UsageError(f"--recall: {unknown} are no labels of the bundle: {list(bundle.labels)}")
    for wanted in (*labels.values(), *([] if recall is None else [recall])):
        if not 0 < wanted <= 1:
            raise UsageError("--recall must be a share above 0, to 1")
    dial = Dial(bundle, documents)
    before = dial.score(bundle.biases)
    if missing := sorted(label for label in labels if before.covered_share(label) is None):
        raise UsageError(f"--recall: no held-back document has a span of {missing}")

    def blind(scored: Scored) -> float | None:
        return (scored.characters if measure == "character" else scored.tokens).recall

    def of_label(label: str) -> Callable[[Scored], float | None]:
        return lambda scored: scored.covered_share(label)

    goals = [(label, labels[label], of_label(label), 1.0) for label in sorted(labels)]
    if recall is not None:
        goals.append((OUTSIDE, recall, blind, -1.0))
    biases = dict(bundle.biases)
    # A label's bias may take characters from another one's: look at all of them again.
    for _ in range(2):
        for label, wanted, measured, sign in goals:
            biases[label] = _turned(dial, biases, label, wanted, measured, sign)
    after = dial.score(biases)
    return Turned(
        biases={label: bias for label, bias in sorted(biases.items()) if bias},
        before=before,
        after=after,
        goals=tuple(
            Goal(label, wanted, measured(before), measured(after), _enough(measured(after), wanted))
            for label, wanted, measured, _ in goals
        ),
        documents=len(documents),
    )


def _turned(
    dial: Dial,
    biases: Mapping[str, float],
    label: str,
    wanted: float,
    measured: Callable[[Scored], float | None],
    sign: float,
) -> float:
    """The bias of a label, turned from where it is until the recall suffices; else as far as goes.

    Where nothing suffices it is the smallest turn of those with the highest recall, so that no
    precision is thrown away for nothing.
    """
    origin = biases.get(label, 0.0)
    tried: dict[float, float] = {}

    def suffices(turn: float) -> bool:
        found = measured(dial.score({**biases, label: snap_bias(origin + sign * turn)})) or 0.0
        tried[turn] = found
        return found >= wanted

    if suffices(0.0):
        return origin
    low, high = 0.0, 0.25
    while not suffices(high):
        if high >= FARTHEST:
            best = max(tried.values())
            return snap_bias(origin + sign * min(t for t, found in tried.items() if found == best))
        low, high = high, 2 * high
    while high - low > FINEST:
        middle = (low + high) / 2
        if suffices(middle):
            high = middle
        else:
            low = middle
    return snap_bias(origin + sign * high)


def _enough(found: float | None, wanted: float) -> bool:
    return found is not None and found >= wanted
