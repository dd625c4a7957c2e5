"""Common miscounts in nnx, and by how much each one is off."""

import pytest

pytestmark = pytest.mark.framework("flax-nnx")

B, S, H, F, R = 1, 3, 6, 5, 2
DENSE = H * F + F


def entries(tree):
    import jax

    return sum(leaf.size for leaf in jax.tree.leaves(tree))


@pytest.fixture
def nnx():
    from flax import nnx

    return nnx


def counts(module):
    """Return the entries of the whole state, of the filter ``nnx.Param``, and of our list."""
    from flax import nnx

    from paramproof.builders.frameworks.flax_nnx import NnxModel

    ours = sum(weight.size for weight in NnxModel(module).weights())
    return entries(nnx.state(module)), entries(nnx.state(module, nnx.Param)), ours


def test_a_dropout_keeps_a_key_and_a_count(nnx):
    rngs = nnx.Rngs(0)
    dropouts = [nnx.Dropout(0.1, rngs=rngs) for _ in range(3)]
    module = nnx.Sequential(nnx.Linear(H, F, rngs=rngs), *dropouts)
    assert counts(module) == (DENSE + 2 * 3, DENSE, DENSE)
    assert entries(nnx.state(module, nnx.RngKey)) == 3
    assert entries(nnx.state(module, nnx.RngCount)) == 3


def test_the_statistics_of_a_batch_norm_are_not_parameters(nnx):
    norm = nnx.BatchNorm(H, rngs=nnx.Rngs(0))
    assert counts(norm) == (2 * H + 2 * H, 2 * H, 2 * H)
    assert entries(nnx.state(norm, nnx.BatchStat)) == 2 * H


def test_the_cache_of_decoding_is_not_a_parameter(nnx):
    attention = nnx.MultiHeadAttention(3, H, decode=True, rngs=nnx.Rngs(0))
    attention.init_cache((B, S, H))
    params = 4 * (H * H + H)
    # The keys and values of every position, and the number of positions so far.
    cache = 2 * B * S * H + 1
    assert entries(nnx.state(attention, nnx.Cache)) == cache
    assert counts(attention) == (params + cache, params, params)


def test_a_lora_param_is_a_param(nnx):
    """Fine-tuning with rank R adds that many parameters to a layer, and they are listed."""
    module = nnx.LoRALinear(H, F, lora_rank=R, rngs=nnx.Rngs(0))
    adapters = R * (H + F)
    assert issubclass(nnx.LoRAParam, nnx.Param)
    assert entries(nnx.state(module, nnx.LoRAParam)) == adapters
    assert counts(module) == (DENSE + adapters,) * 3


@pytest.mark.parametrize("kind", [list, tuple])
def test_a_plain_sequence_of_modules_is_refused(nnx, kind):
    class Plain(nnx.Module):
        def __init__(self):
            self.layers = kind([nnx.Linear(H, F, rngs=nnx.Rngs(0))])

    with pytest.raises(ValueError, match=f"Found data on value of type .*{kind.__name__}"):
        Plain()


def test_an_nnx_list_of_modules_is_counted(nnx):
    class Listed(nnx.Module):
        def __init__(self):
            self.layers = nnx.List(nnx.Linear(H, F, rngs=nnx.Rngs(0)) for _ in range(3))

    assert counts(Listed()) == (3 * DENSE,) * 3


def test_a_shared_module_is_counted_once(nnx):
    shared = nnx.Linear(H, H, rngs=nnx.Rngs(0))
    assert counts(nnx.Sequential(shared, shared)) == (H * H + H,) * 3


def test_a_submodule_that_is_never_called_has_its_parameters(nnx):
    """linen creates parameters when a module is called, nnx when it is constructed."""

    class Unused(nnx.Module):
        def __init__(self):
            self.head = nnx.Linear(H, F, rngs=nnx.Rngs(0))

    assert counts(Unused()) == (DENSE,) * 3
