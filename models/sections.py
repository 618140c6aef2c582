"""Section headings of clinical notes: canonical names, spellings, and how a heading is read.

The list is our own, drawn up from the usual parts of discharge summaries, progress notes,
operative and radiology reports; Liu et al. 2015, 3.2.2, used 29 such headers, collected from their
training set.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_SPELLINGS: Mapping[str, str] = {
    "patient_information": (
        "patient information; patient data; demographics; patient identification; "
        "identification; identifying data; patient demographics; patient details"
    ),
    "chief_complaint": (
        "chief complaint; chief complaints; cc; c c; presenting complaint; pc; reason for "
        "visit; reason for consultation; reason for consult; reason for admission; reason for "
        "referral; chief concern"
    ),
    "history_of_present_illness": (
        "history of present illness; hpi; history of the present illness; present illness; hpc; "
        "history of presenting complaint; interval history; interim history; subjective; hx of "
        "present illness; history of presenting illness; hopi; clinical history; brief history"
    ),
    "past_medical_history": (
        "past medical history; pmh; pmhx; medical history; past history; past med hx; prior "
        "medical history; past medical surgical history; pmh psh; past hx; significant past "
        "medical history; history; comorbidities"
    ),
    "past_surgical_history": (
        "past surgical history; psh; pshx; surgical history; prior surgeries; past surgeries; "
        "previous surgeries; operative history"
    ),
    "family_history": (
        "family history; fh; fhx; fmh; fam hx; family hx; family medical history; fam history"
    ),
    "social_history": (
        "social history; sh; shx; sochx; social hx; soc hx; personal history; habits; personal "
        "and social history; psychosocial history; occupational history"
    ),
    "obstetric_history": (
        "obstetric history; ob history; gynecologic history; ob gyn history; birth history; "
        "gynecological history; past ob history; menstrual history"
    ),
    "medications": (
        "medications; meds; current medications; medication; home medications; dhx; dh; drug "
        "history; medications on admission; admission medications; outpatient medications; "
        "current meds; home meds; medication list; medications prior to admission; medications "
        "at home; preadmission medications; rx; medication history"
    ),
    "discharge_medications": (
        "discharge medications; medications on discharge; medications at discharge; discharge "
        "meds; meds on discharge"
    ),
    "allergies": (
        "allergies; allergy; allergies and adverse reactions; drug allergies; medication "
        "allergies; all; adverse reactions; allergies medications; allergies and reactions"
    ),
    "immunizations": (
        "immunizations; immunisations; imm; vaccinations; immunization history; health maintenance"
    ),
    "problem_list": (
        "problem list; problems; active problems; active problem list; current problems; issues"
    ),
    "review_of_systems": (
        "review of systems; ros; review of symptoms; systems review; system review"
    ),
    "vital_signs": (
        "vital signs; vitals; vs; vitals reviewed; vital signs reviewed; observations; vss"
    ),
    "physical_examination": (
        "physical examination; physical exam; pe; px; examination; exam; objective; o e; on "
        "examination; general examination; pex; physical examination on admission; physical "
        "examination on discharge; physical exam on admission; physical exam on discharge; "
        "admission physical exam; discharge physical exam"
    ),
    "laboratory": (
        "laboratory; labs; laboratory data; lab data; laboratory results; lab results; "
        "laboratory studies; laboratory values; pertinent labs; pertinent laboratory data; "
        "admission labs; lab; blood tests; bloods"
    ),
    "imaging": (
        "imaging; radiology; images; radiologic studies; x rays; imaging studies; diagnostic "
        "imaging; radiographic studies; radiology results; imaging results; ecg; ekg; "
        "echocardiogram"
    ),
    "results": (
        "results; diagnostic studies; data; diagnostics; studies; investigations; test results; "
        "pertinent results; diagnostic data; laboratory and imaging; labs and imaging; "
        "diagnostic results; tests"
    ),
    "indication": (
        "indication; indications; clinical; clinical information; clinical indication; "
        "indication for procedure; reason for exam; reason for examination; reason for this "
        "examination; indications for procedure; reason for study"
    ),
    "technique": ("technique; comparison; comparisons; procedure technique; contrast; protocol"),
    "findings": (
        "findings; operative findings; intraoperative findings; gross description; microscopic "
        "description; gross; microscopic; pathology; final pathologic diagnosis; specimen; "
        "specimens; pathology report; pathologic findings"
    ),
    "procedures": (
        "procedure; procedures; operation; operations; procedures performed; procedure "
        "performed; operation performed; operative procedure; description of procedure; "
        "operative note; operative report; surgery; details of procedure; procedure in detail; "
        "operations and procedures; description of operation; anesthesia"
    ),
    "hospital_course": (
        "hospital course; course; hospital course by problem; hospital course by system; "
        "clinical course; brief hospital course; summary of hospital course; course in "
        "hospital; ed course; emergency department course; summary; hospital course and "
        "treatment; brief summary of hospital course; hospital course by systems"
    ),
    "diagnosis": (
        "diagnosis; diagnoses; dx; principal diagnosis; discharge diagnosis; discharge "
        "diagnoses; final diagnosis; admission diagnosis; admitting diagnosis; preoperative "
        "diagnosis; postoperative diagnosis; secondary diagnosis; secondary diagnoses; primary "
        "diagnosis; differential diagnosis; ddx; final diagnoses; admission diagnoses; "
        "associated diagnoses; pre operative diagnosis; post operative diagnosis; other "
        "diagnoses"
    ),
    "assessment": (
        "assessment; impression; imp; conclusion; conclusions; clinical impression; opinion; "
        "summary and impression; overall impression; final impression; formulation"
    ),
    "plan": (
        "plan; pln; plans; recommendations; recommendation; treatment plan; treatment; orders; "
        "plan of care; management; management plan; recs"
    ),
    "assessment_and_plan": (
        "assessment and plan; a p; ap; impression and plan; assessment and recommendations; "
        "impression and recommendations; imp plan"
    ),
    "consultations": ("consultations; consults; consultation; consultants; consulting physicians"),
    "disposition": (
        "disposition; discharge disposition; condition on discharge; discharge condition; "
        "condition; condition at discharge; discharge status; code status; dispo; condition of "
        "patient on discharge"
    ),
    "discharge": (
        "discharge; discharge instructions; instructions; patient instructions; discharge plan; "
        "diet; activity; discharge orders; safety netting; patient education; instructions to "
        "patient"
    ),
    "follow_up": (
        "follow up; followup; follow up instructions; follow up plans; follow up appointments; "
        "appointments; follow up appointment; f u; fu; follow up plan; scheduled appointments"
    ),
    "addendum": (
        "addendum; addenda; late entry; attending addendum; note addendum; attestation; "
        "attending note"
    ),
    "signature": (
        "signed; signed by; read by; interpreted by; electronically signed; electronically "
        "signed by; dictated by; dictator; signature; transcribed by; attending; attending "
        "physician; provider; physician; primary care physician; pcp; author; referring "
        "physician; report status; verified by; reviewed by; entered by; cosigned by; surgeon; "
        "assistant; copies to"
    ),
}

SECTIONS: tuple[str, ...] = tuple(_SPELLINGS)
"""Canonical names; `Tokens.sections` are indices into it."""

_NOT_LETTERS = re.compile("[^a-z]+")


def normalise_heading(heading: str) -> str:
    """A heading in small letters; numbering, signs and the word "and" become single blanks."""
    return _NOT_LETTERS.sub(" ", heading.lower()).replace(" and ", " ").strip()


_BY_SPELLING = {
    normalise_heading(spelling): index
    for index, spellings in enumerate(_SPELLINGS.values())
    for spelling in spellings.split(";")
}

LONGEST_HEADING = 48
"""Code points; longer beginnings of lines are not looked up."""

# Words that end prose lines as often as they head sections need their colon or capitals throughout.
_WITHOUT_COLON = frozenset(
    spelling for spelling in _BY_SPELLING if len(spelling) > 3 and spelling not in {"data", "tests"}
)


def section_of(heading: str, *, colon: bool) -> int:
    """The index in `SECTIONS` that a line's beginning names, or -1.

    Args:
        heading: the line before its first colon, or the whole line; with numbering or bullet.
        colon: whether a colon follows. Without one, the heading must be the whole line and be
            written in capitals or begin with one: "plan" alone on a line is no heading.
    """
    spelling = normalise_heading(heading)
    section = _BY_SPELLING.get(spelling, -1)
    if section < 0 or colon or (heading.isupper() and len(spelling) > 1):
        return section
    return section if spelling in _WITHOUT_COLON and heading[:1].isupper() else -1
