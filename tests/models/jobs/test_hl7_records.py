"""HL7 messages through all steps: what becomes of them, and how often they are cut."""

import pytest
from scrubline.models.formats import FORMATS
from scrubline.models.formats.column_roles import Columns
from scrubline.models.jobs.output_rows import build_output_rows
from scrubline.models.jobs.roster_steps import PassingColumns
from scrubline.models.jobs.steps import StepResources, run_steps
from scrubline.models.messages.hl7 import Hl7Grammar
from scrubline.models.recognisers import DEFAULT_RECOGNISERS
from scrubline.models.redaction.policy_file import load_policy
from scrubline.models.roster.people import KnownPeople, detector_hashes_of_people

from ..conftest import BUDGETS, HASHES, read

ROLES = Columns.of_record("hl7", [("ZPD", "pass")]).resolved([])
HEAD = "MSH|^~\\&|LAB|SITE|EHR|SITE|20240312||ORU^R01|M1|P|2.5.1\rPID|1||123||QUIMBY^ZELDA\r"


def scrubbed(tmp_path, *segments, policy="hipaa", roles=ROLES):
    """The batch and the messages that go out; rules alone find something."""
    (tmp_path / "in.hl7").write_bytes((HEAD + "\r".join(segments) + "\r").encode())
    (batch,) = read(tmp_path / "in.hl7", roles)
    resources = StepResources(
        load_policy(policy),
        recognisers=tuple(DEFAULT_RECOGNISERS),
        budgets=BUDGETS,
        people=KnownPeople(None, None, 1),
        passing=lambda unit: PassingColumns(FORMATS["hl7"], roles),
    )
    done = run_steps(batch, resources)
    hashes = HASHES | detector_hashes_of_people(1)
    result = build_output_rows(
        done, run="r", form=FORMATS["hl7"], columns=roles, detector_hashes=hashes
    )
    return done, result.data.column("hl7").to_pylist()


def test_a_message_is_cut_once_for_reading_and_once_for_writing(tmp_path, monkeypatch):
    cut, values = [], Hl7Grammar.values

    def counted(self, record, declared):
        cut.append(record)
        return values(self, record, declared)

    monkeypatch.setattr(Hl7Grammar, "values", counted)
    done, (out,) = scrubbed(tmp_path, "OBX|1|TX|||Zelda Quimby was here")
    assert not done.failures
    assert out.endswith("OBX|1|TX|||[PATIENT] was here")
    assert len(cut) == 2


def test_the_guard_looks_at_what_passes_of_a_message(tmp_path):
    done, found = scrubbed(tmp_path, "ZPD|Zelda Quimby", "OBX|1|TX|||x")
    assert found == []
    assert [failure.stage for failure in done.failures.values()] == ["guard"]


@pytest.mark.parametrize("line", ["OBX|1|TX|||", "NTE|1||plain"])
def test_what_tells_of_nobody_stays(tmp_path, line):
    done, (out,) = scrubbed(tmp_path, line)
    assert not done.failures and out.endswith(line)
