"""The layers of rich text: one table, and how a text is told to be of one of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from ..core.written_texts import Layer
from . import html, rtf, xml_text

LAYERS: Mapping[str, Layer] = MappingProxyType(
    {"html": html.render, "rtf": rtf.render, "xml": xml_text.render}
)
"""Name -> the layer."""

_HEAD, _TAIL = 2000, 200
_LEADING = "\ufeff \t\r\n\f\v\0"
_PAGE = re.compile(
    r"(?:<!--[^>]{0,500}-->\s{0,50}){0,3}<(?:!doctype\s{1,20}html|html|head|body)(?=[\s>])",
    re.IGNORECASE,
)
_FRAGMENT = re.compile(
    r"<(p|div|span|table|tbody|tr|ul|ol|dl|h[1-6]|pre|font|center|section|article|blockquote|title"
    r"|style|b|strong|i|em|u|a|meta|address|header|form|fieldset)"
    r"(?:\s{1,20}[A-Za-z:-]{1,40}\s{0,5}(?:=\s{0,5}(?:\"[^\"<]{0,1500}\"|'[^'<]{0,1500}'"
    r"|[^\s\"'>]{1,200}))?){0,30}\s{0,20}>",
    re.IGNORECASE,
)
_CDA = re.compile(r"(?:\s|<[?!][^<>]{0,500}>){0,50}<(?:[\w.-]{1,20}:)?ClinicalDocument[\s>]")


def begins_as_cda(source: str) -> bool:
    """Whether a source begins as documents of CDA do."""
    return _CDA.match(source.lstrip(_LEADING)) is not None


def recognised(text: str) -> str | None:
    """The layer that a text is written in, as its first and last characters tell; None for none.

    A fragment counts as HTML if it begins with a tag of a closed set and holds an end tag of it;
    a note that holds a tag somewhere does not.
    """
    head = text[:_HEAD].lstrip(_LEADING)
    if head.startswith("{\\rtf"):
        return "rtf"
    if not head.startswith("<"):
        return None
    if head.startswith("<?xml"):
        # Pages in XHTML name a document type, and are read as browsers read them.
        return "html" if _PAGE.match(head[head.find(">") + 1 :].lstrip(_LEADING)) else "xml"
    if _PAGE.match(head):
        return "html"
    opening = _FRAGMENT.match(head)
    if opening is None:
        return "xml" if begins_as_cda(head) else None
    closing = f"</{opening[1]}".lower()
    return "html" if closing in head.lower() or closing in text[-_TAIL:].lower() else None
