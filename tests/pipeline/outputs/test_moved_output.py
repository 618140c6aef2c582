"""An output that is taken away while a run works on it: code 1, for a scheduler may try again."""

import dataclasses
import shutil
from pathlib import Path

import pytest
from scrubline.models.core.errors import RunFailed, UsageError
from scrubline.models.storage.storage import Storage
from scrubline.pipeline import run as runs
from scrubline.pipeline import work
from scrubline.pipeline.run import resume, scrub


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("how", ["renamed", "removed"])
@pytest.mark.parametrize("when", ["run_units", "reconcile", "promote"])
@pytest.mark.slow
def test_a_run_whose_output_goes_has_failed_and_was_not_refused(
    options, tmp_path, monkeypatch, how, when, workers
):
    if workers and when != "run_units":
        pytest.skip("workers have ended by then")
    options = dataclasses.replace(options, workers=workers, watchdog_seconds=60)
    output, away = Path(options.output), tmp_path / "away"
    module = runs if when == "promote" else work
    real = getattr(module, when)

    def taken(*given, **more):
        if how == "renamed":
            output.rename(away)
        else:
            shutil.rmtree(output)
        return real(*given, **more)

    with monkeypatch.context() as patch:
        patch.setattr(module, when, taken)
        with pytest.raises(RunFailed) as caught:
            scrub(Storage(), options)
    assert not isinstance(caught.value, UsageError)
    assert str(tmp_path) not in str(caught.value)
    assert not (output / "_SUCCESS").exists()
    if how == "renamed":
        shutil.rmtree(output, ignore_errors=True)  # what the run wrote there meanwhile
        away.rename(output)
        assert resume(Storage(), options)["counts"]["rows_in"] > 0


def test_a_refusal_stays_one_while_the_output_is_there(options, monkeypatch):
    def refuse(*given, **more):
        raise UsageError("another policy")

    monkeypatch.setattr(work, "run_units", refuse)
    with pytest.raises(UsageError, match="another policy"):
        scrub(Storage(), options)


@pytest.mark.parametrize(
    "url", ["data:text/plain,x", "data:;base64,eA==", "generic://x", "dir::/in", "reference://x"]
)
def test_a_url_that_is_no_place_of_files_is_refused_as_input(scrubline, options, url):
    code, _, err = scrubline(
        "scrub", "--input", url, "--output", options.output, "--model", "none",
        "--key-file", options.key_source, "--format", "jsonl",
    )  # fmt: skip
    assert code == 2
    assert "input 1 of 1" in err or "leads to no files" in err, err
    assert not Path(options.output).exists()
