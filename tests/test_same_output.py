"""Comparing what two versions write: equal outputs are equal, and each difference is named."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.same_output import differences

AUDIT = [
    {"run": "r", "doc_key": "a", "start": 0, "end": 4, "label": "DATE", "source_hash": "1"},
    {"run": "r", "doc_key": "b", "start": 3, "end": 9, "label": "PATIENT", "source_hash": "2"},
]
DOCUMENTS = [{"run": "r", "doc_key": "a", "tokens": 5, "detectors": "date@1 en-default@2"}]


def output(
    folder, *, audit=AUDIT, documents=DOCUMENTS, lines=(b'{"t":1}\n', b'{"t":2}\n'), parts=1
):
    for name, rows in (("audit", audit), ("documents", documents)):
        (folder / name).mkdir(parents=True)
        for part in range(parts):
            schema = pa.Table.from_pylist(rows).schema
            kept = pa.Table.from_pylist(rows[part::parts], schema)
            pq.write_table(kept, folder / f"{name}/{part}.parquet")
    (folder / "data").mkdir()
    for part in range(parts):
        (folder / f"data/{part}.jsonl").write_bytes(b"".join(lines[part::parts]))
    return folder


@pytest.fixture
def before(tmp_path):
    return output(tmp_path / "before")


def changed(rows, index, **values):
    return [{**row, **values} if i == index else row for i, row in enumerate(rows)]


@pytest.mark.parametrize(
    "after, expected",
    [
        ({}, []),
        ({"parts": 2, "documents": DOCUMENTS}, []),
        ({"audit": [{**row, "run": "s", "source_hash": "9"} for row in AUDIT]}, []),
        ({"documents": changed(DOCUMENTS, 0, detectors="date@7 en-default@8")}, []),
        ({"documents": changed(DOCUMENTS, 0, detectors="date@1")}, [("documents.detectors", 1)]),
        ({"documents": changed(DOCUMENTS, 0, tokens=6)}, [("documents.tokens", 1)]),
        ({"audit": changed(AUDIT, 1, end=8)}, [("audit.end", 1)]),
        ({"audit": changed(AUDIT, 0, label="AGE")}, [("audit.label", 1)]),
        ({"audit": AUDIT[:1]}, [("audit: rows", 1)]),
        ({"lines": (b'{"t":1}\n', b'{"t":3}\n')}, [("data", 1)]),
        ({"lines": (b'{"t":1}\n',)}, [("data", 1)]),
    ],
)
def test_each_difference_is_named(before, tmp_path, after, expected):
    assert list(differences(before, output(tmp_path / "after", **after))) == expected
