from __future__ import annotations

import gzip
import pickle
import re
import tomllib
from pathlib import Path

import fsspec
import pytest
from scrubline.models.core.detectors import DENY
from scrubline.models.core.errors import UsageError
from scrubline.models.core.labels import HIPAA_OF, LABELS, UNKNOWN_KIND
from scrubline.models.recognisers import RECOGNISERS
from scrubline.models.redaction import policy_file
from scrubline.models.redaction.actions import ACTIONS, replacement_of
from scrubline.models.redaction.generalization import RESTRICTED_ZIP3
from scrubline.models.redaction.policy import OwnLabel, Policy
from scrubline.models.redaction.policy_file import load_policy, policy_names


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


@pytest.mark.parametrize("name", policy_names())
def test_phi_of_unknown_kind_is_redacted_by_every_policy(name):
    policy = load_policy(name)
    assert policy.action(UNKNOWN_KIND) == "redact"
    assert UNKNOWN_KIND not in policy.kept
    # Of a policy of one's own it is like any label that is not named.
    assert Policy("site", default="mask").action(UNKNOWN_KIND) == "mask"
    assert (
        Policy("site", dict.fromkeys(set(LABELS) - {UNKNOWN_KIND}, "keep")).action(UNKNOWN_KIND)
        == "redact"
    )


def test_phi_of_unknown_kind_cannot_be_generalised():
    assert not ACTIONS["generalise"].serves(UNKNOWN_KIND)
    with pytest.raises(UsageError, match="generalise can be used only for"):
        Policy("site", {UNKNOWN_KIND: "generalise"})
    with pytest.raises(UsageError, match="PHI is a native label"):
        Policy("site", labels={UNKNOWN_KIND: OwnLabel()})


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
        ('name = "a"\n[texts]\nDATES = "x"\n', r"\[texts\]: unknown \['DATES'\]"),
        ('name = "a"\n[texts]\nDATE = 3\n', r"\[texts\] DATE: expected a text"),
        ('name = "a"\n[texts]\nDATE = "a\\nb"\n', r"\[texts\] DATE: line breaks"),
        ('name = "a"\n[texts]\n"*" = ""\n', r"\[texts\] \*: expected 1 to 100"),
        ('name = "a"\nlabels = 3\n', r"\[labels\]: expected a table"),
        ('name = "a"\n[labels]\nSTUDY = "R"\n', r"\[labels\] STUDY: expected a table"),
        ('name = "a"\n[labels]\n"S T" = {}\n', r"\[labels\]: expected names of 1 to 64"),
        ('name = "a"\n[labels]\nDate = {}\n', r"\[labels\] Date: DATE is a native label"),
        ('name = "a"\n[labels]\nS = { hipaa = "S" }\n', r"\[labels\] S: hipaa: .* A to R"),
        ('name = "a"\n[labels]\nS = { hipaa = "" }\n', r"\[labels\] S: hipaa: .* A to R"),
        ('name = "a"\n[labels]\nS = { hipaa = 1 }\n', r"\[labels\] S: hipaa and description"),
        ('name = "a"\n[labels]\nS = { item = "R" }\n', r"\[labels\] S: unknown \['item'\]"),
        (
            'name = "a"\nextends = "hipaa"\n[labels]\nS = { hipaa = "R" }\n[actions]\nS = "keep"\n',
            r"\[actions\] S: keep is refused under hipaa.*\(R\)",
        ),
        ('name = "a"\n[labels]\nS = {}\n[actions]\nS = "generalise"\n', "only for"),
        ('name = "a"\n[deny]\nSTUDY = ["x"]\n', r"\[deny\]: unknown \['STUDY'\]; allowed"),
        ('name = "a"\n[deny]\n"*" = ["x"]\n', r"\[deny\]: unknown \['\*'\]"),
        ('name = "a"\n[deny]\nDATE = ["-"]\n', r"\[deny\] DATE: every phrase needs a letter"),
        ('name = "a"\n[deny]\nDATE = "none.txt"\n', r"\[deny\] DATE: list 1 cannot be read"),
        (
            'name = "a"\n[actions]\nDATE = "keep"\n[deny]\nDATE = ["x"]\n',
            r"\[deny\] DATE: what is denied must go.*allowed: \['redact', 'mask', 'shift'\]",
        ),
        ('name = "a"\n[allow]\nX = ["x"]\n', r"\[allow\]: unknown \['X'\]"),
        ('name = "a"\n[allow]\nDATE = 3\n', r"\[allow\] DATE: expected a list of strings"),
        ('name = "a"\nnote_types = 3\n', r"\[note_types\]: expected a table"),
        ('name = "a"\n[note_types]\nx = 3\n', r"\[note_types\] 'x': expected a table"),
        (
            'name = "a"\n[note_types.x]\ndate_columns = "keep"\n',
            r"\[note_types\] 'x': unknown \['date_columns'\]; allowed: \['default', 'actions'",
        ),
        (
            'name = "a"\nextends = "hipaa"\n[note_types.x.actions]\nDATE = "keep"\n',
            r"\[note_types\] 'x': \[actions\] DATE: keep is refused under hipaa",
        ),
        (
            'name = "a"\n[deny]\nDATE = ["x"]\n[note_types.x.actions]\nDATE = "keep"\n',
            r"\[note_types\] 'x': \[deny\] DATE: what is denied must go",
        ),
        ('name = "a"\n[note_types.x]\ndefault = "keep"\n', r"'x': default: 'keep' is unknown"),
        ('name = "a"\n[note_types.X]\n[note_types."x "]\n', r"'x ': it is there twice"),
        ('name = "a"\n[note_types." "]\n', r"\[note_types\]: expected names"),
        ('name = "a"\n[note_types."*a*b*c*"]\n', r"\[note_types\]: .* at most 3 `\*`"),
        (
            'name = "a"\nactoins = {}\n',
            r"unknown \['actoins'\] \(did you mean 'actions'\?\); allowed: \['name', 'extends'",
        ),
        (
            'name = "a"\n[actions]\nPATEINT = "redact"\n',
            r"\[actions\]: unknown \['PATEINT'\] \(did you mean 'PATIENT'\?\); allowed",
        ),
        (
            'name = "a"\n[actions]\nDATE = "shfit"\n',
            r"DATE: 'shfit' is unknown \(did you mean 'shift'\?\); allowed: \['redact', 'mask', ",
        ),
        (
            'name = "a"\n[actions]\nDATE = "generalise"\n',
            r"DATE: generalise can be used only for .*AGE.*ZIP",
        ),
        ('name = "a"\n[actions]\nDATE = 3\n', "DATE: expected one of"),
        ('name = "a"\nactions = "redact"\n', "expected a table"),
        (
            'name = "a"\ndefault = "keep"\n',
            r"default: 'keep' is unknown; allowed: \['redact', 'mask'\]",
        ),
        ('name = "a"\ndefault = "generalise"\n', "default"),
        ('name = "a"\ndate_columns = "shift"\n', "date_columns: shift needs `DATE"),
        ('name = "a"\nhipaa = true\ndate_columns = "keep"\n', "date_columns: keep is refused"),
        ('name = "a"\nhipaa = "yes"\n', "hipaa: expected true or false"),
        ('name = "a"\nextends = "hipaa"\nhipaa = false\n', "cannot be switched off"),
        (
            'name = "a"\nextends = "other"\n',
            r"extends: expected one of \['expert', 'hipaa', 'research'\]",
        ),
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
        (b"#" * (2 << 20), "more than 1048576 bytes"),
    ],
)
def test_mistakes_are_refused_with_what_is_allowed(content, message):
    with pytest.raises(UsageError, match=message):
        load_policy(write(content))


