"""ZIP codes stand behind a place or a word."""

from __future__ import annotations

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import zip_code


def found(text: str) -> list[str]:
    return [text[c.start : c.end] for c in zip_code.recognise(Document(text), Context())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Keene, NH 03431", ["03431"]),
        ("El Paso, TX 79930  tel", ["79930"]),
        ("Minneapolis, Minnesota 55419-2207", ["55419-2207"]),
        ("Marquette, Michigan 49855", ["49855"]),
        ("MARQUETTE MI 49855", ["49855"]),
        ("^^HAVRE^MT^59501||", ["59501"]),
        ("Reno * Nevada * 89503", ["89503"]),
        ("New Orleans LA 70115 / 504", ["70115"]),
        ("Globe, Ariz. 85501", ["85501"]),
        ("Xenia OH 45385. 4 steps", ["45385"]),
        ("Shelbyville, TN\n37160, 1/20", ["37160"]),
        ("Portland 97214.", ["97214"]),
        ("ZIP 12345", ["12345"]),
        ("zip code: 02139", ["02139"]),
        ("Zip+4 02139-1234", ["02139-1234"]),
        ("Salem, OR 97301", ["97301"]),
        ("Bangor, ME  04401", ["04401"]),
        ("Erie, PA 16501-0001", ["16501-0001"]),
        ("postcode 10115", ["10115"]),
        ("Washington, D.C. 20001", ["20001"]),
        ("MRN 12345", []),
        ("WBC 12345, plt 150000", []),
        ("12345", []),
        ("OR 12345", []),
        ("seen in OR 10203", []),
        ("CO 12345 ml", []),
        ("job 77120", []),
        ("Accession MI 49855123", []),
        ("TX 123456", []),
        ("TX 1234", []),
        ("HI 12345.6", []),
        ("serial NV 1700417226", []),
        ("NH 03431a", []),
        ("pt in 90210 pounds", []),
        ("or 12345 in 12345", []),
        ("in Maine. Case 12345", []),
    ],
)
def test_table(text: str, expected: list[str]) -> None:
    assert found(text) == expected
