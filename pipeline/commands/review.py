"""`scrubline review`: people read what was published, in a browser on this machine."""

from __future__ import annotations

import argparse
import importlib.util

from ...models.core.display_names import counted
from ...models.core.errors import UsageError
from ...models.risk.rows import read_draw
from ...models.storage.storage import Storage
from ..certifying.register import read_register, registered_draw
from ..certifying.review_folder import FIND, ReviewFolder, require_name
from ..options import load_config, options_from, said
from ..outputs.state import require_there
from ..process.exit_codes import ExitCode
from ..process.logs import say, set_up_logs
from ..process.stdout import show
from ..review.access import verify_accesses
from ..review.desk import DeskSettings, ReviewDesk
from ..review.doubts import Doubts, open_models
from ..review.exporting import export_corrections
from ..review.refusals import DeskRefusal
from ..review.texts import ReviewedOutput

_WHATS = ("export", "verify")
MEASURE = "measure"


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command; `review OUT` until a signal ends it.

    Returns:
        HELD if `verify` finds something.

    Raises:
        UsageError: if an option, the output, the key or a file of the review cannot be used.
    """
    *what, place = parsed.words
    if len(what) > 1 or (what and what[0] not in _WHATS):
        raise UsageError("review: expected OUT, `export OUT` or `verify OUT`")
    output = place.rstrip("/") or place
    require_there(Storage(), output)
    options = options_from(load_config(None), said(parsed), command="review")
    set_up_logs(options.log_level, options.log_format)
    if what == ["verify"]:
        return _verify(output)
    if not parsed.reviewer:
        raise UsageError("review: say who reads, with --reviewer NAME")
    require_name(parsed.reviewer, "--reviewer")
    if what == ["export"]:
        return _export(output, parsed)
    return _read(output, parsed)


def _verify(output: str) -> ExitCode:
    faults, rows = verify_accesses(output)
    shown = counted(rows, "shown text")
    show(f"{shown} recorded", *(f"FAULT {one}" for one in faults))
    return ExitCode.HELD if faults else ExitCode.DONE


def _export(output: str, parsed: argparse.Namespace) -> ExitCode:
    opened = ReviewedOutput(Storage(), output, parsed.key_source, parsed.originals or ())
    folder = ReviewFolder.of(output)
    folder.make()
    try:
        found = export_corrections(
            opened, folder, parsed.reviewer, with_measure=parsed.with_measure
        )
    except DeskRefusal as refusal:
        raise UsageError(f"review export: {refusal.why}") from None
    show(found.path)
    say(f"{counted(found.documents, 'document')} with the original texts: they hold PHI", "INFO")
    if found.undecided:
        say(
            f"{counted(found.undecided, 'document')} left out, as readers differ: decide with "
            "`scrubline review OUT --adjudicate`",
            "WARNING",
        )
    if found.changed:
        say(
            f"{counted(found.changed, 'document')} changed or gone since somebody read: marks on "
            "what it said before are left out; read it again",
            "WARNING",
        )
    if found.campaigns:
        say(f"{counted(found.campaigns, 'campaign')} ended: they certify nothing now", "WARNING")
    return ExitCode.DONE


def _read(output: str, parsed: argparse.Namespace) -> ExitCode:
    for package in ("starlette", "uvicorn"):
        if importlib.util.find_spec(package) is None:
            raise UsageError("the page is not installed: pip install 'scrubline[review]'")
    from ..review.panel import ReviewPanel
    from ..review.rescrubbing import Rescrubbing
    from ..review.server import serve_review
    from ..review.training import Training

    if not 0 <= parsed.port <= 65_535:
        raise UsageError("--port must be from 0 to 65535")
    desk = _desk(output, parsed)
    training = rescrubbing = None
    if desk.drawn is None and desk.output.has_originals and desk.output.job.models:
        training = Training(desk)
        # Where notes are several rows, or there are canaries, options cannot be had from the job.
        if desk.output.job.group_lines is None and desk.output.job.canaries is None:
            key_source = parsed.key_source or desk.output.job.key_source
            rescrubbing = Rescrubbing(desk, training, output, key_source)
    panel = ReviewPanel(desk, training, rescrubbing)
    serve_review(panel, parsed.port, lambda link: show(link, flush=True))
    say("scrubline: the review has ended", "INFO")
    return ExitCode.DONE


def _desk(output: str, parsed: argparse.Namespace) -> ReviewDesk:
    """The desk that the options ask for.

    Raises:
        UsageError: if they do not go together, the draw is not the one that was registered, or what
            is planted cannot be shown.
    """
    settings = DeskSettings(parsed.reviewer, parsed.adjudicate, parsed.count)
    if parsed.count is not None and parsed.count < 1:
        raise UsageError("--count must be at least 1")
    if parsed.queue != MEASURE:
        if parsed.campaign:
            raise UsageError("--campaign is of --queue measure")
        folder = ReviewFolder.of(output, FIND)
        folder.make()
        opened = ReviewedOutput(Storage(), output, parsed.key_source, parsed.originals)
        doubts = None
        if parsed.uncertain and opened.has_originals and opened.job.models:
            doubts = Doubts(opened, lambda: open_models(opened.job))
        return ReviewDesk(opened, folder, settings, doubts=doubts)
    if parsed.count is not None:
        raise UsageError("--count is of --queue find: a campaign is read whole")
    if not parsed.campaign:
        raise UsageError("--queue measure needs --campaign NAME")
    folder = ReviewFolder.of_campaign(output, parsed.campaign)
    content = _draw(folder)
    drawn = read_draw(content)
    folder.make()
    is_planted = any(text.planted for text in drawn.texts)
    originals = parsed.originals or ([] if is_planted else None)
    run = drawn.campaign.run
    opened = ReviewedOutput(Storage(), output, parsed.key_source, originals, run)
    registered_draw(read_register(folder, opened.keys), folder.name, content)
    if is_planted:
        opened.source(run)  # refused before anybody reads
    return ReviewDesk(opened, folder, settings, drawn)


def _draw(folder: ReviewFolder) -> bytes:
    content = folder.draw()
    if content is None:
        raise UsageError("there is no such campaign: make it with `scrubline campaign`")
    if folder.is_ended:
        raise UsageError("the campaign has ended: its notes were exported to train on")
    return content