@pytest.mark.parametrize("name", ["hippa", "", "HIPAA", "..", "hipaa "])
def test_unknown_names_are_refused_with_the_known_ones(name):
    with pytest.raises(UsageError, match=r"\['expert', 'hipaa', 'research'\]"):
        load_policy(name)


@pytest.mark.parametrize(
    "url", ["/no/such/JohnSmith.toml", "nosuch://JohnSmith/x", "memory://JohnSmith"]
)
def test_an_unreadable_file_is_refused_without_its_name(url):
    with pytest.raises(UsageError, match="cannot be read|does not exist") as caught:
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
        {"labels": {"DATE": OwnLabel()}},
        {"texts": {"DATE": "\n"}},
        {"allow": {"DATE": frozenset({"May"})}},
        {"allow": {"DATE": frozenset({"a  b"})}},
        {"allow": {"STUDY": frozenset({"a"})}},
        {"deny": {"DATE": frozenset({"-"})}},
        {"deny": {"*": frozenset({"a"})}},
        {"deny": {"DATE": frozenset({"a"})}, "actions": {"DATE": "keep"}},
        {"note_types": {"Radiology": Policy("hand")}},
        {"note_types": {"x": Policy("other")}},
        {"note_types": {"x": Policy("hand", hipaa=True)}},
        {"note_types": {"x": Policy("hand", date_columns="keep")}},
        {"note_types": {"x": Policy("hand", note_types={"y": Policy("hand")})}},
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
        Policy("a", texts={"DATE": "x"}),
        Policy("a", texts={"*": "x"}),
        Policy("a", labels={"STUDY": OwnLabel()}),
        Policy("a", labels={"STUDY": OwnLabel("R")}),
        Policy("a", allow={"DATE": frozenset({"may"})}),
        Policy("a", allow={"*": frozenset({"may"})}),
        Policy("a", deny={"DATE": frozenset({"may"})}),
        Policy("a", deny={"DATE": frozenset({"may", "june"})}),
        Policy("a", note_types={"x": Policy("a")}),
        Policy("a", note_types={"x*": Policy("a")}),
        Policy("a", note_types={"x": Policy("a", default="mask")}),
        Policy("a", note_types={"x": Policy("a", deny={"DATE": frozenset({"may"})})}),
    ]
    assert Policy("a", labels={"S": OwnLabel("R", "x")}).fingerprint == (
        Policy("a", labels={"S": OwnLabel("R", "y")}).fingerprint
    )
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


