"""What the documentation shows is what the program does."""

import ast
import contextlib
import io
import re
import shlex
import textwrap
import tomllib
from pathlib import Path

import pyarrow as pa
import pytest
from scrubline import Scrubber
from scrubline.models.bundles.bundle import open_bundle
from scrubline.models.core.budgets import Budgets
from scrubline.models.core.errors import UsageError
from scrubline.models.core.options import Kept, ValueKind
from scrubline.models.embedding.tables import scrub_table
from scrubline.models.jobs.audit import TABLES
from scrubline.models.recipes import DECLARATIONS, RECIPES
from scrubline.models.recognisers import RECOGNISERS
from scrubline.models.redaction import own_rules_file, policy_file
from scrubline.pipeline.cli.main import main
from scrubline.pipeline.cli.parser import make_parser, parse
from scrubline.pipeline.commands.rule_tests import faults_of_tests
from scrubline.pipeline.commands.run_options import read_options
from scrubline.pipeline.options import Options, options_from
from scrubline.pipeline.options.manual import with_table
from scrubline.pipeline.options.table import run_options
from scrubline.pipeline.outputs.history_rows import SCHEMA as HISTORY_SCHEMA

from .test_architecture import ORDER

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
OPERATIONS = (ROOT / "docs/operations.md").read_text(encoding="utf-8")


def block(name, text=README):
    """The fenced block after the comment `<!-- example: name -->`."""
    return re.search(rf"<!-- example: {name} -->\n```\w*\n(.*?)```", text, re.DOTALL)[1]


def test_the_example_of_the_readme_is_what_comes_out():
    assert Scrubber().scrub(block("in")) == block("out")


def test_the_example_with_surrogates_is_what_comes_out(tmp_path, request):
    """Made new by `pytest tests/test_docs.py --update-golden`."""
    key = tmp_path / "key.txt"
    key.write_text("scrubline-key-v1:" + "QUJD" * 10 + "QUI=\n")
    key.chmod(0o600)
    table = pa.table({"id": ["1"], "mrn": ["4821903"], "on": ["2012-03-05"], "text": [block("in")]})
    roles = {"id": "id", "mrn": "patient", "on": "date", "text": "text"}
    found = scrub_table(table, roles, scrubber=Scrubber(policy="expert"), key=str(key))
    (expected,) = found.table["text"].to_pylist()
    readme = README
    if request.config.getoption("--update-golden"):
        at = readme.index("```\n", readme.index("<!-- example: expert -->")) + 4
        readme = readme[:at] + expected + readme[readme.index("```\n", at) :]
        (ROOT / "README.md").write_text(readme, encoding="utf-8")
    assert block("expert", readme) == expected


def test_the_query_of_the_readme_gives_the_output_shown(tmp_path, monkeypatch):
    from scrubline.models.storage.storage import Storage
    from scrubline.pipeline.options import options_from, read_config
    from scrubline.pipeline.run import scrub

    (tmp_path / "key.txt").write_text("scrubline-key-v1:" + "QUJD" * 10 + "QUI=\n")
    config = read_config((ROOT / "demo/scrubline.toml").read_bytes())
    changes = {
        "inputs": (str(ROOT / "demo/parquet"),),
        "output": str(tmp_path / "build/demo/out"),
        "key_source": str(tmp_path / "key.txt"),
        "progress": False,
    }
    scrub(Storage(), options_from(config, changes))
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)[1]
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.parse(code), "README.md", "exec"), {})
    assert printed.getvalue() == block("audit")


@pytest.mark.slow
def test_the_commands_of_a_corpus_can_be_pasted(tmp_path, monkeypatch, capsys):
    pasted = re.search(r"## One table\n```sh\n(.*?)```", README, re.DOTALL)[1]
    (tmp_path / "demo").symlink_to(ROOT / "demo")
    monkeypatch.chdir(tmp_path)
    for line in commands(pasted):
        with pytest.raises(SystemExit) as ended:
            main([*shlex.split(line), *(["--no-progress"] if line.startswith("scrub ") else [])])
        assert ended.value.code == 0, capsys.readouterr().err
    assert (tmp_path / "out/_SUCCESS").exists()
    shown = re.findall(r"^out/(\w+)/? ", README, re.MULTILINE)
    assert {path.name for path in (tmp_path / "out").iterdir() if path.is_dir()} - {
        "quarantine"
    } <= set(shown)


def test_a_file_of_the_readme_ships_or_is_said_to_be_yours():
    """Where a block reads a file that no earlier line of it made."""
    own = {"note.txt", "train.jsonl", "held-out.jsonl"}
    assert all(f"`{name}`" in README for name in own)
    for name in re.findall(r"(?<=[ =])(?:demo|benchmarks)/[\w./-]+", README):
        assert (ROOT / name).exists(), name


def test_the_command_is_on_the_path_before_it_is_used_by_name():
    at = README.index("\n. .venv/bin/activate\n")
    assert "\nscrubline " not in README[:at]
    assert ".venv/bin/scrubline" not in README


