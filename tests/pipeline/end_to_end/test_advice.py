"""What a refusal advises has to be right: followed to the letter, it helps."""

import re
import shlex

import pytest
from scrubline.models.core.keys import new_key
from scrubline.models.storage.key_files import load_keys


@pytest.fixture
def words(options, key_file):
    """A scrub of the corpus, without an output."""
    columns = [w for name, role in options.columns.roles for w in ("--column", f"{name}={role}")]
    return ["--input", options.inputs[0], "--key-file", key_file, "--model", "none", *columns]


@pytest.mark.parametrize("command", ["resume", "scrub", "verify", "verify --originals"])
@pytest.mark.parametrize("content", [None, "no key"])
@pytest.mark.slow
def test_for_an_output_that_exists_the_key_that_made_it_is_asked_for(
    scrubline, words, tmp_path, key_file, storage, command, content
):
    check = load_keys(key_file, storage.read_bytes).check
    out = tmp_path / "out"
    how = ["--output", out]
    words = [*words, "--max-quarantined", "0.5"]
    given = {"resume": how, "scrub": [*words, *how]}
    if command == "resume":
        assert scrubline("plan", *words[:-2], *how)[0] == 0
    else:
        assert scrubline("scrub", *words, *how)[0] == 0
    (tmp_path / "key.txt").unlink()
    if content is not None:
        (tmp_path / "key.txt").write_text(content)
    what, *more = command.split()
    line = given.get(what, ["--output", out, "--key-file", key_file, *more])
    code, _, err = scrubline(what, *line)
    assert code == 2
    assert f"the key that this output was made with (check value {check})" in err
    assert "scrubline key new" not in err


def test_for_a_new_output_a_key_is_made(scrubline, words, tmp_path):
    (tmp_path / "key.txt").unlink()
    code, _, err = scrubline("scrub", *words, "--output", tmp_path / "out")
    assert code == 2 and "scrubline key new" in err


@pytest.mark.slow
def test_resume_takes_a_key_that_was_moved_and_no_other(
    scrubline, words, tmp_path, monkeypatch, forked
):
    how = ["--output", tmp_path / "out", "--max-quarantined", "0.5", "--workers", "1"]
    assert scrubline("plan", *words, *how[:2])[0] == 0
    (tmp_path / "elsewhere").mkdir()
    moved = (tmp_path / "key.txt").rename(tmp_path / "elsewhere/key.txt")
    (tmp_path / "other.txt").write_text(new_key())
    code, _, err = scrubline("resume", *how, "--key-file", tmp_path / "other.txt")
    assert code == 2 and "wrong master key" in err
    monkeypatch.chdir(tmp_path)  # workers may be elsewhere
    assert scrubline("resume", *how, "--key-file", "elsewhere/key.txt")[0] == 0
    assert scrubline("verify", "--output", tmp_path / "out", "--key-file", moved)[0] == 0


def test_what_accepts_a_held_run_can_be_pasted(scrubline, words, tmp_path, terminal):
    out = tmp_path / "an output"
    again = ("scrub", *words, "--output", out, "--max-quarantined", "0.01")
    code, _, err = scrubline(*again)
    assert code == 3
    assert "an output" not in err and "resume --output ... --max-quarantined 0.0625" in err
    terminal()
    code, _, err = scrubline(*again, "--no-progress")
    assert code == 3
    lines = re.findall(r"scrubline (\w+ --output [^,\n]*)", err)
    look, discard, accept, give_up = lines
    assert scrubline(*shlex.split(look))[0] == 0
    assert discard == give_up == f"resume --output '{out}' --discard"
    assert scrubline(*shlex.split(accept), "--no-progress")[0] == 0
    assert (out / "_SUCCESS").exists()


@pytest.mark.parametrize("night", [(), ("--finish-pending",)])
def test_a_first_try_that_came_to_nothing_gives_way(scrubline, tmp_path, key_file, night):
    (tmp_path / "in.csv").write_bytes("id,text\n1,Café 3/4/2012\n2,é\n".encode("latin-1"))
    line = ["scrub", "--input", tmp_path / "in.csv", "--output", tmp_path / "out", "--model"]
    line += ["none", "--key-file", key_file, "--column", "id=id", "--column", "text=text"]
    code, _, err = scrubline(*line)
    assert code == 3
    assert "read: BadEncoding (2): some bytes are not valid" in err
    assert "set the right --encoding" in err and "takes the place of this run" in err
    code, _, err = scrubline(*line, "--finish-pending")
    assert code == 3 and "BadEncoding (2)" in err  # the very same job is held again
    code, _, err = scrubline(*line, "--encoding", "latin-1", *night)
    assert code == 0 and "gives way: it made nothing but quarantined rows" in err
    assert not (tmp_path / "out/_staging").exists()
    # What is published stays, and so does a run in which a row came through.
    (tmp_path / "in.csv").write_bytes("id,text\n1,b\n2,é\n3,é\n".encode("latin-1"))
    other = [word if word != tmp_path / "out" else tmp_path / "other" for word in line]
    assert scrubline(*other)[0] == 3
    code, _, err = scrubline(*other, "--encoding", "latin-1")
    assert code == 2 and "has an unfinished run" in err