# -- texts, labels, phrases, note types


def test_texts_take_the_place_of_redacted_text_on_every_path():
    policy = load_policy(
        write(
            """
            name = "site"
            [actions]
            DATE = "mask"
            AGE = "generalise"
            [texts]
            "*" = "<{label}/>"
            PATIENT = "[**Name**]"
            """
        )
    )
    assert policy.decide("PATIENT", "Ann") == ("redact", "[**Name**]")
    assert policy.decide("CALLE", "x") == ("redact", "<CALLE/>")
    assert policy.decide("DATE", "May") == ("mask", "***")
    assert policy.decide("AGE", "no age") == ("redact", "<AGE/>")
    assert policy.remove("AGE", 2) == ("redact", "<AGE/>")
    assert policy.shown("redact", "PATIENT", "Ann") == "[**Name**]"
    assert policy.shown("redact", "PATIENT", "Ann", fragment=True) == ""
    assert policy.shown("mask", "DATE", "May", fragment=True) == "***"
    assert policy.shown("keep", "DATE", "May") == "May"
    assert policy.shown("generalise", "AGE", "93") == "90+"
    assert policy.shown("generalise", "PHONE", "93") == ""


def test_labels_of_a_site_are_labels():
    policy = load_policy(
        write(
            """
            name = "site"
            extends = "hipaa"
            [labels]
            STUDY = { hipaa = "R", description = "a study" }
            Trial_2 = {}
            [actions]
            STUDY = "mask"
            Trial_2 = "keep"
            [deny]
            STUDY = ["HEART-2"]
            """
        )
    )
    assert policy.known_labels == (*LABELS, "STUDY", "Trial_2")
    assert policy.hipaa_of["STUDY"] == "R" and "Trial_2" not in policy.hipaa_of
    assert policy.hipaa_of["DATE"] == "C" and policy.kept == ("Trial_2",)
    [candidate] = policy.denied("in Heart-2.")
    assert (candidate.start, candidate.end, candidate.label) == (3, 10, "STUDY")
    assert (candidate.detector, candidate.score) == (DENY, 1.0)
    assert list(policy.detector_hashes) == [DENY]
    assert Policy("a").detector_hashes == {} and not Policy("a").denies


def test_lists_beside_the_policy_are_read_and_hashed():
    write("4 West\n", "units.txt")
    text = 'name = "a"\n[deny]\nHOSPITAL = "units.txt"\n[allow]\n"*" = "units.txt"\n'
    before = load_policy(write(text))
    assert before.deny == {"HOSPITAL": {"4 west"}} and before.allow == {"*": {"4 west"}}
    write("4 West\n4 East\n", "units.txt")
    after = load_policy(write(text))
    assert after.fingerprint != before.fingerprint
    assert after.detector_hashes != before.detector_hashes
    # Not how it is written: the same phrases in the file itself.
    plain = (
        'name = "b"\n[deny]\nHOSPITAL = ["4  WEST", "4 east"]\n[allow]\n"*" = ["4 east", "4 west"]'
    )
    assert load_policy(write(plain)).fingerprint == after.fingerprint


def test_no_rule_is_called_as_the_deny_lists_are():
    assert DENY not in RECOGNISERS


def test_no_phrase_shows():
    policy = Policy("a", deny={"DATE": frozenset({"john smith"})}, veto={"*": frozenset({"jane"})})
    assert "smith" not in repr(policy) and "jane" not in repr(policy)
    assert "smith" not in str(policy.to_dict())


