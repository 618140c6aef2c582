"""What stands in place of a stretch of a note: what the released record says, or a marker."""

import dataclasses
import hashlib

import pyarrow as pa
import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.jobs.plan import parquet_bytes
from scrubline.models.patient_view.anonymity import Requirement
from scrubline.models.patient_view.hierarchies import UNKNOWN
from scrubline.models.patient_view.lookup import RecordView, ViewLevels
from scrubline.models.patient_view.release import ViewRules
from scrubline.models.storage.storage import Storage

from .makers import KEYS, RELEASE


def write_release(folder, rows, levels):
    content = parquet_bytes(pa.Table.from_pylist(rows))
    (folder / "patients-2.parquet").write_bytes(content)
    value = dataclasses.replace(
        RELEASE,
        rules=ViewRules(levels, (), (), Requirement(k=2)),
        known=dict.fromkeys(levels, 1),
        rows_sha256=hashlib.sha256(content).hexdigest(),
    )
    (folder / "release.json").write_text(value.to_json())
    return str(folder)


@pytest.fixture
def release(tmp_path):
    """A folder with a release of ages at level 1, states at level 0; KEYS[3] is left out."""
    rows = [
        {"patient_key": KEYS[n], "age": age, "state": state, "class_size": size}
        for n, age, state, size in (
            (1, "65-69", "MA", 2),
            (2, "60-64", UNKNOWN, 2),
            (3, "40-44", "TX", 0),
            (10, "90+", "NY", 3),
        )
    ]
    return write_release(tmp_path, rows, {"age": 1, "state": 0})


def shown_of(view, patient, label, text):
    """What is shown of the part of a text within brackets, or of all of it."""
    before, _, rest = text.partition("{") if "{" in text else ("", "", text)
    covered, _, after = rest.partition("}")
    whole = before + covered + after
    return view.shown(patient, label, whole, len(before), len(before) + len(covered))


@pytest.mark.parametrize(
    ("patient", "label", "text", "shown"),
    [
        (1, "AGE", "67", "60-69"),
        (1, "AGE", "61-year-old", "60-69"),
        (1, "AGE", "59", None),  # of somebody else, or of another year
        (1, "AGE", "MWF", None),
        (1, "AGE", "A {67}-year-old", "60-69"),
        (1, "AGE", "A {67}-month-old", None),
        (1, "AGE", "{67} weeks", None),
        (1, "AGE", "over {67} years", None),
        (1, "AGE", "{67} 1/2", None),
        (1, "AGE", "{60}s", None),
        (1, "AGE", "sixties", None),
        (1, "AGE", "late 60s", None),
        (1, "AGE", "67+", None),
        (1, "AGE", "80 years {67} months", None),
        (1, "STATE", "Massachusetts", "MA"),
        (1, "STATE", "Texas", None),
        (1, "PATIENT", "67", None),
        (1, "ZIP", "02139", None),  # no attribute of the release
        (2, "STATE", "MA", None),  # not known of the record
        (3, "AGE", "42", None),  # left out
        (4, "AGE", "42", None),  # nobody
        (10, "AGE", "104", "90+"),
        (11, "AGE", "104", None),  # behind the last
    ],
)
def test_a_text_shows_what_its_record_says_too(release, patient, label, text, shown):
    view = RecordView(Storage(), release, frozenset())
    assert shown_of(view, KEYS[patient], label, text) == shown
    if shown is not None:
        levels = ViewLevels({"age": 1, "state": 0}, frozenset())
        assert shown_of(levels, KEYS[patient], label, text) == shown


def test_at_the_last_level_nothing_is_shown():
    assert ViewLevels({"age": 3}, frozenset()).shown(KEYS[0], "AGE", "67", 0, 2) is None


@pytest.mark.parametrize("damage", ["gone", "changed", "cut", "no release"])
def test_rows_that_are_not_those_of_the_release_are_refused(release, tmp_path, damage):
    rows = tmp_path / "patients-2.parquet"
    if damage == "gone":
        rows.unlink()
    elif damage == "changed":
        rows.write_bytes(rows.read_bytes().replace(b"MA", b"NY"))
    elif damage == "cut":
        rows.write_bytes(rows.read_bytes()[:-9])
    else:
        (tmp_path / "release.json").unlink()
    with pytest.raises(UsageError, match="--view-release"):
        RecordView(Storage(), release, frozenset())


def test_every_patient_is_found_whatever_the_key(tmp_path):
    keys = sorted(
        f"{n * 0x0101010101010101010101010101:028x}{n % 256:04x}"[-32:] for n in range(999)
    )
    rows = [{"patient_key": key.zfill(32), "age": "65-69", "class_size": 9} for key in keys]
    rows += [{"patient_key": "f" * 30 + "00", "age": "65-69", "class_size": 9}]
    write_release(tmp_path, rows, {"age": 0})
    view = RecordView(Storage(), str(tmp_path), frozenset())
    assert all(view.shown(row["patient_key"], "AGE", "67", 0, 2) == "65-69" for row in rows)
    assert view.shown("0" * 31 + "7", "AGE", "67", 0, 2) is None
