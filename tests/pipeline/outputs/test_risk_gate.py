"""The gate of risk: what holds a run, with code 3 and each reason named, and what lets it pass."""

import dataclasses
import datetime
import json
import os
import shutil
from pathlib import Path

import pytest
from scrubline.models.core.errors import GateFailed, RunOnHold, UsageError
from scrubline.models.risk.envelope import in_toto_statement, sign, signing_key
from scrubline.models.risk.rows import MarkedSpan
from scrubline.pipeline import run as runs
from scrubline.pipeline.outputs import risk_gate
from scrubline.pipeline.outputs.manifest import read_manifest
from scrubline.pipeline.outputs.pending import load_run
from scrubline.pipeline.outputs.risk_sentence import told_risk
from scrubline.pipeline.run import plan_and_freeze, resume, scrub

from ..conftest import COLUMNS
from ..measuring import certified_copy, read_campaign, signing_keys, write_notes

OTHER_COLUMNS = COLUMNS.parse(
    [(name, "drop" if name == "n" else role) for name, role in COLUMNS.roles]
)


@pytest.fixture(scope="module")
def certified(waiting_run, tmp_path_factory):
    """The run that waits, with campaign and certificate; nothing of it may be changed."""
    folder = tmp_path_factory.mktemp("certified")
    certified_copy(waiting_run, folder)
    signing_keys(folder, "stranger", seed=9)
    return folder


@pytest.fixture
def asked(certified, waiting_run, tmp_path):
    """Options that resume a copy of the certified run, and ask for what it certifies."""
    shutil.copytree(certified / "out", tmp_path / "out")
    return dataclasses.replace(
        waiting_run,
        output=str(tmp_path / "out"),
        hold=False,
        max_risk="direct=0.05",
        certificate=str(tmp_path / "out/risk/certificate.dsse.json"),
        trusted_keys=str(certified / "officer.pub"),
    )


@pytest.fixture
def published(asked, storage):
    """The same options, once the certified run is published; for nights after it."""
    resume(storage, asked)
    return asked


def resigned(options, certified, change, key="officer.pem"):
    """The certificate, changed and signed anew, in a file beside the output."""
    folder = Path(options.output)
    value = json.loads((folder / "risk/certificate.json").read_bytes())
    change(value)
    campaign = value["campaign"]
    digests = {"draw.jsonl": campaign["draw_sha256"], "marks.jsonl": campaign["marks_sha256"]}
    signer = signing_key((certified / key).read_bytes())
    place = folder.parent / "changed.dsse.json"
    place.write_bytes(sign(in_toto_statement(value, digests), [signer]))
    return dataclasses.replace(options, certificate=str(place))


def in_the_past(value):
    value["issued"]["begun"], value["expires"] = "2020-01-01", "2020-06-29"


def long_ago(value):
    value["issued"]["begun"] = "2020-01-01"


def other(name, changed):
    def change(value):
        value["issued"]["made"][name] = changed
        value["issued"]["content"] = "0" * 64

    return change


def other_texts(value):
    value["issued"]["content"] = "0" * 64


def damaged(value):
    del value["issued"]


def without_risks(value):
    del value["frame"]["quantiles"]["risk"]


# -- the run that was read


