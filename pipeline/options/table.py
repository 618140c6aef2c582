"""Every option of `scrub`, `plan` and `resume`: one frozen value, and the one table of them.

A new option is a field here, or in `JobOptions` if its value is frozen with the plan as it is. The
command line, the config file, help, manual and shell completion read it from there. Nothing heavy
is imported until a value is made.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from ...models.core.errors import UsageError
from ...models.core.options import (
    Kept,
    Option,
    above_zero,
    at_least_zero,
    option,
    options_of,
    require_usable,
)
from ...models.jobs.job_options import PLANNING, RUNS, Heading, JobOptions
from ..process.logs import FORMATS, LEVELS
from ..process.shutdown import WATCHDOG_SECONDS
from .values import (
    default_key,
    default_models,
    default_price,
    default_rules,
    of_format,
    parse_columns,
    parse_models,
    parse_recognisers,
)

if TYPE_CHECKING:
    from ...models.formats import FormatOptions
    from ...models.formats.column_roles import Columns

_SCRUBBING = ("scrub", "resume")
"""Commands that work on a run."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Options(JobOptions):
    """What a run is asked for; the help of each option says what it does.

    Attributes:
        models: () for rules alone.
        columns: None for a preset; see `roles_for`.
        progress: None for "on a terminal".
        max_quarantined, max_gone: None for what the plan has; see `JobOptions.planned`.

    Raises:
        UsageError: for a value that no command could work with.
    """

    inputs: tuple[str, ...] = option(
        (),
        name="input",
        help="file, folder or glob to read; repeatable",
        help_for={
            "key": "map: file, folder or glob to read; repeatable",
            "roster": "build: table of people; check: notes; a file, folder or glob; repeatable",
        },
        group=Heading.PLACES,
        kept=Kept.CONFIG,
        commands=(*PLANNING, "annotate", "inspect", "key", "preview", "init", "roster"),
        metavar="URL",
        old_names=("inputs",),
    )
    output: str = option(
        "",
        name="output",
        help="folder to write to",
        help_for={"resume": "output folder of the run"},
        group=Heading.PLACES,
        kept=Kept.CONFIG,
        commands=RUNS,
        metavar="URL",
    )
    config: str | None = option(
        None,
        name="config",
        help="TOML file with any of these options; the command line wins",
        help_for={
            "resume": "TOML file; only the options that do not change the output are taken from it",
            "inspect": "with --columns: TOML file that says how the input is written",
            "key": "map: the TOML file of the run, of which input, columns and files are taken",
            "preview": "the TOML file of the run",
            "convert": "the TOML file of a run, of which columns and files are taken",
        },
        group=Heading.PLACES,
        kept=Kept.NEITHER,
        commands=(*RUNS, "inspect", "key", "preview", "convert"),
        metavar="FILE",
    )
    columns: Columns | None = option(
        None,
        name="column",
        help="role of an input column: text, id, patient, type, date, birth, pass, drop, hash, or "
        "known:WHAT (known:name, known:relative.name); text:html, text:rtf, text:xml: texts within "
        "markup; every column needs one, of messages what their format has none for; repeatable",
        help_for={
            "key": "map: the columns with the roles id and patient, others are not read; of "
            "messages what their format has no role for, as in the run",
            "convert": "role of a column of a table that becomes messages: id, patient, type, "
            "date, birth, text, hash (the visit) or drop; of messages, of what their format has "
            "no role for, and of values that are to be columns of the table; repeatable",
        },
        group=Heading.PLACES,
        kept=Kept.JOB,
        commands=(*PLANNING, "key", "preview", "convert"),
        metavar="NAME=ROLE",
        parse=parse_columns,
        old_names=("columns",),
    )
    key_source: str = option(
        default_factory=default_key,
        name="key-file",
        help="the master key: a file, or env:NAME for an environment variable",
        help_for={"resume": "where the master key is now, if it was moved after planning"},
        group=Heading.PLACES,
        kept=Kept.JOB,
        commands=(
            *RUNS,
            *("verify", "inspect", "find", "key", "preview", "init", "roster", "annotate"),
            *("evaluate", "review", "next", "campaign", "certify"),
        ),
        metavar="URL",
        shown="env:SCRUBLINE_KEY",
        old_names=("key-source",),
    )
    run: str | None = option(
        None,
        name="run",
        help="which run, if several are unfinished",
        help_for={
            "campaign": "which run; default: the one that waits, else the one that published last"
        },
        group=Heading.RECOVERY,
        kept=Kept.NEITHER,
        commands=("resume", "diff", "campaign"),
        metavar="ID",
    )
    dry_run: bool = option(
        False,
        name="dry-run",
        help="plan, check and print; write nothing",
        group=Heading.PLACES,
        kept=Kept.NEITHER,
        commands=("scrub",),
    )
    models: tuple[str, ...] = option(
        default_factory=default_models,
        name="model",
        help="model bundle, or `none` for rules alone; repeatable",
        group=Heading.DETECTION,
        kept=Kept.JOB,
        commands=(*PLANNING, "annotate", "preview", "serve"),
        metavar="NAME|URL",
        shown="en-default",
        suggested=("en-default", "es-default", "meddocan-default", "meddocan-hide", "none"),
        parse=parse_models,
        old_names=("models",),
    )
    recognisers: tuple[str, ...] = option(
        default_factory=default_rules,
        name="recogniser",
        help="rule; `all` for all default rules and those for the language of the models, "
        "`recipe` for those of the models' recipes, `none` for models alone; repeatable",
        help_for={
            "annotate": "rule; `all` for all default rules and those for the language of the "
            "models, `recipe` for those of the models' recipes; repeatable; default: none"
        },
        group=Heading.DETECTION,
        kept=Kept.JOB,
        commands=(*PLANNING, "annotate", "preview", "serve"),
        metavar="NAME",
        shown="all",
        suggested=("all", "recipe", "none"),
        parse=parse_recognisers,
        aliases=("recognizer",),
        old_names=("recognisers", "recognizers"),
    )
    policy: str = option(
        "hipaa",
        name="policy",
        help="what is done with each label: hipaa, research, expert, or a TOML file",
        help_for={
            "annotate": "the TOML file of a policy, whose own rules are then used too",
            "key": "offset: the policy of the run, which shifts dates: expert, or a TOML file",
        },
        group=Heading.DETECTION,
        kept=Kept.JOB,
        commands=(*PLANNING, "annotate", "key", "preview", "serve"),
        metavar="NAME|URL",
        suggested=("expert", "hipaa", "research"),
    )
    group_lines: str | None = option(
        None,
        name="group-lines",
        help="the input has a row for each line of a note: consecutive rows with the same ID are "
        "one note, scrubbed as a whole and written row by row; LINE is a number that increases",
        group=Heading.FILES,
        kept=Kept.JOB,
        commands=(*PLANNING, "key", "preview"),
        metavar="ID,LINE",
    )
    encoding: str = option(
        default_factory=of_format("encoding"),
        name="encoding",
        help="encoding of text files, archives of them, CSV and TSV, for example windows-1252",
        group=Heading.FILES,
        kept=Kept.JOB,
        commands=(*PLANNING, "inspect", "key", "preview", "init", "roster", "convert"),
        metavar="NAME",
        shown="utf-8",
    )
    delimiter: str | None = option(
        default_factory=of_format("delimiter"),
        name="delimiter",
        help="character between the cells of CSV; default: a comma, for TSV a tab",
        group=Heading.FILES,
        kept=Kept.JOB,
        commands=(*PLANNING, "inspect", "key", "preview", "init", "roster", "convert"),
        metavar="CHAR",
        shown="",
        may_be_empty=True,
    )
    quote: str = option(
        default_factory=of_format("quote"),
        name="quote",
        help='character around cells of CSV that hold delimiters or line breaks; "" for none',
        group=Heading.FILES,
        kept=Kept.JOB,
        commands=(*PLANNING, "inspect", "key", "preview", "init", "roster", "convert"),
        metavar="CHAR",
        shown='"',
        may_be_empty=True,
    )
    escape: str | None = option(
        default_factory=of_format("escape"),
        name="escape",
        help="character before a quote in a quoted cell; default: the quote is doubled",
        group=Heading.FILES,
        kept=Kept.JOB,
        commands=(*PLANNING, "inspect", "key", "preview", "init", "roster", "convert"),
        metavar="CHAR",
        shown="",
        may_be_empty=True,
    )
    header: bool = option(
        default_factory=of_format("header"),
        name="header",
        help="whether CSV files begin with the names of their columns (default); without, columns "
        "are called c1, c2 and so on",
        group=Heading.FILES,
        kept=Kept.JOB,
        commands=(*PLANNING, "inspect", "key", "preview", "init", "roster", "convert"),
        shown="",
    )
    incremental: bool = option(
        False,
        name="incremental",
        help="read only inputs that are new, changed (size or version), or were scrubbed with "
        "another model, rule, policy, key or setting; the others are listed but not opened",
        group=Heading.INCREMENTAL,
        kept=Kept.CONFIG,
        commands=PLANNING,
    )
    retry_quarantined: bool = option(
        False,
        name="retry-quarantined",
        help="read inputs again whose units have quarantined rows; alone or with --incremental",
        group=Heading.INCREMENTAL,
        kept=Kept.CONFIG,
        commands=PLANNING,
    )
    drop_gone: bool = option(
        False,
        name="drop-gone",
        help="with --incremental: remove the documents of inputs that no longer exist; "
        "without it they stay, and are counted",
        group=Heading.INCREMENTAL,
        kept=Kept.CONFIG,
        commands=PLANNING,
    )
    finish_pending: bool = option(
        False,
        name="finish-pending",
        help="first finish what an earlier run left unfinished, or give it up if its inputs have "
        "changed since; never a run that waits (--hold). A scheduler can then repeat the command",
        group=Heading.INCREMENTAL,
        kept=Kept.CONFIG,
        commands=("scrub",),
    )
    allow_different_job: bool = option(
        False,
        name="allow-different-job",
        help="write into an output that holds the results of a job with other columns, formats, "
        "policy or key; refused otherwise",
        group=Heading.INCREMENTAL,
        kept=Kept.CONFIG,
        commands=PLANNING,
    )
    canaries: str | None = option(
        None,
        name="canaries",
        help="JSON Lines of documents that were planted in the input, with texts that must be gone "
        "and texts that must stay; one that is missing, not clean or destroyed blocks publication",
        group=Heading.PUBLICATION,
        kept=Kept.JOB,
        commands=PLANNING,
        metavar="FILE",
    )
    reseal: bool = option(
        False,
        name="reseal",
        help="continue although the published output does not match its seal (`scrubline verify`); "
        "the new seal names the earlier runs as adopted",
        group=Heading.RECOVERY,
        kept=Kept.NEITHER,
        commands=_SCRUBBING,
    )
    discard: bool = option(
        False,
        name="discard",
        help="give the run up: remove its plan and its unpublished work",
        group=Heading.RECOVERY,
        kept=Kept.NEITHER,
        commands=("resume",),
    )
    skip: tuple[str, ...] = option(
        (),
        name="skip",
        help="continue without a row that needs more memory than there is, as the message of the "
        "stopped run names it; it is quarantined as Skipped, and recorded; repeatable",
        group=Heading.RECOVERY,
        kept=Kept.NEITHER,
        commands=("resume",),
        metavar="UNIT:ORDINAL",
    )
    workers: int = option(
        0,
        name="workers",
        help="supervised child processes; 0: none, this process does the work",
        help_for={"plan": "the number of processes that the estimate is for; 0: this one"},
        group=Heading.WORK,
        kept=Kept.CONFIG,
        commands=RUNS,
        metavar="N",
        check=at_least_zero,
    )
    runner: str = option(
        "direct",
        name="runner",
        help="engine: direct, prism, flink, spark, portable (a running job server) or dataflow; "
        "options of Beam follow after --",
        group=Heading.WORK,
        kept=Kept.CONFIG,
        commands=_SCRUBBING,
        metavar="NAME",
        suggested=("direct", "portable", "prism", "flink", "spark", "dataflow"),
    )
    beam: tuple[str, ...] = option(
        (),
        name="beam",
        help="options of Beam, for engines; on the command line they follow after `--`",
        group=Heading.WORK,
        kept=Kept.CONFIG,
        commands=RUNS,
        on_command_line=False,
    )
    watchdog_seconds: float = option(
        WATCHDOG_SECONDS,
        name="watchdog-seconds",
        help="kill a worker that sends nothing for this long. The launcher ends itself after four "
        "times that without progress, and at least ten minutes",
        group=Heading.WORK,
        kept=Kept.CONFIG,
        commands=_SCRUBBING,
        metavar="S",
        check=above_zero,
    )
    progress: bool | None = option(
        None,
        name="progress",
        help="show a progress bar; default: on a terminal",
        group=Heading.MONITORING,
        kept=Kept.CONFIG,
        commands=_SCRUBBING,
    )
    log_level: str = option(
        "WARNING",
        name="log-level",
        help="DEBUG, INFO, WARNING or ERROR",
        group=Heading.MONITORING,
        kept=Kept.CONFIG,
        commands=(*_SCRUBBING, "serve", "review"),
        metavar="LEVEL",
        choices=LEVELS,
    )
    log_format: str = option(
        "text",
        name="log-format",
        help="`text`, or `json` for an object per line",
        group=Heading.MONITORING,
        kept=Kept.CONFIG,
        commands=(*_SCRUBBING, "serve", "review"),
        metavar="FORM",
        choices=FORMATS,
    )
    report: str | None = option(
        None,
        name="report",
        help="write a report of the run to this place, as JSON, however the run ends: counts, "
        "error classes, times, hashes; never PHI",
        group=Heading.MONITORING,
        kept=Kept.CONFIG,
        commands=_SCRUBBING,
        metavar="URL",
    )
    metrics_file: str | None = option(
        None,
        name="metrics-file",
        help="keep gauges for Prometheus in this file, for node_exporter's textfile collector (a "
        "name that ends in .prom): last success, rows, quarantined share, exit code",
        group=Heading.MONITORING,
        kept=Kept.CONFIG,
        commands=_SCRUBBING,
        metavar="FILE",
    )
    as_json: bool = option(
        False,
        name="json",
        help="print JSON: the manifest instead of a summary",
        help_for={"plan": "print plan and estimate as JSON"},
        group=Heading.MONITORING,
        kept=Kept.NEITHER,
        commands=RUNS,
    )
    estimate: bool = option(
        False,
        name="estimate",
        help="first scrub a sample (30 s and 6 MB at most; nothing of it is kept) and print what "
        "the whole run will take with --workers: hours, memory, bytes, files, cost",
        group=Heading.ESTIMATE,
        kept=Kept.CONFIG,
        commands=PLANNING,
    )
    core_hour_price: float = option(
        default_factory=default_price,
        name="core-hour-price",
        help="what one core costs for an hour, in your currency; the default is an example",
        group=Heading.ESTIMATE,
        kept=Kept.CONFIG,
        commands=PLANNING,
        metavar="MONEY",
        shown="0.05",
        check=at_least_zero,
    )

    @property
    def settings(self) -> FormatOptions:
        """How the input's files are written.

        Raises:
            UsageError: for values that mean nothing.
        """
        from ...models.formats import FormatOptions, encoding_named

        return FormatOptions(
            encoding_named(self.encoding), self.delimiter, self.quote, self.escape, self.header
        )

    def __post_init__(self) -> None:
        from ...models.formats import Limits

        require_usable(self)
        try:
            Limits(batch_bytes=self.batch_bytes, line_bytes=self.budgets.line_bytes)
        except ValueError as error:
            raise UsageError(str(error)) from None


def run_options() -> tuple[Option, ...]:
    """The table: all options, in the order of help and manual."""
    headings, inherited = list(Heading), {option.name for option in options_of(JobOptions)}

    def place(option: Option) -> tuple[int, bool]:
        return headings.index(Heading(option.group)), option.name in inherited

    return tuple(sorted(options_of(Options), key=place))
