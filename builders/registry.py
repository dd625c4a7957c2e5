"""The registry: which frameworks there are, known without importing any of them.

Every module in ``builders/frameworks`` is one, a file or a package; others register under
the entry point group ``paramproof.frameworks``, whose values name such a module. The
module's name, needs and fixed sizes are in its ``FRAMEWORKS`` header (a package's in
its ``__init__.py``), a literal that is read from the source: a framework may be absent, heavy
or broken, and listing it must not depend on that.
"""

from __future__ import annotations

import ast
import importlib
import os
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata, util
from pathlib import Path
from typing import cast

import paramproof.builders.frameworks
from paramproof.builders.protocol import Builder, FrameworkUnavailable
from paramproof.formulas.installation import PIP, install_command
from paramproof.formulas.lookup import canonical_name, no_such
from paramproof.formulas.printing import shown

ENTRY_POINTS = "paramproof.frameworks"

LISTED_BY = "paramproof frameworks"
"""The command that lists them."""


@dataclass(frozen=True, slots=True)
class Framework:
    """A framework's header.

    ``distributions`` are what it needs installed, the first giving its version; ``extra``
    is the extra of this project that installs them ("" for an outsider's);
    ``environment`` is what its process needs set; ``fixed`` are the fields of a spec that
    it cannot vary;
    ``slow`` says that its builds take long, so that its worker is to start first.
    """

    name: str
    module: str
    distributions: tuple[str, ...]
    extra: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, object] = field(default_factory=dict)
    slow: bool = False

    def versions(self) -> dict[str, str | None]:
        """Return the installed version of each distribution, None where it is missing."""
        return {name: _version(name) for name in self.distributions}

    @property
    def version(self) -> str:
        """The framework's own version, "" where it is not installed."""
        return _version(self.distributions[0]) or ""

    @property
    def missing(self) -> tuple[str, ...]:
        """Distributions that are not installed."""
        return tuple(name for name, version in self.versions().items() if version is None)

    @property
    def how_to_get(self) -> str:
        """The command that installs it, in any folder."""
        return (
            install_command(self.extra) if self.extra else f"{PIP} {' '.join(self.distributions)}"
        )

    def load(self) -> Builder:
        """Import the framework's file or package.

        Raises ``FrameworkUnavailable`` where a distribution is missing or the process
        lacks a variable. Any other error is the framework's: it is installed and broken.
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

    Raises ``ValueError`` where two modules claim one name or a header cannot be read.
    """
    found: dict[str, Framework] = {}
    for module in _modules():
        for framework in _header(module):
            if framework.name in found:
                other = found[framework.name].module
                raise ValueError(f"{module} and {other} both claim {framework.name!r}")
            found[framework.name] = framework
    return found


def framework(name: str) -> Framework:
    """Return the framework called ``name``, in which case does not matter.

    Raises ``UnknownName`` where there is none.
    """
    found = frameworks()
    known = canonical_name(name, found)
    if known is None:
        raise no_such("framework", name, found, LISTED_BY)
    return found[known]


def load(name: str) -> Builder:
    """Return the builder of the framework called ``name``, in this process.

    Raises ``ValueError`` for an unknown name and ``FrameworkUnavailable`` as in
    ``Framework.load``.
    """
    return framework(name).load()


def _modules() -> Iterator[str]:
    package = paramproof.builders.frameworks
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda info: info.name):
        yield f"{package.__name__}.{info.name}"
    for entry in sorted(metadata.entry_points(group=ENTRY_POINTS)):
        yield entry.value


def _header(module: str) -> Iterator[Framework]:
    spec = util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ValueError(f"{module} is registered as a framework but cannot be found")
    for node in ast.parse(Path(spec.origin).read_text("utf-8")).body:
        match node:
            case ast.Assign(targets=[ast.Name(id="FRAMEWORKS")], value=value):
                for name, header in ast.literal_eval(value).items():
                    yield Framework(name=name, module=module, **header)
                return
    raise ValueError(f"{module} is registered as a framework but has no FRAMEWORKS header")


@cache  # It is asked for with every model that is checked, and reads a file.
def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None
