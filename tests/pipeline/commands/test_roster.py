"""`scrubline roster`: build, check, diff, as typed; no value is in what is said."""

import json

import pytest

TABLE = """patient,kind,attribute,value
1,self,given,Zelda
1,self,family,Metforminol
1,self,phone,unknown
2,self,name,"Long, May"
s,staff,name,Octavia Brandenquist
"""
SECRETS = ("elda", "etforminol", "ctavia", "unknown", "ong, M")


@pytest.fixture
def key(scrubline, tmp_path):
    assert scrubline("key", "new", "--output", tmp_path / "key.txt")[0] == 0
    return tmp_path / "key.txt"


@pytest.fixture
def build(scrubline, key, tmp_path):
    def of(table, name, *words):
        path = tmp_path / f"{name}.csv"
        path.write_text(table)
        target = tmp_path / name
        code, out, err = scrubline(
            *("roster", "build", "--input", path, "--key-file", key, "--output", target, *words)
        )
        assert not any(secret in out + err for secret in SECRETS)
        return code, out, err, target

    return of


def test_build_check_and_diff(scrubline, build, key, tmp_path):
    code, out, err, target = build(TABLE, "one", "--date", "2026-11-22")
    assert (code, err) == (0, "")
    assert "date 2026-11-22" in out
    assert "from 5 rows, 0 empty cells" in out
    notes = tmp_path / "notes.jsonl"
    notes.write_text("".join(json.dumps({"text": "metforminol 500 may"}) + "\n" for _ in range(19)))
    words = ("roster", "check", target, "--input", notes, "--key-file", key)
    code, out, err = scrubline(*words)
    assert (code, err) == (0, "")
    assert "warning: 1 strong words, in names of 1 patients" in out
    assert "1 patients have no strong word" in out
    assert not any(secret in out for secret in SECRETS)
    code, out, err = scrubline(*words, "--show")
    assert code == 2
    assert "terminal only" in err
    _, _, _, other = build(TABLE.replace("Zelda", "Griselda").replace("2,self", "3,self"), "two")
    code, out, err = scrubline("roster", "diff", target, other)
    assert code == 0
    assert sorted(line[0] for line in out.splitlines()) == ["+", "-", "p", "~"]
    assert out.endswith("patients added: 1, removed: 1, changed: 1\n")


def test_a_wide_table(build):
    table = "ID,LAST,FIRST\n1,Metforminol,Zelda\n"
    pairs = ("--column", "ID=patient", "--column", "LAST=family", "--column", "FIRST=given")
    code, out, _, _ = build(table, "wide", *pairs)
    assert code == 0
    assert "self.family" in out


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("build",), "--input"),
        (("build", "--input", "x.csv"), "--output FOLDER"),
        (("build", "--input", "x.csv", "--output", "o", "--date", "today"), "YYYY-MM-DD"),
        (("build", "--input", "x.csv", "--output", "o", "--column", "family"), "NAME=WHAT"),
        (("build", "--input", "x.csv", "--output", "o", "--column", "A=famly"), "family"),
        (("build", "word", "--input", "x.csv"), "no other words"),
        (("check",), "one roster"),
        (("check", "r", "--share", "2"), "--share"),
        (("check", "r", "--column", "a=id"), "NAME=text"),
        (("diff", "a"), "two rosters"),
    ],
)
def test_what_is_refused(scrubline, words, problem):
    code, out, err = scrubline("roster", *words)
    assert (code, out) == (2, "")
    assert problem in err


def test_faults_and_foreign_keys(scrubline, build, tmp_path):
    code, _, err, target = build(TABLE + "9,pet,given,Zelda\n", "bad")
    assert code == 2
    assert "file 1, row 6, column 2" in err
    assert not target.exists()
    _, _, _, target = build(TABLE, "good")
    scrubline("key", "new", "--output", tmp_path / "other.txt")
    code, _, err = scrubline("roster", "check", target, "--key-file", tmp_path / "other.txt")
    assert code == 2
    assert "another master key" in err
