"""What the studies of szeged and stat-deid vary, and what they compare it with, by hand."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from scrubline.dictionaries import load
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.evaluation.matrices import Matrix
from scrubline.models.recipes.stat_deid import GROUPS
from scrubline.models.studies import (
    SIZES,
    Bench,
    Material,
    kernels,
    lists_needed,
    stat_deid,
    szeged,
)
from scrubline.models.studies.base import (
    FULL,
    RecipeResult,
)
from scrubline.models.studies.replaced import (
    CORPORA,
    SYSTEMS,
    corpus_named,
    found_by,
    phi_labels,
    vocabulary,
)

NOTES = (
    ("Dr ", ("DOCTOR", "Smith"), " saw ", ("PATIENT", "Anna Wolfe"), " in ", ("CITY", "Boston")),
    ("Seen ", ("DATE", "03/04/2011"), " by Dr ", ("DOCTOR", "Wolfe"), ": fever, no cough"),
    ("Dr ", ("DOCTOR", "Smith"), " has no fever. Cough since ", ("DATE", "05/06/2012")),
    (("PATIENT", "Cough"), " called ", ("PHONE", "617-555-0123"), " on ", ("DATE", "07/08/2013")),
)


def note(number: int, parts: tuple[str | tuple[str, str], ...]) -> AnnotatedDocument:
    text, spans = "", []
    for part in parts:
        if isinstance(part, tuple):
            spans.append(Annotation(len(text), len(text) + len(part[1]), part[0]))
            part = part[1]
        text += part
    return AnnotatedDocument(f"note {number}", text, tuple(spans))


@pytest.fixture(scope="module")
def bench() -> Bench:
    notes = [note(number, parts) for number, parts in enumerate(NOTES)]
    lists = {name: load(name) for name in lists_needed("en")}
    return Bench(Material("made", notes[:3] * 4, notes[2:], "en", lists), SIZES["quick"])


def test_groups_without_their_auxiliary_models_are_missing(bench):
    there, missing = stat_deid.groups_of(bench)
    assert missing == ["syntactic bigrams", "part of speech", "mesh"]
    assert [*there, *missing] == sorted(
        GROUPS, key=lambda name: (name in missing, [*GROUPS].index(name))
    )
    spanish = dataclasses.replace(bench.material, language="es")
    lists = {name: load(name) for name in lists_needed("es")}
    spanish = dataclasses.replace(spanish, dictionaries=lists)
    assert stat_deid.groups_of(dataclasses.replace(bench, material=spanish)) == (there, missing)
    assert "auxiliary models: syntactic bigrams, part of speech, mesh." in stat_deid.how(bench)


def test_the_text_of_the_paper_is_its_table_read_the_wrong_way_round():
    counts = stat_deid._COUNTS
    precision, recall, _, other_precision, other_recall, _ = stat_deid._ratios_of_counts(counts)
    assert round(precision, 4) == stat_deid._TEXT[1] == 0.9352
    assert round(recall, 4) == pytest.approx(stat_deid._TEXT[0], abs=1e-4)
    assert round(other_precision, 4) == pytest.approx(stat_deid._TEXT[4], abs=1e-4)
    assert round(other_recall, 4) == pytest.approx(stat_deid._TEXT[3], abs=1e-4)


def test_few_features_are_triggers_and_what_the_paper_names():
    material = Material("made", (), (), "es", {})
    (tagger,) = szeged._few_features(Bench(material, FULL)).taggers
    assert tagger.coding is not None and tagger.coding.history == 1
    own = [feature for feature in tagger.features if all(o == 0 for _, o in feature.parts)]
    assert len(own) == 5
    assert not tagger.needs("gazetteer")


def test_wrong_is_what_either_side_has_alone():
    gold = [note(0, NOTES[0]), note(1, NOTES[1])]
    found = [list(gold[0].spans[:2]), [*gold[1].spans, Annotation(0, 4, "DATE")]]
    recipe = szeged.first_pass(Bench(Material("made", (), (), "en", {}), FULL))
    wrong = szeged._wrong(RecipeResult(recipe, gold, found, 0.0, 0))
    assert wrong == {(0, gold[0].spans[2]), (1, Annotation(0, 4, "DATE"))}


def test_names_are_told_from_numbers_by_native_labels(bench):
    labels = phi_labels(bench.material)
    assert labels.people == {"DOCTOR", "PATIENT"} and labels.places == {"CITY"}


def test_the_words_of_each_corpus_are_known_as_it_promises(bench):
    known = {name: vocabulary(corpus_named(bench, name)) for name in CORPORA}
    # Smith is seen; the patient Cough is seen, and outside of PHI.
    assert (known["as it is"].words, known["as it is"].unseen) == (2, 0.0)
    assert known["as it is"].ambiguous == 0.5
    assert known["out of vocabulary"].unseen == 1.0 == 1.0 - known["out of vocabulary"].listed
    # Words of medicine may be drawn too, which need not stand in the notes.
    assert known["ambiguous"].words >= 2


@pytest.mark.slow
@pytest.mark.parametrize("name", CORPORA[:2])
def test_four_systems_find_phi_in_the_same_documents(bench, name):
    gold, found = found_by(corpus_named(bench, name))
    assert tuple(found) == SYSTEMS
    assert all(len(spans) == len(gold) == 2 for spans in found.values())
    for document, spans in zip(gold, found["rules and dictionaries"], strict=True):
        assert all(span.end <= len(document.text) for span in spans)


def test_kernels_find_what_the_recipe_finds(bench, tmp_path):
    tmp_path.chmod(0o700)
    kept = dataclasses.replace(bench, work=Path(tmp_path))
    gold, trained, found = kernels.with_kernels(kept)
    assert trained == 6 and len(gold) == 2 and tuple(found) == tuple(kernels.KERNELS)
    assert len(list(tmp_path.iterdir())) == 3
    assert kernels.with_kernels(kept)[2] == found == kernels.with_kernels(bench)[2]
    matrix = kept.score_found(gold, found["linear"], ("phi_confusion",)).metrics["phi_confusion"]
    assert isinstance(matrix, Matrix) and matrix.counts[0][0] > 0
