"""Surrogates and shifted dates by the steps of a run, rules alone."""

import dataclasses
import datetime
import importlib
import json
import time

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.batches import Batch
from scrubline.models.core.budgets import Budgets
from scrubline.models.core.documents import Documents, Rows
from scrubline.models.core.spans import Candidate, Candidates, Span
from scrubline.models.formats import FORMATS, Limits
from scrubline.models.jobs.output_rows import Tally, build_output_rows
from scrubline.models.jobs.shifted_columns import DateShifting
from scrubline.models.jobs.steps import StepResources, merge_batch, run_steps, scrub_batch
from scrubline.models.recognisers import DEFAULT_RECOGNISERS
from scrubline.models.redaction.actions import ACTIONS
from scrubline.models.redaction.merging import merge
from scrubline.models.redaction.merging_vectorized import merge_vectorized
from scrubline.models.redaction.policy import Policy
from scrubline.models.redaction.policy_file import load_policy
from scrubline.models.redaction.scrub import OffsetMap
from scrubline.models.redaction.stand_ins import StandIns

from ..conftest import HASHES, KEYS, columns, read, write_lines

EXPERT = load_policy("expert")
STAND_INS = StandIns(EXPERT, KEYS)
RESOURCES = StepResources(EXPERT, recognisers=tuple(DEFAULT_RECOGNISERS), stand_ins=STAND_INS)
ROLES = columns(id="id", mrn="patient", on="date", born="birth", text="text", more="text")


def batch_of(*notes, patient="pat"):
    """Documents with candidates, each of one row."""
    count = len(notes)
    rows = Rows(
        np.arange(count, dtype=np.int64),
        tuple(f"d{n}" for n in range(count)),
        (patient,) * count,
        (None,) * count,
        pa.table({}),
        np.arange(count, dtype=np.int64),
    )
    candidates = [(n, c) for n, (_, found) in enumerate(notes) for c in found]
    texts = Documents.of(*(text for text, _ in notes))
    return Batch(0, True, rows, texts, candidates=Candidates.of(candidates))


def filled(text, *found, patient="pat"):
    batch = batch_of((text, [Candidate(*one, 1.0) for one in found]), patient=patient)
    done = scrub_batch(merge_batch(batch, EXPERT, Budgets()), EXPERT, STAND_INS)
    assert not done.failures
    return done


def shown(text, *found, patient="pat"):
    return filled(text, *found, patient=patient).scrubbed.texts[0]


@pytest.mark.parametrize(
    ("text", "found", "marks"),
    [
        # A name that a date covers must not show where the date hardly moves.
        ("in May", [(3, 6, "DATE", "date"), (3, 6, "PATIENT", "crf:a")], ["[DATE]"]),
        ("in May", [(3, 6, "DATE", "date"), (3, 6, "DATE", "crf:a")], []),
        ("Friday May 3", [(0, 12, "DATE", "date"), (7, 10, "PATIENT", "crf:a")], ["[DATE]"]),
        # A State stays within a city, but not where it goes by itself.
        ("Salem, MA", [(0, 9, "CITY", "x"), (7, 9, "STATE", "crf:a")], ["[CITY]"]),
        ("Salem, MA", [(0, 9, "CITY", "x")], []),
        ("John Smith", [(0, 10, "PATIENT", "x"), (5, 10, "HOSPITAL", "crf:a")], []),
        # What is denied goes.
        ("in May", [(3, 6, "DATE", "deny")], ["[DATE]"]),
    ],
)
def test_what_may_show_is_taken_back(text, found, marks):
    out = shown(text, *found)
    assert [mark for mark in ("[DATE]", "[CITY]", "[PATIENT]") if mark in out] == marks


def test_both_ways_of_merging_agree_about_it():
    text = "in May or May 3 near Salem, MA with John Smith"
    places = [(3, 6, "DATE"), (10, 15, "DATE"), (21, 30, "CITY"), (36, 46, "PATIENT")]
    others = [(28, 30, "STATE"), (3, 6, "PATIENT"), (10, 13, "DATE"), (36, 40, "DOCTOR")]
    for extra in range(len(others) + 1):
        found = [Candidate(*one, "a", 1.0) for one in places]
        found += [Candidate(*one, "crf:b", 1.0) for one in others[:extra]]
        spans, left = merge_vectorized(Candidates.of([(0, c) for c in found]), [EXPERT], [text])
        whole = {span.start: span for span in merge(text, found, EXPERT)}
        for _, span in spans.rows():
            assert dataclasses.astuple(span) == dataclasses.astuple(whole[span.start])
        assert {c.start for _, c in left.rows()} | {s.start for _, s in spans.rows()} >= set(whole)


