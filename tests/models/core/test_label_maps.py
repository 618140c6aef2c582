from __future__ import annotations

import fsspec
import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.core.label_maps import load_map
from scrubline.models.core.labels import HIPAA_OF, LABELS

# Typed from the corpora's descriptions, not read from the maps.
FOREIGN = {
    "hipaa18": "A B C D E F G H I J K L M N O P Q R",
    "i2b2_2006": "PATIENT DOCTOR HOSPITAL ID DATE LOCATION PHONE AGE",
    "tab": "DATETIME ORG DEM LOC PERSON MISC CODE QUANTITY",
    "meddocan": """
        TERRITORIO FECHAS EDAD_SUJETO_ASISTENCIA NOMBRE_SUJETO_ASISTENCIA NOMBRE_PERSONAL_SANITARIO
        SEXO_SUJETO_ASISTENCIA CALLE PAIS ID_SUJETO_ASISTENCIA CORREO_ELECTRONICO
        ID_TITULACION_PERSONAL_SANITARIO ID_ASEGURAMIENTO HOSPITAL FAMILIARES_SUJETO_ASISTENCIA
        INSTITUCION ID_CONTACTO_ASISTENCIAL NUMERO_TELEFONO PROFESION NUMERO_FAX
        OTROS_SUJETO_ASISTENCIA CENTRO_SALUD ID_EMPLEO_PERSONAL_SANITARIO
        IDENTIF_VEHICULOS_NRSERIE_PLACAS IDENTIF_DISPOSITIVOS_NRSERIE NUMERO_BENEF_PLAN_SALUD
        URL_WEB DIREC_PROT_INTERNET IDENTF_BIOMETRICOS OTRO_NUMERO_IDENTIF""",
    "asq_phi": """
        GEOGRAPHIC_LOCATION NAME DATE MEDICAL_RECORD_NUMBER HEALTH_PLAN_BENEFICIARY_NUMBER
        PHONE_NUMBER EMAIL_ADDRESS SOCIAL_SECURITY_NUMBER UNIQUE_IDENTIFIER ACCOUNT_NUMBER
        FAX_NUMBER CERTIFICATE_LICENSE_NUMBER IP_ADDRESS VEHICLE_IDENTIFIER DEVICE_IDENTIFIER URL
        BIOMETRIC_IDENTIFIER FULL_FACE_PHOTO""",
    "physionet": """
        PTName PTNameInitial RelativeProxyName HCPName Location Date DateYear Phone Age Other""",
    # Those that occur in the published part, and their obvious sisters.
    "grascco_phi": """
        NAME_PATIENT NAME_DOCTOR NAME_RELATIVE NAME_EXT NAME_OTHER NAME_USERNAME NAME_TITLE DATE AGE
        ID PROFESSION LOCATION_HOSPITAL LOCATION_ORGANIZATION LOCATION_STREET LOCATION_CITY
        LOCATION_ZIP LOCATION_STATE LOCATION_COUNTRY LOCATION_OTHER CONTACT_PHONE CONTACT_FAX
        CONTACT_EMAIL CONTACT_URL""",
}
DIRECTIONS = [
    ("hipaa18", "from_native"),
    ("i2b2_2006", "from_native"),
    ("i2b2_2006", "to_native"),
    ("meddocan", "from_native"),
    ("meddocan", "to_native"),
    ("tab", "from_native"),
    ("tab", "to_native"),
    ("asq_phi", "to_native"),
    ("grascco_phi", "to_native"),
    ("physionet", "from_native"),
    ("physionet", "to_native"),
]


@pytest.mark.parametrize(("name", "direction"), DIRECTIONS)
def test_every_label_of_the_source_has_an_answer_in_the_target(name, direction):
    found = load_map(name, direction)
    foreign = set(FOREIGN[name].split())
    sources, targets = (
        (foreign, set(LABELS)) if direction == "to_native" else (set(LABELS), foreign)
    )
    assert set(found.table) == sources
    assert set(found.meanings) == targets
    assert {found.apply(label) for label in sources} <= targets | {None}
    assert any(found.apply(label) for label in sources)


def test_there_are_as_many_labels_as_the_papers_say():
    assert [len(FOREIGN[name].split()) for name in sorted(FOREIGN.keys() - {"grascco_phi"})] == [
        *(18, 18, 8, 29, 10, 8)
    ]
    assert len(LABELS) == 28 + 1  # and PHI of unknown kind


def test_the_hipaa_map_is_the_one_of_the_labels():
    found = load_map("hipaa18")
    assert {label: item for label, item in found.table.items() if item} == HIPAA_OF
    assert found.meanings["H"] == "medical record numbers"


@pytest.mark.parametrize(
    ("name", "direction", "label", "expected"),
    [
        ("i2b2_2006", None, "ID", "IDNUM"),
        ("i2b2_2006", "from_native", "FAX", "PHONE"),
        ("i2b2_2006", "from_native", "ZIP", "LOCATION"),
        ("i2b2_2006", "from_native", "PROFESSION", None),
        ("meddocan", None, "NOMBRE_SUJETO_ASISTENCIA", "PATIENT"),
        ("meddocan", None, "SEXO_SUJETO_ASISTENCIA", None),
        ("meddocan", None, "ID_ASEGURAMIENTO", "SSN"),
        ("meddocan", "from_native", "CITY", "TERRITORIO"),
        ("tab", None, "DEM", None),
        ("tab", "from_native", "AGE", "DEM"),
        ("asq_phi", None, "MEDICAL_RECORD_NUMBER", "MEDICALRECORD"),
        ("hipaa18", None, "DOCTOR", None),
        ("physionet", None, "RelativeProxyName", "PATIENT"),
        ("physionet", "from_native", "HOSPITAL", "Location"),
        ("physionet", "from_native", "PROFESSION", None),
        ("hipaa18", None, "PHI", "R"),
        ("i2b2_2006", "from_native", "PHI", None),
        ("meddocan", "from_native", "PHI", "OTROS_SUJETO_ASISTENCIA"),
        ("physionet", "from_native", "PHI", "Other"),
        ("tab", "from_native", "PHI", "MISC"),
    ],
)
def test_single_labels(name, direction, label, expected):
    assert load_map(name, direction).apply(label) == expected


