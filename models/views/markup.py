r"""Tags and groups inside of words: `Spr<b>ing</b>field`, `Spr{\b ing}field`.

Beside words they are left: detectors read texts with markup as they are.
"""

from __future__ import annotations

import re

from ..core.views import Edit
from .base import disjoint

_NAMES = (
    "a|abbr|acronym|b|bdi|bdo|big|center|cite|code|del|dfn|em|font|i|ins|kbd|mark|o:p|q|s|samp|small"
    "|span|st1:[a-z]{1,20}|strike|strong|sub|sup|tt|u|var|wbr|text:span"
    # Runs of a document, but none of its paragraphs, cells and breaks.
    "|w:(?:r|t|rPr|[bi]|bCs|iCs|u|color|sz|szCs|rFonts|lang|highlight|strike|noProof|proofErr"
    "|bookmarkStart|bookmarkEnd|shd|kern|spacing|rStyle)"
)
_TAG = rf"(?:</?(?:{_NAMES})(?:\s[^<>\n]{{0,500}})?/?>|<!--[^<>\n]{{0,500}}-->)+"
_TAGS = re.compile(
    rf"(?<=\w){_TAG}(?=\w|@|[-/.][0-9]|-[^\W_])|(?<=@){_TAG}(?=\w)|(?<=[0-9][-/.]){_TAG}(?=[0-9])",
    re.IGNORECASE,
)
_ANY_TAG = r"</?[A-Za-z][^<>\n]{0,200}>"
_OLD = rf"(?:9(?:{_ANY_TAG}){{0,3}}[0-9]|1(?:{_ANY_TAG}){{0,3}}[01](?:{_ANY_TAG}){{0,3}}[0-9])"
_OLD_AGE = re.compile(
    rf"(?<![\w.])(?:{_ANY_TAG}){{0,4}}{_OLD}(?:{_ANY_TAG}|[ -]){{0,6}}y(?:ears?|rs?|[./]?o)\b"
    rf"|\bage[ds]?\b(?:{_ANY_TAG}|[ \t:=]){{0,8}}{_OLD}(?![.,]?[0-9])",
    re.IGNORECASE,
)
"""An age over 89, with the tags in it and around: it is so few digits that each counts."""
_TAG_ALONE = re.compile(_ANY_TAG)
_GROUP = re.compile(r"\{(?:\\[a-z]{1,20}-?[0-9]{0,6} ?){1,10}(?P<inner>[^{}\\\n]{0,300})\}")
_SWITCH = re.compile(
    r"(?<=\w)(?:\\(?:b|i|ul|ulnone|strike|plain|caps|scaps|cf|f|fs|lang|highlight)-?[0-9]{0,5} )+"
    r"(?=\w)"
)


def edits(text: str) -> list[Edit]:
    """Leaves out what stands inside of a word."""
    found: list[Edit] = []
    if "<" in text:
        found += [
            (*tag.span(), _beside_age(text, age.start(), tag))
            for age in _OLD_AGE.finditer(text)
            for tag in _TAG_ALONE.finditer(text, *age.span())
        ]
        found += [(*match.span(), "") for match in _TAGS.finditer(text)]
    if "\\" in text:
        found += [(*match.span(), "") for match in _SWITCH.finditer(text)]
        for match in _GROUP.finditer(text):
            low, high = match.span("inner")
            before, after = text[: match.start()][-1:], text[match.end() : match.end() + 1]
            if before.isalnum() or after.isalnum():
                found += [(match.start(), low, ""), (high, match.end(), "")]
    return disjoint(sorted(found))


def _beside_age(text: str, start: int, tag: re.Match[str]) -> str:
    """What is read for a tag of an age: a blank before its digits, and between them and a word."""
    if not any(map(str.isdigit, text[start : tag.start()])):
        return " "
    return "" if text[tag.end()].isdigit() or text[tag.end()] in " -" else " "