BY_TYPE = """
name = "site"
[actions]
DATE = "keep"
STATE = "keep"
[texts]
PATIENT = "<P>"
[allow]
"*" = ["a"]
[deny]
CITY = ["b"]
[note_types.Radiology]
default = "mask"
actions = { STATE = "redact" }
texts = { DATE = "<D>" }
allow = { "*" = ["c"] }
[note_types."radiology*"]
deny = { PATIENT = ["d"] }
[note_types."*CT*"]
veto = { "*" = ["E"] }
"""


@pytest.mark.parametrize(
    ("note_type", "expected"),
    [
        (None, None),
        ("", None),
        ("progress", None),
        ("radiology", "radiology"),
        (" RADIOLOGY\n", "radiology"),
        ("Radiology  report", "radiology*"),
        ("Radiology CT", "radiology*"),
        ("head ct 2", "*ct*"),
        ("radiolog", None),
        ("my radiology", None),
        ("*ct*", "*ct*"),
        ("x" * 100_000 + "ct", "*ct*"),
    ],
)
def test_which_policy_holds_for_a_note_type(note_type, expected):
    policy = load_policy(write(BY_TYPE))
    found = policy.for_note_type(note_type)
    assert found is (policy if expected is None else policy.note_types[expected])


def test_a_note_type_starts_from_the_rest_of_the_file():
    policy = load_policy(write(BY_TYPE))
    inner = policy.note_types["radiology"]
    assert (inner.action("DATE"), inner.action("STATE"), inner.action("CITY")) == (
        *("keep", "redact", "mask"),
    )
    assert policy.action("STATE") == "keep" and policy.action("CITY") == "redact"
    assert inner.marker("PATIENT") == "<P>" and inner.marker("DATE") == "<D>"
    assert inner.allow == {"*": {"a", "c"}} and inner.deny == {"CITY": {"b"}}
    assert policy.note_types["radiology*"].deny == {"CITY": {"b"}, "PATIENT": {"d"}}
    assert policy.note_types["*ct*"].vetoes("DATE", "e")
    assert policy.denies and Policy("a", note_types={"x": Policy("a")}).denies is False
    assert policy.to_dict() == {
        "name": policy.name,
        "hash": policy.fingerprint,
        "date_columns": "drop",
        "kept": ["DATE", "STATE"],
        "vetoes": {},
        "allowed": {"*": 1},
        "denied": {"CITY": 1},
        "note_types": {
            "*ct*": {"vetoes": {"*": 1}},
            "radiology": {"kept": ["DATE"], "allowed": {"*": 2}},
            "radiology*": {"denied": {"CITY": 1, "PATIENT": 1}},
        },
    }


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("*", "", True),
        ("a*a", "a", False),
        ("a*a", "aa", True),
        ("*b*", "abc", True),
        ("*b*c", "abcbc", True),
        ("*bc*c", "abc", False),
        ("a*b*c*", "axbxc", True),
        ("a*b*c*", "axcxb", False),
        ("**", "x", True),
    ],
)
def test_patterns_of_note_types(pattern, name, expected):
    policy = Policy("a", note_types={pattern: Policy("a", default="mask")})
    assert (policy.for_note_type(name) is not policy) == expected


def test_the_lists_of_a_policy_are_indexed_once_for_its_note_types():
    many = "\n".join(f"phrase {i}" for i in range(20_000))
    write(many, "many.txt")
    types = "".join(f'[note_types.t{i}.actions]\nDATE = "mask"\n' for i in range(50))
    policy = load_policy(write(f'name = "a"\n[deny]\nCITY = "many.txt"\n{types}'))
    assert len({id(inner._denied) for inner in (policy, *policy.note_types.values())}) == 1


# -- the manual

MANUAL = (Path(__file__).parents[3] / "docs/policies.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```toml\n(.*?)```", MANUAL, re.DOTALL)


@pytest.mark.parametrize("toml", BLOCKS, ids=[tomllib.loads(b)["name"] for b in BLOCKS])
def test_every_example_of_the_manual_loads(toml):
    write("Green Valley\n", "sites.txt")
    write(gzip.compress(b"Gregory House\n"), "staff.txt.gz")
    write("[rules.chart]\nlabel = 'IDNUM'\npatterns = ['GV-']\n", "rules.toml")
    policy = load_policy(write(toml))
    assert policy.name == tomllib.loads(toml)["name"] and policy.hipaa


def example(name):
    write("Green Valley\n", "sites.txt")
    write(gzip.compress(b"Gregory House\n"), "staff.txt.gz")
    return load_policy(write(next(b for b in BLOCKS if tomllib.loads(b)["name"] == name)))


