"""Commands that write annotated notes: annotate, convert, synth."""

from __future__ import annotations

from argparse import ArgumentParser

from ...options.command_line import add_named
from .shared import describe, share


def add_annotate(parser: ArgumentParser) -> None:
    """Adds the options and the help of `annotate`."""
    describe(
        parser,
        "--input URL --output URL [OPTIONS]",
        "The output contains the texts: it is as sensitive as the input.",
        "scrubline annotate --input dev.jsonl --model bundles/mine --output found.jsonl",
        "scrubline annotate --input dev.jsonl --model none --recogniser date \\\n"
        "           --output dates.jsonl",
        "scrubline annotate --input notes.xml --to brat --output for-brat/",
        "scrubline annotate --input dev.jsonl --policy site.toml --output found.jsonl",
        "scrubline annotate --input records.jsonl --roster roster/ --key-file key.txt \\\n"
        "           --output found.jsonl",
    )
    add_named(parser, "annotate", "input")
    parser.add_argument(
        "--output",
        required=True,
        metavar="URL",
        help="corpus to write; a folder for formats of several files",
    )
    share(parser, "--overwrite", "--from", "--to")
    add_named(parser, "annotate", "model", "recogniser", "policy", "roster", "roster-fuzzy")
    add_named(parser, "annotate", "key-file")
    share(parser, "--patient")
    parser.add_argument(
        "--own-labels",
        action="store_true",
        help="write the bundle's own labels instead of the native ones",
    )
    parser.add_argument(
        "--cover",
        action="store_true",
        help="also write what would be removed, everything that any detector proposes, as "
        "meta.cover of standoff; `evaluate` then measures leaks by it",
    )


def add_convert(parser: ArgumentParser) -> None:
    """Adds the options and the help of `convert`."""
    describe(
        parser,
        "INPUT OUTPUT [OPTIONS]",
        "Three ways, of which the output decides:\n"
        "  a table    of messages (HL7 v2, FHIR, C-CDA), a row a record and text: if the output\n"
        "             ends in .parquet, .csv or .tsv, or --to says parquet, csv, tsv or jsonl\n"
        "  messages   of a table, a plain one a row: if the output ends in .hl7, or --to says\n"
        "             hl7, fhir or ccda\n"
        "  a corpus   of an annotated corpus in another form (below): in all other cases\n"
        "An output in .jsonl or .ndjson is a table if the input is messages, else an annotated "
        "corpus. An input in .jsonl or .ndjson is a table if the output is messages; FHIR if it "
        "begins with a resource; else an annotated corpus. --from and --to overrule that.\n"
        "A table of messages is NOT de-identified: its texts and ids are those of the messages. "
        "Records that a run would hold back are left out, counted and told, with exit code 3. The "
        "columns of a table, and what messages hold of a row: docs/messages.md.\n"
        "Forms of annotated corpora, and what each cannot hold:\n"
        "  standoff   JSON Lines, {doc_id, text, spans: [{start, end, label}], meta} per line;\n"
        "             .jsonl, .ndjson\n"
        "  i2b2_2014  XML, one document per file, in a folder: native labels only; no control\n"
        "             characters, no meta\n"
        "  i2b2_2006  XML, all documents in one file: no overlapping spans, only labels PATIENT,\n"
        "             DOCTOR, HOSPITAL, ID, DATE, LOCATION, PHONE, AGE; no control characters,\n"
        "             no meta\n"
        "  brat       pairs of .txt and .ann, in a folder: no meta\n"
        "  conll      one token per line, BIO tags: no overlapping spans, no spans of white space\n"
        "             only, no meta; .conll, .bio, .iob, .bioes\n"
        "  physionet  id.text, id-phi.phrase and id.deid, in a folder: ids PATIENT-NOTE of two\n"
        "             numbers, no START_OF_RECORD= or ||||END_OF_RECORD in texts, no meta\n"
        "Texts and offsets stay as they are, to the character. In folders, a document's file is "
        "named by its doc_id. A document that the format cannot hold stops the conversion, and "
        "nothing is written. The output contains the texts: it is as sensitive as the input.",
        "scrubline convert gold.jsonl for-brat/ --to brat --check",
        "scrubline convert training-PHI-Gold/ gold.jsonl",
        "scrubline convert gold.jsonl gold.xml --to i2b2_2006 --label-map i2b2_2006",
        "scrubline convert meddocan/ spanish.conll --label-map meddocan",
        "scrubline convert feed/ notes.parquet --column ZPD=drop",
        "scrubline convert notes.parquet out.hl7 --column doc_key=id \\\n"
        "           --column patient_key=patient --column date=date --column text=text",
        "scrubline convert notes.csv out.ndjson --to fhir --time-zone Europe/Berlin \\\n"
        "           --column id=id --column mrn=patient --column seen=date --column note=text",
    )
    parser.add_argument("source", metavar="INPUT", help="file, folder or glob; .gz is unpacked")
    parser.add_argument(
        "target", metavar="OUTPUT", help="file, or a folder that is empty or does not exist"
    )
    share(parser, "--from", "--to", "--overwrite")
    corpora = parser.add_argument_group("annotated corpora")
    corpora.add_argument(
        "--label-map",
        metavar="NAME|FILE",
        help="map labels to native ones; from native ones if the map has the name of the output's "
        "format. Spans of labels without a counterpart are left out and counted",
    )
    corpora.add_argument(
        "--check",
        action="store_true",
        help="report what the format cannot hold before anything is written, then read the result "
        "back and compare it; reads the input twice",
    )
    messages = parser.add_argument_group("messages and tables")
    add_named(messages, "convert", "column", "config")
    messages.add_argument(
        "--time-zone",
        metavar="ZONE",
        help="to messages: the zone of times that say none, such as Europe/Berlin or +01:00; FHIR "
        "has no time of day without one",
    )
    add_named(messages, "convert", "encoding", "delimiter", "quote", "escape", "header")


