"""The large official lists, which are not shipped: where they are, and how their files are read.

A source is read from the file that its publisher gives out (`ListSource.file` is its name once it
is fetched) or from a table of ours, tab-separated and without a head (`ListSource.tables`). Both
give phrases with weights. Nothing here opens a network connection or writes a file.

How bytes become lines, and what is refused on the way, is in `unpacking`.
"""

from __future__ import annotations

import dataclasses
import gzip
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import IO, BinaryIO, cast
from xml.parsers import expat

from . import LONGEST_PHRASE, MOST_WEIGHT, DictionaryError
from .unpacking import BLOCK, buffered, lines_of, members_of, rows_of

Entry = tuple[str, int]
"""A phrase and its weight; 0 where the source counts nothing."""

Parser = Callable[[BinaryIO, str], Iterator[Entry]]
"""Reads a file of the given name (for messages), which must be seekable."""


@dataclasses.dataclass(frozen=True, slots=True)
class ListSource:
    """An official list.

    Attributes:
        title: what it is.
        url: where its publisher has the file.
        licence: under which terms.
        file: name of the file once it is fetched; a folder with it can be built from.
        parse: reads the publisher's file.
        tables: pattern of the names of tables of ours, to be matched whole, and what reads them.
        weighted: whether its phrases have weights.
    """

    title: str
    url: str
    licence: str
    file: str
    parse: Parser
    tables: tuple[tuple[str, Parser], ...] = ()
    weighted: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class DerivedList:
    """A list that is made from a table of ours alone.

    Attributes:
        title: what it is.
        licence: under which terms.
        pattern: of the table's name, to be matched whole.
        parse: reads it.
    """

    title: str
    licence: str
    pattern: str
    parse: Parser


def _count(text: str, where: str, number: int) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 15:
        raise DictionaryError(f"{where}, line {number}: expected a whole number as the count")
    return int(text)


# The publishers' files


def _census(stream: BinaryIO, where: str) -> Iterator[Entry]:
    """Zip of a CSV with the columns name, rank, count, ...; the last row sums up the rest."""
    for member, inside in members_of(stream, where, r"(names_2010census|app_c)\.csv"):
        for number, (name, count) in rows_of(member, inside, [("name",), ("count",)]):
            if name.upper() != "ALL OTHER NAMES":
                yield _capitalised(name), _count(count, inside, number)


def _ssa(stream: BinaryIO, where: str) -> Iterator[Entry]:
    """Zip of yobYYYY.txt, each with lines of name, sex and births, without a head."""
    for member, inside in members_of(stream, where, r"yob\d{4}\.txt"):
        for number, line in lines_of(member, inside):
            fields = line.split(",")
            if not line.strip():
                continue
            if len(fields) != 3 or fields[1] not in ("F", "M"):
                raise DictionaryError(f"{inside}, line {number}: expected name, F or M, births")
            yield _capitalised(fields[0]), _count(fields[2].strip(), inside, number)


def _cms(stream: BinaryIO, where: str) -> Iterator[Entry]:
    """CSV with a head; older files say hospital for facility."""
    for _, (name,) in rows_of(stream, where, [("facility name", "hospital name")]):
        yield name, 0


def _fda(stream: BinaryIO, where: str) -> Iterator[Entry]:
    """Zip of Products.txt, tab-separated, Windows-1252; ingredients are joined by `;`."""
    columns = [("drugname",), ("activeingredient",)]
    for member, inside in members_of(stream, where, r"products\.txt"):
        for _, (name, ingredients) in rows_of(
            member, inside, columns, delimiter="\t", encoding="cp1252"
        ):
            for phrase in (name, *ingredients.split(";")):
                if phrase.strip():
                    yield phrase.strip().lower(), 0


def _mesh(stream: BinaryIO, where: str) -> Iterator[Entry]:
    """MeSH descriptors with their entry terms, as ASCII or XML, packed by gzip or not."""
    head = stream.read(2)
    stream.seek(0)
    opened = cast(IO[bytes], gzip.GzipFile(fileobj=stream)) if head == b"\x1f\x8b" else stream
    reader = buffered(opened, where)
    start = reader.peek(64).lstrip(b"\xef\xbb\xbf \r\n\t")
    return _mesh_xml(reader, where) if start.startswith(b"<") else _mesh_ascii(reader, where)


def _mesh_ascii(stream: IO[bytes], where: str) -> Iterator[Entry]:
    """Records of `KEY = value` lines, begun by *NEWRECORD; the term ends at the first `|`."""
    terms: list[str] = []
    trees: list[str] = []
    seen = False
    for _, line in lines_of(stream, where):
        key, _, value = line.partition(" = ")
        if line.strip() == "*NEWRECORD":
            yield from _of_trees(terms, trees)
            terms, trees, seen = [], [], True
        elif key in ("MH", "ENTRY", "PRINT ENTRY"):
            terms.append(value.split("|")[0].strip())
        elif key == "MN":
            trees.append(value.strip())
    if not seen:
        raise DictionaryError(f"{where}: no *NEWRECORD; expected MeSH descriptors as ASCII or XML")
    yield from _of_trees(terms, trees)


