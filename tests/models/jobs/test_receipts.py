import gc
import hashlib
import json
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrubline.models.core.digests import PARTS
from scrubline.models.core.errors import RunFailed
from scrubline.models.formats import FORMATS
from scrubline.models.jobs.audit import AUDIT, CANDIDATES, DOCUMENTS, QUARANTINE
from scrubline.models.jobs.output_rows import Result, Tally
from scrubline.models.jobs.receipts import Part, Receipt, UnitSink, receipt_url


def sink_of(storage, folder, **changes):
    settings = {
        "staging": str(folder),
        "run": "run1",
        "unit": 3,
        "name": "000003-abc",
        "form": FORMATS["jsonl"],
        "partition": "year=2024/",
        "given": "",
    }
    return UnitSink(storage, **{**settings, **changes})


def result_of(*texts, audit=()):
    data = pa.table(
        {"doc_key": [f'"k{t}"' for t in texts], "text": [f'"{t}"' for t in texts]}
    ).cast(pa.schema([("doc_key", pa.string()), ("text", pa.string())]))
    tally = Tally(Counter(rows_in=len(texts), rows_out=len(texts)))
    tables = {
        "audit": pa.Table.from_pylist(list(audit), AUDIT),
        "documents": DOCUMENTS.empty_table(),
        "quarantine": QUARANTINE.empty_table(),
    }
    return Result(data, tables, tally)


ALWAYS = ["audit/000003-abc.parquet"]
DOCUMENTS_PART = "documents/000003-abc.parquet"
RECEIPT = "receipts/000003-abc.json"


def names(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def test_a_unit_is_done_when_its_receipt_is_there(storage, tmp_path):
    sink = sink_of(storage, tmp_path)
    sink.write(result_of("a", "b"))
    assert [n for n in names(tmp_path) if not n.split("/")[-1].startswith(".")] == []
    receipt = sink.commit()
    assert names(tmp_path) == [*ALWAYS, "data/year=2024/000003-abc.jsonl", DOCUMENTS_PART, RECEIPT]
    stored = storage.read_bytes(receipt_url(str(tmp_path), "000003-abc"))
    assert stored.decode() == receipt.to_json()
    assert Receipt.from_json(stored).to_json() == receipt.to_json()
    (part,) = (part for part in receipt.parts if part.table == "data")
    content = (tmp_path / part.path).read_bytes()
    assert part == Part(
        "data", "data/year=2024/000003-abc.jsonl", len(content), hashlib.sha256(content).hexdigest()
    )
    assert content == b'{"doc_key": "ka", "text": "a"}\n{"doc_key": "kb", "text": "b"}\n'


def test_of_tables_without_rows_only_audit_and_documents_are_there(storage, tmp_path):
    sink = sink_of(storage, tmp_path)
    sink.write(result_of())
    receipt = sink.commit()
    assert [part.table for part in receipt.parts] == ["audit", "documents"]
    assert names(tmp_path) == [*ALWAYS, DOCUMENTS_PART, RECEIPT]
    assert pq.read_table(tmp_path / ALWAYS[0]).num_rows == 0


def test_how_the_rows_were_batched_does_not_show(storage, tmp_path):
    receipts = []
    for folder, batches in (("one", [("a", "b", "c")]), ("two", [("a",), (), ("b", "c")])):
        sink = sink_of(storage, tmp_path / folder)
        for batch in batches:
            sink.write(result_of(*batch))
        receipts.append(sink.commit())
    assert receipts[0].to_json() == receipts[1].to_json()


def test_candidates_lie_under_restricted(storage, tmp_path):
    row = {"run": "run1", "doc_key": "k", "field": "t", "start": 0, "end": 1, "label": "DATE"}
    row |= {"detector": "date", "score": 1.0, "verdict": "accepted"}
    sink = sink_of(storage, tmp_path)
    sink.write(result_of("a"), pa.Table.from_pylist([row], CANDIDATES))
    assert [part.path for part in sink.commit().parts] == [
        *ALWAYS,
        "data/year=2024/000003-abc.jsonl",
        DOCUMENTS_PART,
        "restricted/run1/candidates/000003-abc.parquet",
    ]


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_nothing_is_left_of_an_abandoned_unit(storage, tmp_path, form):
    sink = sink_of(storage, tmp_path, form=FORMATS[form])
    sink.write(result_of("a"))
    sink.abandon()
    assert names(tmp_path) == []
    sink.abandon()
    # Arrow's writer ends its file when it is collected: nobody may hear of it, nothing may appear.
    del sink
    gc.collect()
    assert names(tmp_path) == []


def test_a_second_go_overwrites_with_the_same_bytes(storage, tmp_path):
    both = []
    for _ in range(2):
        sink = sink_of(storage, tmp_path)
        sink.write(result_of("a"))
        sink.commit()
        both.append({name: (tmp_path / name).read_bytes() for name in names(tmp_path)})
    assert both[0] == both[1]


def test_equal_receipts_are_equal_bytes():
    one = Tally(Counter(rows_in=1), Counter({"DATE": 1, "AGE": 2}))
    other = Tally(Counter(rows_in=1), Counter({"AGE": 2, "DATE": 1}))
    assert Receipt(0, "n", "", one, ()).to_json() == Receipt(0, "n", "", other, ()).to_json()


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[:-1],
        lambda text: "[]",
        lambda text: "null",
        lambda text: json.dumps({k: v for k, v in json.loads(text).items() if k != "given"}),
        lambda text: json.dumps({**json.loads(text), "digests": {"text": "zz"}}),
        lambda text: json.dumps({**json.loads(text), "parts": [{"table": "data"}]}),
        lambda text: b"\xff\xfe",
        lambda text: text.replace('"bytes":1', '"bytes":"1"'),
        lambda text: text.replace('"unit":0', '"unit":null'),
        lambda text: text.replace('"rows_in":0', '"rows_in":1.5'),
        lambda text: text.replace('"labels":{}', '"labels":{"DATE":[]}'),
        lambda text: text.replace('"labels":{}', '"labels":"DATE"'),
        lambda text: json.dumps({**json.loads(text), "digests": dict.fromkeys(PARTS, 1.5)}),
        lambda text: json.dumps({**json.loads(text), "digests": dict.fromkeys(PARTS, "-1")}),
        lambda text: b"[" * 100_000,
    ],
)
def test_a_damaged_receipt_is_told(damage):
    text = Receipt(0, "n", "", Tally(), (Part("data", "data/n.jsonl", 1, "0" * 64),)).to_json()
    with pytest.raises(RunFailed, match="a receipt is damaged"):
        Receipt.from_json(damage(text))
