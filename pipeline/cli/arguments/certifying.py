"""Commands of measuring what is left: campaign, certify."""

from __future__ import annotations

from argparse import ArgumentParser

from ...options.command_line import add_named
from .shared import describe


def add_campaign(parser: ArgumentParser) -> None:
    """Adds the options and the help of `campaign`."""
    describe(
        parser,
        "OUT --target SHARE --name NAME --key-file KEYFILE [OPTIONS]",
        "Draws at random the notes that people read, to state how much PHI is left in a run: the "
        "one that waits (scrub --hold), so that it is published only if little is left, or the one "
        "that published last. Before anything is written, it prints how many notes the target "
        "takes. Nobody chooses them: they are drawn by the master key. What is drawn stays as it "
        "is; its SHA-256 is printed, to be kept elsewhere. All campaigns on the same texts that "
        "are read share one chance of 5 % that a certificate is wrong (--alpha): reading until one "
        "passes proves nothing. Documents that `review export` gave to a model to train on are "
        "left out. See docs/certificate.md.",
        "scrubline campaign out/ --target 0.02 --name spring --key-file key.txt --dry-run",
        "scrubline campaign out/ --target 0.02 --name spring --key-file key.txt",
        "scrubline campaign out/ --target 0.05 --of any --sequential --name c2 --key-file key.txt",
    )
    parser.add_argument("output", metavar="OUT", help="the output")
    parser.add_argument(
        "--target",
        type=float,
        required=True,
        metavar="SHARE",
        help="what is to be certified: at most this share leaks",
    )
    parser.add_argument(
        "--of",
        choices=("direct", "any"),
        default="direct",
        help="direct: what holds a name, number, contact or street leaks; any: any PHI (default: "
        "%(default)s)",
    )
    parser.add_argument("--name", required=True, metavar="NAME", help="of the campaign")
    _add_kind(parser)
    _add_size(parser)
    _add_trained(parser)
    parser.add_argument("--dry-run", action="store_true", help="print, and write nothing")
    add_named(parser, "campaign", "run", "key-file")


def _add_kind(parser: ArgumentParser) -> None:
    """What is drawn, and how it is read."""
    parser.add_argument(
        "--unit",
        choices=("document", "patient"),
        default="document",
        help="what is drawn and counted; of a patient all notes are read (default: %(default)s)",
    )
    parser.add_argument(
        "--by-type",
        action="store_true",
        help="also a statement of each type of notes, of each of which 30 are read at least",
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--fixed",
        action="store_true",
        help="all that is drawn is read, and looked at once (default)",
    )
    how.add_argument(
        "--sequential",
        action="store_true",
        help="reading may stop, in the order of the draw, as soon as it suffices: about a third "
        "more notes where none leaks, far fewer where many do",
    )
    parser.add_argument(
        "--cut-tail",
        type=float,
        default=0.0,
        metavar="SHARE",
        help="leave the documents of the greatest risk out, up to this share: nothing is stated "
        "of them, and the gate counts each as a leak",
    )


def _add_size(parser: ArgumentParser) -> None:
    """How much is drawn."""
    parser.add_argument(
        "--expected",
        type=float,
        default=0.0,
        metavar="PART",
        help="draw so many that the target is certified with a chance of 80 %% if this part of it "
        "leaks in truth, as in 0.25 (default: so many that none may leak)",
    )
    parser.add_argument("--notes", type=int, metavar="N", help="draw so many, whatever they show")
    parser.add_argument(
        "--alpha",
        type=float,
        default=0.05,
        metavar="CHANCE",
        help="with this chance at most the first statement is wrong (default: %(default)s); less "
        "leaves some for another campaign on the same texts",
    )


def add_certify(parser: ArgumentParser) -> None:
    """Adds the options and the help of `certify`."""
    describe(
        parser,
        "OUT --campaign NAME --key-file KEYFILE [--sign KEY.pem] [OPTIONS]\n"
        "       scrubline certify verify FILE [OUT] --trusted-keys FILE [--key-file KEYFILE]",
        "Writes what a campaign that was read states, to OUT/risk/certificate.json, and prints it "
        "in sentences. With --sign, an Ed25519 key (PEM or OpenSSH; its password, if it has one, "
        "in SCRUBLINE_SIGNING_PASSWORD) signs it: OUT/risk/certificate.dsse.json is what `scrub` "
        "and `resume` take with --max-risk. An earlier certificate there is replaced: keep a copy. "
        "What was skipped, could not be read or was not read counts as a leak. The same marks give "
        "the same bytes, in whatever order and files. Exit code 3 if the bound is above the target "
        "of the campaign.\n"
        "`verify` checks a signature and, with OUT, that run, draw and marks are those that were "
        "signed. See docs/certificate.md.",
        "scrubline certify out/ --campaign spring --key-file key.txt --sign officer.pem",
        "scrubline certify verify out/risk/certificate.dsse.json --trusted-keys officers.pub",
        "scrubline certify verify spring.dsse.json out/ --trusted-keys officers.pub \\\n"
        "           --key-file key.txt",
    )
    parser.add_argument("words", nargs="+", metavar="OUT", help="the output; or verify FILE [OUT]")
    parser.add_argument("--campaign", metavar="NAME", help="which campaign")
    parser.add_argument(
        "--sign",
        action="append",
        metavar="KEY",
        help="private key that signs, Ed25519, PEM or OpenSSH; repeatable",
    )
    parser.add_argument(
        "--expires",
        type=int,
        default=180,
        metavar="DAYS",
        help="it holds for so many days from that on which its notes were drawn (default: "
        "%(default)s)",
    )
    _add_trained(parser)
    add_named(parser, "certify", "trusted-keys", "key-file")


def _add_trained(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--trained",
        metavar="FILE",
        help="doc_keys of documents that a model of the run was trained on, one a line; those of "
        "`review export` are known",
    )