def _mesh_xml(stream: IO[bytes], where: str) -> Iterator[Entry]:
    """DescriptorRecordSet; only the names, terms and tree numbers are looked at."""
    parser = expat.ParserCreate()
    path: list[str] = []
    text: list[str] = []
    terms: list[str] = []
    trees: list[str] = []
    done: list[Entry] = []

    def start(name: str, _: dict[str, str]) -> None:
        path.append(name)
        text.clear()

    def end(name: str) -> None:
        path.pop()
        if name == "String" and path[-1:] in (["DescriptorName"], ["Term"]):
            # References to other descriptors have a DescriptorName too, deeper inside.
            if path[-1] == "Term" or len(path) == 3:
                terms.append("".join(text).strip())
        elif name == "TreeNumber":
            trees.append("".join(text).strip())
        elif name == "DescriptorRecord":
            done.extend(_of_trees(terms, trees))
            terms.clear()
            trees.clear()

    def refuse(*_: object) -> None:
        raise DictionaryError(f"{where}, line {parser.CurrentLineNumber}: an entity declaration")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = text.append
    # Entities may grow without bound, and no file of MeSH declares any.
    parser.EntityDeclHandler = refuse
    seen = False
    while True:
        block = stream.read(BLOCK)
        try:
            parser.Parse(block, not block)
        except expat.ExpatError as error:
            raise DictionaryError(f"{where}, line {error.lineno}: not sound XML") from None
        seen = seen or bool(done)
        yield from done
        done.clear()
        if not block:
            break
    if not seen:
        raise DictionaryError(f"{where}: no DescriptorRecord with a name")


def _of_trees(terms: Iterable[str], trees: Iterable[str]) -> Iterator[Entry]:
    """The terms, unless all trees are of people, places, health care or publications."""
    letters = {tree[:1] for tree in trees}
    if letters and letters <= set("MNVZ"):
        return
    for term in terms:
        # "Abscess, Liver" is another term turned round; commas inside chemical names have no blank.
        if term and ", " not in term:
            yield term.lower(), 0


# Tables of ours


def _table(*, weight: int | None = None, least_columns: int = 1, fold: bool = False) -> Parser:
    """A reader of tables whose first column is the phrase.

    Args:
        weight: place of the column of counts, from 0.
        least_columns: fewer are an error.
        fold: whether phrases are common words, for small letters; names in capitals become "Smith".
    """

    def read(stream: BinaryIO, where: str) -> Iterator[Entry]:
        for number, line in lines_of(stream, where):
            if not line.strip():
                continue
            cells = line.split("\t")
            if len(cells) < least_columns or (weight is None and least_columns == 1 < len(cells)):
                raise DictionaryError(
                    f"{where}, line {number}: {len(cells)} columns, expected {least_columns}"
                )
            phrase = cells[0].strip()
            counted = 0 if weight is None else _count(cells[weight].strip(), where, number)
            yield (phrase.lower() if fold else _capitalised(phrase)), counted

    return read


def _shares(stream: BinaryIO, where: str) -> Iterator[Entry]:
    """Names and percent of the people, in people of a million; 2 stands for under 5."""
    for number, line in lines_of(stream, where):
        cells = line.split("\t")
        if len(cells) != 2 or not re.fullmatch(r"\d{1,2}\.\d{3}", cells[1].strip(), re.ASCII):
            raise DictionaryError(f"{where}, line {number}: expected a name, a tab and 0.000")
        yield _capitalised(cells[0].strip()), 10 * int(cells[1].strip().replace(".", "")) or 2


def _mesh_table(stream: BinaryIO, where: str) -> Iterator[Entry]:
    """Headings, identifiers and tree numbers joined by `;`."""
    for number, line in lines_of(stream, where):
        cells = line.split("\t")
        if len(cells) < 3:
            raise DictionaryError(f"{where}, line {number}: {len(cells)} columns, expected 3")
        yield from _of_trees([cells[0].strip()], cells[2].split(";"))


def _capitalised(name: str) -> str:
    """A name that comes in capitals as it is written in a note; others as they are."""
    return name.capitalize() if name.isupper() and " " not in name else name


US_GOVERNMENT = "public domain (a work of the United States government)"

