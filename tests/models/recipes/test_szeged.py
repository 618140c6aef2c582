"""The whole of `szeged`, small: trained, written, opened, labelling alike on every way."""

from __future__ import annotations

import dataclasses
import json

import pytest
from scrubline.dictionaries import load
from scrubline.models import native
from scrubline.models.bundles import tagger
from scrubline.models.bundles.bundle import make_bundle, open_bundle, revise_bundle, write_bundle
from scrubline.models.bundles.detector import BundleDetector, detectors_of
from scrubline.models.core.errors import BundleError, UsageError
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.recipes import RECIPES, Learner, Recipe, Sampling
from scrubline.models.recipes.passes import Trust
from scrubline.models.recipes.szeged import TRIGGERS, szeged
from scrubline.models.text.tokenizer import tokenize_documents
from scrubline.models.training import train
from scrubline.models.training.crossvalidation import cross_validate
from scrubline.models.training.folds import make_folds
from scrubline.models.training.pruning import shrink
from scrubline.models.training.recall_tuning import tune_recall
from scrubline.models.training.settings import Setting, with_learner, with_sampling

NAMES = {
    "en": ("Ann Lee", "Bo Zhu", "Cy Poe", "Di Fox", "Ed Roe", "Flo Day"),
    "es": ("Ana Gil", "Blas Rey", "Eva Paz", "Juan Sanz", "Inés Mas", "Hugo Díaz"),
}
TEXTS = {
    "en": (
        "Name: {name}\nPlace: {place} General\nAge: {age}\n\n"
        "{name} came to {place} General.\nShe saw Dr. {other}, who asked for nothing."
    ),
    "es": (
        "Nombre: {name}\nCentro: {place} Norte\nEdad: {age}\n\n"
        "Acude {name} al {place} Norte.\nLa atiende el Dr. {other}, sin novedad."
    ),
}
PLACES = ("Oak Hill", "Mount Elm", "Five Pines")


def note(language: str, number: int) -> AnnotatedDocument:
    names = NAMES[language]
    words = {
        "name": (names[number % 6], "PATIENT"),
        "other": (names[(number + 2) % 6], "DOCTOR"),
        "place": (PLACES[number % 3], ""),
        "age": (str(30 + number), "AGE"),
    }
    text = TEXTS[language].format(**{key: word for key, (word, _) in words.items()})
    place = f"{words['place'][0]} {'General' if language == 'en' else 'Norte'}"
    phrases = [(word, label) for word, label in words.values() if label] + [(place, "HOSPITAL")]
    spans = {
        Annotation(start, start + len(word), label)
        for word, label in phrases
        for start in range(len(text))
        if text.startswith(word, start)
    }
    return AnnotatedDocument(str(number), text, tuple(sorted(spans, key=lambda s: s.start)))


def quick(recipe: Recipe) -> Recipe:
    """The recipe with fewer rounds."""
    few = Learner.of("boosted-trees", rounds=3, least=2, confidence=0.35)
    return dataclasses.replace(
        recipe, taggers=tuple(dataclasses.replace(t, learner=few) for t in recipe.taggers)
    )


def corpus(language: str) -> list[AnnotatedDocument]:
    return [note(language, number) for number in range(18)]


def trained(language: str = "en", **options):
    recipe = quick(szeged(language, trust=Trust(folds=2), **options))
    lists = {name: load(name) for name in recipe.lists}
    return train(recipe, corpus(language), dictionaries=lists, name="szeged-1")


@pytest.fixture(scope="module", params=["en", "es"])
def bundle(request):
    return trained(request.param)


def candidates(bundle, texts: list[str | None]):
    detector = BundleDetector(bundle, labels_as="own")
    tokens = tokenize_documents(texts)
    features = detector.featurize(texts, tokens)
    rows = detector.label(features, texts, tokens).rows()
    alone = [
        (number, candidate)
        for number in range(len(texts))
        for candidate in detector.label_document(features, number, texts, tokens)
    ]
    assert rows == alone
    return rows


