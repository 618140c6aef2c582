"""Merging, releases and what a run reads of them, against sums that are written out."""

import dataclasses
import hashlib
import json
from collections import Counter, defaultdict

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.jobs.plan import parquet_bytes
from scrubline.models.storage.storage import Storage
from scrubline.models.view.anonymity import Distance, Requirement
from scrubline.models.view.attributes import ViewAttributes
from scrubline.models.view.counts import DOMAINS, cells_of, true_counts
from scrubline.models.view.hierarchies import HIERARCHIES, UNKNOWN
from scrubline.models.view.lookup import RecordView, ViewLevels
from scrubline.models.view.merging import VIEW, ViewTable, merged
from scrubline.models.view.release import OTHER, Release, ViewRows, ViewRules

NAMES = ("age", "year", "dx")
KEYS = [f"{n:032x}" for n in range(12)]
TOLD = st.lists(
    st.tuples(
        st.sampled_from(KEYS),
        st.sampled_from(
            [
                *(("age", band) for band in ("40-44", "45-49", "90+")),
                *(("year", str(year)) for year in (2018, 2019, 2024)),
                *(("dx", what) for what in ("E11", "I10", "J45")),
            ]
        ),
        st.integers(1, 3),
    ),
    max_size=60,
)


def table_of(rows):
    return pa.Table.from_pylist(
        [
            {"patient_key": who, "attribute": name, "value": value, "documents": times}
            for who, (name, value), times in rows
        ],
        schema=VIEW,
    )


def slowly(rows):
    times = Counter()
    for who, (name, value), count in rows:
        times[who, name, value] += count
    of = defaultdict(dict)
    for who, _, _ in rows:
        of[who] = dict.fromkeys(NAMES, UNKNOWN)
    for who, own in of.items():
        for name in NAMES:
            said = {v: n for (w, a, v), n in times.items() if (w, a) == (who, name)}
            if said:
                own[name] = min(said) if name == "year" else min(said, key=lambda v: (-said[v], v))
    return dict(sorted(of.items()))


@given(TOLD, st.integers(0, 60))
def test_the_value_of_most_notes_counts_however_units_are_cut(rows, cut):
    whole = merged([table_of(rows)], NAMES)
    assert whole.equals(merged([table_of(rows[cut:]), table_of(rows[:cut])], NAMES))
    found = {row.pop("patient_key"): row for row in whole.to_pylist()}
    assert found == slowly(rows) and list(found) == sorted(found)


@given(TOLD, st.integers(1, 11))
def test_buckets_make_one_table(rows, cut):
    whole = ViewTable.of([merged([table_of(rows)], NAMES)], NAMES)
    parts = [[r for r in rows if r[0] < KEYS[cut]], [r for r in rows if r[0] >= KEYS[cut]]]
    cut_up = ViewTable.of([merged([table_of(part)], NAMES) for part in parts], NAMES)
    assert whole.patients.to_pylist() == cut_up.patients.to_pylist()
    for name in NAMES:
        shown = [
            [table.values[name][code] for code in table.codes[name]] for table in (whole, cut_up)
        ]
        assert shown[0] == shown[1]


@given(TOLD, st.integers(1, 4), st.integers(1, 2))
def test_what_goes_out_fulfils_the_requirement_and_the_rest_does_not(rows, k, least):
    attributes = ViewAttributes.parse("age,year,dx=label:DX")
    table = ViewTable.of([merged([table_of(rows)], NAMES)], NAMES)
    need = Requirement(k=k, suppressed=0.5, l_distinct=least)
    try:
        rules = ViewRules.chosen(table, attributes, need)
    except UsageError:
        return
    found = ViewRows.of(table, rules)
    public, restricted = found.public.to_pylist(), found.restricted.to_pylist()
    classes = defaultdict(list)
    for row in public:
        classes[row["age"], row["year"]].append(row)
    assert all(len(own) >= k for own in classes.values())
    values = [{row["dx"] for row in own} - {UNKNOWN} for own in classes.values()]
    assert least == 1 or all(len(one) >= least for one in values)
    assert found.classes == len(classes)
    assert len(public) + found.suppressed == len(restricted) == len(table.patients)
    out = {row["patient_key"] for row in public}
    assert out == {row["patient_key"] for row in restricted if row["class_size"]}
    assert all(
        n >= k for what, n in Counter(r["dx"] for r in public).items() if what not in (OTHER, "")
    )
    counts = Counter(row["dx"] for row in restricted)
    for row, fine in zip(public, [r for r in restricted if r["class_size"]], strict=True):
        assert row["age"] == HIERARCHIES["age"].at(fine["age"], rules.levels["age"])
        assert row["dx"] in (fine["dx"], OTHER)
        assert row["dx"] == OTHER or fine["dx"] == UNKNOWN or counts[fine["dx"]] >= k


