"""What `Storage` asks of a store's client goes through the hooks, and an answer gets back to it."""

import errno
import json
import os
import subprocess
import sys

import pytest

from .laboratory import ROOT
from .seam import CLIENT

# What is asked of `Storage` -> the operations of the client that it must be seen to ask for.
ASKED = {
    "storage.list_files([U])": {"s3.head", "s3.list"},
    "storage.list_files([U + '/*.jsonl'])": {"s3.head", "s3.list"},
    "storage.list_sizes(U)": {"s3.list"},
    "storage.list_at(U)": {"s3.list"},
    "storage.list_all(U)": {"s3.list"},
    "storage.list_found(U)": {"s3.list"},
    "storage.exists(U + '/a.jsonl')": {"s3.head"},
    "storage.modified(U + '/a.jsonl')": {"s3.head"},
    "storage.read_bytes(U + '/a.jsonl')": {"s3.head", "s3.get"},
    "storage.read_range(U + '/a.jsonl', 0, 2)": {"s3.range"},
    "storage.write_bytes(U + '/d.jsonl', b'{}')": {"s3.put"},
    "storage.create_exclusively(U + '/c.jsonl', b'{}')": {"s3.conditional"},
    "storage.move(U + '/d.jsonl', U + '/e.jsonl')": {"s3.head", "s3.copy", "s3.delete"},
    "storage.delete(U + '/e.jsonl')": {"s3.delete"},
    "storage.delete_folder(U)": {"s3.clear", "s3.list"},
}

SCRIPT = """
import json, sys
from pathlib import Path
from tests.faults import seam
U, counters, rules, calls = sys.argv[1], *map(json.loads, sys.argv[2:])
seam.install("\\n".join([counters, *rules]), "l")
from scrubline.models.storage.storage import Storage
storage = Storage()
for name in "ab":
    storage.write_bytes(f"{U}/{name}.jsonl", b"{}\\n")
for call in calls:
    before, _ = seam.counted(Path(counters))
    try:
        said = str(eval(call))
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
    after, _ = seam.counted(Path(counters))
    seen = [rule.split(",")[0] for rule, x, y in zip(rules, before, after) if y > x]
    print(json.dumps([said, seen]))
"""


def asked_of(lab, here, calls, *rules):
    """Of each call what came of it, and which operations of the rules it asked for."""
    words = [f"s3://faults/{here.name}", *map(json.dumps, (str(here / "counters"), rules, calls))]
    process = subprocess.run(
        [sys.executable, "-c", SCRIPT, *words],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stderr
    return [json.loads(line) for line in process.stdout.splitlines()]


@pytest.mark.slow
def test_whatever_storage_asks_is_asked_through_a_hook(lab, tmp_path):
    rules = [f"{op},none,0,1,1,l,faults/{tmp_path.name}" for op in CLIENT]
    found = asked_of(lab, tmp_path, list(ASKED), *rules)
    assert dict(zip(ASKED, (set(seen) for _, seen in found), strict=True)) == ASKED
    assert set().union(*ASKED.values()) == CLIENT.keys()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("none,0", "{'a.jsonl': 3, 'b.jsonl': 3}"),
        ("omit,0", "{'b.jsonl': 3}"),
        ("double,0", "{'a.jsonl': 3, 'b.jsonl': 3, 'b.jsonl.again': 3}"),
        ("size,1", "{'a.jsonl': 4, 'b.jsonl': 4}"),
        (f"error,{errno.EACCES}", "StorageAccessError: cannot list"),
    ],
)
@pytest.mark.slow
def test_a_listing_is_answered_as_its_rule_says(lab, tmp_path, answer, said):
    rule = f"s3.list,{answer},1,1,l,faults/{tmp_path.name}"
    ((found, _),) = asked_of(lab, tmp_path, ["storage.list_sizes(U)"], rule)
    assert found.startswith(said)
