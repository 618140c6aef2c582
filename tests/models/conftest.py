"""Batches made as the pipeline makes them: from a file, through every step, rules alone."""

import json

import pytest
from scrubline.models.core.budgets import Budgets
from scrubline.models.core.keys import Keys
from scrubline.models.formats import FORMATS, Limits, format_of
from scrubline.models.formats.column_roles import Columns
from scrubline.models.jobs.amendments import UnitAmendments
from scrubline.models.jobs.plan import Unit
from scrubline.models.jobs.read_unit import read_unit
from scrubline.models.jobs.shifted_columns import DateColumns
from scrubline.models.jobs.steps import StepResources, run_steps
from scrubline.models.recognisers import DEFAULT_RECOGNISERS, rule_hash
from scrubline.models.redaction.policy_file import load_policy
from scrubline.models.storage.storage import Storage

LIMITS, BUDGETS = Limits(), Budgets()
KEYS = Keys(bytes(range(32)))
HASHES = {name: rule_hash(name) for name in DEFAULT_RECOGNISERS}


def columns(**roles):
    """Columns by NAME=role."""
    return Columns.parse(list(roles.items()))


def read(
    source,
    roles,
    *,
    limits=LIMITS,
    budgets=BUDGETS,
    keep_dates=False,
    shifting=None,
    ordinals=None,
    skip=None,
    split_bytes=1 << 40,
):
    """The batches of the files below `source`, as one unit of all their locators."""
    storage = Storage(sleep=lambda seconds: None)
    files = storage.list_files([str(source)])
    name = format_of(files[0].url)
    locators = tuple(
        locator
        for index, file in enumerate(files)
        for locator in FORMATS[name].plan(storage, index, file, split_bytes, Limits())
    )
    return list(
        read_unit(
            storage,
            FORMATS[name],
            Unit(0, "000000-abc", name, files[0].partition, locators),
            files,
            roles,
            KEYS,
            limits,
            budgets,
            dates=DateColumns(keep_dates, shifting or DateColumns.reading, shifting),
            amendments=UnitAmendments(skip or {}, ordinals or {}),
        )
    )


def write_lines(path, *records):
    """A JSON Lines file; a record may be a value or the line itself."""
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


def scrubbed(batch, policy="hipaa", budgets=BUDGETS):
    """The batch after all steps between reading and writing, by rules alone."""
    rules = tuple(DEFAULT_RECOGNISERS)
    return run_steps(batch, StepResources(load_policy(policy), recognisers=rules, budgets=budgets))


@pytest.fixture
def storage():
    return Storage(sleep=lambda seconds: None)
