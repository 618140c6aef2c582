"""What patterns need (`prefilter`), read off them once per machine and then kept.

To read it off all patterns takes a second, half of a short run. It is a function of the patterns
and of the code that reads them, and its file is named by the hash of both. All patterns are the
program's own; none is of a site.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.resources
import json
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import kept_files
from . import matching
from .prefilter import Case, LiteralRun, Needs, Required

MOST_FILES = 8
"""Other rules and lists make other patterns."""

_SUFFIX = ".needs"
_CODE = ("prefilter.py", "known_needs.py")


def learn_needs() -> None:
    """Makes known what all patterns need that there are, before they are asked for it."""
    _learn(len(matching._PATTERNS))


@functools.lru_cache(1)
def _learn(count: int) -> None:
    patterns = matching._PATTERNS[:count]
    if all("needs" in vars(one) for one in patterns):
        return
    name = name_of(patterns)
    if (kept := kept_files.read(name, _SUFFIX)) is not None:
        for one, row in zip(patterns, json.loads(kept.tobytes()), strict=True):
            vars(one)["needs"] = _unpacked(row)
        return
    rows = [_packed(one.needs) for one in patterns]
    content = np.frombuffer(json.dumps(rows).encode(), np.uint8)
    kept_files.write(name, _SUFFIX, content, most_files=MOST_FILES)


def name_of(patterns: Sequence[matching.Prefiltered]) -> str:
    """The name of the file of some patterns."""
    digest = hashlib.sha256(sys.version.encode())
    for module in _CODE:
        digest.update(importlib.resources.files(__package__).joinpath(module).read_bytes())
    digest.update(json.dumps([(one.source, one.case) for one in patterns]).encode())
    return digest.hexdigest()


def _packed(needs: Needs) -> Any:
    each = [(sorted(need.pieces), need.case, need.before) for need in needs.each]
    return each, needs.reach, needs.is_anchored


def _unpacked(row: Any) -> Needs:
    each, reach, is_anchored = row
    return Needs(
        tuple(
            Required(frozenset(map(LiteralRun._make, pieces)), Case(case), before)
            for pieces, case, before in each
        ),
        reach,
        is_anchored,
    )
