"""The design of every page: one stylesheet, and the pieces that pages are put together from.

A page is one file that fetches nothing and runs nothing: no script, no font, no picture from
elsewhere. It follows the reader's light or dark setting, and prints in the light one.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Sequence
from html import escape

from ..plots.drawing import CLASSES, DARK, LIGHT

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")

_LIGHT = (
    "color-scheme:light;--page:#fff;--soft:#f4f6f8;--ink:#1b1f24;--muted:#57606a;--line:#d0d7de;"
    "--accent:#0072b2;--warn:#a84300;--halo:#fff;"
    "--found:#cfe5f5;--leak:#ffd9bf;--spurious:#f8e6a8;" + LIGHT
)
_DARK = (
    "color-scheme:dark;--page:#14171a;--soft:#1e2327;--ink:#e6e9ec;--muted:#a3acb5;--line:#3c444c;"
    "--accent:#56b4e9;--warn:#f0934e;--halo:#14171a;"
    "--found:#123f5c;--leak:#6b3210;--spurious:#5c4a0c;" + DARK
)
"""Blue and vermillion tell good from bad, which any colour vision tells apart, and words say it
too. Source: see `drawing.COLOURS`; darker for letters on white, lighter on black (4.5 to 1, WCAG).
"""

STYLE = f"""
:root {{ {_LIGHT} }}
@media screen and (prefers-color-scheme: dark) {{ :root {{ {_DARK} }} }}
* {{ box-sizing: border-box }}
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 1200px; padding: 1.2em;
  background: var(--page); color: var(--ink); overflow-wrap: break-word }}
h1 {{ font-size: 1.6em; margin: 0 0 .2em }} h1, h2, h3 {{ line-height: 1.25 }}
h2 {{ font-size: 1.2em; margin: 1.8em 0 .5em; padding-bottom: .2em;
  border-bottom: 1px solid var(--line) }}
h3 {{ font-size: 1em; margin: 1.4em 0 .3em }}
p {{ max-width: 75ch; margin: .5em 0 }} a {{ color: var(--accent) }}
code {{ font: .92em ui-monospace, monospace; overflow-wrap: anywhere }}
.about, .note {{ color: var(--muted) }} .note {{ font-size: .93em }}
.cards {{ display: grid; gap: .7em; grid-template-columns: repeat(auto-fit, minmax(190px, 1fr));
  margin: 1em 0 }}
.card {{ background: var(--soft); border: 1px solid var(--line);
  border-left: 5px solid var(--accent); border-radius: 4px; padding: .5em .8em }}
.card.bad {{ border-left-color: var(--warn) }} .card.bad b {{ color: var(--warn) }}
.card.plain {{ border-left-color: var(--muted) }}
.card b {{ display: block; font-size: 1.7em; line-height: 1.3 }}
.card small {{ display: block; color: var(--muted); font-size: .87em }}
nav ul {{ list-style: none; margin: .6em 0; padding: 0; display: flex; flex-wrap: wrap;
  gap: .25em 1.2em }}
.scroll {{ overflow-x: auto; margin: .5em 0 1em }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums }}
td, th {{ padding: .2em .7em; text-align: right; border-bottom: 1px solid var(--line);
  vertical-align: top; white-space: nowrap }}
.words td {{ white-space: normal; overflow-wrap: anywhere }}
.words.full td:nth-child(-n+2) {{ overflow-wrap: normal }}
th {{ color: var(--muted); font-weight: 600; font-size: .9em }}
th:first-child, td:first-child, .words td, .words th {{ text-align: left; padding-left: 0 }}
.full {{ width: 100% }} .bar {{ width: 40%; min-width: 7em; vertical-align: middle }}
.bar i {{ display: block; height: .75em; min-width: 1px; background: var(--accent);
  border-radius: 1px }} .bar i.plain {{ background: var(--muted) }}
.two td:nth-child(2), .two th:nth-child(2) {{ text-align: left }}
.small td, .small th {{ font-size: 12px; padding: .15em .4em }}
details {{ border: 1px solid var(--line); border-radius: 4px; margin: .6em 0; padding: 0 .9em }}
details > summary {{ cursor: pointer; padding: .45em 0; font-weight: 600 }}
.target {{ scroll-margin-top: 3em }} details[open] {{ padding-bottom: .5em }}
details details {{ border-width: 0 0 0 3px; border-radius: 0 }}
pre {{ white-space: pre-wrap; border: 1px solid var(--line); padding: .8em;
  overflow-wrap: anywhere }}
