"""Promise 5 for messages and rich text: canaries in headers, in texts and in what is refused."""

import base64
import json

import pytest
from scrubline.models.formats.message_files import LOOK_BYTES

from .test_canary import FILE, ID, TEXT, common, phi, restricted, sinks  # noqa: F401 (fixtures)

NAME = f"{TEXT}son"
HTML = f'<html><!-- {TEXT} --><body title="{NAME}"><p>Seen Dr. {TEXT[:4]}<b>{TEXT[4:]}son</b>,'


def told(number):
    """A report that names the patient of the header, and what the rules find."""
    return f"Mrs. {NAME} was seen. {phi(number)}Her son called; {NAME.upper()} signed."


def html(number):
    return f"{HTML} {told(number)}</p><img src='http://x/{TEXT}.png'></body></html>"


def rtf(number):
    lines = "\\par\n".join(told(number).replace(TEXT, f"{TEXT[:5]}{{\\b {TEXT[5:]}}}").splitlines())
    return f"{{\\rtf1\\ansi{{\\info{{\\author {TEXT}}}}}{lines}\\par}}"


def hl7(number, more=()):
    lines = told(number).splitlines()
    segments = [
        f"MSH|^~\\&|{TEXT}|SITE|EHR|SITE|20240312101500||ORU^R01|{ID}-m{number}|P|2.5.1",
        f"PID|1||{ID}-{number}^^^SITE^MR||{NAME}^Zelda||19610203|F|||{TEXT} Rd 1^^Oakham^IL",
        f"NK1|1|{TEXT}kin^Ann|SIS",
        f"PV1|1|I|{TEXT}^12||||77^{TEXT}doc^Ignatz",
        f"OBR|1|{ID}-o{number}||71020^XRAY^L|||20240312",
        *(f"OBX|{at}|TX|71020^XRAY^L||{line}||||||F" for at, line in enumerate(lines, 1)),
        *more,
    ]
    return "\r".join(segments) + "\r"


def hl7_feed():
    """Messages, one that is broken, one with a field that nobody declared, where nobody looked."""
    filler = hl7(
        900, [f"OBX|9|TX|a^b^L||{'word ' * 200}||||||F" for _ in range(LOOK_BYTES // 1000)]
    )
    broken = f"MSH{TEXT}|{ID}\rPID|1||{ID}\r"
    late = hl7(901, [f"ZPD|1|{TEXT} value"])
    return "".join([*map(hl7, range(5)), broken, filler, late, hl7(902)]).encode(), {
        "read: BadHl7": 1,
        "read: UndeclaredColumn": 1,
    }


def note(number, **more):
    data = base64.b64encode(html(number).encode()).decode()
    return {
        "resourceType": "DocumentReference",
        "id": f"{ID}-{number}",
        "status": "current",
        "subject": {"reference": f"Patient/{ID}-p{number}", "display": f"Zelda {NAME}"},
        "author": [{"display": f"Dr. {TEXT}doc"}],
        "description": told(number),
        "content": [{"attachment": {"contentType": "text/html", "data": data}}],
        **more,
    }


def fhir_export():
    filler = [note(900 + n, description="word " * (LOOK_BYTES // 20)) for n in range(5)]
    rows = [json.dumps(one) for one in (*map(note, range(5)), *filler, note(990, ward=TEXT))]
    rows[2:2] = [f'{{"resourceType": "Patient", "id": "{ID}", "name": [{TEXT}']
    return "\n".join([*rows, json.dumps(note(902))]).encode(), {
        "read: BadJson": 1,
        "read: UndeclaredColumn": 1,
    }


def ccda(number, more=""):
    return (
        f'<ClinicalDocument xmlns="urn:hl7-org:v3"><id root="1.2.3" extension="{ID}-d{number}"/>'
        f"<title>Note of {NAME}</title><effectiveTime value='20240312'/>"
        f'<recordTarget><patientRole><id root="1.2" extension="{ID}-{number}"/><patient><name>'
        f"<given>Zelda</given><family>{NAME}</family></name></patient></patientRole></recordTarget>"
        f"<component><structuredBody><component><section><title>Course</title><text>"
        f"<paragraph>{told(number)}</paragraph></text></section></component></structuredBody>"
        f"</component>{more}</ClinicalDocument>"
    ).encode()


CASES = {
    "hl7": {f"{FILE}.hl7": hl7_feed},
    "fhir": {f"{FILE}.ndjson": fhir_export},
    "ccda": {
        f"{FILE}-1.xml": lambda: (ccda(1), {}),
        f"{FILE}-2.xml": lambda: (ccda(2, f"<{TEXT}>")[:-40], {"read: BadCcda": 1}),
    },
    "table": {
        f"{FILE}.jsonl": lambda: (
            "\n".join(
                json.dumps({"id": f"{ID}-{n}", "who": f"{NAME}, Zelda", "h": html(n), "r": rtf(n)})
                for n in range(5)
            ).encode(),
            {},
        )
    },
}
COLUMNS = {"table": ("id=id", "who=known:name", "h=text:html", "r=text")}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_nothing_leaks_from_messages_and_rich_text(sinks, common, tmp_path, name):  # noqa: F811
    folder, out = tmp_path / "in" / f"{FILE}-folder", str(tmp_path / "out")
    folder.mkdir(parents=True)
    errors = {}
    for path, make in CASES[name].items():
        content, expected = make()
        (folder / path).write_bytes(content)
        errors |= expected
    # Some units, also of what is long so that nobody looks at its end.
    split = max(5000, sum(path.stat().st_size for path in folder.iterdir()) // 8)
    columns = [word for one in COLUMNS.get(name, ()) for word in ("--column", one)]
    asked = [] if name == "table" else ["--format", name]
    source, key = (
        ["--input", str(folder), *columns, *asked],
        ["--key-file", str(tmp_path / "key.txt")],
    )
    scrub = ["scrub", *source, "--output", out, *common, "--max-quarantined", "1"]
    codes = sinks.run(
        name,
        [
            ["init", *source[:2], *asked, "--output", str(tmp_path / "job.toml"), *key],
            [*scrub, "--dry-run", "--json"],
            ["preview", *source, "--model", "none"],
            [*scrub, "--split-bytes", str(split), "--keep-candidates"],
            ["verify", "--output", out, "--originals", *key],
            ["inspect", "--output", out],
            ["status", "--output", out, "--json"],
            ["report", "--output", out],
        ],
    )
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    assert manifest["errors"] == errors
    assert manifest["counts"]["rows_out"] >= 1
    assert sinks.found(TEXT, ID, base64.b64encode(HTML.encode()).decode()[:24]) == []
    named = [place for place, _ in restricted(sinks.found(FILE))]
    assert set(named) <= {"job.toml"}
    # Notes are shown to a terminal alone.
    assert codes == [0, 0, 2, 0, 0, 0, 0, 0]
