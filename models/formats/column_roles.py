"""Column roles: what may be done with each input column. An undeclared column is refused.

Publishing a column like `patient_name` by accident is the commonest leak of all; so no column
passes unless the user declared that it may.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from ..core.display_names import ColumnNames, declared_list
from ..core.errors import UsageError
from ..core.known_values import KnownAttribute, PersonKind
from ..core.suggestions import did_you_mean
from .nested_paths import Inner, Path, PathNode, parse_path, show_path, tree_of, without_numbers


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
    Role.TEXT: "free text: scrubbed",
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


_KNOWN_KINDS = tuple(kind for kind in PersonKind if kind is not PersonKind.STAFF)


def _known_of(name: str, what: str) -> tuple[PersonKind, KnownAttribute]:
    """Whose and what a column with role `known` is: `name` and `relative.name` behind the colon.

    Raises:
        UsageError: for anything else.
    """
    kind, _, attribute = what.rpartition(".")
    kind = kind or PersonKind.SELF
    if kind not in _KNOWN_KINDS or attribute not in KnownAttribute.__members__.values():
        attributes = list(KnownAttribute)
        raise UsageError(
            f"column {name}: role known says what the column is, as in known:name or "
            f"known:relative.name{did_you_mean(attribute, attributes)}; it may be "
            f"{', '.join(attributes)}, of {', '.join(_KNOWN_KINDS)}. Staff belongs in a roster"
        )
    return PersonKind(kind), KnownAttribute(attribute)


@dataclasses.dataclass(frozen=True, slots=True)
class Columns:
    """The declared role of every input column, partition keys included.

    Attributes:
        roles: column -> role, in the order of declaration. A nested column may have a role for each
            of its values, by its path; see `nested_paths`.
        paths: those of the names that are paths into a nested column; see `resolved`.
        known: column with role `known` -> whose and what it is, in the order of declaration.

    Raises:
        UsageError: if there is not exactly one `id`, not at least one `text`, more than one
            `patient` or `type`, more than `MOST_COLUMNS`, or a name that Scrubline itself writes;
            or if paths contradict each other.
    """

    roles: tuple[tuple[str, Role], ...]
    # Not compared: what was declared is the same, whatever input it was declared for.
    paths: tuple[str, ...] = dataclasses.field(default=(), compare=False)
    known: tuple[tuple[str, PersonKind, KnownAttribute], ...] = ()

    def __post_init__(self) -> None:
        require_few(len(self.roles), "roles are declared for")
        times = Counter(name for name, _ in self.roles)
        if twice := sorted(name for name, count in times.items() if count > 1):
            raise UsageError(f"columns declared twice: {declared_list(twice)}")
        if not self.named(Role.TEXT):
            raise UsageError("no column has role text: say which one with --column NAME=text")
        if len(self.named(Role.ID)) != 1:
            found = declared_list(self.named(Role.ID))
            raise UsageError(
                f"exactly one column must have role id (found {found}): "
                "doc_key, which joins data and audit, is made from it; "
                "say which with --column NAME=id"
            )
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
        if self.paths:
            self._check_paths()

    def _check_paths(self) -> None:
        roles = dict(self.roles)
        flat = {without_numbers(name) for name in roles if name not in self.paths}
        whole = roles.keys() - set(self.paths)
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
    def parse(cls, declared: Iterable[Sequence[str]]) -> Columns:
        """Builds from (name, role) texts; (name, role, "path") for a path, as `to_json` gives.

        Of role `known` the text says what is known: `known:name`, `known:relative.name`.

        Raises:
            UsageError: for an unknown role, with the list of roles and what they mean.
            ValueError: if there are other texts.
        """
        roles = []
        paths = []
        known = []
        for name, role, *more in declared:
            if more:
                if more != [_PATH]:
                    raise ValueError("a role is declared with too much")
                paths.append(name)
            head, _, what = role.partition(":")
            if head == Role.KNOWN:
                known.append((name, *_known_of(name, what)))
                roles.append((name, Role.KNOWN))
            else:
                roles.append((name, role_of(name, role)))
        return cls(tuple(roles), tuple(paths), tuple(known))

    def to_json(self) -> list[tuple[str, ...]]:
        """Plain values, for `parse`."""
        paths = frozenset(self.paths)
        what = {name: f"{Role.KNOWN}:{kind}.{attribute}" for name, kind, attribute in self.known}
        texts = [(name, what.get(name, str(role))) for name, role in self.roles]
        return [(name, text, _PATH) if name in paths else (name, text) for name, text in texts]

    def resolved(self, available: Iterable[str]) -> Columns:
        """The same roles, with those that are paths known as such.

        A name is a path if it spells one and the input has a column of its first name, but none of
        the whole name: a flat column `note.text` is just that.
        """
        present = frozenset(available)
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
        if not self.paths:
            return tuple(name for name, _ in self.roles)
        paths = frozenset(self.paths)
        return tuple(dict.fromkeys(str(_path(n)[0]) if n in paths else n for n, _ in self.roles))

    @property
    def nested(self) -> Mapping[str, PathNode]:
        """Column -> what is declared of its parts, for columns whose parts have roles."""
        return _trees(self.paths)

    def roles_by_input(self) -> dict[str, set[Role]]:
        """Column of the input -> its role, or those of its parts; linear in the declarations."""
        paths = frozenset(self.paths)
        found: dict[str, set[Role]] = {}
        for name, role in self.roles:
            column = str(_path(name)[0]) if name in paths else name
            found.setdefault(column, set()).add(role)
        return found

    def named(self, role: Role) -> tuple[str, ...]:
        """The columns of one role, in order."""
        return tuple(name for name, r in self.roles if r == role)

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


_PATH = "path"


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
