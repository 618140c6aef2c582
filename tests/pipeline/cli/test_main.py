import json
import logging
import os
import pty
import stat
import subprocess
import sys
import threading

import pytest
from scrubline.models.storage.key_files import load_keys
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.cli import main as cli

from ...waiting import GUARD_SECONDS
from ..conftest import BROKEN, note, write_corpus

COMMANDS = (
    *("scrub", "plan", "resume", "annotate", "verify", "inspect", "key", "train", "evaluate"),
    "convert",
    "dial",
    "diff",
    "dictionaries",
    "prune",
)
COLUMNS = [
    word
    for role in ("note_id=id", "patient_id=patient", "kind=type", "text=text", "n=pass")
    for word in ("--column", role)
]


@pytest.fixture(autouse=True)
def _as_before():
    """Commands set up logs and hooks for the whole process."""
    root = logging.getLogger()
    before = root.handlers[:], root.level, sys.excepthook, threading.excepthook, sys.unraisablehook
    levels = {name: logging.getLogger(name).level for name in ("scrubline", "apache_beam")}
    yield
    root.handlers[:], root.level, sys.excepthook, threading.excepthook, sys.unraisablehook = before
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


@pytest.fixture
def job(tmp_path, key_file):
    """Words of a scrub over a small corpus with four broken rows."""
    source = write_corpus(tmp_path / "source")
    return [
        *("--input", source, "--output", tmp_path / "out", "--key-file", key_file),
        *("--model", "none", *COLUMNS),
    ]


def files(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


# -- help


@pytest.mark.parametrize("command", COMMANDS)
def test_help_teaches(scrubline, command):
    code, out, _ = scrubline(command, "--help")
    assert code == 0
    assert f"example: scrubline {command}" in out or f"| scrubline {command}" in out
    described = out.split("options:")[0]
    assert len(described.split("\n\n")) >= 3
    for line in out.splitlines():
        assert len(line) <= 110


def test_every_command_is_listed(scrubline):
    code, out, _ = scrubline("--help")
    assert code == 0
    assert all(any(f"    {command}{end}" in out for end in " \n") for command in COMMANDS)
    assert "exit codes:\n  0  done\n  1  failed" in out


# -- exit codes


def test_0_done_and_3_held_and_0_after_a_look(scrubline, job, tmp_path):
    code, out, err = scrubline("scrub", *job)
    assert (code, out) == (3, "")
    assert "4 of 64 rows are quarantined (6.25%)" in err
    assert not (tmp_path / "out/data").exists()
    code, out, _ = scrubline("resume", "--output", tmp_path / "out", "--max-quarantined", "0.1")
    assert code == 0
    assert f"rows             64 in = 60 out + {BROKEN} quarantined" in out
    code, out, err = scrubline("resume", "--output", tmp_path / "out")
    assert (code, out) == (2, "")
    assert "no unfinished run in this output: run" in err


def test_1_failed_says_how_to_go_on(scrubline, job, tmp_path):
    assert scrubline("plan", *job)[0] == 0
    with (tmp_path / "source/part0.jsonl").open("a") as stream:
        stream.write("{}\n")
    code, out, err = scrubline("resume", "--output", tmp_path / "out", "--max-quarantined", "0.1")
    assert (code, out) == (1, "")
    assert "changed after it was planned" in err
    assert "--discard`, then scrub again" in err
    assert "continue with" not in err
    assert "part0" not in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "required"),
        (("scrubb",), "invalid choice"),
        (("scrub",), "say where to write with --output URL"),
        (("scrub", "--output", "out"), "say what to read with --input URL"),
        (("scrub", "x"), "there is no such file or folder"),
        (("scrub", "--workers", "two"), "--workers: must be a whole number"),
        (("scrub", "--workers", "-1", "--output", "o", "--input", "i"), "workers must be 0"),
        (("scrub", "--column", "text", "--output", "o", "--input", "i"), "takes NAME=ROLE"),
        (("scrub", "--column", "t=publish", "--output", "o", "--input", "i"), "unknown role"),
        (
            ("scrub", "--log-level", "LOUD", "--output", "o", "--input", "i"),
            "--log-level must be one of",
        ),
        (("scrub", "--config", "/no/such.toml"), "--config: there is no such file"),
        (("resume", "--output", "nowhere"), "no unfinished run"),
        (
            ("scrub", "--input", "i", "--output", "memory://o"),
            "memory:// is lost when this command ends",
        ),
        (("scrub", "--input", "i", "--output", "o", "--report", ""), "--report is empty"),
        (("plan", "--output", "o"), "say what to read"),
        (("annotate", "--output", "o"), "say what to read"),
        (("verify", "--output", "nowhere"), "no such output"),
        (("inspect", "--output", "nowhere"), "no such output"),
        (("key", "new"), "--output FILE"),
        (("key", "check"), "scrubline key new"),
        (("key", "old"), "invalid choice"),
        (("key", "doc"), "give ids, or -"),
        (("scrub", "--input", "", "--output", "o"), "--input is empty"),
        (("scrub", "--config=", "--output", "o"), "--config is empty"),
        (("scrub", "--group-lines", "", "--output", "o"), "--group-lines is empty"),
        (("verify", "--output", "o", "--key-file", ""), "--key-file is empty"),
        (("status", "--output", ""), "--output is empty"),
        (("status", "--output", "/dev/null"), "no such output"),
        (("status", "--output", "."), "no such output"),
        (("prune", "--output", ".", "--yes"), "no such output"),
        (("resume", "--output", "."), "no unfinished run"),
        (("resume", "--output", ".", "--discard"), "no unfinished run"),
        (("train", "--corpus", "x"), "required"),
        (("evaluate", "x"), "give PREDICTED"),
    ],
)
def test_2_bad_usage(scrubline, monkeypatch, tmp_path, words, message):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SCRUBLINE_KEY", raising=False)
    code, out, err = scrubline(*words)
    assert (code, out) == (2, "")
    assert message in err
    assert files(tmp_path) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--model", "no-such"], "bundle"),
        (
            ["--policy", "hippa"],
            "unknown policy (did you mean 'hipaa'?); expected one of ['e",
        ),
        (["--policy", "no/such.toml"], "the policy file does not exist"),
        (["--recogniser", "tarot"], "tarot"),
        (["--recogniser", "none"], "nothing would be found"),
        (["--format", "docx"], "unknown format 'docx'"),
        (["--runner", "DaskRunner"], "refused"),
        (["--column", "patient_name=drop", "--column", "patient_name=drop"], "twice"),
        (["--batch-bytes", "3000000000"], "must stay below 2 GiB"),
    ],
)
def test_2_refused_before_anything_is_written(scrubline, job, tmp_path, change, message):
    before = files(tmp_path)
    if "--model" in change:
        job = [word for word in job if word not in ("--model", "none")]
    code, _, err = scrubline("scrub", *job, *change)
    assert code == 2
    assert message in err
    assert files(tmp_path) == before


