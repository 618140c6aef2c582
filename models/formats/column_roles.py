"""Column roles: what may be done with each input column. An undeclared column is refused.

Publishing a column like `patient_name` by accident is the commonest leak of all; so no column
passes unless the user declared that it may.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from ..core.display_names import ColumnNames, declared_list
from ..core.errors import UsageError
from ..core.known_values import KnownAttribute, KnownLabel, PersonKind, label_of
from ..core.suggestions import did_you_mean
from ..messages.base import DeclaredNames
from ..messages.table import GRAMMARS
from .nested_paths import Inner, Path, PathNode, parse_path, show_path, tree_of, without_numbers
from .role_texts import known_of, markup_of, overlay


class Role(enum.StrEnum):
    """What a column is."""

    TEXT = "text"
    ID = "id"
    PATIENT = "patient"
    TYPE = "type"
    DATE = "date"
    BIRTH = "birth"
    PASS = "pass"
    DROP = "drop"
    HASH = "hash"
    KNOWN = "known"


MEANING = {
    Role.TEXT: "free text: scrubbed; text:html, text:rtf, text:xml: what is read within markup",
    Role.ID: "identifies the row: replaced by doc_key",
    Role.PATIENT: "identifies the patient: replaced by patient_key",
    Role.TYPE: "kind of note: passed, and seen by detectors",
    Role.DATE: "date of the note: passed, shifted or dropped as the policy says",
    Role.BIRTH: "date of birth: as a date; where dates are shifted, null for patients over 89",
    Role.PASS: "passed unchanged",
    Role.DROP: "left out",
    Role.HASH: "replaced by a keyed hash of its value",
    Role.KNOWN: "left out, and removed from the texts of its row: known:name, known:mrn, "
    "known:relative.name",
}
DOC_KEY, PATIENT_KEY = "doc_key", "patient_key"

MOST_COLUMNS = 100_000
"""Of an input, and of a declaration. The work is linear in them, but each takes memory."""

PRESETS: Mapping[str, Mapping[str, Role]] = {
    "text files": {"path": Role.ID, "text": Role.TEXT},
    "stand-off corpus": {
        "doc_id": Role.ID,
        "text": Role.TEXT,
        "spans": Role.DROP,
        "meta": Role.DROP,
    },
}
"""Roles taken when none is declared and every column of the input is in one of these."""


def require_few(columns: int, what: str) -> None:
    """Refuses more columns than `MOST_COLUMNS`.

    Raises:
        UsageError: with the number and the limit.
    """
    if columns > MOST_COLUMNS:
        raise UsageError(
            f"{what} {columns:,} columns; at most {MOST_COLUMNS:,} are supported: is it a table, "
            "and is --delimiter right?"
        )


def role_of(name: str, role: str) -> Role:
    """The role that is declared of a column.

    Raises:
        UsageError: for an unknown role, with the list of roles and what they mean.
    """
    if role not in Role.__members__.values():
        known = "; ".join(f"{r}: {MEANING[r]}" for r in Role)
        meant = did_you_mean(role, list(Role))
        raise UsageError(f"column {name}: unknown role {role!r}{meant}; roles are {known}")
    return Role(role)


@dataclasses.dataclass(frozen=True, slots=True)
class Columns:
    """The declared role of every input column, partition keys included.

    Attributes:
        roles: column -> role, in the order of declaration. A nested column may have a role for each
            of its values, by its path; see `nested_paths`.
        paths: those of the names that are paths into a nested column; see `resolved`.
        known: column with role `known` -> whose and what it is, in the order of declaration.
        markup: column with role `text` -> a kind of `rendering.kinds.LAYERS`, or `PLAIN`; of the
            others, each text tells by its beginning.
        record: the column of a message format, in which all names that are not keys of folders lie;
            else empty. Its roles are those of the format, with what was declared laid over them.
        overlaid: what was declared; only of such columns.
        filled: labels of known values of records in whose place something stands; the others are
            emptied.
        partial: whether id and text may lack: what is declared may be laid over a format's roles.

    Raises:
        UsageError: if there is not exactly one `id`, not at least one `text`, more than one
            `patient` or `type`, more than `MOST_COLUMNS`, or a name that Scrubline itself writes;
            or if paths contradict each other.
    """

    roles: tuple[tuple[str, Role], ...]
    # Not compared: what was declared is the same, whatever input it was declared for.
    paths: tuple[str, ...] = dataclasses.field(default=(), compare=False)
    known: tuple[tuple[str, PersonKind, KnownAttribute], ...] = ()
    markup: tuple[tuple[str, str], ...] = ()
    record: str = ""
    overlaid: tuple[tuple[str, str], ...] = ()
    filled: tuple[str, ...] = ()
    partial: bool = dataclasses.field(default=False, compare=False)
    _node: PathNode | None = dataclasses.field(default=None, init=False, compare=False, repr=False)
    _by_role: Mapping[Role, tuple[str, ...]] = dataclasses.field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    _path_set: frozenset[str] = dataclasses.field(
        default=frozenset(), init=False, compare=False, repr=False
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "_path_set", frozenset(self.paths))
        by_role: dict[Role, list[str]] = {}
        for name, role in self.roles:
            by_role.setdefault(role, []).append(name)
        object.__setattr__(self, "_by_role", {role: tuple(own) for role, own in by_role.items()})
        require_few(len(self.roles), "roles are declared for")
        times = Counter(name for name, _ in self.roles)
        if twice := sorted(name for name, count in times.items() if count > 1):
            raise UsageError(f"columns declared twice: {declared_list(twice)}")
        if not self.partial:
            self._check_needed()
        for role in (Role.PATIENT, Role.TYPE):
            if len(self.named(role)) > 1:
                found = declared_list(self.named(role))
                raise UsageError(f"only one column may have role {role}: {found}")
        if self.named(Role.KNOWN) != tuple(name for name, _, _ in self.known):
            raise UsageError("of each column with role known it must be said what it is")
        for name, role in self.roles:
            if name in (DOC_KEY, PATIENT_KEY) and role in (
                Role.PASS,
                Role.TEXT,
                Role.HASH,
                Role.TYPE,
                Role.DATE,
                Role.BIRTH,
            ):
                raise UsageError(
                    f"the input has a column {name}, a name that the output uses: give it role drop"
                )
        if self.record:
            known = {
                name: KnownLabel(kind, label)
                for name, kind, attribute in self.known
                if (label := label_of(kind, attribute)) is not None and label in self.filled
            }
            texts = frozenset((*self.named(Role.TEXT), *known))
            own = frozenset(name for name, _ in self.overlaid)
            names = frozenset(name for name, _ in self.roles)
            declared = DeclaredNames(names, texts, known, dict(self.roles), own)
            object.__setattr__(self, "_node", PathNode(declared=declared))
        elif self.paths:
            self._check_paths()

    def _check_needed(self) -> None:
        if not self.named(Role.TEXT):
            raise UsageError("no column has role text: say which one with --column NAME=text")
        if len(self.named(Role.ID)) != 1:
            found = declared_list(self.named(Role.ID))
            raise UsageError(
                f"exactly one column must have role id (found {found}): "
                "doc_key, which joins data and audit, is made from it; "
                "say which with --column NAME=id"
            )

    def _check_paths(self) -> None:
        roles = dict(self.roles)
        flat = {without_numbers(name) for name in roles if not self.is_path(name)}
        whole = roles.keys() - self._path_set
        if both := next((column for column in self.nested if column in whole), None):
            raise UsageError(
                f"column {both!r} has a role, and so has a part of it: give a role to the whole, "
                "or to each of its parts"
            )
        for name in self.paths:
            path, role = _path(name), roles[name]
            if path[0] in (DOC_KEY, PATIENT_KEY):
                raise UsageError(
                    f"the input has a column {path[0]}, a name that the output uses: give it role "
                    "drop as a whole"
                )
            if show_path(path) in flat:
                raise UsageError(f"a column has the name of the path {name!r}: rename the column")
            if role in (Role.ID, Role.PATIENT, Role.TYPE) and not is_single(name):
                raise UsageError(
                    f"column {name!r}: role {role} needs one value a row, and items of a list or "
                    "map may be many"
                )
            if role is Role.TEXT and path[-2:] == (Inner.ENTRY, "key"):
                raise UsageError(f"column {name!r}: keys of a map cannot have role text")

    @classmethod
    def parse(cls, declared: Iterable[Sequence[str]], *, partial: bool = False) -> Columns:
        """Builds from (name, role) texts; (name, role, "path") for a path, as `to_json` gives.

        Of role `known` the text says what is known: `known:name`, `known:relative.name`; of role
        `text` it may say how texts are written: `text:html`.

        Raises:
            UsageError: for an unknown role, with the list of roles and what they mean.
            ValueError: if there are other texts.
        """
        declared = list(declared)
        if declared and tuple(declared[0][1:2]) == (_RECORD,):
            overlaid = [(name, role) for name, role, *_ in declared[1:]]
            folders = [name for name, _, *more in declared[1:] if not more]
            filled = tuple(chain.from_iterable(more for _, _, *more in declared[:1]))
            return cls.of_record(declared[0][0], overlaid, filled).resolved(folders)
        roles = []
        paths = []
        known = []
        markup = []
        for name, role, *more in declared:
            if more:
                if more != [_PATH]:
                    raise ValueError("a role is declared with too much")
                paths.append(name)
            head, _, what = role.partition(":")
            if head == Role.KNOWN:
                known.append((name, *known_of(name, what)))
                roles.append((name, Role.KNOWN))
            elif head == Role.TEXT and what:
                markup.append((name, markup_of(name, what)))
                roles.append((name, Role.TEXT))
            else:
                roles.append((name, role_of(name, role)))
        return cls(tuple(roles), tuple(paths), tuple(known), tuple(markup), partial=partial)

    @classmethod
    def of_record(
        cls, record: str, declared: Iterable[tuple[str, str]], filled: Iterable[str] = ()
    ) -> Columns:
        """The roles of a message format, with others laid over them.

        A role holds for all that lies within its name, whatever the format says of that; a role
        that one name alone may have is taken from the format's.

        Raises:
            UsageError: see `parse`.
        """
        return _of_record(record, tuple(declared), tuple(filled))

    @property
    def overlaid_roles(self) -> tuple[tuple[str, str], ...]:
        """The roles as texts, to be laid over those of a message format."""
        if self.record:
            return self.overlaid
        return tuple((name, role) for name, role, *_ in self.to_json())

    def to_json(self) -> list[tuple[str, ...]]:
        """Plain values, for `parse`."""
        if self.record:
            flat = dict(self.roles).keys() - self._path_set
            in_record = ((n, r) if n in flat else (n, r, _PATH) for n, r in self.overlaid)
            return [(self.record, _RECORD, *self.filled), *in_record]
        paths = self._path_set
        what = {name: f"{Role.KNOWN}:{kind}.{attribute}" for name, kind, attribute in self.known}
        what |= {name: f"{Role.TEXT}:{kind}" for name, kind in self.markup}
        texts = [(name, what.get(name, str(role))) for name, role in self.roles]
        return [(name, text, _PATH) if name in paths else (name, text) for name, text in texts]

    def resolved(self, available: Iterable[str]) -> Columns:
        """The same roles, with those that are paths known as such.

        A name is a path if it spells one and the input has a column of its first name, but none of
        the whole name: a flat column `note.text` is just that.
        """
        present = frozenset(available)
        if self.record:
            return dataclasses.replace(
                self, paths=tuple(name for name, _ in self.roles if name not in present)
            )
        found = []
        for name, _ in self.roles:
            if name not in present and (path := parse_path(name)) and len(path) > 1:
                sure = any(isinstance(step, Inner) for step in path)
                if path[0] in present or sure:
                    found.append(name)
        return dataclasses.replace(self, paths=tuple(found))

    @property
    def inputs(self) -> tuple[str, ...]:
        """The columns of the input, each once, in the order in which they were declared."""
        if self.record:
            paths = self._path_set
            return (*(name for name, _ in self.roles if name not in paths), self.record)
        if not self.paths:
            return tuple(name for name, _ in self.roles)
        paths = self._path_set
        return tuple(dict.fromkeys(str(_path(n)[0]) if n in paths else n for n, _ in self.roles))

    @property
    def nested(self) -> Mapping[str, PathNode]:
        """Column -> what is declared of its parts, for columns whose parts have roles."""
        return _trees(self.paths) if self._node is None else {self.record: self._node}

    def roles_by_input(self) -> dict[str, set[Role]]:
        """Column of the input -> its role, or those of its parts; linear in the declarations."""
        paths = self._path_set
        found: dict[str, set[Role]] = {}
        for name, role in self.roles:
            is_path = name in paths
            column = self.record or str(_path(name)[0]) if is_path else name
            found.setdefault(column, set()).add(role)
        return found

    @property
    def filled_names(self) -> Collection[str]:
        """Names of known values of records in whose place something stands."""
        declared = None if self._node is None else self._node.declared
        return () if declared is None else declared.known.keys()

    @property
    def least_documents(self) -> int:
        """How many documents a row has at least."""
        return 1 if self.record else len(self.named(Role.TEXT))

    @property
    def have_many_texts(self) -> bool:
        """Whether a row may have more: of items of lists and maps, and of values of a record."""
        return bool(self.record) or any(not is_single(path) for path in self.paths)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Of a message format, which has many roles, goes what was declared."""
        if self.record:
            return _parsed, (tuple(map(tuple, self.to_json())),)
        return object.__reduce_ex__(self, protocol)

    def is_path(self, name: str) -> bool:
        """Whether a name is one of `paths`."""
        return name in self._path_set

    def named(self, role: Role) -> tuple[str, ...]:
        """The columns of one role, in order."""
        return self._by_role.get(role, ())

    def role_of(self, name: str) -> Role:
        """The role of a declared column."""
        return dict(self.roles)[name]

    def check(
        self,
        available: Iterable[str],
        *,
        partial: bool = False,
        unseen: bool = False,
        where: Callable[[str], str] = lambda name: "",
    ) -> None:
        """Compares the declaration with the columns that the input has.

        Args:
            available: the columns seen.
            partial: whether only the beginning of the input was seen: then a declared column may
                come later, except id and text, which every record needs.
            unseen: whether no file showed any column, because all are empty or damaged: then no
                column is missing, as no record could be published without it.
            where: names the file that has a column, for the message; "" if there is only one.

        Raises:
            UsageError: for undeclared columns, with the list and the options to add; for declared
                ones that the input does not have, which may be the same, misspelt.
        """
        present = dict.fromkeys(available)
        roles = self.roles_by_input()
        declared = {name: role for name, some in roles.items() for role in some}
        names = ColumnNames(present, declared)
        if undeclared := [name for name in present if name not in declared]:
            place = where(undeclared[0])
            raise names.error(
                "the input has columns without a declared role: {columns}"
                f"{place and f', the first in {place}'}. Undeclared columns are never passed on. "
                f"Add: {{options}} (ROLE is one of {', '.join(Role)})",
                undeclared,
                unseen=[name for name in declared if name not in present],
            )
        if unseen:
            return
        needed = {Role.ID, Role.TEXT} if partial else set(Role) - {Role.DROP}
        if missing := [n for n, some in roles.items() if n not in present and some & needed]:
            raise UsageError(
                f"the input lacks declared columns: {declared_list(missing)}; it has "
                f"{declared_list(present)}"
            )


