"""Ages over 89."""

from __future__ import annotations

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import RECOGNISERS


def found(name: str, text: str) -> list[str]:
    return [text[c.start : c.end] for c in RECOGNISERS[name].recognise(Document(text), Context())]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("age", "a 93-year-old woman", ["93"]),
        ("age", "92 y/o, 101 yo, 95yoM, 90 yrs old", ["92", "101", "95", "90"]),
        ("age", "Age: 92; aged 104", ["92", "104"]),
        ("age", "94F with CHF, 97F with CHF, 91M", ["94", "97", "91"]),
        ("age", "mujer de 92 años; Edad: 91 años", ["92", "91"]),
        ("age", "in her 90s", ["90s"]),
        ("age", "a nonagenarian", ["nonagenarian"]),
        ("age", "54-year-old, 39Y, 89 yo, 130 years", ["54", "39", "89"]),
        ("age", "T 98F, temp 97.9F, HR 90s, sats in the 90s", []),
        ("age", "90 years ago, walked 100m, 95 mg, 92%", []),
        ("age", "ages 1.92 years, 95-100 years", []),
    ],
)
def test_table(name: str, text: str, expected: list[str]) -> None:
    assert found(name, text) == expected
