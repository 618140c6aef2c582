"""Match and Guard over batches: whom a row is of, what is found, what is asserted."""

import dataclasses
import json
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.batches import Batch, Failure
from scrubline.models.core.documents import Documents, Rows
from scrubline.models.core.errors import OverBudget, Shortage
from scrubline.models.core.known_values import KnownValue
from scrubline.models.formats import FORMATS
from scrubline.models.formats.column_roles import Columns
from scrubline.models.formats.text_markup import opened_as
from scrubline.models.jobs import roster_steps
from scrubline.models.jobs.roster_steps import PassingColumns
from scrubline.models.jobs.steps import StepResources, run_steps
from scrubline.models.redaction.policy import Policy
from scrubline.models.redaction.policy_file import load_policy
from scrubline.models.roster.people import KnownPeople, whose
from scrubline.models.roster.sealing import RosterError

from ...examples import examples

ZELDA = (
    KnownValue.of("self", "name", "Zelda Quimby"),
    KnownValue.of("self", "birth", "1950-03-04"),
    KnownValue.of("self", "mrn", "00987654"),
    KnownValue.of("self", "street", "12 Maplewood Dr"),
    KnownValue.of("relative", "name", "Yorick Brandenquist"),
)
NOTE = "QUIMBY, Z., born 3/4/50, MRN 987654, 12 Maplewood Drive; yorrick called. BP 120/80."


class Bundle:
    """A roster by patient key; a value that is an error is raised."""

    def __init__(self, **patients):
        self.patients, self.asked = patients, []

    def sealed(self, key):
        self.asked.append(key)
        return self.patients.get(key)

    def opened(self, key, sealed):
        if isinstance(sealed, Exception):
            raise sealed
        return sealed


def people(fuzzy=1, **patients):
    return KnownPeople(Bundle(**({"p1": ZELDA} | patients)), None, fuzzy)


def batch_of(*notes, known=(), columns=None, firsts=None, types=None):
    """Notes as (patient key, text)."""
    count = len(notes)
    places = np.arange(count)
    rows = Rows(
        places,
        tuple(f"d{n}" for n in range(count)),
        tuple(key for key, _ in notes),
        types or (None,) * count,
        columns if columns is not None else pa.table({}),
        places if firsts is None else np.array(firsts),
        known=known,
    )
    return Batch(0, True, rows, Documents.of(*(text for _, text in notes)))


def run(batch, who, policy="hipaa", passing=None, recognisers=(), last="GuardRoster"):
    resources = StepResources(
        policy if isinstance(policy, Policy) else load_policy(policy),
        recognisers=recognisers,
        people=who,
        passing=None if passing is None else lambda unit: passing,
    )
    return run_steps(batch, resources, last=last)


def test_what_the_roster_knows_of_a_patient_is_removed_from_the_own_notes_alone():
    done = run(batch_of(("p1", NOTE), ("p2", NOTE), (None, NOTE)), people())
    assert done.failures == {}
    assert done.scrubbed.texts == (
        "[PATIENT], born [DATE], MRN [MEDICALRECORD], [STREET]; [PATIENT] called. BP 120/80.",
        NOTE,
        NOTE,
    )
    assert done.in_roster == (True, False, False)
    kinds = {whose(span.detectors) for _, span in done.spans.rows()}
    assert kinds == {"self", "relative"}


def test_a_patient_is_looked_up_once_a_batch_and_step():
    who = people()
    run(batch_of(*[("p1", NOTE)] * 5, ("p2", "x")), who)
    assert who.bundle.asked == ["p1", "p2"] * 2


def test_values_of_the_row_itself_are_known_with_and_without_a_roster():
    known = ((KnownValue.of("self", "name", "Octavia Vance"),), ())
    notes = (("p1", "OCTAVIA and Quimby"), ("p1", "Octavia and Quimby"))
    done = run(batch_of(*notes, known=known), people())
    assert done.scrubbed.texts == ("[PATIENT] and [PATIENT]", "Octavia and [PATIENT]")
    done = run(batch_of(*notes, known=known), KnownPeople())
    assert done.scrubbed.texts == ("[PATIENT] and Quimby", "Octavia and Quimby")
    assert done.in_roster == (None, None)


