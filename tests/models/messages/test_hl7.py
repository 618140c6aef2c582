"""HL7 v2: where values lie, which role they have, what is read as one note, what is put back."""

import base64
import pickle
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import DocumentError
from scrubline.models.core.views import applied
from scrubline.models.formats import FORMATS
from scrubline.models.formats.column_roles import Columns, Role
from scrubline.models.messages.hl7 import HL7
from scrubline.models.messages.hl7_escapes import Delimiters, Escapes, delimiters_of

FOLDER = Path(__file__).parent / "hl7"
SIGNS = Delimiters("|", "^", "~", "\\", "&")
HEAD = "MSH|^~\\&|LAB|SITE|EHR|CLINIC|20240312||ORU^R01|M1|P|2.5.1\r"
FORM = FORMATS["hl7"]


def roles(*overlaid):
    return Columns.of_record("hl7", overlaid).resolved([HL7.name])


def opened(*records, columns=None):
    columns = columns or roles()
    column = pa.array(records, pa.string())
    return FORM.nesting.open(column, HL7.name, columns.nested[HL7.name])


def cut(record, columns):
    return HL7.values(record, columns.nested[HL7.name].declared)


def values(record, *overlaid):
    columns = roles(*overlaid)
    named = dict(columns.roles)
    found = cut(record, columns)
    return [(value.place, value.value, str(named.get(value.name, ""))) for value in found]


# -- delimiters and escapes


def test_the_signs_are_those_that_the_message_names():
    assert delimiters_of(HEAD) == SIGNS
    assert delimiters_of("MSH$%~\\@$LAB") == Delimiters("$", "%", "~", "\\", "@")
    assert delimiters_of("MSH|^~|LAB") == Delimiters("|", "^", "~", "", "")

    assert delimiters_of("MSH||LAB") == Delimiters("|", "", "", "", "")
    assert delimiters_of("MSH|^~\\&#|LAB") == Delimiters("|", "^", "~", "\\", "&", "#")


@pytest.mark.parametrize(
    "head", ["", "MSH", "PID|1", "MSHA^~", "MSH|^^~&|", "MSH|^a|", "MSH|^~\\&&|"]
)
def test_what_names_no_signs_is_no_message(head):
    with pytest.raises(DocumentError, match="BadHl7"):
        delimiters_of(head)


@pytest.mark.parametrize(
    ("source", "read"),
    [
        ("plain", "plain"),
        (r"A\T\B", "A&B"),
        (r"\F\\S\\R\\E\\T\ ", "|^~\\& "),
        (r"one\.br\two\.sp3\three\.ce\four", "one\ntwo\nthree\nfour"),
        (r"\.in+4\\.ti-2\\.fi\in", "in"),
        (r"\H\Smi\N\th", "Smith"),
        (r"\X0D\\X0a\x", "\r\nx"),
        (r"Mu\XC3B1\oz", "Muñoz"),
        (r"Mu\XF1\oz", "Muñoz"),
        (r"C:\Users\x", r"C:\Users\x"),
        (r"\Zlocal\ \Z01\a \C2842\a \M242154\ ", r"\Zlocal\ a a  "),
        ("end\\", "end\\"),
        ("one~two", "one\ntwo"),
        # In lower case, as some feeds have them.
        (r"\h\Smi\n\th A\t\B \x53\mith\.BR\x", "Smith A&B Smith\nx"),
        # With blanks, and of other systems.
        (r"Smi\.in +4\th\.sk 2\x\.ne\y Smi\.fi\th", "Smith\nx\ny Smith"),
        (r"\X53 6D 69\th Smi\X746\h", "Smith Smith"),
        (f"\\X{'536D697468' * 60}\\", "Smith" * 60),
        # A sign that is none of an escape is no end of one either.
        (r"C:\x Smi\H\th", r"C:\x Smith"),
        (r"\ Smi\H\th", r"\ Smith"),
        (r"\\server Smi\H\th S\X6D\ith", r"\\server Smith Smith"),
        (r"5\6 Smi\H\th", r"5\6 Smith"),
        # What nobody knows is nothing within a word; what may be a word is read.
        (r"Smi\Q\th Smi\B1\th a\P\b", "Smith Smith ab"),
        (r"in\Smith\now in\Ada\now 5\Q\6", r"in\Smith\now in\Ada\now 5\Q\6"),
    ],
)
def test_an_escape_reads_as_what_it_stands_for(source, read):
    assert Escapes(SIGNS)(source).text == read


