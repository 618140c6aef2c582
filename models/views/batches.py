"""The second pass: detectors over the decoded lines of a batch, by the same steps.

The changed lines of all documents of a batch are a small batch of their own, carried along in
`Batch.views`. What is found there is a candidate of the text as it was written.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Callable, Sequence
from typing import Concatenate, ParamSpec

import numpy as np

from ..core.arrays import Flags
from ..core.batches import Batch, Viewed, map_documents
from ..core.budgets import Budgets
from ..core.documents import Documents
from ..core.errors import OverBudget
from ..core.spans import NO_CANDIDATES, Candidates
from ..core.views import View
from .carrying import carry_over
from .scanning import scan
from .table import decoded

P = ParamSpec("P")

CONTEXT_LINES = 2
"""Lines before and after a changed one that detectors see with it."""

LEAST_ENCODED = 200
"""Characters: fewer that are encoded (a token, a hash, a key) are not a document in disguise."""


def look_through(batch: Batch, budgets: Budgets) -> Batch:
    """Adds the views of a batch, as it was read; a document that is mostly encoded is refused."""
    texts = batch.active_texts()
    places, encoded = scan(texts)
    if not places and not encoded:
        return batch

    def one(index: int) -> list[View]:
        text = texts[index]
        assert text is not None, "it is alive"
        if _over(encoded.get(index, 0), text, budgets):
            raise OverBudget("encoded")
        own = views_of(text, places[index]) if index in places else []
        if own:
            # What stands between may have made short runs of a long one.
            read = _as_read(text, own)
            if _over(scan([read])[1].get(0, 0), read, budgets):
                raise OverBudget("encoded")
        return own

    found, failures = map_documents(batch, "tokenize", one)
    batch = dataclasses.replace(batch, failures=failures)
    owners = [index for index, own in enumerate(found) for _ in own or ()]
    if not owners:
        return batch
    views = tuple(view for own in found for view in own or ())
    documents = batch.documents
    small = Documents(
        tuple(view.text for view in views),
        documents.rows[owners],
        tuple(documents.fields[index] for index in owners),
    )
    inner = Batch(batch.unit, batch.last, batch.rows, small, failures)
    return dataclasses.replace(batch, views=Viewed(inner, views, tuple(owners)))


def _over(encoded: int, text: str, budgets: Budgets) -> bool:
    most = max(budgets.max_encoded_share * len(text), LEAST_ENCODED - 1)
    # Few texts have pictures, so they are asked for last.
    return encoded > most and scan([without_pictures(text)])[1].get(0, 0) > most


_PICTURE = re.compile(
    r"data:(?:image|font|audio|video)/[\w.+-]{1,40};base64,(?:[A-Za-z0-9+/=]{20,}\s{0,4})*"
)
_RTF_MARK = re.compile(r"\\[\\{}]|[{}]|\\pict(?![a-z])")
_RTF_OCTETS = re.compile(r"(?:[0-9A-Fa-f]{20,}\s{0,4})+")


def without_pictures(text: str) -> str:
    """A text without the pictures within HTML and RTF, which are not text in disguise."""
    text = _PICTURE.sub("", text)
    if not text.lstrip().startswith("{\\rtf"):
        return text
    pieces: list[str] = []
    position = 0
    for low, high in _rtf_pictures(text):
        if low >= position:
            pieces += (text[position:low], _RTF_OCTETS.sub("", text[low:high]))
            position = high
    return "".join((*pieces, text[position:]))


def _rtf_pictures(text: str) -> list[tuple[int, int]]:
    """Where pictures of RTF are: from their word to the end of its group, if that ends."""
    found: list[tuple[int, int]] = []
    begun: list[int | None] = [None]
    for mark in _RTF_MARK.finditer(text):
        if mark.group() == "{":
            begun.append(None)
        elif mark.group() == "}":
            low = begun.pop() if len(begun) > 1 else None
            if low is not None:
                found.append((low, mark.start()))
        elif mark.group() == "\\pict" and begun[-1] is None:
            begun[-1] = mark.end()
    return sorted(found)


def _as_read(text: str, views: Sequence[View]) -> str:
    """A text with its views in the place of what they are of."""
    pieces: list[str] = []
    position = 0
    for view in views:
        pieces += (text[position : int(view.starts[0])], view.text)
        position = int(view.ends[-1])
    return "".join((*pieces, text[position:]))


def views_of(text: str, places: Sequence[int]) -> list[View]:
    """The views of the lines of a text that places are on, with the lines around; changed ones."""
    views = (decoded(View.of(text, low, high)) for low, high in _stretches(text, places))
    return [view for view in views if view.text and view.changed.any()]


def _stretches(text: str, places: Sequence[int]) -> list[tuple[int, int]]:
    """The lines of places and those around, in order and disjoint."""
    found: list[tuple[int, int]] = []
    line_end = 0
    for place in places:
        if place < line_end:
            continue
        low, line_end = _line(text, place)
        high = line_end
        for _ in range(CONTEXT_LINES):
            low = _line(text, low - 1)[0] if low else low
            high = _line(text, high)[1] if high < len(text) else high
        if found and low <= found[-1][1]:
            low = found.pop()[0]
        found.append((low, high))
    return found


def _line(text: str, at: int) -> tuple[int, int]:
    """Where the line of a character begins, and where the next one does."""
    return text.rfind("\n", 0, at) + 1, text.find("\n", at) + 1 or len(text)


def prepared(
    step: Callable[Concatenate[Batch, Budgets, P], Batch],
) -> Callable[Concatenate[Batch, Budgets, P], Batch]:
    """Tokenize: looks through the texts first, and does views too."""

    @functools.wraps(step)
    def both(batch: Batch, budgets: Budgets, /, *args: P.args, **kwargs: P.kwargs) -> Batch:
        if batch.views is None:
            batch = look_through(batch, budgets)
        batch = step(batch, budgets, *args, **kwargs)
        if batch.views is None:
            return batch
        inner = step(_inner(batch), budgets, *args, **kwargs)
        return _carried(batch, _with_sections(batch, inner))

    return both


def followed(
    step: Callable[Concatenate[Batch, P], Batch],
) -> Callable[Concatenate[Batch, P], Batch]:
    """Featurize, Label: does views too."""
    return _with_views(step, _carried)


def brought_back(
    step: Callable[Concatenate[Batch, P], Batch],
) -> Callable[Concatenate[Batch, P], Batch]:
    """Recognise: does views too; all that was found in them is then found in the texts."""
    return _with_views(step, lambda batch, inner: bring_back(*_with_names(batch, inner)))


def _with_views(
    step: Callable[Concatenate[Batch, P], Batch], joined: Callable[[Batch, Batch], Batch]
) -> Callable[Concatenate[Batch, P], Batch]:
    """A step that is done for the views too, and what makes one batch of both."""

    @functools.wraps(step)
    def both(batch: Batch, /, *args: P.args, **kwargs: P.kwargs) -> Batch:
        batch = step(batch, *args, **kwargs)
        if batch.views is None:
            return batch
        return joined(batch, step(_inner(batch), *args, **kwargs))

    return both


def _with_names(batch: Batch, inner: Batch) -> tuple[Batch, Batch]:
    """Adds names that the text has elsewhere to its views, and the other way round."""
    batch = dataclasses.replace(batch, failures=inner.failures)
    of_texts, of_views, failures = carry_over(batch, inner)
    return (
        dataclasses.replace(
            batch, candidates=Candidates.joined(batch.candidates, Candidates.of(of_texts))
        ),
        dataclasses.replace(
            inner,
            candidates=Candidates.joined(inner.candidates, Candidates.of(of_views)),
            failures=failures,
        ),
    )


def bring_back(batch: Batch, inner: Batch) -> Batch:
    """Adds what was found in the views to what was found in the texts.

    What stands on an unchanged line is left out: there the texts themselves were seen, and more of
    what stands around. But a heading may have been decoded, and its value be on the next line.
    """
    assert batch.views is not None, "there is something to bring back from"
    lines = [np.append(0, np.cumsum(_seen_anew(view))) for view in batch.views.views]
    found = [
        (batch.views.owners[at], batch.views.views[at].original(candidate))
        for at, candidate in inner.candidates.rows()
        if lines[at][candidate.end] > lines[at][candidate.start]
    ]
    candidates = Candidates.joined(batch.candidates, Candidates.of(found))
    rest = dataclasses.replace(inner, candidates=NO_CANDIDATES)
    return _carried(dataclasses.replace(batch, candidates=candidates), rest)


def _seen_anew(view: View) -> Flags:
    """For each character, whether its line was changed, or follows a changed one with a colon."""
    seen = view.changed_lines()
    changed = seen.copy()
    for colon in _HEADING_END.finditer(view.text):
        if changed[colon.start()]:
            seen[colon.end() : _line(view.text, colon.end())[1]] = True
    return seen


_HEADING_END = re.compile(r":[ \t]{0,8}\r?\n")


def _inner(batch: Batch) -> Batch:
    assert batch.views is not None, "there are some"
    return dataclasses.replace(batch.views.batch, failures=batch.failures)


def _carried(batch: Batch, inner: Batch) -> Batch:
    """The batch with its views as they are now; a view that fails, fails the row of its text."""
    assert batch.views is not None, "there are some"
    views = dataclasses.replace(batch.views, batch=inner)
    return dataclasses.replace(batch, views=views, failures=inner.failures)


def _with_sections(batch: Batch, inner: Batch) -> Batch:
    """The views' tokens before a heading are in the section that the text is in there."""
    tokens, whole, viewed = inner.tokens, batch.tokens, batch.views
    assert tokens is not None and whole is not None and viewed is not None, "all were tokenized"
    if tokens.sentences is None or whole.sentences is None or not len(whole):
        return inner
    sections = tokens.sentences.sections.copy()
    for at, (view, owner) in enumerate(zip(viewed.views, viewed.owners, strict=True)):
        rows = whole.of_document(owner)
        before = int(np.searchsorted(whole.starts[rows], view.starts[0]))
        if before:
            own = sections[tokens.of_document(at)]
            own[own < 0] = whole.sections[rows.start + before - 1]
    sentences = dataclasses.replace(tokens.sentences, sections=sections)
    return dataclasses.replace(inner, tokens=dataclasses.replace(tokens, sentences=sentences))
