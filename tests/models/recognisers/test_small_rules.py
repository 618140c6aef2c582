"""E-mail and web addresses, IP addresses, social security numbers, ages over 89."""

from __future__ import annotations

import pytest
from scrubline.models.documents import Context, Document
from scrubline.models.recognisers import RECOGNISERS


def found(name: str, text: str) -> list[str]:
    return [text[c.start : c.end] for c in RECOGNISERS[name].recognise(Document(text), Context())]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("email", "rkeegan@gallatinpsych.example.", ["rkeegan@gallatinpsych.example"]),
        ("email", "<mailto:J.O'Neil+x@a-b.co.uk>", ["J.O'Neil+x@a-b.co.uk"]),
        ("email", "a@b.com,c@d.org", ["a@b.com", "c@d.org"]),
        ("email", "josé@niños.com 🙂 josé@ninos.com", ["josé@ninos.com"]),
        ("email", "@home.now, 12 @ 3.5, foo@bar", []),
        ("email", "SOFA@3.5 mg", []),
        ("url", "see https://x.example/a?b=(c), or", ["https://x.example/a?b=(c)"]),
        ("url", "(www.nhs.uk/pain)", ["www.nhs.uk/pain"]),
        ("url", "heart.org.", ["heart.org"]),
        ("url", "patient.com/x/y", ["patient.com/x/y"]),
        ("url", "a@mail.com, 2.5.org, e.g., etc.pain", ["2.5.org"]),
        ("url", "https:// and www. alone", []),
        ("ip_address", "from 192.168.1.250, port", ["192.168.1.250"]),
        ("ip_address", "IP 1.2.3.4", ["1.2.3.4"]),
        ("ip_address", "host 2001:db8::8a2e:370:7334.", ["2001:db8::8a2e:370:7334"]),
        (
            "ip_address",
            "2001:0db8:85a3:0000:0000:8a2e:0370:7334",
            ["2001:0db8:85a3:0000:0000:8a2e:0370:7334"],
        ),
        ("ip_address", "version 10.12.13.14", []),
        ("ip_address", "section 1.2.3.4; 1.2.3.4.5; 300.1.1.1; 1.1.1.999", []),
        ("ip_address", "12:30:45, a::b, 1::2, 10:30:20:15, ::", []),
        ("ssn", "SSN 123-45-6789.", ["123-45-6789"]),
        ("ssn", "078-05-1120", ["078-05-1120"]),
        ("ssn", "SS# 987654321", ["987654321"]),
        ("ssn", "social security 900 12 3456", ["900 12 3456"]),
        ("ssn", "last four of SSN 6789; SSN: xxx-xx-1234", ["6789", "1234"]),
        ("ssn", "MRN: 123-45-6789", []),
        ("ssn", "000-12-3456, 666-12-3456, 123-00-4567, 123-45-0000, 905-12-3456", []),
        ("ssn", "Medicare 280-22-1907A; 1-280-22-1907; 123-45-67890", []),
        ("ssn", "123456789", []),
        ("age", "a 93-year-old woman", ["93"]),
        ("age", "92 y/o, 101 yo, 95yoM, 90 yrs old", ["92", "101", "95", "90"]),
        ("age", "Age: 92; aged 104", ["92", "104"]),
        ("age", "94F with CHF, 97F with CHF, 91M", ["94", "97", "91"]),
        ("age", "mujer de 92 años; Edad: 91 años", ["92", "91"]),
        ("age", "in her 90s", ["90s"]),
        ("age", "a nonagenarian", ["nonagenarian"]),
        ("age", "54-year-old, 39Y, 89 yo, 130 years", []),
        ("age", "T 98F, temp 97.9F, HR 90s, sats in the 90s", []),
        ("age", "90 years ago, walked 100m, 95 mg, 92%", []),
        ("age", "ages 1.92 years, 95-100 years", []),
    ],
)
def test_table(name: str, text: str, expected: list[str]) -> None:
    assert found(name, text) == expected
