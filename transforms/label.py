"""Label: adds the CRFs' candidates."""

from .running import Step


class Label(Step):
    """Batch with features -> the same batch with the CRFs' candidates, one for one."""