@pytest.mark.parametrize(
    ("error", "code", "shown"),
    [
        (
            ValueError("John Smith, MRN 1234567"),
            1,
            "scrubline: unexpected ValueError at scrubline.",
        ),
        (RecursionError("John Smith"), 1, "unexpected RecursionError"),
        (MemoryError("John Smith"), 1, "memory ran out"),
        (FileNotFoundError(2, "No such file", "/in/John Smith.txt"), 1, "FileNotFoundError"),
        (UnicodeDecodeError("utf-8", b"John Smith", 0, 1, "John Smith"), 1, "UnicodeDecodeError"),
        (KeyboardInterrupt("John Smith"), 1, "stopped."),
        (BrokenPipeError("John Smith"), 1, ""),
    ],
)
def test_a_foreign_error_is_told_by_class_and_place_alone(
    scrubline, job, monkeypatch, error, code, shown
):
    def fail(*_):
        raise error

    monkeypatch.setattr("scrubline.pipeline.commands.scrub_corpus.scrub", fail)
    ended, out, err = scrubline("scrub", *job, "--log-level", "DEBUG")
    assert (ended, out) == (code, "")
    assert shown in err
    assert "Smith" not in err
    assert "Traceback" not in err
    assert "resume" not in err  # nothing was planned


def test_a_misspelt_column_is_named_and_an_undeclared_one_is_not(scrubline, job):
    misspelt = ["noteid=id" if word == "note_id=id" else word for word in job]
    code, _, err = scrubline("scrub", *misspelt)
    assert code == 2
    assert "columns without a declared role: [column 1]" in err
    assert "Declared but not in the input: ['noteid']; misspelled?" in err
    assert "note_id" not in err


