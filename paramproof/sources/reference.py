"""Load the function MODULE:FUNCTION from Python's path or the working directory."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.printing import MAX_ERROR_SHOWN, legible, shown

REFERENCE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")
"""The form MODULE:FUNCTION."""


def load_reference(reference: str) -> Callable[..., Any]:
    """Return the function MODULE:FUNCTION. Raises ``InvalidInput`` if there is none."""
    module, _, name = reference.partition(":")
    if not REFERENCE.fullmatch(reference):
        raise InvalidInput(f"{shown(reference)} is not MODULE:FUNCTION")
    if module.endswith(".py"):
        raise InvalidInput(f"{reference}: write {module.removesuffix('.py')}:{name}, without .py")
    found, missing = _imported(module), f"{reference}: {module} has no {name!r}"
    try:
        function = getattr(found, name)
    except AttributeError:
        raise InvalidInput(missing) from None
    except (Exception, SystemExit) as error:  # A module's own __getattr__ may raise anything.
        raise InvalidInput(f"{missing}: its __getattr__ raised {in_one_line(error)}") from error
    if not callable(function):
        kind = legible(type(function).__name__)
        raise InvalidInput(f"{reference}: {name!r} is not a function but of type {kind}")
    return cast(Callable[..., Any], function)


def require_arguments(name: str, takes: Mapping[str, bool], given: Iterable[str]) -> None:
    """Require that a function takes the ``given`` arguments, and has defaults for all others."""
    for argument in given:
        if argument not in takes:
            raise InvalidInput(f"{name} takes no {shown(argument)}; it takes {', '.join(takes)}")
    missing = [one for one, has_default in takes.items() if not has_default and one not in given]
    if missing:
        raise InvalidInput(f"{name} has no default for {missing[0]}: give --size {missing[0]}=…")


def in_one_line(error: BaseException) -> str:
    line = f"{type(error).__name__}: {' '.join(str(error).split())}".removesuffix(": ")
    return legible(line, MAX_ERROR_SHOWN)


def _imported(module: str) -> ModuleType:
    """Import ``module``, with the working directory last in the path, so that it hides nothing.

    If a package of the same name is installed (several distributions install a ``tests``), the
    module is looked for there first, and then in the working directory.
    """
    here = Path.cwd()
    if str(here) not in sys.path:
        sys.path.append(str(here))
    package = module.partition(".")[0]
    try:
        path = vars(import_module(package)).get("__path__")
        namesake = here / package
        if path is not None and namesake.is_dir() and str(namesake) not in path:
            path.append(str(namesake))
        return import_module(module)
    except (Exception, SystemExit) as error:  # A user's module may raise anything.
        raise InvalidInput(f"{module} cannot be imported: {in_one_line(error)}") from error