_PATH, _RECORD = "path", "record"


_ALONE = (Role.ID, Role.PATIENT, Role.TYPE)


@functools.lru_cache(maxsize=16)
def _parsed(declared: tuple[tuple[str, ...], ...]) -> Columns:
    return Columns.parse(declared)


@functools.lru_cache(maxsize=16)
def _of_record(
    record: str, overlaid: tuple[tuple[str, str], ...], filled: tuple[str, ...]
) -> Columns:
    defaults = GRAMMARS[record].default_roles()
    roles = overlay(defaults, overlaid, alone=_ALONE, instead=Role.DROP)
    found = Columns.parse(roles.items())
    return dataclasses.replace(found, record=record, overlaid=overlaid, filled=filled)


def is_single(path: str) -> bool:
    """Whether a path leads to one value a row: not to items of a list or a map."""
    return not any(isinstance(step, Inner) for step in _path(path))


def _path(text: str) -> Path:
    path = parse_path(text)
    if path is None:
        raise UsageError(f"{text!r} is no path into a nested column")
    return path


@functools.cache
def _trees(paths: tuple[str, ...]) -> Mapping[str, PathNode]:
    by_column: dict[str, dict[str, Path]] = {}
    for text in paths:
        path = _path(text)
        by_column.setdefault(str(path[0]), {})[text] = path
    return {column: tree_of(of_column) for column, of_column in by_column.items()}


TEXT_FILES = Columns(tuple(PRESETS["text files"].items()))


def preset_for(available: Iterable[str]) -> Columns | None:
    """The preset roles for an input whose columns are all known, or None."""
    present = list(dict.fromkeys(available))
    for roles in PRESETS.values():
        needed = {name for name, role in roles.items() if role in (Role.ID, Role.TEXT)}
        if needed <= set(present) <= set(roles):
            return Columns(tuple((name, roles[name]) for name in present))
    return None
