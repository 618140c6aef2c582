"""Recall tuning: biases, added before decoding, for a recall wanted on held-back documents.

Biases are chosen by decoding, never by scores: a bias on the grid is exact and gives the same tags
in every implementation. Documents are featurized once and tagged once for each bias that is tried.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from ..bundles.bundle import Bundle
from ..bundles.detector import BundleDetector
from ..core.errors import UsageError
from ..core.suggestions import did_you_mean
from ..corpora import AnnotatedDocument
from ..crf.codec import OUTSIDE
from ..crf.model_file import MAX_WEIGHT, snap_bias
from ..text.tokenizer import tokenize_documents
from .decoding import Decoders, PassDecoder
from .scoring import Scored, Scorer, gold_for

MOST_BIAS = MAX_WEIGHT - 1
"""The largest bias that is tried. Weights of the averaged perceptron are some hundred times those
of L-BFGS, so none that is much smaller is enough for every learner."""

RESOLUTION = 1 / 256
"""Where the search stops; a multiple of the grid. Finer steps would overfit the notes."""

CURVE_POINTS = 17
"""How many points a curve has, by default."""

CURVE_PRECISION, CURVE_RECALL, LEAST_PRECISION = 0.995, 0.995, 0.5
"""Where a curve ends, in characters: as precise, as complete, or as imprecise as this."""

MEASURES = ("character", "token")


@dataclasses.dataclass(frozen=True, slots=True)
class CurvePoint:
    """One point of a curve.

    Attributes:
        bias: of "O"; a lower one finds more.
        scored: the scores with it.
        own: whether it is the bundle's.
    """

    bias: float
    scored: Scored
    own: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class RecallGoal:
    """One wanted recall.

    Attributes:
        label: whose bias is changed; "O" for the label-blind recall of everything.
        recall: wanted.
        before: with the bundle's own biases; None if there is nothing to find.
        after: with the tuned biases; if the goal is not reached, the highest that was.
        reached: whether `after` is at least `recall`.
    """

    label: str
    recall: float
    before: float | None
    after: float | None
    reached: bool


@dataclasses.dataclass(frozen=True, slots=True)
class TunedBiases:
    """The result of tuning.

    Attributes:
        biases: label or "O" -> bias, on the grid: the bundle's own and those changed.
        before: scores with the bundle's own biases.
        after: scores with `biases`.
        goals: in the order in which they were sought: labels by name, then "O".
        documents: number of held-back documents.
    """

    biases: Mapping[str, float]
    before: Scored
    after: Scored
    goals: tuple[RecallGoal, ...]
    documents: int

    @property
    def reached(self) -> bool:
        """Whether every goal is reached."""
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


class BiasScorer:
    """Scores a bundle with any biases on the same documents."""

    def __init__(self, bundle: Bundle, documents: Sequence[AnnotatedDocument]) -> None:
        """Featurizes the documents.

        Args:
            bundle: only its taggers, without rules, in its own labels.
            documents: gold in the bundle's own labels, neither trained nor later scored on.

        Raises:
            UsageError: if no document has a span.
        """
        if not any(document.spans for document in documents):
            raise UsageError(
                "none of the held-back documents has a span: recall cannot be measured"
            )
        texts = [document.text for document in documents]
        self._decoders: PassDecoder | Decoders
        if bundle.recipe.passes:
            self._decoders = PassDecoder(bundle, texts)
        else:
            detector = BundleDetector(bundle, labels_as="own")
            features = detector.featurize(texts, tokenize_documents(texts))
            by_key = dict(zip(bundle.recipe.keys, features, strict=True))
            self._decoders = Decoders(bundle.models, by_key, bundle.recipe, texts)
        self._scorer = Scorer(gold_for(bundle.recipe, documents))
        self._known: dict[tuple[tuple[str, float], ...], Scored] = {}

    def score(self, biases: Mapping[str, float]) -> Scored:
        """The scores with these biases in place of the bundle's; each set is computed once."""
        key = tuple(sorted((label, bias) for label, bias in biases.items() if bias))
        if key not in self._known:
            self._known[key] = self._scorer.score(self._decoders.entities(dict(key)))
        return self._known[key]


