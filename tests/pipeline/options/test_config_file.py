import contextlib
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.bundles.detector import LANGUAGE
from scrubline.models.core.budgets import Budgets
from scrubline.models.core.errors import UsageError
from scrubline.models.core.options import Kept
from scrubline.models.formats import FormatOptions
from scrubline.models.formats.column_roles import Role
from scrubline.models.recognisers import DEFAULT_RECOGNISERS
from scrubline.pipeline.options import Options, load_config, options_from, read_config
from scrubline.pipeline.options.table import run_options
from scrubline.pipeline.process.logs import LEVELS

WHOLE = b"""
input = ["a", "b"]
output = "out"
model = ["ours", "en-default"]
recogniser = ["date"]
policy = "research"
key_file = "env:KEY"
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
risk = false
incremental = true
retry_quarantined = true
drop_gone = true
finish_pending = true
hold = true
canaries = "canaries.jsonl"
view_attributes = "age,sex"
most_rewritten = 0.1
view_release = "view"
allow_different_job = true
max_gone = 0.2
max_lost = 0.01
max_guard = 0.1
min_roster_share = 0.5
roster = "people"
roster_fuzzy = 2
link_notes = true
stale_notes = "report"
max_quarantined = 1
max_risk = "direct=0.02"
certificate = "c.dsse.json"
trusted_keys = "officers.pub"
max_age = 30
watchdog_seconds = 1.5
progress = false
log_level = "INFO"
log_format = "json"
report = "r.json"
metrics_file = "m.prom"
estimate = true
core_hour_price = 0.04

[column]
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
    assert options.settings == FormatOptions("cp1252", ";", "'", "/", False)
    defaults = Options()
    for option in run_options():
        same = getattr(options, option.attribute) == getattr(defaults, option.attribute)
        assert same == (option.kept is Kept.NEITHER), option.name


def test_nothing_said_means_the_defaults():
    assert options_from({}, {}) == Options()
    assert options_from({}, dict.fromkeys(("workers", "policy", "columns"))) == Options()


def test_the_command_line_wins():
    options = options_from(read_config(WHOLE), {"policy": "hipaa", "workers": 0, "progress": None})
    assert (options.policy, options.workers, options.progress) == ("hipaa", 0, False)


@pytest.mark.parametrize(("key", "name"), [("model", "models"), ("recogniser", "recognisers")])
def test_none_is_how_to_say_none(key, name):
    assert getattr(options_from({}, {name: ("none",)}), name) == ()
    for nothing in (["none"], "none", []):
        assert getattr(options_from({key: nothing}, {}), name) == ()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("all",), (*DEFAULT_RECOGNISERS, LANGUAGE)),
        (("recipe",), ("recipe",)),
        (("date", "recipe", "date"), ("date", "recipe")),
        (("all", "liu_2015"), (*DEFAULT_RECOGNISERS, LANGUAGE, "liu_2015")),
        (
            ("zip_code", "all"),
            ("zip_code", *(n for n in DEFAULT_RECOGNISERS if n != "zip_code"), LANGUAGE),
        ),
    ],
)
def test_words_for_rules(given, expected):
    assert options_from({}, {"recognisers": given}).recognisers == expected
    assert options_from({"recogniser": list(given)}, {}).recognisers == expected


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (b'imput = ["a"]', r"unknown keys: 'imput' \(did you mean 'input'\?\)$"),
        (
            b'imput = ["a"]\nzzz = 1',
            r"unknown keys: 'imput' \(did you mean 'input'\?\), 'zzz'; known are \['allow_d",
        ),
        (b'workers = "3"', r"the config file: workers must be a whole number, got a text"),
        (b"workers = true", r"workers must be a whole number, got true or false"),
        (b"workers = 1.5", r"workers must be a whole number, got a number"),
        (b'keep_candidates = "yes"', r"keep_candidates must be true or false, got a text"),
        (b'progress = "yes"', r"progress must be true or false, got a text"),
        (b"input = 1", r"input must be a text or a list of texts"),
        (b"input = [1]", r"input must be a text or a list of texts"),
        (b"policy = 1", r"policy must be a text, got a whole number"),
        (b"policy = 2026-01-01", r"policy must be a text, got date"),
        (b'policy = ""', r"--policy is empty"),
        (b'max_quarantined = "5%"', r"max_quarantined must be a number, got a text"),
        (b"column = 1", r"column must be a table, \[column\], got a whole number"),
        (b'[column]\na = "publish"', r"column a: unknown role 'publish'; roles are text: "),
        (b'[column]\na = "text:pdf"', r"column a: role text says how texts are written"),
        (b"[budgets]\npages = 1", r"unknown budget 'pages'; known are document_bytes, "),
        (b"[budgets]\ntokens = 1.5", r"budget tokens must be a whole number"),
        (b"[budgets]\ntokens = true", r"budget tokens must be a whole number"),
        (b"[budgets]\ntokens = 0", r"budget tokens must be at least 1, got 0"),
        (b"[budgets]\nmax_encoded_share = true", r"max_encoded_share must be a number"),
        (b"[budgets]\nmax_encoded_share = nan", r"max_encoded_share must be greater than 0"),
        (b"[budgets]\nmax_encoded_share = 0", r"max_encoded_share must be greater than 0"),
        (b"[budgets]\nmax_encoded_share = 50", r"max_encoded_share must be greater than 0"),
        (b"split_bytes = 0", r"--split-bytes must be above 0, got 0"),
        (b"batch_documents = -1", r"--batch-documents must be above 0"),
        (b"batch_bytes = 0", r"--batch-bytes must be above 0"),
        (b"batch_bytes = 3_000_000_000", r"batch_bytes and line_bytes together"),
        (b"[budgets]\nline_bytes = 3_000_000_000", r"batch_bytes and line_bytes together"),
        (b"watchdog_seconds = 0", r"--watchdog-seconds must be above 0"),
        (b"watchdog_seconds = nan", r"--watchdog-seconds must be above 0"),
        (b"workers = -1", r"--workers must be 0 or more, got -1"),
        (b"max_quarantined = 1.01", r"--max-quarantined must be a share from 0 to 1"),
        (b"max_quarantined = nan", r"--max-quarantined must be a share from 0 to 1"),
        (
            b'log_level = "LOUD"',
            r"--log-level must be one of DEBUG, INFO, WARNING, ERROR, got 'LOUD'",
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


@pytest.mark.parametrize("level", LEVELS)
def test_log_levels(level):
    assert Options(log_level=level).log_level == level


def test_a_config_that_is_nested_too_deeply_is_refused():
    with pytest.raises(UsageError, match="nested too deeply"):
        read_config(b"a = " + b"[" * 100_000)


@pytest.mark.parametrize("key", ["max-gone", "max_gone"])
def test_a_key_is_spelled_as_its_option_or_with_underscores(key):
    assert options_from({key: 0.5}, {}).max_gone == 0.5


def test_one_text_does_for_a_list_of_one():
    assert options_from({"input": "notes/", "model": "ours"}, {}) == options_from(
        {"input": ["notes/"], "model": ["ours"]}, {}
    )


@pytest.mark.parametrize(
    ("key", "old", "value"),
    [
        ("input", "inputs", ["a"]),
        ("model", "models", ["ours"]),
        ("recogniser", "recognisers", ["date"]),
        ("recogniser", "recognizers", ["date"]),
        ("column", "columns", {"a": "id", "b": "text"}),
        ("key_file", "key_source", "key.txt"),
    ],
)
def test_keys_of_before_are_read_with_a_warning_that_names_the_new_one(key, old, value, caplog):
    with caplog.at_level(logging.WARNING):
        options = options_from({old: value}, {})
    assert caplog.messages == [f"the config file: {old} is called {key} now; rename it"]
    caplog.clear()
    assert options == options_from({key: value}, {}) and caplog.messages == []
    with pytest.raises(UsageError, match=f"sets {key} twice: as {old} and as {key}"):
        options_from({old: value, key: value}, {})


def test_american_spelling_is_as_good(caplog):
    assert options_from({"recognizer": ["date"]}, {}).recognisers == ("date",)
    assert caplog.messages == []


@pytest.mark.parametrize("option", run_options(), ids=lambda option: option.name)
def test_what_is_for_one_command_is_refused_in_the_file(option):
    if option.kept is Kept.NEITHER:
        with pytest.raises(UsageError, match=f"for one command: give {option.flag} on the command"):
            options_from({option.key: True}, {})
    else:
        with pytest.raises(UsageError, match=f"the config file: {option.key} must be"):
            options_from({option.key: object()}, {})


def test_resume_takes_of_the_file_only_what_is_not_frozen():
    config = read_config(WHOLE)
    options, defaults = options_from(config, {}, command="resume"), Options()
    taken = {
        option.name
        for option in run_options()
        if getattr(options, option.attribute) != getattr(defaults, option.attribute)
    }
    assert taken == {
        *("output", "workers", "runner", "beam", "watchdog-seconds", "progress"),
        *("log-level", "log-format", "report", "metrics-file"),
    }
    with pytest.raises(UsageError, match="unknown keys"):
        options_from({"imput": 1}, {}, command="resume")  # the rest of the file is checked too
    overridden = options_from(config, {"max_gone": 0.5, "hold": True}, command="resume")
    assert (overridden.max_gone, overridden.hold) == (0.5, True)


def test_a_file_that_cannot_be_read(tmp_path):
    assert load_config(None) == {}
    with pytest.raises(UsageError, match="--config: there is no such file"):
        load_config(str(tmp_path / "Smith.toml"))
    with pytest.raises(UsageError, match="--config: the file cannot be read: "):
        load_config(str(tmp_path))
