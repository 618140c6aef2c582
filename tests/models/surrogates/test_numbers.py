"""Numbers keep their format, are never the true ones, and nobody has them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.recognisers.check_digits import luhn, modulo_11, verhoeff
from scrubline.models.surrogates import Surrogates, SurrogateSettings

from ...examples import examples

KEY = bytes(range(32))
NEVER = Surrogates(KEY)
FORMAT = Surrogates(KEY, SurrogateSettings(numbers="format"))
SPANISH = Surrogates(KEY, SurrogateSettings(languages=("es",)))
GERMAN = Surrogates(KEY, SurrogateSettings(languages=("de",)))


def of(label, text, by=NEVER, patient="patient"):
    found = by.of(patient, label, text)
    return None if found is None else found.text


def form(text):
    return re.sub(r"[a-z]", "x", re.sub(r"[A-Z]", "X", re.sub(r"[0-9]", "9", text)))


@pytest.mark.parametrize("label", ["MEDICALRECORD", "ACCOUNT", "IDNUM", "LICENSE", "BIOID"])
@pytest.mark.parametrize("text", ["123-45", "12345", "A12-345B", "00 12/345.6", "#4711", "ab-12_9"])
def test_a_number_keeps_its_format(label, text):
    assert form(of(label, text)) == form(text)
    assert of(label, text) != text


def test_a_number_is_the_same_however_it_is_parted():
    assert of("IDNUM", "123-45").replace("-", "") == of("ACCOUNT", "12345")
    assert of("IDNUM", "0012345") == "00" + of("IDNUM", "12345")
    assert of("IDNUM", "ab123").upper() == of("IDNUM", "AB-123").replace("-", "")


@pytest.mark.parametrize("text", ["2004 Honda Civic", "none", "", "--", "see chart 12", "9" * 500])
def test_what_is_no_number_gets_a_marker(text):
    assert of("VEHICLE", text) is None


@examples(200)
@given(st.from_regex(r"[0-9A-Z]{2,4}[-/ .]?[0-9]{3,8}", fullmatch=True), st.text(max_size=4))
def test_numbers_keep_their_format_and_are_never_true(text, patient):
    for by in (NEVER, FORMAT):
        found = by.of(patient or "p", "IDNUM", text)
        assert found is not None and form(found.text) == form(text) and found.text != text


@pytest.mark.parametrize(
    "text", ["123-45-6789", "123456789", "123 45 6789", "001.01.0001", "987-65-4321", "123-456-789"]
)
def test_social_security_numbers_that_nobody_has(text):
    made = {of("SSN", text, patient=str(n)) for n in range(200)}
    assert len(made) > 150 and all(form(one) == form(text) for one in made)
    for one in made:
        digits = re.sub(r"\D", "", one)
        assert digits[:3] in ("000", "666") or digits[3:5] == "00"
        assert not digits.startswith("9")


@pytest.mark.parametrize("text", ["123-45-6789", "123-45-6789A", "123 45 6789"])
def test_other_numbers_of_that_form_are_nobodys_either(text):
    for patient in map(str, range(50)):
        made = of("HEALTHPLAN", text, patient=patient)
        assert form(made) == form(text)
        assert made[:3] in ("000", "666") or made[4:6] == "00"


def test_last_four_of_a_social_security_number():
    assert re.fullmatch(r"xxx-xx-\d{4}", of("SSN", "xxx-xx-6789"))
    assert re.fullmatch(r"\d{4}", of("SSN", "6789"))


def test_national_insurance_numbers_that_nobody_has():
    for patient in "abcdef":
        made = of("SSN", "AB 12 34 56 C", patient=patient)
        assert re.fullmatch(r"(BG|GB|KN|NK|NT|TN|ZZ) \d\d \d\d \d\d [A-D]", made)


@pytest.mark.parametrize(
    ("by", "text", "expected"),
    [
        (NEVER, "(617) 234-1234", r"\(\d{3}\) 555-01\d\d"),
        (NEVER, "617-234-1234 x123", r"\d{3}-555-01\d\d x\d{3}"),
        (NEVER, "617.234.1234, ext. 5", r"\d{3}\.555\.01\d\d, ext\. \d"),
        (NEVER, "+1 617 234 1234", r"\+1 \d{3} 555 01\d\d"),
        (NEVER, "1-800-234-1234", r"1-800-555-01\d\d"),
        (NEVER, "234-1234", r"555-01\d\d"),
        (NEVER, "cell 234-1234", r"cell 555-01\d\d"),
        (NEVER, "020 7123 4567", r"0(20 7946 0\d{3}|28 9649 6\d{3}|29 2018 0\d{3})"),
        (NEVER, "+44 (0)20 7123 4567", r"\+44 \(0\)\d\d \d{4} \d{4}"),
        (NEVER, "07911 123456", r"07700 900\d{3}"),
        (NEVER, "0113 234 5678", r"01\d1? ?\d* ?496 ?0\d{3}|0191 498 0\d{3}|01\d\d 496 0\d{3}"),
        (NEVER, "02 9876 5432", r"02 (5550|7010) \d{4}"),
        (NEVER, "0412 345 678", r"0491 57\d \d{3}"),
        (GERMAN, "030 12345678", r"0(30 23125|69 90009|40 66969|89 99998)\d{3}"),
        (GERMAN, "+49 171 1234567", r"\+49 171 39200\d\d"),
        (SPANISH, "612 34 56 78", r"4\d\d \d\d \d\d \d\d"),
        (SPANISH, "+34 912345678", r"\+34 4\d{8}"),
        (NEVER, "+81 3 1234 5678", r"\+81 \d \d{4} \d{4}"),
        (FORMAT, "+44 20 7123 4567", r"\+44 \d\d \d{4} \d{4}"),
        (NEVER, "+33 1 23 45 67 89", r"\+33 \d \d\d \d\d \d\d \d\d"),
    ],
)
def test_phone_numbers_that_nobody_has(by, text, expected):
    for patient in "abcdef":
        made = of("PHONE", text, by, patient)
        assert re.fullmatch(expected, made), made
        assert len(made) == len(text)


@pytest.mark.parametrize("text", ["12345", "x4711", "+81 3 1234 5678", "1-800-FLOWERS", "555"])
def test_other_phone_numbers_keep_their_format(text):
    made = of("FAX", text)
    assert form(made) == form(text) and made != text
    assert "FLOWERS" not in made


def test_phone_numbers_of_the_setting_format_are_in_no_range():
    made = [FORMAT.of(str(n), "PHONE", "617-234-1234").text for n in range(50)]
    assert not all("-555-01" in one for one in made)


def test_a_phone_number_is_the_same_with_and_without_the_calling_code():
    digits = of("PHONE", "(617) 234-1234")[1:4], of("PHONE", "(617) 234-1234")[-4:]
    made = of("PHONE", "+1 617-234-1234")
    assert (made[3:6], made[-4:]) == digits


@pytest.mark.parametrize("text", ["10.1.2.3", "192.168.0.1:8080", "8.8.8.8/24"])
def test_addresses_for_documentation(text):
    made = of("IPADDR", text)
    assert re.match(r"192\.0\.2\.|198\.51\.100\.|203\.0\.113\.", made)
    assert of("IPADDR", "fe80::1:2").startswith("2001:db8:")
    assert of("DEVICE", "00:1A:2b:3c:4d:5e").lower().startswith("00:00:5e:00:53:")


def test_check_digits_are_right_where_they_were():
    for patient in map(str, range(40)):
        nhs = of("MEDICALRECORD", "943 476 5919", patient=patient)
        assert nhs.startswith("999 ") and modulo_11(nhs.replace(" ", ""))
        assert luhn(of("HEALTHPLAN", "49927398716", patient=patient))
        assert verhoeff(of("IDNUM", "234123412346", patient=patient)) == verhoeff("234123412346")
    wrong = [luhn(of("IDNUM", "49927398717", patient=str(n))) for n in range(60)]
    assert not all(wrong)
    accounts = [luhn(of("ACCOUNT", "49927398716", patient=str(n))) for n in range(60)]
    assert not all(accounts)


def test_digits_of_other_scripts_stay_in_their_script():
    made = of("IDNUM", "١٢٣٤٥٦")
    assert all(0x660 <= ord(c) <= 0x669 for c in made) and made != "١٢٣٤٥٦"


def test_a_single_digit_may_be_the_true_one():
    # Were it never, forty releases under other keys would give a number away.
    same = sum(of("IDNUM", "73415926", patient=str(n))[-1] == "6" for n in range(400))
    assert 15 < same < 75
