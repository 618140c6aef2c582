"""Several readers of one output, campaigns, decisions, and what is exported."""

import json
import os
from pathlib import Path

import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.corpora import read_annotated
from scrubline.models.risk.judging import judge
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.review import leases
from scrubline.pipeline.review.access import verify_accesses
from scrubline.pipeline.review.exporting import export_corrections, kept_out
from scrubline.pipeline.review.leases import Leases
from scrubline.pipeline.review.refusals import DeskRefusal


def read(reader, text, spans=None, verdict="done"):
    """Takes a text, marks it, and ends its reading."""
    reader.call("POST", f"/api/claim/{text}", {})
    found = reader.call("GET", f"/api/document/{text}")
    reader.save(text, found["spans"] if spans is None else spans, verdict, found["revision"])
    return reader.call("POST", f"/api/done/{text}", {})


def address(text):
    return f"{text[0]}?field={text[1]}"


def of_twice(reader, *, twice):
    """Addresses of texts that two people are to read, or one."""
    return [address(one) for one in reader.desk.order if reader.desk.is_twice(one) is twice]


# -- leases


def test_a_text_that_somebody_reads_is_given_to_nobody_else(reader):
    ana, ben = reader("ana"), reader("ben")
    text = of_twice(ana, twice=False)[0]
    ana.call("POST", f"/api/claim/{text}", {})
    ben.call("POST", f"/api/claim/{text}", {}, 423)
    ben.call("GET", f"/api/document/{text}", status=423)
    ben.save(text, [], status=423)
    assert text not in ben.open_texts()
    assert ben.call("GET", "/api/queue")["others"] == 1
    ana.call("POST", f"/api/claim/{text}", {})  # renewed
    read(ana, text)
    queue = ben.call("GET", "/api/queue")
    assert queue["done"] == 1
    assert text not in ben.open_texts()


def test_a_text_to_be_read_twice_is_given_to_two(reader):
    ana, ben, cem = reader("ana"), reader("ben"), reader("cem")
    text = of_twice(ana, twice=True)[0]
    ana.call("POST", f"/api/claim/{text}", {})
    ben.call("POST", f"/api/claim/{text}", {})
    read(ana, text)
    assert text in ben.open_texts()
    read(ben, text)
    assert text not in cem.open_texts()


def test_leases_run_out(tmp_path, monkeypatch):
    now = [1000.0]
    ana, ben = (Leases(str(tmp_path), name, lambda: now[0]) for name in ("ana", "ben"))
    assert ana.take(("a", "t")).reviewer == "ana"
    now[0] += leases.LEASE_SECONDS - 1
    assert ben.take(("a", "t")).reviewer == "ana"
    assert ben.others() == {"ana"}
    ana.take(("a", "t"))
    now[0] += leases.LEASE_SECONDS - 1
    assert ben.take(("a", "t")).reviewer == "ana"
    now[0] += 1
    assert ben.take(("a", "t")).reviewer == "ben"
    ana.drop(("a", "t"))  # no longer hers
    assert ana.take(("a", "t")).reviewer == "ben"
    ben.drop(("a", "t"))
    assert ana.take(("a", "t")).reviewer == "ana"


def test_a_lease_of_before_the_clock_was_set_back_has_run_out(tmp_path):
    now = [9e9]
    ana, ben = (Leases(str(tmp_path), name, lambda: now[0]) for name in ("ana", "ben"))
    ana.take(("a", "t"))
    now[0] -= 5  # by a server of time
    assert ben.take(("a", "t")).reviewer == "ana"
    now[0] = 1000.0
    assert ben.take(("a", "t")).reviewer == "ben"


@pytest.mark.parametrize("until", ['"x"', "1e400", "NaN", "null", "[]"])
def test_a_damaged_lease_is_nobodys(reader, until):
    ana = reader()
    text, _ = ana.take()
    for name in os.listdir(folder := ana.folder.file("leases")):
        if name != ".lock":
            Path(folder, name).write_text(f'{{"reviewer": "ben", "until": {until}}}')
    ana.call("POST", f"/api/claim/{text}", {})
    assert text in ana.open_texts()


def test_a_lease_that_cannot_be_written_is_not_given(reader, monkeypatch):
    ana = reader()
    text = of_twice(ana, twice=False)[0]

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "link", full)
    ana.call("POST", f"/api/claim/{text}", {}, 503)
    monkeypatch.undo()
    ana.call("POST", f"/api/claim/{text}", {})


