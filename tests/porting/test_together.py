"""Formulas are derived in a process that has imported every framework that can share one."""

import os
import sys

from tests.sessions import run_python

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
