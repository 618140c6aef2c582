import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline import Scrubber, models
from scrubline.models import scrubber
from scrubline.models.bundles.bundle import open_bundle
from scrubline.models.core.budgets import Budgets
from scrubline.models.core.errors import DocumentError, UsageError
from scrubline.models.recognisers import DEFAULT_RECOGNISERS
from scrubline.models.redaction.policy_file import load_policy

from ..examples import examples

RULES = Scrubber(models=None)


def test_the_example_of_the_module_holds():
    result = doctest.testmod(scrubber)
    assert (result.attempted >= 2, result.failed) == (True, 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("No complaints.", "No complaints."),
        ("Seen 3/4/2012. MRN: 1234567.", "Seen [DATE]. MRN: [MEDICALRECORD]."),
        ("🙂 a@b.example 🙂", "🙂 [EMAIL] 🙂"),
        ("\ufeffSeen 3/4/2012\r\n\r\n", "\ufeffSeen [DATE]\r\n\r\n"),
        ("\0 3/4/2012 \0", "\0 [DATE] \0"),
        ("1/2 tab daily, strength 5/5", "1/2 tab daily, strength 5/5"),
    ],
)
def test_texts(text, expected):
    assert RULES.scrub(text) == expected


@examples(100)
@given(st.text(alphabet=st.sampled_from("0123456789/-@.:aZé🙂 \n\r\0")))
def test_what_is_outside_of_spans_stays_and_what_is_in_them_goes(text):
    out, spans, at, out_at = RULES.scrub(text), RULES.spans(text), 0, 0
    for span in spans:
        same = text[at : span.start]
        assert out[out_at : out_at + len(same)] == same
        out_at += len(same)
        replacement = text[span.start : span.end] if span.replacement is None else span.replacement
        assert out[out_at : out_at + len(replacement)] == replacement
        out_at, at = out_at + len(replacement), span.end
    assert out[out_at:] == text[at:]


@pytest.mark.parametrize("text", ["half \ud83d", "\udc00", "ok \udfff 3/4/2012"])
def test_a_text_that_no_file_can_hold_is_held_back(text):
    with pytest.raises(DocumentError, match="LoneSurrogate"):
        RULES.scrub(text)


@pytest.mark.parametrize(
    ("budgets", "code"),
    [
        (Budgets(tokens=2), "OverBudget:tokens"),
        (Budgets(candidates=1), "OverBudget:candidates"),
        (Budgets(document_bytes=5), "OverBudget:bytes"),
        (Budgets(line_characters=5), "OverBudget:line"),
    ],
)
def test_a_text_over_its_budget_is_held_back(budgets, code):
    with pytest.raises(DocumentError, match=code) as caught:
        Scrubber(None, budgets=budgets).scrub("3/4/2012 and 4/5/2013")
    assert "2012" not in str(caught.value)


def test_the_policy_decides():
    assert (
        Scrubber("none", policy="research").scrub("Seen 3/4/2012, a@b.example")
        == "Seen 3/4/2012, [EMAIL]"
    )
    (date, email) = Scrubber("none", policy="research").spans("Seen 3/4/2012, a@b.example")
    assert (date.action, email.action) == ("keep", "redact")


def test_a_policy_may_be_given_opened():
    policy = load_policy("research")
    assert Scrubber(None, policy=policy).scrub("3/4/2012, a@b.example") == "3/4/2012, [EMAIL]"


def test_only_the_rules_asked_for_look():
    assert (
        Scrubber(models=None, recognisers=("email",)).scrub("3/4/2012 a@b.example")
        == "3/4/2012 [EMAIL]"
    )
    assert Scrubber(models=None, recognisers=()).scrub("3/4/2012") == "3/4/2012"
    assert RULES.recognisers == tuple(DEFAULT_RECOGNISERS)