def test_a_plan_does_not_give_way(scrubline, words, tmp_path):
    how = ["--output", tmp_path / "out", "--max-quarantined", "0.5"]
    assert scrubline("plan", *words, *how)[0] == 0
    code, _, err = scrubline("scrub", *words, *how, "--policy", "research")
    assert code == 2 and "has an unfinished run" in err


@pytest.mark.parametrize("url", ["zip://a.txt::{}", "zip://a.txt::file://{}", "tar://a.txt::{}"])
@pytest.mark.parametrize("option", ["--input", "--output"])
def test_of_an_archive_the_file_itself_is_named(scrubline, words, tmp_path, url, option):
    url = url.format(tmp_path / "z.zip")
    line = [*words, "--output", tmp_path / "out", option, url]
    code, _, err = scrubline("scrub", *line)
    assert code == 2 and "name the .zip or .tar itself" in err, err


@pytest.mark.parametrize("command", ["scrub", "plan"])
def test_an_output_that_no_file_system_makes_is_refused(scrubline, words, command):
    code, _, err = scrubline(command, *words, "--output", "/proc/x")
    assert code == 2 and "the output folder cannot be created" in err, err


@pytest.mark.parametrize("command", ["scrub", "plan"])
def test_what_was_typed_is_repeated_on_a_terminal_alone(
    scrubline, words, tmp_path, command, terminal
):
    out = ["--output", tmp_path / "out"]
    cases = [
        ([*words, *out, "--input", "no/Jane Roe"], "input 'no/Jane Roe' does not exist"),
        (["--config", "no/Jane Roe.toml"], "--config 'no/Jane Roe.toml': there is no such file"),
        ([*words, *out, "--key-file", "/no/Jane"], "the key file /no/Jane does not exist"),
    ]
    for line, _ in cases:
        code, _, err = scrubline(command, *line)
        assert code == 2 and "Jane" not in err
    terminal()
    for line, said in cases:
        assert said in scrubline(command, *line)[2]


def test_without_roles_init_is_named_and_can_be_pasted(
    scrubline, words, tmp_path, terminal, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my notes.csv").write_text("a,b\n1,x\n")
    line = ["scrub", "--input", "my notes.csv", "--model", "none", "--output", "out", *words[2:4]]
    assert "`scrubline init --input ... --output job.toml`" in scrubline(*line)[2]
    terminal()
    code, _, err = scrubline(*line)
    assert code == 2 and "`scrubline init --input 'my notes.csv' --output job.toml`" in err


def test_another_delimiter_is_named(scrubline, words, tmp_path):
    (tmp_path / "in.csv").write_text("note_id;note_text\n1;a\n")
    line = ["--input", tmp_path / "in.csv", *words[2:], "--output", tmp_path / "out"]
    code, _, err = scrubline("scrub", *line)
    assert code == 2 and err.endswith("looks as if it were several: give --delimiter ';'\n")
    assert "note_text" not in err


@pytest.mark.parametrize(
    ("more", "refused"),
    [
        ("", True),
        ("[deny]\nSTAFFCODE = ['ZZ']\n", False),
        ("[note_types.x.deny]\nSTAFFCODE = ['ZZ']\n", False),
    ],
)
def test_a_label_that_nothing_gives_is_refused(scrubline, words, tmp_path, more, refused):
    policy = tmp_path / "own.toml"
    own = 'STAFFCODE = { hipaa = "R", description = "code" }'
    policy.write_text(f'name = "own"\nextends = "hipaa"\n[labels]\n{own}\n{more}')
    line = [*words, "--output", tmp_path / "out", "--policy", policy, "--dry-run"]
    code, _, err = scrubline("scrub", *line)
    assert code == (2 if refused else 0), err
    assert ("no rule of yours gives the labels ['STAFFCODE']" in err) == refused