def test_there_and_back_is_the_same_where_it_is_one_to_one():
    for name in ("i2b2_2006", "meddocan", "physionet", "tab"):
        there, back = load_map(name, "to_native"), load_map(name, "from_native")
        for label in ("PATIENT", "DATE"):
            assert there.apply(back.apply(label)) == label


def test_policies_do_not_get_milder_by_a_map():
    """A foreign label of mixed content leads to a native one that no shipped policy keeps."""
    for name, label in (
        ("meddocan", "TERRITORIO"),
        ("tab", "LOC"),
        ("asq_phi", "GEOGRAPHIC_LOCATION"),
        ("physionet", "Location"),
    ):
        assert load_map(name).apply(label) == "LOCATION-OTHER"


@pytest.mark.parametrize("label", ["", "date", "B-DATE", "NAME", "none"])
def test_unknown_labels_are_refused_with_the_known_ones(label):
    with pytest.raises(UsageError, match="unknown label; known: .*MEDICALRECORD") as caught:
        load_map("hipaa18").apply(label)
    # A label comes from a corpus: it may be a word in the wrong place.
    assert f"unknown label {label!r}; known" in caught.value.on_terminal


@pytest.mark.parametrize(
    ("name", "direction", "message"),
    [
        ("hipaa18", "to_native", r"no direction 'to_native'; it has \['from_native'\]"),
        ("asq_phi", "from_native", r"it has \['to_native'\]"),
        ("tab", "sideways", "no direction 'sideways'"),
        (
            "i2b2",
            None,
            "unknown label map .did you mean 'i2b2_2006'.*; expected one of .*'i2b2_2006'",
        ),
    ],
)
def test_what_is_not_there_is_refused(name, direction, message):
    with pytest.raises(UsageError, match=message):
        load_map(name, direction)


GOOD = """name = "site"
[labels]
WHO = "people"
REST = "rest"
[to_native]
WHO = "PATIENT"
none = ["REST"]
"""


def write(content):
    with fsspec.open("memory://maps/site.toml", "wb") as stream:
        stream.write(content.encode())
    return "memory://maps/site.toml"


def test_a_site_brings_its_own():
    found = load_map(write(GOOD))
    assert (found.source, found.target) == ("site", "native")
    assert found.apply("WHO") == "PATIENT" and found.apply("REST") is None


GROUPS = """name = "site"
[labels]
WHO = "people"
REST = "rest"
[from_native]
EMAIL = "WHO"
[from_native.by_hipaa_item]
A = "WHO"
D = "REST"
none = ["B", "C", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O", "P", "Q", "R"]
[from_native.by_category]
NAME = "REST"
"""


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("EMAIL", "WHO"),  # by itself
        ("PATIENT", "WHO"),  # by its item
        ("DOCTOR", "REST"),  # by its category, for it has no item
        ("USERNAME", "REST"),  # by its category, for its item has no counterpart
        ("FAX", None),
        ("STATE", None),
    ],
)
def test_many_labels_are_said_at_once(label, expected):
    assert load_map(write(GROUPS)).apply(label) == expected


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('D = "REST"\n', "", r"by_hipaa_item\]: \['D'\] are missing"),
        ('NAME = "REST"', 'NAMES = "REST"', r"by_category\]: unknown \['NAMES'\]"),
        ('NAME = "REST"', 'NAME = "X"', r"by_category\]: unknown targets of \['NAME'\]"),
        ("[from_native.by_hipaa_item]", "[from_native.by_item]", r"unknown \['by_item'\]"),
    ],
)
def test_wrong_groups_are_refused(old, new, message):
    assert old in GROUPS
    with pytest.raises(UsageError, match=message):
        load_map(write(GROUPS.replace(old, new)))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('none = ["REST"]', "", r"\['REST'\] are missing"),
        ('WHO = "PATIENT"', 'WHO = "NAME"', r"unknown targets of \['WHO'\]"),
        ('WHO = "PATIENT"', "WHO = 3", r"unknown targets of \['WHO'\]"),
        ('WHO = "PATIENT"', 'WHO = ["PATIENT"]', r"unknown targets of \['WHO'\]"),
        ('"REST"]', '"REST", "WHO"]', r"\['WHO'\] have a target and are also in none"),
        ('"REST"]', '"REST", "X"]', r"none: unknown labels \['X'\]"),
        ('WHO = "PATIENT"', 'WHO = "PATIENT"\nX = "DATE"', r"unknown \['X'\]"),
        ('name = "site"', 'name = "native"', "name: expected"),
        ('name = "site"', "", "name: expected"),
        ('REST = "rest"', "REST = 1", "table of strings"),
        ("[to_native]", "[to]", r"unknown \['to'\]"),
        ('[to_native]\nWHO = "PATIENT"\nnone = ["REST"]', "", r"\[from_native\] or both"),
        ('none = ["REST"]', 'none = ["REST"]\n[from_native]\n', "are missing"),
    ],
)
def test_incomplete_maps_are_refused(old, new, message):
    assert old in GOOD
    with pytest.raises(UsageError, match=message):
        load_map(write(GOOD.replace(old, new)))
