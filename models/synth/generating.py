"""Annotated notes from templates: `scrubline synth`.

What is given depends on the seed, the templates and the lists that ship, and on nothing else: note
k is filled from draw k modulo the number of draws, each time with other identities. A template is
one draw, or as many as its setting `#draws` says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..core.errors import UsageError
from ..corpora import AnnotatedDocument, Annotation
from .drawing import Draw
from .filling import LITERAL, Mention, NotePiece, Pieces, fill, open_note
from .parsing import Template
from .printing import MANNERS_IN, print_note
from .slots import SLOTS_IN

NAMES = ("PATIENT", "DOCTOR")

LEAST_SEED, MOST_SEED = 0, (1 << 63) - 1


def to_document(doc_id: str, pieces: Pieces, meta: dict[str, object]) -> AnnotatedDocument:
    """Joins pieces; blanks at the edge of an entity are not part of it."""
    text, spans = joined(pieces)
    return AnnotatedDocument(doc_id, text, tuple(span for span, _ in spans), meta)


def joined(pieces: Pieces) -> tuple[str, list[tuple[Annotation, tuple[Mention, ...]]]]:
    """The text of pieces, and their entities in order, each with whom it speaks of."""
    parts: list[str] = []
    spans: list[tuple[Annotation, tuple[Mention, ...]]] = []
    length = 0
    for text, label, means in _with_whole_names(pieces):
        parts.append(text)
        inside = text.strip()
        if label and inside:
            start = length + len(text) - len(text.lstrip())
            spans.append((Annotation(start, start + len(inside), label), means))
        length += len(text)
    return "".join(parts), spans


def _with_whole_names(pieces: Pieces) -> Pieces:
    """Puts first and last names together that were slots of their own: `{p.first} {p.last}`.

    Initials are left alone: with a blank between them they are two persons'.
    """
    whole: Pieces = []
    for piece in pieces:
        if (
            piece.label in NAMES
            and len(whole) > 1
            and whole[-1].text == " "
            and not whole[-1].label
            and whole[-2].label == piece.label
            and not (_is_initials(piece.text) or _is_initials(whole[-2].text))
        ):
            whole.pop()
            first = whole.pop()
            means = first.means + piece.means
            if bool(first.means) != bool(piece.means):  # a part is of the template
                means = tuple(mention._replace(written=LITERAL) for mention in means)
            piece = NotePiece(f"{first.text} {piece.text}", piece.label, means)
        whole.append(piece)
    return whole


def _is_initials(text: str) -> bool:
    return len(text) < 4 and (text.isupper() or text.islower())


def generate_note(template: Template, seed: int, copy: int) -> AnnotatedDocument:
    """One note of a template.

    Args:
        template: what is filled.
        seed: of the corpus.
        copy: which note of this template, from 0.

    Raises:
        TemplateError: if a slot, a form or an argument is unknown.
    """
    draw = Draw("note", seed, template.name, copy)
    note = open_note(template, draw.child("slots"))
    filled = fill(note, template.nodes, SLOTS_IN[template.language])
    pieces = print_note(draw.child("print"), filled, MANNERS_IN[template.language])
    meta: dict[str, object] = {"type": template.kind, "template": template.name}
    return to_document(f"{template.name}-{copy}", pieces, meta)


def generate(
    templates: Sequence[Template], *, seed: int, notes: int
) -> Iterator[AnnotatedDocument]:
    """So many notes, the templates in turn, each as often as it has draws.

    Fewer notes than draws are of as many of them, from all over the list.

    Raises:
        UsageError: if the seed or the number is out of range.
        TemplateError: as `generate_note`.
    """
    if not LEAST_SEED <= seed <= MOST_SEED:
        raise UsageError(f"seed: expected {LEAST_SEED} to {MOST_SEED}, got {seed}")
    if notes < 1:
        raise UsageError(f"notes: expected at least 1, got {notes}")
    if not templates:
        raise UsageError("no templates: the files contain none")
    draws = [(template, draw) for template in templates for draw in range(template.draws)]
    for number in range(notes):
        turn, place = divmod(number, len(draws))
        if notes < len(draws):
            place = number * len(draws) // notes
        template, draw = draws[place]
        yield generate_note(template, seed, turn * template.draws + draw)
