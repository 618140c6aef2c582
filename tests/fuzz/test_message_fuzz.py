"""The short part of `benchmarks.messages fuzz`: some hundred records a grammar."""

import argparse
import random

import pytest
from scrubline.models.core.written_texts import Stack, TextPiece
from scrubline.models.messages.base import MessageValue
from scrubline.models.messages.table import GRAMMARS
from scrubline.models.rendering.kinds import LAYERS

from benchmarks import message_structures as structures
from benchmarks import messages
from benchmarks.message_changes import changed, records
from benchmarks.message_checks import check_piece, keeps

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", GRAMMARS)
def test_records_changed_at_random_stay_what_they_are(name):
    options = argparse.Namespace(records=400, seed=5, validate=40, keep=None)
    found = messages.fuzzed(name, options)
    assert found["read"] > 0.55
    assert found["checked"]["stretches"] > 400
    if name == "fhir":
        taken = found["fhir.resources"]
        assert sum(taken.values()) >= 40
        assert not [one for one in taken if "stay" in one and not one.endswith(": taken")]


@pytest.mark.parametrize("name", GRAMMARS)
def test_every_change_gives_a_record_and_the_same_for_the_same_chance(name):
    begin = records(name)
    for title, change in messages.OWN[name].items():
        before = [begin[at % len(begin)] for at in range(20)]
        made, again = (
            [change(one, begin, random.Random(at)) for at, one in enumerate(before)] for _ in "ab"
        )
        assert made == again, title
        assert made != before, title
    once, again = (changed(begin[0], begin, messages.OWN[name], random.Random(9)) for _ in "ab")
    assert once == again


# -- the checks find what they look for


@pytest.mark.parametrize(
    ("old", "holes", "new", "expected"),
    [
        ("abcdef", [(1, 2), (4, 5)], "aXcdYYf", True),
        ("abcdef", [(1, 2), (4, 5)], "acdf", True),
        ("abcdef", [(4, 5), (1, 3), (2, 4)], "aXf", True),
        ("abcdef", [(1, 2), (4, 5)], "aXcd YYF", False),
        ("abcdef", [(1, 2), (4, 5)], "aXdcYf", False),
        ("abcdef", [], "abcdeF", False),
        ("aba", [(1, 2)], "a", False),
    ],
)
def test_what_lies_outside_of_holes_is_looked_for(old, holes, new, expected):
    assert keeps(old, holes, new) is expected


@pytest.mark.parametrize(
    "source",
    [
        "<p>Zelda <b>Y</b>!</p>",  # the text
        "<p>[X] <i>Y</i>!</p>",  # a tag
        "<p>[X] <b >Y</b>!</p>",  # its blanks
        "<p>[X] <b>Y</b>&#33;</p>",  # how a character is written
    ],
)
def test_a_piece_that_changed_elsewhere_is_found(source):
    before, layers = "<p>Zelda <b>Y</b>!</p>", (LAYERS["html"],)
    piece = TextPiece("a", Stack.of(before, layers), layers)
    check_piece(piece, [(0, 5, "[X]")], "<p>[X] <b>Y</b>!</p>")
    with pytest.raises(AssertionError):
        check_piece(piece, [(0, 5, "[X]")], source)


def value(record, text, place="a@b"):
    start = record.index(text)
    return MessageValue("x", place, start, start + len(text), text)


@pytest.mark.parametrize(
    ("out", "is_same"),
    [
        ('{"b": 1.10, "c": [null, "d"]}', True),
        ('{"b": 1.1, "c": [null, "d"]}', False),
        ('{"c": [null, "d"], "b": 1.10}', False),
        ('{"a": null, "b": 1.10, "c": [null, "d"]}', False),
        ('{"b": 1.10, "c": ["d"]}', False),
        ('{"b": 1.10, "c": [null, "\\u0064"]}', False),
    ],
)
def test_other_json_is_found(out, is_same):
    record = '{"a": "gone", "b": 1.10, "c": [null, "d"]}'
    gone = [value(record, "gone")]
    if is_same:
        structures.check_json(record, gone, {}, out)
    else:
        with pytest.raises(AssertionError):
            structures.check_json(record, gone, {}, out)


@pytest.mark.parametrize(
    ("out", "is_same"),
    [
        ("<a c='2'>x<d/>y</a>", True),
        ("<a  c='2'>x<d></d>y</a>", True),  # spelling is looked at by `keeps`
        ("<a b='' c='2'>x<d/>y</a>", False),
        ("<a c='2'>x<e/>y</a>", False),
        ("<a c='2'>x<d/></a>", False),
        ("<a c='3'>x<d/>y</a>", False),
    ],
)
def test_other_xml_is_found(out, is_same):
    record = "<a b='gone' c='2'>x<d/>y</a>"
    gone = [value(record, "gone")]
    if is_same:
        structures.check_xml(record, gone, {}, out)
    else:
        with pytest.raises(AssertionError):
            structures.check_xml(record, gone, {}, out)


@pytest.mark.parametrize(
    ("out", "is_same"),
    [
        ("MSH|^~\\&|A\rPID|1||N^x~y", True),
        ("MSH|^~\\&|A\rPID|1||N^x", False),
        ("MSH|^~\\&|A\rPID|1|N^x~y", False),
        ("MSH|^~\\&|A\rPID|1||N^x&z~y", False),
        ("MSH|^~\\&|A", False),
    ],
)
def test_other_hl7_is_found(out, is_same):
    record = "MSH|^~\\&|A\rPID|1||gone^x~y"
    new = {value(record, "gone"): "N"}
    if is_same:
        structures.check_hl7(record, [], new, out)
    else:
        with pytest.raises(AssertionError):
            structures.check_hl7(record, [], new, out)
