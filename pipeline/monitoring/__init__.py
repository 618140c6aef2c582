"""Monitoring: what people and machines are shown of a run."""
