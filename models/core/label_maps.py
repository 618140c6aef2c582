"""Label maps: from one label set to another, as data.

Each file in `label_sets/` is about one foreign label set and the native one
(`models.core.labels.LABELS`). Its tables are directions: `[to_native]` and `[from_native]`, each
with the map and the list `none` of labels that have no counterpart. A direction that means nothing
(a HIPAA item does not determine the native label) is left out.

`[from_native]` may say what becomes of many labels at once, so that a new native label needs no
line here: `by_hipaa_item`, letter -> foreign label, and `by_category`, category -> foreign label,
each again with `none`. What is said of the label itself comes first, then of its item, then of its
category. Where items have counterparts, a label without one needs none.

A file's keys: `name`; `[labels]`, every foreign label with what it stands for; `[to_native]`,
`[from_native]`. A map that does not cover its whole source set is not loaded: a forgotten label
could not be distinguished later from one without a counterpart.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from .errors import UsageError
from .labels import CATEGORIES, CATEGORY_OF, HIPAA_ITEMS, HIPAA_OF, LABELS
from .resources import read_toml, require_keys, require_strings, shipped_names, shipped_text

NATIVE = "native"
DIRECTIONS = ("to_native", "from_native")
_FOLDER = "core/label_sets"


@dataclasses.dataclass(frozen=True, slots=True)
class LabelMap:
    """A total map from every label of one set to a label of another, or to none.

    Attributes:
        source: name of the set that it takes, "native" or the foreign set's.
        target: name of the set that it gives.
        table: every source label -> its target label, or None.
        meanings: every target label -> what it stands for; for native ones the label itself.
    """

    source: str
    target: str
    table: Mapping[str, str | None]
    meanings: Mapping[str, str]

    def apply(self, label: str) -> str | None:
        """The target label of a source label; None if it has no counterpart.

        Raises:
            UsageError: if the label is not one of the source set.
        """
        try:
            return self.table[label]
        except KeyError:
            error = UsageError(
                f"unknown label; known: {sorted(self.table)}",
                on_terminal=f"unknown label {label!r}; known: {sorted(self.table)}",
            )
            raise error.within(f"label map {self.source} -> {self.target}") from None


def label_map_names() -> tuple[str, ...]:
    """The names of the label maps that ship, sorted."""
    return shipped_names(_FOLDER)


def label_map_text(name: str) -> str:
    """The TOML of a label map that ships.

    Raises:
        UsageError: if none is called so.
    """
    return shipped_text("label map", _FOLDER, name)


def load_map(name_or_url: str, direction: str | None = None) -> LabelMap:
    """One direction of a shipped map, or of a TOML file by fsspec URL.

    Args:
        name_or_url: "asq_phi", "hipaa18", "i2b2_2006", "meddocan", "physionet", "tab"..., or a URL
            or path of a .toml file.
        direction: "to_native" or "from_native"; None means to_native where the file has it, else
            from_native.

    Raises:
        UsageError: if the file is not a complete label map, or has no such direction.
    """
    file = require_keys(
        "label map",
        read_toml("label map", _FOLDER, name_or_url),
        ("name", "labels", *DIRECTIONS),
    )
    name, meanings = file.get("name"), file.get("labels")
    if not isinstance(name, str) or not name or name == NATIVE:
        raise UsageError("label map: name: expected a non-empty string other than 'native'")
    if not isinstance(meanings, dict) or not all(
        isinstance(text, str) for text in meanings.values()
    ):
        raise UsageError("label map: [labels]: expected a table of strings")
    present = [d for d in DIRECTIONS if d in file]
    if not present:
        raise UsageError("label map: expected a table [to_native], [from_native] or both")
    # All are checked, so that a damaged map is refused whichever direction is used.
    tables = {
        "to_native": (lambda: _table("[to_native]", file["to_native"], tuple(meanings), LABELS)),
        "from_native": lambda: _from_native(file["from_native"], tuple(meanings)),
    }
    checked = {d: tables[d]() for d in present}
    if direction is None:
        direction = present[0]
    if direction not in checked:
        raise UsageError(f"label map {name}: no direction {direction!r}; it has {present}")
    if direction == "to_native":
        return LabelMap(name, NATIVE, checked[direction], {label: label for label in LABELS})
    return LabelMap(NATIVE, name, checked[direction], dict(meanings))


def _from_native(table: Any, targets: tuple[str, ...]) -> dict[str, str | None]:
    where = "[from_native]"
    groups = ("by_hipaa_item", "by_category")
    require_keys(f"label map: {where}", table, (*LABELS, "none", *groups))
    own = {key: value for key, value in table.items() if key not in groups}
    found: dict[str, str | None] = {}
    if "by_hipaa_item" in table:
        place = "[from_native.by_hipaa_item]"
        of_items = _table(place, table["by_hipaa_item"], tuple(HIPAA_ITEMS), targets)
        found = {label: of_items.get(HIPAA_OF.get(label, "")) for label in LABELS}
    place = "[from_native.by_category]"
    of_categories = _entries(place, table.get("by_category", {}), tuple(CATEGORIES), targets)
    for label, category in CATEGORY_OF.items():
        if category in of_categories and found.get(label) is None:
            found[label] = of_categories[category]
    return _complete(where, found | _entries(where, own, LABELS, targets), LABELS)


def _table(
    where: str, table: Any, sources: tuple[str, ...], targets: tuple[str, ...]
) -> dict[str, str | None]:
    return _complete(where, _entries(where, table, sources, targets), sources)


def _entries(
    where: str, table: Any, sources: tuple[str, ...], targets: tuple[str, ...]
) -> dict[str, str | None]:
    """The entries of a table, those of its list `none` as None."""
    where = f"label map: {where}"
    found: dict[str, str | None] = dict(require_keys(where, table, (*sources, "none")))
    none = require_strings(f"{where} none", found.pop("none", []))
    if wrong := sorted(label for label, target in found.items() if target not in targets):
        raise UsageError(f"{where}: unknown targets of {wrong}; allowed: {list(targets)}")
    if unknown := sorted(set(none) - set(sources)):
        raise UsageError(f"{where} none: unknown labels {unknown}; allowed: {list(sources)}")
    if twice := sorted(set(none) & set(found)):
        raise UsageError(
            f"{where}: {twice} have a target and are also in none; remove one of the two"
        )
    return found | dict.fromkeys(none)


def _complete(
    where: str, found: dict[str, str | None], sources: tuple[str, ...]
) -> dict[str, str | None]:
    """The entries in the order of the sources.

    Raises:
        UsageError: if a source has none.
    """
    if missing := [label for label in sources if label not in found]:
        raise UsageError(
            f"label map: {where}: {missing} are missing; give each a target, or list it in none"
        )
    return {label: found[label] for label in sources}
