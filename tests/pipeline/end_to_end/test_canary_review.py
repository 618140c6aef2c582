"""Promise 5 for reviews and certificates: which sinks there are, and what each may hold."""

import base64
import http.client
import json
import re
import signal

import pytest

from ..measuring import read_campaign, signing_keys
from .test_canary import (  # noqa: F401 (fixtures)
    ALL_COLUMNS,
    FILE,
    ID,
    TEXT,
    common,
    phi,
    row,
    sinks,
)

pytest.importorskip("uvicorn", reason="the extra review is not installed")

from ..review.test_command import GUARD_SECONDS, Served

LEFT, SAID, TYPED = "Quuxfordleft", "Quuxfordsaid", "Quuxfordtyped"
"""A name that no rule finds; what a reader says in a comment; what is asked with and refused."""

MAY_HOLD = {
    r"out/data/.*": {LEFT},
    r"out/restricted/(?!review/).*": {FILE},
    r"out/restricted/review/find/corrections\.jsonl": {LEFT, TEXT},
    r"out/restricted/review/find/comments-ana\.jsonl": {SAID},
    r"http find: body of document, published": {LEFT, SAID},
    r"http find: body of document, original": {LEFT, TEXT, SAID},
    r"http measure: body of document, published": {LEFT, TEXT},
}
"""Sink -> canaries that it must hold; of campaigns, what was planted is shown."""

HOLDS_NONE = (
    r"(campaign|certificate|export|scrub): std(out|err)",
    r"(find|measure): std(out|err)",
    r"http (find|measure): (heads|body of (session|queue|claim|marks|done|same|agreement))",
    r"http (find|measure): refusals",
    r"http measure: body of measure",
    r"name of .*",
    r"out/history\.parquet",
    r"out/manifest\.json",
    r"out/report\.html",
    r"out/restricted/review/(find|spring)/(access|marks-ana)\.jsonl",
    r"out/restricted/review/(find|spring)/leases/.*",
    r"out/restricted/review/campaigns\.jsonl",
    r"out/restricted/review/spring/draw\.jsonl",
    r"out/risk/certificate\.json",
    r"out/risk/certificate\.dsse\.json(, decoded)?",
    r"out/seal\.json",
)
"""All other sinks that a review and a certificate write to; each is looked into."""


class Asking:
    """A reader's requests to a server, and all that came back."""

    def __init__(self, served, printed, name):
        self.served, self.printed, self.name = served, printed, f"http {name}: "
        self.session = None
        (token,) = (one for _, one in served.links())
        self.session = self("session", "POST", "/api/session", {"token": token})["session"]

    def __call__(self, what, method, url, body=None, **headers):
        client = http.client.HTTPConnection("127.0.0.1", int(self.served.links()[0][0]), timeout=60)
        if self.session:
            headers["authorization"] = f"Bearer {self.session}"
        if body is not None:
            headers["content-type"] = "application/json"
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        client.request(method, url, None if body is None else content, named)
        answer = client.getresponse()
        content, head = answer.read(), f"{answer.status} {answer.reason} {answer.getheaders()}\n"
        assert (answer.status >= 400) == (what == "refusals"), (url, content)
        self._add("heads", head.encode())
        self._add(what if what == "refusals" else f"body of {what}", content)
        return json.loads(content)

    def _add(self, what, content):
        self.printed[self.name + what] = self.printed.get(self.name + what, b"") + content


def reads(ask, queue):
    """Reads notes by all that a page asks, and is refused in every way that could echo."""
    items = ask("queue", "GET", f"/api/queue?of={queue}")["items"]
    for one in items[:10]:
        text = f"{one['doc']}?field={one['field']}"
        ask("claim", "POST", f"/api/claim/{text}", {})
        found = ask("document, published", "GET", f"/api/document/{text}")
        clear = next(s for s in found["segments"] if LEFT in s["text"])
        start = clear["start"] + clear["text"].index(LEFT)
        span = {"start": start, "end": start + len(LEFT), "label": "PATIENT", "was": None}
        ask("same", "POST", f"/api/same/{text}", {"start": start, "end": span["end"]})
        said = {"spans": [span], "verdict": "done", "seconds": 5}
        said |= {"comment": SAID} if queue == "find" else {}
        refused(ask, text, said)
        ask("marks", "PUT", f"/api/marks/{text}", said, if_match="0")
        ask("document, published", "GET", f"/api/document/{text}")
        if queue == "find":
            ask("document, original", "GET", f"/api/document/{text}&side=original")
        ask("done", "POST", f"/api/done/{text}", {})
    ask("agreement", "GET", "/api/agreement")
    if queue == "measure":
        ask("measure", "GET", "/api/measure")


