"""Opening a job: what is not as planned is refused, in one wording for each thing."""

import dataclasses
import json

import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.core.keys import Keys
from scrubline.models.formats import FORMATS, Limits
from scrubline.models.formats.column_roles import Columns
from scrubline.models.jobs import opening
from scrubline.models.jobs.amendments import UnitAmendments
from scrubline.models.jobs.job import Job
from scrubline.models.jobs.opening import (
    open_job,
    open_job_once,
    open_keys,
    require_this_version,
)
from scrubline.models.jobs.plan import Plan, Unit
from scrubline.models.jobs.steps import run_steps
from scrubline.models.recognisers import rule_hash
from scrubline.models.redaction.policy_file import load_policy
from scrubline.models.storage.storage import Storage

KEY = "scrubline-key-v1:" + "QUJD" * 10 + "QUI=\n"
OTHER_KEY = "scrubline-key-v1:" + "QUJE" * 10 + "QUI=\n"
RULES = ("date", "email")


@pytest.fixture(autouse=True)
def nothing_opened(monkeypatch):
    monkeypatch.setattr(opening, "_opened", {})


@pytest.fixture
def planned(tmp_path):
    """A job over one file of three notes, and its plan."""
    lines = [json.dumps({"id": f"n{n}", "text": f"Seen on 3/{n}/2019."}) for n in (1, 2, 3)]
    (tmp_path / "notes.jsonl").write_text("\n".join(lines) + "\n")
    (tmp_path / "key.txt").write_text(KEY)
    (tmp_path / "policy.toml").write_text('name = "site"\n[actions]\nDATE = "mask"\n')
    storage = Storage()
    files = tuple(storage.list_files([str(tmp_path / "notes.jsonl")]))
    locators = tuple(FORMATS["jsonl"].plan(storage, 0, files[0], 1 << 40, Limits()))
    plan = Plan(files, (Unit(0, "000000-abc", "jsonl", (), locators),))
    policy = str(tmp_path / "policy.toml")
    job = Job(
        run="0" * 16,
        output=str(tmp_path / "out"),
        columns=Columns.parse([("id", "id"), ("text", "text")]),
        models=(),
        model_hashes=(),
        recognisers=RULES,
        recogniser_hashes=tuple(map(rule_hash, RULES)),
        policy=policy,
        policy_hash=load_policy(policy).fingerprint,
        key_source=str(tmp_path / "key.txt"),
        key_check=Keys(b"ABC" * 10 + b"AB").check,
        batch_documents=2,
    )
    return job, plan


def test_an_opened_job_reads_and_scrubs_its_units(planned):
    job, plan = planned
    opened = open_job(Storage(), job, plan)
    assert opened.detector_hashes == dict(zip(RULES, job.recogniser_hashes, strict=True))
    batches = [run_steps(batch, opened.resources) for batch in opened.batches(plan.units[0])]
    texts = [text for batch in batches for text in batch.scrubbed.texts]
    assert texts == ["Seen on ********."] * 3
    assert [len(batch.rows) for batch in batches] == [2, 1]


def test_batches_heed_limits_and_amendments(planned):
    job, plan = planned
    opened = open_job(Storage(), job, plan)
    single = dataclasses.replace(job.limits, batch_documents=1)
    amendments = UnitAmendments({1: "Skipped"}, {})
    batches = list(opened.batches(plan.units[0], limits=single, amendments=amendments))
    assert [len(batch.rows) for batch in batches] == [1, 1, 1]
    assert [[f.error for f in batch.failures.values()] for batch in batches] == [
        [],
        ["Skipped"],
        [],
    ]


def test_the_frozen_plan_is_read_where_none_is_given(planned):
    job, plan = planned
    with pytest.raises(UsageError, match="plan"):
        open_job(Storage(), job)
    plan.write(Storage(), job.restricted)
    assert open_job(Storage(), job).plan.units == plan.units


def test_a_job_is_opened_once_a_process_and_one_at_a_time(planned):
    job, plan = planned
    plan.write(Storage(), job.restricted)
    opened = open_job_once(job)
    assert open_job_once(job) is opened
    other = dataclasses.replace(job, batch_documents=3)
    assert open_job_once(other) is not opened
    assert list(opening._opened) == [other]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"code_version": "0.0.9"}, "planned by version 0.0.9, this is .*--discard"),
        ({"key_check": "00000000"}, "wrong master key: .* planned with 00000000.*--key-file"),
        ({"policy_hash": "other"}, "the policy has changed since the run was planned: restore"),
        ({"recogniser_hashes": ("a", "b")}, "the rule date has changed since the run was planned"),
    ],
    ids=["version", "key", "policy", "rule"],
)
def test_what_is_not_as_planned_is_refused(planned, changes, message):
    job, plan = planned
    with pytest.raises(UsageError, match=message):
        open_job(Storage(), dataclasses.replace(job, **changes), plan)


def test_a_bundle_that_is_not_the_planned_one_is_refused(planned):
    job, plan = planned
    job = dataclasses.replace(job, models=("en-default",), model_hashes=("other",))
    with pytest.raises(UsageError, match="the bundle en-default has changed since the run was pl"):
        open_job(Storage(), job, plan)


def test_the_key_may_be_elsewhere_now(planned, tmp_path, monkeypatch):
    job, _ = planned
    (tmp_path / "key.txt").rename(tmp_path / "moved.txt")
    assert open_keys(Storage(), job, str(tmp_path / "moved.txt")).check == job.key_check
    monkeypatch.setenv("OTHER", OTHER_KEY)
    with pytest.raises(UsageError, match="wrong master key"):
        open_keys(Storage(), job, "env:OTHER")


def test_only_a_version_that_did_not_plan_a_run_is_refused(planned):
    job, _ = planned
    require_this_version(Job.from_json(job.to_json()))
    other = Job.from_json(dataclasses.replace(job, code_version="0.0.9").to_json())
    with pytest.raises(UsageError, match="planned by version 0.0.9"):
        require_this_version(other)
