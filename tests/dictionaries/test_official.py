from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.dictionaries import LONGEST_PHRASE, DictionaryError, unpacking
from scrubline.dictionaries.official import SOURCES, TABLES, Parser, clean

from ..examples import examples


def zipped(members: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return made.getvalue()


CENSUS = (
    b"name,rank,count,prop100k\r\nSMITH,1,2442977,828.19\r\nO'BRIEN,2,5,1\r\n\r\n"
    b"ALL OTHER NAMES,0,29312001,9"
)
CMS = b'Facility ID,Facility Name,City/Town\n1,"ST. JOHN\'S, EAST",Erie\n2,Mercy  Hospital,Boaz\n'
FDA = (
    b"ApplNo\tProductNo\tForm\tDrugName\tActiveIngredient\r\n"
    b"4\t4\tSOLUTION\tPAREDRINE\tHYDROXYAMPHETAMINE; ZINC\r\n5\t1\tTABLET\tCAF\xc9\t\r\n"
)
MESH = (
    b"\n*NEWRECORD\nRECTYPE = D\nMH = Abscess\nENTRY = Abscesses|T1|x\nENTRY = Abscess, Liver|T2\n"
    b"MN = C01.1\nMN = Z01\nUI = D1\n\n*NEWRECORD\nMH = Boston\nMN = Z01.107\nUI = D2\n"
    b"\n*NEWRECORD\nMH = 1,2-Glycol\nPRINT ENTRY = Glycol|T3\nUI = D3\n"
)
MESH_XML = (
    b'<?xml version="1.0"?>\n<!DOCTYPE DescriptorRecordSet SYSTEM "https://example.org/d.dtd">\n'
    b"<DescriptorRecordSet><DescriptorRecord><DescriptorUI>D1</DescriptorUI><DescriptorName>"
    b"<String>Abscess</String></DescriptorName><TreeNumberList><TreeNumber>C01.1</TreeNumber>"
    b"</TreeNumberList><PharmacologicalActionList><DescriptorReferredTo><DescriptorName><String>"
    b"Another</String></DescriptorName></DescriptorReferredTo></PharmacologicalActionList>"
    b"<ConceptList><Concept><ConceptName><String>No</String></ConceptName><TermList><Term><String>"
    b"Abscess &amp; Co</String></Term></TermList></Concept></ConceptList></DescriptorRecord>"
    b"<DescriptorRecord><DescriptorName><String>Boston</String></DescriptorName><TreeNumberList>"
    b"<TreeNumber>Z01</TreeNumber></TreeNumberList></DescriptorRecord></DescriptorRecordSet>"
)


def census(content: bytes) -> bytes:
    return zipped({"app_c.csv": content})


def read(parse: Parser, content: bytes) -> dict[str, int]:
    kept, _ = clean(parse(io.BytesIO(content), "file"))
    return kept


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("surnames_census2010", zipped({"a.xlsx": b"", "Names_2010Census.csv": CENSUS}),
         {"Smith": 2442977, "O'brien": 5}),
        ("surnames_census2000", zipped({"x/app_c.csv": b"\xef\xbb\xbf" + CENSUS}),
         {"Smith": 2442977, "O'brien": 5}),
        ("first_names_ssa",
         zipped({"yob1880.txt": b"Mary,F,7065\r\nAnna,F,5\n", "ReadMe.pdf": b"%PDF",
                 "yob1881.txt": b"Mary,F,1\nMary,M,2\n"}),
         {"Mary": 7068, "Anna": 5}),
        ("hospitals_cms", CMS, {"ST. JOHN'S, EAST": 0, "Mercy Hospital": 0}),
        ("hospitals_cms", b"Hospital Name\nA B\n", {"A B": 0}),
        ("drugs_fda", zipped({"Products.txt": FDA}),
         {"paredrine": 0, "hydroxyamphetamine": 0, "zinc": 0, "caf\u00e9": 0}),
        ("mesh_terms", MESH, {"abscess": 0, "abscesses": 0, "1,2-glycol": 0, "glycol": 0}),
        ("mesh_terms", gzip.compress(MESH_XML), {"abscess": 0, "abscess & co": 0}),
        ("mesh_terms", b"\xef\xbb\xbf" + MESH_XML, {"abscess": 0, "abscess & co": 0}),
    ],
)  # fmt: skip
def test_what_publishers_give_out(name: str, content: bytes, expected: dict[str, int]) -> None:
    assert read(SOURCES[name].parse, content) == expected


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("first_names_ssa", b"James\t9\t1\t8\n\nANNE\t3\t3\t0", {"James": 9, "Anne": 3}),
        ("surnames_census2000", b"SMITH\t2376206\n", {"Smith": 2376206}),
        ("hospitals_cms", b"60th Group (A)\tCA\tTravis AFB\r\n", {"60th Group (A)": 0}),
        ("drugs_fda", b"8-HOUR BAYER\tB\n", {"8-hour bayer": 0}),
        ("mesh_terms", b"Abscess\tD1\tC01.2;Z01\nBoston\tD2\tZ01.3\n", {"abscess": 0}),
    ],
)
def test_tables_of_ours(name: str, content: bytes, expected: dict[str, int]) -> None:
    assert read(SOURCES[name].tables[0][1], content) == expected


