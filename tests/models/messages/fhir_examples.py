"""Invented FHIR resources: whatever could identify somebody holds a planted word."""

import base64
import itertools
import json

_numbers = itertools.count(1)
PLANTED: list[str] = []


def x(what: str) -> str:
    """A word that may not be left anywhere."""
    word = f"Zq{what}{next(_numbers)}q"
    PLANTED.append(word)
    return word


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def human(**more):
    return {
        "use": "official",
        "text": x("text"),
        "family": x("family"),
        "given": [x("given"), x("middle")],
        "prefix": [x("prefix")],
        "suffix": [x("suffix")],
        "period": {"start": "2001-05-06"},
        **more,
    }


def address():
    return {
        "use": "home",
        "text": x("address"),
        "line": [x("line"), x("line")],
        "city": x("city"),
        "district": x("district"),
        "state": "NY",
        "postalCode": x("zip"),
        "country": "US",
    }


def telecom():
    return [
        {"system": "phone", "value": x("phone"), "use": "home"},
        {"system": "email", "value": x("mail")},
        {"system": "url", "value": x("url")},
        {"system": "other", "value": x("other")},
        {"system": "fax", "value": x("fax")},
    ]


def identifier():
    return {
        "use": "usual",
        "type": {
            "coding": [{"system": "http://terminology.hl7.org/CodeSystem/v2-0203", "code": "MR"}]
        },
        "system": f"urn:oid:1.2.{x('oid')}",
        "value": x("number"),
        "period": {"start": "2001-05-06"},
        "assigner": {"display": x("assigner")},
    }


def concept(text=True):
    found = {
        "coding": [
            {"system": "http://snomed.info/sct", "code": "22298006", "display": "Infarction"}
        ]
    }
    return {**found, "text": x("concept")} if text else found


def ref(kind, **more):
    return {"reference": f"{kind}/{x('ref')}", "display": x("display"), **more}


def narrative():
    return {
        "status": "generated",
        "div": f'<div xmlns="http://www.w3.org/1999/xhtml"><p>{x("div")} é</p></div>',
    }


def note():
    return {"authorString": x("author"), "time": "2020-01-02T03:04:05Z", "text": x("note")}


def attachment(kind="text/plain", **more):
    return {
        "contentType": kind,
        "data": b64(f"{x('data')} said"),
        "url": f"http://{x('host')}/a",
        "title": x("title"),
        "creation": "2020-01-02",
        **more,
    }


def meta():
    return {
        "versionId": x("version"),
        "lastUpdated": "2020-01-02T03:04:05.006+01:00",
        "source": f"http://{x('source')}#a",
        "profile": ["http://hl7.org/fhir/us/core/StructureDefinition/us-core-patient"],
    }


def resource(kind, **more):
    return {"resourceType": kind, "id": x("id"), "meta": meta(), "text": narrative(), **more}


EXT = "http://hl7.org/fhir/StructureDefinition/"
CORE = "http://hl7.org/fhir/us/core/StructureDefinition/"
PATIENT_REF = {"reference": "Patient/pat-1"}

