"""Commands: one module each, but for those that scrub."""