def language_of(bundle) -> str:
    return "es" if "provinces_es" in bundle.recipe.dictionaries else "en"


def test_it_finds_what_it_was_shown(bundle):
    documents = corpus(language_of(bundle))
    texts: list[str | None] = [document.text for document in documents]
    rows = candidates(bundle, [*texts[:2], None, *texts[2:]])
    gold = {
        (d + (d > 1), s.start, s.end, s.label)
        for d, document in enumerate(documents)
        for s in document.spans
    }
    found = {(d, c.start, c.end, c.label) for d, c in rows}
    assert len(gold & found) > 0.8 * len(gold)
    assert {c.detector for _, c in rows} == {"trees:szeged-1"} == set(detectors_of(bundle))
    assert all(0 < c.score <= 1 for _, c in rows)


def test_a_document_depends_on_nothing_else(bundle):
    texts = [document.text for document in corpus(language_of(bundle))]
    together = candidates(bundle, [*texts])
    for number in (0, 7):
        alone = [candidate for _, candidate in candidates(bundle, [texts[number]])]
        assert alone == [candidate for document, candidate in together if document == number]


@pytest.mark.skipif(native.extension() is None, reason="the native extension is not built here")
def test_the_extension_and_the_reference_find_the_same(bundle, monkeypatch):
    texts = [*(document.text for document in corpus("en")), "", "Dr. He\u0301 🙂\r\nName: He", None]
    quickly = candidates(bundle, texts)
    tagger._opened.cache_clear()
    monkeypatch.setattr(tagger, "extension", lambda: None)
    monkeypatch.setattr("scrubline.models.trees.decoding.extension", lambda: None)
    monkeypatch.setattr("scrubline.models.trees.decoding.warn_if_absent", lambda: None)
    slowly = candidates(bundle, texts)
    tagger._opened.cache_clear()
    assert slowly == quickly


def test_the_same_input_gives_the_same_bytes(bundle):
    assert trained(language_of(bundle)).files == bundle.files


def test_it_survives_its_folder_and_damaged_models_are_refused(bundle, tmp_path):
    write_bundle(bundle, str(tmp_path / "b"))
    assert open_bundle(str(tmp_path / "b")).files == bundle.files
    assert sorted(name for name in bundle.files if name.endswith(".trees.xz")) == [
        f"{number}-{place}.trees.xz" for number in (1, 2) for place in (1, 2, 3)
    ]
    with pytest.raises(BundleError, match=r"2-1\.trees\.xz"):
        make_bundle(
            "x",
            recipe=bundle.recipe,
            models=bundle.models,
            dictionaries=bundle.dictionaries,
            packed={"2-1": bundle.files["2-1.trees.xz"][:-9]},
        )


def test_the_card_says_what_was_counted(bundle):
    assert bundle.card["word frequencies"]["counted in"] == "the training documents"
    assert bundle.card["trusted phrases"]["headings"] >= 2
    assert set(bundle.card["learner"]["curve"]) == set(bundle.recipe.keys)


@pytest.mark.parametrize("scheme", ["BIO", "IO"])
def test_recipes_survive_json(scheme):
    for recipe in (szeged("es", scheme=scheme), szeged(triggers=("token",), trust=None)):
        assert Recipe.from_json(json.loads(json.dumps(recipe.as_json()))) == recipe


def test_the_three_classifiers_differ_in_their_triggers_alone():
    codings = [one.coding.groups for one in RECIPES["szeged"].taggers[:3]]
    common = set.intersection(*map(set, codings))
    for (name, own), coding in zip(TRIGGERS.items(), codings, strict=True):
        assert tuple(one for one in coding if one not in common) == own, name
    # The word itself is seen as the end of a phrase alone.
    assert RECIPES["szeged"].passes == (3, 3)


