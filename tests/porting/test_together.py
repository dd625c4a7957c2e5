"""Several frameworks in one process, which few environments have.

The porting guide as printed; weights from PyTorch to each framework that can share its process and
back, exact to the bit; and formulas derived where every such framework has been imported.
"""

import os
import sys

import pytest

from paramproof.builders import load
from paramproof.builders.registry import frameworks
from paramproof.weights.files import read_weights
from paramproof.weights.transfer import build_with, canonical_weights, stored_tensors, transfer
from tests.bitwise import assert_same, odd_weights
from tests.builders.refused import refuses_family
from tests.porting.guide import ENVIRONMENTS, FILE, SPEC, checks, script
from tests.sessions import run_python
from tests.specs import SPECS


@pytest.fixture
def together(pytestconfig):
    """Return a function that skips unless these frameworks are installed, or fails if required."""

    def needed(names):
        if absent := {package for name in names for package in frameworks()[name].missing}:
            end = pytest.fail if pytestconfig.getoption("--require") else pytest.skip
            end(f"one environment with everything is needed; absent: {sorted(absent)}")

    return needed


def test_as_printed(tmp_path, together):
    """Run the scripts in order, in the processes they need; check the sentences below each."""
    together(name for names in ENVIRONMENTS.values() for name in names)
    for name, names in ENVIRONMENTS.items():
        variables = {k: v for each in names for k, v in frameworks()[each].environment.items()}
        (tmp_path / name).write_text(script(name) + checks(name))
        done = run_python(name, cwd=tmp_path, **variables)
        assert done.returncode == 0, done.stderr
    assert set(read_weights(tmp_path / FILE, SPEC)) == set(stored_tensors(SPEC))


OTHERS = [
    one.name
    for one in frameworks().values()
    if one.extra and not one.environment and "torch" not in one.distributions
]
"""The frameworks of this repository that need no environment variables, nor PyTorch."""

PAIRS = [(name, family) for name in OTHERS for family in SPECS if not refuses_family(name, family)]


@pytest.mark.shared("weights are carried to each of ten frameworks and back")
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_both_ways(together, pair):
    name, family = pair
    together(["torch", name])
    torch, framework, spec = load("torch"), load(name), SPECS[family]
    # Fixed positions are the same in all, and not every framework stores them.
    trainable = [tensor for tensor in stored_tensors(spec).values() if tensor.trainable]
    weights = odd_weights(trainable, "float32")
    first = build_with(torch, spec, weights)
    other, last = (builder.build(spec, allocate=True) for builder in (framework, torch))
    transfer(first, other, spec)
    found = canonical_weights(other, spec)
    assert_same({path: found[path] for path in weights}, weights)
    transfer(other, last, spec)
    assert_same(last.read(), first.read())


MODULE = """
import equinox
import jax
import mlx.nn
import paddle
import torch
from flax import nnx

def in_torch(width=12):
    return torch.nn.Linear(width, 2 * width)

def in_nnx(width=12):
    return nnx.Linear(width, 2 * width, rngs=nnx.Rngs(0))

def in_equinox(width=12):
    return equinox.nn.Linear(width, 2 * width, key=jax.random.key(0))

def in_mlx(width=12):
    return mlx.nn.Linear(width, 2 * width)

def in_paddle(width=12):
    return paddle.nn.Linear(width, 2 * width)
"""


DERIVE = """
import together
from paramproof.derivation.pipeline import derive
from paramproof.tracing.constructors.function import function_constructor

for name in ("in_torch", "in_nnx", "in_equinox", "in_mlx", "in_paddle"):
    found = derive(function_constructor(name, getattr(together, name)))
    print(name, found.count({"H": 12}), found.count({"H": 3}))
"""


def test_formulas_are_derived_beside_other_frameworks(tmp_path, together):
    together(["torch", "flax-nnx", "equinox", "mlx", "paddle"])
    (tmp_path / "together.py").write_text(MODULE)
    path = os.pathsep.join([str(tmp_path), *map(os.path.abspath, sys.path)])
    done = run_python("-c", DERIVE, cwd=tmp_path, PYTHONPATH=path)
    assert done.returncode == 0, done.stderr
    # A kernel of 2·H·H and a bias of 2·H.
    names = ("torch", "nnx", "equinox", "mlx", "paddle")
    assert done.stdout.splitlines()[-5:] == [f"in_{name} 312 24" for name in names]
