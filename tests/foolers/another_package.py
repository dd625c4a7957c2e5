"""Thin functions around a library that makes every decision."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from torch import nn

from tests.foolers.entries import fooler, register_rows, widths


def _installed(name):
    """Import the package in this folder as another package, as if it were installed."""
    folder = Path(__file__).with_name(name)
    file = folder / "__init__.py"
    spec = spec_from_file_location(name, file, submodule_search_locations=[str(folder)])
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


otherlib = _installed("otherlib")


@fooler("guard", dim=4096)
def gate_of_a_library(dim=64, n=3):
    return otherlib.Gate(dim, n)


@fooler("guard", n=101)
def stack_of_a_library(dim=16, n=3):
    return otherlib.Stack(dim, n)


@fooler("guard", in_lengths=True, dim=(90, 100, 4000))
def multiple_of_a_library(dim=64, n=3):
    return nn.ModuleList([nn.Linear(dim, otherlib.multiple(dim, 0.35)) for _ in range(n)])


widths(
    wide_for_a_library=("guard", 4000, lambda dim: not otherlib.is_wide(dim)),
    narrow_for_a_library=("caveat", 10_000, lambda dim: otherlib.narrow(dim)),
)


def tower(kind):
    def model(dim=64, n=3):
        return otherlib.Tower(dim, n, kind)

    return model


register_rows(
    "dim",
    tower,
    root_in_a_library=("guard", 4900, "root"),
    levels_in_a_library=("guard", 8192, "levels"),
    tensor_in_a_library=("caveat", 4000, "tensor"),
)
register_rows(
    "n",
    tower,
    counter_in_a_library=("guard", 101, "counter"),
    table_in_a_library=("guard", 131, "table"),
    name_in_a_library=("caveat", 151, "name"),
)
