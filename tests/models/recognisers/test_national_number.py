"""Numbers of countries: by word, by form and check digit; check digits against a library's."""

from __future__ import annotations

import random
import string

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import check_digits, national_number
from stdnum import luhn as stdnum_luhn
from stdnum.ca import bc_phn
from stdnum.gb import nhs
from stdnum.ie import pps
from stdnum.in_ import aadhaar
from stdnum.za import idnr


def found(text: str) -> list[tuple[str, str]]:
    candidates = national_number.recognise(Document(text), Context())
    return [(text[c.start : c.end], c.label) for c in candidates]


@pytest.mark.parametrize(
    ("text", "number", "label"),
    [
        ("NHS No: 943 476 5919, seen today", "943 476 5919", "MEDICALRECORD"),
        ("DOB 01/02/1950  9434765919 NHS number 9434765919", "9434765919", "MEDICALRECORD"),
        ("Mr A, 943 476 5919, GP", "943 476 5919", "MEDICALRECORD"),
        ("CHI No 0101304126", "0101304126", "MEDICALRECORD"),
        ("NI number JG 12 13 16 A", "JG 12 13 16 A", "SSN"),
        ("(AB 12 34 56 C)", "AB 12 34 56 C", "SSN"),
        ("PPSN 1234567FA", "1234567FA", "SSN"),
        ("Seen: 1234567T attended", "1234567T", "SSN"),
        ("SIN 046 454 286", "046 454 286", "SSN"),
        ("OHIP: 9876-543-217-AB", "9876-543-217-AB", "HEALTHPLAN"),
        ("RAMQ TREM 5512 0914", "TREM 5512 0914", "HEALTHPLAN"),
        ("Medicare card 2123 45670 1 / 2", "2123 45670 1 / 2", "HEALTHPLAN"),
        ("IHI 8003 6080 0000 0579", "8003 6080 0000 0579", "MEDICALRECORD"),
        ("DVA file no NX901234", "NX901234", "HEALTHPLAN"),
        ("NHI ZZZ0016", "ZZZ0016", "MEDICALRECORD"),
        ("Aadhaar no. 2341 2341 2346", "2341 2341 2346", "IDNUM"),
        ("ABHA 91-1234-5678-9012", "91-1234-5678-9012", "MEDICALRECORD"),
        ("CNIC 35202-1234567-1", "35202-1234567-1", "IDNUM"),
        ("NRIC S1234567D", "S1234567D", "IDNUM"),
        ("HKID A123456(3)", "A123456(3)", "IDNUM"),
        ("RSA ID 8001015009087", "8001015009087", "IDNUM"),
        ("PhilHealth 12-345678901-2", "12-345678901-2", "HEALTHPLAN"),
        ("NIN: 12345678901", "12345678901", "IDNUM"),
        ("Passport no. A1234567", "A1234567", "IDNUM"),
        ("NHS       710 620 5451   seen", "710 620 5451", "MEDICALRECORD"),
        ("CHI 1407521799", "1407521799", "MEDICALRECORD"),
        ("H+C .323 734 4788.", "323 734 4788", "MEDICALRECORD"),
        ("UCPN         100448820316", "100448820316", "IDNUM"),
        ("(practice code B87931)", "B87931", "IDNUM"),
        ("Medical card  K208816A", "K208816A", "HEALTHPLAN"),
        ("PHN 9698 658 215", "9698 658 215", "HEALTHPLAN"),
        ("PHIN: 123456789", "123456789", "HEALTHPLAN"),
        ("Medicare 4720 79331 1 ref 2", "4720 79331 1", "HEALTHPLAN"),
        ("ACC45 no. AB 12345", "AB 12345", "IDNUM"),
        ("(Aadhaar of receiver 4810 7735 9207)", "4810 7735 9207", "IDNUM"),
        ("PM-JAY card PC7HK4190", "PC7HK4190", "HEALTHPLAN"),
        ("Sehat card no. 77120331", "77120331", "HEALTHPLAN"),
        ("NIC No 853400937V", "853400937V", "IDNUM"),
        ("IC S7738162G??", "S7738162G", "IDNUM"),
        ("SSS 34-1187720-6", "34-1187720-6", "SSN"),
        ("SIRB C0187742", "C0187742", "IDNUM"),
        ("ID: 870914 0215 086  Age 36", "870914 0215 086", "IDNUM"),
        ("NHIS 31904427 exp 08/25", "31904427", "HEALTHPLAN"),
        ("gh card no GHA-719340288-4", "GHA-719340288-4", "IDNUM"),
        ("KRA PIN A012345678Z", "A012345678Z", "IDNUM"),
        ("NUPI MOH2207719403", "MOH2207719403", "MEDICALRECORD"),
        ("TRN 114-902-773", "114-902-773", "IDNUM"),
        ("Nat. Reg.: 490212-0148", "490212-0148", "IDNUM"),
        ("QID 28405011773", "28405011773", "IDNUM"),
    ],
)
def test_numbers_are_found(text: str, number: str, label: str) -> None:
    assert (number, label) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "Tel 943 476 5918",  # the check digit is wrong
        "chi 12.3, p = 0.02",
        "call NHS 111",
        "ratio 9434765919 mL",
        "S1234567A",
        "ZZZ0017 was ordered",
        "2341 2341 2345",
        "platelets 1234567 per uL",
        "AB 12 34 56 F",
        "order BG 12 34 56 C",
        "daughter (+61 491 570 156)",
        "Phone: 0491 573 770",
        "called 715-555-0183, no answer",
        "glucose 188 191 204 221 233 240 255",
        "son-in-law (9447 550 121)",
        "Medicare item 23",
        "fin 3/12, NHIS scheme started 2003",
        "IC 12.5 ng/mL",
        "IgM 784 1986",
        "chi square 12.3",
    ],
)
def test_what_is_no_such_number_stays(text: str) -> None:
    assert found(text) == []


def digits(rng: random.Random, count: int) -> str:
    return "".join(rng.choice(string.digits) for _ in range(count))


@pytest.mark.parametrize(
    ("ours", "theirs", "begin", "count", "end"),
    [
        (check_digits.modulo_11, nhs.is_valid, "", 10, ""),
        (check_digits.luhn, stdnum_luhn.is_valid, "", 9, ""),
        (check_digits.phn_british_columbia, bc_phn.is_valid, "9", 9, ""),
        (check_digits.verhoeff, aadhaar.is_valid, "7", 11, ""),
        (check_digits.ireland, pps.is_valid, "", 7, "T"),
        (check_digits.ireland, pps.is_valid, "", 7, "FA"),
    ],
)
def test_check_digits_agree_with_a_library(ours, theirs, begin, count, end) -> None:
    rng = random.Random(count)
    numbers = [begin + digits(rng, count) + end for _ in range(2_000)]
    # The library also refuses what nobody was given, such as palindromes.
    agreed = [number for number in numbers if ours(number) == theirs(number)]
    assert len(agreed) >= 1_998 and any(map(ours, agreed))


def test_south_africa_needs_date_and_check() -> None:
    assert idnr.is_valid("8001015009087")
    assert check_digits.date_yymmdd("8001015009087") and check_digits.luhn("8001015009087")


def test_the_national_health_index_of_new_zealand_has_two_check_characters():
    """Both examples are of the standard's own (HISO 10046)."""
    assert check_digits.new_zealand("ZAC5361") and check_digits.new_zealand("ZBN77VL")
    assert not check_digits.new_zealand("ZAC5362") and not check_digits.new_zealand("ZBN77VM")
