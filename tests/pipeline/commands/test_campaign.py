"""`scrubline campaign`: what is drawn, what is said before, and what is refused."""

import json
import os
import re
from pathlib import Path

import pytest
from scrubline.models.core.keys import new_key
from scrubline.models.risk.rows import read_draw
from scrubline.pipeline.run import resume, scrub

from ..measuring import access, drawn_texts, read_campaign, write_notes, write_private


@pytest.fixture
def campaign(scrubline, measured):
    """Runs the command on the run that waits, with a target that 400 notes allow."""

    def run_it(*words, name="c1", target="0.05", key=measured.key_source):
        given = ("--target", target, "--name", name, "--key-file", key)
        return scrubline("campaign", measured.output, *given, *words)

    return run_it


@pytest.fixture
def review(measured):
    return Path(measured.output, "restricted/review")


def register_of(review):
    return [json.loads(line) for line in (review / "campaigns.jsonl").read_text().splitlines()]


def test_what_is_said_and_written(campaign, review, measured):
    code, out, err = campaign()
    assert (code, err) == (0, "")
    draw = (review / "c1/draw.jsonl").read_bytes()
    drawn = read_draw(draw)
    lines = out.splitlines()
    assert lines[0].startswith(f"run {drawn.campaign.run}: 400 documents of 150 patients, ")
    table = "documents to read, until at most 5 % are certified to hold a direct identifier"
    assert lines[2].startswith(table)
    clean = re.fullmatch(
        r"  if none of those that are read leaks: +(\d+)  \(--sequential: (\d+)\)", lines[3]
    )
    assert drawn.campaign.n >= int(clean[1]) and int(clean[2]) > int(clean[1])
    assert re.search(r"if 2\.5 % leak in truth: +\d+  \(chance 80 %\)", out)
    assert f"campaign c1: {drawn.campaign.n} documents to read, in {len(drawn.texts)} texts" in out
    (row,) = register_of(review)
    assert f"draw.jsonl: SHA-256 {row['draw_sha256']}" in out
    assert (row["name"], row["run"], row["alpha"]) == ("c1", drawn.campaign.run, 0.05)
    assert sum(len(text.planted) for text in drawn.texts) >= 60
    assert drawn.campaign.types == () and not any(text.extra for text in drawn.texts)


def test_all_is_for_its_owner_alone(campaign, review):
    campaign()
    modes = {path: path.stat().st_mode & 0o777 for path in (review, *review.rglob("*"))}
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}


def test_nothing_is_written_by_a_dry_run(campaign, review):
    code, out, _ = campaign("--dry-run")
    assert code == 0 and out.endswith("nothing was written\n") and "documents to read" in out
    assert not review.exists()


def test_a_draw_is_the_same_for_the_same_key_and_name(campaign, review, tmp_path):
    campaign()
    first = (review / "c1/draw.jsonl").read_bytes()
    os.rename(review, tmp_path / "elsewhere")
    campaign()
    assert (review / "c1/draw.jsonl").read_bytes() == first
    campaign(name="c2")
    ones, twos = ({text.doc_key for text in drawn_texts(review / name)} for name in ("c1", "c2"))
    assert ones != twos


def test_a_campaign_is_frozen(campaign, review):
    campaign()
    before = (review / "c1/draw.jsonl").read_bytes(), register_of(review)
    code, out, err = campaign(target="0.1")
    assert (code, out) == (2, "")
    assert "there is a campaign c1 already, and what is drawn stays as it is" in err
    assert ((review / "c1/draw.jsonl").read_bytes(), register_of(review)) == before


def test_what_was_registered_and_not_written_is_written_by_the_same_command(campaign, review):
    campaign()
    draw = (review / "c1/draw.jsonl").read_bytes()
    (review / "c1/draw.jsonl").unlink()
    code, _, err = campaign(target="0.1")  # it would be another draw
    assert code == 2 and "there is a campaign c1 already" in err
    assert campaign()[0] == 0
    assert (review / "c1/draw.jsonl").read_bytes() == draw and len(register_of(review)) == 1


