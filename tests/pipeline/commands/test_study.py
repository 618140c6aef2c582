"""`scrubline study`: pages from the command line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from scrubline.models.studies import STUDIES
from scrubline.pipeline.cli.main import main

DEMO = Path(__file__).parents[3] / "demo" / "gold"
GOLD = ("--train", DEMO / "train.jsonl", "--test", DEMO / "dev.jsonl", "--quick")


def run(capsys, *words: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main(["study", *map(str, words)])
    out, err = capsys.readouterr()
    return int(stopped.value.code or 0), out, err


def test_all_studies_are_listed(capsys):
    code, out, _ = run(capsys, "list")
    assert code == 0
    assert re.findall(r"^([a-z]\S+)", out, re.MULTILINE) == list(STUDIES)


@pytest.mark.slow
def test_a_study_writes_its_page_and_the_index(capsys, tmp_path):
    pages = tmp_path / "pages"
    for corpus in ("one", "two"):
        words = ("--corpus", corpus, "--output", pages, "--work", tmp_path / "work")
        code, out, err = run(capsys, "hitsz-upper-bound", "hide-confusion", *GOLD, *words)
        assert code == 0, err
        assert out.splitlines()[0].startswith("hide-confusion: ")
        assert re.search(r"^hitsz-upper-bound: \d of 2 claims agree", out, re.MULTILINE)
        # The second corpus is the same one under another name: what is trained is kept.
        assert ("kept from before" in err) == (corpus == "two")
    index = (pages / "README.md").read_text(encoding="utf-8")
    assert "[one-quick](hitsz-upper-bound.one-quick.md), [two-quick](" in index
    assert all(f"`{name}`" in index for name in STUDIES)
    for page in pages.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        assert str(tmp_path) not in text and str(DEMO.parent) not in text
        assert all((pages / link).is_file() for link in re.findall(r"\]\(([\w.-]+)\)", text))
    page = (pages / "hide-confusion.two-quick.md").read_text(encoding="utf-8")
    assert "scrubline study hide-confusion --train gold/train.jsonl" in page
    assert "--corpus two --language en" in page and "--quick" in page
    assert "its figures mean nothing" in page
    assert "two-quick" not in (pages / "claims.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("hide-nothing", *GOLD, "--corpus", "x"), "unknown study hide-nothing (did you mean"),
        (("hide-time", "--train", "x", "--corpus", "x"), "missing --test"),
        (("hide-time", *GOLD, "--corpus", "../x"), "--corpus must be a name"),
        (("hide-time", *GOLD, "--corpus", "x", "--language", "xx"), "--language must be one of"),
        (("hide-time", *GOLD, "--corpus", "x", "--work", "s3://b/w"), "--work must be a folder"),
    ],
)
def test_what_cannot_be_used_is_refused(capsys, tmp_path, words, message):
    code, out, err = run(capsys, *words, "--output", tmp_path / "pages")
    assert (code, out) == (2, "") and message in err
    assert not (tmp_path / "pages").exists()
