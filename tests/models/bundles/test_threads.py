"""Several workers of an engine may be threads of one process, and open the same model at once."""

import subprocess
import sys
from pathlib import Path

import pytest

from ...waiting import GUARD_SECONDS

ROOT = Path(__file__).parents[3]
# In a process of its own: what goes wrong among threads of the extension ends the process.
CODE = """
import pathlib, sys, threading
from scrubline.models.scrubber import Scrubber
texts = [path.read_text() for path in sorted(pathlib.Path(sys.argv[1]).glob("*.txt"))[:20]]
start, found = threading.Barrier(3), []
def work():
    start.wait()
    scrubber = Scrubber("en-default")
    found.append([scrubber.scrub(text) for text in texts])
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(found) == 3 and found[0] == found[1] == found[2]
alone = Scrubber("en-default")
assert found[0] == [alone.scrub(text) for text in texts]
"""


@pytest.mark.slow
def test_threads_that_open_one_model_at_once_find_the_same():
    command = [sys.executable, "-X", "faulthandler", "-c", CODE, str(ROOT / "demo/notes")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=GUARD_SECONDS)
    assert done.returncode == 0, done.stderr[-3000:]