# -- agreement and adjudication


def both_read(reader):
    """Two readers who differ on the first two texts that both read; and these texts."""
    ana, ben = reader("ana"), reader("ben")
    texts = of_twice(ana, twice=True)[:3]
    for number, text in enumerate(texts):
        read(ana, text)
        if number < 2:
            spans = ben.call("GET", f"/api/document/{text}")["spans"]
            changed = {**spans[0], "label": "PATIENT"} if spans else None
            marks = [*([changed] if changed else []), *spans[1:]]
            read(ben, text, [*marks, {"start": 0, "end": 4, "label": "DOCTOR", "was": None}])
        else:
            read(ben, text)
    return texts


def test_agreement_is_of_what_both_have_read(reader):
    both_read(reader)
    found = reader("ana").call("GET", "/api/agreement")
    assert found["read_twice"] == 3
    assert 0 < found["strict"]["f1"] < found["blind"]["f1"] < 1
    assert found["kappa"] < 1
    assert found["alpha"] is None
    assert [(one["readers"], one["documents"]) for one in found["pairs"]] == [(["ana", "ben"], 3)]
    assert {"DOCTOR", "PATIENT"} <= {one["label"] for one in found["by_label"]}


def test_an_adjudicator_decides_on_differences_alone(reader):
    texts = both_read(reader)
    ana = reader("ana")
    assert ana.raw("GET", f"/api/differences/{texts[0]}").status == 403
    eva = reader("eva", is_adjudicator=True)
    queue = eva.call("GET", "/api/queue")
    assert {f"{one['doc']}?field={one['field']}": one["state"] for one in queue["items"]} == {
        texts[0]: "open",
        texts[1]: "open",
        texts[2]: "done",
    }
    found = eva.call("GET", f"/api/differences/{texts[0]}")
    assert found["readers"] == ["ana", "ben"]
    assert found["document"]["segments"]
    assert {"start": 0, "end": 4, "marks": {"ana": None, "ben": "DOCTOR"}, "model": None} in found[
        "differences"
    ]
    decisions = [
        {"start": one["start"], "end": one["end"], "label": one["marks"]["ana"]}
        for one in found["differences"]
    ]
    said = {"decisions": decisions, "rows": found["rows"]}
    url = f"/api/adjudicated/{texts[0]}"
    assert eva.call("PUT", url, {**said, "decisions": decisions[1:]}, 400)["error"] == "BadDecision"
    wrong = [{**decisions[0], "label": "<b>"}, *decisions[1:]]
    assert eva.call("PUT", url, {**said, "decisions": wrong}, 400)["error"] == "BadLabel"
    assert eva.call("PUT", url, {**said, "rows": {"ana": 1}}, 409)["error"] == "Conflict"
    assert eva.call("PUT", url, said) == {"revision": 1}
    states = [one["state"] for one in eva.call("GET", "/api/queue")["items"]]
    assert sorted(states) == ["done", "done", "open"]
    # Who goes on after the decision has it decided anew.
    again = ana.call("GET", f"/api/document/{texts[0]}")
    ana.save(texts[0], [], revision=again["revision"])
    states = [one["state"] for one in eva.call("GET", "/api/queue")["items"]]
    assert sorted(states) == ["done", "open", "open"]


def test_nobody_decides_on_what_they_have_read_themselves(reader):
    first, *_ = both_read(reader)
    ben = reader("ben", is_adjudicator=True)
    assert ben.call("GET", "/api/queue")["items"] == []
    assert ben.call("GET", f"/api/differences/{first}", status=403)["error"] == "OwnReading"
    said = {"decisions": [], "rows": {}}
    assert ben.call("PUT", f"/api/adjudicated/{first}", said, 403)["error"] == "OwnReading"


def test_nobody_decides_on_what_they_have_begun_to_read(reader):
    first, second, *_ = both_read(reader)
    reader("eva").save(first, [], verdict="open")
    eva = reader("eva", is_adjudicator=True)
    items = eva.call("GET", "/api/queue")["items"]
    assert first not in {f"{one['doc']}?field={one['field']}" for one in items}
    assert eva.call("GET", f"/api/differences/{first}", status=403)["error"] == "OwnReading"
    eva.call("GET", f"/api/differences/{second}")


