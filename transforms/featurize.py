"""Featurize: adds the attribute rows of every tagger."""

from .running import Step


class Featurize(Step):
    """Batch with tokens -> the same batch with the attribute rows of every tagger, one for one."""
