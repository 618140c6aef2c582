"""Values within nested columns are found by path; keys that are data are never named."""

import json

import pyarrow as pa
import pytest
from scrubline.models.formats import FORMATS
from scrubline.models.guesses.nested import NotExpanded, facts_within


def of_json(*values):
    cells = pa.chunked_array([pa.array([json.dumps(value) for value in values], pa.string())])
    return [(FORMATS["jsonl"], cells)]


def test_values_of_json_have_paths():
    facts = facts_within(
        "n",
        of_json(
            {"id": "A1", "l": [{"t": "a"}, {"t": None}], "gone": None},
            {"id": "A2", "l": None, "e": {}},
            None,
        ),
    )
    assert {path: (one.kind, one.values, one.nulls) for path, one in facts.items()} == {
        "n.id": ("text", 2, 1),
        "n.l[].t": ("text", 1, 1),
        "n.gone": ("nothing", 0, 3),
        "n.e": ("object", 1, 2),
    }


@pytest.mark.parametrize("values", [("a", 1), (None,), ([],), ({},)])
def test_flat_and_empty_columns_are_not_expanded(values):
    assert facts_within("n.x", of_json(*values)) == {}


@pytest.mark.parametrize(
    "values",
    [
        ({"a": 1}, "text"),
        ({"a": 1}, [1]),
        ({"Smith, John 19350405": 1},),
        ({"1234567": 1},),
        ({f"k{chr(97 + n // 26)}{chr(97 + n % 26)}": n for n in range(101)},),
    ],
)
def test_what_is_odd_stays_whole(values):
    with pytest.raises(NotExpanded) as caught:
        facts_within("n", of_json(*values))
    assert "Smith" not in str(caught.value) and "1234567" not in str(caught.value)


def test_values_of_arrow_have_paths_by_type():
    kind = pa.struct(
        [("a", pa.string()), ("m", pa.map_(pa.string(), pa.int64())), ("l", pa.list_(pa.bool_()))]
    )
    cells = pa.chunked_array(
        [pa.array([{"a": "x", "m": [("k", 1)], "l": [True, None]}, None], kind)]
    )
    facts = facts_within("n", [(FORMATS["parquet"], cells)])
    assert {path: (one.kind, one.values, one.nulls) for path, one in facts.items()} == {
        "n.a": ("string", 1, 1),
        "n.m{}.key": ("string", 1, 0),
        "n.m{}.value": ("int64", 1, 0),
        "n.l[]": ("bool", 1, 1),
    }
