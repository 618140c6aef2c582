"""Changes that JSON and FHIR know: spelling, order, elements of a type, narratives, Bundles."""

from __future__ import annotations

import copy
import functools
import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from scrubline.models.messages.fhir_elements import PRIMITIVES, elements

from . import message_changes as base
from .message_changes import Change

_LONE = re.compile("[\ud800-\udfff]")


class Members(list[tuple[str, Any]]):
    """The members of an object, in order; keys may be there twice."""

    def named(self, name: str) -> Any:
        """The value of a key; None if it is not there."""
        return next((value for key, value in self if key == name), None)


class Number(str):
    """A number as it is written."""


def parsed(record: str) -> Any:
    """A record with its order and its numbers as written."""
    return json.loads(
        record,
        object_pairs_hook=Members,
        parse_float=Number,
        parse_int=Number,
    )


def printed(node: Any, draw: random.Random, style: str = "") -> str:
    """A record in a style: `spaces`, `escapes`, `lone` surrogates; else in short."""
    if isinstance(node, Members):
        inner = [f"{_string(key, draw, style)}{_space(draw, style)}:{_space(draw, style)}"
                 f"{printed(value, draw, style)}" for key, value in node]  # fmt: skip
        return _list(inner, "{}", draw, style)
    if isinstance(node, list):
        return _list([printed(one, draw, style) for one in node], "[]", draw, style)
    if isinstance(node, Number):
        return node
    if isinstance(node, str):
        return _string(node, draw, style)
    return json.dumps(node)


def _list(inner: Sequence[str], signs: str, draw: random.Random, style: str) -> str:
    space = functools.partial(_space, draw, style)
    return signs[0] + ",".join(f"{space()}{one}{space()}" for one in inner) + space() + signs[1]


def _space(draw: random.Random, style: str) -> str:
    return draw.choice(("", "", " ", "\n  ", "\t", "\r\n")) if style == "spaces" else ""


def _string(text: str, draw: random.Random, style: str) -> str:
    plain = _LONE.sub(lambda one: f"\\u{ord(one[0]):04x}", json.dumps(text, ensure_ascii=False))
    if style not in ("escapes", "lone") or draw.random() < 0.5:
        return plain
    found = []
    for one in text:
        if draw.random() < 0.2:
            units = one.encode("utf-16-be", "surrogatepass").hex()
            written = "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
            found.append(draw.choice((written, written.upper().replace("\\U", "\\u"))))
        elif one == "/" and draw.random() < 0.5:
            found.append("\\/")
        else:
            found.append(_string(one, draw, "")[1:-1])
    if style == "lone" and draw.random() < 0.1:
        found.insert(draw.randrange(len(found) + 1), draw.choice(("\\ud83d", "\\udc00")))
    return f'"{"".join(found)}"'


def _styled(style: str) -> Change:
    def made(record: str, others: Sequence[str], draw: random.Random) -> str:
        return printed(parsed(record), draw, style)

    return made


def _in_tree(change: Callable[[Members, Sequence[str], random.Random], Any]) -> Change:
    """A change of the tree, which gives another root, or None for the same."""

    def made(record: str, others: Sequence[str], draw: random.Random) -> str:
        root = parsed(record)
        new = change(root, others, draw)
        return printed(root if new is None else new, draw, draw.choice(("", "", "spaces")))

    return made


def objects(node: Any, type_: str = "") -> Iterator[tuple[Members, str]]:
    """Yields all objects of which a type is known, with that."""
    if isinstance(node, Members):
        name = node.named("resourceType")
        type_ = name if isinstance(name, str) else type_
        if type_ in elements():
            yield node, type_
        own = elements().get(type_, {})
        for key, value in node:
            kinds = [one.name for one in own.get(key.removeprefix("_"), ()) if not one.is_primitive]
            yield from objects(value, kinds[0] if kinds else "Element")
    elif isinstance(node, list):
        for one in node:
            yield from objects(one, type_)


def _any_object(root: Members, draw: random.Random) -> tuple[Members, str]:
    return draw.choice(list(objects(root)) or [(root, "Patient")])


