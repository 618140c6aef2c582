"""Every endpoint of the review page, and whom it refuses."""

import itertools
import json
import os
import re
from pathlib import Path

import pytest
from scrubline.models.core.errors import GateFailed, UsageError
from scrubline.pipeline.review.access import verify_accesses

from .conftest import HOST, PORT, ask

API = [
    ("GET", "/api/queue"),
    ("POST", "/api/claim/aa"),
    ("GET", "/api/document/aa"),
    ("PUT", "/api/marks/aa"),
    ("POST", "/api/done/aa"),
    ("POST", "/api/same/aa"),
    ("GET", "/api/differences/aa"),
    ("PUT", "/api/adjudicated/aa"),
    ("GET", "/api/agreement"),
    ("GET", "/api/curve"),
    ("POST", "/api/train"),
    ("GET", "/api/train"),
    ("POST", "/api/rescrub"),
    ("GET", "/api/rescrub"),
    ("GET", "/api/measure"),
    ("POST", "/api/lock"),
]


def rows(reader, name):
    path = reader.folder.file(name)
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [json.loads(line) for line in file]


def full_disk(*arguments):
    raise OSError(28, "No space left on device")


# -- who is admitted


def test_without_a_session_nothing_is_told(reader):
    ana = reader()
    for (method, url), session in itertools.product(API, (None, "", "x" * 43, ana.session[:-1])):
        headers = {} if session is None else {"authorization": f"Bearer {session}"}
        answer = ask(ana.app, method, url, headers=headers)
        assert answer.status == 401
        assert answer.value["error"] == "Locked"


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:80", "", None]
)
def test_other_names_of_the_server_are_refused(reader, host):
    ana = reader()
    for method, url in (*API, ("GET", "/"), ("POST", "/api/session")):
        answer = ana.raw(method, url, host=host)
        assert (answer.status, answer.value["error"]) == (400, "BadHost")


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": f"https://{HOST}"},
        {"origin": "http://127.0.0.1:1234"},
        {"origin": "null"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"sec_fetch_site": "none"},
    ],
)
def test_requests_of_other_pages_are_refused(reader, headers):
    ana = reader()
    for method, url in (*API, ("POST", "/api/session")):
        answer = ana.raw(method, url, **headers)
        assert (answer.status, answer.value["error"]) == (403, "BadOrigin")
    own = {"origin": f"http://{HOST}", "sec_fetch_site": "same-origin"}
    assert ana.raw("GET", "/api/queue", **own).status == 200


def test_other_machines_are_refused(reader):
    ana = reader()
    headers = {"authorization": f"Bearer {ana.session}"}
    answer = ask(ana.app, "GET", "/api/queue", headers=headers, client="192.0.2.7")
    assert (answer.status, answer.value["error"]) == (403, "NotHere")


def test_a_link_opens_one_session(reader):
    ana = reader()
    for token in (ana.links[0], "guess", "", 7, None):
        answer = ana.raw("POST", "/api/session", {"token": token})
        assert (answer.status, answer.value["error"]) == (403, "BadLink")
    assert ana.raw("GET", "/api/queue").status == 200


def test_a_lock_ends_the_session_and_gives_a_new_link(reader):
    ana = reader()
    assert ana.call("POST", "/api/lock", {}) == {}
    assert ana.raw("GET", "/api/queue").status == 401
    assert len(ana.links) == 2
    assert ana.links[0] != ana.links[1]
    ana.session = None
    ana.begin()
    assert ana.raw("GET", "/api/queue").status == 200


def test_a_reader_who_has_gone_is_locked_out(output, key_file, reader):
    now = [0.0]
    ana = reader(clock=lambda: now[0])
    now[0] = 899
    assert ana.raw("GET", "/api/queue").status == 200
    now[0] += 899  # from the last request on
    assert ana.raw("GET", "/api/queue").status == 200
    now[0] += 900
    assert ana.raw("GET", "/api/queue").status == 401
    assert len(ana.links) == 2


