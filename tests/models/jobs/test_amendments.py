import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import RunFailed
from scrubline.models.jobs.amendments import RunAmendments, UnitAmendments
from scrubline.models.storage.storage import Storage

FACTS = st.dictionaries(
    st.integers(0, 9),
    st.builds(
        UnitAmendments,
        st.dictionaries(st.integers(0, 9), st.sampled_from(["KillsWorker", "X"]), max_size=3),
        st.dictionaries(st.integers(0, 9), st.integers(1, 5), max_size=3),
    ),
    max_size=4,
).map(lambda units: RunAmendments({unit: facts for unit, facts in units.items() if facts.hash}))


@given(FACTS)
def test_facts_survive_storage(rework):
    storage, folder = Storage(), "memory://rework"
    rework.write(storage, folder)
    assert RunAmendments.read(storage, folder) == rework


def test_nothing_learnt_yet(storage, tmp_path):
    rework = RunAmendments.read(storage, str(tmp_path))
    assert rework == RunAmendments()
    assert rework.of_unit(4) == UnitAmendments({}, {})
    assert rework.of_unit(4).hash == ""


def test_the_hash_follows_the_facts_and_not_their_order():
    one = UnitAmendments({1: "A", 2: "B"}, {3: 1})
    assert one.hash == UnitAmendments({2: "B", 1: "A"}, {3: 1}).hash
    others = [
        UnitAmendments({1: "A"}, {3: 1}),
        UnitAmendments({1: "A", 2: "C"}, {3: 1}),
        UnitAmendments({1: "A", 2: "B"}, {3: 2}),
        UnitAmendments({1: "A", 2: "B"}, {}),
        UnitAmendments({}, {3: 1}),
        UnitAmendments({}, {}),
    ]
    assert len({one.hash, *(other.hash for other in others)}) == 7


@given(FACTS, st.integers(0, 9), st.integers(0, 9))
def test_skipping_adds_one_row_and_keeps_the_rest(rework, unit, row):
    more = rework.skipping(unit, row, "KillsWorker")
    assert more.of_unit(unit).skip == {**rework.of_unit(unit).skip, row: "KillsWorker"}
    assert more.of_unit(unit).ordinals == rework.of_unit(unit).ordinals
    assert all(more.of_unit(other) == rework.of_unit(other) for other in range(10) if other != unit)


@given(
    FACTS,
    st.dictionaries(
        st.integers(0, 9), st.dictionaries(st.integers(0, 9), st.integers(1, 5), min_size=1)
    ),
)
def test_numbering_replaces_all_ordinals_and_keeps_the_skip_list(rework, ordinals):
    numbered = rework.numbering(ordinals)
    for unit in range(10):
        assert numbered.of_unit(unit).ordinals == ordinals.get(unit, {})
        assert numbered.of_unit(unit).skip == rework.of_unit(unit).skip
    assert all(facts.hash for facts in numbered.units.values())


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"a": {}}',
        b'{"1": {"skip": []}}',
        b"\xff",
        b"[" * 100_000,
        b"3",
        b'{"1": {"skip": {}, "ordinals": {"2": 1e999}}}',
    ],
)
def test_a_damaged_file_is_told(storage, tmp_path, content):
    (tmp_path / "rework.json").write_bytes(content)
    with pytest.raises(RunFailed, match=r"rework\.json is damaged"):
        RunAmendments.read(storage, str(tmp_path))
