"""What a policy says of surrogates and shifted dates: its tables, what it refuses, its hash.

Whether Safe Harbor holds: 45 CFR 164.514(b)(2)(i)(C) lists all elements of dates but the year, and
a shifted date keeps intervals, so dates are not shifted under `hipaa = true`. A surrogate is no
identifier of the person that it stands for, so long as nothing of the true one shows in it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, Protocol, TypeVar

from ..core.code_hash import hash_of_module, hash_of_room, installed
from ..core.errors import UsageError
from ..core.keys import fingerprint
from ..core.resources import require_keys
from ..core.suggestions import did_you_mean
from ..dates import DateSettings
from ..surrogates import SurrogateSettings, pools_hash
from ..surrogates.settings import CHOICES
from .actions import KEEP, SHIFT, SURROGATE, VIEW

DATE = "DATE"
"""The label of the dates that are shifted."""

KEEP_DATES, SHIFT_DATES, DROP_DATES = "keep", "shift", "drop"
DATE_COLUMNS = (DROP_DATES, KEEP_DATES, SHIFT_DATES)
"""What becomes of columns of role `date`."""

Settings = TypeVar("Settings", SurrogateSettings, DateSettings)


class ActsOnLabels(Protocol):
    """What is needed of a policy."""

    def action(self, label: str) -> str:
        """See `Policy.action`."""

    @property
    def actions(self) -> Mapping[str, str]:
        """See `Policy.actions`."""


def parse_settings(key: str, value: object, base: Settings) -> Settings:
    """Reads the table `surrogates` or `dates` of a policy file; what it leaves out is as in `base`.

    Raises:
        UsageError: naming key and setting, what was meant and what is allowed.
    """
    where = f"policy: [{key}]"
    names = tuple(field.name for field in dataclasses.fields(base))
    given = require_keys(where, value, names)
    if isinstance(given.get("languages"), list) and all(
        isinstance(one, str) for one in given["languages"]
    ):
        given = given | {"languages": tuple(given["languages"])}
    for name, allowed in CHOICES.items():
        said = given.get(name) if key == "surrogates" else None
        if isinstance(said, str) and said not in allowed:
            raise UsageError(
                f"{where} {name}: unknown value{did_you_mean(said, allowed)}; "
                f"allowed: {list(allowed)}"
            )
    try:
        return dataclasses.replace(base, **given)
    except UsageError as error:
        said = str(error).removeprefix(f"{key}: ").removeprefix(f"{key}.")
        raise UsageError(f"{where} {said}") from None
    except TypeError:
        raise UsageError(f"{where}: a value is of another kind than expected") from None


def uses(action: str, scopes: Iterable[ActsOnLabels]) -> bool:
    """Whether the policies of any scope, their note types included, use an action."""
    return any(action in scope.actions.values() for scope in scopes)


def check_dates(policy: ActsOnLabels, date_columns: str) -> None:
    """Refuses true dates beside shifted ones: one true date tells the offset of its patient.

    Raises:
        UsageError: if columns of role `date` would pass as they are.
    """
    if policy.action(DATE) == SHIFT and date_columns == KEEP_DATES:
        raise UsageError(
            "policy: date_columns: keep is refused where DATE is shifted, for one true date tells "
            "by how many days all dates of its patient were moved; allowed: "
            f"{[SHIFT_DATES, DROP_DATES]}"
        )


def check_scopes(scopes: Iterable[ActsOnLabels]) -> None:
    """Refuses to shift dates in some notes and keep them in others, for the same reason.

    Args:
        scopes: a policy and those of its note types.

    Raises:
        UsageError: if both are there.
    """
    if {SHIFT, KEEP} <= {scope.action(DATE) for scope in scopes}:
        raise UsageError(
            "policy: [actions] DATE: keep in some notes is refused where others shift dates, for "
            "one true date tells by how many days all dates of its patient were moved"
        )


def check_hipaa(policy: ActsOnLabels, surrogates: SurrogateSettings) -> None:
    """Refuses what Safe Harbor does not let stand.

    Raises:
        UsageError: for shifted dates, and for surrogates that show a letter of the true name.
    """
    if policy.action(DATE) == SHIFT:
        raise UsageError(
            "policy: [actions] DATE: shift is refused under hipaa, for all elements of dates but "
            "the year are identifiers of 45 CFR 164.514(b)(2)(i)(C), and shifted dates keep "
            "intervals; they need an expert's determination (164.514(b)(1)): start from "
            '`extends = "expert"`'
        )
    if surrogates.initials == "keep" and uses(SURROGATE, [policy]):
        raise UsageError(
            "policy: [surrogates] initials: keep is refused under hipaa, for a letter of a name is "
            "a part of the identifier of 45 CFR 164.514(b)(2)(i)(A); allowed: ['other']"
        )


_FILLED_IN_BY = (
    "models/redaction/stand_ins.py",
    *(f"models/jobs/{name}.py" for name in ("late_spans", "people_of_note", "shifted_columns")),
)
"""What decides, beside the rooms of surrogates and dates, what stands in place of PHI."""


def _code(room: str) -> str:
    files = installed()
    return fingerprint(hash_of_room(room), *(hash_of_module(path, files) for path in _FILLED_IN_BY))


def content_of(
    scopes: Iterable[ActsOnLabels], surrogates: SurrogateSettings, dates: DateSettings
) -> dict[str, Any]:
    """What the hash of a policy covers of both: settings, pools, code; nothing of what is not used.

    Languages decide how dates are read too.
    """
    scopes = list(scopes)
    content: dict[str, Any] = {}
    if uses(SURROGATE, scopes):
        content["surrogates"] = {
            "settings": dataclasses.asdict(surrogates),
            "pools": pools_hash(),
            "code": _code("surrogates"),
        }
    if uses(SHIFT, scopes):
        content["dates"] = {
            "settings": dataclasses.asdict(dates),
            "languages": list(surrogates.languages),
            "code": _code("dates"),
        }
    if uses(VIEW, scopes):
        content["view"] = {"code": _code("patient_view")}
    return content


def said_of(
    scopes: Iterable[ActsOnLabels], surrogates: SurrogateSettings, dates: DateSettings
) -> dict[str, Any]:
    """What a manifest says of both, as plain values; nothing of what is not used."""
    scopes = list(scopes)
    said: dict[str, Any] = {}
    if uses(SURROGATE, scopes):
        said["surrogates"] = {**dataclasses.asdict(surrogates), "pools": pools_hash()}
        said["surrogates"]["languages"] = list(surrogates.languages)
    if uses(SHIFT, scopes):
        said["dates"] = {**dataclasses.asdict(dates), "offsets": dates.count}
        said["method"] = METHOD
    return said


METHOD = (
    "expert: an expert must determine that the risk of identification is very small, 45 CFR "
    "164.514(b)(1)"
)
"""What a manifest says where dates are shifted."""
