"""Benchmarks: a script a question, each printing JSON lines; see the docstring of each."""
