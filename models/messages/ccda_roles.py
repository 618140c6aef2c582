"""The role of each value of a CDA document, by the names of `ccda_names`. See docs/ccda-fields.md.

Elements, attributes and data types are facts of the standard: HL7 CDA R2 (2005), schema
POCD_MT000040 with datatypes-base.xsd; its extensions in the namespace sdtc (SDTC.xsd of 2025);
C-CDA R2.1. Roles are ours, by 45 CFR 164.514(b)(2)(i).
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

DOCUMENT_ID: Final = "ClinicalDocument.id"
PATIENT_ID: Final = "recordTarget.patientRole.id"
NOTE_DATES: Final = ("ClinicalDocument.effectiveTime@value",)
COMMENT, STYLESHEET, NAMESPACE = "comment", "xml-stylesheet", "xmlns"
ENCODED: Final = "base64"
"""The name of a text that is nothing but digits of base64, and does not say so."""

MALFORMED: Final = "malformed"
"""The kind of a value that is not written as its type is."""

WORDED: Final = "text"
"""The kind of a quantity that is none: `<5`, `negative`."""

CONSTANT: Final = ("templateId", "typeId", "sdtc:templateId", "sdtc:typeId")
"""Elements of type II that say what stands there, and not who."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_ROLES_OF_PEOPLE: Final = {
    "patientRole": "self",
    "guardian": "relative",
    "relatedEntity": "relative",
    "relatedSubject": "relative",
    "associatedEntity": "contact",
    "participantRole": "contact",
    "assignedAuthor": "staff",
    "assignedEntity": "staff",
    "intendedRecipient": "staff",
}
"""Elements that hold the address, the phones and the ids of a person -> who that is."""

_PEOPLE: Final = {
    "patient": "self",
    "guardianPerson": "relative",
    "relatedPerson": "relative",
    "subject": "relative",
    "associatedPerson": "contact",
    "playingEntity": "contact",
    "assignedPerson": "staff",
    "informationRecipient": "staff",
    "maintainingPerson": "staff",
}
"""Elements that hold the name of a person -> who that is."""

_NAME_PARTS: Final = {
    "family": "family",
    "given": "given",
    "": "name",
}
_STATES: Final = tuple(
    f"{of}.{part}" for of in ("addr", "value(AD)") for part in ("state", "country")
)
_NAME_REST: Final = ("prefix", "suffix", "delimiter")
_STREET_PARTS: Final = ("", "streetAddressLine", "streetName", "deliveryAddressLine")
_ADDRESS_REST: Final = _words(
    """additionalLocator buildingNumberSuffix careOf censusTract county delimiter
    deliveryInstallationArea deliveryInstallationQualifier deliveryInstallationType deliveryMode
    deliveryModeIdentifier direction houseNumber houseNumberNumeric postBox precinct streetNameBase
    streetNameType unitID unitType"""
)
_TIMES: Final = _words(
    """effectiveTime time activityTime availabilityTime copyTime deceasedTime sdtc:deceasedTime
    expectedUseTime validTime useablePeriod sdtc:effectiveTime sdtc:expirationTime existenceTime
    phase comp
    value(TS) value(IVL_TS) value(SXCM_TS) value(PIVL_TS) value(EIVL_TS) value(SXPR_TS)
    value(IVXB_TS) value(UVP_TS) value(PPD_TS) value(IVL_PPD_TS)"""
)
_QUANTITIES: Final = _words(
    """width period offset numerator denominator increment scale standardDeviation translation
    doseQuantity rateQuantity maxDoseQuantity doseCheckQuantity quantity lengthOfStayQuantity
    repeatNumber sequenceNumber priorityNumber sdtc:priorityNumber versionNumber
    multipleBirthOrderNumber sdtc:multipleBirthOrderNumber
    value(PQ) value(IVL_PQ) value(SXCM_PQ) value(IVXB_PQ) value(PPD_PQ) value(IVL_PPD_PQ)
    value(HXIT_PQ) value(BXIT_IVL_PQ) value(PQR) value(INT) value(IVL_INT) value(SXCM_INT)
    value(IVXB_INT) value(REAL) value(IVL_REAL) value(SXCM_REAL) value(IVXB_REAL) value(MO)
    value(IVL_MO) value(SXCM_MO) value(IVXB_MO) value(BL) value(BN)"""
)
_FLAGS: Final = _words(
    """seperatableInd preferenceInd preAdmitTestInd valueNegationInd independentInd deceasedInd
    sdtc:deceasedInd multipleBirthInd sdtc:multipleBirthInd"""
)
_BOUNDS: Final = ("low", "high", "center")
WORD, BOOLEAN, CODE, UID, VERSION, DISPLAY = "cs", "bl", "code", "uid", "version", "display"
NUMBER, TIME, UNIT, NULL_FLAVOR, WORDS = "real", "ts", "unit", "nullFlavor", "set_cs"
MEDIA_TYPE, LANGUAGE, QUALIFIED, EXTENSION, DIGITS, LABEL, STATE = (
    "mediaType",
    "language",
    "QName",
    "extension",
    "digits",
    "label",
    "state",
)
"""How values are written that pass; see `ccda_forms`."""