def test_a_run_passes_by_its_own_certificate_and_says_that_it_was_measured(asked, storage):
    manifest = resume(storage, asked)
    said = manifest["report"]["risk"]
    assert (said["how"], said["from"]) == ("measured", manifest["run"])
    (statement,) = said["statements"]
    assert statement["bound"] == statement["bound_of_run"] <= statement["limit"] == 0.05
    assert statement["outside"] == 0
    told = told_risk(read_manifest(storage, asked.output))
    assert told.carried_from is None
    assert (told.statement.of, told.statement.bound) == ("direct", statement["bound"])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (in_the_past, "Expired: its last day was 2020-06-29"),
        (long_ago, "TooOld: its campaign was drawn on 2020-01-01, over 90 days ago"),
        (other("code_version", "0.0.1"), "OtherCode: the run that was read was made with another"),
        (other("models", ["x"]), "OtherModels: the run that was read was made with other models"),
        (other("rules", "x"), "OtherRules: the run that was read was made with other rules or dic"),
        (other("policy", "x"), "OtherPolicy: the run that was read was made with another policy"),
        (other("settings", "x"), "OtherSettings: the run that was read was made with another key"),
        (other_texts, "OtherTexts: the run was done again since"),
        (damaged, "DamagedCertificate: certificate: "),
        (without_risks, "DamagedCertificate: certificate: "),
    ],
    ids=lambda value: value.partition(":")[0] if isinstance(value, str) else "",
)
def test_each_reason_of_a_certificate_holds_the_run(asked, storage, certified, change, reason):
    with pytest.raises(GateFailed) as held:
        resume(storage, resigned(asked, certified, change))
    assert f"\n  {reason}" in str(held.value), str(held.value)
    assert "Nothing is published" in str(held.value)
    folder = Path(asked.output)
    assert not (folder / "_SUCCESS").exists() and not (folder / "data").exists()
    assert resume(storage, asked)["report"]["risk"]["how"] == "measured"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"certificate": None}, "NoCertificate: none is named (--certificate)"),
        ({"certificate": "nowhere.json"}, "NoCertificate: there is no such file"),
        ({"certificate": "."}, "NoCertificate: it cannot be read"),
        ({"certificate": "OUT/risk/certificate.json"}, "Untrusted: certificate: it is no DSSE"),
        ({"certificate": "OUT/seal.json"}, "NoCertificate: there is no such file"),
        ({"certificate": "FORGED"}, "Untrusted: certificate: none of its signatures (1)"),
        ({"trusted_keys": "STRANGER"}, "Untrusted: certificate: none of its signatures (1)"),
        ({"max_risk": "direct=0.01"}, "AboveLimit: at most 0.04"),
        ({"max_risk": "direct=0.05,any=0.001"}, "AboveLimit: at most 0.0"),
        ({"max_risk": "direct:patient=0.0001"}, "AboveLimit: at most 0."),
    ],
    ids=str,
)
def test_what_else_holds_it(asked, storage, certified, scrubline, changes, reason):
    if changes.get("certificate") == "FORGED":
        changes = {"certificate": resigned(asked, certified, long_ago, "stranger.pem").certificate}
    if changes.get("trusted_keys") == "STRANGER":
        changes = {"trusted_keys": str(certified / "stranger.pub")}
    if (changes.get("certificate") or "").startswith("OUT/"):
        changes = {"certificate": changes["certificate"].replace("OUT", asked.output)}
    options = dataclasses.replace(asked, **changes)
    words = ["--max-risk", options.max_risk, "--trusted-keys", options.trusted_keys]
    words += ["--certificate", options.certificate] if options.certificate else []
    code, _, err = scrubline("resume", "--output", options.output, *words)
    assert code == 3 and f"\n  {reason}" in err, err
    assert not Path(asked.output, "_SUCCESS").exists()
    assert resume(storage, asked)["run"]


def test_an_age_is_counted_from_the_draw(asked, storage, certified):
    yesterday = (
        datetime.datetime.now(datetime.UTC).date() - datetime.timedelta(days=1)
    ).isoformat()

    def change(value):
        value["issued"]["begun"] = yesterday

    with pytest.raises(GateFailed, match=r"TooOld: .* over 0\.5 days ago \(--max-age\)"):
        resume(storage, dataclasses.replace(resigned(asked, certified, change), max_age=0.5))
    assert resume(storage, dataclasses.replace(resigned(asked, certified, change), max_age=1.0))


def test_a_limit_of_one_asks_for_nothing(asked, storage):
    manifest = resume(storage, dataclasses.replace(asked, max_risk="direct=1", certificate=None))
    assert "risk" not in manifest["report"] and told_risk(manifest) is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"max_risk": None}, "--certificate and --trusted-keys need --max-risk"),
        ({"trusted_keys": None}, "--max-risk needs --trusted-keys FILE"),
        ({"trusted_keys": "nowhere.pub"}, "--trusted-keys: there is no such file"),
    ],
)
def test_what_is_refused_before_any_work(asked, storage, monkeypatch, changes, said):
    monkeypatch.setattr(runs, "work", lambda *_: pytest.fail("it worked"))
    with pytest.raises(UsageError, match=said):
        resume(storage, dataclasses.replace(asked, **changes))


def test_what_is_refused_when_a_run_is_planned(asked, storage, tmp_path):
    options = dataclasses.replace(asked, output=str(tmp_path / "new"), trusted_keys=None)
    with pytest.raises(UsageError, match="--max-risk needs --trusted-keys"):
        scrub(storage, options)
    assert not (tmp_path / "new").exists()
    with pytest.raises(UsageError, match="--max-risk expected direct=SHARE"):
        dataclasses.replace(asked, max_risk="0.02")


