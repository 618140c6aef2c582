"""Options of a run: one frozen value, filled once from a TOML file and the command line.

The TOML file mirrors the options: `split_bytes = 32_000_000`, `inputs = ["..."]`, a table
`[columns]` of NAME = "role", a table `[budgets]`. What the command line says wins.
"""

from __future__ import annotations

import dataclasses
import itertools
import tomllib
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ..models.budgets import Budgets
from ..models.bundles import DEFAULT_MODEL, NO_MODEL
from ..models.errors import UsageError
from ..models.formats import Limits, Settings, encoding_named
from ..models.keys import ENVIRONMENT
from ..models.recognisers import DEFAULT_RECOGNISERS
from ..models.roles import Columns
from .estimate import CORE_HOUR_PRICE

DEFAULT_MAX_QUARANTINED = 0.05
DEFAULT_MAX_GONE = 0.1

HOW = frozenset(
    ("output", "workers", "runner", "beam", "watchdog_seconds", "progress")
    + ("log_level", "log_format", "report", "metrics_file")
)
"""What `resume` takes of a config file: where, and how it goes; what is written is frozen."""

LOG_FORMATS = ("text", "json")
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


@dataclasses.dataclass(frozen=True, slots=True)
class Options:
    """What a run is asked for.

    Attributes:
        inputs: URLs of files, folders or globs.
        output: URL of a folder.
        models: names or URLs of bundles; ("none",) is spelled ().
        recognisers: names of rules; "recipe" for those of the models' recipes.
        policy: name or URL.
        columns: role of each input column, or None to take a preset.
        key_source: URL of the master key, or "env:NAME".
        format: key of `FORMATS`, or None to go by the names' endings.
        encoding, delimiter, quote, escape, header: see `Settings`.
        group_lines: "ID,LINE" where a note is kept one line a row; see `GroupLines`.
        runner: see `runs.check_runner`.
        workers: child processes of the direct runner; 0 runs in this process, unsupervised.
        beam: Beam's own options, for engines.
        batch_documents, batch_bytes: caps of a batch.
        split_bytes: size of a unit.
        budgets: limits of one document.
        keep_candidates: write all candidates under restricted/.
        incremental: take only what is new, changed or made with other settings.
        retry_quarantined: take what shares a unit with quarantined rows.
        drop_gone: inputs that are gone leave the output.
        finish_pending: before it plans, finish what an earlier night left.
        hold: do not publish; `resume` does it later.
        canaries: URL of a file of planted documents and of what must become of them.
        allow_different_job: publish beside units of a job with other columns, formats, policy or
            key; see `other_jobs`.
        max_gone: share of published documents that may leave with the run; None for the plan's.
        max_lost: share of spans lost above which nothing is published; None for the plan's.
        max_quarantined: share of rows above which nothing is published; None for the plan's.
        reseal: go on though what is published does not agree with its seal.
        watchdog_seconds: a worker silent for so long is killed.
        progress: show a bar; None for "if on a terminal".
        log_level: of our own loggers.
        log_format: "text", or "json" for an object a line.
        report: URL of the report of the run; None for none.
        metrics_file: URL of a file of metrics for Prometheus; None for none.
        estimate: predict from a sample what the run will take, before it begins.
        core_hour_price: money for one core for one hour, for the estimate.
    """

    inputs: tuple[str, ...] = ()
    output: str = ""
    models: tuple[str, ...] = (DEFAULT_MODEL,)
    recognisers: tuple[str, ...] = tuple(DEFAULT_RECOGNISERS)
    policy: str = "hipaa"
    columns: Columns | None = None
    key_source: str = f"env:{ENVIRONMENT}"
    format: str | None = None
    encoding: str = "utf-8"
    delimiter: str | None = None
    quote: str = '"'
    escape: str | None = None
    header: bool = True
    group_lines: str | None = None
    runner: str = "direct"
    workers: int = 0
    beam: tuple[str, ...] = ()
    batch_documents: int = 256
    batch_bytes: int = 500_000
    split_bytes: int = 32_000_000
    budgets: Budgets = Budgets()
    keep_candidates: bool = False
    incremental: bool = False
    retry_quarantined: bool = False
    drop_gone: bool = False
    finish_pending: bool = False
    hold: bool = False
    canaries: str | None = None
    allow_different_job: bool = False
    max_gone: float | None = None
    max_lost: float | None = None
    max_quarantined: float | None = None
    reseal: bool = False
    watchdog_seconds: float = 900.0
    progress: bool | None = None
    log_level: str = "WARNING"
    log_format: str = "text"
    report: str | None = None
    metrics_file: str | None = None
    estimate: bool = False
    core_hour_price: float = CORE_HOUR_PRICE

    @property
    def settings(self) -> Settings:
        """How the input's files are written.

        Raises:
            UsageError: for values that say nothing.
        """
        return Settings(
            encoding_named(self.encoding), self.delimiter, self.quote, self.escape, self.header
        )

    def __post_init__(self) -> None:
        for name in ("batch_documents", "batch_bytes", "split_bytes", "watchdog_seconds"):
            if not getattr(self, name) > 0:  # so that NaN is refused too
                raise UsageError(f"{name} must be above 0, got {getattr(self, name)}")
        try:
            Limits(batch_bytes=self.batch_bytes, line_bytes=self.budgets.line_bytes)
        except ValueError as error:
            raise UsageError(str(error)) from None
        for name in ("report", "metrics_file", "canaries", "policy"):
            if getattr(self, name) == "":  # a variable that is not set, say
                raise UsageError(f"{name} is given, but empty")
        if self.workers < 0:
            raise UsageError(f"workers must be 0 (this process) or more, got {self.workers}")
        for name in ("max_quarantined", "max_gone", "max_lost"):
            share = getattr(self, name)
            if share is not None and not 0 <= share <= 1:
                raise UsageError(f"{name} is a share from 0 to 1, got {share}")
        if self.log_format not in LOG_FORMATS:
            raise UsageError(
                f"log_format must be one of {', '.join(LOG_FORMATS)}, got {self.log_format!r}"
            )
        if not 0 <= self.core_hour_price < float("inf"):
            raise UsageError(f"core_hour_price must be 0 or more, got {self.core_hour_price}")
        if self.log_level not in LOG_LEVELS:
            raise UsageError(
                f"log_level must be one of {', '.join(LOG_LEVELS)}, got {self.log_level!r}"
            )