def test_every_answer_says_what_a_browser_may_do(reader):
    ana = reader()
    refused = ask(ana.app, "GET", "/api/queue")
    missing = ana.raw("GET", "/nothing")
    for answer in (ana.raw("GET", "/api/queue"), refused, missing, ana.raw("GET", "/static/no.js")):
        policy = answer.headers["content-security-policy"]
        for part in (
            "default-src 'none'",
            "script-src 'self'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        ):
            assert part in policy
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "set-cookie" not in answer.headers
    assert (missing.status, refused.status) == (404, 401)


@pytest.mark.parametrize("name", ["../app.py", "..%2fapp.py", ".hidden.js", "app.py", "x"])
def test_only_files_of_the_page_are_given(reader, name):
    assert reader().raw("GET", f"/static/{name}").status == 404


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"[]", "application/json", 400),
        (b"{", "application/json", 400),
        (b"\xff", "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b"{}", "text/plain", 415),
        (b" " * 4_000_001, "application/json", 413),
    ],
)
def test_bodies_are_objects_of_json(reader, content, kind, status):
    ana = reader()
    headers = {"authorization": f"Bearer {ana.session}", "content-type": kind}
    assert ask(ana.app, "PUT", "/api/marks/aa", headers=headers, content=content).status == status


# -- the find queue


def test_a_page_is_told_what_it_is_of(reader):
    told = reader().panel.about()
    assert (told["reviewer"], told["role"], told["queue"]) == ("ana", "reader", "find")
    assert told["campaign"] is None
    assert {"PATIENT", "DATE"} <= set(told["labels"])
    assert told["can"] == {"original": True, "train": False, "rescrub": False}


def test_the_queue_has_ranks_and_no_texts(reader):
    ana = reader()
    queue = ana.call("GET", "/api/queue?of=find&after=2&limit=3")
    assert queue["total"] > 40
    assert [one["n"] for one in queue["items"]] == [3, 4, 5]
    assert {*queue["items"][0]} == {"doc", "field", "n", "bars", "type", "state", "spans"}
    assert queue["items"][0]["type"] in ("", "progress")
    ana.call("GET", "/api/queue?of=measure", status=403)
    ana.call("GET", "/api/queue?after=x", status=400)
    assert reader(name="ben", count=7).call("GET", "/api/queue")["total"] == 7


def test_places_are_code_points_of_the_original(reader):
    ana = reader()
    text, found = ana.take()
    assert found["side"] == "published"
    assert all("original" not in one for one in found["segments"])
    both = ana.call("GET", f"/api/document/{text}&side=original")
    original = "".join(one.get("original", one["text"]) for one in both["segments"])
    assert "🙂" in original
    assert len(original) == found["text_length"]
    for one in found["run_spans"]:
        assert one["label"] in ("DATE", "MEDICALRECORD", "PHONE", "EMAIL", "IDNUM")
        assert original[one["start"] : one["end"]].strip()
        assert one["detectors"]
    (mail,) = [one for one in found["run_spans"] if one["label"] == "EMAIL"]
    assert re.fullmatch(r"p\d+@clinic.example", original[mail["start"] : mail["end"]])
    assert [{k: one[k] for k in ("start", "end", "label")} for one in found["spans"]] == [
        {k: one[k] for k in ("start", "end", "label")} for one in found["run_spans"]
    ]
    assert sum(found["detected"].values()) == len(found["run_spans"])
    assert found["lines"] == 1 + original.count("\n")


def test_a_text_is_recorded_before_it_is_shown(reader):
    ana = reader()
    text, _ = ana.take()
    ana.call("GET", f"/api/document/{text}&side=original")
    (first, second) = rows(ana, "access.jsonl")
    assert (first["what"], second["what"]) == ("published", "original")
    assert first["doc_key"] == second["doc_key"] == text.partition("?")[0]
    assert (first["reviewer"], first["seq"], second["seq"]) == ("ana", 1, 2)
    assert verify_accesses(ana.folder.root.rpartition("/restricted")[0]) == ([], 2)


