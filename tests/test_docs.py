"""What the documentation shows is what the program does."""

import ast
import contextlib
import io
import re
from pathlib import Path

import pytest
from scrubline.models import Scrubber
from scrubline.models.audit import TABLES
from scrubline.models.job import Budgets

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(name, text=README):
    """The fenced block after the comment `<!-- example: name -->`."""
    return re.search(rf"<!-- example: {name} -->\n```\w*\n(.*?)```", text, re.DOTALL)[1]


def test_the_example_of_the_readme_is_what_comes_out():
    assert Scrubber("en-hide").scrub(block("in")) == block("out")


def test_the_query_of_the_readme_gives_the_output_shown(tmp_path, monkeypatch):
    from scrubline.models.storage import Storage
    from scrubline.pipeline.config import options_from, read_config
    from scrubline.pipeline.runs import scrub

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


@pytest.mark.parametrize("table", TABLES)
def test_every_field_of_every_table_is_described(table):
    text = (ROOT / "docs/tables.md").read_text(encoding="utf-8")
    section = text.split(f"## {table}\n")[1].split("\n## ")[0]
    listed = dict(re.findall(r"^\| `(\w+)` \| [^|]* \| (.*) \|$", section, re.MULTILINE))
    assert listed == {f.name: f.metadata[b"description"].decode() for f in TABLES[table]}


def test_the_budgets_of_the_manual_are_the_defaults():
    text = (ROOT / "docs/operations.md").read_text(encoding="utf-8")
    listed = {
        name: int(n.replace(",", ""))
        for name, n in re.findall(r"^\| `(\w+)` \| ([\d,]+) \|", text, re.M)
    }
    assert listed == {name: getattr(Budgets(), name) for name in Budgets.__dataclass_fields__}


@pytest.mark.parametrize(
    "page", sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]), ids=lambda p: p.name
)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert target.startswith("https://") or (page.parent / target).exists(), target
