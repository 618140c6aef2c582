"""Phileas for Python, by the makers of Phileas for Java: all filters that need no other service.

It has patterns alone; for names it asks a service of its makers, which is not run here.
"""

from __future__ import annotations

from collections.abc import Sequence

from phileas.policy.policy import Policy
from phileas.services.filter_service import FilterService

from .measured import Program, Stretch

VERSION, DISTRIBUTION = "", "phileas-redact"
ASKED = (
    *("age", "emailAddress", "creditCard", "ssn", "phoneNumber", "ipAddress", "url", "zipCode"),
    *("vin", "bitcoinAddress", "bankRoutingNumber", "date", "macAddress", "currency"),
    *("streetAddress", "trackingNumber", "driversLicense", "ibanCode", "passportNumber"),
)


def opened() -> Program:
    """With each filter and its default strategy, which redacts."""
    policy = Policy.from_dict({"name": "all", "identifiers": {name: {} for name in ASKED}})
    service = FilterService()

    def run(text: str):  # noqa: ANN202 - a type of the peer
        return service.filter(policy=policy, context="notes", document_id="note", text=text)

    def scrub(texts: Sequence[str]) -> list[str]:
        return [run(text).filtered_text for text in texts]

    def found(text: str) -> list[Stretch]:
        return [(one.character_start, one.character_end) for one in run(text).spans]

    return Program(scrub, found)
