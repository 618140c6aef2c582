"""What goes out of a view, and the file of a release."""

import dataclasses
import json
from collections import Counter, defaultdict

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.patient_view.anonymity import Distance, Requirement
from scrubline.models.patient_view.attributes import ViewAttributes
from scrubline.models.patient_view.hierarchies import HIERARCHIES, UNKNOWN
from scrubline.models.patient_view.merging import ViewTable, merged
from scrubline.models.patient_view.release import OTHER, Release, ViewRows, ViewRules

from .makers import KEYS, NAMES, RELEASE, TOLD, table_of


@example(
    # One of the two who have a word is left out, and no other word goes with it.
    [(KEYS[0], ("age", "40-44"), 1), (KEYS[0], ("dx", "E11"), 1)]
    + [(KEYS[1], ("age", "40-44"), 1), (KEYS[2], ("dx", "E11"), 1)],
    2,
    1,
)
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