def test_killed_between_the_register_and_the_draw(campaign, review, monkeypatch):
    from scrubline.pipeline.certifying import campaigns

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(campaigns, "write_private", killed)
        campaign()
    assert len(register_of(review)) == 1 and not (review / "c1/draw.jsonl").exists()
    code, _, err = campaign()
    assert (code, err) == (0, "")
    assert len(register_of(review)) == 1 and (review / "c1/draw.jsonl").exists()


def test_a_published_run_is_measured_too(campaign, review, measured, storage):
    waiting = campaign("--dry-run")[1]
    resume(storage, measured)
    assert campaign()[0] == 0
    assert campaign("--dry-run", name="c2")[1].splitlines()[0] == waiting.splitlines()[0]


def test_of_an_output_of_several_nights_the_last_run_is_measured(
    campaign, review, measured, storage, tmp_path
):
    import dataclasses

    resume(storage, measured)
    later = str(write_notes(tmp_path / "later", first=1000, count=150))
    manifest = scrub(storage, dataclasses.replace(measured, inputs=(later,)))
    code, out, _ = campaign("--dry-run")
    assert code == 0 and out.startswith(f"run {manifest['run']}: 150 documents of 150 patients")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--cut-tail", "0.05"), "--cut-tail needs the risk of each document"),
        (("--target", "0.0001"), "too few: 400 documents"),
        (("--target", "0"), "--target is a share over 0 and below 1"),
        (("--target", "1"), "--target is a share over 0 and below 1"),
        (("--alpha", "0.2"), "--alpha is over 0 and at most 0.05"),
        (("--expected", "1"), "--expected is at least 0 and below 1"),
        (("--notes", "0"), "--notes must be 1 or more"),
        (("--notes", "30"), "only 30 of the 30 units that would be read have direct identifiers"),
        (("--unit", "patient", "--by-type"), "--by-type is of documents"),
        (("--name", "find"), "`find` is taken"),
        (("--name", "../x"), "the name of a campaign: expected letters"),
        (("--run", "0" * 16), "holds nothing of run|no manifest"),
        (("--trained", "nowhere"), "--trained: there is no such file"),
        (("--of", "quasi"), "invalid choice"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be(campaign, review, words, said):
    code, _, err = campaign(*words)
    assert code == 2 and re.search(said, err), err
    assert not review.exists()


def test_without_patients_none_can_be_drawn(scrubline, run, options):
    import dataclasses

    columns = options.columns.parse(
        [(name, "drop" if name == "patient_id" else role) for name, role in options.columns.roles]
    )
    run(columns=dataclasses.replace(columns))
    code, _, err = scrubline(
        *("campaign", options.output, "--target", "0.5", "--name", "c", "--unit", "patient"),
        *("--key-file", options.key_source),
    )
    assert code == 2 and "--unit patient: nothing says whose notes these are" in err


def test_the_key_of_another_run_draws_nothing(campaign, review, tmp_path):
    other = tmp_path / "other.txt"
    other.write_text(new_key())
    other.chmod(0o600)
    code, _, err = campaign(key=str(other))
    assert code == 2 and "wrong master key" in err and not review.exists()


def test_there_is_no_such_output(scrubline, tmp_path):
    given = ("--target", "0.1", "--name", "c", "--key-file", "x")
    code, _, err = scrubline("campaign", tmp_path / "nowhere", *given)
    assert code == 2 and "there is no such output" in err


def test_a_run_that_is_not_done_is_not_drawn_from(campaign, measured):
    (receipts,) = Path(measured.output, "_staging").glob("*/receipts")
    next(receipts.iterdir()).unlink()
    code, _, err = campaign()
    assert code == 2 and re.search(r"is not done: 1 of \d+ units are left", err)


def test_a_part_that_was_changed_is_not_drawn_from(campaign, review, measured):
    (documents,) = Path(measured.output, "_staging").glob("*/documents")
    part = next(documents.rglob("*.parquet"))
    part.write_bytes(part.read_bytes() + b"\0")
    code, _, err = campaign()
    assert code == 3 and "a part of documents is not what was written" in err
    assert not review.exists()


# -- kinds of campaigns


def test_patients_are_drawn_with_all_their_notes(campaign, review):
    code, out, _ = campaign("--unit", "patient", target="0.1")
    assert code == 0 and "patients to read" in out
    drawn = read_draw((review / "c1/draw.jsonl").read_bytes())
    units = {text.n for text in drawn.texts}
    assert len(units) == drawn.campaign.n <= 150 < len(drawn.texts) * 3
    assert drawn.campaign.units == 150


def test_types_are_strata_and_have_enough_notes(campaign, review):
    code, out, _ = campaign("--by-type", "--notes", "70")
    drawn = read_draw((review / "c1/draw.jsonl").read_bytes())
    assert code == 0 and drawn.campaign.types == ("letter", "nursing", "progress")
    by_type = [text.stratum for text in drawn.texts]
    assert all(by_type.count(name) >= 30 for name in drawn.campaign.types)
    extras = sum(text.extra for text in drawn.texts)
    assert len(drawn.texts) == 70 + extras
    assert (f"for statements by type: {extras} more" in out) == (extras > 0)


def test_a_sequential_campaign_draws_more_than_it_may_need(campaign, review):
    code, out, _ = campaign("--sequential", target="0.1")
    drawn = read_draw((review / "c1/draw.jsonl").read_bytes())
    assert code == 0 and drawn.campaign.method == "sequential" and "at most" in out
    assert "a chance of" not in out


def test_what_is_expected_to_leak_takes_more_notes(campaign):
    counts = []
    for part in ("0", "0.25", "0.5"):
        out = campaign("--dry-run", "--expected", part)[1]
        counts.append(int(re.search(r"campaign c1: (\d+) documents", out)[1]))
    assert counts == sorted(counts) and counts[0] < counts[2]


def test_what_was_exported_to_train_on_is_not_drawn(campaign, review, tmp_path):
    campaign()
    drawn = [text.doc_key for text in drawn_texts(review / "c1")]
    (review / "find").mkdir(mode=0o700)
    write_private(review / "find/access.jsonl", access(drawn[0], "export"))
    listed = tmp_path / "trained.txt"
    listed.write_text(f"{drawn[1]}\n\n")
    code, out, _ = campaign("--trained", str(listed), name="c2")
    assert code == 0 and "left out: 2 documents that a model was trained on" in out
    again = {text.doc_key for text in drawn_texts(review / "c2")}
    assert again.isdisjoint(drawn[:2])
    assert read_draw((review / "c2/draw.jsonl").read_bytes()).campaign.frame.documents == 398


def test_a_list_of_other_things_is_no_list_of_documents(campaign, tmp_path):
    listed = tmp_path / "trained.txt"
    listed.write_text("0" * 32 + "\n5100107\n")
    code, _, err = campaign("--trained", str(listed))
    assert code == 2 and "--trained: line 2 is no doc_key" in err and "5100107" not in err


# -- the register


def test_what_nobody_has_read_costs_nothing(campaign, review):
    assert campaign()[0] == campaign(name="c2")[0] == campaign(name="c3")[0] == 0
    rows = register_of(review)
    assert [row["seq"] for row in rows] == [1, 2, 3]


@pytest.mark.parametrize("how", ["marks", "access", "ended", "gone"])
def test_reading_until_one_passes_is_refused(campaign, review, how):
    campaign()
    folder = review / "c1"
    if how == "marks":
        read_campaign(folder, only=lambda text: text.n == 1)
    elif how == "access":
        write_private(folder / "access.jsonl", access(drawn_texts(folder)[0].doc_key))
    elif how == "ended":
        write_private(folder / "ended", b"")
    else:
        (folder / "draw.jsonl").unlink()
    code, _, err = campaign(name="c2")
    assert code == 2 and "campaigns on these texts that were read: 1; they have spent 0.05" in err
    assert len(register_of(review)) == 1 and not (review / "c2/draw.jsonl").exists()


def test_what_one_leaves_another_may_spend(campaign, review):
    campaign("--alpha", "0.03")
    read_campaign(review / "c1")
    assert "What is left is --alpha 0.02" in campaign(name="c2")[2]
    assert campaign("--alpha", "0.02", name="c2")[0] == 0
    assert read_draw((review / "c2/draw.jsonl").read_bytes()).campaign.alpha == 0.02


def test_other_texts_have_an_alpha_of_their_own(campaign, review, measured, storage):
    import dataclasses

    campaign()
    read_campaign(review / "c1")
    resume(storage, measured)
    scrub(storage, dataclasses.replace(measured, recognisers=("date",), allow_different_job=True))
    code, out, err = campaign("--of", "any", name="c2")
    assert (code, err) == (0, ""), out


def flipped(line):
    row = json.loads(line)
    return json.dumps({**row, "alpha": 0.01}, sort_keys=True, separators=(",", ":"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: [flipped(lines[0]), *lines[1:]], "line 1 was not written with the key"),
        (lambda lines: lines[1:], "line 1 does not follow from the one before"),
        (lambda lines: ["{}", *lines[1:]], "line 1 is no row of it"),
        (lambda lines: [lines[1], lines[0]], "line 1 does not follow"),
        (lambda lines: lines[:1], "rows were cut off: the register has none of 1 draw"),
        (lambda lines: [], "rows were cut off: the register has none of 2 draws"),
    ],
    ids=["changed", "taken out", "damaged", "turned round", "cut off", "emptied"],
)
def test_a_register_that_was_changed_stops_all(campaign, review, scrubline, measured, change, said):
    campaign()
    campaign(name="c2")
    lines = (review / "campaigns.jsonl").read_text().splitlines()
    write_private(review / "campaigns.jsonl", "".join(f"{x}\n" for x in change(lines)).encode())
    for words in (campaign(name="c3"),):
        assert words[0] == 2 and f"the register of campaigns was changed: {said}" in words[2]


