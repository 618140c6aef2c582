"""Outputs: an output folder, what is true of it, and what a run may do to it."""
