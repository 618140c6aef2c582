"""What is decided: data types, tokens, features, rules, CRFs, merging, scrubbing, formats, scores.

`Scrubber` is the entrance for Python: `Scrubber("en-default").scrub(text)`. It is imported late, so
that tools which need one small module do not pay for pyarrow and the CRF library.
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
    raise AttributeError(name)
