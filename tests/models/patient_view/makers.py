"""What units tell of patients, drawn; a release; shared by the tests of this room."""

from collections import Counter, defaultdict

import pyarrow as pa
from hypothesis import strategies as st
from scrubline.models.patient_view.anonymity import Requirement
from scrubline.models.patient_view.hierarchies import UNKNOWN
from scrubline.models.patient_view.merging import VIEW
from scrubline.models.patient_view.release import Release, ViewRules

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
