"""Cells of counts: the same whoever the patients are, and each patient is in one."""

from collections import Counter

import pytest
from hypothesis import given
from scrubline.models.core.errors import UsageError
from scrubline.models.patient_view.counts import DOMAINS, cells_of, true_counts
from scrubline.models.patient_view.hierarchies import HIERARCHIES, UNKNOWN
from scrubline.models.patient_view.merging import ViewTable, merged

from .makers import NAMES, TOLD, slowly, table_of


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