def test_who_decides_for_others_marks_nothing(reader):
    first, *_ = both_read(reader)
    eva = reader("eva", is_adjudicator=True)
    eva.call("GET", f"/api/differences/{first}")
    assert eva.save(first, [], status=403)["error"] == "Adjudicator"
    assert "eva" not in eva.folder.readers()


# -- campaigns


def drawn_text(drawn, *, planted):
    return next(one for one in drawn.texts if bool(one.planted) is planted)


def test_a_campaign_is_read_blind(reader, campaign):
    drawn = campaign()
    ana = reader(campaign="spring", drawn=drawn)
    told = ana.panel.about()
    assert told["queue"] == "measure"
    assert told["campaign"] == {"name": "spring", "target": 0.2, "of": "any", "n": 20}
    assert told["can"]["original"] is False
    items = ana.call("GET", "/api/queue?of=measure")["items"]
    assert [one["doc"] for one in items] == [one.doc_key for one in drawn.texts]
    assert all({*one} == {"doc", "field", "n", "state"} for one in items)
    one = drawn_text(drawn, planted=True)
    text = address((one.doc_key, one.field))
    found = ana.call("GET", f"/api/document/{text}")
    assert not {"uncertain", "detected"} & found.keys()
    assert all({*span} == {"start", "end", "label"} for span in found["run_spans"])
    assert found["spans"] == []
    assert ana.raw("GET", f"/api/document/{text}&side=original").status == 403


def test_what_is_planted_stands_in_the_clear_and_its_access_is_recorded(reader, campaign):
    drawn = campaign()
    ana = reader(campaign="spring", drawn=drawn)
    for planted in (True, False):
        one = drawn_text(drawn, planted=planted)
        text = address((one.doc_key, one.field))
        found = ana.call("GET", f"/api/document/{text}")
        original = ana.output.original((one.doc_key, one.field))
        for stretch in one.planted:
            (within,) = [s for s in found["segments"] if s["start"] <= stretch.start < s["end"]]
            assert within["removed"] is False
            at = stretch.start - within["start"]
            shown = within["text"][at : at + stretch.end - stretch.start]
            assert shown == original[stretch.start : stretch.end]
            assert not any(
                span["start"] < stretch.end and stretch.start < span["end"]
                for span in found["run_spans"]
            )
    with open(ana.folder.file("access.jsonl")) as file:
        assert [json.loads(line)["what"] for line in file] == ["planted", "published"]


def test_the_reader_is_told_what_was_planted_and_cannot_take_it_back(reader, campaign):
    drawn = campaign()
    ana = reader(campaign="spring", drawn=drawn)
    one = drawn_text(drawn, planted=True)
    text, stretch = address((one.doc_key, one.field)), one.planted[0]
    mark = {"start": stretch.start, "end": stretch.end, "label": "DATE", "was": None}
    ana.save(text, [], "open")
    ana.save(text, [mark], "done", 1)
    answer = ana.call("POST", f"/api/done/{text}", {})
    assert answer["measured"] == {"marked": 1, "planted": 1, "found": 1}
    assert ana.save(text, [], "done", 2, status=409)["error"] == "Final"


def test_no_other_process_of_the_reader_takes_a_verdict_back(reader, campaign):
    drawn = campaign()
    ana, again = (reader(campaign="spring", drawn=drawn) for _ in range(2))
    one = drawn_text(drawn, planted=True)
    text = address((one.doc_key, one.field))
    ana.save(text, [])
    assert ana.call("POST", f"/api/done/{text}", {})["measured"]["found"] == 0
    assert again.save(text, [], "open", 1, status=409, comment="x")["error"] == "Final"
    assert again.call("GET", f"/api/document/{text}")["verdict"] == "done"


def test_no_mark_says_that_it_replaces_what_was_left(reader, campaign):
    drawn = campaign(planted=0)
    ana = reader(campaign="spring", drawn=drawn)
    text, document = ana.take()
    left = next(one for one in document["segments"] if not one["removed"])
    mark = {"start": left["start"], "end": left["start"] + 2, "label": "PATIENT"}
    whole = {"start": 0, "end": document["text_length"]}
    assert ana.save(text, [{**mark, "was": whole}], status=400)["error"] == "BadSpans"
    ana.save(text, [{**mark, "was": None}])
    assert sum(unit.leaks["any"] for unit in judge(drawn, ana.folder.marks()).units) == 1


