"""The journal of a publication: what it removes and takes over, decided before its first step."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Sequence

from ...models.core.errors import GateHeld
from ...models.core.keys import Keys
from ...models.jobs.job import Job
from ...models.storage.storage import Storage
from .catalogue import Catalogue, is_part
from .sealing import Inherited
from .state import journal_file

_NAME = "publication"


@dataclasses.dataclass(frozen=True, slots=True)
class Journal:
    """What a publication decided when it began.

    Attributes:
        remove: paths of superseded parts, below the output.
        inherited: what it takes over from the seal before.
    """

    remove: tuple[str, ...]
    inherited: Inherited

    def write(self, storage: Storage, job: Job, keys: Keys, after: Catalogue) -> None:
        """Writes it down, marked with the key and with what the catalogue will be."""
        value: dict[str, object] = {
            "remove": list(self.remove),
            "adopted": list(self.inherited.adopted),
            "marks": dict(self.inherited.marks),
        }
        value["mark"] = keys.mark(_NAME, _content(job, value, after))
        storage.write_bytes(journal_file(job), json.dumps(value).encode())


def read_or_begin(
    storage: Storage,
    job: Job,
    keys: Keys,
    after: Catalogue,
    begin: Callable[[], Journal],
    *,
    reseal: bool,
    stay: Sequence[str],
) -> Journal:
    """The journal of an interrupted publication, or a new one.

    Args:
        after: the catalogue as it will be.
        begin: makes a new one.
        reseal: whether one that does not agree is accepted; then all `stay` counts as adopted.
        stay: runs whose parts stay.

    Raises:
        GateHeld: if the journal, or what the output holds, was changed since.
    """
    if not storage.exists(journal_file(job)):
        journal = begin()
        journal.write(storage, job, keys, after)
        return journal
    value: dict[str, object] = {}
    try:
        value = dict(json.loads(storage.read_bytes(journal_file(job))))
        mark = str(value.pop("mark", ""))
        if keys.agrees(mark, _NAME, _content(job, value, after)):
            remove, adopted, marks = value["remove"], value["adopted"], value["marks"]
            assert isinstance(remove, list) and isinstance(adopted, list)
            assert isinstance(marks, dict)
            return Journal(tuple(remove), Inherited(tuple(adopted), marks))
    except (ValueError, TypeError, RecursionError):
        pass
    if not reseal:
        raise GateHeld(
            "the interrupted publication cannot continue: its journal, or the catalogue of the "
            "output, has changed since it began. Nothing more is published. Restore what was "
            "changed; or examine it, and accept it with: resume --reseal"
        )
    listed = value.get("remove")
    remove = [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
    parts = tuple(path for path in remove if is_part(path.partition("/")[0], path))
    return Journal(parts, Inherited(tuple(stay)))


def _content(job: Job, value: dict[str, object], after: Catalogue) -> bytes:
    return json.dumps([job.run, value], sort_keys=True).encode() + b"\0" + after.content()
