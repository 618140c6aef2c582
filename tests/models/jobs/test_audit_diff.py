"""Two audits compared: a table, and a slow comparison that agrees."""

from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.jobs.audit import AUDIT, DOCUMENTS
from scrubline.models.jobs.audit_diff import (
    DOCUMENT_COLUMNS,
    SPAN_COLUMNS,
    SPAN_KINDS,
    AuditDiff,
    compare_audits,
)


def schema(names, table):
    return pa.schema([table.field(name) for name in names])


def documents(*rows):
    """Rows of (doc_key, field, status, characters, tokens)."""
    return pa.Table.from_pylist(
        [dict(zip(DOCUMENT_COLUMNS, row, strict=True)) for row in rows],
        schema(DOCUMENT_COLUMNS, DOCUMENTS),
    )


def spans(*rows):
    """Rows of (doc_key, start, end, label) and, if asked, action, fragment, source."""
    whole = []
    for key, start, end, label, *more in rows:
        action, fragment, source = (*more, *("redact", False, "rule")[len(more) :])
        whole.append((key, "text", start, end, label, source, action, fragment))
    return pa.Table.from_pylist(
        [dict(zip(SPAN_COLUMNS, row, strict=True)) for row in whole],
        schema(SPAN_COLUMNS, AUDIT),
    )


A = documents(("aa", "text", "scrubbed", 100, 20))


@pytest.mark.parametrize(
    ("old", "new", "kinds", "characters"),
    [
        ([], [], {}, (0, 0)),
        ([(0, 5, "DATE")], [(0, 5, "DATE")], {"same": 1}, (0, 0)),
        ([(0, 5, "DATE")], [], {"lost": 1}, (0, 5)),
        ([], [(0, 5, "DATE")], {"gained": 1}, (5, 0)),
        ([(0, 5, "DATE")], [(0, 5, "AGE")], {"retyped": 1}, (0, 0)),
        ([(0, 5, "DATE")], [(0, 7, "DATE")], {"moved": 1}, (2, 0)),
        ([(0, 5, "DATE")], [(1, 4, "AGE")], {"moved": 1}, (0, 2)),
        ([(0, 5, "DATE")], [(5, 9, "DATE")], {"lost": 1, "gained": 1}, (4, 5)),
        ([(0, 3, "DATE"), (4, 9, "DATE")], [(0, 9, "DATE")], {"moved": 2}, (1, 0)),
        ([(0, 9, "DATE")], [(0, 3, "DATE"), (4, 9, "DATE")], {"moved": 1}, (0, 1)),
        ([(0, 5, "DATE", "redact")], [(0, 5, "DATE", "mask")], {"same": 1}, (0, 0)),
        ([(0, 5, "DATE", "redact")], [(0, 5, "DATE", "keep")], {"lost": 1}, (0, 5)),
        ([(0, 5, "DATE", "keep")], [(0, 5, "DATE")], {"gained": 1}, (5, 0)),
        ([(0, 5, "DATE")], [(0, 5, "CITY", "redact", True)], {"moved": 1}, (0, 0)),
        ([(0, 5, "DATE", "redact", True)], [(0, 5, "CITY")], {}, (0, 0)),
        ([(0, 5, "DATE", "redact", True)], [], {}, (0, 5)),
    ],
)
def test_kinds_of_spans(old, new, kinds, characters):
    old, new = (spans(*(("aa", *one) for one in some)) for some in (old, new))
    found = compare_audits(A, old, A, new, by_document=True)
    assert {kind: n for kind, n in found.spans.items() if n} == kinds
    assert (found.characters["gained"], found.characters["lost"]) == characters
    assert found.is_none == (kinds.keys() <= {"same"})
    assert sum(found.by_document.values(), Counter()) == {
        kind: n for kind, n in kinds.items() if kind != "same"
    }


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        (("scrubbed", 9, 2), ("scrubbed", 9, 2), "compared"),
        (("null", 0, 0), ("null", 0, 0), "compared"),
        (("scrubbed", 9, 2), ("scrubbed", 9, 3), "changed"),
        (("scrubbed", 9, 2), ("scrubbed", 8, 2), "changed"),
        (("scrubbed", 9, 2), ("quarantined", 0, 0), "quarantined"),
        (("quarantined", 0, 0), ("scrubbed", 9, 2), "new"),
        (("quarantined", 0, 0), ("quarantined", 0, 0), None),
        (None, ("scrubbed", 9, 2), "new"),
        (("scrubbed", 9, 2), None, "gone"),
        (None, ("quarantined", 0, 0), None),
    ],
)
def test_kinds_of_documents(old, new, kind):
    sides = [documents(*([("aa", "text", *one)] if one else [])) for one in (old, new)]
    there = [spans(("aa", 0, 2, "DATE")) if one and one[0] == "scrubbed" else spans()
             for one in (old, new)]  # fmt: skip
    found = compare_audits(sides[0], there[0], sides[1], there[1])
    assert {k: n for k, n in found.documents.items() if n} == ({kind: 1} if kind else {})
    assert sum(found.spans.values()) == (kind == "compared" and old[0] == "scrubbed")


