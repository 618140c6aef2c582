"""Generalisations: an age over 89 becomes `90+`, a ZIP code its first three digits.

Source: 45 CFR 164.514(b)(2)(i)(B) and (C); HHS, "Guidance Regarding Methods for De-identification
of Protected Health Information", 26 November 2012, question on ZIP codes.

A generalisation reads the covered text only. What it does not understand whole it gives back as
None, and the policy then redacts: nothing is kept because a part of it looked harmless.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..dates.written_ages import generalise_age

# fmt: off
RESTRICTED_ZIP3: frozenset[str] = frozenset((
    "036", "059", "063", "102", "203", "556", "692", "790", "821", "823", "830", "831", "878",
    "879", "884", "890", "893",
))
# fmt: on
"""The three-digit areas of 20,000 people or fewer that the HHS guidance lists (2000 Census).

The guidance tells its readers not to rely on the list once newer counts are out; a policy can add
prefixes.
"""

_ZIP = re.compile(r"\s*([0-9]{3})[0-9]{2}(?:[- ]?[0-9]{4})?\s*")


def generalise_zip(covered: str, restricted: frozenset[str]) -> str | None:
    """Three digits of a ZIP or ZIP+4 code, `000` if restricted; None for any other text."""
    match = _ZIP.fullmatch(covered)
    if match is None:
        return None
    prefix = match.group(1)
    return "000" if prefix in restricted else prefix


GENERALISATIONS: dict[str, Callable[[str, frozenset[str]], str | None]] = {
    "AGE": generalise_age,
    "ZIP": generalise_zip,
}
"""Label -> (covered text, restricted ZIP prefixes) -> replacement, KEEP, or None for redact."""
