"""`scrubline policy`, and whole runs under a policy that uses all there is."""

import dataclasses
import hashlib
import json
import logging
import sys
import threading
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from rich.console import Console
from scrubline import Scrubber
from scrubline.models.core.errors import RunFailed, UsageError
from scrubline.models.core.labels import HIPAA_ITEMS, LABELS
from scrubline.models.redaction.own_rules import OwnRule
from scrubline.models.redaction.policy import OwnLabel, Policy
from scrubline.models.redaction.policy_file import load_policy
from scrubline.pipeline.cli import main as cli
from scrubline.pipeline.commands.inspect import read_rows, show_document, summary
from scrubline.pipeline.commands.policy import COVERED, KEPT, NEVER, PARTLY, check_policy, explain
from scrubline.pipeline.commands.rule_tests import require_passing
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.outputs.manifest import read_manifest
from scrubline.pipeline.run import plan_and_freeze, resume


@pytest.fixture
def scrubline(monkeypatch, capsys):
    """Runs a command line in this process; gives exit code, standard output and error."""
    root = logging.getLogger()
    before = root.handlers[:], root.level, sys.excepthook, threading.excepthook, sys.unraisablehook

    def run_it(*words):
        with pytest.raises(SystemExit) as ended:
            cli.main([str(word) for word in words])
        return ended.value.code, *capsys.readouterr()

    yield run_it
    root.handlers[:], root.level, sys.excepthook, threading.excepthook, sys.unraisablehook = before


SITE = """
name = "site"
extends = "hipaa"
[labels]
STUDY = { hipaa = "R", description = "name of a study" }
[texts]
DATE = "<{label}/>"
PHONE = "(phone)"
[actions]
EMAIL = "mask"
STATE = "keep"
[deny]
STUDY = ["heart-2", "ab"]
ORGANIZATION = "wards.txt"
[allow]
DATE = ["1/2/2019"]
"*" = ["foley catheter", "heart-2"]
[veto]
PHONE = ["555-867-1001"]
[note_types."radiology*"]
default = "mask"
actions = { DOCTOR = "keep" }
deny = { CITY = ["xyzzyville"] }
"""


@pytest.fixture
def site(tmp_path):
    """The path of a policy with all there is, a list beside it."""
    folder = tmp_path / "policies"
    folder.mkdir()
    (folder / "wards.txt").write_text("4 West\nSecret Ward\n")
    (folder / "site.toml").write_text(SITE)
    return folder / "site.toml"


@pytest.fixture
def with_empty(site):
    """The same with a label that nothing gives, which no run would take."""
    site.write_text(SITE.replace("[texts]", "EMPTY = {}\n[texts]"))
    return site


# -- the command


def test_the_shipped_ones_are_listed_and_shown(scrubline):
    code, out, _ = scrubline("policy", "list")
    assert code == 0 and out.splitlines() == [
        "expert: no Safe Harbor rules; keeps no label, shifts dates, puts surrogates",
        "hipaa: Safe Harbor rules; keeps no label",
        "research: no Safe Harbor rules; keeps CITY, COUNTRY, DATE, PROFESSION, STATE, ZIP",
    ]
    code, out, _ = scrubline("policy", "show", "hipaa")
    shipped = Path(cli.__file__).parents[2] / "models/redaction/policies/hipaa.toml"
    assert code == 0 and out == shipped.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "words",
    [
        *(["list", "hipaa"], ["check"], ["show"], ["show", "nosuch"], ["check", "nosuch"]),
        *(["explain", "hipaa"], [], ["check", "/no/JohnSmith.toml"]),
    ],
)
def test_bad_usage_is_refused(scrubline, words):
    code, out, err = scrubline("policy", *words)
    assert code == 2 and out == "" and "JohnSmith" not in err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nmae = 'x'", "policy: unknown ['nmae'] (did you mean 'name'?); allowed: ['name', "),
        ("name = 'x'\nextends = 'hipaa'\n[actions]\nDATE = 'keep'", "DATE: keep is refused under"),
        (
            "name = 'x'\n[note_types.a.actions]\nDATE = 'drop'",
            "[note_types] 'a': [actions] DATE: 'd",
        ),
        ("name = 'x'\n[deny]\nDATE = 'none.txt'", "[deny] DATE: list 1 cannot be read"),
        ("name = 'x'\nname = 'y'", "not valid TOML"),
    ],
)
def test_mistakes_end_with_2_and_say_where(scrubline, tmp_path, text, message):
    (tmp_path / "a.toml").write_text(text)
    code, out, err = scrubline("policy", "check", tmp_path / "a.toml")
    assert code == 2 and out == "" and message in err


