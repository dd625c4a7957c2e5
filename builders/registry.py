"""The registry of frameworks, which imports none of them.

Every module in ``builders/frameworks``, a file or a package, supports one or more frameworks.
Other distributions register such a module under the entry point group ``paramproof.frameworks``.
Names, requirements and fixed fields, and everything else that other packages need to know of a
framework, are in the ``FRAMEWORKS`` header of the module (of a package's ``__init__.py``), which is
a literal, parsed from the source: a framework may be absent, heavy or broken, and listing it must
not depend on that.
"""

from __future__ import annotations

import ast
import importlib
import os
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import util
from pathlib import Path
from typing import Any, cast

import paramproof.builders.frameworks
from paramproof.builders.protocol import Builder, FrameworkUnavailable
from paramproof.formulas.errors import InvalidInput, load_plugins, look_up, require_type
from paramproof.formulas.printing import shown
from paramproof.installation import PIP, install_command

ENTRY_POINTS = "paramproof.frameworks"

LISTED_BY = "paramproof frameworks"  # The command that lists all frameworks.


@dataclass(frozen=True, slots=True)
class Framework:
    """A framework's header.

    ``distributions`` must be installed, and the first gives the version. ``extra`` is the extra of
    this project that installs them, "" for a plug-in. ``environment`` are the environment
    variables that its process needs. ``fixed`` are spec fields that it cannot vary, with their
    values. ``slow`` means that its builds take long, so its worker starts first.

    ``model_packages`` are the packages that define its models' classes, each with the name that
    messages use; its module then has the two functions of ``LiveReader``. ``float32_steps``
    are the steps that it takes in float32, or with float32 constants, in a float64 model.
    """

    name: str
    module: str
    distributions: tuple[str, ...]
    extra: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, object] = field(default_factory=dict)
    slow: bool = False
    model_packages: Mapping[str, str] = field(default_factory=dict)
    float32_steps: tuple[str, ...] = ()

    def versions(self) -> dict[str, str | None]:
        """Return the installed version of each distribution, None where it is missing."""
        return {name: _version(name) for name in self.distributions}

    @property
    def version(self) -> str:
        """The installed version of the framework, "" if it is not installed."""
        return _version(self.distributions[0]) or ""

    @property
    def missing(self) -> tuple[str, ...]:
        """The required distributions that are not installed."""
        return tuple(name for name, version in self.versions().items() if version is None)

    @property
    def how_to_get(self) -> str:
        """The command that installs it, in any folder."""
        return (
            install_command(self.extra) if self.extra else f"{PIP} {' '.join(self.distributions)}"
        )

    def load(self) -> Builder:
        """Import the framework's file or package.

        Raises ``FrameworkUnavailable`` if a distribution or an environment variable is missing.
        Any other error comes from a framework that is installed but broken.
        """
        if self.missing:
            absent = " and ".join(self.missing)
            raise FrameworkUnavailable(
                f"{self.name} needs {absent}, which is not installed: {self.how_to_get}"
            )
        for variable, value in self.environment.items():
            found = os.environ.get(variable)
            if found != value:
                instead = "" if found is None else f", and finds {shown(found)}"
                raise FrameworkUnavailable(
                    f"{self.name} needs {variable}={value} set before Python starts{instead}"
                )
        return cast(Builder, importlib.import_module(self.module))


def frameworks() -> dict[str, Framework]:
    """Return every registered framework by name, ours first, each name once.

    A module from outside whose header cannot be read, or that claims the name of another, is
    left out and noted as a broken plug-in.
    """
    ours = paramproof.builders.frameworks
    modules = sorted(info.name for info in pkgutil.iter_modules(ours.__path__))
    headers = (_header(f"{ours.__name__}.{module}") for module in modules)
    found = {one.name: one for header in headers for one in header}

    def add(entry: Any) -> None:
        claimed = {one.name: one for one in _header(entry.value)}
        if taken := [name for name in claimed if name in found]:
            raise InvalidInput(f"{found[taken[0]].module} has the name {taken[0]!r} already")
        found.update(claimed)

    load_plugins(ENTRY_POINTS, add)
    return found


def framework(name: str) -> Framework:
    """Return the framework called ``name``, in which case does not matter.

    Raises ``InvalidInput``, in one line, for a plug-in of this name that is broken, and
    ``UnknownName``, which is one, where there is none.
    """
    return look_up("framework", name, frameworks(), ENTRY_POINTS, LISTED_BY)


@cache  # Reading a mapping of arrays asks for it once per array.
def model_packages() -> dict[str, Framework]:
    """Return the frameworks that read live models, by the packages of these models' classes."""
    return {package: one for one in frameworks().values() for package in one.model_packages}


def load(name: str) -> Builder:
    """Return the builder of the framework called ``name``, in this process.

    Raises ``InvalidInput`` for an unknown name and ``FrameworkUnavailable`` as in
    ``Framework.load``.
    """
    require_type(name, str, "name")
    return framework(name).load()


def _header(module: str) -> list[Framework]:
    """Return the frameworks of a module. Raises ``ValueError`` or worse where it has none."""
    spec = util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ValueError(f"there is no module {module}")
    for node in ast.parse(Path(spec.origin).read_text("utf-8")).body:
        match node:
            case ast.Assign(targets=[ast.Name(id="FRAMEWORKS")], value=value):
                headers = ast.literal_eval(value)
                found = [Framework(name=name, module=module, **headers[name]) for name in headers]
                if all(map(_is_whole, found)):
                    return found
                raise ValueError("its FRAMEWORKS header needs names, each with distributions")
    raise ValueError(f"{module} does not have a FRAMEWORKS header")


def _is_whole(chosen: Framework) -> bool:
    """Return whether a plug-in's header has the fields that every listing reads."""
    needed = chosen.distributions
    texts = [chosen.name, chosen.extra, *(needed if isinstance(needed, tuple) else [None])]
    dicts = (chosen.environment, chosen.fixed, chosen.model_packages)
    return (
        bool(needed)
        and all(isinstance(text, str) for text in texts)
        and all(isinstance(one, dict) for one in dicts)
        and isinstance(chosen.float32_steps, tuple)
    )


@cache  # Every checked model needs it, and it reads a file.
def _version(distribution: str) -> str | None:
    from importlib import metadata  # Counting does not need it, and importing it takes long.

    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None
