"""Tell errors of our own code from refusals: a constructor may raise anything, our code may not.

An error is ours if its innermost frame is: in this package, except for builders, or in ``sweep``.
That alone is not enough during a trace, where our hooks divide, index and call on behalf of the
constructor: there the constructor has to build the same model from plain sizes. Outside of a trace,
functions that call the constructor are marked with ``calls_constructor``, and ``ValueError`` is
what our own code raises to refuse.
"""

from __future__ import annotations

from collections.abc import Callable
from os.path import dirname, join
from traceback import walk_tb
from types import CodeType
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

_PACKAGE = join(dirname(dirname(__file__)), "")

_ROOT = join(dirname(dirname(_PACKAGE)), "")

_BUILDERS = join(_PACKAGE, "builders", "")

OUR_CODE = (_PACKAGE, join(_ROOT, "sweep", ""))
"""The folders of our own code. ``builders`` is not counted: PyTorch calls its hooks."""

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
    code = _innermost(error)[0]
    file = code.co_filename if code else ""
    return file.startswith(OUR_CODE) and not file.startswith(_BUILDERS)


def raise_if_internal(error: BaseException) -> None:
    """Raise ``InternalError`` if an error of a run with plain sizes is ours."""
    if isinstance(error, ValueError) or _innermost(error)[0] in _CALLERS:
        return
    if is_raised_by_us(error):
        raise _internal(error) from error


def raise_if_tracing_failed(error: BaseException, build: Callable[[], object]) -> None:
    """Raise ``InternalError`` if an error of a trace is ours.

    ``build`` builds and reads the same model from plain sizes: if it fails as well, the constructor
    refuses.
    """
    if not is_raised_by_us(error):
        return
    try:
        build()
    except Exception as refusal:  # A constructor may raise anything.
        raise_if_internal(refusal)
        return
    raise _internal(error) from error


def _internal(error: BaseException) -> InternalError:
    code, line = _innermost(error)
    assert code is not None
    name = code.co_filename.removeprefix(_PACKAGE).removeprefix(_ROOT)
    return InternalError(
        f"an error in paramproof, at {name}:{line}: {type(error).__name__}: {error}"
    )


def _innermost(error: BaseException) -> tuple[CodeType | None, int]:
    """Return the code and the line of an error's innermost frame, None if it was never raised."""
    frames = [(frame.f_code, line) for frame, line in walk_tb(error.__traceback__)]
    return frames[-1] if frames else (None, 0)