def test_help_teaches(scrubline):
    code, out, _ = scrubline("policy", "--help")
    assert code == 0
    assert out.count("\nexample: scrubline policy") == 4
    assert all(len(line) <= 100 for line in out.splitlines())
    assert all(word in out for word in ("check", "show", "list", "--json", "exits with 2"))


def test_check_says_what_a_policy_does(scrubline, with_empty):
    code, out, _ = scrubline("policy", "check", with_empty)
    assert code == 0
    lines = " ".join(out.split())
    for said in (
        "policy site: no errors. Safe Harbor rules on",
        "redact, to [LABEL]: PATIENT, DOCTOR,",
        "redact, to <LABEL/>: DATE",
        "redact, to (phone): PHONE",
        "mask: EMAIL",
        "keep (left as it is): STATE",
        "any other label that a model gives: redact",
        "columns of role date and birth: are left out",
        "denied (always removed): ORGANIZATION: 2, STUDY: 2",
        "allowed (kept, with all that lies within them): *: 2, DATE: 1",
        "vetoes (kept where a candidate is exactly that): PHONE: 1",
        "Notes of type radiology*: differences",
        "keep (left as it is): DOCTOR",
        "any other label: mask",
        "denied (always removed): CITY: 1, ORGANIZATION: 2, STUDY: 2",
        "(A) covered names; PATIENT: redact;",
        "(C) partly dates except the year, and ages over 89; AGE: generalise; DATE: redact; "
        "phrases let through: 1",
        "(Q) never found full-face photographs",
        "USERNAME, IDNUM, PHI, STUDY: redact",
        "phrases both denied and allowed: 1; they are removed",
        "denied phrases of fewer than 3 characters: 1",
        "EMPTY has no deny-list",
    ):
        assert said in lines, said
    assert all(len(line) <= 100 for line in out.splitlines())
    assert not any(secret in out.lower() for secret in ("heart", "secret ward", "foley", "555"))


def test_check_as_json_is_the_same_content(scrubline, site):
    code, out, _ = scrubline("policy", "check", site, "--json")
    told = json.loads(out)
    assert code == 0 and told == explain(load_policy(str(site)))
    assert told["fingerprint"] == load_policy(str(site)).fingerprint
    assert list(told["labels"]) == [*LABELS, "STUDY"]
    assert told["labels"]["DATE"]["becomes"] == "<DATE/>" and told["labels"]["DATE"]["rules"]
    assert told["labels"]["STUDY"]["description"] == "name of a study"
    assert told["note_types"]["radiology*"]["labels"]["DOCTOR"] == {"action": "keep"}
    assert "heart" not in out.lower()


@pytest.mark.parametrize("name", ["hipaa", "research"])
def test_the_shipped_policies_are_explained(name):
    told = explain(load_policy(name))
    assert list(told["hipaa_items"]) == list(HIPAA_ITEMS)
    status = {letter: item["status"] for letter, item in told["hipaa_items"].items()}
    assert status["Q"] == NEVER and status["P"] == status["R"] == PARTLY
    others = set(HIPAA_ITEMS) - set("BCPQR")
    assert {status[letter] for letter in others} == {COVERED}
    assert status["B"] == status["C"] == (COVERED if name == "hipaa" else PARTLY)
    assert bool(told["warnings"]) == (name == "research")
    assert check_policy(name, as_json=False).startswith(f"policy {name}: no errors")


