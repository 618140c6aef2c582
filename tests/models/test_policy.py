from __future__ import annotations

import pickle

import fsspec
import pytest
from scrubline.models.errors import UsageError
from scrubline.models.generalising import RESTRICTED_ZIP3
from scrubline.models.labels import HIPAA_OF, LABELS
from scrubline.models.policy import ACTIONS, Policy, load_policy, replacement_of


def write(content, name="site.toml"):
    url = f"memory://policies/{name}"
    with fsspec.open(url, "wb") as stream:
        stream.write(content if isinstance(content, bytes) else content.encode())
    return url


def test_hipaa_keeps_no_label_and_generalises_two():
    policy = load_policy("hipaa")
    assert policy.hipaa and policy.kept == () and not policy.keep_dates
    actions = {label: policy.action(label) for label in LABELS}
    assert {label for label, action in actions.items() if action == "generalise"} == {"AGE", "ZIP"}
    assert {action for label, action in actions.items() if label not in ("AGE", "ZIP")} == {
        "redact"
    }


def test_research_keeps_what_a_limited_data_set_may_hold():
    policy = load_policy("research")
    assert policy.kept == ("CITY", "COUNTRY", "DATE", "PROFESSION", "STATE", "ZIP")
    assert policy.action("AGE") == "generalise" and policy.keep_dates and not policy.hipaa
    # 45 CFR 164.514(e)(2): what must go, item by item.
    direct = """PATIENT STREET LOCATION-OTHER PHONE FAX EMAIL SSN MEDICALRECORD HEALTHPLAN ACCOUNT
        LICENSE VEHICLE DEVICE URL IPADDR BIOID ORGANIZATION"""
    assert {policy.action(label) for label in direct.split()} == {"redact"}


@pytest.mark.parametrize("label", sorted(HIPAA_OF))
def test_keep_of_an_identifier_is_refused_under_hipaa(label):
    with pytest.raises(
        UsageError, match=rf"{label}: keep is refused.*164\.514.*\({HIPAA_OF[label]}\)"
    ):
        Policy("site", {label: "keep"}, hipaa=True)
    url = write(f'name = "site"\nextends = "hipaa"\n[actions]\n{label} = "keep"\n')
    with pytest.raises(UsageError, match="keep is refused"):
        load_policy(url)
    assert Policy("site", {label: "keep"}).kept == (label,)


@pytest.mark.parametrize("label", sorted(set(LABELS) - set(HIPAA_OF)))
def test_keep_of_what_is_not_an_identifier_is_allowed_under_hipaa(label):
    assert Policy("site", {label: "keep"}, hipaa=True).kept == (label,)


def test_a_policy_called_hipaa_is_held_to_it():
    with pytest.raises(UsageError, match="keep is refused"):
        load_policy(write('name = "HIPAA"\n[actions]\nDATE = "keep"\n'))


def test_a_site_policy_extends_a_shipped_one():
    policy = load_policy(
        write(
            """
            name = "site"
            extends = "hipaa"
            default = "mask"
            restricted_zip3 = ["021"]
            [actions]
            STATE = "keep"
            ZIP = "generalise"
            [veto]
            "*" = ["Foley"]
            PATIENT = ["PARKINSON", "Straße"]
            """
        )
    )
    assert policy.hipaa and policy.kept == ("STATE",)
    assert policy.decide("PATIENT", "Ann Lee") == ("mask", "*******")
    assert policy.decide("ZIP", "02139") == ("generalise", "000")
    assert policy.decide("AGE", "93") == ("generalise", "90+")
    assert policy.vetoes("DOCTOR", "FOLEY") and policy.vetoes("PATIENT", "Parkinson")
    assert policy.vetoes("PATIENT", "STRASSE")
    assert not policy.vetoes("DOCTOR", "Parkinson")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('name = "a"\nactoins = {}\n', r"unknown \['actoins'\]; allowed: \['name', 'extends'"),
        (
            'name = "a"\n[actions]\nPATEINT = "redact"\n',
            r"\[actions\]: unknown \['PATEINT'\]; allowed",
        ),
        (
            'name = "a"\n[actions]\nDATE = "shift"\n',
            r"DATE: 'shift' is unknown; allowed: \['redact', 'mask', 'generalise', 'keep'\]",
        ),
        (
            'name = "a"\n[actions]\nDATE = "generalise"\n',
            r"DATE: there is no generalisation.*AGE.*ZIP",
        ),
        ('name = "a"\n[actions]\nDATE = 3\n', "DATE: expected one of"),
        ('name = "a"\nactions = "redact"\n', "expected a table"),
        (
            'name = "a"\ndefault = "keep"\n',
            r"default: 'keep' is unknown; allowed: \['redact', 'mask'\]",
        ),
        ('name = "a"\ndefault = "generalise"\n', "default"),
        ('name = "a"\ndate_columns = "shift"\n', r"date_columns.*\['drop', 'keep'\]"),
        ('name = "a"\nhipaa = true\ndate_columns = "keep"\n', "date_columns: keep is refused"),
        ('name = "a"\nhipaa = "yes"\n', "hipaa: expected true or false"),
        ('name = "a"\nextends = "hipaa"\nhipaa = false\n', "cannot be switched off"),
        ('name = "a"\nextends = "other"\n', r"extends: expected one of \['hipaa', 'research'\]"),
        ('name = "a"\n[veto]\nDATES = []\n', r"\[veto\]: unknown \['DATES'\]"),
        ('name = "a"\n[veto]\nDATE = "May"\n', r"\[veto\] DATE: expected a list of strings"),
        ('name = "a"\n[veto]\nDATE = [" "]\n', "not blank"),
        ('name = "a"\nrestricted_zip3 = ["21"]\n', "three digits"),
        ('name = "a"\nrestricted_zip3 = ["٠٢١"]\n', "three digits"),
        ('name = "a"\nrestricted_zip3 = [21]\n', "list of strings"),
        ("", "name: expected a string"),
        ('name = ""\n', "name: expected a string"),
        ('name = "a"\nname = "b"\n', "not valid TOML"),
        (b"\xff\xfe", "not UTF-8"),
        (b"\x00", "not valid TOML"),
        (b"#" * (2 << 20), "over 1048576 bytes"),
    ],
)
def test_mistakes_are_refused_with_what_is_allowed(content, message):
    with pytest.raises(UsageError, match=message):
        load_policy(write(content))


