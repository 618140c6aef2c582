"""Paths as they are written; what they lead to is asked of `places`."""

from __future__ import annotations


def below(path: str, folder: str) -> str | None:
    """The rest of a path or URL after a folder; None if it does not begin with the folder.

    Both are taken as they are written. Whether one place lies in another, `places.is_inside` says.
    """
    folder = folder.rstrip("/")
    return path[len(folder) + 1 :] if path.startswith(f"{folder}/") else None
