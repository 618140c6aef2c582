"""A server that says what the review's says, of notes that a test has written down.

It keeps what it is told in memory, and can be told to fail.
"""

import contextlib
import dataclasses
import re
import socket
import threading
import time
from pathlib import Path

import uvicorn
from scrubline.pipeline.review.sessions import HEADERS
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

STATIC = Path(__file__).parents[2] / "pipeline/review/static"
LABELS = (
    *("PATIENT", "DOCTOR", "DATE", "HOSPITAL", "PHONE", "MEDICALRECORD", "AGE", "CITY", "STREET"),
    *("IDNUM", "EMAIL", "ZIP", "STATE", "PROFESSION"),
)
KINDS = {
    ".svg": "image/svg+xml",
    ".js": "text/javascript",
    ".css": "text/css",
    ".html": "text/html",
}
WORD = re.compile(r"[^\W_]+(?:[-/'][^\W_]+)*|[^\w\s]|_+")


def note(key, text, removed=(), **more):
    """A note: `removed` names what the run took out, as (words, label)."""
    boxes, at = [], 0
    for words, label in removed:
        start = text.index(words, at)
        at = start + len(words)
        boxes.append((start, at, label))
    return {"doc": key, "text": text, "boxes": boxes, "verdict": "open", "revision": 0, **more}


def segments(written, *, original):
    text, at, found = written["text"], 0, []
    for start, end, label in [*written["boxes"], (len(text), len(text), None)]:
        if at < start:
            clear = {"start": at, "end": start, "removed": False, "text": text[at:start]}
            found.append(clear)
        if label:
            box = {"start": start, "end": end, "removed": True, "label": label}
            box["text"] = f"[{label}]"
            found.append({**box, "original": text[start:end]} if original else box)
        at = end
    return found


