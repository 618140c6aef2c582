"""Other programs that find PHI, beside Scrubline: `python -m benchmarks.peers`."""
