"""Every learner family, by its line in the table: learned, packed, opened, tagged alike."""

from __future__ import annotations

import pickle

import pytest
from scrubline.models import native
from scrubline.models.bundles.layout import is_model, model_path
from scrubline.models.core.detectors import DetectorId, DetectorKind
from scrubline.models.core.errors import BundleError, UsageError
from scrubline.models.families import FAMILIES, learn, require_crf
from scrubline.models.features.attribute_index import AttributeIndex
from scrubline.models.features.gazetteer import PhraseIndex
from scrubline.models.learners import ALGORITHMS, Learner
from scrubline.models.recipes import Recipe
from scrubline.models.redaction.merging import ORDER
from scrubline.models.text.tokenizer import tokenize_documents
from scrubline.models.training.preparing import Prepared, prepare
from scrubline.models.trees.declaration import CodedFeatures, Coding, TreesDeclaration

from ..training.notes import CORPUS, LISTS, RECIPE

FEW = {
    "lbfgs": {"max_iterations": 20},
    "averaged-perceptron": {"max_iterations": 5},
    "boosted-trees": {"rounds": 3, "least": 1},
}
"""Algorithm -> parameters with which it takes a moment."""


def prepared(algorithm: str) -> Prepared:
    (tagger,) = RECIPE.taggers
    learner = Learner.of(algorithm, **FEW.get(algorithm, {}))
    is_coded = learner.family == "trees"
    coding = TreesDeclaration((CodedFeatures(tagger.features, Coding("flag")),))
    recipe = Recipe.single(
        name="tiny",
        layer=tagger.layer,
        sequence=tagger.sequence,
        features=tagger.features,
        scheme="BIO",
        learner=learner,
        coding=coding if is_coded else None,
    )
    (made,) = prepare(recipe, CORPUS, LISTS)
    return made


@pytest.fixture(scope="module", params=ALGORITHMS)
def learned(request):
    if ALGORITHMS[request.param].family == "margin":
        pytest.importorskip("sklearn")
    given = prepared(request.param)
    learner = given.recipe.learner
    model = learn(given.features, given.tags, learner, seed=1, coding=given.recipe.coding)
    return FAMILIES[learner.family], given, model


def test_each_algorithm_belongs_to_a_family_and_each_family_has_one():
    assert {algorithm.family for algorithm in ALGORITHMS.values()} == set(FAMILIES)


def test_suffixes_tell_families_apart():
    paths = [model_path("token", family) for family in FAMILIES]
    assert len(set(paths)) == len(FAMILIES)
    assert all(is_model(path) for path in paths)


@pytest.mark.parametrize("family", FAMILIES)
def test_each_family_has_its_kinds_of_detectors(family):
    kinds = [kind for kind in DetectorKind if kind.family == family]
    assert "token" in {kind.items for kind in kinds}
    assert set(kinds) <= set(ORDER)
    assert DetectorId.items_of(family) == tuple(kind.items for kind in kinds)
    for kind in kinds:
        assert DetectorId.of_tagger(family, kind.items, "x") == DetectorId(kind, "x")


def test_a_model_is_the_same_after_its_file(learned):
    family, given, model = learned
    content = family.pack(model)
    opened = family.unpack(content)
    assert (opened.tags, opened.attributes) == (model.tags, model.attributes)
    assert "O" in opened.tags
    assert family.pack(opened) == content
    recipe = given.recipe
    again = learn(given.features, given.tags, recipe.learner, seed=1, coding=recipe.coding)
    assert family.pack(again) == content


def test_the_opened_model_tags_as_the_learned_one(learned):
    family, given, model = learned
    tags = []
    for one in (model, family.unpack(family.pack(model))):
        decoder = family.open_decoder(one)
        assert decoder.tags == model.tags
        found, scores = decoder.decode(decoder.ready(given.features))
        assert len(found) == len(scores) == len(given.features.starts)
        tags.append(found.tolist())
    assert tags[0] == tags[1]
    # It learned something: most items of names are tagged.
    gold = [tag for sequence in given.tags for tag in sequence]
    hits = sum(t != "O" and model.tags[f] == t for t, f in zip(gold, tags[0], strict=True))
    assert hits > 0.5 * sum(t != "O" for t in gold)


@pytest.mark.skipif(native.extension() is None, reason="the native extension is not built here")
def test_what_the_cache_keeps_opens_to_the_same_tags(learned):
    family, given, model = learned
    decoder = family.open_decoder(model)
    expected, _ = decoder.decode(decoder.ready(given.features))
    weighed = {name: (one.phrases, one.weights) for name, one in LISTS.items()}
    phrases = PhraseIndex(weighed, given.recipe.layer, native.extension())
    index = AttributeIndex(
        given.recipe, model.attributes, native.extension(), phrases=phrases, clusters={}
    )
    texts = [document.text for document in CORPUS]
    features = index.featurize(texts, tokenize_documents(texts), {})
    cached = family.open_arrays(pickle.loads(pickle.dumps(family.arrays(model))))
    found, _ = cached.decode(cached.ready(features))
    assert found.tolist() == expected.tolist()
    reference = family.open_reference(model)
    found, _ = reference.decode(reference.ready(given.features))
    assert found.tolist() == expected.tolist()


def test_damaged_files_are_refused(learned):
    family, _, model = learned
    content = family.pack(model)
    for damaged in (b"", content[:-1], content[: len(content) // 2], b"x" + content[1:]):
        with pytest.raises(BundleError):
            family.unpack(damaged)


def test_only_crfs_will_do_where_sequences_matter():
    require_crf("lbfgs", "the algorithm")
    with pytest.raises(UsageError, match="must be one of lbfgs, averaged-perceptron, not linear"):
        require_crf("linear-svm", "the algorithm")
