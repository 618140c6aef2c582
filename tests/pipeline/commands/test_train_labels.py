"""Labels that no bundle can hold are refused before anything is learned."""

import json

import pytest

pytestmark = pytest.mark.slow


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


def one(tmp_path, name: str, text: str, *spans: tuple[int, int, str]):
    """A corpus of eight documents with the same spans."""
    path = tmp_path / name
    rows = [
        {
            "doc_id": str(number),
            "text": text,
            "spans": [{"start": s, "end": e, "label": label} for s, e, label in spans],
        }
        for number in range(8)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_spans_that_others_cut_are_counted(tmp_path, scrubline):
    gold = one(tmp_path, "g.jsonl", "Nora Lee came.", (0, 8, "PATIENT"), (5, 8, "DOCTOR"))
    output = tmp_path / "bundle"
    words = ("train", "--corpus", gold, "--recipe", "hide", "--name", "x", "--output", output)
    code, _, error = scrubline(*words)
    assert code == 0 and "8 spans overlap longer ones of another label" in error
    card = json.loads((output / "card.json").read_text())
    assert card["corpus"]["spans that spans of other labels cut"] == 8


def test_a_label_that_is_no_name_is_not_printed(tmp_path, scrubline):
    gold = one(tmp_path, "g.jsonl", "Nora came.", (0, 4, "DOC\nTOR Abernathy"))
    words = (
        "train",
        "--corpus",
        gold,
        "--recipe",
        "hide",
        "--name",
        "x",
        "--output",
        tmp_path / "b",
    )
    code, out, error = scrubline(*words)
    assert code == 2 and "Abernathy" not in out + error and "DOC" not in out + error


def test_the_dial_says_if_it_knows_no_label_of_the_notes(tmp_path, scrubline):
    text = "Seen by Dr. Fenwick on 3/4/2019."
    strange = one(tmp_path, "w.jsonl", text, (12, 19, "WIDGET"))
    usual = one(tmp_path, "d.jsonl", text, (12, 19, "DOCTOR"))
    for gold, warned in ((strange, True), (usual, False)):
        code, _, error = scrubline("dial", "en-default", "--on", gold, "--recall", "0.5")
        assert code == 0 and ("none of the 1 labels of --on" in error) is warned
