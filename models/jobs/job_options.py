"""The options that a job keeps as they were given: they decide what a run writes or publishes.

`pipeline.options.Options` inherits them, with all other options, and so does `Job`, with what is
derived from those: a new one is an entry here, and is read wherever it is needed. See
`models.core.options`.
"""

from __future__ import annotations

import dataclasses
import enum
from typing import Any

from ..core.budgets import BATCH_BYTES, BATCH_DOCUMENTS, Budgets
from ..core.options import Kept, above_zero, between_0_and_1, between_0_and_2, option, options_of

PLANNING = ("scrub", "plan")
"""Commands that plan a run."""

RUNS = (*PLANNING, "resume")
"""Commands that plan a run or work on one."""


class Heading(enum.StrEnum):
    """Under what help and manual list the options of a run, in this order."""

    PLACES = "input and output"
    DETECTION = "detection and policy"
    FILES = "how CSV and text files are written (the output is written the same way)"
    INCREMENTAL = "incremental runs (into an output that exists)"
    PUBLICATION = "publication"
    RECOVERY = "after something went wrong"
    WORK = "how it runs (does not change the output)"
    SIZES = "sizes"
    MONITORING = "screen, logs and metrics"
    ESTIMATE = "estimate"


def parse_budgets(table: Any) -> Budgets:
    """Budgets of name and value.

    Raises:
        UsageError: for an unknown name or an invalid value.
    """
    return table if isinstance(table, Budgets) else Budgets.parse(table)


