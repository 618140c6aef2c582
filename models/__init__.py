"""What is decided: data types, tokens, features, rules, CRFs, merging, scrubbing, formats, scores.

`from scrubline.models import Scrubber` still works, with a warning: it is `scrubline.Scrubber` now.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in the root of the package: `typing` is slow to load

if TYPE_CHECKING:
    from .scrubber import Scrubber as Scrubber
else:

    def __getattr__(name: str) -> object:
        if name != "Scrubber":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import warnings

        from .scrubber import Scrubber

        warnings.warn(
            "`from scrubline.models import Scrubber` is deprecated: use "
            "`from scrubline import Scrubber`",
            DeprecationWarning,
            stacklevel=2,
        )
        return Scrubber
