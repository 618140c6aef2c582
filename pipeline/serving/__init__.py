"""The server of `scrubline serve`: scrubs texts that programs of other languages send."""
