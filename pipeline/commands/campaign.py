"""`scrubline campaign`: draws the notes that people read to measure what is left of an output."""

from __future__ import annotations

import argparse
import datetime

from ...models.core.errors import StorageError, UsageError
from ...models.risk.rows import Method
from ...models.storage.key_files import warn_if_open
from ...models.storage.storage import Storage
from ..certifying.campaigns import (
    CampaignRequest,
    campaign_lines,
    prepare_campaign,
    read_trained,
    write_campaign,
)
from ..certifying.review_folder import ReviewFolder
from ..outputs.measured_run import open_measured
from ..outputs.state import require_there
from ..process.exit_codes import ExitCode
from ..process.stdout import show


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Raises:
        UsageError: if what is asked for cannot be; see `prepare_campaign`.
        GateFailed: if a part of the run is not what was written.
    """
    storage, output = Storage(), parsed.output.rstrip("/") or parsed.output
    request = _request(storage, parsed)
    folder = ReviewFolder.of_campaign(output, parsed.name)
    require_there(storage, output)
    measured = open_measured(storage, output, parsed.key_source, parsed.run)
    if parsed.key_source:
        warn_if_open(parsed.key_source)
    prepared = prepare_campaign(storage, measured, folder, request)
    show(*campaign_lines(prepared), flush=True)
    if parsed.dry_run:
        show("", "nothing was written")
        return ExitCode.DONE
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    sha256 = write_campaign(folder, measured, prepared, today)
    show(
        "",
        f"restricted/review/{folder.name}/draw.jsonl: SHA-256 {sha256}",
        "Keep that number elsewhere, too: it shows later that nothing of the draw was changed.",
        f"Then read: scrubline review OUT --queue measure --campaign {folder.name} --reviewer NAME "
        "--key-file KEY",
    )
    return ExitCode.DONE


def _request(storage: Storage, parsed: argparse.Namespace) -> CampaignRequest:
    method: Method = "sequential" if parsed.sequential else "fixed"
    return CampaignRequest(
        parsed.target,
        of=parsed.of,
        unit=parsed.unit,
        method=method,
        alpha=parsed.alpha,
        cut_tail=parsed.cut_tail,
        by_type=parsed.by_type,
        notes=parsed.notes,
        expected=parsed.expected,
        trained=trained_of(storage, parsed.trained),
    )


def trained_of(storage: Storage, place: str | None) -> frozenset[str]:
    """The keys of `--trained FILE`; none without it.

    Raises:
        UsageError: if there is no such file, or it is something else.
    """
    if place is None:
        return frozenset()
    try:
        return read_trained(storage.read_bytes(place).decode("ascii").split("\n"))
    except FileNotFoundError:
        raise UsageError("--trained: there is no such file") from None
    except (UnicodeDecodeError, StorageError) as error:
        raise UsageError(f"--trained cannot be read ({type(error).__name__})") from None
