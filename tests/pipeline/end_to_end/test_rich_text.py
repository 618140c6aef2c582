"""Columns of HTML, RTF and XML, from planning to `verify`: found as read, replaced in place."""

import base64
import json
import re

import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.cli import main as cli
from scrubline.pipeline.options import options_from
from scrubline.pipeline.run import scrub

HTML = (
    '<!DOCTYPE html>\n<html><head><title>Quimby</title></head><body class="note"><!-- by zq -->\n'
    '<p title="Zelda">Seen Dr. Qui<b>mby</b> on 3/4/2<i>019</i>.</p>\n<p>MRN:&nbsp;1234567,\n'
    '   phone 555&#8209;867&#45;5309</p><img src="http://x/zelda.png" alt="x"></body></html>'
)
RTF = (
    r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}}{\info{\author Zelda}}"
    "\n\\f0\\fs24 Seen Dr. Qui{\\b mby} on 3/4/2019.\\par MRN: 12345{\\i 67}\\par}"
)
XML = '<?xml version="1.0"?>\n<note author="Zelda"><p>Seen Dr. Quimby on 3/4/2019.</p></note>'
ROWS = [("h", HTML), ("r", RTF), ("x", XML), ("t", "Seen Dr. Quimby on 3/4/2019, <120/80>.")]
OUT = {
    "h": '<!DOCTYPE html>\n<html><head><title>[DOCTOR]</title></head><body class="note"><!---->\n'
    '<p title="Zelda">Seen Dr. [DOCTOR]<b></b> on [DATE]<i></i>.</p>\n<p>MRN:&nbsp;[MEDICALRECORD],'
    '\n   phone [PHONE]</p><img src="" alt="x"></body></html>',
    "r": r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}}{\info}"
    "\n\\f0\\fs24 Seen Dr. [DOCTOR]{\\b } on [DATE].\\par MRN: [MEDICALRECORD]{\\i }\\par}",
    "x": '<?xml version="1.0"?>\n<note author=""><p>Seen Dr. [DOCTOR] on [DATE].</p></note>',
    "t": "Seen Dr. [DOCTOR] on [DATE], <120/80>.",
}
CANARIES = ("mby", "019", "12345", "867", "zq", "zelda.png")


def write(folder, rows=ROWS):
    folder.mkdir(exist_ok=True)
    lines = [json.dumps({"id": name, "text": text}) for name, text in rows]
    (folder / "a.jsonl").write_text("\n".join(lines))
    return folder


def run(source, output, key_file, role="text", **more):
    columns = {"id": "id", "text": role}
    said = {"model": ["none"], "key_file": key_file, "column": columns, "progress": False}
    said |= {"input": [str(source)], "output": str(output)} | more
    return scrub(Storage(), options_from(said, {}))


def published(output):
    return [
        json.loads(line)["text"]
        for path in sorted((output / "data").glob("*.jsonl"))
        for line in path.read_text().splitlines()
    ]


def verified(output, key_file):
    with pytest.raises(SystemExit) as ended:
        cli.main(["verify", "--output", str(output), "--key-file", key_file, "--originals"])
    return ended.value.code


def test_what_begins_as_markup_is_read_as_such_and_told(tmp_path, key_file, caplog):
    manifest = run(write(tmp_path / "in"), tmp_path / "out", key_file)
    assert dict(zip("hrxt", published(tmp_path / "out"), strict=True)) == OUT
    counts = manifest["counts"]
    assert [counts[f"documents_as_{kind}"] for kind in ("html", "rtf", "xml")] == [1, 1, 1]
    assert "1 document looked like RTF" in caplog.text
    assert "text:rtf (its other texts stay plain), or as text:plain" in caplog.text
    assert "text:html if all its texts are, or leave it undeclared if some are plain" in caplog.text
    assert verified(tmp_path / "out", key_file) == 0


@pytest.mark.parametrize(("name", "kind"), [("h", "html"), ("r", "rtf"), ("x", "xml")])
def test_what_is_declared_is_not_told(tmp_path, key_file, caplog, name, kind):
    source = write(tmp_path / "in", [(name, dict(ROWS)[name])])
    manifest = run(source, tmp_path / "out", key_file, f"text:{kind}")
    assert published(tmp_path / "out") == [OUT[name]]
    assert f"documents_as_{kind}" not in manifest["counts"]
    assert "looked like" not in caplog.text
    assert verified(tmp_path / "out", key_file) == 0


def test_a_column_of_rtf_holds_plain_texts_too(tmp_path, key_file, caplog):
    source = write(tmp_path / "in", [ROWS[1], ("e", ""), ("b", " \r\n"), ROWS[3]])
    manifest = run(source, tmp_path / "out", key_file, "text:rtf")
    assert published(tmp_path / "out") == [OUT["r"], "", " \r\n", OUT["t"]]
    assert manifest["counts"]["rows_quarantined"] == 0
    assert "looked like" not in caplog.text
    assert verified(tmp_path / "out", key_file) == 0