mark {{ color: inherit; border-radius: 2px }} .found {{ background: var(--found) }}
.leak {{ background: var(--leak); outline: 1px solid var(--warn) }}
.spurious {{ background: var(--spurious) }}
.warning {{ border: 2px solid var(--warn); border-radius: 4px; color: var(--warn);
  font-weight: 600; padding: .5em .8em }}
svg {{ display: block }} svg text {{ font: 12px system-ui, sans-serif; fill: var(--ink) }}
svg .small {{ font-size: 11px; fill: var(--muted) }} svg .grid {{ stroke: var(--line) }}
svg .axis {{ stroke: var(--muted) }} svg .whisker {{ stroke: var(--ink); stroke-width: 1.4 }}
svg .halo {{ stroke: var(--halo); stroke-width: 3 }}
svg .mark {{ stroke: var(--ink); stroke-width: 2 }}
{CLASSES}
figure {{ margin: .8em 0; min-width: 0 }}
figure > svg {{ width: 100%; height: auto; max-width: 440px }}
figcaption {{ font-weight: 600 }} figure details {{ margin: .3em 0 }}
.multiples {{ display: grid; gap: 0 1.6em;
  grid-template-columns: repeat(auto-fit, minmax(min(330px, 100%), 1fr)) }}
.sign {{ display: none }}
.risk {{ border-left: 5px solid var(--warn); background: var(--soft); padding: .5em .8em;
  font-weight: 600 }} .risk.measured {{ border-left-color: var(--accent) }}