_PASSED: Final = {
    WORD: """classCode moodCode typeCode determinerCode contextControlCode representation
    compression integrityCheckAlgorithm operator partType alignment distributionType xml:space""",
    BOOLEAN: """contextConductionInd inversionInd negationInd actionNegationInd independentInd
    isCriterionInd inclusive inverted displayable isNotOrdered institutionSpecified
    sdtc:negationInd xsi:nil""",
    NULL_FLAVOR: "nullFlavor",
    WORDS: "use qualifier",
    CODE: "code currency",
    UID: "codeSystem sdtc:valueSet root",
    VERSION: "codeSystemVersion sdtc:valueSetVersion",
    DISPLAY: "codeSystemName displayName",
    MEDIA_TYPE: "mediaType",
    LANGUAGE: "language xml:lang",
    UNIT: "unit",
    NUMBER: "qty probability period denominator",
    QUALIFIED: "xsi:type",
    LABEL: "ID",
}
"""Attributes that pass wherever they stand, by how they are written: codes, units, flags."""

_TEXTS: Final = _words(
    """title text originalText desc sdtc:desc sdtc:text derivationExpr value value(ST) value(ED)
    value(SC) manufacturerModelName softwareName playingEntity.name scopingEntity.name
    specimenPlayingEntity.name manufacturedMaterial.name manufacturedLabeledDrug.name"""
)


@functools.cache
def default_roles() -> Mapping[str, str]:
    """Name -> role of all that CDA R2 and its extensions name, as `Columns.parse` takes it."""
    roles: dict[str, str] = {}
    for name, role in itertools.chain(
        _document(), _people(), _organizations(), _identifiers(), _times(), _values(), _markup()
    ):
        if roles.setdefault(name, role) != role:
            raise ValueError(f"{name} has two roles")
    return MappingProxyType(roles)


@functools.cache
def form_names() -> Mapping[str, str]:
    """Name of what passes, or is a date -> how it is written; see `ccda_forms`."""
    flags = {f"{name}@value" for name in (*_FLAGS, "value(BL)", "value(BN)")}
    found = dict.fromkeys(_STATES, STATE) | {"digits": DIGITS, "ClinicalDocument.code@code": CODE}
    found |= {f"{one}@extension": EXTENSION for one in CONSTANT}
    for form, attributes in _PASSED.items():
        found |= {f"@{attribute}": form for attribute in _words(attributes)}
    for name, role in default_roles().items():
        if name.endswith("@value") and role in ("date", "birth"):
            found[name] = TIME
        elif name.endswith("@value") and role == "pass" and name != "reference@value":
            found[name] = BOOLEAN if name in flags else NUMBER
    return MappingProxyType(found)


def _document() -> Iterator[tuple[str, str]]:
    """What the document is, and whose."""
    yield DOCUMENT_ID, "id"
    yield PATIENT_ID, "patient"
    yield "ClinicalDocument.code@code", "type"
    yield NOTE_DATES[0], "date"
    yield "patient.birthTime@value", "birth"
    yield "patientRole.id(ssn)@extension", "known:self.id"
    yield "patient.id@extension", "known:self.id"
    yield "place.name", "drop"
    yield "place.addr.city", "known:self.city"


