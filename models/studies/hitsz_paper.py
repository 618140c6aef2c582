"""What Liu et al. 2015 (HITSZ) report: the figures that studies stand beside ours."""

from __future__ import annotations

from collections.abc import Mapping

PAPER = (
    'Liu et al. 2015, "Automatic de-identification of electronic medical records using token-level'
    ' and character-level conditional random fields"'
)

CRITERIA: Mapping[str, tuple[str, float, float]] = {
    "token": ("i2b2_2014_token", 94.61, 94.64),
    "strict": ("strict", 91.85, 91.24),
    "relaxed": ("i2b2_2014_relaxed", 92.15, 91.63),
    "HIPAA token": ("i2b2_2014_hipaa_token", 96.37, 96.62),
    "HIPAA strict": ("i2b2_2014_hipaa_strict", 94.31, 94.09),
    "HIPAA relaxed": ("i2b2_2014_hipaa_relaxed", 94.72, 94.55),
}
"""Table 3: criterion -> our metric, macro F and micro F of the paper."""

COMBINATIONS: Mapping[str, tuple[tuple[str, ...], float]] = {
    "token": (("token",), 83.70),
    "character": (("character",), 90.51),
    "rule": (("rule",), 3.226),
    "token + character": (("token", "character"), 91.04),
    "token + rule": (("token", "rule"), 83.90),
    "character + rule": (("character", "rule"), 90.72),
    "merged": (("token", "character", "rule"), 91.24),
}
"""Table 4: combination -> its classifiers, and strict micro F of the paper."""

ABLATIONS: Mapping[str, tuple[float, float]] = {
    "all": (83.70, 90.51),
    "bag": (73.98, 86.93),
    "pos": (83.68, 90.50),
    "sentence": (83.67, 90.43),
    "section": (83.28, 90.30),
    "ner": (82.91, 90.07),
    "representation": (83.16, 90.05),
}
"""Table 5: group left out -> strict micro F of the token and of the character CRF of the paper."""

CATEGORIES: Mapping[str, tuple[float, float, float]] = {
    "NAME": (76.18, 87.83, 88.07),
    "PROFESSION": (62.12, 56.92, 68.65),
    "LOCATION": (79.95, 77.06, 79.92),
    "AGE": (86.08, 92.86, 94.20),
    "DATE": (88.53, 97.36, 97.20),
    "CONTACT": (90.05, 86.33, 92.52),
    "ID": (90.59, 89.58, 91.12),
}
"""Table 6: category -> F of token CRF, character CRF and merged of the paper."""

DICTIONARIES_ADDED: Mapping[str, tuple[str, float, float]] = {
    "token": ("i2b2_2014_token", 94.64, 94.83),
    "strict": ("strict", 91.24, 91.57),
    "relaxed": ("i2b2_2014_relaxed", 91.63, 91.95),
}
"""§6: criterion -> our metric, micro F of the paper without and with dictionaries."""

RULED: Mapping[str, float] = {"token": 95.73, "character": 91.96, "rule": 97.92}
"""§5: classifier -> strict precision of the paper on the labels that rules find."""

AGREED: Mapping[str, tuple[int, int]] = {
    "NAME": (2113, 2031),
    "PROFESSION": (61, 60),
    "LOCATION": (1224, 1151),
    "AGE": (611, 607),
    "DATE": (4354, 4330),
    "CONTACT": (175, 171),
    "ID": (538, 524),
    "all": (9076, 8874),
}
"""§5: category -> how many spans both CRFs of the paper find alike, and how many are right."""