def test_what_cannot_be_recorded_is_not_shown(reader, monkeypatch):
    ana = reader()
    text = ana.open_texts()[0]
    ana.call("POST", f"/api/claim/{text}", {})
    monkeypatch.setattr(os, "pwrite", full_disk)
    for side in ("published", "original"):
        answer = ana.raw("GET", f"/api/document/{text}&side={side}")
        assert answer.status == 503
        assert {*answer.value} == {"error", "message"}
        assert b"Call" not in answer.content
    monkeypatch.undo()
    assert rows(ana, "access.jsonl") == []
    ana.call("GET", f"/api/document/{text}")


def test_a_record_that_was_tampered_with_stops_reading(reader):
    ana = reader()
    text, _ = ana.take()
    with open(ana.folder.file("access.jsonl"), "ab") as file:
        file.write(b"no row\n")
    assert ana.raw("GET", f"/api/document/{text}").status == 503
    faults, _ = verify_accesses(ana.folder.root.rpartition("/restricted")[0])
    assert faults == ["find: accesses, line 2: no row of accesses"]


def test_marks_are_saved_whole_and_come_back(reader):
    ana = reader()
    text, found = ana.take()
    spans = [*found["spans"][1:], {"start": 0, "end": 4, "label": "PATIENT", "was": None}]
    assert ana.save(text, spans, "open", comment="Zebulon?") == {"revision": 1}
    again = ana.call("GET", f"/api/document/{text}")
    assert (again["revision"], again["verdict"], again["comment"]) == (1, "open", "Zebulon?")
    assert sorted(map(str, again["spans"])) == sorted(map(str, spans))
    assert ana.save(text, found["spans"], revision=1) == {"revision": 2}
    later = reader()  # another process
    assert later.call("GET", f"/api/document/{text}")["revision"] == 2
    assert [row["rev"] for row in rows(ana, "marks-ana.jsonl")] == [1, 2]


def test_what_was_saved_elsewhere_is_not_written_over(reader):
    ana, other = reader(), reader()
    text, found = ana.take()
    ana.save(text, found["spans"], "open")
    for revision in (0, 2):
        answer = other.save(text, [], revision=revision, status=409)
        assert (answer["error"], answer["revision"]) == ("Conflict", 1)
        assert len(answer["spans"]) == len(found["spans"])
    assert other.save(text, [], revision=1) == {"revision": 2}


def test_marks_on_a_full_disk_are_not_saved_and_nothing_is_lost(reader, monkeypatch):
    ana = reader()
    text, found = ana.take()
    ana.save(text, found["spans"], "open")
    monkeypatch.setattr(os, "pwrite", full_disk)
    answer = ana.save(text, [], revision=1, status=503)
    assert answer["error"] == "NotSaved"
    monkeypatch.undo()
    again = ana.call("GET", f"/api/document/{text}")
    assert (again["revision"], len(again["spans"])) == (1, len(found["spans"]))
    assert ana.save(text, [], revision=1) == {"revision": 2}


