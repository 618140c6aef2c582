"""The table of speed: multiples of the yardstick, what they are elsewhere, and what is left out."""

import json

import pytest

from benchmarks.speed import __main__ as speed
from benchmarks.speed import yardstick
from benchmarks.speed.table import ALL, CRF, Bar, Turn, cells, markdown, turns_of

RUN = {
    "documents": 10,
    "tokens": 1_000,
    "spent": {
        "cold": {"tokenize": 0.1, "featurize": 0.2, "label": 0.3, "recognise": 0.6},
        "warm": {"tokenize": 0.1, "featurize": 0.1, "label": 0.1, "recognise": 0.3},
    },
    "yardstick": [0.1, 0.3, 0.5],
    "opening": 1.5,
    "memory_mb": 300.0,
    "extension": True,
    "load": [0.5, 1.0],
}


@pytest.mark.parametrize(
    ("steps", "temperature", "per_note", "amount", "multiple"),
    [
        (ALL, "cold", False, 1_200, 6.0),
        (CRF, "cold", False, 600, 3.0),
        (ALL, "warm", False, 600, 1.5),
        (("recognise",), "cold", True, 60_000, 3.0),
    ],
)
def test_a_turn_is_measured_beside_the_yardsticks_before_and_behind_it(
    steps, temperature, per_note, amount, multiple
):
    (turn,) = turns_of([RUN], steps, temperature=temperature, per_note=per_note)
    assert turn.amount == pytest.approx(amount)
    assert turn.multiple == pytest.approx(multiple)


def test_a_row_has_median_and_best_and_what_the_median_is_elsewhere():
    turns = [Turn(4.4, 0.44), Turn(8.8, 0.44), Turn(13.2, 0.44)]
    assert cells(Bar("long", "notes", 500_000), turns, 93.0) == (
        "notes",
        "20.0 (10.0)",
        "9.1",
        "114,000 tokens/s",
        "227,000 tokens/s",
        "500,000 tokens/s",
    )


def test_a_row_by_notes_counts_the_tokens_of_a_note():
    bar = Bar("note", "rules a note of {tokens} tokens", 0.2, True)
    assert cells(bar, [Turn(1_000.0, 40.0)], 100.0) == (
        "rules a note of 100 tokens",
        "25.0 (25.0)",
        "9.1",
        "1.00 ms",
        "0.55 ms",
        "0.20 ms",
    )


def test_a_row_without_a_goal_leaves_it_open():
    assert cells(Bar("all", "own"), [Turn(1.0, 0.5)], 1.0)[2::3] == ("", "")


def test_tables_are_markdown():
    assert markdown([("a", "b")], ("x", "y")) == "| x | y |\n| --- | --- |\n| a | b |"


def test_works_are_compared_with_the_turns_beside_them(monkeypatch):
    times = iter([0.0, 1.0, 1.0, 7.0, 7.0, 10.0])
    monkeypatch.setattr(yardstick, "user_seconds", lambda: next(times))
    monkeypatch.setattr(yardstick, "LEAST_SECONDS", 0.0)
    measured = yardstick.Yardstick(["Seen 3/4/2012, by Ann."])
    assert measured.words == 10
    assert measured.by_turns(lambda: None) == [3.0]
    assert measured.turns == [1.0, 3.0]


def test_a_busy_machine_is_told(capsys):
    yardstick.warn_of_load([0.5, 1.9])
    assert capsys.readouterr().err == ""
    yardstick.warn_of_load([0.5, 2.1])
    assert "load 0.5 to 2.1" in capsys.readouterr().err


def test_each_row_has_a_name_of_its_own():
    assert len(set(speed.ROWS)) == len(speed.ROWS) == 9


def test_corpora_that_are_not_there_are_left_out(monkeypatch, capsys, tmp_path):
    monkeypatch.delenv("SCRUBLINE_CORPORA", raising=False)
    monkeypatch.setattr(
        speed, "detection", lambda chosen, repeats: {corpus: [RUN] * repeats for corpus in chosen}
    )
    monkeypatch.setattr("sys.argv", ["speed", "--rows", "long", "dense", "--repeats", "2"])
    speed.main()
    shown = capsys.readouterr()
    assert "not there: ACI-Bench" in shown.err
    assert "| notes dense in PHI, all rules, cold | 6.0 (6.0) | 30.3 |" in shown.out
    assert "ACI-Bench" not in shown.out
    assert "words cold" in shown.out


def test_own_texts_take_the_place_of_the_corpora(monkeypatch, capsys, tmp_path):
    own = tmp_path / "own.jsonl"
    own.write_text(json.dumps({"text": "Seen 3/4/2012."}), encoding="utf-8")
    asked = []
    monkeypatch.setattr(speed, "process", lambda corpus, paths: asked.append(paths) or RUN)
    words = ["speed", "--texts", str(own), "--model", "meddocan-hide", "--no-rules", "--steps"]
    monkeypatch.setattr("sys.argv", [*words, "--repeats", "1"])
    speed.main()
    shown = capsys.readouterr().out
    assert asked == [[own], [own]]
    assert "| CRF alone, cold | 3.0 (3.0) |" in shown
    assert "| own texts, warm |" in shown
    assert "all steps" not in shown
