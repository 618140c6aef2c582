"""What is decided: data types, tokens, features, rules, CRFs, merging, scrubbing, formats, scores.

`Scrubber` is the entrance for Python: `Scrubber().scrub(text)`. It is imported late, so that tools
which need one small module do not pay for pyarrow and the CRF library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .scrubber import Scrubber

__all__ = ["Scrubber"]


def __getattr__(name: str) -> object:
    if name == "Scrubber":
        from .scrubber import Scrubber

        return Scrubber
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names: what completion in a notebook shows."""
    return sorted(__all__)
