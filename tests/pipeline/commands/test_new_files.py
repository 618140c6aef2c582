"""What a command makes is new: no input and no file that is there is ever overwritten unasked."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest
from scrubline.models.core.errors import Shortage, UsageError
from scrubline.models.corpora import AnnotatedDocument, Annotation, write_annotated
from scrubline.pipeline.commands import new_files
from scrubline.pipeline.commands.new_files import is_same, require_new, write_new

TEXT = "Dr. Smith saw Tom on 3/4/2019"
GOLD = [AnnotatedDocument("1", TEXT, (Annotation(14, 17, "PATIENT"),))]
DATES = ("--model", "none", "--recogniser", "date")
ROOT = Path(__file__).parents[3]


@pytest.fixture
def gold(tmp_path, monkeypatch):
    """A corpus in a folder of its own, which is the working folder's `notes`."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "notes" / "gold.jsonl"
    path.parent.mkdir()
    write_annotated(GOLD, path)
    return path


def spellings(path):
    """The same file by other names; makes the links that some of them need."""
    os.symlink(path, path.parent.parent / "link.jsonl")
    os.symlink(path.parent, path.parent.parent / "folder")
    os.link(path, path.parent.parent / "hard.jsonl")
    return {
        "the same": path,
        "relative": "notes/gold.jsonl",
        "parents": path.parent / ".." / "notes" / "gold.jsonl",
        "slashes": f"{path.parent}//gold.jsonl",
        "URL": f"file://{path}",
        "link": path.parent.parent / "link.jsonl",
        "hard link": path.parent.parent / "hard.jsonl",
        "linked folder": "folder/gold.jsonl",
        "none": "none/../notes/gold.jsonl",
        "none, whole": f"{path.parent}/none/deep/../../gold.jsonl",
        "none, URL": f"file://{path.parent}/none/../gold.jsonl",
        "none behind a link": "folder/none/../gold.jsonl",
        "localhost": f"file://localhost{path}",
    }


SPELLINGS = (
    *("the same", "relative", "parents", "slashes", "URL", "link", "hard link", "linked folder"),
    *("none", "none, whole", "none, URL", "none behind a link", "localhost"),
)


@pytest.mark.parametrize("overwrite", [False, True], ids=["unasked", "overwrite"])
@pytest.mark.parametrize("source", ["file", "folder", "glob"])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_annotate_never_writes_over_its_input(scrubline, gold, spelling, source, overwrite):
    before = gold.read_bytes()
    given = {"file": gold, "folder": gold.parent, "glob": gold.parent / "*.jsonl"}[source]
    words = ("annotate", "--input", given, "--output", spellings(gold)[spelling], *DATES)
    code, out, err = scrubline(*words, *(["--overwrite"] if overwrite else []))
    assert (code, out) == (2, "")
    assert "one of the inputs, which are never overwritten" in err
    assert "gold" not in err
    assert gold.read_bytes() == before


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_convert_never_writes_over_its_input(scrubline, gold, spelling):
    before = gold.read_bytes()
    place = spellings(gold)[spelling]
    for options in (["--overwrite"], []):
        code, _, err = scrubline("convert", gold, place, *options)
        assert (code, gold.read_bytes()) == (2, before)
        assert "one of the inputs" in err
    assert not (gold.parent.parent / "none").exists()


@pytest.mark.parametrize(
    "words", [("annotate", "--input", "notes", *DATES, "--output"), ("convert", "notes")]
)
def test_a_file_is_replaced_only_where_that_is_asked_for(scrubline, gold, tmp_path, words):
    found = tmp_path / "found.jsonl"
    found.write_text("corrected by hand")
    code, out, err = scrubline(*words, found)
    assert (code, out) == (2, "")
    assert "already exists: choose another place" in err and "--overwrite" in err
    assert found.read_text() == "corrected by hand"
    assert scrubline(*words, found, "--overwrite")[0] == 0
    assert "doc_id" in found.read_text()


def test_a_stopped_annotation_leaves_what_was_there(scrubline, gold, tmp_path):
    found = tmp_path / "found.jsonl"
    found.write_text("as it was")
    with gold.open("a") as stream:
        stream.write("no document\n")
    words = ("annotate", "--input", gold, *DATES, "--output", found, "--overwrite")
    assert scrubline(*words)[0] == 2
    assert found.read_text() == "as it was"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["found.jsonl", "notes"]


