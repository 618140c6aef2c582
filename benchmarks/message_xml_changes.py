"""Changes that XML and CDA know: spelling of tags and characters, elements, sections, bodies."""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from . import message_changes as base
from .message_changes import BrokenRecord, Change

_TOKEN = re.compile(
    r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<![^>]*>"
    r"""|<(?:[^<>"']|"[^"<]*"|'[^'<]*')+>|[^<]+""",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""([^\s=]+)\s*=\s*("[^"]*"|'[^']*')""")
_REFERENCE = re.compile(r"&[^;]*;|.", re.DOTALL)
_NAMED = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}
_MOST_CHARACTERS = 40_000


@dataclasses.dataclass
class Element:
    """An element; what is no element among its children is text as it is written."""

    tag: str
    attributes: list[tuple[str, str]]
    children: list[Element | str] = dataclasses.field(default_factory=list)

    def all(self) -> Iterator[Element]:
        """Yields it and all that are in it."""
        waiting = [self]
        while waiting:
            one = waiting.pop()
            yield one
            waiting += [child for child in reversed(one.children) if isinstance(child, Element)]

    def copy(self) -> Element:
        """One like it."""
        inner = [one if isinstance(one, str) else one.copy() for one in self.children]
        return Element(self.tag, list(self.attributes), inner)

    @property
    def name(self) -> str:
        """Without a prefix."""
        return self.tag.rpartition(":")[2]


@dataclasses.dataclass
class Tree:
    """A document: what stands before its root, and behind it."""

    head: str
    root: Element
    tail: str


def parsed(record: str) -> Tree:
    """A well-formed document; values of attributes keep their quotes."""
    head, tail, root, opened = "", "", None, []
    for match in _TOKEN.finditer(record):
        token = match.group()
        is_tag = token[0] == "<" and token[1] not in "!?"
        if is_tag and token[1] == "/":
            if not opened:
                raise BrokenRecord("an end without its start")
            opened.pop()
        elif is_tag:
            inner = token[1:-1].removesuffix("/")
            name = inner.split(None, 1)[0]
            one = Element(name, _ATTRIBUTE.findall(inner[len(name) :]))
            if opened:
                opened[-1].children.append(one)
            root = root or one
            if not token.endswith("/>"):
                opened.append(one)
        elif opened:
            opened[-1].children.append(token)
        elif root is None:
            head += token
        else:
            tail += token
    assert root is not None, "a document has a root"
    return Tree(head, root, tail)


def printed(tree: Tree, draw: random.Random, style: str = "") -> str:
    """A document; in style `tags`, tags are spelled in all ways."""
    return tree.head + _element(tree.root, draw, style) + tree.tail


def _element(one: Element, draw: random.Random, style: str) -> str:
    is_odd = style == "tags"
    pieces = [f"<{one.tag}"]
    for name, value in one.attributes:
        if is_odd:
            blank, sign = draw.choice((" ", "\n", "\t ", "  ")), draw.choice(("=", " = ", "=\n"))
            pieces += (blank, name, sign, _quoted(value, draw))
        else:
            pieces += (" ", name, "=", value)
    end = draw.choice(("", " ", "\n")) if is_odd else ""
    if not one.children and (not is_odd or draw.random() < 0.5):
        return "".join((*pieces, end, "/>"))
    inner = (
        child if isinstance(child, str) else _element(child, draw, style) for child in one.children
    )
    return "".join((*pieces, end, ">", *inner, f"</{one.tag}{end}>"))


def _quoted(value: str, draw: random.Random) -> str:
    if draw.random() < 0.5:
        return value
    if value[0] == '"':
        return "'" + value[1:-1].replace("'", "&apos;") + "'"
    return '"' + value[1:-1].replace('"', "&#34;") + '"'


def escaped(text: str) -> str:
    """A text between tags, or between quotes."""
    return "".join(_NAMED.get(one, one) for one in text)


def _in_tree(change: Callable[[Tree, Sequence[str], random.Random], None]) -> Change:
    def made(record: str, others: Sequence[str], draw: random.Random) -> str:
        tree = parsed(record)
        change(tree, others, draw)
        found = printed(tree, draw)
        return found if len(found) < _MOST_CHARACTERS else record

    return made


def _tags(record: str, others: Sequence[str], draw: random.Random) -> str:
    return printed(parsed(record), draw, "tags")


