"""`scrubline part`: from files to folders of parts, and what it says when it cannot."""

import json
import sys

import pytest
from scrubline.models.corpora import write_annotated
from scrubline.models.parts import PARTS, open_part, read_part
from scrubline.pipeline import cli, parts
from scrubline.pipeline.arguments import make_parser

from ..models.parts.small import NAMED, NOTES, UD

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
    assert said.startswith(f"part {name}: ") and "CC BY-SA 4.0" in said
    part = read_part(str(out))
    assert part.name == name and part.licence == "CC BY-SA 4.0"
    assert part.card["trained_on"] == "UD English-EWT"
    assert part.card["scores"]["ud/en_ewt-ud-train.conllu"]["accuracy"] == 1.0
    assert part.card["command"] == (
        f"scrubline part train {name} --input ud/en_ewt-ud-train.conllu "
        "--held-out ud/en_ewt-ud-train.conllu --set max_iterations=5 "
        "--algorithm averaged-perceptron"
    )
    assert "Silveira" in (out / "LICENCE.md").read_text()
    code, said, _ = run("show", out)
    assert code == 0 and part.hash in said and "licence: CC BY-SA 4.0" in said
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
    part = read_part(str(out))
    assert part.licence == "CC BY 4.0" and part.card["corpus"]["documents"] == 4
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
    assert code == 0 and "keep it as you keep" in said
    part = read_part(str(out))
    assert part.licence == "CC BY 4.0, ours"
    assert part.card["corpus"]["texts"] == len(NOTES) + 1
    assert part.card["settings"]["fold"] is False
    assert part.clusters.get("The") != part.clusters["ate"]
    assert part.card["scores"]["raw/notes.jsonl"]["have a code"] == 1.0
    assert "Notes of our own." in (out / "LICENCE.md").read_text()
    assert " words, " in run("show", out)[1]


def test_the_list_shows_every_command(run):
    code, said, _ = run("list")
    assert code == 0
    for maker in PARTS.values():
        assert maker.command in said and maker.title in said


def test_the_help_names_every_part(capsys):
    with pytest.raises(SystemExit):
        make_parser().parse_args(["part", "--help"])
    said = capsys.readouterr().out
    assert all(f"  {name} " in said for name in PARTS)
    settings = {name for maker in PARTS.values() for name in maker.settings} - {"least_count"}
    assert all(name in said for name in settings)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("list", "pos"), "takes no name"),
        (("train",), "needs one"),
        (("show",), "a folder"),
        (("train", "secret"), "unknown part; expected one of pos, upos, ner, brown, word2vec"),
        (
            ("train", "pos"),
            "--input URL (sentences with tags, in CoNLL-U); for example: scrubline part train pos",
        ),
        (("train", "pos", "--input", "x"), "--output FOLDER"),
        (("train", "pos", "--input", "x", "--output", "."), "exists already"),
        (("train", "pos", "--input", "x", "--output", "y", "--set", "c1"), "NAME=VALUE"),
        (("train", "pos", "--input", "x", "--output", "y", "--set", "c1=nan"), "NAME=VALUE"),
        (("train", "pos", "--input", "x", "--output", "y", "--set", "c9=1"), "parameter"),
        (("train", "pos", "--input", "x", "--output", "y", "--algorithm", "svm"), "algorithm"),
        (("train", "brown", "--input", "x", "--output", "y", "--set", "epochs=3"), "known: "),
        (("train", "brown", "--input", "x", "--output", "y", "--set", "clusters=2.5"), "whole"),
        (("train", "brown", "--input", "x", "--output", "y", "--algorithm", "lbfgs"), "has no"),
        (("train", "brown", "--input", "secret", "--output", "y"), "leads to no file"),
        (("score", "/nowhere/secret"), "--input"),
        (("score", "/nowhere/secret", "--input", "x"), "there is no part"),
        (("show", "/nowhere/secret"), "there is no part"),
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
    assert parts._progress(PARTS["pos"]) is None
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    parts._progress(PARTS["pos"])(3, 1234.5)
    parts._progress(PARTS["brown"])(500, 5_000)
    said = capsys.readouterr().err
    assert "iteration 3, loss 1,234.5" in said and "brown: 500 of 5,000" in said


def test_the_part_on_disk_is_the_part_of_its_files(run, ud, tmp_path):
    out = tmp_path / "part"
    run("train", "pos", "--input", ud, "--output", out, *QUICK)
    files = {path.name: path.read_bytes() for path in out.iterdir()}
    assert open_part(files).hash == read_part(str(out)).hash
