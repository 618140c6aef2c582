"""Attributes of HTML and XML: which pass as they are, which are read, which lose their value.

Whatever is not listed here loses its value, and in HTML its name too if that is none of HTML.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence

from .classes import is_layout_class
from .names import names
from .styles import COLOUR, bad_declarations, is_fonts

_NUMBER = r"[+-]?(?:[0-9]{1,4}|[0-9]{1,3}\.[0-9]{1,2})(?:px|pt|pc|em|rem|ex|in|cm|mm|%|\*)?"
CHARSET = (
    "utf-8|us-ascii|iso-8859-[0-9]{1,2}|windows-125[0-8]|unicode|gb2312|gbk|gb18030|big5|shift_jis"
    "|euc-jp|euc-kr|koi8-r|macintosh"
)
"""A pattern of the names of encodings, to be used without regard to case."""

_FORMS: Mapping[str, str] = {
    # Sizes and counts. Four digits are a width of pixels; longer ones could be anything.
    "width height colspan rowspan border cellpadding cellspacing size cols rows hspace vspace start"
    " tabindex maxlength span value marginwidth marginheight leftmargin topmargin rightmargin"
    " bottommargin frameborder level": _NUMBER,
    "color bgcolor text link vlink alink bordercolor": COLOUR,
    # Words of a closed set.
    "align valign halign": "left|right|center|centre|middle|justify|char|top|bottom|baseline|"
    "absmiddle|absbottom|texttop",
    "dir": "ltr|rtl|auto",
    "type": "text|password|hidden|checkbox|radio|button|submit|reset|file|image|number|date|time|"
    "datetime-local|month|week|tel|email|url|search|range|color|disc|circle|square|[1aAiI]|"
    "text/css|text/javascript|text/html|text/plain|application/javascript|module",
    "rel": "stylesheet|icon|shortcut icon|noopener|noreferrer|noopener noreferrer|nofollow|"
    "alternate|next|prev|File-List|Edit-Time-Data|themeData|colorSchemeMapping",
    "charset": CHARSET,
    "http-equiv": "content-type|content-language|content-style-type|content-script-type|"
    "x-ua-compatible|cache-control|pragma|expires|refresh",
    "method": "get|post|dialog",
    "target": "_blank|_self|_parent|_top",
    "scope": "row|col|rowgroup|colgroup",
    "frame": "void|above|below|hsides|vsides|lhs|rhs|box|border",
    "rules": "none|groups|rows|cols|all",
    "shape": "rect|circle|poly|default",
    "clear": "left|right|all|both|none",
    "media": "all|screen|print",
    "scrolling autocomplete spellcheck contenteditable draggable translate autocapitalize": "yes|"
    "no|auto|on|off|true|false|",
    "wrap": "soft|hard|off|virtual|physical",
    "role": "presentation|none|main|navigation|banner|contentinfo|complementary|article|region|"
    "heading|list|listitem|table|row|cell|columnheader|rowheader|img|button|link|group|note|text|"
    "doc-backlink|doc-noteref|doc-endnotes?",
    "aria-hidden aria-expanded aria-disabled aria-checked aria-selected aria-required": "true|"
    "false",
    "checked disabled readonly multiple selected hidden required nowrap noshade compact autofocus"
    " open defer async reversed ismap declare novalidate noresize": "checked|disabled|readonly|"
    "multiple|selected|hidden|required|nowrap|noshade|compact|true|false|yes|no|",
    # A language, and no more than a script and a country of it.
    "lang xml:lang hreflang": "[A-Za-z]{2,3}(?:-[A-Za-z]{4})?(?:-[A-Za-z]{2}|-[0-9]{3})?|",
    "xml:space": "preserve|default",
    "version": "[0-9](?:\\.[0-9]){0,2}",
    # A link to the top of the page; any other target may name a person or a record.
    "href src": "#|",
    "profile": "",
    # C-CDA's narrative block.
    "stylecode": "(?:Bold|Italics|Underline|Emphasis|[LRTB]rule|Leftrule|Rightrule|Toprule|Botrule"
    "|Arabic|LittleRoman|BigRoman|LittleAlpha|BigAlpha|Disc|Circle|Square| ){1,8}",
    "listtype": "ordered|unordered",
}
"""Names, parted by blanks -> what a value that passes looks like; of any case."""

_PASSING: Mapping[str, re.Pattern[str]] = {
    name: re.compile(rf"\s*(?:{form})\s*", re.IGNORECASE)
    for names, form in _FORMS.items()
    for name in names.split()
}

READ = names("""alt title placeholder aria-label aria-description aria-placeholder aria-valuetext
    aria-roledescription label summary abbr""")
"""What a reader sees or a tool shows: read as text."""

_VALUE_READ = frozenset({"input", "button"})
_VALUE_UNSEEN = frozenset({"hidden", "password", "file", "image"})
_META_READ = names("""author description keywords subject title abstract summary dc.title dc.creator
    dc.subject dc.description og:title og:description twitter:title""")
_META_NAMES = _META_READ | {"viewport", "generator", "robots", "format-detection", "progid"}
_META_CONTENT = re.compile(
    rf"\s*(?:text/(?:html|css|javascript|plain)(?:;\s*charset=(?:{CHARSET}))?|IE=(?:edge|[0-9]"
    r"{1,2})|no-cache|(?:no)?index(?:, ?(?:no)?follow)?|(?:(?:width=device-width|(?:initial|"
    r"maximum|minimum)-scale=[0-9](?:\.[0-9])?|user-scalable=no|shrink-to-fit=no)[,; ]*){1,5}|"
    r"Word\.Document|Microsoft Word [0-9]{1,2}|telephone=no|[a-z]{2}(?:-[A-Z]{2})?)\s*"
)
_CLASS = re.compile(r"\S+")
_PREFIXES = frozenset(
    f"xmlns:{prefix}"
    for prefix in names("""a aml c cda css dc dt fb fhir h hl7 html m math mml n1 o og p pic r rdf s
        sdtc st1 st2 svg u v v2 v3 voc w w10 wp wx x xhtml xi xlink xs xsd xsi xsl""")
)
_NAMESPACE = re.compile(
    r"(?:https?://(?:www\.w3\.org|schemas\.microsoft\.com|schemas\.openxmlformats\.org|hl7\.org|"
    r"purl\.org|docs\.oasis-open\.org)/[A-Za-z0-9./#_-]{0,80}"
    r"|urn:hl7-org:[A-Za-z0-9]{1,20}|urn:schemas-microsoft-com:[a-z]{1,20}(?::[a-z]{1,20}){0,2}"
    r"|urn:oasis:[A-Za-z0-9:.]{1,60})"
)
_SCHEME = re.compile(r"https?:|urn:")
_LONG_DIGITS = re.compile(r"[0-9]{5}")

HTML_NAMES = (
    READ
    | names(" ".join(_FORMS))
    | names("""id name face class style coords content for action data cite datetime headers
    usemap background lowsrc longdesc codebase code archive classid codetype srcset sizes srcdoc
    poster accept accesskey pattern min max step list form formaction integrity nonce crossorigin
    referrerpolicy download ping axis standby object onclick onload onchange onsubmit
    onmouseover onmouseout onfocus onblur onkeydown onkeyup onkeypress onerror xmlns
    itemprop itemscope itemtype itemid property about resource typeof""")
)
"""Attributes whose name is HTML's: it stays. Of others the name goes with the value."""