@pytest.mark.parametrize(
    ("policy", "letter", "expected"),
    [
        (Policy("a"), "C", COVERED),
        (Policy("a", {"DATE": "keep"}), "C", PARTLY),
        (Policy("a", {"DATE": "keep", "AGE": "keep"}), "C", KEPT),
        (Policy("a", date_columns="keep"), "C", PARTLY),
        (Policy("a", {"AGE": "generalise"}), "C", COVERED),
        (Policy("a", veto={"DATE": frozenset({"may"})}), "C", PARTLY),
        (Policy("a", allow={"AGE": frozenset({"54"})}), "C", PARTLY),
        (Policy("a", allow={"*": frozenset({"54"})}), "C", COVERED),
        (Policy("a", note_types={"x": Policy("a", {"DATE": "keep"})}), "C", PARTLY),
        (Policy("a", {"DOCTOR": "keep"}), "A", COVERED),
        (Policy("a", labels={"FACE": OwnLabel("Q")}), "Q", COVERED),
    ],
)
def test_what_becomes_of_an_item(policy, letter, expected):
    assert explain(policy)["hipaa_items"][letter]["status"] == expected


# -- whole runs

RULES = ("age", "date", "email", "phone")

NOTES = [
    (
        "progress",
        "Seen 1/2/2019 and 3/4/2019 in 4\n  WEST for HEART-2; foley catheter. a@b.example.",
    ),
    ("progress", "Call 555-867-1001 or 555-867-1002. In Xyzzyville, Heart-22."),
    ("Radiology CT", "Seen 3/4/2019, xyzzyville; call 555-867-1002. a@b.example. age 54"),
    (None, "Ab ovo 1/2/2019 x"),
]
EXPECTED = [
    "Seen 1/2/2019 and <DATE/> in [ORGANIZATION] for [STUDY]; foley catheter. ***********.",
    "Call 555-867-1001 or (phone). In Xyzzyville, Heart-22.",
    "Seen ********, **********; call ************. ***********. age 54",
    "[STUDY] ovo 1/2/2019 x",
]


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    rows = [
        {"note_id": n, "patient_id": "p", "kind": kind, "text": text, "n": n}
        for n, (kind, text) in enumerate(NOTES)
    ]
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(folder)


def published(output):
    rows = [
        json.loads(line)
        for path in sorted(Path(output).glob("data/**/*.jsonl"))
        for line in path.read_text().splitlines()
    ]
    return [row["text"] for row in sorted(rows, key=lambda row: row["n"])]


