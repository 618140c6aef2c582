"""The heading that the item stands under, of those that training learned.

Source: Liu et al. 2015, §3.2.2, asks for 29 section headers of the training set. Where a section
ends the paper does not say; the rule of `SectionHeading` is how headings are set in print: one in a
line of its own heads all that follows, up to the next; one that runs into its text heads a
paragraph.
"""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from ..core.arrays import Ints
from ..text.characters import LINE_BREAKS
from .base import Column, Items, Property, require_name
from .gazetteer import matches

MOST_TOKENS = 8
LONGEST = 48


@dataclasses.dataclass(frozen=True, slots=True)
class SectionHeading(Property):
    """The heading above the item, case-folded; none before any, and none where it has ended.

    A heading is what stands before a colon in the first tokens of a line, or a line of few tokens
    in capitals. One in a line of its own ends at the next, be that listed or not; one with text
    behind it ends with its paragraph, at a blank line. A heading of neither list nor own line
    ("BP: 120/80") ends nothing.

    Attributes:
        name: of the gazetteer of headings that are listed.
    """

    KIND: ClassVar[str] = "heading"

    name: str

    def __post_init__(self) -> None:
        require_name(self.KIND, "name", self.name)

    @property
    def key(self) -> str:
        """See `Property.key`."""
        return f"heading.{self.name}"

    @property
    def needs(self) -> tuple[tuple[str, str], ...]:
        """See `Property.needs`."""
        return (("gazetteer", self.name),)

    def column(self, items: Items) -> Column:
        """See `Property.column`."""
        lines = heading_lines(items)
        listed = self._listed(lines, items)
        table = {name: n for n, name in enumerate(dict.fromkeys(name for name in listed if name))}
        opens = _opens_paragraph(items, lines.firsts)
        documents = items.token_documents[lines.firsts].tolist()
        found = np.full(len(documents), -1, np.int64)
        current, runs_in, document = -1, False, -1
        for line, heading in enumerate(lines.headings):
            if documents[line] != document:
                current, document = -1, documents[line]
            if listed[line]:
                current, runs_in = table[heading], not lines.alone[line]
            elif (heading and lines.alone[line]) or (runs_in and opens[line]):
                current = -1
            found[line] = current
        return items.under_tokens(found[lines.of_tokens], tuple(table))

    def _listed(self, lines: HeadingLines, items: Items) -> list[str]:
        """The heading of each line that is a phrase of the gazetteer, as a whole; else ""."""
        firsts, lasts, _ = matches(items, self.name)
        columns = items.documents[firsts], items.starts[firsts], items.ends[lasts]
        phrases = set(zip(*(column.tolist() for column in columns), strict=True))
        tokens = items.tokens
        bounds = items.token_documents, tokens.starts, tokens.ends
        rows = lines.firsts, lines.firsts, lines.lasts
        places = zip(*(b[r].tolist() for b, r in zip(bounds, rows, strict=True)), strict=True)
        return [
            heading if heading and place in phrases else ""
            for heading, place in zip(lines.headings, places, strict=True)
        ]


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class HeadingLines:
    """The lines of a batch, and what each is headed by.

    Attributes:
        of_tokens: number of the line of each fine token.
        firsts: its first fine token.
        lasts: the last fine token of its heading; without one `firsts`.
        headings: the line's heading, case-folded, one space between tokens; "" for none.
        alone: whether nothing stands behind the heading in its line.
    """

    of_tokens: Ints
    firsts: Ints
    lasts: Ints
    headings: list[str]
    alone: list[bool]


def heading_lines(items: Items) -> HeadingLines:
    """The lines of a batch; see `SectionHeading` for what a heading is."""
    tokens = items.tokens
    group, firsts, ends = items.token_groups(tokens.starts_line)
    words, ids = items.token_words
    headings: list[str] = []
    alone: list[bool] = []
    lasts = firsts.copy()
    for line, (first, end) in enumerate(zip(firsts.tolist(), ends.tolist(), strict=True)):
        opening = [words[i] for i in ids[first : min(end, first + MOST_TOKENS + 1)].tolist()]
        colon = opening.index(":") if ":" in opening else -1
        row = first + colon
        if colon > 0 and (row + 1 == end or tokens.starts[row + 1] > tokens.ends[row]):
            size, is_alone = colon, row + 1 == end
        elif colon < 0 and end - first <= MOST_TOKENS and " ".join(opening).isupper():
            size, is_alone = len(opening), True
        else:
            size, is_alone = 0, False
        heading = " ".join(opening[:size]).casefold()
        if len(heading) > LONGEST or not any(map(str.isalpha, heading)):
            heading, is_alone = "", False
        lasts[line] = first + max(0, size - 1)
        headings.append(heading)
        alone.append(is_alone)
    return HeadingLines(group, firsts, lasts, headings, alone)


def _opens_paragraph(items: Items, firsts: Ints) -> list[bool]:
    """Whether a blank line stands before each line."""
    starts, ends = items.tokens.starts, items.tokens.ends
    documents = items.token_documents
    opens = []
    for first in firsts.tolist():
        text = items.texts[documents[first]]
        if text is None or not first or documents[first - 1] != documents[first]:
            opens.append(False)
            continue
        gap = text[ends[first - 1] : starts[first]].replace("\r\n", "\n")
        opens.append(sum(character in LINE_BREAKS for character in gap) > 1)
    return opens
