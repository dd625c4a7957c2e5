"""Tell errors of our own code from refusals: a constructor may raise anything, our code may not.

An error is ours if its innermost frame is: in a module of ``paramproof`` or of ``sweep``, whether
they are a wheel or a checkout, but not of builders, as PyTorch calls their hooks. Functions that
call the constructor are marked with ``calls_constructor``, and ``ValueError`` is what our own code
raises to refuse.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from traceback import walk_tb
from types import CodeType
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

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


def raise_if_internal(error: BaseException) -> None:
    """Raise ``InternalError`` if an error is ours, and not one of a constructor."""
    frames = [*walk_tb(error.__traceback__)]
    if isinstance(error, ValueError) or not frames:
        return
    frame, line = frames[-1]
    module = str(frame.f_globals.get("__name__"))
    is_ours = re.match(r"(paramproof(?!\.builders\b)|sweep)\b", module)
    if is_ours and frame.f_code not in _CALLERS:
        place = f"{module.removeprefix('paramproof.').replace('.', '/')}.py:{line}"
        said = f"an error in paramproof, at {place}: {type(error).__name__}: {error}"
        raise InternalError(said) from error
