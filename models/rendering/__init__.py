"""Rendering: texts within markup as they are read, and put back where they stand.

A layer (`core.written_texts`) is a file here and a line in `kinds`.
"""
