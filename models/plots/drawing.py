"""What every plot is made of: an SVG with title and description, classes of colour, ticks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Blue, vermillion, bluish green, reddish purple, orange, sky blue: distinguishable with any colour
vision. Source: Okabe and Ito 2008, "Color Universal Design", https://jfly.uni-koeln.de/color/."""

_ON_BLACK = ("#4a9fd8", "#f0834a", "#2bbf95", "#dc9cc0", "#e8ad2f", "#9ad2f2")
"""The same hues on a dark page."""

OF_BARS = (5, 0, 3, 4, 2, 1)
"""Series of bars in another order: of precision, recall and F1 none looks like a warning."""

_TEXTURES = ("", "1 4", "3 3", "1 8", "6 2", "1 2 1 6")
"""Dashes of the line that is laid over an area, as wide as the area: series apart without colour;
of the lines of curves likewise. A pattern would need an address, and pages have none."""

_DASHES = ("", "7 3", "2 3", "9 3 2 3", "4 2 1 2 1 2", "1 4")

LIGHT, DARK = (
    ";".join(f"--c{n}:{colour}" for n, colour in enumerate(colours))
    for colours in (COLOURS, _ON_BLACK)
)
"""Values of the CSS variables, for a page's own stylesheet."""


def _classes(values: Sequence[str], over: str) -> str:
    return "".join(
        f"svg .f{n}{{fill:{value}}}svg .k{n}{{fill:none;stroke:{value};stroke-width:2;"
        f"stroke-dasharray:{dash or 'none'}}}"
        f"svg .t{n}{{stroke:{over};stroke-opacity:.5;stroke-dasharray:{texture}}}"
        for n, (value, texture, dash) in enumerate(zip(values, _TEXTURES, _DASHES, strict=True))
    )


CLASSES = _classes([f"var(--c{n})" for n in range(len(COLOURS))], "var(--page)") + (
    "svg .band{fill:var(--muted);fill-opacity:.22}"
    "svg .change{stroke:var(--muted);stroke-dasharray:2 3}"
    "svg .plate{fill:var(--page)}"
    "svg .outside{fill:var(--page);stroke:var(--warn);stroke-width:2}"
)
"""Rules of a page's stylesheet: `f` fills, `k` draws a curve, `t` is the texture of an area."""

STYLE = (
    "text{font:12px sans-serif;fill:#222}.small{font-size:10px}.grid{stroke:#ddd}"
    ".axis{stroke:#888}.whisker{stroke:#222;stroke-width:1.4}.halo{stroke:#fff;stroke-width:3}"
    ".mark{stroke:#222;stroke-width:2}" + _classes(COLOURS, "#fff").replace("svg .", ".")
)
"""The stylesheet of a plot that is a file of its own, on white; readers of such files do not all
know variables."""

_TICKS = 5
"""About how many steps between ticks an axis has."""


def series(number: int) -> int:
    """The class of a series: there are as many as `COLOURS`."""
    return number % len(COLOURS)


def texture(number: int, x: float, y: float, width: float, height: float) -> str:
    """What is laid over an area of a series; nothing over the first one's, or where it is tiny.

    The dashes run along the longer side.
    """
    if not _TEXTURES[series(number)] or min(width, height) < 1:
        return ""
    if width >= height:
        middle = y + height / 2
        ends = f'x1="{x:.1f}" y1="{middle:.1f}" x2="{x + width:.1f}" y2="{middle:.1f}"'
    else:
        middle = x + width / 2
        ends = f'x1="{middle:.1f}" y1="{y:.1f}" x2="{middle:.1f}" y2="{y + height:.1f}"'
    thick = min(width, height)
    return f'<line {ends} stroke-width="{thick:.1f}" class="t{series(number)}"/>'


def area(number: int, x: float, y: float, width: float, height: float) -> str:
    """A rectangle of a series with its texture."""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'class="f{series(number)}"/>' + texture(number, x, y, width, height)
    )


def text(x: float, y: float, said: str, *, anchor: str = "", small: bool = False) -> str:
    """A line of text."""
    more = f' text-anchor="{anchor}"' if anchor else ""
    more += ' class="small"' if small else ""
    return f'<text x="{x:.5g}" y="{y:.5g}"{more}>{escape(said)}</text>'


def shortened(said: str, most: int) -> str:
    """So many characters at most; the numbers below a plot have the whole name."""
    return said if len(said) <= most else said[: most - 1] + "…"


def svg(
    width: float, height: float, parts: Sequence[str], *, title: str = "", desc: str = ""
) -> str:
    """A plot.

    Args:
        title: what a screen reader calls it; "" where the text around says it.
        desc: what it shows, in a sentence.
    """
    named = (f"<title>{escape(title)}</title>" if title else "") + (
        f"<desc>{escape(desc)}</desc>" if desc else ""
    )
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">'
        f"{named}{''.join(parts)}</svg>"
    )


def standalone(drawn: str, title: str) -> str:
    """A plot as a standalone file, with its styles, and a title for screen readers."""
    head, inner = drawn.split(">", 1)
    return (
        f'{head} xmlns="http://www.w3.org/2000/svg"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style>"
        f'<rect width="100%" height="100%" fill="#ffffff"/>{inner}\n'
    )


def ticks_of(values: Sequence[float]) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten around the values; whole numbers for counts."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    counts = all(float(value).is_integer() for value in (*values, low, high)) and bool(values)
    if low == high:
        low, high = (low - 1, high + 1) if counts else (low - 0.5, high + 0.5)
    rough = (high - low) / _TICKS
    power = math.floor(math.log10(rough))
    nearest = min((1, 2, 5, 10), key=lambda times: abs(math.log(times * 10.0**power / rough)))
    if counts and nearest * 10.0**power < 1:
        nearest, power = 1, 0
    unit = 10.0**power if power >= 0 else 10.0**-power
    steps = range(
        math.floor(round(low / (nearest * 10.0**power), 9)),
        math.ceil(round(high / (nearest * 10.0**power), 9)) + 1,
    )
    # Division by a whole number gives 0.3 where multiplication gives 0.30000000000000004.
    return [n * nearest * unit if power >= 0 else n * nearest / unit for n in steps]


def names_of(ticks: Sequence[float]) -> list[str]:
    """Ticks as text, with as many decimals as their step needs."""
    step = ticks[1] - ticks[0]
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    if decimals > 6 or max(map(abs, ticks)) >= 1e6:
        return [f"{tick:.6g}" for tick in ticks]
    return [f"{tick:,.{decimals}f}" for tick in ticks]
