"""`scrubline next`: notes from which a model learns most, to be corrected outside of the page."""

from __future__ import annotations

import argparse

from ...models.core.display_names import counted
from ...models.core.errors import UsageError
from ...models.core.shortage import raise_shortage
from ...models.corpora import read_annotated
from ...models.storage.places import local_path
from ...models.storage.storage import Storage
from ..certifying.review_folder import ReviewFolder, require_name
from ..outputs.state import require_there
from ..process.exit_codes import ExitCode
from ..process.logs import say
from ..process.stdout import show
from ..review.learning import ChosenBatch, choose_batch, write_batch
from ..review.refusals import DeskRefusal
from ..review.texts import ReviewedOutput
from .new_files import require_new


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Raises:
        UsageError: if an option, the output, its inputs, the key or a file of the review cannot be
            used; if nothing is left to read.
    """
    output = parsed.published.rstrip("/") or parsed.published
    if parsed.count < 1:
        raise UsageError("--count must be at least 1")
    require_name(parsed.reviewer, "--reviewer")
    path = local_path(parsed.output)
    if path is None:
        raise UsageError("--output: expected a local file, as it holds the original texts")
    require_there(Storage(), output)
    require_new(parsed.output, "--output", inputs=parsed.done)
    done = {document.doc_id for place in parsed.done for document in read_annotated(place)}
    opened = ReviewedOutput(Storage(), output, parsed.key_source, ())
    folder = ReviewFolder.of(output)
    folder.make()
    try:
        batch = choose_batch(opened, folder, parsed.count, done)
        written = write_batch(opened, folder, batch, parsed.reviewer, path)
    except DeskRefusal as refusal:
        raise UsageError(f"next: {refusal.why}") from None
    except OSError as error:
        raise_shortage(error)
        raise UsageError(f"--output: cannot be written ({type(error).__name__})") from None
    show(path)
    _tell(batch, written, parsed.count)
    return ExitCode.DONE


def _tell(batch: ChosenBatch, written: int, wanted: int) -> None:
    say(f"{counted(written, 'note')} with the original texts: they hold PHI", "INFO")
    if batch.at_random:
        say(f"{batch.at_random:,} of them at random, as few were read yet", "INFO")
    if batch.without_risk and batch.at_random < written:
        say(
            f"{counted(batch.without_risk, 'note')} without a risk (no model that tells it, or "
            "--no-risk): ordered by where rules and model disagree, after all others",
            "WARNING",
        )
    if written < wanted:
        say(f"no more than {counted(written, 'note')} were left to read", "WARNING")
