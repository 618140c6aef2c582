"""What tells values of one place of FHIR apart: form, kind of attachment, age, whose name."""

from __future__ import annotations

import re
from typing import Final

from ..core.written_texts import Layer
from ..rendering.encoded import LAYERS_OF
from ..rendering.kinds import LAYERS, recognised
from . import json_text

OVER_89, BINARY = "over 89", "binary"
CLINICAL = "clinical"

_URL = re.compile(r"\S+")
_DATE = re.compile(
    r"[0-9]{4}(-[0-9]{2}(-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?"
    r"(Z|[+-][0-9]{2}:[0-9]{2})?)?)?)?"
)
_FORMS: Final = {
    "code": re.compile(
        r"\S{1,100}|[a-z]{1,20}/[A-Za-z0-9.+-]{1,80}(?:; ?[a-z]{1,20}=[A-Za-z0-9\"-]{1,40}){0,3}"
    ),
    "canonical": _URL,
    "uri": _URL,
    "url": _URL,
    "oid": _URL,
    "uuid": _URL,
    "date": _DATE,
    "dateTime": _DATE,
    "instant": _DATE,
    "time": re.compile(r"[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?"),
}
_CURVE = re.compile(r"[-+0-9.eEUL \t\r\n]*")
_CURVES = frozenset({"SampledData.data", "SampledData.offsets"})

_YEARS = frozenset({"a", "y", "yr", "yrs", "year", "years"})
_OLD = 90
_PHONES = frozenset({"phone", "fax", "sms", "pager"})

_MARKUP: Final = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/xml": "xml",
    "application/xml": "xml",
    "application/hl7-cda+xml": "xml",
    "application/hl7-sda+xml": "xml",
    "application/rtf": "rtf",
    "application/x-rtf": "rtf",
    "text/rtf": "rtf",
}

_CLINICAL: Final = frozenset(
    [
        "AdverseEvent",
        "AllergyIntolerance",
        "CarePlan",
        "ClinicalImpression",
        "ClinicalUseDefinition",
        "Communication",
        "CommunicationRequest",
        "Composition",
        "Condition",
        "DetectedIssue",
        "DeviceRequest",
        "DiagnosticReport",
        "DocumentReference",
        "FamilyMemberHistory",
        "Flag",
        "GenomicStudy",
        "Goal",
        "ImagingSelection",
        "ImagingStudy",
        "Immunization",
        "ImmunizationEvaluation",
        "ImmunizationRecommendation",
        "Ingredient",
        "Medication",
        "MedicationAdministration",
        "MedicationDispense",
        "MedicationKnowledge",
        "MedicationRequest",
        "MedicationStatement",
        "MolecularSequence",
        "NutritionIntake",
        "NutritionOrder",
        "NutritionProduct",
        "Observation",
        "ObservationDefinition",
        "Procedure",
        "Questionnaire",
        "QuestionnaireResponse",
        "RequestGroup",
        "RequestOrchestration",
        "RiskAssessment",
        "ServiceRequest",
        "Specimen",
        "Substance",
        "SubstanceDefinition",
        "SupplyDelivery",
        "SupplyRequest",
        "Task",
        "VisionPrescription",
    ]
)
"""Types of resources whose names say what was done or found, not who or where."""

_PEOPLE = frozenset({"Patient", "RelatedPerson", "Person", "Practitioner", "PractitionerRole"})


def is_formed(primitive: str, text: str) -> bool:
    """Whether a string is written as those of its type are; of most types, any is."""
    form = _FORMS.get(primitive)
    return form is None or form.fullmatch(text) is not None


def is_curve(name: str, text: str) -> bool:
    """False for a text in the place of the numbers of a curve, given its declared name."""
    return name not in _CURVES or _CURVE.fullmatch(text) is not None


def system_of(system: str, value: str) -> str:
    """What a contact point is: `phone`, `email`, or "" for anything else."""
    if system == "email" or (system not in _PHONES and "@" in value):
        return "email"
    return "phone" if system in _PHONES or not system else ""


def age_of(number: str, *units: str) -> str:
    """`OVER_89` for a number of years that is over 89."""
    if _YEARS.isdisjoint(unit.lower() for unit in units):
        return ""
    return OVER_89 if float(number) >= _OLD else ""


def kind_of_data(content_type: str) -> str:
    """`BINARY` for an attachment that is no text."""
    media = _media_type(content_type) if is_formed("code", content_type) else ""
    return "" if media in _MARKUP or media.startswith("text/") else BINARY


def named_by(targets: frozenset[str]) -> str:
    """Whose or what the display of a reference is, given the types that it may lead to.

    A person's type; `CLINICAL`, for what names no person and no place; "" for all else.
    """
    if len(targets) == 1 and targets <= _PEOPLE:
        return next(iter(targets))
    return CLINICAL if targets and targets <= _CLINICAL else ""


def layers_of(types: frozenset[str], text: str, content_type: str) -> tuple[Layer, ...]:
    """By which layers a text is opened.

    Args:
        types: of its place.
        text: the string, read.
        content_type: of the attachment that it is the data of.
    """
    if "xhtml" in types:
        return (json_text.render, LAYERS["xml"])
    if "base64Binary" in types:
        outer = (json_text.render, LAYERS_OF["base64"])
        kind = _MARKUP.get(_media_type(content_type))
        return outer if kind is None else (*outer, LAYERS[kind])
    kind = recognised(text)
    return (json_text.render,) if kind is None else (json_text.render, LAYERS[kind])


def _media_type(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()
