"""Closed sets of names, as the tables of this room write them."""

from __future__ import annotations


def names(text: str, sign: str | None = None) -> frozenset[str]:
    """The names of a text.

    Args:
        text: names, on any number of lines.
        sign: what parts them; None is blanks.
    """
    return frozenset(" ".join(name.split()) for name in text.split(sign))