def test_entities_are_typed_for_each_text_whatever_the_policy():
    found = Scrubber("none", policy="research").entities("3/4/2012", "", "a@b.example 4/5/2013")
    assert [[(e.start, e.end, e.label) for e in one] for one in found] == [
        [(0, 8, "DATE")],
        [],
        [(0, 11, "EMAIL"), (12, 20, "DATE")],
    ]
    assert RULES.entities() == []


@pytest.mark.parametrize(
    "how", [{"policy": "no-such"}, {"recognisers": ("tarot",)}, {"models": "no-such-bundle"}]
)
def test_what_does_not_exist_is_refused(how):
    models = (how.pop("models"),) if "models" in how else ()
    with pytest.raises((UsageError, DocumentError)):
        Scrubber(*models, **how).scrub("3/4/2012")


def test_texts_are_not_shown():
    assert "2012" not in repr(RULES).partition(" at 0x")[0]  # an address may spell anything


def test_a_policy_may_ask_for_the_note_type(tmp_path):
    path = tmp_path / "site.toml"
    path.write_text(
        'name = "site"\nextends = "research"\n[note_types."letter"]\nactions = { DATE = "mask" }\n'
    )
    scrubber = Scrubber(models=None, policy=str(path), recognisers=("date",))
    assert scrubber.scrub("on 3/4/2012") == "on 3/4/2012"
    assert scrubber.scrub("on 3/4/2012", note_type="Letter") == "on ********"
    assert [span.action for span in scrubber.spans("on 3/4/2012", note_type="Letter")] == ["mask"]


SPANISH = """Datos del paciente.
Nombre: Lucía.
Apellidos: Serrano Ibáñez.
NHC: 4829917.
Domicilio: Calle de la Ribera 14, 3º B.
Localidad/ Provincia: Logroño.
CP: 26004.
Fecha de nacimiento: 12/04/1961.
Médico: Andrés Quintana Rey NºCol: 26 26 41873.
Informe clínico del paciente: Mujer de 57 años con fiebre. PCR 12,5 mg/dl.
Remitido por: Dr. Andrés Quintana Rey. Correo electrónico: aquintana@correo.example
"""


def test_the_spanish_bundle_finds_what_a_form_holds_and_leaves_what_is_clinical():
    scrubber = Scrubber("meddocan-default", recognisers=())
    text = scrubber.scrub(SPANISH)
    for gone in ("Lucía", "Serrano", "4829917", "Ribera", "Logroño", "26004", "1961", "Quintana"):
        assert gone not in text
    for kept in ("Datos del paciente", "fiebre", "PCR 12,5 mg/dl", "Remitido por"):
        assert kept in text


@pytest.mark.parametrize("how", [((None,), {}), (("none",), {}), ((), {"models": "none"})])
def test_rules_alone_have_to_be_asked_for(how):
    words, options = how
    for one in (Scrubber(*words, **options), RULES, Scrubber(models=())):
        assert one.detectors == ()


def test_a_model_may_be_given_by_name_or_opened_in_order_or_as_models():
    bundle = open_bundle("en-default")
    for one in (Scrubber(bundle), Scrubber(models=bundle), Scrubber(models=["en-default"])):
        assert [detector.hash for detector in one.detectors] == [bundle.hash]


@pytest.mark.parametrize(
    "how",
    [(("en-default",), {"models": None}), (("en-default", "none"), {}), ((None, "en-default"), {})],
)
def test_models_that_contradict_each_other_are_refused(how):
    words, options = how
    with pytest.raises(UsageError, match="Scrubber: "):
        Scrubber(*words, **options)


def test_the_former_import_works_and_names_the_new_one():
    with pytest.warns(DeprecationWarning, match="`from scrubline import Scrubber`") as warned:
        from scrubline.models import Scrubber as former
    assert former is Scrubber
    assert {warning.filename for warning in warned} == {__file__}
    with pytest.raises(AttributeError, match="has no attribute 'Scruber'"):
        models.Scruber
