"""People read what a run published, and mark it: what they say, what they see, where they differ.

`marks` and `accesses` are the files of a reading, both only ever added to (`appended`), and their
owner's alone (`storage.private_files`); `segments` are what a page shows; `choosing` says in which
order; `places` finds the same words again; `readers` compares readers, `adjudication` their
differences. `risk.rows` has the values of marks.
"""
