from __future__ import annotations

import re

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import bioid


def check(marked: str) -> None:
    """What stands in [[ ]] is found, and nothing else."""
    text = re.sub(r"\[\[|\]\]", "", marked)
    found = [(c.start, text[c.start : c.end]) for c in bioid.recognise(Document(text), Context())]
    starts = [m.start() - 4 * i for i, m in enumerate(re.finditer(r"\[\[", marked))]
    assert found == list(zip(starts, re.findall(r"\[\[(.*?)\]\]", marked, re.DOTALL), strict=True))


@pytest.mark.parametrize(
    "marked",
    [
        "photographed per policy, [[PHOTO-HL-0804-02]]).",
        "image no. [[IMG-PS-20121219-3]]) that",
        "DNA profile ref [[HLA-UH-66120-B]].",
        "stored: DNA sample [[NGC-DNA-0050026]];",
        "consented to biobank [[BB.44-0417.YTB]]",
        "fingerprints, DOJ No. [[FP-7719022-CA]]; x",
        "footprints taken, form [[FP-0303-0617]]; x",
        "THUMBPRINT TAKEN, FILE [[TP-70233-R]]",
        "PALM VEIN SCAN: ENROLLED, TEMPLATE [[PV-77-0081-L]]",
        "photographed; last set is [[PH-SD9031-L-ALA-02]].",
        "fingerprint [[FP-44170]]",
        "fingerprint card # [[FPC-05-2217]]",
        "retinal scan [[RS-2012-117]]",
        "iris scan id [[IR-44170]]",
        "voiceprint [[VP-77190]]",
        "voice print no. [[VP-77190]]",
        "biometrics: [[BIO-7719]]",
        "facial recognition [[FR-88120]]",
        "photo\n[[IMG-7719]]",
        "🙂 photos [[IMG-7719-2]]",
    ],
)
def test_numbers_are_found(marked: str) -> None:
    check(marked)


@pytest.mark.parametrize(
    "text",
    [
        "image 12 of 40",
        "images 1-12",
        "photo of 2012",
        "photos 3/4/2012",
        "DNA 12345",
        "DNA viral load 1200-3400",
        "photo taken 3-4 weeks",
        "image of L4-5",
        "imaging CT-2012",
        "photophobia A-1234",
        "images T1-T12",
        "HBV DNA 2,000 IU",
        "biobank",
        "fingerprint",
        "finger print lifted",
        "photographed",
        "photo A-12",
        "image quality 5-1234",
        "DNA B-27",
        "retinal scan normal",
        "imagery AB-12345",
        "photo ab-12345",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    check(text)
