"""`scrubline evaluate` and `annotate --cover`, by the command line."""

import json
import re
from pathlib import Path

import pytest
from scrubline.models.corpora import AnnotatedDocument, Annotation, write_annotated
from scrubline.models.training.recall_tuning import CURVE_POINTS

DEMO = Path(__file__).parents[3] / "demo" / "gold"
BIAS = -0.6
"""Of "O" in `en-default`: what its card says."""
TEXT = "Seen by Abernathy on 3/4/2019 in Rome, on metformin 500 mg."
GOLD = ((8, 17, "DOCTOR"), (21, 29, "DATE"), (33, 37, "CITY"))


@pytest.fixture
def corpus(tmp_path):
    """Writes twelve documents with the given spans, as Path by name."""

    def make(name, *spans, count=12):
        path = tmp_path / name
        annotations = tuple(Annotation(*span) for span in spans)
        documents = [AnnotatedDocument(f"MRN-{n}", TEXT, annotations) for n in range(count)]
        write_annotated(documents, path)
        return path

    return make


def test_headline_and_one_table(scrubline, corpus):
    words = ("evaluate", corpus("g.jsonl", *GOLD), corpus("p.jsonl", *GOLD[:2]))
    code, out, err = scrubline(*words, "--resamples", 50)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    heads = [line.split("  ")[0] for line in lines if line and not line.startswith(" ")]
    assert heads == [
        "12 documents, 708 characters, 204 tokens, 36 gold spans, 24 predicted spans",
        "removed: predicted spans",
        "Headline",
        "Spans, strict",
        "--all shows all 25 metrics, --html FILE makes a page",
    ]
    assert [line.split()[0] for line in lines[-6:] if line][-4:-1] == ["CITY", "DATE", "DOCTOR"]
    whole = scrubline(*words, "--resamples", 50, "--all")[1]
    assert whole.startswith(out[: out.index("Spans, strict")]) and "--all" not in whole


def test_headline_first_then_groups(scrubline, corpus):
    words = ("evaluate", corpus("g.jsonl", *GOLD), corpus("p.jsonl", *GOLD[:2]))
    code, out, err = scrubline(*words, "--resamples", 50, "--all")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("12 documents, ")
    assert lines[4].split() == ["PHI", "characters", "found", "0.8095", "0.613-0.856", "48", "left"]
    # All of 12 leaked, and no resample says otherwise: Wilson's interval of 12 of 12.
    assert lines[5].split()[:6] == ["documents", "with", "any", "leak", "1.0000", "0.758-1.000"]
    assert lines[6].split()[:3] == ["strict", "F1", "0.8000"]
    groups = [line for line in lines if line.startswith("== ")]
    assert groups == [
        f"== {name} =="
        for name in (
            "Release",
            "Spans and tokens",
            "i2b2",
            "MEDDOCAN",
            "HIDE",
            "Stat De-id",
            "Errors (WI-deId)",
        )
    ]
    assert max(map(len, lines)) <= 100
    assert "Abernathy" not in out
    assert "MRN" not in out


def test_json_says_how_it_was_made(scrubline, corpus):
    words = ("evaluate", corpus("g.jsonl", *GOLD), corpus("p.jsonl", *GOLD[:2]), "--json")
    code, out, _ = scrubline(*words, "--seed", 5, "--resamples", 20)
    found = json.loads(out)
    assert code == 0
    assert (found["seed"], found["resamples"]) == (5, 20)
    assert found["options"]["clinical terms"] == "shipped lists"
    assert set(found["options"]) == {"version", "seed", "resamples", "clinical terms"}
    assert found["metrics"]["clinical"]["doses and units"]["of"] == 12
    assert scrubline(*words, "--seed", 5, "--resamples", 20)[1] == out


