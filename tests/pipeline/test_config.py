import ast
import contextlib
import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.budgets import Budgets
from scrubline.models.errors import UsageError
from scrubline.models.formats import Settings
from scrubline.models.recognisers import DEFAULT_RECOGNISERS
from scrubline.models.roles import Role
from scrubline.pipeline.config import LOG_LEVELS, Options, options_from, read_config

WHOLE = b"""
inputs = ["a", "b"]
output = "out"
models = ["ours", "en-default"]
recognisers = ["date"]
policy = "research"
key_source = "env:KEY"
format = "jsonl"
encoding = "windows-1252"
delimiter = ";"
quote = "'"
escape = "/"
header = false
group_lines = "note_id,line"
runner = "portable"
workers = 3
beam = ["--job_endpoint=localhost:8099"]
batch_documents = 7
batch_bytes = 8
split_bytes = 9
keep_candidates = true
incremental = true
retry_quarantined = true
drop_gone = true
finish_pending = true
hold = true
canaries = "canaries.jsonl"
allow_different_job = true
max_gone = 0.2
max_lost = 0.01
max_quarantined = 1
watchdog_seconds = 1.5
progress = false
log_level = "INFO"
log_format = "json"
report = "r.json"
metrics_file = "m.prom"
estimate = true
core_hour_price = 0.04

[columns]
note_id = "id"
note_text = "text"

[budgets]
tokens = 12
"""


def test_a_file_may_hold_every_option():
    options = options_from(read_config(WHOLE), {})
    assert options.inputs == ("a", "b")
    assert options.columns.roles == (("note_id", Role.ID), ("note_text", Role.TEXT))
    assert options.budgets == Budgets(tokens=12)
    assert (options.workers, options.keep_candidates, options.progress) == (3, True, False)
    assert (options.max_quarantined, options.watchdog_seconds) == (1, 1.5)
    assert options.settings == Settings("cp1252", ";", "'", "/", False)
    defaults = Options()
    for field in dataclasses.fields(Options):
        if field.name == "reseal":
            continue  # an answer to one run: of the command line alone
        same = getattr(options, field.name) == getattr(defaults, field.name)
        assert not same, f"{field.name} was not taken from the file"


def test_nothing_said_means_the_defaults():
    assert options_from({}, {}) == Options()
    assert options_from({}, dict.fromkeys(("workers", "policy", "columns"))) == Options()


def test_the_command_line_wins():
    options = options_from(read_config(WHOLE), {"policy": "hipaa", "workers": 0, "progress": None})
    assert (options.policy, options.workers, options.progress) == ("hipaa", 0, False)


