"""What words and patterns cut in different places, and words too long to be asked about."""

from __future__ import annotations

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import RECOGNISERS


@pytest.mark.parametrize(
    ("rule", "text", "expected"),
    [
        ("city_state", "rating forms from Lakeview\u0301 today", ["Lakeview"]),
        ("profession", "works as a nurse\u0301" + "-a" * 25 + " today", ["nurse"]),
    ],
)
def test_rules_find_beside_them_what_their_patterns_find(
    rule: str, text: str, expected: list[str]
) -> None:
    found = RECOGNISERS[rule].recognise(Document(text), Context())
    assert [text[candidate.start : candidate.end] for candidate in found] == expected
