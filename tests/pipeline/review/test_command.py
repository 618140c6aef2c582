"""The command: a real server on loopback, and what it leaves behind."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys

import pytest

from ...waiting import GUARD_SECONDS, wait_until

pytest.importorskip("uvicorn", reason="the extra review is not installed")

COMMAND = (sys.executable, "-c", "from scrubline.pipeline.cli.main import command; command()")


class Served:
    """A server of the review, and what it has said."""

    def __init__(self, folder, output, key_file, *more):
        self.out, self.err = folder / "stdout", folder / "stderr"
        (folder / "tmp").mkdir()
        with self.out.open("wb") as out, self.err.open("wb") as err:
            self.process = subprocess.Popen(
                [*COMMAND, "review", output, "--key-file", key_file, "--reviewer", "ana", *more],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env={**os.environ, "TMPDIR": str(folder / "tmp")},
            )
        wait_until(lambda: self.links() or self.process.poll() is not None, "the server is up")
        assert self.links(), self.err.read_text()

    def links(self):
        return re.findall(r"http://127\.0\.0\.1:(\d+)/#(\S+)\n", self.out.read_text())

    def ask(self, method, url, body=None, session=None):
        client = http.client.HTTPConnection("127.0.0.1", int(self.links()[0][0]), timeout=60)
        headers = {"authorization": f"Bearer {session}"} if session else {}
        if body is not None:
            headers["content-type"] = "application/json"
        client.request(method, url, None if body is None else json.dumps(body), headers)
        answer = client.getresponse()
        return answer.status, answer.read()


def test_what_is_read_is_in_no_log_and_in_no_temporary_file(output, key_file, published, tmp_path):
    served = Served(tmp_path, output, key_file, "--originals", str(published / "in"))
    try:
        token = served.links()[0][1]
        status, content = served.ask("POST", "/api/session", {"token": token})
        assert status == 200
        session = json.loads(content)["session"]
        queue = json.loads(served.ask("GET", "/api/queue", session=session)[1])
        seen = b""
        for one in queue["items"][:5]:
            url = f"{one['doc']}?field={one['field']}"
            served.ask("POST", f"/api/claim/{url}", {}, session)
            status, content = served.ask(
                "GET", f"/api/document/{url}&side=original", session=session
            )
            assert status == 200
            seen += content
        assert b"clinic.example" in seen
        assert served.ask("GET", "/clinic.example?p3@clinic.example", session=session)[0] == 404
        assert served.ask("POST", "/api/session", {"token": token})[0] == 403
        served.ask("POST", "/api/lock", {}, session)
        wait_until(lambda: len(served.links()) == 2, "a new link is given")
    finally:
        served.process.send_signal(signal.SIGTERM)
        assert served.process.wait(GUARD_SECONDS) == 0
    said = served.out.read_text() + served.err.read_text()
    for canary in ("clinic.example", "555-867", "7000", queue["items"][0]["doc"]):
        assert canary not in said
    assert not [path for path in (tmp_path / "tmp").rglob("*") if path.is_file()]
    review = tmp_path / "out" / "restricted" / "review"
    for path in review.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0
        if path.is_file():
            assert b"clinic.example" not in path.read_bytes()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--queue", "measure"], "--campaign NAME"),
        (["--queue", "measure", "--campaign", "none"], "no such campaign"),
        (["--queue", "measure", "--campaign", "../x"], "letters, digits"),
        (["--queue", "measure", "--campaign", "find"], "is taken"),
        (["--campaign", "spring"], "--queue measure"),
        (["--count", "0"], "at least 1"),
        (["--port", "70000"], "0 to 65535"),
    ],
)
def test_what_does_not_go_together_is_refused(scrubline, output, key_file, words, why):
    code, _, err = scrubline("review", output, "--key-file", key_file, "--reviewer", "ana", *words)
    assert code == 2
    assert why in err


@pytest.mark.parametrize("name", ["", "../ana", "a/b", "ana\n", "é"])
def test_a_reviewer_has_a_name_for_files(scrubline, output, key_file, name):
    code, _, _ = scrubline("review", output, "--key-file", key_file, "--reviewer", name)
    assert code == 2


def test_verify_and_export_are_commands(scrubline, output, key_file):
    assert scrubline("review", "verify", output)[:2] == (0, "0 shown texts recorded\n")
    code, _, err = scrubline("review", "export", output, "--key-file", key_file, "--reviewer", "a")
    assert code == 2
    assert "nothing was read" in err
    code, _, err = scrubline("review", "burn", output)
    assert code == 2
