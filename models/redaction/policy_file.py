"""The files of policies: TOML, read once and checked whole.

The shipped ones are in `policies/`, `docs/policies.md` is the manual. The keys of a file:

    name = "site"              # how the manifest calls it
    extends = "hipaa"          # optional: a shipped policy to start from
    hipaa = true               # optional: refuse to keep what 45 CFR 164.514(b)(2)(i) lists
    default = "redact"         # or "mask": for every label that [actions] does not name
    date_columns = "drop"      # "keep", or "shift": columns of role `date`
    restricted_zip3 = ["205"]  # optional: ZIP prefixes that become 000, beside those of the HHS
    rules = ["rules.toml"]     # files of rules of the site's own: see `own_rules_file`
    surrogates = { scope = "record", languages = ["en"] }  # see `surrogates.SurrogateSettings`
    dates = { days = 364, direction = "past" }             # see `dates.DateSettings`
    [actions]                  # label = one of `actions.ACTIONS`
    AGE = "generalise"
    [texts]                    # label, or "*" for all = what takes the place of redacted text
    PATIENT = "<{label}>"
    [labels]                   # labels of the site's own, for [deny] and for models that give them
    STUDYID = { hipaa = "R", description = "number of a study" }
    [deny]                     # label = phrases, or a list by name, path or URL: always go
    STUDYID = ["HEART-2"]
    [allow]                    # label, or "*" for all = the same: stay, whoever proposes them
    "*" = ["Foley catheter"]
    [veto]                     # label, or "*" for all = phrases that are never PHI when a
    "*" = ["Foley"]            # candidate is just that
    [documents]                # what the documents table tells of a note, for counting: nothing
    note_type = true           # the value of its column of role `type`
    period = "year"            # or "month": of the first column of role `date`
    [note_types."radiology*"]  # default, actions, texts, deny, allow, veto for some notes
    actions = { DOCTOR = "keep" }
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from ..core.errors import UsageError
from ..core.resources import (
    read_toml,
    require_keys,
    require_strings,
    shipped_names,
    shipped_text,
)
from .actions import ACTIONS, SHIFT, SPELLINGS
from .own_labels import OwnLabel, check_label_name
from .own_rules import OwnRule
from .own_rules_file import read_own_rules
from .phrases import fold, folder_of, read_phrases
from .policy import ANY_LABEL, Phrases, Policy
from .stand_in_settings import DATE, DROP_DATES, SHIFT_DATES, parse_settings
from .telling import Telling

_PER_NOTE_TYPE = ("default", "actions", "texts", "deny", "allow", "veto")
_FOLDER = "redaction/policies"

_KEYS = (
    "name",
    "extends",
    "hipaa",
    "default",
    "date_columns",
    "restricted_zip3",
    "actions",
    "texts",
    "labels",
    "deny",
    "allow",
    "veto",
    "rules",
    "documents",
    "surrogates",
    "dates",
    "note_types",
)


def policy_names() -> tuple[str, ...]:
    """The names of the policies that ship, sorted."""
    return shipped_names(_FOLDER)


def policy_text(name: str) -> str:
    """The TOML of a policy that ships, comments and all.

    Raises:
        UsageError: if none is called so.
    """
    return shipped_text("policy", _FOLDER, name)


def load_policy(name_or_url: str) -> Policy:
    """The policy of a shipped name ("hipaa", "research", "expert") or of a TOML file by fsspec URL.

    Raises:
        UsageError: if it or a list that it names cannot be read, or it names an unknown key, label,
            action, or forbidden `keep`; the message says which key and what is allowed.
    """
    table = require_keys("policy", read_toml("policy", _FOLDER, name_or_url), _KEYS)
    base = table.get("extends")
    if base is not None and base not in policy_names():
        raise UsageError(f"policy: extends: expected one of {list(policy_names())}")
    if base == name_or_url:
        raise UsageError("policy: extends: a policy cannot extend itself")
    folder = folder_of(name_or_url)
    policy = _policy(table, Policy("", hipaa=False) if base is None else load_policy(base), folder)
    if name_or_url not in (shipped := policy_names()) and policy.name in shipped:
        raise UsageError(f"policy: name: {policy.name!r} is a shipped policy's; choose another")
    return policy


def _policy(table: dict[str, Any], base: Policy, folder: str) -> Policy:
    name = _string(table, "name", None)
    hipaa = table.get("hipaa", base.hipaa)
    if not isinstance(hipaa, bool):
        raise UsageError("policy: hipaa: expected true or false")
    if base.hipaa and not hipaa:
        raise UsageError(
            "policy: hipaa: cannot be switched off in a policy that extends one under hipaa"
        )
    labels = {**base.labels, **_own_labels(table.get("labels", {}))}
    zip3 = require_strings("policy: restricted_zip3", table.get("restricted_zip3", []))
    base = dataclasses.replace(base, labels=labels)
    decisions = _decisions(table, base, folder)
    policy = Policy(
        name=name,
        date_columns=_date_columns(table, base, decisions["actions"]),
        surrogates=parse_settings("surrogates", table.get("surrogates", {}), base.surrogates),
        dates=parse_settings("dates", table.get("dates", {}), base.dates),
        restricted_zip3=base.restricted_zip3 | frozenset(zip3),
        hipaa=hipaa,
        labels=labels,
        documents=Telling.parse(table.get("documents", {}), base.documents),
        rules=_own_rules(table.get("rules", []), base, folder),
        **decisions,
    )
    types = table.get("note_types", {})
    if not isinstance(types, dict):
        raise UsageError(f"policy: [note_types]: expected a table, got {type(types).__name__}")
    inner: dict[str, Policy] = {}
    for pattern, part in types.items():
        folded = fold(pattern)
        if folded in inner:
            raise UsageError(f"policy: [note_types] {pattern!r}: it is there twice")
        try:
            part = require_keys("policy", part, _PER_NOTE_TYPE)
            inner[folded] = dataclasses.replace(policy, **_decisions(part, policy, folder))
        except UsageError as error:
            said = str(error).removeprefix("policy: ")
            raise UsageError(f"policy: [note_types] {pattern!r}: {said}") from None
    return dataclasses.replace(policy, note_types={**base.note_types, **inner})


def _date_columns(table: dict[str, Any], base: Policy, actions: Mapping[str, str]) -> str:
    """What is said of columns of role `date`; if nothing, they go as the dates of texts do.

    Raises:
        UsageError: if columns would be shifted, and texts not.
    """
    shifts = actions.get(DATE) == SHIFT
    said = base.date_columns if shifts or base.date_columns != SHIFT_DATES else DROP_DATES
    said = _string(table, "date_columns", SHIFT_DATES if shifts else said)
    if said == SHIFT_DATES and not shifts:
        raise UsageError(
            'policy: date_columns: shift needs `DATE = "shift"` under [actions]: columns and texts '
            "are moved alike"
        )
    return said


def _decisions(table: dict[str, Any], base: Policy, folder: str) -> dict[str, Any]:
    """What a policy or one of its note types says beside what it starts from.

    Actions and texts replace those of `base` label by label; phrases are added to them.
    """
    known = base.known_labels
    either = (*known, ANY_LABEL)
    actions = require_keys("policy: [actions]", table.get("actions", {}), known)
    for label, action in actions.items():
        if not isinstance(action, str):
            raise UsageError(f"policy: [actions] {label}: expected one of {list(ACTIONS)}")
    actions = {label: SPELLINGS.get(action, action) for label, action in actions.items()}
    texts = require_keys("policy: [texts]", table.get("texts", {}), either)
    for label, text in texts.items():
        if not isinstance(text, str):
            raise UsageError(f"policy: [texts] {label}: expected a text")
    veto = {
        label: frozenset(
            phrase.casefold() for phrase in require_strings(f"policy: [veto] {label}", phrases)
        )
        for label, phrases in _table(table, "veto", either).items()
    }
    lists = {
        key: {
            label: read_phrases(f"policy: [{key}] {label}", value, folder)
            for label, value in _table(table, key, allowed).items()
        }
        for key, allowed in (("allow", either), ("deny", known))
    }
    return {
        "actions": {**base.actions, **actions},
        "default": _string(table, "default", base.default),
        "texts": {**base.texts, **texts},
        "veto": _added(base.veto, veto),
        "allow": _added(base.allow, lists["allow"]),
        "deny": _added(base.deny, lists["deny"]),
    }


def _table(table: dict[str, Any], key: str, allowed: tuple[str, ...]) -> dict[str, Any]:
    return require_keys(f"policy: [{key}]", table.get(key, {}), allowed)


def _added(base: Phrases, more: Phrases) -> Phrases:
    both = {**base, **{label: base.get(label, frozenset()) | more[label] for label in more}}
    return {label: phrases for label, phrases in both.items() if phrases}


def _own_labels(value: object) -> dict[str, OwnLabel]:
    if not isinstance(value, dict):
        raise UsageError(f"policy: [labels]: expected a table, got {type(value).__name__}")
    labels = {}
    for name, about in value.items():
        check_label_name(name)
        about = require_keys(f"policy: [labels] {name}", about, ("hipaa", "description"))
        if not all(isinstance(said, str) for said in about.values()):
            raise UsageError(f"policy: [labels] {name}: hipaa and description are texts")
        labels[name] = OwnLabel(**about)
    return labels


def _own_rules(files: object, base: Policy, folder: str) -> tuple[OwnRule, ...]:
    try:
        return (*base.rules, *read_own_rules(files, folder, base.known_labels))
    except UsageError as error:
        raise UsageError(f"policy: {error}") from None


def _string(table: dict[str, Any], key: str, default: str | None) -> str:
    value = table.get(key, default)
    if not isinstance(value, str) or not value:
        raise UsageError(f"policy: {key}: expected a string that is not empty")
    return value
