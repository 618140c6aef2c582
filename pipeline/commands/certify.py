"""`scrubline certify`: what a campaign that was read states, signed; and who signed it."""

from __future__ import annotations

import argparse
import datetime
import importlib.util
import os
from typing import TYPE_CHECKING

from ...models.core.errors import UsageError
from ...models.storage.key_files import warn_if_open
from ...models.storage.storage import Storage
from ..outputs.state import require_there
from ..process.exit_codes import ExitCode
from ..process.logs import say
from ..process.stdout import show
from .campaign import trained_of

if TYPE_CHECKING:
    from ...models.risk.envelope import SigningKey

_MOST_DAYS = 36_500

PASSWORD = "SCRUBLINE_SIGNING_PASSWORD"
"""Environment variable with the password of the signing keys, if they have one."""


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Returns:
        HELD if the bound is above the target of the campaign; the certificate is written all the
        same.

    Raises:
        UsageError: if nothing can be certified, or `verify` finds what does not agree.
    """
    if importlib.util.find_spec("cryptography") is None:
        raise UsageError("signatures need the package cryptography: pip install cryptography")
    if parsed.words[0] == "verify":
        return _verify(parsed)
    if len(parsed.words) > 1:
        raise UsageError("certify: expected OUT, or `verify FILE [OUT]`")
    return _certify(parsed)


def _certify(parsed: argparse.Namespace) -> ExitCode:
    from ...models.risk.carrying import read_certificate
    from ..certifying.issuing import issue, write_certificate
    from ..certifying.sentences import certificate_sentences, percent

    storage, output = Storage(), parsed.words[0].rstrip("/") or parsed.words[0]
    require_there(storage, output)
    if not parsed.campaign:
        raise UsageError("certify: say of which campaign, with --campaign NAME")
    if not 1 <= parsed.expires <= _MOST_DAYS:
        raise UsageError(f"--expires is a number of days up to {_MOST_DAYS}, got {parsed.expires}")
    keys = [_signing_key(place) for place in parsed.sign or ()]
    if parsed.key_source:
        warn_if_open(parsed.key_source)
    issued = issue(
        storage,
        output,
        parsed.campaign,
        parsed.key_source,
        expires_days=parsed.expires,
        trained=trained_of(storage, parsed.trained),
    )
    written = write_certificate(storage, output, issued, keys)
    certificate = read_certificate(issued.value)
    show(*certificate_sentences(certificate), "", *(f"written: {name}" for name in written))
    if certificate.has_expired(_today()):
        say("the certificate has expired already: its campaign was drawn long ago", "WARNING")
    if not keys:
        say("the certificate is not signed: no gate takes it (--sign KEY.pem)", "WARNING")
    if not issued.reaches_target:
        primary, target = certificate.statements[0], issued.value["campaign"]["target"]
        say(f"the bound, {percent(primary.bound)}, is above the target of {target:.4g}", "WARNING")
        return ExitCode.HELD
    return ExitCode.DONE


def _today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()


def _signing_key(place: str) -> SigningKey:
    from ...models.risk.envelope import signing_key

    try:
        content = Storage().read_bytes(place)
    except FileNotFoundError:
        raise UsageError("--sign: there is no such file") from None
    password = os.environ.get(PASSWORD)
    return signing_key(content, os.fsencode(password) if password else None)


def _verify(parsed: argparse.Namespace) -> ExitCode:
    from ..certifying.checking import check_envelope
    from ..certifying.sentences import certificate_sentences

    if not 2 <= len(parsed.words) <= 3 or not parsed.trusted_keys:
        raise UsageError("certify verify: expected FILE --trusted-keys FILE, and OUT or not")
    place, *outputs = parsed.words[1:]
    output = outputs[0].rstrip("/") if outputs else None
    checked = check_envelope(Storage(), place, parsed.trusted_keys, output, parsed.key_source)
    show(*certificate_sentences(checked.certificate), "", "signed with a trusted key")
    if checked.agree:
        show(f"agree: {', '.join(checked.agree)}")
    if checked.absent:
        show(f"not compared: {', '.join(checked.absent)}")
    if checked.certificate.has_expired(_today()):
        last = checked.certificate.expires
        say(f"the certificate has expired, its last day was {last}: no gate takes it", "WARNING")
    return ExitCode.DONE
