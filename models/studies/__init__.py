"""Studies: reproduce the papers' tables and figures on open corpora, each by one command."""

from __future__ import annotations

from . import hide, hitsz, stat_deid, stat_deid_data, szeged, szeged_rounds, wi_deid
from .base import (
    SIZES,
    Bench,
    ClaimCheck,
    Findings,
    Material,
    PageTable,
    Plot,
    Study,
    lists_needed,
)
from .pages import index_page, page, write_findings

__all__ = [
    "SIZES",
    "STUDIES",
    "Bench",
    "Findings",
    "Material",
    "Plot",
    "Study",
    "PageTable",
    "ClaimCheck",
    "index_page",
    "lists_needed",
    "page",
    "write_findings",
]

STUDIES: dict[str, Study] = {
    study.name: study
    for paper in (hide, szeged, szeged_rounds, hitsz, wi_deid, stat_deid, stat_deid_data)
    for study in paper.STUDIES
}
"""All studies, by paper, in the order of its tables and figures."""
