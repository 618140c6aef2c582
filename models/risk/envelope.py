"""Signed certificates: an in-toto Statement in a DSSE envelope, signed with Ed25519.

The subjects are the files that a certificate rests on, by SHA-256; the predicate is the
certificate. Whoever has the public key can verify it, and nobody who verifies can sign.

Sources: in-toto Attestation Framework, Statement v1; DSSE v1.0.2, "Protocol" (pre-authentication
encoding) and "Envelope"; RFC 8032 (Ed25519).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from ..core.errors import UsageError
from .rows import MarksFile, json_line, sealed_marks
from .statement import SCHEMA

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:scrubline:certificate:v1"

MANIFEST, DRAW, MARKS = "manifest.json", "draw.jsonl", "marks.jsonl"
"""Names of the subjects. The third is all files of marks as one, see `sealed_marks`."""

SigningKey = Ed25519PrivateKey
TrustedKey = Ed25519PublicKey

_PEM = re.compile(rb"-----BEGIN ([A-Z0-9 ]+)-----.*?-----END \1-----[ \t]*\r?\n?", re.DOTALL)


def signing_key(content: bytes, password: bytes | None = None) -> Ed25519PrivateKey:
    """The private key of a file, PEM (PKCS 8) or OpenSSH.

    Raises:
        UsageError: if it is no private key, of another kind, or its password is missing or wrong.
    """
    load = (
        serialization.load_ssh_private_key
        if b"BEGIN OPENSSH PRIVATE KEY" in content
        else serialization.load_pem_private_key
    )
    try:
        key = load(content, password)
    except TypeError:
        wanted = "has no password" if password is not None else "is locked with a password"
        raise UsageError(f"the signing key {wanted}") from None
    except (ValueError, UnsupportedAlgorithm):
        raise UsageError(
            "the signing key cannot be read: expected an Ed25519 private key, PEM or OpenSSH, and "
            "its password if it has one"
        ) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise UsageError(f"the signing key is {_kind(key)}, expected Ed25519")
    return key


def trusted_keys(content: bytes) -> tuple[Ed25519PublicKey, ...]:
    """The public keys of a file: PEM blocks, and lines as OpenSSH writes them to a `.pub`.

    Blank lines and lines that begin with `#` are left out.

    Raises:
        UsageError: if there is none, or something else stands there; naming which.
    """
    keys = []
    for number, block in enumerate(_PEM.finditer(content), 1):
        if b"PRIVATE" in block[1]:
            raise UsageError(f"trusted keys, PEM block {number}: is a private key; keep it secret")
        keys.append(_public(block[0], f"PEM block {number}", serialization.load_pem_public_key))
    rest = _PEM.sub(lambda found: b"\n" * found[0].count(b"\n"), content)
    for number, line in enumerate(rest.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith(b"#"):
            keys.append(_public(line.strip(), f"line {number}", serialization.load_ssh_public_key))
    if not keys:
        raise UsageError("trusted keys: there is none")
    return tuple(keys)


def _public(content: bytes, where: str, load: Any) -> Ed25519PublicKey:
    try:
        key = load(content)
    except (ValueError, UnsupportedAlgorithm):
        raise UsageError(
            f"trusted keys, {where}: expected an Ed25519 public key, PEM or OpenSSH"
        ) from None
    if not isinstance(key, Ed25519PublicKey):
        raise UsageError(f"trusted keys, {where}: is {_kind(key)}, expected Ed25519")
    return key


def _kind(key: object) -> str:
    return type(key).__name__.removesuffix("PrivateKey").removesuffix("PublicKey").strip("_")


def key_id(key: Ed25519PublicKey) -> str:
    """By which a key is named: SHA-256 of its 32 bytes. A hint, never what is trusted."""
    return hashlib.sha256(key.public_bytes_raw()).hexdigest()


def digests_of(manifest: bytes, draw: bytes, marks: Sequence[MarksFile]) -> dict[str, str]:
    """Name of each subject -> its SHA-256."""
    contents = {MANIFEST: manifest, DRAW: draw, MARKS: sealed_marks(marks)}
    return {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}


def in_toto_statement(certificate: Mapping[str, Any], digests: Mapping[str, str]) -> bytes:
    """The payload: the certificate, and the files that it rests on."""
    return json_line(
        {
            "_type": STATEMENT_TYPE,
            "subject": [
                {"name": name, "digest": {"sha256": digest}}
                for name, digest in sorted(digests.items())
            ],
            "predicateType": PREDICATE_TYPE,
            "predicate": certificate,
        }
    )


def _to_sign(payload: bytes) -> bytes:
    """DSSE's pre-authentication encoding: a payload of one type cannot be taken for another's."""
    kind = PAYLOAD_TYPE.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def sign(payload: bytes, keys: Iterable[Ed25519PrivateKey]) -> bytes:
    """The envelope of a payload, the same bytes for the same keys."""
    signatures = [
        {
            "keyid": key_id(key.public_key()),
            "sig": base64.b64encode(key.sign(_to_sign(payload))).decode(),
        }
        for key in keys
    ]
    return json_line(
        {
            "payloadType": PAYLOAD_TYPE,
            "payload": base64.b64encode(payload).decode(),
            "signatures": signatures,
        }
    )


def verified_certificate(
    envelope: bytes,
    trusted: Sequence[Ed25519PublicKey],
    digests: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The certificate in an envelope that a trusted key has signed.

    Args:
        envelope: as `sign` gave it.
        trusted: one signature by one of them suffices; names of keys in the envelope do not count.
        digests: `digests_of` the files that the verifier has, or of some of them.

    Returns:
        The certificate. Whether it has expired, and whether it is of this run, is for the caller.

    Raises:
        UsageError: if it is no such envelope; if no trusted key has signed it; if it holds another
            kind of statement; if a file is not the one that was signed, naming it.
    """
    certificate, subjects = verified_statement(envelope, trusted)
    for name, digest in (digests or {}).items():
        if subjects.get(name) != digest:
            raise not_as_signed(name)
    return certificate


