"""Core: the values that travel along the pipeline, and what every other room uses."""
