"""`scrubline synth`: annotated notes to train on, from templates and a seed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from ..models.corpora import AnnotatedDocument, write_annotated
from ..models.errors import UsageError
from ..models.synth import generate, load_templates
from ..models.synth.checking import check_templates
from ..models.synth.raw import mix_in, read_raw
from .new_files import require_new_corpus


def synthesise(asked: argparse.Namespace) -> str:
    """Writes the notes; returns what to tell the user.

    Args:
        asked: the parsed command line of `scrubline synth`.

    Raises:
        UsageError: if the output is missing or exists, a template or a raw note cannot be read, or
            the seed or number is out of range.
    """
    if asked.check or asked.show:
        return _checked(asked)
    if not asked.output:
        raise UsageError("say where to write with --output FILE; --check needs none")
    require_new_corpus(asked.output, None)
    templates = load_templates(asked.templates)
    notes = len(templates) if asked.notes is None else asked.notes
    raw = [text for folder in asked.raw or () for text in read_raw(folder)]
    counts = {"notes": 0, "spans": 0, "characters": 0}

    def counted(documents: Iterator[AnnotatedDocument]) -> Iterator[AnnotatedDocument]:
        for document in documents:
            counts["notes"] += 1
            counts["spans"] += len(document.spans)
            counts["characters"] += len(document.text)
            if sys.stderr.isatty() and counts["notes"] % 100 == 0:
                print(f"\r{counts['notes']:,} notes", end="", file=sys.stderr, flush=True)
            yield document

    def all_of_them() -> Iterator[AnnotatedDocument]:
        if notes or not raw:
            yield from generate(templates, seed=asked.seed, notes=notes)
        yield from mix_in(raw, seed=asked.seed)

    write_annotated(counted(all_of_them()), asked.output)
    kinds = len({template.kind for template in templates})
    made = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    return f"{made} from {len(templates):,} templates of {kinds} kinds and {len(raw):,} raw notes"


def _checked(asked: argparse.Namespace) -> str:
    told = list(check_templates(asked.templates, show=asked.show or 0))
    lines = "\n".join(line for _, line in told)
    if not all(well for well, _ in told):
        raise UsageError(lines)
    return lines