def _texts_of(tree: Tree) -> list[tuple[Element, int]]:
    """Texts between tags that say something, those in base64 left out."""
    return [
        (one, at)
        for one in tree.root.all()
        if "representation" not in dict(one.attributes)
        for at, child in enumerate(one.children)
        if isinstance(child, str) and child[0] != "<" and child.strip()
    ]


def _attribute_order(tree: Tree, others: Sequence[str], draw: random.Random) -> None:
    for one in tree.root.all():
        draw.shuffle(one.attributes)


def _references(tree: Tree, others: Sequence[str], draw: random.Random) -> None:
    def spelled(text: str) -> str:
        return _REFERENCE.sub(lambda match: _referred(match.group(), draw), text)

    for one, at in _texts_of(tree):
        if draw.random() < 0.4:
            one.children[at] = spelled(str(one.children[at]))
    for one in tree.root.all():
        if draw.random() < 0.1:
            one.attributes = [
                (
                    name,
                    value
                    if name.startswith("xmlns")
                    else value[0] + spelled(value[1:-1]) + value[0],
                )
                for name, value in one.attributes
            ]


def _referred(sign: str, draw: random.Random) -> str:
    if len(sign) > 1 or draw.random() < 0.7:
        return sign
    code = ord(sign)
    ways = [f"&#{code};", f"&#x{code:x};", f"&#x{code:05X};", f"&#0{code};"]
    return draw.choice([*ways, _NAMED.get(sign, ways[0])])


def _sections_of_characters(tree: Tree, others: Sequence[str], draw: random.Random) -> None:
    found = [(one, at) for one, at in _texts_of(tree) if "&" not in str(one.children[at])]
    for one, at in draw.sample(found, min(len(found), 3)):
        text = str(one.children[at])
        low = draw.randrange(len(text))
        high = draw.randrange(low, len(text)) + 1
        inner = text[low:high] + draw.choice(("", "", "<b>&amp;", "]]", " "))
        one.children[at] = f"{text[:low]}<![CDATA[{inner}]]>{text[high:]}"


def _any_place(tree: Tree, draw: random.Random) -> tuple[list[Element | str], int]:
    one = draw.choice(list(tree.root.all()))
    return one.children, draw.randrange(len(one.children) + 1)


def _comments(tree: Tree, others: Sequence[str], draw: random.Random) -> None:
    for _ in range(draw.randrange(1, 4)):
        children, at = _any_place(tree, draw)
        children.insert(at, f"<!--{draw.choice((' Zelda ', '', 'x', ' <a> & ', ' 5 > 4 '))}-->")
    if draw.random() < 0.3:
        tree.head += "<!-- Quimby -->\n"
        tree.tail += "\n<!-- end -->"
    for one, at in _texts_of(tree)[:3]:
        text = str(one.children[at])
        if draw.random() < 0.3 and "&" not in text:
            middle = draw.randrange(len(text) + 1)
            one.children[at : at + 1] = [
                piece for piece in (text[:middle], "<!--in-->", text[middle:]) if piece
            ]


def _instructions(tree: Tree, others: Sequence[str], draw: random.Random) -> None:
    if draw.random() < 0.5:
        children, at = _any_place(tree, draw)
        children.insert(at, draw.choice(("<?a b?>", "<?page-break?>")))
    else:
        tree.head += draw.choice(("<?xml-model href='a.sch'?>", "<?oxygen RNGSchema='a'?>\n"))


def _style_sheets(tree: Tree, others: Sequence[str], draw: random.Random) -> None:
    inner = draw.choice(
        ('type="text/xsl" href="CDA.xsl"', "href='http://x.org/a.xsl' type='text/xsl'", "href='a'")
    )
    if "<?xml-stylesheet" not in tree.head:
        tree.head += f"<?xml-stylesheet {inner}?>\n"


def _document_type(tree: Tree, others: Sequence[str], draw: random.Random) -> None:
    tree.head += draw.choice(("<!DOCTYPE ClinicalDocument>", "<!DOCTYPE a SYSTEM 'b.dtd'>"))