def test_a_publication_that_was_cut_off_says_the_same_once_it_is_resumed(
    asked, storage, monkeypatch
):
    def killed(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("scrubline.pipeline.outputs.publishing.publish_stale", killed)
        with pytest.raises(KeyboardInterrupt):
            resume(storage, asked)
    os.remove(asked.certificate)
    given = {"max_risk": None, "certificate": None, "trusted_keys": None}
    manifest = resume(storage, dataclasses.replace(asked, **given))
    assert manifest["report"]["risk"]["how"] == "measured"


# -- nights after it


def later(options, tmp_path, **notes):
    folder = write_notes(tmp_path / "later", first=5000, **{"count": 200, **notes})
    output = str(tmp_path / "out-later")
    return dataclasses.replace(options, inputs=(str(folder),), output=output)


def test_a_night_that_is_like_it_passes_and_says_from_which_run(published, storage, tmp_path):
    manifest = scrub(storage, later(published, tmp_path))
    said = manifest["report"]["risk"]
    first = read_manifest(storage, published.output)["run"]
    assert (said["how"], said["from"]) == ("carried", first) and manifest["run"] != first
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    assert told_risk(manifest).carried_from == today


def test_a_night_into_the_same_output_passes(published, storage, tmp_path):
    more = dataclasses.replace(later(published, tmp_path), output=published.output)
    assert scrub(storage, more)["report"]["risk"]["how"] == "carried"


@pytest.mark.parametrize(
    ("notes", "changes", "reason"),
    [
        ({"kinds": ("letter", "Quuxworth")}, {}, "NewType: 1 type of notes that the frame"),
        ("drift", {}, "Drift: documents are not as in the frame by spans_per_token, tokens"),
        ({}, {"recognisers": ("date", "medical_record", "phone")}, "OtherRules: "),
        ({}, {"policy": "hipaa"}, "OtherPolicy: "),
        ({}, {"columns": OTHER_COLUMNS}, "OtherSettings: "),
    ],
    ids=["type", "drift", "rules", "policy", "settings"],
)
def test_a_night_that_is_not_is_held(published, storage, tmp_path, notes, changes, reason):
    options = later(published, tmp_path, **(notes if isinstance(notes, dict) else {}))
    if notes == "drift":
        write_notes(tmp_path / "later", first=5000, count=200, more="No pain at all. " * 60)
    with pytest.raises(GateFailed) as held:
        scrub(storage, dataclasses.replace(options, **changes))
    assert f"\n  {reason}" in str(held.value), str(held.value)
    assert "Quuxworth" not in str(held.value)
    assert ("Quuxworth" in held.value.on_terminal) == (reason.startswith("NewType"))
    assert not (tmp_path / "out-later/_SUCCESS").exists()


def test_limits_and_places_are_frozen_with_the_plan(published, storage, tmp_path, monkeypatch):
    options = later(published, tmp_path, kinds=("other",))
    monkeypatch.chdir(Path(published.trusted_keys).parent)
    job, _ = plan_and_freeze(storage, dataclasses.replace(options, trusted_keys="officer.pub"))
    monkeypatch.chdir(tmp_path)
    assert (job.max_risk, job.max_age) == ("direct=0.05", 90.0)
    assert job.trusted_keys == published.trusted_keys
    bare = dataclasses.replace(options, max_risk=None, certificate=None, trusted_keys=None)
    with pytest.raises(GateFailed, match="NewType"):
        resume(storage, bare)
    assert load_run(storage, options.output, job.run).job.certificate == published.certificate


def test_a_run_that_waits_is_not_asked_before_it_has_waited(asked, storage, tmp_path):
    options = dataclasses.replace(later(asked, tmp_path), certificate=None, hold=True)
    with pytest.raises(RunOnHold):
        scrub(storage, options)
    with pytest.raises(GateFailed, match="NoCertificate"):
        resume(storage, dataclasses.replace(options, hold=False))


def test_a_night_that_was_held_is_held_again_by_the_next(published, storage, tmp_path):
    options = later(published, tmp_path, kinds=("other",))
    with pytest.raises(GateFailed, match="NewType"):
        scrub(storage, options)
    again = dataclasses.replace(options, incremental=True, finish_pending=True)
    with pytest.raises(GateFailed, match="NewType"):
        scrub(storage, again)


def test_a_night_without_documents_passes(published, storage, tmp_path):
    folder = tmp_path / "empty"
    folder.mkdir()
    (folder / "none.jsonl").write_text("")
    options = dataclasses.replace(later(published, tmp_path), inputs=(str(folder),))
    try:
        manifest = scrub(storage, options)
    except UsageError as refused:  # there is nothing to scrub
        assert "no document" in str(refused) or "input" in str(refused)
    else:
        assert manifest["counts"]["documents"] == 0


@pytest.mark.parametrize(
    "report",
    [
        {},
        {"risk": None},
        {"risk": {"how": "measured"}},
        {"risk": {"how": "measured", "statements": []}},
        {"risk": {"how": "carried", "statements": [{"of": "direct"}]}},
    ],
)
def test_a_manifest_that_says_nothing_of_risk(report):
    assert told_risk({"report": report}) is None


def test_bounds_are_rounded_up(asked, storage, monkeypatch):
    real = risk_gate.bounds_of

    def bounds(*given):
        return tuple(dataclasses.replace(one, bound=0.0123451) for one in real(*given))

    monkeypatch.setattr(risk_gate, "bounds_of", bounds)
    (statement,) = resume(storage, asked)["report"]["risk"]["statements"]
    assert statement["bound_of_run"] == 0.012346


def test_marks_of_a_leak_are_of_the_bound(asked, storage):
    # A campaign that found leaks does not certify what a clean one does.
    from scrubline.pipeline.certifying.issuing import issue

    clean = issue(storage, asked.output, "c1", asked.key_source).value["statements"][0]["bound"]
    folder = Path(asked.output, "restricted/review/c1")
    read_campaign(folder, lambda text: [MarkedSpan(9000, 9001, "PATIENT")] if text.n == 1 else [])
    leaking = issue(storage, asked.output, "c1", asked.key_source).value["statements"][0]["bound"]
    assert leaking > clean
