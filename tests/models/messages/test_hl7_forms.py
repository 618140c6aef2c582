"""Forms of values: what laboratories send is one of its type, what people type is none."""

import base64
import importlib.resources

import pytest
from scrubline.models import messages
from scrubline.models.core.labels import LABELS
from scrubline.models.core.written_texts import Stack
from scrubline.models.formats.column_roles import Columns
from scrubline.models.messages.hl7 import HL7
from scrubline.models.messages.hl7_fields import default_roles, fields
from scrubline.models.messages.hl7_forms import (
    CODE,
    COUNT,
    DATE,
    SUB_ID,
    TIME,
    WORDS_FILE,
    WORDS_HEADER,
    forms_of,
    is_answer,
    is_id,
    is_number,
    is_quantity,
    is_range,
    is_unit,
)
from scrubline.models.messages.vocabularies import is_state

GOOD = [
    (
        is_number,
        "0 5 -2.5 +1 .5 98.6 1,234 1,234,567.5 1,5 1.2E3 1e-5 5% <5 >100 >=90 <=0.5 ~7 1:128 "
        "<1:8 5-10 0.5-1.0 + ++ ++++ - +/- 1+ 4+ POS NEG NEGATIVE Positive TRACE N/A TNP QNS * 001",
    ),
    (COUNT, "1 12 1.1"),
    (CODE, "I10 S72.001A 8302-2 MR SCT L99 10*3/uL"),
    (SUB_ID, "1 1.1 a 1.a.2 IMP GDT"),
    (is_id, "F ORU R01 ORU_R01 2.5.1 8859/1 HL70203 Final FEMALE Preliminary AL ISO+"),
    (TIME, "10 1030 103045 103045.12 1030-0500 10:30 9:30 10:30:15"),
    (
        DATE,
        "2024 202402 20240229 2024022910 202402291030 20240229103045 20240229103045.1234-0500 "
        "2024-02 2024-02-29 2024-02-29T10:30:45Z 2024-02-29T10:30:45.123+01:00 2/29/2024 2/29/24 "
        "29.2.2024 29-FEB-2024 S",
    ),
    (
        is_unit,
        "mg/dL mmol/L % g/dL 10*3/uL 10^3/uL x10(3)/mcL K/uL Thousand/uL Million/uL /HPF "
        "{cells}/[HPF] uIU/mL mEq/L mL/min/1.73m2 mm[Hg] mmHg kg/m2 [in_i] Cel °C µg/L ratio INDEX "
        "[pH] mosm/kg {Ehrlich'U}/dL a yr copies/mL S/CO arb'U'/mL /100{WBCs} 10*9/L",
    ),
    (is_quantity, "10 mL USD 120.00 % <5"),
    (is_range, "3.5-5.1 <150 >=60 Negative NEGATIVE 1:40 70-99 150-450 1.005-1.030 ≤5 Male:13.5"),
    (is_state, "IL Illinois USA México"),
]
TOGETHER = [
    (is_number, ["not detected", "< 5", "5 - 10", "1 : 128"]),
    (is_id, ["UNICODE UTF-8", "ISO IR87"]),
    (DATE, ["2024-02-29 10:30", "2/29/2024 10:30 AM", "1 Jan 2020"]),
    (TIME, ["10:30 PM"]),
    (is_unit, ["cells per high power field", "milligram per deciliter", "ng/mL FEU", "mm Hg"]),
    (is_unit, ["mL/min/1.73 m2", "% of total Hgb", "Ehrlich Units", "/100 WBC"]),
    (is_range, ["70 - 99 mg/dL", "Not Detected", "<5.7 % of total Hgb", "> OR = 60 mL/min/1.73m2"]),
    (is_state, ["New York", "United States of America"]),
]
BAD = [
    (is_number, ["call Gladys Plumb 614-555-0188", "614-555-0188", "555-0142", "3/4/2019", "90+"]),
    (is_number, ["Plumb", "5 per Dr Plumb", "2019-03-04", "123-45-6789", ""]),
    (COUNT, ["Plumb", "-1", ""]),
    (CODE, ["Zelda Quimby", "zelda@example.org"]),
    (SUB_ID, ["Splungeworth", "a b"]),
    (is_id, ["Splungeworth", "Zelda Quimby", "ZELDA QUIMBY", "per Dr"]),
    (TIME, ["noon, says Plumb", "10:30 Plumb", "99"]),
    (DATE, ["unknown Ostrander", "see Gladys Plumb", "Ostrander", "48151623", "6175550112"]),
    (DATE, ["20240229 Plumb", "D. Plumb", "20241301"]),
    (is_unit, ["mg per Dr Splungeworth", "Zelda Quimby", "Splungeworth", "mg 614-555-0188"]),
    (is_unit, ["seen by Kim", "20240229"]),
    (is_range, ["see Dr Splungeworth", "call 555-0142", "1/2/2019"]),
    (is_state, ["IL 62704", "12 Elm St", ""]),
]


