import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import DocumentError
from scrubline.models.messages.fhir_scan import JsonArray, JsonObject, scan_object
from scrubline.models.messages.json_text import read


def parsed(node, text):
    """A scanned value as `json` has it, with numbers as they are written."""
    if isinstance(node, JsonObject):
        assert text[node.start] + text[node.end - 1] == "{}"
        assert all(text[at] == '"' for at in node.key_starts)
        return {key: parsed(value, text) for key, value in node.members.items()}
    if isinstance(node, JsonArray):
        assert text[node.start] + text[node.end - 1] == "[]"
        return [parsed(one, text) for one in node.items]
    raw = text[node.start : node.end]
    if node.kind == "string":
        assert text[node.start - 1] == text[node.outer_end - 1] == '"'
        return read(raw)
    return {"true": True, "false": False, "null": None}.get(raw, ("number", raw))


def by_json(text):
    def number(raw):
        return ("number", raw)

    return json.loads(text, parse_int=number, parse_float=number)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.dictionaries(st.text(), VALUES), st.sampled_from([None, 0, 1, "\t"]), st.booleans())
def test_what_json_writes_is_read_as_json_reads_it(value, indent, is_ascii):
    text = json.dumps(value, indent=indent, ensure_ascii=is_ascii)
    assert parsed(scan_object(text), text) == by_json(text)


@given(st.text(alphabet='{}[]",:\\ntrue01.eE+-\n ') | st.text())
def test_what_json_refuses_is_refused(text):
    try:
        expected = by_json(text)
    except ValueError:
        expected = None
    if isinstance(expected, dict) and not {"NaN", "Infinity"} & set(text.split()):
        try:
            assert parsed(scan_object(text), text) == expected
        except DocumentError as error:
            assert error.code == "DuplicateKey"
    else:
        with pytest.raises(DocumentError):
            scan_object(text)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "BadJson"),
        ("{", "BadJson"),
        ('{"a":1,}', "BadJson"),
        ('{"a" 1}', "BadJson"),
        ('{"a":01}', "BadJson"),
        ('{"a":1.}', "BadJson"),
        ('{"a":.1}', "BadJson"),
        ('{"a":+1}', "BadJson"),
        ('{"a":NaN}', "BadJson"),
        ("{'a':1}", "BadJson"),
        ('{"a":"\n"}', "BadJson"),
        ('{"a":"\0"}', "BadJson"),
        (r'{"a":"\x"}', "BadJson"),
        (r'{"a":"\u12"}', "BadJson"),
        ('{"a":[1 2]}', "BadJson"),
        ('{"a":[1}', "BadJson"),
        ('{"a":1} {}', "BadJson"),
        ('\ufeff{"a":1}', "BadJson"),
        ("[1]", "NotAnObject"),
        ('"a"', "NotAnObject"),
        ("null", "NotAnObject"),
        ('{"a":1,"a":2}', "DuplicateKey"),
        (r'{"a":1,"\u0061":2}', "DuplicateKey"),
        ('{"a":{"b":1,"b":2}}', "DuplicateKey"),
        ('{"a":' + "[" * 100_000, "OverBudget:depth"),
        ('{"a":' * 100_000, "OverBudget:depth"),
        ('{"a":' * 101 + "1" + "}" * 101, "OverBudget:depth"),
    ],
    ids=range(27),
)
def test_broken_records(text, code):
    with pytest.raises(DocumentError) as caught:
        scan_object(text)
    assert caught.value.code == code


@pytest.mark.parametrize("number", ["1e400", "1" * 5000, "-0", "1.10", "1E+5", "0.0e-1"])
def test_numbers_stay_as_they_are(number):
    text = f' {{ "a" : {number} }} '
    assert parsed(scan_object(text), text) == {"a": ("number", number)}


def test_100_levels_are_read():
    text = '{"a":' * 100 + "1" + "}" * 100
    assert scan_object(text).end == len(text)
