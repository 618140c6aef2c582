"""A real server on loopback, and clients that mean it no good."""

import http.client
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ...waiting import GUARD_SECONDS, wait_until

pytest.importorskip("uvicorn", reason="the extra serve is not installed")

TOKEN = "0123456789abcdef" * 4
CANARIES = ("Zebulon", "Quuxworth", "7654321", "3/4/2012")
NOTE = "Zebulon Quuxworth seen 3/4/2012 by Dr. Quuxworth. MRN: 7654321."
COMMAND = (sys.executable, "-c", "from scrubline.pipeline.cli.main import command; command()")
SECONDS = 3.0


class Server:
    """A server, and what it has said so far."""

    def __init__(self, folder, *options):
        self.token = folder / "token"
        self.token.write_text(TOKEN + "\n")
        self.token.chmod(0o600)
        self.log = folder / "log"
        words = ("serve", "--token-file", str(self.token), "--model", "none", "--port", "0")
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [*COMMAND, *words, *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        wait_until(lambda: self.url() or self.process.poll() is not None, "the server is up")
        assert self.url(), self.said()
        self.port = int(self.url().rpartition(":")[2])

    def url(self):
        found = re.search(r"serving on (\S+)", self.said())
        return found and found[1]

    def said(self):
        return self.log.read_text(errors="replace")

    def stop(self):
        self.process.terminate()
        try:
            return self.process.wait(GUARD_SECONDS)
        finally:
            self.process.kill()

    def ask(self, body=None, *, method="POST", path="/scrub", headers=None):
        """Status and JSON of an answer; a body that is no bytes is sent as JSON."""
        head = {
            "Authorization": f"Bearer {TOKEN}",
            "Content-Type": "application/json",
            **(headers or {}),
        }
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=GUARD_SECONDS)
        try:
            connection.request(
                method, path, content, {k: v for k, v in head.items() if v is not None}
            )
            answer = connection.getresponse()
            self.headers = {k.lower(): v for k, v in answer.getheaders()}
            content = answer.read()
            return answer.status, json.loads(content) if content else None
        finally:
            connection.close()

    def raw(self, *pieces, seconds=GUARD_SECONDS):
        """What comes back of bytes that are sent as they are, until the server hangs up."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as one:
            for piece in pieces:
                one.sendall(piece)
            found = b""
            while more := one.recv(65536):
                found += more
            return found


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    limits = ("--max-bytes", "20000", "--max-texts", "5", "--max-seconds", str(SECONDS))
    limits += ("--log-level", "INFO")
    one = Server(tmp_path_factory.mktemp("server"), *limits)
    yield one
    assert one.stop() == 0
    said = one.said()
    assert "the server has ended" in said
    own = re.compile(
        r"scrubline: (serving on http://127\.0\.0\.1:\d+|the server has ended)"
        r"|[\d:, -]+ INFO scrubline\.pipeline\.serving\.app: answered \d{3} after \d+ ms"
        r"|[\d:, -]+ WARNING uvicorn\.error: message withheld, \w+:\d+"
    )
    # Nothing else is logged, whatever was sent.
    assert [line for line in said.splitlines() if not own.fullmatch(line)] == []
    # Whatever was sent in all of these tests.
    assert not any(canary in said for canary in (*CANARIES, TOKEN))


def test_a_text_comes_back_scrubbed_with_spans_without_text(server):
    status, found = server.ask({"text": NOTE})
    assert status == 200
    assert found["text"].endswith("seen [DATE] by Dr. [DOCTOR]. MRN: [MEDICALRECORD].")
    assert ("DATE", 23, 31) in [(s["label"], s["start"], s["end"]) for s in found["spans"]]
    assert not any(canary in json.dumps(found) for canary in ("3/4/2012", "7654321"))
    assert server.headers["cache-control"] == "no-store"
    assert "server" not in server.headers
    assert not any(name.startswith("access-control") for name in server.headers)


def test_several_texts_have_a_result_each_and_one_failure_takes_no_other_along(server):
    texts = ["Seen 3/4/2012", None, "half \ud83d of Quuxworth", "nul \0 🙂 3/4/2012", ""]
    status, found = server.ask({"texts": texts, "note_type": "letter"})
    assert status == 200
    assert [one.get("text", one.get("error")) for one in found["results"]] == [
        *("Seen [DATE]", None, "LoneSurrogate", "nul \0 🙂 [DATE]", "")
    ]
    assert server.ask({"texts": []}) == (200, {"results": []})


def test_texts_in_markup_are_read_as_they_begin_or_as_is_said(server):
    rich = "<p>Seen 3/<b>4</b>/2012</p>"
    _, found = server.ask({"text": rich})
    assert (found["text"], found["markup"]) == ("<p>Seen [DATE]<b></b></p>", "html")
    assert [(s["start"], s["end"]) for s in found["spans"]] == [(5, 13)]
    assert [found["text"][s["out_start"] : s["out_end"]] for s in found["spans"]] == ["[DATE]"]
    _, found = server.ask({"texts": [rich, rich], "markup": "plain"})
    assert [one["text"] for one in found["results"]] == ["<p>Seen [DATE]</p>"] * 2
    assert not any("markup" in one for one in found["results"])
    assert server.ask({"text": r"{\rtf1 {x"}) == (422, {"error": "UnmappedMarkup"})


def test_one_text_that_cannot_be_scrubbed_is_an_error(server):
    assert server.ask(b'{"text": "half \\ud83d of Quuxworth"}') == (422, {"error": "LoneSurrogate"})


def test_health_needs_the_token_too(server):
    status, found = server.ask(b"", method="GET", path="/health")
    assert (status, found["status"], found["policy"]) == (200, "ok", "hipaa")
    assert server.ask(b"", method="GET", path="/health", headers={"Authorization": None})[0] == 401


@pytest.mark.parametrize(
    ("headers", "status", "error"),
    [
        ({"Authorization": None}, 401, "BadToken"),
        ({"Authorization": "Bearer "}, 401, "BadToken"),
        ({"Authorization": f"Bearer {TOKEN[:-1]}"}, 401, "BadToken"),
        ({"Authorization": f"Bearer {TOKEN}x"}, 401, "BadToken"),
        ({"Authorization": f"Basic {TOKEN}"}, 401, "BadToken"),
        ({"Authorization": b"Bearer \xff\xfe"}, 401, "BadToken"),
        ({"Host": "evil.example"}, 421, "BadHost"),
        ({"Host": "evil.example:80"}, 421, "BadHost"),
        ({"Host": "127.0.0.1.evil.example"}, 421, "BadHost"),
        ({"Host": ""}, 421, "BadHost"),
        ({"Origin": "http://evil.example"}, 403, "BadOrigin"),
        ({"Origin": "http://127.0.0.1"}, 403, "BadOrigin"),
        ({"Origin": "null"}, 403, "BadOrigin"),
        ({"Sec-Fetch-Site": "cross-site"}, 403, "BadOrigin"),
        ({"Content-Type": "text/plain"}, 415, "BadType"),
        ({"Content-Type": None}, 415, "BadType"),
    ],
)
def test_whoever_is_not_meant_is_refused_before_anything_is_read(server, headers, status, error):
    found = server.ask({"text": NOTE}, headers=headers)
    assert (found[0], found[1]["error"]) == (status, error)
    assert not any(canary in json.dumps(found[1]) for canary in CANARIES)


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "LOCALHOST:99", "[::1]:80"])
def test_names_of_loopback_are_answered(server, name):
    assert server.ask({"text": "x"}, headers={"Host": name})[0] == 200


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        (b"", 400, "BadJson"),
        (b"{Zebulon", 400, "BadJson"),
        (b'{"text": "\xff Quuxworth"}', 400, "BadJson"),
        (b'{"text": NaN}', 400, "BadJson"),
        (b"[" * 9000, 400, "BadJson"),
        (b"1" * 9000, 400, "BadJson"),
        (b'"Zebulon"', 400, "BadRequest"),
        (b"[]", 400, "BadRequest"),
        (b"{}", 400, "BadRequest"),
        (b'{"text": 7}', 400, "BadRequest"),
        (b'{"text": "x", "texts": []}', 400, "BadRequest"),
        (b'{"text": "x", "Zebulon": 1}', 400, "BadRequest"),
        (b'{"texts": "Zebulon"}', 400, "BadRequest"),
        (b'{"texts": [["Zebulon"]]}', 400, "BadRequest"),
        (b'{"text": "x", "note_type": ["Zebulon"]}', 400, "BadRequest"),
        (b'{"text": "x", "markup": "Zebulon"}', 400, "BadRequest"),
        (b'{"text": "x", "markup": ["html"]}', 400, "BadRequest"),
        (b'{"texts": [null, null, null, null, null, null]}', 413, "TooManyTexts"),
        (b'{"text": "' + b"x" * 20_000 + b'"}', 413, "TooLong"),
    ],
)
def test_bodies_that_are_refused(server, body, status, error):
    found = server.ask(body)
    assert (found[0], found[1]["error"]) == (status, error)
    assert "Zebulon" not in json.dumps(found[1])


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/Zebulon/Quuxworth?mrn=7654321", 404),
        ("GET", "/scrub", 405),
        ("OPTIONS", "/scrub", 405),
        ("PUT", "/scrub", 405),
        ("POST", "/health", 405),
        ("GET", "/openapi.json", 404),
    ],
)
def test_there_is_nothing_else(server, method, path, status):
    assert server.ask(b"", method=method, path=path)[0] == status
    assert not any(name.startswith("access-control") for name in server.headers)


def head(*lines):
    own = ("POST /scrub HTTP/1.1", "Host: localhost", f"Authorization: Bearer {TOKEN}")
    return "\r\n".join([*own, "Content-Type: application/json", *lines, "", ""]).encode()


def test_a_huge_body_is_refused_by_what_it_says_and_by_what_it_is(server):
    found = server.raw(head("Content-Length: 999999999999"), b'{"text": "Zebulon')
    assert found.startswith(b"HTTP/1.1 413")
    piece = b"2000\r\n" + b"x" * 0x2000 + b"\r\n"
    found = server.raw(head("Transfer-Encoding: chunked"), piece, piece, piece)
    assert found.startswith(b"HTTP/1.1 413")


@pytest.mark.slow
@pytest.mark.parametrize(
    "pieces",
    [
        [b""],
        [b"POST /scrub HTTP/1.1\r\nHost: local"],
        [head("Content-Length: 100"), b'{"text": "Zebulon'],
    ],
    ids=["nothing", "half of the headers", "half of the body"],
)
def test_a_slow_client_is_hung_up_on_and_others_are_served_meanwhile(server, pieces):
    began = time.monotonic()
    with ThreadPoolExecutor(1) as thread:
        slow = thread.submit(server.raw, *pieces)
        assert server.ask({"text": "Seen 3/4/2012"})[1]["text"] == "Seen [DATE]"
        found = slow.result(GUARD_SECONDS)
    assert time.monotonic() - began >= SECONDS - 0.5
    assert found == b"" or found.startswith(b"HTTP/1.1 503")


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"GET / HTTP/9.9\r\n\r\n",
        b"Zebulon Quuxworth\r\n\r\n",
        b"POST /scrub HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
        b"POST /scrub HTTP/1.1\r\nX: " + b"Zebulon" * 9000 + b"\r\n\r\n",
        b"POST /scrub HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
    ],
    ids=["tls", "version", "text", "two hosts", "long header", "negative length"],
)
def test_what_is_no_request_is_refused(server, sent):
    assert re.match(rb"HTTP/1.1 4\d\d |$", server.raw(sent))
    assert server.ask({"text": "x"})[0] == 200


def test_a_client_that_hangs_up_harms_no_other(server):
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", server.port)) as one:
            one.sendall(head("Content-Length: 500") + b'{"text": "Zebulon')
    assert server.ask({"text": "x"})[0] == 200


def test_requests_at_once_are_all_answered_or_told_to_wait(server):
    text = {"texts": ["word " * 700 + "3/4/2012"] * 4}
    with ThreadPoolExecutor(12) as threads:
        found = list(threads.map(lambda _: server.ask(text)[0], range(12)))
    assert set(found) <= {200, 503}
    assert 200 in found
    assert server.ask({"text": "x"})[0] == 200


def test_it_listens_on_loopback_alone(server):
    own = [
        line.split()[1]
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]
        if line.split()[1].endswith(f":{server.port:04X}") and line.split()[3] == "0A"
    ]
    assert own == [f"0100007F:{server.port:04X}"]


@pytest.mark.slow
def test_tls_and_names(tmp_path):
    made = subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-keyout", tmp_path / "key.pem", "-out", tmp_path / "cert.pem"),
            *("-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"),
        ],
        capture_output=True,
    )
    if made.returncode:
        pytest.skip("openssl makes no certificate here")
    options = ("--tls-cert", str(tmp_path / "cert.pem"), "--tls-key", str(tmp_path / "key.pem"))
    one = Server(tmp_path, *options, "--listen", "0.0.0.0", "--host-name", "scrub.example")
    try:
        context = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
        for host, status in (("scrub.example", 200), ("localhost", 421)):
            connection = http.client.HTTPSConnection("localhost", one.port, context=context)
            headers = {"Host": host, "Authorization": f"Bearer {TOKEN}"}
            connection.request("GET", "/health", headers=headers)
            assert connection.getresponse().status == status
            connection.close()
        assert one.raw(b"GET /health HTTP/1.1\r\nHost: scrub.example\r\n\r\n") == b""
        one.process.send_signal(signal.SIGINT)
        assert one.process.wait(GUARD_SECONDS) == 0
    finally:
        one.stop()


@pytest.mark.slow
def test_a_request_at_work_is_answered_before_the_end(tmp_path):
    one = Server(tmp_path, "--max-texts", "1000")
    body = json.dumps({"texts": ["word " * 200 + "3/4/2012"] * 300}).encode()
    with socket.create_connection(("127.0.0.1", one.port), timeout=GUARD_SECONDS) as asked:
        asked.sendall(head(f"Content-Length: {len(body)}") + body)
        # Connections are taken in order, so the first one has been when this is answered.
        assert one.ask(b"", method="GET", path="/health")[0] == 200
        os.kill(one.process.pid, signal.SIGTERM)
        found = b""
        while more := asked.recv(65536):
            found += more
    assert one.process.wait(GUARD_SECONDS) == 0
    assert found.startswith(b"HTTP/1.1 200")
    assert found.count(b"[DATE]") == 300