def table(cases):
    return [
        (form, text)
        for form, texts in cases
        for text in (texts.split() if isinstance(texts, str) else texts)
    ]


@pytest.mark.parametrize(("form", "text"), table(GOOD) + table(TOGETHER))
def test_what_is_sent_is_formed(form, text):
    assert form(text)


@pytest.mark.parametrize(("form", "text"), table(BAD))
def test_what_people_type_is_not(form, text):
    assert not form(text)


def test_words_are_lower_case_in_order_and_stand_once():
    file = importlib.resources.files(messages).joinpath(WORDS_FILE)
    header, *lines = file.read_text(encoding="utf-8").splitlines()
    assert header == WORDS_HEADER
    assert lines == sorted(set(lines)) and lines == [line.lower() for line in lines]
    assert {line.split("\t")[0] for line in lines} == {"code", "range", "result", "unit"}
    assert all(line.count("\t") == 1 and not line.endswith("\t") for line in lines)


def test_each_name_that_passes_has_a_form_but_for_words_of_lists():
    roles = default_roles()
    without = [
        name
        for name, role in roles.items()
        if role in ("pass", "type") and forms_of(name).of(1) is None
    ]
    # Of orders, which few people edit.
    assert set(without) == {"OBR-4.1", "OBR-4.2", "OBR-4.5"}
    assert {field.type for field in fields() if field.role == "pass"} >= {"CWE", "NM", "SN", "ID"}


HEAD = "MSH|^~\\&|LAB|SITE|EHR|CLINIC|20240312||ORU^R01|M1|P|2.5.1\r"


def values(segment, *overlaid):
    """Place -> value, and the name that it has, of a segment."""
    columns = Columns.of_record("hl7", overlaid).resolved([HL7.name])
    found = HL7.values(HEAD + segment, columns.nested[HL7.name].declared)
    return {v.place: (v.name, v.value) for v in found if not v.place.startswith("MSH")}


