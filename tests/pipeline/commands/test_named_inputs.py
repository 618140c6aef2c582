"""What the command lines of cards and pages tell of inputs."""

import json

import pytest
from scrubline.models.auxiliary import read_auxiliary
from scrubline.models.bundles.bundle import open_bundle
from scrubline.pipeline.cli import main as cli
from scrubline.pipeline.commands.named_inputs import end_of


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("", ""),
        ("cities_es", "cities_es"),
        ("notes.jsonl", "notes.jsonl"),
        ("/ward/7/raw/notes.jsonl", "raw/notes.jsonl"),
        ("raw/note?.txt", "raw/note?.txt"),
        ("a@b/c", "a@b/c"),
        ("s3://ward/raw/notes/", "raw/notes"),
        ("https://host/notes.jsonl?sig=SECRET/x", "host/notes.jsonl"),
        ("https://user:SECRET@host/notes.jsonl", "host/notes.jsonl"),
        ("simplecache::https://user:SECRET@host/a/b.jsonl?token=SECRET", "a/b.jsonl"),
    ],
)
def test_the_end_of_a_url_holds_no_secret(url, shown):
    assert end_of(url) == shown


@pytest.fixture
def signed(monkeypatch, tmp_path):
    """A local corpus, list and notes behind a file system whose URLs carry a password."""
    import fsspec
    from fsspec.implementations.local import LocalFileSystem

    class Signed(LocalFileSystem):
        protocol = "signed"

        @classmethod
        def _strip_protocol(cls, path):
            return super()._strip_protocol(str(tmp_path / path.rpartition("/")[2]))

    fsspec.register_implementation("signed", Signed, clobber=True)
    span = {"start": 8, "end": 11, "label": "DOCTOR"}
    rows = [{"doc_id": n, "text": "Seen by Ann.", "spans": [span]} for n in "123"]
    notes = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "notes.jsonl").write_text(notes, encoding="utf-8")
    (tmp_path / "names.txt").write_text("Ann\n", encoding="utf-8")
    return lambda name: f"signed://user:SECRET@host/{name}"


def test_no_card_holds_a_password(signed, tmp_path, capsys):
    for words in (
        ("train --recipe hide --name tiny --algorithm averaged-perceptron", "--corpus"),
        ("part train brown --set clusters=2", "--input"),
    ):
        command, option = words
        extra = ("--dictionary", signed("names.txt")) if option == "--corpus" else ()
        target = str(tmp_path / option.strip("-"))
        with pytest.raises(SystemExit) as ended:
            cli.main([*command.split(), option, signed("notes.jsonl"), *extra, "--output", target])
        assert ended.value.code == 0, capsys.readouterr().err
    cards = [
        open_bundle(str(tmp_path / "corpus")).card,
        read_auxiliary(str(tmp_path / "input")).card,
    ]
    for card in cards:
        assert "SECRET" not in json.dumps(card)
        assert "notes.jsonl" in card["command"]
