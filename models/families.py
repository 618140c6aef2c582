"""Learner families: what training, bundles and taggers do with the models of each.

A new family is a room with these functions, a line in `FAMILIES`, and its algorithms in
`learners.ALGORITHMS`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from . import margin
from .crf import learning, packed
