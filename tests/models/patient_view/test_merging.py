"""One value of each attribute for each patient, against a slow sum."""

from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.patient_view.merging import ViewTable, merged

from .makers import KEYS, NAMES, TOLD, slowly, table_of


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
