"""The rules of HITSZ: what its table shows, near misses, and which of two readings stands."""

from __future__ import annotations

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import (
    DEFAULT_RECOGNISERS,
    RECIPE_RECOGNISERS,
    SPANISH_RECOGNISERS,
    liu_2015,
)


def found(text: str) -> list[str]:
    rows = liu_2015.recognise(Document(text), Context())
    return [f"{c.label} {text[c.start : c.end]}" for c in rows]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The remarks of the table.
        ("(871) 720-9439", ["PHONE (871) 720-9439"]),
        ("171-289-0968", ["PHONE 171-289-0968"]),
        ("659-5187", ["PHONE 659-5187"]),
        ("Fax: 648-875-5821", ["FAX 648-875-5821"]),
        ("453-39-84-4", ["MEDICALRECORD 453-39-84-4"]),
        ("544-84-52", ["MEDICALRECORD 544-84-52"]),
        ("gmichael@kcm.org", ["EMAIL gmichael@kcm.org"]),
        ("198.168.2.78", ["IPADDR 198.168.2.78"]),
        # What the expressions allow besides.
        ("(871)720 9439 and (871)-720\t9439", ["PHONE (871)720 9439", "PHONE (871)-720\t9439"]),
        ("171 289\t0968, 659-5187.", ["PHONE 171 289\t0968", "PHONE 659-5187"]),
        ("453 39 84 4; 544 84-52", ["MEDICALRECORD 453 39 84 4", "MEDICALRECORD 544 84-52"]),
        ("a.b_1@x_y.kcm.com", ["EMAIL a.b_1@x_y.kcm.com"]),
        ("a.b@c.org.com x", ["EMAIL a.b@c.org.com"]),
        # §5: a record and a number.
        ("258-16-49-2 vs 278-032-7163", ["MEDICALRECORD 258-16-49-2", "PHONE 278-032-7163"]),
        # Fax: the first number behind the word, on its line.
        (
            "fax no. 171-289-0968, tel 171-289-0969",
            ["FAX 171-289-0968", "PHONE 171-289-0969"],
        ),
        ("tel 171-289-0969 Fax", ["PHONE 171-289-0969"]),
        ("Fax:\n171-289-0968", ["PHONE 171-289-0968"]),
        (f"Fax {'x' * 60} 171-289-0968", ["PHONE 171-289-0968"]),
        ("Fax (871) 720-9439 fax 659-5187", ["PHONE (871) 720-9439", "PHONE 659-5187"]),
        # Near misses.
        ("1-871-720-9439", []),
        ("171-289-09681 1171-289-0968", []),
        ("8710-5187 659-51877 x659-5187", []),
        ("453-39-84-44 453-39-8 453-39-844", []),
        ("171.289.0968", []),
        ("1.2.3 1.2.3.4.5 1234.1.2.3", []),
        ("gmichael@kcm.net @kcm.org a@kcm.orgs", []),
        ("", []),
    ],
)  # fmt: skip
def test_the_rules(text: str, expected: list[str]) -> None:
    assert found(text) == expected


def test_it_runs_only_where_it_is_named() -> None:
    assert set(RECIPE_RECOGNISERS) - set(SPANISH_RECOGNISERS) == {"liu_2015"}
    assert not RECIPE_RECOGNISERS.keys() & DEFAULT_RECOGNISERS.keys()
