"""Tables to sealed bundles and back; what is damaged, cut, swapped or foreign."""

import json
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrubline.models.core.errors import OverBudget, UsageError
from scrubline.models.core.keys import Keys
from scrubline.models.core.known_values import KnownValue
from scrubline.models.roster.building import MOST_IN_ONE_SHARD, build_roster
from scrubline.models.roster.bundle import RosterBundle, RosterFiles
from scrubline.models.roster.differences import roster_changes
from scrubline.models.roster.manifest import check_date
from scrubline.models.roster.mapping import check_mapping
from scrubline.models.roster.packed_rows import MOST_VALUES, pack_row, pack_value, unpack_row
from scrubline.models.roster.sealing import RosterError, RowSealer
from scrubline.models.roster.tables import PeopleTables, TableCounts, TableFaults
from scrubline.models.storage.storage import Storage

KEYS, OTHER = Keys(b"k" * 32), Keys(b"o" * 32)

LONG = """patient,kind,attribute,value
p1,self,given,Zelda
p1,self,family,Quimbyson
p1,self,birth,1950-03-04
p1,self,phone,unknown
p1,relative,given,Yorick
p2,self,name,"Wexford, Tobiah"
p2,self,mrn,00991234
s1,staff,given,Octavia
s1,staff,family,Brandywine
,staff,name,"Dr. Perpetua Holloway-Finch, MD"
"""
VALUES = ("Zelda", "Quimbyson", "Yorick", "Wexford", "Tobiah", "991234", "Brandywine", "Holloway")


def opened(*urls, mapping=(), **options):
    storage = Storage()
    return PeopleTables.open(storage, [str(url) for url in urls], check_mapping(mapping), **options)


def build(folder, table=LONG, name="long.csv", keys=KEYS, mapping=(), out="roster", **options):
    (folder / name).write_text(table, encoding="utf-8")
    tables = opened(folder / name, mapping=mapping)
    place = str(folder / out)
    storage = Storage(private=True)
    return build_roster(tables, keys, place, storage=storage, **options), place


def row(bundle, patient, keys=KEYS):
    found = bundle.row(keys.patient_key(patient))
    return None if found is None else sorted(f"{v.kind}.{v.attribute}={v.value}" for v in found)


def test_long_table(tmp_path):
    (manifest, counts), place = build(tmp_path, date="2026-11-22")
    assert (manifest.patients, manifest.staff, manifest.over_budget) == (2, 2, 0)
    assert (counts.rows, dict(counts.unusable)) == (10, {"self.phone": 1})
    assert manifest.date == "2026-11-22"
    with RosterBundle(place, KEYS) as bundle:
        assert row(bundle, "p1") == [
            *("relative.given=Yorick", "self.birth=1950-03-04"),
            *("self.family=Quimbyson", "self.given=Zelda"),
        ]
        assert row(bundle, "p2") == ["self.mrn=00991234", "self.name=Wexford, Tobiah"]
        assert row(bundle, "p3") is None
        assert row(bundle, "s1") is None
        assert [len(known) for _, known in bundle.rows()] in ([2, 4], [4, 2])


def test_wide_table_with_a_mapping(tmp_path):
    table = "PAT_ID,LAST,FIRST,NOK,PCP,junk\n7,Quimbyson,Zelda,Yorick Q,Octavia Brandywine,x\n"
    mapping = [
        *(("PAT_ID", "patient"), ("LAST", "family"), ("FIRST", "given")),
        *(("NOK", "relative:name"), ("PCP", "staff:name")),
    ]
    (manifest, _), place = build(tmp_path, table, mapping=mapping)
    assert (manifest.patients, manifest.staff) == (1, 1)
    with RosterBundle(place, KEYS) as bundle:
        assert row(bundle, "7.0".removesuffix(".0")) == [
            *("relative.name=Yorick Q", "self.family=Quimbyson", "self.given=Zelda"),
        ]
        assert bundle.staff().candidates("seen by Octavia Brandywine")


@pytest.mark.parametrize("form", ["parquet", "jsonl", "tsv", "csv.gz"])
def test_every_format_gives_the_same_bundle(tmp_path, form):
    import csv
    import gzip
    import io

    rows = list(csv.DictReader(io.StringIO(LONG)))
    path = tmp_path / f"people.{form}"
    if form == "parquet":
        columns = {name: [r[name] or None for r in rows] for name in rows[0]}
        pq.write_table(pa.table(columns), path)
    elif form == "jsonl":
        path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    elif form == "tsv":
        body = ["\t".join(rows[0]), *("\t".join(r.values()) for r in rows)]
        path.write_text("\n".join(body).replace('"', "") + "\n")
    else:
        path.write_bytes(gzip.compress(LONG.encode()))
    (other, _), _ = build(tmp_path)
    tables = opened(path)
    manifest, _ = build_roster(tables, KEYS, str(tmp_path / "b"), storage=Storage())
    assert manifest == other


