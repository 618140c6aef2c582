from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.dictionaries import Dictionary
from scrubline.models.bundles.bundle import open_bundle, write_bundle
from scrubline.models.bundles.detector import BundleDetector
from scrubline.models.core.errors import UsageError
from scrubline.models.core.labels import UNKNOWN_KIND
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.features import Gazetteer, Prefix, Word, at
from scrubline.models.recipes import RECIPES, Learner, Recipe
from scrubline.models.text.tokenizer import tokenize_documents
from scrubline.models.training import train

from ...examples import examples

SITES = Dictionary("sites", ("Oakton", "St Mary"), "0" * 64)
PERCEPTRON = Learner.of("averaged-perceptron", max_iterations=8)


def tiny(**changes: object) -> Recipe:
    values: dict[str, object] = {
        "name": "tiny",
        "layer": "fine",
        "sequence": "line",
        "features": (*at(Word(), -1, 0, 1), *at(Prefix(1), 0), *at(Gazetteer("sites"), 0)),
        "scheme": "BIO",
        "learner": PERCEPTRON,
        "max_sequence": 50,
    }
    return Recipe.single(**{**values, **changes})  # type: ignore[arg-type]


def note(number: int) -> AnnotatedDocument:
    """A made-up note in which names follow a title, and sites are in the dictionary."""
    name = ["Ann Lee", "Bo Zhu", "Cy Poe", "Di Fox"][number % 4]
    site = ["Oakton", "St Mary"][number % 2]
    text = f"Dr. {name} saw the patient\nat {site} on day {number}.\r\nNo fever."
    start, place = text.index(name), text.index(site)
    return AnnotatedDocument(
        f"d{number}",
        text,
        (
            Annotation(start, start + len(name), "DOCTOR"),
            Annotation(place, place + len(site), "HOSPITAL"),
        ),
    )


def quick(recipe: Recipe) -> Recipe:
    """The recipe with a learner that is fast."""
    few = Learner.of("boosted-trees", rounds=2, least=2)
    taggers = tuple(
        dataclasses.replace(t, learner=few if t.coding else PERCEPTRON) for t in recipe.taggers
    )
    return dataclasses.replace(recipe, taggers=taggers)


CORPUS = [note(number) for number in range(10)]


def trained(recipe: Recipe | None = None, corpus=CORPUS, **options):
    options = {"dictionaries": {"sites": SITES}, "name": "tiny-en"} | options
    return train(recipe or tiny(), corpus, **options)


def found(bundle, text: str) -> set[tuple[str, str]]:
    system = BundleDetector(bundle, labels_as="own")
    tokens = tokenize_documents([text])
    rows = system.label(system.featurize([text], tokens), [text], tokens).rows()
    return {(c.label, text[c.start : c.end]) for _, c in rows}


@pytest.mark.parametrize("scheme", ["BIO", "BIOES"])
@pytest.mark.parametrize("layer", ["fine", "coarse", "character"])
@pytest.mark.parametrize("algorithm", ["averaged-perceptron", "lbfgs"])
def test_what_is_trained_finds_what_it_saw(scheme, layer, algorithm):
    learner = Learner.of(algorithm, max_iterations=15)
    bundle = trained(tiny(scheme=scheme, layer=layer, learner=learner))
    missed = 0
    for document in CORPUS:
        gold = {(s.label, document.text[s.start : s.end]) for s in document.spans}
        missed += len(gold - found(bundle, document.text))
    # The features are made for tokens: of a character they see next to nothing.
    assert missed <= (10 if layer == "character" else 0)


def test_the_bundle_says_what_it_was_trained_on():
    bundle = trained(trained_on="made-up notes", command="scrubline train")
    assert (bundle.name, bundle.labels) == ("tiny-en", ("DOCTOR", "HOSPITAL"))
    assert bundle.recipe == tiny()
    assert bundle.dictionaries["sites"].phrases == SITES.phrases
    card = bundle.card
    assert (card["trained_on"], card["command"]) == ("made-up notes", "scrubline train")
    assert card["corpus"]["documents"] == 10
    assert card["corpus"]["spans"] == {"DOCTOR": 10, "HOSPITAL": 10}
    assert card["corpus"]["characters"] == sum(len(d.text) for d in CORPUS)
    assert card["learner"]["algorithm"] == {"token": "averaged-perceptron"}
    assert "Ann" not in str(card) and "d1" not in str(card)


def test_the_same_input_gives_the_same_bytes(tmp_path):
    first, second = trained(), trained(corpus=iter(CORPUS))
    assert first.files == second.files
    assert first.hash == second.hash
    assert trained(tiny(seed=1)).hash != first.hash
    write_bundle(first, str(tmp_path / "b"))
    assert open_bundle(str(tmp_path / "b")).files == first.files