def test_a_run_does_what_the_policy_says_by_note_type(run, storage, options, notes, site):
    manifest = run(inputs=(notes,), policy=str(site), recognisers=RULES, keep_candidates=True)
    assert published(options.output) == EXPECTED
    assert verify(storage, options.output, originals=True, key_source=None)[0] == []

    spans = read_rows(storage, options.output, manifest, "audit")
    told = sorted((s["label"], s["reason"], s["end"] - s["start"]) for s in spans if s["reason"])
    assert told == [
        ("AGE", "policy", 2),
        ("DATE", "allow", 8),
        ("DATE", "allow", 8),
        ("PHONE", "veto", 12),
    ]
    assert {s["action"] for s in spans if s["reason"]} == {"keep"}
    assert {s["reason"] for s in spans if s["action"] != "keep"} == {None}
    denied = sorted((s["label"], s["hipaa"], s["action"]) for s in spans if s["source"] == "deny")
    assert denied == [
        ("CITY", "B", "mask"),
        ("ORGANIZATION", "B", "redact"),
        ("STUDY", "R", "redact"),
        ("STUDY", "R", "redact"),
    ]
    hashes = {s["source_hash"] for s in spans if s["source"] == "deny"}
    assert hashes == {load_policy(str(site)).detector_hashes["deny"]}
    documents = read_rows(storage, options.output, manifest, "documents")
    assert all(f"deny@{next(iter(hashes))[:12]}" in d["detectors"].split() for d in documents)
    # What was only told is in no count.
    assert manifest["labels"]["DATE"] == 2 and manifest["labels"]["PHONE"] == 2
    assert manifest["counts"]["spans"] == sum(manifest["labels"].values()) == len(spans) - 3
    assert sum(n for d in documents for _, n in d["spans"]) == manifest["counts"]["spans"]

    assert manifest["policy"]["kept"] == ["STATE"]
    assert manifest["policy"]["denied"] == {"ORGANIZATION": 2, "STUDY": 2}
    assert manifest["policy"]["allowed"] == {"*": 2, "DATE": 1}
    assert manifest["policy"]["vetoes"] == {"PHONE": 1}
    assert manifest["policy"]["note_types"]["radiology*"]["kept"] == ["DOCTOR", "STATE"]
    shown = summary(manifest)
    assert "denied phrases   ORGANIZATION: 2, STUDY: 2: always removed" in shown
    assert "kept by policy   DOCTOR, STATE (note type radiology*)" in shown
    candidates = [
        row
        for path in Path(options.output).glob("restricted/*/candidates/**/*.parquet")
        for row in pq.read_table(path).to_pylist()
    ]
    verdicts = {(row["detector"], row["verdict"]) for row in candidates if row["label"] != "AGE"}
    assert ("deny", "accepted") in verdicts
    assert {verdict for _, verdict in verdicts} == {"accepted", "allow", "veto"}


def test_the_content_does_not_depend_on_splits_or_batches(run, options, notes, site, tmp_path):
    digests = set()
    for index, caps in enumerate(({}, {"batch_documents": 1}, {"split_bytes": 100})):
        output = str(tmp_path / f"out{index}")
        manifest = run(inputs=(notes,), policy=str(site), recognisers=RULES, output=output, **caps)
        digests.add(manifest["content_digest"])
        assert published(output) == EXPECTED
    assert len(digests) == 1


def test_no_phrase_is_anywhere_but_in_the_lists(run, options, notes, site):
    run(inputs=(notes,), policy=str(site), recognisers=RULES)
    for path in Path(options.output).rglob("*"):
        if path.is_file():
            content = path.read_bytes().lower()
            assert b"secret ward" not in content, path.name


def test_inspect_shows_what_was_published(run, storage, options, notes, site, monkeypatch, capsys):
    run(inputs=(notes,), policy=str(site), recognisers=RULES)
    monkeypatch.setattr("rich.console.Console", lambda: Console(width=400))
    for number, expected in enumerate(EXPECTED):
        show_document(storage, options.output, str(number), key_source=None)
        assert " ".join(expected.split()) in " ".join(capsys.readouterr().out.split())


def test_verify_finds_what_the_policy_does_not_lead_to(run, storage, options, notes, site):
    run(inputs=(notes,), policy=str(site), recognisers=RULES)
    [part] = Path(options.output).glob("data/**/*.jsonl")
    manifest = json.loads(Path(options.output, "manifest.json").read_text())
    text = part.read_text()
    part.write_text(text.replace("(phone)", "(PHONE)"))
    for entry in manifest["parts"]:
        if entry["table"] == "data":
            entry["sha256"] = hashlib.sha256(part.read_bytes()).hexdigest()
    Path(options.output, "manifest.json").write_text(json.dumps(manifest))
    faults, _ = verify(storage, options.output, originals=True, key_source=None)
    assert any("does not lead to the published text" in fault for fault in faults)


def test_a_list_that_changes_after_planning_stops_the_run(storage, options, notes, site):
    planned = dataclasses.replace(options, inputs=(notes,), policy=str(site), recognisers=RULES)
    plan_and_freeze(storage, planned)
    wards = site.parent / "wards.txt"
    content = wards.read_text()
    wards.write_text(content + "5 East\n")
    with pytest.raises((UsageError, RunFailed), match="policy has changed"):
        resume(storage, planned)
    wards.write_text(content)
    resume(storage, planned)
    assert read_manifest(storage, options.output)["policy"]["name"] == "site"
    assert published(options.output) == EXPECTED


