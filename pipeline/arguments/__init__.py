"""What each command takes, and what its help teaches. Nothing heavy is imported here.

- `runs`: scrub, plan, resume.
- `outputs`: diff, verify, inspect, status, prune.
- `training`: train, dial.
- `scoring`: evaluate, study.
- `corpora`: annotate, convert, synth.
- `resources`: key, policy, dictionaries, part.
- `shared`: options that commands of several of these take.
"""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, cast

from ...models.version import VERSION
from .corpora import add_annotate, add_convert, add_synth
from .outputs import add_diff, add_inspect, add_prune, add_status, add_verify
from .resources import add_dictionaries, add_key, add_part, add_policy
from .runs import add_plan, add_resume, add_scrub
from .scoring import add_evaluate, add_study
from .training import add_dial, add_train

REFUSED = 2
"""Exit code for bad usage."""

_EPILOG = """\
exit codes: 0 done, 1 failed but resumable, 2 bad usage or refused to start, 3 a gate held the run
back, 4 all is done and waits unpublished, as --hold asked, 5 another process works on the output:
the same command may be tried again later.
The master key comes from --key-file or from the environment variable SCRUBLINE_KEY; make one with
`scrubline key new`. Credentials of object stores come from the environment, never from options."""


class _Parser(argparse.ArgumentParser):
    """Does not repeat values in its errors: a file's name in a wrong place is still a name.

    An option that is not known is repeated where it resembles one that is.
    """

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """What argparse gives; of what it does not know, what was meant."""
        parsed, unknown = self.parse_known_args(args, namespace)
        if unknown:
            self._commands[parsed.command].refuse_unknown(unknown)
        return parsed

    @property
    def _commands(self) -> Mapping[str, _Parser]:
        (action,) = (a for a in self._actions if isinstance(a, argparse._SubParsersAction))
        return cast("Mapping[str, _Parser]", action.choices)

    def refuse_unknown(self, words: Sequence[str]) -> NoReturn:
        """Ends with the options that were meant; or says how many words were not understood."""
        known = [name for action in self._actions for name in action.option_strings]
        for word in words:
            name = word.partition("=")[0]
            if name.startswith("--") and (meant := _closest(name, known)):
                self.error(f"unknown option {name}: did you mean {meant}?")
        how = ". Files are named by --input" if "--input" in known else ""
        self.error(f"unrecognized arguments ({len(words)}){how}")

    def error(self, message: str) -> NoReturn:
        """Ends with a line or two; the whole usage is what --help is for."""
        if choice := re.search(r"invalid choice: '(.*?)' \(choose from (.*)\)", message, re.DOTALL):
            meant = _closest(choice[1], re.findall(r"[\w-]+", choice[2]))
            message += f": did you mean {meant}?" if meant else ""
        self._print_message(f"usage: {self.prog} ...; see {self.prog} --help\n", sys.stderr)
        message = re.sub(
            r"(ambiguous option|ignored explicit argument):? .*",
            r"\1",
            message,
        )
        message = re.sub(
            r"(invalid \S+ value|invalid choice): .*?(?= \(choose from|$)", r"\1", message
        )
        self.exit(REFUSED, f"{self.prog}: error: {message}\n")


def _closest(word: str, known: Sequence[str]) -> str | None:
    found = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return found[0] if found else None


def make_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line; `command` of what it gives is the command's name."""
    parser = _Parser(
        prog="scrubline",
        description="Removes protected health information from clinical text, with an audit log.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"scrubline {VERSION}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for add in (
        add_scrub,
        add_plan,
        add_resume,
        add_diff,
        add_annotate,
        add_verify,
        add_inspect,
        add_status,
        add_prune,
        add_key,
        add_train,
        add_dial,
        add_evaluate,
        add_study,
        add_convert,
        add_synth,
        add_policy,
        add_dictionaries,
        add_part,
    ):
        add(commands)
    return parser
