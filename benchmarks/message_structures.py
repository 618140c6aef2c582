"""Structures of messages as parsers of others see them, before and after.

In the place of values that go or change stand marks, so that the parser tells where they were.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping, Sequence

import hl7
from lxml import etree
from scrubline.models.core.views import applied
from scrubline.models.messages.base import MessageValue

GONE, NEW, TEXT = "\ue000", "\ue001", "\ue002"
"""Marks: of what is left out, of what is another value, of texts."""

Marks = Sequence[tuple[MessageValue, str]]


def hole_of(name: str, record: str, value: MessageValue) -> tuple[int, int]:
    """What may go of a record with a value; of FHIR, see `check_json`."""
    low, high = value.start, value.end
    if name != "ccda":
        return low, high
    kind = re.sub(r"(\[[0-9]+\])?(\.[0-9]+)?\Z", "", value.place, count=1)
    if "@" in kind:
        low = max(record.rfind('"', 0, low), record.rfind("'", 0, low))
        if record[low] != record[high]:  # a quote of the other kind stands in the value
            low = record.rfind(record[high], 0, value.start)
        begin = re.search(r"\s+[^\s=]+\s*=\s*\Z", record[max(0, low - 300) : low])
        assert begin is not None, "no attribute begins before a value of one"
        return low - len(begin.group()), high + 1
    if kind == "comment":
        return low - 4, high + 3
    if kind == "xml-stylesheet":
        return record.rindex("<?", 0, low), record.index("?>", high) + 2
    return low, high


# -- JSON

_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+)', re.DOTALL)


@dataclasses.dataclass
class _Object:
    """An object, its keys and values as they are written."""

    members: list[tuple[str, _Node]]


_Node = _Object | list | str


def check_json(
    record: str, gone: Sequence[MessageValue], changed: Mapping[MessageValue, str], out: str
) -> None:
    """What comes out is the record without what goes, all that stays spelled as it was.

    Raises:
        AssertionError: if not.
    """
    marks = [*((one, GONE) for one in gone), *((one, NEW) for one in changed)]
    expected = _pruned(_tree(_marked(record, marks)))
    json.loads(out)
    assert _alike(expected, _tree(out)), "the structure is another one"


def _marked(record: str, marks: Marks) -> str:
    edits = []
    for one, mark in marks:
        is_whole = record[one.end : one.end + 1] != '"' or record[one.start : one.start + 1] == '"'
        edits.append((one.start, one.end, f'"{mark}"' if is_whole else mark))
    return applied(record, sorted(edits))


def _tree(text: str) -> _Node:
    tokens = (match[1] for match in _TOKEN.finditer(text))

    def node(token: str) -> _Node:
        if token == "[":
            return _items(tokens, node)
        if token != "{":
            return token
        found = _Object([])
        while (key := next(tokens)) != "}":
            if key != ",":
                assert next(tokens) == ":"
                found.members.append((key, node(next(tokens))))
        return found

    return node(next(tokens))


def _items(tokens: Iterator[str], node) -> list:  # type: ignore[no-untyped-def,type-arg]
    found = []
    while (token := next(tokens)) != "]":
        if token != ",":
            found.append(node(token))
    return found


def _pruned(node: _Node, is_paired: bool = False, is_root: bool = True) -> _Node | None:
    """A tree without what is marked as gone, and without what is left with nothing."""
    if isinstance(node, str):
        return None if GONE in node else node
    if isinstance(node, list):
        left = [_pruned(one, False, False) for one in node]
        held = [new for one, new in zip(node, left, strict=True) if one != "null"]
        if held and all(one is None for one in held):
            return None
        return [one or "null" for one in left] if is_paired else [o for o in left if o is not None]
    keys = {json.loads(key): value for key, value in node.members}
    found = _Object([])
    for key, value in node.members:
        name = json.loads(key)
        other = name[1:] if name[:1] == "_" else f"_{name}"
        pair = isinstance(value, list) and isinstance(keys.get(other), list)
        if (new := _pruned(value, pair, False)) is not None:
            found.members.append((key, new))
    if is_root or len(found.members) == len(node.members):
        return found
    left_keys = [json.loads(key) for key, _ in found.members]
    is_extension = all(k in ("url", "id", "extension") or k[:5] == "value" for k in keys)
    return None if not left_keys or (left_keys == ["url"] and is_extension) else found


def _alike(expected: _Node | None, found: _Node) -> bool:
    """Whether two trees are the same but for values that are marked."""
    if isinstance(expected, str):
        return NEW in expected or expected == found
    if isinstance(expected, list):
        return (
            isinstance(found, list)
            and len(expected) == len(found)
            and all(map(_alike, expected, found))
        )
    return (
        isinstance(expected, _Object)
        and isinstance(found, _Object)
        and [key for key, _ in expected.members] == [key for key, _ in found.members]
        and all(_alike(a[1], b[1]) for a, b in zip(expected.members, found.members, strict=True))
    )


# -- XML

_DECLARATION = re.compile(r"\A\ufeff?(<\?xml\s.*?\?>)?", re.DOTALL)
_REMOVED = re.compile(r"urn:removed:[0-9]+")

_Event = tuple[str, str, tuple[tuple[str, str], ...]]


def check_xml(
    record: str, gone: Sequence[MessageValue], changed: Mapping[MessageValue, str], out: str
) -> None:
    """What comes out has the elements, attributes and texts of the record but for what goes.

    Raises:
        AssertionError: if not.
    """
    edits = [(one.start, one.end, _mark_of(one, GONE)) for one in gone]
    edits += [(one.start, one.end, NEW) for one in changed if not _is_space(one)]
    try:
        before = _events(applied(record, sorted(edits)))
    except etree.XMLSyntaxError:
        return  # names of namespaces that it does not take
    after = _events(out)
    assert len(before) == len(after), "there are more or fewer elements and texts"
    for one, other in zip(before, after, strict=True):
        assert one[0] == other[0], "an element, or a text, is another"
        assert one[1] == other[1] or NEW in one[1], "an element, or a text, is another"
        assert [name for name, _ in one[2]] == [name for name, _ in other[2]], "an attribute is"
        same = (a == b or NEW in a for (_, a), (_, b) in zip(one[2], other[2], strict=True))
        assert all(same), "an attribute says something else"


def _is_space(value: MessageValue) -> bool:
    return value.place.startswith("xmlns")


def _mark_of(value: MessageValue, mark: str) -> str:
    return f"urn:removed:{value.start}" if _is_space(value) else mark


def _events(record: str, empty: bool = True) -> list[_Event]:
    """Starts and ends of elements, and texts, in order; comments are none.

    Args:
        empty: whether attributes count that say nothing.
    """
    parser = etree.XMLParser(resolve_entities=False, huge_tree=True)
    root = etree.fromstring(_DECLARATION.sub("", record).encode(), parser)
    found: list[_Event] = []

    def text(said: str | None) -> None:
        plain = (said or "").strip(" \t\r\n")
        if plain.strip() and plain != GONE:  # blanks of Unicode alone say nothing, either
            found.append(("text", plain, ()))

    waiting: list[tuple[etree._Element, bool]] = [(root, False)]
    while waiting:
        node, is_end = waiting.pop()
        if is_end:
            found.append(("end", "", ()))
            text(node.tail if node is not root else None)
        elif not isinstance(node.tag, str):
            text(node.tail if node is not root else None)
        else:
            said = node.attrib.items()
            pairs = ((_REMOVED.sub("", k), v) for k, v in said if GONE not in v and (empty or v))
            found.append(("start", _REMOVED.sub("", node.tag), tuple(pairs)))
            text(node.text)
            waiting.append((node, True))
            waiting += [(child, False) for child in reversed(node)]
    return found


def compared_xml(
    before: str, after: str, values: Sequence[MessageValue], outs: Sequence[MessageValue]
) -> str:
    """Structures around texts, which are marked; narratives have the same tags and attributes."""
    try:
        outline = _outline(before)
    except etree.XMLSyntaxError:
        return "bytes alone"
    assert outline == _outline(after), "tags or attributes are others"
    marked = [
        _events(_texts_marked(one, own), False) for one, own in ((before, values), (after, outs))
    ]
    assert marked[0] == marked[1], "what lies outside of texts is another"
    return "lxml"


def _texts_marked(record: str, values: Sequence[MessageValue]) -> str:
    edits = [
        (one.start, one.end, GONE)
        for one in values
        if one.layers and not one.place.startswith(("comment", "xml-stylesheet"))
    ]
    return applied(record, edits)


def _outline(record: str) -> list[_Event]:
    """Tags with the names of their attributes; breaks may come with a text."""
    found = []
    for kind, name, pairs in _events(record):
        if kind == "start" and name.rpartition("}")[2] != "br":
            found.append((kind, name, tuple((key, "") for key, _ in pairs)))
    return found


# -- HL7


def check_hl7(
    record: str, gone: Sequence[MessageValue], changed: Mapping[MessageValue, str], out: str
) -> None:
    """Segments, fields, repetitions and components are as many as they were around values.

    Raises:
        AssertionError: if not.
    """
    edits = [(v.start, v.end, "") for v in gone] + [(v.start, v.end, "N") for v in changed]
    before = shape_of(applied(record, sorted(edits)))
    if before is not None:
        assert before == shape_of(out), "the structure is another one"


def shape_of(record: str) -> object:
    """Segments with the numbers of what is in each field, by the package `hl7`.

    None where it fails. Of MSH it counts an empty last field only now and then.
    """
    if len(set(record[3:8])) < 5 or record[3] != record[8:9]:
        return None  # it takes the usual signs for those that are not named
    try:
        parsed = hl7.parse(re.sub(r"[\r\n]+", "\r", record))
    except Exception:
        return None
    return [
        (str(one[0]), [_shape(field) for field in one] if str(one[0]) != "MSH" else [])
        for one in parsed
    ]


def _shape(field: object) -> object:
    """Of a repeated field, the components of each repetition, and so on."""
    if isinstance(field, str) or not isinstance(field, list) or len(field) < 2:
        inner = field[0] if isinstance(field, list) and len(field) == 1 else None
        return _shape(inner) if isinstance(inner, list) else 1
    return [_shape(one) for one in field]


def compared_hl7(
    before: str, after: str, values: Sequence[MessageValue], outs: Sequence[MessageValue]
) -> str:
    """Shapes around texts: these are one sign, and so many repetitions as they have."""
    repetition = before[5:6]
    shapes = []
    for record, own in ((before, values), (after, outs)):
        edits = [
            (v.start, v.end, repetition.join("T" * (record[v.start : v.end].count(repetition) + 1)))
            for v in own
            if v.layers and repetition
        ]
        shapes.append(shape_of(applied(record, edits)))
    if shapes[0] is None:
        return "bytes alone"
    assert shapes[0] == shapes[1], "the structure around texts is another one"
    return "hl7"


def compared_json(
    before: str, after: str, values: Sequence[MessageValue], outs: Sequence[MessageValue]
) -> str:
    """Trees around texts, which are marked."""
    json.loads(after)
    marks = [(one, NEW) for one in values if one.layers]
    assert _alike(_tree(_marked(before, marks)), _tree(after)), "what lies outside is another"
    return "json"


COMPARED = {"hl7": compared_hl7, "fhir": compared_json, "ccda": compared_xml}
"""Name of a grammar -> compares what lies around texts, and says by whose parser."""
