"""A small output, and readers of it who speak to the application without a network."""

import asyncio
import dataclasses
import json
import os
import shutil

import pytest
from scrubline.models.core.keys import Keys, key_bytes
from scrubline.models.risk.drawing import draw
from scrubline.models.risk.frame import FrameDocument, frame_of
from scrubline.models.risk.planting import RemovedSpan
from scrubline.models.risk.rows import Campaign
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.certifying.review_folder import DRAW, ReviewFolder
from scrubline.pipeline.options import Options
from scrubline.pipeline.review.desk import DeskSettings, ReviewDesk
from scrubline.pipeline.review.texts import ReviewedOutput
from scrubline.pipeline.run import scrub

from ..conftest import COLUMNS, write_corpus

pytest.importorskip("starlette", reason="the extra review is not installed")

from scrubline.pipeline.review.app import make_review_app
from scrubline.pipeline.review.panel import ReviewPanel
from scrubline.pipeline.review.sessions import Sessions

PORT = 8765
HOST = f"127.0.0.1:{PORT}"


@dataclasses.dataclass
class Answer:
    """What came back."""

    status: int
    headers: dict
    content: bytes

    @property
    def value(self):
        return json.loads(self.content)


def ask(app, method, url, *, headers=None, content=b"", client="127.0.0.1"):
    """One request to an ASGI application."""
    path, _, query = url.partition("?")
    named = {"host": HOST, **(headers or {})}
    pairs = [(name.encode(), value.encode()) for name, value in named.items() if value is not None]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": pairs,
        "client": (client, 5000),
        "server": ("127.0.0.1", PORT),
    }
    sent = []

    async def receive():
        return {"type": "http.request", "body": content, "more_body": False}

    async def send(message):
        sent.append(message)

    asyncio.run(app(scope, receive, send))
    start = next(one for one in sent if one["type"] == "http.response.start")
    body = b"".join(one.get("body", b"") for one in sent if one["type"] == "http.response.body")
    found = {name.decode(): value.decode() for name, value in start["headers"]}
    return Answer(start["status"], found, body)


class Reader:
    """A reader at a page of a server of their own."""

    def __init__(self, output, key_file, name, *, folder, drawn=None, clock=None, **settings):
        originals = settings.pop("originals", ())
        self.folder = folder
        folder.make()
        run = drawn and drawn.campaign.run
        self.output = ReviewedOutput(Storage(), output, key_file, originals, run)
        self.desk = ReviewDesk(self.output, folder, DeskSettings(name, **settings), drawn)
        self.panel = ReviewPanel(self.desk)
        self.links = []
        more = {} if clock is None else {"clock": clock}
        self.sessions = Sessions(self.links.append, self.output.forget, **more)
        self.app = make_review_app(self.panel, self.sessions, PORT)
        self.sessions.new_link()
        self.session = None

    def raw(self, method, url, body=None, **headers):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.session:
            named = {"authorization": f"Bearer {self.session}", **named}
        content = b""
        if body is not None:
            named = {"content-type": "application/json", **named}
            content = json.dumps(body).encode()
        return ask(self.app, method, url, headers=named, content=content)

    def begin(self):
        answer = self.raw("POST", "/api/session", {"token": self.links[-1]})
        assert answer.status == 200
        self.session = answer.value["session"]
        return answer.value

    def call(self, method, url, body=None, status=200, **headers):
        answer = self.raw(method, url, body, **headers)
        assert answer.status == status, answer.content
        return answer.value

    def open_texts(self):
        items = self.call("GET", "/api/queue")["items"]
        return [f"{one['doc']}?field={one['field']}" for one in items if one["state"] == "open"]

    def take(self, at=0):
        """The address of an open text, and the text."""
        text = self.open_texts()[at]
        self.call("POST", f"/api/claim/{text}", {})
        return text, self.call("GET", f"/api/document/{text}")

    def save(self, text, spans, verdict="done", revision=0, status=200, **more):
        body = {"spans": spans, "verdict": verdict, "seconds": 5, **more}
        return self.call("PUT", f"/api/marks/{text}", body, status, if_match=str(revision))


@pytest.fixture(scope="session")
def published(tmp_path_factory):
    """A published output, which tests copy; and its inputs and key."""
    folder = tmp_path_factory.mktemp("published")
    (folder / "key.txt").write_text("scrubline-key-v1:" + "QUJD" * 10 + "QUI=\n")
    (folder / "key.txt").chmod(0o600)
    write_corpus(folder / "in", broken=False)
    scrub(
        Storage(),
        Options(
            inputs=(str(folder / "in"),),
            output=str(folder / "out"),
            models=(),
            columns=COLUMNS,
            key_source=str(folder / "key.txt"),
            progress=False,
        ),
    )
    return folder


@pytest.fixture
def output(published, tmp_path):
    """The place of a published output."""
    shutil.copytree(published / "out", tmp_path / "out")
    return str(tmp_path / "out")


@pytest.fixture
def key_file(published):
    return str(published / "key.txt")


@pytest.fixture
def reader(output, key_file):
    """Makes readers of the find queue, or of a campaign."""

    def make(name="ana", campaign=None, drawn=None, **settings):
        folder = ReviewFolder.of(output, campaign or "find")
        made = Reader(output, key_file, name, folder=folder, drawn=drawn, **settings)
        made.begin()
        return made

    return make


@pytest.fixture
def campaign(output, key_file):
    """Draws a campaign of the output, and writes it where a review finds it."""

    def make(name="spring", n=20, planted=10, method="fixed"):
        opened = ReviewedOutput(Storage(), output, key_file, ())
        frame = frame_of(
            FrameDocument(
                text[0],
                one.queued.tokens,
                one.queued.spans,
                one.queued.note_type,
                one.patient,
                fields=(text[1],),
            )
            for text, one in opened.texts.items()
        )
        asked = Campaign(
            name,
            opened.job.run,
            opened.job.fingerprint,
            0.2,
            n,
            frame.facts(),
            method=method,
            of="any",
        )
        removed = [
            RemovedSpan(
                *text,
                row["start"],
                row["end"],
                row["label"],
                len(row["detectors"]),
                row["score"],
            )
            for text in opened.texts
            for row in opened.audit(text)
            if not row["fragment"]
        ]
        with open(key_file) as file:
            keys = Keys(key_bytes(file.read()))
        drawn = draw(asked, frame, keys.draws, removed, planted=planted)
        drawn = drawn.with_hmacs({text: opened.text_hmac(text) for text in opened.texts})
        folder = ReviewFolder.of(output, name)
        folder.make()
        with open(folder.file(DRAW), "wb") as file:
            file.write(drawn.to_bytes())
        os.chmod(folder.file(DRAW), 0o600)
        return drawn

    return make
