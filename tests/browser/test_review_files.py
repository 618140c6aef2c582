"""What the page of the review is made of; this needs no browser."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "pipeline/review/static"
MANUAL = (ROOT / "docs/review-keys.md").read_text(encoding="utf-8")
MODULES = sorted(STATIC.glob("*.js"))


def keys():
    """(key, what it does) of the page, without those of single labels."""
    content = (STATIC / "keys.js").read_text(encoding="utf-8")
    rows = re.findall(r'^  \["\w+", "[\w-]+", "([^"]+)", "([^"]+)"\],$', content, re.MULTILINE)
    assert len(rows) > 25
    return rows


def test_the_manual_has_every_key():
    table = MANUAL.split("<!-- keys:")[1]
    listed = re.findall(r"^\| `(\S+)` \| (.+) \|$", table, re.MULTILINE)
    assert listed == keys()


def test_no_two_acts_have_one_key():
    found = [key for key, _ in keys()]
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)
def test_modules_are_short_and_write_no_markup(module):
    content = module.read_text(encoding="utf-8")
    assert content.count("\n") <= 300
    assert max(map(len, content.splitlines())) <= 100
    banned = r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|new Function|DOMParser"
    assert not re.search(banned, content)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", content), "it speaks to its server"
    assert content.startswith("/**"), "it says what it is"


def test_the_page_has_nothing_inline_and_nothing_from_elsewhere():
    content = (STATIC / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<style|\son\w+=|style=|javascript:|https?:", content)
    assert re.findall(r"<script[^>]*>(.*?)</script>", content, re.DOTALL) == [""]
    for address in re.findall(r'(?:href|src)="([^"#]+)"', content):
        assert (STATIC / address.removeprefix("/static/")).is_file()


def test_every_import_leads_to_a_file():
    for module in MODULES:
        for name in re.findall(r'from "\./([\w.]+)"', module.read_text(encoding="utf-8")):
            assert (STATIC / name).is_file(), f"{module.name} imports {name}"


def test_every_file_is_used():
    everything = "".join(path.read_text(encoding="utf-8") for path in STATIC.iterdir())
    for path in STATIC.iterdir():
        assert path.name == "index.html" or f"/{path.name}" in everything
