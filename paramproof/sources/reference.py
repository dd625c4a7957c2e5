"""Load the function MODULE:FUNCTION from Python's path or the working directory."""

from __future__ import annotations

import ast
import re
import sys
import tokenize
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.printing import legible, shown

DYNAMIC = "__getattr__|globals|exec|setattr|vars|locals|modules"
"""What occurs in the source of a module that may have names which are not in its source."""

MAX_ERROR_SHOWN = 500
"""Characters shown of an error in the user's code."""


def load_reference(reference: str) -> Callable[..., Any]:
    """Return the function that ``reference``, written MODULE:FUNCTION, names.

    Raises ``InvalidInput``, in one line, if there is no such function.
    """
    require_reference(reference)
    module, _, name = reference.partition(":")
    function = _attribute(_imported(module), name, reference)
    if not callable(function):
        kind = legible(type(function).__name__)
        raise InvalidInput(f"{reference}: {name!r} is not a function but of type {kind}")
    return cast(Callable[..., Any], function)


def require_reference(reference: str, given: Iterable[str] | None = None) -> None:
    """Raise ``InvalidInput`` if ``reference``, or the source of its module, shows a mistake.

    No module is imported for that: its framework would take seconds. With ``given``, the names of
    arguments, the function must take these and need no others. What the source leaves open is found
    by importing the module.
    """
    module, colon, name = reference.partition(":")
    if not (colon and name.isidentifier() and all(map(str.isidentifier, module.split(".")))):
        raise InvalidInput(f"{shown(reference)} is not MODULE:FUNCTION")
    if module.endswith(".py"):
        raise InvalidInput(f"{reference}: write {module.removesuffix('.py')}:{name}, without .py")
    text = _source(module)
    if text and not re.search(rf"\b({name}|{DYNAMIC})\b|import \*", text):
        raise InvalidInput(f"{reference}: {module} has no {name!r}")
    if given is None or f"def {name}(" not in text:
        return
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    own = [node for node in ast.walk(tree) if getattr(node, "name", "") == name]
    one = own[0] if len(own) == 1 and own[0] in tree.body else None
    if isinstance(one, ast.FunctionDef) and not (one.decorator_list or one.args.kwarg):
        require_arguments(reference, _has_default(one.args), given)


def require_arguments(name: str, takes: Mapping[str, bool], given: Iterable[str]) -> None:
    """Require that a function takes the ``given`` arguments, and that all others have defaults.

    ``takes`` maps each parameter to whether it has one. Raises ``InvalidInput``.
    """
    for argument in given:
        if argument not in takes:
            raise InvalidInput(f"{name} takes no {shown(argument)}; it takes {', '.join(takes)}")
    missing = [one for one, has_default in takes.items() if not has_default and one not in given]
    if missing:
        raise InvalidInput(f"{name} has no default for {missing[0]}: give --size {missing[0]}=…")


def _has_default(arguments: ast.arguments) -> dict[str, bool]:
    """Return the parameters of a function in its source, with whether each has a default."""
    plain = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
    without = len(plain) - len(arguments.defaults)
    takes = {one: place >= without for place, one in enumerate(plain)}
    pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return takes | {one.arg: default is not None for one, default in pairs}


def _source(module: str) -> str:
    """Return the source of a module that is not imported yet, or "" if it is not easily found."""
    package, *rest = module.split(".")
    if package in sys.modules:
        return ""
    found = find_spec(package) or PathFinder.find_spec(package, [str(Path.cwd())])
    for depth, _ in enumerate(rest, 1):
        inside = [*((found and found.submodule_search_locations) or ()), str(Path.cwd() / package)]
        found = PathFinder.find_spec(".".join([package, *rest[:depth]]), inside)
        package = f"{package}/{rest[depth - 1]}"
    try:
        with tokenize.open(str(found and found.origin)) as file:
            return file.read()
    except (OSError, SyntaxError, ValueError):
        return ""


def _attribute(module: ModuleType, name: str, reference: str) -> Any:
    """Return an attribute of a module, or the value that its ``__getattr__`` returns.

    Packages such as transformers create their attributes in ``__getattr__`` (PEP 562). It is not
    called for a name that the module has.
    """
    namespace = vars(module)
    if name in namespace:
        return namespace[name]
    missing = f"{reference}: {reference.partition(':')[0]} has no {name!r}"
    if not ("__getattr__" in namespace or hasattr(type(module), "__getattr__")):
        raise InvalidInput(missing)
    try:
        return getattr(module, name)
    except AttributeError:
        raise InvalidInput(missing) from None
    except (Exception, SystemExit) as error:  # A user's module may raise anything.
        raise InvalidInput(f"{missing}: its __getattr__ raised {in_one_line(error)}") from error


def in_one_line(error: BaseException) -> str:
    """Return the type of an error and its message, in one printable line."""
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
