"""All commands: how each is parsed, and which module runs it."""

from __future__ import annotations

import argparse
import dataclasses
import importlib
from collections.abc import Callable, Mapping
from types import MappingProxyType

from ..process.exit_codes import ExitCode
from .arguments.corpora import add_annotate, add_convert, add_synth
from .arguments.outputs import add_diff, add_inspect, add_prune, add_status, add_verify
from .arguments.resources import (
    add_completion,
    add_dictionaries,
    add_key,
    add_part,
    add_policy,
)
from .arguments.runs import add_init, add_plan, add_resume, add_scrub
from .arguments.scoring import add_evaluate, add_study
from .arguments.training import add_dial, add_train


@dataclasses.dataclass(frozen=True, slots=True)
class Command:
    """One command.

    Attributes:
        help: what it does, in a line of the list of commands.
        add: adds its options and the rest of its help to its parser.
        module: below `pipeline`; its function `run` does the work and gives the exit code. It is
            imported when the command runs, for it may load Beam, pyarrow and the CRF library.
    """

    help: str
    add: Callable[[argparse.ArgumentParser], None]
    module: str

    def run(self, parsed: argparse.Namespace) -> ExitCode:
        """Runs the command."""
        module = importlib.import_module(f"...{self.module}", __name__)
        code: ExitCode = module.run(parsed)
        return code


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
        ),
        "train": Command(
            "train a bundle on your own annotated notes",
            add_train,
            "commands.train",
        ),
        "dial": Command(
            "raise a bundle's recall, or plot recall against precision",
            add_dial,
            "commands.dial",
        ),
        "evaluate": Command(
            "score predicted spans against gold spans",
            add_evaluate,
            "commands.evaluate",
        ),
        "study": Command(
            "reproduce the papers' tables and figures on a corpus of yours",
            add_study,
            "commands.study",
        ),
        "convert": Command(
            "convert an annotated corpus to another format",
            add_convert,
            "commands.convert",
        ),
        "synth": Command(
            "generate annotated notes to train on, with invented identities",
            add_synth,
            "commands.synth",
        ),
        "policy": Command(
            "explain a policy: what is removed, what stays, which identifiers that covers",
            add_policy,
            "commands.policy",
        ),
        "dictionaries": Command(
            "list the word lists; fetch and build the large official ones",
            add_dictionaries,
            "commands.dictionaries",
        ),
        "part": Command(
            "make the auxiliary models that some recipes need: parts of speech, clusters, links",
            add_part,
            "commands.auxiliary",
        ),
        "completion": Command(
            "print a script that completes commands and options in your shell",
            add_completion,
            "cli.completion",
        ),
    }
)
"""Name -> command, in the order of the help."""
