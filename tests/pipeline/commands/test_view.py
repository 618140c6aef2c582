"""`scrubline view`: what is printed, exit codes, and what is refused."""

import json
from pathlib import Path

import pytest

ROWS = [(1, "p1", 67, "E11"), (2, "p2", 66, "E10"), (3, "p3", 31, "E11"), (4, "p4", 33, "E10")]


@pytest.fixture
def output(tmp_path, scrubline):
    notes = [
        {"id": number, "who": who, "dx": dx, "text": f"A {age}-year-old"}
        for number, who, age, dx in ROWS
    ]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(note) + "\n" for note in notes))
    scrubline("key", "new", "--output", tmp_path / "key.txt")
    columns = [w for c in ("id=id", "who=patient", "dx=pass", "text=text") for w in ("--column", c)]
    code, _, err = scrubline(
        *("scrub", "--input", tmp_path / "in.jsonl", "--output", tmp_path / "out", *columns),
        *("--key-file", tmp_path / "key.txt", "--model", "none", "--no-progress"),
        *("--view-attributes", "age,state,dx=dx"),
    )
    assert code == 0, err
    return tmp_path / "out"


@pytest.fixture
def view(output, scrubline):
    return lambda what, *more: scrubline("view", what, "--output", output, *more)


def test_a_view_is_tried_built_checked_and_levelled_anew(view, output):
    code, out, err = view("build", "--k", "2", "--dry-run")
    assert code == 0 and "nothing was written" in out and not (output / "view").exists()
    assert "of no patient anything is known of state" in err
    code, out, _ = view("build", "--k", "2")
    assert code == 0
    assert out.splitlines() == [
        "asked for     k = 2, at most 1.0% left out",
        "patients      4, 0 left out",
        "classes       2",
        "age           5 years (level 0 of 3)           known of 4",
        "state         states (level 0 of 3)            known of 0",
        "dx            sensitive                        known of 4",
        "released in   view/patients.parquet",
    ]
    code, out, err = view("check")
    assert (code, out.splitlines()[-1], err) == (0, "no fault was found", "")
    code, out, err = view("relevel", "--l", "2", "--suppressed", "0.5")
    assert code == 0 and "replace it everywhere" in err
    assert out.startswith("asked for     k = 2, at most 50.0% left out, l = 2\n")
    code, out, _ = view("build", "--json")
    said = json.loads(out)
    assert (said["rules"]["requirement"]["l_distinct"], said["number"]) == (2, 3)
    assert (said["silent_units"], len(said["advice"])) == (0, 1)


def test_faults_are_code_3_and_say_what_to_do(view, output):
    view("build", "--k", "2")
    Path(output, "view/patients.parquet").unlink()
    code, out, _ = view("check")
    assert code == 3
    assert out.endswith("FAULT         view/patients.parquet is gone\nbuild it again\n")
    code, out, _ = view("check", "--json")
    assert code == 3 and json.loads(out)["faults"] == ["view/patients.parquet is gone"]


def test_levels_that_hide_all_are_told(view):
    code, _, err = view("build", "--k", "4")
    assert code == 0 and "age: hidden" in err


def test_counts_are_printed(view):
    pytest.importorskip("opendp")
    view("build", "--k", "2")
    code, out, err = view("counts", "--by", "dx", "--values", "dx=E10,E11", "--epsilon", "0.5")
    assert code == 0 and "epsilon 0.5 of this output is spent" in err
    lines = [line.split("\t") for line in out.splitlines()]
    assert lines[0] == ["dx", "patients"]
    assert [line[0] for line in lines[1:]] == ["E10", "E11", "unknown"]
    code, out, _ = view("counts", "--by", "state", "--epsilon", "0.5", "--json")
    assert code == 0 and len(json.loads(out)["cells"]) == 57


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("build", "--epsilon", "1"), "view build takes no --epsilon"),
        (("check", "--k", "3"), "view check takes no --k"),
        (("check", "--dry-run"), "view check takes no --dry-run"),
        (("counts", "--l", "2", "--by", "age", "--epsilon", "1"), "takes no --l"),
        (("counts", "--by", "age"), "--epsilon X"),
        (("counts", "--epsilon", "1"), "by which attributes"),
        (("counts", "--by", "dx", "--epsilon", "1", "--values", "dx"), "NAME=ONE,TWO"),
        (
            ("counts", "--by", "dx", "--epsilon", "1", "--values", "dx=a", "--values", "dx=b"),
            "there twice",
        ),
        (("build", "--k", "0"), "1 or more"),
        (("build", "--entropy-l", "nan"), "1 or more"),
        (("build", "--t", "nan"), "between 0 and 1"),
        (("build", "--k", "9"), "no levels do"),
        (("relevel",), "no release yet"),
        (("check",), "view build"),
    ],
)
def test_what_cannot_be_is_refused(view, words, message):
    code, _, err = view(*words)
    assert code == 2 and message in err


def test_without_an_output_nothing_is_done(scrubline, tmp_path):
    code, _, err = scrubline("view", "build")
    assert code == 2 and "--output" in err
    code, _, err = scrubline("view", "build", "--output", tmp_path / "nothing")
    assert code == 2


def test_a_run_says_what_it_tells_and_what_it_links(output, scrubline, tmp_path):
    columns = [w for c in ("id=id", "who=patient", "dx=pass", "text=text") for w in ("--column", c)]
    words = (
        *("scrub", "--input", tmp_path / "in.jsonl", "--output", tmp_path / "linked", *columns),
        *("--key-file", tmp_path / "key.txt", "--model", "none", "--no-progress", "--link-notes"),
        *("--view-attributes", "age"),
    )
    code, out, _ = scrubline(*words, "--dry-run")
    assert code == 0
    assert "notes of a patient: linked; stale notes: rewrite\nview: told of age\n" in out
    code, out, _ = scrubline(*words)
    assert code == 0
    assert "linked notes     0 words to remove were found in other notes\n" in out
    assert "view             told of age\n" in out
