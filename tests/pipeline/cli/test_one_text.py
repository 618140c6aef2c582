"""`scrubline scrub -` and `Scrubber`: one text, the same out."""

import json

import pytest
from scrubline import Scrubber
from scrubline.models.recognisers import DEFAULT_RECOGNISERS

SLIP = "pt jane c/o pain, ... Nguyen to call"


def test_without_arguments_it_is_what_the_command_is(scrubline):
    """Rules alone have to be asked for: here they leave a name that the model finds."""
    scrubber = Scrubber()
    code, printed, _ = scrubline("scrub", "-", stdin=SLIP.encode())
    assert (code, printed) == (0, scrubber.scrub(SLIP))
    assert scrubber.scrub(SLIP) == Scrubber("en-default").scrub(SLIP) != Scrubber(None).scrub(SLIP)
    assert [detector.name for detector in scrubber.detectors] == ["en-default"]
    assert scrubber.recognisers == tuple(DEFAULT_RECOGNISERS)
    code, printed, _ = scrubline("scrub", "-", "--model", "none", stdin=SLIP.encode())
    assert (code, printed) == (0, Scrubber(None).scrub(SLIP))


@pytest.mark.parametrize("text", ["", "No complaints.", "🙂 Seen 3/4/2012, mail a@b.example.\n"])
def test_json_is_the_text_and_its_spans(scrubline, text):
    words = ("scrub", "-", "--model", "none", "--policy", "research")
    code, plain, _ = scrubline(*words, stdin=text.encode())
    code_json, printed, err = scrubline(*words, "--json", stdin=text.encode())
    assert (code, code_json, err) == (0, 0, "")
    found = json.loads(printed)
    assert found["text"] == plain
    labels = {text[span["start"] : span["end"]]: span["label"] for span in found["spans"]}
    assert labels == ({"3/4/2012": "DATE", "a@b.example": "EMAIL"} if "Seen" in text else {})
    for span in found["spans"]:
        shown = plain[span["out_start"] : span["out_end"]]
        assert shown == ("3/4/2012" if span["action"] == "keep" else "[EMAIL]")
        assert span["detectors"] and 0 <= span["score"] <= 1
    assert "a@b.example" not in printed


def test_json_of_a_text_that_is_held_back_is_nothing(scrubline, tmp_path):
    (tmp_path / "job.toml").write_text("model = []\n[budgets]\ntokens = 1\n")
    words = ("scrub", "-", "--json", "--config", tmp_path / "job.toml")
    code, out, err = scrubline(*words, stdin=b"one two")
    assert (code, out) == (3, "")
    assert "OverBudget:tokens" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("scrub", "Jane_Roe.txt"), "scrubline scrub --input FILE --output FOLDER"),
        (("scrub", "--input", "a.txt", "Jane_Roe.txt", "--output", "o"), "--input again for each"),
        (("scrub", "--input", "a.txt", "b.txt", "Jane_Roe.txt"), "Files are named by --input"),
        (("scrub", "--inptu", "Jane_Roe.txt"), "unknown option --inptu: did you mean --input?"),
        (("scrub", "--ouput=Jane_Roe"), "unknown option --ouput: did you mean --output?"),
        (("plan", "Jane_Roe.txt"), "unrecognized arguments (1). Files are named by --input"),
        (("status", "--jane-roe-mrn-1234567"), "required: --output"),
        (("status", "--output", "o", "--jane-roe-mrn-1234567"), "unrecognized arguments (1)"),
        (("scrbu", "--input", "Jane_Roe.txt"), "did you mean scrub?"),
        (("key", "nwe"), "did you mean new?"),
        (("Jane_Roe.txt",), "invalid choice (choose from"),
        (("scrub", "--column", "score", "--input", "i", "--output", "o"), "['score']"),
    ],
)
def test_a_slip_is_answered_with_what_was_meant(scrubline, monkeypatch, tmp_path, words, message):
    monkeypatch.chdir(tmp_path)
    code, out, err = scrubline(*words)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) <= 2
    assert "Jane" not in err and "jane" not in err
    assert not any(tmp_path.iterdir())
