"""Plain messages of single notes, by hand from the standards."""

import base64
import json

import pytest
from scrubline.models.core.errors import DocumentError
from scrubline.models.messages.plain import PLAIN_MESSAGES
from scrubline.models.messages.plain_notes import PlainNote

NOTE = PlainNote(
    0, "text", "doc^7", "p-1", "v-3", "progress", "2019-02-11T06:52:07-05:00", "1961-02-03",
    "Seen & heard\n\nA|B\r~ é🙂\x0c", "Seen & heard\n\nA|B\r~ é🙂\x0c",
)  # fmt: skip
PLAIN = NOTE._replace(doc_id="doc-7")
ENCODED = base64.b64encode(NOTE.text.encode()).decode()
HTML = "<p>A <b>b</b></p>"


def lines(note, **more):
    return (
        PLAIN_MESSAGES["hl7"].make(note, **{"as_data": False} | more).removesuffix("\r").split("\r")
    )


def test_hl7_in_lines():
    assert lines(NOTE) == [
        r"MSH|^~\&|||||20190211065207-0500||ORU^R01^ORU_R01|doc\S\7|P|2.5.1||||||UNICODE UTF-8",
        "PID|1||p-1||^^^^^^U||19610203",
        "PV1|1|U|||||||||||||||||v-3",
        r"OBR|1||doc\S\7|progress|||20190211065207-0500||||||||||||||||||F",
        r"OBX|1|TX|progress||Seen \T\ heard||||||F",
        "OBX|2|TX|progress||||||||F",
        r"OBX|3|TX|progress||A\F\B\X0D\\R\ é🙂\X0C\||||||F",
    ]


def test_hl7_encoded():
    assert lines(NOTE, as_data=True)[4:] == [
        f"OBX|1|ED|progress||^TEXT^PLAIN^Base64^{ENCODED}||||||F"
    ]
    note = NOTE._replace(text="A b", source=HTML, markup="html")
    data = base64.b64encode(HTML.encode()).decode()
    assert lines(note)[4:] == [f"OBX|1|ED|progress||^TEXT^HTML^Base64^{data}||||||F"]


def test_hl7_of_a_note_that_says_nothing():
    assert lines(PlainNote(0, "", "7")) == [
        r"MSH|^~\&|||||||ORU^R01^ORU_R01|7|P|2.5.1||||||UNICODE UTF-8",
        "OBR|1||7|^Note|||||||||||||||||||||F",
    ]
    assert lines(PlainNote(0, "", "7", patient="p"))[1] == "PID|1||p||^^^^^^U"
    assert lines(PlainNote(0, "", "7", visit="v"))[1:3] == [
        "PID|1||||^^^^^^U",
        "PV1|1|U|||||||||||||||||v",
    ]


def test_fhir():
    found = json.loads(PLAIN_MESSAGES["fhir"].make(PLAIN, as_data=False))
    assert found == {
        "resourceType": "DocumentReference",
        "id": "doc-7",
        "status": "current",
        "type": {"coding": [{"code": "progress"}]},
        "subject": {"reference": "Patient/p-1"},
        "date": "2019-02-11T06:52:07-05:00",
        "content": [{"attachment": {"contentType": "text/plain; charset=UTF-8", "data": ENCODED}}],
        "context": {"encounter": [{"reference": "Encounter/v-3"}]},
    }
    little = json.loads(
        PLAIN_MESSAGES["fhir"].make(PlainNote(0, "", "DocumentReference/7"), as_data=False)
    )
    assert little == {
        "resourceType": "DocumentReference",
        "id": "7",
        "status": "current",
        "content": [{"attachment": {"contentType": "text/plain; charset=UTF-8"}}],
    }
    day = json.loads(PLAIN_MESSAGES["fhir"].make(PLAIN._replace(date="2019-02"), as_data=False))
    assert "date" not in day
    assert day["context"]["period"] == {"start": "2019-02"}


def test_ccda():
    assert PLAIN_MESSAGES["ccda"].make(NOTE._replace(doc_id='"7'), as_data=False) == (
        '<?xml version="1.0" encoding="UTF-8"?>\n<ClinicalDocument xmlns="urn:hl7-org:v3">\n'
        '<typeId root="2.16.840.1.113883.1.3" extension="POCD_HD000040"/>\n'
        '<id nullFlavor="UNK" extension="&quot;7"/>\n<code code="progress"/>\n'
        '<effectiveTime value="20190211065207-0500"/>\n<confidentialityCode nullFlavor="UNK"/>\n'
        '<recordTarget><patientRole><id nullFlavor="UNK" extension="p-1"/>'
        '<patient><birthTime value="19610203"/></patient></patientRole></recordTarget>\n'
        '<author><time nullFlavor="UNK"/><assignedAuthor><id nullFlavor="UNK"/></assignedAuthor>'
        "</author>\n<custodian><assignedCustodian><representedCustodianOrganization>"
        '<id nullFlavor="UNK"/></representedCustodianOrganization></assignedCustodian></custodian>'
        '\n<componentOf><encompassingEncounter><id nullFlavor="UNK" extension="v-3"/>'
        '<effectiveTime nullFlavor="UNK"/></encompassingEncounter></componentOf>\n'
        '<component><nonXMLBody><text mediaType="text/plain" representation="B64">'
        f"{ENCODED}</text></nonXMLBody></component>\n</ClinicalDocument>\n"
    )


@pytest.mark.parametrize(
    ("grammar", "change", "error"),
    [
        ("hl7", {"text": "a\0b"}, "BadCharacter"),
        ("hl7", {"doc_id": "a\0b"}, "BadCharacter"),
        ("hl7", {"text": "a\x01b", "source": "a\x01b", "markup": "rtf"}, "BadCharacter"),
        ("hl7", {"date": "2019-02-11T06:52:07.12345"}, "BadDate"),
        ("fhir", {"source": "a\x01b"}, "BadCharacter"),
        ("fhir", {"doc_id": "a/b"}, "UnfitId"),
        ("fhir", {"patient": "x" * 65}, "UnfitId"),
        ("fhir", {"visit": "é"}, "UnfitId"),
        ("fhir", {"date": "2019-02-11T06:52"}, "TimeWithoutZone"),
        ("ccda", {"source": "a\0b"}, "BadCharacter"),
        ("ccda", {"doc_id": "a\x01b"}, "BadCcda"),
    ],
)
def test_what_a_message_cannot_hold(grammar, change, error):
    with pytest.raises(DocumentError, match=error):
        PLAIN_MESSAGES[grammar].make(PLAIN._replace(**change), as_data=False)


def test_a_note_shows_nothing_of_itself():
    assert repr(NOTE) == "PlainNote(row=0)"