def test_what_trees_cannot_do_is_refused(bundle):
    recipe = bundle.recipe
    with pytest.raises(UsageError, match="boosted-trees learns from all items"):
        with_sampling(recipe, Sampling("window"))
    with pytest.raises(UsageError, match="lbfgs cannot learn this recipe"):
        with_learner(recipe, "lbfgs", {})
    with pytest.raises(UsageError, match="boosted-trees needs features made for it"):
        with_learner(RECIPES["hide"], "boosted-trees", {})
    with pytest.raises(UsageError, match="--max-size: trees cannot"):
        shrink(bundle, 100_000)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"trust": {"name": "x"}}, "trust: keys entropy, phrases, folds are missing"),
        ({"trust": {**dataclasses.asdict(Trust()), "folds": 1}}, "folds must be 2 or more"),
        ({"trust": {**dataclasses.asdict(Trust()), "entropy": 0}}, "entropy must be"),
        ({"trust": {**dataclasses.asdict(Trust()), "name": "us_cities"}}, "names of its own"),
        ({"trust": None}, "only a later pass, with trust"),
        ({"standardise": "some"}, "standardise must be one of"),
        ({"counts": []}, "dictionaries"),
        ({"counts": [{"name": "x", "counts": "frequency", "least": 1}]}, "used by a feature"),
        ({"counts": [{"name": "x", "counts": "words", "least": 1}]}, "counts must be one of"),
        ({"passes": [6]}, "trust needs a second pass"),
        ({"passes": []}, "taggers must be one or two"),
    ],
)
def test_damaged_recipes_are_refused(change, message):
    values = {**RECIPES["szeged"].as_json(), **change}
    if change == {"counts": []}:
        # Then they are lists that do not ship.
        assert "words_frequency" in Recipe.from_json(values).lists
        return
    with pytest.raises(BundleError, match=message):
        Recipe.from_json(values)


def test_unknown_groups_and_triggers_are_refused():
    with pytest.raises(UsageError, match="unknown triggers all"):
        szeged(triggers=("all",))
    with pytest.raises(UsageError, match="unknown groups words"):
        szeged(groups=("words",))


def test_it_is_cross_validated_as_it_labels():
    documents = corpus("en")
    recipe = quick(szeged(trust=Trust(folds=2)))
    lists = {name: load(name) for name in recipe.lists}
    folds = make_folds(documents, 2)
    (result,) = cross_validate([Setting((), recipe)], documents, folds, dictionaries=lists)
    train_on = [documents[d] for d in folds[1]]
    made = train(recipe, train_on, dictionaries=lists, name="fold")
    rows = candidates(made, [documents[d].text for d in folds[0]])
    held = [result.found[d] for d in folds[0]]
    assert [(d, s.start, s.end, s.label) for d, own in enumerate(held) for s in own] == [
        (d, c.start, c.end, c.label) for d, c in rows
    ]
    assert result.f1 > 0.5


def test_recall_is_tuned_through_all_passes(bundle):
    documents = corpus(language_of(bundle))
    tuned = tune_recall(bundle, documents, recall=1.0)
    revised = revise_bundle(bundle, biases=tuned.biases)
    rows = candidates(revised, [document.text for document in documents])
    covered = {(d, place) for d, c in rows for place in range(c.start, c.end)}
    gold = {
        (d, place)
        for d, document in enumerate(documents)
        for s in document.spans
        for place in range(s.start, s.end)
    }
    assert tuned.after.characters.recall == pytest.approx(len(gold & covered) / len(gold))
    assert (tuned.after.characters.recall or 0) >= (tuned.before.characters.recall or 0)


def test_without_cross_fitting_the_models_tag_their_own_documents():
    recipe = quick(szeged(trust=Trust(folds=0)))
    lists = {name: load(name) for name in recipe.lists}
    made = train(recipe, corpus("en"), dictionaries=lists, name="szeged-1")
    assert made.card["trusted phrases"]["folds of cross-fitting"] == 0
    assert candidates(made, [corpus("en")[0].text])
