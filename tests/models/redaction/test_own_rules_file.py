"""The files of a site's own rules, as a policy names them."""

import pickle

import fsspec
import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.redaction.own_rules_file import MOST_FILES, MOST_TESTS
from scrubline.models.redaction.policy import Policy
from scrubline.models.redaction.policy_file import load_policy

POLICY = 'name = "site"\nextends = "hipaa"\nrules = ["rules.toml"]\n'
RULES = """
[rules.slip]
label = "IDNUM"
patterns = ['SL-\\d{4}', 'SLIP (?P<STUDY_A>\\d{3})']
near = "words.txt"
veto = ["0000"]
[rules.chart]
label = "Study_b"
patterns = ['GV-\\d{4}']
"""
LABELS = '[labels]\nSTUDY-A = { hipaa = "R" }\nStudy_b = {}\n'


def write(folder, policy=POLICY + LABELS, rules=RULES, words="chart\nfile\n"):
    folder.mkdir(exist_ok=True)
    (folder / "policy.toml").write_text(policy)
    (folder / "rules.toml").write_text(rules)
    (folder / "words.txt").write_text(words)
    return str(folder / "policy.toml")


def test_rules_and_their_lists_are_read_from_beside_the_files(tmp_path):
    policy = load_policy(write(tmp_path))
    assert [rule.name for rule in policy.rules] == ["chart", "slip"]
    chart, slip = policy.rules
    assert chart.labels == ("Study_b",) and slip.labels == ("IDNUM", "STUDY-A")
    assert slip.near == {"chart", "file"} and slip.veto == {"0000"} and slip.window == 50
    assert set(policy.detector_hashes) == {"own:chart", "own:slip"}
    assert policy.to_dict()["rules"] == ["chart", "slip"]
    assert pickle.loads(pickle.dumps(policy)) == policy
    assert not policy.denies and policy.note_types == {}


def test_rules_may_lie_elsewhere(tmp_path):
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules/words.txt").write_text("page\n")
    (tmp_path / "rules/r.toml").write_text(RULES)
    with fsspec.open("memory://own/more.toml", "wb") as stream:
        stream.write(b"[rules.more]\nlabel = 'DATE'\npatterns = ['x']\n")
    names = f"['rules/r.toml', 'memory://own/more.toml', '{tmp_path}/last.toml']"
    (tmp_path / "last.toml").write_text("[rules.last]\nlabel = 'DATE'\npatterns = ['y']\n")
    policy = load_policy(write(tmp_path, POLICY.replace('["rules.toml"]', names) + LABELS))
    assert [rule.name for rule in policy.rules] == ["chart", "last", "more", "slip"]
    assert policy.rules[-1].near == {"page"}


def test_a_policy_without_rules_is_as_it_was():
    assert "rules" not in load_policy("hipaa").to_dict()
    assert load_policy("hipaa")._content().keys() == Policy("hipaa", hipaa=True)._content().keys()
    assert "rules" not in load_policy("hipaa")._content()


def test_note_types_share_the_rules(tmp_path):
    policy = load_policy(write(tmp_path, POLICY + LABELS + '[note_types.x]\ndefault = "mask"\n'))
    assert policy.for_note_type("x").rules == policy.rules


@pytest.mark.parametrize(
    ("changed", "same"),
    [
        ({"words": "chart\npage\n"}, False),
        ({"words": "file\n\nCHART\n"}, True),
        ({"rules": RULES.replace("0000", "0001")}, False),
        ({"rules": RULES.replace("GV", "GW")}, False),
        ({"rules": RULES.replace("chart", "other")}, False),
        ({"rules": "# said\n" + RULES + "leaves = ['x']\n"}, True),
    ],
)
def test_what_decides_is_in_the_fingerprint(tmp_path, changed, same):
    one = load_policy(write(tmp_path / "a"))
    other = load_policy(write(tmp_path / "b", **changed))
    assert (one.fingerprint == other.fingerprint) == same


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ("", r"rules 1: expected a table \[rules.NAME\]"),
        ("rules = 3", r"rules 1: expected a table \[rules.NAME\]"),
        (
            "[rule.x]",
            r"rules 1: file: unknown \['rule'\] \(did you mean 'rules'\?\); allowed: \['rules'\]",
        ),
        ("[rules]\nx = 3", r"rules 1: \[rules.x\]: expected a table"),
        ('[rules."John Smith"]', r"rules 1: \[rules\]: name 1: expected names of 1 to 40 small"),
        ("[rules.x]\nlabel = 'DATE'", r"\[rules.x\]: patterns: expected 1 to 20"),
        (
            "[rules.x]\nlabels = 'DATE'",
            r"\[rules.x\]: unknown \['labels'\] \(did you mean 'label'\?\); allowed",
        ),
        ('[rules.x]\n"John Smith" = 1', r"\[rules.x\]: unknown \[key 1\]; allowed"),
        ("[rules.x]\nlabel = 'John'\npatterns = ['a']", r"\[rules.x\]: label: unknown; allowed"),
        ("[rules.x]\nlabel = 3\npatterns = ['a']", r"\[rules.x\]: label: unknown"),
        ("[rules.x]\nlabel = 'DATE'\npatterns = 'John'", "patterns: expected a list of strings"),
        ("[rules.x]\nlabel = 'DATE'\npatterns = ['(John']", r"\[rules.x\]: patterns 1: RE2 cannot"),
        ("[rules.x]\nlabel = 'DATE'\npatterns = ['a']\nnear = ['-']", r"\[rules.x\]: near: every"),
        ("[rules.x]\nlabel = 'DATE'\npatterns = ['a']\nveto = 'John.txt'", "veto: list 1 cannot"),
        ("[rules.x]\nlabel = 'DATE'\npatterns = ['a']\nwindow = 'John'", "window: expected"),
        ("[rules.x]\nlabel = 'DATE'\npatterns = ['a']\nfinds = 'John'", "finds: expected a list"),
        (
            f"[rules.x]\nlabel = 'DATE'\npatterns = ['a']\nleaves = {['a'] * (MOST_TESTS + 1)}",
            f"leaves: expected at most {MOST_TESTS} texts",
        ),
        ("John Smith", "rules 1: the rules file is not valid TOML"),
        ("\n".join(f"[rules.r{n}]\nlabel='DATE'\npatterns=['a']" for n in range(101)), "100 rules"),
    ],
)
def test_what_is_refused_is_told_by_file_rule_and_key(tmp_path, rules, told):
    with pytest.raises(UsageError, match=f"^policy: .*{told}") as caught:
        load_policy(write(tmp_path, POLICY, rules))
    assert "John" not in str(caught.value)


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ('"rules.toml"', "rules: expected a list of strings"),
        ('["John.toml"]', "rules 1: the rules file does not exist$"),
        ('["rules.toml", "rules.toml"]', r"rules 2: \[rules.slip\]: another file has a rule of"),
        (f"{['x'] * (MOST_FILES + 1)}", f"rules: expected at most {MOST_FILES} files"),
    ],
)
def test_files_that_are_refused(tmp_path, names, told):
    with pytest.raises(UsageError, match=f"^policy: {told}") as caught:
        load_policy(write(tmp_path, POLICY.replace('["rules.toml"]', names) + LABELS))
    assert "John" not in str(caught.value)


def test_a_policy_made_by_hand_is_checked_too(tmp_path):
    chart, slip = load_policy(write(tmp_path)).rules
    with pytest.raises(UsageError, match=r"chart: unknown labels \['Study_b'\]"):
        Policy("x", rules=(chart,))
    with pytest.raises(UsageError, match="in order of their names"):
        Policy("x", rules=(slip, chart))
