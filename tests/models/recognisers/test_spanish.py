"""Rules for Spanish: what each finds, and near misses."""

import pytest
from scrubline.models.bundles.bundle import open_bundle
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import (
    DEFAULT_RECOGNISERS,
    ENGLISH_RECOGNISERS,
    SPANISH_RECOGNISERS,
)
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
    ("spanish_name", "abuelo ACV; madre, EPOC; la médica del trabajo", []),
    ("spanish_name", "MEDICA DEL TRABAJO; DRA. DEL CASTILLO", ["DEL CASTILLO"]),
    ("spanish_name", "Soy el médico. Venga hoy", []),
    ("spanish_age", "a las 12 a.m. del lunes", []),
    ("spanish_date", "día 3/7, curación; el día 3 de enfermedad; 24/7", ["3/7"]),
    ("spanish_institution", "HISTORIA CLÍNICA RÁPIDA; LABORATORIO DE MICROBIOLOGIA", []),
    ("spanish_number", "USUARIO IMPRESION: LSOTO4", ["LSOTO4"]),
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
    ("spanish_street", "Zapopan, Jal. y Apodaca N.L. CP", ["Jal.", "N.L."]),
    ("spanish_number", "póliza cero dos seis barra ocho", ["cero dos seis barra ocho"]),
    ("spanish_number", "muestra uno y dos de tres; caso uno de dos", []),
    ("spanish_number", "dedos uno, dos, tres y cuatro", []),
    ("spanish_number", "carné de afiliado A-1023445", ["A-1023445"]),
    ("spanish_institution", "lo cubre Adeslas, no el IESS", ["Adeslas", "IESS"]),
    ("spanish_institution", "el seguro, la mutua y la obra social", []),
    ("spanish_profession", "verdulera, antes peón rural", ["verdulera", "peón rural"]),
    ("spanish_profession", "violencia doméstica", []),
    ("spanish_street", "vive del parque 2 cuadras al norte y 50 m al este",
     ["del parque 2 cuadras al norte y 50 m al este"]),
    ("spanish_street", "camina 200 m sin dolor, 3 cuadras al día", []),
    ("spanish_street", "Domicilio: Rivadavia 4532", ["Rivadavia 4532"]),
    ("spanish_street", "alquila en Rivadavia 812 piso 3", ["Rivadavia 812 piso 3"]),
    ("spanish_street", "12 avenida 8-20, zona 11", ["12 avenida 8-20, zona 11"]),
    ("spanish_street", "Calle Luna núm. 3 entre Ríos y Tapia",
     ["Calle Luna núm. 3 entre Ríos y Tapia"]),
    ("spanish_street", "en el km 14 de la carretera a Toro", ["km 14 de la carretera a Toro"]),
    ("spanish_street", "Edif. Bahía, piso 4", ["Edif. Bahía, piso 4"]),
    ("spanish_street", "drenaje 4 norte; Paracetamol 650 piso", []),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "text", "expected"), FOUND)
def test_what_is_found(rule, text, expected):
    found = SPANISH_RECOGNISERS[rule].recognise(Document(text), Context())
    assert [text[c.start : c.end] for c in found] == expected


def test_they_run_only_with_a_bundle_that_names_them():
    assert not SPANISH_RECOGNISERS.keys() & DEFAULT_RECOGNISERS.keys()
    assert not SPANISH_RECOGNISERS.keys() & set(Scrubber("en-default").recognisers)
    rules = set(Scrubber("es-default").recognisers)
    assert rules == {*SPANISH_RECOGNISERS, *DEFAULT_RECOGNISERS} - ENGLISH_RECOGNISERS
    both = set(Scrubber("es-default", "en-default").recognisers)
    assert both == {*SPANISH_RECOGNISERS, *DEFAULT_RECOGNISERS}
    assert DEFAULT_RECOGNISERS.keys() >= ENGLISH_RECOGNISERS
    assert set(SPANISH_RECOGNISERS) <= set(open_bundle("es-default").recipe.rules)