LONGEST = 4000
"""Longer values are not looked at: they do not pass."""


@dataclasses.dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute in a tag.

    Attributes:
        name: in small letters.
        begin, name_end: where the name stands.
        low, high: where its value stands, without quotes; both `name_end` if it has none.
        quote: of the value, " " if it has none.
    """

    name: str
    begin: int
    name_end: int
    low: int
    high: int
    quote: str

    def without_value(self) -> tuple[int, int]:
        """What is left out so that the value is gone; no quotes, no sign of equality either."""
        return (self.name_end if self.quote == " " else self.low), self.high


@dataclasses.dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of an attribute.

    Attributes:
        read: whether its value is text.
        removed: ranges left out.
        style: the declarations that stay of a `style`, in small letters.
    """

    read: bool = False
    removed: Sequence[tuple[int, int]] = ()
    style: str = ""


_STAYS = Verdict()
_READ = Verdict(read=True)


def judged(
    source: str, element: str, attribute: Attribute, beside: Mapping[str, str], strict: bool
) -> Verdict:
    """What becomes of an attribute.

    Args:
        source: in which it stands.
        element: its element, in small letters, without a prefix.
        attribute: itself.
        beside: all attributes of the tag, name -> value.
        strict: of XML, where other names are names too.
    """
    name = attribute.name
    value = source[attribute.low : attribute.high]
    if not (strict or name in HTML_NAMES or name in _PREFIXES):
        return Verdict(removed=((attribute.begin, attribute.high + (attribute.quote != " ")),))
    if not value:
        return _STAYS
    gone = Verdict(removed=(attribute.without_value(),))
    if _is_read(element, name, beside):
        return _READ
    if len(value) > LONGEST:
        return gone
    if name == "style":
        return _of_style(attribute, value)
    if name == "face":
        return _STAYS if is_fonts(value.lower()) else gone
    if name == "xmlns" or name.startswith("xmlns:"):
        return _of_namespace(attribute, value)
    if name == "class":
        return _of_class(attribute, value)
    if element == "meta" and name in ("name", "content"):
        known = value.strip().lower() in _META_NAMES
        passes = known if name == "name" else _META_CONTENT.fullmatch(value)
        return _STAYS if passes else gone
    if name == "value" and element not in ("li", "progress", "meter"):
        return gone
    form = _PASSING.get(name)
    return _STAYS if form is not None and form.fullmatch(value) else gone


