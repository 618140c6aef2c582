"""Where else in a text the same words stand."""

from __future__ import annotations

from ..text.tokenizer import tokenize_documents


def same_places(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """All places of a text with the words of one of its stretches, whatever their case.

    White space between words may differ. A stretch that cuts a word is looked for as it is written.

    Args:
        text: as it is shown.
        start, end: the stretch; it is among the places.
    """
    tokens = tokenize_documents([text], sentences=False)
    starts, ends = tokens.starts.tolist(), tokens.ends.tolist()
    inside = [at for at in range(len(starts)) if starts[at] < end and start < ends[at]]
    if not inside:
        return []
    if starts[inside[0]] < start or end < ends[inside[-1]]:
        return _as_written(text, start, end)
    words = [text[one:other].casefold() for one, other in zip(starts, ends, strict=True)]
    wanted = [words[at] for at in inside]
    found, at = [], 0
    while at + len(wanted) <= len(words):
        if words[at : at + len(wanted)] == wanted:
            found.append((starts[at], ends[at + len(wanted) - 1]))
            at += len(wanted)
        else:
            at += 1
    return found


def _as_written(text: str, start: int, end: int) -> list[tuple[int, int]]:
    wanted, found, at = text[start:end], [], 0
    while (at := text.find(wanted, at)) >= 0:
        found.append((at, at + len(wanted)))
        at += len(wanted)
    return found
