"""The site of the documentation: whole, with no dead link, and asking nothing of the network."""

import re
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

pytest.importorskip("sphinx", reason="the extra `docs` is not installed")

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "docs/site"))
from contents import CONTENTS  # noqa: E402

LOADED = {"link": "href", "script": "src", "img": "src", "iframe": "src", "source": "src"}
"""Elements that make a browser load something, and the attribute that says what."""


class Page(HTMLParser):
    """What a page loads, where it leads, and which places it has."""

    def __init__(self, path):
        super().__init__()
        self.loads, self.links, self.places = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.places |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if given.get(LOADED.get(tag)):
            self.loads.append(given[LOADED[tag]])


page_of = cache(Page)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    # fmt: off
    command = ["-m", "sphinx", "--quiet", "--fail-on-warning", "-c", ROOT / "docs/site",
               "-d", folder / "cache", ROOT, folder / "html"]
    # fmt: on
    made = subprocess.run([sys.executable, *command], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    return folder / "html"


def test_every_page_of_the_manual_is_in_the_contents():
    named = {page for pages in CONTENTS.values() for page in pages}
    pages = [*ROOT.glob("docs/*.md"), *ROOT.glob("docs/how-to/*.md")]
    assert {str(path.relative_to(ROOT).with_suffix("")) for path in pages} <= named
    assert [page for page in sorted(named) if not (ROOT / f"{page}.md").exists()] == []


@pytest.mark.slow
def test_the_site_loads_nothing_from_outside(site):
    for path in site.rglob("*.html"):
        outside = [url for url in page_of(path).loads if urlsplit(url).netloc]
        assert outside == [], path.name
    for path in site.rglob("*.css"):
        assert (
            re.findall(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", path.read_text("utf-8")) == []
        )
    for path in site.rglob("*.js"):
        code = path.read_text("utf-8")
        assert re.findall(r"(?:fetch|importScripts|XMLHttpRequest)\s*\(\s*[\"']https?:", code) == []


@pytest.mark.slow
def test_links_of_the_site_lead_to_a_page_and_a_place_on_it(site):
    dead = set()
    for path in site.rglob("*.html"):
        for link in page_of(path).links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                assert parts.scheme in ("https", "mailto"), (path.name, link)
                continue
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            found = there.exists()
            if found and parts.fragment and there.suffix == ".html":
                found = unquote(parts.fragment) in page_of(there).places
            if not found:
                dead.add((str(path.relative_to(site)), link))
    assert dead == set()


@pytest.mark.slow
def test_the_search_knows_the_pages(site):
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    for page in ("docs/operations", "docs/policies", "README"):
        assert f'"{page}"' in index
    assert "quarantin" in index and (site / "index.html").exists()
