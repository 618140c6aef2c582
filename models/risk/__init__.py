"""How much a published output still leaks: random blind draws, upper bounds, signed statements.

`bounds` and `sequential` are the statistics, `sample_sizes` says how much must be read; `frame`,
`drawing` and `planting` choose what is read, `rows` are the files of a campaign, `judging` says
what was found, `statement` what follows from it, and `envelope` signs it. `drift` watches the
nights after. Nothing here reads a clock, a file or a score to bound a risk: scores rank work.
"""