def options_from(
    config: Mapping[str, Any],
    overrides: Mapping[str, Any],
    *,
    only: Collection[str] | None = None,
) -> Options:
    """Fills `Options`.

    Args:
        config: the parsed TOML file.
        overrides: from the command line; entries that are None say nothing.
        only: keys of the file that count; None for all. The others are checked all the same.

    Raises:
        UsageError: for unknown keys and values of the wrong kind, naming the key and what is
            allowed.
    """
    said = {k: v for k, v in _checked(config).items() if only is None or k in only}
    values = {**said, **{k: v for k, v in overrides.items() if v is not None}}
    if values.get("models") == (NO_MODEL,):
        values["models"] = ()
    if "recognisers" in values:
        values["recognisers"] = _rules(values["recognisers"])
    return Options(**values)


def _rules(given: Iterable[str]) -> tuple[str, ...]:
    """Names of rules, each once, with those that run by default in the place of "all"."""
    names = tuple(dict.fromkeys(given))
    if names == ("none",):
        return ()
    named = [DEFAULT_RECOGNISERS if name == "all" else (name,) for name in names]
    return tuple(dict.fromkeys(itertools.chain.from_iterable(named)))


def read_config(data: bytes) -> dict[str, Any]:
    """Parses a config file.

    Raises:
        UsageError: if it is no TOML.
    """
    try:
        return tomllib.loads(data.decode())
    except RecursionError:
        raise UsageError("the config file is nested too deeply") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"the config file is not TOML: {error}") from None


def _checked(config: Mapping[str, Any]) -> dict[str, Any]:
    known = {field.name: field for field in dataclasses.fields(Options)}
    if "reseal" in config:
        raise UsageError("reseal is an answer to one run: give --reseal on the command line")
    del known["reseal"]
    if unknown := sorted(config.keys() - known.keys()):
        raise UsageError(f"the config file has unknown keys {unknown}; known are {sorted(known)}")
    values: dict[str, Any] = {}
    for name, value in config.items():
        kind = str(known[name].type)
        if name == "columns":
            values[name] = Columns.parse([(str(k), str(v)) for k, v in _table(name, value).items()])
        elif name == "budgets":
            values[name] = _budgets(_table(name, value))
        elif kind.startswith("tuple"):
            if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
                raise UsageError(f"{name} in the config file must be a list of texts")
            values[name] = tuple(value)
        else:
            expected = {"str": str, "int": int, "float": (int, float), "bool": bool}[
                kind.split(" ")[0]
            ]
            if not isinstance(value, expected) or (
                isinstance(value, bool) and expected is not bool
            ):
                raise UsageError(
                    f"{name} in the config file must be {kind}, got {type(value).__name__}"
                )
            values[name] = value
    return values


def _table(name: str, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UsageError(f"{name} in the config file must be a table, [{name}]")
    return value


def _budgets(table: Mapping[str, Any]) -> Budgets:
    known = [field.name for field in dataclasses.fields(Budgets)]
    values = dict(table)
    for name, value in table.items():
        if name not in known:
            raise UsageError(f"[budgets] has an unknown key {name!r}; known are {known}")
        is_share = name == "max_encoded_share"
        if not isinstance(value, int | float if is_share else int) or isinstance(value, bool):
            kind = "a number" if is_share else "a whole number"
            raise UsageError(f"[budgets] {name} must be {kind}")
        if is_share:
            values[name] = float(value)
    return Budgets(**values)
