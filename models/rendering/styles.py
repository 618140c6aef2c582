"""Declarations of style sheets that can hold nothing but a look: closed sets of everything.

What changes the order in which boxes are read (`order`, `row-reverse`) is not among them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .classes import is_layout_class
from .names import names

FONTS = names(
    """arial, arial black, arial narrow, arial unicode ms, batang, bookman old style,
    bookshelf symbol 7, calibri, calibri light, cambria, cambria math, candara, century,
    century gothic, comic sans ms, consolas, constantia, corbel, courier, courier new,
    cursive, dejavu sans, dejavu sans mono, dejavu serif, dotum, ebrima, fantasy,
    fixedsys, franklin gothic book, garamond, geneva, georgia, gulim, helvetica, helvetica
    neue, impact, inherit, lato, liberation mono, liberation sans, liberation serif,
    lucida console, lucida grande, lucida sans, lucida sans unicode, mangal, marlett,
    meiryo, menlo, microsoft sans serif, microsoft yahei, mingliu, modern, monaco, monospace, ms
    gothic, ms mincho, ms pgothic, ms pmincho, ms sans serif, ms serif, ms shell dlg, noto
    sans, noto serif, open sans, opensymbol, palatino, palatino linotype, pmingliu,
    roboto, roman, sans-serif, segoe ui, segoe ui symbol, serif, simhei, simsun, source
    han sans, swiss, symbol, system, system-ui, tahoma, terminal, times, times new roman,
    trebuchet ms, ubuntu, univers, verdana, webdings, wingdings, wingdings 2, wingdings 3,
    lohit devanagari, noto sans cjk sc, noto serif cjk sc, freesans, freeserif, tms rmn,
    helv, ms outlook, aptos, aptos display""",
    ",",
)
"""Fonts of systems and offices, in small letters. Another may be named for someone."""

_SHADES = "light|dark|medium|pale|deep|hot|dim"
_HUES = (
    "black|white|red|green|blue|yellow|gray|grey|silver|maroon|purple|fuchsia|lime|olive|navy|teal"
    "|aqua|cyan|magenta|orange|pink|brown|gold|violet|indigo|crimson|salmon|coral|khaki|beige|tan"
    "|skyblue|slategray|slategrey|steelblue|seagreen|orchid|turquoise|lavender|ivory|wheat|tomato"
    "|gainsboro|whitesmoke|transparent|windowtext|window|currentcolor|buttonface|aliceblue"
    "|royalblue|dodgerblue|cornflowerblue|forestgreen|firebrick|chocolate|azure|linen|snow|plum"
)
_CHANNELS = r"(?:rgba?|hsla?)\( ?[0-9.%]{1,5}(?:[ ,/]{1,3}[0-9.%]{1,5}){2,3} ?\)"
COLOUR = rf"#[0-9a-f]{{6}}|#[0-9a-f]{{3}}|(?:{_SHADES})?(?:{_HUES})|{_CHANNELS}"
"""A pattern of colours, to be used without regard to case."""

_PROPERTIES = names(
    """align-content align-items align-self background background-color background-position
    background-repeat background-size border border-bottom border-bottom-color
    border-bottom-style border-bottom-width border-collapse border-color border-left
    border-left-color border-left-style border-left-width border-radius border-right
    border-right-color border-right-style border-right-width border-spacing border-style
    border-top border-top-color border-top-style border-top-width border-width bottom
    box-sizing break-after break-before break-inside caption-side clear color column-count
    column-gap cursor direction display flex flex-basis flex-direction flex-grow
    flex-shrink flex-wrap float font font-family font-size font-stretch font-style
    font-variant font-weight gap height justify-content layout-grid-mode left
    letter-spacing line-break line-height list-style list-style-position list-style-type
    margin margin-bottom margin-left margin-right margin-top max-height max-width
    min-height min-width opacity orphans outline outline-color outline-style
    outline-width overflow overflow-wrap overflow-x overflow-y padding padding-bottom
    padding-left padding-right padding-top page-break-after page-break-before
    page-break-inside position punctuation-wrap resize right size tab-interval tab-size
    tab-stops table-layout text-align text-align-last text-autospace text-decoration
    text-decoration-color text-decoration-line text-decoration-style text-indent
    text-justify text-overflow text-shadow text-transform text-underline top unicode-bidi
    vertical-align visibility white-space widows width word-break word-spacing word-wrap
    writing-mode z-index zoom mso-ansi-language mso-bidi-language mso-fareast-language
    mso-ansi-font-size mso-bidi-font-size mso-bidi-font-style mso-bidi-font-weight
    mso-bidi-font-family mso-fareast-font-family mso-ascii-font-family
    mso-hansi-font-family mso-ascii-theme-font mso-hansi-theme-font mso-bidi-theme-font
    mso-fareast-theme-font mso-border-alt mso-cellspacing mso-element mso-font-kerning
    mso-height-rule mso-hide mso-ignore mso-line-height-rule mso-margin-bottom-alt
    mso-margin-top-alt mso-no-proof mso-outline-level mso-padding-alt mso-pagination
    mso-spacerun mso-special-character mso-tab-count mso-table-lspace mso-table-rspace
    mso-yfti-firstrow mso-yfti-irow mso-yfti-lastrow mso-yfti-tbllook mso-themecolor
    mso-border-bottom-alt mso-border-top-alt mso-border-left-alt mso-border-right-alt"""
)
_WORDS = (
    names("""above absolute all alpha always armenian auto avoid backwards baseline below
    black bold bolder border-box both bottom break break-all break-spaces
    break-word capitalize caption center circle clip collapse column
    condensed content-box dashed decimal decimal-leading-zero default disc dotted double
    dotumche ellipsis embed end exactly expanded fixed flex flex-end flex-start footnote
    full-width grid groove help hidden horizontal-tb hebrew icon ideograph-numeric
    ideograph-other inherit initial inline inline-block inline-flex inline-table inset
    inside inter-cluster inter-ideograph inter-word isolate italic justify keep-all
    landscape large larger left lighter line-through linear list-item lower-alpha
    lower-greek lower-latin lower-roman lowercase ltr max-content medium menu message-box
    middle min-content minor-bidi minor-fareast minor-latin major-bidi major-fareast
    major-latin move no no-break no-repeat none normal nowrap oblique outset outside
    overline page pointer portrait pre pre-line pre-wrap progress relative repeat repeat-x
    repeat-y revert ridge right row rtl scroll separate simplified single
    small small-caps smaller solid space-around space-between space-evenly square start
    static status-bar sticky stretch strict sub super table table-caption table-cell
    table-column table-column-group table-footer-group table-header-group table-row
    table-row-group text text-bottom text-top thick thin top transparent underline
    uppercase unset upper-alpha upper-latin upper-roman vertical-lr vertical-rl visible
    wait wave wavy wrap x-large x-small xx-large xx-small yes line-break comment header
    footer widow-orphan lines-together textbox background1 background2 text1 text2 accent1
    accent2 accent3 accent4 accent5 accent6 en-us en-gb es ar-sa de fr it es-es ja zh-cn
    x-none !important important""")
    | FONTS
)
_NUMBER = (
    # Six digits at most: more could be a number of a record.
    r"[+-]?(?:[0-9]{0,2}\.[0-9]{1,4}|[0-9]{3}\.[0-9]{1,2}|[0-9]{4}\.[0-9]|[0-9]{1,4}\.?)"
    r"(?:px|pt|pc|em|rem|ex|ch|in|cm|mm|vw|vh|fr|s|ms|deg|gd|%)?"
)
_TOKEN = re.compile(r"\"[^\"]*\"|'[^']*'|[A-Za-z]+\([^()]*\)|[^\s,/\"'()]+|[\"'()]")
_PLAIN = re.compile(rf"{_NUMBER}|{COLOUR}")
_LONG_NUMBER = re.compile(r"[+-]?[0-9]{4}")
_PARTS = re.compile(r"[^;]+")
_BRACES = re.compile(r"[{}]")
_SELECTOR = (
    r"(?:\*|@page|a|b|blockquote|body|br|caption|code|dd|div|dl|dt|em|figcaption|figure|font|h[1-6]|hr|html|i"
    r"|img|li|ol|p|pre|span|strong|sub|sup|table|tbody|td|tfoot|th|thead|tr|u|ul)?+"
    r"(?:[.:][A-Za-z][A-Za-z0-9_-]{0,60}+){0,3}+"
)
_NAMED = re.compile(r"([.:])([A-Za-z][A-Za-z0-9_-]*)")
_STATES = names("""active after before checked disabled empty enabled first first-child first-letter
    first-line first-of-type focus hover last-child last-of-type left link only-child right root
    target visited""")
_SELECTORS = re.compile(rf"(?:\s*+(?![\s{{]){_SELECTOR}\s*+[,>]?+){{1,40}}+\s*+", re.IGNORECASE)
_LENGTH = re.compile(r"([0-9]{0,4}\.?[0-9]{0,6})([a-z]{0,4}|%)")
_TOO_SMALL = {"": 0.1, "px": 2.0, "pt": 2.0, "%": 10.0, "em": 0.2, "rem": 0.2}
_SIZES_OF_FONT = re.compile(r"(?<![^\s])[0-9.]+[a-z%]*(?=[\s/])")
ALL, LETTERS = "all", "letters"
"""What is hidden: an element with all that is in it, or letters that nothing in it shows again."""

_BOXES = frozenset({"float", "position"})
_EXTENTS = ("height", "max-height", "width", "max-width")
_OVERRIDE = re.compile(r"unicode-bidi\s*:[^;]*override")
_TO_THE_RIGHT = re.compile(r"(?:^|;)\s*direction\s*:\s*ltr\s*(?:!important\s*)?(?:;|$)")


def bad_declarations(value: str) -> list[tuple[int, int]]:
    """Ranges of the value of a `style` that may say anything but a look, from left to right.

    What stands between two semicolons is judged by itself, be it in a string or comment: then it
    is no declaration.
    """
    return [part.span() for part in _PARTS.finditer(value) if not _is_plain(part[0].lower())]


def is_fonts(value: str) -> bool:
    """Whether a value, in small letters, names nothing but known fonts."""
    return not value or all(font.strip(" \t\r\n\"'") in FONTS for font in value.split(","))


def bad_rules(sheet: str) -> list[tuple[int, int]]:
    """Ranges of a style sheet that may say anything but a look, from left to right.

    Rules for known elements and plain classes stay, with their plain declarations; rules within
    rules, comments and all else go. So do rules that hide: what they hide is read, and shown then.
    """
    bad: list[tuple[int, int]] = []
    begin = opened = depth = 0
    for brace in _BRACES.finditer(sheet):
        place = brace.start()
        if brace[0] == "{":
            depth += 1
            opened = place if depth == 1 else -1
            continue
        depth = max(depth - 1, 0)
        if depth:
            continue
        body = sheet[opened + 1 : place]
        if (
            opened > begin
            and _are_plain_selectors(sheet, begin, opened)
            and not hidden_by(body.lower())
        ):
            bad += [(opened + 1 + low, opened + 1 + high) for low, high in bad_declarations(body)]
        else:
            bad.append((begin, place + 1))
        begin, opened = place + 1, -1
    if sheet[begin:].strip():
        bad.append((begin, len(sheet)))
    return bad


def hidden_by(value: str) -> str:
    """How declarations, in small letters, hide what they are of: "", `ALL` or `LETTERS`."""
    said = {}
    for part in value.split(";"):
        name, _, what = part.partition(":")
        said[name.strip()] = what.replace("!important", "").strip()
    # What is inline has the extent of its letters, whatever it says.
    is_box = said.get("display", "inline") != "inline" or not _BOXES.isdisjoint(said)
    if (
        said.get("display") == "none"
        or said.get("mso-hide") == "all"
        or _is_nothing(said.get("opacity", ""))
        or (is_box and said.get("overflow") == "hidden" and _has_no_extent(said))
    ):
        return ALL
    sizes = (said.get("font-size", ""), *_SIZES_OF_FONT.findall(said.get("font", "")))
    if said.get("visibility") in ("hidden", "collapse") or any(map(_is_nothing, sizes)):
        return LETTERS
    return ""


def _has_no_extent(said: Mapping[str, str]) -> bool:
    return any(_is_nothing(said.get(extent, "")) for extent in _EXTENTS)


def overrides(value: str) -> bool:
    """Whether declarations, in small letters, may turn the letters of a text around."""
    return _OVERRIDE.search(value) is not None and _TO_THE_RIGHT.search(value) is None


def _is_nothing(size: str) -> bool:
    """Whether an extent, a size of letters or an opacity is too small for anything to be seen."""
    found = _LENGTH.fullmatch(size)
    if found is None or not found[1].strip("."):
        return False
    return float(found[1]) < _TOO_SMALL.get(found[2], 0.1)


def _are_plain_selectors(sheet: str, begin: int, end: int) -> bool:
    return _SELECTORS.fullmatch(sheet, begin, end) is not None and all(
        is_layout_class(name) if sign == "." else name.lower() in _STATES
        for sign, name in _NAMED.findall(sheet, begin, end)
    )


def _is_plain(declaration: str) -> bool:
    if not declaration.strip():
        return True
    name, colon, value = declaration.partition(":")
    name, value = name.strip(), value.strip()
    if not colon or name not in _PROPERTIES:
        return False
    if name.endswith("font-family"):
        return is_fonts(value)
    tokens = _TOKEN.findall(value)
    # Several numbers of four digits could be one.
    long = sum(_LONG_NUMBER.match(token) is not None for token in tokens)
    return long < 2 and all(map(_is_plain_value, tokens))


def _is_plain_value(token: str) -> bool:
    if token[0] in "\"'":
        return token[1:-1] in FONTS
    return token in _WORDS or _PLAIN.fullmatch(token) is not None