def test_what_made_the_predictions_is_told(scrubline, corpus, tmp_path):
    gold = corpus("g.jsonl", *GOLD)
    found, page = tmp_path / "MRN-found.jsonl", tmp_path / "page.html"
    annotate = ("annotate", "--input", gold, "--model", "none", "--recogniser", "all")
    assert scrubline(*annotate, "--output", found)[0] == 0
    words = ("evaluate", gold, found, "--resamples", 0)
    (made,) = json.loads(scrubline(*words, "--json")[1])["made_by"]
    assert re.fullmatch(r"models none; \d+ rules; policy hipaa; digest [0-9a-f]{12}", made)
    assert scrubline(*words, "--against", gold, "--html", page)[0] == 0
    text = page.read_text()
    assert f"predictions: {made}<br>second predictions: models and policy unknown; digest" in text
    assert "MRN" not in text


def test_two_models_are_compared(scrubline, corpus):
    words = ("evaluate", corpus("g.jsonl", *GOLD), corpus("p.jsonl", *GOLD[:2]))
    other = corpus("q.jsonl", *GOLD)
    code, out, _ = scrubline(*words, "--against", other, "--resamples", 50)
    assert code == 0
    (line,) = [line for line in out.splitlines() if line.startswith("  strict recall ")]
    assert line.split()[2:5] == ["0.6667", "1.0000", "+0.3333"]
    assert line.split()[-2:] == ["12", "0"]
    code, out, _ = scrubline(*words, "--against", other, "--resamples", 50, "--json")
    found = json.loads(out)
    assert found["against"]["metrics"]["strict"]["micro"]["f1"] == 1
    assert found["differences"][0]["metric"] == "documents"


def test_page_is_written_once_and_without_text(scrubline, corpus, tmp_path):
    words = ("evaluate", corpus("g.jsonl", *GOLD), corpus("p.jsonl", *GOLD[:2]))
    target = tmp_path / "report.html"
    assert scrubline(*words, "--html", target, "--resamples", 20)[0] == 0
    content = target.read_text()
    assert content.startswith("<!DOCTYPE html>")
    assert "Abernathy" not in content
    assert "MRN" not in content
    assert str(tmp_path) not in content
    code, _, err = scrubline(*words, "--html", target)
    assert (code, "already exists" in err) == (2, True)
    shown = tmp_path / "shown.html"
    assert scrubline(*words, "--html", shown, "--show-text", "--resamples", 20)[0] == 0
    assert "Abernathy" in shown.read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--show-text"], "needs --html FILE"),
        (["--resamples", "-1"], "whole numbers, 0 or more"),
        (["--seed", "-1"], "whole numbers, 0 or more"),
        (["--html", "/no/such/folder/x.html"], "cannot be written (FileNotFoundError)"),
        (["--clinical-terms", "no_such_list"], "--clinical-terms"),
        (["--label-map", "no_such_map"], "label map"),
        (["--label-map", "tab"], "unknown label"),
    ],
)
def test_bad_options_are_refused(scrubline, corpus, options, message):
    code, out, err = scrubline(
        "evaluate", corpus("g.jsonl", *GOLD), corpus("p.jsonl", *GOLD), *options
    )
    assert (code, out) == (2, "")
    assert message in err


def test_labels_of_meddocan_are_scored_as_they_are_or_mapped(scrubline, corpus):
    own = ((8, 17, "NOMBRE_PERSONAL_SANITARIO"), (21, 29, "FECHAS"))
    gold, same = corpus("g.jsonl", *own), corpus("same.jsonl", *own)
    native = corpus("n.jsonl", (8, 17, "DOCTOR"), (21, 29, "DATE"))
    found = json.loads(scrubline("evaluate", gold, same, "--json", "--resamples", 0)[1])
    assert found["metrics"]["strict"]["micro"]["f1"] == 1
    assert found["metrics"]["meddocan_merged"]["micro"]["f1"] == 1
    assert "i2b2_2014_category" in found["left_out"]
    for words in (
        (gold, native, "--label-map", "meddocan"),
        (native, same, "--predicted-label-map", "meddocan"),
        (gold, same, "--label-map", "meddocan", "--predicted-label-map", "meddocan"),
    ):
        found = json.loads(scrubline("evaluate", *words, "--json", "--resamples", 0)[1])
        assert found["left_out"] == {}
        assert found["metrics"]["i2b2_2014_category"]["micro"]["f1"] == 1
        assert "meddocan" in found["options"].values()