def test_equal_tables_give_equal_bytes_however_much_is_held(tmp_path):
    build(tmp_path, out="a")
    shuffled = "\n".join([LONG.split("\n")[0], *sorted(LONG.strip().split("\n")[1:])]) + "\n"
    build(tmp_path, shuffled, name="other.csv", out="b", most_held=2)
    files = sorted(p.name for p in (tmp_path / "a").iterdir())
    assert files == ["patients.bin", "roster.json", "staff.bin"]
    for name in files:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
        assert (tmp_path / "a" / name).stat().st_mode & 0o077 == 0


def test_many_patients_are_many_shards_and_spilled_ones_the_same(tmp_path):
    count = MOST_IN_ONE_SHARD + 1
    table = "patient,kind,attribute,value\n" + "".join(
        f"p{n},self,family,Name{n}x\n" for n in range(count)
    )
    (manifest, _), place = build(tmp_path, table)
    (spilled, _), _ = build(tmp_path, table, name="b.csv", out="b", most_held=1000)
    assert spilled == manifest
    assert len(manifest.files) == 257
    with RosterBundle(place, KEYS) as bundle:
        assert row(bundle, "p17") == ["self.family=Name17x"]
        assert row(bundle, "q") is None
        assert sum(1 for _ in bundle.rows()) == count


def test_no_value_is_in_the_bytes_of_a_bundle(tmp_path):
    _, place = build(tmp_path)
    content = b"".join(p.read_bytes() for p in (tmp_path / "roster").iterdir()).lower()
    for value in VALUES:
        assert value.lower().encode() not in content
        assert value.lower().encode("utf-16-le") not in content
    assert "Zelda" not in repr(RosterBundle(place, KEYS))


def test_rows_are_padded(tmp_path):
    sealer = RowSealer(KEYS)
    lengths = {len(sealer.seal(b"p" * 16, b"x" * size)) for size in range(200)}
    assert lengths == {64, 128, 192, 256}


def test_a_patient_over_the_budget(tmp_path):
    table = "patient,kind,attribute,value\n" + "".join(
        f"p1,relative,given,Name{n}x\n" for n in range(10_000)
    )
    (manifest, _), place = build(tmp_path, table + "p2,self,given,Zelda\n")
    assert (manifest.patients, manifest.over_budget) == (2, 1)
    with RosterBundle(place, KEYS) as bundle:
        with pytest.raises(OverBudget, match="OverBudget:roster"):
            row(bundle, "p1")
        assert row(bundle, "p2") == ["self.given=Zelda"]
    exact = [pack_value(KnownValue.of("self", "given", f"n{n}")) for n in range(MOST_VALUES)]
    assert len(unpack_row(pack_row(exact))) == MOST_VALUES


@pytest.mark.parametrize(
    ("line", "place", "problem"),
    [
        ("p1,pet,given,SECRET", "row 2, column 2", "kind"),
        ("p1,self,colour,SECRET", "row 2, column 3", "attribute"),
        (",self,given,SECRET", "row 2, column 4", "no patient"),
        ("p1,self,given," + "SECRET" * 40, "row 2, column 4", "200"),
    ],
)
def test_faults_say_where_and_not_what(tmp_path, line, place, problem):
    table = f"patient,kind,attribute,value\np9,self,given,Ok\n{line}\n"
    with pytest.raises(UsageError) as caught:
        build(tmp_path, table)
    for message in (str(caught.value), caught.value.on_terminal):
        assert f"file 1, {place}" in message
        assert problem in message
        assert "SECRET" not in message
        assert str(tmp_path) not in message
    assert not (tmp_path / "roster").exists()


@pytest.mark.parametrize(
    ("table", "mapping", "problem"),
    [
        ("a,b\n1,2\n", [], "is missing"),
        ("a,b\n1,2\n", [("a", "family")], "patients' ids"),
        ("a,b\n1,2\n", [("a", "patient"), ("b", "family"), ("zz", "given")], "number 3"),
        ("a,b\n1,2\n", [("a", "patient"), ("b", "patient")], "two columns"),
        ("a,b,kind\n1,2,3\n", [("a", "patient"), ("b", "family"), ("kind", "kind")], "not in both"),
        ("a,b\n1,2\n", [("a", "famly")], "family"),
        ("a,b\n1,2\n", [("a", "pet:family")], "self, relative"),
    ],
)
def test_mappings_that_do_not_fit(tmp_path, table, mapping, problem):
    with pytest.raises(UsageError, match=problem):
        build(tmp_path, table, mapping=mapping)


def test_a_record_with_a_column_that_its_beginning_does_not_show(tmp_path):
    path = tmp_path / "people.jsonl"
    path.write_text('{"patient": true, "kind": "self", "attribute": "given", "value": "A"}\n[1]\n')
    faults = TableFaults()
    assert list(opened(path).values(TableCounts(), faults)) == []
    with pytest.raises(UsageError, match="2 faults: file 1, row 1, column 1"):
        faults.require_none()


def test_another_key_is_told(tmp_path):
    _, place = build(tmp_path)
    with pytest.raises(RosterError, match=f"{KEYS.check}.*{OTHER.check}"):
        RosterBundle(place, OTHER)