CURVE = ROOT / "models/bundles/bundled/en-hide"


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("evaluate", "notes", "notes", "--resamples", 0, "--html"), "--html"),
        (("evaluate", "notes", "notes", "--resamples", 0, "--list-errors"), "--list-errors"),
        (("dial", "en-hide", "--on", "notes", "--svg"), "--svg"),
        (("dial", "en-hide", "--on", "notes", "--recall", "0.1", "--output"), "--output"),
        (("synth", "--notes", 1, "--output"), "the output"),
        (("train", "--corpus", "notes", "--name", "x", "--output"), "--output"),
        (
            ("train", "--corpus", "notes", "--name", "x", "--output", "new", "--curve"),
            "--curve",
        ),
        (("train", "--corpus", "notes", "--folds", 2, "--predicted"), "--predicted"),
        (("train", "--corpus", "notes", "--folds", 2, "--search-report"), "--search-report"),
        (("part", "train", "brown", "--input", "notes", "--output"), "--output"),
        (("dictionaries", "build", "--from", "notes", "--output"), "--output"),
        (("key", "new", "--output"), "--output"),
    ],
    ids=lambda value: value if isinstance(value, str) else value[0],
)
@pytest.mark.parametrize("there", ["input", "file", "dangling", "file behind none"])
def test_every_other_command_refuses_what_is_there(scrubline, gold, tmp_path, words, option, there):
    place = gold if there == "input" else tmp_path / "there.jsonl"
    if there.startswith("file"):
        place.write_text("precious")
    elif there == "dangling":
        place.symlink_to(tmp_path / "elsewhere")
    before = gold.read_bytes()
    named = tmp_path / "none/../there.jsonl" if there == "file behind none" else place
    code, out, err = scrubline(*words, named)
    assert (code, out) == (2, "")
    assert f"scrubline: {option}: " in err
    assert gold.read_bytes() == before
    assert not there.startswith("file") or place.read_text() == "precious"
    assert not (tmp_path / "none").exists()
    assert not (tmp_path / "elsewhere").exists() and not (tmp_path / "new").exists()


@pytest.mark.parametrize("form", [None, "brat"])
def test_no_folder_that_holds_something_becomes_a_corpus(scrubline, gold, tmp_path, form):
    (tmp_path / "br").mkdir()
    (tmp_path / "br/old.jsonl").write_text("precious")
    words = ("convert", gold, "none/../br" if form else "none/../br/old.jsonl")
    code, _, err = scrubline(*words, *(["--to", form] if form else []))
    assert code == 2 and "the output: the " in err and " already exists" in err
    assert [path.name for path in (tmp_path / "br").iterdir()] == ["old.jsonl"]
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("place", ["", "none/.."])
def test_studies_do_not_replace_a_readme_of_something_else(scrubline, gold, tmp_path, place):
    (tmp_path / "README.md").write_text("# My project\n")
    words = ("study", "hide-time", "--train", gold, "--test", gold, "--corpus", "x")
    code, _, err = scrubline(*words, "--output", tmp_path / place)
    assert code == 2
    assert "README.md that is not an index of studies" in err
    assert (tmp_path / "README.md").read_text() == "# My project\n"


def test_the_shipped_index_of_studies_may_be_made_again():
    from scrubline.pipeline.commands.study import _require_own_folder

    _require_own_folder(ROOT / "docs" / "studies")


# -- the helper


def test_places_are_compared_by_what_they_lead_to(gold, tmp_path):
    for other in spellings(gold).values():
        assert is_same(str(gold), str(other)) and is_same(str(other), str(gold))
    assert not is_same(str(gold), str(gold.parent))
    assert is_same("not/there/../yet", "not/yet")
    assert is_same("s3://b/a/../x/", "S3://b/x")
    assert not is_same("s3://b/x", "s3://b/y")
    assert not is_same("s3://b/x", "b/x")
    assert not is_same(str(tmp_path / "s3:"), "s3://b")


def test_a_new_file_is_whole_and_for_its_owner_alone(tmp_path):
    write_new(str(tmp_path / "new"), b"content", "--html")
    assert (tmp_path / "new").read_bytes() == b"content"
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600
    with pytest.raises(UsageError, match="--html: the file already exists"):
        write_new(f"file://{tmp_path}/new", b"other", "--html")
    assert [p.name for p in tmp_path.iterdir()] == ["new"]


def test_a_file_that_cannot_be_written_is_not_there(tmp_path, monkeypatch):
    def full(handle):
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(new_files.os, "fsync", full)
    with pytest.raises(Shortage, match="disk"):
        write_new(str(tmp_path / "new"), b"content", "--svg")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UsageError, match="--svg cannot be written"):
        write_new(str(tmp_path / "no" / "such"), b"content", "--svg")


def test_without_hard_links_nothing_is_overwritten_either(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(new_files.os, "link", refuse)
    write_new(str(tmp_path / "new"), b"one", "--svg")
    with pytest.raises(UsageError, match="already exists"):
        write_new(str(tmp_path / "new"), b"two", "--svg")
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("new", b"one")]


def test_a_place_that_is_free_is_not_refused(tmp_path):
    require_new(str(tmp_path / "new"), "--html")
    require_new(None, "--html")
    with pytest.raises(UsageError, match="the place is a folder"):
        require_new(str(tmp_path), "--output", overwrite=True)
