"""`scrubline preview`: on a terminal, and nowhere else."""

import io
import json
import os
import pty
import re
import subprocess
import sys

import pytest
from scrubline.models.core.error_classes import explain

from ...waiting import GUARD_SECONDS

pytestmark = pytest.mark.slow

ROLES = ("--column", "note_id=id", "--column", "day=date", "--column", "text=text")
RULES = ("--model", "none", "--recogniser", "date", "--recogniser", "email")


@pytest.fixture
def source(tmp_path):
    notes = ["Seen 1/2/2019 by \x1b[31mred.", "Mail jane@b.example.", "Third 3/4/2019.", "Fourth"]
    rows = [{"note_id": n, "day": "2019-01-02", "text": text} for n, text in enumerate(notes)]
    (tmp_path / "notes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path / "notes.jsonl"


def on_terminal(*words):
    """Runs a command line on a terminal; gives exit code, what it shows, standard error."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "scrubline", *map(str, words)]
    env = os.environ | {"COLUMNS": "100", "TERM": "xterm-256color"}
    with subprocess.Popen(command, stdout=theirs, stderr=subprocess.PIPE, env=env) as process:
        os.close(theirs)
        shown = io.BytesIO()
        try:
            while block := os.read(ours, 4096):
                shown.write(block)
        except OSError:  # Linux says so when the other side is closed
            pass
        errors = process.stderr.read().decode()
        code = process.wait(GUARD_SECONDS)
    os.close(ours)
    return code, shown.getvalue().decode(), errors


def test_off_a_terminal_it_is_refused(scrubline, source):
    code, out, err = scrubline("preview", "--input", source, *ROLES, *RULES)
    assert (code, out) == (2, "")
    assert "prints to a terminal only" in err and "2019" not in err


def test_notes_are_shown_before_and_after_in_colour(source, tmp_path):
    before = sorted(tmp_path.iterdir())
    code, shown, err = on_terminal("preview", "--input", source, *ROLES, *RULES, "--rows", "2")
    assert (code, err) == (0, "")
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert "day (date)   -> left out by policy hipaa" in plain
    assert "Seen 1/2/2019 by ␛[31mred." in plain and "Seen [DATE] by ␛[31mred." in plain
    assert "jane@b.example" in plain and "Mail [EMAIL]." in plain
    assert "Third" not in plain and "Fourth" not in plain
    colours = {
        label: re.search(rf"\x1b\[([0-9;]*)m\[{label}\]", shown)[1] for label in ("DATE", "EMAIL")
    }
    assert len(set(colours.values())) == 2
    assert f"\x1b[{colours['DATE']}m1/2/2019" in shown
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("words", "told"), [(("--rows", "0"), "--rows"), (("--column", "x=some"), "unknown role")]
)
def test_what_is_refused(source, words, told):
    code, shown, err = on_terminal("preview", "--input", source, *ROLES, *RULES, *words)
    assert code == 2 and told in err and "Seen" not in shown


PATIENT = '{"resourceType": "Patient", "id": "quimby", "name": [{"family": "Quimby"}]'
RECORDS = {
    "hl7": ("m.hl7", "MSHx|^~\\&|Quimby\rOBX|1|TX|||Quimby\r", "BadHl7", 1),
    "fhir": ("m.ndjson", f"{PATIENT},,}}\n{PATIENT}:}}\n", "BadJson", 2),
    "ccda": ("m.xml", "<ClinicalDocument>Quimby</ClinicalDocument>", "BadCcda", 1),
    "jsonl": ("m.jsonl", '{"note_id": 1, "day": "x", "text": "Quimby"}\nQuimby\n', "BadJson", 1),
}


@pytest.mark.parametrize("form", RECORDS)
def test_rows_that_are_held_back_are_counted_with_the_reason(form, tmp_path):
    name, content, error, count = RECORDS[form]
    (tmp_path / name).write_text(content)
    roles = ROLES if form == "jsonl" else ()
    code, shown, err = on_terminal(
        "preview", "--input", tmp_path / name, "--format", form, *roles, *RULES
    )
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    rows = count + (form == "jsonl")
    assert (code, err) == (0 if form == "jsonl" else 3, "")
    assert f"{count} of {rows} row" in plain and "held back: a run puts" in plain
    assert f"  {error} ({count}; first: unit 0, row {rows - count}): " in plain
    assert explain(error).cause in plain and explain(error).remedy in plain
    assert plain.count("Quimby") == (2 if form == "jsonl" else 0)


def test_rows_without_a_note_are_told(tmp_path):
    (tmp_path / "m.hl7").write_text("MSH|^~\\&|a|b|c|d|2024||ADT^A01|1|P|2.5\r")
    code, shown, err = on_terminal("preview", "--input", tmp_path / "m.hl7", *RULES)
    assert (code, err) == (0, "") and "1 row read: no note to show" in shown