@pytest.mark.parametrize("table", TABLES)
def test_every_field_of_every_table_is_described(table):
    text = (ROOT / "docs/tables.md").read_text(encoding="utf-8")
    section = text.split(f"## {table}\n")[1].split("\n## ")[0]
    listed = dict(re.findall(r"^\| `(\w+)` \| [^|]* \| (.*) \|$", section, re.MULTILINE))
    assert listed == {f.name: f.metadata[b"description"].decode() for f in TABLES[table]}


def test_every_field_of_the_history_is_described():
    text = (ROOT / "docs/tables.md").read_text(encoding="utf-8")
    section = text.split("## history\n")[1].split("\n## ")[0]
    listed = dict(re.findall(r"^\| `(\w+)` \| [^|]* \| (.*) \|$", section, re.MULTILINE))
    assert listed == {f.name: f.metadata[b"description"].decode() for f in HISTORY_SCHEMA}


def test_the_budgets_of_the_manual_are_the_defaults():
    listed = {
        name: float(n.replace(",", ""))
        for name, n in re.findall(r"^\| `(\w+)` \| ([\d,.]+) \|", OPERATIONS, re.M)
    }
    assert listed == {name: getattr(Budgets(), name) for name in Budgets.__dataclass_fields__}


def toml_of(module):
    lines = module.__doc__.splitlines()
    return textwrap.dedent("\n".join(line for line in lines if line.startswith("    ")))


def test_the_policy_of_the_docstring_loads(tmp_path):
    toml = toml_of(policy_file)
    (tmp_path / "site.toml").write_text(toml, encoding="utf-8")
    (tmp_path / "rules.toml").write_text(toml_of(own_rules_file), encoding="utf-8")
    loaded = policy_file.load_policy(str(tmp_path / "site.toml"))
    assert set(tomllib.loads(toml)) == set(policy_file._KEYS)  # the example shows every key
    assert (loaded.name, loaded.hipaa, loaded.default) == ("site", True, "redact")
    assert loaded.action("AGE") == "generalise"
    assert loaded.vetoes("HOSPITAL", "Foley")
    assert "205" in loaded.restricted_zip3
    [table] = tomllib.loads(toml_of(own_rules_file))["rules"].values()
    assert set(table) == set(own_rules_file._KEYS)
    assert list(faults_of_tests(loaded.rules)) == []


@pytest.mark.parametrize("name", ["en-default", "es-default", "meddocan-default", "meddocan-hide"])
def test_the_files_of_a_bundle_are_those_of_the_manual(name):
    text = (ROOT / "docs/recipes.md").read_text(encoding="utf-8")
    section = text.split("## What is in a bundle\n")[1].split("\n## ")[0]
    listed = set(re.findall(r"`([\w./]+)`", "".join(re.findall(r"^\|([^|]*)\|", section, re.M))))
    there = {path.name for path in (ROOT / "models/bundles/bundled" / name).iterdir()}
    # What a bundle has only if its recipe asks for it.
    some = {"dictionaries/", "parts/", "character.crf.xz"}
    assert some <= listed and there | some == listed
    assert set(open_bundle(name).files) <= there


def test_every_shipped_bundle_is_in_the_manual():
    text = (ROOT / "docs/recipes.md").read_text(encoding="utf-8")
    section = text.split("## Bundles that ship\n")[1].split("\n## ")[0]
    shipped = {path.name for path in (ROOT / "models/bundles/bundled").iterdir() if path.is_dir()}
    assert set(re.findall(r"^\| `([\w-]+)` \|", section, re.M)) == shipped


@pytest.mark.parametrize("outer", ORDER)
def test_the_map_has_every_room_in_order_and_every_module_once(outer):
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split(f"### The rooms of `{outer}/`\n")[1].split("\n#")[0]
    rows = re.findall(r"^\| `(\w+)` \| [^|]+\? \| (.+) \|$", section, re.MULTILINE)
    assert [room for room, _ in rows] == list(ORDER[outer])
    # Rules have a manual of their own.
    elsewhere = {"recognisers": set(RECOGNISERS)}
    for room, modules in rows:
        folder = ROOT / outer / room
        there = {path.stem for path in folder.glob("*.py")} - {"__init__"}
        named = re.findall(r"`(\w+)`", modules)
        assert sorted(named) == sorted(there - elsewhere.get(room, set())), room
        assert all((folder / name).is_dir() for name in re.findall(r"`(\w+)/`", modules)), room


# -- options of a run

SAMPLES = {
    ValueKind.TEXTS: (["a"], ["a"], 3),
    ValueKind.TEXT: ("a", ["a"], 3),
    ValueKind.INTEGER: (3, ["3"], 0.5),
    ValueKind.NUMBER: (0.5, ["0.5"], "0.5"),
    ValueKind.SWITCH: (True, [], 1),
}
"""Kind -> a value in the file, the same on the command line, and one that the file may not have."""

