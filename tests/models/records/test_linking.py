"""The join, against one that is written out; and evidence as files."""

import io
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.record_links import LEFT, MOST_TOLD, Evidence, Facts
from scrubline.models.records import evidence_files
from scrubline.models.records.evidence_files import evidence_bytes, read_evidence
from scrubline.models.records.linking import CarryRule, facts_of

ROWS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3), st.integers(1, 6)), max_size=40)


def evidence(rows):
    keys, codes, counts = zip(*rows, strict=True) if rows else ((), (), ())
    return Evidence.summed(
        Evidence(np.array(keys, np.uint64), np.array(codes, np.uint8), np.array(counts, np.uint32))
    )


def plain(one):
    return list(
        zip(*(getattr(one, n).tolist() for n in ("keys", "codes", "documents")), strict=True)
    )


def slowly(rows, rule):
    counts = defaultdict(lambda: defaultdict(int))
    for key, code, documents in rows:
        counts[key][code] += documents
    for key, of_key in sorted(counts.items()):
        left = of_key.pop(LEFT, 0)
        found = sum(of_key.values())
        if left and found and found >= rule.share * (found + left):
            label = min(of_key, key=lambda code: (-of_key[code], code))
            if found >= (1 if label in rule.sure else 2):
                yield key, label, min(found, MOST_TOLD)


@given(ROWS, st.sampled_from([0.3, 0.5, 1.0]), st.frozensets(st.integers(1, 3)))
def test_facts_are_those_of_a_slow_join(rows, share, sure):
    rule = CarryRule(share, sure)
    assert plain(facts_of(evidence(rows), rule)) == list(slowly(rows, rule))


@given(st.lists(ROWS, max_size=4))
def test_evidence_adds_up_in_any_parts(parts):
    whole = evidence([row for part in parts for row in part])
    assert plain(Evidence.summed(*map(evidence, parts))) == plain(whole)
    assert plain(Evidence.summed(*map(evidence, reversed(parts)))) == plain(whole)
    pairs = list(zip(whole.keys.tolist(), whole.codes.tolist(), strict=True))
    assert pairs == sorted(set(pairs))


def test_counts_do_not_run_over():
    most = np.iinfo(np.uint32).max
    one = Evidence(np.array([1], np.uint64), np.array([0], np.uint8), np.array([most], np.uint32))
    assert Evidence.summed(one, one).documents.tolist() == [most]


KEYS = st.lists(
    st.tuples(st.integers(0, (1 << 64) - 1), st.integers(0, 5), st.integers(1, 9)), max_size=30
)


@given(KEYS, st.integers(0, 1 << 64), st.integers(0, 1 << 64), st.integers(1, 7))
def test_a_range_of_keys_is_read_from_a_file(rows, one, other, size):
    low, high = sorted((one, other))
    whole = evidence(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evidence_files, "_ROWS_OF_GROUP", size)
        content = evidence_bytes(whole)
        assert content == evidence_bytes(whole)
    part = read_evidence(io.BytesIO(content), low, high)
    assert plain(part) == [row for row in plain(whole) if low <= row[0] < high]


def test_columns_must_be_of_one_length():
    with pytest.raises(ValueError, match="Facts"):
        Facts(np.zeros(1, np.uint64), np.zeros(2, np.uint8), np.zeros(1, np.uint8))
