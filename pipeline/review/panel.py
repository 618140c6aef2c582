"""Which call of a desk answers which request."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from ...models.core.errors import UsageError
from .decisions import adjudicate, differences_of, queue_to_decide
from .desk import ReviewDesk
from .figures import agreement_json, measure_json
from .refusals import DeskRefusal
from .rescrubbing import Rescrubbing
from .sessions import IDLE_SECONDS
from .training import Training

Answer = tuple[int, Any]

_MOST_ITEMS = 1_000


@dataclasses.dataclass(frozen=True, slots=True)
class Asking:
    """A request, admitted.

    Attributes:
        path, query: parameters of its address.
        said: the object of its body.
        match: its header If-Match.
    """

    path: Mapping[str, str]
    query: Mapping[str, str]
    said: Mapping[str, Any]
    match: str


class ReviewPanel:
    """Answers requests, one at a time.

    Attributes:
        desk: of the reader.
        training, rescrubbing: children; None where there can be none.
    """

    ROUTES: ClassVar[tuple[tuple[str, str, list[str]], ...]] = (
        ("queue", "queue", ["GET"]),
        ("claim/{doc}", "claim", ["POST"]),
        ("document/{doc}", "document", ["GET"]),
        ("marks/{doc}", "marks", ["PUT"]),
        ("done/{doc}", "done", ["POST"]),
        ("same/{doc}", "same", ["POST"]),
        ("differences/{doc}", "differences", ["GET"]),
        ("adjudicated/{doc}", "adjudicated", ["PUT"]),
        ("agreement", "agreement", ["GET"]),
        ("curve", "curve", ["GET"]),
        ("train", "train", ["GET", "POST"]),
        ("rescrub", "rescrub", ["GET", "POST"]),
        ("measure", "measure", ["GET"]),
    )
    """Path below /api, name of the call, methods."""

    def __init__(
        self,
        desk: ReviewDesk,
        training: Training | None = None,
        rescrubbing: Rescrubbing | None = None,
    ) -> None:
        self.desk, self.training, self.rescrubbing = desk, training, rescrubbing

    def about(self) -> dict[str, Any]:
        """What a page is told first."""
        desk = self.desk
        campaign = desk.drawn.campaign if desk.drawn is not None else None
        told = campaign and {
            "name": campaign.name,
            "target": campaign.target,
            "of": campaign.of,
            "n": campaign.n,
        }
        return {
            "reviewer": desk.settings.reviewer,
            "role": "adjudicator" if desk.settings.is_adjudicator else "reader",
            "run": desk.output.job.run,
            "queue": desk.queue_name,
            "campaign": told,
            "labels": desk.output.labels,
            "idle_seconds": IDLE_SECONDS,
            "can": {
                "original": desk.output.has_originals and not desk.is_blind,
                "train": self.training is not None,
                "rescrub": self.rescrubbing is not None,
            },
        }

    def answer(
        self,
        method: str,
        name: str,
        path: Mapping[str, str],
        query: Mapping[str, str],
        said: Mapping[str, Any],
        match: str,
    ) -> Answer:
        """Status and value of the answer.

        Raises:
            DeskRefusal: if it is refused.
        """
        calls: dict[str, Callable[[Asking], Any]] = {
            "queue": self._queue,
            "claim": lambda asked: self.desk.claim(self._text(asked)),
            "document": lambda asked: self.desk.document(
                self._text(asked), asked.query.get("side", "published")
            ),
            "marks": self._marks,
            "done": lambda asked: self.desk.finish(self._text(asked)),
            "same": self._same,
            "differences": lambda asked: differences_of(self.desk, self._text(asked)),
            "adjudicated": lambda asked: adjudicate(self.desk, self._text(asked), asked.said),
            "agreement": lambda asked: agreement_json(self.desk),
            "measure": lambda asked: measure_json(self.desk),
            "curve": lambda asked: self._child(self.training).curve(),
        }
        try:
            self.desk.refresh()
        except UsageError as error:
            raise DeskRefusal(503, "DamagedDraw", f"{error}: see `scrubline verify`") from None
        if name in ("train", "rescrub"):
            child = self._child(self.training if name == "train" else self.rescrubbing)
            return (202, child.start()) if method == "POST" else (200, child.state())
        return 200, calls[name](Asking(path, query, said, match))

    def _text(self, asked: Asking) -> tuple[str, str]:
        return self.desk.text(asked.path["doc"], asked.query.get("field"))

    def _child(self, child: Any) -> Any:
        """A child, or a refusal."""
        if child is None:
            raise DeskRefusal(
                403, "NotHere", "the find queue of a run with a model trains; nothing else does"
            )
        return child

    def _queue(self, asked: Asking) -> Any:
        of = asked.query.get("of", self.desk.queue_name)
        if of != self.desk.queue_name:
            raise DeskRefusal(403, "OtherQueue", "this server reads the other queue")
        after, limit = _number(asked.query, "after", 0), _number(asked.query, "limit", 200)
        if self.desk.settings.is_adjudicator:
            return queue_to_decide(self.desk, after, limit)
        return self.desk.queue(after, limit)

    def _marks(self, asked: Asking) -> Any:
        revision = asked.match.strip().strip('"')
        if not revision.isascii() or not revision.isdecimal() or len(revision) > 9:
            raise DeskRefusal(400, "NoRevision", "send If-Match with the revision, 0 for none")
        return self.desk.save(self._text(asked), int(revision), asked.said)

    def _same(self, asked: Asking) -> Any:
        start, end = asked.said.get("start"), asked.said.get("end")
        if type(start) is not int or type(end) is not int:
            raise DeskRefusal(400, "BadSpan", "start and end are whole numbers")
        return self.desk.same(self._text(asked), start, end)


def _number(query: Mapping[str, str], name: str, default: int) -> int:
    said = query.get(name, str(default))
    if not said.isascii() or not said.isdecimal() or len(said) > 9:
        raise DeskRefusal(400, "BadNumber", f"{name}: expected a whole number")
    return min(int(said), _MOST_ITEMS) if name == "limit" else int(said)