SOURCES: dict[str, ListSource] = {
    "first_names_ssa": ListSource(
        "first names of babies since 1880, with births (Social Security Administration)",
        "https://www.ssa.gov/oact/babynames/names.zip",
        US_GOVERNMENT,
        "first_names_ssa.zip",
        _ssa,
        ((r"first_names_ssa\.tsv", _table(weight=1, least_columns=2)),),
        weighted=True,
    ),
    "surnames_census2010": ListSource(
        "surnames of 100 people and more, with people (Census Bureau, 2010)",
        "https://www2.census.gov/topics/genealogy/2010surnames/names.zip",
        US_GOVERNMENT,
        "surnames_census2010.zip",
        _census,
        ((r"surnames_census2010\.tsv", _table(weight=1, least_columns=2)),),
        weighted=True,
    ),
    "surnames_census2000": ListSource(
        "surnames of 100 people and more, with people (Census Bureau, 2000)",
        "https://www2.census.gov/topics/genealogy/2000surnames/names.zip",
        US_GOVERNMENT,
        "surnames_census2000.zip",
        _census,
        ((r"surnames_census2000\.tsv", _table(weight=1, least_columns=2)),),
        weighted=True,
    ),
    "hospitals_cms": ListSource(
        "hospitals (Centers for Medicare & Medicaid Services, Hospital General Information)",
        "https://data.cms.gov/provider-data/api/1/datastore/query/xubh-q36u/0/download?format=csv",
        US_GOVERNMENT,
        "hospitals_cms.csv",
        _cms,
        ((r"hospitals_cms\.tsv", _table(least_columns=3)),),
    ),
    "drugs_fda": ListSource(
        "drugs, brand names and active ingredients (Food and Drug Administration, Drugs@FDA)",
        "https://www.fda.gov/media/89850/download",
        US_GOVERNMENT,
        "drugs_fda.zip",
        _fda,
        ((r"drugs_fda\.tsv", _table(least_columns=2, fold=True)),),
    ),
    "mesh_terms": ListSource(
        "medical subject headings but those of people, places and institutions (National Library"
        " of Medicine, MeSH)",
        "https://nlmpubs.nlm.nih.gov/projects/mesh/MESH_FILES/asciimesh/d2026.bin",
        "terms of the National Library of Medicine: name it as the source, with the year, and say"
        " that the list was changed; it endorses nothing",
        "mesh_terms.bin",
        _mesh,
        (
            (r"mesh\d{4}_descriptors\.tsv", _mesh_table),
            (r"mesh_terms\.xml(\.gz)?", _mesh),
        ),
    ),
}
"""Name of the list that is made -> its source."""


GEONAMES = (
    "CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/): credit GeoNames"
    " (https://www.geonames.org/), and say that the list was changed"
)

TABLES: dict[str, DerivedList] = {
    "occupations_onet": DerivedList(
        "occupations (O*NET Database of the United States Department of Labor)",
        "CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/): credit the O*NET Database of the"
        " USDOL/ETA with its version, and say that the list was changed",
        r"occupations_onet\.tsv",
        _table(least_columns=2, fold=True),
    ),
    "street_names_common": DerivedList(
        "the most common street names (Census Bureau, 1993)",
        US_GOVERNMENT,
        r"street_names_common\.txt",
        _table(),
    ),
    "surnames_census1990": DerivedList(
        "surnames with people of a million (Census Bureau, 1990)",
        US_GOVERNMENT,
        r"surnames_census1990\.tsv",
        _shares,
    ),
    "surnames_census2010_extra": DerivedList(
        "surnames of 2010 that the list of 2000 has not (Census Bureau)",
        US_GOVERNMENT,
        r"surnames_census2010_extra\.txt",
        _table(),
    ),
    "us_counties_census": DerivedList(
        "counties (Census Bureau)", US_GOVERNMENT, r"us_counties\.tsv", _table(least_columns=2)
    ),
    "us_places_geonames": DerivedList(
        "places of the United States with people (GeoNames)",
        GEONAMES,
        r"us_places_geonames\.tsv",
        _table(weight=2, least_columns=3),
    ),
    "world_cities_geonames": DerivedList(
        "cities of other countries with people (GeoNames)",
        GEONAMES,
        r"world_cities\d*_geonames\.tsv",
        _table(weight=2, least_columns=3),
    ),
}
"""Name of the list that is made -> the table it is made from; no publisher's file is read."""


def clean(entries: Iterable[Entry]) -> tuple[dict[str, int], int]:
    """Phrases as a list may have them with their weights added up, and how many were left out.

    Left out are phrases with control characters, of one character, or over `LONGEST_PHRASE`.
    """
    kept: dict[str, int] = {}
    dropped = 0
    for raw, weight in entries:
        phrase = " ".join(unicodedata.normalize("NFC", raw).split())
        if not 1 < len(phrase) <= LONGEST_PHRASE or not phrase.isprintable():
            dropped += 1
            continue
        kept[phrase] = min(kept.get(phrase, 0) + weight, MOST_WEIGHT)
    return kept, dropped
