import dataclasses
import json

import pytest
from scrubline.models.core.budgets import Budgets
from scrubline.models.core.errors import UsageError
from scrubline.models.jobs.job import Job

from ..conftest import columns

JOB = Job(
    run="r1",
    output="s3://bucket/out",
    columns=columns(i="id", t="text"),
    models=("en-default",),
    model_hashes=("ab",),
    recognisers=("date", "age"),
    recogniser_hashes=("d1", "a1"),
    policy="hipaa",
    policy_hash="cd",
    key_source="env:KEY",
    key_check="01234567",
)


def test_a_job_survives_json():
    assert Job.from_json(JOB.to_json()) == JOB
    other = dataclasses.replace(
        JOB, budgets=Budgets(tokens=5), keep_candidates=True, models=(), model_hashes=()
    )
    assert Job.from_json(other.to_json()) == other


def test_equal_jobs_are_equal_text():
    assert Job.from_json(JOB.to_json()).to_json() == JOB.to_json()


@pytest.mark.parametrize(
    "change",
    [
        {"model_hashes": ("ac",)},
        {"recognisers": ("date",), "recogniser_hashes": ("d1",)},
        {"recogniser_hashes": ("d2", "a1")},
        {"code_version": "0.0.9"},
        {"policy_hash": "ce"},
        {"key_check": "76543210"},
        {"columns": columns(i="id", t="text", x="drop")},
        {"columns": columns(t="text", i="id")},
        *({"budgets": Budgets(**{f.name: 1})} for f in dataclasses.fields(Budgets)),
    ],
)
def test_what_decides_content_is_in_the_fingerprint(change):
    assert dataclasses.replace(JOB, **change).fingerprint != JOB.fingerprint


@pytest.mark.parametrize(
    "change",
    [
        {"run": "r2"},
        {"output": "elsewhere"},
        {"models": ("file:///models/en-default",)},
        {"recognisers": ("age", "date"), "recogniser_hashes": ("a1", "d1")},
        {"max_quarantined": 0.5},
        {"hold": True},
        {"max_gone": 0.5},
        {"max_lost": 0.5},
        {"canaries": "canaries.jsonl", "canaries_hash": "ab"},
        {"policy": "copy-of-hipaa.toml"},
        {"key_source": "key.txt"},
        {"batch_documents": 1},
        {"batch_bytes": 1},
        {"split_bytes": 1},
        {"keep_candidates": True},
        {"risk": False},
        {"max_risk": "direct=0.02", "certificate": "c", "trusted_keys": "k", "max_age": 1.0},
    ],
)
def test_what_does_not_decide_content_is_not_in_the_fingerprint(change):
    assert dataclasses.replace(JOB, **change).fingerprint == JOB.fingerprint


def test_where_things_lie():
    assert JOB.staging == "s3://bucket/out/_staging/r1"
    assert JOB.restricted == "s3://bucket/out/restricted/r1"


def test_formats_read_by_the_jobs_caps():
    job = dataclasses.replace(
        JOB, batch_documents=3, batch_bytes=4, budgets=Budgets(line_bytes=5, document_bytes=6)
    )
    limits = job.limits
    assert (
        limits.batch_documents,
        limits.batch_bytes,
        limits.line_bytes,
        limits.document_bytes,
    ) == (3, 4, 5, 6)


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(Budgets)])
@pytest.mark.parametrize("value", [0, -1])
def test_a_budget_of_nothing_is_refused(name, value):
    with pytest.raises(UsageError, match=f"budget {name} must be (at least 1|greater than 0)"):
        Budgets(**{name: value})


@pytest.mark.parametrize(
    "damage",
    [
        lambda value: "",
        lambda value: "[]",
        lambda value: json.dumps({**value, "more": 1}),
        lambda value: json.dumps({k: v for k, v in value.items() if k != "policy"}),
        lambda value: json.dumps({**value, "columns": "i"}),
        lambda value: json.dumps({**value, "budgets": {"pages": 1}}),
        lambda value: json.dumps({**value, "models": None}),
        lambda value: json.dumps({**value, "models": [3]}),
        lambda value: json.dumps({**value, "policy_hash": 3}),
        lambda value: json.dumps({**value, "recogniser_hashes": ["one alone"]}),
        lambda value: json.dumps({**value, "batch_bytes": {}}),
        lambda value: json.dumps({**value, "batch_bytes": 2**31}),
        lambda value: json.dumps({**value, "batch_documents": True}),
        lambda value: json.dumps({**value, "split_bytes": 0}),
        lambda value: json.dumps({**value, "max_quarantined": float("nan")}),
        lambda value: json.dumps({**value, "max_gone": -1}),
        lambda value: json.dumps({**value, "max_lost": 2}),
        lambda value: json.dumps({**value, "hold": None}),
        lambda value: json.dumps({**value, "key_check": "\ud800"}),
        lambda value: json.dumps({**value, "settings": {**value["settings"], "encoding": "x"}}),
        lambda value: json.dumps({**value, "budgets": {**value["budgets"], "tokens": 1.5}}),
        lambda value: "[" * 100_000,
    ],
)
def test_a_job_of_another_version_is_told(damage):
    with pytest.raises(UsageError, match="frozen job cannot be read"):
        Job.from_json(damage(json.loads(JOB.to_json())))


def test_a_job_holds_no_key(tmp_path):
    assert "scrubline-key" not in JOB.to_json()
    assert {f.name for f in dataclasses.fields(Job) if "key" in f.name} == {
        "key_source",
        "key_check",
        "trusted_keys",  # where public ones are
    }
