from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.core.labels import LABELS
from scrubline.models.redaction.actions import (
    ACTIONS,
    MARKER,
    REMOVALS,
    check_marker,
    replacement_of,
)


def test_the_table():
    names = ["redact", "mask", "generalise", "surrogate", "shift", "view", "keep"]
    assert list(ACTIONS) == names
    assert all(name == action.name for name, action in ACTIONS.items())
    assert REMOVALS == ("redact", "mask")
    assert [name for name, action in ACTIONS.items() if action.late] == [
        *("surrogate", "shift", "view"),
    ]


def test_what_looks_at_a_text_or_shows_of_it_cannot_serve_a_deny_list():
    goes = {(name, label) for name, action in ACTIONS.items() for label in LABELS
            if action.serves(label) and action.goes(label)}  # fmt: skip
    assert {("redact", "DATE"), ("mask", "AGE"), ("surrogate", "PATIENT")} <= goes
    assert not {("surrogate", "AGE"), ("surrogate", "CITY"), ("shift", "DATE")} & goes
    assert not {pair for pair in goes if pair[0] in ("keep", "generalise")}


@pytest.mark.parametrize(
    ("covered", "expected"),
    [("93 y/o", "90+ y/o"), ("89", "keep"), ("under 90", None), ("ninety-three", "90+")],
)
def test_an_age_has_its_surrogate_at_once(covered, expected):
    assert ACTIONS["surrogate"].look("AGE", covered, frozenset()) == expected
    assert not ACTIONS["surrogate"].is_late("AGE") and ACTIONS["surrogate"].is_late("PATIENT")


@pytest.mark.parametrize(
    ("action", "marker", "expected"),
    [
        ("redact", MARKER, "[DATE]"),
        ("redact", "[**Name**]", "[**Name**]"),
        ("redact", "<{label}/>", "<DATE/>"),
        ("redact", "{{{label}}}", "{DATE}"),
        ("mask", "<{label}/>", "****"),
        ("shift", MARKER, "[DATE]"),
        ("surrogate", "<{label}/>", "<DATE/>"),
        ("keep", "<{label}/>", None),
    ],
)
def test_replacements_depend_on_label_and_length_only(action, marker, expected):
    check_marker("here", marker)
    assert replacement_of(action, "DATE", 4, marker) == expected


@pytest.mark.parametrize(
    "marker",
    [
        *("", " ", "\u3000", "x" * 101, "a\nb", "a\tb", "a\x00b", "a\u2028b", "a\x85b", "\ud800"),
        *(
            "{lable}",
            "{}",
            "{0}",
            "{label",
            "label}",
            "{label!r}",
            "{label:>9}",
            "{label.x}",
            "{ label}",
        ),
        "{label[0]}",
    ],
)
def test_what_cannot_take_the_place_of_text(marker):
    with pytest.raises(UsageError, match="^here: ") as caught:
        check_marker("here", marker)
    assert "lable" not in str(caught.value)


@given(st.text(alphabet=st.characters() | st.sampled_from("{}label")))
def test_what_is_let_through_leaves_a_mark_in_one_line(marker):
    try:
        check_marker("here", marker)
    except UsageError:
        return
    shown = replacement_of("redact", "DATE", 3, marker)
    assert shown.strip() and shown.isprintable() and len(shown.splitlines()) == 1
