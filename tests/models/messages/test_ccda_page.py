"""The page about CDA documents says what the table says."""

import pathlib
import re

import pytest
from scrubline.models.formats.column_roles import Columns
from scrubline.models.messages.ccda import CCDA
from scrubline.models.messages.ccda_names import PathNames

from .ccda_documents import declared

PAGE = pathlib.Path(__file__).parents[3] / "docs" / "ccda-fields.md"
ROW = re.compile(r"\| (`[^|]+`) \| ([a-z:.]+) \|")
ROLES = CCDA.default_roles()


def rows():
    """Each value of the page, and the role that it says."""
    for cells in ROW.findall(PAGE.read_text()):
        yield from ((value, cells[1]) for value in re.findall("`([^`]+)`", cells[0]))


def name_of(value):
    """The name in the table that a path goes by."""
    if value in ROLES:
        return value
    names = PathNames(declared(), ROLES)
    elements, at, attribute = value.partition("@")
    path = names.root()
    for element in re.findall(r"[^.(]+(?:\([^)]*\))?", elements):
        path = path.child(element)
    is_id = elements.endswith("patientRole.id")
    return path.name(at + attribute, identifies=is_id)


@pytest.mark.parametrize(("value", "role"), sorted(set(rows())))
def test_the_page_gives_the_role_of_the_table(value, role):
    assert ROLES[name_of(value)] == role


def test_the_page_has_every_role():
    kinds = {role.partition(".")[0] for role in ROLES.values()}
    assert {role.partition(".")[0] for _, role in rows()} == kinds
    assert len(Columns.of_record("ccda", ()).roles) == len(ROLES)