def test_the_sign_of_truncation_is_read_where_the_message_names_it():
    assert Escapes(delimiters_of("MSH|^~\\&#|"))(r"bed\P\5").text == "bed#5"


@given(st.text(), st.text())
def test_what_is_written_reads_as_it_was(before, text):
    escapes = Escapes(SIGNS)
    assert escapes.read(escapes.written(text)) == text
    source = escapes.written(f"{before}NAME.")
    whole = escapes(source)
    at = whole.text.rindex("NAME")
    new = applied(source, whole.edits([(at, at + 4, text)]))
    assert escapes(new).text == f"{before}{text}."


def test_a_text_that_needs_an_escape_is_refused_where_there_is_none():
    with pytest.raises(DocumentError):
        Escapes(delimiters_of("MSH|^|")).written("a|b")


# -- values


def test_values_have_their_places_and_roles():
    record = HEAD + "PID|1||123^^^S^MR~987^^^T^SS||QUIMBY&van^ZELDA^M||19610203|F"
    found = {place: (value, role) for place, value, role in values(record)}
    assert found["MSH-10"] == ("M1", "id")
    assert found["PID-3.1"] == ("123", "patient")
    assert found["PID-3[2].1"] == ("987", "patient")
    assert found["PID-3.5"] == ("MR", "pass")
    assert found["PID-5.1"] == ("QUIMBY van", "known")
    assert found["PID-7"] == ("19610203", "birth")
    assert not any(place.startswith(("MSH-1.", "MSH-2")) for place in found)


def test_a_field_that_says_delete_holds_nothing():
    assert [place for place, *_ in values(HEAD + 'PID|1||""||""')] == [
        place for place, *_ in values(HEAD + "PID|1")
    ]


def test_neighbours_with_lines_are_one_note():
    record = (
        HEAD + "OBX|1|TX|A^B||Ms. Zelda||||||F\rOBX|2|FT|A^B||Quimby \\T\\ son||||||F\r"
        "OBX|3|NM|A^B||7||||||F\rOBX|4|ST|A^B||alone||||||F\rNTE|1||first\rNTE|2||second"
    )
    notes = [(note.place, note.written.text) for note in opened(record).notes]
    assert notes == [
        ("OBX-5", "Ms. Zelda\nQuimby & son"),
        ("OBX[4]-5", "alone"),
        ("NTE-3", "first\nsecond"),
    ]


def test_a_line_without_text_is_one():
    record = HEAD + "OBX|1|TX|||one\rOBX|2|TX|||\rOBX|3|TX|||three"
    (note,) = opened(record).notes
    assert note.written.text == "one\n\nthree"


def test_a_name_over_two_lines_goes_from_both():
    record = HEAD + "OBX|1|TX|||seen Zelda\rOBX|2|TX|||Quimby today"
    (note,) = opened(record).notes
    assert note.written.joins == (10,)
    sources = note.written.replaced([(5, 10, "[P|T]"), (11, 17, "")])
    assert sources == [("OBX-5", "seen [P\\F\\T]"), ("OBX[2]-5", " today")]


def test_encapsulated_data_is_read_by_its_type():
    text = base64.b64encode(b"Zelda Quimby").decode()
    record = (
        HEAD
        + f"OBX|1|ED|||^TEXT^PLAIN^Base64^{text}\rOBX|2|ED|||APP^APPLICATION^PDF^Base64^JVBERi0="
    )
    column = opened(record)
    (note,) = column.notes
    assert note.written.text == "Zelda Quimby"
    (edit,) = note.written.replaced([(0, 5, "[PATIENT]")])
    assert base64.b64decode(edit[1]).decode() == "[PATIENT] Quimby"
    found = {place: role for place, _, role in values(record)}
    assert found["OBX[2]-5.5"] == "drop"