def test_a_reader_killed_in_mid_save_goes_on_from_the_save_before(reader):
    ana = reader()
    text, found = ana.take()
    ana.save(text, found["spans"], "open")
    with open(ana.folder.file("marks-ana.jsonl"), "ab") as file:
        file.write(b'{"seq":2,"doc_key":"')
    with open(ana.folder.file("access.jsonl"), "ab") as file:
        file.write(b'{"seq":')
    again = reader()
    assert again.call("GET", f"/api/document/{text}")["revision"] == 1
    assert again.save(text, [], revision=1) == {"revision": 2}
    assert [row["seq"] for row in rows(again, "marks-ana.jsonl")] == [1, 2]
    assert verify_accesses(ana.folder.root.rpartition("/restricted")[0]) == ([], 2)


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"spans": None}, "BadSpans"),
        ({"spans": [7]}, "BadSpans"),
        ({"spans": [{"start": 0, "end": 4}]}, "BadSpans"),
        ({"spans": [{"start": 4, "end": 4, "label": "DATE"}]}, "BadSpans"),
        ({"spans": [{"start": -1, "end": 4, "label": "DATE"}]}, "BadSpans"),
        ({"spans": [{"start": 0, "end": 10_000, "label": "DATE"}]}, "BadSpans"),
        ({"spans": [{"start": 0.0, "end": 4, "label": "DATE"}]}, "BadSpans"),
        ({"spans": [{"start": True, "end": 4, "label": "DATE"}]}, "BadSpans"),
        ({"spans": [{"start": 0, "end": 4, "label": ["DATE"]}]}, "BadSpans"),
        ({"spans": [{"start": 0, "end": 4, "label": "<script>"}]}, "BadLabel"),
        ({"verdict": "fine"}, "BadVerdict"),
        ({"seconds": "9"}, "BadSeconds"),
        ({"seconds": -1}, "BadSeconds"),
        ({"comment": "x" * 5000}, "BadComment"),
        ({"comment": 7}, "BadComment"),
        ({"verdict": "skipped", "reason": "bored"}, "BadReason"),
    ],
)
def test_marks_are_as_agreed(reader, body, error):
    ana = reader()
    text, _ = ana.take()
    said = {"spans": [], "verdict": "done", "seconds": 1, **body}
    answer = ana.call("PUT", f"/api/marks/{text}", said, 400, if_match="0")
    assert answer["error"] == error
    assert rows(ana, "marks-ana.jsonl") == []
    ana.call("PUT", f"/api/marks/{text}", {"spans": [], "verdict": "done"}, 400)  # no revision


@pytest.mark.parametrize("doc", ["aa", "..", "a" * 32])
def test_texts_that_are_not_in_the_queue_are_not_there(reader, doc):
    ana = reader()
    for method, url in (
        ("POST", f"/api/claim/{doc}"),
        ("GET", f"/api/document/{doc}"),
        ("POST", f"/api/done/{doc}?field=text"),
    ):
        assert ana.raw(method, url, {} if method == "POST" else None).status == 404
    text = ana.open_texts()[0].partition("?")[0]
    assert ana.raw("GET", f"/api/document/{text}?field=other").status == 404
    assert ana.raw("GET", f"/api/document/{text}").status == 200  # it has one field
    assert ana.raw("GET", f"/api/document/{text}?side=both").status == 400


def test_done_gives_the_next_one_and_keeps_it_for_the_reader(reader):
    ana = reader()
    text, found = ana.take()
    assert ana.call("POST", f"/api/done/{text}", {}, 409)["error"] == "NoVerdict"
    ana.save(text, found["spans"])
    answer = ana.call("POST", f"/api/done/{text}", {})
    assert answer["measured"] is None
    following = answer["next"]
    assert f"{following['doc']}?field={following['field']}" == ana.open_texts()[0] != text
    queue = ana.call("GET", "/api/queue")
    assert (queue["done"], queue["skipped"]) == (1, 0)


def test_skipping_has_a_reason_and_is_counted(reader):
    ana = reader()
    text, _ = ana.take()
    ana.save(text, [], "skipped", reason="not a note")
    assert ana.call("GET", "/api/queue")["skipped"] == 1
    (row,) = rows(ana, "comments-ana.jsonl")
    assert (row["reason"], row["rev"]) == ("not a note", 1)


def test_the_last_one_has_no_next(reader):
    ana = reader(count=1)
    text, found = ana.take()
    ana.save(text, found["spans"])
    assert ana.call("POST", f"/api/done/{text}", {})["next"] is None


def test_the_same_words_elsewhere(reader):
    ana = reader()
    text, found = ana.take()
    at = "".join(
        one["text"] if not one["removed"] else " " * (one["end"] - one["start"])
        for one in found["segments"]
    ).index("5/5")
    places = ana.call("POST", f"/api/same/{text}", {"start": at, "end": at + 1})["places"]
    assert {"start": at, "end": at + 1} in places
    for body in ({}, {"start": 3, "end": 2}, {"start": 0, "end": 10_000}, {"start": "0"}):
        ana.call("POST", f"/api/same/{text}", body, 400)