@pytest.mark.parametrize("name", ["models", "recognisers"])
def test_none_is_how_to_say_none(name):
    assert getattr(options_from({}, {name: ("none",)}), name) == ()
    assert getattr(options_from({name: ["none"]}, {}), name) == ()
    assert getattr(options_from({name: []}, {}), name) == ()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("all",), tuple(DEFAULT_RECOGNISERS)),
        (("recipe",), ("recipe",)),
        (("date", "recipe", "date"), ("date", "recipe")),
        (("all", "liu_2015"), (*DEFAULT_RECOGNISERS, "liu_2015")),
        (("zip_code", "all"), ("zip_code", *(n for n in DEFAULT_RECOGNISERS if n != "zip_code"))),
    ],
)
def test_words_for_rules(given, expected):
    assert options_from({}, {"recognisers": given}).recognisers == expected
    assert options_from({"recognisers": list(given)}, {}).recognisers == expected


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            b'imputs = ["a"]',
            r"unknown keys \['imputs'\]; known are \['allow_different_job', .*'workers'\]",
        ),
        (b'workers = "3"', r"workers in the config file must be int, got str"),
        (b"workers = true", r"workers .* got bool"),
        (b"workers = 1.5", r"workers .* got float"),
        (b'keep_candidates = "yes"', r"keep_candidates .* must be bool"),
        (b'progress = "yes"', r"progress .* got str"),
        (b'inputs = "a"', r"inputs in the config file must be a list of texts"),
        (b"inputs = [1]", r"inputs .* list of texts"),
        (b"policy = 1", r"policy .* must be str"),
        (b'max_quarantined = "5%"', r"max_quarantined .* must be float"),
        (b"columns = 1", r"columns .* must be a table, \[columns\]"),
        (b'[columns]\na = "publish"', r"column a: unknown role 'publish'; roles are text: "),
        (b'[columns]\na = "text"', r"exactly one column must have role id"),
        (
            b"[budgets]\npages = 1",
            r"\[budgets\] has an unknown key 'pages'; known are \['document_bytes'",
        ),
        (b"[budgets]\ntokens = 1.5", r"\[budgets\] tokens must be a whole number"),
        (b"[budgets]\ntokens = true", r"\[budgets\] tokens must be a whole number"),
        (b"[budgets]\ntokens = 0", r"budget tokens must be at least 1, got 0"),
        (b"[budgets]\nmax_encoded_share = true", r"max_encoded_share must be a number"),
        (b"[budgets]\nmax_encoded_share = nan", r"max_encoded_share must be above 0, to 1"),
        (b"[budgets]\nmax_encoded_share = 0", r"max_encoded_share must be above 0, to 1"),
        (b"[budgets]\nmax_encoded_share = 50", r"max_encoded_share must be above 0, to 1"),
        (b"split_bytes = 0", r"split_bytes must be above 0, got 0"),
        (b"batch_documents = -1", r"batch_documents must be above 0"),
        (b"batch_bytes = 0", r"batch_bytes must be above 0"),
        (b"batch_bytes = 3_000_000_000", r"batch_bytes and line_bytes together"),
        (b"[budgets]\nline_bytes = 3_000_000_000", r"batch_bytes and line_bytes together"),
        (b"watchdog_seconds = 0", r"watchdog_seconds must be above 0"),
        (b"watchdog_seconds = nan", r"watchdog_seconds must be above 0"),
        (b"workers = -1", r"workers must be 0 \(this process\) or more"),
        (b"max_quarantined = 1.01", r"share from 0 to 1"),
        (b"max_quarantined = nan", r"share from 0 to 1"),
        (
            b'log_level = "LOUD"',
            r"log_level must be one of DEBUG, INFO, WARNING, ERROR, got 'LOUD'",
        ),
    ],
)
def test_what_is_wrong_is_named_with_what_is_allowed(config, message):
    with pytest.raises(UsageError, match=message):
        options_from(read_config(config), {})


@pytest.mark.parametrize("data", [b"workers =", b"\xff", b"a = 1\na = 2", b"[", b"workers = 1 2"])
def test_what_is_no_toml_is_refused(data):
    with pytest.raises(UsageError, match="the config file is not TOML"):
        read_config(data)


@given(st.binary(max_size=40))
def test_no_bytes_raise_anything_else(data):
    with contextlib.suppress(UsageError):
        options_from(read_config(data), {})


@pytest.mark.parametrize("level", LOG_LEVELS)
def test_log_levels(level):
    assert Options(log_level=level).log_level == level


def test_a_config_that_is_nested_too_deeply_is_refused():
    with pytest.raises(UsageError, match="nested too deeply"):
        read_config(b"a = " + b"[" * 100_000)


def test_what_is_listed_as_known_is_taken():
    with pytest.raises(UsageError) as caught:
        options_from({"imputs": 1}, {})
    known = ast.literal_eval(str(caught.value).partition("known are ")[2])
    assert "reseal" not in known and "inputs" in known
    for name in known:
        try:
            options_from({name: object()}, {})
        except UsageError as error:
            assert f"{name} in the config file must be" in str(error)
    with pytest.raises(UsageError, match="--reseal on the command line"):
        options_from({"reseal": True, "imputs": 1}, {})
