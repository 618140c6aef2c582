"""The experiments of the papers, end to end, on the demo corpus in both XML formats of i2b2."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path

import pytest
from scrubline.dictionaries import load
from scrubline.models.bundles.bundle import write_bundle
from scrubline.models.corpora import read_annotated
from scrubline.models.recipes import RECIPES, Learner
from scrubline.models.training import train
from scrubline.pipeline.cli import main as cli

GOLD = Path(__file__).parents[3] / "demo" / "gold"
DOCUMENTS = {"train": 24, "dev": 10}
MOST = 1_000
"""Characters of a document: the first ones are enough, and characters are many items."""


def scrubline(capsys, *words: object) -> str:
    with pytest.raises(SystemExit) as ended:
        cli.main([str(word) for word in words])
    sys.stdout.flush()
    out, err = capsys.readouterr()
    assert ended.value.code == 0, err
    return out


@pytest.fixture(params=["i2b2_2014", "i2b2_2006"])
def corpus(request, tmp_path, capsys) -> tuple[str, dict[str, Path]]:
    """The demo corpus in a format; the part "dev" stands for the papers' test part."""
    form, found = request.param, {}
    for part, count in DOCUMENTS.items():
        few = tmp_path / f"{part}.jsonl"
        lines = (GOLD / f"{part}.jsonl").read_text(encoding="utf-8").splitlines()[:count]
        few.write_text("".join(cut(line) + "\n" for line in lines), encoding="utf-8")
        found[part] = tmp_path / (f"{part}-xml" if form == "i2b2_2014" else f"{part}.xml")
        words = ["--label-map", form] if form == "i2b2_2006" else []
        scrubline(capsys, "convert", few, found[part], "--to", form, *words)
    return form, found


def cut(line: str) -> str:
    """A document up to a line's end, with the spans until there; XML holds no form feed."""
    document = json.loads(line)
    size = document["text"].rfind("\n", 0, MOST) + 1
    text = document["text"][:size].replace("\f", "\n")
    spans = [span for span in document["spans"] if span["end"] <= size]
    return json.dumps({**document, "text": text, "spans": spans})


LEFT_OUT = {"hide": (), "wi-deid": ("tag",), "hitsz": ("tag", "cluster")}
"""Recipe -> the kinds of features that it cannot have without language parts."""


@pytest.mark.parametrize("name", LEFT_OUT)
@pytest.mark.slow
def test_train_annotate_and_evaluate(name, corpus, tmp_path, capsys):
    form, parts = corpus
    words = ["--algorithm", "averaged-perceptron", "--set", "max_iterations=6"]
    for kind in LEFT_OUT[name]:
        words += ["--leave-out", kind]
    if form == "i2b2_2006":
        words += ["--label-map", form]
    scrubline(
        capsys,
        *("train", "--corpus", parts["train"], "--recipe", name, "--name", name),
        *("--output", tmp_path / "bundle", *words),
    )

    found = tmp_path / ("found-xml" if form == "i2b2_2014" else "found.xml")
    scrubline(
        capsys,
        *("annotate", "--input", parts["dev"], "--output", found, "--to", form, "--own-labels"),
        *("--model", f"{tmp_path}/bundle", "--recogniser", "recipe"),
    )
    assert len(list(read_annotated(str(found)))) == DOCUMENTS["dev"]
    scores = json.loads(scrubline(capsys, "evaluate", parts["dev"], found, "--json"))
    # Little was learned of so little, but most of what was found is right.
    assert scores["metrics"]["character"]["micro"]["precision"] > 0.6
    assert scores["metrics"]["strict"]["micro"]["f1"] > 0.1


def test_scrub_runs_the_rules_of_the_recipe(tmp_path, capsys):
    """A bundle's recipe brings its rules; a bundle without any brings none."""
    text = "Seen by Ada.\n"
    note = {"doc_id": "1", "text": text, "spans": [{"start": 8, "end": 11, "label": "DOCTOR"}]}
    (tmp_path / "gold.jsonl").write_text(json.dumps(note) + "\n")
    (tmp_path / "in.jsonl").write_text(json.dumps({"id": 1, "text": "MRN 453-39-84-4"}) + "\n")
    scrubline(capsys, "key", "new", "--output", tmp_path / "key.txt")
    for rules, expected in ((("liu_2015",), "rules: liu_2015;"), ((), "rules: none;")):
        recipe = dataclasses.replace(
            RECIPES["hide"],
            taggers=(
                dataclasses.replace(
                    RECIPES["hide"].taggers[0],
                    learner=Learner.of("averaged-perceptron", max_iterations=2),
                ),
            ),
            rules=rules,
        )
        bundle = train(
            recipe,
            list(read_annotated(str(tmp_path / "gold.jsonl"))),
            dictionaries={name: load(name) for name in recipe.lists},
            name=f"tiny-{len(rules)}",
        )
        write_bundle(bundle, str(tmp_path / bundle.name))
        out = scrubline(
            capsys,
            *("scrub", "--input", tmp_path / "in.jsonl", "--output", tmp_path / "out"),
            *("--model", f"{tmp_path}/{bundle.name}", "--recogniser", "recipe", "--dry-run"),
            *("--column", "id=id", "--column", "text=text", "--key-file", tmp_path / "key.txt"),
        )
        assert expected in out
