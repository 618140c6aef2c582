"""Elements of HTML: how they part the text, and what of their contents is read."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .names import names

INLINE, BLOCK, CELL, BREAK = "inline", "block", "cell", "break"
TITLE, AREA = "title", "area"
"""Text without tags (`<title>`, `<textarea>`); blanks of the second stay."""
SAMPLE, REST = "sample", "rest"
"""Text without tags and references, up to an end tag or the end of all (`<xmp>`, `<plaintext>`)."""
UNSEEN = "unseen"
"""Contents that are no text and hold no tags: scripts, style sheets, frames. They are removed."""
OBJECT = "object"
"""Contents that may hold tags, and are shown in part, elsewhere or never. They are removed."""

_NAMES = {
    INLINE: "a abbr acronym area b base basefont bdi bdo bgsound big blink cite code data dfn em"
    " embed font i img image ins del kbd keygen label link map mark nobr output param q rb rp rt"
    " rtc ruby s samp small source span strike strong sub sup time track tt u var wbr picture slot"
    " math mi mn mo mrow ms mtext msub msup msubsup mfrac msqrt mroot munder mover munderover"
    " mtable mtr mtd mstyle mspace mfenced menclose semantics annotation"
    " o:p st1:address st1:city st1:country-region st1:date st1:givenname st1:middlename"
    " st1:metricconverter st1:personname st1:phone st1:place st1:placename st1:placetype"
    " st1:postalcode st1:sn st1:state st1:stockticker st1:street st1:time w:sdt w:sdtpr",
    BLOCK: "address article aside blockquote body button caption center col colgroup dd details"
    " dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6"
    " head header hgroup hr html input isindex legend li listing main marquee menu menuitem meta"
    " meter nav noscript ol optgroup option p pre progress search section select summary table"
    " tbody tfoot thead tr ul audio video canvas",
    CELL: "td th",
    BREAK: "br",
    TITLE: "title",
    AREA: "textarea",
    SAMPLE: "xmp",
    REST: "plaintext",
    UNSEEN: "script style iframe noembed noframes",
    OBJECT: "svg object applet template xml",
}

KINDS: Mapping[str, str] = MappingProxyType(
    {name: kind for kind, names in _NAMES.items() for name in names.split()}
)
"""Name -> how it is read. A tag of another name is shown by no browser: it is left out."""

VOID = names("""area base basefont bgsound br col embed frame hr img image input keygen link meta
    param source track wbr isindex""")
"""Elements without an end tag."""

NEVER_SHOWN = names("noscript audio video canvas")
"""Elements whose contents are shown where a browser lacks something."""

PARTS_OF_LINES = NEVER_SHOWN | names("button input label meta meter progress select textarea xmp")
"""Elements read as blocks that end no paragraph."""

KEEPING = frozenset({"pre", "listing"})
"""Elements whose blanks and line ends stay."""

XML_INLINE = names(
    """a abbr acronym b bdi bdo big cite code content del dfn em font i img ins kbd linkhtml
    mark nobr q s samp small span strike strong sub sup tt u var wbr"""
)
"""Elements of XHTML and of C-CDA's narrative block that stand within a line."""

XML_FLOWING = XML_INLINE | names(
    """address article aside blockquote body br caption col colgroup dd div dl dt footer h1
    h2 h3 h4 h5 h6 head header hr html item li list main nav ol p paragraph pre section
    table tbody td text tfoot th thead title tr ul"""
)
"""A fragment that begins with one of these is a page: its blanks collapse."""
