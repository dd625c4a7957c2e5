"""Thin functions around a library that makes every decision."""

import sys
from functools import partial
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


widths("guard", wide_for_a_library=(4000, lambda dim: not otherlib.is_wide(dim)))
widths("caveat", narrow_for_a_library=(10_000, lambda dim: otherlib.narrow(dim)))


def tower(kind):
    def model(dim=64, n=3):
        return otherlib.Tower(dim, n, kind)

    return model


by_width, by_depth = partial(register_rows, "dim", tower), partial(register_rows, "n", tower)
by_width("guard", root_in_a_library=(4900, "root"), levels_in_a_library=(8192, "levels"))
by_width("caveat", tensor_in_a_library=(4000, "tensor"))
by_depth("guard", counter_in_a_library=(101, "counter"), table_in_a_library=(131, "table"))
by_depth("caveat", name_in_a_library=(151, "name"))
