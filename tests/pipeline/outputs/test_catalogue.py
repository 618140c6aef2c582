import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import ScrublineError, UsageError
from scrubline.models.formats import Locator
from scrubline.models.jobs.output_rows import Tally
from scrubline.models.jobs.plan import Plan, Unit
from scrubline.models.jobs.receipts import Part, Receipt
from scrubline.models.storage.input_files import InputFile
from scrubline.pipeline.outputs.catalogue import Catalogue


def run_over(*units, version="v1"):
    """A plan whose units read the named files, and its receipts."""
    names = sorted({name for unit in units for name in unit})
    files = tuple(InputFile(f"/in/{name}", len(name), version, name) for name in names)
    made = tuple(
        Unit(
            index,
            f"{index:06d}-{version}-{'-'.join(unit)}",
            "jsonl",
            (),
            tuple(Locator(names.index(name), 0, len(name), len(name)) for name in unit),
        )
        for index, unit in enumerate(units)
    )
    receipts = [
        Receipt(
            unit.index,
            unit.name,
            "",
            Tally(Counter(rows_in=1, rows_out=1)),
            (Part("data", f"data/{unit.name}.jsonl", 1, "0" * 64),),
        )
        for unit in made
    ]
    return Plan(files, made), receipts


def inputs(catalogue):
    return sorted(url for entry in catalogue.units.values() for url in entry.inputs)


def same(one, other):
    """Whether two catalogues say the same; a tally compares by identity."""

    def plain(catalogue):
        return {n: (e.run, e.receipt.to_json(), dict(e.inputs)) for n, e in catalogue.units.items()}

    return plain(one) == plain(other)


def test_a_new_output_has_none(storage, tmp_path):
    assert Catalogue.read(storage, str(tmp_path)).units == {}


def test_a_catalogue_survives_storage(storage, tmp_path):
    plan, receipts = run_over(("a", "b"), ("c",))
    catalogue = Catalogue().with_run("r1", plan, receipts)
    catalogue.write(storage, str(tmp_path))
    assert same(Catalogue.read(storage, str(tmp_path)), catalogue)
    entry = catalogue.units[plan.units[0].name]
    assert entry.inputs == {"/in/a": (1, "v1"), "/in/b": (1, "v1")}


def test_it_lies_where_only_key_holders_look(storage, tmp_path):
    Catalogue().with_run("r1", *run_over(("a",))).write(storage, str(tmp_path))
    assert {p.parent.name for p in tmp_path.rglob("*") if p.is_file()} == {"restricted"}


def test_the_same_inputs_again_replace_their_units():
    old, old_receipts = run_over(("a", "b"), ("c",))
    catalogue = Catalogue().with_run("r1", old, old_receipts)
    new, new_receipts = run_over(("a",), ("b",), version="v2")
    assert catalogue.superseded_by(new.files) == {old.units[0].name}
    after = catalogue.with_run("r2", new, new_receipts)
    assert inputs(after) == ["/in/a", "/in/b", "/in/c"]
    assert {entry.run for entry in after.units.values()} == {"r1", "r2"}


def test_other_inputs_join():
    catalogue = Catalogue().with_run("r1", *run_over(("a",)))
    plan, receipts = run_over(("b",), version="v2")
    assert catalogue.superseded_by(plan.files) == set()
    assert inputs(catalogue.with_run("r2", plan, receipts)) == ["/in/a", "/in/b"]


def test_half_of_a_unit_cannot_be_replaced():
    catalogue = Catalogue().with_run("r1", *run_over(("a", "b", "smith")))
    plan, receipts = run_over(("a",), version="v2")
    with pytest.raises(
        UsageError, match="made from some of these inputs and from 2 others"
    ) as caught:
        catalogue.superseded_by(plan.files)
    assert "/in/" not in str(caught.value)
    with pytest.raises(UsageError, match="others"):
        catalogue.with_run("r2", plan, receipts)


def test_a_file_in_several_units_is_replaced_in_all():
    # A large file is split: every unit of it reads it.
    catalogue = Catalogue().with_run("r1", *run_over(("a",), ("a",), ("a",)))
    assert len(catalogue.units) == 3
    plan, _ = run_over(("a",), version="v2")
    assert catalogue.superseded_by(plan.files) == set(catalogue.units)


def test_a_plan_without_inputs_replaces_nothing():
    catalogue = Catalogue().with_run("r1", *run_over(("a",)))
    assert catalogue.superseded_by(()) == set()


NIGHT = st.lists(
    st.lists(st.sampled_from("abcdef"), min_size=1, max_size=3, unique=True).map(tuple), max_size=4
)


@given(st.lists(NIGHT, max_size=4))
def test_no_input_is_ever_held_twice_or_lost(nights):
    catalogue, held = Catalogue(), set()
    for number, units in enumerate(nights):
        # Within a run an input may be split among units; here each is in one.
        taken, disjoint = set(), []
        for unit in units:
            rest = tuple(name for name in unit if name not in taken)
            taken |= set(rest)
            disjoint += [rest] if rest else []
        plan, receipts = run_over(*disjoint, version=f"v{number}")
        try:
            catalogue = catalogue.with_run(f"r{number}", plan, receipts)
        except UsageError:
            continue
        held |= {f"/in/{name}" for name in taken}
        assert inputs(catalogue) == sorted(held)
        assert all(a != b for a, b in itertools.pairwise(inputs(catalogue)))


@pytest.mark.parametrize("name", ["catalogue.parquet", "units.parquet"])
@pytest.mark.parametrize("content", [b"", b"PAR1", b"nonsense" * 50])
def test_a_damaged_catalogue_is_told(storage, tmp_path, name, content):
    Catalogue().with_run("r1", *run_over(("a",))).write(storage, str(tmp_path))
    (tmp_path / "restricted" / name).write_bytes(content)
    with pytest.raises(UsageError, match="catalogue of this output cannot be read"):
        Catalogue.read(storage, str(tmp_path))


def test_half_a_catalogue_is_told(storage, tmp_path):
    Catalogue().with_run("r1", *run_over(("a",))).write(storage, str(tmp_path))
    (tmp_path / "restricted/units.parquet").unlink()
    with pytest.raises(ScrublineError):
        Catalogue.read(storage, str(tmp_path))
