"""JSON read as the dataclass that was written: what passes, what is refused, what errors say."""

import dataclasses
import enum
import json
import math
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.checked_json import convert_json, parse_json
from scrubline.models.core.errors import UsageError


class Kind(enum.StrEnum):
    ONE = "one"


@dataclasses.dataclass(frozen=True, slots=True)
class Inner:
    name: str
    size: int = 1

    def __post_init__(self):
        if self.size < 0:
            raise ValueError(f"{self.name} must not be negative")


@dataclasses.dataclass(frozen=True, slots=True)
class Outer:
    count: int = 1
    share: float = 0.5
    flag: bool = False
    names: tuple[str, ...] = ("a",)
    pair: tuple[str, int] = ("a", 1)
    maybe: str | None = None
    kind: Kind = Kind.ONE
    inner: Inner | None = None
    inners: tuple[Inner, ...] = ()
    by_name: Mapping[str, Inner] = dataclasses.field(default_factory=dict)
    by_number: dict[int, str] = dataclasses.field(default_factory=dict)


inners = st.builds(Inner, st.text(), st.integers(0))
outers = st.builds(
    Outer,
    st.integers(),
    st.floats(allow_nan=False),
    st.booleans(),
    st.lists(st.text()).map(tuple),
    st.tuples(st.text(), st.integers()),
    st.none() | st.text(),
    st.just(Kind.ONE),
    st.none() | inners,
    st.lists(inners).map(tuple),
    st.dictionaries(st.text(), inners),
    st.dictionaries(st.integers(), st.text()),
)


@given(outers)
def test_what_was_written_comes_back(value):
    text = json.dumps(dataclasses.asdict(value))
    assert parse_json(text, Outer) == parse_json(text.encode(), Outer) == value
    assert convert_json(json.loads(text), Outer) == value
    assert parse_json(f"[{text}]", tuple[Outer, ...]) == (value,)


SECRET = "JOHN SMITH"

WRONG = [
    ({"count": 1.0}, "Expected `int`, got `float` - at `$.count`"),
    ({"count": True}, "Expected `int`, got `bool` - at `$.count`"),
    ({"count": None}, "Expected `int`, got `null` - at `$.count`"),
    ({"count": SECRET}, "Expected `int`, got `str` - at `$.count`"),
    ({"share": SECRET}, "Expected `float`, got `str` - at `$.share`"),
    ({"share": True}, "Expected `float`, got `bool` - at `$.share`"),
    ({"share": 10**400}, "Number out of range - at `$.share`"),
    ({"flag": 1}, "Expected `bool`, got `int` - at `$.flag`"),
    ({"names": SECRET}, "Expected `array`, got `str` - at `$.names`"),
    ({"names": ["a", 1]}, "Expected `str`, got `int` - at `$.names[1]`"),
    ({"pair": [SECRET]}, "Expected `array` of length 2, got 1 - at `$.pair`"),
    ({"kind": SECRET}, "a value that is not allowed - at `$.kind`"),
    ({"inner": SECRET}, "Expected `object | null`, got `str` - at `$.inner`"),
    ({"inner": {}}, "Object missing required field `name` - at `$.inner`"),
    ({"inner": {"name": SECRET, "size": -1}}, "a value that is not allowed - at `$.inner`"),
    ({"inner": {"name": "a", SECRET: 1}}, "1 unknown keys - at `$.inner`"),
    ({"inners": [{"name": "a"}, {"name": 3}]}, "Expected `str`, got `int` - at `$.inners[1].name`"),
    ({"inners": [{"name": "a", SECRET: 1}]}, "1 unknown keys - at `$.inners[0]`"),
    ({"by_name": {SECRET: 1}}, "Expected `object`, got `int` - at `$.by_name[...]`"),
    ({"by_name": {SECRET: {"name": "a", "more": 1}}}, "1 unknown keys - at `$.by_name[...]`"),
    ({"by_number": {SECRET: "a"}}, "Expected `int`, got `str` - at `key` in `$.by_number`"),
    ({SECRET: 1, "more": 2}, "2 unknown keys - at `$`"),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG, ids=range(len(WRONG)))
def test_what_is_of_another_type_is_refused_by_place_and_never_by_value(wrong, message):
    for read in (lambda: parse_json(json.dumps(wrong), Outer), lambda: convert_json(wrong, Outer)):
        with pytest.raises(ValueError) as caught:
            read()
        assert str(caught.value) == message
        assert caught.value.__cause__ is None and caught.value.__context__ is None


DAMAGED = [
    *(b"", b"{", b"\xff", b"{}{}", b"{} JOHN SMITH", b"[" * 100_000, b"1" * 5000),
    b'{"by_name": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
]


@pytest.mark.parametrize("data", DAMAGED, ids=range(len(DAMAGED)))
def test_what_is_not_json_is_refused(data):
    with pytest.raises(ValueError, match=r"^not valid JSON$") as caught:
        parse_json(data, Outer)
    assert caught.value.__context__ is None


@pytest.mark.parametrize("data", [b"null", b"[1]", b'"JOHN SMITH"', b"7"])
def test_what_is_no_object_is_refused(data):
    with pytest.raises(ValueError, match="^Expected `object`, got"):
        parse_json(data, Outer)


def test_what_json_of_python_reads_is_read_as_ever():
    # Paths that are not UTF-8 hold lone surrogates; other programs may write NaN or a key twice.
    assert parse_json('{"maybe": "\\udcff"}', Outer).maybe == "\udcff"
    assert math.isnan(parse_json('{"share": NaN}', Outer).share)
    assert parse_json('{"count": 1, "count": 2}', Outer).count == 2
    assert parse_json(f'{{"count": {10**300}}}', Outer).count == 10**300
    share = parse_json('{"share": 1}', Outer).share
    assert share == 1 and isinstance(share, float)


def test_errors_of_ours_pass():
    @dataclasses.dataclass
    class Own:
        a: int

        def __post_init__(self):
            raise UsageError("own")

    with pytest.raises(UsageError, match="own"):
        parse_json('{"a": 1}', Own)
