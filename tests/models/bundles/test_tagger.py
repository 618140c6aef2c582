from __future__ import annotations

import concurrent.futures
import pickle

import numpy as np
import pycrfsuite
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.bundles.bundle import Bundle, make_bundle
from scrubline.models.bundles.tagger import Tagger
from scrubline.models.core.errors import BundleError
from scrubline.models.core.feature_rows import Features
from scrubline.models.crf.codec import decode_batch
from scrubline.models.crf.learning import item_sequences
from scrubline.models.crf.model_file import CrfModel, biased, write_model
from scrubline.models.features import Word, at
from scrubline.models.features.featurizing import featurize
from scrubline.models.recipes import Learner, Recipe
from scrubline.models.text.tokenizer import tokenize_documents

from ...examples import examples

RECIPE = Recipe.single(
    name="tiny",
    layer="fine",
    sequence="line",
    features=at(Word(), -1, 0),
    scheme="BIO",
    learner=Learner.of("lbfgs"),
    max_sequence=40,
)
TAGS = ("O", "B-NAME", "I-NAME", "B-DATE")


def model(
    states: dict[tuple[str, str], float], transitions: dict[tuple[str, str], float]
) -> CrfModel:
    attributes = sorted({a for a, _ in states})
    rows = sorted((attributes.index(a), TAGS.index(t), w) for (a, t), w in states.items())
    edges = sorted((TAGS.index(a), TAGS.index(b), w) for (a, b), w in transitions.items())
    ints = lambda column: np.array(column, np.int64)  # noqa: E731
    return CrfModel(
        TAGS,
        tuple(attributes),
        ints([a for a, _, _ in rows]),
        ints([t for _, t, _ in rows]),
        np.array([w for _, _, w in rows]),
        ints([a for a, _, _ in edges]),
        ints([t for _, t, _ in edges]),
        np.array([w for _, _, w in edges]),
    )


def bundle(scale: float = 1.0, **changes: object) -> Bundle:
    """Words: "ann" and "lee" are names, "may" is a date or, less likely, a name; all else is O."""
    made = model(
        {
            ("bias", "O"): 1.0 * scale,
            ("w[0]=ann", "B-NAME"): 4.0 * scale,
            ("w[0]=lee", "I-NAME"): 3.0 * scale,
            ("w[0]=lee", "B-NAME"): 2.5 * scale,
            ("w[0]=may", "B-DATE"): 1.75 * scale,
            ("w[0]=may", "B-NAME"): 1.5 * scale,
            ("w[-1]=dr", "B-NAME"): 0.75 * scale,
        },
        {("B-NAME", "I-NAME"): 1.0 * scale, ("O", "I-NAME"): -3.0 * scale},
    )
    values: dict[str, object] = {
        "recipe": RECIPE,
        "models": {"token": made},
        "dictionaries": {},
        "label_map": {"NAME": "PATIENT", "DATE": "DATE"},
    }
    return make_bundle("tiny-en", **{**values, **changes})  # type: ignore[arg-type]


def features_of(tagger: Tagger, *texts: str | None) -> Features:
    return tagger.featurize(texts, tokenize_documents(["" if t is None else t for t in texts]))


def found(tagger: Tagger, *texts: str) -> list[tuple[int, str, str]]:
    rows = tagger.label(features_of(tagger, *texts)).rows()
    return [(document, c.label, texts[document][c.start : c.end]) for document, c in rows]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("no fever", []),
        ("ann", [("PATIENT", "ann")]),
        ("saw ann lee in may", [("PATIENT", "ann lee"), ("DATE", "may")]),
        ("ann\nlee", [("PATIENT", "ann"), ("PATIENT", "lee")]),
        ("dr may", [("PATIENT", "may")]),
        ("dr\nmay", [("DATE", "may")]),
        ("ann ann", [("PATIENT", "ann"), ("PATIENT", "ann")]),
        ("anna mayor", []),
    ],
)
def test_candidates_of_a_text(text, expected):
    assert found(Tagger(bundle()), text) == [(0, *row) for row in expected]


def test_what_a_tagger_says_of_itself():
    tagger = Tagger(bundle())
    assert tagger.name == "crf:tiny-en"
    assert tagger.labels == ("DATE", "PATIENT")
    assert Tagger(bundle(), labels_as="own").labels == ("DATE", "NAME")
    candidates = tagger.label(features_of(tagger, "ann"))
    assert candidates.detector_names == ("crf:tiny-en",)


def test_labels_are_mapped_kept_or_dropped():
    text = "ann in may"
    own = [(0, "NAME", "ann"), (0, "DATE", "may")]
    assert found(Tagger(bundle(), labels_as="own"), text) == own
    dropped = bundle(label_map={"NAME": "DOCTOR", "DATE": None})
    assert found(Tagger(dropped), text) == [(0, "DOCTOR", "ann")]
    assert Tagger(dropped).labels == ("DOCTOR",)
    with pytest.raises(BundleError, match="NAME.*own labels"):
        Tagger(bundle(label_map=None))
    assert found(Tagger(bundle(label_map=None), labels_as="own"), text) == own
    with pytest.raises(BundleError, match="native"):
        Tagger(bundle(), labels_as="hipaa")


@pytest.mark.parametrize(
    ("biases", "expected"),
    [
        ({}, "date"),
        ({"NAME": 0.5}, "name"),
        ({"NAME": 0.24}, "date"),
        ({"DATE": -0.5}, "name"),
        ({"O": 1.0}, "o"),
        ({"O": 1.0, "NAME": 2.0}, "name"),
        ({"O": -9.0}, "date"),
    ],
)
def test_biases_decide(biases, expected):
    rows = {"date": [(0, "DATE", "may")], "name": [(0, "NAME", "may")], "o": []}[expected]
    assert found(Tagger(bundle(), biases=biases, labels_as="own"), "may") == rows
    assert found(Tagger(bundle(biases=biases), labels_as="own"), "may") == rows
    # Those given take the place of the bundle's, they do not add to them.
    assert (
        found(Tagger(bundle(biases={"DATE": 3.0}), biases=biases, labels_as="own"), "may") == rows
    )


