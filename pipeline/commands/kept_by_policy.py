"""What a policy with surrogates or shifted dates keeps of names and of time, in words."""

from __future__ import annotations

from collections.abc import Iterator

from ...models.dates import DateSettings
from ...models.redaction.policy import Policy
from ...models.surrogates import SurrogateSettings

_SCOPES = {
    "record": "a word has one surrogate in all notes of a patient, so a reader can follow a person "
    "through the record",
    "document": "a word has one surrogate within a note, so a reader can follow a person there",
    "mention": "each mention has another surrogate, so a reader can follow nobody",
}
_DIRECTIONS = {
    "past": "into the past",
    "future": "into the future",
    "both": "into the past or the future",
}


def what_is_kept(policy: Policy) -> dict[str, str]:
    """What stays of names and of dates, a sentence or two each; empty where a policy has neither.

    Keys: `names`, `dates`.
    """
    kept = {}
    if policy.puts_surrogates:
        kept["names"] = _of_names(policy.surrogates)
    if policy.shifts_dates:
        kept["dates"] = _of_dates(policy.dates)
    return kept


def _of_names(settings: SurrogateSettings) -> str:
    parts = [
        f"scope {settings.scope}: {_SCOPES[settings.scope]}",
        f"lists of {', '.join(settings.languages)}",
    ]
    if settings.initials == "keep":
        parts.append("the first letter of a name stays")
    if settings.layout == "pad":
        parts.append("the length of a text stays")
    if settings.numbers == "format":
        parts.append("a number may be one that a stranger has")
    return "; ".join(parts)


def _of_dates(settings: DateSettings) -> str:
    ends = sorted(abs(settings.nth(number)) for number in (0, settings.count - 1))
    stays = ["intervals between full days"]
    stays += ["weekdays"] if settings.weekday else []
    stays += ["seasons"] if settings.season else []
    return (
        f"one of {settings.count:,} numbers of days, {ends[0]:,} to {ends[1]:,} "
        f"{_DIRECTIONS[settings.direction]}, the same for all dates of a patient; what stays: "
        f"{', '.join(stays)}. Who knows one true date of a patient knows all of that patient"
    )


def warnings_of(policy: Policy) -> Iterator[str]:
    """Yields what the person who signs should know of surrogates and shifted dates."""
    if policy.shifts_dates:
        yield (
            "shifted dates are not Safe Harbor: an expert must determine that the risk is very "
            "small, 45 CFR 164.514(b)(1)"
        )
    if policy.puts_surrogates and policy.surrogates.initials == "keep":
        yield 'surrogates.initials = "keep" tells the first letter of each name'
    unused = [
        key
        for key, given, default, used in (
            ("surrogates", policy.surrogates, SurrogateSettings(), policy.puts_surrogates),
            ("dates", policy.dates, DateSettings(), policy.shifts_dates),
        )
        if given != default and not used and not policy.needs_key
    ]
    for key in unused:
        yield f"the table {key} is never used: no action of the policy needs it"