def test_clinical_terms_of_a_user(scrubline, corpus, tmp_path):
    terms = tmp_path / "MRN-list.txt"
    terms.write_text("rome, on\n")
    gold = corpus("g.jsonl", *GOLD[:2])
    predicted = corpus("p.jsonl", *GOLD)
    words = ("evaluate", gold, predicted, "--json", "--resamples", 0, "--clinical-terms")
    found = json.loads(scrubline(*words, terms, "--clinical-terms", "eponyms_en")[1])
    clinical = found["metrics"]["clinical"]
    assert (clinical["list 1"]["count"], clinical["list 1"]["of"]) == (12, 12)
    assert "medical words" not in clinical
    assert found["options"]["clinical terms"] == "eponyms_en, 1 own lists"


def test_annotate_tells_its_cover_and_evaluate_uses_it(scrubline, corpus, tmp_path):
    gold = corpus("g.jsonl", *GOLD, count=3)
    words = ("annotate", "--input", gold, "--model", "none", "--recogniser", "all")
    for name, options in (("plain.jsonl", ()), ("cover.jsonl", ("--cover",))):
        assert scrubline(*words, "--output", tmp_path / name, *options)[0] == 0
    rows = [json.loads(line) for line in (tmp_path / "cover.jsonl").read_text().splitlines()]
    for row in rows:
        cover = row["meta"]["cover"]
        assert cover
        assert all(
            any(start <= span["start"] and span["end"] <= end for start, end in cover)
            for span in row["spans"]
        )
        assert cover == sorted(cover)
    plain = [json.loads(line) for line in (tmp_path / "plain.jsonl").read_text().splitlines()]
    assert [row["spans"] for row in plain] == [row["spans"] for row in rows]
    assert all("cover" not in row["meta"] for row in plain)
    code, out, _ = scrubline("evaluate", gold, tmp_path / "cover.jsonl", "--resamples", 0)
    assert (code, "removed: cover" in out) == (0, True)


def test_a_cover_is_not_used_where_a_map_drops_predicted_spans(scrubline, tmp_path):
    spans = {"CODE": Annotation(8, 17, "CODE"), "DEM": Annotation(33, 37, "DEM")}
    for name, labels, meta in (
        ("gold", ("CODE", "DEM"), {}),
        # What found DEM goes with its label: the place is not counted as removed.
        ("dropped", ("CODE", "DEM"), {"cover": [[8, 17], [33, 37]]}),
        ("kept", ("CODE",), {"cover": [[8, 17], [33, 37]]}),
    ):
        found = AnnotatedDocument("a", TEXT, tuple(spans[label] for label in labels), meta)
        write_annotated([found], tmp_path / f"{name}.jsonl")
    told = {}
    for name in ("dropped", "kept"):
        words = ("evaluate", tmp_path / "gold.jsonl", tmp_path / f"{name}.jsonl", "--json")
        maps = ("--label-map", "tab", "--predicted-label-map", "tab", "--resamples", 0)
        told[name] = json.loads(scrubline(*words, *maps)[1])
    assert told["kept"]["removed"] == "cover"
    assert told["dropped"]["removed"] == "predicted spans"
    assert told["dropped"]["metrics"]["character"]["micro"]["fp"] == 0


