"""Makes the archive of outputs that this version leaves, for the tests of later versions.

    python -m tests.pipeline.end_to_end.earlier.make tests/pipeline/end_to_end/earlier/VERSION.zip

To be run once a release. It holds three states of one output in memory, and its inputs:

    published/   what two runs published
    publishing/  a third run whose publication was cut off half way: what differs from `published`
    unfinished/  a third run that was stopped when all its units were done: likewise
    deleted.json state -> the files of `published` that it does not have
"""

import datetime
import json
import os
import sys
import zipfile
from unittest import mock

from fsspec.implementations.memory import MemoryFileSystem
from scrubline.models.core.errors import RunFailed
from scrubline.models.formats.column_roles import Columns
from scrubline.models.storage.storage import Storage
from scrubline.pipeline import work
from scrubline.pipeline.options import Options
from scrubline.pipeline.run import scrub

KEY = "scrubline-key-v1:" + "QUJD" * 10 + "QUI="
MOMENT = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
"""When all inputs were written: their versions say so."""

OPTIONS = Options(
    inputs=("memory://in",),
    output="memory://out",
    models=(),
    recognisers=("email", "date", "medical_record"),
    columns=Columns.parse([("note_id", "id"), ("text", "text"), ("n", "pass")]),
    max_quarantined=0.5,
    split_bytes=100_000,
    incremental=True,
    progress=False,
)


def note(number: int) -> dict[str, object]:
    """An invented note; one in five holds no PHI, and ids repeat after nineteen."""
    text = (
        f"Seen on {number % 12 + 1}/{number % 28 + 1}/2019. MRN: {7_000_000 + number}. "
        f"Mail p{number}@clinic.example."
    )
    return {
        "note_id": f"id-{number % 19}",
        "text": text if number % 5 else "No complaints.",
        "n": number,
    }


def put_input(name: str, numbers: range, *more: str) -> None:
    """Writes an input file of some notes."""
    lines = [*(json.dumps(note(number)) for number in numbers), *more]
    put({f"/in/{name}.jsonl": ("\n".join(lines) + "\n").encode()})


def put(files: dict[str, bytes]) -> None:
    """Writes files into memory; inputs are as old as ever."""
    system = MemoryFileSystem()
    for path, content in files.items():
        system.pipe_file(path, content)
        if path.startswith("/in/"):
            system.store[path].created = system.store[path].modified = MOMENT


def files_in_memory() -> dict[str, bytes]:
    """Path -> content of all files in memory."""
    return {path: bytes(file.getvalue()) for path, file in MemoryFileSystem.store.items()}


def states() -> dict[str, dict[str, bytes]]:
    """The files of each state."""
    MemoryFileSystem.store.clear()
    put_input("a", range(8), '{"note_id": 1, "te')
    put_input("b", range(8, 16))
    scrub(Storage(), OPTIONS)
    put_input("c", range(16, 24))
    scrub(Storage(), OPTIONS)
    found = {"published": files_in_memory()}
    put_input("d", range(24, 30))
    before = files_in_memory()
    real_move, real_run_units, moved = Storage.move, work.run_units, []

    def cut_off(self: Storage, source: str, target: str) -> None:
        if len(moved) == 2:
            raise RunFailed("cut off")
        moved.append(target)
        real_move(self, source, target)

    def stopped(*given: object) -> None:
        real_run_units(*given)  # type: ignore[arg-type]
        raise RunFailed("stopped")

    for state, owner, name, action in (
        ("publishing", Storage, "move", cut_off),
        ("unfinished", work, "run_units", stopped),
    ):
        MemoryFileSystem.store.clear()
        put(before)
        with mock.patch.object(owner, name, action):
            try:
                scrub(Storage(), OPTIONS)
                raise AssertionError(f"{state}: the run was not stopped")
            except RunFailed:
                found[state] = files_in_memory()
    return found


def write(target: str) -> None:
    """Writes the archive; the same files make the same bytes."""
    found = states()
    published = found["published"]
    deleted = {state: sorted(published.keys() - files.keys()) for state, files in found.items()}
    with zipfile.ZipFile(target, "w") as archive:
        for state, files in found.items():
            base = {} if state == "published" else published
            for path, content in sorted(files.items()):
                if base.get(path) != content:
                    _add(archive, f"{state}{path}", content)
        _add(archive, "deleted.json", json.dumps(deleted, indent=1).encode() + b"\n")


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    info = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, content, compresslevel=9)


def read(source: str, state: str) -> dict[str, bytes]:
    """The files of a state in an archive."""
    with zipfile.ZipFile(source) as archive:
        gone = json.loads(archive.read("deleted.json")).get(state, [])
        files: dict[str, bytes] = {}
        for part in dict.fromkeys(("published", state)):
            for name in archive.namelist():
                if name.startswith(f"{part}/"):
                    files[name.removeprefix(part)] = archive.read(name)
    return {path: content for path, content in files.items() if path not in gone}


if __name__ == "__main__":
    os.environ["SCRUBLINE_KEY"] = KEY
    write(sys.argv[1])
