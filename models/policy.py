"""Policies: what is done with what was found, label by label, and what is not believed.

A policy is data (TOML); the shipped ones are in `policies/`. It is read once, checked whole, and
then only looked up. The keys of a file:

    name = "site"              # how the manifest calls it
    extends = "hipaa"          # optional: a shipped policy to start from
    hipaa = true               # optional: refuse to keep what 45 CFR 164.514(b)(2)(i) lists
    default = "redact"         # or "mask": for every label that [actions] does not name
    date_columns = "drop"      # or "keep": columns of role `date`
    restricted_zip3 = ["205"]  # optional: ZIP prefixes that become 000, beside those of the HHS
    [actions]                  # label = "redact" | "mask" | "generalise" | "keep"
    AGE = "generalise"
    [veto]                     # label, or "*" for all = phrases that are never PHI when a
    "*" = ["Foley"]            # candidate is just that

A veto overrules every detector, so a patient of that very name stays in the text: the shipped
policies have none.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from .errors import UsageError
from .generalising import GENERALISATIONS, KEEP, RESTRICTED_ZIP3
from .labels import HIPAA_OF, LABELS
from .shipped import read_toml, require_keys, require_strings, shipped_names

ACTIONS = ("redact", "mask", "generalise", "keep")
REMOVALS = ("redact", "mask")
"""The actions that need no look at the text; only these can be a default."""

DATE_COLUMNS = ("drop", "keep")
ANY_LABEL = "*"

_KEYS = (
    "name",
    "extends",
    "hipaa",
    "default",
    "date_columns",
    "restricted_zip3",
    "actions",
    "veto",
)


@dataclasses.dataclass(frozen=True, slots=True)
class Policy:
    """One checked policy. Built by `load_policy`, or by hand in tests; both are checked.

    Attributes:
        name: how the manifest calls it.
        actions: label -> action, for the labels that it names.
        default: the action of every other label, also of labels outside the native set. A label is
            kept only if it is named, so this is never "keep".
        date_columns: what happens to a column of role `date`: "drop" or "keep".
        veto: label or "*" -> case-folded phrases; a candidate whose whole text is one of them is
            rejected.
        restricted_zip3: three-digit ZIP prefixes that become 000; always holds those of the HHS
            guidance.
        hipaa: whether `keep` is refused for labels with an item in 45 CFR 164.514(b)(2)(i).

    Raises:
        UsageError: for an unknown label or action, a generalisation that does not exist, a
            forbidden `keep`.
    """

    name: str
    actions: Mapping[str, str] = dataclasses.field(default_factory=dict)
    default: str = "redact"
    date_columns: str = "drop"
    veto: Mapping[str, frozenset[str]] = dataclasses.field(default_factory=dict)
    restricted_zip3: frozenset[str] = RESTRICTED_ZIP3
    hipaa: bool = False

    def __post_init__(self) -> None:
        _require(self.default in REMOVALS, "default", self.default, REMOVALS)
        _require(self.date_columns in DATE_COLUMNS, "date_columns", self.date_columns, DATE_COLUMNS)
        for label, action in self.actions.items():
            _require(label in LABELS, "[actions]", label, LABELS)
            _require(action in ACTIONS, f"[actions] {label}", action, ACTIONS)
            if action == "generalise" and label not in GENERALISATIONS:
                raise UsageError(
                    f"policy: [actions] {label}: there is no generalisation of it; "
                    f"only of {sorted(GENERALISATIONS)}"
                )
            if action == "keep" and self.hipaa and label in HIPAA_OF:
                raise UsageError(
                    f"policy: [actions] {label}: keep is refused under hipaa, for it is in "
                    f"45 CFR 164.514(b)(2)(i)({HIPAA_OF[label]}); allowed: {_allowed(label)}"
                )
        for label, phrases in self.veto.items():
            _require(label in (*LABELS, ANY_LABEL), "[veto]", label, (*LABELS, ANY_LABEL))
            if any(not phrase.strip() or phrase != phrase.casefold() for phrase in phrases):
                raise UsageError(
                    f"policy: [veto] {label}: phrases must be case-folded and not blank"
                )
        for prefix in self.restricted_zip3:
            if len(prefix) != 3 or not prefix.isascii() or not prefix.isdigit():
                raise UsageError("policy: restricted_zip3: expected strings of three digits")
        if missing := RESTRICTED_ZIP3 - self.restricted_zip3:
            raise UsageError(f"policy: restricted_zip3: {sorted(missing)} cannot be left out")
        if self.hipaa and self.date_columns == "keep":
            raise UsageError(
                "policy: date_columns: keep is refused under hipaa, for dates are identifiers of "
                "45 CFR 164.514(b)(2)(i)(C); allowed: ['drop']"
            )

    def action(self, label: str) -> str:
        """The action named for a label, before any look at the text."""
        return self.actions.get(label, self.default)

    def decide(self, label: str, covered: str) -> tuple[str, str | None]:
        """What becomes of one stretch: the action that its text leads to, and the replacement.

        A pure function of label and text. "generalise" turns into "keep" where the text may stay,
        and into "redact" where it is not understood.

        Returns:
            action: one of ACTIONS.
            replacement: None for "keep".
        """
        action = self.actions.get(label, self.default)
        if action == "generalise":
            general = GENERALISATIONS[label](covered, self.restricted_zip3)
            if general is None:
                action = "redact"
            elif general == KEEP:
                action = "keep"
            else:
                return action, general
        return action, replacement_of(action, label, len(covered))

    def vetoes(self, label: str, covered: str) -> bool:
        """Whether the stretch is just a phrase that is never PHI under this label."""
        if not self.veto:
            return False
        folded = covered.casefold()
        return any(folded in self.veto.get(key, ()) for key in (label, ANY_LABEL))

    @property
    def keep_dates(self) -> bool:
        """Whether columns of role `date` pass."""
        return self.date_columns == "keep"

    @property
    def kept(self) -> tuple[str, ...]:
        """The labels that are kept whatever their text, sorted; the manifest names them."""
        return tuple(sorted(label for label, action in self.actions.items() if action == "keep"))

    @property
    def fingerprint(self) -> str:
        """SHA-256, as hex, of all that decides; not of the name, nor of how the file is written."""
        content = {
            "actions": {label: self.action(label) for label in LABELS},
            "default": self.default,
            "date_columns": self.date_columns,
            "veto": {label: sorted(phrases) for label, phrases in self.veto.items() if phrases},
            "restricted_zip3": sorted(self.restricted_zip3),
            "hipaa": self.hipaa,
        }
        canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()


def replacement_of(action: str, label: str, length: int) -> str | None:
    """What takes the place of a stretch of `length` code points that is redacted, masked or kept.

    A mask has a `*` for every code point, line breaks included: no character of a removed stretch
    stays, and a reader cannot tell where in it a line ended. Neither replacement depends on the
    text.
    """
    if action == "redact":
        return f"[{label}]"
    return "*" * length if action == "mask" else None


def load_policy(name_or_url: str) -> Policy:
    """The policy of a shipped name ("hipaa", "research") or of a TOML file by fsspec URL.

    Raises:
        UsageError: if it cannot be read, or names an unknown key, label, action, or forbidden
            `keep`; the message says which key and what is allowed.
    """
    table = require_keys("policy", read_toml("policy", "policies", name_or_url), _KEYS)
    base = table.get("extends")
    if base is not None and base not in shipped_names("policies"):
        raise UsageError(f"policy: extends: expected one of {list(shipped_names('policies'))}")
    if base == name_or_url:
        raise UsageError("policy: extends: a policy cannot extend itself")
    policy = _policy(table, Policy("", hipaa=False) if base is None else load_policy(base))
    if name_or_url not in (shipped := shipped_names("policies")) and policy.name in shipped:
        raise UsageError(f"policy: name: {policy.name!r} is a shipped policy's; choose another")
    return policy


def _policy(table: dict[str, Any], base: Policy) -> Policy:
    name = _string(table, "name", None)
    hipaa = table.get("hipaa", base.hipaa)
    if not isinstance(hipaa, bool):
        raise UsageError("policy: hipaa: expected true or false")
    if base.hipaa and not hipaa:
        raise UsageError(
            "policy: hipaa: cannot be switched off in a policy that extends one under hipaa"
        )
    actions = require_keys("policy: [actions]", table.get("actions", {}), LABELS)
    for label, action in actions.items():
        if not isinstance(action, str):
            raise UsageError(f"policy: [actions] {label}: expected one of {list(ACTIONS)}")
    veto = dict(base.veto)
    for label, phrases in require_keys(
        "policy: [veto]", table.get("veto", {}), (*LABELS, ANY_LABEL)
    ).items():
        folded = frozenset(
            phrase.casefold() for phrase in require_strings(f"policy: [veto] {label}", phrases)
        )
        veto[label] = veto.get(label, frozenset()) | folded
    zip3 = require_strings("policy: restricted_zip3", table.get("restricted_zip3", []))
    return Policy(
        name,
        {**base.actions, **actions},
        _string(table, "default", base.default),
        _string(table, "date_columns", base.date_columns),
        veto,
        base.restricted_zip3 | frozenset(zip3),
        # Whoever calls a policy "hipaa" is held to it.
        hipaa or name.casefold() == "hipaa",
    )


def _string(table: dict[str, Any], key: str, default: str | None) -> str:
    value = table.get(key, default)
    if not isinstance(value, str) or not value:
        raise UsageError(f"policy: {key}: expected a string that is not empty")
    return value


def _allowed(label: str) -> list[str]:
    return [a for a in ACTIONS if a in REMOVALS or (a == "generalise" and label in GENERALISATIONS)]


def _require(holds: bool, where: str, value: str, allowed: tuple[str, ...]) -> None:
    if not holds:
        raise UsageError(f"policy: {where}: {value!r} is unknown; allowed: {list(allowed)}")
