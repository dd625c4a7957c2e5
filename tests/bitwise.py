"""Arrays that are easily spoilt on their way, and compared to the bit."""

import numpy as np


def odd(shape, dtype, seed=0):
    """Normal, with a subnormal and a -0; reversed in memory and read-only."""
    array = np.random.default_rng(seed).normal(size=shape).astype(dtype)
    if array.size:
        array.flat[0] = np.finfo(dtype).smallest_subnormal
        array.flat[-1] = -0.0
    array = array[::-1]
    array.setflags(write=False)
    return array


def odd_weights(tensors, dtype):
    """Canonical weights for an inventory's tensors, each different."""
    return {t.path: odd(t.shape, dtype, seed) for seed, t in enumerate(tensors)}


def bits(arrays):
    return {k: (v.dtype.name, v.shape, v.tobytes()) for k, v in arrays.items()}


def assert_same(found, expected):
    """Two mappings of arrays are equal to the bit; names what differs, and not all its bits."""
    found, expected = bits(found), bits(expected)
    assert set(found) == set(expected)
    assert [path for path in expected if found[path] != expected[path]] == []