# -- rules of one's own

CHART = """
[rules.chart]
label = "STUDY"
patterns = ['GV-(?P<phi>\\d{4,8})']
not_near = ["lot"]
window = 10
finds = ["seen; GV-⟦STUDY:1234567⟧"]
leaves = ["lot GV-1234567"]
"""
OWN_NOTES = [
    ("progress", "Chart GV-1234567, seen 3/4/2019. GV&#45;7654321."),
    ("Radiology CT", "Lot GV-1111111. But also GV-2222222 is out of the lots."),
]


@pytest.fixture
def own(site):
    (site.parent / "rules.toml").write_text(CHART, encoding="utf-8")
    site.write_text(SITE.replace("[labels]", 'rules = ["rules.toml"]\n[labels]'))
    return site


def test_check_explains_rules_and_runs_their_tests(scrubline, own):
    code, out, err = scrubline("policy", "check", own)
    assert (code, err) == (0, "")
    assert "Rules of your own (all tests pass)\n  chart: STUDY; patterns: 1, tests: 2\n" in out
    told = json.loads(scrubline("policy", "check", own, "--json")[1])
    assert told["rules"] == {"chart": {"labels": ["STUDY"], "patterns": 1, "finds": 1, "leaves": 1}}
    assert told["labels"]["STUDY"]["rules"] == ["own:chart"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("⟦STUDY:1234567⟧", "⟦IDNUM:1234567⟧"), "finds 1: not found: IDNUM at 9 to 16"),
        (("⟦STUDY:1234567⟧", "⟦IDNUM:1234567⟧"), "finds 1: found, but not marked: STUDY at 9 to"),
        (("⟦STUDY:1234567⟧", "1234567"), "finds 1: nothing is marked"),
        (("⟦STUDY:1234567⟧", "⟦STUDY:1234567"), "finds 1: line 1: a mark is not closed"),
        (('["lot"]', '["batch"]'), "leaves 1: found: STUDY at 7 to 14"),
    ],
)
def test_check_refuses_rules_whose_tests_fail(scrubline, own, change, told):
    (own.parent / "rules.toml").write_text(CHART.replace(*change), encoding="utf-8")
    code, out, err = scrubline("policy", "check", own)
    assert (code, out) == (2, "")
    assert f"[rules.chart] {told}" in err and "1234567" not in err
    assert load_policy(str(own)).rules


def test_many_tests_that_fail_are_told_in_part():
    rules = [OwnRule("x", ("a",), "DATE", leaves=("a",) * 25)]
    with pytest.raises(UsageError) as caught:
        require_passing(rules)
    lines = str(caught.value).splitlines()
    assert len(lines) == 22 and lines[-1] == "  and 5 more"


def test_check_warns_of_rules_without_tests_and_of_labels_that_nothing_finds(own):
    own.write_text(own.read_text().replace("[texts]", "EMPTY = {}\n[texts]"))
    (own.parent / "rules.toml").write_text("[rules.x]\nlabel = 'EMPTY'\npatterns = ['aa']\n")
    warnings = explain(load_policy(str(own)))["warnings"]
    assert "rule x: it has no tests under finds" in warnings
    assert not any("EMPTY" in warning for warning in warnings)


