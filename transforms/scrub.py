"""Scrub: adds scrubbed texts and offset maps."""

from .running import Step


class Scrub(Step):
    """Batch with spans -> the same batch with scrubbed texts and offset maps, one for one."""
