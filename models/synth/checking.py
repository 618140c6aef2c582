"""What is wrong with templates, all of it at once: for those who write them."""

from __future__ import annotations

import collections
from collections.abc import Collection, Iterator

from ..corpora.inline import mark
from .drawing import Draw
from .filling import fill, open_note
from .generating import generate_note
from .parsing import ENGLISH, Template, TemplateError, parse_templates, read_sources
from .slots import SLOTS_IN

TRIES = 12
"""Notes made of each template, to count its labels."""


def check_templates(
    folder: str | None = None,
    *,
    kinds: Collection[str] = (),
    show: int = 0,
    language: str = ENGLISH,
) -> Iterator[tuple[bool, str]]:
    """Yields what to tell of each file: whether it is well, and the line or the filled note.

    Args:
        folder, kinds, language: see `read_sources`.
        show: so many templates of each file, from the end, are shown filled and marked.

    Raises:
        TemplateError, UsageError: as `read_sources`.
    """
    for kind, source in read_sources(folder, kinds, language):
        try:
            templates = parse_templates(source, kind, language)
        except TemplateError as error:
            yield False, str(error)
            continue
        labels: collections.Counter[str] = collections.Counter()
        sound: list[Template] = []
        for template in templates:
            if wrong := dict.fromkeys(_wrong_slots(template)):
                yield from ((False, line) for line in wrong)
                continue
            for copy in range(TRIES):
                labels.update(span.label for span in generate_note(template, 0, copy).spans)
            sound.append(template)
        counts = ", ".join(f"{label} {count // TRIES}" for label, count in labels.most_common())
        yield True, f"{kind}: {len(templates)} templates; {counts}"
        for template in sound[max(0, len(sound) - show) :]:
            note = generate_note(template, 1, 0)
            yield True, f"---- {template.name}\n{mark(note.text, note.spans)}"


def _wrong_slots(template: Template) -> Iterator[str]:
    """What is wrong with each slot, those of ways that are seldom taken too."""
    for slot in template.slots():
        try:
            fill(open_note(template, Draw("check")), (slot,), SLOTS_IN[template.language])
        except TemplateError as error:
            yield str(error)