patient = resource(
    "Patient",
    extension=[
        {
            "url": f"{CORE}us-core-race",
            "extension": [
                {
                    "url": "ombCategory",
                    "valueCoding": {
                        "system": "urn:oid:2.16.840.1.113883.6.238",
                        "code": "2106-3",
                        "display": "White",
                    },
                },
                {"url": "text", "valueString": "White"},
            ],
        },
        {"url": f"{EXT}patient-birthPlace", "valueAddress": address()},
        {"url": f"{EXT}patient-mothersMaidenName", "valueString": x("maiden")},
        {"url": f"{EXT}patient-nickname", "valueString": x("nick")},
        {"url": f"{EXT}patient-own", "valueHumanName": human()},
        {"url": f"{EXT}patient-own", "valueContactPoint": {"value": x("tel")}},
        {"url": f"{EXT}patient-own", "valueIdentifier": identifier()},
        {"url": f"{EXT}patient-own", "valueBase64Binary": b64(x("bytes"))},
        {"url": f"{EXT}patient-own", "valueUri": f"http://{x('uri')}"},
        {"url": f"{EXT}patient-own", "valueReference": ref("Practitioner")},
        {
            "url": f"{EXT}patient-own",
            "valueSignature": {
                "type": [{"code": "a"}],
                "when": "2020-01-02T03:04:05Z",
                "who": ref("Practitioner"),
                "data": b64(x("signature")),
            },
        },
    ],
    identifier=[identifier(), identifier()],
    active=True,
    name=[
        human(
            _family={
                "id": x("elementid"),
                "extension": [{"url": f"{EXT}humanname-own-name", "valueString": x("own")}],
            },
            _given=[
                None,
                {"extension": [{"url": f"{EXT}iso21090-EN-qualifier", "valueCode": "CL"}]},
            ],
        )
    ],
    telecom=telecom(),
    gender="female",
    birthDate="1974-12-25",
    _birthDate={
        "extension": [
            {"url": f"{EXT}patient-birthTime", "valueDateTime": "1974-12-25T14:35:45-05:00"}
        ]
    },
    deceasedDateTime="2015-02-14T13:42:00+10:00",
    address=[
        {
            **address(),
            "_line": [
                None,
                {
                    "extension": [
                        {"url": f"{EXT}iso21090-ADXP-streetName", "valueString": x("street")}
                    ]
                },
            ],
        }
    ],
    maritalStatus=concept(),
    multipleBirthInteger=2,
    photo=[attachment("image/jpeg"), attachment("text/plain")],
    contact=[
        {
            "relationship": [concept(False)],
            "name": human(),
            "telecom": telecom(),
            "address": address(),
            "gender": "male",
            "organization": ref("Organization"),
        }
    ],
    communication=[{"language": concept(False), "preferred": True}],
    generalPractitioner=[ref("Practitioner"), {"display": x("gp")}],
    managingOrganization=ref("Organization"),
)
patient["link"] = [{"other": ref("RelatedPerson"), "type": "seealso"}]

