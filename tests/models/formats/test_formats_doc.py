"""The manual page of the formats names what there is."""

import ast
import dataclasses
import re
from pathlib import Path

import pytest
from scrubline.models.core.error_classes import error_classes
from scrubline.models.formats import FORMATS, FormatOptions
from scrubline.models.storage.input_files import InputFile
from scrubline.models.storage.storage import Storage

ROOT = Path(__file__).parent.parent.parent.parent
PAGE = (ROOT / "docs/formats.md").read_text(encoding="utf-8")
TABLE = {
    cells[0].strip("` "): [cell.strip() for cell in cells[1:]]
    for cells in (
        row.strip("|\n").split("|")
        for row in re.findall(r"^\| `[a-z0-9_.]+` \|.*$", PAGE.split("\n## ")[0], re.M)
    )
}
"""Name -> the other cells of its row."""

SOURCES = [
    *sorted((ROOT / "models/formats").glob("*.py")),
    *(ROOT / f"models/corpora/{n}.py" for n in ("conll", "i2b2_2006", "i2b2_2014", "markup")),
    *(ROOT / f"models/{n}.py" for n in ("core/budgets", "core/keys", "jobs/read_unit")),
    *(
        ROOT / f"models/{n}.py"
        for n in ("core/written_texts", "jobs/row_texts", "jobs/row_values", "jobs/record_rows")
    ),
    *sorted((ROOT / "models/messages").glob("*.py")),
    *sorted((ROOT / "models/rendering").glob("*.py")),
]
"""Where the error classes of records come from; brat's annotations are not read."""

OF_WRITING = {"BadLabel", "BlankSpan", "NotXml", "UnknownLabel"} | {
    *("BadCharacter", "BadDate", "TimeWithoutZone", "UnfitId"),
}
"""Given by corpora and plain messages for what they cannot hold; what was read is none of it."""


def words(cell):
    return tuple(re.findall(r"`([^`]+)`", cell))


def error_words():
    found = set()
    for path in SOURCES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found |= {one.value for one in ast.walk(tree) if isinstance(one, ast.Constant)}
        for one in ast.walk(tree):
            if isinstance(one, ast.Call) and getattr(one.func, "id", "") == "OverBudget":
                found.add(f"OverBudget:{one.args[0].value}")
    return {one for one in found if isinstance(one, str)} & set(error_classes())


def test_the_table_has_every_format_once():
    assert list(TABLE) == list(FORMATS)
    assert len(re.findall(r"^\| `[a-z0-9_.]+` \|", PAGE.split("\n## ")[0], re.M)) == len(FORMATS)


@pytest.mark.parametrize("name", FORMATS)
def test_a_row_of_the_table_is_true(name):
    form = FORMATS[name]
    endings, record, columns, split, settings, back = TABLE[name]
    assert words(endings) == form.suffixes
    assert set(words(settings)) == form.traits.options
    assert (form.traits.file_is_record) is ("a file" in record or "`.txt` file" in record)
    assert form.suffixes[0] in back
    if not form.traits.holds_patient_key:
        storage = Storage()
        file = InputFile("memory://nothing", 0, "v", f"a{form.suffixes[0]}")
        assert words(columns) == form.columns(storage, file)
        if split == "never":
            assert len(form.plan(storage, 0, dataclasses.replace(file, size=9), 1, None)) == 1


def test_every_setting_is_named():
    taken = {name for form in FORMATS.values() for name in form.traits.options}
    assert taken == {field.name for field in dataclasses.fields(FormatOptions)}
    for name in taken - {"header"}:
        assert f"--{name}" in PAGE
    assert "--no-header" in PAGE


def test_every_error_of_a_record_is_named_and_none_that_does_not_exist():
    listed = [row.split("|")[1] for row in PAGE.splitlines() if row.startswith("| `")]
    listed = {word for cell in listed for word in words(cell)} - set(FORMATS)
    assert listed == error_words() - OF_WRITING
    assert len(error_words()) > 30
