"""Bundles of other learner families than CRFs, of two classes, and those of earlier versions."""

from __future__ import annotations

import dataclasses
import hashlib
import json

import pytest
from scrubline.models.bundles.bundle import (
    Bundle,
    _opened,
    bundled_names,
    make_bundle,
    open_bundle,
    revise_bundle,
    write_bundle,
)
from scrubline.models.bundles.detector import BundleDetector, detectors_of
from scrubline.models.core.errors import BundleError, UsageError
from scrubline.models.core.labels import UNKNOWN_KIND
from scrubline.models.corpora import AnnotatedDocument, remap
from scrubline.models.recipes import Learner, Recipe
from scrubline.models.redaction.policy import Policy
from scrubline.models.scrubber import Scrubber
from scrubline.models.storage.checksummed import CHECKSUMS, to_json
from scrubline.models.training import train

from ..training.notes import CORPUS, LISTS, RECIPE

pytest.importorskip("sklearn")

HASHES = {
    "en-default": "290ebc9fe18c80f0120ce5cc153bec397ebc837d4594d9f98bb45c9c51cf031a",
    "es-default": "c4003d3318aa33d4d4f82ffc38c676da9a3c7507b86dbd948c5a5bafbf034f8d",
    "meddocan-default": "f4bd5e29ff45a75bc815e8a5ca2a0cb7dea2bc8569281b08416e23bb9e8ac163",
    "meddocan-hide": "7eb9739e281e0a88a12a99847d87c9a15c6c4fd7ff1d8dfcbc451426ffc04363",
}
"""Of the shipped bundles, which must open as they were written."""

OWN = {"DOCTOR": "MEDICO", "HOSPITAL": "CENTRO"}
OWN_CORPUS = [remap(document, OWN.get) for document in CORPUS]
MAP = {"MEDICO": "DOCTOR", "CENTRO": None}


def recipe(classes: str = "two") -> Recipe:
    (tagger,) = RECIPE.taggers
    learner = Learner.of("linear-svm")
    changed = dataclasses.replace(tagger, scheme="IO", learner=learner, classes=classes)
    return Recipe("svm", (changed,))


def trained(classes: str = "two", corpus=CORPUS, **options) -> Bundle:
    return train(recipe(classes), corpus, dictionaries=LISTS, name="svm-1", **options)


@pytest.fixture(scope="module")
def bundle() -> Bundle:
    return trained()


@pytest.fixture
def folder(bundle, tmp_path):
    write_bundle(bundle, str(tmp_path / "b"))
    _opened.clear()
    yield tmp_path / "b"
    _opened.clear()


def resum(folder) -> None:
    """Makes CHECKSUMS agree with what is there: a bundle changed on purpose."""
    files = {str(p.relative_to(folder)): p for p in folder.rglob("*") if p.is_file()}
    files.pop(CHECKSUMS)
    lines = [f"{hashlib.sha256(files[n].read_bytes()).hexdigest()}  {n}\n" for n in sorted(files)]
    (folder / CHECKSUMS).write_text("".join(lines))


@pytest.mark.parametrize("classes", ["two", "typed"])
def test_a_bundle_of_functions_is_opened_again_and_finds_the_same(classes, tmp_path):
    made = trained(classes)
    assert "token.svm.xz" in made.files and "token.crf.xz" not in made.files
    assert trained(classes).files == made.files
    assert detectors_of(made) == ("svm:svm-1",)
    assert made.card["learner"]["algorithm"] == {"token": "linear-svm"}
    assert {"scikit-learn"} < made.card["learner"].keys()
    write_bundle(made, str(tmp_path / "b"))
    opened = open_bundle(str(tmp_path / "b"))
    assert (opened.hash, opened.recipe) == (made.hash, recipe(classes))
    expected = ("PHI",) if classes == "two" else ("DOCTOR", "HOSPITAL")
    assert opened.labels == BundleDetector(opened).labels == expected
    text = CORPUS[1].text
    ((first, *_),) = Scrubber(opened, recognisers=()).entities(text)
    assert (text[first.start : first.end], first.detector) == ("Bo Zhu", "svm:svm-1")
    assert [Scrubber(one, recognisers=()).scrub(text) for one in (made, opened)] == [
        text.replace("Bo Zhu", f"[{first.label}]").replace("St Mary", f"[{expected[-1]}]")
    ] * 2


def test_functions_tell_no_risk(bundle):
    scrubber = Scrubber(bundle, recognisers=())
    assert not scrubber.detectors[0].taggers[0].tells_risks
    assert scrubber.uncertain(CORPUS[1].text) == []


