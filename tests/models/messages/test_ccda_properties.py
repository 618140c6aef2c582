"""Laws that hold for any document: what nothing replaces stays, and what comes out is XML."""

import io
import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrubline.models.core.views import applied
from scrubline.models.messages.ccda import CCDA
from scrubline.models.messages.xml_values import NO_CHARACTER, escaped

from .ccda_documents import declared, documents, values

_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(
    lambda text: not NO_CHARACTER.search(text)
)
_BLANKS = st.text(" \t\n\r", min_size=1, max_size=3)
_NAMES = st.sampled_from(
    ["id", "code", "value", "name", "family", "given", "addr", "city", "telecom", "text", "title"]
    + ["section", "entry", "act", "author", "x"]
)
_ATTRIBUTES = st.sampled_from(
    ["root", "extension", "code", "value", "unit", "use", "ID", "nullFlavor", "xsi:type"]
    + ["sdtc:valueSet", "foo", "xml:lang"]
)
_VALUES = st.one_of(
    _TEXTS, st.sampled_from(["1.2.3", "tel:5", "mailto:a@b.c", "#a1", "PQ", "ST", "95", "a", " "])
)


@st.composite
def _attribute(draw, name):
    value = draw(_VALUES)
    quote = draw(st.sampled_from("\"'"))
    blank = draw(st.sampled_from(["", " ", "\n"]))
    written = escaped(value, in_attribute=draw(st.booleans()))
    return f"{draw(_BLANKS)}{name}{blank}={blank}{quote}{written}{quote}"


@st.composite
def _content(draw):
    text = draw(_TEXTS)
    kind = draw(st.integers(0, 3))
    if kind == 0:
        return escaped(text, in_attribute=False)
    if kind == 1 and "]]>" not in text and not text.endswith("]"):
        return f"<![CDATA[{text}]]>"
    if kind == 2 and "--" not in text and not text.endswith("-"):
        return f"<!--{text}-->"
    return draw(_BLANKS)


@st.composite
def _element(draw, depth=0):
    name = draw(_NAMES)
    own = draw(st.lists(_ATTRIBUTES, unique=True, max_size=3))
    attributes = "".join(draw(_attribute(one)) for one in own)
    pieces = []
    for _ in range(draw(st.integers(0, 3))):
        deeper = depth < 3 and draw(st.booleans())
        pieces.append(draw(_element(depth + 1) if deeper else _content()))
    if not pieces and draw(st.booleans()):
        return f"<{name}{attributes}{draw(st.sampled_from(['', ' ']))}/>"
    return f"<{name}{attributes}>{''.join(pieces)}</{name}>"


@st.composite
def _documents(draw):
    inner = "".join(draw(st.lists(_element(), max_size=4)))
    head = draw(st.sampled_from(["", '<?xml version="1.0"?>\n', "\ufeff", "<!-- a -->"]))
    return (
        f'{head}<ClinicalDocument xmlns="urn:hl7-org:v3" xmlns:sdtc="urn:hl7-org:sdtc" '
        f'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">{inner}</ClinicalDocument>'
    )


_RECORDS = st.one_of(_documents(), st.sampled_from(sorted(documents().values())))


def parsed(record):
    """What lxml reads: elements with their attributes and their own texts, comments left out."""
    etree = pytest.importorskip("lxml.etree")
    record = re.sub(r"\A\ufeff?<\?xml .*?\?>", "", record).removeprefix("\ufeff")
    parser = etree.XMLParser(resolve_entities=False, remove_comments=False)
    return etree.parse(io.BytesIO(record.encode()), parser)


def outside_of_narratives(record):
    """The elements and comments of a document that are in no narrative, and which are one."""
    etree = pytest.importorskip("lxml.etree")
    root = parsed(record).getroot()
    nodes = [*root.itersiblings(preceding=True), *root.iter(), *root.itersiblings()]
    narratives = {
        node
        for node in root.iter("{urn:hl7-org:v3}text")
        if node.getparent() is not None and node.getparent().tag == "{urn:hl7-org:v3}section"
    }
    kept = [node for node in nodes if narratives.isdisjoint(node.iterancestors())]
    return [node for node in kept if not isinstance(node, etree._ProcessingInstruction)], narratives


@settings(deadline=None)
@given(_RECORDS)
def test_the_values_are_all_that_lxml_reads(record):
    """Nothing that could hold something is overlooked; narratives are one value each."""
    etree = pytest.importorskip("lxml.etree")
    nodes, narratives = outside_of_narratives(record)
    said, comments = [], []
    for node in nodes:
        said += node.attrib.values()
        if node.tag is etree.Comment:
            comments.append(node.text)
        elif node not in narratives:  # a comment parts no word
            said.append(node.text or "")
            for child in node:
                if child.tag is etree.Comment:
                    said[-1] += child.tail or ""
                else:
                    said.append(child.tail or "")

    def words(texts):
        # The scheme of a telecom is no part of its value.
        plain = (re.sub(r"^(tel|fax|mailto):", "", " ".join(text.split())) for text in texts)
        return sorted(text for text in plain if text)

    found = [
        one
        for one in values(record)
        if not re.match(r"section\.text(\[|\Z)|xml-stylesheet", one.place)
    ]
    alone = [one for one in found if one.place.partition("[")[0] == "comment"]
    assert words(one.value for one in found if one not in alone) == words(said)
    within = " ".join(
        piece for one in found if one.layers for piece in record[one.start : one.end].split()
    )
    told = words(one.value for one in alone)
    assert all(text in told or text in within for text in words(comments))


@settings(deadline=None)
@given(_RECORDS, st.data())
def test_any_values_can_be_taken_out_or_replaced(record, data):
    found = values(record, ("foo", "pass"))
    chosen = data.draw(st.sets(st.integers(0, max(0, len(found) - 1)), max_size=10))
    new, edits = data.draw(_TEXTS), []
    for at in sorted(chosen & set(range(len(found)))):
        one = found[at]
        if data.draw(st.booleans()) or one.place.startswith(("comment", "xml-stylesheet")):
            edits += CCDA.emptied(record, [one])
        else:
            edits.append((one.start, one.end, CCDA.written(record, one, new)))
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(edits))
    left = applied(record, edits)
    before, after = (
        [n.tag for n in outside_of_narratives(r)[0] if isinstance(n.tag, str)]
        for r in (record, left)
    )
    assert before == after


@settings(deadline=None)
@given(_RECORDS)
def test_what_is_emptied_is_not_there_when_it_is_read_again(record):
    found = values(record)
    left = applied(record, CCDA.emptied(record, found))
    assert values(left) == []


@settings(deadline=None)
@given(_RECORDS)
def test_places_stay_when_other_values_go(record):
    found = [one for one in values(record) if one.place.partition("[")[0] != "comment"]
    gone, stay = found[::2], found[1::2]
    # A type is a part of its places: without it they are others.
    gone = [one for one in gone if one.name != "@xsi:type"]
    left = applied(record, CCDA.emptied(record, gone))
    places = {one.place: one.value for one in values(left)}
    # A text behind one that went in its element is the first one then.
    numbered = [one for one in stay if not re.search(r"\.[0-9]+\Z", one.place)]
    for one in numbered:
        if "(" not in one.place and "@root" not in one.place:
            assert one.place in places


@settings(deadline=None)
@given(_RECORDS)
def test_declared_names_are_those_of_the_declaration(record):
    known = declared(("foo", "pass"))
    for one in CCDA.values(record, known):
        assert not one.name or one.name in known.names
        assert bool(one.layers) == (one.name in known.texts)