def test_biases_of_the_set_aside_label_show_everything():
    assert found(Tagger(bundle(), biases={"O": -20.0, "NAME": 1.0}), "no fever") != []


@pytest.mark.parametrize("biases", [{"PATIENT": 1.0}, {"O": float("nan")}])
def test_wrong_biases_are_refused(biases):
    with pytest.raises(BundleError):
        Tagger(bundle(), biases=biases)


def test_a_batch_is_labelled_like_its_documents():
    tagger = Tagger(bundle())
    texts = ["ann lee", "", None, "no fever", "in may\nby dr may", "\n\n", "lee"]
    features = features_of(tagger, *texts)
    rows = tagger.label(features).rows()
    assert [row for row in rows if row[0] in (1, 2, 3, 5)] == []
    for index in (*range(len(texts)), 4, 0):
        assert tagger.label_document(features, index) == [c for d, c in rows if d == index]
    for index, text in enumerate(texts):
        alone = tagger.label_document(features_of(tagger, text), 0)
        assert alone == [c for d, c in rows if d == index]
    assert len(rows) == 4


def test_an_empty_batch_has_no_candidates():
    tagger = Tagger(bundle())
    assert len(tagger.label(features_of(tagger))) == 0


def by_hand(weights: bytes, features: Features) -> list[tuple[int, int, int, str, float]]:
    """The same by python-crfsuite alone: all attributes, a marginal of every token."""
    crf = pycrfsuite.Tagger()
    crf.open_inmemory(weights)
    tags, marginals = [], []
    for items in item_sequences(features):
        tags.append(crf.tag(items))
        marginals += [crf.marginal(tag, place) for place, tag in enumerate(tags[-1])]
    return [
        (d, s, e, label, round(min(marginals[first : last + 1]), 4))
        for d, s, e, label, first, last in decode_batch(tags, features)
    ]


@examples(60)
@given(
    texts=st.lists(
        st.lists(
            st.sampled_from(["ann", "lee", "may", "dr", "x", "\n", "\r\n", "é", "🙂", "..."])
        ).map(" ".join),
        max_size=4,
    ),
    biases=st.dictionaries(st.sampled_from(["O", "NAME", "DATE"]), st.floats(-2, 2)),
)
def test_labels_and_scores_are_those_of_crfsuite(texts, biases):
    made = bundle()
    tagger = Tagger(made, biases=biases, labels_as="own")
    found = tagger.label(features_of(tagger, *texts)).rows()
    rows = [(d, c.start, c.end, c.label, c.score) for d, c in found]
    strings = featurize(texts, tokenize_documents(texts), tagger.recipe, {})
    assert rows == sorted(by_hand(write_model(biased(made.models["token"], biases)), strings))


def test_the_score_is_the_least_marginal_rounded():
    tagger = Tagger(bundle())
    (pair,) = tagger.label_document(features_of(tagger, "ann lee"), 0)
    (single,) = tagger.label_document(features_of(tagger, "may"), 0)
    assert 0.3 < single.score < 0.5 < pair.score < 1.0
    assert pair.score == round(pair.score, 4)


def test_sums_beyond_what_exp_can_hold_have_scores():
    tagger = Tagger(bundle(scale=150.0))
    rows = tagger.label_document(features_of(tagger, "ann lee in may"), 0)
    assert [(c.start, c.end, c.score) for c in rows] == [(0, 7, 1.0), (11, 14, 1.0)]


def test_long_sequences_are_cut_by_the_recipe():
    text = "ann lee " * 1000
    assert len(found(Tagger(bundle()), text)) == 1000


def test_a_tagger_is_not_pickled():
    with pytest.raises(TypeError, match="open it in the worker"):
        pickle.dumps(Tagger(bundle()))


def test_the_model_outlives_the_bundle():
    tagger = Tagger(bundle(biases={"NAME": 0.25}))
    size = len(write_model(bundle().models["token"]))
    noise = [bytes([n % 256]) * size for n in range(300)]
    assert found(tagger, "ann lee") == [(0, "PATIENT", "ann lee")]
    assert len(noise) == 300


@pytest.mark.parametrize(
    "text",
    [
        "\0",
        "ann\0lee",
        "\ud800",
        "\ufeffann",
        "a" * 100_000,
        "ann \U0001f642\u200d\U0001f642",
        "\x85\u2028",
    ],
)
def test_hostile_text_is_labelled(text):
    tagger = Tagger(bundle())
    for _, candidate in tagger.label(features_of(tagger, text)).rows():
        assert 0 <= candidate.start < candidate.end <= len(text)


@examples(60)
@given(text=st.text(max_size=200))
def test_any_text_is_labelled_inside_it_and_alike(text):
    tagger = Tagger(bundle(), biases={"O": -2.0})
    rows = tagger.label(features_of(tagger, text)).rows()
    assert all(0 <= c.start < c.end <= len(text) and 0 <= c.score <= 1 for _, c in rows)
    assert tagger.label(features_of(tagger, text)).rows() == rows


def test_one_tagger_serves_many_threads():
    tagger = Tagger(bundle())
    texts = ["ann lee in may", "dr may", "nobody here", "ann\nlee"] * 8
    alone = [found(tagger, text) for text in texts]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda text: found(tagger, text), texts)) == alone