def test_biases_move_what_is_found(bundle):
    text = CORPUS[1].text
    (few,) = Scrubber(revise_bundle(bundle, biases={"O": 100.0}), recognisers=()).entities(text)
    (many,) = Scrubber(revise_bundle(bundle, biases={"PHI": 100.0}), recognisers=()).entities(text)
    assert few == []
    assert sum(c.end - c.start for c in many) > 0.8 * len(text)


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:-1],
        lambda content: content[: len(content) // 2],
        lambda content: b"x" * len(content),
    ],
)
def test_a_damaged_model_is_refused(folder, damage):
    path = folder / "token.svm.xz"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(BundleError, match=r"token\.svm\.xz"):
        open_bundle(str(folder))
    resum(folder)  # the content is checked besides
    with pytest.raises(BundleError, match=r"token\.svm\.xz"):
        open_bundle(str(folder))


@pytest.mark.parametrize("name", ["token.crf.xz", "1-1.svm.xz", "character.svm.xz"])
def test_the_model_of_another_family_or_place_is_refused(folder, name):
    (folder / "token.svm.xz").rename(folder / name)
    resum(folder)
    with pytest.raises(BundleError, match="the model files differ"):
        open_bundle(str(folder))


@pytest.mark.parametrize("name", ["token.xyz.xz", "0-1.svm.xz", "word.svm.xz"])
def test_a_model_that_no_recipe_can_have_is_refused(folder, name):
    (folder / "token.svm.xz").rename(folder / name)
    resum(folder)
    with pytest.raises(BundleError, match="do not belong in a bundle"):
        open_bundle(str(folder))


def test_two_classes_have_phi_of_unknown_kind_whatever_the_corpus_calls_it():
    made = trained(corpus=OWN_CORPUS, label_map=MAP)
    assert made.labels == (UNKNOWN_KIND,)
    assert made.label_map == {**MAP, UNKNOWN_KIND: UNKNOWN_KIND}
    # Nothing of it is dropped: also not what a label of the corpus without a counterpart taught.
    text = CORPUS[1].text
    (entities,) = Scrubber(made, recognisers=()).entities(text)
    assert [text[c.start : c.end] for c in entities] == ["Bo Zhu", "St Mary"]
    assert {c.label for c in entities} == {UNKNOWN_KIND}
    scrubbed = Scrubber(made, recognisers=(), policy=Policy("site", {"DOCTOR": "keep"}))
    assert "Bo Zhu" not in scrubbed.scrub(text)
    own = Scrubber(made, recognisers=(), native_labels=False)
    assert [c.label for c in own.entities(text)[0]] == [UNKNOWN_KIND] * 2
    # What rules find beside it is PHI too, and none of it is dropped.
    with_rules = Scrubber(made, recognisers=["email"], native_labels=False)
    (entities,) = with_rules.entities("mail ann@example.org now")
    assert "PHI" in {c.label for c in entities if c.detector == "email"}
    # Without a map labels of the corpus need not be native: none of them is learned.
    assert trained(corpus=OWN_CORPUS).label_map is None


def test_a_map_that_would_drop_all_phi_is_refused(bundle):
    with pytest.raises(BundleError, match="label_map must give PHI a native label"):
        make_bundle(
            "svm-2",
            recipe=bundle.recipe,
            models=bundle.models,
            dictionaries=bundle.dictionaries,
            label_map={UNKNOWN_KIND: None},
        )


def test_a_label_that_no_map_names_is_refused_and_not_dropped(bundle):
    typed = trained("typed", OWN_CORPUS, label_map=MAP)
    assert BundleDetector(typed).labels == ("DOCTOR",)
    for label_map in ({}, {"MEDICO": "DOCTOR"}, {"MEDICO": "DOCTOR", "CENTRO": "NONE"}):
        with pytest.raises(BundleError, match="must give each label a native label or null"):
            make_bundle(
                "svm-2",
                recipe=typed.recipe,
                models=typed.models,
                dictionaries=typed.dictionaries,
                label_map=label_map,
            )
        with pytest.raises(UsageError, match="label of a span is m"):
            trained("typed", OWN_CORPUS, label_map=label_map)
    without = trained("typed", OWN_CORPUS)
    with pytest.raises(BundleError, match="are not native and there is no label map"):
        BundleDetector(without)


@pytest.mark.parametrize("name", bundled_names())
def test_bundles_of_earlier_versions_open_as_they_were_written(name):
    opened = open_bundle(name)
    assert opened.hash == HASHES[name]
    assert opened.files["recipe.json"] == to_json(opened.recipe.as_json())
    written = json.loads(opened.files["recipe.json"])
    assert not {"passes", "order"} & written.keys()
    assert (opened.recipe.order, opened.recipe.passes) == ("standard", ())
    assert set(opened.models) == set(opened.recipe.keys) == {"token"}
    assert "token.crf.xz" in opened.files
    assert detectors_of(opened)[0] == f"crf:{name}"


def test_documents_without_phi_are_refused():
    with pytest.raises(UsageError, match="nothing to learn"):
        trained(corpus=[AnnotatedDocument("a", "No fever.")])
