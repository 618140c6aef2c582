"""Rules for Spanish: what each finds, and near misses."""

import pytest
from scrubline.models.bundles.bundle import open_bundle
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import DEFAULT_RECOGNISERS, SPANISH_RECOGNISERS
from scrubline.models.scrubber import Scrubber

FOUND = [
    ("spanish_date", "vino el 3 de marzo de 2024 y en abril", ["3 de marzo de 2024", "abril"]),
    ("spanish_date", "ingreso 12-VI-2023, alta el domingo 18", ["12-VI-2023", "domingo 18"]),
    ("spanish_date", "en 2009, Nochebuena", ["2009", "Nochebuena"]),
    ("spanish_date", "dosis 10/5, grado II", []),
    ("spanish_date", "Julio refiere dolor", []),
    ("spanish_age", "varón de 53 años; Edad: 71", ["53", "71"]),
    ("spanish_age", "desde hace 15 años", []),
    ("spanish_name", "la Dra. Inés Rubio y su hija Asunción", ["Inés Rubio", "Asunción"]),
    ("spanish_name", "\nPaciente: RUBIO GIL, ANA", ["RUBIO GIL, ANA"]),
    ("spanish_name", "la madre Refiere dolor", []),
    ("spanish_number", "DNI: 18264735K, nº col. 40/2217", ["18264735K", "40/2217"]),
    ("spanish_number", "móvil 612 345 678", ["612 345 678"]),
    ("spanish_number", "enalapril/HCTZ 20/12,5", []),
    ("spanish_institution", "va al C.S. San Roque", ["C.S. San Roque"]),
    ("spanish_institution", "en Frutas Rubio S.L.", ["Frutas Rubio S.L."]),
    ("spanish_institution", "derivado a su Centro de Salud", []),
    ("spanish_profession", "Profesión: taxista", ["taxista"]),
    ("spanish_profession", "la enfermera avisa", []),
    ("spanish_street", "vive en C/ Olmo, 22", ["C/ Olmo, 22"]),
    ("spanish_street", "Cra. 45 # 12-34", ["Cra. 45 # 12-34"]),
    ("spanish_street", "en la calle", []),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "text", "expected"), FOUND)
def test_what_is_found(rule, text, expected):
    found = SPANISH_RECOGNISERS[rule].recognise(Document(text), Context())
    assert [text[c.start : c.end] for c in found] == expected


def test_they_run_only_with_a_bundle_that_names_them():
    assert not SPANISH_RECOGNISERS.keys() & DEFAULT_RECOGNISERS.keys()
    assert not SPANISH_RECOGNISERS.keys() & set(Scrubber("en-default").recognisers)
    rules = Scrubber("es-default").recognisers
    assert {*SPANISH_RECOGNISERS, *DEFAULT_RECOGNISERS} <= set(rules)
    assert set(SPANISH_RECOGNISERS) <= set(open_bundle("es-default").recipe.rules)
