from __future__ import annotations

import re

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import url


def check(marked: str) -> None:
    """What stands in [[ ]] is found, and nothing else."""
    text = re.sub(r"\[\[|\]\]", "", marked)
    found = [(c.start, text[c.start : c.end]) for c in url.recognise(Document(text), Context())]
    starts = [m.start() - 4 * i for i, m in enumerate(re.finditer(r"\[\[", marked))]
    assert found == list(zip(starts, re.findall(r"\[\[(.*?)\]\]", marked, re.DOTALL), strict=True))


@pytest.mark.parametrize(
    "marked",
    [
        "see [[https://x.example/a?b=(c)]], or",
        "([[www.nhs.uk/pain]])",
        "[[heart.org]].",
        "[[patient.com/x/y]]",
        "a@mail.com, [[2.5.org]], e.g., etc.pain",
        "[[http://fontenotendo.example]]",
        "[[https://splitrock.example/rt/skin?id=4]]",
        "PORTAL [[www.copperbasin.example/pay]] ",
        "[[elmandfourth.example]]",
        "Upload: [[clarity.flinthills.example]]",
        "[[careline.example/pace]].",
        "[[www.patient.co.uk/tinnitus]]",
        "[[patient.co.uk]]",
        "[[nhs.uk/pain]]",
        "portal: [[mychart.org:8443/login]]",
        "[[ftp://files.clinic.org/x]]",
        "[[sftp://files.clinic.org]]",
        "[[HTTPS://X.ORG/A]]",
        "[[mayoclinic.org]], [[cdc.gov]]",
        "website [[drroe.io]]",
        "visit [[smithfamily.us]]",
        "site: [[roe.de]]",
        "[[https://10.0.0.1:8080/x]]",
        "[[www2.clinic.edu]]",
        '"[[https://x.org/a]]"',
        "<[[https://x.org/a]]>",
        "[[x.health]]",
        "[[a-b.c-d.info]]?",
        "[[stjames.nhs.uk]]",
    ],
)
def test_numbers_are_found(marked: str) -> None:
    check(marked)


@pytest.mark.parametrize(
    "text",
    [
        "https:// and www. alone",
        "e.g. p.o. q.d. b.i.d.",
        "image.jpg, scan01.dcm, note.docx, labs.pdf",
        "followed by wound.care",
        "p.o.in the morning",
        "taken.at home",
        "seen.in clinic",
        "C:\\files\\x.txt",
        "\\\\server\\share\\x",
        "/srv/jdoe/x.txt",
        "jdoe@clinic.org",
        "3.5.2012",
        "pt.is well",
        "Dr.Roe",
        "St.Louis",
        "2.5mg",
        "vs.it",
        "etc.",
        "No.it was",
        "stable.us of abdomen",
        "3.4.ca",
        "com",
        ".com",
        "www.",
        "http",
        "a.b.c",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    check(text)
