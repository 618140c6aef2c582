"""A native label is a line in the table: policies, corpora, label maps and scores read that."""

import json

import pytest

from ..toy_tree import COMMAND, run_in, tree_with

pytestmark = pytest.mark.slow

TEXT = "Her aunt Ada Lee was here."
SPAN = {"start": 9, "end": 16, "label": "RELATIVE"}


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    doctor = '    NativeLabel("DOCTOR", "NAME"),\n'
    edits = {doctor: f'{doctor}    NativeLabel("RELATIVE", "NAME", "A"),\n'}
    folder = tmp_path_factory.mktemp("tree")
    tree_with(folder, "models/core", {}, "labels.py", edits)
    row = {"doc_id": "1", "text": TEXT, "spans": [SPAN]}
    (folder / "gold.jsonl").write_text(json.dumps(row) + "\n")
    return folder


def test_a_policy_knows_it_and_its_hipaa_item(tree):
    (tree / "toy.toml").write_text('name = "t"\n[actions]\nRELATIVE = "mask"\n')
    explained = json.loads(run_in(tree, *COMMAND, "policy", "check", tree / "toy.toml", "--json"))
    assert explained["labels"]["RELATIVE"] == {"action": "mask", "hipaa_item": "A", "rules": []}
    assert explained["hipaa_items"]["A"]["labels"] == ["PATIENT", "RELATIVE"]
    (tree / "toy.toml").write_text('name = "t"\nhipaa = true\n[actions]\nRELATIVE = "keep"\n')
    with pytest.raises(AssertionError, match=r"keep is refused under hipaa.*\(A\)"):
        run_in(tree, *COMMAND, "policy", "check", tree / "toy.toml")


def test_corpora_hold_it_and_maps_lead_away_from_it(tree):
    run_in(tree, *COMMAND, "convert", tree / "gold.jsonl", tree / "xml", "--to", "i2b2_2014")
    (file,) = (tree / "xml").iterdir()
    assert 'TYPE="RELATIVE"' in file.read_text() and "<NAME " in file.read_text()
    run_in(tree, *COMMAND, "convert", tree / "xml", tree / "again.jsonl")
    assert json.loads((tree / "again.jsonl").read_text())["spans"] == [SPAN]
    code = (
        "from scrubline.models.core.label_maps import load_map\n"
        "for name in ('hipaa18', 'i2b2_2006', 'meddocan', 'tab'):\n"
        "    print(load_map(name, 'from_native').apply('RELATIVE'))\n"
    )
    foreign = ["A", "PATIENT", "NOMBRE_SUJETO_ASISTENCIA", "PERSON"]
    assert run_in(tree, "-c", code).split() == foreign


def test_it_is_scored_with_the_native_labels(tree):
    gold = tree / "gold.jsonl"
    report = json.loads(
        run_in(tree, *COMMAND, "evaluate", gold, gold, "--json", "--resamples", "0")
    )
    assert report["left_out"] == {}
    assert report["metrics"]["strict"]["by_label"]["RELATIVE"]["tp"] == 1
    assert list(report["metrics"]["i2b2_2014_category"]["by_label"]) == ["NAME"]


def test_models_give_it_and_it_is_removed(tree):
    code = (
        "from scrubline.models.corpora import AnnotatedDocument, Annotation\n"
        "from scrubline.models.features import Word, at\n"
        "from scrubline.models.recipes.recipe import Learner, Recipe\n"
        "from scrubline.models.scrubber import Scrubber\n"
        "from scrubline.models.training import train\n"
        f"text, span = {TEXT!r}, Annotation(*{(*SPAN.values(),)!r})\n"
        "learner = Learner.of('averaged-perceptron', max_iterations=5)\n"
        "recipe = Recipe.single(name='t', layer='fine', sequence='line', scheme='BIO',"
        " features=at(Word(), -1, 0, 1), learner=learner)\n"
        "notes = [AnnotatedDocument(str(n), text, (span,)) for n in range(3)]\n"
        "bundle = train(recipe, notes, dictionaries={}, name='t', native=True)\n"
        "print(Scrubber(bundle, recognisers=()).scrub(text))\n"
    )
    assert run_in(tree, "-c", code) == "Her aunt [RELATIVE] was here.\n"