def test_damaged_encapsulated_data_cannot_be_read():
    (note,) = opened(HEAD + "OBX|1|ED|||^TEXT^^Base64^%%%").notes
    assert (note.written, note.error) == (None, "UnreadableAttachment")


@pytest.mark.parametrize(
    ("segment", "name"),
    [
        ("ZPD|1", "ZPD-1"),
        ("ZPD|1~2", "ZPD-1"),
        (f"PID|1||||{'^' * 15}x", "PID-5.16"),
        (f"PID|1||||a~b{'^' * 15}x", "PID-5.16"),
        ("OBX|1|QQ|||x", "OBX-5(QQ)"),
        ("OBX|1| zz|||x^y", "OBX-5(ZZ)"),
        # What can be no data type is not told.
        ("OBX|1|Zelda|||x", "OBX-5"),
    ],
)
def test_a_value_without_a_role_fails_its_row_and_is_named(segment, name):
    record = HEAD + segment
    assert opened(record).errors == {0: "UndeclaredColumn"}
    undeclared = FORM.nesting.undeclared(record, roles().nested[HL7.name])
    assert {found for found, _ in undeclared} == {name}


def roles_of_observations(*overlaid):
    """Data type -> the role of its value."""
    kinds = ("", "NM", "TX", "ED", "QQ")
    data = base64.b64encode(b"Zelda Quimby").decode()
    observed = dict.fromkeys(kinds, "7") | {"ED": f"^TEXT^^Base64^{data}"}
    record = HEAD + "\r".join(f"OBX|1|{kind}|||{value}" for kind, value in observed.items())
    columns = roles(*overlaid)
    named = dict(columns.roles)
    by_place = {v.place: str(named.get(v.name, "")) for v in cut(record, columns)}
    places = ("OBX-5", "OBX[2]-5", "OBX[3]-5", "OBX[4]-5.5", "OBX[5]-5")
    return dict(zip(kinds, map(by_place.get, places), strict=True))


def test_what_is_said_of_all_observations_holds_for_types_without_an_entry():
    by_default = {"": "text", "NM": "pass", "TX": "text", "ED": "text", "QQ": ""}
    assert roles_of_observations() == by_default
    assert roles_of_observations(("OBX-5", "drop")) == by_default | {"": "drop", "QQ": "drop"}
    assert roles_of_observations(("OBX-5(QQ)", "drop")) == by_default | {"QQ": "drop"}
    assert roles_of_observations(("OBX-5(NM)", "hash")) == by_default | {"NM": "hash"}


def test_what_is_said_of_a_segment_holds_for_all_in_it():
    found = roles_of_observations(("OBX", "drop"))
    assert found.pop("ED") is None  # dropped as a whole
    assert set(found.values()) == {"drop"}
    # Whoever says that all is text has encapsulated data decoded, too.
    (*_, note, _) = opened(
        HEAD + f"OBX|1|ED|||^TEXT^^Base64^{base64.b64encode(b'Zelda').decode()}||||||F",
        columns=roles(("OBX", "text")),
    ).notes
    assert note.written.text == "Zelda"


def test_the_most_specific_role_wins():
    record = HEAD + "ZPD|a|b^c"
    assert {p: r for p, _, r in values(record, ("ZPD", "drop"), ("ZPD-2.2", "pass"))}.items() >= {
        "ZPD-1": "drop",
        "ZPD-2.1": "drop",
        "ZPD-2.2": "pass",
    }.items()
    # What is said of a field holds for its components, whatever the table says of these.
    pid = HEAD + "PID|1||9||A^B"
    assert {p: r for p, _, r in values(pid, ("PID-5", "drop"))}["PID-5"] == "drop"
    assert {p: r for p, _, r in values(pid, ("PID", "drop"), ("ZPX-1", "patient"))}[
        "PID-3"
    ] == "drop"


def test_another_id_takes_the_place_of_the_tables():
    columns = roles(("OBR-3", "id"))
    assert columns.named(Role.ID) == ("OBR-3",)
    assert dict(columns.roles)["MSH-10"] is Role.DROP


@pytest.mark.parametrize("record", ["PID|1", "MSH|^~\\&|\rpid|1", "MSH|^~\\&|\rno segment", "MSH"])
def test_what_is_no_message_is_an_error(record):
    assert opened(record).errors == {0: "BadHl7"}


