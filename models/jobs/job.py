"""A job: everything that decides what a run writes, frozen before it starts.

Workers and `resume` read the job, never the options. It holds URLs and names, no key, no text; it
lies under `restricted/`, as the plan beside it names input files.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from ..core.budgets import Budgets, budgets_of
from ..core.errors import UsageError
from ..core.keys import fingerprint
from ..core.options import require_usable
from ..core.type_checks import check_field_types
from ..core.version import VERSION
from ..formats import Format, FormatOptions, Limits, encoding_named, open_format
from ..formats.column_roles import TEXT_FILES, Columns
from ..formats.line_notes import GroupLines
from ..patient_view.attributes import ViewAttributes
from ..patient_view.lookup import Levels
from ..roster.people import people_code_hash
from .job_options import JobOptions

CODE_VERSION = VERSION
"""Raised whenever the same input may give other output; part of every fingerprint. It is the
package's own version: there is one to name in a report of a fault."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Job(JobOptions):
    """What is to be done, the same for every worker.

    Attributes: those of `JobOptions`, and
        run: id of the run: hash of fingerprint, inputs, splits and caps. Equal for equal work.
        output: URL of the output folder.
        columns: role of each input column.
        models: name or URL of each bundle, in order; may be empty (rules alone).
        model_hashes: hash of each bundle, checked by each worker.
        recognisers: names of the rules.
        recogniser_hashes: hash of each rule's code, checked by each worker.
        policy: name or URL; `policy_hash` is checked by each worker.
        key_source: URL or "env:NAME" of the master key; `key_check` is checked by each worker.
        settings: how input files are written, for formats whose files do not say it; the output's
            are written alike.
        group_lines: where a note is several rows.
        canaries: URL of a file of canaries; decides no content. `canaries_hash` is its SHA-256.
        roster: URL of the roster; None where there is none.
        roster_generation: of the roster, checked by each worker; see `RosterManifest`. Not in the
            fingerprint: the next night's roster does not outdate what this one was used for.
        roster_hash: hash of the code by which people are found and asserted, checked by each
            worker; "" where nobody is known.
        links_hash: hash of the code by which notes are linked, checked by each worker; "" where
            they are not.
        view_generation: of the release of a view, checked by each worker; "" where there is none.
            Not in the fingerprint, as that of a roster.
        view_levels: of that release, which are.
        code_version: of the program that planned it; another one does not go on with it.
    """

    run: str
    output: str
    columns: Columns
    models: tuple[str, ...]
    model_hashes: tuple[str, ...]
    recognisers: tuple[str, ...]
    recogniser_hashes: tuple[str, ...]
    policy: str
    policy_hash: str
    key_source: str
    key_check: str
    settings: FormatOptions = FormatOptions()
    group_lines: GroupLines | None = None
    canaries: str | None = None
    canaries_hash: str = ""
    roster_generation: str = ""
    roster_hash: str = ""
    links_hash: str = ""
    view_generation: str = ""
    view_levels: Levels = ()
    code_version: str = CODE_VERSION

    def __post_init__(self) -> None:
        for name, value in self.planned().items():
            object.__setattr__(self, name, value)

    @property
    def limits(self) -> Limits:
        """The caps that formats read by."""
        return Limits(
            batch_documents=self.batch_documents,
            batch_bytes=self.batch_bytes,
            line_bytes=self.budgets.line_bytes,
            document_bytes=self.budgets.document_bytes,
            unpacked_ratio=self.budgets.unpacked_ratio,
        )

    def form(self, name: str) -> Format:
        """A format as this job reads and writes it."""
        return open_format(name, self.settings)

    @property
    def knows_people(self) -> bool:
        """Whether anybody is known beforehand: by a roster, or by columns with role `known`."""
        return self.roster is not None or bool(self.columns.known)

    @property
    def view(self) -> ViewAttributes | None:
        """The attributes of the identifier view; None where none is made."""
        return None if self.view_attributes is None else ViewAttributes.parse(self.view_attributes)

    @property
    def rewrites_stale(self) -> bool:
        """Whether published notes that newer ones make stale are written anew."""
        return self.link_notes and self.stale_notes == "rewrite"

    @property
    def staging(self) -> str:
        """Where workers write."""
        return f"{self.output}/_staging/{self.run}"

    @property
    def restricted(self) -> str:
        """Where what only key holders may see lies."""
        return f"{self.output}/restricted/{self.run}"

    @property
    def fingerprint(self) -> str:
        """Hash of all that decides a document's output, whatever the inputs and splits."""
        return fingerprint(
            self.code_version,
            *self.model_hashes,
            json.dumps(sorted(zip(self.recognisers, self.recogniser_hashes, strict=True))),
            self.policy_hash,
            json.dumps(self.columns.roles),
            *((json.dumps(self.columns.markup),) if self.columns.markup else ()),
            self.key_check,
            json.dumps(list(self.budgets.of_version(self.code_version).values())),
            json.dumps(self.format),
            json.dumps(dataclasses.astuple(self.settings)),
            json.dumps(self.group_lines and dataclasses.astuple(self.group_lines)),
            *((json.dumps(self._known_by()),) if self.knows_people else ()),
            *((self.links_hash,) if self.link_notes else ()),
            *(("view", self.view_attributes) if self.view_attributes is not None else ()),
            *((json.dumps(self.view_levels),) if self.view_levels else ()),
        )

    def with_columns(self, columns: Columns) -> Job:
        """The job with its roles, and the code that finds the people whom they or a roster name."""
        knows = self.roster is not None or columns.known
        code = people_code_hash() if knows else ""
        return dataclasses.replace(self, columns=columns, roster_hash=code)

    def _known_by(self) -> list[object]:
        """What the fingerprint has of how people are known; nothing of who they are."""
        return [self.roster is not None, self.roster_fuzzy, self.roster_hash, self.columns.known]

    def to_json(self) -> str:
        """The job as JSON text."""
        # A message format has many roles, which are not written one by one.
        value = dataclasses.asdict(dataclasses.replace(self, columns=TEXT_FILES)) | {
            "columns": self.columns.to_json(),
            "budgets": self.budgets.of_version(self.code_version),
        }
        return json.dumps(value, indent=1, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Job:
        """Reads what `to_json` wrote, of this version or an earlier one.

        Raises:
            UsageError: if it is not a job that can be read.
        """
        try:
            value: dict[str, Any] = json.loads(text)
            value["columns"] = Columns.parse(value["columns"])
            if set(value["budgets"]) - set(budgets_of(value.get("code_version", CODE_VERSION))):
                raise ValueError("a budget that this version of the program does not have")
            value["budgets"] = Budgets(**value["budgets"])
            value["settings"] = FormatOptions(**value["settings"])
            if value["group_lines"] is not None:
                value["group_lines"] = GroupLines(**value["group_lines"])
            levels = value.get("view_levels", ())
            value["view_levels"] = tuple((name, level) for name, level in levels)
            for name in ("models", "model_hashes", "recognisers", "recogniser_hashes"):
                value[name] = tuple(value[name])
            job = cls(**value)
            check_field_types(job)
            job._check()
        except (
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
            RecursionError,
            UsageError,
        ) as error:
            raise UsageError(
                f"the frozen job cannot be read ({type(error).__name__}): "
                "was it made by another version?"
            ) from None
        return job

    def _check(self) -> None:
        """Raises ValueError or UsageError for unusable values."""
        require_usable(self)
        encoding_named(self.settings.encoding)
        # Refused by what makes them: caps, names without a hash, lone surrogates.
        _ = self.limits, self.fingerprint, self.view
