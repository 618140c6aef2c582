"""`scrubline certify`, and what `verify` says of campaigns and certificates."""

import base64
import dataclasses
import datetime
import json
import random
import re
import shutil
from pathlib import Path

import pytest
from scrubline.models.core.keys import new_key
from scrubline.models.risk.envelope import sign, signing_key
from scrubline.models.risk.rows import MarkedSpan
from scrubline.pipeline.certifying import issuing
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.run import resume, scrub

from ..measuring import (
    access,
    drawn_texts,
    read_campaign,
    signing_keys,
    write_notes,
    write_private,
)


@pytest.fixture
def campaign(scrubline, measured):
    """Draws a campaign on the run that waits; gives its folder."""

    def draw(*words, name="c1", target="0.05"):
        given = ("--target", target, "--name", name, "--key-file", measured.key_source)
        code, _, err = scrubline("campaign", measured.output, *given, *words)
        assert code == 0, err
        return Path(measured.output, "restricted/review", name)

    return draw


@pytest.fixture
def certify(scrubline, measured):
    def run_it(*words, name="c1", key=measured.key_source):
        given = ("--campaign", name, "--key-file", key)
        return scrubline("certify", measured.output, *given, *words)

    return run_it


@pytest.fixture
def risk(measured):
    return Path(measured.output, "risk")


def value_in(risk):
    return json.loads((risk / "certificate.json").read_bytes())


def leak(text):
    return [MarkedSpan(100_000, 100_005, "PATIENT")]


def test_what_is_said_and_written(campaign, certify, risk, tmp_path):
    folder = campaign()
    read_campaign(folder)
    private, _ = signing_keys(tmp_path)
    code, out, err = certify("--sign", private)
    assert (code, err) == (0, "")
    value = value_in(risk)
    primary = value["statements"][0]
    assert (primary["of"], primary["k"], primary["bound"] <= 0.05) == ("direct", 0, True)
    first, second, third, *_ = out.splitlines()
    assert re.fullmatch(
        r"At most \d\.\d+ % of the 400 documents of run [0-9a-f]{16} hold a direct identifier "
        r"\(a name, number, contact or street\) \(95.0% confidence\)\.",
        first,
    )
    n = primary["n"]
    assert second.startswith(f"Drawn at random and counted: {n} documents; 0 of them leak. Not ")
    assert third.startswith(f"Readers (1) found {n} of {n} spans")
    assert "Campaigns begun on these texts: 1, of which 1 were read" in out
    assert out.endswith("written: risk/certificate.json\nwritten: risk/certificate.dsse.json\n")
    payload = json.loads(
        base64.b64decode(json.loads(Path(risk, "certificate.dsse.json").read_bytes())["payload"])
    )
    assert payload["predicate"] == value
    assert [one["name"] for one in payload["subject"]] == ["draw.jsonl", "marks.jsonl", "run.json"]
    issued = value["issued"]
    assert issued["made"]["code_version"] and issued["left_out"] == 0
    days = datetime.date.fromisoformat(value["expires"]) - datetime.date.fromisoformat(
        issued["begun"]
    )
    assert days.days == 180


def test_the_manifest_is_signed_where_there_is_one(
    campaign, certify, risk, measured, storage, tmp_path
):
    resume(storage, measured)
    read_campaign(campaign())
    assert certify("--sign", signing_keys(tmp_path)[0])[0] == 0
    envelope = json.loads(Path(risk, "certificate.dsse.json").read_bytes())
    names = [one["name"] for one in json.loads(base64.b64decode(envelope["payload"]))["subject"]]
    assert names == ["draw.jsonl", "manifest.json", "marks.jsonl", "run.json"]


def test_without_a_signature_it_says_so_and_leaves_no_envelope(campaign, certify, risk, tmp_path):
    read_campaign(campaign())
    certify("--sign", signing_keys(tmp_path)[0])
    code, out, err = certify()
    assert code == 0 and "the certificate is not signed: no gate takes it" in err
    assert [path.name for path in risk.iterdir()] == ["certificate.json"]


