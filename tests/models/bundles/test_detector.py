"""A bundle of two taggers: what they find together, and what a vote leaves of it."""

from __future__ import annotations

import dataclasses
import hashlib

import pytest
from scrubline.models.bundles.bundle import open_bundle, write_bundle
from scrubline.models.bundles.detector import (
    BundleDetector,
    detectors_of,
    join,
    own_names,
    rules_named,
)
from scrubline.models.bundles.tagger import Tagger
from scrubline.models.core.errors import BundleError, UsageError
from scrubline.models.core.spans import Candidate
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.features import Character, Word, at, ngrams
from scrubline.models.recipes import Learner, Recipe, TaggerRecipe
from scrubline.models.recipes.propagation import Propagation
from scrubline.models.scrubber import Scrubber
from scrubline.models.text.tokenizer import tokenize_documents
from scrubline.models.training import train

PERCEPTRON = Learner.of("averaged-perceptron", max_iterations=10)
BOTH = Recipe(
    "both",
    (
        TaggerRecipe("fine", "line", at(Word(), -1, 0, 1), "BIO", PERCEPTRON),
        TaggerRecipe("character", "line", ngrams(Character(), 3, -3, 3), "BIOES", PERCEPTRON),
    ),
)


def note(text: str, *names: str, label: str = "DOCTOR") -> AnnotatedDocument:
    spans = tuple(Annotation(text.index(n), text.index(n) + len(n), label) for n in names)
    return AnnotatedDocument(str(hash(text)), text, spans)


# A character tagger sees the name within a word, a token tagger only whole tokens.
CORPUS = [
    note("seen by lee today", "lee"),
    note("seen by poe at noon", "poe"),
    note("note of drlee here", "lee"),
    note("note of drpoe here", "poe"),
    note("no fever at noon"),
    note("fever here today"),
]


@pytest.fixture(scope="module")
def bundle():
    return train(BOTH, CORPUS, dictionaries={}, name="both-1")


def found(system: BundleDetector, *texts: str) -> list[tuple[int, str, str, str]]:
    tokens = tokenize_documents(texts)
    rows = system.label(system.featurize(texts, tokens), texts, tokens).rows()
    return [(d, c.detector, c.label, texts[d][c.start : c.end]) for d, c in rows]


def test_both_taggers_find_by_their_own_names(bundle):
    assert detectors_of(bundle) == ("crf:both-1", "charcrf:both-1")
    system = BundleDetector(bundle)
    assert [tagger.name for tagger in system.taggers] == ["crf:both-1", "charcrf:both-1"]
    assert (system.name, system.hash, system.labels) == ("both-1", bundle.hash, ("DOCTOR",))
    rows = found(system, "no fever", "seen by lee today", "note of drpoe here")
    assert (1, "crf:both-1", "DOCTOR", "lee") in rows
    assert (1, "charcrf:both-1", "DOCTOR", "lee") in rows
    # A token that a span only touches is its span: the token tagger finds too much here.
    assert (2, "crf:both-1", "DOCTOR", "drpoe") in rows
    assert (2, "charcrf:both-1", "DOCTOR", "poe") in rows
    assert not any(document == 0 for document, *_ in rows)


def test_a_vote_of_both_keeps_what_both_find_alike(bundle):
    recipe = dataclasses.replace(BOTH, vote="both")
    voting = BundleDetector(train(recipe, CORPUS, dictionaries={}, name="both-1"))
    rows = found(voting, "seen by lee today", "note of drpoe here")
    assert [(d, text) for d, _, _, text in rows] == [(0, "lee"), (0, "lee")]


@pytest.mark.parametrize(
    ("text", "place", "left"),
    [
        ("seen by lee, today", (8, 12), (8, 11)),
        ("seen by: lee;\r\n", (7, 15), (9, 12)),
        ("tel. +34 915 555 014 (home)", (5, 20), (5, 20)),
        ("dr. lee (jr.)", (4, 13), (4, 13)),
        ("lee\N{NO-BREAK SPACE}\N{CJK UNIFIED IDEOGRAPH-674E}", (0, 5), (0, 5)),
        ("fax: +, none", (5, 6), None),
        (" ,;: ", (0, 5), None),
        ("|--|", (0, 4), None),
        # Letters that Unicode does not know as such.
        ("\ue863\ue864, x", (0, 3), (0, 2)),
        ("\U0002ebf0", (0, 1), (0, 1)),
        ("\ud800", (0, 1), (0, 1)),
        ("\u24bf\u24de", (0, 2), (0, 2)),
    ],
)
def test_a_span_ends_in_what_is_of_it(text, place, left):
    guess = Candidate(*place, "DOCTOR", "crf:x", 0.25)
    assert [(c.start, c.end) for c in join([[guess]], BOTH, text)] == ([left] if left else [])


