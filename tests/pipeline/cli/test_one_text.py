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
        (("scrub", "Jane_Roe.txt"), "there is no such file or folder"),
        (
            ("scrub", "--key-source", "Jane_Roe"),
            "unknown option --key-source: did you mean --key-f",
        ),
        (("help", "scrbu"), "did you mean scrub?"),
        (("scrub", "--inptu", "Jane_Roe.txt"), "unknown option --inptu: did you mean --input?"),
        (("scrub", "--ouput=Jane_Roe"), "unknown option --ouput: did you mean --output?"),
        (("plan", "Jane_Roe.txt"), "unrecognized arguments (1). Files are named by --input"),
        (("status", "--jane-roe-mrn-1234567"), "required: --output"),
        (("status", "--output", "o", "--jane-roe-mrn-1234567"), "unrecognized arguments (1)"),
        (("scrbu", "--input", "Jane_Roe.txt"), "did you mean scrub?"),
        (("--verison",), "unknown option --verison: did you mean scrubline --version?"),
        (("scrub", "--verison"), "unknown option --verison: did you mean scrubline --version?"),
        (("-v",), "unknown option -v: did you mean scrubline --version?"),
        (("version",), "did you mean scrubline --version?"),
        (("help", "version"), "did you mean scrubline --version?"),
        (("--jane-roe", "scrub"), "unrecognized arguments (1)\n"),
        (("scrub", "Jane_Roe.txt", "--jane-roe"), "unrecognized arguments (1)\n"),
        (("inspect", "Jane_Roe/"), "An output is named by --output: scrubline inspect --output"),
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
    assert len(err.splitlines()) <= 3
    assert "Jane" not in err and "jane" not in err
    assert not any(tmp_path.iterdir())


def test_an_output_that_was_given_is_not_asked_for(scrubline):
    code, _, err = scrubline("resume", "--output", "o", "--model", "x")
    assert code == 2 and "unrecognized arguments (2)\n" in err


def test_on_a_terminal_a_slip_is_repeated(scrubline, terminal):
    terminal()
    code, _, err = scrubline("scrub", "note.txt", "--bogus")
    assert code == 2 and "unrecognized arguments (1): --bogus\n" in err


def test_help_of_a_command_takes_what_stands_behind_it(scrubline):
    assert scrubline("help", "key", "map") == scrubline("help", "key")


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_a_text_that_cannot_be_decoded_ends_alike_from_a_file_and_from_standard_input(
    scrubline, tmp_path, encoding
):
    (tmp_path / "note.txt").write_bytes(b"caf\xe9")
    more = ("--model", "none", "--encoding", encoding)
    piped = scrubline("scrub", "-", *more, stdin=b"caf\xe9")
    assert piped == scrubline("scrub", tmp_path / "note.txt", *more)
    assert piped[:2] == (3, "") and "BadEncoding" in piped[2]
    words = ("scrub", "-", *more[:2], "--encoding", "latin-1")
    assert scrubline(*words, stdin=b"caf\xe9")[1] == "café"


# -- paths without an option


@pytest.fixture
def notes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SCRUBLINE_KEY", raising=False)
    (tmp_path / "Jane Roe").mkdir()
    for name in ("Jane Roe.txt", "Jane Roe/1.txt", "Jane_Roe.csv"):
        (tmp_path / name).write_bytes("Café, seen 3/4/2012\r\n".encode("latin-1"))
    return tmp_path


def test_a_text_file_is_scrubbed_and_printed(scrubline, notes):
    words = ("scrub", "Jane Roe.txt", "--model", "none")
    code, out, err = scrubline(*words, "--encoding", "latin-1")
    assert (code, out, err) == (0, "Café, seen [DATE]\r\n", "")
    code, out, err = scrubline(*words)
    assert (code, out) == (3, "")
    assert "BadEncoding: some bytes are not valid" in err and "--encoding" in err
    code, out, _ = scrubline(*words, "--encoding", "latin-1", "--json")
    assert json.loads(out)["spans"][0]["label"] == "DATE"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["Jane Roe"], "--input 'Jane Roe' --output scrubbed/ --key-file key.txt\n"),
        (["Jane Roe/"], "--input 'Jane Roe/' --output scrubbed/ --key-file key.txt\n"),
        (["Jane_Roe.csv"], "--input Jane_Roe.csv --output scrubbed/ --key-file key.txt --column"),
        (["Jane Roe.txt", "Jane Roe/1.txt"], "--input 'Jane Roe.txt' --input 'Jane Roe/1.txt' --o"),
        (["--input", "x", "Jane Roe"], "--input 'Jane Roe' --output scrubbed/"),
    ],
)
def test_what_needs_an_output_is_answered_with_the_line(scrubline, notes, terminal, words, line):
    code, out, err = scrubline("scrub", *words)
    assert (code, out) == (2, "")
    assert "Jane" not in err and "scrubline scrub --input URL --output scrubbed/" in err
    terminal()
    assert line in scrubline("scrub", *words)[2]


def test_with_an_output_a_path_is_an_input(scrubline, notes, key_file):
    words = ("--model", "none", "--key-file", key_file, "--encoding", "latin-1", "--json")
    code, out, _ = scrubline("scrub", "Jane Roe", "Jane Roe.txt", "--output", "out", *words)
    assert code == 0 and json.loads(out)["counts"]["rows_out"] == 2


# -- texts in markup, and what is no text

RICH = b"<p>Seen 3/<b>4</b>/2012</p>\n"


@pytest.mark.parametrize("from_file", [False, True])
def test_a_text_in_markup_is_read_as_it_begins_or_as_is_said(scrubline, tmp_path, from_file):
    (tmp_path / "a.txt").write_bytes(RICH)
    words = ("scrub", tmp_path / "a.txt" if from_file else "-", "--model", "none")
    given = {} if from_file else {"stdin": RICH}
    code, out, err = scrubline(*words, **given)
    assert (code, out) == (0, "<p>Seen [DATE]<b></b></p>\n")
    assert "looked like HTML" in err and "--column text=text:html" in err and "2012" not in err
    code, *said = scrubline(*words, "--column", "text=text:html", **given)
    assert (code, said) == (0, [out, ""])
    code, plain, err = scrubline(*words, "--column", "text=text:plain", **given)
    assert (code, plain, err) == (0, "<p>Seen [DATE]</p>\n", "")
    for column in ("note=text", "text=pass", "path=id"):
        code, out, err = scrubline(*words, "--column", column, **given)
        assert (code, out) == (2, "") and "text=text:html" in err


def test_a_message_that_is_scrubbed_as_a_text_is_told(scrubline, tmp_path):
    message = b"MSH|^~\\&|A|B\rPV1|1\r"
    (tmp_path / "a.txt").write_bytes(message)
    for words, given in ((("-",), {"stdin": message}), ((tmp_path / "a.txt",), {})):
        code, out, err = scrubline("scrub", *words, "--model", "none", **given)
        assert (code, out) == (0, message.decode()) and "--format hl7 and --output" in err
        plain = ("--column", "text=text:plain")
        assert scrubline("scrub", *words, "--model", "none", *plain, **given)[2] == ""
        code, out, err = scrubline("scrub", *words, "--model", "none", "--format", "hl7", **given)
        assert (code, out) == (2, "") and "--output scrubbed/" in err
    (tmp_path / "job.toml").write_text('format = "parquet"\nmodel = []\n')
    words = ("scrub", "-", "--config", tmp_path / "job.toml")
    assert scrubline(*words, stdin=b"Seen 3/4/2012.")[:2] == (0, "Seen [DATE].")
