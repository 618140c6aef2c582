"""HL7 messages through all steps: what becomes of them, and how often they are cut."""

import pytest
from scrubline.models.formats import FORMATS
from scrubline.models.formats.column_roles import Columns
from scrubline.models.jobs.output_rows import build_output_rows
from scrubline.models.jobs.roster_steps import PassingColumns
from scrubline.models.jobs.shifted_columns import DateColumns
from scrubline.models.jobs.steps import StepResources, run_steps
from scrubline.models.messages.hl7 import Hl7Grammar
from scrubline.models.recognisers import DEFAULT_RECOGNISERS
from scrubline.models.redaction.policy_file import load_policy
from scrubline.models.roster.people import KnownPeople, detector_hashes_of_people

from ..conftest import BUDGETS, HASHES, read

ROLES = Columns.of_record("hl7", [("ZPD", "pass")]).resolved([])
HEAD = "MSH|^~\\&|LAB|SITE|EHR|SITE|20240312||ORU^R01|M1|P|2.5.1\rPID|1||123||QUIMBY^ZELDA\r"


def scrubbed(tmp_path, *segments, policy="hipaa", roles=ROLES, head=HEAD):
    """The batch and the messages that go out; rules alone find something."""
    (tmp_path / "in.hl7").write_bytes((head + "\r".join(segments) + "\r").encode())
    opened = load_policy(policy)
    (batch,) = read(tmp_path / "in.hl7", roles, keep_dates=DateColumns.of(opened).go_out)
    resources = StepResources(
        opened,
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


@pytest.mark.parametrize(
    ("segment", "out"),
    [
        # What is no number and no code is read as a text.
        ("OBX|1|NM|A||call Dr. Plumb 614-555-0188|mg", "OBX|1|NM|A||call Dr. [DOCTOR] [PHONE]|mg"),
        ("OBX|1|SN|A||>^5^per Dr. Plumb|mg", "OBX|1|SN|A||>^5^per Dr. [DOCTOR]|mg"),
        ("OBX|1|NM|A||7|mg, Dr. Plumb^x^L", "OBX|1|NM|A||7|mg, Dr. [DOCTOR]^x^L"),
        # What is no date goes, and so does what is no code of the standard.
        ("OBX|1|DT|A||see Gladys Plumb", "OBX|1|DT|A||"),
        ("OBX|Plumb|NM|A||7||||||Splungeworth", "OBX||NM|A||7||||||"),
        ("OBR" + "|" * 32 + "5^Fotheringay^Rupert", "OBR" + "|" * 32 + "^^"),
        ("OBR" + "|" * 32 + "5^20240101^20240102", "OBR" + "|" * 32 + "^20240101^20240102"),
        # Ages over 89, and data that nobody can read.
        ("OBX|1|NM|30525-0^Age^LN||91|a", "OBX|1|NM|30525-0^Age^LN|||a"),
        ("OBX|1|ST|30525-0^Age^LN||91|a", "OBX|1|ST|30525-0^Age^LN|||a"),
        ("OBX|1|ED|A||^PDF^Base64^JVBERi0xLjQgUXVpbWJ5", "OBX|1|ED|A||"),
        ("OBX|1|ED|A||x^AP^PDF^Base64^JVBERi0x", "OBX|1|ED|A||^AP^PDF^Base64^"),
        ("OBX|1||A||x^U2VlbiBaZWxkYSBRdWltYnkgdG9kYXk=", "OBX|1||A||"),
    ],
)
def test_what_a_type_does_not_allow_is_scrubbed_or_goes(tmp_path, segment, out):
    done, (found,) = scrubbed(tmp_path, segment, policy="research")
    assert not done.failures
    assert found.split("\r")[2] == out


def test_a_date_of_birth_has_to_be_one(tmp_path):
    head = HEAD.replace("ZELDA", "ZELDA||unknown Ostrander")
    _, (out,) = scrubbed(tmp_path, "OBX|1|TX|||x", policy="research", head=head)
    assert "Ostrander" not in out and "unknown" not in out
    _, (out,) = scrubbed(
        tmp_path, "OBX|1|TX|||x", policy="research", head=HEAD.replace("ZELDA", "ZELDA||19610203")
    )
    assert "|19610203" in out


@pytest.mark.parametrize(
    "line",
    [
        "OBX|1|TX|||",
        "NTE|1||plain",
        "OBX|1|NM|2345-7^Glucose^LN||<5|mg/dL^milligram per deciliter^UCUM|70-99|L^Low^L|||F",
        "OBX|1|SN|5196-1^HBsAg^LN||^1^:^128||<1:8||||F",
        "OBX|1|NM|5802-4^Nitrite^LN||NEG||||||F\rOBX|2|NM|5799-2^WBC^LN||5-10|/HPF|0-5|A|||F",
        "OBX|1|CE|600-7^Culture^LN|1|3092008^Staphylococcus aureus^SCT||||||F",
        "RXE|1^BID^D10|197806^Ibuprofen 600 MG Oral Tablet^RXN|1||TAB^Tablet",
        "FT1|1||||||99213^Office visit^C4||||120.00&USD",
        "SPM|1|||119364003^Serum specimen^SCT",
        "OBX|1|NM|30525-0^Age^LN||89|a",
    ],
)
def test_what_tells_of_nobody_stays(tmp_path, line):
    done, (out,) = scrubbed(tmp_path, line)
    assert not done.failures and out.endswith(line)
