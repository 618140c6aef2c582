"""`scrubline part`: from files to folders of auxiliary models, and its errors."""

import json
import sys

import pytest
from scrubline.models.auxiliary import (
    AUXILIARY_MODELS,
    link_grammar,
    open_auxiliary,
    read_auxiliary,
)
from scrubline.models.auxiliary.link_grammar import is_installed
from scrubline.models.corpora import write_annotated
from scrubline.pipeline.cli import main as cli
from scrubline.pipeline.cli.parser import make_parser
from scrubline.pipeline.commands import auxiliary

from ...models.auxiliary.small import ENTRY_TERMS, HEADINGS, NAMED, NOTES, UD, mesh

QUICK = ("--algorithm", "averaged-perceptron", "--set", "max_iterations=5")


@pytest.fixture
def run(capsys):
    """Runs `scrubline part`; gives exit code, output and errors."""

    def call(*words):
        with pytest.raises(SystemExit) as ended:
            cli.main(["part", *map(str, words)])
        return (ended.value.code, *capsys.readouterr())

    return call


@pytest.fixture
def ud(tmp_path):
    path = tmp_path / "ud/en_ewt-ud-train.conllu"
    path.parent.mkdir()
    path.write_text(UD, encoding="utf-8")
    return path


@pytest.fixture
def notes(tmp_path):
    path = tmp_path / "raw/notes.jsonl"
    path.parent.mkdir()
    rows = [{"text": text, "meta": {"source": "github:wyim/aci-bench"}} for text in NOTES]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["pos", "upos"])
def test_a_treebank_becomes_a_tagger(run, ud, tmp_path, name):
    out = tmp_path / "part"
    code, said, errors = run(
        *("train", name, "--input", ud, "--output", out, "--held-out", ud, *QUICK)
    )
    assert (code, errors) == (0, "")
    assert said.startswith(f"auxiliary model {name}: ") and "CC BY-SA 4.0" in said
    model = read_auxiliary(str(out))
    assert model.name == name and model.licence == "CC BY-SA 4.0"
    assert model.card["trained_on"] == "UD English-EWT"
    assert model.card["scores"]["ud/en_ewt-ud-train.conllu"]["accuracy"] == 1.0
    assert model.card["command"] == (
        f"scrubline part train {name} --input ud/en_ewt-ud-train.conllu "
        "--held-out ud/en_ewt-ud-train.conllu --set max_iterations=5 "
        "--algorithm averaged-perceptron"
    )
    assert "Silveira" in (out / "LICENCE.md").read_text()
    code, said, _ = run("show", out)
    assert code == 0 and model.hash in said and "licence: CC BY-SA 4.0" in said
    code, said, _ = run("score", out, "--input", ud)
    assert json.loads(said) == {"ud/en_ewt-ud-train.conllu": {"words": 16, "accuracy": 1.0}}


def test_corpora_become_a_tagger_of_names(run, tmp_path):
    corpus = tmp_path / "names.jsonl"
    documents = [
        type(d)(f"d{n}", d.text, d.spans, {"source": "leondz/emerging_entities_17"})
        for n, d in enumerate(NAMED)
    ]
    write_annotated(documents, str(corpus))
    out = tmp_path / "ner"
    assert run("train", "ner", "--input", corpus, "--output", out, *QUICK)[0] == 0
    model = read_auxiliary(str(out))
    assert model.licence == "CC BY 4.0" and model.card["corpus"]["documents"] == 4
    scores = json.loads(run("score", out, "--input", corpus)[1])
    assert scores[f"{tmp_path.name}/names.jsonl"]["all"]["gold"] == 6


def test_notes_become_clusters(run, notes, tmp_path):
    (notes.parent / "more.txt").write_text("the man ate soup .\n", encoding="utf-8")
    out = tmp_path / "brown"
    code, said, _ = run(
        *("train", "brown", "--input", notes.parent, "--output", out, "--set", "clusters=4"),
        *("--set", "fold=0", "--licence", "ours", "--credit", "Notes of our own."),
        *("--held-out", notes),
    )
    assert code == 0 and "protect it as you protect" in said
    model = read_auxiliary(str(out))
    assert model.licence == "CC BY 4.0, ours"
    assert model.card["corpus"]["texts"] == len(NOTES) + 1
    assert model.card["settings"]["fold"] is False
    assert model.clusters.get("The") != model.clusters["ate"]
    assert model.card["scores"]["raw/notes.jsonl"]["have a code"] == 1.0
    assert "Notes of our own." in (out / "LICENCE.md").read_text()
    assert " words, " in run("show", out)[1]


def test_the_list_shows_every_command(run):
    code, said, _ = run("list")
    assert code == 0
    for maker in AUXILIARY_MODELS.values():
        assert maker.command in said and maker.title in said