@pytest.mark.parametrize("name", ["patients.bin", "staff.bin"])
@pytest.mark.parametrize("harm", ["cut", "changed", "longer", "gone"])
def test_damaged_files_are_refused(tmp_path, name, harm):
    _, place = build(tmp_path)
    path = tmp_path / "roster" / name
    content = bytearray(path.read_bytes())
    if harm == "cut":
        path.write_bytes(content[:-1])
    elif harm == "changed":
        content[-1] ^= 1
        path.write_bytes(content)
    elif harm == "longer":
        path.write_bytes(content + b"x")
    else:
        path.unlink()
    with RosterBundle(place, KEYS) as bundle, pytest.raises(RosterError):
        bundle.staff() if name == "staff.bin" else row(bundle, "p1")


def test_swapped_shards_rows_and_manifests_are_refused(tmp_path):
    _, place = build(tmp_path)
    build(tmp_path, LONG.replace("Zelda", "Griselda"), name="b.csv", out="b")
    shutil.copy(tmp_path / "b/patients.bin", tmp_path / "roster/patients.bin")
    with RosterBundle(place, KEYS) as bundle, pytest.raises(RosterError, match="another bundle"):
        row(bundle, "p1")
    sealer = RowSealer(KEYS)
    sealed = sealer.seal(b"a" * 16, b"\xff")
    with pytest.raises(RosterError, match="another patient"):
        sealer.open(b"b" * 16, sealed)
    manifest = tmp_path / "roster/roster.json"
    manifest.write_text(manifest.read_text().replace('"patients": 2', '"patients": 3'))
    with pytest.raises(RosterError, match="changed after"):
        RosterBundle(place, KEYS)
    manifest.write_text("{}")
    with pytest.raises(RosterError, match="damaged"):
        RosterFiles(place)
    manifest.unlink()
    with pytest.raises(RosterError, match="build did not end"):
        RosterFiles(place)


def test_a_bundle_in_a_store_is_cached_sealed(tmp_path):
    import fsspec

    _, place = build(tmp_path)
    fs = fsspec.filesystem("memory")
    for path in (tmp_path / "roster").iterdir():
        fs.pipe_file(f"/vault/r1/{path.name}", path.read_bytes())
    cache = tmp_path / "cache"
    for _ in range(2):
        with RosterBundle("memory://vault/r1", KEYS, cache=cache) as bundle:
            assert row(bundle, "p1") is not None
            assert bundle.staff().candidates("Octavia Brandywine")
    (copy,) = cache.rglob("patients.bin")
    assert copy.read_bytes() == (tmp_path / "roster/patients.bin").read_bytes()
    assert copy.stat().st_mode & 0o077 == 0
    copy.write_bytes(b"damaged")
    with RosterBundle("memory://vault/r1", KEYS, cache=cache) as bundle:
        assert row(bundle, "p1") is not None
    fs.rm("/vault", recursive=True)


def test_changes_between_two_nights(tmp_path):
    _, place = build(tmp_path)
    night = LONG.replace("p2,", "p3,").replace("Yorick", "Yolanda")
    _, other = build(tmp_path, night, name="b.csv", out="b")
    changes = {
        key: str(change) for change, key in roster_changes(RosterFiles(place), RosterFiles(other))
    }
    assert changes == {
        KEYS.patient_key("p1"): "~",
        KEYS.patient_key("p2"): "-",
        KEYS.patient_key("p3"): "+",
    }
    _, foreign = build(tmp_path, keys=OTHER, out="c")
    with pytest.raises(RosterError, match="different master keys"):
        list(roster_changes(RosterFiles(place), RosterFiles(foreign)))


def test_dates_of_rosters():
    assert check_date("2026-11-22") == "2026-11-22"
    assert check_date(None) == ""
    with pytest.raises(UsageError, match="YYYY-MM-DD"):
        check_date("today")


STAFF = [
    ("Octavia Brandywine, MD", ["Octavia Brandywine"]),
    ("Brandywine, Octavia", ["Brandywine, Octavia"]),
    ("OCTAVIA J. BRANDYWINE", ["OCTAVIA J. BRANDYWINE"]),
    ("signed: octavia brandywine", ["octavia brandywine"]),
    ("Dr. Brandywine saw; dr brandywine", ["Brandywine", "brandywine"]),
    ("Brandywine, MD", ["Brandywine"]),
    ("Brandywine River", []),
    ("Octavia said. Dr. Who", []),
    ("Perpetua Holloway-Finch", ["Perpetua Holloway-Finch"]),
    ("Perpetua M. Finch", ["Perpetua M. Finch"]),
]


@pytest.mark.parametrize(("text", "expected"), STAFF)
def test_staff(tmp_path, text, expected):
    _, place = build(tmp_path)
    with RosterBundle(place, KEYS) as bundle:
        found = bundle.staff().candidates(text)
        assert [text[c.start : c.end] for c in found] == expected
        assert {c.label for c in found} <= {"DOCTOR"}


def test_a_table_in_place_of_a_roster(tmp_path):
    (tmp_path / "people.csv").write_text("patient,kind,attribute,value\n")
    with pytest.raises(RosterError, match="name the folder that `scrubline roster build` made"):
        RosterBundle(str(tmp_path / "people.csv"), KEYS)
