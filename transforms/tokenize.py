"""Tokenize: adds tokens."""

from .running import Step


class Tokenize(Step):
    """Batch of documents -> the same batch with tokens, one for one."""