_SAMPLES: Mapping[str, Sequence[Any]] = {
    "boolean": (True, False),
    "decimal": (Number("1.10"), Number("1e2"), Number("-0"), Number("3.0E-1"), Number("95")),
    "integer": (Number("0"), Number("-7"), Number("12345678")),
    "positiveInt": (Number("1"), Number("91")),
    "unsignedInt": (Number("0"), Number("5")),
    "integer64": ("9007199254740993",),
    "base64Binary": ("aGVsbG8=", "UXVpbWJ5IHdhcyBzZWVu"),
    "canonical": ("http://hl7.org/fhir/StructureDefinition/Patient|4.0.1",),
    "code": ("final", "active", "en-US"),
    "date": ("2019", "2019-03", "2019-03-04"),
    "dateTime": ("2019-03-04T05:06:07Z", "2019", "2019-03-04T05:06:07.123+01:00"),
    "id": ("a1", "b-2.c"),
    "instant": ("2019-03-04T05:06:07Z",),
    "markdown": ("**Zelda** was seen", "# Dr. Fotheringay\n\n3/4/2019"),
    "oid": ("urn:oid:1.2.3",),
    "string": ("Zelda", "Quimby was seen", "é\U0001f600", "<b>x</b>"),
    "time": ("05:06:07",),
    "uri": ("http://example.org/a", "urn:uuid:c757873d-ec9a-4326-a141-556f43239520"),
    "url": ("http://example.org/Patient/7",),
    "uuid": ("urn:uuid:c757873d-ec9a-4326-a141-556f43239520",),
}


def value_of(name: str, draw: random.Random, depth: int = 0) -> Any:
    """A value of a type."""
    if name == "xhtml":
        return narrative(draw)
    if name in PRIMITIVES:
        return draw.choice(_SAMPLES[name])
    if name == "Resource":
        return _resource(draw, f"c{draw.randrange(99)}")
    if name == "Reference":
        return Members(
            [("reference", draw.choice(("Patient/p1", "#c1", "urn:uuid:7", "Practitioner/9")))]
        )
    own = {key: kinds for key, kinds in elements().get(name, {}).items() if key != "extension"}
    found = Members()
    for key in draw.sample(sorted(own), min(len(own), 1 + draw.randrange(3))):
        inner = own[key][0].name
        if depth < 2 or inner in PRIMITIVES:
            found.append((key, _wrapped(key, name, value_of(inner, draw, depth + 1), draw)))
    return found or Members([("id", "x1")])


_LISTS = frozenset(
    ("identifier", "name", "telecom", "address", "coding", "given", "line", "note", "category")
    + ("contained", "extension")
)


def _wrapped(key: str, owner: str, value: Any, draw: random.Random) -> Any:
    """A value, in an array where FHIR mostly has one; the grammar takes both."""
    return [value] if key in _LISTS and (key, owner) != ("name", "Organization") else value


def _resource(draw: random.Random, own: str) -> Members:
    kind = draw.choice(("Patient", "Practitioner", "Observation", "Organization"))
    made = value_of(kind, draw, 1)
    kept = [(k, v) for k, v in made if k not in ("id", "resourceType", "contained")]
    return Members([("resourceType", kind), ("id", own), *kept])


def narrative(draw: random.Random) -> str:
    """The text of a resource in XHTML."""
    pieces = (
        "<p>{}</p>", "<b>{}</b>", "{}<br/>", "<table><tr><td>{}</td><td>x</td></tr></table>",
        "<!-- {} -->", "<![CDATA[{} < 5]]>", "&#233;{}", "&lt;{}&gt;", "<a href=\"#x\">{}</a>",
        "<span title='{}'>y</span>", "<ul><li>{}</li></ul>", "&#x1F600;{}", "<img alt=\"{}\"/>",
        "<pre>  {}\n</pre>", "<p xml:lang='en' style=\"color:red\">{}</p>", " {} &amp; co",
    )  # fmt: skip
    inner = "".join(
        draw.choice(pieces).format(draw.choice(base.WORDS[:8])) for _ in range(draw.randrange(1, 7))
    )
    return f'<div xmlns="http://www.w3.org/1999/xhtml">{inner}</div>'


# -- changes of the tree


def _shuffled(root: Members, others: Sequence[str], draw: random.Random) -> None:
    for node, _ in objects(root):
        if draw.random() < 0.5:
            draw.shuffle(node)


def _declared(root: Members, others: Sequence[str], draw: random.Random) -> None:
    node, type_ = _any_object(root, draw)
    own = elements().get(type_, {})
    free = sorted(own.keys() - {key for key, _ in node} - {"resourceType"})
    if free:
        key = draw.choice(free)
        value = value_of(draw.choice(own[key]).name, draw)
        node.insert(draw.randrange(len(node) + 1), (key, _wrapped(key, type_, value, draw)))


