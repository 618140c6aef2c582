"""What the name of an element or attribute of CDA says of a value, beside its path.

Elements have their data type, where the document tells it (`value(PQ)`); attributes the kind of
what they hold (`telecom@value(tel)`, `id@root(unique)`), as roles differ by it.

Source: HL7 CDA R2, datatypes-base.xsd; HL7 v3 Data Types R1, sections 2.4 (ED), 2.11 (II), 2.18
(TEL) and 3.1 (PQ).
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from ..core.errors import DocumentError
from ..core.views import View
from ..core.written_texts import Layer, Mapped, OpenedText
from ..rendering.encoded import LAYERS_OF
from ..rendering.kinds import LAYERS, recognised
from ..rendering.xml_text import words_of
from .ages import is_over_89
from .attachments import layers_of_text
from .ccda_roles import CONSTANT
from .media_types import is_text, looks_like_base64, markup_of, media_type_of
from .vocabularies import is_public
from .xml_values import BAD_CCDA, TEXT

CDA_NAMESPACE: Final = "urn:hl7-org:v3"
_XSI: Final = "http://www.w3.org/2001/XMLSchema-instance"
_PREFIXES: Final = {
    CDA_NAMESPACE: "",
    "urn:hl7-org:sdtc": "sdtc:",
    _XSI: "xsi:",
    "http://www.w3.org/XML/1998/namespace": "xml:",
}
_OTHER: Final = "other:"
_STANDARD = re.compile(r"urn:hl7-org:[a-z0-9/:._-]{1,40}|http://www\.w3\.org/[\w/.#-]{1,60}")

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*", re.ASCII)
"""Of an element of HL7's namespaces: another could be spelt as a path of them is."""

_TYPE = re.compile(r"(?:[\w.-]+:)?([A-Z][A-Z0-9_]{0,30})", re.ASCII)
_OID = re.compile(r"[0-2](?:\.(?:0|[1-9][0-9]{0,5}))+")
"""An OID that is not made for a patient or a document: no number in it is as long as theirs are."""

_SOCIAL_SECURITY: Final = "2.16.840.1.113883.4.1"
_WORDS_OF_SYSTEMS: Final = ("displayName", "codeSystemName")

_IDS: Final = ("id", "sdtc:id", "setId", "id(ssn)", "sdtc:id(ssn)")
_TELECOM: Final = ("telecom", "sdtc:telecom", "value(TEL)", "value(URL)")
_SCHEME = re.compile(r"\s*(tel|fax|mailto):\s*(?=\S)", re.IGNORECASE)
_NUMBER = re.compile(r"[-+()0-9.\sx/]*[0-9][-+()0-9.\sx/]*", re.IGNORECASE)

_LABEL = re.compile(r"[A-Za-z_][\w.-]{0,63}", re.ASCII)
_MOST_DIGITS: Final = 4
_NARRATIVE_LABEL = re.compile(
    r"""\s(?:(?:ID|IDREF|referencedObject)\s*=\s*["']([\w.-]{1,64})|href\s*=\s*["'](\#[\w.-]{1,64}))["']""",
    re.ASCII,
)
"""An element of a narrative by its label: its own, or that to which it leads."""


_LONGEST_NUMBER: Final = 60


class AttributePart(NamedTuple):
    """What an attribute is to its element.

    Attributes:
        name: `@extension`, `@root(unique)`; "" for one that holds nothing of the document.
        skipped: how many characters of the value belong to its kind: `tel:`.
        identifies: whether it is what an identifier says.
    """

    name: str
    skipped: int = 0
    identifies: bool = False


def prefixed(name: str, scope: Mapping[str, str], *, is_attribute: bool = False) -> str:
    """The name of an element or attribute with the prefix that its namespace has here.

    Args:
        scope: prefix -> namespace, as the document declares them.

    Raises:
        DocumentError: `BAD_CCDA`, for a prefix that is not declared, and no namespace.
    """
    prefix, colon, local = name.rpartition(":")
    if not local or ":" in prefix or (colon and not prefix):
        raise DocumentError(BAD_CCDA)
    if is_attribute and not colon:
        return name
    if prefix == "xml":
        return name
    if prefix not in scope:
        raise DocumentError(BAD_CCDA)
    known = _PREFIXES.get(scope[prefix], _OTHER) if _NAME.fullmatch(local) else _OTHER
    return (_OTHER if is_attribute and not known else known) + local


def is_standard(namespace: str) -> bool:
    """Whether a namespace is one of HL7 or of the W3C, which say nothing of anybody."""
    return _STANDARD.fullmatch(namespace) is not None


def label_of(name: str, said: Mapping[str, str]) -> str:
    """The name of an element, with its kind.

    Args:
        said: its attributes.
    """
    if name in ("id", "sdtc:id") and said.get("root", "").strip() == _SOCIAL_SECURITY:
        return f"{name}(ssn)"
    if _is_binary(said):
        return binary_label(name)
    if name == "value" and (match := _TYPE.fullmatch(said.get("xsi:type", "").strip())):
        return f"value({match[1]})"
    return name


