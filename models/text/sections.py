"""Section headings of clinical notes: canonical names, and how a heading is read.

The spellings are in `dictionaries/sections/`, a list for each section.
"""

from __future__ import annotations

import re

from ...dictionaries import phrase_set

_LISTS = (
    "headings_patient_information",
    "headings_chief_complaint",
    "headings_history_of_present_illness",
    "headings_past_medical_history",
    "headings_past_surgical_history",
    "headings_family_history",
    "headings_social_history",
    "headings_obstetric_history",
    "headings_medications",
    "headings_discharge_medications",
    "headings_allergies",
    "headings_immunizations",
    "headings_problem_list",
    "headings_review_of_systems",
    "headings_vital_signs",
    "headings_physical_examination",
    "headings_laboratory",
    "headings_imaging",
    "headings_results",
    "headings_indication",
    "headings_technique",
    "headings_findings",
    "headings_procedures",
    "headings_hospital_course",
    "headings_diagnosis",
    "headings_assessment",
    "headings_plan",
    "headings_assessment_and_plan",
    "headings_consultations",
    "headings_disposition",
    "headings_discharge",
    "headings_follow_up",
    "headings_addendum",
    "headings_signature",
)

SECTIONS: tuple[str, ...] = tuple(name.removeprefix("headings_") for name in _LISTS)
"""Canonical names; `Tokens.sections` are indices into it, so a new one goes last."""

_NOT_LETTERS = re.compile("[^a-z]+")


def normalise_heading(heading: str) -> str:
    """A heading in small letters; numbering, signs and the word "and" become single blanks."""
    return _NOT_LETTERS.sub(" ", heading.lower()).replace(" and ", " ").strip()


_BY_SPELLING = {
    normalise_heading(spelling): index
    for index, name in enumerate(_LISTS)
    for spelling in phrase_set(name)
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
