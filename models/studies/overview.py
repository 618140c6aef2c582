"""One page of all claims of all papers: what each says, what is found here, and whether they agree.

Each page of a study leaves its claims in a CSV file beside it, so this page can be made again after
any study, from whatever pages there are.
"""

from __future__ import annotations

import csv
import os.path
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from .findings import ClaimCheck, PageTable, Study
from .untested import UNTESTED

OVERVIEW_TITLE = "# The papers' claims"
"""The first line of the page of all claims."""

MARKS: Mapping[bool | None, str] = MappingProxyType(
    {True: "agrees", False: "does not agree", None: "cannot tell"}
)
MEANT = (
    "*Agrees* refers to the direction, which is better than which, and not to the size: corpus,"
    " language and labels differ from the paper's."
)
TRIMMED = (
    "Blanks, commas, colons and semicolons at the ends of what a tagger finds are cut off, and a"
    " find of signs alone is dropped, as everywhere here; the papers do not say so. It would change"
    " 1 of the 11,333 gold spans of MEDDOCAN's training part."
)
"""What all studies do and no paper does."""
CLAIMS = "claims"
"""The name of the table of claims of a page, as part of its file's."""
_OLD_PAGE = "(The page is older than its claims: make it again.)"


def file_stem(study: Study, corpus: str) -> str:
    """The name of a study's page without its ending."""
    return f"{study.name}.{corpus}"


def claims_table(claims: Iterable[ClaimCheck]) -> PageTable:
    """The claims of one page, with our results and verdicts."""
    rows = tuple((claim.claim, claim.found, MARKS[claim.agrees]) for claim in claims)
    return PageTable(CLAIMS, ("claim", "found", "verdict"), rows)


def overview_page(
    studies: Sequence[Study], existing: Mapping[str, Sequence[str]], folder: Path
) -> str:
    """The page of all claims.

    Args:
        studies: in order.
        existing: name of a study -> corpora that it has a page for.
        folder: of the pages and the files of their claims.
    """
    lines = [
        OVERVIEW_TITLE,
        "",
        "Each claim of the papers with what we find on each corpus. " + MEANT + " *Cannot tell*:"
        " this corpus cannot decide. *Not tested*: no study here can, for the reason given.",
        "",
    ]
    for paper in dict.fromkeys(_paper(study) for study in studies):
        lines += [f"## {paper}", "", "| source | the paper | corpus | here | |"]
        lines += ["| --- | --- | --- | --- | --- |"]
        of_paper = [study for study in studies if _paper(study) == paper]
        for study, where in zip(of_paper, _places(of_paper), strict=True):
            lines += _rows(study, where, existing.get(study.name, ()), folder)
        lines += [
            f"| {one.where} | {one.claim} | - | {one.why} | not tested |"
            for one in UNTESTED
            if one.paper == paper
        ]
        lines.append("")
    return "\n".join(lines)


def _rows(study: Study, where: str, corpora: Sequence[str], folder: Path) -> Iterator[str]:
    """A row for each claim and corpus, the corpora of one claim below each other."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for corpus in corpora:
        file = folder / f"{file_stem(study, corpus)}.{CLAIMS}.csv"
        if not file.exists():
            found.setdefault(_OLD_PAGE, []).append((corpus, "", MARKS[None]))
            continue
        for claim, result, verdict in _read(file):
            found.setdefault(claim, []).append((corpus, result, verdict))
    for claim, results in found.items():
        for corpus, result, verdict in results:
            link = f"[{corpus}]({file_stem(study, corpus)}.md)"
            yield f"| {where} | {claim} | {link} | {result} | {verdict} |"
            where = claim = ""


def _read(file: Path) -> list[list[str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.reader(lines))[1:]


def _places(studies: Sequence[Study]) -> list[str]:
    """Where in its paper each study's table or figure stands: the source behind what all share."""
    sources = [study.source for study in studies]
    shared = os.path.commonprefix(sources) if len(sources) > 1 else sources[0]
    return [source[shared.rfind(", ") + 2 :] for source in sources]


def _paper(study: Study) -> str:
    return study.source.split(",")[0]
