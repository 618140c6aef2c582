"""A nightly run as an Airflow DAG, retried only if a retry can help.

Worker machines have Scrubline installed, and `nightly.sh` with its `nightly.toml` under
/opt/scrubline. The master key and the credentials of the stores come from the environment of the
workers, never from Airflow's variables: anyone who can read those could reverse the keys.
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
    """Scrubs the new and changed inputs and publishes them."""

    # The lock of a dead worker machine is free after ten minutes; until then the code is 5.
    @task(retries=2, retry_delay=pendulum.duration(minutes=11))
    def scrub() -> None:
        places = {
            "INPUT": "s3://warehouse/notes/",
            "OUTPUT": "s3://research/notes/",
            "STATE": "/var/lib/scrubline",
        }
        # Its output has no PHI and no names of inputs, so it may go to Airflow's log.
        code = subprocess.run(
            ["/opt/scrubline/nightly.sh"], env=os.environ | places, check=False
        ).returncode
        if code in (REFUSED, HELD_BACK, WAITS):
            raise AirflowFailException(f"exit code {code}: needs a person")
        if code:
            raise RuntimeError(f"exit code {code}: retry from where it stopped")

    scrub()


scrubline_nightly()