def test_a_form_without_place_for_a_cover_is_refused(scrubline, corpus, tmp_path):
    code, _, err = scrubline(
        *("annotate", "--input", corpus("g.jsonl", *GOLD), "--model", "none", "--recogniser"),
        *("date", "--to", "brat", "--output", tmp_path / "out", "--cover"),
    )
    assert (code, "--cover: brat cannot hold it" in err) == (2, True)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_dial_draws_recall_against_precision(scrubline, tmp_path):
    gold = tmp_path / "gold.jsonl"
    lines = (DEMO / "dev.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    gold.write_text("".join(lines[:16]), encoding="utf-8")
    code, out, err = scrubline("evaluate", gold, "--dial", "en-default")
    assert code == 0, err
    rows = [line.split() for line in out.strip().splitlines()[1:-1]]
    assert len(rows) == CURVE_POINTS
    assert [len(row) for row in rows].count(11) == 1 and {len(row) for row in rows} == {10, 11}
    own = [float(row[0]) for row in rows if row[-1] == "*"]
    assert own == [pytest.approx(BIAS, abs=1e-3)]
    recalls = [float(row[2]) for row in sorted(rows, key=lambda row: float(row[0]))]
    # The lower the bias of "O", the more is found.
    assert recalls[0] > 0.98 and recalls[-1] < 0.9
    code, out, _ = scrubline("evaluate", gold, gold, "--dial", "en-default", "--json")
    assert code == 0 and len(json.loads(out)["curve"]) == len(rows)
    page = tmp_path / "page.html"
    code, out, _ = scrubline("evaluate", gold, gold, "--dial", "en-default", "--html", page)
    assert code == 0 and "bias of O" in out
    assert "bias -0.6, in use</text>" in page.read_text(encoding="utf-8")
    code, _, err = scrubline("evaluate", gold)
    assert code == 2 and "give PREDICTED" in err
    code, _, err = scrubline("evaluate", gold, "--dial", "en-default", "--html", tmp_path / "x")
    assert code == 2 and "--against and --html need predicted annotations" in err


def broken(corpus):
    path = corpus("broken.jsonl", count=1)
    path.write_text('{"text": "Seen by Abernathy"}\n')
    return path


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("evaluate", "BAD", "GOOD"), "gold: "),
        (("evaluate", "GOOD", "BAD"), "predicted: "),
        (("evaluate", "GOOD", "GOOD", "--against", "BAD"), "--against: "),
        (("train", "--corpus", "BAD", "--name", "x", "--output", "new"), "--corpus: "),
        (
            ("train", "--corpus", "GOOD", "--corpus", "BAD", "--name", "x", "--output", "new"),
            "--corpus 2 of 2: ",
        ),
        (("train", "--synth", "1:1", "--add", "BAD", "--name", "x", "--output", "n"), "--add: "),
        (
            *(("train", "--synth", "1:1", "--held-out", "BAD", "--name", "x", "--output", "n"),),
            "--held-out: ",
        ),
        (
            ("train", "--mapped-corpus", "BAD", "i2b2_2006", "--name", "x", "--output", "n"),
            "--mapped-corpus: ",
        ),
        (("dial", "en-default", "--on", "BAD", "--curve"), "--on: "),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize("fault", ["missing", "broken"])
@pytest.mark.slow
def test_what_cannot_be_read_is_told_with_its_option(scrubline, corpus, words, option, fault):
    good = corpus("g.jsonl", *GOLD)
    bad = broken(corpus) if fault == "broken" else good.parent / "none.jsonl"
    places = {"GOOD": good, "BAD": bad}
    code, _, err = scrubline(*(places.get(word, word) for word in words))
    reason = "corpus line 1: MissingKey" if fault == "broken" else "input 1 of 1 does not exist"
    assert code == 2
    assert f"scrubline: {option}{reason}" in err
    assert "Abernathy" not in err and "jsonl" not in err


def test_nothing_to_compare_is_refused(scrubline, corpus):
    empty = corpus("e.jsonl", count=0)
    code, out, err = scrubline("evaluate", empty, empty, "--resamples", 0)
    assert (code, out) == (2, "") and "nothing to compare" in err


@pytest.mark.parametrize(("label", "warned"), [("NOPE", True), ("CITY", False)])
def test_a_label_to_ignore_that_no_span_has_is_told(scrubline, corpus, label, warned):
    gold = corpus("g.jsonl", *GOLD)
    code, _, err = scrubline("evaluate", gold, gold, "--resamples", 0, "--ignore", label)
    assert code == 0 and ("no span has the label ['NOPE']" in err) is warned