def test_taggers_agree_on_what_is_left():
    token, character = (
        Candidate(8, end, "DOCTOR", f"{kind}:x", 0.25)
        for end, kind in ((12, "crf"), (11, "charcrf"))
    )
    both = dataclasses.replace(BOTH, vote="both")
    agreed = join([[token], [character]], both, "seen by lee, today")
    assert [(c.start, c.end, c.detector) for c in agreed] == [
        (8, 11, "charcrf:x"),
        (8, 11, "crf:x"),
    ]


def test_a_bundle_of_two_taggers_is_written_and_opened(bundle, tmp_path):
    write_bundle(bundle, str(tmp_path / "b"))
    names = {path.name for path in (tmp_path / "b").iterdir()}
    assert {"token.crf.xz", "character.crf.xz"} <= names
    opened = open_bundle(str(tmp_path / "b"))
    assert opened.hash == bundle.hash
    texts = ("seen by lee today", "note of drpoe here", "")
    assert found(BundleDetector(opened), *texts) == found(BundleDetector(bundle), *texts)


def test_a_model_file_that_the_recipe_lacks_is_refused(bundle, tmp_path):
    files = {**bundle.files}
    single = dataclasses.replace(BOTH, taggers=BOTH.taggers[:1])
    one = train(single, CORPUS, dictionaries={}, name="both-1")
    for name, content in {**files, "recipe.json": one.files["recipe.json"]}.items():
        (tmp_path / name).write_bytes(content)
    sums = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in tmp_path.iterdir()}
    lines = "".join(f"{sums[name]}  {name}\n" for name in sorted(sums))
    (tmp_path / "CHECKSUMS").write_text(lines)
    with pytest.raises(BundleError, match="recipe.json: its taggers are .'token'., but the model"):
        open_bundle(f"{tmp_path}/")


def test_a_document_is_labelled_alone_as_in_its_batch(bundle):
    system = BundleDetector(bundle)
    texts = ["seen by lee today", None, "", "note of drpoe here"]
    tokens = tokenize_documents(texts)
    features = system.featurize(texts, tokens)
    assert len(features) == 2
    rows = system.label(features, texts, tokens).rows()
    for index in range(len(texts)):
        alone = system.label_document(features, index, texts, tokens)
        assert alone == sorted(c for d, c in rows if d == index)


def test_a_tagger_that_the_bundle_lacks_is_refused(bundle):
    with pytest.raises(BundleError, match="has no word tagger; it has .'token', 'character'."):
        Tagger(bundle, "word")


def test_biases_go_to_each_tagger_that_knows_the_label(bundle):
    silent = BundleDetector(bundle, biases={"O": 50.0})
    assert found(silent, "seen by lee today") == []
    with pytest.raises(BundleError, match="PATIENT"):
        BundleDetector(bundle, biases={"PATIENT": 1.0})


# -- propagation

NOTES = ("seen by lee today", "Lee called. seen by Lee today. Lee", "Poe. note of DrPoe here")
AGAIN = Propagation(("DOCTOR",), share=0.1)


@pytest.fixture(scope="module")
def again():
    corpus = [dataclasses.replace(d, text=d.text.replace("lee", "Lee")) for d in CORPUS]
    return train(dataclasses.replace(BOTH, propagation=AGAIN), corpus, dictionaries={}, name="a-1")


def test_what_is_found_once_is_found_everywhere_in_the_document(again):
    assert detectors_of(again) == ("crf:a-1", "charcrf:a-1", "propagation:a-1")
    without = dataclasses.replace(again, recipe=dataclasses.replace(again.recipe, propagation=None))
    before, after = found(BundleDetector(without), *NOTES), found(BundleDetector(again), *NOTES)
    assert set(before) < set(after)
    added = set(after) - set(before)
    assert {(d, detector) for d, detector, *_ in added} == {(1, "propagation:a-1")}
    assert {text for *_, text in added} == {"Lee"}


def test_documents_do_not_propagate_to_each_other(again):
    system = BundleDetector(again)
    together = found(system, *NOTES, "Lee")
    alone = [(d, *row[1:]) for d, note in enumerate(NOTES) for row in found(system, note)]
    assert [row for row in together if row[0] < 3] == alone


