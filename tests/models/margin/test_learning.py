"""Linear support vector machines: scikit-learn decides alike, weight by weight."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence

import numpy as np
import pytest
from scrubline.models import native
from scrubline.models.core.arrays import Floats
from scrubline.models.core.errors import BundleError, UsageError
from scrubline.models.core.feature_rows import Features
from scrubline.models.core.labels import UNKNOWN_KIND
from scrubline.models.crf.decoding import NativeDecoder, ReferenceDecoder
from scrubline.models.crf.model_file import CONSTANT, GRID
from scrubline.models.crf.packed import pack, unpack
from scrubline.models.learners import Learner
from scrubline.models.margin.learning import DEFAULTS, learn
from scrubline.models.recipes import Recipe
from scrubline.models.training.preparing import Prepared, prepare

from ..training.notes import CORPUS, LISTS, RECIPE

needs_library = pytest.mark.skipif(
    importlib.util.find_spec("sklearn") is None, reason="scikit-learn is not installed here"
)
needs_extension = pytest.mark.skipif(
    native.extension() is None, reason="the native extension is not built here"
)
WAYS = [pytest.param(NativeDecoder, marks=needs_extension), ReferenceDecoder]
LEARNER = Learner.of("linear-svm")


def prepared(classes: str, scheme: str = "IO") -> Prepared:
    (tagger,) = RECIPE.taggers
    recipe = Recipe.single(
        name="tiny",
        layer=tagger.layer,
        sequence=tagger.sequence,
        features=tagger.features,
        scheme=scheme,
        learner=LEARNER,
        classes=classes,
    )
    (made,) = prepare(recipe, CORPUS, LISTS)
    return made


def dense(features: Features) -> Floats:
    """A row an item, a column an attribute, and last the constant."""
    rows = np.zeros((len(features.starts), len(features.attributes) + 1))
    items = np.repeat(np.arange(len(features.starts)), np.diff(features.item_offsets))
    rows[items, features.attribute_ids] = 1.0
    rows[:, -1] = 1.0
    return rows


def snapped_machines(rows: Floats, gold: Sequence[Sequence[bool]], seed: int) -> Floats:
    """What scikit-learn gives of all items for each function, its weights rounded to the grid."""
    from sklearn.svm import LinearSVC

    columns = []
    for targets in gold:
        machine = LinearSVC(
            C=DEFAULTS["C"],
            loss="hinge",
            max_iter=DEFAULTS["max_iterations"],
            random_state=seed,
        )
        machine.fit(rows[:, :-1], targets)
        weights = np.append(machine.coef_[0], machine.intercept_[0])
        columns.append(rows @ (np.rint(weights * GRID) / GRID))
    return np.array(columns).T


@needs_library
@pytest.mark.filterwarnings("ignore:Liblinear failed to converge")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("classes", "scheme"), [("two", "IO"), ("typed", "IO"), ("typed", "BIO")])
def test_it_decides_as_scikit_learn_does(way, classes: str, scheme: str) -> None:
    given = prepared(classes, scheme)
    model = learn(given.features, given.tags, LEARNER, seed=3)
    flat = [tag for sequence in given.tags for tag in sequence]
    if classes == "two":
        assert model.tags == ("O", f"I-{UNKNOWN_KIND}")
        values = snapped_machines(dense(given.features), [[tag != "O" for tag in flat]], 3)
        expected = (values[:, 0] > 0).astype(int)
    else:
        assert model.tags == ("O", *sorted(set(flat) - {"O"}))
        gold = [[tag == own for tag in flat] for own in model.tags]
        expected = snapped_machines(dense(given.features), gold, 3).argmax(axis=1)
    decoder = way(model)
    tags, scores = decoder.decode(decoder.ready(given.features))
    assert tags.tolist() == expected.tolist()
    assert set(tags.tolist()) == set(range(len(model.tags)))
    assert ((scores >= 0) & (scores <= 1)).all()


@needs_library
@needs_extension
@pytest.mark.parametrize("classes", ["two", "typed"])
@pytest.mark.parametrize("biases", [{}, {"O": -0.75}, {"O": 2.5, "DOCTOR": 1.25, "PHI": -0.5}])
def test_both_ways_tag_alike_with_any_biases(classes: str, biases: dict[str, float]) -> None:
    given = prepared(classes)
    model = unpack(pack(learn(given.features, given.tags, LEARNER)))
    fast, slow = NativeDecoder(model), ReferenceDecoder(model)
    (tags, scores), (others, expected) = (
        way.decode(way.ready(given.features), biases) for way in (fast, slow)
    )
    assert tags.tolist() == others.tolist()
    assert scores == pytest.approx(expected, abs=1e-6)


@needs_library
def test_the_same_input_gives_the_same_bytes() -> None:
    given = prepared("typed")
    first, second = (learn(given.features, given.tags, LEARNER) for _ in range(2))
    assert pack(first) == pack(second)
    assert first.on_grid()
    assert not len(first.transition_weights)
    assert CONSTANT in first.attributes


@needs_library
def test_parameters_count_and_progress_is_told() -> None:
    given = prepared("typed")
    told: list[tuple[int, float]] = []
    weak = Learner.of("linear-svm", C=0.001, max_iterations=2)
    model = learn(given.features, given.tags, weak, progress=lambda *each: told.append(each))
    assert told == [(number, float("inf")) for number in range(1, len(model.tags) + 1)]
    strong = learn(given.features, given.tags, LEARNER)
    assert np.abs(model.state_weights).max() < np.abs(strong.state_weights).max()


@needs_library
def test_without_phi_there_is_nothing_to_learn() -> None:
    given = prepared("two")
    with pytest.raises(UsageError):
        learn(given.features, [["O"] * len(tags) for tags in given.tags], LEARNER)


@needs_library
def test_weights_that_cannot_be_kept_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from sklearn.svm import LinearSVC

    fit = LinearSVC.fit

    def huge(self, rows, targets):
        fit(self, rows, targets)
        self.coef_ = self.coef_ + 1e6

    monkeypatch.setattr(LinearSVC, "fit", huge)
    given = prepared("two")
    with pytest.raises(BundleError, match="did not converge"):
        learn(given.features, given.tags, LEARNER)


@pytest.mark.parametrize("missing", ["sklearn", "scipy"])
def test_without_the_library_the_error_names_the_extra(missing: str, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    given = prepared("two")
    with pytest.raises(UsageError, match=r"needs scikit-learn: `pip install 'scrubline\[svm\]'`"):
        learn(given.features, given.tags, LEARNER)


@pytest.mark.parametrize(
    ("parameters", "what"),
    [
        ({"C": 0}, "C must be above 0"),
        ({"max_iterations": 0}, "max_iterations must be above 0"),
        ({"C": -1.0}, "C must be a finite number, 0 or more"),
        ({"C": float("inf")}, "C must be a finite number"),
        ({"c1": 1.0}, "parameter"),
    ],
)
def test_parameters_that_cannot_be_are_refused(parameters: dict[str, float], what: str) -> None:
    with pytest.raises(UsageError, match=what):
        Learner("linear-svm", tuple(parameters.items()))
