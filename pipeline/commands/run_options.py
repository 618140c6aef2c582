"""The options of a command line and its config file, checked as far as the command needs."""

from __future__ import annotations

import argparse

from ...models.core.errors import UsageError
from ..options import Options, load_config, options_from, said
from ..process.logs import remember_typed
from ..runners.engines import check_runner


def read_options(parsed: argparse.Namespace) -> Options:
    """The options of a command that reads inputs or an output.

    Raises:
        UsageError: for values that cannot be used, and for what the command needs and is missing.
    """
    command = parsed.command
    overrides = said(parsed) | {"beam": getattr(parsed, "beam", None)}
    config = load_config(getattr(parsed, "config", None))
    options = options_from(config, overrides, command=command)
    # A run that is resumed has its key from its plan, unless another place is given.
    key = parsed.key_source if command == "resume" else options.key_source
    only = options.inputs[0] if len(options.inputs) == 1 else None
    remember_typed({"--input": only, "--output": options.output, "--key-file": key})
    if options.beam and check_runner(options.runner) == "direct":
        raise UsageError(
            "options after -- are for the engines of Beam (--runner portable, prism, flink, ...); "
            "the direct runner takes none"
        )
    if not options.output and command in ("scrub", "plan", "resume"):
        raise UsageError("say where to write with --output URL")
    if options.output.startswith("memory:"):
        raise UsageError("--output: memory:// is lost when this command ends: choose another place")
    if not options.inputs and command in ("scrub", "plan", "annotate", "init", "preview"):
        raise UsageError("say what to read with --input URL (a file, a folder or a glob)")
    return options
