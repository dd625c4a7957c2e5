"""Call functions in forks of this process, which has imported what they need, with time limits.

Importing PyTorch and a library takes longer than most derivations. A derivation patches the modules
that build a model, so each one has a process of its own, which ends with it.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, NamedTuple, TypeVar

Item = TypeVar("Item")

_FORK = multiprocessing.get_context("fork")


class Ended(Exception):
    """A fork took too long, or it ended without an answer."""


class _Running(NamedTuple):
    process: BaseProcess
    answers: Connection
    until: float
    seconds: float

    def answer(self) -> Any:
        """Return what the function returned. Raises ``Ended`` if there is no answer."""
        try:
            if not self.answers.poll(max(0.0, self.until - time.monotonic())):
                raise Ended(f"not done within {self.seconds:g} seconds")
            return self.answers.recv()
        except EOFError:
            self.process.join()
            raise Ended(f"the process ended with status {self.process.exitcode}") from None
        finally:
            self.process.kill()
            self.process.join()
            self.answers.close()


def _begin(function: Callable[..., Any], given: tuple[Any, ...], seconds: float) -> _Running:
    answers, answering = _FORK.Pipe(duplex=False)
    process = _FORK.Process(target=_answer, args=(answering, function, given))
    process.start()
    answering.close()
    return _Running(process, answers, time.monotonic() + seconds, seconds)


def _answer(answering: Connection, function: Callable[..., Any], given: tuple[Any, ...]) -> None:
    answering.send(function(*given))


def in_fork(function: Callable[..., Any], *given: Any, seconds: float) -> Any:
    """Return what ``function`` returns in a fork.

    Raises ``Ended`` if it takes longer than ``seconds``, or ends without returning.
    """
    return _begin(function, given, seconds).answer()


class Done(NamedTuple, Generic[Item]):
    """An item with what the function returned, or with why it returned nothing."""

    item: Item
    answer: Any
    why: str


def in_forks(
    function: Callable[[Item], Any], items: Iterable[Item], seconds: float, at_a_time: int
) -> Iterator[Done[Item]]:
    """Yield each item when ``function`` has finished with it, several at a time."""
    left = list(reversed(list(items)))
    running: dict[Connection, tuple[Item, _Running]] = {}
    while left or running:
        while left and len(running) < at_a_time:
            item = left.pop()
            one = _begin(function, (item,), seconds)
            running[one.answers] = item, one
        ready = wait(list(running), timeout=1)
        late = [key for key, (_, one) in running.items() if time.monotonic() > one.until]
        for key in dict.fromkeys([*ready, *late]):
            item, one = running.pop(key)
            try:
                yield Done(item, one.answer(), "")
            except Ended as error:
                yield Done(item, None, str(error))
