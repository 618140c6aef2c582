"""`scrubline report`: makes the page of a published output anew, and says where it is."""

from __future__ import annotations

import argparse
import sys

from ...models.core.errors import RunFailed, UsageError
from ...models.storage.storage import Storage
from ..outputs.manifest import read_manifest
from ..outputs.output_page import make_page
from ..outputs.state import MANIFEST, PAGE, is_published, lock_file, require_there
from ..process.exit_codes import ExitCode
from ..process.logs import is_terminal
from ..process.stdout import show
from .advice import watched


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Raises:
        UsageError: if nothing is published, or another process works on the output.
        RunFailed: if a table cannot be read, or the page not be written.
    """
    if not parsed.output:
        raise UsageError("say which output: scrubline report OUT")
    with watched(parsed):
        place = report(Storage(), parsed.output.rstrip("/"))
    # Off a terminal what is printed may be kept, and a place may be PHI.
    show(place if is_terminal(sys.stdout) else f"{PAGE} is written, at the root of the output")
    return ExitCode.DONE


def report(storage: Storage, output: str) -> str:
    """Writes the page of what is published; gives its place.

    The output is locked only while the page is written: reading takes longer, and a run that is due
    must not be kept away by it.

    Raises:
        UsageError: if nothing is published, or another process works on the output.
        RunFailed: if a run published meanwhile; and see `make_page`.
    """
    require_there(storage, output)
    before = storage.read_bytes(f"{output}/{MANIFEST}") if is_published(storage, output) else b""
    content = make_page(storage, output, read_manifest(storage, output))
    with storage.locked(lock_file(output)) as require_lock:
        now = storage.read_bytes(f"{output}/{MANIFEST}")
        if now != before or not is_published(storage, output):
            raise RunFailed(
                "a run published while the page was being made, and makes its own: run `scrubline "
                "report` again if it is not there"
            )
        require_lock()
        storage.write_bytes(f"{output}/{PAGE}", content)
    return f"{output}/{PAGE}"
