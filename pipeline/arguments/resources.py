"""Commands for what runs and training draw on: key, policy, dictionaries, part."""

from __future__ import annotations

from typing import Any

from .shared import command, share


def add_key(commands: Any) -> None:
    """Adds the command `key`."""
    parser = command(
        commands,
        "key",
        "make a master key; compute doc_key and patient_key for its holders",
        "example: scrubline key new --output key.txt\n"
        "example: scrubline key patient 0012345 --key-file key.txt\n"
        "example: cut -d, -f1 ids.csv | scrubline key doc - --key-file key.txt   (line for line)",
    )
    parser.add_argument(
        "what",
        choices=["new", "check", "doc", "patient"],
        help="new: make one; check: its check value; doc, patient: keys of the given ids",
    )
    parser.add_argument(
        "ids", nargs="*", help="ids; `-` reads them from standard input, one a line"
    )
    parser.add_argument(
        "--ordinal",
        type=int,
        default=0,
        metavar="N",
        help="for ids that the input repeats; default 0, the first",
    )
    share(parser, "--key-file")
    parser.add_argument(
        "--output", metavar="FILE", help="new: the file to make (mode 600); it must not exist"
    )


def add_policy(commands: Any) -> None:
    """Adds the command `policy`."""
    parser = command(
        commands,
        "policy",
        "explain a policy: what goes, what stays, which identifiers that covers",
        "A policy says label by label what becomes of what is found: redact ([PATIENT]), mask\n"
        "(***), generalise (90+, ZIP to three digits) or keep; which texts and phrases differ;\n"
        "what holds for some note types only. Write one as a TOML file; this keeps doctors:\n\n"
        '  name = "site"\n'
        '  extends = "hipaa"\n'
        "  [actions]\n"
        '  DOCTOR = "keep"\n\n'
        "`check` reads it as a run would, lists and all, says in plain words what it does, and\n"
        "goes through the eighteen identifiers of HIPAA's Safe Harbor. It ends with 2 if the file\n"
        "is wrong, and says which key, and what is allowed. Phrases are counted, never shown.\n\n"
        "example: scrubline policy list\n"
        "example: scrubline policy show hipaa > site.toml\n"
        "example: scrubline policy check site.toml\n"
        "example: scrubline policy check site.toml --json",
    )
    parser.add_argument(
        "what",
        choices=["check", "show", "list"],
        help="check: explain one, with its errors; show: the file of a shipped one; "
        "list: the shipped ones",
    )
    parser.add_argument("policy", nargs="?", metavar="NAME|FILE", help="shipped, or a TOML file")
    parser.add_argument("--json", action="store_true", help="check: print JSON instead of text")


def add_dictionaries(commands: Any) -> None:
    """Adds the command `dictionaries`."""
    parser = command(
        commands,
        "dictionaries",
        "list the word lists; fetch and build the large official ones",
        "Small lists come with the package. `fetch` gets the large ones of the Census Bureau, the\n"
        "Social Security Administration, CMS, the FDA and the National Library of Medicine; it is\n"
        "the only command that opens a network connection of its own. Where it may not, download\n"
        "the files that `list` names, and put them in a folder as first_names_ssa.zip,\n"
        "surnames_census2010.zip, surnames_census2000.zip, hospitals_cms.csv, drugs_fda.zip,\n"
        "mesh_terms.bin.\n\n"
        "`build` makes lists of what is in such a folder, each a file that `scrubline train\n"
        "--dictionary` takes. A line is a phrase; in weighted lists (.tsv) a tab and a count\n"
        "follow. The same files and options give the same bytes; SOURCES.md says where they\n"
        "come from, and under which licence.\n\n"
        "example: scrubline dictionaries list\n"
        "example: scrubline dictionaries fetch --output official/ --only first_names_ssa\n"
        "example: scrubline dictionaries build --from official/ --output lists/ \\\n"
        "  --least-count 1000 --subtract common_words_en --subtract medical_words_en\n"
        "example: scrubline train --corpus train.jsonl --recipe hide --name mine \\\n"
        "  --dictionary lists/first_names_ssa.tsv --output bundles/mine",
    )
    parser.add_argument(
        "what",
        choices=["list", "fetch", "build"],
        help="list: all lists, with kind, size and origin; fetch: get the official files; "
        "build: make lists of them",
    )
    parser.add_argument("--from", dest="source", metavar="FOLDER", help="build: the official files")
    parser.add_argument(
        "--output", metavar="FOLDER", help="fetch: for the files; build: for the lists, a new one"
    )
    parser.add_argument(
        "--only",
        action="append",
        metavar="NAME",
        help="a list that `list` names; may be repeated; default all",
    )
    parser.add_argument(
        "--url",
        dest="urls",
        action="append",
        metavar="NAME=URL",
        help="fetch: another place for a file, for example a newer year; may be repeated",
    )
    parser.add_argument(
        "--least-count",
        type=int,
        default=1,
        metavar="N",
        help="build: leave out what weighted lists count less often; default 1",
    )
    parser.add_argument(
        "--subtract",
        action="append",
        metavar="NAME|URL",
        help="build: leave out the phrases of this list, whatever their case; may be repeated",
    )


