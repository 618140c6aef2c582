"""Label: adds the taggers' candidates."""

from .running import Step


class Label(Step):
    """Batch with features -> the same batch with the taggers' candidates, one for one."""
