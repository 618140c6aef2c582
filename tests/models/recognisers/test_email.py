from __future__ import annotations

import re

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import email


def check(marked: str) -> None:
    """What stands in [[ ]] is found, and nothing else."""
    text = re.sub(r"\[\[|\]\]", "", marked)
    found = [(c.start, text[c.start : c.end]) for c in email.recognise(Document(text), Context())]
    starts = [m.start() - 4 * i for i, m in enumerate(re.finditer(r"\[\[", marked))]
    assert found == list(zip(starts, re.findall(r"\[\[(.*?)\]\]", marked, re.DOTALL), strict=True))


@pytest.mark.parametrize(
    "marked",
    [
        "[[rkeegan@gallatinpsych.example]].",
        "<mailto:[[J.O'Neil+x@a-b.co.uk]]>",
        "[[a@b.com]],[[c@d.org]]",
        "josé@niños.com 🙂 [[josé@ninos.com]]",
        "email: [[john_doe@example.com]].",
        "(Email:[[anne.o@med.com]])",
        "<[[kmodom@northmail.example]]>",
        "[[first.last+tag@sub.dept.hospital.org]]",
        "[[x-y_z%1@a.io]]",
        '"[[jdoe@x.org]]"',
        "|(214)555-0145^^CP~^NET^^[[sofinch@lakemail.example]]|||M",
        "~[[a.b@c.org]]~",
        "E-mail.[[hleonbrito@hotmail.com]]",
        "E-mail-[[jdemiguel@geodental.com]]",
        '[["jane roe"@hospital.org]]',
        'to [["j.r"@x.example]] now',
        "[[jdoe at clinic dot org]]",
        "[[j.doe at mail.clinic dot com]]",
        "[[jdoe dot x at clinic dot org]]",
        "[[name [at] x.org]]",
        "[[name (at) x.org]]",
        "[[name (at) x (dot) org]]",
        "[[name {at} x.co.uk]]",
        "[[name[at]x[dot]org]]",
        "email [[jdoe @ clinic.org]]",
        "[[jdoe7 @ clinic.org]]",
        "[[jdoe7@ clinic.org]]",
        "contact: [[jane@clinic .org]]",
        "email jane at [[roe@clinic.org]]",
        "e-mail is [[lactation at stodile.example]].",
        "＠ [[a＠b.com]]",
        "[[A@B.COM]]",
        "see [[o'brien@x.ie]];",
        "[[1234@vtext.com]]",
    ],
)
def test_numbers_are_found(marked: str) -> None:
    check(marked)


@pytest.mark.parametrize(
    "text",
    [
        "@home.now, 12 @ 3.5, foo@bar",
        "SOFA@3.5 mg",
        "seen at heart.org",
        "look at hospital.com",
        "BP 120/80 @ 0900",
        "5 mg @ 2.5 ml",
        "@jdoe",
        "jdoe@",
        "jdoe@clinic",
        "jdoe@clinic.",
        "a @ b",
        "at the dot org",
        "meet at noon sharp",
        "12 @ 3.org",
        "see me at clinic",
        "worked at acme.com",
        "[at] x.org",
        "name at x",
        '"jane roe" at x',
        "rate @ 100 ml/hr",
        "T 98.6@0800",
        "ETT @ 23",
        "10@10.10",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    check(text)