@dataclasses.dataclass
class Double:
    """What the server has, and how it behaves.

    Attributes:
        notes: see `note`.
        asked: method and path of each request.
        away: whether it answers 503 to all.
        refusals: (method, part of the path) -> status and body, once each.
    """

    notes: list
    queue: str = "find"
    role: str = "reader"
    idle_seconds: float = 900
    can: dict = dataclasses.field(
        default_factory=lambda: {"original": True, "train": True, "rescrub": True}
    )
    labels: tuple = LABELS
    token: str = "launch-token-of-a-test"
    session: str = "session-of-a-test"
    asked: list = dataclasses.field(default_factory=list)
    saved: dict = dataclasses.field(default_factory=dict)
    decided: dict = dataclasses.field(default_factory=dict)
    refusals: dict = dataclasses.field(default_factory=dict)
    jobs: dict = dataclasses.field(default_factory=dict)
    away: bool = False
    locked: bool = True
    agreement: dict = dataclasses.field(default_factory=dict)
    curve: dict = dataclasses.field(default_factory=dict)

    def begin(self, said):
        if said["token"] != self.token:
            return 403, {"error": "BadLink", "message": "the link was used"}
        self.token, self.locked = None, False
        campaign = {"name": "C", "target": 0.02, "of": "direct", "n": len(self.notes)}
        return 200, {
            **{"session": self.session, "reviewer": "ana", "role": self.role, "run": "5ff15e49ab"},
            **{"queue": self.queue, "labels": list(self.labels), "can": self.can},
            **{"campaign": campaign if self.queue == "measure" else None},
            "idle_seconds": self.idle_seconds,
        }

    def written(self, key):
        return next(one for one in self.notes if one["doc"] == key)

    def list(self, after, limit):
        items = []
        for n, one in enumerate(self.notes, 1):
            state = {"open": "open", "done": "done"}.get(one["verdict"], "skipped")
            item = {"doc": one["doc"], "field": "text", "n": n, "state": state}
            if self.queue == "find":
                item |= {"bars": max(1, 8 - n), "type": one.get("type", "letter")}
                item["spans"] = len(one["boxes"])
            items.append(item)
        states = [item["state"] for item in items]
        counts = {state: states.count(state) for state in ("done", "skipped")}
        return {**counts, "total": len(items), "others": 2, "items": items[after : after + limit]}

    def document(self, key, side):
        one = self.written(key)
        blind = self.queue == "measure"
        runs = [
            {"start": start, "end": end, "label": label}
            | ({} if blind else {"detectors": ["rule:date", "crf"], "score": 0.93})
            for start, end, label in one["boxes"]
        ]
        places = [[m.start(), m.end()] for m in WORD.finditer(one["text"])]
        if side != "original":
            hidden = {at for start, end, _ in one["boxes"] for at in range(start, end)}
            places = [p for p in places if hidden.isdisjoint(range(*p))]
            places = sorted([*places, *([start, end] for start, end, _ in one["boxes"])])
        first = (
            [] if blind else [{**r, "was": {"start": r["start"], "end": r["end"]}} for r in runs]
        )
        spans = one.get(
            "spans", [{k: s[k] for k in ("start", "end", "label", "was")} for s in first]
        )
        more = {
            "uncertain": one.get("uncertain", []),
            "detected": {"rules": 3, "crf": 5, "both": 11},
        }
        return {
            **{"doc": key, "field": "text", "n": self.notes.index(one) + 1, "side": side},
            **{"queue": self.queue, "revision": one["revision"], "verdict": one["verdict"]},
            **{"comment": one.get("comment", ""), "text_length": len(one["text"])},
            **{"segments": segments(one, original=side == "original"), "spans": spans},
            **{"run_spans": runs, "words": places, "lines": 1 + one["text"].count("\n")},
            **({} if blind else more),
        }

    def save(self, key, said, revision):
        one = self.written(key)
        if revision != str(one["revision"]):
            now = {"revision": one["revision"], "spans": one.get("spans", [])}
            return 409, {"error": "Conflict", "message": "saved elsewhere", **now}
        if self.queue == "measure" and one["verdict"] != "open":
            now = {"revision": one["revision"], "spans": one["spans"]}
            return 409, {"error": "Final", "message": "a verdict stands", **now}
        one["revision"] += 1
        one |= {name: said[name] for name in ("spans", "verdict", "comment")}
        self.saved[key] = said
        return 200, {"revision": one["revision"]}

    def finish(self, key):
        left = [one["doc"] for one in self.notes if one["verdict"] == "open"]
        measured = None
        if self.queue == "measure":
            planted, marked = self.written(key).get("planted", []), self.written(key)["spans"]
            found = sum(any(m["start"] < b and a < m["end"] for m in marked) for a, b in planted)
            measured = {"marked": len(marked), "planted": len(planted), "found": found}
        following = {"doc": left[0], "field": "text"} if left else None
        return 200, {"next": following, "measured": measured}

    def same(self, key, said):
        text = self.written(key)["text"]
        words = re.escape(text[said["start"] : said["end"]])
        found = re.finditer(rf"\b{words}\b", text, re.IGNORECASE)
        return {"places": [{"start": m.start(), "end": m.end()} for m in found]}

    def differences(self, key):
        one = self.written(key)
        return {
            **{"differences": one["differences"], "readers": ["ana", "ben"], "revision": 0},
            **{"rows": {"ana": 7, "ben": 9}, "document": self.document(key, "published")},
        }

    def decide(self, key, said):
        self.decided[key] = said
        return 200, {"revision": 1}

    def job(self, what, method):
        if method == "POST":
            self.jobs[what] = "running"
            return 202, {"started": "now"}
        state = self.jobs.get(what, "none")
        answer = {"state": state, "lines": ["training on 12 notes"] * (state != "none")}
        if state == "running":
            self.jobs[what] = "done"
        changed = {"documents": 9, "spans_more": 4, "spans_less": 1}
        changed["by_label"] = [{"label": "DOCTOR", "more": 4, "less": 1}]
        cost = {"generated": 16_432, "minutes": 76, "gigabytes": 17}
        more = (
            {"bundle": "b-review-1", "cost": cost}
            if what == "train"
            else {"output": "out", "changed": changed}
        )
        return 200, {**answer, **more, "error": None}

    def answer(self, method, path, query, said, headers):
        """Status and body."""
        for (verb, part), (status, body) in list(self.refusals.items()):
            if verb == method and part in path:
                del self.refusals[verb, part]
                return status, body
        if path == "session":
            return self.begin(said)
        if self.locked or headers.get("authorization") != f"Bearer {self.session}":
            return 401, {"error": "Locked", "message": "ask for a new link"}
        what, _, key = path.partition("/")
        measure = {"read": 1, "skipped": 0, "n": 3, "planted": 1, "found": 1}
        return {
            "queue": lambda: (200, self.list(int(query["after"]), int(query["limit"]))),
            "claim": lambda: (200, {"until": "2026-11-28T23:00:00+00:00"}),
            "document": lambda: (200, self.document(key, query["side"])),
            "marks": lambda: self.save(key, said, headers.get("if-match")),
            "done": lambda: self.finish(key),
            "same": lambda: (200, self.same(key, said)),
            "differences": lambda: (200, self.differences(key)),
            "adjudicated": lambda: self.decide(key, said),
            "train": lambda: self.job("train", method),
            "rescrub": lambda: self.job("rescrub", method),
            "agreement": lambda: (200, self.agreement),
            "curve": lambda: (200, self.curve),
            "measure": lambda: (200, {**measure, "so_far": None, "enough": False}),
            "lock": lambda: (200, {}) if not setattr(self, "locked", True) else None,
        }[what]()

    def app(self):
        async def api(request):
            self.asked.append((request.method, request.path_params["path"]))
            if self.away:
                return JSONResponse({"message": "nothing could be logged"}, 503, HEADERS)
            said = await request.json() if await request.body() else None
            query, path = dict(request.query_params), request.path_params["path"]
            status, body = self.answer(request.method, path, query, said, request.headers)
            return JSONResponse(body, status, dict(HEADERS))

        async def static(request):
            path = STATIC / request.path_params.get("name", "index.html")
            return Response(path.read_bytes(), 200, dict(HEADERS), KINDS[path.suffix])

        routes = [
            Route("/api/{path:path}", api, methods=["GET", "POST", "PUT"]),
            Route("/static/{name}", static),
            Route("/", static),
        ]
        return Starlette(routes=routes)


@contextlib.contextmanager
def serving_app(app, listener):
    """The address of an application while it is served at a socket that listens."""
    config = uvicorn.Config(app, log_level="error", lifespan="off", ws="none", access_log=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    finally:
        server.should_exit = True
        thread.join(10)


@contextlib.contextmanager
def serving(double):
    """The address of the double while it is served."""
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        serving_app(double.app(), listener) as url,
    ):
        yield url
