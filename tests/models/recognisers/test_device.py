from __future__ import annotations

import re

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import device


def check(marked: str) -> None:
    """What stands in [[ ]] is found, and nothing else."""
    text = re.sub(r"\[\[|\]\]", "", marked)
    found = [(c.start, text[c.start : c.end]) for c in device.recognise(Document(text), Context())]
    starts = [m.start() - 4 * i for i, m in enumerate(re.finditer(r"\[\[", marked))]
    assert found == list(zip(starts, re.findall(r"\[\[(.*?)\]\]", marked, re.DOTALL), strict=True))


@pytest.mark.parametrize(
    "marked",
    [
        "(lot [[R019772]]),",
        "serial [[BPF-2291044]].",
        "lot [[16BU0417]]",
        "HBV lot [[UJ204AA]]",
        "Fl varnish lot [[VF417]].",
        "lot # [[L44170]]",
        "lot number [[9C2KT12]]",
        "lot\n[[GFAX0912]]) to",
        "S/N: [[2081741-88]]",
        "(S/N [[2081741-88]]) at",
        "SN [[417226]]   implant",
        "SN [[PVY417726H]], takes",
        "SN [[12088417 044]], in bag",
        "S/N [[02.127.441-Q]] + 8-h",
        "s/n [[2704417]]",
        "s/n [[3512077718]]   ETT",
        "box SN [[8840-417R]]; 1st",
        "unit serial [[CB-7719-22]]), KVP",
        "Machine [[2K-448831]]",
        "MACHINE [[ANAJ00417]]",
        "cycler [[HC417-0092]]",
        "tablet [[EH-TAB-0417]]",
        "device no. [[417]]",
        "IMEI [[356938035643809]]",
        "UDI [[00884838]]",
        "([[(01)00884838003214(17)251231(10)A213B1]])",
        "unit [[W0419 19 308812]])",
        "unit nos. [[W2007 18 400417]], [[W2007 18 400418]])",
        "pump serial # [[88120]]",
        "generator id [[G-5571]]",
        "model no. [[1044170]]",
    ],
)
def test_numbers_are_found(marked: str) -> None:
    check(marked)


@pytest.mark.parametrize(
    "text",
    [
        "Avda. de Córdoba s/n 28041 Madrid",
        "Ronda Norte, s/n E-21006 Huelva",
        "a lot of 20 pills",
        "a lot, 1200 ml",
        "Vent PB840",
        "machine 2008T",
        "Scope: CF-Q180AL",
        "model G547",
        "SN 3x/week",
        "SN 12 visits",
        "serial 7s",
        "serial troponins 0.04",
        "lot 3mL",
        "lot 2012",
        "parking lot 12",
        "lots of 2000 ml",
        "monitor 12345",
        "pump 500 mg",
        "vent 12/450/5",
        "18 gauge",
        "W0419 19",
        "NDC 0002-8215-01",
        "Alcon SN60WF +21.5 D",
        "serially 12345",
        "sn",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    check(text)
