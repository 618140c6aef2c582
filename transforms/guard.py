"""GuardRoster: asserts that nothing known of a row's people is left in its output."""

from .running import Step


class GuardRoster(Step):
    """Batch with scrubbed texts -> the same batch, rows that still tell of their people failed."""