def test_what_is_hidden_is_not_looked_at_for_the_same_words(reader):
    ana = reader()
    text, found = ana.take()
    box = found["run_spans"][0]
    body = {"start": box["start"], "end": box["end"]}
    assert ana.call("POST", f"/api/same/{text}", body)["places"] == []
    ana.call("GET", f"/api/document/{text}&side=original")
    assert body in ana.call("POST", f"/api/same/{text}", body)["places"]


def test_originals_are_shown_only_if_they_were_asked_for(reader):
    ana = reader(originals=None)
    text, _ = ana.take()
    answer = ana.call("GET", f"/api/document/{text}&side=original", status=403)
    assert answer["error"] == "NoOriginal"
    assert [row["what"] for row in rows(ana, "access.jsonl")] == ["published"]


def test_originals_that_are_gone_are_not_shown(reader, published):
    ana = reader()
    text, _ = ana.take()
    hidden = published / "elsewhere"
    (published / "in").rename(hidden)
    try:
        assert ana.raw("GET", f"/api/document/{text}&side=original").status == 503
    finally:
        hidden.rename(published / "in")
    assert ana.raw("GET", f"/api/document/{text}").status == 200


def test_a_folder_that_others_can_read_is_refused(reader, output, key_file):
    ana = reader()
    for path, mode in ((ana.folder.path, 0o750), (ana.folder.root, 0o701)):
        os.chmod(path, mode)
        with pytest.raises(UsageError, match="0700"):
            reader()
        os.chmod(path, 0o700)
    ana.take()
    os.chmod(ana.folder.file("access.jsonl"), 0o644)
    with pytest.raises(UsageError, match="0600"):
        reader()


def test_another_master_key_is_refused(output, tmp_path, reader, monkeypatch):
    from scrubline.models.core.keys import new_key
    from scrubline.models.storage.storage import Storage
    from scrubline.pipeline.review.texts import ReviewedOutput

    other = tmp_path / "other.txt"
    other.write_text(new_key())
    other.chmod(0o600)
    with pytest.raises(UsageError, match="wrong master key"):
        ReviewedOutput(Storage(), output, str(other))
    assert not os.path.exists(f"{output}/restricted/review")


def test_other_inputs_are_not_the_originals(output, key_file, tmp_path):
    from scrubline.models.storage.storage import Storage
    from scrubline.pipeline.review.texts import ReviewedOutput

    with pytest.raises(UsageError, match="not the inputs"):
        ReviewedOutput(Storage(), output, key_file, [str(tmp_path / "elsewhere")])


def change_parts(output, table):
    for path in Path(output, table).rglob("*.*"):
        path.write_bytes(path.read_bytes() + b"\n")


@pytest.mark.parametrize("table", ["data", "audit"])
def test_a_part_that_was_changed_is_not_shown(reader, output, table):
    ana = reader()
    text, before = ana.take()
    ana.output.forget()
    ana.output._audits.clear()
    change_parts(output, table)
    assert ana.call("GET", f"/api/document/{text}", status=503)["error"] == "ChangedPart"
    assert before["segments"]


def test_an_output_whose_documents_were_changed_is_not_opened(reader, output):
    change_parts(output, "documents")
    with pytest.raises(GateFailed, match="not what was written"):
        reader()


def test_nothing_but_rules_trains_nothing(reader):
    ana = reader()
    for method, url in (("POST", "/api/train"), ("GET", "/api/rescrub"), ("GET", "/api/curve")):
        assert ana.raw(method, url, {} if method == "POST" else None).status == 403
    assert ana.raw("GET", "/api/measure").status == 404


def test_a_failure_tells_its_class_alone(reader, monkeypatch, caplog):
    ana = reader()
    text, _ = ana.take()

    def broken(*arguments):
        raise ValueError("Zebulon Quuxworth")

    monkeypatch.setattr(ana.output, "published", broken)
    answer = ana.raw("GET", f"/api/document/{text}")
    assert answer.status == 500
    assert b"Zebulon" not in answer.content
    assert "Zebulon" not in caplog.text
    assert "ValueError" in caplog.text
