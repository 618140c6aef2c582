"""Labels that no bundle can hold are refused before anything is learned."""

import json

import pytest


@pytest.mark.parametrize("label", ["O", "A B", "x" * 65, "A\0B"], ids=["O", "blank", "long", "NUL"])
@pytest.mark.parametrize("recipe", ["hide", "szeged"])
def test_a_label_that_no_bundle_can_hold_is_refused(tmp_path, scrubline, label, recipe):
    gold = tmp_path / "gold.jsonl"
    span = {"start": 0, "end": 4, "label": label}
    gold.write_text(json.dumps({"doc_id": "1", "text": "Nora came.", "spans": [span]}) + "\n")
    output = tmp_path / "bundle"
    words = ("train", "--corpus", gold, "--recipe", recipe, "--name", "x", "--output", output)
    code, _, error = scrubline(*words)
    assert code == 2 and "label of a span is no name that a bundle can hold" in error
    assert not output.exists()