def test_tables_alone() -> None:
    assert read(TABLES["surnames_census1990"].parse, b"SMITH\t1.006\nODD\t0.000\n") == {
        "Smith": 10060,
        "Odd": 2,
    }
    assert read(TABLES["us_places_geonames"].parse, b"Erie\tPA\t9\nErie\tCO\t3\n") == {"Erie": 12}
    assert read(TABLES["street_names_common"].parse, b"Main\n2nd\n") == {"Main": 0, "2nd": 0}


BOMB = census(b"name,count\n" + b"secret," * 3_000_000)
LOCKED = bytearray(census(CENSUS))
LOCKED[6] |= 1
LOCKED[LOCKED.rindex(b"PK\x01\x02") + 8] |= 1
TORN = bytearray(census(CENSUS * 50))
TORN[60] ^= 255
ENTITY = b'<!DOCTYPE a [<!ENTITY x "secret">]><DescriptorRecordSet>&x;</DescriptorRecordSet>'


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("surnames_census2000", b"secret", "file: not a zip"),
        ("surnames_census2000", b"", "file: not a zip"),
        ("surnames_census2000", census(CENSUS)[:-30], "file: not a zip"),
        ("surnames_census2000", zipped({"secret.csv": CENSUS}), "file: no member whose name"),
        ("surnames_census2000", bytes(LOCKED), r"file, member 1: cannot be read \(RuntimeError"),
        ("surnames_census2000", bytes(TORN), "file, member 1: damaged"),
        ("surnames_census2000", BOMB, "file, member 1, line 2: more than 1048576 bytes"),
        ("surnames_census2000", census(b"secret,count\nA,1"), "line 1: no column na"),
        ("surnames_census2000", census(b"name,count\nA,1\nsecret"), "line 3: 1 col"),
        ("surnames_census2000", census(b"name,count\nA,secret"), "line 2: expected a w"),
        ("surnames_census2000", census(b"name,count\nA,-1"), "line 2: expected a whole"),
        ("surnames_census2000", census("name,count\nA,\u0661".encode()), "line 2: exp"),
        ("surnames_census2000", census(b"name,count\n\x00secret,1"), "line 2: a NUL"),
        ("surnames_census2000", census(b""), "member 1: empty"),
        ("first_names_ssa", zipped({"yob1880.txt": b"A,F,1\nsecret,X,1"}), "line 2: expected name"),
        ("first_names_ssa", zipped({"yob1880.txt": b"secret,F,one"}), "line 1: expected a whole"),
        ("hospitals_cms", b"Facility Name\n\xffsecret", "file, line 2: not UTF-8"),
        ("hospitals_cms", b"secret\nA", "file, line 1: no column facility name or hospital name"),
        ("hospitals_cms", b'Facility Name\n"' + b"secret\n" * 30_000, "line .*: not a table row"),
        ("drugs_fda", zipped({"Products.txt": b"DrugName\tActiveIngredient\nsecret"}), "line 2"),
        ("mesh_terms", b"secret = 1\n", r"file: no \*NEWRECORD"),
        ("mesh_terms", b"", r"file: no \*NEWRECORD"),
        ("mesh_terms", b"<secret>", "file, line 1: not sound XML"),
        ("mesh_terms", b"<DescriptorRecordSet/>", "file: no DescriptorRecord"),
        ("mesh_terms", ENTITY, "file, line 1: an entity declaration"),
        ("mesh_terms", gzip.compress(MESH)[:-20], "file: damaged"),
    ],
)  # fmt: skip
def test_hostile_files_are_refused(name: str, content: bytes, message: str) -> None:
    with pytest.raises(DictionaryError, match=message) as raised:
        read(SOURCES[name].parse, content)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("first_names_ssa", b"secret\n", "line 1: 1 columns, expected 2"),
        ("first_names_ssa", b"A\t1\nsecret\tx", "line 2: expected a whole number"),
        ("hospitals_cms", b"secret", "line 1: 1 columns, expected 3"),
        ("mesh_terms", b"A\tD1\tC1\nsecret\tD", "line 2: 2 columns, expected 3"),
    ],
)
def test_wrong_tables_are_refused(name: str, content: bytes, message: str) -> None:
    with pytest.raises(DictionaryError, match=message) as raised:
        read(SOURCES[name].tables[0][1], content)
    assert "secret" not in str(raised.value)