def test_what_any_row_of_a_note_knows_is_known_of_all_of_it():
    known = ((), (KnownValue.of("self", "name", "Octavia Vance"),), ())
    batch = batch_of(
        (None, "Octavia and Quimby"), ("p1", ""), (None, "Octavia, Quimby"), known=known,
        firsts=[0, 0, 2],
    )  # fmt: skip
    done = run(batch, people())
    assert done.scrubbed.texts[0] == "[PATIENT] and [PATIENT]"
    assert done.scrubbed.texts[2] == "Octavia, Quimby"


def test_a_kept_label_is_neither_looked_for_nor_asserted():
    policy = Policy("keeping", {"PATIENT": "keep", "DATE": "keep"})
    done = run(batch_of(("p1", NOTE)), people(), policy)
    assert done.failures == {}
    kept = "QUIMBY, Z., born 3/4/50, MRN [MEDICALRECORD], [STREET]"
    assert done.scrubbed.texts[0].startswith(kept)


def test_nothing_that_a_policy_allows_or_vetoes_saves_a_name():
    policy = Policy(
        "lists", veto={"*": frozenset({"quimby"})}, allow={"*": frozenset({"dr quimby", "quimby"})}
    )
    assert run(batch_of(("p1", "Dr Quimby")), people(), policy).scrubbed.texts == ("Dr [PATIENT]",)


def test_a_policy_of_a_note_type_holds_for_match_and_guard():
    policy = Policy("all", note_types={"letter": Policy("all", {"PATIENT": "keep"})})
    done = run(batch_of(*[("p1", "Quimby")] * 2, types=("letter", "note")), people(), policy)
    assert done.failures == {}
    assert done.scrubbed.texts == ("Quimby", "[PATIENT]")


def test_texts_in_disguise_are_matched_as_they_are_read():
    texts = ("Q&#117;imby", "<b>Qu</b>imby is here", "name: Z e l d a", "\\u0051uimby")
    done = run(batch_of(*(("p1", f"First line.\n{text}\nLast line.") for text in texts)), people())
    for text in done.scrubbed.texts:
        assert "imby" not in text.lower() and "[PATIENT]" in text


@pytest.mark.parametrize(
    ("row", "error"),
    [
        (OverBudget("roster"), "OverBudget:roster"),
        (RosterError("does not open"), "DamagedRosterRow"),
        (KeyError("x"), "DamagedRosterRow"),
    ],
)
def test_a_row_of_the_roster_that_cannot_be_used_fails_the_rows_of_its_patient(row, error):
    done = run(batch_of(("p1", NOTE), ("bad", "x"), ("bad", "y")), people(bad=row))
    assert done.failures == {1: Failure("match", error), 2: Failure("match", error)}
    assert done.in_roster == (True, None, None)
    assert "Quimby" not in done.scrubbed.texts[0]


def test_a_row_and_its_own_columns_over_the_budget_fail_together():
    many = tuple(KnownValue.of("relative", "given", f"Quuxa{n:03d}x") for n in range(200))
    done = run(batch_of(("p1", "x"), ("p2", "y"), known=(many, many)), people())
    assert done.failures == {0: Failure("match", "OverBudget:roster")}


@pytest.mark.parametrize("error", [MemoryError(), OSError(24, "too many")])
def test_what_the_machine_lacks_fails_the_batch(error):
    with pytest.raises(Shortage):
        run(batch_of(("p1", NOTE), ("bad", "x")), people(bad=error))


def test_a_damaged_file_fails_the_run_and_no_row():
    who = people()
    who.bundle.sealed = lambda key: (_ for _ in ()).throw(RosterError("cut"))
    with pytest.raises(RosterError):
        run(batch_of(("p1", NOTE)), who)


# -- Guard

JSONL = FORMATS["jsonl"]
PASSING = Columns.parse(
    [("id", "id"), ("text", "text"), ("a", "pass"), ("kind", "type"), ("h", "hash"), ("b", "pass")]
)


def guarded(columns, partition=(), form=JSONL, roles=PASSING, policy="hipaa"):
    size = len(next(iter(columns.values())))
    table = pa.table({name: pa.array(cells) for name, cells in columns.items()})
    batch = batch_of(*[("p1", "seen")] * size, columns=table)
    done = run(batch, people(), policy, PassingColumns(form, roles, partition))
    return [done.failures[row].error if row in done.failures else None for row in range(size)]


