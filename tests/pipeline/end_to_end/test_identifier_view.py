"""The view of an output: from notes, roster and columns to released rows, and back into notes."""

import dataclasses
import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.formats.column_roles import Columns
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.outputs import identifier_view
from scrubline.pipeline.outputs.identifier_view import build_view, check_view, read_release
from scrubline.pipeline.outputs.view_counts import release_counts
from scrubline.pipeline.run import scrub

COLUMNS = Columns.parse(
    [
        *(("id", "id"), ("who", "patient"), ("born", "birth"), ("day", "date")),
        *(("sex", "known:sex"), ("dx", "pass"), ("text", "text")),
    ]
)
ATTRIBUTES = "age,sex,state,year,zip3,dx=dx"
POLICY = """
name = "site"
extends = "hipaa"
[actions]
AGE = "view"
STATE = "view"
ZIP = "view"
"""


def note(number, who, text, *, born=None, day=None, sex=None, dx=None):
    return {
        "id": number,
        "who": who,
        "born": born,
        "day": day,
        "sex": sex,
        "dx": dx,
        "text": text,
    }


NOTES = [
    note(0, "p1", "67-year-old man of Boston, MA 02139", sex="male", dx="E11", day="2019-03-04"),
    note(1, "p1", "His mother died at age 93. He is 67 years old", dx="E11", day="2018-12-30"),
    note(2, "p2", "A 68-year-old man of Boston, MA 02139", sex="M", dx="I10", day="2019-05-06"),
    note(3, "p3", "Seen", born="1950-01-01", day="2019-07-07", sex="F", dx="E11"),
    note(4, "p4", "A 66-year-old woman of Boston, MA", sex="f", dx="E11", day="2019-01-01"),
    note(5, "p5", "A 31-year-old woman of Austin, TX 73301", sex="f", dx="J45", day="2019-01-01"),
    note(6, None, "A 31-year-old woman of Austin, TX 73301", sex="f", dx="J45", day="2019-01-01"),
]


def write(folder, notes):
    folder.mkdir(parents=True, exist_ok=True)
    for one in notes:
        (folder / f"n{one['id']}.jsonl").write_text(json.dumps(one) + "\n")
    return str(folder)


@pytest.fixture
def asked(tmp_path, options):
    (tmp_path / "site.toml").write_text(POLICY)
    return dataclasses.replace(
        options,
        inputs=(write(tmp_path / "notes", NOTES),),
        columns=COLUMNS,
        recognisers=("age", "city_state", "zip_code"),
        policy=str(tmp_path / "site.toml"),
        view_attributes=ATTRIBUTES,
        split_bytes=200,
    )


@pytest.fixture
def built(storage, asked):
    """A built view: k = 2, and one of five patients may be left out."""
    scrub(storage, asked)
    return build_view(storage, asked.output, {"k": 2, "suppressed": 0.2}).release


def public(output):
    return pq.read_table(f"{output}/view/patients.parquet").to_pylist()


def told(output):
    """Attribute and value by how many notes say it, whatever the units are."""
    found = Counter()
    for place in Path(output).glob("restricted/*/view/*.parquet"):
        for row in pq.read_table(place).to_pylist():
            found[row["patient_key"], row["attribute"], row["value"]] += row["documents"]
    return found


def test_the_view_of_a_run(built, asked, storage):
    assert (built.patients, built.suppressed) == (5, 1)
    assert built.rules.levels == {"age": 0, "sex": 0, "state": 3, "year": 1, "zip3": 0}
    rows = [tuple(row.values())[1:] for row in public(asked.output)]
    woman, man = ("65-69", "F", "*", "2015-2019", ""), ("65-69", "M", "*", "2015-2019", "021")
    assert sorted(rows) == sorted(
        [(*woman, "E11"), (*woman, "E11"), (*man, "E11"), (*man, "I10")], key=str
    )
    fine = pq.read_table(f"{asked.output}/{built.rows}").to_pylist()
    assert Counter(row["year"] for row in fine) == {"2019": 4, "2018": 1}
    assert Counter(row["class_size"] for row in fine) == {2: 4, 0: 1}
    assert verify(storage, asked.output, originals=True, key_source=asked.key_source)[0] == []


def test_what_units_tell_does_not_depend_on_the_cut(asked, storage, tmp_path):
    scrub(storage, asked)
    whole = dataclasses.replace(
        asked, output=str(tmp_path / "other"), split_bytes=1 << 20, batch_documents=1
    )
    scrub(storage, whole)
    assert told(asked.output) == told(whole.output)
    assert len(told(asked.output)) > 20
    views = []
    for one in (asked, whole):
        build_view(storage, one.output, {"k": 2, "suppressed": 0.4})
        views.append(public(one.output))
    assert views[0] == views[1]


