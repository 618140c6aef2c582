"""`scrubline verify`: what was changed, added or left out in a published output.

With the key the seal is checked, which cannot be forged without it; with restricted/ the manifest
is rebuilt from job and receipts; with the published folders alone, all that they say about each
other is compared. What could not be checked is listed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
from collections.abc import Mapping
from typing import Any

from ...models.core.digests import content_digest
from ...models.core.errors import ScrublineError, UsageError
from ...models.core.keys import Keys
from ...models.jobs.output_rows import COUNTS
from ...models.storage.folders import TABLES, odd_entries
from ...models.storage.key_files import ENVIRONMENT, load_keys
from ...models.storage.places import local_path
from ...models.storage.retries import StorageAccessError
from ...models.storage.seals import Seal, SealDamaged
from ...models.storage.storage import Storage
from ..certifying.checking import faults_of_campaigns, faults_of_certificate
from ..outputs.catalogue import FILES, is_part
from ..outputs.history import faults_of_history
from ..outputs.identifier_view import FILES as VIEW_FILES
from ..outputs.identifier_view import PUBLIC, check_view
from ..outputs.manifest import read_manifest
from ..outputs.manifest_faults import (
    faults_against_receipts,
    faults_of_form,
    faults_of_itself,
    policy_of_name,
)
from ..outputs.note_links import STALE
from ..outputs.output_page import GENERATOR, make_page
from ..outputs.pruning import LEFTOVER, OURS
from ..outputs.publishing import part_digest
from ..outputs.roster_faults import faults_against_roster
from ..outputs.sealing import JOB, OF_RUN, faults_of_seal, read_seal
from ..outputs.source_documents import key_check_of, open_source_documents
from ..outputs.state import (
    HISTORY,
    MANIFEST,
    PAGE,
    SEAL,
    Stage,
    exposed,
    is_published,
    pending_runs,
    require_there,
    stage_of,
    success_file,
)
from ..outputs.table_faults import Tables, faults_of_originals, faults_of_tables, read_tables
from ..process.exit_codes import ExitCode
from ..process.stdout import show
from .advice import watched

MOST_FAULTS = 100
"""Faults that are listed; of more, only the number is."""

_CHANGED = "is not what was written"

_ROOT = {
    *(*TABLES, MANIFEST, "_SUCCESS", SEAL, PAGE, HISTORY, "view", "risk", "restricted"),
    "_staging",
}
_HEAD_BYTES = 1000
"""In which a page says what made it."""

_PASSING = re.compile(LEFTOVER)

UNSEALED = (
    "UNSEALED: the output has no seal, so forgery cannot be ruled out. An output of an "
    "earlier version gets one with its next run; if this output had one, it was removed"
)


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command; HELD if anything is wrong.

    Raises:
        UsageError: if nothing is published, or the key is another one.
    """
    output = parsed.output.rstrip("/")
    storage = Storage(output)
    require_there(storage, output)
    with watched(parsed):
        faults, lines = verify(
            storage,
            output,
            originals=parsed.originals,
            key_source=parsed.key_source,
            roster=parsed.roster,
            trusted_keys=parsed.trusted_keys,
        )
    show(*lines, *(f"FAULT {fault}" for fault in faults))
    if warning := exposed(parsed.output):
        show(f"WARNING {warning}")
    return ExitCode.HELD if faults else ExitCode.DONE


def verify(
    storage: Storage,
    output: str,
    *,
    originals: bool,
    key_source: str | None,
    roster: str | None = None,
    trusted_keys: str | None = None,
) -> tuple[list[str], list[str]]:
    """Checks what the manifest promises, and whether anything was changed or added.

    Args:
        originals: also read the inputs of the last run again, apply the audit to them and compare
            with the published texts.
        key_source: of the master key; None for the environment's, or, with `originals`, that of
            the run's plan.
        roster: URL of one, of the same key, of which nothing may be left; None for none.
        trusted_keys: place of public keys, with one of which the certificate of the output must be
            signed; None not to look.

    Returns:
        faults: what is wrong, without PHI; empty if all agrees.
        lines: what was checked, and what could not be.

    Raises:
        UsageError: if nothing is published, or the key is another one.

    Memory: all texts of the output at once.
    """
    check = _Check(storage, output)
    if not check.entries():
        return check.faults, check.lines
    manifest = check.manifest()
    opened = None
    if originals:
        # Refused as before anything is read: no key, no plan.
        run = str(read_manifest(storage, output)["run"])
        opened = open_source_documents(storage, output, run, key_source)
    keys = opened.keys if opened else check.keys(key_source, manifest)
    check.seal(keys, manifest)
    check.places()
    check.campaigns(keys, trusted_keys)
    if manifest is not None:
        check.receipts(manifest)
        tables = check.tables(manifest)
        check.history(manifest)
        check.page(manifest)
        check.view()
        if opened is not None and tables is not None:
            more, checked = faults_of_originals(opened, tables, manifest)
            check.faults += more
            check.lines.append(
                f"{checked:,} originals of the last run: the audit "
                f"{'does not lead' if more else 'leads'} to the published texts"
            )
        if roster is not None and tables is not None:
            check.roster(roster, keys, manifest, tables)
    faults = list(dict.fromkeys(check.faults))
    if len(faults) > MOST_FAULTS:
        faults[MOST_FAULTS:] = [f"{len(faults) - MOST_FAULTS} more"]
    return faults, check.lines


