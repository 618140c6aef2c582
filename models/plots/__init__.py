"""Plots as inline SVG, drawn without a library: a page must not load anything.

Colours are classes, which the page's stylesheet fills in for light and dark; what tells series
apart is a texture or a label too, for print and for eyes that see no colour. The same numbers give
the same bytes.
"""