def test_the_file_of_an_undeclared_column_is_told_by_its_number(scrubline, job, tmp_path):
    more = tmp_path / "more"
    more.mkdir()
    for number in range(3):
        extra = {"Ann Poe": 1} if number == 1 else {}
        row = {"note_id": str(number), "text": "x", **extra}
        (more / f"{number}.jsonl").write_text(json.dumps(row) + "\n")
    at = job.index("--input")
    words = [*job[:at], "--input", more, *job[at + 2 :]]
    code, _, err = scrubline("scrub", *words)
    assert code == 2
    assert (
        "the first in input file 2 (in the order of paths). Undeclared columns are never passed on"
        in err
    )
    assert "Poe" not in err
    (more / "2.docx").write_text("x")
    code, _, err = scrubline("scrub", *words)
    assert code == 2 and "2.docx" not in err
    assert "input file 3 (in the order of paths): the file name has an unknown ending" in err
    assert "--format NAME" in err


def test_an_input_that_leads_nowhere_is_not_named(scrubline, job):
    code, _, err = scrubline("scrub", *job, "--input", "/nowhere/smith.jsonl")
    assert code == 2
    assert "input 2 of 2" in err
    assert "smith" not in err


# -- scrub


def test_dry_run_writes_nothing(scrubline, job, tmp_path):
    before = files(tmp_path)
    code, out, _ = scrubline("scrub", *job, "--dry-run")
    assert code == 0
    assert "3 files" in out
    assert "columns: note_id=id, patient_id=patient, kind=type, text=text, n=pass" in out
    assert "  text (text)          -> text, scrubbed by policy hipaa\n" in out
    assert "models: none; rules: accession, account" in out
    assert "policy: hipaa" in out
    assert files(tmp_path) == before


def test_plan_then_resume_is_scrub(scrubline, job, tmp_path):
    code, out, _ = scrubline("plan", *job)
    assert code == 0
    assert ", 1 unit\n" in out
    assert not (tmp_path / "out/data").exists()
    code, out, _ = scrubline(
        "resume", "--output", tmp_path / "out", "--max-quarantined", "0.5", "--json"
    )
    assert code == 0
    resumed = json.loads(out)
    job[job.index("--output") + 1] = tmp_path / "other"
    code, out, _ = scrubline("scrub", *job, "--max-quarantined", "0.5", "--json")
    assert json.loads(out)["content_digest"] == resumed["content_digest"]
    assert json.loads(out)["run"] == resumed["run"]


def test_a_frozen_run_that_is_refused_says_that_it_is_kept(scrubline, job, tmp_path):
    policy = tmp_path / "own.toml"
    policy.write_text('name = "own"\nextends = "hipaa"\n')
    words = [*job, "--policy", policy, "--max-quarantined", "0.5"]
    kept = "finished work is kept: fix the problem and continue with `scrubline resume"
    code, _, err = scrubline("scrub", *words, "--workers", "-1")
    assert code == 2 and kept not in err
    assert scrubline("plan", *words[:-2])[0] == 0
    policy.write_text('name = "own"\nextends = "research"\n')
    how = ["--output", tmp_path / "out", "--max-quarantined", "0.5"]
    code, _, err = scrubline("resume", *how)
    assert code == 2 and kept in err
    policy.write_text('name = "own"\nextends = "hipaa"\n')
    assert scrubline("resume", *how)[0] == 0


def test_a_run_can_be_given_up(scrubline, job, tmp_path):
    scrubline("plan", *job)
    code, out, err = scrubline("resume", "--output", tmp_path / "out", "--discard")
    assert err.startswith("the run is discarded: its plan and its unpublished work are removed")
    assert (code, out) == (0, "")
    assert files(tmp_path / "out") == ["restricted/LOCK"]


