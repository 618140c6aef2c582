"""What policies say of surrogates and shifted dates, and what is refused."""

import dataclasses

import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.core.labels import LABELS
from scrubline.models.dates import DateSettings
from scrubline.models.redaction import stand_in_settings
from scrubline.models.redaction.policy import Policy
from scrubline.models.redaction.policy_file import load_policy
from scrubline.models.surrogates import MAKERS, SurrogateSettings

EXPERT = load_policy("expert")
SHIFT = {"DATE": "shift"}


def load(tmp_path, content):
    place = tmp_path / "site.toml"
    place.write_text(f'name = "site"\n{content}')
    return load_policy(str(place))


def test_the_shipped_policy_for_an_expert():
    assert EXPERT.action("DATE") == "shift" and EXPERT.date_columns == "shift"
    assert {label for label in LABELS if EXPERT.action(label) == "surrogate"} == set(MAKERS)
    assert EXPERT.kept == () and not EXPERT.hipaa and EXPERT.needs_key
    # Its file spells out the defaults.
    assert (EXPERT.surrogates, EXPERT.dates) == (SurrogateSettings(), DateSettings())
    said = EXPERT.to_dict()
    assert said["method"].startswith("expert: an expert must determine")
    assert said["dates"]["offsets"] == 52 and len(said["surrogates"]["pools"]) == 64
    for name in ("hipaa", "research"):
        assert not load_policy(name).needs_key
        assert not {"method", "dates", "surrogates"} & load_policy(name).to_dict().keys()


def test_a_file_has_the_settings_of_both_libraries(tmp_path):
    policy = load(
        tmp_path,
        """
        extends = "expert"
        surrogates = { scope = "document", languages = ["es", "en"], layout = "pad" }
        dates = { days = 728, direction = "both", order = "dmy" }
        """,
    )
    assert policy.surrogates == SurrogateSettings(
        scope="document", languages=("es", "en"), layout="pad"
    )
    assert policy.dates == DateSettings(days=728, direction="both", order="dmy")
    assert policy.date_columns == "shift"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("surrogates = 3", r"\[surrogates\]: expected a table"),
        ("surrogates = { scop = 1 }", r"\[surrogates\]: unknown \['scop'\] \(did you mean 'scope'"),
        (
            'surrogates = { scope = "records" }',
            r"\[surrogates\] scope: unknown value \(did you mean 'record'\?\); allowed: \['record'",
        ),
        ("surrogates = { scope = [1] }", r"\[surrogates\] scope must be one of"),
        ('surrogates = { languages = "en" }', r"\[surrogates\] languages must be some of"),
        ('surrogates = { languages = ["fr"] }', r"\[surrogates\] languages must be some of"),
        ("surrogates = { languages = [[1]] }", r"\[surrogates\]"),
        ("dates = { day = 7 }", r"\[dates\]: unknown \['day'\] \(did you mean 'days'\?\)"),
        ("dates = { days = 3 }", r"\[dates\] days: 7 to 73000 is expected"),
        ('dates = { direction = "pats" }', r"\[dates\] direction: .*did you mean 'past'"),
        ('dates = { order = "dym" }', r"\[dates\] order: one of mdy, dmy, ymd is expected"),
        ("dates = { order = [1] }", r"\[dates\]"),
        ('date_columns = "shift"', 'date_columns: shift needs `DATE = "shift"`'),
        ('date_columns = "keep"\n[actions]\nDATE = "shift"', "keep is refused where DATE is"),
        ('[actions]\nSTATE = "surrogate"', "STATE: surrogate can be used only for"),
        ('[actions]\nPHONE = "shift"', r"PHONE: shift can be used only for \['DATE'\]"),
        ('default = "surrogate"', "default: 'surrogate' is unknown"),
        ('extends = "hipaa"\n[actions]\nDATE = "shift"', "DATE: shift is refused under hipaa"),
        (
            'extends = "hipaa"\nsurrogates = { initials = "keep" }\n'
            '[actions]\nPATIENT = "surrogate"',
            "initials: keep is refused under hipaa",
        ),
        (
            '[actions]\nDATE = "shift"\n[note_types.x]\nactions = { DATE = "keep" }',
            "keep in some notes is refused where others shift dates",
        ),
        (
            'extends = "hipaa"\n[note_types.x]\nactions = { DATE = "shift" }',
            "DATE: shift is refused under hipaa",
        ),
    ],
)
def test_mistakes_are_refused_with_what_is_allowed(content, told, tmp_path):
    with pytest.raises(UsageError, match=told):
        load(tmp_path, content)


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        ('[actions]\nDATE = "shift"', "shift"),
        ('extends = "research"\n[actions]\nDATE = "shift"', "shift"),
        ('date_columns = "drop"\n[actions]\nDATE = "shift"', "drop"),
        ('extends = "expert"\n[actions]\nDATE = "redact"', "drop"),
        ('extends = "research"', "keep"),
        ("", "drop"),
    ],
)
def test_columns_of_dates_go_as_the_dates_of_texts(content, columns, tmp_path):
    assert load(tmp_path, content).date_columns == columns


def test_surrogates_of_other_identifiers_are_allowed_under_hipaa(tmp_path):
    policy = load(tmp_path, 'extends = "hipaa"\n[actions]\nPATIENT = "surrogate"\n')
    assert policy.hipaa and policy.puts_surrogates and not policy.shifts_dates


def test_the_hash_covers_settings_pools_and_code(monkeypatch):
    policy = Policy("a", {"PATIENT": "surrogate", **SHIFT})
    hashes = {policy.fingerprint}
    for other in (
        dataclasses.replace(policy, surrogates=SurrogateSettings(scope="mention")),
        dataclasses.replace(policy, dates=DateSettings(days=7)),
        dataclasses.replace(policy, actions=SHIFT),
    ):
        hashes.add(other.fingerprint)
    monkeypatch.setattr(stand_in_settings, "pools_hash", lambda: "other")
    hashes.add(policy.fingerprint)
    monkeypatch.setattr(stand_in_settings, "hash_of_room", lambda room: f"other {room}")
    hashes.add(policy.fingerprint)
    hashes.add(Policy("a", SHIFT).fingerprint)
    assert len(hashes) == 7
    assert Policy("b", SHIFT).fingerprint == Policy("a", SHIFT).fingerprint


def test_what_is_not_used_is_not_in_the_hash():
    plain = Policy("a")
    other = dataclasses.replace(
        plain, surrogates=SurrogateSettings(scope="mention"), dates=DateSettings(days=7)
    )
    assert other.fingerprint == plain.fingerprint


def test_a_note_type_alone_may_use_them(tmp_path):
    policy = load(tmp_path, '[note_types."x"]\nactions = { PATIENT = "surrogate", DATE = "shift" }')
    assert policy.puts_surrogates and policy.shifts_dates and policy.date_columns == "drop"
    assert policy.fingerprint != load(tmp_path, "").fingerprint
