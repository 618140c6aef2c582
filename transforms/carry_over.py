"""CarryOver: notes of a patient tell of their words, and learn what the patient's others say."""

from .running import Step


class CarryOver(Step):
    """Batch with candidates -> the same batch with evidence, and candidates carried over."""
