"""Studies: reproduce the papers' tables and figures on open corpora, each by one command."""

from __future__ import annotations

from . import (
    hide,
    hide_sampling,
    hitsz,
    hitsz_choices,
    parrot,
    stat_deid,
    stat_deid_data,
    szeged,
    szeged_rounds,
    wi_deid,
)
from .base import (
    SIZES,
    Bench,
    Material,
    lists_needed,
)
from .findings import (
    ClaimCheck,
    Findings,
    PageTable,
    Plot,
    Study,
)
from .overview import OVERVIEW_TITLE, overview_page
from .pages import INDEX_TITLE, index_page, page, write_findings

__all__ = [
    "INDEX_TITLE",
    "OVERVIEW_TITLE",
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
    "overview_page",
    "page",
    "write_findings",
]

STUDIES: dict[str, Study] = {
    study.name: study
    for paper in (
        *(hide, hide_sampling, szeged, szeged_rounds, hitsz, hitsz_choices),
        *(wi_deid, stat_deid, stat_deid_data, parrot),
    )
    for study in paper.STUDIES
}
"""All studies, by paper, in the order of its tables and figures."""