@pytest.mark.slow
def test_buckets_of_patients_change_nothing(built, asked, storage, monkeypatch, tmp_path):
    before = public(asked.output)
    monkeypatch.setattr(identifier_view, "_BUCKET_ROWS", 3)
    build_view(storage, asked.output)
    assert public(asked.output) == before


def test_nothing_finer_than_the_first_level_is_written(built, asked):
    for place in Path(asked.output).rglob("*.parquet"):
        content = str(pq.read_table(place).to_pylist())
        for fine in ("02139", "73301", "Boston", "1950-01-01"):
            assert fine not in content, place.name


def test_levels_are_frozen_and_a_night_leaves_out_who_is_alone(built, asked, storage, tmp_path):
    late = note(7, "p9", "A 44-year-old woman of Boston, MA", sex="f", day="2019-01-01", dx="E11")
    write(tmp_path / "notes", [late])
    scrub(storage, dataclasses.replace(asked, incremental=True))
    assert not check_view(storage, asked.output).is_current
    again = build_view(storage, asked.output).release
    assert again.rules == built.rules
    assert (again.number, again.levels_number, again.patients) == (2, 1, 6)
    assert again.suppressed == 2 and again.leaves_out_too_many
    found = check_view(storage, asked.output)
    assert (found.faults, found.is_current) == ((), True)
    assert not Path(asked.output, built.rows).exists()
    with pytest.raises(UsageError, match="view relevel"):
        build_view(storage, asked.output, {"k": 3})
    new = build_view(storage, asked.output, {"k": 3, "suppressed": 0.2}, relevel=True).release
    assert (new.number, new.levels_number) == (3, 2)
    assert new.rules.levels != built.rules.levels


@pytest.mark.slow
def test_other_attributes_need_new_levels(built, asked, storage):
    other = dataclasses.replace(asked, view_attributes="age,year", incremental=True)
    scrub(storage, dataclasses.replace(other, allow_different_job=True))
    with pytest.raises(UsageError, match="other --view-attributes"):
        build_view(storage, asked.output)
    again = build_view(storage, asked.output, relevel=True).release
    assert set(again.rules.levels) == {"age", "year"}


def test_an_output_without_what_it_takes_has_no_view(asked, storage):
    scrub(storage, dataclasses.replace(asked, view_attributes=None))
    with pytest.raises(UsageError, match="--view-attributes"):
        build_view(storage, asked.output)
    with pytest.raises(UsageError, match="no view"):
        check_view(storage, asked.output)


def test_no_first_release_no_other(asked, storage):
    scrub(storage, asked)
    with pytest.raises(UsageError, match="no release yet"):
        build_view(storage, asked.output, relevel=True)
    with pytest.raises(UsageError, match="no levels do"):
        build_view(storage, asked.output, {"k": 6})
    assert read_release(storage, asked.output) is None


def damage_row(output, release):
    place = Path(output, "view/patients.parquet")
    table = pq.read_table(place)
    values = table["age"].to_pylist()
    values[0] = "0-4"
    pq.write_table(table.set_column(1, "age", pa.array(values)), place)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (damage_row, "of 3 classes have fewer than 2 patients"),
        (damage_row, "not what was built"),
        (damage_row, "not what the restricted rows give"),
        (lambda o, r: Path(o, "view/patients.parquet").write_bytes(b"PAR1"), "is damaged"),
        (lambda o, r: Path(o, "view/patients.parquet").unlink(), "is gone"),
        (lambda o, r: Path(o, r.rows).unlink(), "is gone"),
        (lambda o, r: Path(o, r.rows).write_bytes(b""), "is damaged"),
    ],
)
def test_what_was_changed_is_told(built, asked, storage, damage, said):
    assert check_view(storage, asked.output).faults == ()
    damage(asked.output, built)
    faults = check_view(storage, asked.output).faults
    assert any(said in fault for fault in faults)
    if Path(asked.output, "view/patients.parquet").exists():
        assert any(
            said in fault
            for fault in verify(storage, asked.output, originals=False, key_source=None)[0]
        )