def test_the_help_names_every_auxiliary_model(capsys):
    with pytest.raises(SystemExit):
        make_parser().parse_args(["part", "--help"])
    said = capsys.readouterr().out
    assert all(f"  {name} " in said for name in AUXILIARY_MODELS)
    settings = {name for maker in AUXILIARY_MODELS.values() for name in maker.settings} - {
        "least_count"
    }
    assert all(name in said for name in settings)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("list", "pos"), "takes no name"),
        (("train",), "needs one"),
        (("show",), "a folder"),
        (("train", "secret"), "unknown auxiliary model; known: pos, upos, ner, brown, word2vec"),
        (
            ("train", "pos"),
            "(sentences with tags, in CoNLL-U); for example: scrubline part train pos",
        ),
        (("train", "pos", "--input", "x"), "--output FOLDER"),
        (("train", "pos", "--input", "x", "--output", "."), "already exists"),
        (("train", "pos", "--input", "x", "--output", "y", "--set", "c1"), "NAME=VALUE"),
        (("train", "pos", "--input", "x", "--output", "y", "--set", "c1=nan"), "NAME=VALUE"),
        (("train", "pos", "--input", "x", "--output", "y", "--set", "c9=1"), "parameter"),
        (("train", "pos", "--input", "x", "--output", "y", "--algorithm", "svm"), "algorithm"),
        (
            ("train", "brown", "--input", "x", "--output", "y", "--set", "epochs=3"),
            "has no settings",
        ),
        (("train", "brown", "--input", "x", "--output", "y", "--set", "clusters=2.5"), "whole"),
        (
            ("train", "brown", "--input", "x", "--output", "y", "--algorithm", "lbfgs"),
            "does not apply",
        ),
        (("train", "brown", "--input", "secret", "--output", "y"), "does not exist"),
        (("score", "/nowhere/secret"), "--input"),
        (("score", "/nowhere/secret", "--input", "x"), "no auxiliary model there"),
        (("show", "/nowhere/secret"), "no auxiliary model there"),
    ],
)
def test_bad_usage_is_told(run, tmp_path, monkeypatch, words, expected):
    monkeypatch.chdir(tmp_path)
    code, said, errors = run(*words)
    assert (code, said) == (2, "")
    assert expected in errors and "secret" not in errors


@pytest.mark.parametrize(
    ("name", "file", "content", "expected"),
    [
        ("pos", "x.conllu", b"secret\n", "file 1, line 1: BadColumns"),
        ("pos", "x.conllu", b"\n", "nothing to learn from"),
        ("brown", "x.jsonl", b'{"text": "a b"}\n{"txt": "secret"}\n', "line 2: WrongType"),
        ("brown", "x.jsonl", b'{"text": 3}\n', "line 1: WrongType"),
        ("brown", "x.jsonl", b"secret\n", "line 1: BadJson"),
        ("brown", "x.jsonl", b"[" * 100_000, "line 1: BadJson"),
        ("brown", "x.txt", b"a\n\xff", "line 2: BadUtf8"),
        ("brown", "x.csv", b"a,secret\n", "must be .txt"),
        ("ner", "x.jsonl", b"secret\n", "BadJson"),
    ],
)
def test_bad_input_is_told_without_its_words(run, tmp_path, name, file, content, expected):
    (tmp_path / file).write_bytes(content)
    out = tmp_path / "out"
    code, _, errors = run("train", name, "--input", tmp_path / file, "--output", out)
    assert code == 2 and expected in errors and "secret" not in errors
    assert not out.exists()


def test_a_missing_library_is_told(run, notes, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "gensim", None)
    code, _, errors = run("train", "word2vec", "--input", notes, "--output", tmp_path / "out")
    assert code == 2 and "pip install 'scrubline[clusters]'" in errors


def test_progress_is_shown_on_a_terminal_alone(monkeypatch, capsys):
    assert auxiliary._progress(AUXILIARY_MODELS["pos"]) is None
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    auxiliary._progress(AUXILIARY_MODELS["pos"])(3, 1234.5)
    auxiliary._progress(AUXILIARY_MODELS["brown"])(500, 5_000)
    said = capsys.readouterr().err
    assert "iteration 3, loss 1,234.5" in said and "brown: 500 of 5,000" in said


def test_the_model_on_disk_is_the_model_of_its_files(run, ud, tmp_path):
    out = tmp_path / "part"
    run("train", "pos", "--input", ud, "--output", out, *QUICK)
    files = {path.name: path.read_bytes() for path in out.iterdir()}
    assert open_auxiliary(files).hash == read_auxiliary(str(out)).hash


def test_tables_become_trees(run, notes, tmp_path):
    for name, content in (("headings.tsv", HEADINGS), ("terms.tsv", ENTRY_TERMS)):
        (tmp_path / name).write_text(content, encoding="utf-8")
    tables = ("--input", tmp_path / "terms.tsv", "--input", tmp_path / "headings.tsv")
    out = tmp_path / "mesh"
    words = ("train", "mesh", *tables, "--output", out)
    code, _, errors = run(*words)
    assert code == 2 and "--set year=2022" in errors
    code, said, errors = run(*words, "--set", "year=2022", "--held-out", notes)
    assert (code, errors) == (0, "")
    assert "National Library of Medicine" in said and "phrases of the tables alone" in said
    model = read_auxiliary(str(out))
    assert model.table.numbers == mesh().table.numbers
    assert model.card["scores"]["raw/notes.jsonl"]["have a tree number"] == 0
    code, said, _ = run("show", out)
    assert code == 0 and "4 phrases" in said


@pytest.mark.skipif(not is_installed(), reason="needs Link Grammar")
def test_notes_become_links(run, notes, tmp_path):
    out = tmp_path / "links"
    code, said, errors = run("train", "links", "--input", notes, "--output", out)
    assert (code, errors) == (0, "")
    assert "as sensitive as the notes" in said and "never in a bundle" in said
    assert run("score", out, "--input", notes)[0] == 0
    code, said, _ = run("show", out)
    assert code == 0 and "as sensitive as the notes" in said
    code, said, errors = run(
        *("train", "linkleft", "--input", notes, "--output", tmp_path / "left"),
        *("--held-out", notes, *QUICK),
    )
    assert (code, errors) == (0, "") and "auxiliary model linkleft" in said


@pytest.mark.parametrize("name", ["links", "linkleft", "linkright"])
def test_a_missing_parser_is_told(run, notes, tmp_path, monkeypatch, name):
    monkeypatch.setattr(link_grammar, "_library", lambda: None)
    link_grammar.open_parser.cache_clear()
    code, _, errors = run("train", name, "--input", notes, "--output", tmp_path / "x")
    assert code == 2 and "apt-get install liblink-grammar5" in errors