# -- put together again


def all_gone(column, columns):
    """The records with every text, id, hash and date replaced, and all else done by its role."""
    named = dict(columns.roles)
    cells = {}
    for name, leaf in column.leaves.items():
        role = named[name]
        if role in (Role.PASS, Role.TYPE):
            cells[name] = leaf.cells
        elif role in (Role.HASH, Role.ID, Role.PATIENT):
            cells[name] = pa.array(["x"] * len(leaf.rows), pa.string())
    sources = {}
    for note in column.notes:
        text, start, edits = note.written.text, 0, []
        for end in (*note.written.joins, len(text)):
            if end > start:
                edits.append((start, end, "[X]"))
            start = end + 1
        sources |= {(note.row, place): source for place, source in note.written.replaced(edits)}
    for name, leaf in column.leaves.items():
        if named[name] is Role.TEXT:
            new = [sources[key] for key in zip(leaf.rows, leaf.places, strict=True)]
            cells[name] = pa.array(new, pa.string())
    return column.closed(cells).to_pylist()


def records_of(path):
    from scrubline.models.formats import FormatOptions, Limits
    from scrubline.models.storage.storage import Storage

    content = path.read_bytes()
    form = FORM.configured(FormatOptions(encoding="latin-1" if b"8859/1" in content else "utf-8"))
    storage = Storage()
    (file,) = storage.list_files([str(path)])
    (locator,) = form.plan(storage, 0, file, 1 << 30, Limits())
    found = list(form.records(storage, file, locator, Limits()))
    assert not any(error for _, _, error in found)
    return [record for record, _, _ in found]


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.hl7")), ids=lambda path: path.stem)
def test_nothing_that_was_planted_is_left(path):
    records = records_of(path)
    zed = ("ZPD", "drop"), ("ZVT", "drop"), ("ZNT", "drop")
    columns = roles(*zed)
    column = opened(*records, columns=columns)
    assert column.errors == {}
    out = "\n".join(all_gone(column, columns))
    planted = path.with_suffix(".planted").read_text(encoding="utf-8").splitlines()
    assert [one for one in planted if one in out] == []
    assert [one for one in planted if one in "\n".join(records)]
    # Nothing is taken but values: the skeleton of the message is as it was.
    assert out.count("\r") == "\n".join(records).count("\r")


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.hl7")), ids=lambda path: path.stem)
def test_records_with_the_values_that_they_had_are_as_they_were(path):
    records = records_of(path)
    column = opened(*records, columns=roles(("ZPD", "drop"), ("ZVT", "drop"), ("ZNT", "drop")))
    cells = {name: leaf.cells for name, leaf in column.leaves.items()}
    assert column.closed(cells).to_pylist() == records


FIELDS = st.lists(st.text(st.sampled_from('aZ9|^~\\&. "éx'), max_size=20), min_size=1, max_size=12)
SEGMENTS = st.tuples(st.sampled_from(["PID", "OBX", "NTE", "PV1", "OBR", "ZPD"]), FIELDS)


@given(st.lists(SEGMENTS, max_size=8), st.sampled_from(["\r", "\n", "\r\n"]), st.data())
def test_all_that_is_not_replaced_stays(segments, end, data):
    record = HEAD.rstrip("\r") + "".join(f"{end}{name}|{'|'.join(f)}" for name, f in segments)
    columns = roles(
        ("ZPD", "drop"), ("PID", "drop"), ("PV1", "drop"), ("OBX", "text"), ("X-1", "patient")
    )
    column = opened(record, columns=columns)
    if column.errors:
        return
    found = cut(record, columns)
    position = 0
    for value in found:
        assert position <= value.start <= value.end
        assert value.start < value.end or value.layers
        position = value.end
    assert position <= len(record)
    gone = frozenset(data.draw(st.sets(st.sampled_from(sorted(column.leaves)))) if found else ())
    cells = {name: leaf.cells for name, leaf in column.leaves.items() if name not in gone}
    (out,) = column.closed(cells).to_pylist()
    expected = record
    for value in reversed(found):
        if value.name in gone:
            expected = expected[: value.start] + expected[value.end :]
    assert out == expected