@pytest.fixture
def own_notes(tmp_path):
    rows = [
        {"note_id": n, "patient_id": "p", "kind": kind, "text": text, "n": n}
        for n, (kind, text) in enumerate(OWN_NOTES)
    ]
    (tmp_path / "own.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(tmp_path / "own.jsonl")


def test_a_run_finds_what_own_rules_say(run, storage, options, own, own_notes):
    manifest = run(inputs=(own_notes,), policy=str(own), recognisers=RULES)
    assert published(options.output) == [
        "Chart GV-[STUDY], seen <DATE/>. GV&#45;[STUDY].",
        "Lot GV-1111111. But also GV-******* is out of the lots.",
    ]
    spans = read_rows(storage, options.output, manifest, "audit")
    of_rule = [span for span in spans if span["source"] == "own:chart"]
    assert {(span["label"], span["hipaa"]) for span in of_rule} == {("STUDY", "R")}
    [value] = {span["source_hash"] for span in of_rule}
    assert value == load_policy(str(own)).detector_hashes["own:chart"]
    documents = read_rows(storage, options.output, manifest, "documents")
    assert all(f"own:chart@{value[:12]}" in str(d["detectors"]) for d in documents)
    assert manifest["policy"]["rules"] == ["chart"]
    assert "own rules        chart" in summary(manifest)
    assert verify(storage, options.output, originals=True, key_source=None)[0] == []


def test_a_rule_that_changes_after_planning_stops_the_run(storage, options, own_notes, own):
    planned = dataclasses.replace(options, inputs=(own_notes,), policy=str(own), recognisers=RULES)
    plan_and_freeze(storage, planned)
    rules = own.parent / "rules.toml"
    rules.write_text(CHART.replace("{4,8}", "{5,8}"), encoding="utf-8")
    with pytest.raises((UsageError, RunFailed), match="policy has changed"):
        resume(storage, planned)
    rules.write_text(
        CHART.replace("seen;", "seen"), encoding="utf-8"
    )  # a test, which decides nothing
    resume(storage, planned)


def test_annotate_and_scrubber_use_own_rules(scrubline, own, tmp_path):
    source, target = tmp_path / "in.jsonl", tmp_path / "found.jsonl"
    source.write_text(json.dumps({"doc_id": "1", "text": "Card GV-1234567.", "spans": []}) + "\n")
    words = ("annotate", "--input", source, "--output", target, "--model", "none")
    code, _, err = scrubline(*words, "--recogniser", "none", "--policy", own)
    assert (code, err) == (0, "")
    [row] = map(json.loads, target.read_text().splitlines())
    assert row["spans"] == [{"start": 8, "end": 15, "label": "STUDY"}]
    scrubber = Scrubber(models=None, recognisers=(), policy=str(own))
    assert scrubber.scrub("Card GV-1234567.") == "Card GV-[STUDY]."
    assert scrubber.scrub("Card GV-1234567.", note_type="radiology") == "Card GV-*******."


def test_check_says_what_is_kept_of_names_and_of_time(scrubline, tmp_path):
    code, out, _ = scrubline("policy", "check", "expert")
    words = " ".join(out.split())
    assert code == 0
    for said in (
        "what is kept of names: scope record: a word has one surrogate in all notes of a patient",
        "what is kept of dates: one of 52 numbers of days, 7 to 364 into the past",
        "what stays: intervals between full days, weekdays",
        "columns of role date and birth: move by the patient's days",
        "(C) partly dates except the year, and ages over 89; AGE: surrogate; DATE: shift; shifted",
        "shifted dates are not Safe Harbor: an expert must determine",
        "surrogate (replaced by another of its kind, which is nobody's",
    ):
        assert said in words, said
    place = tmp_path / "site.toml"
    place.write_text(
        'name = "site"\nextends = "expert"\n'
        'surrogates = { scope = "mention", initials = "keep", numbers = "format", '
        'layout = "pad" }\n'
        'dates = { days = 728, season = true, direction = "both" }\n'
    )
    words = " ".join(scrubline("policy", "check", place)[1].split())
    for said in (
        "each mention has another surrogate, so a reader can follow nobody",
        "the first letter of a name stays; the length of a text stays; a number may be one",
        "one of 28 numbers of days, 343 to 749 into the past or the future",
        "weekdays, seasons",
        "tells the first letter of each name",
    ):
        assert said in words, said
    place.write_text('name = "site"\ndates = { days = 7 }\n')
    assert "the table dates is never used" in scrubline("policy", "check", place)[1]
    assert "what is kept of" not in scrubline("policy", "check", "hipaa")[1]
