"""How surrogates are made: what a policy says of them."""

from __future__ import annotations

import dataclasses
from typing import Final, Literal

from ..core.errors import UsageError

Scope = Literal["record", "document", "mention"]
Initials = Literal["other", "keep"]
Numbers = Literal["never-issued", "format"]
Layout = Literal["free", "pad"]

LANGUAGES: Final = ("en", "es", "de")
"""Languages that there are pools for."""

CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "scope": ("record", "document", "mention"),
    "initials": ("other", "keep"),
    "numbers": ("never-issued", "format"),
    "layout": ("free", "pad"),
}
"""Setting -> what it may be; the first is the default."""


@dataclasses.dataclass(frozen=True, slots=True)
class SurrogateSettings:
    """How surrogates are made.

    Attributes:
        scope: where a word has one surrogate: in all notes of a patient ("record"), in one note
            ("document"), or nowhere ("mention"). The wider, the more use the notes are and the
            easier a leak is told from surrogates (Carrell et al. 2020; Osborne et al. 2025).
        languages: of the names, the most frequent first; some of `LANGUAGES`.
        initials: "keep" draws names with the letter of the true one. It tells that letter.
        numbers: "never-issued" takes numbers that nobody has, where a country keeps some free.
            "format" takes any of the same form, which hides leaks among them, and may give a
            number that somebody has.
        layout: "pad" gives a text of the same length, by words of that length or blanks behind. It
            tells the length.

    Raises:
        UsageError: for anything else; the message names the setting.
    """

    scope: Scope = "record"
    languages: tuple[str, ...] = ("en",)
    initials: Initials = "other"
    numbers: Numbers = "never-issued"
    layout: Layout = "free"

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                raise UsageError(f"surrogates: {name} must be one of {', '.join(allowed)}")
        languages = self.languages
        if (
            not isinstance(languages, tuple)
            or not languages
            or len(set(languages)) < len(languages)
            or not set(languages) <= set(LANGUAGES)
        ):
            raise UsageError(
                f"surrogates: languages must be some of {', '.join(LANGUAGES)}, each once"
            )