def _extended(root: Members, others: Sequence[str], draw: random.Random) -> None:
    node, type_ = _any_object(root, draw)
    if "extension" not in elements()[type_]:
        return
    kinds = [*PRIMITIVES, "HumanName", "Coding", "Reference", "Quantity", "Attachment", "Address"]
    kind = draw.choice([one for one in kinds if one != "xhtml"])
    value = (f"value{kind[0].upper()}{kind[1:]}", value_of(kind, draw))
    url = draw.choice(("http://example.org/a", "http://hl7.org/fhir/StructureDefinition/b", "text"))
    made = Members([("url", url), value])
    if draw.random() < 0.2:
        made = Members([("url", url), ("extension", [made])])
    held = node.named("extension")
    if isinstance(held, list):
        held.append(made)
    else:
        node.append(("extension", [made]))


def _contained(root: Members, others: Sequence[str], draw: random.Random) -> None:
    held = root.named("contained")
    made = _resource(draw, f"c{draw.randrange(3)}")
    if isinstance(held, list) and not isinstance(held, Members):
        held.append(made)
    elif _may_have(root, "contained"):
        root.append(("contained", [made]))


def _may_have(node: Members, key: str) -> bool:
    """Whether resources of a type have an element."""
    return key in elements().get(str(node.named("resourceType")), {})


def _narrated(root: Members, others: Sequence[str], draw: random.Random) -> None:
    found = [node for node, _ in objects(root) if _may_have(node, "text")]
    if found:
        node = draw.choice(found)
        text = Members([("status", "generated"), ("div", narrative(draw))])
        node[:] = [*((key, value) for key, value in node if key != "text"), ("text", text)]


def _attached(root: Members, others: Sequence[str], draw: random.Random) -> None:
    """An attachment of some kind, in an extension or in the place of others."""
    kind, data = base.data_of(draw)
    made = Members([("contentType", kind), ("data", data)])
    found = [node for node, type_ in objects(root) if type_ == "Attachment"]
    if found and draw.random() < 0.7:
        draw.choice(found)[:] = made
    elif _may_have(root, "extension"):
        root.append(
            ("extension", [Members([("url", "http://example.org/x"), ("valueAttachment", made)])])
        )
        _once(root)


def _once(node: Members) -> None:
    """Leaves the last of members with the same key."""
    node[:] = list(dict(node).items())


def _repeated_key(root: Members, others: Sequence[str], draw: random.Random) -> None:
    node, _ = _any_object(root, draw)
    if node:
        node.insert(draw.randrange(len(node) + 1), copy.deepcopy(draw.choice(node)))


def _grown(root: Members, others: Sequence[str], draw: random.Random) -> None:
    found = [
        value for node, _ in objects(root) for key, value in node
        if isinstance(value, list) and not isinstance(value, Members) and value and key[:1] != "_"
    ]  # fmt: skip
    if found:
        array = draw.choice(found)
        array.insert(draw.randrange(len(array) + 1), copy.deepcopy(draw.choice(array)))


def _moved(root: Members, others: Sequence[str], draw: random.Random) -> None:
    """An element goes to another object of its type, of this record or from another one."""
    source = parsed(draw.choice(others)) if draw.random() < 0.5 else root
    node, type_ = _any_object(source, draw)
    to = [one for one, kind in objects(root) if kind == type_ and one is not node]
    pairs = [pair for pair in node if pair[0] != "resourceType"]
    if to and pairs:
        pair = draw.choice(pairs)
        if source is root and draw.random() < 0.5:
            node.remove(pair)
        target = draw.choice(to)
        if target.named(pair[0]) is None:
            target.append(copy.deepcopy(pair))
    elif len(pairs) > 1 and draw.random() < 0.3:
        node.remove(draw.choice(pairs))