def test_the_same_marks_give_the_same_bytes_in_any_order_and_day(
    campaign, certify, risk, tmp_path, monkeypatch
):
    folder = campaign()
    path = read_campaign(folder, only=lambda text: text.n % 2)
    read_campaign(folder, reader="ben", only=lambda text: text.n % 2 == 0 or text.n == 5)
    private, _ = signing_keys(tmp_path)
    assert certify("--sign", private)[0] == 0
    before = [(risk / name).read_bytes() for name in ("certificate.json", "certificate.dsse.json")]
    lines = path.read_bytes().splitlines(keepends=True)
    random.Random(3).shuffle(lines)
    write_private(path, b"".join(lines) + b'{"torn')
    shutil.rmtree(risk)
    assert certify("--sign", private)[0] == 0
    after = [(risk / name).read_bytes() for name in ("certificate.json", "certificate.dsse.json")]
    assert after == before
    assert value_in(risk)["campaign"]["readers"] == 2


def test_a_bound_above_the_target_is_certified_and_told_by_the_exit_code(campaign, certify, risk):
    folder = campaign()
    read_campaign(folder, lambda text: leak(text) if text.n < 6 else ())
    code, out, err = certify()
    assert code == 3 and re.search(r"the bound, [\d.]+ %, is above the target of 0.05", err)
    assert value_in(risk)["statements"][0]["k"] == 5


@pytest.mark.parametrize("verdict", ["skipped", "timed out", "cannot read", "open"])
def test_what_was_not_read_to_the_end_leaks(campaign, certify, risk, verdict):
    folder = campaign()
    read_campaign(folder, verdict=lambda text: verdict if text.n == 3 else "done")
    certify()
    value = value_in(risk)
    assert value["statements"][0]["k"] == value["campaign"]["unfinished"] == 1


def test_what_nobody_opened_leaks(campaign, certify, risk):
    folder = campaign()
    read_campaign(folder, only=lambda text: text.n > 2)
    certify()
    value = value_in(risk)
    assert value["statements"][0]["k"] == value["campaign"]["unread"] == 2


def test_what_was_opened_and_left_leaks_in_a_sequential_campaign_too(campaign, certify, risk):
    folder = campaign("--sequential", target="0.1")
    read_campaign(folder, only=lambda text: text.n <= 100)
    last = next(text for text in drawn_texts(folder) if text.n == 104)
    write_private(folder / "access.jsonl", access(last.doc_key))
    certify()
    primary = value_in(risk)["statements"][0]
    assert (primary["method"], primary["n"], primary["k"]) == ("e-value", 104, 4)


def test_statements_by_type(campaign, certify, risk):
    read_campaign(campaign("--by-type"))
    _, out, _ = certify()
    types = [one["type"] for one in value_in(risk)["statements"]]
    assert types[-3:] == ["letter", "nursing", "progress"]
    assert re.search(r"Also: At most [\d.]+ % of the 134 documents of type letter hold", out)


# -- refused


def no_marks(folder):
    pass


def few_planted(folder):
    read_campaign(folder, only=lambda text: text.n <= 40)


def in_training(folder):
    read_campaign(folder)
    find = folder.parent / "find"
    find.mkdir(mode=0o700)
    write_private(find / "access.jsonl", access(drawn_texts(folder)[0].doc_key, "export"))


def ended(folder):
    read_campaign(folder)
    write_private(folder / "ended", b"")


def changed_draw(folder):
    read_campaign(folder)
    draw = (folder / "draw.jsonl").read_bytes()
    write_private(folder / "draw.jsonl", draw.replace(b'"target":0.05', b'"target":0.25'))


def changed_row(folder):
    marks = read_campaign(folder)
    lines = marks.read_bytes().splitlines(keepends=True)
    write_private(marks, b"".join(lines[:3] + lines[4:]))


def row_of_another(folder):
    marks = read_campaign(folder)
    key = drawn_texts(folder)[0].doc_key.encode()
    write_private(marks, marks.read_bytes().replace(key, b"0" * 32))


def read_elsewhere(folder):
    marks = read_campaign(folder)
    hmac = drawn_texts(folder)[0].text_hmac.encode()
    assert len(hmac) > 20
    write_private(marks, marks.read_bytes().replace(hmac, hmac[::-1]))


def open_folder(folder):
    read_campaign(folder)
    folder.chmod(0o770)


def register_gone(folder):
    read_campaign(folder)
    (folder.parent / "campaigns.jsonl").unlink()