def test_a_config_file_says_the_same_as_options(scrubline, job, tmp_path, key_file):
    config = tmp_path / "job.toml"
    config.write_text(
        f'input = ["{tmp_path}/source"]\noutput = "{tmp_path}/other"\nkey_file = "{key_file}"\n'
        "model = []\nmax_quarantined = 0.5\n[column]\n"
        'note_id = "id"\npatient_id = "patient"\nkind = "type"\ntext = "text"\nn = "pass"\n'
    )
    code, out, _ = scrubline("scrub", "--config", config, "--json")
    assert code == 0
    by_config = json.loads(out)
    code, out, _ = scrubline("scrub", *job, "--max-quarantined", "0.5", "--json")
    assert json.loads(out)["run"] == by_config["run"]
    assert json.loads(out)["content_digest"] == by_config["content_digest"]
    code, out, _ = scrubline("scrub", "--config", config, "--policy", "research", "--dry-run")
    assert "policy: research" in out


def test_an_unknown_key_of_a_config_file_is_refused_with_what_was_meant(scrubline, tmp_path):
    (tmp_path / "job.toml").write_text('imput = ["x"]\n')
    code, _, err = scrubline("scrub", "--config", tmp_path / "job.toml")
    assert code == 2
    assert "the config file has unknown keys: 'imput' (did you mean 'input'?)" in err


def test_the_summary_goes_to_standard_output_alone(scrubline, job):
    code, out, err = scrubline("scrub", *job, "--max-quarantined", "0.5", "--log-level", "ERROR")
    assert (code, err) == (0, "")
    assert out.startswith("run ")


# -- one text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"", b""),
        (b"Seen 3/4/2012.", b"Seen [DATE]."),
        (b"\xef\xbb\xbfMRN: 1234567\r\n\r\n", b"\xef\xbb\xbfMRN: [MEDICALRECORD]\r\n\r\n"),
        (b"\0\0 3/4/2012 \0", b"\0\0 [DATE] \0"),
        ("Café 🙂 a@b.example".encode(), "Café 🙂 [EMAIL]".encode()),
        (b"x" * 1_000_000 + b" 3/4/2012", b"x" * 1_000_000 + b" [DATE]"),
        (b"word 3/4/2012\n" * 20_000, b"word [DATE]\n" * 20_000),
    ],
    ids=["empty", "plain", "bom and crlf", "nul", "emoji", "long word", "many lines"],
)
def test_one_text(scrubline, text, expected):
    code, out, err = scrubline("scrub", "-", "--model", "none", stdin=text)
    assert (code, err) == (0, "")
    assert out.encode() == expected


@pytest.mark.parametrize(
    "text",
    [b"\xff\xfe3/4/2012", b"3/4/2012 \xed\xa0\xbd", "Café 3/4/2012".encode("latin-1"), b"\x80"],
)
def test_one_text_that_is_not_utf_8(scrubline, text):
    code, out, err = scrubline("scrub", "-", "--model", "none", stdin=text)
    assert (code, out) == (3, "")
    assert "the text is held back: BadEncoding" in err
    assert "2012" not in err


def test_one_text_over_its_budget_is_held_back(scrubline, tmp_path):
    (tmp_path / "job.toml").write_text('model = []\npolicy = "research"\n[budgets]\ntokens = 10\n')
    words = ("scrub", "-", "--config", tmp_path / "job.toml")
    assert scrubline(*words, stdin=b"3/4/2012")[:2] == (0, "3/4/2012")
    code, out, err = scrubline(*words, stdin=b"3/4/2012 " * 9)
    assert (code, out) == (3, "")
    assert "held back: OverBudget:tokens" in err
    assert "2012" not in err


# -- keys


def test_a_new_key_is_for_its_owner_alone_and_never_overwritten(scrubline, tmp_path):
    path = tmp_path / "new.txt"
    assert scrubline("key", "new", "--output", path) == (0, "", "")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    content = path.read_text()
    code, _, err = scrubline("key", "new", "--output", path)
    assert code == 2
    assert "never overwritten" in err
    assert path.read_text() == content
    assert scrubline("key", "check", "--key-file", path)[0] == 0
    assert scrubline("key", "new", "--output", tmp_path / "no/such/folder")[0] == 2


def test_the_check_value_tells_keys_apart(scrubline, key_file, monkeypatch):
    keys = load_keys(key_file, Storage().read_bytes)
    code, out, _ = scrubline("key", "check", "--key-file", key_file)
    assert (code, out) == (0, keys.check + "\n")
    with open(key_file) as stream:
        monkeypatch.setenv("SCRUBLINE_KEY", stream.read())
    assert scrubline("key", "check")[1] == keys.check + "\n"


