"""Rows of other people's programs: tables of Arrow and records of Python, scrubbed by their roles.

The roles, the keys, the steps and the rows that come out are those of a job.
"""
