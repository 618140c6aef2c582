"""The gate of risk: a run is published only if a certificate states that little of it leaks.

It comes last, after a run has waited: the certificate may be of this very run, which people read
while it waits, or of an earlier one, if nothing has changed since (`models.risk.carrying`).
"""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import logging
import math
from collections.abc import Mapping
from typing import Any

from ...models.core.errors import GateFailed, StorageError, UsageError
from ...models.jobs.job import Job
from ...models.jobs.receipts import Receipt
from ...models.risk.carrying import (
    Certificate,
    Reason,
    RiskLimit,
    Uncertified,
    bounds_of,
    parse_limits,
    read_certificate,
    reasons_against,
)
from ...models.risk.envelope import TrustedKey, trusted_keys, verified_certificate
from ...models.storage.storage import Storage
from .measured_run import gated_run
from .risk_sentence import CARRIED, MEASURED

_log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True, slots=True)
class RiskDemand:
    """What is asked of a run before it is published.

    Attributes:
        limits: () for nothing.
        certificate: place of a signed certificate; None for none.
        trusted_keys: place of the public keys that may have signed it.
        max_age: days since its campaign was drawn.
    """

    limits: tuple[RiskLimit, ...]
    certificate: str | None
    trusted_keys: str | None
    max_age: float


def demand_of(
    job: Job,
    max_risk: str | None = None,
    certificate: str | None = None,
    keys: str | None = None,
    max_age: float | None = None,
) -> RiskDemand:
    """What is asked of a run: what is given now, else what was planned.

    Raises:
        UsageError: if the limits cannot be read, or nobody is trusted.
    """
    said = job.max_risk if max_risk is None else max_risk
    limits = parse_limits(said) if said else ()
    place = job.certificate if certificate is None else certificate
    trusted = job.trusted_keys if keys is None else keys
    age = job.max_age if max_age is None else max_age
    assert age is not None, "a plan has it"
    require_sense(said, place, trusted)
    return RiskDemand(limits, place, trusted, age)


def require_sense(max_risk: str | None, certificate: str | None, keys: str | None) -> None:
    """Refuses options of the gate that do not go together.

    Raises:
        UsageError: if limits cannot be read, or are missing, or nobody is trusted.
    """
    limits = parse_limits(max_risk) if max_risk else ()
    if not max_risk and (certificate or keys):
        raise UsageError("--certificate and --trusted-keys need --max-risk, as in direct=0.02")
    if limits and not keys:
        raise UsageError(
            "--max-risk needs --trusted-keys FILE: the public keys of those whose certificates "
            "count"
        )


def read_trusted(storage: Storage, demand: RiskDemand) -> tuple[TrustedKey, ...]:
    """The keys that are trusted; () where nothing is asked.

    Raises:
        UsageError: if the file is missing, or holds something else.
    """
    if not demand.limits:
        return ()
    assert demand.trusted_keys is not None, "`demand_of` refuses that"
    try:
        return trusted_keys(storage.read_bytes(demand.trusted_keys))
    except FileNotFoundError:
        raise UsageError("--trusted-keys: there is no such file") from None


def check_risk(
    storage: Storage,
    job: Job,
    receipts: Mapping[int, Receipt],
    demand: RiskDemand,
    today: datetime.date | None = None,
) -> dict[str, Any]:
    """Checks a run that is about to be published.

    Args:
        today: in UTC; None for the clock's.

    Returns:
        What the report of the manifest says of it; nothing where nothing is asked.

    Raises:
        GateFailed: naming each reason.
        UsageError: if the file of trusted keys cannot be used.
    """
    if not demand.limits:
        return {}
    content, certificate = _opened(storage, demand)
    run = gated_run(storage, job, [receipt for _, receipt in sorted(receipts.items())])
    today = today or datetime.datetime.now(datetime.UTC).date()
    found = reasons_against(certificate, run, demand.limits, today=today, max_age=demand.max_age)
    if found:
        raise _held(demand, found)
    how = MEASURED if run.is_of(certificate) else CARRIED
    _log.info("the risk of run %s is %s by campaign of run %s", job.run, how, certificate.run)
    return {
        "risk": {
            "how": how,
            "from": certificate.run,
            "begun": certificate.issued.begun,
            "expires": certificate.expires,
            "certificate_sha256": hashlib.sha256(content).hexdigest(),
            "statements": [
                {
                    **dataclasses.asdict(one.statement),
                    "limit": one.limit.share,
                    "bound_of_run": math.ceil(one.bound * 1e6) / 1e6,
                    "outside": one.outside,
                }
                for one in bounds_of(certificate, run, demand.limits)
            ],
        }
    }


def _opened(storage: Storage, demand: RiskDemand) -> tuple[bytes, Certificate]:
    """The certificate that the demand names.

    Raises:
        GateFailed: if there is none that can be trusted.
        UsageError: if the file of trusted keys cannot be used.
    """
    trusted = read_trusted(storage, demand)
    if demand.certificate is None:
        raise _held(demand, [Reason(Uncertified.NO_CERTIFICATE, "none is named (--certificate)")])
    try:
        content = storage.read_bytes(demand.certificate)
    except FileNotFoundError:
        reason = Reason(Uncertified.NO_CERTIFICATE, "there is no such file (--certificate)")
        raise _held(demand, [reason]) from None
    except (StorageError, UsageError) as error:
        reason = Reason(Uncertified.NO_CERTIFICATE, f"it cannot be read ({type(error).__name__})")
        raise _held(demand, [reason]) from None
    try:
        signed = verified_certificate(content, trusted)
    except UsageError as error:
        raise _held(demand, [Reason(Uncertified.UNTRUSTED, str(error))]) from None
    try:
        return content, read_certificate(signed)
    except UsageError as error:
        raise _held(demand, [Reason(Uncertified.DAMAGED, str(error))]) from None


def _held(demand: RiskDemand, reasons: list[Reason] | tuple[Reason, ...]) -> GateFailed:
    limits = ", ".join(map(str, demand.limits))
    head = f"the risk of what was left is not certified as asked (--max-risk {limits}):\n"
    tail = (
        "Nothing is published. To measure this run: scrubline campaign OUT --target SHARE; then "
        "scrubline certify OUT --campaign NAME --sign KEY, and scrubline resume --output ... "
        "--certificate OUT/risk/certificate.dsse.json. To publish it unmeasured: resume "
        "--max-risk direct=1"
    )

    def lines(*, with_names: bool) -> str:
        return "".join(
            f"  {one}{': ' + ', '.join(one.names) if with_names and one.names else ''}\n"
            for one in reasons
        )

    return GateFailed(
        head + lines(with_names=False) + tail, on_terminal=head + lines(with_names=True) + tail
    )


# -- what a manifest says
