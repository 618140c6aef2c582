"""`train` with language parts, languages and lists: what the recipes of the papers ask for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scrubline.models.auxiliary import AUXILIARY_MODELS, write_auxiliary
from scrubline.models.auxiliary.base import make_cluster_table, make_recorded_links
from scrubline.models.auxiliary.conllu import TaggedSentence
from scrubline.models.auxiliary.sources import Origin
from scrubline.models.bundles.bundle import open_bundle
from scrubline.models.crf.packed import pack
from scrubline.models.recipes import Learner
from scrubline.pipeline.cli.main import main

DEMO = Path(__file__).parents[3] / "demo" / "gold"


def run(capsys, *words: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main([str(word) for word in words])
    out, err = capsys.readouterr()
    return int(stopped.value.code or 0), out, err


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    path = tmp_path_factory.mktemp("corpus") / "few.jsonl"
    lines = (DEMO / "train.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:6]), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    sentence = TaggedSentence("Ann ate", (0, 4), (3, 7), ("PROPN", "VERB"), ("NNP", "VBD"))
    learner = Learner.of("averaged-perceptron", max_iterations=2)
    pos = AUXILIARY_MODELS["pos"].train(
        [sentence] * 3, origin=Origin("made up", "CC0-1.0", ()), learner=learner
    )
    write_auxiliary(pos, str(folder / "pos"))
    brown = make_cluster_table(
        "brown", {"the": "01", "of": "10"}, card={"licence": "CC0-1.0"}, licence_text="CC0-1.0\n"
    )
    write_auxiliary(brown, str(folder / "brown"))
    return folder


FAST = ("--algorithm", "averaged-perceptron", "--set", "max_iterations=2", "--name", "tiny-1")


def test_a_missing_part_is_refused_with_the_command_that_makes_it(capsys, corpus, tmp_path):
    words = ("train", "--corpus", corpus, "--recipe", "wi-deid", *FAST, "--output", tmp_path / "b")
    code, _, err = run(capsys, *words)
    assert code == 2
    assert (
        "recipe wi-deid needs the auxiliary model 'pos'; make it with: scrubline part train pos"
        in err
    )
    assert not (tmp_path / "b").exists()


def test_a_part_is_embedded_and_named_in_the_card(capsys, corpus, parts, tmp_path):
    words = ("train", "--corpus", corpus, "--recipe", "wi-deid", *FAST, "--part", parts / "pos")
    code, out, err = run(capsys, *words, "--output", tmp_path / "b")
    assert code == 0, err
    bundle = open_bundle(str(tmp_path / "b"))
    assert bundle.auxiliary.keys() == {"pos"}
    small = sum(len(pack(model)) for model in bundle.models.values()) / 1.5e6
    code, _, err = run(capsys, *words, "--max-size", small, "--output", tmp_path / "small")
    assert code == 0, err
    assert open_bundle(str(tmp_path / "small")).auxiliary.keys() == {"pos"}
    assert "--part " in bundle.card["command"] and str(tmp_path) not in bundle.card["command"]
    note = tmp_path / "note.jsonl"
    note.write_text(json.dumps({"doc_id": "1", "text": "Seen by Dr. Ann Lee."}) + "\n")
    words = ("annotate", "--input", note, "--output", tmp_path / "p.jsonl", "--model")
    assert run(capsys, *words, tmp_path / "b", "--recogniser", "none")[0] == 0


@pytest.mark.slow
def test_parts_are_left_out_one_by_one_or_all(capsys, corpus, parts, tmp_path):
    words = ("train", "--corpus", corpus, "--recipe", "hitsz", *FAST)
    code, _, err = run(capsys, *words, "--without-part", "all", "--output", tmp_path / "none")
    assert code == 0, err
    assert open_bundle(str(tmp_path / "none")).auxiliary == {}
    some = ("--without-part", "ner", "--without-part", "word2vec", "--without-part", "pos")
    code, _, err = run(
        capsys, *words, *some, "--part", parts / "brown", "--output", tmp_path / "brown"
    )
    assert code == 0, err
    assert open_bundle(str(tmp_path / "brown")).auxiliary.keys() == {"brown"}
    code, _, err = run(capsys, *words, "--without-part", "syntax", "--output", tmp_path / "x")
    assert code == 2 and "does not need the auxiliary model syntax" in err
    code, _, err = run(
        capsys, *words, "--part", parts / "pos", "--part", parts / "pos", "--output", tmp_path / "x"
    )
    assert code == 2 and "given twice" in err
    code, _, err = run(
        capsys, *words, "--without-part", "all", "--part", parts / "pos", "--output", tmp_path / "x"
    )
    assert code == 2 and "recipe hitsz does not need pos" in err


def test_a_language_gives_the_lists(capsys, corpus, tmp_path):
    words = ("train", "--corpus", corpus, "--recipe", "hide", "--language", "es", *FAST)
    code, _, err = run(capsys, *words, "--output", tmp_path / "b")
    assert code == 0, err
    assert "cities_es" in open_bundle(str(tmp_path / "b")).dictionaries
    words = ("train", "--corpus", corpus, "--language", "xx", *FAST, "--output", tmp_path / "x")
    code, _, err = run(capsys, *words)
    assert code == 2 and "known: en, es" in err


def test_dictionaries_are_made_from_other_lists(capsys, corpus, tmp_path):
    words = ("train", "--corpus", corpus, "--recipe", "wi-deid", "--without-part", "pos", *FAST)
    other = ("--dictionary-from", "city=cities_es", "--dictionary-from", "country=none")
    code, _, err = run(capsys, *words, *other, "--output", tmp_path / "b")
    assert code == 0, err
    made = open_bundle(str(tmp_path / "b")).dictionaries
    assert "madrid" in made["city"].phrases and "france" not in made["country"].phrases
    code, _, err = run(
        capsys, *words, "--dictionary-from", "city=nowhere", "--output", tmp_path / "x"
    )
    assert code == 2 and "no list 'nowhere' ships" in err
    code, _, err = run(
        capsys, *words, "--dictionary-from", "towns=cities_es", "--output", tmp_path / "x"
    )
    assert code == 2 and "makes no dictionary towns" in err


def test_recorded_links_are_refused(capsys, corpus, tmp_path):
    links = make_recorded_links("links", {}, card={"licence": "CC0-1.0"}, licence_text="CC0-1.0\n")
    write_auxiliary(links, str(tmp_path / "links"))
    words = ("train", "--corpus", corpus, "--recipe", "stat-deid", "--part", tmp_path / "links")
    code, _, err = run(capsys, *words, "--name", "tiny-1", "--output", tmp_path / "b")
    assert code == 2 and "links is as sensitive as the notes" in err
    assert not (tmp_path / "b").exists()
