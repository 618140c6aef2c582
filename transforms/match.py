"""MatchRoster: adds the candidates of what is known of each row's people."""

from .running import Step


class MatchRoster(Step):
    """Batch with candidates -> the same batch with those of a roster added, one for one."""
