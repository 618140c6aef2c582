from __future__ import annotations

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import dictation


def found(text: str) -> list[str]:
    return [
        text[c.start : c.end]
        for c in dictation.recognise(Document(text), Context())
        if c.label == "DOCTOR"
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("JS/mk", ["JS", "mk"]),
        ("JS/mk12/3/14", ["JS", "mk"]),
        ("JS/mkloD: 12/3/14", ["JS", "mklo"]),
        ("Agnes Pettigrew, MD\nAP/mk\n", ["AP", "mk"]),
        ("Agnes Pettigrew, MD      AP/mk   D: 3/4/12", ["AP", "mk"]),
        ("JRS:mlk  D: 3/4/12 T: 3/5/12", ["JRS", "mlk"]),
        ("JRS/mlk   DD: 3/4/12 DT: 3/5/12", ["JRS", "mlk"]),
        ("MH:dvs      D 09/24/2014", ["MH", "dvs"]),
        ("LA/rg\ncc: Mr. Halvard", ["LA", "rg"]),
        ("end of letter\nbs/ak\n", ["bs", "ak"]),
        ("end of letter\nBS/ak\n", ["BS", "ak"]),
        ("TRANSCRIBED: ocb/tlm", ["ocb", "tlm"]),
        ("Transcribed: tlm", ["tlm"]),
        ("Typed by: mkw", ["mkw"]),
        ("D: 3/4/12  T: 3/5/12 mlk\n", ["mlk"]),
        ("D: 3/4/12  T: 3/5/12 0611 mlk", ["mlk"]),
        ("note ends  T: mlk\n", ["mlk"]),
        ("Agnes Pettigrew MD   lm/hb\n", ["lm", "hb"]),
        ("Agnes Pettigrew MD lm/hb  Ana Ruiz MD ks/ro\n", ["lm", "hb", "ks", "ro"]),
        ("plan as above\nJKL\n", ["JKL"]),
        ("plan as above\n  jkl", ["jkl"]),
        ("JS/mk, job 77120", ["JS", "mk"]),
        ("nc/rr          cc R. Halvard", ["nc", "rr"]),
        ("🙂 JS/mk 🙂\nJS/mk", ["JS", "mk"]),
    ],
)
def test_initials_are_found(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/",
        "JS/",
        "N/V",
        "H/O asthma",
        "CT/MRI",
        "mg/dl",
        "BP 120/80",
        "WBC/hpf",
        "10 mg/kg",
        "PT/ot eval daily with family",
        "AM/pm",
        "http://JS/mk.example",
        "A/P\n",
        "HEENT: nl\n",
        "ROS:neg\n",
        "US/mri done",
        "T: 98.6",
        "D: 3/4/12 T: 3/5/12",
        "D: 3/4/12 T: 3/5/12 see below",
        "plan\nRN\n",
        "plan\nMD",
        "plan\nok\n",
        "plan\nThe",
        "plan\nNPO\n",
        "yes/no\n",
        "and/or\n",
        "his/her\n",
        "L/R\n",
        "JS/mk/ab",
        "xJS/mk",
        "Typed by: the clerk",
        "Dictated by: her",
        "EKG:nsr with pvcs and more",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    assert found(text) == []
