import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.views import applied
from scrubline.models.formats.column_roles import Columns
from scrubline.models.messages import fhir_values
from scrubline.models.messages.fhir import FHIR
from scrubline.models.messages.fhir_scan import JsonArray, JsonObject, scan_object

from ...examples import examples
from .fhir_examples import EXAMPLES, as_text
from .fhir_scrubbing import layers, opened, plain_layer, scrubbed, values_of

__all__ = ["layers"]

RECORDS = [as_text(one, indent) for one in EXAMPLES.values() for indent in (None, 1)]
KEYS = ["resourceType", "id", "name", "_name", "text", "url", "extension", "value", "valueString",
        "reference", "subject", "entry", "resource", "contained", "coding", "foo", "birthDate",
        "_birthDate", "Patient", "Bundle", ""]  # fmt: skip
WORDS = [
    "Patient",
    "Bundle",
    "Patient/1",
    "#1",
    "urn:uuid:1",
    "x y",
    "2020",
    "",
    "é🙂",
    "\0",
    '"\\/',
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-100, 100) | st.sampled_from(WORDS),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6)
    ),
    max_leaves=30,
)
RESOURCES = st.dictionaries(st.sampled_from(KEYS), JSON, max_size=8).map(
    lambda one: {**one, "resourceType": "Patient" if "name" in one else "Bundle"}
)


@pytest.fixture(scope="module", autouse=True)
def layers_of_module():
    with pytest.MonkeyPatch.context() as patch:
        kinds = dict.fromkeys(("html", "xml", "rtf"), plain_layer)
        patch.setattr(fhir_values, "LAYERS", kinds)
        yield


def check_values(record, values):
    """In order, disjoint, not empty, and each where it says."""
    at = 0
    for value in values:
        assert at <= value.start < value.end <= len(record)
        at = value.end
    texts = [value.place for value in values if value.layers]
    assert len(set(texts)) == len(texts)


@examples(300)
@given(RESOURCES, st.sampled_from([None, 0, 2]), st.booleans())
def test_values_of_anything_are_in_order(resource, indent, is_ascii):
    record = json.dumps(resource, indent=indent, ensure_ascii=is_ascii)
    try:
        values = values_of(record)
    except Exception as error:
        assert getattr(error, "code", "") == "BadFhir"
        return
    check_values(record, values)
    scalars = 0
    waiting = [scan_object(record)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, JsonObject):
            waiting += node.members.values()
        elif isinstance(node, JsonArray):
            waiting += node.items
        elif node.kind != "null" and node.start < node.end:
            scalars += 1
    assert scalars >= len(values) - record.count("null") - record.count('""') - 60


@examples(300)
@given(RESOURCES, st.sampled_from([None, 2]), st.data())
def test_any_values_that_go_leave_valid_json(resource, indent, data):
    record = json.dumps(resource, indent=indent)
    try:
        values = values_of(record)
    except Exception as error:
        assert getattr(error, "code", "") == "BadFhir"
        return
    gone = [value for value in values if data.draw(st.booleans())]
    check_gone(record, gone)


@examples(400)
@given(st.sampled_from(RECORDS), st.data())
def test_any_values_of_examples_that_go_leave_valid_json(record, data):
    values = values_of(record)
    some = data.draw(st.sets(st.integers(0, len(values) - 1)))
    if data.draw(st.booleans()):
        some = set(range(len(values))) - some
    check_gone(record, [values[at] for at in sorted(some)])


def check_gone(record, gone):
    edits = FHIR.emptied(record, gone)
    assert all(a[1] <= b[0] for a, b in zip(edits, edits[1:], strict=False))
    found = json.loads(applied(record, edits))
    left = json.dumps(found)
    for value in gone:
        if value.value.startswith("Zq"):
            assert value.value not in left or any(
                value.value in other.value for other in values_of(record) if other not in gone
            )
    kept = json.loads(record)
    assert is_within(found, kept)


def is_within(found, kept):
    """Whether all that is found was there; items may have gone, or be null."""
    waiting = [(found, kept)]
    while waiting:
        one, other = waiting.pop()
        if isinstance(one, dict):
            assert one.keys() <= other.keys()
            waiting += [(value, other[key]) for key, value in one.items()]
        elif isinstance(one, list):
            assert len(one) <= len(other)
            if len(one) == len(other):
                waiting += zip(one, other, strict=True)
        elif one is not None:
            assert one == other
    return True


@examples(200)
@given(st.sampled_from(RECORDS), st.text(min_size=1), st.data())
def test_every_character_outside_of_what_is_replaced_stays(record, new, data):
    column = opened(record)
    values = values_of(record)
    some = data.draw(st.sets(st.integers(0, len(values) - 1)))
    cells, pieces, at = {}, [], 0
    for number, value in enumerate(values):
        is_new = number in some
        source = record[value.start : value.end] if value.layers else value.value
        cells.setdefault(value.name, []).append(new if is_new else source)
        if is_new and new != source:
            text = new if value.layers else FHIR.written(record, value, new)
            pieces += [record[at : value.start], text]
            at = value.end
    expected = "".join([*pieces, record[at:]])
    arrays = {name: pa.array(own, pa.string()) for name, own in cells.items()}
    assert column.closed(arrays)[0].as_py() == expected


@examples(200)
@given(st.sampled_from(RECORDS), st.text(st.characters(exclude_categories=["C"])), st.booleans())
def test_what_comes_out_is_json(record, stand_in, dates):
    found = scrubbed(record, stand_in=stand_in or "x", dates=dates)
    assert is_within_keys(json.loads(found), json.loads(record))


def is_within_keys(found, kept):
    waiting = [(found, kept)]
    while waiting:
        one, other = waiting.pop()
        if isinstance(one, dict):
            assert one.keys() <= other.keys()
            waiting += [(value, other[key]) for key, value in one.items()]
        elif isinstance(one, list) and len(one) == len(other):
            waiting += zip(one, other, strict=True)
    return True


@examples(100)
@given(st.sampled_from(RECORDS))
def test_to_scrub_twice_changes_no_structure(record):
    once = scrubbed(record)
    twice = scrubbed(once)
    assert twice.count("{") == once.count("{") <= record.count("{")
    assert list(json.loads(twice)) == list(json.loads(once))


@examples(300)
@given(st.text(max_size=200) | st.binary(max_size=100).map(lambda raw: raw.decode("latin-1")))
def test_anything_else_is_an_error_of_its_record(text):
    with pytest.raises(Exception) as caught:  # noqa: PT011 - its code is looked at
        values_of(text)
    assert caught.value.code in (
        "BadJson", "NotAnObject", "DuplicateKey", "LoneSurrogate", "BadFhir", "OverBudget:depth"
    )  # fmt: skip


@examples(200)
@given(st.sampled_from(RECORDS), st.sampled_from(["[X]", "2020-01-02", "x", "a b", "Patient/1"]))
def test_what_comes_out_is_read_as_the_same_texts(record, stand_in):
    found = scrubbed(record, stand_in=stand_in)
    before = [(note.place, bool(note.written.text)) for note in opened(record).notes]
    assert [(note.place, bool(note.written.text)) for note in opened(found).notes] == before


@examples(300)
@given(RESOURCES)
def test_whatever_comes_out_is_read_as_the_same_texts(resource):
    columns = Columns.of_record("fhir", [(name, "drop") for name in ("Patient", "Bundle", "?")])
    record = json.dumps(resource)
    found = scrubbed(record, columns, stand_in="[X]")
    if found.startswith("{"):
        count = len(opened(record, columns=columns).notes)
        assert len(opened(found, columns=columns).notes) == count
