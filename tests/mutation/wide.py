"""The wide scope: the files whose mutants are sampled, and the mutants themselves.

mutmut makes the mutations. Here each one is a file with one place changed, because a tracer reads
frames, and mutmut's own mutants stand behind a function that would be one frame more.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

from tests.mutation.survivors import ROOT, Change

if TYPE_CHECKING:
    from libcst import Module
    from mutmut.mutation.file_mutation import Mutation

PATTERNS = (
    "paramproof/derivation/**/*.py",
    "paramproof/tracing/**/*.py",
    "paramproof/catalogue/*.py",
    "paramproof/matching/*.py",
    "paramproof/resolver/*.py",
)


@dataclass(frozen=True, slots=True)
class Mutant:
    """One mutant of the wide scope: the file, and its place among the mutants of that file."""

    path: str
    number: int
    digest: str
    """Identifies the text of the original file."""

    @property
    def change(self) -> Change:
        """Return the lines that differ, as they stand in the list of survivors."""
        both = _mutations(self.path)[0].code.splitlines(), self.source.splitlines()
        # The first two lines of a difference name the files.
        lines = list(difflib.unified_diff(*both, n=0, lineterm=""))[2:]
        removed, added = (
            " ".join(line[1:].strip() for line in lines if line[0] == sign) for sign in "-+"
        )
        return Change(_mutations(self.path)[1][self.number][0], removed, added)

    @property
    def source(self) -> str:
        """Return the text of the file with the mutation."""
        from mutmut.mutation.file_mutation import deep_replace

        module, mutations = _mutations(self.path)
        _, one = mutations[self.number]
        return deep_replace(module, one.original_node, one.mutated_node).code


def files() -> list[str]:
    """Return the files of the wide scope, without those of which every mutant is run anyway."""
    exact = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mutmut"]
    found = {str(path.relative_to(ROOT)) for one in PATTERNS for path in ROOT.glob(one)}
    return sorted(
        path for path in found if not any(fnmatch(path, one) for one in exact["only_mutate"])
    )


def mutants(paths: Iterable[str]) -> Iterator[Mutant]:
    """Yield every mutant of the files, in the order of the source."""
    for path in paths:
        digest = sha256((ROOT / path).read_bytes()).hexdigest()[:12]
        for number in range(len(_mutations(path)[1])):
            yield Mutant(path, number, digest)


def sample(population: Iterable[Mutant], size: int, seed: int) -> list[Mutant]:
    """Return ``size`` mutants, or all if there are fewer.

    A larger sample with the same seed begins with the smaller one. A change of one file does not
    alter which mutants of the other files are drawn.
    """

    def place(one: Mutant) -> bytes:
        return sha256(f"{seed} {one.path} {one.number}".encode()).digest()

    return sorted(population, key=place)[:size]


@cache
def _mutations(path: str) -> tuple[Module, list[tuple[str, Mutation]]]:
    """Return the parsed file, and each mutation with the name of the function that it changes."""
    from mutmut.mutation.file_mutation import create_mutations

    module, mutations, *_ = create_mutations(path, (ROOT / path).read_text("utf-8"))
    names = {id(node): name for name, node in _functions(module)}
    return module, [
        (f"{path.removesuffix('.py').replace('/', '.')}.{names[owner]}", one)
        for one in mutations
        if (owner := id(one.contained_by_top_level_function)) in names
    ]


def _functions(module: Module) -> Iterator[tuple[str, object]]:
    """Yield the functions and methods of a module, with names; mutmut changes no other code."""
    from libcst import ClassDef, FunctionDef

    for node in module.body:
        if isinstance(node, FunctionDef):
            yield node.name.value, node
        elif isinstance(node, ClassDef):
            for method in node.body.body:
                if isinstance(method, FunctionDef):
                    yield f"{node.name.value}.{method.name.value}", method
