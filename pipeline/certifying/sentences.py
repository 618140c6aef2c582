"""A certificate in sentences, for whoever decides on a release."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...models.core.display_names import counted, of_them
from ...models.risk.carrying import Certificate
from ...models.risk.frame import OTHER
from ...models.risk.statement import Statement

_OF = {
    "direct": "a direct identifier (a name, number, contact or street)",
    "any": "PHI of any kind",
}


def percent(share: float) -> str:
    """A share in per cent, never told as less than it is."""
    return f"{math.ceil(round(share * 10_000, 6)) / 100:.4g} %"


def certificate_sentences(certificate: Certificate) -> Iterator[str]:
    """Yields what a certificate states, what it rests on, and what it does not say."""
    primary, *others = certificate.statements
    yield _stated(certificate, primary)
    yield from _read(certificate)
    for one in others:
        yield "Also: " + _stated(certificate, one)
    if len(others) > 1:
        yield (
            "What stands behind `Also` holds all together with a confidence of "
            f"{1 - primary.alpha:.1%}, beside the first statement."
        )
    register = certificate.issued.register
    yield (
        f"Campaigns begun on these texts: {register.begun}, of which {register.read} were read; "
        f"with a chance of {register.alpha:.1%} at most, any of them states too little."
    )
    yield from certificate.limits
    yield from _outside(certificate)
    yield f"Drawn on {certificate.issued.begun}; it holds up to {certificate.expires}."


def _stated(certificate: Certificate, one: Statement) -> str:
    run, confidence = certificate.run, f"{1 - one.alpha:.1%}"
    if one.unit == "million tokens":
        return f"at most {one.bound:,} leaks a million tokens ({confidence} confidence)."
    if one.unit == "patient":
        whose = f"the {counted(certificate.frame.patients, 'patient')} of run {run}"
    elif one.type is not None:
        size = certificate.frame.strata.get(one.type, 0)
        whose = f"the {counted(size, 'document')} of type {one.type}"
    else:
        whose = f"the {counted(certificate.frame.documents, 'document')} of run {run}"
    return f"At most {percent(one.bound)} of {whose} hold {_OF[one.of]} ({confidence} confidence)."


def _read(certificate: Certificate) -> Iterator[str]:
    campaign, primary = certificate.campaign, certificate.statements[0]
    unit = "document" if primary.unit == "document" else "patient"
    yield (
        f"Drawn at random and counted: {counted(primary.n, unit)}; "
        f"{of_them(primary.k, 'leaks', 'leak')}. "
        f"Not read to the end: {campaign['unfinished']}; not read at all: {campaign['unread']}; "
        "these count as leaks."
    )
    yield (
        f"Readers ({campaign['readers']}) found {campaign['found']} of {campaign['planted']} spans "
        "that had been removed and were shown as if they had not: they find at least "
        f"{math.floor(primary.corrected * 1000) / 10:.4g} % of what is left, and the bound makes "
        "up for the rest."
    )
    if campaign["twice"]:
        yield (
            f"Texts that two people read: {campaign['twice']}; they judged "
            f"{campaign['agreement']:.0%} of these alike."
        )


def _outside(certificate: Certificate) -> Iterator[str]:
    if set(certificate.frame.types) == {OTHER}:
        yield (
            "The run tells no types of notes, or has few of each: whether a later run has other "
            "ones cannot be seen."
        )
    tail, left_out = certificate.cut_tail, certificate.issued.left_out
    if tail.documents:
        yield (
            f"Of {counted(tail.documents, 'document')} of the greatest risk nothing is stated: "
            "the gate counts each as a leak."
        )
    if left_out:
        yield (
            f"Of {counted(left_out, 'document')} that a model was trained on nothing is stated: "
            "the gate counts each as a leak."
        )