def recall_curve(
    bundle: Bundle,
    documents: Sequence[AnnotatedDocument],
    biases: Iterable[float] | None = None,
) -> tuple[CurvePoint, ...]:
    """The scores with each bias of "O", the bundle's other biases unchanged.

    Args:
        bundle: see `BiasScorer`.
        documents: see `BiasScorer`.
        biases: in place of the bundle's own; rounded to the grid; duplicates are dropped. None for
            `CURVE_POINTS` of them, chosen by what they do: from a precision to a recall of 0.995,
            with the bundle's own among them, and closer where the scores change faster.

    Returns:
        The points, highest bias (most precise) first.

    Raises:
        UsageError: see `BiasScorer`.
    """
    scorer = BiasScorer(bundle, documents)
    own = bundle.biases.get(OUTSIDE, 0.0)

    def point(bias: float) -> CurvePoint:
        return CurvePoint(bias, scorer.score({**bundle.biases, OUTSIDE: bias}), bias == own)

    if biases is None:
        return _spread(point, own)
    return tuple(map(point, sorted({snap_bias(bias) for bias in biases}, reverse=True)))


def _spread(point: Callable[[float], CurvePoint], own: float) -> tuple[CurvePoint, ...]:
    """A curve through the bundle's own bias, halved where its points are furthest apart."""
    ends = {_end(point, own, 1), own, _end(point, own, -1)}
    points = [point(bias) for bias in sorted(ends, reverse=True)]
    while len(points) < CURVE_POINTS:
        gaps = [
            (_distance(left, right), at)
            for at, (left, right) in enumerate(itertools.pairwise(points), 1)
            if left.bias - right.bias > RESOLUTION
        ]
        furthest, at = max(gaps, default=(0.0, 0))
        if not furthest:
            break
        points.insert(at, point(snap_bias((points[at - 1].bias + points[at].bias) / 2)))
    return tuple(points)


def _end(point: Callable[[float], CurvePoint], own: float, sign: int) -> float:
    """The bias at an end of the curve: with 1 the precise one, with -1 the complete one."""
    shift = 0.25
    while True:
        bias = _shifted(own, sign * shift)
        precision, recall = _of(point(bias))
        if sign > 0:
            ends = precision >= CURVE_PRECISION
        else:
            ends = recall >= CURVE_RECALL or precision < LEAST_PRECISION
        if ends or abs(bias) >= MOST_BIAS:
            return bias
        shift *= 2


def _shifted(bias: float, shift: float) -> float:
    return snap_bias(max(-MOST_BIAS, min(bias + shift, MOST_BIAS)))


def _of(point: CurvePoint) -> tuple[float, float]:
    """Precision and recall of characters; where nothing is found, nothing is wrong."""
    characters = point.scored.characters
    return (1.0 if characters.precision is None else characters.precision), characters.recall or 0.0


def _distance(left: CurvePoint, right: CurvePoint) -> float:
    """By shares of errors: from .99 to .98 is as far as from .8 to .6."""
    errors = [[max(1 - share, 0.001) for share in _of(point)] for point in (left, right)]
    return sum(abs(math.log(a / b)) for a, b in zip(*errors, strict=True))


