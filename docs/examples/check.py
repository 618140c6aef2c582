"""Checks the examples with their own tools. `make check-examples` installs those and runs this.

Airflow loads the DAG, kubernetes-validate checks the job against Kubernetes' own schemas, croniter
reads the schedules, bash parses the script. Exits with 1 and the tool's message if a check fails.
"""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
CRON = re.compile(r"^(\S+ \S+ \S+ \S+ \S+) ", re.MULTILINE)


def check_script() -> None:
    subprocess.run(["bash", "-n", HERE / "nightly.sh"], check=True)


def check_schedules() -> None:
    from croniter import croniter

    table = [line for line in (HERE / "crontab").read_text().splitlines() if "=" not in line]
    jobs = CRON.findall("\n".join(line for line in table if not line.startswith("#")))
    dag = re.findall(r'schedule="([^"]+)"', (HERE / "airflow_dag.py").read_text())
    job = re.findall(r'schedule: "([^"]+)"', (HERE / "kubernetes.yaml").read_text())
    found = [*jobs, *dag, *job]
    assert len(found) == 3, f"expected one schedule in each file, found {found}"
    assert all(map(croniter.is_valid, found)), found


def check_kubernetes() -> None:
    tool = Path(sys.executable).with_name("kubernetes-validate")
    subprocess.run([tool, "--strict", HERE / "kubernetes.yaml"], check=True)


def check_airflow() -> None:
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"AIRFLOW_HOME": home, "AIRFLOW__CORE__LOAD_EXAMPLES": "False"}
        from airflow.dag_processing.dagbag import DagBag

        logging.disable(logging.INFO)
        bag = DagBag(str(HERE / "airflow_dag.py"))
        assert not bag.import_errors, bag.import_errors
        assert [[task.task_id for task in dag.tasks] for dag in bag.dags.values()] == [["scrub"]]


def main() -> None:
    failed = 0
    for check in (check_script, check_schedules, check_kubernetes, check_airflow):
        try:
            check()
            print(f"{check.__name__.removeprefix('check_')}: ok")
        except Exception as error:
            failed += 1
            print(f"{check.__name__.removeprefix('check_')}: {type(error).__name__}: {error}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
