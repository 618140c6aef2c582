"""The seal of what is published, checked or made where a run has nothing to do."""

from __future__ import annotations

from collections.abc import Callable

from ...models.core.errors import GateHeld
from ...models.core.keys import Keys
from ...models.storage.storage import Storage
from .catalogue import FILES, Catalogue
from .manifest import read_manifest
from .manifest_faults import faults_against_receipts
from .sealing import REMEDY, inherit, write_seal
from .state import MANIFEST, is_published


def check_standing(
    storage: Storage,
    output: str,
    keys: Keys,
    *,
    reseal: bool,
    require_lock: Callable[[], None] = lambda: None,
) -> None:
    """Checks the seal of what is published; seals what has no seal.

    Raises:
        GateHeld: if the seal does not match what is there, or what has no seal does not match
            its own receipts.
    """
    if not is_published(storage, output):
        return
    manifest = read_manifest(storage, output)
    runs = sorted({manifest["run"], *Catalogue.read(storage, output).runs()})
    inherited = inherit(storage, output, keys, runs, reseal=reseal)
    if inherited.is_sealed:
        return
    found = faults_against_receipts(storage, output, manifest)
    if found.faults and not reseal:
        raise GateHeld(
            "the output has no seal, and cannot be sealed because it does not match its own "
            "receipts: " + "; ".join(found.faults[:5]) + f". {REMEDY}"
        )
    inherited.warn()
    paths = (MANIFEST, *FILES)
    contents = {path: storage.read_bytes(f"{output}/{path}") for path in paths}
    require_lock()
    write_seal(storage, output, keys, manifest["run"], runs, contents, inherited)