def test_a_record_of_accesses_is_walked_though_the_draw_is_gone(reader, campaign, output):
    ana = reader(campaign="spring", drawn=campaign())
    ana.take()
    os.unlink(ana.folder.file("draw.jsonl"))
    record = Path(ana.folder.file("access.jsonl"))
    assert verify_accesses(output) == ([], 1)
    record.write_bytes(record.read_bytes().replace(b'"seq":1', b'"seq":2'))
    assert len(verify_accesses(output)[0]) == 1


def test_what_was_removed_cannot_be_marked_as_left(reader, campaign):
    drawn = campaign(planted=0)
    ana = reader(campaign="spring", drawn=drawn)
    for one in drawn.texts:
        text = address((one.doc_key, one.field))
        boxes = ana.call("GET", f"/api/document/{text}")["run_spans"]
        if boxes:
            break
    mark = {**boxes[0], "was": None}
    assert ana.save(text, [mark], status=400)["error"] == "CoversRemoved"


def test_a_campaign_is_judged_by_what_was_saved(reader, campaign):
    drawn = campaign()
    ana = reader(campaign="spring", drawn=drawn)
    planted = sum(len(one.planted) for one in drawn.texts)
    for number, one in enumerate(drawn.texts):
        marks = [
            {"start": s.start, "end": s.end, "label": "DATE", "was": None} for s in one.planted
        ]
        read(ana, address((one.doc_key, one.field)), marks, "skipped" if number == 0 else "done")
    found = ana.call("GET", "/api/measure")
    assert (found["read"], found["skipped"], found["n"]) == (20, 1, 20)
    assert found["planted"] == found["found"] > 0
    assert found["planted"] >= planted - 1
    assert (found["so_far"], found["enough"]) == (None, True)
    judged = judge(drawn, ana.folder.marks(), ana.folder.opened())
    assert sum(unit.leaks_any("any") for unit in judged.units) == 1  # the skipped one


def test_a_sequential_campaign_tells_what_leaks(reader, campaign):
    drawn = campaign(method="sequential")
    ana = reader(campaign="spring", drawn=drawn)
    assert ana.call("GET", "/api/measure")["so_far"] == {"k": 0, "n": 0}
    one = drawn.texts[0]
    text = address((one.doc_key, one.field))
    read(ana, text, [], "cannot read")
    found = ana.call("GET", "/api/measure")
    assert (found["so_far"], found["enough"]) == ({"k": 1, "n": 1}, False)


def test_the_find_queue_leaves_campaigns_alone(reader, campaign):
    drawn = campaign()
    keys = {one.doc_key for one in drawn.texts}
    ana = reader()
    assert keys == kept_out(ana.folder)
    assert not keys & {key for key, _ in ana.desk.order}


def test_a_campaign_that_is_drawn_meanwhile_is_left_alone_too(reader, campaign):
    ana = reader()
    text, _ = ana.take()
    before = ana.call("GET", "/api/queue")
    drawn = {one.doc_key for one in campaign(n=before["total"] - 5).texts}
    after = ana.call("GET", "/api/queue")
    assert [one for one in before["items"] if one["doc"] not in drawn] == after["items"]
    assert after["total"] == before["total"] - len(drawn)
    for doc in drawn:
        assert ana.call("GET", f"/api/document/{doc}", status=409)["error"] == "Drawn"
    # What was open can be left: it is saved, and no export has it.
    ana.save(text, [])
    told = ana.call("POST", f"/api/done/{text}", {})
    assert told["next"]["doc"] not in drawn


def test_others_marks_are_no_business_of_a_reader_of_a_campaign(reader, campaign):
    drawn = campaign()
    twice = [one for one in drawn.texts if one.twice]
    ana, ben, cem = (reader(name, campaign="spring", drawn=drawn) for name in ("ana", "ben", "cem"))
    for one in twice:
        read(ana, address((one.doc_key, one.field)), [])
        read(ben, address((one.doc_key, one.field)), [])
    assert ana.call("GET", "/api/agreement")["read_twice"] == len(twice) > 0
    assert cem.call("GET", "/api/agreement")["read_twice"] == 0
    text = address((twice[0].doc_key, twice[0].field))
    assert ana.raw("GET", f"/api/differences/{text}").status == 403


