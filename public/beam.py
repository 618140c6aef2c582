"""Scrubbing inside of an Apache Beam pipeline of your own.

    found = notes | ScrubText({"note_id": "id", "note": "text", "ward": "pass"})
    found.scrubbed       the elements without PHI
    found.audit          a dict for each span
    found.dead_letters   `DeadLetter`s: elements that could not be scrubbed, and why

These two names are public, as those of `scrubline` are; `import scrubline` does not load Beam.
"""

from .transforms.scrub_text import DeadLetter, ScrubText

__all__ = ["DeadLetter", "ScrubText"]
