r"""The files of a site's own rules: TOML that a policy names. docs/own-rules.md is the manual.

    [rules.chart]                          # the audit calls it own:chart
    label = "MEDICALRECORD"                # of the whole match, or of its group `phi`
    patterns = ['\bGV-(?P<phi>\d{6,8})\b']
    near = ["chart", "record"]             # optional: one of them within `window` characters
    not_near = ["lot"]                     # optional: none of them
    window = 50
    veto = ["000000"]                      # optional: PHI that is just that is none
    finds = ["Chart GV-⟦MEDICALRECORD:1234567⟧ was pulled."]
    leaves = ["Lot GV-1234567 was used, as the chart says."]

`near`, `not_near` and `veto` are phrases, or lists by name, path or URL, as in a policy.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..core.errors import UsageError
from ..core.resources import read_toml_file, require_keys, require_strings
from .own_rules import MOST_RULES, OwnRule, check_rule_name
from .phrases import folder_of, named_from, read_phrases

MOST_FILES = 20
MOST_TESTS, LONGEST_TEST = 200, 10_000
"""Texts of `finds` and of `leaves`; characters of one."""

_PHRASES = ("near", "not_near", "veto")
_TESTS = ("finds", "leaves")
_KEYS = ("label", "patterns", *_PHRASES, "window", *_TESTS)


def read_own_rules(files: object, folder: str, labels: Iterable[str]) -> tuple[OwnRule, ...]:
    """The rules of the files that a policy names, in order of their names.

    Args:
        files: paths or URLs; relative ones begin at the folder.
        folder: of the policy file, with its slash.
        labels: all that there are.

    Raises:
        UsageError: if a file cannot be read or a rule cannot be used. The message says which file
            (by its place in the list), rule and key; no path, pattern or phrase is in it.
    """
    names = require_strings("rules", files)
    if len(names) > MOST_FILES:
        raise UsageError(f"rules: expected at most {MOST_FILES} files")
    known = tuple(labels)
    found: dict[str, OwnRule] = {}
    for number, name in enumerate(names, 1):
        name = named_from(folder, name)
        where = f"rules {number}"
        try:
            table = require_keys("file", read_toml_file("rules", name), ("rules",))
            tables = table.get("rules", {})
            if not isinstance(tables, dict) or not tables:
                raise UsageError("expected a table [rules.NAME] for each rule")
            for rule in _rules(tables, folder_of(name), known):
                if rule.name in found:
                    raise UsageError(f"[rules.{rule.name}]: another file has a rule of that name")
                found[rule.name] = rule
        except UsageError as error:
            raise UsageError(f"{where}: {error}") from None
    if len(found) > MOST_RULES:
        raise UsageError(f"rules: expected at most {MOST_RULES} rules, got {len(found)}")
    return tuple(found[name] for name in sorted(found))


def _rules(tables: dict[str, Any], folder: str, labels: tuple[str, ...]) -> list[OwnRule]:
    for place, name in enumerate(tables, 1):
        try:
            check_rule_name(name)
        except UsageError as error:
            raise UsageError(f"[rules]: name {place}: {error}") from None
    rules = []
    for name, table in tables.items():
        where = f"[rules.{name}]"
        try:
            rules.append(_rule(name, require_keys(where, table, _KEYS), folder, labels))
        except UsageError as error:
            raise UsageError(f"{where}: {str(error).removeprefix(f'{where}: ')}") from None
    return rules


def _rule(name: str, table: dict[str, Any], folder: str, labels: tuple[str, ...]) -> OwnRule:
    label = table.get("label")
    if label is not None and label not in labels:
        raise UsageError(
            f"label: unknown; allowed: {list(labels)}, and what [labels] of the policy declares"
        )
    about: dict[str, Any] = {
        key: read_phrases(key, table[key], folder) for key in _PHRASES if key in table
    }
    tests = {key: require_strings(key, table.get(key, [])) for key in _TESTS}
    for key, texts in tests.items():
        if len(texts) > MOST_TESTS or any(len(text) > LONGEST_TEST for text in texts):
            raise UsageError(
                f"{key}: expected at most {MOST_TESTS} texts of {LONGEST_TEST:,} characters"
            )
    if "window" in table:
        about["window"] = table["window"]
    return OwnRule(
        name,
        require_strings("patterns", table.get("patterns", [])),
        label,
        {label.replace("-", "_"): label for label in labels} | {label: label for label in labels},
        **about,
        finds=tests["finds"],
        leaves=tests["leaves"],
    )
