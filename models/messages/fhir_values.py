"""How values of FHIR are written, and how those of one place differ: kind, age, whose name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from ..core.written_texts import Layer
from ..rendering.encoded import LAYERS_OF
from ..rendering.kinds import LAYERS, recognised
from . import json_text
from .ages import is_over_89
from .attachments import layers_of_text
from .media_types import is_text, looks_like_base64, markup_of
from .vocabularies import is_display, is_public, is_state, is_unit, is_version

OVER_89, BINARY, LOCAL = "over 89", "binary", "local"
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
_SAMPLES = re.compile(r"[-+0-9.eEUL \t\r\n]*")
_LINK_ID = re.compile(r"[A-Za-z0-9/_][A-Za-z0-9._:/#-]{0,79}")
_PARAMETER = re.compile(r"[a-z_][A-Za-z0-9._:-]{0,79}")
_EXTENSION_URL = re.compile(
    r"https?://[A-Za-z0-9.-]{1,100}(?::[0-9]{1,5})?(?:[/#][A-Za-z0-9._~%:/#+-]{0,200})?"
    r"|urn:[a-z]{1,20}:[A-Za-z0-9.:_-]{1,100}|[A-Za-z][A-Za-z0-9._-]{0,79}"
)
_FORMS_OF_NAMES: Final[Mapping[str, Callable[[str], object]]] = MappingProxyType(
    {
        "Address.country": is_state,
        "Address.state": is_state,
        "Coding.display": is_display,
        "Coding.version": is_version,
        "Extension.url": _EXTENSION_URL.fullmatch,
        "Parameters.parameter.name": _PARAMETER.fullmatch,
        "Quantity.unit": is_unit,
        "Questionnaire.item.linkId": _LINK_ID.fullmatch,
        "QuestionnaireResponse.item.linkId": _LINK_ID.fullmatch,
        "SampledData.data": _SAMPLES.fullmatch,
        "SampledData.offsets": _SAMPLES.fullmatch,
    }
)
"""Declared name -> the form of texts that pass, where their type is `string` or `uri`."""

_PHONES = frozenset({"phone", "fax", "sms", "pager"})

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


def is_encoded(primitive: str, text: str) -> bool:
    """Whether a string is nothing but base64, where words are expected."""
    return primitive != "base64Binary" and looks_like_base64(text)


def is_formed_as(name: str, text: str) -> bool:
    """Whether a string is written as those of its declared name are; of most names, any is."""
    form = _FORMS_OF_NAMES.get(name)
    return form is None or bool(form(text))


def coding_of(system: str) -> str:
    """`LOCAL` for the display of a code that is of no public terminology."""
    return "" if is_public(system) else LOCAL


def system_of(system: str, value: str) -> str:
    """What a contact point is: `phone`, `email`, or "" for anything else."""
    if system == "email" or (system not in _PHONES and "@" in value):
        return "email"
    return "phone" if system in _PHONES or not system else ""


def age_of(number: str, *units: str, of_age: bool) -> str:
    """`OVER_89` for an age over 89."""
    return OVER_89 if is_over_89(number, units, of_age=of_age) else ""


def kind_of_data(content_type: str, data: str) -> str:
    """`BINARY` for an attachment that is no text, by what it is said or seen to be."""
    is_said = is_formed("code", content_type) and is_text(content_type)
    return "" if is_said and _data_layers(content_type, data) is not None else BINARY


def _data_layers(content_type: str, data: str) -> tuple[Layer, ...] | None:
    return layers_of_text(data, (LAYERS_OF["base64"],), markup_of(content_type))


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
        found = _data_layers(content_type, text)
        return (json_text.render, *(found or (LAYERS_OF["base64"],)))
    if looks_like_base64(text):
        return (json_text.render, LAYERS_OF["base64"])
    kind = recognised(text)
    return (json_text.render,) if kind is None else (json_text.render, LAYERS[kind])