# -- export


def test_corrections_are_a_corpus_to_train_on(reader, output):
    ana = reader()
    texts = of_twice(ana, twice=False)[:3]
    first = ana.call("GET", f"/api/document/{texts[0]}")
    read(ana, texts[0], [*first["spans"], {"start": 0, "end": 4, "label": "DOCTOR", "was": None}])
    read(ana, texts[1])
    read(ana, texts[2], [], "skipped")
    found = export_corrections(ana.output, ana.folder, "ana", with_measure=False)
    assert (found.documents, found.undecided, found.campaigns) == (2, 0, 0)
    assert os.stat(found.path).st_mode & 0o777 == 0o600
    documents = {one.doc_id: one for one in read_annotated(found.path)}
    one = documents[texts[0].partition("?")[0]]
    assert "🙂" in one.text or "No complaints" in one.text
    assert [(s.start, s.end, s.label) for s in one.spans][0] == (0, 4, "DOCTOR")
    assert len(one.spans) == len(first["spans"]) + 1
    assert one.meta["patient"]
    with open(ana.folder.file("access.jsonl")) as file:
        whats = [json.loads(line)["what"] for line in file]
    assert whats.count("export") == 2
    assert verify_accesses(output)[0] == []


def test_what_readers_differ_on_waits_for_a_decision(reader):
    both_read(reader)
    ana = reader()
    found = export_corrections(ana.output, ana.folder, "ana", with_measure=False)
    assert (found.documents, found.undecided) == (1, 2)


def test_nothing_is_exported_unrecorded(reader, monkeypatch):

    ana = reader()
    read(ana, of_twice(ana, twice=False)[0])

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(DeskRefusal):
        export_corrections(ana.output, ana.folder, "ana", with_measure=False)
    assert not [name for name in os.listdir(ana.folder.path) if name.startswith("corrections")]


def test_exporting_a_campaign_ends_it(reader, campaign, scrubline, output, key_file):
    drawn = campaign()
    ben = reader("ben", campaign="spring", drawn=drawn)
    one = drawn_text(drawn, planted=True)
    text, stretch = (one.doc_key, one.field), one.planted[0]
    mark = {"start": stretch.start, "end": stretch.end, "label": "DATE", "was": None}
    read(ben, address(text), [mark])
    ana = reader()
    read(ana, of_twice(ana, twice=False)[0])
    without = export_corrections(ana.output, ana.folder, "ana", with_measure=False)
    assert (without.documents, ben.folder.is_ended) == (1, False)
    found = export_corrections(ana.output, ana.folder, "ana", with_measure=True)
    assert (found.documents, found.campaigns, ben.folder.is_ended) == (2, 1, True)
    (exported,) = [d for d in read_annotated(found.path) if d.doc_id == one.doc_key]
    # The planted span is one that the run removed: it counts once, under the run's label.
    places = [(s.start, s.end) for s in exported.spans]
    assert places.count((stretch.start, stretch.end)) == 1
    assert len(places) == len(ana.output.audit(text))
    assert kept_out(ana.folder) == frozenset()
    code, _, err = scrubline(
        *("review", output, "--queue", "measure", "--campaign", "spring"),
        *("--key-file", key_file, "--reviewer", "ben"),
    )
    assert code == 2
    assert "ended" in err


def test_no_campaign_ends_for_what_cannot_be_exported(reader, campaign, monkeypatch):
    drawn = campaign()
    ben = reader("ben", campaign="spring", drawn=drawn)
    ana = reader()
    with pytest.raises(UsageError, match="nothing was read"):
        export_corrections(ana.output, ana.folder, "ana", with_measure=True)
    one = drawn_text(drawn, planted=False)
    read(ben, address((one.doc_key, one.field)))

    def gone(text):
        raise DeskRefusal(503, "NoOriginal", "the original was removed")

    monkeypatch.setattr(ana.output, "original", gone)
    with pytest.raises(DeskRefusal):
        export_corrections(ana.output, ana.folder, "ana", with_measure=True)
    assert not ben.folder.is_ended and not ben.folder.exported()


def test_an_output_with_a_review_verifies(reader, output):
    ana = reader()
    read(ana, ana.open_texts()[0])
    faults, _ = verify(Storage(), output, originals=False, key_source=None)
    assert faults == []
