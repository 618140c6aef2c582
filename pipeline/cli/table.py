"""All commands: how each is parsed, and which module runs it."""

from __future__ import annotations

import argparse
import dataclasses
import enum
import importlib
from collections.abc import Callable, Mapping
from types import MappingProxyType

from ..process.exit_codes import ExitCode
from .arguments.certifying import add_campaign, add_certify
from .arguments.corpora import add_annotate, add_convert, add_synth
from .arguments.outputs import (
    add_diff,
    add_find,
    add_inspect,
    add_prune,
    add_report,
    add_status,
    add_verify,
    add_view,
)
from .arguments.resources import (
    add_completion,
    add_dictionaries,
    add_key,
    add_part,
    add_policy,
    add_roster,
)
from .arguments.runs import add_init, add_plan, add_preview, add_resume, add_scrub
from .arguments.scoring import add_evaluate, add_study
from .arguments.serving import add_review, add_serve
from .arguments.shared import describe
from .arguments.training import add_dial, add_next, add_train


class Topic(enum.StrEnum):
    """What commands are for: the headings of the help, in its order."""

    SCRUBBING = "scrub"
    KEYS = "keys and policies"
    MODELS = "models"
    RESEARCH = "research"
    HELP = "this command line"


@dataclasses.dataclass(frozen=True, slots=True)
class Command:
    """One command.

    Attributes:
        help: what it does, in a line of the list of commands.
        add: adds its options and the rest of its help to its parser.
        module: below `pipeline`; its function `run` does the work and gives the exit code. It is
            imported when the command runs, for it may load Beam, pyarrow and the CRF library.
        topic: the heading under which the help lists it.
    """

    help: str
    add: Callable[[argparse.ArgumentParser], None]
    module: str
    topic: Topic = Topic.SCRUBBING

    def run(self, parsed: argparse.Namespace) -> ExitCode:
        """Runs the command."""
        module = importlib.import_module(f"...{self.module}", __name__)
        code: ExitCode = module.run(parsed)
        return code


def _add_help(parser: argparse.ArgumentParser) -> None:
    describe(
        parser,
        "[COMMAND]",
        "The same as `scrubline COMMAND --help`; without a command, the list of commands.",
        "scrubline help scrub",
    )
    parser.add_argument("topic", nargs="?", choices=list(COMMANDS), metavar="COMMAND")
    parser.add_argument("more", nargs="*", help=argparse.SUPPRESS)  # as in `help key map`


COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        "scrub": Command(
            "scrub a corpus: scrubbed copies, audit log, manifest",
            add_scrub,
            "commands.scrub",
        ),
        "init": Command(
            "write a config file for an input: a guessed role for each column, with reasons",
            add_init,
            "commands.init",
        ),
        "preview": Command(
            "show some notes of an input before and after, on a terminal",
            add_preview,
            "commands.preview",
        ),
        "plan": Command(
            "list and split the input and freeze the plan; run nothing",
            add_plan,
            "commands.plan",
        ),
        "resume": Command(
            "continue a run that was planned, stopped or held back",
            add_resume,
            "commands.resume",
        ),
        "diff": Command(
            "show what a waiting run would change, or how two outputs differ",
            add_diff,
            "commands.diff",
        ),
        "annotate": Command(
            "write documents with predicted spans, for pre-annotation and scoring",
            add_annotate,
            "commands.annotate",
            Topic.MODELS,
        ),
        "serve": Command(
            "scrub texts that other programs send over HTTP, on this machine",
            add_serve,
            "commands.serve",
        ),
        "verify": Command(
            "check whether anything in an output was changed, added or left out",
            add_verify,
            "commands.verify",
        ),
        "inspect": Command(
            "show a run's summary; to key holders, also documents and quarantined rows",
            add_inspect,
            "commands.inspect",
        ),
        "find": Command(
            "to key holders: where a name still stands in an output, and where it was found",
            add_find,
            "commands.find",
        ),
        "view": Command(
            "make, check and count the anonymous view of an output's patients",
            add_view,
            "commands.view",
        ),
        "review": Command(
            "read what was published in a browser: correct it, or measure what is left",
            add_review,
            "commands.review",
        ),
        "campaign": Command(
            "draw the notes that people read to measure what is left; say how many that takes",
            add_campaign,
            "commands.campaign",
        ),
        "certify": Command(
            "state how much is left at most, by what people have read; sign it, check it",
            add_certify,
            "commands.certify",
        ),
        "report": Command(
            "write a page about an output: what was removed, held back and spent",
            add_report,
            "commands.report",
        ),
        "status": Command(
            "show the state of an output (published, pending, waiting, locked) and what to do next",
            add_status,
            "commands.status",
        ),
        "prune": Command(
            "remove what superseded and discarded runs left in an output",
            add_prune,
            "commands.prune",
        ),
        "key": Command(
            "make a master key; for its holders, compute doc_key and patient_key",
            add_key,
            "commands.key",
            Topic.KEYS,
        ),
        "train": Command(
            "train a bundle on your own annotated notes",
            add_train,
            "commands.train",
            Topic.MODELS,
        ),
        "next": Command(
            "choose published notes from which a model learns most, to be corrected",
            add_next,
            "commands.next",
            Topic.MODELS,
        ),
        "dial": Command(
            "raise a bundle's recall, or plot recall against precision",
            add_dial,
            "commands.dial",
            Topic.MODELS,
        ),
        "evaluate": Command(
            "score predicted spans against gold spans",
            add_evaluate,
            "commands.evaluate",
            Topic.MODELS,
        ),
        "study": Command(
            "reproduce the papers' tables and figures on a corpus of yours",
            add_study,
            "commands.study",
            Topic.RESEARCH,
        ),
        "convert": Command(
            "convert messages to a table or back, or an annotated corpus to another format",
            add_convert,
            "commands.convert",
            Topic.MODELS,
        ),
        "synth": Command(
            "generate annotated notes to train on, with invented identities",
            add_synth,
            "commands.synth",
            Topic.MODELS,
        ),
        "policy": Command(
            "explain a policy: what is removed, what stays, which identifiers that covers",
            add_policy,
            "commands.policy",
            Topic.KEYS,
        ),
        "roster": Command(
            "seal tables of known patients and staff; check a roster, compare two",
            add_roster,
            "commands.roster",
            Topic.KEYS,
        ),
        "dictionaries": Command(
            "list the word lists; fetch and build the large official ones",
            add_dictionaries,
            "commands.dictionaries",
            Topic.MODELS,
        ),
        "part": Command(
            "make the auxiliary models that some recipes need: parts of speech, clusters, links",
            add_part,
            "commands.auxiliary",
            Topic.RESEARCH,
        ),
        "completion": Command(
            "print a script that completes commands and options in your shell",
            add_completion,
            "cli.completion",
            Topic.HELP,
        ),
        "help": Command(
            "show the help of a command",
            _add_help,
            "cli.help",
            Topic.HELP,
        ),
    }
)
"""Name -> command; the help lists them in this order under each topic."""
