"""The table of docs/fhir-fields.md is that of the package; `--update-golden` makes it new."""

import itertools
import re
from pathlib import Path

from scrubline.models.messages.fhir_roles import role_lines

PAGE = Path(__file__).parents[3] / "docs/fhir-fields.md"
MARKED = re.compile(r"(<!-- roles -->\n).*(<!-- /roles -->)", re.DOTALL)


def table():
    """A row a role and reason: names are many, and most of one kind stand together."""
    lines = sorted(role_lines(), key=lambda line: (line.role, line.why))
    rows = [
        f"| `{role}` | {why} | {', '.join(f'`{line.name}`' for line in lines)} |"
        for (role, why), lines in itertools.groupby(lines, lambda line: (line.role, line.why))
    ]
    return "\n".join(["| role | of | names |", "| --- | --- | --- |", *rows, ""])


def test_the_page_has_the_roles_of_the_package(request):
    page = PAGE.read_text(encoding="utf-8")
    found = MARKED.sub(lambda match: match[1] + table() + match[2], page)
    if request.config.getoption("--update-golden"):
        PAGE.write_text(found, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == found


def test_what_the_page_says_is_so():
    page = PAGE.read_text(encoding="utf-8")
    for name in (
        "Attachment.data(binary)",
        "Quantity.value(over 89)",
        "Reference.reference(other)",
    ):
        assert f"`{name}`" in page and name in {line.name for line in role_lines()}
