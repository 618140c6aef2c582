"""Templates are read as docs/synth.md says, and what is wrong is named by template and line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.synth.parsing import (
    Choice,
    Mark,
    Slot,
    TemplateError,
    Text,
    load_templates,
    parse_template,
    parse_templates,
)


def test_every_construct_is_read():
    template = parse_template(
        "#patient: f\n#age: 60-90\nA {p.lf!u} | [[x|{day}|]] ⟦PATIENT:{p.first} Z⟧⟦NBSP⟧b {n:3-9}\n"
    )
    assert template.settings == {"patient": "f", "age": "60-90"}
    assert template.nodes == (
        Text("A "),
        Slot("p", "", "lf", "", "u", 3),
        Text(" | "),
        Choice(((Text("x"),), (Slot("day", "", "", "", "", 3),), ())),
        Text(" "),
        Mark("PATIENT", (Slot("p", "", "first", "", "", 3), Text(" Z"))),
        Text("\N{NO-BREAK SPACE}b "),
        Slot("n", "", "", "3-9", "", 3),
        Text("\n"),
    )


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("a\n{p", "line 2: a slot is malformed"),
        ("{p.LF}", "line 1: a slot is malformed"),
        ("{p!x}", "line 1: unknown case !x"),
        ("}", "line 1: unmatched '}'"),
        ("a\n\n]]", "line 3: unmatched ']]'"),
        ("a\n[[b|c", "line 2: what opens here has no closing ']]'"),
        ("⟦NAME:x⟧", "line 1: the label of a mark is not native"),
        ("⟦DATE:x", "line 1: what opens here has no closing '⟧'"),
        ("⟧", "line 1: unmatched '⟧'"),
        ("#patient: x\n", "line 1: a setting is unknown or has an invalid value"),
        ("#age: 1-9\n#colour: red\n", "line 2: a setting is unknown"),
        ("#age: 90-60\nx", "line 1: the first age is above the second"),
    ],
)
def test_what_is_wrong_is_named(source, message):
    with pytest.raises(TemplateError) as caught:
        parse_template(source, "clinic-note", 7)
    assert str(caught.value).startswith(f"clinic-note 7, {message}")


def test_a_file_has_a_template_before_each_end():
    one, two = parse_templates("a\nb\n%%\n\n#age: 1-2\nc\n%%\n", "letter")
    assert (one.nodes, one.name) == ((Text("a\nb"),), "letter-001")
    assert (two.nodes, two.name) == ((Text("c"),), "letter-002")
    with pytest.raises(TemplateError, match="letter 2: no line of %% follows it"):
        parse_templates("a\n%%\nb\n", "letter")


@given(st.text(alphabet=st.sampled_from("{}[]|⟦⟧:.!#p1dA \nDATE")))
def test_any_text_is_read_or_refused(source):
    try:
        parse_template(source)
    except TemplateError:
        return


def test_templates_of_a_folder(tmp_path):
    (tmp_path / "b.txt").write_bytes(b"x {p}\r\n%%\r\n")
    (tmp_path / "a.txt").write_text("y\n%%\n")
    (tmp_path / "notes.md").write_text("not a template")
    names = [template.name for template in load_templates(str(tmp_path))]
    assert names == ["a-001", "b-001"]
    assert load_templates(str(tmp_path))[1].nodes[0] == Text("x ")


def test_a_folder_without_templates_is_refused(tmp_path):
    with pytest.raises(UsageError, match="no templates"):
        load_templates(str(tmp_path))
    (tmp_path / "a.txt").write_bytes(b"\xff%%\n")
    with pytest.raises(TemplateError, match="a: not UTF-8"):
        load_templates(str(tmp_path))
