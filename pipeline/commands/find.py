"""`scrubline find`: where a name still stands in an output, and where it was once found."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections import Counter
from collections.abc import Iterator, Sequence

from ...models.core.display_names import counted
from ...models.core.errors import StorageError, UsageError
from ...models.storage.key_files import ENVIRONMENT, load_keys, warn_if_open
from ...models.storage.storage import Storage
from ..outputs.manifest import read_manifest
from ..outputs.name_search import SearchedUnit, SoughtName, search_names, sought_names
from ..outputs.source_documents import key_check_of
from ..process.exit_codes import ExitCode
from ..process.logs import say
from ..process.stdout import read_stdin, show


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Returns:
        DONE if no name stands anywhere, HELD if one does, or if something could not be read.

    Raises:
        UsageError: if there is no such output, key or file.
    """
    if not parsed.output:
        raise UsageError("say in which output to look with --output URL")
    storage, output = Storage(), parsed.output.rstrip("/") or parsed.output
    names = sought_names(_lines(storage, parsed.name_file))
    manifest = read_manifest(storage, output)
    source = parsed.key_source or f"env:{ENVIRONMENT}"
    keys = load_keys(source, storage.read_bytes)
    warn_if_open(source)
    if keys.check != key_check_of(manifest):
        raise UsageError("the key is another one than that of the output")
    units = []
    if not parsed.json:
        show("what\tname\tdoc_key or patient_key\ttimes or notes\tlabel\tunit")
    for unit in search_names(
        storage, output, manifest, keys, names, by_evidence=parsed.by_evidence
    ):
        units.append(unit)
        if not parsed.json:
            show(*_rows(unit))
    if parsed.json:
        show(json.dumps(_as_json(names, units), indent=1))
    else:
        for line in _summary(names, units):
            say(line, "INFO")
    fine = not any(unit.standing or unit.damaged for unit in units)
    return ExitCode.DONE if fine else ExitCode.HELD


def _lines(storage: Storage, place: str | None) -> list[str]:
    if not place:
        raise UsageError(
            "say what to look for with --name-file FILE, a name or number a line; - is standard "
            "input. A name on the command line would be in the history of the shell"
        )
    if place == "-":
        return read_stdin().split("\n")
    try:
        return storage.read_bytes(place).decode("utf-8-sig").split("\n")
    except FileNotFoundError:
        raise UsageError(f"--name-file: there is no such file: {place}") from None
    except (UnicodeDecodeError, StorageError) as error:
        raise UsageError(f"--name-file cannot be read ({type(error).__name__})") from None


def _rows(unit: SearchedUnit) -> Iterator[str]:
    for one in unit.standing:
        yield f"stands\t{one.name}\t{one.doc_key}\t{one.times}\t\t{one.unit}"
    for two in unit.found:
        said = f"{two.patient_key}\t{two.notes}\t{two.label}\t{two.unit}"
        yield f"found\t{two.name}.{two.word}\t{said}"


def _summary(names: Sequence[SoughtName], units: Sequence[SearchedUnit]) -> Iterator[str]:
    stands = Counter(one.name for unit in units for one in unit.standing)
    found: Counter[int] = Counter()
    for unit in units:
        for one in unit.found:
            found[one.name] += one.notes
    for name in names:
        yield (
            f"name {name.number}: stands in {counted(stands[name.number], 'document')}; its words "
            f"were found in {counted(found[name.number], 'note')} of linked patients"
        )
    read, touched = [u for u in units if u.read], [u for u in units if u.standing]
    yield (
        f"read the data of {len(read):,} of {counted(len(units), 'unit')}, "
        f"{sum(unit.rows for unit in read):,} of {sum(unit.rows for unit in units):,} rows"
    )
    if touched:
        yield (
            f"what stands is in {counted(len(touched), 'unit')} with "
            f"{counted(sum(unit.rows for unit in touched), 'row')}. A roster that has the names "
            "removes it when the inputs of these are scrubbed again; a deny-list does, too, but as "
            "it changes the policy, all inputs are scrubbed again"
        )
    if unread := sum(unit.unread_rows for unit in units):
        yield (
            f"not read: {counted(unread, 'document')} without a patient, of which evidence says "
            "nothing; without --by-evidence all is read"
        )
    if damaged := sum(unit.damaged for unit in units):
        yield f"warning: the data of {counted(damaged, 'unit')} cannot be read: see `verify`"


def _as_json(names: Sequence[SoughtName], units: Sequence[SearchedUnit]) -> dict[str, object]:
    return {
        "names": [name.number for name in names],
        "standing": [dataclasses.asdict(one) for unit in units for one in unit.standing],
        "found": [dataclasses.asdict(one) for unit in units for one in unit.found],
        "units": len(units),
        "units_read": sum(unit.read for unit in units),
        "units_to_run_again": sum(bool(unit.standing) for unit in units),
        "rows_to_run_again": sum(unit.rows for unit in units if unit.standing),
        "documents_without_patient_unread": sum(unit.unread_rows for unit in units),
        "units_damaged": sum(unit.damaged for unit in units),
    }