def test_an_age_up_to_89_stays_and_says_so():
    done = filled("aged 54 and 93", (5, 7, "AGE", "age"), (12, 14, "AGE", "age"))
    assert done.scrubbed.texts == ("aged 54 and 90+",)
    assert done.spans.actions == ("keep", "surrogate")
    # But not where somebody else wants it gone.
    text = shown("aged 54", (5, 7, "AGE", "age"), (5, 7, "IDNUM", "crf:a"))
    assert "54" not in text


def test_a_fragment_has_no_stand_in_of_its_own():
    done = filled("John Smith Jones", (0, 10, "PATIENT", "x"), (5, 16, "PATIENT", "crf:a"))
    assert done.spans.fragments.tolist() in ([False, True], [True, False])
    assert done.spans.replacements[done.spans.fragments.tolist().index(True)] == ""


NOTES = [
    {
        "id": n,
        "mrn": f"m{n % 3}" if n % 7 else None,
        "on": f"2024-0{1 + n % 9}-1{n % 10}",
        "born": f"{1920 + 7 * n % 80}-05-05",
        "text": text,
        "more": f"MRN: {7_000_000 + n}. Seen {n % 12 + 1}/{n % 28 + 1}/2019.",
    }
    for n, text in enumerate(
        [
            "Patient: SMITH, JOHN P. Dr. Ann Lee, 617-555-1234, saw Mr. Smith on 5/3/24.",
            "Mr. Smith, 93 y/o, seen 25/12/2023 and 12/25/2023. Christmas 2019. jsmith@mail.com",
            "",
            "🙂 Seen\r\non May 3rd, 2024 by Dr. García-López\x00 at St. Anne's Hospital.",
            None,
            "Dr. Smith: call (617) 234-9912 on 2/29/2024, 12/31/9999 or 1/1/99.",
            "no identifiers, 1/2 tab daily",
            "&lt;p&gt;Dr. Garc&iacute;a saw Mr. S&#109;ith on 5/3/24&lt;/p&gt;",
            "x" * 20_000 + " Dr. Ann Lee on 5/3/24",
        ]
    )
]


def results(path, notes, cap=256):
    write_lines(path / "in.jsonl", *(json.dumps(note) for note in notes))
    out = []
    for batch in read(
        path / "in.jsonl",
        ROLES,
        limits=Limits(batch_documents=cap),
        shifting=DateShifting.of(EXPERT),
    ):
        out.append(
            build_output_rows(
                run_steps(batch, RESOURCES),
                run="r",
                form=FORMATS["jsonl"],
                columns=ROLES,
                detector_hashes=HASHES,
            )
        )
    return out


def rows(found, table):
    return [
        row
        for result in found
        for row in (result.data if table == "data" else result.tables[table]).to_pylist()
    ]


def by_key(found, table):
    return sorted(
        (json.dumps({k: v for k, v in row.items() if k not in ("unit", "ordinal")}, default=str))
        for row in rows(found, table)
    )


TABLES = ("data", "audit", "documents", "quarantine")


@pytest.mark.parametrize("cap", [1, 2, 100])
def test_batches_and_order_do_not_matter(cap, tmp_path):
    whole = results(tmp_path / "whole", NOTES)
    other = results(tmp_path / "other", NOTES[::-1], cap)
    for table in TABLES:
        assert by_key(whole, table) == by_key(other, table)
    digests = [Tally.total(r.tally for r in found).to_json() for found in (whole, other)]
    assert digests[0] == digests[1] and digests[0]["counts"]["rows_quarantined"] == 0


@pytest.mark.parametrize("now", [915_148_800.0, 4_070_908_800.0])
def test_no_clock_decides(now, tmp_path, monkeypatch):
    expected = results(tmp_path / "a", NOTES)
    with monkeypatch.context() as frozen:
        frozen.setattr(time, "time", lambda: now)
        frozen.setattr(time, "localtime", lambda seconds=now: time.gmtime(seconds))

        class Frozen(datetime.date):
            @classmethod
            def today(cls):
                raise AssertionError("a clock was asked")

        for name in ("reading", "written", "values", "ages", "orders"):
            module = importlib.import_module(f"scrubline.models.dates.{name}")
            if hasattr(module, "datetime"):
                frozen.setattr(
                    module, "datetime", type("Clock", (), {**vars(datetime), "date": Frozen})
                )
        found = results(tmp_path / "b", NOTES)
    assert by_key(found, "data") == by_key(expected, "data")