def test_nobody_reads_a_draw_that_was_changed(campaign, review, scrubline, measured, monkeypatch):
    from scrubline.pipeline.review import server

    monkeypatch.setattr(server, "serve_review", lambda *_: pytest.fail("it is served"))
    campaign()
    draw = (review / "c1/draw.jsonl").read_bytes()
    changed = draw.replace(b'"twice":true', b'"twice":false')
    assert changed != draw
    write_private(review / "c1/draw.jsonl", changed)
    words = ("--queue", "measure", "--campaign", "c1", "--reviewer", "ana")
    code, _, err = scrubline("review", measured.output, *words, "--key-file", measured.key_source)
    assert code == 2 and "is not the one that was registered" in err


def test_a_last_row_without_its_end_is_none(campaign, review):
    campaign()
    whole = (review / "campaigns.jsonl").read_bytes()
    write_private(review / "campaigns.jsonl", whole + b'{"seq":2,"at"')
    assert campaign(name="c2")[0] == 0
    assert [row["name"] for row in register_of(review)] == ["c1", "c2"]


@pytest.mark.parametrize("what", ["folder", "register", "link"])
def test_what_others_can_read_is_refused(campaign, review, tmp_path, what):
    campaign()
    if what == "folder":
        review.chmod(0o750)
    elif what == "register":
        (review / "campaigns.jsonl").chmod(0o644)
    else:
        os.rename(review / "campaigns.jsonl", tmp_path / "r")
        (review / "campaigns.jsonl").symlink_to(tmp_path / "r")
    code, _, err = campaign(name="c2")
    assert code == 2 and ("0700" in err or "cannot be read" in err)


def test_nothing_of_a_note_is_in_any_file_or_message(campaign, review):
    _, out, err = campaign("--by-type")
    said = out + err + "".join(path.read_text() for path in review.rglob("*.jsonl"))
    assert not re.search(r"MRN|555-867|Stable|p1[0-9]\b", said)
    assert "700000" not in said
