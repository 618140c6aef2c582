"""Fuzzing: every parser by coverage, and the chain from file to scrubbed rows by the million.

    python -m benchmarks.fuzz parser [--only NAME ...] [--seconds 600] [--jobs 1] [--seed N]
    python -m benchmarks.fuzz chain [--documents 1000000] [--seed N] [--jobs 2]

`targets.TARGETS` names what is fuzzed, `laws` says what must hold; both are also run for some
seconds by the tests.
"""