def test_texts_in_another_encoding_than_they_were_read_in_are_told(tmp_path, key_file, caplog):
    misread = "Frau Müller war da".encode().decode("cp1252")
    source = write(tmp_path / "in", [("m", misread), ("n", "Frau Müller war da"), ROWS[3]])
    assert run(source, tmp_path / "out", key_file)["counts"]["documents_misread"] == 1
    assert "1 document looked like UTF-8 read as another encoding" in caplog.text


def test_messages_that_are_scrubbed_as_texts_are_told(tmp_path, key_file, caplog):
    source = write(tmp_path / "in", [("m", "MSH|^~\\&|A\rPV1|1"), ROWS[3]])
    assert run(source, tmp_path / "out", key_file)["counts"]["documents_like_hl7"] == 1
    assert "1 document began as messages of HL7 v2" in caplog.text and "--format hl7" in caplog.text
    manifest = run(source, tmp_path / "plain", key_file, "text:plain")
    assert "documents_like_hl7" not in manifest["counts"]


def test_what_is_declared_plain_is_read_as_it_is_written(tmp_path, key_file):
    run(write(tmp_path / "in", ROWS[1:2]), tmp_path / "out", key_file, "text:plain")
    (text,) = published(tmp_path / "out")
    assert "{\\author Zelda}" in text and "[DATE]" in text


def test_broken_markup_is_in_the_quarantine(tmp_path, key_file):
    source = write(tmp_path / "in", [("r", "{\\rtf1 Seen {\\b Dr. Quimby"), ROWS[3]])
    manifest = run(source, tmp_path / "out", key_file, max_quarantined=0.5)
    assert manifest["errors"] == {"read: UnmappedMarkup": 1}
    assert published(tmp_path / "out") == [OUT["t"]]


def test_a_kind_that_there_is_not_is_refused(tmp_path, key_file):
    with pytest.raises(UsageError, match=r"did you mean 'html'.*may be html, rtf, xml"):
        run(write(tmp_path / "in"), tmp_path / "out", key_file, "text:htm")


def test_lines_of_a_note_are_no_markup(tmp_path, key_file):
    source = tmp_path / "in"
    source.mkdir()
    rows = [{"id": 1, "n": n, "text": line} for n, line in enumerate(RTF.splitlines())]
    (source / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    said = {"column": {"id": "id", "n": "drop", "text": "text:rtf"}, "group_lines": "id,n"}
    with pytest.raises(UsageError, match="the lines of a note cannot be rtf"):
        run(source, tmp_path / "out", key_file, **said)


def test_known_people_are_found_and_asserted_as_read(tmp_path, key_file):
    source = tmp_path / "in"
    source.mkdir()
    row = {"id": 1, "who": "Zelda Quimby", "text": "<p>zel<b>da</b> quim&#98;y was here</p>"}
    (source / "a.jsonl").write_text(json.dumps(row))
    columns = {"id": "id", "who": "known:name", "text": "text:html"}
    run(source, tmp_path / "out", key_file, column=columns)
    assert published(tmp_path / "out") == ["<p>[PATIENT]<b></b> was here</p>"]


CDA = (
    '<!-- x -->\n<ClinicalDocument xmlns="urn:hl7-org:v3"><recordTarget>'
    "<patientRole><patient><name><given>Zelda</given></name></patient></patientRole></recordTarget>"
    "<component><section><text>Seen Dr. Quimby.</text></section></component></ClinicalDocument>"
)


def test_of_documents_of_cda_in_texts_titles_and_narratives_stay(tmp_path, key_file, caplog):
    source = write(tmp_path / "in", [("c", CDA), ROWS[2]])
    manifest = run(source, tmp_path / "out", key_file)
    assert manifest["counts"]["documents_like_ccda"] == 1
    assert "1 document of CDA" in caplog.text and "--format ccda" in caplog.text
    assert not re.search("zelda|quimby", "".join(published(tmp_path / "out")), re.I)
    assert "Seen Dr. [DOCTOR]." in "".join(published(tmp_path / "out"))
    assert verified(tmp_path / "out", key_file) == 0
    manifest = run(source, tmp_path / "declared", key_file, "text:xml")
    assert "documents_like_ccda" not in manifest["counts"]


def test_attachments_that_are_documents_of_cda_are_told(tmp_path, key_file, caplog):
    data = base64.b64encode(CDA.encode()).decode()
    attachment = {"contentType": "application/xml", "data": data}
    record = {
        "resourceType": "DocumentReference",
        "id": "1",
        "content": [{"attachment": attachment}],
    }
    source = tmp_path / "a.ndjson"
    source.write_text(json.dumps(record))
    more = {"format": "fhir", "column": {}}
    manifest = run(source, tmp_path / "out", key_file, **more)
    assert manifest["counts"]["documents_like_ccda"] == 1
    assert "1 document of CDA" in caplog.text
    assert verified(tmp_path / "out", key_file) == 0