related = resource(
    "RelatedPerson",
    identifier=[identifier()],
    patient={"reference": f"Patient/{x('pid')}", "display": x("pname")},
    relationship=[concept(False)],
    name=[human()],
    telecom=telecom(),
    gender="male",
    birthDate="1973-05-31",
    address=[address()],
    photo=[attachment("image/png")],
)
practitioner = resource(
    "Practitioner",
    identifier=[identifier()],
    name=[human()],
    telecom=telecom(),
    address=[address()],
    gender="male",
    birthDate="1956-05-27",
    photo=[attachment("image/png")],
    qualification=[
        {"identifier": [identifier()], "code": concept(), "issuer": {"display": x("issuer")}}
    ],
)
role = resource(
    "PractitionerRole",
    identifier=[identifier()],
    practitioner=ref("Practitioner"),
    organization=ref("Organization"),
    code=[concept(False)],
    location=[ref("Location")],
    telecom=telecom(),
)
organization = resource(
    "Organization",
    identifier=[identifier()],
    name=x("org"),
    alias=[x("alias")],
    telecom=telecom(),
    address=[address()],
    contact=[{"name": human(), "telecom": telecom(), "address": address()}],
)
location = resource(
    "Location",
    identifier=[identifier()],
    name=x("loc"),
    alias=[x("alias")],
    description=x("locdesc"),
    telecom=telecom(),
    address=address(),
    position={"longitude": -83.69, "latitude": 42.25},
    managingOrganization=ref("Organization"),
)
encounter = resource(
    "Encounter",
    identifier=[identifier()],
    status="finished",
    subject=ref("Patient"),
    participant=[{"individual": ref("Practitioner"), "period": {"start": "2020-01-01"}}],
    period={"start": "2020-01-02T03:04:05Z", "end": "2020-01-03"},
    reasonCode=[concept()],
    hospitalization={
        "preAdmissionIdentifier": identifier(),
        "origin": ref("Location"),
        "destination": ref("Organization"),
        "dischargeDisposition": concept(),
    },
    location=[
        {"location": ref("Location"), "status": "completed", "period": {"start": "2020-01-02"}}
    ],
    serviceProvider=ref("Organization"),
)
encounter["class"] = {
    "system": "http://terminology.hl7.org/CodeSystem/v3-ActCode",
    "code": "AMB",
    "display": "ambulatory",
}
observation = resource(
    "Observation",
    contained=[
        {
            "resourceType": "Practitioner",
            "id": x("local"),
            "name": [human()],
            "identifier": [identifier()],
        }
    ],
    identifier=[identifier()],
    status="final",
    code=concept(),
    subject=ref("Patient"),
    effectiveDateTime="2020-01-02T03:04:05Z",
    issued="2020-01-02T03:04:05.000Z",
    performer=[ref("Practitioner"), ref("Organization")],
    valueString=x("value"),
    note=[note(), {"authorReference": ref("Patient"), "text": x("note")}],
    referenceRange=[{"low": {"value": 1.10, "unit": "mg"}, "text": x("range")}],
    component=[
        {"code": concept(False), "valueQuantity": {"value": 1.10, "unit": "mg"}},
        {
            "code": concept(False),
            "valueSampledData": {
                "origin": {"value": 0},
                "period": 1,
                "dimensions": 1,
                "data": "1 2 E 3",
            },
        },
        {
            "code": concept(False),
            "valueSampledData": {
                "origin": {"value": 0},
                "period": 1,
                "dimensions": 1,
                "data": x("curve"),
            },
        },
    ],
)
observation["performer"].append({"reference": "#" + observation["contained"][0]["id"]})
report = resource(
    "DiagnosticReport",
    identifier=[identifier()],
    status="final",
    code=concept(),
    subject=ref("Patient"),
    encounter=ref("Encounter"),
    effectivePeriod={"start": "2020-01-02"},
    issued="2020-01-02T03:04:05Z",
    performer=[ref("Organization")],
    resultsInterpreter=[ref("Practitioner")],
    result=[ref("Observation")],
    conclusion=x("conclusion"),
    presentedForm=[attachment("text/html"), attachment("application/pdf")],
)
document_r4 = resource(
    "DocumentReference",
    masterIdentifier=identifier(),
    identifier=[identifier()],
    status="current",
    type=concept(),
    subject=ref("Patient"),
    date="2020-01-02T03:04:05Z",
    author=[ref("Practitioner")],
    authenticator=ref("Practitioner"),
    custodian=ref("Organization"),
    relatesTo=[{"code": "replaces", "target": ref("DocumentReference")}],
    description=x("description"),
    content=[
        {"attachment": attachment("text/plain; charset=utf-8")},
        {"attachment": attachment("application/rtf")},
        {"attachment": {"contentType": "text/plain", "url": f"Binary/{x('binary')}"}},
        {"attachment": attachment("application/octet-stream")},
    ],
    context={
        "encounter": [ref("Encounter")],
        "period": {"start": "2020-01-02"},
        "facilityType": concept(),
        "sourcePatientInfo": ref("Patient"),
        "related": [ref("Observation")],
    },
)
document_r5 = resource(
    "DocumentReference",
    identifier=[identifier()],
    version=x("v"),
    status="current",
    type=concept(),
    subject=ref("Patient"),
    context=[ref("Encounter")],
    period={"start": "2020-01-02"},
    attester=[{"mode": concept(False), "party": ref("Practitioner")}],
    event=[{"concept": concept()}, {"reference": ref("Procedure")}],
    description=x("description"),
    content=[
        {"attachment": attachment("text/plain"), "profile": [{"valueUri": f"http://{x('p')}"}]}
    ],
)
composition = resource(
    "Composition",
    identifier=identifier(),
    status="final",
    type=concept(),
    subject=ref("Patient"),
    encounter=ref("Encounter"),
    date="2020-01-02T03:04:05Z",
    author=[ref("Practitioner"), {"display": x("author")}],
    title=x("title"),
    attester=[{"mode": "legal", "party": ref("Practitioner")}],
    custodian=ref("Organization"),
    section=[
        {
            "title": x("section"),
            "code": concept(),
            "text": narrative(),
            "entry": [ref("Condition")],
            "section": [{"title": x("sub"), "text": narrative()}],
        }
    ],
)
condition = resource(
    "Condition",
    identifier=[identifier()],
    clinicalStatus=concept(False),
    code=concept(),
    subject=ref("Patient"),
    onsetAge={"value": 92, "unit": "a", "system": "http://unitsofmeasure.org", "code": "a"},
    abatementString=x("abatement"),
    recorder=ref("Practitioner"),
    asserter=ref("RelatedPerson"),
    evidence=[{"code": [concept()], "detail": [ref("Observation")]}],
    note=[note()],
)
procedure = resource(
    "Procedure",
    status="completed",
    code=concept(),
    subject=ref("Patient"),
    performedPeriod={"start": "2020-01-02", "end": "2020-01-03"},
    performer=[{"actor": ref("Practitioner"), "onBehalfOf": ref("Organization")}],
    location=ref("Location"),
    outcome=concept(),
    focalDevice=[{"manipulated": ref("Device")}],
    note=[note()],
)
medication = resource(
    "MedicationRequest",
    status="active",
    intent="order",
    medicationReference=ref("Medication"),
    subject=ref("Patient"),
    authoredOn="2020-01-02",
    requester=ref("Practitioner"),
    note=[note()],
    dosageInstruction=[
        {
            "text": x("dosage"),
            "patientInstruction": x("instruction"),
            "timing": {
                "event": ["2020-01-02"],
                "repeat": {"frequency": 1, "period": 1.50, "periodUnit": "d"},
            },
            "doseAndRate": [{"doseQuantity": {"value": 1.0, "unit": "mg"}}],
        }
    ],
    dispenseRequest={"performer": ref("Organization")},
)
allergy = resource(
    "AllergyIntolerance",
    code=concept(),
    patient=ref("Patient"),
    recordedDate="2020-01-02",
    recorder=ref("Practitioner"),
    note=[note()],
    reaction=[{"description": x("reaction"), "manifestation": [concept()], "onset": "2012-06-12"}],
)
immunization = resource(
    "Immunization",
    status="completed",
    vaccineCode=concept(),
    patient=ref("Patient"),
    encounter=ref("Encounter"),
    occurrenceDateTime="2020-01-02",
    location=ref("Location"),
    manufacturer=ref("Organization"),
    lotNumber=x("lot"),
    performer=[{"actor": ref("Practitioner")}],
    note=[note()],
)
claim = resource(
    "Claim",
    identifier=[identifier()],
    status="active",
    type=concept(False),
    use="claim",
    patient=ref("Patient"),
    created="2020-01-02",
    insurer=ref("Organization"),
    provider=ref("Organization"),
    priority=concept(False),
    accident={"date": "2020-01-02", "locationAddress": address()},
    insurance=[
        {
            "sequence": 1,
            "focal": True,
            "identifier": identifier(),
            "coverage": ref("Coverage"),
            "businessArrangement": x("arrangement"),
            "preAuthRef": [x("preauth")],
        }
    ],
    supportingInfo=[{"sequence": 1, "category": concept(False), "valueString": x("info")}],
    total={"value": 135.570, "currency": "USD"},
)
benefit = resource(
    "ExplanationOfBenefit",
    identifier=[identifier()],
    status="active",
    type=concept(False),
    use="claim",
    patient=ref("Patient"),
    created="2020-01-02",
    insurer=ref("Organization"),
    provider=ref("Practitioner"),
    outcome="complete",
    disposition=x("disposition"),
    preAuthRef=[x("preauth")],
    insurance=[{"focal": True, "coverage": ref("Coverage"), "preAuthRef": [x("preauth")]}],
    processNote=[{"number": 1, "text": x("process")}],
)
coverage = resource(
    "Coverage",
    identifier=[identifier()],
    status="active",
    subscriberId=x("subscriber"),
    beneficiary=ref("Patient"),
    dependent=x("dependent"),
    payor=[ref("Organization")],
    network=x("network"),
)
coverage["class"] = [{"type": concept(False), "value": x("plan"), "name": x("planname")}]
questionnaire = resource(
    "QuestionnaireResponse",
    identifier=identifier(),
    questionnaire="http://example.com/Questionnaire/1|2.0",
    status="completed",
    subject=ref("Patient"),
    authored="2020-01-02T03:04:05Z",
    author=ref("Practitioner"),
    item=[
        {
            "linkId": "1.1",
            "text": x("question"),
            "answer": [
                {"valueString": x("answer"), "item": [{"linkId": "1.1.1", "text": x("inner")}]},
                {"valueAttachment": attachment()},
                {"valueReference": ref("Practitioner")},
            ],
        }
    ],
)
communication = resource(
    "Communication",
    status="completed",
    subject=ref("Patient"),
    sent="2020-01-02T03:04:05Z",
    recipient=[ref("Practitioner")],
    sender=ref("RelatedPerson"),
    payload=[
        {"contentString": x("message")},
        {"contentAttachment": attachment("text/rtf")},
        {"contentReference": ref("DocumentReference")},
    ],
    note=[note()],
)
device = resource(
    "Device",
    identifier=[identifier()],
    udiCarrier=[
        {"deviceIdentifier": x("udi"), "carrierHRF": x("hrf"), "carrierAIDC": b64(x("aidc"))}
    ],
    status="active",
    distinctIdentifier=x("distinct"),
    lotNumber=x("lot"),
    serialNumber=x("serial"),
    deviceName=[{"name": x("device"), "type": "user-friendly-name"}],
    patient=ref("Patient"),
    url=f"http://{x('deviceurl')}",
    note=[note()],
)
family = resource(
    "FamilyMemberHistory",
    status="completed",
    patient=ref("Patient"),
    name=x("uncle"),
    relationship=concept(False),
    bornDate="1930-01-02",
    condition=[{"code": concept(), "onsetString": x("onset"), "note": [note()]}],
)
audit = {
    "resourceType": "AuditEvent",
    "id": x("id"),
    "type": {"system": "http://dicom.nema.org/resources/ontology/DCM", "code": "110114"},
    "recorded": "2020-01-02T03:04:05Z",
    "agent": [
        {
            "who": ref("Practitioner"),
            "altId": x("alt"),
            "name": x("user"),
            "requestor": True,
            "network": {"address": x("ip"), "type": "2"},
        }
    ],
    "source": {"site": x("site"), "observer": ref("Device")},
    "entity": [
        {
            "what": ref("Patient"),
            "name": x("entity"),
            "description": x("edesc"),
            "query": b64(x("query")),
        }
    ],
}
binary = {
    "resourceType": "Binary",
    "id": x("id"),
    "contentType": "text/plain",
    "securityContext": ref("Patient"),
    "data": b64(f"{x('body')} and more"),
}