def tune_recall(
    bundle: Bundle,
    documents: Sequence[AnnotatedDocument],
    *,
    recall: float | None = None,
    labels: Mapping[str, float] = {},
    measure: str = "character",
) -> TunedBiases:
    """Finds the smallest changes of biases that reach the wanted recalls.

    The recall of a label is the share of the characters of its gold spans that are covered by any
    predicted span: a patient's name is removed even if it is found as a doctor's. Its own bias
    controls it; the bias of "O" controls the label-blind recall. Labels are tuned first, then "O",
    which can only help them. Along one bias recall almost always rises, so the change is doubled
    until the recall suffices and then bisected; the resulting bias was measured to suffice. Biases
    whose goal is already reached are not changed.

    Args:
        bundle: see `BiasScorer`.
        documents: see `BiasScorer`.
        recall: label-blind, in `measure`; None to leave "O" unchanged.
        labels: own label -> recall.
        measure: "character" or "token", of `recall`.

    Raises:
        UsageError: if no recall is wanted, one is not in (0, 1], a label is not the bundle's or has
            no span in the documents, or as `BiasScorer`.
    """
    if recall is None and not labels:
        raise UsageError("missing the wanted recall: --recall 0.985 or --recall LABEL=0.99")
    if measure not in MEASURES:
        raise UsageError(f"recall can be measured by {' or '.join(MEASURES)}")
    if unknown := sorted(set(labels) - set(bundle.labels)):
        meant = did_you_mean(unknown, bundle.labels)
        raise UsageError(
            f"--recall: the bundle has no labels {unknown}{meant}; it has {[*bundle.labels]}"
        )
    for wanted in (*labels.values(), *([] if recall is None else [recall])):
        if not 0 < wanted <= 1:
            raise UsageError("--recall must be above 0 and at most 1")
    scorer = BiasScorer(bundle, documents)
    before = scorer.score(bundle.biases)
    if missing := sorted(label for label in labels if before.covered_share(label) is None):
        raise UsageError(f"--recall: no held-back document has a span of {missing}")

    def label_blind(scored: Scored) -> float | None:
        return (scored.characters if measure == "character" else scored.tokens).recall

    def of_label(label: str) -> Callable[[Scored], float | None]:
        return lambda scored: scored.covered_share(label)

    goals = [(label, labels[label], of_label(label), 1.0) for label in sorted(labels)]
    if recall is not None:
        goals.append((OUTSIDE, recall, label_blind, -1.0))
    biases = dict(bundle.biases)
    # The bias of a label may take characters from another one, so tune all of them twice.
    for _ in range(2):
        for label, wanted, measured, sign in goals:
            biases[label] = _tuned_bias(scorer, biases, label, wanted, measured, sign)
    after = scorer.score(biases)
    return TunedBiases(
        biases={label: bias for label, bias in sorted(biases.items()) if bias},
        before=before,
        after=after,
        goals=tuple(
            _goal(label, wanted, measured(before), measured(after))
            for label, wanted, measured, _ in goals
        ),
        documents=len(documents),
    )


def _tuned_bias(
    scorer: BiasScorer,
    biases: Mapping[str, float],
    label: str,
    wanted: float,
    measured: Callable[[Scored], float | None],
    sign: float,
) -> float:
    """The bias of a label, changed just enough for the wanted recall.

    If no change suffices, it is the smallest change with the highest recall, so no precision is
    lost for nothing.
    """
    origin = biases.get(label, 0.0)
    tried: dict[float, float] = {}

    def suffices(shift: float) -> bool:
        reached = measured(scorer.score({**biases, label: _shifted(origin, sign * shift)})) or 0.0
        tried[shift] = reached
        return reached >= wanted

    if suffices(0.0):
        return origin
    low, high = 0.0, 0.25
    while not suffices(high):
        if abs(_shifted(origin, sign * high)) >= MOST_BIAS:
            best = max(tried.values())
            smallest = min(shift for shift, reached in tried.items() if reached == best)
            return _shifted(origin, sign * smallest)
        low, high = high, 2 * high
    while high - low > RESOLUTION:
        middle = (low + high) / 2
        if suffices(middle):
            high = middle
        else:
            low = middle
    return _shifted(origin, sign * high)


def _goal(label: str, wanted: float, before: float | None, after: float | None) -> RecallGoal:
    return RecallGoal(label, wanted, before, after, after is not None and after >= wanted)