def readable_limits(text: str) -> None:
    """Refuses what are no limits of risk."""
    from ..risk.carrying import parse_limits  # not at the top: the command line starts without it

    parse_limits(text)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class JobOptions:
    """Frozen with the plan as they are; see the help of each."""

    format: str | None = option(
        None,
        name="format",
        help="format of the input; default: by the file names' extensions",
        help_for={
            "inspect": "with --columns: format of the input",
            "key": "map: format of the input",
        },
        group=Heading.PLACES,
        kept=Kept.JOB,
        commands=(*PLANNING, "inspect", "key", "preview", "init", "roster"),
        metavar="NAME",
    )
    keep_candidates: bool = option(
        False,
        name="keep-candidates",
        help="also write everything that any detector proposed, under restricted/",
        group=Heading.DETECTION,
        kept=Kept.JOB,
        commands=PLANNING,
    )
    risk: bool = option(
        True,
        name="risk",
        help="tell in the table of documents how much PHI the models expect to be left in each, as "
        "a rank by which people read (default); `--no-risk` saves a few percent of the time",
        group=Heading.DETECTION,
        kept=Kept.JOB,
        commands=PLANNING,
        shown="",
    )
    hold: bool = option(
        False,
        name="hold",
        help="do all the work and pass all gates, but publish nothing: exit code 4. `scrubline "
        "diff` shows what would change, `scrubline resume` publishes it",
        group=Heading.PUBLICATION,
        kept=Kept.JOB,
        commands=RUNS,
    )
    max_quarantined: float | None = option(
        None,
        name="max-quarantined",
        help="publish nothing if more than this share of the rows is quarantined",
        group=Heading.PUBLICATION,
        kept=Kept.JOB,
        commands=RUNS,
        metavar="SHARE",
        planned=0.05,
        check=between_0_and_1,
    )
    max_gone: float | None = option(
        None,
        name="max-gone",
        help="publish nothing if more than this share of the published documents would disappear: "
        "of the inputs that are read again, or of the whole output; fewer than ten documents never "
        "count, unless none would remain or the limit is 0",
        group=Heading.PUBLICATION,
        kept=Kept.JOB,
        commands=RUNS,
        metavar="SHARE",
        planned=0.1,
        check=between_0_and_1,
    )
    max_lost: float | None = option(
        None,
        name="max-lost",
        help="publish nothing if more than this share of the published spans would no longer be "
        "removed, counted in the documents that stay the same; default: no limit",
        help_for={
            "resume": "publish nothing if more than this share of the published spans would no "
            "longer be removed; default: as planned",
            "diff": "exit with 0 if at most this share of the earlier spans is lost",
        },
        group=Heading.PUBLICATION,
        kept=Kept.JOB,
        commands=(*RUNS, "diff"),
        metavar="SHARE",
        check=between_0_and_1,
    )
    roster: str | None = option(
        None,
        name="roster",
        help="folder of a roster (`scrubline roster build`): what it knows of a row's patient is "
        "removed from the row's texts in any form, and asserted to be gone from all that is "
        "written of the row; needs a column with role patient",
        help_for={
            "verify": "folder of a roster, of which nothing may be left in the published rows of "
            "its patients; needs the key",
            "annotate": "folder of a roster: what it knows of a note's patient is found in the "
            "note, too; needs the key",
            "evaluate": "folder of a roster: also show how many words of the names that it knows "
            "are removed; needs the key",
        },
        group=Heading.DETECTION,
        kept=Kept.JOB,
        commands=(*PLANNING, "verify", "annotate", "evaluate", "preview"),
        metavar="URL",
    )
    roster_fuzzy: int = option(
        1,
        name="roster-fuzzy",
        help="errors of typing within which names that are no words are found: 0, 1, or 2 for "
        "names of eight letters or more; shorter ones within one",
        group=Heading.DETECTION,
        kept=Kept.JOB,
        commands=(*PLANNING, "annotate", "preview"),
        metavar="N",
        check=between_0_and_2,
    )
    max_guard: float | None = option(
        None,
        name="max-guard",
        help="publish nothing if in the output of more than this share of the rows something was "
        "left that is known of their people: those rows are quarantined, and tell of a column that "
        "should not pass, or of a fault",
        group=Heading.PUBLICATION,
        kept=Kept.JOB,
        commands=RUNS,
        metavar="SHARE",
        planned=0.001,
        check=between_0_and_1,
    )
    min_roster_share: float | None = option(
        None,
        name="min-roster-share",
        help="publish nothing if of less than this share of the documents the patient is in the "
        "roster: most often it is an old one, or its patient ids are written otherwise",
        group=Heading.PUBLICATION,
        kept=Kept.JOB,
        commands=RUNS,
        metavar="SHARE",
        planned=0.9,
        check=between_0_and_1,
    )
    max_risk: str | None = option(
        None,
        name="max-risk",
        help="publish nothing unless a certificate states that at most this share of the documents "
        "leaks: direct=SHARE (names, numbers, contacts, streets), any=SHARE, direct:patient=SHARE, "
        "any:patient=SHARE, or several with commas; 1 asks for nothing; default: no limit",
        help_for={
            "resume": "publish nothing unless a certificate states that at most this share of the "
            "documents leaks, as in direct=0.02; 1 asks for nothing; default: as planned",
        },
        group=Heading.PUBLICATION,
        kept=Kept.JOB,
        commands=RUNS,
        metavar="OF=SHARE",
        check=readable_limits,
    )
    certificate: str | None = option(
        None,
        name="certificate",
        help="with --max-risk: the signed certificate (`scrubline certify --sign`), of this run or "
        "of an earlier one that was made alike",
        group=Heading.PUBLICATION,
        kept=Kept.JOB,
        commands=RUNS,
        metavar="URL",
    )
    trusted_keys: str | None = option(
        None,
        name="trusted-keys",
        help="with --max-risk: public keys (Ed25519, PEM or OpenSSH) of those whose certificates "
        "count",
        help_for={
            "verify": "public keys (Ed25519, PEM or OpenSSH): the certificate of the output must "
            "be signed with one of them",
            "certify": "verify: public keys (Ed25519, PEM or OpenSSH) of those whose certificates "
            "count",
        },
        group=Heading.PUBLICATION,
        kept=Kept.JOB,
        commands=(*RUNS, "verify", "certify"),
        metavar="FILE",
    )
    max_age: float | None = option(
        None,
        name="max-age",
        help="with --max-risk: days since the notes of the certificate were drawn, at most",
        group=Heading.PUBLICATION,
        kept=Kept.JOB,
        commands=RUNS,
        metavar="DAYS",
        planned=90.0,
        check=above_zero,
    )
    link_notes: bool = option(
        False,
        name="link-notes",
        help="what is found in one note of a patient is removed in the patient's other notes, too; "
        "needs a column with role patient",
        group=Heading.DETECTION,
        kept=Kept.JOB,
        commands=PLANNING,
    )
    stale_notes: str | None = option(
        None,
        name="stale-notes",
        help="with --link-notes, what becomes of published notes of which new ones say more: "
        "rewrite them in a second run, report how many there are, or hold the run",
        group=Heading.PUBLICATION,
        kept=Kept.JOB,
        commands=RUNS,
        metavar="WHAT",
        planned="rewrite",
        choices=("rewrite", "report", "hold"),
    )
    most_rewritten: float | None = option(
        None,
        name="most-rewritten",
        help="with --stale-notes rewrite: at most this share of the published units is written "
        "anew by one run, those that wait longest first; at least one; default: all",
        group=Heading.PUBLICATION,
        kept=Kept.JOB,
        commands=PLANNING,
        metavar="SHARE",
        check=between_0_and_1,
    )
    view_attributes: str | None = option(
        None,
        name="view-attributes",
        help="write what notes, roster and columns say of each patient, for `scrubline view`: a "
        "list of age, profession, sex, state, year, zip3, and of sensitive attributes as "
        "NAME=COLUMN or NAME=label:LABEL; needs a column with role patient",
        group=Heading.DETECTION,
        kept=Kept.JOB,
        commands=PLANNING,
        metavar="LIST",
    )
    view_release: str | None = option(
        None,
        name="view-release",
        help="folder of a release of `scrubline view build` (restricted/view of an output): what "
        "the action `view` of a policy puts in place of ages, places and professions; without "
        "one it puts markers",
        group=Heading.DETECTION,
        kept=Kept.JOB,
        commands=PLANNING,
        metavar="URL",
    )
    split_bytes: int | None = option(
        None,
        name="split-bytes",
        help="size of a work unit; without it a 32nd of the input, from 1 to 32 million, so that "
        "workers end together",
        group=Heading.SIZES,
        kept=Kept.JOB,
        commands=PLANNING,
        metavar="N",
        check=above_zero,
    )
    batch_documents: int = option(
        BATCH_DOCUMENTS,
        name="batch-documents",
        help="most documents of a batch",
        group=Heading.SIZES,
        kept=Kept.JOB,
        commands=PLANNING,
        metavar="N",
        check=above_zero,
    )
    batch_bytes: int = option(
        BATCH_BYTES,
        name="batch-bytes",
        help="most bytes of a batch",
        group=Heading.SIZES,
        kept=Kept.JOB,
        commands=PLANNING,
        metavar="N",
        check=above_zero,
    )
    budgets: Budgets = option(
        Budgets(),
        name="budgets",
        help="limits of one document, see [budgets](#budgets)",
        group=Heading.SIZES,
        kept=Kept.JOB,
        commands=(),
        shown="",
        parse=parse_budgets,
        on_command_line=False,
    )

    def planned(self) -> dict[str, Any]:
        """These options as a new plan keeps them, by field."""
        values = {}
        for declared in options_of(JobOptions):
            value = getattr(self, declared.attribute)
            values[declared.attribute] = declared.planned if value is None else value
        return values