@pytest.mark.slow
@pytest.mark.parametrize("damage", [Path.unlink, lambda place: place.write_bytes(b"PAR1")])
def test_what_a_unit_tells_comes_back_when_it_is_lost(built, asked, storage, damage):
    before = public(asked.output)
    place = min(Path(asked.output).glob("restricted/*/view/*.parquet"))
    damage(place)
    with pytest.raises(UsageError, match="damaged or gone: remove it") as refused:
        build_view(storage, asked.output)
    assert place.name in str(refused.value)
    place.unlink(missing_ok=True)
    scrub(storage, dataclasses.replace(asked, incremental=True))
    build_view(storage, asked.output)
    assert public(asked.output) == before


@pytest.mark.slow
def test_what_is_not_said_again_stays_as_it_was(built, asked, storage):
    with pytest.raises(UsageError, match="frozen"):
        build_view(storage, asked.output, {"l_distinct": 2})
    assert build_view(storage, asked.output, {"k": 2}).release.rules == built.rules
    new = build_view(storage, asked.output, {"l_distinct": 1, "t": 1.0}, relevel=True).release
    assert new.rules.requirement == built.rules.requirement
    other = build_view(storage, asked.output, {"suppressed": 0.4}, relevel=True).release
    assert (other.rules.requirement.k, other.rules.requirement.suppressed) == (2, 0.4)


def test_a_dry_run_writes_nothing(asked, storage):
    scrub(storage, asked)
    found = build_view(storage, asked.output, {"k": 2, "suppressed": 0.2}, dry_run=True)
    assert found.release.patients == 5
    assert not Path(asked.output, "view").exists()
    assert read_release(storage, asked.output) is None


@pytest.mark.slow
@pytest.mark.parametrize("written", ["patients-2.parquet", "release.json"])
def test_a_build_that_is_killed_leaves_no_rows_without_their_release(
    built, asked, storage, written, monkeypatch
):
    before = public(asked.output)
    real = type(storage).write_bytes

    def kill(self, url, data):
        done = real(self, url, data)
        if url.endswith(written):
            raise KeyboardInterrupt
        return done

    with monkeypatch.context() as patched:
        patched.setattr(type(storage), "write_bytes", kill)
        with pytest.raises(KeyboardInterrupt):
            build_view(storage, asked.output, {"k": 3}, relevel=True)
    assert public(asked.output) == before
    faults = check_view(storage, asked.output).faults
    assert bool(faults) == (written == "release.json")
    build_view(storage, asked.output)
    assert check_view(storage, asked.output).faults == ()


@pytest.mark.slow
def test_of_many_units_few_files_are_open_at_once(built, asked, storage, monkeypatch):
    opened, most = set(), []
    real = type(storage).open_read

    def watched(self, url, **more):
        stream = real(self, url, **more)
        opened.add(id(stream))
        most.append(len(opened))
        close = stream.close
        monkeypatch.setattr(stream, "close", lambda: (opened.discard(id(stream)), close()))
        return stream

    monkeypatch.setattr(type(storage), "open_read", watched)
    build_view(storage, asked.output)
    assert most and max(most) <= 2


# -- what must not come out


def scrub_notes(storage, asked, notes, tmp_path, **changes):
    """Scrubs other notes into an output of their own; gives what units tell of them."""
    one = dataclasses.replace(
        asked,
        inputs=(write(tmp_path / "mine", notes),),
        output=str(tmp_path / "of-mine"),
        **changes,
    )
    scrub(storage, one)
    found = Counter()
    for (_, name, value), times in told(one.output).items():
        found[name, value] += times
    return found


def test_a_column_that_names_the_patient_stops_its_row(asked, storage, tmp_path):
    roles = [("sex", "known:name") if n == "sex" else (n, str(r)) for n, r in COLUMNS.roles]
    roles = [(n, "drop" if n == "dx" else r) for n, r in roles]
    notes = [
        note(0, "p1", "Seen at age 67", sex="Zelda Quimby", dx="Quimby Zelda 00987654"),
        note(1, "p2", "Seen at age 67", sex="Yorick Vorpal", dx="E11"),
    ]
    found = scrub_notes(
        storage,
        asked,
        notes,
        tmp_path,
        columns=Columns.parse(roles),
        view_attributes="age,dx=dx",
        max_guard=1.0,
    )
    assert found == {("age", "65-69"): 1, ("dx", "E11"): 1}
    (row,) = pq.read_table(tmp_path / "of-mine/quarantine").to_pylist()
    assert row["stage"] == "guard"


