"""Signatures: who signs, what is signed, and what is refused."""

import base64
import datetime
import json

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.risk.envelope import (
    DRAW,
    MANIFEST,
    MARKS,
    PAYLOAD_TYPE,
    digests_of,
    in_toto_statement,
    key_id,
    sign,
    signing_key,
    trusted_keys,
    verified_certificate,
)
from scrubline.models.risk.rows import MarksFile
from scrubline.models.risk.statement import certificate_of

from ...examples import examples
from .makers import MANIFEST as MANIFEST_BYTES
from .makers import drawn_of, marks_file, reading

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER = Ed25519PrivateKey.from_private_bytes(bytes(32))
DRAWN = drawn_of(n=80)
DRAW_BYTES = DRAWN.to_bytes()
FILES = [marks_file(reading(DRAWN.texts))]
CERTIFICATE = certificate_of(DRAW_BYTES, FILES, MANIFEST_BYTES, expires=datetime.date(2027, 2, 28))
DIGESTS = digests_of(MANIFEST_BYTES, DRAW_BYTES, FILES)
PAYLOAD = in_toto_statement(CERTIFICATE, DIGESTS)
ENVELOPE = sign(PAYLOAD, [KEY])
TRUSTED = (KEY.public_key(),)

PEM = serialization.Encoding.PEM
SSH = serialization.Encoding.OpenSSH
CLEAR = serialization.NoEncryption()


def private(key, ssh=False, password=None):
    form = serialization.PrivateFormat.OpenSSH if ssh else serialization.PrivateFormat.PKCS8
    lock = serialization.BestAvailableEncryption(password) if password else CLEAR
    return key.private_bytes(PEM, form, lock)


def public(key, ssh=False):
    if ssh:
        return key.public_key().public_bytes(SSH, serialization.PublicFormat.OpenSSH)
    return key.public_key().public_bytes(PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def test_what_was_signed_is_verified():
    assert verified_certificate(ENVELOPE, TRUSTED, DIGESTS) == CERTIFICATE
    assert verified_certificate(ENVELOPE, TRUSTED) == CERTIFICATE
    assert sign(PAYLOAD, [KEY]) == ENVELOPE
    assert verified_certificate(ENVELOPE, (OTHER.public_key(), *TRUSTED)) == CERTIFICATE
    assert verified_certificate(sign(PAYLOAD, [OTHER, KEY]), TRUSTED) == CERTIFICATE


def test_the_envelope_is_dsse_and_the_payload_in_toto():
    said = json.loads(ENVELOPE)
    assert said["payloadType"] == PAYLOAD_TYPE
    payload = base64.b64decode(said["payload"])
    (signature,) = said["signatures"]
    assert signature["keyid"] == key_id(KEY.public_key())
    signed = b"DSSEv1 28 application/vnd.in-toto+json %d " % len(payload) + payload
    KEY.public_key().verify(base64.b64decode(signature["sig"]), signed)
    statement = json.loads(payload)
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert [one["name"] for one in statement["subject"]] == sorted([MANIFEST, DRAW, MARKS])
    assert statement["predicate"] == CERTIFICATE


def flipped(content, place, bit=1):
    return content[:place] + bytes([content[place] ^ bit]) + content[place + 1 :]


@given(st.data())
@examples(200)
def test_one_changed_byte_of_a_file_is_refused(data):
    name = data.draw(st.sampled_from([MANIFEST, DRAW, MARKS]))
    content = {MANIFEST: MANIFEST_BYTES, DRAW: DRAW_BYTES, MARKS: FILES[0].content}
    place = data.draw(st.integers(0, len(content[name]) - 1))
    content[name] = flipped(content[name], place, data.draw(st.sampled_from([1, 2, 4, 32, 128])))
    found = digests_of(content[MANIFEST], content[DRAW], [MarksFile("anna", content[MARKS])])
    with pytest.raises(UsageError, match=f"{name} is not the one that was signed"):
        verified_certificate(ENVELOPE, TRUSTED, found)


def test_marks_of_another_reader_or_kind_are_others():
    for files in (
        [MarksFile("bob", FILES[0].content)],
        [MarksFile("anna", FILES[0].content, is_adjudicated=True)],
        [*FILES, MarksFile("bob", FILES[0].content.splitlines(keepends=True)[0])],
        [],
    ):
        found = digests_of(MANIFEST_BYTES, DRAW_BYTES, files)
        with pytest.raises(UsageError, match=MARKS):
            verified_certificate(ENVELOPE, TRUSTED, found)


@given(st.data())
@examples(200)
def test_one_changed_byte_of_the_envelope_is_refused_or_says_the_same(data):
    place = data.draw(st.integers(0, len(ENVELOPE) - 1))
    forged = flipped(ENVELOPE, place, data.draw(st.sampled_from([1, 2, 4, 32])))
    try:
        found = verified_certificate(forged, TRUSTED, DIGESTS)
    except UsageError:
        return
    assert found == CERTIFICATE  # the name of the key, or an unknown field


def test_a_bound_cannot_be_written_anew():
    said = json.loads(ENVELOPE)
    statement = json.loads(base64.b64decode(said["payload"]))
    statement["predicate"]["statements"][0]["bound"] = 0.0
    said["payload"] = base64.b64encode(json.dumps(statement).encode()).decode()
    with pytest.raises(UsageError, match=r"none of its signatures \(1\)"):
        verified_certificate(json.dumps(said).encode(), TRUSTED)


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda one: one.update(_type="https://in-toto.io/Statement/v0.1"), "another kind"),
        (lambda one: one.update(predicateType="https://slsa.dev/provenance/v1"), "another kind"),
        (lambda one: one["predicate"].update(schema="v2"), "another kind"),
        (lambda one: one["predicate"]["campaign"].update(draw_sha256="0" * 64), DRAW),
        (lambda one: one["predicate"].pop("campaign"), "no certificate"),
        (lambda one: one.pop("subject"), "no certificate"),
        (lambda one: one["subject"].pop(), MARKS),
    ],
)
def test_what_a_trusted_key_signs_must_still_be_a_certificate(change, message):
    statement = json.loads(PAYLOAD)
    change(statement)
    with pytest.raises(UsageError, match=message):
        verified_certificate(sign(json.dumps(statement).encode(), [KEY]), TRUSTED, DIGESTS)


