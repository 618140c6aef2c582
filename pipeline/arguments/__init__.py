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
import re
import sys
from typing import NoReturn

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
    """Does not repeat values in its errors: a file's name in a wrong place is still a name."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        message = re.sub(
            r"(unrecognized arguments|ambiguous option|ignored explicit argument):? .*",
            r"\1",
            message,
        )
        message = re.sub(
            r"(invalid \S+ value|invalid choice): .*?(?= \(choose from|$)", r"\1", message
        )
        self.exit(REFUSED, f"{self.prog}: error: {message}\n")


def make_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line; `command` of what it gives is the command's name."""
    parser = _Parser(
        prog="scrubline",
        description="Removes protected health information from clinical text, with an audit log.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
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
