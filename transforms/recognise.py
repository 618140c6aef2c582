"""Recognise: adds the rules' candidates."""

from .running import Step


class Recognise(Step):
    """Batch with the taggers' candidates -> the same batch with the rules' added, one for one."""