def test_the_examples_of_the_manual_do_what_they_say():
    assert example("clinicians").kept == ("COUNTRY", "DOCTOR", "STATE")
    masks = example("mask")
    assert {masks.action(label) for label in LABELS} == {"mask"}
    assert example("markers").decide("CITY", "x") == ("redact", "[**CITY**]")
    assert example("markers").decide("PATIENT", "x") == ("redact", "[**Name**]")
    by_type = example("by-type")
    assert by_type.for_note_type("Radiology CT").kept == ("DOCTOR",) and by_type.kept == ()
    assert by_type.for_note_type("discharge summary").action("CITY") == "mask"
    text = "to 4 west with a Foley\ncatheter"
    reject = example("units").rejecter(text)
    assert reject("HOSPITAL", 3, 9) == "allow" and reject("DOCTOR", 3, 9) is None
    assert reject("PATIENT", text.index("Foley"), text.index("Foley") + 5) == "allow"
    assert [c.label for c in example("studies").denied("in the green valley  COHORT")] == ["STUDY"]
    found = example("lists").denied("dr. house, Gregory House at Green Valley")
    assert [c.label for c in found] == ["DOCTOR", "DOCTOR", "HOSPITAL"]


def test_every_key_and_action_is_in_the_manual():
    first = tomllib.loads(BLOCKS[0])
    assert set(first) | {"hipaa"} == set(policy_file._KEYS) and "`hipaa = true`" in MANUAL
    section = MANUAL.split("### Actions")[1].split("###")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(ACTIONS)
    section = MANUAL.split("### Note types")[1].split("\n## ")[0]
    assert all(f"`{key}`" in section for key in policy_file._PER_NOTE_TYPE)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            '[deny]\nDATE = []\n"John Smith" = ["PATIENT"]\n',
            r"\[deny\]: unknown \[key 2\]; allowed",
        ),
        ('[allow]\n"John Smith" = ["PATIENT"]\n', r"\[allow\]: unknown \[key 1\]"),
        ('[veto]\n"John Smith" = ["PATIENT"]\n', r"\[veto\]: unknown \[key 1\]"),
        ('[texts]\n"John Smith" = "PATIENT"\nX = "y"\n', r"\[texts\]: unknown \[key 1, 'X'\]"),
        ('[actions]\n"John Smith" = "redact"\n', r"\[actions\]: unknown \[key 1\]"),
        ('[actions]\nPATIENT = "John Smith"\n', r"PATIENT: the value is unknown; allowed"),
        ('[labels]\n"John Smith" = { item = "R" }\n', r"\[labels\]: expected names of 1 to 64"),
        ('"John Smith" = "PATIENT"\n', r"policy: unknown \[key 2\]"),
        ('[note_types.x.deny]\n"John Smith" = ["PATIENT"]\n', r"'x': \[deny\]: unknown \[key 1\]"),
    ],
)
def test_a_phrase_in_place_of_a_label_is_not_told(tmp_path, content, told):
    path = tmp_path / "p.toml"
    path.write_text('name = "a"\n' + content)
    with pytest.raises(UsageError, match=told) as caught:
        load_policy(str(path))
    assert "Smith" not in str(caught.value)


@pytest.mark.parametrize("key", ["actions", "texts", "veto", "allow", "deny"])
def test_a_policy_built_by_hand_tells_no_phrase_either(key):
    value = {"actions": "redact", "texts": "x"}.get(key, frozenset({"x"}))
    with pytest.raises(UsageError, match=rf"\[{key}\]: unknown \[key 1\]"):
        Policy("a", **{key: {"John Smith": value}})


def test_a_file_that_is_nested_too_deeply_is_refused(tmp_path):
    path = tmp_path / "site.toml"
    path.write_text("a = " + "[" * 100_000 + "]" * 100_000)
    with pytest.raises(UsageError, match="nested too deeply"):
        load_policy(str(path))


def test_generalise_may_be_spelt_the_american_way(tmp_path):
    file = tmp_path / "site.toml"
    file.write_text(
        'name = "site"\nextends = "hipaa"\n[actions]\nZIP = "generalize"\n'
        '[note_types.letter]\nactions = { AGE = "generalize" }\n'
    )
    policy = load_policy(str(file))
    assert policy.actions["ZIP"] == "generalise"
    assert policy.note_types["letter"].actions["AGE"] == "generalise"


def test_a_policy_called_hipaa_is_held_to_it_however_it_was_made():
    assert Policy("HIPAA").hipaa
    with pytest.raises(UsageError, match="keep is refused under hipaa"):
        Policy("hipaa", actions={"PATIENT": "keep"})