def _add_records(parser: ArgumentParser) -> None:
    """Adds the options of `synth` for whole records."""
    parser.add_argument(
        "--patients",
        type=int,
        metavar="N",
        help="make whole records of N patients in place of single notes: the notes of a patient "
        "share names, numbers, kin and staff, and say whom each name means (docs/synth.md)",
    )
    parser.add_argument(
        "--notes-per-patient",
        metavar="A:B",
        help="with --patients: least and most notes of a patient, or one number for both "
        "(default: 1:40)",
    )
    parser.add_argument(
        "--roster",
        metavar="FILE",
        help="with --patients: also write the table of patients, kin and staff (patient, kind, "
        "attribute, value): .csv, .jsonl or .parquet",
    )


def add_synth(parser: ArgumentParser) -> None:
    """Adds the options and the help of `synth`."""
    describe(
        parser,
        "--output FILE [OPTIONS]\n       scrubline synth --check [OPTIONS]",
        "The wording comes from handwritten templates of many kinds of notes; names, dates, "
        "places, numbers and layouts are drawn for each note. The same seed and options give the "
        "same bytes, another seed gives other identities. docs/synth.md explains how to write "
        "templates of your own.",
        "scrubline synth --seed 1 --notes 3000 --output notes.jsonl",
        "scrubline synth --language es --seed 1 --notes 3000 --output notas.jsonl",
        "scrubline synth --templates ours/ --check",
        "scrubline synth --seed 1 --templates ours/ --notes 500 --output notes.jsonl",
        "scrubline synth --seed 1 --kind nursing-shorthand --notes 500 --output notes.jsonl",
        "scrubline synth --seed 1 --raw raw-notes/ --output notes.jsonl",
        "scrubline synth --patients 2000 --notes-per-patient 1:40 --roster roster.csv --output "
        "records.jsonl",
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="seed (default: %(default)s)"
    )
    parser.add_argument(
        "--notes",
        type=int,
        metavar="N",
        help="number of notes; templates are used in turn (default: one note per template, or as "
        "many as its #draws says); 0 for --raw alone",
    )
    _add_records(parser)
    parser.add_argument(
        "--templates",
        metavar="FOLDER",
        help="use the <kind>.txt files of this folder instead of the shipped templates",
    )
    parser.add_argument(
        "--language",
        default="en",
        metavar="CODE",
        help="language of the templates and of what fills them: en or es (default: %(default)s)",
    )
    parser.add_argument(
        "--kind",
        action="append",
        metavar="NAME",
        help="use only the templates of this kind of note, or of all that match a pattern "
        "('*nursing*'); repeatable (default: all kinds)",
    )
    parser.add_argument(
        "--raw",
        action="append",
        metavar="FOLDER",
        help="mix in notes without annotation: .jsonl with a text per line, or .txt. What the "
        "rules find is replaced; lines with an unexplained name are left out. The result has "
        "their wording: protect it as you protect them; repeatable",
    )
    parser.add_argument(
        "--output", metavar="FILE", help="corpus to write: .jsonl (standoff) or another format"
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; report all errors of the templates"
    )
    parser.add_argument(
        "--show", type=int, metavar="N", help="like --check; also print N notes of each kind"
    )
