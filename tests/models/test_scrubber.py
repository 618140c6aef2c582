import copy
import dataclasses
import doctest
import math
import pickle

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline import Scrubber, models
from scrubline.models import scrubber
from scrubline.models.bundles.bundle import open_bundle
from scrubline.models.core.budgets import Budgets
from scrubline.models.core.errors import DocumentError, DocumentsFailed, UsageError
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
    assert "2012" not in repr(RULES)


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


# -- several texts, and what is no text


class NAType:
    """What `pandas.NA` is to those who do not load pandas."""

    def __eq__(self, other):
        return self

    def __bool__(self):
        raise TypeError("boolean value of NA is ambiguous")

    __hash__ = None
    __module__ = "pandas._libs.missing"


@pytest.mark.parametrize("missing", [None, math.nan, np.float64("nan"), NAType()])
def test_what_says_that_there_is_no_text_comes_back_as_it_is(missing):
    assert RULES.scrub(missing) is missing
    assert RULES.scrub_many([missing, "3/4/2012"])[0] is missing
    with pytest.raises(DocumentError, match="NotText"):
        RULES.explain(missing)


@pytest.mark.parametrize("wrong", [7, 1.5, b"3/4/2012", ["3/4/2012"], object()])
def test_what_is_neither_a_text_nor_missing_is_refused(wrong):
    with pytest.raises(DocumentError, match="^NotText$"):
        RULES.scrub(wrong)
    with pytest.raises(DocumentsFailed):
        RULES.scrub_many([wrong])


def test_many_texts_come_out_as_one_by_one_in_order():
    texts = [f"Seen {n}/4/2012, MRN {1234500 + n}, " + "x " * (n % 7) for n in range(1, 12)] * 20
    texts[3:3] = ["", "🙂 a@b.example"]
    one_by_one = [RULES.explain(text) for text in texts]
    assert RULES.explain_many(iter(texts)) == one_by_one
    assert RULES.scrub_many(texts) == [one.text for one in one_by_one]
    assert RULES.scrub_many([]) == []


def test_long_texts_are_worked_through_in_small_batches(monkeypatch):
    sizes = []
    monkeypatch.setattr(
        Scrubber, "_batch", lambda self, texts, *more: sizes.append(len(texts)) or NOTHING
    )
    monkeypatch.setattr(scrubber, "results_of", lambda batch, as_written: [None] * sizes[-1])
    RULES.explain_many(["x" * 200_000] * 5 + ["y"] * 130)
    assert sizes == [2, 2, 64, 64, 3]


NOTHING = object()


def test_one_text_that_fails_is_told_and_the_others_are_not_lost():
    texts = ["on 3/4/2012", "half \ud83d of Halvorsen", None, "on 4/5/2013", "x" * 50]
    scrubber = Scrubber(None, budgets=Budgets(document_bytes=40))
    with pytest.raises(DocumentsFailed) as caught:
        scrubber.scrub_many(texts)
    for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        assert error.texts == ["on [DATE]", None, None, "on [DATE]", None]
        assert {at: one.code for at, one in error.errors.items()} == {
            1: "LoneSurrogate",
            4: "OverBudget:bytes",
        }
        assert str(error).startswith(
            "2 of 5 texts cannot be scrubbed: LoneSurrogate (1), OverBudget:bytes (1)."
        )
        assert "Halvorsen" not in repr(error)
    found = scrubber.explain_many(texts)
    assert [type(one).__name__ for one in found] == [
        *("ScrubbedText", "DocumentError", "NoneType", "ScrubbedText", "OverBudget")
    ]


def test_a_text_that_a_step_fails_on_takes_no_other_along():
    scrubber = Scrubber(None, budgets=Budgets(tokens=4))
    found = scrubber.explain_many(["on 3/4/2012", "a b c d e f g h", "on 4/5"])
    assert [getattr(one, "code", None) for one in found] == [
        *("OverBudget:tokens", "OverBudget:tokens", None)
    ]