def test_what_another_detector_found_in_it_is_no_value(asked, storage, tmp_path):
    (tmp_path / "own.toml").write_text(
        """
name = "own"
extends = "hipaa"
[labels]
DRUG = {}
NAME2 = { hipaa = "A" }
[deny]
DRUG = ["Elixir", "Smith elixir"]
NAME2 = ["Vorpal"]
"""
    )
    notes = [
        note(0, "p1", "Age 67. Given ELIXIR"),
        note(1, "p2", "Age 67. Mr. John Smith elixir"),
    ]
    own = {"policy": str(tmp_path / "own.toml"), "recognisers": ("age", "titled_name")}
    found = scrub_notes(
        storage, asked, notes, tmp_path, view_attributes="age,drug=label:DRUG", **own
    )
    assert found[("drug", "elixir")] == 1 and len(found) == 2
    with pytest.raises(UsageError, match="only labels of your own"):
        scrub(storage, dataclasses.replace(asked, view_attributes="age,x=label:NAME2", **own))


def test_a_shifted_year_is_told_and_a_number_of_months_is_no_age(asked, storage, tmp_path):
    notes = [
        note(0, "p1", "An 18-month-old boy", day="2019-01-05"),
        note(1, "p2", "A 20-month-old girl", day="2019-01-05"),
        note(2, "p3", "He is over 65 years old", day="2019-01-05"),
    ]
    found = scrub_notes(
        storage, asked, notes, tmp_path, policy="expert", view_attributes="age,year"
    )
    assert found[("age", "0-4")] == 2 and found[("age", "15-19")] == 0
    # Dates move back by 7 to 364 days.
    assert found[("year", "2018")] == 3


def test_units_that_tell_from_elsewhere_are_not_brought_together(asked, storage, tmp_path):
    scrub(storage, dataclasses.replace(asked, view_attributes="age,dx=dx"))
    late = write(tmp_path / "late", [note(7, "p9", "At age 44", dx="J45")])
    columns = Columns.parse(
        [*((n, str(r)) for n, r in COLUMNS.roles if n != "sex"), ("sex", "drop")]
    )
    other = dataclasses.replace(
        asked,
        inputs=(late,),
        columns=columns,
        view_attributes="age,dx=sex",
        allow_different_job=True,
    )
    scrub(storage, other)
    built = build_view(storage, asked.output, {"k": 1})
    assert (built.release.patients, built.silent_units) == (1, len(NOTES))


# -- back into the notes


def texts(output):
    rows = [
        json.loads(line)
        for part in Path(output).glob("data/*")
        for line in part.read_text().splitlines()
    ]
    return sorted(row["text"] for row in rows)


def test_notes_show_what_the_released_record_says_too(built, asked, storage, tmp_path):
    place = f"{asked.output}/restricted/view"
    assert all("65-69" not in text for text in texts(asked.output))
    again = dataclasses.replace(asked, output=str(tmp_path / "again"), view_release=place)
    manifest = scrub(storage, again)
    found = texts(again.output)
    # Who is left out, whose record says something else, and who has no patient id get markers.
    assert found == sorted(
        [
            *(
                "65-69-year-old man of [CITY], [STATE] 021",
                "A 65-69-year-old man of [CITY], [STATE] 021",
            ),
            *("A 65-69-year-old woman of [CITY], [STATE]", "Seen"),
            "His mother died at age [AGE]. He is 65-69 years old",
            *["A [AGE]-year-old woman of [CITY], [STATE] [ZIP]"] * 2,
        ]
    )
    assert manifest["view"]["levels"] == built.rules.levels
    assert verify(storage, again.output, originals=True, key_source=asked.key_source)[0] == []
    rows = pq.read_table(Path(again.output) / "audit").to_pylist()
    assert Counter(row["label"] for row in rows if row["action"] == "view") == {
        **{"AGE": 4, "ZIP": 2},
    }
    # The view may be built again: the audit still leads to the published texts.
    build_view(storage, asked.output)
    assert verify(storage, again.output, originals=True, key_source=asked.key_source)[0] == []