@media (max-width: 600px) {{
  body {{ padding: .8em; font-size: 14px }} .card b {{ font-size: 1.4em }}
  .cards {{ grid-template-columns: 1fr 1fr; gap: .5em }} td, th {{ padding: .2em .4em }}
  .bar {{ min-width: 3em; width: 25% }}
}}
@media print {{
  body {{ max-width: none; padding: 0; font-size: 10pt }} nav {{ display: none }}
  .card, .risk, .bar i, mark, td, svg {{ print-color-adjust: exact;
    -webkit-print-color-adjust: exact }}
  .scroll {{ overflow: visible }} svg {{ max-width: 100%; height: auto }}
  td, th {{ padding: .15em .4em; font-size: 8.5pt }} .bar {{ min-width: 3em; width: 15% }}
  th, td:first-child {{ white-space: normal }} td:first-child {{ overflow-wrap: anywhere }}
  .cards {{ grid-template-columns: repeat(4, 1fr); gap: .4em }} .card b {{ font-size: 1.4em }}
  details:not([open]), figure details {{ display: none }}
  .multiples {{ grid-template-columns: 1fr 1fr }}
  .sign {{ display: grid; grid-template-columns: 2fr 1fr 1fr; gap: 1.6em 1em; margin: 1em 0;
    border: 1px solid var(--line); padding: .8em }}
  .sign p {{ margin: 0; grid-column: 1 / -1 }}
  .sign span {{ border-top: 1px solid var(--ink); margin-top: 2em; font-size: 8.5pt }}
  tr, .card, svg, figure, .sign {{ break-inside: avoid }} h2, h3, summary {{ break-after: avoid }}
}}
"""


def visible(text: str) -> str:
    """The text without characters that HTML or UTF-8 cannot hold."""
    return _CONTROL.sub("\ufffd", text)


def safe(text: object) -> str:
    """Any value as text within HTML, between tags or in a quoted attribute."""
    return escape(visible(str(text)))


@dataclasses.dataclass(frozen=True, slots=True)
class PagePart:
    """A part of a page.

    Attributes:
        title: as text.
        body: HTML.
        anchor: where the contents lead to; of ASCII letters, digits and `-_`.
        fold: whether it is a fold that begins closed.
    """

    title: str
    body: str
    anchor: str
    fold: bool = False

    def html(self) -> str:
        """The section with its heading."""
        if self.fold:
            # Inside the fold: a link that leads into one opens it.
            return (
                f"<details><summary>{safe(self.title)}</summary>"
                f'<div class="target" id="{safe(self.anchor)}">{self.body}</div></details>'
            )
        return f'<h2 id="{safe(self.anchor)}">{safe(self.title)}</h2>{self.body}'


def render(title: str, head: str, sections: Sequence[PagePart], *, version: str = "") -> bytes:
    """A whole page, UTF-8.

    Args:
        title: in the tab, and the first heading.
        head: HTML below the first heading, above the contents: what must be seen first.
        sections: in order; the contents list them.
        version: of what made the page.
    """
    links = "".join(f'<li><a href="#{safe(s.anchor)}">{safe(s.title)}</a></li>' for s in sections)
    contents = f'<nav aria-label="Contents"><ul>{links}</ul></nav>' if sections else ""
    body = "\n".join(section.html() for section in sections)
    generator = f'<meta name="generator" content="{safe(version)}">\n' if version else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"{generator}<title>{safe(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{safe(title)}</h1>\n{head}\n{contents}\n{body}\n</body>\n</html>\n"
    ).encode()


def card(name: str, value: str, *more: str, kind: str = "") -> str:
    """One figure that must be seen first.

    Args:
        name: what it is.
        value: large.
        more: lines below it, smaller.
        kind: "bad" if it asks for attention, "plain" if it is neither good nor bad.
    """
    small = "".join(f"<small>{safe(line)}</small>" for line in more)
    return (
        f'<div class="{safe(f"card {kind}".strip())}">{safe(name)}<b>{safe(value)}</b>{small}</div>'
    )


def cards(*each: str) -> str:
    """Cards beside each other."""
    return f'<div class="cards">{"".join(each)}</div>'


def row(tag: str, cells: Iterable[object]) -> str:
    """A row of a table; cells that are `Bar` are drawn, all others are text."""
    return "<tr>" + "".join(_cell(tag, cell) for cell in cells) + "</tr>"


@dataclasses.dataclass(frozen=True, slots=True)
class Bar:
    """A cell with a bar.

    Attributes:
        share: of the cell's width, from 0 to 1.
        plain: whether it is grey, beside others that matter more.
    """

    share: float
    plain: bool = False


def _cell(tag: str, cell: object) -> str:
    if isinstance(cell, Bar):
        width = 100 * min(1.0, max(0.0, cell.share))
        kind = ' class="plain"' if cell.plain else ""
        return f'<{tag} class="bar"><i{kind} style="width:{width:.1f}%"></i></{tag}>'
    return f"<{tag}>{safe(cell)}</{tag}>"


def table(head: Sequence[object], rows: Iterable[Sequence[object]], *, kind: str = "") -> str:
    """A table that scrolls in its own box where the page is narrower.

    Args:
        head: names of the columns; empty for none.
        rows: their cells; see `row`.
        kind: "full" for the width of the page, "words" for text on the left, "two" for text in two
            columns, "small" for many columns.
    """
    first = row("th", head) if head else ""
    body = "".join(row("td", cells) for cells in rows)
    return scrolled(f'<table class="{safe(kind)}">{first}{body}</table>')


def scrolled(inner: str) -> str:
    """HTML in a box of its own that scrolls sideways, by keys too."""
    return f'<div class="scroll" tabindex="0">{inner}</div>'


def fold(title: str, inner: str, *, is_open: bool = False) -> str:
    """HTML under a line that opens and closes it."""
    return f"<details{' open' if is_open else ''}><summary>{safe(title)}</summary>{inner}</details>"


def figure(drawn: str, caption: str, numbers: str, *, what: str = "the numbers") -> str:
    """A plot, and the table of its numbers in a fold.

    Args:
        drawn: the SVG; it says in words what it shows.
        caption: as text.
        numbers: HTML, a table.
        what: the fold's line.
    """
    said = f"<figcaption>{safe(caption)}</figcaption>" if caption else ""
    return f"<figure>{said}{drawn}{fold(what, numbers)}</figure>"


def multiples(*figures: str) -> str:
    """Figures beside each other, as many as there is room for."""
    return f'<div class="multiples">{"".join(figures)}</div>'


def note(text: str) -> str:
    """A remark; what stands between backticks is code."""
    pieces = safe(text).split("`")
    said = "".join(f"<code>{one}</code>" if at % 2 else one for at, one in enumerate(pieces))
    return f'<p class="note">{said}</p>'


def warning(text: str) -> str:
    """What nobody must miss."""
    return f'<p class="warning">{safe(text)}</p>'