def entry(of, **more):
    url = f"http://{x('server')}/fhir/{of['resourceType']}/{of['id']}"
    return {"fullUrl": url, "resource": of, **more}


def one_patient(of, key="pat-1"):
    """The same resource with all its references to patients to one."""
    if isinstance(of, dict):
        found = {name: one_patient(value, key) for name, value in of.items()}
        if str(found.get("reference", "")).startswith("Patient/"):
            found["reference"] = f"Patient/{key}"
        return found
    return [one_patient(one, key) for one in of] if isinstance(of, list) else of


document = {
    "resourceType": "Bundle",
    "id": x("bundle"),
    "identifier": identifier(),
    "type": "document",
    "timestamp": "2020-01-02T03:04:05Z",
    "entry": [
        entry(one_patient(composition)),
        entry(one_patient({**patient, "id": "pat-1"})),
        entry(practitioner),
        entry(one_patient(observation)),
    ],
    "signature": {
        "type": [{"code": "1.2.840.10065.1.12.1.1"}],
        "when": "2020-01-02T03:04:05Z",
        "who": ref("Practitioner"),
        "data": b64(x("signature")),
    },
}
searchset = {
    "resourceType": "Bundle",
    "id": x("bundle"),
    "type": "searchset",
    "total": 2,
    "link": [{"relation": "self", "url": f"http://{x('self')}/Patient?name={x('query')}"}],
    "entry": [
        entry(one_patient(condition), search={"mode": "match", "score": 1}),
        entry(one_patient(claim), search={"mode": "match"}),
    ],
}
URN = "urn:uuid:3f2504e0-4f89-11d3-9a0c-0305e82c3301"
transaction = {
    "resourceType": "Bundle",
    "type": "transaction",
    "entry": [
        {
            "fullUrl": URN,
            "resource": {**patient, "id": URN.removeprefix("urn:uuid:")},
            "request": {"method": "PUT", "url": f"Patient/{URN.removeprefix('urn:uuid:')}"},
        },
        {
            "fullUrl": "urn:uuid:3f2504e0-4f89-11d3-9a0c-0305e82c3302",
            "resource": {
                "resourceType": "Observation",
                "status": "final",
                "code": concept(False),
                "subject": {"reference": URN},
                "valueString": x("value"),
            },
            "request": {
                "method": "POST",
                "url": "Observation",
                "ifNoneExist": f"identifier={x('query')}",
            },
        },
    ],
}
PLANTED += ["3f2504e0", "pat-1"]

R4 = {
    "patient": patient,
    "related person": related,
    "practitioner": practitioner,
    "practitioner's role": role,
    "organization": organization,
    "location": location,
    "encounter": encounter,
    "observation": observation,
    "report": report,
    "document reference": document_r4,
    "composition": composition,
    "condition": condition,
    "procedure": procedure,
    "medication request": medication,
    "allergy": allergy,
    "immunization": immunization,
    "claim": claim,
    "benefit": benefit,
    "coverage": coverage,
    "questionnaire response": questionnaire,
    "communication": communication,
    "device": device,
    "family history": family,
    "audit event": audit,
    "binary": binary,
    "document bundle": document,
    "searchset bundle": searchset,
    "transaction bundle": transaction,
}
R5 = {"document reference of R5": document_r5}
EXAMPLES = {**R4, **R5}


def as_text(of, indent=None):
    return json.dumps(of, indent=indent, ensure_ascii=indent is None)