def test_a_bundle_that_propagates_is_written_and_opened(again, tmp_path):
    write_bundle(again, str(tmp_path / "b"))
    opened = open_bundle(str(tmp_path / "b"))
    assert opened.recipe.propagation == AGAIN
    assert found(BundleDetector(opened), *NOTES) == found(BundleDetector(again), *NOTES)
    merged = Scrubber(opened, recognisers=()).entities(NOTES[1])
    assert [NOTES[1][c.start : c.end] for c in merged[0]] == ["Lee"] * 3
    assert [s.detectors for s in Scrubber(opened, recognisers=()).spans(NOTES[1])][0] == (
        "propagation:a-1",
    )


def test_labels_are_mapped_after_propagation_and_dropped_before():
    """What is dropped is carried over to no place, and does not keep its own from others."""
    mapped = train(
        dataclasses.replace(BOTH, propagation=Propagation(("SEXO", "TELEFONO"), share=0.1)),
        [
            note("seen by Lee today", "Lee", label="SEXO"),
            note("call Lee now", "Lee", label="TELEFONO"),
            note("Lee. no fever"),
        ],
        dictionaries={},
        label_map=MAPPED,
        name="m-1",
    )
    text = "Lee. no fever\nseen by Lee today\ncall Lee now"

    def of_propagation(labels_as: str) -> list[tuple[str, int]]:
        system, tokens = BundleDetector(mapped, labels_as=labels_as), tokenize_documents([text])
        rows = system.label(system.featurize([text], tokens), [text], tokens).rows()
        return [(c.label, c.start) for _, c in rows if c.detector == "propagation:m-1"]

    # Of equals the first by name: a label of its own, which nothing stands for natively.
    assert of_propagation("own") == [("SEXO", 0)]
    assert of_propagation("native") == [("PHONE", 0), ("PHONE", text.index("Lee today"))]


# -- rules of recipes, and what they find in the labels of the bundle

MAPPED = {"TELEFONO": "PHONE", "NHC": "MEDICALRECORD", "CIPA": "MEDICALRECORD", "SEXO": None}


@pytest.fixture(scope="module")
def spanish():
    corpus = [
        note("call ab on cd", "ab", label="TELEFONO"),
        note("the nhc ab cd", "ab", label="NHC"),
        note("the cipa ab cd", "ab", label="CIPA"),
        note("a man ab cd", "ab", label="SEXO"),
    ]
    recipe = dataclasses.replace(BOTH, taggers=BOTH.taggers[:1], rules=("liu_2015", "email"))
    return train(recipe, corpus, dictionaries={}, name="spanish", label_map=MAPPED)


def test_the_rules_of_recipes_stand_where_they_are_named(bundle, spanish):
    assert rules_named(["recipe"], [bundle]) == ()
    assert rules_named(["recipe"], [bundle, spanish]) == ("liu_2015", "email")
    assert rules_named(["email", "recipe", "date"], [spanish]) == ("email", "liu_2015", "date")
    assert rules_named([], [spanish]) == ()
    with pytest.raises(UsageError, match=r"unknown recognisers \['tarot'\]; known: "):
        rules_named(["date", "tarot"], [spanish])


def test_native_labels_have_own_names_where_there_is_one(bundle, spanish):
    # Two own labels are medical records: neither can be chosen.
    assert own_names([spanish]) == {"PHONE": "TELEFONO"}
    assert own_names([bundle]) is None
    assert own_names([spanish, bundle]) is None
    assert own_names([]) is None


@pytest.mark.parametrize(
    ("native", "expected"),
    [
        (True, [(0, 12, "PHONE"), (13, 24, "MEDICALRECORD"), (25, 35, "EMAIL")]),
        (False, [(0, 12, "TELEFONO")]),
    ],
)
def test_rules_speak_the_labels_of_the_bundle(spanish, native, expected):
    scrubber = Scrubber(spanish, recognisers="recipe", native_labels=native)
    assert scrubber.recognisers == ("liu_2015", "email")
    (found,) = scrubber.entities("171-289-0968 453-39-84-4 ab@kcm.org")
    assert [(c.start, c.end, c.label) for c in found if c.detector != "crf:spanish"] == expected


@pytest.mark.parametrize(
    ("text", "label", "kept"),
    [
        ("Hgb M 13-18 g/dl", "DATE", False),
        ("Hgb M 13-18 g/dl", "DOCTOR", True),
        ("on 3 and", "DATE", True),
        ("am 月 und", "DATE", True),
    ],
)
def test_one_letter_is_no_date(bundle, text, label, kept):
    system = BundleDetector(bundle)
    system._names = {label: label}
    at = next(n for n, sign in enumerate(text) if sign in "M3月" and text[n - 1] == " ")
    letter = Candidate(at, at + 1, label, "crf:both-1", 0.9)
    left = system.join_document([[letter], []], 0, [text], tokenize_documents([text]))
    assert left == ([letter] if kept else [])