@pytest.mark.slow
def test_another_release_does_not_pass_for_the_planned_one(built, asked, storage, tmp_path):
    place = f"{asked.output}/restricted/view"
    again = dataclasses.replace(asked, output=str(tmp_path / "again"), view_release=place)
    with pytest.raises(UsageError, match="no label with the action view"):
        scrub(storage, dataclasses.replace(again, policy="hipaa"))
    with pytest.raises(UsageError, match="no release"):
        scrub(storage, dataclasses.replace(again, view_release=str(tmp_path)))
    Path(place, "release.json").write_text(dataclasses.replace(built, key_check="0" * 8).to_json())
    with pytest.raises(UsageError, match="another master key"):
        scrub(storage, again)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"view_attributes": "age,dx=nothing"}, "nothing.* has no role"),
        ({"view_attributes": "agee"}, "did you mean"),
        ({"view_attributes": "age,doctor=label:DOCTOR"}, "only labels of your own"),
        ({"view_attributes": "age,note=text"}, "has role text"),
        ({"view_attributes": "age,born=born"}, "has role birth"),
        ({"view_attributes": "age,name=sex"}, "has role known"),
        ({"view_attributes": "age,patient_key=dx"}, "a column of every view"),
        ({"view_attributes": "age,year=dx", "policy": "expert"}, "the true year"),
        ({"view_attributes": "age,drug=label:DRUG"}, "only labels of your own"),
    ],
)
def test_a_view_that_cannot_be_is_refused(asked, storage, change, message):
    with pytest.raises(UsageError, match=message):
        scrub(storage, dataclasses.replace(asked, **change))


def test_whose_a_note_is_must_be_known(asked, storage):
    roles = [(name, "drop" if role == "patient" else role) for name, role in COLUMNS.roles]
    roles = [(name, "known:sex" if name == "sex" else role) for name, role in roles]
    with pytest.raises(UsageError, match="role patient"):
        scrub(storage, dataclasses.replace(asked, columns=Columns.parse(roles)))


# -- counts


def test_counts_are_paid_for_before_they_are_told(built, asked, storage):
    pytest.importorskip("opendp")
    first = release_counts(storage, asked.output, ("sex",), {}, 0.4, 1.0)
    assert first.cells == [("F",), ("M",), ("",)] and first.spent == 0.4
    assert pq.read_table(f"{asked.output}/{first.place}").to_pylist() == [
        {"sex": sex, "patients": count}
        for (sex,), count in zip(first.cells, first.counts, strict=True)
    ]
    by = {"dx": ("E11", "I10")}
    second = release_counts(storage, asked.output, ("dx", "sex"), by, 0.6, 1.0)
    assert len(second.cells) == 9 and second.spent == pytest.approx(1.0)
    with pytest.raises(UsageError, match="of the budget of 1 is spent"):
        release_counts(storage, asked.output, ("sex",), {}, 0.1, 1.0)
    assert verify(storage, asked.output, originals=False, key_source=None)[0] == []
    ledger = Path(asked.output, "restricted/view/budget.json")
    assert [entry["epsilon"] for entry in json.loads(ledger.read_text())] == [0.4, 0.6]
    for damage in ("[{}]", '[{"epsilon": NaN}]', '[{"epsilon": -1}]', "", "{"):
        ledger.write_text(damage)
        with pytest.raises(UsageError, match="damaged"):
            release_counts(storage, asked.output, ("sex",), {}, 0.1, 5.0)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.0, -1.0, float("nan"), float("inf")])
def test_no_number_switches_the_budget_off(built, asked, storage, epsilon):
    for spent, budget in ((epsilon, 1.0), (0.1, epsilon)):
        with pytest.raises(UsageError, match="numbers of at least"):
            release_counts(storage, asked.output, ("sex",), {}, spent, budget)
    assert not Path(asked.output, "view/counts-1.parquet").exists()


@pytest.mark.slow
def test_noise_is_of_the_size_that_was_asked_for(built, asked, storage):
    pytest.importorskip("opendp")
    found = release_counts(storage, asked.output, ("zip3", "state"), {}, 2.0, 2.0)
    size = sum(map(abs, found.counts)) / len(found.counts)
    # Of discrete Laplace noise of scale 1/2 the mean size is .2757; 52,052 cells.
    assert 0.26 < size < 0.29


@pytest.mark.parametrize(
    ("by", "values", "message"),
    [
        ((), {}, "by which attributes"),
        (("sex", "sex"), {}, "each once"),
        (("dx",), {}, "must not depend on the patients"),
        (("year",), {}, "must not depend on the patients"),
        (("profession",), {}, "is none of"),
        (("sex",), {"dx": ("a",)}, "not in --by"),
        (("sexx",), {}, "is none of"),
        (("age",), {"age": ("banana",)}, "no values of it"),
    ],
)
def test_counts_that_would_tell_too_much_are_refused(built, asked, storage, by, values, message):
    with pytest.raises(UsageError, match=message):
        release_counts(storage, asked.output, by, values, 0.1, 1.0)