def _prefixes(tree: Tree, others: Sequence[str], draw: random.Random) -> None:
    """Elements get a prefix, or prefixes another name."""
    names = dict(tree.root.attributes)
    if "xmlns" in names and draw.random() < 0.6:
        new = draw.choice(("cda", "n1", "hl7"))
        if f"xmlns:{new}" in names or any(
            name == "xmlns"
            for one in tree.root.all()
            if one is not tree.root
            for name, _ in one.attributes
        ):
            return
        for one in tree.root.all():
            one.tag = one.tag if ":" in one.tag else f"{new}:{one.tag}"
        tree.root.attributes = [
            (f"xmlns:{new}" if name == "xmlns" else name, value)
            for name, value in tree.root.attributes
        ]
        return
    own = [name[6:] for name in names if name.startswith("xmlns:")]
    if own:
        old, new = draw.choice(own), f"p{draw.randrange(9)}"
        if f"xmlns:{new}" in names:
            return
        for one in tree.root.all():
            one.tag = re.sub(rf"\A{old}:", f"{new}:", one.tag)
            one.attributes = [
                (
                    re.sub(rf"\A{old}:", f"{new}:", name.replace(f"xmlns:{old}", f"xmlns:{new}")),
                    value,
                )
                for name, value in one.attributes
            ]


def _namespaces(tree: Tree, others: Sequence[str], draw: random.Random) -> None:
    """A further namespace, of somebody, with an element or not."""
    name = f"o{draw.randrange(99)}"
    url = draw.choice(
        ("http://www.w3.org/1999/xhtml", "urn:hl7-org:v3", "http://example.org/Quimby")
    )
    tree.root.attributes.append((f"xmlns:{name}", f'"{url}"'))
    if draw.random() < 0.2:
        children, at = _any_place(tree, draw)
        children.insert(at, Element(f"{name}:own", [], ["x"]))


def _white_space(tree: Tree, others: Sequence[str], draw: random.Random) -> None:
    for one in tree.root.all():
        if (
            one.children
            and draw.random() < 0.4
            and not any(isinstance(c, str) for c in one.children)
        ):
            blank = draw.choice(("\n  ", " ", "\r\n", "\t"))
            one.children = [piece for child in one.children for piece in (blank, child)] + [blank]


def _with_parents(tree: Tree) -> list[tuple[Element, Element]]:
    return [
        (one, child)
        for one in tree.root.all()
        for child in one.children
        if isinstance(child, Element)
    ]


def _repeated(tree: Tree, others: Sequence[str], draw: random.Random) -> None:
    pairs = _with_parents(tree)
    if pairs:
        parent, child = draw.choice(pairs)
        parent.children.insert(draw.randrange(len(parent.children) + 1), child.copy())


def _moved(tree: Tree, others: Sequence[str], draw: random.Random) -> None:
    """An element goes elsewhere, mostly to another parent of the same name; or away."""
    pairs = _with_parents(tree)
    if not pairs:
        return
    parent, child = draw.choice(pairs)
    alike = [one for one in tree.root.all() if one.tag == parent.tag]
    target = draw.choice(alike if draw.random() < 0.9 else list(tree.root.all()))
    if any(target is one for one in child.all()):
        return
    at = next(at for at, one in enumerate(parent.children) if one is child)
    del parent.children[at]
    if draw.random() < 0.7:
        target.children.insert(draw.randrange(len(target.children) + 1), child)


def _from_others(tree: Tree, others: Sequence[str], draw: random.Random) -> None:
    """An element of another document goes where its kind may be."""
    other = parsed(draw.choice(others))
    spaces = {name for name, _ in tree.root.attributes if name.startswith("xmlns")}
    if not {name for name, _ in other.root.attributes if name.startswith("xmlns")} <= spaces:
        return
    pairs = _with_parents(other)
    parent, child = draw.choice(pairs)
    targets = [one for one in tree.root.all() if one.tag == parent.tag]
    if targets:
        target = draw.choice(targets)
        target.children.insert(draw.randrange(len(target.children) + 1), child)


def _null_flavors(tree: Tree, others: Sequence[str], draw: random.Random) -> None:
    found = [one for one in tree.root.all() if one.name not in ("ClinicalDocument", "text")]
    for one in draw.sample(found, min(len(found), 3)):
        kept = [pair for pair in one.attributes if pair[0].startswith("xmlns")]
        if draw.random() < 0.5:
            kept = [pair for pair in one.attributes if pair[0] != "nullFlavor"]
        one.attributes = [*kept, ("nullFlavor", draw.choice(('"NI"', "'UNK'", '"MSK"')))]


def _nested_sections(tree: Tree, others: Sequence[str], draw: random.Random) -> None:
    found = [one for one in tree.root.all() if one.name == "section"]
    if found:
        outer, inner = draw.choice(found), draw.choice(found)
        prefix = outer.tag.removesuffix("section")
        outer.children.append(Element(f"{prefix}component", [], [inner.copy()]))