@pytest.mark.parametrize("name", RECIPES)
def test_every_recipe_is_trained_alike_twice(name):
    recipe = quick(RECIPES[name].without(RECIPES[name].auxiliary))
    given_lists = {key: Dictionary(key, ("oakton",), "0" * 64) for key in recipe.lists}
    bundles = [trained(recipe, dictionaries=given_lists) for _ in range(2)]
    assert bundles[0].files == bundles[1].files
    label = "DOCTOR" if recipe.classes == "typed" else UNKNOWN_KIND
    assert (label, "Ann Lee") in found(bundles[0], CORPUS[0].text)


def test_progress_is_told():
    told: list[int] = []
    trained(progress=lambda iteration, loss: told.append(iteration))
    assert told and told == list(range(1, len(told) + 1))


def test_documents_without_spans_are_negatives_not_errors():
    bundle = trained(
        corpus=[*CORPUS, AnnotatedDocument("empty", ""), AnnotatedDocument("no", "No fever.")]
    )
    assert bundle.card["corpus"]["documents"] == 12
    assert found(bundle, "No fever.") == set()


def with_span(document: AnnotatedDocument, start: int, end: int, label: str) -> AnnotatedDocument:
    """A document with a span that its own checks might refuse, as other readers could make it."""
    span = Annotation(0, 1, label)
    object.__setattr__(span, "start", start)
    object.__setattr__(span, "end", end)
    changed = AnnotatedDocument(document.doc_id, document.text)
    object.__setattr__(changed, "spans", (span,))
    return changed


@pytest.mark.parametrize(("start", "end"), [(-1, 3), (3, 3), (5, 2), (0, 10_000), (9_999, 10_000)])
def test_spans_outside_of_the_text_are_refused_by_ordinal(start, end):
    corpus = [*CORPUS[:3], with_span(CORPUS[3], start, end, "DOCTOR"), *CORPUS[4:]]
    with pytest.raises(UsageError, match="document 3: ") as caught:
        trained(corpus=corpus)
    assert "d3" not in str(caught.value) and "Fox" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"native": True}, "document 2: .*not native"),
        ({"label_map": {"DOCTOR": "DOCTOR", "HOSPITAL": None}}, "document 2: .*missing in"),
        (
            {"label_map": {"DOCTOR": "DOCTOR", "HOSPITAL": None, "SECRET": "SECRET"}},
            "document 2: .*is mapped to 'SECRET'",
        ),
    ],
)
def test_labels_that_must_be_native_and_are_not(options, words):
    corpus = [*CORPUS[:2], with_span(CORPUS[2], 0, 2, "SECRET"), *CORPUS[3:]]
    with pytest.raises(UsageError, match=words):
        trained(corpus=corpus, **options)
    assert "SECRET" in trained(corpus=corpus).labels


def test_native_labels_and_maps_are_taken():
    assert trained(native=True).label_map is None
    mapped = trained(label_map={"DOCTOR": "PATIENT", "HOSPITAL": None}, native=True)
    assert BundleDetector(mapped).labels == ("PATIENT",)


@pytest.mark.parametrize(
    ("corpus", "words"),
    [
        ([], "no training document"),
        ([AnnotatedDocument("a", "No fever."), AnnotatedDocument("b", "")], "2 training documents"),
        ([AnnotatedDocument("a", " \n ", (Annotation(0, 2, "DATE"),))], "nothing to learn"),
        ([AnnotatedDocument("a", "x", (Annotation(0, 1, "a b"),))], "no name that a bundle"),
    ],
)
def test_corpora_that_cannot_be_learnt_are_refused(corpus, words):
    with pytest.raises(UsageError, match=words):
        trained(corpus=corpus)


def test_missing_dictionaries_are_named():
    with pytest.raises(UsageError, match="sites"):
        trained(dictionaries={})


@examples(15)
@given(
    text=st.text(alphabet=st.sampled_from("aZ9 .\n\r\0é🙂\ud800\ufeff\u2028|\\"), max_size=60),
    data=st.data(),
)
def test_any_text_can_be_learnt(text, data):
    spans: tuple[Annotation, ...] = ()
    if text:
        start = data.draw(st.integers(0, len(text) - 1))
        spans = (Annotation(start, data.draw(st.integers(start + 1, len(text))), "DATE"),)
    recipe = tiny(learner=Learner.of("averaged-perceptron", max_iterations=2))
    bundle = trained(recipe, [*CORPUS[:2], AnnotatedDocument("x", text, spans)])
    found(bundle, text)