def add_part(commands: Any) -> None:
    """Adds the command `part`."""
    parser = command(
        commands,
        "part",
        "make the language parts that some recipes need: parts of speech, names, clusters",
        "A part is a folder: a small tagger or a table of word clusters, through which recipes\n"
        "see texts. None comes with the package; each is made by one command:\n"
        "  pos       part of speech, Penn tags        from a treebank in CoNLL-U\n"
        "  upos      part of speech, universal tags   from the same\n"
        "  ner       PER, LOC, ORG                    from annotated corpora\n"
        "  brown     Brown clusters                   from raw texts: .txt, or .jsonl with {text}\n"
        "  word2vec  clusters of word vectors         from the same; needs scrubline[clusters]\n"
        "A part keeps the licence of its data beside it (LICENCE.md), apart from ours: UD English\n"
        "is share-alike. Clusters of your notes hold words of them, names too: keep such a part\n"
        "as you keep the notes. `list` shows the command for each part, `score` works on data\n"
        "that the part was not made from. docs/parts.md has more.\n\n"
        "example: scrubline part train pos --input en_ewt-ud-train.conllu --output parts/pos \\\n"
        "  --held-out en_ewt-ud-dev.conllu\n"
        "example: scrubline part train brown --input notes.jsonl --output parts/brown \\\n"
        "  --set clusters=200 --credit 'Notes of our own, not to be given on.'\n"
        "example: scrubline part show parts/pos\n"
        "example: scrubline part score parts/ner --input dev.jsonl",
    )
    parser.add_argument(
        "what",
        choices=["train", "show", "list", "score"],
        help="train: make one; show: its card; list: all that can be made; score: on new data",
    )
    parser.add_argument(
        "part", nargs="?", metavar="NAME|FOLDER", help="train: its name; show, score: its folder"
    )
    share(parser, "--input")
    parser.add_argument("--output", metavar="FOLDER", help="train: where to; must not exist")
    parser.add_argument(
        "--held-out",
        action="append",
        metavar="URL",
        help="train: data not learned from, scored for the card; may be repeated",
    )
    parser.add_argument(
        "--set",
        dest="parameters",
        action="append",
        metavar="NAME=VALUE",
        help="train: of taggers a learner's parameter, for example max_iterations=100; of clusters "
        "clusters, vocabulary, least_count, fold (0 keeps case), epochs, dimensions, window, seed",
    )
    parser.add_argument(
        "--algorithm",
        metavar="NAME",
        help="train: lbfgs (default: small models) or averaged-perceptron (faster, larger)",
    )
    parser.add_argument(
        "--licence",
        metavar="TEXT",
        help="train: of the data, where it is none of the known corpora; default: not stated",
    )
    parser.add_argument("--credit", metavar="TEXT", help="train: for LICENCE.md")
