"""Commands for what runs and training draw on: key, policy, roster, dictionaries, part."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from ...options.command_line import add_named
from .shared import describe


def add_key(parser: ArgumentParser) -> None:
    """Adds the options and the help of `key`."""
    describe(
        parser,
        "new|check|doc|patient|offset|map [ID ...] [OPTIONS]",
        "A key is never shown. Keep it safe: without it, nothing can be joined again.",
        "scrubline key new --output key.txt",
        "scrubline key check --key-file key.txt",
        "scrubline key patient 0012345 --key-file key.txt",
        "cut -d, -f1 ids.csv | scrubline key doc - --key-file key.txt",
        "cut -d, -f2 ids.csv | scrubline key offset - --policy expert --key-file key.txt",
        "scrubline key map --config job.toml --output map.parquet",
        "scrubline key map --input notes/ --column note_id=id --key-file key.txt \\\n"
        "           --output map.csv",
    )
    parser.add_argument(
        "what",
        choices=["new", "check", "doc", "patient", "offset", "map"],
        help="new: make a key; check: print its check value; doc, patient: print the keys of ids; "
        "offset: print by how many days the dates of patients were moved, by their ids; map: write "
        "a table of all ids of an input and their keys",
    )
    parser.add_argument(
        "ids", nargs="*", metavar="ID", help="ids; `-` reads them from standard input, one per line"
    )
    parser.add_argument(
        "--ordinal",
        type=int,
        default=0,
        metavar="N",
        help="doc: which row, if the input repeats an id; 0 is the first (default: %(default)s)",
    )
    add_named(parser, "key", "key-file", "policy")
    parser.add_argument(
        "--output",
        metavar="FILE",
        help="new, map: file to write (mode 600); must not exist. map: .parquet, .csv or .jsonl",
    )
    add_named(parser, "key", "input", "column", "config", "format", "group-lines")
    add_named(parser, "key", "encoding", "delimiter", "quote", "escape", "header")


def add_policy(parser: ArgumentParser) -> None:
    """Adds the options and the help of `policy`."""
    describe(
        parser,
        "check|show|list [NAME|FILE] [OPTIONS]",
        "For each label, a policy says what becomes of what is found: redact ([PATIENT]), mask "
        "(***), generalise (90+, ZIP code to three digits) or keep; which texts and phrases are "
        "exceptions; and what differs for some note types. Write one as a TOML file; this keeps "
        "doctors:\n\n"
        '  name = "site"\n'
        '  extends = "hipaa"\n'
        "  [actions]\n"
        '  DOCTOR = "keep"\n\n'
        "`check` reads it as a run would, with its lists, explains what it does, and goes through "
        "the eighteen identifiers of HIPAA's Safe Harbor. If the file is wrong, it exits with 2 "
        "and says which key is wrong and what is allowed. Phrases are counted, never shown.",
        "scrubline policy list",
        "scrubline policy show hipaa > site.toml",
        "scrubline policy check site.toml",
        "scrubline policy check site.toml --json",
    )
    parser.add_argument(
        "what",
        choices=["check", "show", "list"],
        help="check: explain a policy and report its errors; show: print a shipped policy's file; "
        "list: name the shipped policies",
    )
    parser.add_argument(
        "policy", nargs="?", metavar="NAME|FILE", help="a shipped policy, or a TOML file"
    )
    parser.add_argument("--json", action="store_true", help="check: print JSON instead of text")


def add_roster(parser: ArgumentParser) -> None:
    """Adds the options and the help of `roster`."""
    describe(
        parser,
        "build|check|diff [ROSTER ...] [OPTIONS]",
        "A roster is what a hospital knows of its patients before any note is read: names, "
        "numbers, addresses and birth dates, of relatives and staff too. `build` reads tables of "
        "them in any format of inputs and seals a row a patient under the master key. A table has "
        "the columns patient, kind, attribute, value:\n\n"
        "  patient,kind,attribute,value\n"
        "  0012345,self,family,Quimby\n"
        "  0012345,relative,name,Yorick Quimby\n"
        "  staff-7,staff,name,Octavia Brandenquist\n\n"
        "Or it has a row a person, and --column says what its columns are: `patient` for the ids, "
        "an attribute of the patient (given, middle, family, name, alias, birth, sex, street, "
        "city, zip, phone, email, mrn, id), or KIND:ATTRIBUTE with self, relative, contact or "
        "staff. Other columns are not read. Messages (HL7 v2, FHIR, C-CDA) say who is who by the "
        "roles of their format, and take no --column.\n\n"
        "`check` counts words of names that stand in many notes: a patient called metformin would "
        "take the drug out of that patient's notes. `diff` names the patients that differ between "
        "two rosters, by patient_key; it needs no key. No command shows a value, unless `check "
        "--show` is asked to on a terminal. See docs/roster.md.",
        "scrubline roster build --input people.csv --key-file key.txt --date 2026-11-22 \\\n"
        "           --output roster/",
        "scrubline roster build --input patients.parquet --key-file key.txt --output roster/ \\\n"
        "           --column PAT_ID=patient --column LAST=family --column NOK=relative:name",
        "scrubline roster build --input Patient.ndjson --format fhir --key-file key.txt \\\n"
        "           --output roster/",
        "scrubline roster check roster/ --input notes.jsonl --key-file key.txt",
        "scrubline roster diff roster-1/ roster-2/",
    )
    parser.add_argument(
        "what",
        choices=["build", "check", "diff"],
        help="build: seal tables of people; check: count what is in a roster, and words of it that "
        "are frequent in notes; diff: name the patients that differ between two",
    )
    parser.add_argument(
        "rosters", nargs="*", metavar="ROSTER", help="check: a roster; diff: the old and the new"
    )
    add_named(parser, "roster", "key-file", "input")
    parser.add_argument(
        "--column",
        dest="people_columns",
        action="append",
        metavar="NAME=WHAT",
        help="build: what a column of a table is; check: NAME=text, which columns are free text "
        "(default: text); repeatable",
    )
    parser.add_argument(
        "--output", metavar="FOLDER", help="build: folder or URL to write; must not exist"
    )
    parser.add_argument(
        "--date",
        metavar="YYYY-MM-DD",
        help="build: of the tables, for the manifest (default: none; the clock is not asked)",
    )
    parser.add_argument(
        "--share",
        type=float,
        metavar="X",
        help="check: tell of words in more than this share of the notes (default: 0.002)",
    )
    parser.add_argument(
        "--show",
        action="store_true",
        help="check: show the frequent words themselves; on a terminal only, for they are PHI",
    )
    add_named(parser, "roster", "format", "encoding", "delimiter", "quote", "escape", "header")


def add_dictionaries(parser: ArgumentParser) -> None:
    """Adds the options and the help of `dictionaries`."""
    describe(
        parser,
        "list|fetch|build [OPTIONS]",
        "Small lists come with the package. `fetch` downloads the large ones of the Census Bureau, "
        "the Social Security Administration, CMS, the FDA and the National Library of Medicine; it "
        "is the only command that opens a network connection of its own. Where it may not, "
        "download the files that `list` names and put them in a folder as first_names_ssa.zip, "
        "surnames_census2010.zip, surnames_census2000.zip, hospitals_cms.csv, drugs_fda.zip and "
        "mesh_terms.bin.\n\n"
        "`build` turns such a folder into lists, each a file for `scrubline train --dictionary`. A "
        "line is a phrase; in weighted lists (.tsv) it is followed by a tab and a count. The same "
        "files and options give the same bytes; SOURCES.md gives origin and licence.",
        "scrubline dictionaries list",
        "scrubline dictionaries fetch --output official/ --only first_names_ssa",
        "scrubline dictionaries build --from official/ --output lists/ \\\n"
        "           --least-count 1000 --subtract common_words_en --subtract medical_words_en",
        "scrubline train --corpus train.jsonl --recipe hide --name mine \\\n"
        "           --dictionary lists/first_names_ssa.tsv --output bundles/mine",
    )
    parser.add_argument(
        "what",
        choices=["list", "fetch", "build"],
        help="list: name all lists with kind, size and origin; fetch: download the official files; "
        "build: make lists of them",
    )
    parser.add_argument(
        "--from", dest="source", metavar="FOLDER", help="build: folder of the official files"
    )
    parser.add_argument(
        "--output",
        metavar="FOLDER",
        help="fetch: folder for the files; build: folder for the lists, must not exist",
    )
    parser.add_argument(
        "--only",
        action="append",
        metavar="NAME",
        help="a list that `list` names (default: all); repeatable",
    )
    parser.add_argument(
        "--url",
        dest="urls",
        action="append",
        metavar="NAME=URL",
        help="fetch: download a file from another place, for example a newer year; repeatable",
    )
    parser.add_argument(
        "--least-count",
        type=int,
        default=1,
        metavar="N",
        help="build: leave out phrases with a lower count in weighted lists (default: %(default)s)",
    )
    parser.add_argument(
        "--subtract",
        action="append",
        metavar="NAME|URL",
        help="build: leave out the phrases of this list, ignoring case; repeatable",
    )


def add_part(parser: ArgumentParser) -> None:
    """Adds the options and the help of `part`."""
    describe(
        parser,
        "train|show|list|score [NAME|FOLDER] [OPTIONS]",
        "An auxiliary model (a part, for short) is a folder with a small tagger or a table, from "
        "which recipes make features. None ships with the package; one command makes each:\n"
        "  pos       part of speech, Penn tags        from a treebank in CoNLL-U\n"
        "  upos      part of speech, universal tags   from the same\n"
        "  ner       PER, LOC, ORG                    from annotated corpora\n"
        "  brown     Brown clusters                   from raw texts: .txt, or .jsonl with {text}\n"
        "  word2vec  clusters of word vectors         from the same; needs scrubline[clusters]\n"
        "  mesh      categories of medical phrases    from tables of MeSH: .tsv\n"
        "  links     links of grammar, recorded       from raw open texts, for studies alone\n"
        "  linkleft  nearest link to the left         from raw texts; needs Link Grammar\n"
        "  linkright nearest link to the right        from the same\n"
        "The licence of the data is kept with the model (LICENCE.md), separate from Scrubline's: "
        "UD English is share-alike. Clusters made from your notes contain words of them, even "
        "names: protect such a model as you protect the notes. `list` shows the command for each "
        "model; `score` needs data that the model was not trained on. See docs/parts.md.",
        "scrubline part train pos --input en_ewt-ud-train.conllu --output parts/pos \\\n"
        "           --held-out en_ewt-ud-dev.conllu",
        "scrubline part train brown --input notes.jsonl --output parts/brown \\\n"
        "           --set clusters=200 --credit 'Our own notes. Not for redistribution.'",
        "scrubline part show parts/pos",
        "scrubline part score parts/ner --input dev.jsonl",
    )
    parser.add_argument(
        "what",
        choices=["train", "show", "list", "score"],
        help="train: make a model; show: print its card; list: name all that can be made; score: "
        "measure one on new data",
    )
    parser.add_argument(
        "part", nargs="?", metavar="NAME|FOLDER", help="train: its name; show, score: its folder"
    )
    _add_part_options(parser)


def _add_part_options(parser: Any) -> None:
    parser.add_argument(
        "--input",
        dest="inputs",
        action="append",
        metavar="URL",
        help="file, folder or glob to read; repeatable",
    )
    parser.add_argument("--output", metavar="FOLDER", help="train: folder to write; must not exist")
    parser.add_argument(
        "--held-out",
        action="append",
        metavar="URL",
        help="train: data that is not learned from, but scored for the card; repeatable",
    )
    parser.add_argument(
        "--set",
        dest="parameters",
        action="append",
        metavar="NAME=VALUE",
        help="train: for taggers, a parameter of the learner, for example max_iterations=100; for "
        "clusters, one of clusters, vocabulary, least_count, fold (0 keeps case), epochs, "
        "dimensions, window, seed; for mesh, year; repeatable",
    )
    parser.add_argument(
        "--algorithm",
        metavar="NAME",
        help="train: lbfgs (default: small models) or averaged-perceptron (faster, larger models)",
    )
    parser.add_argument(
        "--licence",
        "--license",
        metavar="TEXT",
        help="train: licence of the data, if it is not a known corpus (default: not stated)",
    )
    parser.add_argument("--credit", metavar="TEXT", help="train: credit for LICENCE.md")


def add_completion(parser: ArgumentParser) -> None:
    """Adds the options and the help of `completion`."""
    describe(
        parser,
        "bash|zsh|fish",
        "The script completes commands, options and the values that they suggest, and otherwise "
        "file names. Generate it again after an upgrade.",
        "source <(scrubline completion bash)",
        "scrubline completion zsh > ~/.zfunc/_scrubline",
        "scrubline completion fish > ~/.config/fish/completions/scrubline.fish",
    )
    parser.add_argument("shell", choices=["bash", "zsh", "fish"], help="the shell to print it for")
