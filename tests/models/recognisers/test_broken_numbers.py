"""Numbers behind their word that go on in the next line or in unusual groups, and what stays."""

from __future__ import annotations

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import account, license, national_number, phone, post_code


def found(rule, text: str) -> list[str]:
    return [text[c.start : c.end] for c in rule.recognise(Document(text), Context())]


@pytest.mark.parametrize(
    ("rule", "text", "number"),
    [
        (national_number, "SIN 046.454.286 recorded", "046.454.286"),
        (national_number, "SIN 046/454/286", "046/454/286"),
        (national_number, "SIN 046  454  286", "046  454  286"),
        (national_number, "SIN: 046 454\n286", "046 454\n286"),
        (national_number, "NHS No 943 476\n5919", "943 476\n5919"),
        (national_number, "NHS No 943 \r\n 476 5919.", "943 \r\n 476 5919"),
        (national_number, "NHS no 943-476-5919", "943-476-5919"),
        (national_number, "Aadhaar 2341 2341\n2346", "2341 2341\n2346"),
        (national_number, "CNIC 35202 1234567 1", "35202 1234567 1"),
        (national_number, "PhilHealth 12 025678901 3", "12 025678901 3"),
        (national_number, "TFN 123 456 782", "123 456 782"),
        (national_number, "tax file number: 123456782", "123456782"),
        (phone, "Tel 07700\n900 812", "07700\n900 812"),
        (phone, "Tel: 07700 900\n812, seen", "07700 900\n812"),
        (phone, "Fax 617 555\n0100", "617 555\n0100"),
        (phone, "phone (617)\n555-0100", "(617)\n555-0100"),
        (account, "Sort code 20-45-45", "20-45-45"),
        (account, "sort code: 204545", "204545"),
        (account, "card no 4111 1111\n1111 1111", "4111 1111\n1111 1111"),
        (license, "HPI 12ABCD", "12ABCD"),
        (license, "HPI CPN: 12ABCD", "12ABCD"),
        (license, "PTR 1234567 S2", "1234567"),
        (post_code, "Her postal code h1t1p4 noted", "h1t1p4"),
        (post_code, "Postal code H1T\n1P4", "H1T\n1P4"),
        (post_code, "postcode SG17\n5XY", "SG17\n5XY"),
    ],
)
def test_the_number_goes_as_a_whole(rule, text, number):
    assert found(rule, text) == [number]


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        # The check digit disagrees, the number does not end, or a unit follows.
        (national_number, "943 476\n5919"),
        (national_number, "beds 2341 2341\n2346"),
        (national_number, "TFN 12 raised"),
        (national_number, "tfn: 1234"),
        (phone, "Tel later\n900 812"),
        (phone, "ward 07700\n900 812"),
        (phone, "Tel 617 555\n0100 ml"),
        (phone, "Tel 07700\n900 8123 44"),
        (account, "sort code red 12-12-12"),
        (account, "sort code 12-12-12-12"),
        (account, "beds 4111 1111\n1111 1111"),
        (account, "card no 4111 1111\n1111 1112"),
        (license, "HPI: 45YOWM with cough"),
        (license, "HPI 12abcd"),
        (license, "PTR 12 weeks"),
        (post_code, "code h1t1p4"),
        (post_code, "E4V4M6 on arrival"),
    ],
)
def test_near_misses_stay(rule, text):
    assert found(rule, text) == []


@pytest.mark.parametrize(
    ("rule", "text", "numbers"),
    [
        (national_number, "NHS No 943 476 5919\n123 456 7890", ["943 476 5919"]),
        (national_number, "NHS No 943 476\n5918", ["943 476"]),
        (national_number, "SIN 046 454 286\n046 454 287", ["046 454 286"]),
        (phone, "Tel 0161 496 0000\n120 80", ["0161 496 0000"]),
        (phone, "Tel 617-555-0100\n0200 meds given", ["617-555-0100"]),
    ],
)
def test_the_next_line_of_a_whole_number_is_its_own(rule, text, numbers):
    assert found(rule, text) == numbers