OTHERS = {
    "log-level": ("ERROR", ["ERROR"], "LOUD"),
    "log-format": ("json", ["json"], "xml"),
    "column": ({"a": "id", "b": "text"}, ["a=id", "b=text"], "a=id"),
    "budgets": ({"tokens": 5}, None, {"pages": 5}),
    "header": (False, [], 1),
    "risk": (False, [], 1),
    "roster-fuzzy": (2, ["2"], 3),
    "view-attributes": ("age,sex", ["age,sex"], 3),
    "max-risk": ("direct=0.02", ["direct=0.02"], "0.02"),
    "stale-notes": ("report", ["report"], "forget"),
}
"""The same of options that do not take just any value."""


def options_of(command):
    commands = next(a for a in make_parser()._actions if a.dest == "command")
    named = [a.option_strings for a in commands.choices[command]._actions]
    return {name for names in named for name in names if name.startswith("--")}


def test_the_manual_has_the_table_of_options(request):
    """Made new by `pytest tests/test_docs.py --update-golden`."""
    if request.config.getoption("--update-golden"):
        (ROOT / "docs/operations.md").write_text(with_table(OPERATIONS), encoding="utf-8")
    else:
        assert with_table(OPERATIONS) == OPERATIONS


@pytest.mark.parametrize("option", run_options(), ids=lambda option: option.name)
def test_a_key_of_the_config_file_does_what_its_option_does(option):
    if option.kept is Kept.NEITHER:
        return
    value, words, wrong = OTHERS.get(option.name) or SAMPLES[option.kind]
    config = {"input": ["i"], "output": "o"}
    from_file = options_from({**config, option.key: value}, {})
    assert getattr(from_file, option.attribute) != getattr(Options(), option.attribute)
    with pytest.raises(UsageError, match=f"{option.key}|{option.name}|budget"):
        options_from({**config, option.key: wrong}, {})
    if option.on_command_line:
        line = {"--input": ["i"], "--output": ["o"]}
        # What is on by itself is switched off.
        is_on = getattr(Options(), option.attribute) is True
        line[f"--no-{option.name}" if is_on else option.flag] = words
        given = ["scrub"]
        for flag, values in line.items():
            for value in values or [None]:
                given += [flag] if value is None else [flag, value]
        assert read_options(parse(given)) == from_file


@pytest.mark.parametrize(
    "page", sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]), ids=lambda p: p.name
)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert target.startswith("https://") or (page.parent / target).exists(), target


# -- commands

LINE = re.compile(r"^\s*(?:example: )?(?:\S*/)?scrubline ([a-z].*)", re.MULTILINE)
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("demo/*.md")])


def parsers():
    return next(a for a in make_parser()._actions if a.dest == "command").choices


def refused(command):
    """Why the parser refuses the words of a command line; None if it takes them."""
    line = re.split(r" (?:[|<>]|2>&1|\|\|) |;|   \(", command)[0]
    words = shlex.split(line, comments=True)
    words = words[: words.index("--")] if "--" in words else words
    if "..." in words:
        # The dots stand for options that are said elsewhere, and may be required.
        unknown = {word for word in words if word.startswith("--")} - options_of(words[0])
        return f"unrecognized arguments: {sorted(unknown)}" if unknown else None
    errors = io.StringIO()
    try:
        with contextlib.redirect_stderr(errors):
            make_parser().parse_args(words)
    except SystemExit:
        return errors.getvalue().splitlines()[-1]
    return None


def commands(text):
    return LINE.findall(re.sub(r"\\\n\s*", "", text))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_of_a_page_have_options_that_there_are(page):
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^ *```\w*\n(.*?)^ *```|((?:^    .*\n)+)", text, re.DOTALL | re.MULTILINE)
    shown = [line for block in blocks for line in commands("".join(block))]
    assert {line: why for line in shown if (why := refused(line))} == {}


@pytest.mark.parametrize("name", parsers())
def test_examples_of_the_help_have_options_that_there_are(name):
    shown = commands(parsers()[name].description)
    assert {line: why for line in shown if (why := refused(line))} == {}
    assert any(line.startswith(name) for line in shown)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("train --corpus x --recipes hide", "did you mean --recipe?"),
        ("convert x", "OUTPUT"),
        ("train ... --recall 0.9 ...   # both at once", None),
        ("train ... --no-such x", "unrecognized arguments"),
        ("resume --output out/ --max-quarantined 0.2   (held, after a look)", None),
        ("scrub - < note.txt", None),
    ],
)
def test_a_wrong_command_is_seen(command, why):
    found = refused(command)
    assert found is None if why is None else re.search(why, found or "nothing")


def test_commands_are_found():
    assert commands(
        "example: scrubline train --a \\\n  --b\n$x/scrubline scrub -\nno scrubline x\n"
    ) == [
        "train --a --b",
        "scrub -",
    ]


def test_the_help_of_train_names_every_recipe():
    (recipe,) = (a for a in parsers()["train"]._actions if "--recipe" in a.option_strings)
    named = set(re.findall(r"[\w-]+", recipe.help % {}))
    assert set(RECIPES) == named & {*RECIPES, *DECLARATIONS}
