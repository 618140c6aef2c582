import dataclasses
from collections import Counter
from collections.abc import Mapping

import pytest
from scrubline.models.core.type_checks import check_field_types


@dataclasses.dataclass(frozen=True)
class Inner:
    name: str


@dataclasses.dataclass(frozen=True)
class Outer:
    count: int = 1
    share: float = 0.5
    flag: bool = False
    names: tuple[str, ...] = ("a",)
    pair: tuple[str, int] = ("a", 1)
    pairs: tuple[tuple[str, str], ...] = ()
    maybe: str | None = None
    inner: Inner | None = None
    inners: tuple[Inner, ...] = ()
    by_name: Mapping[str, int] = dataclasses.field(default_factory=dict)
    counts: Counter[str] = dataclasses.field(default_factory=Counter)


@pytest.mark.parametrize(
    "right",
    [
        {},
        {"share": 1},
        {"names": ()},
        {"maybe": "x", "inner": Inner("a"), "inners": (Inner("b"),) * 2},
        {"by_name": {"a": 1}, "counts": Counter("aab"), "pairs": (("a", "b"),)},
    ],
)
def test_what_is_of_its_kinds_passes(right):
    check_field_types(Outer(**right))


@pytest.mark.parametrize(
    "wrong",
    [
        {"count": 1.0},
        {"count": True},
        {"count": None},
        {"share": "secret"},
        {"share": True},
        {"flag": 1},
        {"names": ["a"]},
        {"names": ("a", 1)},
        {"names": "a"},
        {"pair": ("a",)},
        {"pair": ("a", "b")},
        {"pair": ("a", 1, 2)},
        {"pairs": (("a", None),)},
        {"maybe": 3},
        {"inner": "a"},
        {"inner": Inner(3)},
        {"inners": (Inner("a"), Inner(None))},
        {"by_name": {1: 1}},
        {"by_name": {"a": "secret"}},
        {"by_name": []},
        {"counts": Counter({"a": 1.5})},
        {"counts": {"a": 1}},
    ],
)
def test_what_is_not_is_named_by_its_field_alone(wrong):
    with pytest.raises(TypeError, match=f"Outer.{next(iter(wrong))} has the wrong type") as caught:
        check_field_types(Outer(**wrong))
    assert "secret" not in str(caught.value)
