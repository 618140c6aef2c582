"""`scrubline key`: makes a master key; computes pseudonyms for those who hold it."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator

from ...models.core.errors import UsageError
from ...models.core.keys import Keys, canonical_id, new_key
from ...models.formats import FormatOptions, open_format
from ...models.jobs.record_rows import row_key
from ...models.jobs.shifted_columns import DateShifting
from ...models.redaction.policy import Policy
from ...models.redaction.policy_file import load_policy
from ...models.storage.key_files import ENVIRONMENT, load_keys, warn_if_open
from ...models.storage.storage import Storage
from ..process.exit_codes import ExitCode
from ..process.stdout import read_stdin, show
from . import key_map
from .new_files import require_new, write_new


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Raises:
        UsageError: if there is no key, or nothing to compute.
    """
    if parsed.what == "new":
        if not parsed.output:
            raise UsageError(
                "say where to write the key with --output FILE: it is never shown on the screen"
            )
        require_new(parsed.output, "--output")
        make_key(parsed.output, "--output")
        return ExitCode.DONE
    if parsed.what == "map":
        return key_map.run(parsed)
    if (parsed.policy is not None) != (parsed.what == "offset"):
        raise UsageError(
            "`key offset` needs --policy, the one of the run, and no other `key` takes it: its "
            "settings of dates say which offsets there are"
        )
    ids = parsed.ids
    if parsed.what != "check" and not ids:
        raise UsageError("give ids, or - to read them from standard input, one per line")
    source = parsed.key_source or f"env:{ENVIRONMENT}"
    keys = load_keys(source, Storage().read_bytes)
    warn_if_open(source)
    if parsed.what == "check":
        show(keys.check)
        return ExitCode.DONE
    if ids == ["-"]:
        ids = read_stdin().removesuffix("\n").split("\n")
    if parsed.what == "offset":
        show(*_offsets(keys, load_policy(parsed.policy), ids))
        return ExitCode.DONE
    record = ""
    if parsed.format is not None:
        if parsed.what != "doc":
            raise UsageError("of these, `key doc` alone takes --format: it says how ids are read")
        record = open_format(parsed.format, FormatOptions()).traits.record
    show(*_pseudonyms(keys, parsed.what, ids, parsed.ordinal, record))
    return ExitCode.DONE


def make_key(place: str, option: str) -> None:
    """Writes a fresh master key to a new file that only its owner may read.

    Args:
        option: that named the place, for messages.

    Raises:
        UsageError: if there is a file by now, or it cannot be written.
    """
    write_new(place, f"{new_key()}\n".encode(), option)


def _offsets(keys: Keys, policy: Policy, ids: Iterable[str]) -> Iterator[str]:
    """A line for each id of a patient, the days by which its dates moved; "" for an empty id.

    Raises:
        UsageError: if the policy shifts no dates.
    """
    shifting = DateShifting.of(policy)
    if shifting is None:
        raise UsageError(f"policy {policy.name} shifts no dates: give the policy of the run")
    for written in ids:
        canonical = canonical_id(written)
        patient = None if canonical is None else keys.patient_key(canonical)
        days = shifting.days(keys.dates, patient)
        yield "" if days is None else str(days)


def _pseudonyms(
    keys: Keys, what: str, ids: Iterable[str], ordinal: int, record: str
) -> Iterator[str]:
    """A line for each id, so that the two can be pasted side by side; "" for an empty id.

    Args:
        record: the grammar of messages that the ids are of, if any.
    """
    for written in ids:
        canonical = canonical_id(written)
        if canonical is None:
            yield ""
        elif what == "doc":
            yield row_key(keys, record, canonical, ordinal)
        else:
            yield keys.patient_key(canonical)