def refused(ask, text, said):
    (span,) = said["spans"]
    ask("refusals", "GET", f"/{TYPED}")
    ask("refusals", "GET", f"/static/{TYPED}.js")
    ask("refusals", "GET", f"/api/document/{TYPED}?field={TYPED}")
    ask("refusals", "GET", f"/api/document/{text}&side={TYPED}")
    ask("refusals", "GET", f"/api/queue?of={TYPED}")
    ask("refusals", "GET", "/api/queue", host=f"{TYPED}.example")
    ask("refusals", "GET", "/api/queue", origin=f"http://{TYPED}.example")
    ask("refusals", "POST", "/api/session", {"token": TYPED})
    ask("refusals", "PUT", f"/api/marks/{text}", b'{"' + TYPED.encode(), if_match="0")
    ask("refusals", "PUT", f"/api/marks/{text}", said, if_match=TYPED)
    for change in (
        {"spans": [{**span, "label": TYPED}]},
        {"spans": TYPED},
        {"verdict": TYPED},
        {"verdict": "skipped", "reason": TYPED},
        {"comment": TYPED * 400},
        {"seconds": TYPED},
    ):
        ask("refusals", "PUT", f"/api/marks/{text}", said | change, if_match="0")


@pytest.mark.slow
def test_every_sink_of_a_review_and_a_certificate_holds_what_it_may(sinks, common, tmp_path):  # noqa: F811
    folder, key = tmp_path / "in" / f"{FILE}-folder", ["--key-file", str(tmp_path / "key.txt")]
    folder.mkdir(parents=True)
    lines = [row(n, f"{phi(n)}Seen with {LEFT} outside.\n") for n in range(90)]
    (folder / f"{FILE}-1.jsonl").write_text("\n".join(lines) + "\n")
    (tmp_path / "key.txt").chmod(0o600)
    out, review = str(tmp_path / "out"), tmp_path / "out/restricted/review"
    scrub = ["scrub", "--input", str(folder), "--output", out, *common, *ALL_COLUMNS]
    draw = ["campaign", out, "--target", "0.2", "--name", "spring", *key]
    assert sinks.run("scrub", [scrub]) == [0]
    assert sinks.run("campaign", [[*draw, "--dry-run"], draw]) == [0, 0]
    for queue in ("find", "measure"):
        place = tmp_path / f"served-{queue}"
        place.mkdir()
        more = ["--queue", queue, "--originals", str(folder)]
        more += ["--campaign", "spring"] if queue == "measure" else []
        served = Served(place, out, key[1], *more)
        try:
            reads(Asking(served, sinks.printed, queue), queue)
        finally:
            served.process.send_signal(signal.SIGTERM)
            assert served.process.wait(GUARD_SECONDS) == 0
        for name, path in (("stdout", served.out), ("stderr", served.err)):
            sinks.printed[f"{queue}: {name}"] = path.read_bytes()
    export = ["review", "export", out, *key, "--originals", str(folder), "--reviewer", "ana"]
    assert sinks.run("export", [export, ["review", "verify", out]]) == [0, 0]
    read_campaign(review / "spring")  # all of it
    private, public = signing_keys(tmp_path)
    envelope, trust = f"{out}/risk/certificate.dsse.json", ["--trusted-keys", public]
    codes = sinks.run(
        "certificate",
        [
            ["certify", out, "--campaign", "spring", *key, "--sign", private],
            ["certify", "verify", envelope, out, *trust, *key],
            ["verify", "--output", out, *trust, *key],
            ["report", out],
            ["certify", out, "--campaign", f"{TYPED} {TYPED}", *key],
            ["campaign", out, "--target", "0.2", "--name", f"{TYPED}/{TYPED}", *key],
        ],
    )
    assert codes == [0, 0, 0, 0, 2, 2]
    payload = json.loads((tmp_path / "out/risk/certificate.dsse.json").read_bytes())["payload"]
    sinks.printed["out/risk/certificate.dsse.json, decoded"] = base64.b64decode(payload)

    hits = sinks.found(TEXT, ID, FILE, LEFT, SAID, TYPED)
    held = {sink: {one for at, one in hits if re.fullmatch(sink, at)} for sink in MAY_HOLD}
    assert held == MAY_HOLD
    assert [one for one in hits if not any(re.fullmatch(sink, one[0]) for sink in MAY_HOLD)] == []
    places = sinks.places()
    for sink in HOLDS_NONE:
        assert any(re.fullmatch(sink, place) for place in places), sink
