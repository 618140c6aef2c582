"""Runners: what carries out the units of a plan, here or on an engine."""
