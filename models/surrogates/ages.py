"""Ages: those up to 89 stay, those above become `90+` in the same words.

Source: 45 CFR 164.514(b)(2)(i)(C).
"""

from __future__ import annotations

import re
from typing import Final

from ..dates.written_ages import KEEP, generalise_age
from .drawer import Drawer

LONGEST: Final = 48
_NUMBER = re.compile(r"(?<![\d.,])\d{2,3}(?![\d.,])")


def age(drawer: Drawer, label: str, text: str) -> str | None:
    """What `age_surrogate` gives: ages need no draws."""
    del drawer, label
    return age_surrogate(text)


def age_surrogate(text: str) -> str | None:
    """The age as it is, or `90+` in its words; None for one that is not understood.

    `93 y/o` becomes `90+ y/o`, `93-year-old` becomes `90+-year-old`, and words become `90+`.
    """
    if len(text) > LONGEST or not (found := generalise_age(text)):
        return None
    if found == KEEP:
        return text
    numbers = _NUMBER.findall(text)
    if len(numbers) != 1 or "+" in text:
        return found
    match = _NUMBER.search(text)
    assert match is not None
    return f"{text[: match.start()]}90+{text[match.end() :]}"
