from __future__ import annotations

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import signature


def found(text: str) -> list[str]:
    return [
        text[c.start : c.end]
        for c in signature.recognise(Document(text), Context())
        if c.label == "DOCTOR"
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/s/ Agnes Pettigrew", "Agnes Pettigrew"),
        ("/s/ A. Pettigrew RN", "A. Pettigrew"),
        ("Electronically signed by Agnes Pettigrew, MD 3/4", "Agnes Pettigrew"),
        ("electronically signed by agnes pettigrew", "agnes pettigrew"),
        ("ELECTRONICALLY SIGNED BY PETTIGREW, AGNES", "PETTIGREW, AGNES"),
        ("e-signed: Agnes Pettigrew", "Agnes Pettigrew"),
        ("Dictated by Agnes Pettigrew, PGY-3.", "Agnes Pettigrew"),
        ("Dictated Agnes Pettigrew, MD", "Agnes Pettigrew"),
        ("Reviewed by José Peña", "José Peña"),
        ("Transcribed by: A. Pettigrew", "A. Pettigrew"),
        ("Signed by Pettigrew", "Pettigrew"),
        ("Signed by Rivers\nAllis sign", "Rivers"),
        ("Signed by Rivers of course", None),
        ("Signed by Patient\n", None),
        ("Signed by Mother.\n", None),
        ("Signed by Marsh, Rocky\nAllis sign", "Marsh, Rocky"),
        ("Dictated by Agnes Pettigrew, Allis sign", "Agnes Pettigrew"),
        ("Dictated by Agnes Pettigrew Murphy's, Kocher", "Agnes Pettigrew"),
        ("Dictated by Grey Turner sign", None),
        ("Authenticated by Tomas van der Meulen on 3/4", "Tomas van der Meulen"),
        ("Sincerely,\n\nAgnes Pettigrew", "Agnes Pettigrew"),
        ("Sincerely yours,\r\n\r\n\r\nAgnes Pettigrew\r\n", "Agnes Pettigrew"),
        ("Thanks,\nMonique\n", "Monique"),
        ("With best wishes,\n\nMonique\n\nMonique P", "Monique"),
        ("thx\nmonique", "monique"),
        ("Kind regards,\n  T. Garrison\n", "T. Garrison"),
        ("No mass.\nI. Obuya\n", "I. Obuya"),
        ("No mass.\nN Pettigrew", "N Pettigrew"),
        ("ok\n-- Agnes Pettigrew\n", "Agnes Pettigrew"),
        ("ok\n-- A. Pettigrew RN", None),
        ("ok\n— A. Pettigrew", "A. Pettigrew"),
        ("(signed) Agnes Pettigrew", "Agnes Pettigrew"),
        ("Verified by Łukasz Garrison", "Łukasz Garrison"),
        ("é🙂\n/s/ Agnes Pettigrew", "Agnes Pettigrew"),
    ],
)
def test_signatures_are_found(text: str, expected: str | None) -> None:
    assert found(text) == ([expected] if expected else [])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/s/",
        "Signed:",
        "Dictated but not read",
        "Reviewed by me",
        "Reviewed by the attending",
        "Dictated by phone",
        "Signed by patient",
        "Electronically signed by 3/4/2012",
        "Sincerely,",
        "Sincerely,\n\nThe Clinic Team",
        "Thanks for the referral of Agnes",
        "Thank you\nfor sending her",
        "Regards,\nCardiology",
        "S/P CABG x3",
        "A. Continue aspirin\nB. Stop heparin\n",
        "A. Aspirin\n",
        "B. Lungs clear\n",
        "E. coli\n",
        "C Section\n",
        "- Aspirin 81\n- Lisinopril 10\n",
        "-- continued\n",
        "I agree\n",
        "A Fib\n",
        "Signed out AMA",
        "Performed by protocol",
        "s/p fall",
        "N/V\n",
        "L. Knee\n",
        "R Shoulder\n",
        "Best practice\nalert",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("mark", ["~", "\u2014"])
def test_a_mark_that_ends_the_line_before_leads_to_a_name(mark: str) -> None:
    assert found(f"plan done {mark}\nRobert Okafor\nfoo") == ["Robert Okafor"]