def test_columns_that_pass_are_asserted_whatever_they_hold():
    cells = {
        "a": [
            '"E11"', '"Quimby"', "987654", '["x", {"k": "zelda"}]', '{"quimby": 1}',
            '"1950-03-04"', '"12 Maplewood Dr"', "null", "987654.0", '"\\u0051uimby"', "true",
        ],
    }  # fmt: skip
    assert guarded(cells) == [
        None, "OwnName", "OwnNumber", "OwnName", "OwnName",
        "OwnDate", "OwnAddress", None, "OwnNumber", "OwnName", None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("known_as", "value", "error"),
    [
        (("birth", "1950-03-04"), "19500304", "OwnDate"),
        (("birth", "1950-03-04"), "04-Mar-1950", "OwnDate"),
        (("birth", "1950-03-04"), "04MAR1950", "OwnDate"),
        (("birth", "1950-03-04"), "19500304120000", "OwnDate"),
        (("birth", "1950-03-04"), "born 4 March 1950", "OwnDate"),
        (("phone", "(555) 123-4567"), "Rm 4 555-123-4567", "OwnNumber"),
        (("phone", "+34 612 345 678"), "612345678", "OwnNumber"),
        (("name", "Grace May White"), "White, Grace May", "OwnName"),
        (("name", "Grace White"), "Grace_White", "OwnName"),
        (("name", "Dean Judge"), "with Dean Judge", "OwnName"),
        (("name", "Bo Xu"), "XU, BO", "OwnName"),
        (("name", "Müllerschön"), "Muellerschoen", "OwnName"),
        (("street", "12 Maplewood Dr"), "12, Maplewood Drive", "OwnAddress"),
        (("mrn", "00987654"), "987654MRN", "OwnNumber"),
        # A value of a column of its own is no name, and no place of living.
        (("name", "Grace White"), "White", None),
        (("name", "Long"), "Long stay", None),
        (("city", "Springfield"), "Springfield", None),
        (("name", "Quimby"), "Quimbly", None),
    ],
)
def test_what_passes_is_asserted_in_the_forms_that_are_matched_in_texts(known_as, value, error):
    table = pa.table({"a": [json.dumps(value)]})
    who = people(p1=(KnownValue.of("self", *known_as),))
    done = run(batch_of(("p1", "seen"), columns=table), who, passing=PassingColumns(JSONL, PASSING))
    assert [one.error for one in done.failures.values()] == ([error] if error else [])


def test_types_are_asserted_and_hashes_are_not_looked_at():
    cells = {"a": ['"x"'] * 2, "kind": ['"progress"', '"quimby"'], "h": ['"quimby"'] * 2}
    assert guarded(cells) == [None, "OwnName"]


def test_cells_side_by_side_are_not_one_value():
    # "12" and "Maplewood" would be a street line, and two numbers one record number.
    cells = {"a": ["12", "987"], "b": ['"Maplewood"', "654"]}
    assert guarded(cells) == [None, None]


def test_hive_keys_that_pass_are_asserted():
    assert guarded({"a": ['"x"']}, partition=(("b", "quimby"),)) == ["OwnName"]
    assert guarded({"a": ['"x"']}, partition=(("id", "quimby"), ("h", "quimby"))) == [None]


def test_values_at_paths_are_asserted():
    roles = Columns.parse(
        [("id", "id"), ("text", "text"), ("n.a", "pass", "path"), ("n.b[]", "pass", "path"),
         ("n.c", "drop", "path")]
    )  # fmt: skip
    cells = {"n": ['{"a": "x", "b": ["y"]}', '{"a": "Quimby"}', '{"b": ["x", "Zelda"]}']}
    assert guarded(cells, roles=roles) == [None, "OwnName", "OwnName"]


def test_times_that_python_cannot_hold_are_asserted_as_text():
    parquet = FORMATS["parquet"]
    when = pa.array([0, 253_402_300_800_000_001], pa.timestamp("us"))
    who = PassingColumns(parquet, Columns.parse([("i", "id"), ("t", "text"), ("a", "pass")]))
    table = pa.table({"a": when})
    done = run(batch_of(*[("p1", "x")] * 2, columns=table), people(), passing=who)
    assert done.failures == {}


def test_rows_of_which_nothing_is_known_are_not_asserted():
    table = pa.table({"a": ['"Quimby"'] * 3})
    passing = PassingColumns(JSONL, PASSING)
    batch = batch_of((None, "x"), ("p2", "x"), ("p1", "x"), columns=table)
    done = run(batch, people(), passing=passing)
    assert done.failures == {2: Failure("guard", "OwnName")}


def test_a_guard_that_raises_fails_its_row(monkeypatch):
    class Broken(roster_steps.Guard):
        def violations(self, text):
            if "b" in text:
                raise LookupError(text)
            return super().violations(text)

    monkeypatch.setattr(roster_steps, "Guard", Broken)
    done = run(batch_of(("p1", "a"), ("p1", "b")), people())
    assert done.failures == {1: Failure("guard", "LookupError")}


