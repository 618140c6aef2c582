"""Guesses about an input that nobody has described yet, for `scrubline init`.

A guess is a suggestion in a file that a person reads before anything is scrubbed. What is doubtful
is left out of the output. Values are looked at and forgotten: nothing here holds, returns or
raises one.
"""
