"""MeSH: the tree numbers of medical phrases, from tables of headings that the user has.

Source: the Medical Subject Headings of the U.S. National Library of Medicine, of which nothing
ships with the package. A phrase is a heading or an entry term, as its fine tokens, case-folded; one
of several headings has the numbers of all. Longer phrases than `phrase_trees.MOST_TOKENS` are left
out, and numbers are cut at `features.tree.DEEPEST` components.
"""

from __future__ import annotations

import collections
import dataclasses
import re
from collections.abc import Callable, Sequence

from ..core.errors import UsageError
from ..core.version import VERSION
from ..features.gazetteer import cut_phrases
from ..text.tokenizer import tokenize_documents
from .base import make_tree_table
from .kinds import TreeTable
from .phrase_trees import MOST_TOKENS, NUMBER, PHRASE, joined_numbers
from .sources import UNSTATED, Origin

NLM = "National Library of Medicine"
TERMS = "https://www.nlm.nih.gov/databases/download/terms_and_conditions_mesh.html"
_HEADING = re.compile(r"[A-Z][0-9]{6,9}")

Row = tuple[int, tuple[str, ...]]
"""A line of a table: its number, from 1, and its cells."""


def parse_rows(content: bytes) -> list[Row]:
    """The lines of a table whose cells are separated by tabs, without empty ones.

    Raises:
        UsageError: if it is not UTF-8.
    """
    try:
        text = content.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise UsageError(f"a table of headings: line {line} is not UTF-8") from None
    lines = enumerate(text.split("\n"), 1)
    return [(n, tuple(line.rstrip("\r").split("\t"))) for n, line in lines if line.strip()]


def train_mesh(
    rows: Sequence[Row],
    *,
    origin: Origin,
    year: int = 0,
    command: str = "",
    progress: Callable[[int, int], None] | None = None,
) -> TreeTable:
    """Makes the auxiliary model `mesh`; the same tables give the same bytes.

    Args:
        rows: heading, id and its tree numbers, joined by ";"; or entry term and id of its heading;
            or phrase and tree numbers. In any order.
        origin: what the user says of licence and credit, which is added.
        year: of the edition.
        command: for the card.
        progress: not called: it takes seconds.

    Raises:
        UsageError: if there is no year, a row is of another form, or no phrase has a number.
    """
    if not 1_960 <= year <= 2_100:
        raise UsageError("mesh: say which edition the tables are of, for example --set year=2022")
    headings: dict[str, set[str]] = {}
    phrases: list[tuple[str, str | set[str]]] = []
    for line, cells in rows:
        *names, last = cells
        numbers = set(filter(None, last.split(";")))
        if len(cells) == 3 and _HEADING.fullmatch(cells[1]) and all(map(NUMBER.fullmatch, numbers)):
            headings.setdefault(cells[1], set()).update(numbers)
            phrases.append((cells[0], cells[1]))
        elif len(cells) == 2 and _HEADING.fullmatch(last):
            phrases.append((names[0], last))
        elif len(cells) == 2 and numbers and all(map(NUMBER.fullmatch, numbers)):
            phrases.append((names[0], numbers))
        else:
            raise UsageError(
                f"mesh: line {line} of a table: expected, separated by tabs, a heading, its id and"
                " its tree numbers, or an entry term and the id of its heading"
            )
    found: dict[str, set[str]] = collections.defaultdict(set)
    cut = cut_phrases((phrase for phrase, _ in phrases), "fine")
    for tokens, (_, of) in zip(cut, phrases, strict=True):
        numbers = headings.get(of, set()) if isinstance(of, str) else of
        phrase = " ".join(tokens)
        if numbers and len(tokens) <= MOST_TOKENS and PHRASE.fullmatch(phrase):
            found[phrase] |= numbers
    if not found:
        raise UsageError("mesh: no phrase of the tables has a tree number")
    stated = _origin(origin, year)
    table = {phrase: joined_numbers(numbers) for phrase, numbers in found.items()}
    card = {
        "trained_on": stated.title,
        "licence": stated.licence,
        "command": command,
        "scrubline": VERSION,
        "corpus": {
            "headings": len(headings),
            "phrases": len(table),
            "sets of tree numbers": len(set(table.values())),
        },
        "changed": "case-folded, cut into tokens, and only phrases and tree numbers are kept",
        "scores": {},
    }
    return make_tree_table("mesh", table, card=card, licence_text=stated.text())


def _origin(said: Origin, year: int) -> Origin:
    """What the card and LICENCE.md say, with what the user said of the licence, if anything."""
    credit = (
        f"Source: Medical Subject Headings (MeSH) {year}, U.S. {NLM}. Changed: headings and entry"
        " terms were case-folded and cut into tokens, and only they and their tree numbers are"
        f" kept. {NLM} does not endorse this model. Terms: {TERMS}"
    )
    return dataclasses.replace(
        said,
        title=f"Medical Subject Headings (MeSH) {year}, U.S. {NLM}",
        licence=f"terms of the {NLM} for MeSH {year}, changed"
        if said.licence == UNSTATED
        else said.licence,
        credit="\n\n".join(filter(None, (credit, said.credit))),
    )


def score_trees(model: TreeTable, texts: Sequence[str]) -> dict[str, object]:
    """How many tokens of texts have a tree number, and how many each category."""
    tokens = tokenize_documents(texts)
    column = model.columns(texts, tokens)
    found = [entry for entry in column if entry]
    counts = collections.Counter(
        letter for entry in found for letter in {number[0] for number in entry.split(";")}
    )
    return {
        "tokens": len(column),
        "have a tree number": round(len(found) / len(column), 4) if column else None,
        "categories": dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))),
    }