def test_roles_of_messages_travel_as_what_was_declared():
    columns = Columns.of_record("hl7", [("ZPD", "pass")], ["PATIENT"]).resolved(["hl7"])
    packed = pickle.dumps(columns)
    assert len(packed) < 1000
    again = pickle.loads(packed)
    assert again == columns and again.paths == columns.paths
    assert Columns.parse(columns.to_json()) == columns


NOTE = base64.b64encode(b"Seen Zelda Quimby today, by Dr. Fotheringay.").decode()
PACKAGE = (
    "MIME-Version: 1.0\\X0D0A\\Content-Transfer-Encoding: BASE64\\X0D0A\\\\X0D0A\\"
    f"{NOTE}\\X0D0A\\--b--"
)


@pytest.mark.parametrize(
    "data",
    [
        "^PDF^Base64^JVBERi0xLjQgUXVpbWJ5",
        f"^TEXT^Base64^{NOTE}",
        f"x^{NOTE}",
        f"{NOTE}",
        f"^TEXT^{NOTE}^Base64^x",
        f"^{NOTE}^PLAIN^Base64^x",
        f"^TEXT&Quimby^PLAIN^Base64^{NOTE}",
        *(f"^TEXT^PLAIN^{word}^{NOTE}" for word in ("BASE-64", "B64", "binary", "", "x")),
    ],
)
def test_encapsulated_data_of_another_shape_goes_whole(data):
    record = HEAD + f"OBX|1|ED|||{data}||||||F"
    found = {place: value for place, *value in values(record) if place.startswith("OBX-5")}
    assert [role for _, role in found.values()] == ["drop"] and list(found) == ["OBX-5"]


@pytest.mark.parametrize("kind", ["", "QQ"])
def test_what_is_encoded_is_no_text_without_a_type(kind):
    known = ("OBX-5", "text")
    for data in (NOTE, f"x^{NOTE}", f"^TEXT^Base64^{NOTE}"):
        found = {p: role for p, _, role in values(HEAD + f"OBX|1|{kind}|||{data}", known)}
        assert found["OBX-5"] == "drop"
    record = HEAD + f"OBX|1|{kind}|||^TEXT^PLAIN^Base64^{NOTE}"
    (note,) = opened(record, columns=roles(known)).notes
    assert note.written.text == "Seen Zelda Quimby today, by Dr. Fotheringay."
    found = {p: role for p, _, role in values(HEAD + f"OBX|1|{kind}|||Seen Zelda^Quimby", known)}
    assert found["OBX-5"] == "text"


@pytest.mark.parametrize(
    "data",
    [
        f"^multipart^x-hl7-cda-level-one^A^{PACKAGE}",
        f"^multipart^^A^{PACKAGE}",
        f"^TEXT^PLAIN^A^{NOTE}",
        f"^TEXT^PLAIN^Base64^{base64.b64encode(NOTE.encode()).decode()}",
        f"^TEXT^XML^Base64^{NOTE}",
        "^TEXT^PLAIN^Base64^JVBERi0xLjQgUXVpbWJ5",
    ],
)
def test_encapsulated_data_that_is_no_text_goes(data):
    found = {place: role for place, _, role in values(HEAD + f"OBX|1|ED|||{data}||||||F")}
    assert found["OBX-5.5"] == "drop"
    assert found["OBX-5.4"] == "pass"


@pytest.mark.parametrize(
    "data",
    [
        f"^TEXT^PLAIN^base64^{NOTE}",
        f"^text^^Base\\X36\\4^{NOTE}",
        f"^TEXT^PLAIN^BASE64^{NOTE[:20]}\\.br\\{NOTE[20:]}",
        "^TEXT^PLAIN^A^Seen Zelda Quimby today, by Dr. Fotheringay.",
        f"^TEXT^PLAIN^hex^{base64.b64decode(NOTE).hex()}",
    ],
)
def test_encapsulated_text_is_decoded(data):
    (note,) = opened(HEAD + f"OBX|1|ED|||{data}||||||F").notes
    assert note.written.text == "Seen Zelda Quimby today, by Dr. Fotheringay."