@pytest.mark.parametrize("envelope", [b"", b"[]", b"{}", b"\xff", b'{"payload": 3}', b"[" * 10**5])
def test_what_is_no_envelope(envelope):
    with pytest.raises(UsageError, match="no DSSE envelope"):
        verified_certificate(envelope, TRUSTED)


def test_payloads_of_other_types_are_refused():
    said = {**json.loads(ENVELOPE), "payloadType": "text/plain"}
    with pytest.raises(UsageError, match="does not hold"):
        verified_certificate(json.dumps(said).encode(), TRUSTED)


def test_only_trusted_keys_count_whatever_their_names():
    with pytest.raises(
        UsageError, match=r"none of its signatures \(1\) is of one of the trusted keys \(1\)"
    ):
        verified_certificate(ENVELOPE, (OTHER.public_key(),))
    forged = json.loads(sign(PAYLOAD, [OTHER]))
    forged["signatures"][0]["keyid"] = key_id(KEY.public_key())
    with pytest.raises(UsageError, match="none of its"):
        verified_certificate(json.dumps(forged).encode(), TRUSTED)
    for without in (sign(PAYLOAD, []), ENVELOPE):
        with pytest.raises(UsageError, match="none of its"):
            verified_certificate(without, TRUSTED if without != ENVELOPE else ())


@pytest.mark.parametrize("ssh", [False, True])
def test_private_keys_are_read(ssh):
    assert signing_key(private(KEY, ssh)).private_bytes_raw() == KEY.private_bytes_raw()


def test_locked_keys_need_their_password():
    locked = private(KEY, password=b"pw")
    assert signing_key(locked, b"pw").private_bytes_raw() == KEY.private_bytes_raw()
    with pytest.raises(UsageError, match="locked with a password"):
        signing_key(locked)
    with pytest.raises(UsageError, match="cannot be read"):
        signing_key(locked, b"other")
    with pytest.raises(UsageError, match="has no password"):
        signing_key(private(KEY), b"pw")


def test_private_keys_of_other_kinds_are_refused():
    with pytest.raises(UsageError, match="is RSA, expected Ed25519"):
        signing_key(private(rsa.generate_private_key(65537, 2048)))
    with pytest.raises(UsageError, match="expected Ed25519"):
        signing_key(private(ec.generate_private_key(ec.SECP256R1()), ssh=True))
    for content in (b"", b"scrubline-key-v1:AAAA", public(KEY)):
        with pytest.raises(UsageError, match="cannot be read"):
            signing_key(content)


def test_public_keys_of_both_forms_in_one_file():
    content = b"# ours\n" + public(KEY) + b"\n" + public(OTHER, ssh=True) + b" anna@lab\n\n"
    assert [key_id(key) for key in trusted_keys(content)] == [
        key_id(KEY.public_key()),
        key_id(OTHER.public_key()),
    ]


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "there is none"),
        (b"# nothing\n\n", "there is none"),
        (b"hello\n", "line 1: expected"),
        (public(KEY) + b"hello\n", "line 4: expected"),
        (private(KEY), "PEM block 1: is a private key"),
        (private(KEY, ssh=True), "PEM block 1: is a private key"),
        (public(rsa.generate_private_key(65537, 2048)), "PEM block 1: is RSA"),
        (public(ec.generate_private_key(ec.SECP256R1()), ssh=True), "line 1: is"),
        (public(KEY).replace(b"MCow", b"MDow"), "PEM block 1: expected"),
    ],
)
def test_files_of_trusted_keys_that_are_refused(content, message):
    with pytest.raises(UsageError, match=message):
        trusted_keys(content)
