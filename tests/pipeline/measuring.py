"""Runs that wait to be measured, and readers of their campaigns; rules alone, invented notes."""

import dataclasses
import datetime
import json
import os
import shutil
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from scrubline.models.risk.rows import MarkedSpan, MarkedText, json_line, read_draw

KINDS = ("letter", "nursing", "progress")

POLICY = """name = "typed"
extends = "hipaa"
[documents]
note_type = true
"""


def write_notes(folder, first=0, count=400, kinds=KINDS, patients=150, more=""):
    """JSON Lines of invented notes, a type each; all have PHI that rules find."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        json.dumps(
            {
                "note_id": n,
                "patient_id": f"p{n % patients}",
                "kind": kinds[n % len(kinds)],
                "text": f"Seen on {n % 12 + 1}/{n % 28 + 1}/2019. MRN: {7_000_000 + n}. Stable. "
                f"{'No pain. ' * (n % 9)}Call 555-867-{n % 9000 + 1000}.\n{more}",
                "n": n,
            }
        )
        for n in range(first, first + count)
    ]
    (folder / f"notes{first}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def signing_keys(folder, name="officer", seed=7):
    """Paths of a private key and of its public one."""
    key = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
    encodings = serialization.Encoding, serialization.PrivateFormat, serialization.PublicFormat
    pem = encodings[0].PEM
    private, public = folder / f"{name}.pem", folder / f"{name}.pub"
    private.write_bytes(
        key.private_bytes(pem, encodings[1].PKCS8, serialization.NoEncryption()),
    )
    public.write_bytes(
        key.public_key().public_bytes(pem, encodings[2].SubjectPublicKeyInfo),
    )
    return str(private), str(public)


def certified_copy(waiting, folder, target=0.05):
    """Options of a copy of a run that waits, in a folder: measured, certified and signed."""
    # Not above: they need extras, and tests that need none import this module.
    from scrubline.models.risk.envelope import signing_key
    from scrubline.models.storage.storage import Storage
    from scrubline.pipeline.certifying.campaigns import (
        CampaignRequest,
        prepare_campaign,
        write_campaign,
    )
    from scrubline.pipeline.certifying.issuing import issue, write_certificate
    from scrubline.pipeline.certifying.review_folder import ReviewFolder
    from scrubline.pipeline.outputs.measured_run import open_measured

    storage, output, key = Storage(), str(folder / "out"), waiting.key_source
    shutil.copytree(waiting.output, output)
    private, public = signing_keys(folder)
    run, campaign = open_measured(storage, output, key), ReviewFolder.of(output, "c1")
    prepared = prepare_campaign(storage, run, campaign, CampaignRequest(target))
    write_campaign(campaign, run, prepared, datetime.datetime.now(datetime.UTC).date().isoformat())
    read_campaign(campaign.path)
    signer = signing_key(Path(private).read_bytes())
    write_certificate(storage, output, issue(storage, output, "c1", key), [signer])
    return dataclasses.replace(
        waiting,
        output=output,
        hold=False,
        max_risk=f"direct={target}",
        certificate=f"{output}/risk/certificate.dsse.json",
        trusted_keys=public,
    )


# -- readers


def drawn_texts(folder):
    """The texts of a campaign."""
    return read_draw(Path(folder, "draw.jsonl").read_bytes()).texts


def read_campaign(
    folder, marks_of=lambda text: (), reader="ana", verdict=lambda text: "done", only=None
):
    """Writes the marks of one reader: all that is planted, and what `marks_of` gives of a text."""
    lines = []
    for text in drawn_texts(folder):
        if only is not None and not only(text):
            continue
        spans = [MarkedSpan(one.start, one.end, "PATIENT") for one in text.planted]
        row = MarkedText(
            seq=len(lines) + 1,
            doc_key=text.doc_key,
            field=text.field,
            text_hmac=text.text_hmac,
            rev=1,
            spans=tuple(sorted([*spans, *marks_of(text)], key=lambda one: one.start)),
            verdict=verdict(text),
            seconds=30.0,
        )
        lines.append(json_line(dataclasses.asdict(row)))
    path = Path(folder, f"marks-{reader}.jsonl")
    write_private(path, b"".join(lines))
    return path


def write_private(path, content):
    """A file of its owner alone."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)


def access(doc_key, what="published", seq=1):
    """A row of a record of accesses."""
    row = {"seq": seq, "at": "", "reviewer": "ana", "doc_key": doc_key, "field": "text"}
    return json_line({**row, "what": what, "prev": "0" * 64})
