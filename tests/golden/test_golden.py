"""Golden digests: what comes out of the demo corpus under a fixed key changes only on purpose.

After a deliberate change: `pytest tests/golden --update-golden`, review the difference, raise
`CODE_VERSION`, and say in the changelog that output changes.
"""

import json
from pathlib import Path

import pytest
from scrubline.models.storage import Storage
from scrubline.pipeline.config import options_from, read_config
from scrubline.pipeline.runs import scrub

HERE = Path(__file__).parent
DEMO = HERE.parent.parent / "demo"

CASES = {
    "demo_parquet_hipaa": {"inputs": (str(DEMO / "parquet"),)},
    "demo_parquet_research_rules": {
        "inputs": (str(DEMO / "parquet"),),
        "policy": "research",
        "models": (),
    },
    "demo_text_rules": {"inputs": (str(DEMO / "text"),), "models": (), "columns": None},
}


@pytest.mark.parametrize("case", CASES)
def test_the_demo_corpus_comes_out_as_before(case, tmp_path, request):
    (tmp_path / "key.txt").write_text("scrubline-key-v1:" + "QUJD" * 10 + "QUI=\n")
    config = read_config((DEMO / "scrubline.toml").read_bytes())
    changes = CASES[case]
    if "columns" in changes:
        del config["columns"]
    changes = {
        **changes,
        "output": str(tmp_path / "out"),
        "key_source": str(tmp_path / "key.txt"),
        "progress": False,
    }
    manifest = scrub(Storage(), options_from(config, changes))
    found = {name: manifest[name] for name in ("content_digest", "counts", "labels", "errors")}
    golden = HERE / f"{case}.json"
    if request.config.getoption("--update-golden"):
        golden.write_text(json.dumps(found, indent=1) + "\n")
    assert found == json.loads(golden.read_text())
