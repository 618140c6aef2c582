"""What is asked of a Flink cluster itself, by its REST interface.

Beam's job server can send jobs to a cluster; one that it cancels goes on there.
"""

from __future__ import annotations

import http.client
import json
import urllib.parse
from typing import Any

ALIVE = frozenset({"CREATED", "INITIALIZING", "RUNNING", "RESTARTING", "FAILING", "CANCELLING"})
"""States of a job that has not ended."""


def task_slots(master: str, timeout: float) -> int | None:
    """How many slots the task managers of a cluster have; None without an answer.

    Args:
        master: address of the job manager's REST interface, with or without a scheme.
    """
    found = _ask(master, "GET", "/overview", timeout)
    return None if found is None else int(found.get("slots-total") or 0)


def living_jobs(master: str, name: str, timeout: float) -> list[str]:
    """Ids of the jobs of a name that have not ended; none without an answer."""
    found = _ask(master, "GET", "/jobs/overview", timeout) or {}
    jobs = found.get("jobs") or []
    return [one["jid"] for one in jobs if one.get("name") == name and one.get("state") in ALIVE]


def cancel(master: str, job_id: str, timeout: float) -> None:
    """Asks a cluster to end a job."""
    _ask(master, "PATCH", f"/jobs/{job_id}?mode=cancel", timeout)


def _ask(master: str, method: str, path: str, timeout: float) -> dict[str, Any] | None:
    """The answer; None without one, or if it is not a JSON object."""
    url = urllib.parse.urlsplit(master if "://" in master else f"http://{master}")
    kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    try:
        connection = kind(url.hostname or "", url.port, timeout=timeout)
        try:
            connection.request(method, f"{url.path.rstrip('/')}{path}")
            found = json.loads(connection.getresponse().read(_MOST_BYTES))
        finally:
            connection.close()
    except (OSError, ValueError, http.client.HTTPException):
        return None
    return found if isinstance(found, dict) else None


_MOST_BYTES = 10_000_000