@pytest.mark.parametrize(
    ("segment", "place", "name"),
    [
        ("OBX|1|NM|A||call Gladys Plumb 614-555-0188", "OBX-5.1", "VALUE(malformed)"),
        ("OBX|1|SN|A||>^5^per Dr Plumb", "OBX-5.3", "VALUE(malformed)"),
        ("OBX|1|SN|A||>^5^per Dr Plumb", "OBX-5.2", "OBX-5(SN)"),
        ("OBX|1|CQ|A||5^mL per Plumb", "OBX-5.2", "VALUE(malformed)"),
        ("OBX|1|MO|A||120&Gladys Plumb", "OBX-5.1", "VALUE(malformed)"),
        ("OBX|1|NR|A||1^Plumb, Gladys", "OBX-5.2", "VALUE(malformed)"),
        ("OBX|1|TM|A||per Plumb", "OBX-5.1", "VALUE(malformed)"),
        ("OBX|1|ID|A||Splungeworth", "OBX-5.1", "VALUE(malformed)"),
        ("OBX|1|ID|A||Detected", "OBX-5", "OBX-5(ID)"),
        ("OBR" + "|" * 24 + "RADIOLOGY", "OBR-24", "OBR-24"),
        ("OBR" + "|" * 24 + "Dr. Plumb", "OBR-24.1", "CODE(malformed)"),
        ("OBX|1|IS|A||Gladys Plumb", "OBX-5.1", "VALUE(malformed)"),
        ("OBX|1|CWE|A||Gladys Plumb^x^L", "OBX-5.1", "VALUE(malformed)"),
        ("OBX|1|CWE|A||A^x^Plumb hospital", "OBX-5.3", "VALUE(malformed)"),
        ("OBX|1|DT|A||see Gladys Plumb", "OBX-5.1", "DATE(malformed)"),
        ("OBX|1|DR|A||20240101^see Gladys Plumb", "OBX-5.2", "DATE(malformed)"),
        ("OBX|1|DR|A||20240101^see Gladys Plumb", "OBX-5.1", "OBX-5(DR)"),
        ("OBX|Plumb", "OBX-1.1", "CODE(malformed)"),
        ("OBX|1|NM|A||1|mg per Dr Plumb^x", "OBX-6.1", "VALUE(malformed)"),
        ("OBX|1|NM|A||1|mg^mg per Dr Plumb", "OBX-6.2", "VALUE(malformed)"),
        ("OBX|1|NM|A||1|mg|see Dr Plumb", "OBX-7.1", "VALUE(malformed)"),
        ("OBX|1|NM|A||1||||||Splungeworth", "OBX-11.1", "CODE(malformed)"),
        ("OBX|1|NM|A^b^L" + "^" * 20 + "Plumb", "OBX-3.23", "VALUE(malformed)"),
        ("PID|||||||unknown Ostrander", "PID-7.1", "DATE(malformed)"),
        ("PID|||||||19610203^D", "PID-7", "PID-7"),
        ("PID|||1^^^^^^see Plumb", "PID-3.7", "DATE(malformed)"),
        ("OBR" + "|" * 32 + "5&Fotheringay^Fotheringay^Rupert", "OBR-32.2", "DATE(malformed)"),
        # Escapes are read before.
        ("OBX|1|NM|A||\\X35\\", "OBX-5", "OBX-5(NM)"),
        ("OBX|1|NM|A||7~Plumb", "OBX-5[2].1", "VALUE(malformed)"),
        ("OBX|1|NM|A||7~Plumb", "OBX-5", "OBX-5(NM)"),
        ("OBX|1|NM|A|| 7 ", "OBX-5", "OBX-5(NM)"),
    ],
)
def test_what_does_not_look_as_its_type_says_has_another_name(segment, place, name):
    assert values(segment)[place][0] == name


@pytest.mark.parametrize("form", [*(form for form, _ in GOOD), is_answer])
def test_what_stands_for_removed_words_is_no_value_of_any_type(form):
    """Else a text that was scrubbed would be none in the output, which `verify` reads."""
    assert [label for label in LABELS if form(f"[{label}]")] == []


def test_what_stands_within_a_code_or_for_words_of_own_labels_is_none():
    assert not any(map(CODE, ["4W/[PATIENT]", "[WARD_STAFF]", "[staff-id]"]))
    assert values("OBX|1|CE|A||[PATIENT]^x^L")["OBX-5.1"] == ("VALUE(malformed)", "[PATIENT]")


@pytest.mark.parametrize("unit", ["[GAL_US]", "[IU]", "[ph]", "mm[Hg]", "[LB_AV]/[SIN_I]"])
def test_units_in_brackets_are_units(unit):
    assert is_unit(unit)


ENCODED = base64.b64encode(b"Patient Gladys Plumb, tel. 614-555-0188").decode()


@pytest.mark.parametrize("segment", [f"OBX|1|CE|A||^{ENCODED}", f"NTE|1||{ENCODED}"])
def test_a_text_that_is_nothing_but_base64_goes(segment):
    assert (ENCODED, "VALUE(base64)") in {(value, name) for name, value in values(segment).values()}
    read = values(segment, ("VALUE(base64)", "text"))
    assert "VALUE(base64)" not in {name for name, _ in read.values()}