def test_what_is_counted(tmp_path):
    found = results(tmp_path, NOTES)
    documents = rows(found, "documents")
    spans = rows(found, "audit")
    for row in documents:
        own = [s for s in spans if (s["doc_key"], s["field"]) == (row["doc_key"], row["field"])]
        put = sum(s["action"] == "surrogate" and not s["fragment"] for s in own)
        marked = sum(
            s["label"] == "DATE" and s["action"] == "redact" and not s["fragment"] for s in own
        )
        # Of a row without a patient its two columns of dates are counted with the first text.
        columns_unread = 2 * (row["patient_key"] is None and row["field"] == "text")
        assert row["surrogates"] == put and row["roster"] is None
        assert row["dates_unread"] == marked + columns_unread
    assert sum(row["dates_ambiguous"] for row in documents) == 1
    assert {s["precision"] for s in spans if s["action"] == "shift"} >= {"day"}
    assert all((s["precision"] is not None) == (s["action"] == "shift") for s in spans)


WORDS = st.sampled_from(
    ["John", "Smith", "May", "5/3/24", "May 3", "Friday", "93", "Salem, MA", "ok", "\n", "é🙂",
     "617-234-9912", "ßA", "2/29/2024", "12/31/9999", "\x00", "St. Anne's Hospital"]
)  # fmt: skip
LABELS = st.sampled_from(["PATIENT", "DOCTOR", "DATE", "CITY", "AGE", "PHONE", "STATE", "HOSPITAL"])


@st.composite
def notes_with_candidates(draw):
    pieces = draw(st.lists(WORDS, min_size=1, max_size=8))
    text = " ".join(pieces)
    found = []
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, min(len(text), start + 14)))
        detector = draw(st.sampled_from(["date", "crf:a", "deny", "propagation:a"]))
        found.append(Candidate(start, end, draw(LABELS), detector, 1.0))
    return text, found


@given(notes_with_candidates(), st.sampled_from(["pat", None]))
def test_nothing_else_changes_and_offsets_map(note, patient):
    text, found = note
    merged = merge_batch(batch_of((text, found), patient=patient), EXPERT, Budgets())
    done = scrub_batch(merged, EXPERT, STAND_INS)
    assert not done.failures
    out, before = done.scrubbed.texts[0], merged.spans
    at = out_at = 0
    places = zip(done.spans.rows(), done.scrubbed.out_starts, done.scrubbed.out_ends, strict=True)
    for (_, span), start, end in places:
        assert text[at : span.start] == out[out_at:start]
        shown = out[start:end]
        covered = text[span.start : span.end]
        assert shown == (covered if span.replacement is None else span.replacement)
        if span.action == "surrogate" and span.label != "AGE":
            assert shown.casefold() != covered.casefold()
        if span.action in ("shift", "surrogate"):
            assert ACTIONS[span.action].serves(span.label) and not span.fragment
        if patient is None:
            assert span.action != "shift"
        at, out_at = span.end, end
    assert text[at:] == out[out_at:]
    # Places, labels and sources are those of merging; what stays stays.
    assert [s[:3] for s in map(_place, done.spans.rows())] == [
        s[:3] for s in map(_place, before.rows())
    ]
    for (_, one), (_, other) in zip(before.rows(), done.spans.rows(), strict=True):
        if one.action in ("keep", "mask"):
            assert one == other
    spans = [Span(*dataclasses.astuple(span)) for _, span in done.spans.rows()]
    mapped = OffsetMap.of(spans, done.scrubbed.out_starts, done.scrubbed.out_ends)
    assert mapped.to_scrubbed(len(text), "end") == len(out)


def _place(row):
    span = row[1]
    return span.start, span.end, span.label, span.source


def test_a_policy_without_them_is_as_it_was():
    plain = Policy("a")
    merged = merge_batch(
        batch_of(("Smith", [Candidate(0, 5, "PATIENT", "x", 1.0)])), plain, Budgets()
    )
    done = scrub_batch(merged, plain, None)
    assert done.scrubbed.stand_ins is None and done.scrubbed.texts == ("[PATIENT]",)