def _siblings(root: Members, others: Sequence[str], draw: random.Random) -> None:
    """Siblings of primitive elements: `_family`, `_given` with nulls."""
    found = [
        (node, key, value) for node, type_ in objects(root) for key, value in node
        if isinstance(value, str | bool | list) and not isinstance(value, Members)
        and f"_{key}" not in dict(node) and key not in ("resourceType", "url", "div", "id")
        and any(one.is_primitive for one in elements()[type_].get(key, ()))
    ]  # fmt: skip
    for node, key, value in draw.sample(found, min(2, len(found))):
        extension = Members([("url", "http://example.org/a"), ("valueString", base.words(draw, 3))])
        made = Members([("id", "x1")] if draw.random() < 0.3 else [("extension", [extension])])
        if isinstance(value, list):
            node.append((f"_{key}", [draw.choice((None, made)) for _ in value] or [made]))
            if value and draw.random() < 0.3:
                value[draw.randrange(len(value))] = None
        else:
            node.append((f"_{key}", made))
            if draw.random() < 0.3:
                node[:] = [pair for pair in node if pair[0] != key]


def _bundled(root: Members, others: Sequence[str], draw: random.Random) -> Members | None:
    if len(printed(root, draw)) > 20_000:
        return None
    entries = []
    for number, one in enumerate(
        [root, *[parsed(draw.choice(others)) for _ in range(draw.randrange(2))]]
    ):
        own = one.named("id")
        url = draw.choice(
            (
                f"urn:uuid:0000-{number}",
                f"http://example.org/fhir/{one.named('resourceType')}/{own}",
            )
        )
        entries.append(Members([("fullUrl", url), ("resource", one)]))
        if draw.random() < 0.3:
            entries[-1].append(("request", Members([("method", "POST"), ("url", "Patient")])))
    kind = draw.choice(("collection", "transaction", "searchset"))
    made = Members([("resourceType", "Bundle"), ("id", "b7"), ("type", kind), ("entry", entries)])
    if draw.random() < 0.5:
        made = Members([pair for pair in made if pair[0] != "id"])
    return made


def _worded(root: Members, others: Sequence[str], draw: random.Random) -> None:
    """Other words in strings that may say anything."""
    free = ("string", "markdown")
    found = [
        (node, at) for node, type_ in objects(root) for at, (key, value) in enumerate(node)
        if isinstance(value, str) and not isinstance(value, Number)
        and any(one.name in free for one in elements()[type_].get(key, ()))
    ]  # fmt: skip
    for node, at in draw.sample(found, min(3, len(found))):
        key, value = node[at]
        node[at] = (
            key,
            draw.choice((base.words(draw), f"{value} {base.words(draw)}", base.page(draw))),
        )


def _numbers(root: Members, others: Sequence[str], draw: random.Random) -> None:
    spelled = ("1.10", "1.0e2", "1E-3", "-0", "0.000", "-12.5", "1e400", "123456789012345678901")
    for node, _ in objects(root):
        for at, (key, value) in enumerate(node):
            if isinstance(value, Number) and draw.random() < 0.5:
                node[at] = (key, Number(draw.choice(spelled)))


def _nothing(root: Members, others: Sequence[str], draw: random.Random) -> None:
    """Values that say nothing, which FHIR does not have but systems write."""
    node, _ = _any_object(root, draw)
    keys = [at for at, (key, _) in enumerate(node) if key != "resourceType"]
    if keys:
        at = draw.choice(keys)
        node[at] = (node[at][0], draw.choice((None, "", [], Members())))


def _unknown(root: Members, others: Sequence[str], draw: random.Random) -> None:
    """A member that FHIR does not have."""
    node, _ = _any_object(root, draw)
    node.append(
        (draw.choice(("foo", "Name", "comment")), draw.choice(("x", Number("1"), None, [None])))
    )


CHANGES: Mapping[str, Change] = {
    "white space": _styled("spaces"),
    "escapes": _styled("escapes"),
    "lone surrogates": _styled("lone"),
    "key order": _in_tree(_shuffled),
    "numbers": _in_tree(_numbers),
    "declared elements": _in_tree(_declared),
    "extensions": _in_tree(_extended),
    "contained": _in_tree(_contained),
    "narrative": _in_tree(_narrated),
    "attachments": _in_tree(_attached),
    "grown arrays": _in_tree(_grown),
    "moved elements": _in_tree(_moved),
    "primitive siblings": _in_tree(_siblings),
    "bundles": _in_tree(_bundled),
    "texts": _in_tree(_worded),
    "duplicated members": _in_tree(_repeated_key),
    "empty values": _in_tree(_nothing),
    "unknown members": _in_tree(_unknown),
}
"""Name -> the change."""
