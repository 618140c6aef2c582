"""Views: texts as readers see them, for a second pass of detectors where that differs.

`table` has the decoders, `scanning` finds where to look, `batches` runs the steps over what was
decoded; a new decoder is a file here and a line in `table`.
"""
