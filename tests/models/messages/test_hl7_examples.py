"""The messages in `hl7/`: each holds what its sidecars list, where the table lets nothing pass.

`NAME.hl7` is a file of messages, written for these tests from the specification; all people in it
are invented. `NAME.planted` lists, one a line, what identifies somebody and must be nowhere in an
output; `NAME.dates` the dates, which go or move as the policy says. What is encoded or written
with escapes is listed as it reads.
"""

import base64
import re
from pathlib import Path

import pytest
from scrubline.models.core.known_values import PersonKind
from scrubline.models.messages.hl7_fields import default_roles, fields

FOLDER = Path(__file__).parent / "hl7"
NAMES = sorted(path.stem for path in FOLDER.glob("*.hl7"))
COMMON = (
    "ACC AIL AIP ARV CON DG1 EVN FT1 GT1 IN1 IN2 IN3 MRG MSH NK1 NTE OBR OBX ORC PD1 PID PR1 PRA "
    "PRT PV1 PV2 ROL RXE SCH STF TXA UB1 UB2"
)


def raw_of(name):
    content = (FOLDER / f"{name}.hl7").read_bytes()
    return content.decode("latin-1" if b"8859/1" in content else "utf-8")


def listed(name, kind):
    return (FOLDER / f"{name}.{kind}").read_text(encoding="utf-8").splitlines()


def values_of(name):
    """Segment, field, what OBX-2 says, component, text: of each component that is not empty."""
    own = "|^~\\&"
    for line in re.split(r"[\r\n\x0b\x1c]+", raw_of(name)):
        if line[:3] in ("MSH", "FHS", "BHS"):
            own = line[3:8]
        cells = line.split(own[0])
        # Fields are counted from the separator, which is the first of a header.
        start = 2 if line[:3] in ("MSH", "FHS", "BHS") else 1
        kind = cells[2] if line.startswith("OBX") else ""
        for number, cell in enumerate(cells[1:], start):
            if (line[:3], number) in (("MSH", 2), ("FHS", 2), ("BHS", 2)):
                continue
            for repetition in cell.split(own[2]):
                for place, value in enumerate(repetition.split(own[1]), 1):
                    if value:
                        yield line[:3], number, kind, place, value


def role_of(segment, number, kind, place):
    """The role of the most specific name that has one."""
    key = f"{segment}-{number}"
    if key == "OBX-5" and kind:
        key = f"OBX-5({kind})"
    return default_roles().get(f"{key}.{place}") or default_roles().get(key)


def read_text(name):
    """What is written, what the escapes stand for, and what is encoded."""
    raw = raw_of(name)
    plain = re.sub(r"\\X([0-9A-F]{2})\\", lambda m: chr(int(m[1], 16)), raw)
    coded = re.findall(r"\^Base64\^([A-Za-z0-9+/=]+)", raw)
    return "\n".join((raw, plain, *(base64.b64decode(c).decode("utf-8") for c in coded)))


def test_there_are_messages_of_each_sort():
    sorts = {name: set(re.findall(r"\b[A-Z]{3}\^[A-Z]\d\d", raw_of(name))) for name in NAMES}
    found = {sort.replace("^", " ") for of_file in sorts.values() for sort in of_file}
    wanted = "ADT A01, ADT A08, ADT A40, DFT P03, MDM T02, MFN M02, ORM O01, ORU R01, RDE O11"
    assert {*wanted.split(", "), "REF I12", "SIU S12", "VXU V04"} <= found
    assert len(NAMES) == 20


def test_segments_end_in_each_way():
    ends = {"line-feeds": "\n", "crlf": "\r\n"}
    for name in NAMES:
        raw = raw_of(name)
        assert set(re.findall(r"\r\n|\r|\n", raw)) == {ends.get(name, "\r")}, name
    assert raw_of("mllp").count("\x0bMSH|") == raw_of("mllp").count("\r\x1c\r") == 2
    assert raw_of("batch").count("\rMSH|") == 3


@pytest.mark.parametrize("name", NAMES)
def test_what_is_planted_is_in_the_message_and_in_nothing_else_planted(name):
    text, planted, dates = read_text(name), listed(name, "planted"), listed(name, "dates")
    assert planted == sorted(set(planted))
    assert dates == sorted(set(dates))
    assert planted
    assert dates
    assert not [value for value in planted + dates if value not in text]
    assert not [(a, b) for a in planted for b in planted if a != b and a in b]


@pytest.mark.parametrize("name", NAMES)
def test_every_value_has_a_role(name):
    lacking = {
        (segment, number, place)
        for segment, number, kind, place, _ in values_of(name)
        if not segment.startswith("Z") and role_of(segment, number, kind, place) is None
    }
    assert not lacking


@pytest.mark.parametrize("name", NAMES)
def test_nothing_that_is_planted_stands_where_it_passes(name):
    planted, dates = listed(name, "planted"), listed(name, "dates")
    for segment, number, kind, place, value in values_of(name):
        role = role_of(segment, number, kind, place)
        where = segment, number, place
        if role in ("pass", "type"):
            assert not [secret for secret in planted + dates if secret in value], where
        if role == "date":
            assert not [secret for secret in planted if secret in value], where
        if role and role.startswith("known:") and value != '""':
            assert [secret for secret in planted if secret in value], where


def test_each_identifying_field_in_common_use_is_planted():
    planted = {
        f"{segment}-{number}"
        for name in NAMES
        for segment, number, _, _, value in values_of(name)
        if any(secret in value for secret in listed(name, "planted") + listed(name, "dates"))
    }
    opened = {*map(str, PersonKind), "drop", "hash", "id", "birth"}
    wanted = {
        field.key
        for field in fields()
        if field.segment in COMMON.split()
        and (field.role in opened or field.role.startswith("known:"))
    }
    wanted = {key for key in wanted if "(" not in key and "." not in key}
    assert len(wanted) > 300
    assert not wanted - planted