def binary_label(label: str) -> str:
    """The name of an element that holds no text: `value(ED)` is `value(binary)`."""
    return f"{label.partition('(')[0]}(binary)"


def part_of(element: str, attribute: str, said: Mapping[str, str]) -> AttributePart:
    """What an attribute is.

    Args:
        element: as `label_of` gives it.
        said: all attributes of the element.
    """
    value, name = said[attribute], f"@{attribute}"
    if element.startswith(_OTHER):
        return AttributePart(f"@{_OTHER}{attribute.removeprefix(_OTHER)}")
    if attribute == "root":
        return _root(element, value.strip(), said)
    if attribute == "extension":
        return AttributePart(name, identifies=element in _IDS)
    if attribute in _WORDS_OF_SYSTEMS and not is_public(said.get("codeSystem", "")):
        return AttributePart(f"{name}(local)")
    if attribute == "ID" and not _is_label(value):
        return AttributePart("@ID(other)")
    if attribute == "value":
        if element in _TELECOM:
            return _telecom(value)
        if element == "reference" and not (value[:1] == "#" and _is_label(value[1:])):
            return AttributePart("@value(other)")
        unit = said.get("unit", "").strip()
        if unit and is_over_89(value[:_LONGEST_NUMBER], [unit], of_age=True):
            return AttributePart("@value(over 89)")
    return AttributePart(name)


def says_base64(said: Mapping[str, str]) -> bool:
    """Whether the text of an element is base64, by its attributes."""
    return said.get("representation", "").strip().upper() == "B64"


def text_layers(said: Mapping[str, str], source: str, value: str) -> tuple[Layer, ...] | None:
    """The layers of the text of an element; None for data that is no text.

    Args:
        said: its attributes.
        source: the text as it is written.
        value: what that says.
    """
    if _is_binary(said):
        return None
    kind = markup_of(said.get("mediaType", ""))
    if says_base64(said) or looks_like_base64(value):
        outer: tuple[Layer, ...] = () if value == source else (TEXT,)
        outer = (*outer, LAYERS_OF["base64"])
        found = layers_of_text(source, outer, None if kind == "rtf" else kind)
        return (*outer, _rich_text) if found and kind == "rtf" else found
    kind = kind or recognised(value)
    if kind == "rtf":
        return (TEXT, _rich_text)
    return (TEXT,) if kind is None else (TEXT, LAYERS[kind])


def narrative(source: str) -> OpenedText:
    """The layer of the narrative of a section: XML, in which entries refer to elements by `ID`.

    Labels stay, and are told of as names of elements are: they may be those of people.
    """
    opened = LAYERS["xml"](source)
    if not isinstance(opened, Mapped):
        return opened
    labels = {
        one.span(1 if one[1] else 2): label
        for one in _NARRATIVE_LABEL.finditer(source)
        if _is_label(label := (one[1] or one[2]).removeprefix("#"))
    }
    kept = {labels[place] for place in opened.removed if place in labels}
    return dataclasses.replace(
        opened,
        removed=[place for place in opened.removed if place not in labels],
        names=[*opened.names, *map(words_of, sorted(kept))],
    )


def _rich_text(source: str) -> OpenedText:
    """The layer of what is called RTF; systems call so what is a narrative, or plain text."""
    beginning = source.lstrip()[:5]
    if beginning.startswith("{\\rtf"):
        return LAYERS["rtf"](source)
    if beginning.startswith("<"):
        return LAYERS["html"](source)
    return Mapped(View.of(source, 0, len(source)), lambda text, at: text)


def _is_label(text: str) -> bool:
    """Whether an ID says what it is of, and holds no number of a record."""
    return _LABEL.fullmatch(text) is not None and sum(map(str.isdigit, text)) <= _MOST_DIGITS


def _root(element: str, root: str, said: Mapping[str, str]) -> AttributePart:
    """An OID beside an extension is who gave that; alone, and as a UUID, it is the identifier."""
    is_alone = not said.get("extension", "").strip()
    if element in CONSTANT or (_OID.fullmatch(root) and (not is_alone or "nullFlavor" in said)):
        return AttributePart("@root")
    return AttributePart("@root(unique)", identifies=is_alone and element in _IDS)


def _telecom(value: str) -> AttributePart:
    if match := _SCHEME.match(value):
        kind = "mailto" if match[1].lower() == "mailto" else "tel"
        return AttributePart(f"@value({kind})", skipped=match.end())
    if len(value) <= _LONGEST_NUMBER and _NUMBER.fullmatch(value):
        return AttributePart("@value(tel)")
    return AttributePart("@value(mailto)" if "@" in value and ":" not in value else "@value")


def _is_binary(said: Mapping[str, str]) -> bool:
    """Whether the content of an element is no text, or not to be read, by its attributes."""
    media = media_type_of(said.get("mediaType", ""))
    return bool(media and not is_text(media)) or bool(said.get("compression", "").strip())