def test_labels_detectors_and_pairs():
    old = spans(("aa", 0, 2, "DATE", "redact", False, "date"), ("aa", 5, 9, "CITY"))
    new = spans(("aa", 0, 2, "AGE"), ("aa", 20, 21, "ZIP", "redact", False, "zip"))
    told = compare_audits(A, old, A, new).to_json()
    assert told["labels"] == {"DATE": {"retyped": 1}, "CITY": {"lost": 1}, "ZIP": {"gained": 1}}
    assert told["detectors"] == {"date": {"retyped": 1}, "rule": {"lost": 1}, "zip": {"gained": 1}}
    assert told["retyped"] == {"DATE > AGE": 1}
    assert told["lost_share"] == 0.5


@pytest.mark.parametrize(
    ("same", "others", "share", "telling"),
    [
        (0, 0, 1.0, True),
        (0, 9, 0.0, True),
        (0, 10, 0.0, False),
        (9, 10, 9 / 19, False),
        (10, 10, 0.5, True),
    ],
)
@pytest.mark.parametrize("kind", ["changed", "gone", "quarantined"])
def test_what_is_hardly_compared_tells_nothing(same, others, share, telling, kind):
    found = AuditDiff(documents=Counter({"compared": same, "new": 5, kind: others}))
    assert found.compared_share == share
    assert found.is_telling == telling


SPANS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(1, 4), st.sampled_from(["A", "B"]), st.booleans()),
    max_size=6,
)


def disjoint(key, pieces):
    """Spans one after another: (gap, length, label, fragment)."""
    at = 0
    for gap, length, label, fragment in pieces:
        at += gap
        yield (key, at, at + length, label, "redact", fragment)
        at += length


def slowly(old, new):
    """Kinds of spans and characters, by comparing each span with each."""
    kinds, characters = Counter(), [
        {(s[0], at) for s in side for at in range(s[1], s[2])} for side in (old, new)
    ]  # fmt: skip

    def meet(a, b):
        return a[0] == b[0] and a[1] < b[2] and b[1] < a[2]

    for one in old:
        if one[5]:
            continue
        exact = [other for other in new if other[:3] == one[:3] and not other[5]]
        if exact:
            kinds["same" if exact[0][3] == one[3] else "retyped"] += 1
        else:
            kinds["moved" if any(meet(one, other) for other in new) else "lost"] += 1
    kinds["gained"] += sum(not o[5] and not any(meet(o, other) for other in old) for o in new)
    return kinds, len(characters[1] - characters[0]), len(characters[0] - characters[1])


@given(st.lists(st.tuples(SPANS, SPANS), min_size=1, max_size=3))
def test_it_agrees_with_a_slow_comparison_and_adds_up(pairs):
    total, one_by_one = [[], []], AuditDiff()
    keys = [f"{n:02x}" for n in range(len(pairs))]
    for key, pair in zip(keys, pairs, strict=True):
        both = documents((key, "text", "scrubbed", 99, 9))
        sides = [list(disjoint(key, pieces)) for pieces in pair]
        for whole, side in zip(total, sides, strict=True):
            whole += side
        old, new = (spans(*side) for side in sides)
        one_by_one.add(compare_audits(both, old, both, new, by_document=True))
    both = documents(*((key, "text", "scrubbed", 99, 9) for key in keys))
    old, new = (spans(*side) for side in total)
    found = compare_audits(both, old, both, new, by_document=True)
    assert found == one_by_one
    kinds, gained, lost = slowly(*total)
    assert {k: found.spans[k] for k in SPAN_KINDS} == {k: kinds[k] for k in SPAN_KINDS}
    assert (found.characters["gained"], found.characters["lost"]) == (gained, lost)