def damaged_access(folder):
    read_campaign(folder)
    write_private(folder / "access.jsonl", b"{}\n")


def access_taken_out(folder):
    read_campaign(folder)
    row = access(drawn_texts(folder)[0].doc_key, seq=2)
    write_private(folder / "access.jsonl", row)


def open_marks(folder):
    read_campaign(folder).chmod(0o644)


def other_texts(folder):
    read_campaign(folder)
    (receipt,) = (folder.parents[2] / "_staging").glob("*/receipts/*.json")
    value = json.loads(receipt.read_text())
    value["digests"]["text"] = "0" * 64
    receipt.write_text(json.dumps(value))


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (no_marks, "nothing was read"),
        (
            few_planted,
            "40 planted spans shown in notes that were read to the end, at least 60",
        ),
        (in_training, "in training: 1 document of the campaign"),
        (ended, "the campaign has ended: its notes were exported to train on"),
        (changed_draw, "the draw of the campaign is not the one that was registered"),
        (changed_row, "the rows of a reader are not numbered"),
        (row_of_another, "is of a text not drawn"),
        (read_elsewhere, "is of another text than the run's"),
        (register_gone, "rows were cut off: the register has none of 1 draw"),
        (damaged_access, "a record of accesses is damaged"),
        (access_taken_out, "a record of accesses is damaged"),
        (open_marks, "its files with 0600"),
        (open_folder, "its folders with mode 0700"),
        (other_texts, "is no longer what was drawn from"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_certifies_nothing(campaign, certify, risk, spoil, said):
    spoil(campaign())
    code, out, err = certify()
    assert (code, out) == (2, "") and said in err, err
    assert not risk.exists()


def test_a_type_of_which_nothing_was_read_certifies_nothing(campaign, certify):
    folder = campaign("--by-type")
    read_campaign(folder, only=lambda text: text.stratum != "letter")
    code, _, err = certify()
    assert code == 2 and "nothing was read of a note type" in err


def test_documents_in_training_that_a_list_names(campaign, certify, tmp_path):
    folder = campaign()
    read_campaign(folder)
    listed = tmp_path / "trained.txt"
    listed.write_text(drawn_texts(folder)[2].doc_key + "\n")
    code, _, err = certify("--trained", str(listed))
    assert code == 2 and "in training: 1 document of the campaign" in err


def test_two_campaigns_that_were_both_read_certify_nothing(campaign, certify, risk):
    one = campaign(name="c1")
    two = campaign(name="c2")
    read_campaign(one, lambda text: leak(text))
    read_campaign(two)
    for name in ("c1", "c2"):
        code, _, err = certify(name=name)
        assert (
            code == 2 and "campaigns on these texts that were read: 2; they have spent 0.1" in err
        )
    assert not risk.exists()


def test_two_campaigns_that_share_alpha_are_told(campaign, certify, risk):
    read_campaign(campaign("--alpha", "0.025", name="c1"), lambda text: leak(text))
    read_campaign(campaign("--alpha", "0.025", name="c2"))
    code, out, _ = certify(name="c2")
    assert code == 0 and "Campaigns begun on these texts: 2, of which 2 were read" in out
    value = value_in(risk)
    assert value["statements"][0]["alpha"] == 0.025
    assert value["issued"]["register"] == {"begun": 2, "read": 2, "alpha": 0.05}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--campaign", "c9"), "there is no such campaign"),
        (("--campaign", "a/b"), "the name of a campaign"),
        (("--expires", "0"), "--expires is a number of days"),
        (("--expires", "9999999999"), "--expires is a number of days"),
        (("--sign", "nowhere.pem"), "--sign: there is no such file"),
        (("--sign", "KEY"), "the signing key cannot be read"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be(campaign, certify, risk, measured, words, said):
    read_campaign(campaign())
    words = [measured.key_source if word == "KEY" else word for word in words]
    code, _, err = certify(*words)
    assert code == 2 and said in err and not risk.exists()


def test_the_key_of_another_output_certifies_nothing(campaign, certify, tmp_path):
    read_campaign(campaign())
    other = tmp_path / "other.txt"
    other.write_text(new_key())
    other.chmod(0o600)
    code, _, err = certify(key=str(other))
    assert code == 2 and "wrong master key" in err


def test_a_certificate_that_has_expired_already_says_so(
    campaign, certify, check, monkeypatch, tmp_path
):
    read_campaign(campaign())
    private, public = signing_keys(tmp_path)

    class Later(datetime.datetime):
        @classmethod
        def now(cls, zone=None):
            return datetime.datetime(2199, 1, 1, tzinfo=zone)

    from scrubline.pipeline.commands import certify as command

    monkeypatch.setattr(command.datetime, "datetime", Later)
    assert "has expired already" in certify("--sign", private)[2]
    code, out, err = check(public)
    assert code == 0 and "signed with a trusted key" in out and "has expired" in err


# -- checked


@pytest.fixture
def signed(campaign, certify, risk, tmp_path):
    """A campaign that was read and certified; gives its folder and the keys."""
    folder = campaign()
    read_campaign(folder)
    private, public = signing_keys(tmp_path)
    assert certify("--sign", private)[0] == 0
    return folder, private, public


@pytest.fixture
def check(scrubline, measured, risk):
    def run_it(public, *words):
        given = ("--trusted-keys", public, "--key-file", measured.key_source)
        return scrubline("certify", "verify", risk / "certificate.dsse.json", *words, *given)

    return run_it


def test_a_signature_and_the_files_are_checked(signed, check, measured):
    _, _, public = signed
    code, out, _ = check(public)
    assert code == 0 and "At most " in out
    assert out.endswith(
        "signed with a trusted key\nnot compared: draw.jsonl, marks.jsonl, run.json\n"
    )
    code, out, _ = check(public, measured.output)
    assert code == 0 and out.endswith("agree: draw.jsonl, marks.jsonl, run.json\n")


def test_what_was_read_while_it_waited_still_agrees_once_it_is_published(
    signed, check, measured, storage
):
    resume(storage, measured)
    assert check(signed[2], measured.output)[0] == 0
    assert (
        verify(storage, measured.output, originals=False, key_source=measured.key_source)[0] == []
    )


def test_another_key_is_not_trusted(signed, check, tmp_path):
    _, public = signing_keys(tmp_path, "stranger", seed=9)
    code, _, err = check(public)
    assert code == 2 and "none of its signatures (1) is of one of the trusted keys (1)" in err


def spoil_draw(folder):
    path = folder / "draw.jsonl"
    write_private(path, path.read_bytes().replace(b'"twice":false', b'"twice":true ', 1))


def spoil_marks(folder):
    path = folder / "marks-ana.jsonl"
    write_private(path, path.read_bytes().replace(b'"seconds":30.0', b'"seconds":31.0', 1))


@pytest.mark.parametrize(
    ("spoil", "name"), [(spoil_draw, "draw.jsonl"), (spoil_marks, "marks.jsonl")]
)
def test_one_changed_byte_is_found(signed, check, measured, storage, spoil, name):
    folder, _, public = signed
    resume(storage, measured)
    spoil(folder)
    code, _, err = check(public, measured.output)
    assert code == 2 and f"certificate: {name} is not the one that was signed" in err
    faults, _ = verify(storage, measured.output, originals=False, key_source=measured.key_source)
    assert any("of its campaign" in fault for fault in faults)


def test_a_changed_manifest_is_found(campaign, certify, check, measured, storage, tmp_path):
    manifest = resume(storage, measured)
    read_campaign(campaign())
    private, public = signing_keys(tmp_path)
    certify("--sign", private)
    assert "manifest.json" in check(public, measured.output)[1].splitlines()[-1]
    path = Path(measured.output, "manifest.json")
    path.write_text(json.dumps({**manifest, "report": {}}))
    code, _, err = check(public, measured.output)
    assert code == 2 and "manifest.json is not the one that was signed" in err


def test_verify_walks_campaigns_and_certificate(signed, measured, storage):
    _, _, public = signed
    resume(storage, measured)
    given = {"originals": False, "key_source": measured.key_source}
    faults, lines = verify(storage, measured.output, **given, trusted_keys=public)
    assert faults == []
    assert {"1 campaign in their register", "the certificate is signed with a trusted key"} < {
        *lines
    }
    faults, lines = verify(storage, measured.output, originals=False, key_source=None)
    assert faults == [] and any("were not checked without the key" in line for line in lines)
    assert any("the signature was not checked" in line for line in lines)


def forged(risk, change, private=None):
    """Changes the certificate, and signs it anew or leaves the signature of before."""
    value = value_in(risk)
    change(value)
    content = json.dumps(value, sort_keys=True, separators=(",", ":")).encode() + b"\n"
    (risk / "certificate.json").write_bytes(content)
    if private:
        payload = issuing.in_toto_statement(
            value,
            {
                "draw.jsonl": value["campaign"]["draw_sha256"],
                "marks.jsonl": value["campaign"]["marks_sha256"],
            },
        )
        key = signing_key(Path(private).read_bytes())
        (risk / "certificate.dsse.json").write_bytes(sign(payload, [key]))


def lower(value):
    value["statements"][0]["bound"] = 0.0001


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda risk, folder: forged(risk, lower), "is not the one that was signed"),
        (lambda risk, folder: (risk / "certificate.json").unlink(), "is missing beside its env"),
        (lambda risk, folder: (risk / "certificate.dsse.json").unlink(), "is not signed"),
        (lambda risk, folder: (risk / "certificate.json").write_bytes(b"[]"), "certificate: "),
        (
            lambda risk, folder: (risk / "more").write_bytes(b""),
            "not Scrubline's, under risk/: 1 file",
        ),
        (lambda risk, folder: shutil.rmtree(risk), "there is no certificate under risk/"),
        (lambda risk, folder: (folder / "draw.jsonl").unlink(), "campaign 1: its draw is missing"),
        (
            lambda risk, folder: (folder.parent / "campaigns.jsonl").unlink(),
            "the register has none of 1 draw",
        ),
        (
            lambda risk, folder: write_private(folder.parent / "campaigns.jsonl", b"{}\n"),
            "campaigns: line 1 is no row of it",
        ),
        (lambda risk, folder: folder.parent.joinpath("campaigns.jsonl").chmod(0o644), "0600"),
    ],
    ids=range(10),
)
def test_what_verify_finds(signed, measured, risk, storage, spoil, said):
    folder, _, public = signed
    resume(storage, measured)
    spoil(risk, folder)
    faults, _ = verify(
        storage,
        measured.output,
        originals=False,
        key_source=measured.key_source,
        trusted_keys=public,
    )
    assert any(said in fault for fault in faults), faults


