"""Nursing notes like those of PhysioNet's corpus, of which Gardner et al. 2010 have 163 records."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from ..corpora import AnnotatedDocument
from ..synth import generate, load_templates
from .base import Bench

RECORDS = 163
"""§6, "Datasets"."""

KINDS = (
    "nursing-shorthand",
    "fragment-nursing",
    "fragment-labs",
    "fragment-plans",
    "fragment-devices",
    "fragment-examination",
    "fragment-medications",
)
"""Kinds of generated notes: shorthand without sentences, with little PHI."""

_SEED = 1


def nursing_notes(bench: Bench) -> Sequence[AnnotatedDocument]:
    """Some of the material's nursing notes, or as many generated ones."""
    most = min(RECORDS, bench.size.documents)
    return bench.some(bench.material.nursing or _generated(), most)


def describe_nursing(bench: Bench) -> str:
    """What the nursing notes are, for pages."""
    notes = nursing_notes(bench)
    spans = sum(len(note.spans) for note in notes)
    what = "given" if bench.material.nursing else "generated"
    why = (
        ""
        if bench.material.nursing
        else ", which stand in for PhysioNet's (`--nursing` takes the real ones)"
    )
    return (
        f" Nursing notes: {len(notes)} {what} ones with {spans:,} spans{why}; {bench.size.folds}"
        " folds, to convergence, English dictionaries."
    )


@functools.cache
def _generated() -> tuple[AnnotatedDocument, ...]:
    return tuple(generate(load_templates(kinds=KINDS), seed=_SEED, notes=RECORDS))