@pytest.mark.parametrize(
    ("part", "text", "error"),
    [
        ("name_runs", "seen quimby", "OwnName"),
        ("name_runs", "Yorick called", "OwnName"),
        ("_of_numbers", "MRN 00987654", "OwnNumber"),
        ("_of_addresses", "at 12 Maplewood Dr", "OwnAddress"),
        ("_births", "b. 03/04/1950", "OwnDate"),
    ],
)
def test_without_a_part_of_match_the_guard_holds_the_row_back(monkeypatch, part, text, error):
    from scrubline.models.roster import matcher

    if part == "name_runs":
        monkeypatch.setattr(matcher, part, lambda *found: ())
    elif part == "_births":
        monkeypatch.setattr(matcher, "birth_dates", lambda value: ())
    else:
        monkeypatch.setattr(matcher.Matcher, part, lambda self, view: ())
    done = run(batch_of(("p1", text), ("p2", text)), people())
    assert done.failures == {0: Failure("guard", error)}


# -- any text

_WORDS = st.sampled_from(
    [
        *("Quimby", "zelda", "QUIMBY", "Zelda Quimby", "Quimby, Z.", "Qu1mby", "quimby's"),
        *("987654", "3/4/1950", "March 4, 1950", "12 Maplewood Drive", "Yorick", "BRANDENQUIST"),
        *("\n", "-\n", "\r\n", "\x00", "\ud800", "🙂", "\u200f", "&#81;uimby", "<b>", "[PATIENT]"),
        *("seen", "the", "."),
    ]
)


@examples(200)
@given(st.lists(st.tuples(_WORDS, st.sampled_from(["", " ", " ", ", "])), max_size=14))
def test_behind_match_the_guard_is_silent_on_any_text(pieces):
    text = "".join(word + gap for word, gap in pieces)
    done = run(batch_of(("p1", text)), people())
    assert done.failures == {}


def test_a_note_that_is_the_roster_itself():
    text = "\n".join(f"{v.kind},{v.attribute},{v.value}" for v in ZELDA)
    done = run(batch_of(("p1", text)), people())
    assert done.failures == {}
    assert not {"zelda", "quimby", "yorick", "maplewood"} & set(
        done.scrubbed.texts[0].lower().split()
    )


@pytest.mark.parametrize(
    "name",
    [
        "Q",
        "李小龙",
        "Наталья Щербакова",
        "🙂 Quimby",
        "\u202eybmiuQ\u202c",
        " ".join(["Quuxa"] * 40),
        "",
    ],
)
def test_names_of_any_form_neither_stop_a_run_nor_get_out(name):
    known = ((KnownValue.of("self", "name", name),),)
    done = run(batch_of(("p2", f"seen: {name} here. BP 120/80")), KnownPeople())
    assert done.failures == {}
    done = run(batch_of(("p2", f"seen: {name} here. BP 120/80"), known=known), KnownPeople())
    assert done.failures == {}
    assert done.scrubbed.texts[0].endswith("here. BP 120/80")


def test_a_value_that_is_no_text_of_ours_has_one():
    class Odd:
        def __str__(self):
            raise LookupError

    cells = SimpleNamespace(nesting=None, decode=lambda column: [Odd(), "x"])
    done = run(
        batch_of(*[("p1", "a")] * 2, columns=pa.table({"a": [0, 1]})),
        people(),
        passing=PassingColumns(cells, PASSING),
    )
    assert done.failures == {0: Failure("guard", "LookupError")}


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("<note><Quimby>x</Quimby></note>", "OwnName"),
        ("<note ZeldaQuimby='x'>x</note>", "OwnName"),
        ("<note xmlns:quimby='urn:x'>x</note>", "OwnName"),
        ("<note><dr_brandenquist/>x</note>", "OwnName"),
        ("<note><plan><maple/></plan>x</note>", None),
        ("<p class='Quimby'>x</p>", None),
    ],
)
def test_a_name_that_an_element_has_holds_the_row_back(source, error):
    batch = batch_of(("p1", source))
    written = {0: opened_as("xml", source)}
    documents = Documents(("x",), batch.documents.rows, ("text",), written=written)
    done = run(dataclasses.replace(batch, documents=documents), people())
    assert {row: one.error for row, one in done.failures.items()} == ({0: error} if error else {})