RELEASE = Release(
    number=2,
    levels_number=1,
    run="0" * 16,
    key_check="01234567",
    rules=ViewRules({"age": 1, "sex": 0}, ("dx",), ("dx",), Requirement(k=3)),
    patients=9,
    suppressed=1,
    classes=2,
    known={"age": 9, "sex": 8, "dx": 0},
    rows="restricted/view/patients-2.parquet",
    rows_sha256="a",
    public_sha256="b",
)


def test_a_release_survives_its_file():
    asked = Requirement(k=4, t=0.3, distance=Distance.ORDERED, l_entropy=1.5)
    for rules in (RELEASE.rules, dataclasses.replace(RELEASE.rules, requirement=asked)):
        release = dataclasses.replace(RELEASE, rules=rules)
        assert Release.from_json(release.to_json()) == release


@pytest.mark.parametrize(
    "damage",
    [
        lambda value: value["rules"]["levels"].update(age=9),
        lambda value: value["rules"]["levels"].update(shoe=1),
        lambda value: value["rules"]["requirement"].update(k=0),
        lambda value: value["rules"]["requirement"].update(k=10**30),
        lambda value: value["rules"]["requirement"].update(l_entropy=float("nan")),
        lambda value: value["rules"].update(levels={}),
        lambda value: value["rules"].update(sensitive=["age"]),
        lambda value: value["rules"].update(from_texts=["other"]),
        lambda value: value.update(rows="manifest.json"),
        lambda value: value.update(rows="restricted/view/patients-../x.parquet"),
        lambda value: value.update(patients=-1),
        lambda value: value["rules"]["requirement"].update(distance="far"),
        lambda value: value.update(patients="many"),
        lambda value: value.update(more=1),
        lambda value: value.pop("rows"),
    ],
)
def test_a_damaged_release_is_refused(damage):
    value = json.loads(RELEASE.to_json())
    damage(value)
    with pytest.raises(UsageError, match="release of the view is damaged"):
        Release.from_json(json.dumps(value))
    for content in (b"", b"[]", b"\xff", b"{}", b"[" * 10_000):
        with pytest.raises(UsageError, match="release of the view is damaged"):
            Release.from_json(content)


# -- what a run reads


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


# -- counts


def test_cells_do_not_depend_on_the_patients():
    assert cells_of({"sex": ("F", "M"), "dx": ("E11",)}) == [
        *(("F", "E11"), ("F", UNKNOWN), ("M", "E11"), ("M", UNKNOWN)),
        *((UNKNOWN, "E11"), (UNKNOWN, UNKNOWN)),
    ]
    with pytest.raises(UsageError, match="at most"):
        cells_of({name: DOMAINS[name] for name in ("age", "zip3", "state")})
    for name, values in DOMAINS.items():
        assert len(set(values)) == len(values)
        for value in values:
            HIERARCHIES[name].at(value, 1)


@given(TOLD)
def test_every_patient_is_in_one_cell(rows):
    table = ViewTable.of([merged([table_of(rows)], NAMES)], NAMES)
    domain = {"dx": ("E11", "I10"), "age": DOMAINS["age"]}
    counts = dict(zip(cells_of(domain), true_counts(table, domain), strict=True))
    expected = Counter(
        (own["dx"] if own["dx"] in domain["dx"] else UNKNOWN, own["age"])
        for own in slowly(rows).values()
    )
    assert {cell: count for cell, count in counts.items() if count} == expected