@pytest.mark.parametrize("content", ["", "secret", "scrubline-key-v1:short", "\0"])
def test_what_is_no_key_is_refused_and_not_shown(scrubline, tmp_path, content):
    (tmp_path / "bad.txt").write_text(content)
    code, _, err = scrubline("key", "check", "--key-file", tmp_path / "bad.txt")
    assert code == 2
    assert "this is not a master key" in err
    assert not content or content not in err


def test_keys_of_ids(scrubline, key_file):
    keys = load_keys(key_file, Storage().read_bytes)
    given = ("--key-file", key_file)
    assert scrubline("key", "doc", "12", " 12 ", "012", *given)[1].split() == [
        *(keys.doc_key("12"), keys.doc_key("12"), keys.doc_key("012"))
    ]
    assert scrubline("key", "patient", "x", *given)[1] == keys.patient_key("x") + "\n"
    assert (
        scrubline("key", "doc", "12", "--ordinal", "2", *given)[1] == keys.doc_key("12", 2) + "\n"
    )


def test_keys_of_ids_from_standard_input_are_a_line_for_a_line(scrubline, key_file):
    keys = load_keys(key_file, Storage().read_bytes)
    words = ("key", "patient", "-", "--key-file", key_file)
    code, out, _ = scrubline(*words, stdin="1\r\n\n é \n4".encode())
    assert code == 0
    assert out.split("\n") == [
        keys.patient_key("1"),
        "",
        keys.patient_key("é"),
        keys.patient_key("4"),
        "",
    ]
    assert scrubline(*words, stdin=b"1\n")[1] == keys.patient_key("1") + "\n"
    code, out, err = scrubline(*words, stdin=b"\xff\n")
    assert (code, out) == (2, "")
    assert "not UTF-8" in err


# -- looking at an output


def test_an_output_that_is_a_link_to_nowhere_is_refused(scrubline, job, tmp_path):
    (tmp_path / "out").symlink_to(tmp_path / "nowhere")
    code, _, err = scrubline("scrub", *job)
    assert code == 2
    assert "a dangling symbolic link" in err


def test_originals_that_changed_since_are_told(scrubline, job, tmp_path):
    scrubline("scrub", *job, "--max-quarantined", "0.5", "--split-bytes", "3000")
    output = ("--output", tmp_path / "out")
    one = sorted((tmp_path / "source").iterdir())[0]
    one.write_text(one.read_text() + "\n")
    code, out, err = scrubline("verify", *output, "--originals")
    assert code == 3
    assert "FAULT unit 0: an input was changed or removed after it was scrubbed" in out
    assert "discard" not in out + err
    assert "36 originals were found for 55 documents" in out  # the others were compared
    code, out, err = scrubline("inspect", *output, "--document", "0")
    assert code == 2
    assert "the original cannot be shown" in err


def test_verify_and_inspect(scrubline, job, tmp_path, key_file):
    scrubline("scrub", *job, "--max-quarantined", "0.5")
    output = ("--output", tmp_path / "out")
    code, out, _ = scrubline("verify", *output)
    assert code == 0
    assert "content digest" in out
    code, out, _ = scrubline("verify", *output, "--originals", "--key-file", key_file)
    assert code == 0
    assert "originals" in out
    code, out, _ = scrubline("inspect", *output)
    assert code == 0
    assert "rows             64 in = 60 out + 4 quarantined" in out
    code, out, _ = scrubline("inspect", *output, "--document", "8", "--key-file", key_file)
    assert code == 0
    assert "7000008" in out
    assert "[MEDICALRECO" in out
    code, _, err = scrubline("inspect", *output, "--document", "smith", "--key-file", key_file)
    assert code == 2
    assert "smith" not in err
    part = next((tmp_path / "out/data").glob("*.jsonl"))
    part.write_text(part.read_text().replace("[DATE]", "[DOTE]", 1))
    code, out, _ = scrubline("verify", *output)
    assert code == 3
    assert "FAULT part data/" in out