def test_an_output_without_campaigns_says_nothing_of_them(measured, storage):
    resume(storage, measured)
    faults, lines = verify(
        storage, measured.output, originals=False, key_source=measured.key_source
    )
    assert faults == [] and not any("campaign" in line for line in lines)


def test_a_run_that_later_ones_replaced_can_no_longer_be_certified(
    campaign, certify, measured, storage
):
    folder = campaign()
    read_campaign(folder)
    resume(storage, measured)
    scrub(
        storage,
        dataclasses.replace(
            measured, recognisers=("date",), allow_different_job=True, max_lost=None
        ),
    )
    code, _, err = certify()
    assert code == 2 and re.search("the output holds nothing of run|is no longer what", err)


def test_a_later_run_of_other_notes_leaves_a_campaign_as_it_is(
    campaign, certify, check, measured, storage, tmp_path
):
    read_campaign(campaign())
    resume(storage, measured)
    later = str(write_notes(tmp_path / "later", first=1000, count=30))
    scrub(storage, dataclasses.replace(measured, inputs=(later,)))
    private, public = signing_keys(tmp_path)
    assert certify("--sign", private)[0] == 0
    assert check(public, measured.output)[0] == 0


def test_nothing_of_a_note_is_in_what_is_written(signed, risk):
    folder, _, _ = signed
    files = [*risk.iterdir(), *folder.parent.rglob("*.jsonl")]
    content = b"".join(path.read_bytes() for path in files)
    decoded = base64.b64decode(json.loads((risk / "certificate.dsse.json").read_bytes())["payload"])
    keys = [text.doc_key.encode() for text in drawn_texts(folder)]
    for canary in (b"MRN", b"555-867", b"Stable", b"700000", b'p1"'):
        assert canary not in content + decoded
    public = b"".join(path.read_bytes() for path in risk.iterdir()) + decoded
    assert not any(key in public for key in keys) and b"ana" not in public
