"""What a plan says of each column is what a run does with it."""

import json
from pathlib import Path

import pytest
from scrubline.models.formats.column_roles import Columns, Role
from scrubline.models.redaction.policy_file import load_policy
from scrubline.pipeline.commands.column_fates import column_fates

COLUMNS = Columns.parse([(f"a_{role}", role) for role in Role])


@pytest.mark.parametrize(
    ("policy", "date"),
    [
        ("hipaa", "left out by policy hipaa"),
        ("research", "a_date, as it is, by policy research"),
    ],
)
def test_a_run_does_what_the_table_says(run, options, tmp_path, policy, date):
    told = dict(line.split(" -> ") for line in column_fates(COLUMNS, load_policy(policy)))
    told = {name.split()[0]: fate for name, fate in told.items()}
    assert set(told) == {name for name, _ in COLUMNS.roles}
    assert told["a_date"] == date
    assert told["a_text"] == f"a_text, scrubbed by policy {policy}"
    (tmp_path / "one.jsonl").write_text(json.dumps({name: "x" for name in told}) + "\n")
    run(inputs=(str(tmp_path / "one.jsonl"),), columns=COLUMNS, policy=policy)
    [part] = Path(options.output, "data").rglob("*.jsonl")
    row = json.loads(part.read_text())
    assert set(row) == {fate.split(",")[0] for fate in told.values() if "left out" not in fate}
    for name, fate in told.items():
        if fate.startswith(f"{name}, as it is"):
            assert row[name] == "x"


def test_of_many_columns_some_are_shown():
    many = Columns.parse([("t", "text"), ("i", "id"), *((f"c{n}", "drop") for n in range(30))])
    lines = list(column_fates(many, load_policy("hipaa")))
    assert len(lines) == 21 and lines[-1] == "  and 12 more"