def test_bombs_are_not_unpacked_to_their_end(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = b"A,F,1\n" * 200_000
    bomb = zipped({"yob1880.txt": lines})
    assert len(bomb) < 5_000
    assert read(SOURCES["first_names_ssa"].parse, zipped({"yob1880.txt": b"Al,F,1\n" * 9})) == {
        "Al": 9
    }
    monkeypatch.setattr(unpacking, "MOST_BYTES", 1_000_000)
    with pytest.raises(DictionaryError, match="file: unpacks to more than 1000000 bytes"):
        read(SOURCES["first_names_ssa"].parse, bomb)
    # A head that lies is found out while reading.
    liar = bytearray(bomb)
    place = liar.rindex(b"PK\x01\x02") + 24
    liar[place : place + 4] = (100).to_bytes(4, "little")
    with pytest.raises(DictionaryError, match="file, member 1"):
        read(SOURCES["first_names_ssa"].parse, bytes(liar))
    with pytest.raises(DictionaryError, match="file: more than 1000000 bytes"):
        read(SOURCES["mesh_terms"].parse, gzip.compress(b"x\n" * 600_000))
    monkeypatch.setattr(unpacking, "MOST_MEMBERS", 3)
    many = zipped({f"yob188{i}.txt": b"" for i in range(4)})
    with pytest.raises(DictionaryError, match="file: more than 3 members"):
        read(SOURCES["first_names_ssa"].parse, many)


def test_what_is_not_fit_for_a_list_is_counted() -> None:
    entries = [("  Jo  Ann ", 1), ("Jo Ann", 2), ("e\u0301e", 0), ("x", 1), ("a\x07b", 1)]
    entries.append(("y" * (LONGEST_PHRASE + 1), 1))
    assert clean(entries) == ({"Jo Ann": 3, "\u00e9e": 0}, 3)


PARSERS = [
    *(source.parse for source in SOURCES.values()),
    *(parse for source in SOURCES.values() for _, parse in source.tables),
    *(table.parse for table in TABLES.values()),
]


@examples(30)
@given(content=st.binary(max_size=200), packed=st.booleans())
def test_any_bytes_give_phrases_or_a_dictionary_error(content: bytes, packed: bool) -> None:
    for parse in PARSERS:
        members = dict.fromkeys(("app_c.csv", "yob2000.txt", "Products.txt"), content)
        try:
            read(parse, zipped(members, zipfile.ZIP_STORED) if packed else content)
        except DictionaryError:
            continue


def test_sources_say_where_and_under_which_terms() -> None:
    assert len({source.file for source in SOURCES.values()}) == len(SOURCES)
    assert not SOURCES.keys() & TABLES.keys()
    for source in SOURCES.values():
        assert source.url.startswith("https://") and source.licence and source.title
