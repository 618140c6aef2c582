"""Bundles that hold language parts: whole, checked, and seen through by every tagger."""

from __future__ import annotations

import dataclasses
import hashlib

import pytest
from scrubline.models.auxiliary import AUXILIARY_MODELS, open_auxiliary
from scrubline.models.auxiliary.base import make_cluster_table, make_tree_table
from scrubline.models.auxiliary.conllu import TaggedSentence
from scrubline.models.auxiliary.sources import Origin
from scrubline.models.bundles.bundle import _opened, open_bundle, write_bundle
from scrubline.models.bundles.detector import BundleDetector
from scrubline.models.core.errors import BundleError, UsageError
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.features import Cluster, Tag, Tree, Word, at
from scrubline.models.recipes import Learner, Recipe
from scrubline.models.storage.checksummed import CHECKSUMS
from scrubline.models.text.tokenizer import tokenize_documents
from scrubline.models.training import train

PERCEPTRON = Learner.of("averaged-perceptron", max_iterations=10)
ORIGIN = Origin("made-up sentences", "CC0-1.0", ())
RECIPE = Recipe.single(
    name="tagged",
    layer="fine",
    sequence="line",
    features=(*at(Tag("pos"), -1, 0), *at(Cluster("brown", 4), 0)),
    scheme="BIO",
    learner=PERCEPTRON,
)


def sentence(*words: tuple[str, str]) -> TaggedSentence:
    text = " ".join(word for word, _ in words)
    starts = [sum(len(w) + 1 for w, _ in words[:i]) for i in range(len(words))]
    ends = [start + len(word) for start, (word, _) in zip(starts, words, strict=True)]
    tags = tuple(tag for _, tag in words)
    return TaggedSentence(text, tuple(starts), tuple(ends), tags, tags)


SENTENCES = [
    sentence(("seen", "VBN"), ("by", "IN"), (name, "NNP"), ("today", "NN"))
    for name in ("Ann", "Bob", "Cy", "Di", "Eve")
]


@pytest.fixture(autouse=True)
def nothing_open():
    _opened.clear()
    yield
    _opened.clear()


@pytest.fixture(scope="module")
def parts():
    pos = AUXILIARY_MODELS["pos"].train(SENTENCES, origin=ORIGIN, learner=PERCEPTRON)
    brown = make_cluster_table(
        "brown",
        {"Ann": "0101", "Bob": "0101", "today": "1100"},
        card={"licence": "CC0-1.0"},
        licence_text="CC0-1.0\n",
    )
    return {"pos": pos, "brown": brown}


def note(name: str) -> AnnotatedDocument:
    text = f"seen by {name} today"
    return AnnotatedDocument(name, text, (Annotation(8, 8 + len(name), "DOCTOR"),))


CORPUS = [note("Ann"), note("Bob"), AnnotatedDocument("x", "seen today")]


@pytest.fixture(scope="module")
def bundle(parts):
    return train(RECIPE, CORPUS, dictionaries={}, auxiliary=parts, name="tagged-1")


def found(bundle, *texts: str) -> list[str]:
    system = BundleDetector(bundle)
    tokens = tokenize_documents(texts)
    rows = system.label(system.featurize(texts, tokens), texts, tokens).rows()
    return [texts[d][c.start : c.end] for d, c in rows]


def test_a_bundle_holds_its_parts_and_sees_through_them(bundle, parts, tmp_path):
    # Neither name was in the corpus: what is known of one is its tag, made by the auxiliary model.
    texts = ("seen by Cy today", "seen by Eve today", "seen today")
    assert found(bundle, *texts) == ["Cy", "Eve"]
    write_bundle(bundle, str(tmp_path / "b"))
    opened = open_bundle(f"{tmp_path}/b")
    assert opened.hash == bundle.hash
    assert {n: p.hash for n, p in opened.auxiliary.items()} == {n: p.hash for n, p in parts.items()}
    assert found(opened, *texts) == found(bundle, *texts)
    names = {p.name for p in (tmp_path / "b" / "parts" / "pos").iterdir()}
    assert "LICENCE.md" in names and names == parts["pos"].files.keys()
    assert bundle.recipe.auxiliary == ("brown", "pos")


def test_parts_that_are_missing_are_named_with_their_command(parts):
    with pytest.raises(
        UsageError, match="recipe tagged needs the auxiliary model 'pos'; make it with: scrub"
    ):
        train(RECIPE, CORPUS, dictionaries={}, auxiliary={"brown": parts["brown"]}, name="tagged-1")