def _is_read(element: str, name: str, beside: Mapping[str, str]) -> bool:
    if name == "value":
        kind = beside.get("type", "").strip().lower()
        return element in _VALUE_READ and kind not in _VALUE_UNSEEN
    if element == "meta" and name == "content":
        return beside.get("name", "").strip().lower() in _META_READ
    return name in READ


def _of_class(attribute: Attribute, value: str) -> Verdict:
    """Names of classes that may say anything go, the others stay."""
    found = [(one.span(), is_layout_class(one[0])) for one in _CLASS.finditer(value)]
    if not any(stays for _, stays in found):
        return Verdict(removed=(attribute.without_value(),)) if found else _STAYS
    low = attribute.low
    return Verdict(removed=[(low + a, low + b) for (a, b), stays in found if not stays])


def _of_style(attribute: Attribute, value: str) -> Verdict:
    """Declarations that may hold anything go, the others stay."""
    bad = bad_declarations(value)
    if not bad:
        return Verdict(style=value.lower())
    if bad == [(0, len(value))]:
        return Verdict(removed=(attribute.without_value(),))
    position, kept = 0, []
    for low, high in bad:
        kept.append(value[position:low])
        position = high
    kept.append(value[position:])
    places = [(attribute.low + low, attribute.low + high) for low, high in bad]
    return Verdict(removed=places, style="".join(kept).lower())


def _of_namespace(attribute: Attribute, value: str) -> Verdict:
    """The scheme of a strange one stays: no namespace may be empty."""
    if _NAMESPACE.fullmatch(value) and not _LONG_DIGITS.search(value):
        return _STAYS
    scheme = _SCHEME.match(value)
    if scheme is None:
        return Verdict(removed=(attribute.without_value(),))
    return Verdict(removed=((attribute.low + scheme.end(), attribute.high),))
