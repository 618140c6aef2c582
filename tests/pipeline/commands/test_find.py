"""`scrubline find`: names that stand are all told, by evidence and by reading everything."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.roster.folding import FoldedView
from scrubline.pipeline.outputs.name_search import MOST_NAMES, sought_names

NOTES = [
    ("p1", "quimby called. Brown stool"),
    ("p1", "Patient: Zelda Quimby"),
    ("p1", "Patient: Quimby, Zelda"),
    ("p2", "nothing of Vancourtlandt here"),
    ("p2", "Zelda,\nvancourtlandt  12345"),
    (None, "quimby, of nobody"),
    ("p3", "clear"),
]
COLUMNS = ("id=id", "who=patient", "dx=pass", "text=text")


@pytest.fixture
def output(tmp_path, scrubline):
    folder = tmp_path / "notes"
    folder.mkdir()
    for number, (who, text) in enumerate(NOTES):
        row = {"id": number, "who": who, "dx": "E11", "text": text}
        (folder / f"n{number}.jsonl").write_text(json.dumps(row) + "\n")
    scrubline("key", "new", "--output", tmp_path / "key.txt")

    def scrub(*more):
        columns = [word for one in COLUMNS for word in ("--column", one)]
        rules = ("--recogniser", "labelled_name", "--model", "none")
        code, _, err = scrubline(
            *("scrub", "--input", folder, "--output", tmp_path / "out", *columns, *rules),
            *("--key-file", tmp_path / "key.txt", "--split-bytes", "100", "--no-progress", *more),
        )
        assert code == 0, err

    def find(names, *more):
        (tmp_path / "names.txt").write_text(names)
        return scrubline(
            *("find", "--output", tmp_path / "out", "--name-file", tmp_path / "names.txt"),
            *("--key-file", tmp_path / "key.txt", *more),
        )

    return scrub, find


def found(out):
    return [
        (what, name, times, as_)
        for what, name, _, times, as_, _ in (line.split("\t") for line in out.splitlines()[1:])
    ]


def test_names_that_stand_are_told_and_only_their_units_are_read(output):
    scrub, find = output
    scrub("--link-notes")
    code, out, err = find(
        "QUIMBY\nVancourtlandt\n\nzelda vancourtlandt 12345\nGriselda\n", "--by-evidence"
    )
    assert code == 3
    assert sorted(found(out)) == [
        ("found", "1.1", "1", "PATIENT"),
        ("found", "1.1", "1", "PATIENT"),
        ("found", "4.1", "1", "PATIENT"),
        ("found", "4.1", "1", "PATIENT"),
        ("stands", "2", "1", ""),
        ("stands", "2", "1", ""),
        ("stands", "4", "1", ""),
    ]
    assert "name 1: stands in 0 documents; its words were found in 2 notes" in err
    assert "name 2: stands in 2 documents" in err
    assert "read the data of 3 of 7 units, 3 of 7 rows" in err
    assert "what stands is in 2 units with 2 rows" in err
    assert "not read: 1 document without a patient" in err
    assert not any(name in (out + err).lower() for name in ("quimby", "vancourt", "zelda"))


def test_everything_can_be_read(output):
    scrub, find = output
    scrub("--link-notes")
    code, out, err = find("quimby\nstool\n", "--json")
    told = json.loads(out)
    assert code == 3
    assert [(one["name"], one["times"]) for one in told["standing"]] == [(2, 1), (1, 1)]
    assert (told["units"], told["units_read"], told["documents_without_patient_unread"]) == (
        7,
        7,
        0,
    )
    code, _, err = find("griselda", "--by-evidence")
    assert code == 0
    assert "read the data of 0 of 7 units" in err


def test_an_output_without_evidence_is_read_as_a_whole(output):
    scrub, find = output
    scrub()
    code, out, err = find("quimby\n", "--by-evidence")
    assert code == 3
    assert found(out) == [("stands", "1", "1", ""), ("stands", "1", "1", "")]
    assert "read the data of 7 of 7 units" in err


@pytest.mark.slow
def test_a_policy_that_keeps_what_is_found_has_everything_read(output, tmp_path):
    scrub, find = output
    (tmp_path / "p.toml").write_text(
        'name = "p"\nextends = "hipaa"\n[allow]\nPATIENT = ["Zelda Quimby"]\n'
    )
    scrub("--link-notes", "--policy", str(tmp_path / "p.toml"))
    code, out, err = find("quimby\n", "--by-evidence")
    assert code == 3
    assert ("stands", "1", "1", "") in found(out)
    assert "read the data of 7 of 7 units" in err


def test_columns_that_pass_are_looked_at(output, tmp_path, scrubline):
    scrub, find = output
    scrub("--link-notes")
    _, out, _ = find("e11\n")
    assert found(out) == [("stands", "1", "1", "")] * len(NOTES)


@pytest.mark.slow
def test_damage_is_told(output, tmp_path):
    scrub, find = output
    scrub("--link-notes")
    for file in (tmp_path / "out").glob("restricted/*/evidence/*"):
        file.write_bytes(b"PAR1")
    for file in (tmp_path / "out/data").glob("*6*"):
        file.write_bytes(b"{")
    code, out, err = find("griselda", "--by-evidence")
    assert code == 3 and len(out.splitlines()) == 1
    assert "read the data of 7 of 7 units" in err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "words", "told"),
    [
        ("", (), "there is no name in it"),
        (" \n-.\n", (), "there is no name in it"),
        ("x", ("--key-file", "other.txt"), "another one than that of the output"),
        ("x", ("--name-file", "nothing.txt"), "there is no such file"),
        ("x", ("--output", "nothing"), "no manifest.json"),
    ],
)
def test_what_is_refused(output, tmp_path, scrubline, names, words, told, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scrub, find = output
    scrub("--link-notes")
    scrubline("key", "new", "--output", tmp_path / "other.txt")
    code, out, err = find(names, *words)
    assert code == 2 and told in err


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "MaryBethany",
        "DerSimonianx",
        "Mu\u0308llerine",
        "Quim\u00adbyxa",
        "Kaʻanapalix",
        "Æo",
        "O'Xa",
    ],
)
@pytest.mark.parametrize("shown", [str, str.lower, str.upper])
def test_by_evidence_no_way_of_writing_is_passed_over(output, tmp_path, name, shown):
    scrub, find = output
    row = {"id": 99, "who": "p9", "dx": "E11", "text": f"clear, {shown(name)} told"}
    (tmp_path / "notes/n9.jsonl").write_text(json.dumps(row) + "\n")
    scrub("--link-notes")
    code, out, _ = find(f"griselda\n{name}\n", "--by-evidence")
    assert code == 3
    assert ("stands", "2", "1", "") in found(out)


def test_lines_are_those_of_an_editor(output):
    scrub, find = output
    scrub("--link-notes")
    _, out, _ = find("x\x0by\u2028z\r\nquimby\r\n")
    assert {name for _, name, _, _ in found(out)} == {"2", "2.1"}


def test_most_names():
    with pytest.raises(UsageError, match="more than"):
        sought_names(["x"] * (MOST_NAMES + 1))


@pytest.mark.parametrize(
    ("name", "text", "times"),
    [
        ("Zelda Quimby", "zelda QUIMBY; Zelda\n  Quimby. Zelda-Quimby", 3),
        ("Zelda Quimby", "Zelda Quimbys, Zeldas Quimby, Zelda X Quimby, Quimby Zelda", 0),
        ("Núñez", "NUNEZ nunezes Nuñez", 2),
        ("O'Brien", "O’BRIEN, o brien", 2),
        ("12-345", "12345 12 345 12.345 112-345", 3),
        ("555 867 0142", "5558670142 (555) 867-0142 555.867.0142, 1555-867-0142, 555 867 01421", 3),
        ("5558670142", "555-867-0142; 5558670142", 2),
        ("1234", "12-34 1234", 1),
        ("mary beth", "MaryBeth mary-beth MARY BETH marybethany", 3),
        ("Al Bo", "albo", 0),
        ("a", "", 0),
        ("王小明", "患者王小明说", 1),
        ("Mu\u0308ller", "müller MÜLLER mu\u0308ller", 3),
    ],
)
def test_how_often_a_name_stands(name, text, times):
    (one,) = sought_names([name])
    assert one.count_in(FoldedView.of(text)) == times


@given(st.text(max_size=60), st.text(alphabet="aB é\n-'1", min_size=1, max_size=6))
def test_a_name_is_found_between_blanks(text, name):
    for one in sought_names([name]) if any(map(str.isalnum, name)) else ():
        before = one.count_in(FoldedView.of(f"{text} "))
        assert one.count_in(FoldedView.of(f"{text} | {name}")) >= before + 1
