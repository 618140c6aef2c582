"""Merge: adds spans (accept, select, cover)."""

from .running import Step


class Merge(Step):
    """Batch with candidates -> the same batch with spans (accept, select, cover), one for one."""