def _other_body(tree: Tree, others: Sequence[str], draw: random.Random) -> None:
    """A body that is no XML of CDA."""
    found = [one for one in tree.root.all() if one.name in ("structuredBody", "nonXMLBody")]
    if not found:
        return
    body = found[0]
    prefix = body.tag[: len(body.tag) - len(body.name)]
    kind, data = base.data_of(draw)
    attributes = [("mediaType", f'"{kind}"'), ("representation", '"B64"')]
    if draw.random() < 0.3:
        attributes, data = [("mediaType", '"text/plain"')], escaped(base.words(draw, odd=0.1))
    elif draw.random() < 0.3 and len(data) > 20:
        data = "\n".join(data[at : at + 20] for at in range(0, len(data), 20))
    body.tag = f"{prefix}nonXMLBody"
    body.children = [Element(f"{prefix}text", attributes, [data])]


def narrative(draw: random.Random) -> str:
    """The narrative of a section."""
    pieces = (
        "<paragraph>{}</paragraph>", "{}<br/>", "<content ID='a1'>{}</content>", "{}",
        "<table border='1'><tbody><tr><th>{}</th></tr><tr><td>x</td></tr></tbody></table>",
        "<list><item>{}</item><item>y</item></list>", "<content styleCode='Bold'>{}</content>",
        "<footnote>{}</footnote>", "&#233;{}", "&lt;{}&gt;", "<![CDATA[{} < 5]]>", "<sup>{}</sup>",
        "<!-- {} -->", "<linkHtml href='http://x.org/{}'>z</linkHtml>", "<caption>{}</caption>",
        "\n  <paragraph>\n  {}</paragraph>\n", "<renderMultiMedia referencedObject='m1'/>{}",
    )  # fmt: skip
    return "".join(
        draw.choice(pieces).format(draw.choice(base.WORDS[:8])) for _ in range(draw.randrange(1, 8))
    )


def _narratives(tree: Tree, others: Sequence[str], draw: random.Random) -> None:
    found = [
        child
        for one, child in _with_parents(tree)
        if one.name == "section" and child.name == "text"
    ]
    if found:
        one = draw.choice(found)
        if ":" not in one.tag:
            one.children = parsed(f"<text>{narrative(draw)}</text>").root.children


def _texts(tree: Tree, others: Sequence[str], draw: random.Random) -> None:
    found = _texts_of(tree)
    for one, at in draw.sample(found, min(len(found), 3)):
        text = escaped(base.words(draw))
        one.children[at] = draw.choice((text, f"{one.children[at]} {text}"))


def _encodings(tree: Tree, others: Sequence[str], draw: random.Random) -> None:
    """Another encoding, and a byte-order mark or none."""
    rest = re.sub(r"\A\ufeff?(<\?xml .*?\?>)?", "", tree.head)
    name = draw.choice(("UTF-8", "utf-16", "ISO-8859-1", "windows-1252", "US-ASCII", ""))
    mark = draw.choice(("", "\ufeff")) if name in ("UTF-8", "utf-16", "") else ""
    said = f' encoding="{name}"' if name else ""
    more = draw.choice(("", "", " standalone='yes'"))
    tree.head = f"{mark}<?xml version='1.0'{said}{more}?>{rest}"


CHANGES: Mapping[str, Change] = {
    "tags": _tags,
    "attribute order": _in_tree(_attribute_order),
    "references": _in_tree(_references),
    "CDATA": _in_tree(_sections_of_characters),
    "comments": _in_tree(_comments),
    "prefixes": _in_tree(_prefixes),
    "namespaces": _in_tree(_namespaces),
    "white space": _in_tree(_white_space),
    "repeated elements": _in_tree(_repeated),
    "moved elements": _in_tree(_moved),
    "elements of others": _in_tree(_from_others),
    "nullFlavor": _in_tree(_null_flavors),
    "nested sections": _in_tree(_nested_sections),
    "nonXMLBody": _in_tree(_other_body),
    "narratives": _in_tree(_narratives),
    "texts": _in_tree(_texts),
    "encodings": _in_tree(_encodings),
    "style sheets": _in_tree(_style_sheets),
    "instructions": _in_tree(_instructions),
    "document type": _in_tree(_document_type),
}
"""Name -> the change."""