@pytest.mark.parametrize("name", ["hippa", "", "HIPAA", "..", "hipaa "])
def test_unknown_names_are_refused_with_the_known_ones(name):
    with pytest.raises(UsageError, match=r"\['hipaa', 'research'\]"):
        load_policy(name)


@pytest.mark.parametrize(
    "url", ["/no/such/JohnSmith.toml", "nosuch://JohnSmith/x", "memory://JohnSmith"]
)
def test_an_unreadable_file_is_refused_without_its_name(url):
    with pytest.raises(UsageError, match="cannot be read") as caught:
        load_policy(url)
    assert "JohnSmith" not in str(caught.value) and caught.value.__suppress_context__


@pytest.mark.parametrize(
    "arguments",
    [
        {"actions": {"NAME": "redact"}},
        {"actions": {"DATE": "drop"}},
        {"actions": {"PHONE": "generalise"}},
        {"default": "keep"},
        {"veto": {"DATE": frozenset({"May"})}},
        {"restricted_zip3": frozenset()},
    ],
)
def test_a_policy_made_by_hand_is_checked_too(arguments):
    with pytest.raises(UsageError):
        Policy("hand", **arguments)


@pytest.mark.parametrize(
    ("action", "length", "expected"),
    [("redact", 4, "[DATE]"), ("mask", 4, "****"), ("keep", 4, None)],
)
def test_replacements_depend_on_label_and_length_only(action, length, expected):
    assert replacement_of(action, "DATE", length) == expected


def test_a_mask_covers_line_breaks():
    policy = Policy("masks", default="mask")
    assert policy.decide("PATIENT", "Ann\r\nLee 🙂") == ("mask", "**********")


def test_a_label_outside_the_native_set_is_removed():
    for name in ("hipaa", "research"):
        assert load_policy(name).decide("CALLE", "x") == ("redact", "[CALLE]")


def test_the_fingerprint_is_of_what_decides():
    base = Policy("a", {"DATE": "redact"})
    assert base.fingerprint == Policy("b").fingerprint
    others = [
        Policy("a", {"DATE": "mask"}),
        Policy("a", default="mask"),
        Policy("a", date_columns="keep"),
        Policy("a", hipaa=True),
        Policy("a", veto={"DATE": frozenset({"may"})}),
        Policy("a", veto={"*": frozenset({"may"})}),
        Policy("a", restricted_zip3=RESTRICTED_ZIP3 | {"021"}),
    ]
    assert len({policy.fingerprint for policy in (base, *others)}) == len(others) + 1
    one = load_policy(write('name = "a"\n[actions]\nDATE = "mask"\nAGE = "mask"\n', "1.toml"))
    two = load_policy(write('name="b"\n[actions]\nAGE="mask"\n"DATE"="mask"\n', "2.toml"))
    assert one.fingerprint == two.fingerprint


def test_a_policy_travels_to_workers():
    policy = load_policy("research")
    copy = pickle.loads(pickle.dumps(policy))
    assert copy == policy and copy.fingerprint == policy.fingerprint


def test_every_action_is_one_of_the_four():
    for name in ("hipaa", "research"):
        policy = load_policy(name)
        for label in LABELS:
            for covered in ("93", "54", "02139", "x"):
                action, replacement = policy.decide(label, covered)
                assert action in ACTIONS and (replacement is None) == (action == "keep")