def test_note_types_go_with_their_texts(tmp_path):
    path = tmp_path / "site.toml"
    path.write_text(
        'name = "site"\nextends = "research"\n[note_types."letter"]\nactions = { DATE = "mask" }\n'
    )
    scrubber = Scrubber(models=None, policy=str(path), recognisers=("date",))
    texts = ["on 3/4/2012"] * 3
    assert scrubber.scrub_many(texts, note_types=["letter", None, "Letter"]) == [
        *("on ********", "on 3/4/2012", "on ********")
    ]
    assert scrubber.scrub_many(texts, note_types="letter") == ["on ********"] * 3
    with pytest.raises(UsageError, match="3 texts, but 1 note types"):
        scrubber.scrub_many(texts, note_types=["letter"])


# -- pickles and what is shown of a Scrubber


def test_a_pickle_holds_names_and_hashes_alone(tmp_path):
    path = tmp_path / "site.toml"
    path.write_text(
        'name = "site"\nextends = "hipaa"\n[deny]\nPATIENT = ["Zebulon Quuxworth"]\n'
        '[allow]\n"*" = ["Halvorsen sign"]\n[veto]\n"*" = ["Nosuchveto"]\n'
    )
    whole = Scrubber("en-default", policy=str(path), budgets=Budgets(tokens=5000))
    whole.scrub("Zebulon Quuxworth, MRN 1234567")
    pickled = pickle.dumps(whole)
    for canary in (b"Zebulon", b"zebulon", b"Halvorsen", b"halvorsen", b"osuchveto", b"1234567"):
        assert canary not in pickled
    assert len(pickled) < 10_000
    for one in (pickle.loads(pickled), copy.copy(whole), copy.deepcopy(whole)):
        assert one is not whole
        assert (one.names, repr(one)) == (whole.names, repr(whole))
        assert one.scrub("Zebulon Quuxworth, MRN 1234567") == "[PATIENT], MRN [MEDICALRECORD]"
        assert one.budgets == Budgets(tokens=5000)


def test_it_shows_what_it_is_and_no_place():
    shown = repr(Scrubber("en-default", policy="research", recognisers=("date", "email")))
    assert shown == "<Scrubber models=['en-default'] policy='research' recognisers=2>"
    assert repr(Scrubber("meddocan-hide", recognisers=(), native_labels=False)) == (
        "<Scrubber models=['meddocan-hide'] policy='hipaa' recognisers=0, native_labels=False>"
    )


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"models": (("en-default", "0" * 64),)}, "bundle en-default"),
        ({"policy": ("hipaa", "0" * 64)}, "policy hipaa"),
        ({"recognisers": (("date", "0" * 64),)}, "rule date"),
        ({"version": "0.0.1"}, "version of Scrubline"),
    ],
)
def test_on_arrival_another_bundle_policy_rule_or_version_is_refused(changed, said):
    names = dataclasses.replace(Scrubber("en-default", recognisers=("date",)).names, **changed)
    with pytest.raises(UsageError, match=f"^the {said} is another one here"):
        names.opened()


def test_a_policy_that_was_edited_meanwhile_is_refused(tmp_path):
    path = tmp_path / "site.toml"
    path.write_text('name = "site"\nextends = "hipaa"\n')
    pickled = pickle.dumps(Scrubber(None, policy=str(path)))
    path.write_text('name = "site"\nextends = "research"\n')
    with pytest.raises(UsageError, match="the policy site is another one here"):
        pickle.loads(pickled)
    path.unlink()
    with pytest.raises(UsageError):
        pickle.loads(pickled)


def test_what_was_given_opened_is_pickled_by_name_if_it_ships():
    given = Scrubber(open_bundle("en-default"), policy=load_policy("research"))
    assert pickle.loads(pickle.dumps(given)).names == given.names
    policy = dataclasses.replace(load_policy("research"), name="mine")
    with pytest.raises(UsageError, match="opened policy mine cannot be pickled"):
        pickle.dumps(Scrubber(None, policy=policy))
    bundle = dataclasses.replace(open_bundle("en-default"), name="own")
    with pytest.raises(UsageError, match="opened bundle own cannot be pickled"):
        pickle.dumps(Scrubber(bundle))


@pytest.mark.parametrize(
    "wrong", ["one text", b"one text", {"a": "text"}, pa.table({"a": ["text"]})]
)
def test_many_texts_are_no_text_mapping_or_table(wrong):
    with pytest.raises(UsageError, match="expected a list or column of texts"):
        Scrubber(models=None).scrub_many(wrong)
