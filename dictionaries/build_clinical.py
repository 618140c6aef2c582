"""Writes the lists that come from open clinical vocabularies. Not run at install.

    python dictionaries/build_clinical.py FOLDER

FOLDER has one table for each kind of list, tab-separated and without a header; a term comes first,
the sources that have it are named in a column (`medical/SOURCES.md` names all, with their terms).
Rows that only sources without stated terms have are left out.

Words that are names of people as well are kept apart: a list that lets a word pass as "no name"
must not have them.
"""

from __future__ import annotations

import csv
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

HERE = Path(__file__).parent

SOURCES = frozenset(
    (
        *("columbia", "dmd", "doid", "doid-es", "drugsfda", "fdaclass", "hcpcs", "icd10cm"),
        *("icd10pcs", "lemminflect", "lrabr", "maxo", "meddocan", "medquad", "mesh", "mondo"),
        *("ncit", "ndc", "obi", "ordo", "stetson", "symp", "uberon", "vo"),
    )
)
"""Sources whose terms are stated where they are published, and allow this use."""

LONGEST_PHRASE = 100
"""In code points. Longer terms are definitions."""

Row = list[str]


def main(folder: Path) -> None:
    """Writes all lists."""
    words = [row for row in rows(folder, "clinical_words_en.tsv") if has_source(row[2])]
    write("medical/clinical_words_en.txt", (row[0] for row in words if not mark(row, 3)))
    write("medical/clinical_words_or_names_en.txt", (row[0] for row in words if mark(row, 3)))
    spanish = (row for row in rows(folder, "clinical_words_es.tsv") if has_source(row[2]))
    write("medical/clinical_words_es.txt", (row[0] for row in spanish))
    phrases = [row[0] for row in rows(folder, "clinical_phrases_en.tsv") if has_source(row[2])]
    write("medical/clinical_phrases_en.txt", phrases)
    # The table of eponyms does not name its sources: those of the phrases stand for them.
    known = {word for phrase in phrases for word in re.findall(r"[^\W\d_]+", phrase)}
    eponyms = (row[0] for row in rows(folder, "clinical_eponyms_en.tsv") if row[0] in known)
    write("medical/clinical_eponyms_en.txt", eponyms)
    abbreviations = (
        row for row in rows(folder, "clinical_abbreviations_en.tsv") if has_source(row[3])
    )
    write("medical/clinical_abbreviations_en.txt", (row[0] for row in abbreviations))
    for table, kind, name in (
        ("device_brands_en.tsv", "brand", "medical/device_brands_en.txt"),
        ("device_brands_en.tsv", "maker", "medical/device_makers_en.txt"),
        ("vehicles_en.tsv", "make", "words/vehicle_makes_en.txt"),
        ("vehicles_en.tsv", "model", "words/vehicle_models_en.txt"),
    ):
        write(name, (row[0] for row in rows(folder, table) if row[1] == kind))
    write("words/products_en.txt", (row[0] for row in rows(folder, "products_en.tsv")))


def rows(folder: Path, name: str) -> Iterator[Row]:
    """The rows of a table."""
    with (folder / name).open(encoding="utf-8", newline="") as file:
        yield from csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)


def has_source(cell: str) -> bool:
    """Whether a source with stated terms has the term."""
    return not SOURCES.isdisjoint(cell.split(","))


def mark(row: Row, column: int) -> str:
    """The mark of a word that is a name as well; empty if it is none."""
    return row[column] if len(row) > column else ""


def write(name: str, terms: Iterable[str]) -> None:
    """Writes one list: sorted, unique, NFC, white space as single blanks."""
    clean = {" ".join(unicodedata.normalize("NFC", term).split()) for term in terms}
    clean = {term for term in clean if term.isprintable()}  # one has a control character
    kept = sorted(term for term in clean if term and len(term) <= LONGEST_PHRASE)
    (HERE / name).write_text("".join(f"{term}\n" for term in kept), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