# -- training


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Invented notes with their dates and record numbers marked."""
    path = tmp_path_factory.mktemp("corpus") / "train.jsonl"
    with path.open("w") as stream:
        for number in range(30):
            text, spans = "", []
            for piece, label in (
                ("Seen on ", None),
                (f"{number % 12 + 1}/{number % 28 + 1}/2019", "DATE"),
                (". Dr. ", None),
                (("Lopez", "Smith", "Chen")[number % 3], "DOCTOR"),
                (f" says: take {number} tablets.\n", None),
            ):
                if label:
                    spans.append(
                        {"start": len(text), "end": len(text) + len(piece), "label": label}
                    )
                text += piece
            stream.write(json.dumps({"doc_id": f"d{number}", "text": text, "spans": spans}) + "\n")
    return path


@pytest.fixture(scope="module")
def bundle(corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundles") / "mine"
    with pytest.raises(SystemExit) as ended:
        cli.main(
            [
                *("train", "--corpus", str(corpus), "--name", "mine", "--output", str(folder)),
                *("--dictionary", "none", "--set", "max_iterations=15", "--credit", "invented"),
            ]
        )
    assert ended.value.code == 0
    return folder


def test_a_trained_bundle_scrubs_annotates_and_is_scored(scrubline, corpus, bundle, tmp_path):
    text = b"Seen on 3/4/2019. Dr. Chen says: take 5 tablets.\n"
    words = ("scrub", "-", "--model", bundle, "--recogniser", "none")
    code, out, _ = scrubline(*words, stdin=text)
    assert (code, out) == (0, "Seen on [DATE]. Dr. [DOCTOR] says: take 5 tablets.\n")
    predicted = tmp_path / "predicted.jsonl"
    code, out, _ = scrubline(
        "annotate", "--input", corpus, "--model", bundle, "--output", predicted
    )
    assert (code, out) == (0, "30 documents annotated\n")
    code, out, _ = scrubline("evaluate", corpus, predicted, "--json")
    assert code == 0
    json.loads(out)
    code, out, _ = scrubline("evaluate", corpus, predicted)
    assert code == 0
    assert "DOCTOR" in out
    code, out, _ = scrubline("evaluate", corpus, predicted, "--ignore", "DOCTOR")
    assert code == 0
    assert "ignored: DOCTOR" in out
    assert out.count("DOCTOR") == 1


def test_a_trained_bundle_in_a_whole_run(scrubline, job, bundle, tmp_path):
    job[job.index("none")] = bundle
    code, out, _ = scrubline("scrub", *job, "--max-quarantined", "0.5", "--json")
    assert code == 0
    manifest = json.loads(out)
    assert list(manifest["models"]) == [str(bundle)]
    assert scrubline("verify", "--output", tmp_path / "out", "--originals")[0] == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--recipe", "no-such"], "unknown recipe"),
        (["--set", "max_iterations"], "expected --set NAME=VALUE"),
        (["--set", "max_iterations=many"], "max_iterations must be a number"),
        (["--set", "depth=3"], "parameter must be one of c1, c2, delta"),
        (["--algorithm", "svm"], "algorithm"),
        (["--dictionary", "no-such"], "no-such"),
        (["--label-map", "no-such"], "label map"),
        (["--bias", "DATE"], "expected --bias LABEL=VALUE"),
    ],
)
def test_training_that_cannot_be_done_is_refused(scrubline, corpus, tmp_path, change, message):
    words = ("train", "--corpus", corpus, "--name", "mine", "--output", tmp_path / "b")
    base = () if "--dictionary" in change else ("--dictionary", "none")
    code, _, err = scrubline(*words, *base, "--set", "max_iterations=1", *change)
    assert code == 2
    assert message in err
    assert files(tmp_path) == []


def test_a_bundle_is_never_overwritten(scrubline, corpus, bundle):
    code, _, err = scrubline("train", "--corpus", corpus, "--name", "mine", "--output", bundle)
    assert code == 2
    assert "never overwritten" in err


def test_a_broken_corpus_is_told_by_line(scrubline, corpus, tmp_path):
    broken = tmp_path / "broken.jsonl"
    broken.write_text(corpus.read_text() + '{"doc_id": "smith", "text": "Smi', encoding="utf-8")
    words = ("train", "--corpus", broken, "--name", "mine", "--output", tmp_path / "b")
    code, _, err = scrubline(*words, "--dictionary", "none")
    assert code == 2
    assert "31" in err
    assert "smi" not in err.lower()


# -- the end of the process

LAUNCHED = """
import atexit, ctypes, sys
from scrubline.pipeline.cli import main as cli

