"""A certificate by the real commands: two read, a third decides, it gates a run, and it ends."""

import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from scrubline.models.core.keys import Keys, canonical_id, key_bytes
from scrubline.models.risk.rows import DONE, MarkedSpan, MarkedText, json_line, read_draw
from scrubline.models.storage.private_files import write_private
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.review.texts import ReviewedOutput

from .served import KEY, reading, run

pytestmark = pytest.mark.slow

GOLD = Path(__file__).parents[2] / "demo/gold"
NOTES = 80
LIMIT = "direct=0.15"
LEFT = "zorkle"
"""A name that no model of English finds."""

IN_PAGE = 3
"""Notes that are read on the page; of all others the marks are written beside it."""

SIGNED = "out/risk/certificate.dsse.json"
SPRING = ("--queue", "measure", "--campaign", "spring", "--originals", "in")


class Waiting:
    """A run that waits, and the campaign that is drawn from it.

    Attributes:
        folder: with key, input and output.
        labels: of the page, in the order of their keys.
        texts: key of a document -> its original.
        drawn: what is to be read, in order.
    """

    def __init__(self, folder):
        self.folder = folder
        keys = Keys(key_bytes(KEY))
        self.texts = {keys.doc_key(canonical_id(str(n))): written(n) for n in range(NOTES)}
        (folder / "in").mkdir()
        rows = [{"id": str(n), "text": written(n)} for n in range(NOTES)]
        (folder / "in/notes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        write_private(str(folder / "key.txt"), [KEY.encode()])
        for name in ("dev", "train"):
            few = (GOLD / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()[:4]
            (folder / "few.jsonl").write_text("\n".join(few), encoding="utf-8")
            named = ("--recipe", "hide", "--name", "few", "--output", f"by-{name}")
            run("train", "--fast", "--corpus", "few.jsonl", *named, cwd=folder)
        self.scrubs("by-dev", "out", "--hold", code=4)
        draw = ("--target", "0.15", "--notes", "67", "--name", "spring", "--key-file", "key.txt")
        run("campaign", "out", *draw, cwd=folder)
        content = (folder / "out/restricted/review/spring/draw.jsonl").read_bytes()
        draw = read_draw(content)
        self.drawn = draw.texts
        places = (str(folder / "out"), str(folder / "key.txt"), ())
        self.labels = ReviewedOutput(Storage(), *places, draw.campaign.run).labels

    def scrubs(self, model, output, *more, code):
        roles = ("--column=id=id", "--column=text=text:plain", "--key-file", "key.txt")
        words = ("--input", "in", "--output", output, "--model", self.folder / model, *roles)
        return run("scrub", *words, *more, cwd=self.folder, code=code)

    def resumes(self, *more, code):
        gate = ("--output", "out", "--max-risk", LIMIT, *more)
        return run("resume", *gate, cwd=self.folder, code=code)

    def is_read_elsewhere(self, texts, reader):
        """Marks of texts, by somebody who finds all that was planted and nothing else."""
        rows = []
        for text in texts:
            spans = tuple(MarkedSpan(one.start, one.end, "PATIENT") for one in text.planted)
            said = (text.doc_key, text.field, text.text_hmac, 1, spans)
            rows.append(MarkedText(len(rows) + 1, *said, verdict=DONE, seconds=30.0))
        path = self.folder / f"out/restricted/review/spring/marks-{reader}.jsonl"
        write_private(str(path), [json_line(row_of(row)) for row in rows])


def row_of(row):
    spans = [{"start": s.start, "end": s.end, "label": s.label, "was": None} for s in row.spans]
    return {name: getattr(row, name) for name in row.__slots__} | {"spans": spans}


def written(number):
    day, line = 1 + number % 28, 1000 + number
    return f"Seen on 3/{day}/2012.\nHer friend {LEFT} called 555-867-{line}.\nWell since."


@pytest.fixture(scope="module")
def waiting(tmp_path_factory):
    return Waiting(tmp_path_factory.mktemp("campaign"))


def test_a_certificate_is_read_for_issued_gates_a_run_and_ends_with_its_model(browser, waiting):
    disputed = next(one for one in waiting.drawn if one.twice)
    on_page = [disputed, *[one for one in waiting.drawn if not one.twice][: IN_PAGE - 1]]
    elsewhere = [one for one in waiting.drawn if one not in on_page]
    waiting.is_read_elsewhere(elsewhere, "cy")
    waiting.is_read_elsewhere([one for one in elsewhere if one.twice], "dan")
    two_readers_differ(browser, waiting, disputed)
    third_decides(browser, waiting)
    officer(waiting.folder)
    certify = ("certify", "out", "--campaign", "spring", "--key-file", "key.txt")
    said = run(*certify, "--sign", "officer.pem", cwd=waiting.folder).stdout
    drawn, planted = len(waiting.drawn), sum(len(one.planted) for one in waiting.drawn)
    assert f"Drawn at random and counted: {drawn} documents; 1 of them leaks." in said
    assert f"found {planted} of {planted} spans" in said
    gates(waiting)


def two_readers_differ(browser, waiting, disputed):
    """The first reads all that is open, the second what is read twice, and finds less in it."""
    for reader, notes in (("ana", IN_PAGE), ("ben", 1)):
        with reading(browser, waiting, reader, *SPRING) as at:
            for _ in range(notes):
                key = at.goes_on()
                text = waiting.texts[key]
                (drawn,) = (one for one in waiting.drawn if one.doc_key == key)
                for one in drawn.planted:
                    at.marks(one.start, text[one.start : one.end], "PATIENT")
                if (reader, key) == ("ana", disputed.doc_key):
                    at.marks(text.index(LEFT), LEFT, "PATIENT")
            assert reader == "ana" or key == disputed.doc_key
            at.press("n")
            at.waits_for("#spoken", "No note is left to read.")


def third_decides(browser, waiting):
    with reading(browser, waiting, "eve", *SPRING, "--adjudicate") as at:
        twice = sum(one.twice for one in waiting.drawn)
        at.waits_for("#progress", f"{twice - 1} of {twice}")
        at.press("n")
        at.waits_for("#title", ": 1 difference")
        at.press("1")
        at.waits_for(".differences li .decision", "decided: PATIENT")
        at.press("n")
        at.waits_for("#spoken", "No note is left to decide.")


def officer(folder):
    """A key to sign with, and its public one."""
    key = Ed25519PrivateKey.generate()
    pem, private = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    content = key.private_bytes(pem, private, serialization.NoEncryption())
    write_private(str(folder / "officer.pem"), [content])
    public = key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)
    (folder / "officer.pub").write_bytes(public)


def gates(waiting):
    """Held without the certificate, published with it; what another model made is refused."""
    signed = ("--trusted-keys", "officer.pub", "--certificate", SIGNED)
    held = waiting.resumes("--trusted-keys", "officer.pub", code=3).stderr
    assert "NoCertificate: none is named (--certificate)" in held
    assert not (waiting.folder / "out/manifest.json").exists()
    waiting.resumes(*signed, code=0)
    manifest = json.loads((waiting.folder / "out/manifest.json").read_bytes())
    assert manifest["report"]["risk"]["how"] == "measured"
    held = waiting.scrubs("by-train", "other", "--max-risk", LIMIT, *signed, code=3).stderr
    assert "OtherModels: the run that was read was made with other models" in held
    assert "Nothing is published." in held
    assert not (waiting.folder / "other/manifest.json").exists()