def test_a_text_with_words_beside_base64_stays_a_text():
    assert values(f"OBX|1|TX|A||see {ENCODED}")["OBX-5"][0] == "OBX-5(TX)"


def test_a_role_that_is_no_pass_holds_for_anything():
    assert values("OBX|1|NM|A||Plumb", ("OBX-5(NM)", "drop"))["OBX-5"][0] == "OBX-5(NM)"
    assert values("OBX|1|NM|A||Plumb", ("OBX-5(NM)", "text"))["OBX-5"][0] == "OBX-5(NM)"
    # Whoever lets a field pass knows what is in it, but a date is one.
    assert values("OBX|1|NM|A||Plumb", ("OBX-5(NM)", "pass"))["OBX-5"][0] == "OBX-5(NM)"
    assert values("ZPD|see Plumb", ("ZPD-1", "date"))["ZPD-1.1"][0] == "DATE(malformed)"
    assert values("ZPD|20240101", ("ZPD-1", "date"))["ZPD-1"][0] == "ZPD-1"


@pytest.mark.parametrize(
    ("observation", "name"),
    [
        ("NM|30525-0^Age^LN||91|a", "OBX-5(OVER89)"),
        ("NM|30525-0^Age^LN||89|a", "OBX-5(NM)"),
        ("NM|30525-0^Age^LN||91", "OBX-5(OVER89)"),
        ("NM|AGE^Age^L||91|a^year^UCUM", "OBX-5(OVER89)"),
        ("NM|X^Some^L||91|yr", "OBX-5(OVER89)"),
        ("NM|X^Some^L||91|mg", "OBX-5(NM)"),
        ("NM|X^Some^L||91 yr", "OBX-5(OVER89)"),
        ("SN|30525-0^Age^LN||^91", "OBX-5(OVER89)"),
        ("SN|30525-0^Age^LN||>^91|a", "OBX-5(OVER89)"),
        ("CQ|X^Some^L||91^a", "OBX-5(OVER89)"),
        ("CQ|X^Some^L||91^a&year&UCUM", "OBX-5(OVER89)"),
        ("ST|30525-0^Age^LN||91|a", "OBX-5(OVER89)"),
        ("|30525-0^Age^LN||91|a", "OBX-5(OVER89)"),
        ("NM|30525-0^Age^LN||1100|mo", "OBX-5(OVER89)"),
        ("NM|11884-4^Gestational age^LN||274|d", "OBX-5(NM)"),
        ("TX|30525-0^Age^LN||She is 91|a", "OBX-5(TX)"),
        ("TX|X^Some^L||91 yr", "OBX-5(TX)"),
    ],
)
def test_an_age_over_89_has_another_name(observation, name):
    assert values(f"OBX|1|{observation}")["OBX-5"][0] == name


def test_an_age_that_went_is_no_line_of_a_note():
    """What is left out may not be read as an empty text when the message is written."""
    assert "OBX-5" not in values("OBX|1|ST|30525-0^Age^LN||")
    assert "OBX-5" in values("OBX|1|ST|X^Y^L||")


@pytest.mark.parametrize("before", ["", "OBX|1|TX|||seen by Zelda\r"])
@pytest.mark.parametrize("kind", ["TX", "FT", "ST"])
def test_a_line_of_a_note_that_is_base64_is_an_empty_one(before, kind):
    digits = base64.b64encode(b"Seen by Zelda Quimby on 3/4/2019, MRN 48151623.").decode()
    columns = Columns.of_record("hl7", ()).resolved([HL7.name])
    declared = columns.nested[HL7.name].declared
    record = f"{HEAD}{before}OBX|2|{kind}|||{digits}\r"
    value = HL7.values(record, declared)[-1]
    stack = Stack.of(record[value.start : value.end], value.layers)
    assert (stack.text, stack.replaced([])) == ("", "")
    # As what goes out is read again.
    empty = HL7.values(record.replace(digits, ""), declared)[-1]
    assert (empty.name, empty.place, empty.note) == (value.name, value.place, value.note)