def _people() -> Iterator[tuple[str, str]]:
    for element, who in _ROLES_OF_PEOPLE.items():
        for part in _STREET_PARTS:
            yield _joined(element, "addr", part), f"known:{who}.street"
        yield f"{element}.addr.city", f"known:{who}.city"
        yield f"{element}.addr.postalCode", f"known:{who}.zip"
        for telecom in ("telecom", "sdtc:telecom"):
            yield f"{element}.{telecom}@value(tel)", f"known:{who}.phone"
            yield f"{element}.{telecom}@value(mailto)", f"known:{who}.email"
        if who != "self":  # the patient's are in `_document`
            # A member of a health plan is the patient, and so are the devices of one.
            whose = "self" if element == "participantRole" else who
            for one in ("id", "sdtc:id"):
                yield f"{element}.{one}@extension", f"known:{whose}.id"
    for element, who in _PEOPLE.items():
        for part, attribute in _NAME_PARTS.items():
            if (element, part) != ("playingEntity", ""):  # mostly the name of a substance
                yield _joined(element, "name", part), f"known:{who}.{attribute}"
        if who != "self":
            yield f"{element}.birthTime@value", f"known:{who}.birth"
            yield f"{element}.sdtc:birthTime@value", f"known:{who}.birth"
            yield f"{element}.sdtc:id@extension", f"known:{who}.id"
    yield "birthTime@value", "known:contact.birth"
    yield "sdtc:birthTime@value", "known:contact.birth"
    for element in ("sdtc:patient", "sdtc:alternateIdentification"):
        yield f"{element}.id@extension", "known:self.id"
        yield f"{element}.sdtc:id@extension", "known:self.id"


def _organizations() -> Iterator[tuple[str, str]]:
    """What is not known of whom it is: of organizations, of places, of a value itself."""
    names = ("name", "value(EN)", "value(PN)", "value(ON)", "value(TN)")
    for name, part in itertools.product(names, ("", *filter(None, _NAME_PARTS), *_NAME_REST)):
        yield _joined(name, part), "drop"
    for address in ("addr", "value(AD)"):
        for part in (*_STREET_PARTS, "city", "postalCode", *_ADDRESS_REST):
            yield _joined(address, part), "drop"
    for name in _STATES:
        yield name, "pass"
        yield f"{name}({MALFORMED})", "drop"
    for telecom in ("telecom", "sdtc:telecom", "value(TEL)", "value(URL)"):
        yield f"{telecom}@value", "drop"


def _identifiers() -> Iterator[tuple[str, str]]:
    yield "@extension", "hash"
    yield "@root(unique)", "hash"
    yield "id(ssn)@extension", "drop"
    for one in CONSTANT:
        yield f"{one}@extension", "pass"
    yield "@assigningAuthorityName", "drop"
    yield "@integrityCheck", "drop"
    yield "lotNumberText", "drop"


def _times() -> Iterator[tuple[str, str]]:
    for time in _TIMES:
        yield f"{time}@value", "date"
        for bound in _BOUNDS:
            yield f"{time}.{bound}@value", "date"
            if time.startswith("sdtc:"):
                yield f"{time}.sdtc:{bound}@value", "date"
    yield "value(GLIST_TS).head@value", "date"
    yield "value(SLIST_TS).origin@value", "date"


def _values() -> Iterator[tuple[str, str]]:
    for quantity in _QUANTITIES:
        yield f"{quantity}@value", "pass"
        for bound in _BOUNDS:
            yield f"{quantity}.{bound}@value", "pass"
    for flag in _FLAGS:
        yield f"{flag}@value", "pass"
    for name in ("regionOfInterest.value", "value(GLIST_PQ).head", "value(SLIST_PQ).origin"):
        yield f"{name}@value", "pass"
    yield "@value(over 89)", "drop"
    yield "value(over 89)", "drop"
    yield "value@value", "drop"  # of no known type
    yield "digits", "pass"
    for attributes in _PASSED.values():
        for attribute in _words(attributes):
            yield f"@{attribute}", "pass"
            yield f"@{attribute}({MALFORMED})", "drop"
    for name in ("@value", "@extension", "digits"):
        yield f"{name}({MALFORMED})", "drop"
    for text in (*_TEXTS, "@displayName(local)", "@codeSystemName(local)", f"@value({WORDED})"):
        yield text, "text"
    for name in ("text", "originalText", "value", "title", "desc", "sdtc:desc", "sdtc:text"):
        yield f"{name}(binary)", "drop"
    for name in ("thumbnail", "thumbnail(binary)", "signatureText", "sdtc:signatureText"):
        yield name, "drop"
    yield "sdtc:signatureText(binary)", "drop"
    yield "signatureText(binary)", "drop"
    yield "reference@value", "pass"
    yield "reference@value(other)", "drop"
    yield "@ID(other)", "drop"


def _markup() -> Iterator[tuple[str, str]]:
    yield COMMENT, "drop"
    yield ENCODED, "drop"
    yield STYLESHEET, "pass"
    yield f"{STYLESHEET}(url)", "drop"
    yield "@xsi:schemaLocation", "drop"
    yield "@xsi:noNamespaceSchemaLocation", "drop"


def _joined(*parts: str) -> str:
    return ".".join(filter(None, parts))