def test_a_recipe_does_without_its_parts():
    plain = dataclasses.replace(
        RECIPE,
        taggers=(
            dataclasses.replace(
                RECIPE.taggers[0], features=RECIPE.taggers[0].features + at(Word(), 0)
            ),
        ),
    )
    bundle = train(
        plain.without(["pos", "brown"]), CORPUS, dictionaries={}, name="tagged-1", auxiliary={}
    )
    assert bundle.auxiliary == {} and not any(name.startswith("parts/") for name in bundle.files)
    assert found(bundle, "seen by Ann today") == ["Ann"]


def resum(folder) -> None:
    files = {str(p.relative_to(folder)): p for p in folder.rglob("*") if p.is_file()}
    files.pop(CHECKSUMS, None)
    sums = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}
    lines = [f"{sums[name]}  {name}\n" for name in sorted(sums)]
    (folder / CHECKSUMS).write_text("".join(lines))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda b: (b / "parts/pos/model.crf.xz").unlink(), "parts/pos: .*is missing"),
        (lambda b: (b / "parts/pos/model.crf.xz").write_bytes(b"lCRF"), "parts/pos: .*damaged"),
        (
            lambda b: (b / "parts/pos").rename(b / "parts/ner"),
            "must hold exactly",
        ),
        (lambda b: (b / "parts/brown").rename(b / "gone"), "do not belong|must hold"),
        (
            lambda b: (b / "parts/brown/more.txt").write_text("x"),
            "parts/brown: .*not listed",
        ),
    ],
)
def test_damaged_parts_are_refused(bundle, tmp_path, change, message):
    write_bundle(bundle, str(tmp_path / "b"))
    change(tmp_path / "b")
    resum(tmp_path / "b")
    with pytest.raises(BundleError, match=message):
        open_bundle(f"{tmp_path}/b")


@pytest.mark.parametrize(
    "path", ["parts/pos/inner/x.txt", "parts/loose.txt", "other/pos/card.md", "parts/POS/card.md"]
)
def test_folders_and_files_that_a_bundle_cannot_have_are_refused(bundle, tmp_path, path):
    write_bundle(bundle, str(tmp_path / "b"))
    (tmp_path / "b" / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "b" / path).write_text("x")
    with pytest.raises(BundleError):
        open_bundle(f"{tmp_path}/b")
    resum(tmp_path / "b")
    with pytest.raises(BundleError):
        open_bundle(f"{tmp_path}/b")


def test_a_part_under_another_name_is_refused(bundle, parts, tmp_path):
    assert open_auxiliary(parts["pos"].files).name == "pos"
    wrong = dataclasses.replace(RECIPE, taggers=(dataclasses.replace(
        RECIPE.taggers[0], features=at(Tag("upos"), 0)),))  # fmt: skip
    with pytest.raises(BundleError, match="parts/upos: holds the model 'pos'"):
        train(wrong, CORPUS, dictionaries={}, auxiliary={"upos": parts["pos"]}, name="tagged-1")


def test_texts_that_failed_have_no_tags(bundle):
    system = BundleDetector(bundle)
    texts = [None, "seen by Cy today", None, "", "\ud800\0 by Cy"]
    tokens = tokenize_documents(["seen by Ann", *["" if t is None else t for t in texts[1:]]])
    rows = system.label(system.featurize(texts, tokens), texts, tokens).rows()
    assert {d for d, _ in rows} <= {1, 4} and 1 in {d for d, _ in rows}


def test_a_bundle_sees_the_levels_above_a_phrase():
    numbers = {"lee": "A01.001", "ann": "A01.002;B02", "bob": "A01.003", "today": "C03"}
    model = make_tree_table("mesh", numbers, card={"licence": "ours"}, licence_text="ours\n")
    tagger = dataclasses.replace(RECIPE.taggers[0], features=(*at(Tree("mesh"), 0), *at(Word(), 0)))
    recipe = dataclasses.replace(RECIPE, taggers=(tagger,))
    bundle = train(recipe, CORPUS, dictionaries={}, auxiliary={"mesh": model}, name="trees-1")
    # Lee was in no note: what is known of it is a level that Ann and Bob are under.
    assert found(bundle, "seen by LEE today", "seen today") == ["LEE"]
