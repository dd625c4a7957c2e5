"""What transformers refuses: the only place that takes an error of it for an answer."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from paramproof.tracing.internal_errors import (
    calls_constructor,
    raise_if_internal,
    raise_if_tracing_failed,
)

Made = TypeVar("Made")


class Attempt:
    """A context in which transformers may refuse: any error of its code ends it quietly.

    ``refusal`` is then that error. An error of our own code is raised as ``InternalError``. If the
    context runs with symbolic ints, ``plain`` makes the same from plain ones.
    """

    def __init__(self, plain: Callable[[], object] | None = None) -> None:
        self.plain = plain
        self.refusal: Exception | None = None

    def __enter__(self) -> Attempt:
        return self

    def __exit__(
        self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        if self.plain:
            raise_if_tracing_failed(error, self.plain)
        else:
            raise_if_internal(error)
        self.refusal = error
        return True


@calls_constructor
def attempt(make: Callable[..., Made], /, *args: Any, **keys: Any) -> Made | None:
    """Return what a function of transformers, or one that calls it, makes; None if it refuses."""
    with Attempt():
        return make(*args, **keys)
    return None
