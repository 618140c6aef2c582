"""Labels that a site declares in its policy."""

from __future__ import annotations

import dataclasses
import re

from ..core.errors import UsageError
from ..core.labels import HIPAA_ITEMS, LABELS

LABEL = re.compile(r"[\w-]{1,64}")
"""What a label looks like."""


@dataclasses.dataclass(frozen=True, slots=True)
class OwnLabel:
    """A label that a site declares.

    Attributes:
        hipaa: letter of its item in 45 CFR 164.514(b)(2)(i), or None.
        description: for people.
    """

    hipaa: str | None = None
    description: str = ""


def check_label_name(name: str) -> None:
    """Refuses what no label of a site may be called.

    Raises:
        UsageError: without the name, which may be a phrase.
    """
    if not LABEL.fullmatch(name):
        raise UsageError(
            "policy: [labels]: expected names of 1 to 64 letters, digits, hyphens and underscores"
        )


def check_own_label(name: str, own: OwnLabel) -> None:
    """Refuses a label that cannot be declared.

    Raises:
        UsageError: saying why.
    """
    check_label_name(name)
    if name.upper() in LABELS:
        raise UsageError(
            f"policy: [labels] {name}: {name.upper()} is a native label; choose another name"
        )
    if own.hipaa is not None and (len(own.hipaa) != 1 or own.hipaa not in HIPAA_ITEMS):
        raise UsageError(
            f"policy: [labels] {name}: hipaa: expected the letter of an item of "
            "45 CFR 164.514(b)(2)(i), A to R"
        )