class _Check:
    """One check of an output; its steps add to faults and lines."""

    def __init__(self, storage: Storage, output: str) -> None:
        self._storage, self._output = storage, output
        self._manifest_bytes = b""
        self.faults: list[str] = []
        self.lines: list[str] = []

    def entries(self) -> bool:
        """Looks for what no run makes on a local disk; whether the rest can be read at all."""
        path = local_path(self._output)
        if path is None or not os.path.isdir(path):
            return True
        links, special = self._storage.retry("list", self._output, lambda: odd_entries(path))
        # Names may be anything, and are not shown.
        if links:
            self.faults.append(
                f"{len(links)} symbolic links are in the output, and no run creates any: their "
                "targets can be changed from outside (`find OUTPUT -type l` lists them)"
            )
        blocking = [name for name in special if name.partition("/")[0] not in TABLES]
        if blocking:
            self.faults.append(
                f"{len(blocking)} pipes, devices or folders are where files of the output belong "
                "(`find OUTPUT ! -type f ! -type d` lists pipes and devices)"
            )
            self.lines.append("nothing else was checked")
        return not blocking

    def manifest(self) -> dict[str, Any] | None:
        """The manifest, if it is a table at all.

        Raises:
            UsageError: if nothing is published, or a publication is under way.
        """
        if not is_published(self._storage, self._output):
            runs = pending_runs(self._storage, self._output)
            stages = [stage_of(self._storage, self._output, run) for run in runs]
            if Stage.PUBLISHING in stages:
                read_manifest(self._storage, self._output)  # says so
            if not self._storage.exists(f"{self._output}/{MANIFEST}"):
                raise UsageError("nothing is published in this output: it has no manifest.json")
            self.faults.append("_SUCCESS is missing, and no publication is under way")
        elif self._storage.read_bytes(success_file(self._output)):
            self.faults.append("_SUCCESS is not empty")
        try:
            found = json.loads(self._storage.read_bytes(f"{self._output}/{MANIFEST}"))
        except FileNotFoundError:
            self.faults.append("manifest.json is missing")
            return None
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            self.faults.append("manifest.json is damaged: it is not a JSON object")
            return None
        return found

    def keys(self, source: str | None, manifest: Mapping[str, Any] | None) -> Keys | None:
        """The master key, if one is given or in the environment."""
        if source is None:
            if not os.environ.get(ENVIRONMENT):
                return None
            source = f"env:{ENVIRONMENT}"
        made_with = key_check_of(manifest or {})
        return load_keys(source, self._storage.read_bytes, made_with=made_with)

    def roster(
        self, roster: str, keys: Keys | None, manifest: Mapping[str, Any], tables: Tables
    ) -> None:
        """Looks for what a roster knows of the patients of the published rows.

        Raises:
            UsageError: without a key, or if the roster cannot be used.
        """
        if keys is None:
            raise UsageError("--roster needs the key that it is sealed under: give --key-file")
        found, line = faults_against_roster(
            self._storage, self._output, manifest, tables, roster, keys
        )
        self.faults += found
        self.lines.append(line)

    def seal(self, keys: Keys | None, manifest: Mapping[str, Any] | None) -> None:
        """Compares the seal with what it covers.

        Raises:
            UsageError: if the key is another one than that of the seal.
        """
        try:
            seal = read_seal(self._storage, self._output)
        except SealDamaged:
            self.faults.append("seal.json is damaged, or was changed")
            return
        if seal is None:
            self.faults.append(UNSEALED)
            return
        said = manifest or {}
        if seal.run != said.get("run") or seal.key_check != said.get("key_check"):
            self.faults.append("the seal belongs to another run or key than the manifest")
        elif keys is not None and keys.check != seal.key_check:
            raise UsageError(
                f"wrong master key (--key-file, or else {ENVIRONMENT}): this output was sealed "
                "with another one. If that is impossible, the output was forged"
            )
        if keys is None:
            self.lines.append(
                "the seal was not checked: give the output's master key with --key-file"
            )
            return
        paths = [MANIFEST, *self._restricted(seal)]
        again = [run for run in pending_runs(self._storage, self._output) if _is_sealed(seal, run)]
        if again:
            self.lines.append(
                f"{len(again)} published runs are planned again and unfinished: the seal was "
                "compared with the copies of their plans"
            )
        faults = faults_of_seal(self._storage, self._output, keys, seal, paths)
        self.faults += faults
        if not faults:
            self.lines.append(f"the seal of run {seal.run} matches {len(paths):,} files")
        if seal.adopted:
            self.lines.append(
                f"{len(seal.adopted)} earlier runs were adopted without a seal; forgery before "
                f"that cannot be seen: {', '.join(seal.adopted)}"
            )

    def _restricted(self, seal: Seal) -> list[str]:
        """What is sealed of restricted/, where that is at hand."""
        if not self._may_read("restricted"):
            self.lines.append(
                "restricted/ cannot be read: only the seal of the manifest was checked"
            )
            return []
        sealed = [path for path in seal.marks if path != MANIFEST]
        # What a run did not leave must not be there now.
        runs = {path.split("/")[1] for path in sealed if path.count("/") == 2}
        return sorted({*FILES, *sealed, *(f"restricted/{r}/{n}" for r in runs for n in OF_RUN)})

    def _may_read(self, name: str) -> bool:
        try:
            return bool(self._storage.list_at(f"{self._output}/{name}"))
        except StorageAccessError:
            return False

    def places(self) -> None:
        """Looks for files at the root and under restricted/ that no run writes."""
        root = self._storage.list_at(self._output)
        if foreign := [n for n in root if n not in _ROOT and not _PASSING.fullmatch(n)]:
            self.faults.append(f"{len(foreign)} files or folders at the root are not Scrubline's")
        if self._may_read("_staging"):
            pending = set(pending_runs(self._storage, self._output))
            names = self._storage.list_all(f"{self._output}/_staging")
            left = [name for name in names.files if name.partition("/")[0] not in pending]
            if left:
                self.lines.append(
                    f"{len(left)} files under _staging/ belong to no pending run: the next run "
                    "that publishes removes them"
                )
        if not self._may_read("restricted"):
            return
        names = self._storage.list_all(f"{self._output}/restricted")
        known = {path.removeprefix("restricted/") for path in (*FILES, STALE)}
        foreign = [
            name
            for name in names.files
            if name not in known
            and not name.startswith("LOCK")
            and not OURS.fullmatch(name.partition("/")[2])
            and not VIEW_FILES.fullmatch(name)
            and not name.startswith("review/")  # people's, who may go on at any time
            and not _PASSING.fullmatch(name)
        ]
        if foreign:
            self.faults.append(
                f"{len(foreign)} files under restricted/ were not written by a run: move them away"
            )

    def campaigns(self, keys: Keys | None, trusted_keys: str | None) -> None:
        """Looks at campaigns and at the certificate."""
        found = [faults_of_certificate(self._storage, self._output, trusted_keys)]
        if self._may_read("restricted"):
            found.insert(0, faults_of_campaigns(self._output, keys))
        for faults, lines in found:
            self.faults += faults
            self.lines += lines

    def receipts(self, manifest: Mapping[str, Any]) -> None:
        """Compares the manifest with job and receipts."""
        found = faults_against_receipts(self._storage, self._output, manifest)
        self.faults += found.faults
        self.lines += found.lines

    def tables(self, manifest: Mapping[str, Any]) -> Any:
        """Compares parts and tables with the manifest; gives the tables.

        None where the manifest is of no form that could be compared.
        """
        if form := faults_of_form(manifest):
            self.faults += form
            self.lines.append(
                "parts and tables were not compared: the manifest has an unknown form"
            )
            return None
        self.faults += faults_of_itself(manifest)
        self.faults += policy_of_name(manifest)
        unread = self._parts(manifest)
        tables = read_tables(self._storage, self._output, manifest, unread)
        self.faults += tables.faults
        self.faults += faults_of_tables(tables, manifest)
        self.lines.append(f"content digest {content_digest(tables.digests)}")
        self.lines.append(f"part digest {part_digest(manifest)}")
        counts = manifest["counts"]
        shown = [name for name in COUNTS if name not in ("tokens", "characters")]
        self.lines.append(", ".join(f"{counts[name]:,} {name}" for name in shown))
        return tables

    def page(self, manifest: Mapping[str, Any]) -> None:
        """Makes the page for people again, and compares."""
        try:
            found = self._storage.read_bytes(f"{self._output}/{PAGE}")
        except FileNotFoundError:
            self.lines.append(f"{PAGE} is not here: `scrubline report` makes it")
            return
        except StorageAccessError:
            self.faults.append(f"{PAGE} cannot be read as a file")
            return
        if f'content="{GENERATOR}"'.encode() not in found[:_HEAD_BYTES]:
            # What another version wrote cannot be told from what anybody else did.
            self.faults.append(
                f"{PAGE} says that another version made it, so it cannot be compared: make it anew "
                "with `scrubline report`"
            )
            return
        try:
            expected = make_page(self._storage, self._output, manifest)
        except ScrublineError:  # said above, of the tables or the manifest
            self.lines.append(f"{PAGE} was not compared: tables or manifest are at fault")
            return
        if found != expected:
            self.faults.append(
                f"{PAGE} is not what manifest and tables give: make it anew with `scrubline report`"
            )

    def history(self, manifest: Mapping[str, Any]) -> None:
        """Compares the history with its hash, and its rows of the last run with the tables."""
        faults, lines = faults_of_history(self._storage, self._output, manifest)
        self.faults += faults
        self.lines += lines

    def view(self) -> None:
        """Looks whether a released view is what its restricted rows give."""
        if not self._storage.exists(f"{self._output}/{PUBLIC}"):
            return
        if not self._may_read("restricted"):
            self.lines.append("the view was not checked: restricted/ cannot be read")
            return
        try:
            found = check_view(self._storage, self._output)
        except UsageError as error:
            self.faults.append(f"view: {error}")
            return
        self.faults += (f"view: {fault}" for fault in found.faults)
        self.lines.append(
            f"the view of {found.release.patients:,} patients: "
            f"k = {found.release.rules.requirement.k}, {found.release.suppressed:,} left out"
            f"{'' if found.is_current else '; it is of an earlier run'}"
        )

    def _parts(self, manifest: Mapping[str, Any]) -> set[str]:
        """Compares the bytes of all parts, looks for others; gives the paths of unreadable ones."""
        unread, differing = set(), 0
        for part in manifest["parts"]:
            if not is_part(part["table"], part["path"]):
                unread.add(part["path"])
            elif fault := self._fault_of_part(part):
                differing += 1
                self.faults.append(fault)
                if not fault.endswith(_CHANGED):
                    unread.add(part["path"])
        self.lines.append(f"{len(manifest['parts']):,} parts: {differing} differ from their hashes")
        listed = {part["path"] for part in manifest["parts"]}
        for table in TABLES:
            names = self._storage.list_all(f"{self._output}/{table}")
            # Of what was added only the number is shown: names may be anything.
            if count := sum(f"{table}/{name}" not in listed for name in names.files):
                self.faults.append(f"{count} files under {table}/ are not in the manifest")
            if names.empty:
                self.faults.append(
                    f"{len(names.empty)} empty folders under {table}/ belong to no part: remove "
                    "them"
                )
        return unread

    def _fault_of_part(self, part: Mapping[str, Any]) -> str | None:
        digest, size = hashlib.sha256(), 0
        try:
            url = f"{self._output}/{part['path']}"
            for block in self._storage.read_blocks(url, 0, part["bytes"] + 1):
                digest.update(block)
                size += len(block)
        except FileNotFoundError:
            return f"part {part['path']} is missing"
        except StorageAccessError:
            return f"part {part['path']} cannot be read as a file"
        if (digest.hexdigest(), size) != (part["sha256"], part["bytes"]):
            return f"part {part['path']} {_CHANGED}"
        return None


def _is_sealed(seal: Seal, run: str) -> bool:
    return f"restricted/{run}/{JOB}" in seal.marks
