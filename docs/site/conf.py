"""The site of the documentation: `make site` builds it from the pages of the repository, offline.

Sphinx reads the Markdown where it lies, so that links work in a checkout and on the site alike.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(Path(__file__).parent))
from contents import CONTENTS, hidden_contents  # noqa: E402

(VERSION,) = re.findall(
    '^VERSION = "([^"]+)"$', (ROOT / "models/core/version.py").read_text("utf-8"), re.M
)

project = "Scrubline"
version = release = VERSION
html_title = f"Scrubline {VERSION}"
root_doc = "README"
include_patterns = [
    *(f"{page}.md" for pages in CONTENTS.values() for page in pages),
    "docs/studies/*.md",
    "benchmarks/notes/README.md",
]
exclude_patterns = ["build", ".venv*"]

extensions = ["myst_parser"]
myst_heading_anchors = 4
# The page of a study is linked from the list of studies.
suppress_warnings = ["toc.not_included"]

templates_path = ["templates"]
# A folder is opened by its index; the front page is the README.
html_additional_pages = {"index": "index.html"}
html_theme = "furo"
# System fonts and colours alone: the site asks for nothing from outside.
html_theme_options = {"navigation_with_keys": True}
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
pygments_style = "friendly"
pygments_dark_style = "github-dark"


def setup(app):
    """Gives the front page the table of contents that Markdown on its own has not."""
    app.connect(
        "source-read",
        lambda _, page, source: source.append(source.pop() + hidden_contents(page, root_doc)),
    )
