"""A night as an Airflow DAG: tried again only where another try can help.

Worker machines have Scrubline installed, and `nightly.sh` with its `nightly.toml` under
/opt/scrubline. The master key and the credentials of the stores come from the environment of the
workers, never from Airflow's variables: whoever may see those could undo the keys.
"""

from __future__ import annotations

import os
import subprocess

import pendulum
from airflow.sdk import dag, task
from airflow.sdk.exceptions import AirflowFailException

REFUSED, HELD_BACK, WAITS = 2, 3, 4


@dag(
    schedule="0 2 * * *",
    start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
    catchup=False,
    max_active_runs=1,
    tags=["scrubline"],
)
def scrubline_nightly():
    """Scrubs what is new or changed, and publishes it."""

    # The lock of a worker machine that died is free after ten minutes: code 5 until then.
    @task(retries=2, retry_delay=pendulum.duration(minutes=11))
    def scrub() -> None:
        places = {
            "INPUT": "s3://warehouse/notes/",
            "OUTPUT": "s3://research/notes/",
            "STATE": "/var/lib/scrubline",
        }
        # What it prints has no PHI and no names of inputs: it may stand in Airflow's log.
        code = subprocess.run(
            ["/opt/scrubline/nightly.sh"], env=os.environ | places, check=False
        ).returncode
        if code in (REFUSED, HELD_BACK, WAITS):
            raise AirflowFailException(f"exit code {code}: a person has to look")
        if code:
            raise RuntimeError(f"exit code {code}: tried again, from where it stopped")

    scrub()


scrubline_nightly()
