import dataclasses

import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.core.options import (
    Kept,
    ValueKind,
    above_zero,
    at_least_zero,
    between_0_and_1,
    option,
    options_of,
    require_usable,
)


def entry(default=None, **said):
    said = {"help": "x", "group": "g", "kept": Kept.CONFIG, "commands": ("run",), **said}
    return option(default, **said)


@dataclasses.dataclass(frozen=True)
class Base:
    share: float | None = entry(None, name="share", check=between_0_and_1, planned=0.25)
    plain: int = 3


@dataclasses.dataclass(frozen=True)
class Derived(Base):
    texts: tuple[str, ...] = entry((), name="text")
    form: str = entry("a", name="form", choices=("a", "b"), help_for={"other": "y"})
    place: str | None = entry(None, name="a-place")
    sign: str | None = entry(None, name="sign", may_be_empty=True)


def named(name):
    return next(one for one in options_of(Derived) if one.name == name)


def test_a_class_has_the_options_of_its_fields_and_of_those_it_inherits():
    found = {one.name: (one.attribute, one.kind, one.default) for one in options_of(Derived)}
    assert found == {
        "share": ("share", ValueKind.NUMBER, None),
        "text": ("texts", ValueKind.TEXTS, ()),
        "form": ("form", ValueKind.TEXT, "a"),
        "a-place": ("place", ValueKind.TEXT, None),
        "sign": ("sign", ValueKind.TEXT, None),
    }
    assert options_of(Base) == options_of(Derived)[:1]


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        *(
            ("str", ValueKind.TEXT),
            ("str | None", ValueKind.TEXT),
            (str, ValueKind.TEXT),
            ("int", ValueKind.INTEGER),
        ),
        *(
            ("float | None", ValueKind.NUMBER),
            ("bool", ValueKind.SWITCH),
            ("bool | None", ValueKind.SWITCH),
        ),
        *(
            ("tuple[str, ...]", ValueKind.TEXTS),
            ("Columns | None", ValueKind.TABLE),
            (Base, ValueKind.TABLE),
        ),
    ],
)
def test_kinds(annotation, kind):
    assert ValueKind.of(annotation) is kind


def test_what_help_shows():
    assert (named("share").default_for("run"), named("share").default_for("resume")) == (
        *("0.25", "as planned"),
    )
    assert (named("form").default_for(), named("a-place").default_for()) == ("a", "")
    assert (named("form").help_of("run"), named("form").help_of("other")) == ("x", "y")
    assert (named("a-place").flag, named("a-place").key) == ("--a-place", "a_place")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"share": 1.5}, "--share must be a share from 0 to 1, got 1.5"),
        ({"share": float("nan")}, "--share must be a share"),
        ({"form": "c"}, "--form must be one of a, b, got 'c'"),
        ({"form": ""}, "--form is empty: is an environment variable unset"),
        ({"place": ""}, "--a-place is empty"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_by_name(changes, message):
    with pytest.raises(UsageError, match=message):
        require_usable(Derived(**changes))


def test_values_that_can_be_used():
    require_usable(Derived())
    require_usable(Derived(share=0, texts=("a",), form="b", place="p", sign=""))


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (above_zero, (1, 0.1), (0, -1, float("nan"))),
        (at_least_zero, (0, 2.5), (-1, float("inf"), float("nan"))),
        (between_0_and_1, (0, 0.5, 1), (-0.1, 1.1, float("nan"))),
    ],
)
def test_checks(check, good, bad):
    for value in good:
        check(value)
    for value in bad:
        with pytest.raises(UsageError, match="must be"):
            check(value)