def verified_statement(
    envelope: bytes, trusted: Sequence[Ed25519PublicKey]
) -> tuple[dict[str, Any], dict[str, str]]:
    """The certificate in an envelope, and what it rests on: name -> SHA-256.

    Raises:
        UsageError: as `verified_certificate`.
    """
    payload = _signed_payload(envelope, trusted)
    # What a trusted key has signed may still be of another program, or another version.
    try:
        said = json.loads(payload)
        subjects: dict[str, str] = {one["name"]: one["digest"]["sha256"] for one in said["subject"]}
        kinds = said["_type"], said["predicateType"], said["predicate"]["schema"]
        certificate: dict[str, Any] = said["predicate"]
        campaign = certificate["campaign"]
        inner = {DRAW: campaign["draw_sha256"], MARKS: campaign["marks_sha256"]}
    except (ValueError, TypeError, KeyError, RecursionError):
        raise UsageError("certificate: what was signed is no certificate") from None
    if kinds != (STATEMENT_TYPE, PREDICATE_TYPE, SCHEMA):
        raise UsageError("certificate: it is of another kind, or of another version")
    for name, digest in inner.items():
        if subjects.get(name) != digest:
            raise not_as_signed(name)
    return certificate, subjects


def not_as_signed(name: str) -> UsageError:
    """The refusal of a file that is not what a certificate rests on."""
    return UsageError(f"certificate: {name} is not the one that was signed")


def _signed_payload(envelope: bytes, trusted: Sequence[Ed25519PublicKey]) -> bytes:
    try:
        said = json.loads(envelope)
        kind = said["payloadType"]
        payload = base64.b64decode(said["payload"], validate=True)
        signatures = [base64.b64decode(one["sig"], validate=True) for one in said["signatures"]]
    except (ValueError, TypeError, KeyError, RecursionError, binascii.Error):
        raise UsageError("certificate: it is no DSSE envelope") from None
    if kind != PAYLOAD_TYPE:
        raise UsageError(f"certificate: the envelope does not hold {PAYLOAD_TYPE}")
    signed = _to_sign(payload)
    if not any(_agrees(key, one, signed) for key in trusted for one in signatures):
        raise UsageError(
            f"certificate: none of its signatures ({len(signatures)}) is of one of the trusted "
            f"keys ({len(trusted)})"
        )
    return payload


def _agrees(key: Ed25519PublicKey, signature: bytes, signed: bytes) -> bool:
    try:
        key.verify(signature, signed)
    except InvalidSignature:
        return False
    return True
