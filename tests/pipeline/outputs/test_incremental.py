"""Inputs compared with the catalogue: tables and properties, without a run."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.jobs.output_rows import Tally
from scrubline.models.jobs.plan import Increment, Plan
from scrubline.models.jobs.receipts import Receipt
from scrubline.models.storage.input_files import InputFile
from scrubline.pipeline.outputs.catalogue import Catalogue
from scrubline.pipeline.outputs.incremental import CLASSES, COUNTED, compare, format_change_counts

from .test_catalogue import run_over


def listed(**versions):
    """Files of one letter; `a="v1"` is what `run_over` has."""
    return [
        InputFile(f"/in/{name}", len(name), version, name) for name, version in versions.items()
    ]


def catalogue_of(*units, fingerprint="now", quarantined=()):
    """Units over named files, of which some have quarantined rows."""
    plan, receipts = run_over(*units)
    receipts = [
        Receipt(
            one.unit,
            one.name,
            "",
            Tally(Counter(rows_in=2, rows_out=1, rows_quarantined=1)),
            one.parts,
        )
        if one.unit in quarantined
        else one
        for one in receipts
    ]
    return Catalogue().with_run("r1", plan, receipts, fingerprint)


def compared(files, catalogue, elsewhere="", **options):
    known = {url for entry in catalogue.units.values() for url in entry.inputs}
    known -= {f"/in/{name}" for name in elsewhere}
    return compare(files, catalogue, known, lambda run, told: told == "now", **options)


AB, C, D = ("a", "b"), ("c",), ("d",)


@pytest.mark.parametrize(
    ("now", "options", "classes", "gone"),
    [
        ({"a": "v1", "b": "v1", "c": "v1"}, {}, {}, ""),
        ({"a": "v1", "b": "v1", "c": "v1", "x": "v1"}, {}, {"x": "new"}, ""),
        ({"a": "v1", "b": "v1", "c": "v2"}, {}, {"c": "changed"}, ""),
        ({"a": "v2", "b": "v1", "c": "v1"}, {}, {"a": "changed", "b": "beside"}, ""),
        ({"a": "v1", "b": "v1"}, {}, {}, "c"),
        ({"a": "v1", "b": "v1"}, {"drop_missing": True}, {}, "c"),
        ({"a": "v1", "c": "v1"}, {}, {}, "b"),
        ({"a": "v1", "c": "v1"}, {"drop_missing": True}, {"a": "beside"}, "b"),
        ({"a": "v2", "c": "v2"}, {}, {"a": "left", "c": "changed"}, "b"),
        ({"a": "v2", "c": "v1"}, {"drop_missing": True}, {"a": "changed"}, "b"),
        ({"a": "v1", "b": "v1", "c": "v1"}, {"quarantined": True}, {}, ""),
        ({"a": "v2", "b": "v1", "x": "v1"}, {"changes": False}, {}, "c"),
    ],
)
def test_what_becomes_of_each_input(now, options, classes, gone):
    found = compared(listed(**now), catalogue_of(AB, C), **options)
    assert {u[-1]: c for u, c in found.classes.items() if c != "untouched"} == classes
    assert {url[-1] for url in found.missing} == set(gone)
    assert found.dropped == (found.missing if "drop_missing" in options else set())


def test_units_with_quarantined_rows_are_taken_again():
    catalogue = catalogue_of(AB, C, D, quarantined={0, 2})
    now = listed(a="v1", b="v2", c="v2", d="v1", x="v1")
    alone = compared(now, catalogue, changes=False, quarantined=True)
    assert {u[-1] for u in alone.taken} == set("abd")
    both = compared(now, catalogue, quarantined=True)
    assert {u[-1]: c for u, c in both.classes.items()} == {
        "a": "quarantined",
        "b": "changed",
        "c": "changed",
        "d": "quarantined",
        "x": "new",
    }


def test_a_unit_made_otherwise_is_outdated():
    now = listed(a="v1", b="v1", c="v1")
    found = compared(now, catalogue_of(AB, C, fingerprint="before"))
    assert found.counts["outdated"] == 3
    assert compared(now, catalogue_of(AB, C)).counts["untouched"] == 3


def test_a_unit_whose_data_is_gone_is_made_again():
    catalogue = catalogue_of(AB, C)
    name = next(name for name, entry in catalogue.units.items() if "/in/c" in entry.inputs)
    found = compared(listed(a="v1", b="v1", c="v1"), catalogue, again={name: "incomplete"})
    assert {u[-1] for u in found.taken} == {"c"}


def test_a_file_in_several_units_takes_all_that_hang_on_them():
    # a is split among units 0 and 1, and b among 1 and 2.
    catalogue = catalogue_of(("a",), ("a", "b"), ("b", "c"), ("d",))
    found = compared(listed(a="v1", b="v1", c="v2", d="v1"), catalogue)
    assert {u[-1]: c for u, c in found.classes.items()} == {
        "a": "beside",
        "b": "beside",
        "c": "changed",
        "d": "untouched",
    }
    assert len(found.replaced) == 3


@pytest.mark.parametrize("drop_missing", [False, True])
def test_what_shares_a_unit_with_a_place_that_is_not_given_is_left(drop_missing):
    catalogue = catalogue_of(("a", "b", "e"), C)
    found = compared(listed(a="v2", c="v2"), catalogue, elsewhere="b", drop_missing=drop_missing)
    assert {u[-1]: c for u, c in found.classes.items()} == {"a": "left", "c": "changed"}
    assert {url[-1] for url in found.missing} == {"e"}
    assert found.dropped == set()
    assert len(found.replaced) == 1


def test_inputs_that_gave_no_unit_are_known(storage, tmp_path):
    plan, receipts = run_over(C)
    files = (*plan.files, InputFile("/in/e", 0, "v1", "e"))
    catalogue = Catalogue().with_run("r1", Plan(files, plan.units), receipts, "now")
    catalogue.write(storage, str(tmp_path))
    catalogue = Catalogue.read(storage, str(tmp_path))
    empty = InputFile("/in/e", 0, "v1", "e")
    assert compared([*listed(c="v1"), empty], catalogue).taken == set()
    assert compared([*listed(c="v1", e="v2")], catalogue).counts["changed"] == 1
    assert compared(listed(c="v1"), catalogue).missing == set()  # nothing came of it
    after = catalogue.with_run("r2", Plan((empty,), ()), (), "then")
    assert compared([empty], after, changes=True).counts["outdated"] == 1


def test_what_is_dropped_leaves_the_catalogue():
    catalogue = catalogue_of(AB, C)
    (entry,) = [entry for entry in catalogue.units.values() if "/in/c" in entry.inputs]
    night = Increment({}, (InputFile("/in/c", *entry.inputs["/in/c"], ""),))
    after = catalogue.with_run("r2", Plan((), (), night), ())
    assert {url for one in after.units.values() for url in one.inputs} == {"/in/a", "/in/b"}


def test_the_words_of_a_night_are_its_counts():
    counts = dict.fromkeys(COUNTED, 1200)
    told = "\n".join(format_change_counts(counts))
    assert all(f"1,200 {name}" in told for name in CLASSES if name != "left")
    assert format_change_counts({"listed": 3, "untouched": 3}) == [
        "inputs           3 listed: 3 untouched",
    ]


NAMES = "abcdefgh"
UNITS = st.lists(
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True).map(tuple), max_size=5
)


@given(
    UNITS,
    st.dictionaries(st.sampled_from(NAMES + "xy"), st.sampled_from(["v1", "v2"])),
    st.sampled_from(["now", "before"]),
    st.sets(st.integers(0, 4)),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sets(st.sampled_from(NAMES), max_size=2),
)
def test_no_unit_is_ever_replaced_by_half(
    units, now, fingerprint, quarantined, changes, retry, drop, elsewhere
):
    elsewhere -= now.keys()
    catalogue = catalogue_of(*units, fingerprint=fingerprint, quarantined=quarantined)
    files = listed(**now)
    options = {"changes": changes, "elsewhere": elsewhere}
    found = compared(files, catalogue, **options, quarantined=retry, drop_missing=drop)
    assert found.classes.keys() == {file.url for file in files}
    counts = found.counts
    assert sum(counts[name] for name in CLASSES) == counts["listed"] == len(files)
    read = [file for file in files if file.url in found.taken]
    dropped = tuple(InputFile(url, 1, "v1", "") for url in found.dropped)
    # Would raise if half of a unit were replaced.
    assert catalogue.superseded_by([*read, *dropped]) == found.replaced
    assert found.missing.isdisjoint(found.classes)
    assert found.dropped <= (found.missing if drop else set())
    if drop and not elsewhere:
        assert found.dropped == found.missing
        assert counts["left"] == 0
    if not changes and not retry and not drop:
        assert not found.taken
    # Whatever is read needs no reading after this run, if nothing changes meanwhile.
    plan, receipts = run_over(*((file.path,) for file in read))
    plan = Plan(tuple(read), plan.units, Increment(counts, dropped))
    after = catalogue.with_run("r2", plan, receipts, "now")
    again = compared(files, after, **options)
    if changes:
        assert again.taken == set()
