"""How tables say that there is no value."""

from __future__ import annotations

import math
from typing import TypeGuard


def is_missing(value: object) -> TypeGuard[float | None]:
    """Whether it is None, NaN, or what pandas has for either."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return True
    # Those of pandas, without loading it: comparing `pandas.NA` gives no truth value.
    kind = type(value)
    return kind.__name__ in ("NAType", "NaTType") and kind.__module__.partition(".")[0] == "pandas"
