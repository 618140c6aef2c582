"""What each error class of the quarantine means; the texts are in `error_classes.toml`."""

from __future__ import annotations

import dataclasses
import functools
import importlib.resources
import tomllib
from collections.abc import Mapping
from types import MappingProxyType


@dataclasses.dataclass(frozen=True, slots=True)
class ErrorClass:
    """What an error class means.

    Attributes:
        cause: what is wrong with the row, in a few words that fit after the class on one line.
        remedy: what the person who supplies the input, or runs the job, can do.
    """

    cause: str
    remedy: str


_FOREIGN = ErrorClass(
    "an unforeseen exception while the row was being processed",
    "report the class and the stage, with an invented row that shows it",
)


@functools.cache
def error_classes() -> Mapping[str, ErrorClass]:
    """Every error class under which Scrubline quarantines a row or refuses a corpus."""
    file = importlib.resources.files(__package__).joinpath("error_classes.toml")
    texts = tomllib.loads(file.read_text(encoding="utf-8"))
    return MappingProxyType({name: ErrorClass(**entry) for name, entry in texts.items()})


def explain(error: str) -> ErrorClass:
    """What an error class means; an unknown name is the class of an exception."""
    return error_classes().get(error, _FOREIGN)
