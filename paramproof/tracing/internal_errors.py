"""Tell errors of our own code from refusals: a constructor may raise anything, our code may not.

An error is ours if its innermost frame is: in a module of ``paramproof``, except for builders, or
of ``sweep``. Functions that call the constructor are marked with ``calls_constructor``, and
``ValueError`` is what our own code raises to refuse.
"""

from __future__ import annotations

from collections.abc import Callable
from traceback import walk_tb
from types import CodeType, FrameType
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

_BUILDERS = "paramproof.builders"
"""The package of ours that is not counted: PyTorch calls its hooks."""

OUR_CODE = ("paramproof", "sweep")
"""The packages of our own code, by their names: a wheel and a checkout are in different places."""

_CALLERS: set[CodeType] = set()
"""The code of functions whose frames may be the innermost ones when a constructor refuses."""


class InternalError(BaseException):
    """An error in our own code, and not a refusal of the constructor.

    It is not an ``Exception``, so that handlers of a constructor's errors let it pass.
    """


def calls_constructor(function: Function) -> Function:
    """Mark a function of ours that calls a constructor's code, or raises errors on its behalf."""
    _CALLERS.add(function.__code__)
    return function


def is_raised_by_us(error: BaseException) -> bool:
    """Return whether the innermost frame of an error is in our own code."""
    if (frame := _innermost(error)[0]) is None:
        return False
    module = str(frame.f_globals.get("__name__"))
    is_of_builders = f"{module}.".startswith(f"{_BUILDERS}.")
    return module.partition(".")[0] in OUR_CODE and not is_of_builders


def raise_if_internal(error: BaseException) -> None:
    """Raise ``InternalError`` if an error is ours, and not one of a constructor."""
    frame = _innermost(error)[0]
    if isinstance(error, ValueError) or (frame and frame.f_code in _CALLERS):
        return
    if is_raised_by_us(error):
        raise _internal(error) from error


def _internal(error: BaseException) -> InternalError:
    frame, line = _innermost(error)
    assert frame is not None
    module = str(frame.f_globals.get("__name__"))
    name = f"{module.removeprefix('paramproof.').replace('.', '/')}.py"
    return InternalError(
        f"an error in paramproof, at {name}:{line}: {type(error).__name__}: {error}"
    )


def _innermost(error: BaseException) -> tuple[FrameType | None, int]:
    """Return the innermost frame of an error with its line, None if it was never raised."""
    frames = [*walk_tb(error.__traceback__)]
    return frames[-1] if frames else (None, 0)
