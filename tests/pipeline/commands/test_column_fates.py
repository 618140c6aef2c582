"""What a plan says of each column is what a run does with it."""

import json
from pathlib import Path

import pytest
from scrubline.models.formats.column_roles import Columns, Role
from scrubline.models.redaction.policy_file import load_policy
from scrubline.pipeline.commands.column_fates import column_fates
from scrubline.pipeline.commands.inspect import summary

COLUMNS = Columns.parse(
    [(f"a_{role}", "known:name" if role is Role.KNOWN else role) for role in Role]
)


@pytest.mark.parametrize(
    ("policy", "date"),
    [
        ("hipaa", "left out by policy hipaa"),
        ("research", "a_date, as it is, by policy research"),
    ],
)
def test_a_run_does_what_the_table_says(run, options, tmp_path, policy, date):
    said = load_policy(policy).to_dict()
    told = dict(line.split(" -> ") for line in column_fates(COLUMNS.roles, said))
    told = {name.split()[0]: fate for name, fate in told.items()}
    assert set(told) == {name for name, _ in COLUMNS.roles}
    assert told["a_date"] == date
    assert told["a_text"] == f"a_text, scrubbed by policy {policy}"
    (tmp_path / "one.jsonl").write_text(json.dumps({name: "x" for name in told}) + "\n")
    manifest = run(inputs=(str(tmp_path / "one.jsonl"),), columns=COLUMNS, policy=policy)
    assert "\n".join(["columns", *column_fates(COLUMNS.roles, said)]) in summary(manifest)
    [part] = Path(options.output, "data").rglob("*.jsonl")
    row = json.loads(part.read_text())
    assert set(row) == {fate.split(",")[0] for fate in told.values() if "left out" not in fate}
    for name, fate in told.items():
        if fate.startswith(f"{name}, as it is"):
            assert row[name] == "x"


def test_of_many_columns_some_are_shown():
    many = Columns.parse([("t", "text"), ("i", "id"), *((f"c{n}", "drop") for n in range(30))])
    lines = list(column_fates(many.roles, load_policy("hipaa").to_dict()))
    assert len(lines) == 21 and lines[-1] == "  and 12 more"


def test_a_manifest_of_an_earlier_version_does_not_say_what_became_of_dates():
    said = load_policy("hipaa").to_dict()
    del said["date_columns"]
    [line] = column_fates([["seen", "date"]], said)
    assert line.endswith(" -> seen, or left out, by policy hipaa")
    [line] = column_fates([["a", "shift"]], said)
    assert line.endswith(" -> a, by a role of another version")
