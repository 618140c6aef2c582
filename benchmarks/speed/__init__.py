"""How fast Scrubline is, beside a plain search for words: `python -m benchmarks.speed`."""
