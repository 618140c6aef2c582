"""Commands that write annotated notes: annotate, convert, synth."""

from __future__ import annotations

from typing import Any

from .shared import command, share


def add_annotate(commands: Any) -> None:
    """Adds the command `annotate`."""
    parser = command(
        commands,
        "annotate",
        "write documents with predicted spans, for pre-annotation and scoring",
        "The output holds the texts: it is as sensitive as the input.\n\n"
        "example: scrubline annotate --input dev.jsonl --model bundles/mine --output found.jsonl\n"
        "example: scrubline annotate --input dev.jsonl --model none --recogniser date \\\n"
        "  --output dates.jsonl\n"
        "example: scrubline annotate --input notes.xml --to brat --output for-brat/",
    )
    share(parser, "--input")
    parser.add_argument(
        "--output",
        required=True,
        metavar="URL",
        help="corpus with predicted spans; a folder for formats of one document a file",
    )
    share(parser, "--overwrite", "--from", "--to", "--model")
    parser.add_argument(
        "--recogniser",
        dest="recognisers",
        action="append",
        metavar="NAME",
        help="rule; may be repeated; `all`; `recipe` for those of the models' recipes; default "
        "none",
    )
    parser.add_argument(
        "--own-labels",
        action="store_true",
        help="the bundle's own labels instead of the native set",
    )
    parser.add_argument(
        "--cover",
        action="store_true",
        help="also write what would be removed, in meta.cover of standoff: all that any detector "
        "proposes; `evaluate` then measures leaks by it",
    )


def add_convert(commands: Any) -> None:
    """Adds the command `convert`."""
    parser = command(
        commands,
        "convert",
        "rewrite an annotated corpus in another form",
        "forms, and what each cannot hold:\n"
        "  standoff   JSON Lines, {doc_id, text, spans: [{start, end, label}], meta} a line;\n"
        "             .jsonl, .ndjson\n"
        "  i2b2_2014  XML, one document a file, in a folder: native labels only; no control\n"
        "             characters, no meta\n"
        "  i2b2_2006  XML, all documents in one file: no overlapping spans, only labels PATIENT,\n"
        "             DOCTOR, HOSPITAL, ID, DATE, LOCATION, PHONE, AGE; no control characters,\n"
        "             no meta\n"
        "  brat       pairs of .txt and .ann, in a folder: no meta\n"
        "  conll      a token a line, BIO tags: no overlapping spans, none of white space only,\n"
        "             no meta; .conll, .bio, .iob, .bioes\n"
        "Texts and offsets stay as they are, to the character. In folders a document's file is\n"
        "named by its doc_id. A document that the form cannot hold stops the conversion, and\n"
        "nothing is left behind. The output holds the texts: it is as sensitive as the input.\n\n"
        "example: scrubline convert gold.jsonl for-brat/ --to brat --check\n"
        "example: scrubline convert training-PHI-Gold/ gold.jsonl\n"
        "example: scrubline convert gold.jsonl gold.xml --to i2b2_2006 --label-map i2b2_2006\n"
        "example: scrubline convert meddocan/ spanish.conll --label-map meddocan",
    )
    parser.add_argument("source", metavar="INPUT", help="file, folder or glob; .gz is unpacked")
    parser.add_argument(
        "target", metavar="OUTPUT", help="file, or a folder that is empty or not there"
    )
    share(parser, "--from", "--to", "--overwrite")
    parser.add_argument(
        "--label-map",
        metavar="NAME|FILE",
        help="labels -> native ones; the other way if the map is named as the form of the output; "
        "spans of labels without counterpart are left out and counted",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="say what the form cannot hold before anything is written, then read the result back "
        "and compare it; reads the input twice",
    )


def add_synth(commands: Any) -> None:
    """Adds the command `synth`."""
    parser = command(
        commands,
        "synth",
        "make annotated notes to train on, with invented identities",
        "The wording is of templates written by hand, of many kinds of notes; names, dates,\n"
        "places, numbers and layouts are drawn anew for each note. The same seed and options give\n"
        "the same bytes, another seed other identities. docs/synth.md tells how to write\n"
        "templates of your own.\n\n"
        "example: scrubline synth --seed 1 --notes 3000 --output notes.jsonl\n"
        "example: scrubline synth --templates ours/ --check\n"
        "example: scrubline synth --seed 1 --templates ours/ --notes 500 --output notes.jsonl\n"
        "example: scrubline synth --seed 1 --raw raw-notes/ --output notes.jsonl",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="default 1")
    parser.add_argument(
        "--notes",
        type=int,
        metavar="N",
        help="how many; templates are taken in turn; default one of each; 0 for --raw alone",
    )
    parser.add_argument(
        "--templates", metavar="FOLDER", help="in place of the shipped ones: <kind>.txt files"
    )
    parser.add_argument(
        "--raw",
        action="append",
        metavar="FOLDER",
        help="notes without annotation, to mix in: .jsonl with a text a line, or .txt; what the "
        "rules find is replaced, lines with an unexplained name are left out. The result holds "
        "their wording: treat it as you treat them; may be repeated",
    )
    parser.add_argument("--output", metavar="FILE", help="stand-off .jsonl, or another form")
    parser.add_argument(
        "--check", action="store_true", help="write nothing: say all that is wrong with templates"
    )
    parser.add_argument(
        "--show", type=int, metavar="N", help="like --check, and print N filled notes of each kind"
    )
