"""Arrays that a careless copy would change, and a bitwise comparison."""

import numpy as np


def odd(shape, dtype, seed=0):
    """Return a read-only normal array, reversed in memory, with a subnormal number and a -0."""
    array = np.random.default_rng(seed).normal(size=shape).astype(dtype)
    if array.size:
        array.flat[0] = np.finfo(dtype).smallest_subnormal
        array.flat[-1] = -0.0
    array = array[::-1]
    array.setflags(write=False)
    return array


def odd_weights(tensors, dtype):
    return {t.path: odd(t.shape, dtype, seed) for seed, t in enumerate(tensors)}


def bits(arrays):
    return {k: (v.dtype.name, v.shape, v.tobytes()) for k, v in arrays.items()}


def assert_same(found, expected):
    """Fail unless two mappings of arrays are equal to the bit; name the arrays that differ."""
    found, expected = bits(found), bits(expected)
    assert set(found) == set(expected)
    assert [path for path in expected if found[path] != expected[path]] == []
