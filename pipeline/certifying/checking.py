"""What was changed of campaigns and certificates since they were made."""

from __future__ import annotations

import dataclasses
import hashlib

from ...models.core.checked_json import parse_json
from ...models.core.display_names import counted
from ...models.core.errors import ScrublineError, UsageError
from ...models.core.keys import Keys
from ...models.risk.carrying import Certificate, read_certificate
from ...models.risk.drawing import draw_sha256
from ...models.risk.envelope import MANIFEST, not_as_signed, trusted_keys, verified_statement
from ...models.risk.rows import sealed_marks
from ...models.risk.statement import certificate_bytes
from ...models.storage.places import local_path
from ...models.storage.storage import Storage
from ..outputs.measured_run import open_measured
from .issuing import CERTIFICATE, ENVELOPE, RISK_FOLDER, subjects_of
from .register import faults_of_register
from .review_folder import ReviewFolder


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class CheckedCertificate:
    """A certificate whose signature agrees.

    Attributes:
        certificate: what was signed.
        agree: names of what it rests on, as far as that is at hand: all agree.
        absent: those that are not at hand.
    """

    certificate: Certificate
    agree: tuple[str, ...]
    absent: tuple[str, ...]


def check_envelope(
    storage: Storage,
    place: str,
    keys_place: str,
    output: str | None = None,
    key_source: str | None = None,
) -> CheckedCertificate:
    """The certificate of an envelope, compared with its output, if that is at hand.

    Args:
        place: of the envelope.
        keys_place: of the public keys that are trusted.
        output: of which it is; None if that is not at hand.
        key_source: of the output's master key.

    Raises:
        UsageError: if a file is missing; if anything does not agree, naming it.
    """
    trusted = trusted_keys(_content(storage, keys_place, "--trusted-keys"))
    value, signed = verified_statement(_content(storage, place, "the certificate"), trusted)
    certificate = read_certificate(value)
    if output is None:
        return CheckedCertificate(certificate, (), tuple(sorted(signed)))
    folder = ReviewFolder.of_campaign(output, str(certificate.campaign.get("name")))
    if (draw := folder.draw()) is None:
        raise UsageError("certificate: the output has no campaign of its name")
    run = open_measured(storage, output, key_source, certificate.run)
    found = subjects_of(run, draw, folder.marks())
    if MANIFEST not in signed:  # it was made while the run waited
        found.pop(MANIFEST, None)
    for name, digest in found.items():
        if signed.get(name) != digest:
            raise not_as_signed(name)
    return CheckedCertificate(
        certificate, tuple(sorted(found)), tuple(sorted(signed.keys() - found.keys()))
    )


def _content(storage: Storage, place: str, what: str) -> bytes:
    try:
        return storage.read_bytes(place)
    except FileNotFoundError:
        raise UsageError(f"{what}: there is no such file") from None


# -- of an output; for `verify`


def faults_of_campaigns(output: str, keys: Keys | None) -> tuple[list[str], list[str]]:
    """What is wrong with the register of campaigns and the draws that it names.

    Returns:
        faults, and lines that say what was checked; nothing where there is no campaign.
    """
    if local_path(output) is None:
        return [], []
    try:
        faults, rows = faults_of_register(ReviewFolder.of(output), keys)
    except UsageError as error:
        return [f"campaigns: {error}"], []
    if not rows and not faults:
        return [], []
    marks = "" if keys else "; the marks of its rows were not checked without the key"
    return [f"campaigns: {one}" for one in faults], [
        f"{counted(rows, 'campaign')} in their register{marks}"
    ]


def faults_of_certificate(
    storage: Storage, output: str, keys_place: str | None
) -> tuple[list[str], list[str]]:
    """What is wrong with the certificate of an output.

    Args:
        keys_place: of the public keys that are trusted; None not to check signatures.

    Returns:
        faults, and lines that say what was checked; nothing where there is no certificate.
    """
    folder = f"{output}/{RISK_FOLDER}"
    names = storage.list_names(folder)
    faults, lines = [], []
    if foreign := [name for name in names if name not in (CERTIFICATE, ENVELOPE)]:
        faults.append(f"not Scrubline's, under risk/: {counted(len(foreign), 'file')}")
    if CERTIFICATE not in names:
        if ENVELOPE in names:
            faults.append("risk/certificate.json is missing beside its envelope")
        elif keys_place is not None:
            faults.append("there is no certificate under risk/ that could be checked")
        return faults, lines
    try:
        content = storage.read_bytes(f"{folder}/{CERTIFICATE}")
        certificate = read_certificate(_json(content))
        lines.append(f"risk/{CERTIFICATE} is of run {certificate.run}")
        faults += _against_files(output, certificate)
        if ENVELOPE not in names:
            faults += ["risk/certificate.json is not signed"] if keys_place is not None else []
        elif keys_place is None:
            lines.append("the signature was not checked: give --trusted-keys")
        else:
            trusted = trusted_keys(_content(storage, keys_place, "--trusted-keys"))
            value, _ = verified_statement(storage.read_bytes(f"{folder}/{ENVELOPE}"), trusted)
            if certificate_bytes(value) != content:
                faults.append("risk/certificate.json is not the one that was signed")
            lines.append("the certificate is signed with a trusted key")
    except ScrublineError as error:
        faults.append(f"risk/: {error}")
    return faults, lines


def _json(content: bytes) -> dict[str, object]:
    try:
        return parse_json(content, dict[str, object])
    except ValueError as error:
        raise UsageError(f"certificate: {error}") from None


def _against_files(output: str, certificate: Certificate) -> list[str]:
    """What of the files of its campaign is not what it rests on."""
    if local_path(output) is None:
        return []
    campaign = certificate.campaign
    folder = ReviewFolder.of_campaign(output, str(campaign.get("name")))
    if (draw := folder.draw()) is None:
        return ["risk/certificate.json: the draw of its campaign is missing"]
    faults = []
    if draw_sha256(draw) != campaign.get("draw_sha256"):
        faults.append("risk/certificate.json: the draw of its campaign is another one")
    marks = hashlib.sha256(sealed_marks(folder.marks())).hexdigest()
    if marks != campaign.get("marks_sha256"):
        faults.append("risk/certificate.json: the marks of its campaign are others")
    return faults