# As a library of C++ does whose thread outlives what it works on.
library = ctypes.CDLL(None)
library.on_exit(library.abort, None)
cli.command()
"""


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["policy", "list"], 0, "hipaa"),
        (["--help"], 0, "scrubline"),
        (["policy", "show", "none-such"], 2, ""),
        (["policy", "nothing"], 2, ""),
    ],
)
def test_the_command_ends_as_it_says_whatever_libraries_do(words, code, says):
    ended = subprocess.run(
        [sys.executable, "-c", LAUNCHED, *words],
        capture_output=True,
        text=True,
        timeout=GUARD_SECONDS,
    )
    assert ended.returncode == code
    assert says in ended.stdout
    assert (ended.stderr == "") == (code == 0)


@pytest.mark.parametrize(
    ("does", "code", "says"),
    [
        ("atexit.register(print, 'late'), sys.exit(3)", 3, "late\n"),
        ("print('x'), sys.exit()", 0, "x\n"),
        ("print('x'), sys.exit('bad')", 1, "x\n"),
        ("sys.stdout.close(), sys.exit(3)", 3, ""),
    ],
)
def test_the_end_keeps_what_was_said_and_asked_for(does, code, says):
    launched = LAUNCHED.replace("cli.command()", f"cli.main = lambda: ({does}); cli.command()")
    ended = subprocess.run(
        [sys.executable, "-c", launched], capture_output=True, text=True, timeout=GUARD_SECONDS
    )
    assert (ended.returncode, ended.stdout) == (code, says)
    assert "Traceback" not in ended.stderr


# -- progress


def on_a_terminal(*words):
    """Runs a command whose standard error is a terminal; what it showed there."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "scrubline.pipeline.cli.main", *map(str, words)],
        stderr=theirs,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            block = os.read(ours, 1 << 16)
        except OSError:  # how Linux says that the other side is closed
            break
        if not block:
            break
        shown += block
    os.close(ours)
    assert process.wait(timeout=GUARD_SECONDS) == 0
    return shown.decode()


@pytest.mark.slow
def test_progress_is_shown_on_a_terminal(job):
    shown = on_a_terminal("scrub", *job, "--max-quarantined", "0.5")
    assert "scrubbing" in shown
    assert "publishing" in shown
    assert "100 %" in shown
    assert "64 documents" in shown
    assert note(8)["text"].split()[0] not in shown


@pytest.mark.slow
def test_progress_can_be_switched_off_on_a_terminal(job):
    shown = on_a_terminal("scrub", *job, "--max-quarantined", "0.5", "--no-progress")
    assert "scrubbing" not in shown


def test_progress_can_be_asked_for_elsewhere(scrubline, job):
    _, _, err = scrubline("scrub", *job, "--max-quarantined", "0.5", "--progress")
    assert "scrubbing" in err


def test_beams_options_go_with_a_portable_runner_alone(scrubline, tmp_path):
    code, _, err = scrubline(
        "scrub", "--input", tmp_path, "--output", tmp_path / "out", "--", "--parallelism=2"
    )
    assert code == 2
    assert "--runner portable" in err


@pytest.mark.slow
def test_resume_takes_of_a_config_file_how_to_run_alone(scrubline, job, tmp_path):
    assert scrubline("plan", *job)[0] == 0
    (tmp_path / "nightly.toml").write_text(
        f'output = "{tmp_path}/out"\nworkers = 1\nhold = true\nmax_quarantined = 1.0\n'
    )
    config = ("--config", tmp_path / "nightly.toml")
    assert scrubline("resume", *config)[0] == 3  # the limit is that of the plan
    assert scrubline("resume", *config, "--max-quarantined", "1")[0] == 0
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    assert manifest["report"]["workers"] == 1


def test_a_roster_for_one_text_is_refused(scrubline):
    for words in (("-",), ("--json", "-")):
        code, out, err = scrubline(
            "scrub", *words, "--model", "none", "--roster", "r", stdin=b"Ann"
        )
        assert (code, out) == (2, "") and "--roster: one text does not say whose it is" in err
