"""Post office boxes."""

from __future__ import annotations

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import po_box


def found(text: str) -> list[str]:
    return [text[c.start : c.end] for c in po_box.recognise(Document(text), Context())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("P.O. Box 4417\nGreeley", ["P.O. Box 4417"]),
        ("PO BOX 17^^SPRING GREEN", ["PO BOX 17"]),
        ("P. O. Box 88, West Chester", ["P. O. Box 88"]),
        ("POB 12", ["POB 12"]),
        ("Post Office Box 200", ["Post Office Box 200"]),
        ("p.o. box 5", ["p.o. box 5"]),
        ("PO Box #12", ["PO Box #12"]),
        ("PO Box: 12-4", ["PO Box: 12-4"]),
        ("PO Box B, Salina", ["PO Box B"]),
        ("PO Box No. 31", ["PO Box No. 31"]),
        ("Mail: PO Box 1234567.", ["PO Box 1234567"]),
        ("(P.O. Box 9)", ["P.O. Box 9"]),
        ("PSC 1234 Box 56, APO", ["PSC 1234 Box 56"]),
        ("Unit 2050 Box 4190", ["Unit 2050 Box 4190"]),
        ("PO Box 1, PO Box 2", ["PO Box 1", "PO Box 2"]),
        ("🙂 PO Box 7", ["PO Box 7"]),
        ("P.O.Box 12", ["P.O.Box 12"]),
        ("PO Bx 12", ["PO Bx 12"]),
        ("10 mg PO box of gloves", []),
        ("PO BID 4", []),
        ("take 1 PO b.i.d. 2", []),
        ("PO 4 times", []),
        ("Box 12", []),
        ("box of 100 tablets", []),
        ("PO boxes", []),
        ("5 mg po, box given", []),
        ("MPO box 4", []),
        ("PO Box", []),
        ("RR 2 Box 14", []),
        ("PO intake 400", []),
        ("black box 2", []),
        ("Po boxer 3", []),
    ],
)
def test_table(text: str, expected: list[str]) -> None:
    assert found(text) == expected
