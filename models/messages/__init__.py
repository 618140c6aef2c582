"""Messages: records of interfaces, whose values are found with their offsets and never printed.

`base` says what a grammar gives, `table` has the grammars; a file each.
"""
